/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the kinds of files that pictures are written to, and keeps their memory
 * (writers.h). */
#include "writers.h"
#include "codec/text.h"
#include "tool.h"
#include <stdio.h>
#include <string.h>

static const PacoWriterKind *const kinds[] = {
  &paco_writer_pnm,
  &paco_writer_pam,
#ifdef HAVE_PNG
  &paco_writer_png,
#endif
#ifdef HAVE_JPEG
  &paco_writer_jpeg,
#endif
  &paco_writer_tiff,
  &paco_writer_dng,
  &paco_writer_dpx,
  &paco_writer_y4m,
  &paco_writer_raw,
};

static bool
has_extension (const PacoWriterKind *kind, const char *path)
{
  const char *dot = strrchr (path, '.');

  if (!dot || strchr (dot, '/'))
    return false;
  for (unsigned i = 0; i < G_N_ELEMENTS (kind->extensions); i++)
    if (kind->extensions[i]
        && g_ascii_strcasecmp (dot + 1, kind->extensions[i]) == 0)
      return true;
  return false;
}

static void
set_unknown (const char *name, const char *path, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++)
    g_string_append_printf (names, "%s%s", i ? ", " : "", kinds[i]->name);
  if (name)
    paco_tool_misused (error, "pictures are not written as %s but as one of %s",
        name, names->str);
  else
    paco_tool_misused (error,
        "the name %s does not say what pictures are written as; --as says it: "
        "%s",
        path, names->str);
}

const PacoWriterKind *
paco_writer_kind (const char *name, const char *path, GError **error)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (name ? strcmp (kinds[i]->name, name) == 0
             : has_extension (kinds[i], path))
      return kinds[i];
  set_unknown (name, path, error);
  return NULL;
}

/* --- what a frame becomes --- */

static bool
cut_to_region (const char *region, PacoInfo *info, GError **error)
{
  unsigned x, y, width, height;
  char end;

  if (sscanf (region, "%u,%u,%u,%u%c", &x, &y, &width, &height, &end) != 4
      || width == 0 || height == 0 || x > info->width || y > info->height
      || width > info->width - x || height > info->height - y)
    return paco_tool_misused (error,
        "the region %s is not x,y,width,height of a part of the picture, which "
        "has %u x %u samples",
        region, info->width, info->height);
  info->width = width;
  info->height = height;
  return true;
}

/* Says whether the components of a reduced picture are those of a picture of that
 * size. Those of a picture that is coded as two fields need not be. */
static bool
fits_together (const PacoInfo *frame, unsigned reduce, const PacoInfo *info)
{
  for (unsigned c = 0; c < frame->n_components; c++) {
    uint32_t width, height;

    if (paco_component_size (frame, c, reduce, &width, &height, NULL)
            != PACO_STATUS_OK
        || width
            != (info->width + (1u << info->subsampling_x[c]) - 1)
                >> info->subsampling_x[c]
        || height
            != (info->height + (1u << info->subsampling_y[c]) - 1)
                >> info->subsampling_y[c])
      return false;
  }
  return true;
}

bool
paco_pixels_tell (const PacoInfo *frame, unsigned reduce, const char *region,
    PacoInfo *info, GError **error)
{
  PacoError failure;

  *info = *frame;
  if (reduce > frame->levels)
    return paco_tool_misused (error, "the picture can be halved %u %s, not %u",
        frame->levels, paco_text_plural (frame->levels, "time", "times"),
        reduce);
  if (!paco_tool_check (paco_component_size (frame, 0, reduce, &info->width,
                            &info->height, &failure),
          &failure, error))
    return false;
  info->width <<= info->subsampling_x[0];
  info->height <<= info->subsampling_y[0];
  if (!fits_together (frame, reduce, info))
    return paco_tool_failed (error,
        "the colours of a picture of %u x %u samples in two fields, reduced %u "
        "times, have a size that no file of pictures can say",
        frame->width, frame->height, reduce);
  return !region || cut_to_region (region, info, error);
}

bool
paco_writer_needs_rgb (const PacoWriterKind *kind, const PacoInfo *info)
{
  return kind->rgb && paco_format_is_yuv (info);
}

bool
paco_pixels_place (PacoPixels *pixels, const PacoWriterKind *kind,
    const PacoFormat *format, const PacoInfo *info, GError **error)
{
  size_t bytes;

  if (info->mosaic && !kind->mosaic)
    return paco_tool_failed (error,
        "the picture is a mosaic of a sensor, which %s files do not have; DNG, "
        "PGM (as gray) and raw files do",
        kind->name);
  if (info->sample_kind[0] != PACO_SAMPLES_UNSIGNED && kind != &paco_writer_raw)
    return paco_tool_failed (error,
        "the samples are %s, which %s files do not have; --as=raw takes them",
        info->sample_kind[0] == PACO_SAMPLES_SIGNED ? "signed"
                                                    : "floating-point numbers",
        kind->name);
  if (paco_writer_needs_rgb (kind, info))
    kind = &paco_writer_video;
  pixels->info = *info;
  if (pixels->capacity > 0)
    memset (&pixels->image, 0, sizeof pixels->image);
  if (!kind->place (pixels, format, &bytes, error))
    return false;
  if (bytes > pixels->capacity) {
    g_free (pixels->samples);
    pixels->capacity = 0;
    pixels->samples = g_try_malloc (bytes);
    if (!pixels->samples)
      return paco_tool_failed (
          error, "there is no memory for a picture of %zu bytes", bytes);
    pixels->capacity = bytes;
  }
  pixels->size = bytes;
  return kind->place (pixels, format, &bytes, error);
}

void
paco_pixels_clear (PacoPixels *pixels)
{
  g_free (pixels->samples);
  *pixels = (PacoPixels){ 0 };
}

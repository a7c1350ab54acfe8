/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes PGM, PPM, PAM and raw files, for writers.c. A decoder writes the samples as
 * they are in the file. */
#include "tool.h"
#include "writers.h"
#include <string.h>

static bool
place (PacoPixels *pixels, size_t *bytes, const char *name, GError **error)
{
  PacoError failure;

  if (!pixels->info.mosaic && !paco_format_has_one_depth (&pixels->info))
    return paco_tool_failed (error,
        "%s files hold no pictures with subsampled colours, or with components "
        "of different depths; Y4M and raw files do",
        name);
  return paco_tool_check (paco_image_init (&pixels->image, &pixels->info, 0,
                              PACO_IMAGE_INTERLEAVED | PACO_IMAGE_BIG_ENDIAN,
                              pixels->samples, bytes, &failure),
      &failure, error);
}

static bool
place_pnm (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  if (pixels->info.n_components % 2 == 0 && !pixels->info.mosaic)
    return paco_tool_failed (
        error, "PNM files hold no alpha; PAM and PNG files do");
  return place (pixels, bytes, "PNM", error);
}

static bool
place_pam (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  return place (pixels, bytes, "PAM", error);
}

static bool
head_pnm (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  const PacoInfo *info = &pixels->info;
  char head[64];
  int n = g_snprintf (head, sizeof head, "P%d\n%u %u\n%u\n",
      info->n_components == 1 || info->mosaic ? 5 : 6, info->width,
      info->height, (1u << info->depth[0]) - 1);

  g_byte_array_append (bytes, (const guint8 *) head, (guint) n);
  return true;
}

static bool
head_pam (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  static const char *const types[PACO_COMPONENTS] = {
    "GRAYSCALE",
    "GRAYSCALE_ALPHA",
    "RGB",
    "RGB_ALPHA",
  };
  const PacoInfo *info = &pixels->info;
  unsigned n = info->n_components;
  g_autofree char *head = g_strdup_printf (
      "P7\nWIDTH %u\nHEIGHT %u\nDEPTH %u\nMAXVAL %u\nTUPLTYPE %s\nENDHDR\n",
      info->width, info->height, n, (1u << info->depth[0]) - 1,
      paco_format_is_yuv (info) ? (n == 3 ? "YUV" : "YUV_ALPHA")
                                : types[n - 1]);

  g_byte_array_append (bytes, (const guint8 *) head, (guint) strlen (head));
  return true;
}

const PacoWriterKind paco_writer_pnm = {
  .name = "pnm",
  .extensions = { "pgm", "ppm", "pnm" },
  .place = place_pnm,
  .head = head_pnm,
  .rgb = true,
  .mosaic = true,
};

const PacoWriterKind paco_writer_pam = {
  .name = "pam",
  .extensions = { "pam" },
  .place = place_pam,
  .head = head_pam,
};

/* --- raw --- */

static bool
place_raw (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  if (!format)
    format = paco_format_for (&pixels->info);
  if (format && !paco_format_holds (format, &pixels->info))
    return paco_tool_failed (error,
        "%s does not hold the samples of this picture, which has %u "
        "component%s of %u bits",
        format->name, pixels->info.n_components,
        pixels->info.n_components == 1 ? "" : "s", pixels->info.depth[0]);
  *bytes = paco_format_place (
      format, &pixels->info, pixels->samples, &pixels->image);
  return true;
}

static bool
head_raw (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  return true;
}

const PacoWriterKind paco_writer_raw = {
  .name = "raw",
  .extensions = { "raw", "yuv", "rgb", "gray" },
  .stream = true,
  .place = place_raw,
  .head = head_raw,
  .mosaic = true,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lays pictures out in raw formats (formats.h). */
#include "formats.h"
#include "tool.h"
#include <string.h>

bool
paco_format_is_of_files (const PacoFormat *row)
{
  return row->name && !row->excluded && row->word_bytes > 0;
}

const PacoFormat *
paco_format_of_option (const char *name, GError **error)
{
  const PacoFormat *format = paco_format_by_name (name);
  g_autoptr (GString) names = NULL;

  if (format && paco_format_is_of_files (format))
    return format;
  names = g_string_new (NULL);
  for (guint i = 0; i < paco_n_formats; i++)
    if (paco_format_is_of_files (&paco_formats[i]))
      g_string_append_printf (
          names, "%s%s", names->len ? ", " : "", paco_formats[i].name);
  paco_tool_misused (error, "%s is no raw format%s; these are %s", name,
      format ? " that files can have" : "", names->str);
  return NULL;
}

const PacoFormat *
paco_format_for (const PacoInfo *info)
{
  const PacoFormat *own = paco_format_by_name (info->format);
  bool rgb = info->n_components >= 3 && !paco_format_is_yuv (info);

  if (own && paco_format_is_of_files (own) && paco_format_holds (own, info))
    return own;
  return paco_format_usual (info, rgb);
}

bool
paco_format_is_yuv (const PacoInfo *info)
{
  const PacoFormat *format = paco_format_by_name (info->format);

  /* Encoders transform the colours of R, G, B only. */
  return info->n_components >= 3 && !info->mosaic && info->matrix != 1
      && info->color_transform == 0
      && !(format && format->kind == PACO_FORMAT_RGB);
}

bool
paco_format_has_one_depth (const PacoInfo *info)
{
  for (unsigned c = 0; c < info->n_components; c++)
    if (info->depth[c] != info->depth[0] || info->subsampling_x[c]
        || info->subsampling_y[c])
      return false;
  return true;
}

void
paco_format_tell (const PacoFormat *format, PacoInfo *info)
{
  PacoRawFormat raw;

  paco_raw_format_init (&raw, format);
  info->n_components = raw.n_components;
  info->mosaic = raw.mosaic;
  for (unsigned c = 0; c < raw.n_components; c++) {
    info->depth[c] = raw.components[c].depth;
    info->subsampling_x[c] = raw.components[c].subsampling_x;
    info->subsampling_y[c] = raw.components[c].subsampling_y;
    info->place_x[c] = raw.components[c].place_x;
    info->place_y[c] = raw.components[c].place_y;
  }
  g_strlcpy (info->format, format->name, sizeof info->format);
  if (format->kind == PACO_FORMAT_RGB) {
    info->matrix = 1;
    info->range = 1;
  }
}

/* Places a component whose plane begins at data (or NULL): its lines are multiples of
 * line_bytes. Returns how many bytes the plane has. */
static size_t
place_component (const PacoInfo *info, unsigned c,
    const PacoSampleLayout *layout, size_t line_bytes, uint8_t *data,
    PacoImage *image)
{
  size_t lines = paco_ceil_shift (info->height, info->subsampling_y[c]);
  size_t line = paco_layout_line_bytes (
      layout, paco_ceil_shift (info->width, info->subsampling_x[c]));
  size_t stride = (line + line_bytes - 1) / line_bytes * line_bytes;

  image->data[c] = data;
  image->stride[c] = (ptrdiff_t) stride;
  image->size[c] = stride * lines;
  image->layout[c] = (PacoLayout){
    .group_bytes = layout->group_bytes,
    .group_samples = layout->group_samples,
    .word_bytes = layout->word_bytes,
    .fill = layout->fill,
    .big_endian = layout->big_endian,
    .swap_words = layout->csi2 ? PACO_LAYOUT_CSI2 : 0,
  };
  for (unsigned i = 0; i < layout->group_samples; i++) {
    image->layout[c].places[i].byte = layout->places[i].byte;
    image->layout[c].places[i].shift = layout->places[i].shift;
  }
  /* What ends the lines of some formats. */
  for (size_t y = 0; data && stride > line && y < lines; y++)
    memset (data + y * stride + line, 0, stride - line);
  return image->size[c];
}

static void
init_planes (PacoRawFormat *raw, const PacoInfo *info)
{
  PacoSampleLayout layout = PACO_LAYOUT_PLANAR (1);

  for (unsigned c = 0; c < info->n_components; c++)
    if (info->depth[c] > 8)
      layout.group_bytes = layout.word_bytes = 2;
  raw->n_components = (uint8_t) info->n_components;
  for (unsigned c = 0; c < info->n_components; c++) {
    raw->plane[c] = (uint8_t) c;
    raw->layout[c] = layout;
  }
}

/* Makes lines of the two planes of a mosaic, which are alike and lie one behind the other,
 * take turns. */
static void
alternate (const PacoRawFormat *raw, size_t total, PacoImage *image)
{
  for (unsigned c = 0; c < raw->n_components; c++) {
    size_t first = raw->plane[c] * (size_t) image->stride[c];

    if (image->data[c])
      image->data[c] = (uint8_t *) image->data[c]
          - raw->plane[c] * image->size[c] + first;
    image->size[c] = total - first;
    image->stride[c] *= 2;
  }
}

size_t
paco_format_place (const PacoFormat *format, const PacoInfo *info, void *memory,
    PacoImage *image)
{
  size_t total = 0, size = 0;
  PacoRawFormat raw;

  memset (image, 0, sizeof *image);
  if (format)
    paco_raw_format_init (&raw, format);
  else
    init_planes (&raw, info);
  if (raw.n_components == info->n_components + 1)
    paco_raw_format_drop_alpha (&raw);
  for (unsigned p = 0; p < raw.n_components; p++, total += size) {
    size = 0;
    for (unsigned c = 0; c < raw.n_components; c++)
      if (raw.plane[c] == p)
        size = place_component (info, c, &raw.layout[c],
            format ? MAX (format->line_bytes, 1) : 1,
            memory ? (uint8_t *) memory + total : NULL, image);
  }
  if (format && raw.mosaic)
    alternate (&raw, total, image);
  return total;
}

/* --- mosaics of gray pictures --- */

const PacoFormat *
paco_format_of_pattern (const char *name, GError **error)
{
  const PacoFormat *format = paco_format_by_name (name);

  if (format && format->kind == PACO_FORMAT_MOSAIC && format->depths[0] == 8)
    return format;
  paco_tool_misused (error,
      "%s is no mosaic; these are rggb, grbg, gbrg and bggr, which are the "
      "colors of two lines",
      name);
  return NULL;
}

/* Makes the layout of every other sample, from sample `first` on, 0 or 1. */
static PacoLayout
take_every_other (const PacoLayout *layout, unsigned first)
{
  unsigned n = layout->group_samples, groups = 1 + n % 2;
  PacoLayout half = *layout;

  half.group_bytes = (uint8_t) (groups * layout->group_bytes);
  half.group_samples = (uint8_t) (groups * n / 2);
  memset (half.places, 0, sizeof half.places);
  for (unsigned i = 0; i < half.group_samples; i++) {
    unsigned sample = 2 * i + first;

    half.places[i] = layout->places[sample % n];
    half.places[i].byte += (uint8_t) (sample / n * layout->group_bytes);
  }
  return half;
}

bool
paco_format_make_mosaic (
    const PacoFormat *pattern, PacoInfo *info, PacoImage *image, GError **error)
{
  PacoLayout gray = image->layout[0];
  uint8_t *first = image->data[0];
  ptrdiff_t stride = image->stride[0];
  size_t size = image->size[0];
  unsigned depth = info->depth[0];

  if (info->n_components != 1 || info->width % 2 || info->height % 2)
    return paco_tool_failed (error,
        "a picture of %u x %u samples and %u component%s is no mosaic, which "
        "is "
        "gray and has even numbers of columns and lines",
        info->width, info->height, info->n_components,
        info->n_components == 1 ? "" : "s");
  paco_format_tell (pattern, info);
  if (depth > 8)
    g_snprintf (
        info->format, sizeof info->format, "%s%ule", pattern->name, depth);
  for (unsigned c = 0; c < info->n_components; c++) {
    info->depth[c] = depth;
    info->sample_kind[c] = info->sample_kind[0];
    image->layout[c] = take_every_other (&gray, info->place_x[c]);
    image->data[c] = first + (ptrdiff_t) info->place_y[c] * stride;
    image->stride[c] = 2 * stride;
    /* One of the two begins a line later in memory. */
    image->size[c] = info->place_y[c] == (stride > 0)
        ? size - (size_t) ABS (stride)
        : size;
  }
  return true;
}

double
paco_picture_rate (const PacoInfo *info)
{
  if (info->fps_n == 0 || info->fps_d == 0)
    return 0;
  return (double) info->fps_n / info->fps_d
      * (info->interlace_mode == 3 ? 2 : 1);
}

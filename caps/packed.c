/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts formats in tiles to planes and back (packed.h), line by line with
 * GStreamer's own unpack and pack functions. These take pixels of four components,
 * alpha first, of 8 or 16 bits: those of 16 bits have the samples in the high bits,
 * and subsampled components stand in every pixel. */
#include "packed.h"
#include <string.h>

/* Unpack functions work in groups of pixels and may write a group too many. */
#define LINE_SLACK 64

/* paco_fields_fit() says why: there are 2 more at most, with subsampling by 4. */
#define SPARE_LINES 2

struct _PacoPlanes
{
  PacoPictureFormat format;
  PacoPicture picture;
  guint16 *samples; /* of all planes */
  guint16 *line;    /* one line of pixels, four 8 or 16-bit words each */
};

const PacoSampleLayout paco_planes_layout = {
  .group_bytes = 2,
  .group_samples = 1,
  .word_bytes = 2,
  .big_endian = G_BYTE_ORDER == G_BIG_ENDIAN,
};

PacoPlanes *
paco_planes_new (const PacoPictureFormat *format)
{
  PacoPlanes *planes = g_new0 (PacoPlanes, 1);
  gsize total = 0;
  gsize offset[PACO_MAX_COMPONENTS];

  planes->format = *format;
  for (guint c = 0; c < format->n_components; c++) {
    /* Lines begin at cache lines. */
    gsize stride = (2 * (gsize) paco_component_width (format, c) + 63) & ~63;

    offset[c] = total;
    planes->picture.stride[c] = stride;
    planes->picture.layout[c] = paco_planes_layout;
    total += stride * (paco_component_height (format, c) + SPARE_LINES);
  }

  planes->samples = g_try_malloc (total);
  planes->line = g_try_new0 (guint16, 4 * ((gsize) format->width + LINE_SLACK));
  if (planes->samples == NULL || planes->line == NULL) {
    paco_planes_free (planes);
    return NULL;
  }

  for (guint c = 0; c < format->n_components; c++)
    planes->picture.data[c] = (guint8 *) planes->samples + offset[c];
  return planes;
}

void
paco_planes_free (PacoPlanes *planes)
{
  if (planes == NULL)
    return;
  g_free (planes->samples);
  g_free (planes->line);
  g_free (planes);
}

const PacoPicture *
paco_planes_picture (const PacoPlanes *planes)
{
  return &planes->picture;
}

static guint16 *
plane_line (const PacoPlanes *planes, guint component, guint y)
{
  return (guint16 *) (planes->picture.data[component]
      + planes->picture.stride[component] * (gssize) y);
}

static guint
unpacked_bits (const GstVideoFormatInfo *finfo)
{
  return GST_VIDEO_FORMAT_INFO_BITS (
      gst_video_format_get_info (finfo->unpack_format));
}

/* Returns where a component stands in an unpacked pixel: alpha is first. */
static guint
unpacked_position (guint component)
{
  return component == 3 ? 0 : component + 1;
}

void
paco_planes_unpack (PacoPlanes *planes, const GstVideoFrame *frame)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  const PacoPictureFormat *format = &planes->format;
  guint bits = unpacked_bits (finfo);

  for (guint y = 0; y < format->height; y++) {
    finfo->unpack_func (finfo, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, planes->line,
        frame->data, frame->info.stride, 0, y, format->width);

    for (guint c = 0; c < format->n_components; c++) {
      const PacoComponent *component = &format->components[c];
      guint step = 4u << component->subsampling_x;
      guint width = paco_component_width (format, c);
      guint16 *out;

      if (y & ((1u << component->subsampling_y) - 1))
        continue;
      out = plane_line (planes, c, y >> component->subsampling_y);

      if (bits == 8) {
        const guint8 *in = (guint8 *) planes->line + unpacked_position (c);

        for (guint x = 0; x < width; x++)
          out[x] = in[x * step];
      } else {
        const guint16 *in = planes->line + unpacked_position (c);
        guint shift = bits - component->depth;

        for (guint x = 0; x < width; x++)
          out[x] = in[x * step] >> shift;
      }
    }
  }
}

/* Puts component c of line y into all pixels of the unpacked line. */
static void
put_component (PacoPlanes *planes, guint c, guint y, guint bits)
{
  const PacoPictureFormat *format = &planes->format;
  const PacoComponent *component = &format->components[c];
  const guint16 *in = plane_line (planes, c, y >> component->subsampling_y);
  guint shift_x = component->subsampling_x;

  if (bits == 8) {
    guint8 *out = (guint8 *) planes->line + unpacked_position (c);

    for (guint x = 0; x < format->width; x++)
      out[4 * x] = in[x >> shift_x];
  } else {
    guint16 *out = planes->line + unpacked_position (c);
    guint shift = bits - component->depth;

    for (guint x = 0; x < format->width; x++)
      out[4 * x] = in[x >> shift_x] << shift;
  }
}

void
paco_planes_pack (PacoPlanes *planes, GstVideoFrame *frame)
{
  const GstVideoFormatInfo *finfo = frame->info.finfo;
  const PacoPictureFormat *format = &planes->format;
  guint bits = unpacked_bits (finfo);

  for (guint y = 0; y < format->height; y++) {
    for (guint c = 0; c < format->n_components; c++)
      put_component (planes, c, y, bits);
    finfo->pack_func (finfo, GST_VIDEO_PACK_FLAG_NONE, planes->line, 0,
        frame->data, frame->info.stride, frame->info.chroma_site, y,
        format->width);
  }
}

/* Returns how many lines of component c there are in a picture of which each
 * field is reduced. */
static guint
reduced_lines (guint lines, guint reduce)
{
  return paco_ceil_shift ((lines + 1) / 2, reduce)
      + paco_ceil_shift (lines / 2, reduce);
}

gboolean
paco_fields_fit (const PacoPictureFormat *picture, guint reduce)
{
  guint luma = reduced_lines (picture->height, reduce);

  if (!picture->fields)
    return TRUE;
  for (guint c = 0; c < picture->n_components; c++) {
    guint sub = picture->components[c].subsampling_y;

    if (reduced_lines (paco_component_height (picture, c), reduce)
        != paco_ceil_shift (luma, sub))
      return FALSE;
  }
  return TRUE;
}

/* Stores a picture whose component c is that of planes number from[c]. Reads only as many
 * lines of chroma as the frame's picture has. */
static void
store (const PacoPlanes *planes, const guint8 *from,
    const PacoPictureFormat *format, const PacoRawFormat *raw,
    GstVideoFrame *frame)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  PacoPicture target;
  guint n_regions;

  paco_picture_from_frame (raw, frame, &target);
  n_regions = paco_picture_regions (format, &target, 0, regions);
  for (guint r = 0; r < n_regions; r++)
    for (guint y = 0; y < regions[r].lines; y++)
      paco_region_blank_line (&regions[r], y);
  for (guint c = 0; c < format->n_components; c++)
    for (guint y = 0; y < paco_component_height (format, c); y++) {
      const guint16 *in = plane_line (planes, from[c], y);
      guint8 *out = target.data[c] + target.stride[c] * (gssize) y;

      for (guint x = 0; x < paco_component_width (format, c); x++)
        paco_layout_put (&target.layout[c], out, x, in[x]);
    }
}

void
paco_planes_store (
    const PacoPlanes *planes, const PacoRawFormat *raw, GstVideoFrame *frame)
{
  static const guint8 same[PACO_MAX_COMPONENTS] = { 0, 1, 2, 3 };

  store (planes, same, &planes->format, raw, frame);
}

/* Makes the mean of both greens the first one, and gives all samples more bits. */
static void
mix_cell_lines (PacoPlanes *planes, guint y, guint width, guint shift)
{
  guint16 *red = plane_line (planes, 0, y), *blue = plane_line (planes, 3, y);
  guint16 *green = plane_line (planes, 1, y);
  const guint16 *other = plane_line (planes, 2, y);

  for (guint x = 0; x < width; x++) {
    red[x] <<= shift;
    green[x] = ((((guint) green[x] + other[x]) << shift) + 1) >> 1;
    blue[x] <<= shift;
  }
}

void
paco_planes_store_cells (
    PacoPlanes *planes, const PacoRawFormat *raw, GstVideoFrame *frame)
{
  static const guint8 from[PACO_MAX_COMPONENTS] = { 0, 1, 3 };
  guint shift = raw->components[0].depth - planes->format.components[0].depth;
  PacoPictureFormat cells = { .n_components = raw->n_components };

  cells.width = paco_component_width (&planes->format, 0);
  cells.height = paco_component_height (&planes->format, 0);
  memcpy (cells.components, raw->components, sizeof (cells.components));
  for (guint y = 0; y < cells.height; y++)
    mix_cell_lines (planes, y, cells.width, shift);
  store (planes, from, &cells, raw, frame);
}

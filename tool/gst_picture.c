/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Describes decoded pictures to libgstvideo (gst_picture.h). */
#include "gst_picture.h"
#include "tool.h"

/* The picture flags of FORMAT.md. */
#define CODED_AS_FIELDS 1
#define TOP_FIELD_FIRST 2

static void
describe_colours (const PacoInfo *info, GstVideoInfo *video)
{
  GstVideoColorimetry *colours = &video->colorimetry;

  /* These numbers are GStreamer's own. */
  if (info->range)
    colours->range = (GstVideoColorRange) info->range;
  if (info->matrix)
    colours->matrix = (GstVideoColorMatrix) info->matrix;
  if (info->transfer)
    colours->transfer = (GstVideoTransferFunction) info->transfer;
  if (info->primaries)
    colours->primaries = (GstVideoColorPrimaries) info->primaries;
  if (info->chroma_site)
    video->chroma_site = (GstVideoChromaSite) info->chroma_site;
}

static GstVideoFormat
identify (const PacoFormat *format)
{
  return format ? gst_video_format_from_string (format->name)
                : GST_VIDEO_FORMAT_UNKNOWN;
}

static bool
is_known (const PacoFormat *format)
{
  return identify (format) != GST_VIDEO_FORMAT_UNKNOWN;
}

/* Returns a format that GStreamer knows and that holds such pictures, or NULL. */
static const PacoFormat *
find_format (const PacoInfo *info, bool rgb)
{
  for (unsigned i = 0; i < paco_n_formats; i++)
    if (paco_format_is_of_files (&paco_formats[i])
        && (paco_formats[i].kind == PACO_FORMAT_RGB) == rgb
        && paco_format_holds (&paco_formats[i], info)
        && is_known (&paco_formats[i]))
      return &paco_formats[i];
  return NULL;
}

/* Returns the format that pictures are laid out in, or NULL. The usual ones are planar,
 * so that regions may begin anywhere. */
static const PacoFormat *
choose_format (const PacoInfo *info)
{
  bool rgb = info->n_components >= 3 && !paco_format_is_yuv (info);
  const PacoFormat *format = paco_format_usual (info, rgb);
  PacoInfo opaque = *info;

  if (!is_known (format))
    format = paco_format_for (info);
  if (!is_known (format))
    format = find_format (info, rgb);
  if (format || info->n_components != 3)
    return format;
  /* GStreamer 1.22 has no R, G, B of 16 bits without alpha. */
  opaque.n_components = 4;
  opaque.depth[3] = opaque.depth[0];
  return find_format (&opaque, rgb);
}

bool
paco_gst_picture_info (
    const PacoInfo *info, GstVideoInfo *video, GError **error)
{
  GstVideoFormat id;

  if (!gst_init_check (NULL, NULL, error))
    return false;
  id = identify (choose_format (info));
  if (id == GST_VIDEO_FORMAT_UNKNOWN
      || !gst_video_info_set_format (video, id, info->width, info->height))
    return paco_tool_failed (error,
        "this GStreamer has no format for pictures of %u components of %u "
        "bits like these, and cannot convert them; Y4M, PAM and raw files take "
        "them",
        info->n_components, info->depth[0]);
  describe_colours (info, video);
  /* Mixed streams say of each picture whether it has fields. */
  if (info->interlace_mode == 1
      || (info->interlace_mode == 2 && (info->picture_flags & CODED_AS_FIELDS)))
    video->interlace_mode = GST_VIDEO_INTERLACE_MODE_INTERLEAVED;
  return true;
}

void
paco_gst_picture_frame (
    const PacoPixels *pixels, const GstVideoInfo *video, GstVideoFrame *frame)
{
  *frame = (GstVideoFrame){ .info = *video };
  for (unsigned c = 0; c < pixels->info.n_components; c++) {
    unsigned plane = GST_VIDEO_FORMAT_INFO_PLANE (video->finfo, c);

    frame->data[plane] = pixels->image.data[c];
    frame->info.stride[plane] = (gint) pixels->image.stride[c];
  }
  if (video->interlace_mode == GST_VIDEO_INTERLACE_MODE_INTERLEAVED)
    frame->flags = GST_VIDEO_FRAME_FLAG_INTERLACED
        | (pixels->info.picture_flags & TOP_FIELD_FIRST
                ? GST_VIDEO_FRAME_FLAG_TFF
                : 0);
}

/* --- laying out --- */

static bool
place (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  GstVideoInfo video;

  if (!paco_gst_picture_info (&pixels->info, &video, error))
    return false;
  *bytes = paco_format_place (choose_format (&pixels->info), &pixels->info,
      pixels->samples, &pixels->image);
  return true;
}

const PacoWriterKind paco_writer_video = {
  .name = "picture",
  .place = place,
};

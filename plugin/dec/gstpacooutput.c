/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Negotiates the raw format of pacodec, and maps its pictures; gstpacooutput.h says for
 * what. */
#include "gstpacooutput.h"
#include "caps/mosaics.h"
#include "caps/videocaps.h"
#include "codec/error.h"
#include "codec/geometry.h"
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_paco_dec_debug);

/* Copies from coded how the samples are to be shown. */
static void
describe (GstVideoInfo *info, const GstVideoInfo *coded)
{
  info->par_n = coded->par_n;
  info->par_d = coded->par_d;
  info->fps_n = coded->fps_n;
  info->fps_d = coded->fps_d;
  info->colorimetry = coded->colorimetry;
  info->chroma_site = coded->chroma_site;
  GST_VIDEO_INFO_FIELD_ORDER (info) = GST_VIDEO_INFO_FIELD_ORDER (coded);
  if (GST_VIDEO_INFO_MULTIVIEW_MODE (coded) != GST_VIDEO_MULTIVIEW_MODE_NONE) {
    GST_VIDEO_INFO_MULTIVIEW_MODE (info) = GST_VIDEO_INFO_MULTIVIEW_MODE (
        coded);
    GST_VIDEO_INFO_MULTIVIEW_FLAGS (info) = GST_VIDEO_INFO_MULTIVIEW_FLAGS (
        coded);
  }
}

static guint
levels_left_out (const PacoHeader *header, guint reduce)
{
  return reduce - (header->picture.mosaic && reduce > 0);
}

/* GStreamer counts the lines of a whole frame, for single fields, too. */
static void
find_size (const PacoHeader *header, guint reduce, guint *width, guint *height)
{
  guint left_out = levels_left_out (header, reduce);

  paco_geometry_reduced_size (&header->picture, left_out, width, height);
  if (left_out < reduce) {
    *width /= 2;
    *height /= 2;
  }
  if (header->video.interlace_mode == PACO_INTERLACE_ALTERNATE)
    *height *= 2;
}

/* Chooses a format for a mosaic, or for the R, G and B of its cells. Posts an error if
 * downstream takes no mosaics. */
static gboolean
choose_mosaic (GstPacoOutput *output, GstVideoDecoder *decoder,
    const PacoHeader *header, const GstVideoInfo *coded, guint reduce)
{
  g_autoptr (GstCaps)
      allowed = gst_pad_get_allowed_caps (GST_VIDEO_DECODER_SRC_PAD (decoder));
  GstVideoFormat format = paco_mosaic_preview (header);
  guint width, height;

  *output = (GstPacoOutput){ .reduce = reduce, .via_planes = reduce > 0 };
  output->left_out = levels_left_out (header, reduce);
  output->planes = header->picture;
  if (reduce == 0 && paco_mosaic_pick (header, allowed, &output->raw)) {
    output->info = *coded;
    paco_mosaic_lay_out (&output->raw, &output->info);
    return TRUE;
  }
  if (reduce == 0) {
    GST_ELEMENT_ERROR (decoder, STREAM, FORMAT,
        ("The pictures are mosaics of a sensor (" PACO_MOSAIC_TYPE ", format=%s"
         "), and what follows %s does not take them: put bayer2rgb there, or "
         "set reduce=1 for R, G, B of half the width and height",
            header->video.raw_format, GST_OBJECT_NAME (decoder)),
        (NULL));
    return FALSE;
  }

  find_size (header, reduce, &width, &height);
  output->planes.width = 2 * width;
  output->planes.height = 2 * height;
  format = paco_raw_format_pick (
      format, width, GST_VIDEO_INTERLACE_MODE_PROGRESSIVE, allowed);
  if (!gst_video_info_set_format (&output->info, format, width, height))
    return FALSE;
  if (!paco_raw_format_opaque (format, &output->raw))
    paco_raw_format (format, &output->raw);
  return TRUE;
}

static gboolean
choose (GstPacoOutput *output, GstVideoDecoder *decoder,
    const PacoHeader *header, const GstVideoInfo *coded, guint reduce,
    gboolean may_be_on_device)
{
  GstPad *pad = GST_VIDEO_DECODER_SRC_PAD (decoder);
  GstVideoInterlaceMode mode = GST_VIDEO_INFO_INTERLACE_MODE (coded);
  PacoPictureFormat picture = header->picture;
  GstVideoFormat format = GST_VIDEO_FORMAT_UNKNOWN;
  guint width, height;

  find_size (header, reduce, &width, &height);
  /* Frames of two fields may come later in such a stream. */
  picture.fields |= mode == GST_VIDEO_INTERLACE_MODE_MIXED;
  if (may_be_on_device && paco_fields_fit (&picture, reduce))
    format = gst_paco_cuda_pick_format (
        pad, GST_VIDEO_INFO_FORMAT (coded), width, height, mode);
  output->on_device = format != GST_VIDEO_FORMAT_UNKNOWN;
  if (!output->on_device) {
    g_autoptr (GstCaps) allowed = gst_pad_get_allowed_caps (pad);

    format = paco_raw_format_pick (
        GST_VIDEO_INFO_FORMAT (coded), width, mode, allowed);
  }
  if (!gst_video_info_set_interlaced_format (
          &output->info, format, mode, width, height))
    return FALSE;

  output->reduce = output->left_out = reduce;
  paco_raw_format (format, &output->raw);
  if (output->raw.n_components > picture.n_components)
    paco_raw_format_opaque (format, &output->raw);
  paco_picture_format_from_raw (
      &output->raw, &output->info, false, &output->planes);
  output->via_planes = output->raw.tiled || !paco_fields_fit (&picture, reduce);
  return TRUE;
}

/* It chooses device memory only if the context is shared. */
gboolean
gst_paco_output_choose (GstPacoOutput *output, GstVideoDecoder *decoder,
    GstPacoCoder *coder, const PacoHeader *header, const GstVideoInfo *coded,
    guint reduce)
{
  gboolean chosen;

  if (header->picture.mosaic)
    return choose_mosaic (output, decoder, header, coded, reduce);
  chosen = choose (
      output, decoder, header, coded, reduce, gst_paco_coder_can_share (coder));

  if (!chosen || !output->on_device || gst_paco_coder_share (coder, TRUE))
    return chosen;
  return choose (output, decoder, header, coded, reduce, FALSE);
}

gboolean
gst_paco_output_has_size (const GstPacoOutput *output, const PacoHeader *header)
{
  guint width, height;

  find_size (header, output->reduce, &width, &height);
  return (guint) GST_VIDEO_INFO_WIDTH (&output->info) == width
      && (guint) GST_VIDEO_INFO_HEIGHT (&output->info) == height;
}

gboolean
gst_paco_output_fits_memory (
    const GstPacoOutput *output, guint n, GError **error)
{
  g_autofree gpointer memory = NULL;

  if (output->on_device)
    return TRUE;
  memory = g_try_malloc_n (n, GST_VIDEO_INFO_SIZE (&output->info));
  if (memory == NULL)
    g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "no memory for %u pictures of %dx%d", n, output->info.width,
        output->info.height);
  return memory != NULL;
}

gboolean
gst_paco_output_announce (GstPacoOutput *output, GstVideoDecoder *decoder,
    const PacoHeader *header, const GstVideoInfo *coded,
    GstVideoCodecState *input)
{
  const GstVideoInfo *info = &output->info;
  GstVideoCodecState *state = gst_video_decoder_set_interlaced_output_state (
      decoder, GST_VIDEO_INFO_FORMAT (info),
      GST_VIDEO_INFO_INTERLACE_MODE (info), info->width, info->height, input);

  if (state == NULL)
    return FALSE;

  describe (&state->info, coded);
  gst_caps_replace (&state->caps, NULL);
  if (output->raw.mosaic) {
    paco_mosaic_lay_out (&output->raw, &state->info);
    state->caps = paco_mosaic_to_caps (&output->raw, &state->info);
  } else {
    state->caps = gst_video_info_to_caps (&state->info);
  }
  paco_caps_set_hdr (state->caps, &header->video);
  if (output->on_device)
    gst_caps_set_features (
        state->caps, 0, gst_caps_features_new (GST_PACO_CUDA_FEATURE, NULL));

  GST_CAT_DEBUG_OBJECT (
      gst_paco_dec_debug, decoder, "caps out: %" GST_PTR_FORMAT, state->caps);
  output->info = state->info;
  gst_video_codec_state_unref (state);
  return TRUE;
}

void
gst_paco_output_layout (const GstPacoOutput *output, PacoSampleLayout *layout)
{
  for (guint c = 0; c < PACO_MAX_COMPONENTS; c++)
    layout[c] = output->via_planes ? paco_planes_layout : output->raw.layout[c];
}

/* --- Padding --- */

/* A pool keeps this mark with a buffer that has held a picture. */
static GQuark
written_quark (void)
{
  return g_quark_from_static_string ("paco-written");
}

static gboolean
is_written (GstBuffer *buffer)
{
  return gst_mini_object_get_qdata (
             GST_MINI_OBJECT_CAST (buffer), written_quark ())
      != NULL;
}

void
gst_paco_output_written (GstBuffer *buffer)
{
  if (!is_written (buffer))
    gst_mini_object_set_qdata (GST_MINI_OBJECT_CAST (buffer), written_quark (),
        GINT_TO_POINTER (TRUE), NULL);
}

void
gst_paco_output_clear (const GstVideoFrame *frame)
{
  guint n = frame->meta != NULL ? GST_VIDEO_FRAME_N_PLANES (frame) : 1;

  if (is_written (frame->buffer))
    return;
  for (guint p = 0; p < n; p++)
    if (p == 0 || frame->map[p].data != frame->map[p - 1].data)
      memset (frame->map[p].data, 0, frame->map[p].size);
}

static gboolean
has_no_padding (const GstPacoOutput *output, const GstVideoFrame *frame,
    const PacoPicture *picture)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  PacoPictureFormat format;
  gsize covered = 0;
  guint n;

  if (output->via_planes)
    return FALSE;
  /* An alpha that is not coded is written with the other components. */
  paco_picture_format_from_raw (&output->raw, &output->info, false, &format);
  n = paco_picture_regions (&format, picture, 0, regions);
  for (guint i = 0; i < n; i++)
    covered += regions[i].line_bytes * regions[i].lines;
  return covered == gst_buffer_get_size (frame->buffer);
}

/* Bytes that no sample covers stay as they are. The backend clears device memory. */
static void
clear_padding (const GstPacoOutput *output, const GstVideoFrame *frame,
    PacoPicture *picture)
{
  if (is_written (frame->buffer) || has_no_padding (output, frame, picture))
    return;
  if (picture->memory == PACO_MEMORY_HOST) {
    gst_paco_output_clear (frame);
  } else {
    picture->unused_memory = frame->map[0].data;
    picture->unused_size = frame->map[0].size;
  }
}

/* --- Mapping --- */

gboolean
gst_paco_output_map (const GstPacoOutput *output, GstPacoCuda *cuda,
    GstBuffer *buffer, const PacoPlanes *planes, GstVideoFrame *frame,
    PacoPicture *picture)
{
  GstMapFlags access = GST_MAP_WRITE;

  /* Components that share memory are put into it one after the other. */
  if (GST_VIDEO_INFO_N_PLANES (&output->info) < output->raw.n_components)
    access |= GST_MAP_READ;
  if (!gst_paco_cuda_map (
          cuda, frame, &output->raw, &output->info, buffer, access, picture))
    return FALSE;
  if (output->via_planes)
    *picture = *paco_planes_picture (planes);
  clear_padding (output, frame, picture);
  return TRUE;
}

void
gst_paco_output_store (
    const GstPacoOutput *output, PacoPlanes *planes, GstVideoFrame *frame)
{
  if (output->raw.tiled)
    paco_planes_pack (planes, frame);
  else if (output->planes.mosaic)
    paco_planes_store_cells (planes, &output->raw, frame);
  else
    paco_planes_store (planes, &output->raw, frame);
}

void
gst_paco_output_post_no_pools (const GstPacoOutput *output, GstElement *element)
{
  GST_ELEMENT_ERROR (element, RESOURCE, NO_SPACE_LEFT,
      ("Buffers for decoded pictures cannot be had%s",
          output->on_device
              ? " in the memory of the GPU; fewer frames in flight "
                "(pipeline-depth) or fewer programs that use it leave more"
              : ""),
      (NULL));
}

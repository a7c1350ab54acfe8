/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The frames that pacodec gets: maps and parses them, knows the format of the stream,
 * and reports those that cannot be decoded. */
#include "gstpacodecprivate.h"
#include "plugin/coder/gstpacobackend.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

gboolean
gst_paco_dec_read (GstPacoDec *self, GstPacoFrame *frame, PacoCodedFrame *coded,
    GError **error)
{
  GstBuffer *buffer = frame->frame->input_buffer;
  guint max_pixels;

  GST_OBJECT_LOCK (self);
  max_pixels = self->coder.settings.max_pixels;
  GST_OBJECT_UNLOCK (self);
  frame->coded_mapped = gst_buffer_map (buffer, &frame->coded, GST_MAP_READ);
  if (!frame->coded_mapped) {
    g_set_error (
        error, PACO_ERROR, PACO_ERROR_MEMORY, "the buffer cannot be read");
    return FALSE;
  }

  if (!paco_coded_frame_parse (
          coded, frame->coded.data, frame->coded.size, error)
      || !paco_header_check_pixels (&coded->header, max_pixels, error))
    return FALSE;
  if (coded->header.frame_size < frame->coded.size)
    GST_WARNING ("%" G_GSIZE_FORMAT " bytes behind the frame are ignored",
        frame->coded.size - coded->header.frame_size);
  return TRUE;
}

gboolean
gst_paco_input_is_odd (const GstPacoInput *input, const PacoHeader *header)
{
  return input->has_decoded
      && !paco_header_same_configuration (&input->decoded, header)
      && !paco_header_same_stream (&input->decoded, header);
}

void
gst_paco_input_excuse (
    const GstPacoInput *input, const PacoHeader *header, GError *error)
{
  if (g_error_matches (error, PACO_ERROR, PACO_ERROR_MEMORY)
      && gst_paco_input_is_odd (input, header))
    error->code = PACO_ERROR_UNSUPPORTED;
}

gboolean
gst_paco_input_check_reduce (const GstPacoInput *input,
    const PacoHeader *header, guint reduce, GError **error)
{
  guint most = header->coding.levels + header->picture.mosaic;

  /* If samples are numbers modulo 2^16, the lower resolutions are no pictures. */
  if (reduce > 0 && header->video.slice.length > 0
      && header->video.slice.bits == PACO_SLICE_DEPTH) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "reduce=%u cannot be done with stacks of 16-bit pictures that were "
        "coded "
        "without loss; set reduce to 0",
        reduce);
    return FALSE;
  }
  if (reduce <= most)
    return TRUE;
  if (gst_paco_input_is_odd (input, header))
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "reduce=%u leaves out more resolution levels than the %u that it has",
        reduce, most);
  else
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "reduce=%u leaves out more resolution levels than the stream has; set "
        "reduce to %u or less",
        reduce, most);
  return FALSE;
}

void
gst_paco_input_decoded (GstPacoInput *input)
{
  if (input->has_decoded && !gst_paco_input_is_odd (input, &input->header))
    return;
  input->decoded = input->header;
  input->has_decoded = TRUE;
}

/* --- frames that are not decoded --- */

/* Says whether the error will meet all other frames as well. */
static gboolean
is_fatal (const GError *error)
{
  return g_error_matches (error, PACO_ERROR, PACO_ERROR_DEVICE)
      || g_error_matches (error, PACO_ERROR, PACO_ERROR_MEMORY);
}

GstFlowReturn
gst_paco_dec_fail_frame (
    GstPacoDec *self, GstVideoCodecFrame *frame, const GError *error)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);
  GstFlowReturn flow = GST_FLOW_OK, dropped;

  GST_VIDEO_DECODER_STREAM_LOCK (decoder);
  if (is_fatal (error)) {
    gst_paco_post_error (GST_ELEMENT (self), g_error_copy (error));
    flow = GST_FLOW_ERROR;
  } else {
    gst_paco_damage_lost (&self->damage, frame,
        error != NULL ? error->message : "unknown reason");
    GST_VIDEO_DECODER_ERROR (decoder, 1, STREAM, DECODE,
        ("Frame %u could not be decoded: %s", frame->system_frame_number,
            error != NULL ? error->message : "unknown reason"),
        (NULL), flow);
  }
  dropped = gst_video_decoder_drop_frame (decoder, frame);
  GST_VIDEO_DECODER_STREAM_UNLOCK (decoder);
  return flow != GST_FLOW_OK ? flow : dropped;
}

gboolean
gst_paco_dec_is_late (GstPacoDec *self, GstVideoCodecFrame *frame)
{
  gboolean qos = FALSE;

  /* The base class says how much time is left even if its property qos is off. */
  if (gst_video_decoder_get_max_decode_time (GST_VIDEO_DECODER (self), frame)
      >= 0)
    return FALSE;
  g_object_get (self, "qos", &qos, NULL);
  return qos;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Maps and parses the frames that pacodec gets; gstpacoinput.h says for what. */
#include "gstpacoinput.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

void
gst_paco_input_start (GstPacoInput *input)
{
  input->configured = input->has_decoded = FALSE;
}

void
gst_paco_input_clear (GstPacoInput *input)
{
  g_clear_pointer (&input->state, gst_video_codec_state_unref);
}

void
gst_paco_input_set_state (GstPacoInput *input, GstVideoCodecState *state)
{
  gst_paco_input_clear (input);
  input->state = gst_video_codec_state_ref (state);
  input->configured = FALSE;
}

gboolean
gst_paco_input_read (GstPacoFrame *frame, guint max_pixels,
    PacoCodedFrame *coded, GError **error)
{
  GstBuffer *buffer = frame->frame->input_buffer;

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
  if (reduce <= header->coding.levels)
    return TRUE;
  if (gst_paco_input_is_odd (input, header))
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "reduce=%u leaves out more resolution levels than the %u that it has",
        reduce, header->coding.levels);
  else
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "reduce=%u leaves out more resolution levels than the stream has; set "
        "reduce to %u or less",
        reduce, header->coding.levels);
  return FALSE;
}

void
gst_paco_input_configured (GstPacoInput *input, const PacoHeader *header)
{
  gst_paco_header_copy (&input->header, header);
  input->configured = TRUE;
}

void
gst_paco_input_decoded (GstPacoInput *input)
{
  if (input->has_decoded && !gst_paco_input_is_odd (input, &input->header))
    return;
  input->decoded = input->header;
  input->has_decoded = TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The format in pacodec: when a frame's header asks for another configuration of the
 * decoder or for other caps, and how both are had. */
#include "caps/videocaps.h"
#include "gstpacodecprivate.h"
#include "plugin/coder/gstpacobackend.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_dec_debug);
#define GST_CAT_DEFAULT gst_paco_dec_debug

/* How many pictures downstream may hold besides those in flight. */
#define SPARE_PICTURES 2

static GstFlowReturn
negotiate_output (
    GstPacoDec *self, const PacoHeader *header, const GstVideoInfo *coded)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);

  if (!gst_paco_output_announce (
          &self->output, decoder, header, coded, self->input.state))
    return GST_FLOW_NOT_NEGOTIATED;
  gst_paco_coder_begin_latency (
      &self->coder, coded, MAX (header->video.slice.length, 1));
  if (!gst_video_decoder_negotiate (decoder))
    return GST_PAD_IS_FLUSHING (GST_VIDEO_DECODER_SRC_PAD (decoder))
        ? GST_FLOW_FLUSHING
        : GST_FLOW_NOT_NEGOTIATED;
  g_atomic_int_set (&self->outdated, FALSE);
  return GST_FLOW_OK;
}

static gboolean
configure_slices (
    GstPacoDec *self, const PacoHeader *header, guint reduce, GError **error)
{
  const PacoSampleLayout layout[PACO_MAX_COMPONENTS] = { paco_planes_layout };

  if (!paco_decoder_configure (
          self->coder.decoder, header, layout, reduce, error))
    return FALSE;
  gst_paco_coder_configured (&self->coder);
  return TRUE;
}

static gboolean
configure_backend (GstPacoDec *self, const PacoHeader *header, GError **error)
{
  guint reduce = self->output.left_out;
  PacoSampleLayout layout[PACO_MAX_COMPONENTS];

  gst_paco_pipe_free_planes (self->coder.pipe);
  gst_paco_output_layout (&self->output, layout);
  if (header->video.slice.length > 0)
    return configure_slices (self, header, reduce, error);
  if (!paco_decoder_configure (
          self->coder.decoder, header, layout, reduce, error))
    return FALSE;

  gst_paco_coder_configured (&self->coder);
  return (!self->output.via_planes
             || gst_paco_pipe_allocate_planes (
                 self->coder.pipe, &self->output.planes, error))
      && gst_paco_output_fits_memory (
          &self->output, self->coder.depth + SPARE_PICTURES, error);
}

/* Gets ready for frames like header's, when nothing is in flight. GST_FLOW_OK with
 * *error set: only this frame is to blame. Downstream is told of a format after memory
 * was found, and so of no odd frame (gstpacoinput.c) without memory. */
static GstFlowReturn
configure (GstPacoDec *self, const PacoHeader *header, GError **error)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);
  GstVideoInfo coded;
  GstFlowReturn flow;
  guint reduce;

  GST_OBJECT_LOCK (self);
  reduce = self->coder.settings.reduce;
  GST_OBJECT_UNLOCK (self);

  self->input.configured = FALSE;
  if (!gst_paco_input_check_reduce (&self->input, header, reduce, error)) {
    if (gst_paco_input_is_odd (&self->input, header))
      return GST_FLOW_OK;
    gst_paco_post_error (GST_ELEMENT (self), g_steal_pointer (error));
    return GST_FLOW_ERROR;
  }
  if (!paco_video_info_from_header (header, &coded)) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "no raw format of this GStreamer holds its %u components (it was %s)",
        header->picture.n_components, header->video.raw_format);
    return GST_FLOW_OK;
  }

  if (!gst_paco_output_choose (
          &self->output, decoder, &self->coder, header, &coded, reduce))
    return GST_FLOW_NOT_NEGOTIATED;
  if (!configure_backend (self, header, error)) {
    gst_paco_input_excuse (&self->input, header, *error);
    return GST_FLOW_OK;
  }
  flow = negotiate_output (self, header, &coded);
  if (flow != GST_FLOW_OK)
    return flow;

  gst_paco_log_coding (
      GST_CAT_DEFAULT, GST_ELEMENT (self), &header->picture, &header->coding);
  gst_paco_header_copy (&self->input.header, header);
  self->input.configured = TRUE;
  return GST_FLOW_OK;
}

/* Returns NULL if the element need not be configured. */
static const char *
configuration_reason (GstPacoDec *self, const PacoHeader *header)
{
  if (!self->input.configured)
    return "the stream begins, or its caps are new";
  if (g_atomic_int_get (&self->outdated)
      || gst_pad_needs_reconfigure (GST_VIDEO_DECODER_SRC_PAD (self)))
    return "downstream asks for it";
  if (!paco_decoder_takes (self->coder.decoder, header))
    return "it is coded otherwise than those before it";
  if (!gst_paco_output_has_size (&self->output, header))
    return "it is of another size than those before it";
  /* Pictures of a longer stack wait longer than downstream has been told. */
  if (header->video.slice.length > self->input.header.video.slice.length)
    return "it is of a longer stack than those before it";
  /* Samples of pictures, which those of slices say nothing of; 0 without a stack. */
  if (!paco_video_equal (&self->input.header.video, &header->video)
      || self->input.header.video.slice.depth != header->video.slice.depth
      || self->input.header.video.slice.bits != header->video.slice.bits)
    return "its header says otherwise than those before it";
  return NULL;
}

GstFlowReturn
gst_paco_dec_configure_for (GstPacoDec *self, GstVideoCodecFrame *frame,
    const PacoHeader *header, GError **error)
{
  const char *reason = configuration_reason (self, header);
  GstFlowReturn flow;

  if (reason == NULL)
    return GST_FLOW_OK;
  GST_DEBUG_OBJECT (
      self, "configuring for frame %u: %s", frame->system_frame_number, reason);
  gst_paco_pipe_wait_done (self->coder.pipe);
  flow = gst_paco_coder_wait (&self->coder, 0);
  return flow == GST_FLOW_OK ? configure (self, header, error) : flow;
}

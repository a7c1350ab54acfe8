/* SPDX-License-Identifier: LGPL-2.1-or-later
 * pacoenc. The streaming thread submits frames to the backend, up to
 * pipeline-depth of them; the pipe's thread (gstpacopipe.h) collects frames and
 * pushes each as soon as it is coded. The backend's memory is pushed without a
 * copy. */

/**
 * SECTION:element-pacoenc
 * @title: pacoenc
 * @short_description: Intra-frame wavelet video encoder
 * @see_also: pacodec, pacoparse
 *
 * pacoenc codes each frame without the others: lossless, at a constant quality, or
 * with a budget of bytes that no frame exceeds. It takes 8 to 16 bits per sample in
 * most of GStreamer's raw formats. Samples of a depth are coded, and not the layout
 * in which they lie: v210 and I422_10LE of one picture give the same bytes. The mosaic of
 * a camera's sensor is coded as such (video/x-bayer). The two
 * fields of an interlaced frame are coded separately. Alpha is lossless at every
 * quality. Pictures in the memory of an NVIDIA GPU (memory:CUDAMemory) are coded
 * where they are. The slices of a volume, or the bands of a cube, can be coded in
 * stacks (#GstPacoEnc:stack). The source pad also offers PaCo as qtmux, mp4mux and
 * matroskamux take it.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! video/x-raw,format=I422_10LE,width=1920,height=1080 ! pacoenc ! filesink location=test.paco
 * ]| Codes visually lossless into an elementary stream.
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=100 ! video/x-raw,format=v210 ! pacoenc rate-control=lossless ! qtmux ! filesink location=test.mov
 * ]| Codes lossless into a MOV file.
 *
 * Since: 0.1
 */
#include "caps/mosaics.h"
#include "caps/videocaps.h"
#include "codec/quantizer.h"
#include "plugin/parse/gstpacocontainer.h"
#include "gstpacoencprivate.h"
#include "plugin/coder/gstpacopools.h"
#include "plugin/elements.h"

GST_DEBUG_CATEGORY (gst_paco_enc_debug);
#define GST_CAT_DEFAULT gst_paco_enc_debug

#define gst_paco_enc_parent_class parent_class
G_DEFINE_FINAL_TYPE_WITH_CODE (
    GstPacoEnc, gst_paco_enc, GST_TYPE_VIDEO_ENCODER,
    G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, gst_paco_preset_init);
    GST_DEBUG_CATEGORY_INIT (
        gst_paco_enc_debug, "pacoenc", 0, "PaCo video encoder"));
GST_ELEMENT_REGISTER_DEFINE (
    pacoenc, "pacoenc", GST_RANK_PRIMARY, GST_TYPE_PACO_ENC);

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (
        PACO_CODED_CAPS ", parsed = (boolean) true, alignment = (string) "
                        "frame; " GST_PACO_MUXABLE_CAPS));

/* --- frames in flight --- */

static void
add_recent (GstPacoRecent *recent, gsize size, guint16 step)
{
  guint i = recent->n % RECENT_FRAMES;

  recent->n++;
  recent->sizes[i] = size;
  recent->steps[i] = step > 0 ? paco_step_decode (step) : 0.0;
}

static void
release_encoded (gpointer data)
{
  PacoEncodedFrame *encoded = data;

  encoded->release (encoded);
}

static GstFlowReturn
finish (GstPacoEnc *self, GstVideoCodecFrame *frame, PacoEncodedFrame *encoded)
{
  GstVideoEncoder *encoder = GST_VIDEO_ENCODER (self);
  GstFlowReturn flow;

  /* Whoever resets the base class holds this lock, and has waited for this frame
   * or set "dropping" before. So the lock is taken before that is asked. */
  GST_VIDEO_ENCODER_STREAM_LOCK (encoder);
  if (gst_paco_pipe_is_dropping (self->coder.pipe)) {
    encoded->release (encoded);
    gst_video_codec_frame_unref (frame);
    flow = GST_FLOW_OK;
  } else if (encoded->error != NULL) {
    GST_ELEMENT_ERROR (self, STREAM, ENCODE,
        ("A frame could not be coded: %s", encoded->error->message), (NULL));
    encoded->release (encoded);
    gst_video_encoder_finish_frame (encoder, frame);
    flow = GST_FLOW_ERROR;
  } else {
    paco_header_set_place (encoded->data, encoded->size, &self->place);
    self->place.number++;
    self->place.offset += encoded->size;
    GST_OBJECT_LOCK (self);
    add_recent (&self->recent, encoded->size, encoded->step);
    GST_OBJECT_UNLOCK (self);
    frame->output_buffer = gst_buffer_new_wrapped_full (0, encoded->data,
        encoded->size, 0, encoded->size, encoded, release_encoded);
    flow = gst_video_encoder_finish_frame (encoder, frame);
  }
  GST_VIDEO_ENCODER_STREAM_UNLOCK (encoder);
  return flow;
}

/* Collects a frame and pushes it; runs in the pipe's thread. */
static void
push (GstElement *element)
{
  GstPacoEnc *self = GST_PACO_ENC (element);
  GError *error = NULL;
  PacoEncodedFrame *encoded = paco_encoder_collect (
      self->coder.encoder, &error);
  GstVideoCodecFrame *frame;

  if (error != NULL)
    gst_paco_coder_lost (&self->coder, error);
  if (encoded == NULL)
    return; /* The coder is lost, or the frame was abandoned meanwhile. */

  if (encoded->error == NULL)
    gst_paco_coder_finished (
        &self->coder, encoded->user_data, &encoded->times, encoded->size, 0);
  frame = gst_paco_frame_take (encoded->user_data);
  gst_paco_pipe_done (self->coder.pipe, finish (self, frame, encoded));
}

/* --- life cycle --- */

static gboolean
gst_paco_enc_start (GstVideoEncoder *encoder)
{
  GstPacoEnc *self = GST_PACO_ENC (encoder);

  GST_OBJECT_LOCK (self);
  self->recent = (GstPacoRecent){ 0 };
  self->loss = (GstPacoMetaLoss){ 0 };
  GST_OBJECT_UNLOCK (self);
  return gst_paco_coder_start (&self->coder);
}

static gboolean
gst_paco_enc_stop (GstVideoEncoder *encoder)
{
  GstPacoEnc *self = GST_PACO_ENC (encoder);

  gst_paco_coder_stop (&self->coder);
  gst_paco_enc_format_end (self);
  g_clear_pointer (&self->ignored, g_free);
  return TRUE;
}

/* --- caps and queries --- */

/* The base class also calls this by itself, when downstream has changed. */
static gboolean
gst_paco_enc_negotiate (GstVideoEncoder *encoder)
{
  GstPacoEnc *self = GST_PACO_ENC (encoder);
  GstVideoCodecState *output;
  GstCaps *caps;

  if (self->coded_caps == NULL)
    return FALSE;
  caps = gst_paco_container_negotiate (GST_ELEMENT (self),
      GST_VIDEO_ENCODER_SRC_PAD (encoder), self->coded_caps);
  if (caps == NULL)
    return FALSE;
  GST_DEBUG_OBJECT (self, "caps out: %" GST_PTR_FORMAT, caps);
  output = gst_video_encoder_set_output_state (
      encoder, caps, self->input_state);
  /* The base class writes info's rate into the caps; a muxer wants that of buffers. */
  gst_structure_get_fraction (gst_caps_get_structure (output->caps, 0),
      "framerate", &output->info.fps_n, &output->info.fps_d);
  gst_video_codec_state_unref (output);
  return GST_VIDEO_ENCODER_CLASS (parent_class)->negotiate (encoder);
}

static GstCaps *
gst_paco_enc_getcaps (GstVideoEncoder *encoder, GstCaps *filter)
{
  g_autoptr (GstCaps) raw = gst_pad_get_pad_template_caps (
      GST_VIDEO_ENCODER_SINK_PAD (encoder));

  if (!gst_paco_coder_can_share (&GST_PACO_ENC (encoder)->coder))
    raw = gst_paco_cuda_strip_caps (raw);
  return gst_video_encoder_proxy_getcaps (encoder, raw, filter);
}

static gboolean
gst_paco_enc_sink_query (GstVideoEncoder *encoder, GstQuery *query)
{
  return gst_paco_cuda_answer (&GST_PACO_ENC (encoder)->coder.cuda, query)
      || GST_VIDEO_ENCODER_CLASS (parent_class)->sink_query (encoder, query);
}

static gboolean
gst_paco_enc_src_query (GstVideoEncoder *encoder, GstQuery *query)
{
  return gst_paco_cuda_answer (&GST_PACO_ENC (encoder)->coder.cuda, query)
      || GST_VIDEO_ENCODER_CLASS (parent_class)->src_query (encoder, query);
}

static gboolean
gst_paco_enc_set_format (GstVideoEncoder *encoder, GstVideoCodecState *state)
{
  GstPacoEnc *self = GST_PACO_ENC (encoder);
  GstFlowReturn flow = gst_paco_enc_stack_drain (self);

  if (flow != GST_FLOW_OK)
    GST_DEBUG_OBJECT (self, "drained with %s", gst_flow_get_name (flow));
  GST_DEBUG_OBJECT (self, "caps in: %" GST_PTR_FORMAT, state->caps);
  return gst_paco_enc_format_begin (self, state);
}

static gboolean
gst_paco_enc_propose_allocation (GstVideoEncoder *encoder, GstQuery *query)
{
  return gst_paco_pools_propose (&GST_PACO_ENC (encoder)->coder, query)
      && GST_VIDEO_ENCODER_CLASS (parent_class)
             ->propose_allocation (encoder, query);
}

/* --- frames --- */

/* Pictures may be in another context than neighbors have shared. */
static GstFlowReturn
follow_picture (GstPacoEnc *self, GstBuffer *buffer)
{
  GstFlowReturn flow;
  gboolean elsewhere = self->may_follow
      && gst_paco_coder_is_elsewhere (&self->coder, buffer);

  self->may_follow = FALSE;
  if (!elsewhere)
    return GST_FLOW_OK;
  GST_DEBUG_OBJECT (self, "pictures are in another context than was shared");
  flow = gst_paco_coder_wait (&self->coder, 0);
  if (flow == GST_FLOW_OK && gst_paco_coder_follow (&self->coder, buffer)
      && !gst_paco_enc_format_configure (self))
    flow = GST_FLOW_ERROR;
  return flow;
}

/* Drops a late frame. Sets *taken if the pipe or a stack has the frame. */
static GstFlowReturn
encode (GstPacoEnc *self, GstVideoCodecFrame *frame, gboolean *taken)
{
  gboolean fields;
  GstFlowReturn flow;

  if (self->input_state == NULL)
    return GST_FLOW_NOT_NEGOTIATED;
  fields = paco_buffer_has_fields (
      &self->input_state->info, frame->input_buffer);

  flow = gst_paco_coder_wait_for_flight (&self->coder);
  if (flow != GST_FLOW_OK)
    return flow;

  if (gst_video_encoder_get_max_encode_time (GST_VIDEO_ENCODER (self), frame)
      < 0) {
    GST_LOG_OBJECT (
        self, "frame %u is late already: dropped", frame->system_frame_number);
    /* The frame after it becomes the key unit. */
    if (GST_VIDEO_CODEC_FRAME_IS_FORCE_KEYFRAME (frame))
      flow = gst_paco_enc_stack_end (self);
    gst_paco_pipe_wait_done (self->coder.pipe);
    return flow;
  }

  flow = follow_picture (self, frame->input_buffer);
  if (flow != GST_FLOW_OK)
    return flow;

  if (fields != self->fields) {
    GST_LOG_OBJECT (self, "frame %u is %s, unlike the one before it",
        frame->system_frame_number, fields ? "interlaced" : "progressive");
    gst_paco_enc_format_set_fields (self, fields);
  }

  flow = gst_paco_enc_format_update_rate (self);
  if (flow != GST_FLOW_OK)
    return flow;
  if (self->stack != NULL)
    return gst_paco_enc_stack_add (self, frame, taken);
  flow = gst_paco_enc_submit (self, frame);
  *taken = flow == GST_FLOW_OK;
  return *taken ? gst_paco_coder_submitted (&self->coder) : flow;
}

static GstFlowReturn
gst_paco_enc_handle_frame (GstVideoEncoder *encoder, GstVideoCodecFrame *frame)
{
  GstPacoEnc *self = GST_PACO_ENC (encoder);
  GstFlowReturn flow, finished;
  gboolean taken = FALSE;

  GST_VIDEO_ENCODER_STREAM_UNLOCK (encoder);
  flow = encode (self, frame, &taken);
  GST_VIDEO_ENCODER_STREAM_LOCK (encoder);

  if (taken)
    return flow;

  /* Finishing without an output buffer drops the frame. */
  finished = gst_video_encoder_finish_frame (encoder, frame);
  return flow != GST_FLOW_OK ? flow : finished;
}

static GstFlowReturn
gst_paco_enc_finish (GstVideoEncoder *encoder)
{
  return gst_paco_enc_stack_drain (GST_PACO_ENC (encoder));
}

static gboolean
gst_paco_enc_flush (GstVideoEncoder *encoder)
{
  GstPacoEnc *self = GST_PACO_ENC (encoder);

  gst_paco_coder_flush (&self->coder);
  if (self->stack != NULL)
    gst_paco_stack_drop (self->stack);
  return TRUE;
}

/* --- object --- */

/* Sets last-frame-sizes and last-frame-steps, oldest first. */
static void
describe_recent (const GstPacoRecent *recent, GstStructure *stats)
{
  GValue sizes = G_VALUE_INIT, steps = G_VALUE_INIT;
  guint64 first = recent->n > RECENT_FRAMES ? recent->n - RECENT_FRAMES : 0;

  g_value_init (&sizes, GST_TYPE_ARRAY);
  g_value_init (&steps, GST_TYPE_ARRAY);
  for (guint64 n = first; n < recent->n; n++) {
    GValue size = G_VALUE_INIT, step = G_VALUE_INIT;

    g_value_init (&size, G_TYPE_UINT);
    g_value_set_uint (&size, recent->sizes[n % RECENT_FRAMES]);
    gst_value_array_append_and_take_value (&sizes, &size);
    g_value_init (&step, G_TYPE_DOUBLE);
    g_value_set_double (&step, recent->steps[n % RECENT_FRAMES]);
    gst_value_array_append_and_take_value (&steps, &step);
  }
  gst_structure_take_value (stats, "last-frame-sizes", &sizes);
  gst_structure_take_value (stats, "last-frame-steps", &steps);
}

static void
describe (GstElement *element, GstStructure *stats)
{
  GstPacoEnc *self = GST_PACO_ENC (element);

  describe_recent (&self->recent, stats);
  gst_structure_set (
      stats, "metadata-left-out", G_TYPE_UINT64, self->loss.n_left_out, NULL);
}

static void
gst_paco_enc_init (GstPacoEnc *self)
{
  gst_paco_coder_init (&self->coder, GST_ELEMENT (self), push, describe);
  GST_PAD_SET_ACCEPT_TEMPLATE (GST_VIDEO_ENCODER_SINK_PAD (self));
  gst_pad_set_link_function (
      GST_VIDEO_ENCODER_SRC_PAD (self), gst_paco_container_link);
}

static void
gst_paco_enc_class_init (GstPacoEncClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstVideoEncoderClass *encoder_class = GST_VIDEO_ENCODER_CLASS (klass);
  g_autoptr (GstCaps) raw_caps = gst_paco_cuda_extend_caps (paco_raw_caps ());

  gst_caps_append (raw_caps, paco_mosaic_caps ());
  gst_paco_coder_class_init (G_OBJECT_CLASS (klass), PACO_OF_PACOENC);
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("sink", GST_PAD_SINK, GST_PAD_ALWAYS, raw_caps));
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "PaCo video encoder",
      "Codec/Encoder/Video",
      "Intra-frame wavelet encoder, BPC-PaCo, for NVIDIA GPUs and CPUs",
      "The gst-paco developers");

  encoder_class->start = gst_paco_enc_start;
  encoder_class->stop = gst_paco_enc_stop;
  encoder_class->getcaps = gst_paco_enc_getcaps;
  encoder_class->sink_query = gst_paco_enc_sink_query;
  encoder_class->src_query = gst_paco_enc_src_query;
  encoder_class->set_format = gst_paco_enc_set_format;
  encoder_class->negotiate = gst_paco_enc_negotiate;
  encoder_class->propose_allocation = gst_paco_enc_propose_allocation;
  encoder_class->handle_frame = gst_paco_enc_handle_frame;
  encoder_class->finish = gst_paco_enc_finish;
  encoder_class->flush = gst_paco_enc_flush;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * pacodec. The streaming thread submits each frame to the backend, with a buffer of
 * downstream's pool that the picture goes to; the pipe's thread (gstpacopipe.h)
 * collects frames and pushes each as soon as it is decoded. A frame's header has all
 * that a decoder needs to know, so the stream's format comes from there and not from
 * upstream's caps. */

/**
 * SECTION:element-pacodec
 * @title: pacodec
 * @short_description: Intra-frame wavelet video decoder
 * @see_also: pacoenc, pacoparse
 *
 * pacodec decodes what pacoenc has coded. The pictures have the raw format that was
 * coded or, if downstream does not take that, another one that holds the same
 * samples (P010_10LE for I420_10LE, say). They are in the memory of an NVIDIA GPU if
 * downstream names memory:CUDAMemory. With #GstPacoDec:reduce they have a half, a
 * quarter, and so on, of the width and height, which is faster. Of a mosaic
 * (video/x-bayer, for bayer2rgb) such pictures are R, G and B.
 *
 * Bytes of a buffer that no sample covers, such as the padding of lines, are 0: each
 * buffer is cleared before its first picture, and what decodes leaves padding alone. Two
 * decodes give the same bytes, unless another element writes into the padding.
 *
 * Codeblocks that are damaged or were lost on the way leave blurred spots. Where
 * they would leave a large part of the picture gray, the picture before is shown
 * (#GstPacoDec:conceal). Such pictures have #GST_BUFFER_FLAG_CORRUPTED, and with
 * discard-corrupted-frames=true none of them is shown.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=test.paco ! pacoparse ! pacodec ! videoconvert ! autovideosink
 * ]| Plays an elementary stream.
 * |[
 * gst-launch-1.0 filesrc location=test.mov ! qtdemux ! pacoparse ! pacodec reduce=2 ! videoconvert ! autovideosink
 * ]| Plays a MOV file at a quarter of its width and height.
 *
 * Since: 0.1
 */
#include "caps/mosaics.h"
#include "caps/videocaps.h"
#include "plugin/parse/gstpacocontainer.h"
#include "gstpacodecprivate.h"
#include "plugin/coder/gstpacopools.h"
#include "plugin/elements.h"

GST_DEBUG_CATEGORY (gst_paco_dec_debug);
#define GST_CAT_DEFAULT gst_paco_dec_debug

#define gst_paco_dec_parent_class parent_class
G_DEFINE_FINAL_TYPE_WITH_CODE (GstPacoDec, gst_paco_dec, GST_TYPE_VIDEO_DECODER,
    GST_DEBUG_CATEGORY_INIT (
        gst_paco_dec_debug, "pacodec", 0, "PaCo video decoder"));
GST_ELEMENT_REGISTER_DEFINE (
    pacodec, "pacodec", GST_RANK_PRIMARY, GST_TYPE_PACO_DEC);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS,
    GST_STATIC_CAPS (PACO_MEDIA_TYPE
        ", parsed = (boolean) true, alignment = (string) frame"));

/* --- frames in flight --- */

static void
flag_output (GstPacoDec *self, GstVideoCodecFrame *frame,
    const PacoDecodedFrame *decoded)
{
  const GstPacoFrame *picture = decoded->user_data;
  PacoHeader header = self->input.header;

  header.picture.fields = picture->fields;
  header.video.picture_flags = picture->picture_flags;
  paco_picture_flags_to_buffer (&header, frame->output_buffer);
  gst_paco_damage_decoded (&self->damage, frame, decoded->corrupted_blocks,
      decoded->concealed_blocks);
  gst_paco_damage_flag (frame, decoded->corrupted_blocks > 0);
}

static GstFlowReturn
finish (GstPacoDec *self, GstVideoCodecFrame *frame,
    const PacoDecodedFrame *decoded)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);
  GstFlowReturn flow = GST_FLOW_OK;

  /* Whoever resets the base class holds this lock, and has waited for this frame
   * or set "dropping" before. So the lock is taken before that is asked. */
  GST_VIDEO_DECODER_STREAM_LOCK (decoder);
  if (gst_paco_pipe_is_dropping (self->coder.pipe)) {
    gst_video_decoder_release_frame (decoder, frame);
  } else if (decoded->error != NULL) {
    gst_paco_input_excuse (&self->input, &self->input.header, decoded->error);
    flow = gst_paco_dec_fail_frame (self, frame, decoded->error);
  } else {
    gst_paco_input_decoded (&self->input);
    flag_output (self, frame, decoded);
    flow = gst_video_decoder_finish_frame (decoder, frame);
  }
  GST_VIDEO_DECODER_STREAM_UNLOCK (decoder);
  return flow;
}

/* Collects a frame and pushes its picture; runs in the pipe's thread. */
static void
push (GstElement *element)
{
  GstPacoDec *self = GST_PACO_DEC (element);
  PacoDecodedFrame decoded = { 0 };
  GError *error = NULL;
  GstPacoFrame *frame;

  if (!paco_decoder_collect (self->coder.decoder, &decoded, &error)) {
    if (error != NULL)
      gst_paco_coder_lost (&self->coder, error);
    return; /* The coder is lost, or the frame was abandoned meanwhile. */
  }

  frame = decoded.user_data;
  if (frame->member != NULL) {
    gst_paco_dec_stack_decoded (self, frame, &decoded);
    return;
  }
  if (decoded.error == NULL) {
    gint64 begin = g_get_monotonic_time (), stored = 0;

    if (self->output.via_planes) {
      gst_paco_output_store (&self->output, frame->planes, &frame->raw);
      stored = g_get_monotonic_time () - begin;
    }
    gst_paco_output_written (frame->frame->output_buffer);
    gst_paco_coder_finished (
        &self->coder, frame, &decoded.times, frame->coded.size, stored);
  }
  gst_paco_pipe_done (
      self->coder.pipe, finish (self, gst_paco_frame_take (frame), &decoded));
  g_clear_error (&decoded.error);
}

/* --- life cycle --- */

static gboolean
gst_paco_dec_start (GstVideoDecoder *decoder)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);

  self->input.configured = self->input.has_decoded = FALSE;
  gst_paco_damage_start (&self->damage, GST_ELEMENT (self));
  return gst_paco_coder_start (&self->coder);
}

static gboolean
gst_paco_dec_stop (GstVideoDecoder *decoder)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);

  gst_paco_coder_stop (&self->coder);
  gst_paco_stack_clear (&self->stack);
  g_clear_pointer (&self->input.state, gst_video_codec_state_unref);
  gst_paco_damage_clear (&self->damage);
  return TRUE;
}

/* --- caps, queries and events --- */

/* Upstream's caps say that its bytes are not split into frames, or it has none. */
static void
post_unparsed (GstPacoDec *self)
{
  GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
      ("What comes to pacodec is not split into frames: put pacoparse before "
       "it."),
      ("the caps must be video/x-paco, parsed=true, alignment=frame"));
}

static GstCaps *
gst_paco_dec_getcaps (GstVideoDecoder *decoder, GstCaps *filter)
{
  return gst_paco_container_filter_caps (
      gst_video_decoder_proxy_getcaps (decoder, NULL, NULL), filter);
}

/* set_format() refuses demuxers' caps with an error that says why. Upstream's would not
 * where a source pad without caps, as splitmuxsrc's, was linked. */
static gboolean
accept_demuxed (GstQuery *query)
{
  g_autoptr (GstCaps) demuxed = NULL;
  gboolean accepted;
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ACCEPT_CAPS)
    return FALSE;
  gst_query_parse_accept_caps (query, &caps);
  demuxed = gst_caps_from_string (GST_PACO_DEMUXED_CAPS);
  accepted = gst_caps_can_intersect (caps, demuxed);
  if (accepted)
    gst_query_set_accept_caps_result (query, TRUE);
  return accepted;
}

static gboolean
gst_paco_dec_sink_query (GstVideoDecoder *decoder, GstQuery *query)
{
  return accept_demuxed (query)
      || gst_paco_cuda_answer (&GST_PACO_DEC (decoder)->coder.cuda, query)
      || GST_VIDEO_DECODER_CLASS (parent_class)->sink_query (decoder, query);
}

static gboolean
gst_paco_dec_src_query (GstVideoDecoder *decoder, GstQuery *query)
{
  return gst_paco_cuda_answer (&GST_PACO_DEC (decoder)->coder.cuda, query)
      || GST_VIDEO_DECODER_CLASS (parent_class)->src_query (decoder, query);
}

/* In reverse playback the base class does not turn pictures around where only key units
 * are asked for; all frames of a stack may come nevertheless. */
static GstEvent *
make_reversible (GstEvent *event, GstSegment *segment)
{
  GstEvent *changed;

  if (segment->rate > 0.0
      || !(segment->flags & GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS))
    return event;
  segment->flags &= ~GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS;
  changed = gst_event_new_segment (segment);
  gst_event_set_seqnum (changed, gst_event_get_seqnum (event));
  gst_event_set_running_time_offset (
      changed, gst_event_get_running_time_offset (event));
  gst_event_unref (event);
  return changed;
}

/* Forgets earlier pictures when a segment says that the stream goes on from another
 * place: they do not conceal what is broken behind it. */
static gboolean
gst_paco_dec_sink_event (GstVideoDecoder *decoder, GstEvent *event)
{
  GstVideoDecoderClass *base = GST_VIDEO_DECODER_CLASS (parent_class);
  GstPacoDec *self = GST_PACO_DEC (decoder);
  gboolean key_units_only, taken;
  GstSegment segment;

  if (GST_EVENT_TYPE (event) != GST_EVENT_SEGMENT)
    return base->sink_event (decoder, event);
  if (self->coder.decoder != NULL)
    paco_decoder_forget (self->coder.decoder);
  gst_event_copy_segment (event, &segment);
  key_units_only = (segment.flags & GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS) != 0;
  taken = base->sink_event (decoder, make_reversible (event, &segment));
  /* Frames that came before may have been decoded meanwhile. */
  self->key_units_only = key_units_only;
  return taken;
}

/* The coder is configured for the first frame, whose header has the format. */
static gboolean
gst_paco_dec_set_format (GstVideoDecoder *decoder, GstVideoCodecState *state)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);
  const GstStructure *caps = gst_caps_get_structure (state->caps, 0);

  if (!gst_structure_has_name (caps, PACO_MEDIA_TYPE)
      || !gst_paco_container_is_framed (caps)) {
    post_unparsed (self);
    return FALSE;
  }
  g_clear_pointer (&self->input.state, gst_video_codec_state_unref);
  self->input.state = gst_video_codec_state_ref (state);
  self->input.configured = FALSE;
  GST_DEBUG_OBJECT (self, "caps in: %" GST_PTR_FORMAT, state->caps);
  return TRUE;
}

/* The base class also calls this while frames are in flight, which keep their format;
 * for the next one another format may be chosen. */
static gboolean
gst_paco_dec_negotiate (GstVideoDecoder *decoder)
{
  g_atomic_int_set (&GST_PACO_DEC (decoder)->outdated, TRUE);
  return GST_VIDEO_DECODER_CLASS (parent_class)->negotiate (decoder);
}

static gboolean
gst_paco_dec_decide_allocation (GstVideoDecoder *decoder, GstQuery *query)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);

  if (gst_paco_pools_adapt (&self->coder, query)
      && GST_VIDEO_DECODER_CLASS (parent_class)
             ->decide_allocation (decoder, query)
      && gst_paco_pools_activate (query))
    return TRUE;
  gst_paco_output_post_no_pools (&self->output, GST_ELEMENT (self));
  return FALSE;
}

static gboolean
gst_paco_dec_propose_allocation (GstVideoDecoder *decoder, GstQuery *query)
{
  gst_paco_pools_propose_coded (&GST_PACO_DEC (decoder)->coder, query);
  return GST_VIDEO_DECODER_CLASS (parent_class)
      ->propose_allocation (decoder, query);
}

/* --- frames --- */

/* Hands a frame, whose input is mapped, to the coder. Sets *taken if the frame is the
 * pipe's then. Returns GST_FLOW_OK with *error set where the frame is to blame. */
static GstFlowReturn
submit (GstPacoDec *self, GstPacoFrame *frame, const PacoCodedFrame *coded,
    gboolean *taken, GError **error)
{
  GstFlowReturn flow;
  PacoPicture picture;

  flow = gst_video_decoder_allocate_output_frame (
      GST_VIDEO_DECODER (self), frame->frame);
  if (flow == GST_FLOW_ERROR) {
    g_set_error_literal (
        error, PACO_ERROR, PACO_ERROR_MEMORY, GST_PACO_DEC_NO_BUFFER);
    return GST_FLOW_OK;
  }
  if (flow != GST_FLOW_OK)
    return flow;
  frame->begun = g_get_monotonic_time ();
  gst_paco_meta_restore (&coded->header.video.ancillary, self->output.reduce,
      frame->frame->output_buffer, &self->names, GST_ELEMENT (self));
  frame->raw_mapped = gst_paco_output_map (&self->output, &self->coder.cuda,
      frame->frame->output_buffer, frame->planes, &frame->raw, &picture);
  if (!frame->raw_mapped) {
    g_set_error_literal (
        error, PACO_ERROR, PACO_ERROR_MEMORY, GST_PACO_DEC_NO_ROOM);
    return GST_FLOW_OK;
  }

  frame->fields = coded->header.picture.fields;
  frame->picture_flags = coded->header.video.picture_flags;
  gst_paco_pipe_give (frame);
  if (paco_decoder_submit (
          self->coder.decoder, coded, &picture, frame, error)) {
    *taken = TRUE;
    return gst_paco_coder_submitted (&self->coder);
  }
  gst_paco_pipe_take_back (frame);
  return GST_FLOW_OK;
}

static void
let_go (GstPacoFrame *frame)
{
  gst_paco_frame_unmap (frame);
  frame->frame = NULL;
}

/* Reads a frame, and hands it to the coder or, if it is a slice, to its stack. Both
 * set *taken. Returns GST_FLOW_OK with *error set where the frame is to blame, and
 * without an error if it is late: no other frame needs it, unless it is a slice. */
static GstFlowReturn
decode_frame (GstPacoDec *self, GstVideoCodecFrame *codec_frame,
    gboolean *taken, GError **error)
{
  GstPacoFrame *frame = gst_paco_pipe_next (self->coder.pipe);
  GstFlowReturn flow = GST_FLOW_OK;
  gboolean is_read, is_slice;
  PacoCodedFrame coded;

  frame->frame = codec_frame;
  is_read = gst_paco_dec_read (self, frame, &coded, error);
  is_slice = is_read && coded.header.video.slice.length > 0;
  if (is_slice || (is_read && self->stack.n > 0)) {
    /* The stack may need all frames of the coder. */
    let_go (frame);
    flow = gst_paco_dec_stack_frame (
        self, codec_frame, &coded.header, taken, error);
    return is_slice || flow != GST_FLOW_OK
        ? flow
        : decode_frame (self, codec_frame, taken, error);
  }
  if (gst_paco_dec_is_late (self, codec_frame)) {
    g_clear_error (error);
    is_read = FALSE;
  }
  if (is_read)
    flow = gst_paco_dec_configure_for (self, codec_frame, &coded.header, error);
  if (is_read && flow == GST_FLOW_OK && *error == NULL)
    flow = submit (self, frame, &coded, taken, error);
  if (!*taken)
    let_go (frame);
  return flow;
}

/* Decodes the frame, which it takes, or drops it. Runs without the stream lock. */
static GstFlowReturn
decode (GstPacoDec *self, GstVideoCodecFrame *codec_frame)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);
  GstFlowReturn flow;
  gboolean taken = FALSE;
  g_autoptr (GError) error = NULL;

  flow = gst_paco_coder_wait_for_flight (&self->coder);
  if (flow == GST_FLOW_OK)
    flow = decode_frame (self, codec_frame, &taken, &error);
  if (taken)
    return flow;

  if (flow != GST_FLOW_OK) {
    gst_video_decoder_release_frame (decoder, codec_frame);
    return flow;
  }

  /* The frames before it are pushed first. */
  gst_paco_pipe_wait_done (self->coder.pipe);
  if (error == NULL) {
    GST_LOG_OBJECT (self, "frame %u is late already: dropped",
        codec_frame->system_frame_number);
    return gst_video_decoder_drop_frame (decoder, codec_frame);
  }
  return gst_paco_dec_fail_frame (self, codec_frame, error);
}

static GstFlowReturn
gst_paco_dec_handle_frame (GstVideoDecoder *decoder, GstVideoCodecFrame *frame)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);
  gboolean reverse = decoder->input_segment.rate < 0.0;
  GstFlowReturn flow;

  if (self->input.state == NULL) {
    post_unparsed (self);
    gst_video_decoder_release_frame (decoder, frame);
    return GST_FLOW_NOT_NEGOTIATED;
  }

  GST_VIDEO_DECODER_STREAM_UNLOCK (decoder);
  flow = decode (self, frame);
  /* In reverse playback the base class turns the order of those frames around that
   * have been finished when this returns. */
  if (reverse)
    gst_paco_pipe_wait_done (self->coder.pipe);
  GST_VIDEO_DECODER_STREAM_LOCK (decoder);
  return flow;
}

static gboolean
gst_paco_dec_transform_meta (
    GstVideoDecoder *decoder, GstVideoCodecFrame *frame, GstMeta *meta)
{
  return !gst_paco_meta_take (
             meta, GST_PACO_DEC (decoder)->output.reduce, frame->output_buffer)
      && GST_VIDEO_DECODER_CLASS (parent_class)
             ->transform_meta (decoder, frame, meta);
}

static GstFlowReturn
gst_paco_dec_drain (GstVideoDecoder *decoder)
{
  return gst_paco_dec_stack_drain (GST_PACO_DEC (decoder), FALSE);
}

static GstFlowReturn
gst_paco_dec_finish (GstVideoDecoder *decoder)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);
  GstFlowReturn flow = gst_paco_dec_stack_drain (self, TRUE);

  if (flow == GST_FLOW_OK)
    flow = gst_paco_damage_end (&self->damage);
  /* Upstream, which would post this, has pushed its last buffer. */
  if (flow == GST_FLOW_NOT_NEGOTIATED)
    GST_ELEMENT_FLOW_ERROR (self, flow);
  return flow;
}

static gboolean
gst_paco_dec_flush (GstVideoDecoder *decoder)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);

  gst_paco_coder_flush (&self->coder);
  gst_paco_dec_stack_flush (self);
  gst_paco_damage_flush (&self->damage);
  return TRUE;
}

/* --- object --- */

static void
describe (GstElement *element, GstStructure *stats)
{
  gst_paco_damage_to_stats (&GST_PACO_DEC (element)->damage, stats);
}

/* decodebin, where only some streams are asked for, and so transcodebin, plug a decoder
 * only if all caps of its class are of raw video; those of its pad may be more. */
static void
add_mosaics (GstPad *pad)
{
  GstCaps *caps = gst_pad_get_pad_template_caps (pad);
  g_autoptr (GstPadTemplate) template = NULL;

  caps = gst_caps_make_writable (caps);
  gst_caps_append (caps, paco_mosaic_caps ());
  template = gst_object_ref_sink (gst_pad_template_new (
      GST_PAD_NAME (pad), GST_PAD_SRC, GST_PAD_ALWAYS, caps));
  gst_caps_unref (caps);
  g_object_set (pad, "template", template, NULL);
}

static void
gst_paco_dec_init (GstPacoDec *self)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);

  add_mosaics (GST_VIDEO_DECODER_SRC_PAD (self));
  gst_paco_coder_init (&self->coder, GST_ELEMENT (self), push, describe);

  gst_video_decoder_set_packetized (decoder, TRUE);
  gst_video_decoder_set_use_default_pad_acceptcaps (decoder, TRUE);
  /* Caps are accepted here even if set_format() refuses them: it posts the error. */
  GST_PAD_SET_ACCEPT_INTERSECT (GST_VIDEO_DECODER_SINK_PAD (self));
  GST_PAD_SET_ACCEPT_TEMPLATE (GST_VIDEO_DECODER_SINK_PAD (self));
}

static void
gst_paco_dec_class_init (GstPacoDecClass *klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstVideoDecoderClass *decoder_class = GST_VIDEO_DECODER_CLASS (klass);
  g_autoptr (GstCaps) raw_caps = gst_paco_cuda_extend_caps (paco_raw_caps ());

  gst_paco_coder_class_init (G_OBJECT_CLASS (klass), PACO_OF_PACODEC);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, raw_caps));
  gst_element_class_set_static_metadata (element_class, "PaCo video decoder",
      "Codec/Decoder/Video",
      "Intra-frame wavelet decoder, BPC-PaCo, for NVIDIA GPUs and CPUs",
      "The gst-paco developers");

  decoder_class->start = gst_paco_dec_start;
  decoder_class->stop = gst_paco_dec_stop;
  decoder_class->getcaps = gst_paco_dec_getcaps;
  decoder_class->sink_event = gst_paco_dec_sink_event;
  decoder_class->sink_query = gst_paco_dec_sink_query;
  decoder_class->src_query = gst_paco_dec_src_query;
  decoder_class->set_format = gst_paco_dec_set_format;
  decoder_class->negotiate = gst_paco_dec_negotiate;
  decoder_class->decide_allocation = gst_paco_dec_decide_allocation;
  decoder_class->propose_allocation = gst_paco_dec_propose_allocation;
  decoder_class->handle_frame = gst_paco_dec_handle_frame;
  decoder_class->transform_meta = gst_paco_dec_transform_meta;
  decoder_class->drain = gst_paco_dec_drain;
  decoder_class->finish = gst_paco_dec_finish;
  decoder_class->flush = gst_paco_dec_flush;
}

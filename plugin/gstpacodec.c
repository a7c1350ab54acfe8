/* SPDX-License-Identifier: LGPL-2.1-or-later
 * pacodec. The streaming thread submits frames to the backend, each with a
 * buffer of downstream's pool as its destination; a thread of its own collects
 * them and pushes each as soon as it is finished. Every frame says all about
 * itself, so what upstream's caps say does not matter. */

/**
 * SECTION:element-pacodec
 * @title: pacodec
 * @short_description: Intra-frame wavelet video decoder
 * @see_also: pacoenc, pacoparse
 *
 * pacodec decodes what pacoenc has coded, into the raw format that was coded
 * or, if downstream does not take that, into another one of the same samples
 * (say P010_10LE for I420_10LE). With #GstPacoDec:reduce it decodes to a half, a
 * quarter, ... of the size, which is faster.
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
#include "gstpacodec.h"
#include "caps/packed.h"
#include "caps/videocaps.h"
#include "codec/geometry.h"
#include "gstpacoallocator.h"
#include "gstpacobackend.h"
#include "gstpacopipe.h"
#include <string.h>

GST_DEBUG_CATEGORY_STATIC (gst_paco_dec_debug);
#define GST_CAT_DEFAULT gst_paco_dec_debug

#define MAX_DEPTH 8

enum
{
  PROP_REDUCE = GST_PACO_PROP_COMMON_LAST + 1,
};

/* A frame in flight. */
typedef struct
{
  GstPacoDec *self;
  GstVideoCodecFrame *frame;
  GstMapInfo input;
  GstVideoFrame output;
  gboolean input_mapped, output_mapped;
  PacoPlanes *planes; /* the destination, where it is not the output itself */
  guint8 picture_flags;
} Slot;

struct _GstPacoDec
{
  GstVideoDecoder parent;

  /* Properties, under the object lock. */
  GstPacoSettings settings;
  guint reduce;
  PacoStats last_stats;

  const PacoBackend *backend;
  PacoDecoder *decoder;    /* changed under the object lock */
  GstAllocator *allocator; /* for the output; NULL if any memory will do */
  GstPacoPipe pipe;

  /* Streaming thread only; the pipe's thread reads what does not change while
   * frames are in flight. */
  GstVideoCodecState *input_state;
  GstVideoInfo output_info;
  PacoRawFormat raw;
  gboolean via_planes;
  gboolean configured;
  PacoHeader header; /* of the frame that was configured for */

  /* Frames come back in the order they went in, so slots are used in turn. */
  Slot slots[MAX_DEPTH];
  guint depth, next_slot;
};

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
slot_unmap (Slot *slot)
{
  if (slot->input_mapped)
    gst_buffer_unmap (slot->frame->input_buffer, &slot->input);
  if (slot->output_mapped)
    gst_video_frame_unmap (&slot->output);
  slot->input_mapped = slot->output_mapped = FALSE;
}

/* A frame that the backend has given up. */
static void
drop_slot (void *user_data)
{
  Slot *slot = user_data;
  GstPacoDec *self = slot->self;

  slot_unmap (slot);
  gst_video_decoder_release_frame (
      GST_VIDEO_DECODER (self), g_steal_pointer (&slot->frame));
  gst_paco_pipe_collected (&self->pipe);
  gst_paco_pipe_done (&self->pipe, GST_FLOW_OK);
}

/* Reports a frame that cannot be decoded and drops it. The result is an error
 * only once there are more than the property max-errors allows. */
static GstFlowReturn
fail_frame (GstPacoDec *self, GstVideoCodecFrame *frame, const GError *error)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);
  GstFlowReturn flow = GST_FLOW_OK, dropped;

  GST_VIDEO_DECODER_STREAM_LOCK (decoder);
  GST_VIDEO_DECODER_ERROR (decoder, 1, STREAM, DECODE,
      ("Frame %u could not be decoded: %s", frame->system_frame_number,
          error != NULL ? error->message : "unknown reason"),
      (NULL), flow);
  dropped = gst_video_decoder_drop_frame (decoder, frame);
  GST_VIDEO_DECODER_STREAM_UNLOCK (decoder);
  return flow != GST_FLOW_OK ? flow : dropped;
}

static void
flag_output (GstPacoDec *self, GstVideoCodecFrame *frame, guint8 picture_flags,
    guint32 corrupted_blocks)
{
  PacoHeader header = self->header;

  header.video.picture_flags = picture_flags;
  paco_picture_flags_to_buffer (&header, frame->output_buffer);
  if (corrupted_blocks == 0)
    return;

  GST_WARNING_OBJECT (self, "frame %u has %u broken blocks",
      frame->system_frame_number, corrupted_blocks);
  GST_VIDEO_CODEC_FRAME_FLAG_SET (frame, GST_VIDEO_CODEC_FRAME_FLAG_CORRUPTED);
  GST_BUFFER_FLAG_SET (frame->output_buffer, GST_BUFFER_FLAG_CORRUPTED);
}

static GstFlowReturn
finish (GstPacoDec *self, GstVideoCodecFrame *frame, guint8 picture_flags,
    const PacoDecodedFrame *decoded)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);
  GstFlowReturn flow = GST_FLOW_OK;

  /* Taken here already, so that whoever resets the base class has either
   * waited for this frame or has set "dropping" before. */
  GST_VIDEO_DECODER_STREAM_LOCK (decoder);
  if (gst_paco_pipe_is_dropping (&self->pipe)) {
    gst_video_decoder_release_frame (decoder, frame);
  } else if (decoded->error != NULL) {
    flow = fail_frame (self, frame, decoded->error);
  } else {
    flag_output (self, frame, picture_flags, decoded->corrupted_blocks);
    flow = gst_video_decoder_finish_frame (decoder, frame);
  }
  GST_VIDEO_DECODER_STREAM_UNLOCK (decoder);
  return flow;
}

/* Runs in the pipe's thread. */
static void
collect (gpointer element)
{
  GstPacoDec *self = element;
  GstVideoCodecFrame *frame;
  PacoDecodedFrame decoded = { 0 };
  guint8 picture_flags;
  Slot *slot;

  if (!self->backend->decoder_collect (self->decoder, &decoded))
    return; /* abandoned meanwhile */

  slot = decoded.user_data;
  if (self->via_planes && decoded.error == NULL) {
    if (self->raw.packed)
      paco_planes_pack (slot->planes, &slot->output);
    else
      paco_planes_store (slot->planes, &self->raw, &slot->output);
  }
  slot_unmap (slot);
  frame = g_steal_pointer (&slot->frame);
  picture_flags = slot->picture_flags;

  gst_paco_pipe_collected (&self->pipe);
  gst_paco_pipe_done (
      &self->pipe, finish (self, frame, picture_flags, &decoded));
  g_clear_error (&decoded.error);
}

/* Drops all frames, those that are being pushed excepted. To be called without
 * the stream lock. */
static void
abandon (GstPacoDec *self)
{
  gst_paco_pipe_set_dropping (&self->pipe, TRUE);
  self->backend->decoder_abandon (self->decoder, drop_slot);
  gst_paco_pipe_wait_idle (&self->pipe);
  gst_paco_pipe_take_flow (&self->pipe);
  gst_paco_pipe_set_dropping (&self->pipe, FALSE);
}

/* --- life cycle --- */

static gboolean
gst_paco_dec_start (GstVideoDecoder *decoder)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);
  GstPacoSettings settings;
  PacoDecoder *opened;
  GError *error = NULL;

  GST_OBJECT_LOCK (self);
  settings = self->settings;
  GST_OBJECT_UNLOCK (self);

  opened = gst_paco_open_decoder (
      GST_ELEMENT (self), &settings, &self->backend, &error);
  if (opened == NULL) {
    gst_paco_post_error (GST_ELEMENT (self), error);
    return FALSE;
  }

  GST_OBJECT_LOCK (self);
  self->decoder = opened;
  GST_OBJECT_UNLOCK (self);
  self->allocator = gst_paco_allocator_new (
      (GstPacoHostMemoryFunc) self->backend->decoder_host_memory, opened);

  self->depth = settings.pipeline_depth;
  self->next_slot = 0;
  self->configured = FALSE;
  gst_paco_pipe_start (
      &self->pipe, "pacodec", settings.pipeline_depth, collect, self);
  return TRUE;
}

static void
free_planes (GstPacoDec *self)
{
  for (guint i = 0; i < MAX_DEPTH; i++)
    g_clear_pointer (&self->slots[i].planes, paco_planes_free);
}

static gboolean
gst_paco_dec_stop (GstVideoDecoder *decoder)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);
  PacoDecoder *closing;

  if (self->decoder == NULL)
    return TRUE;

  abandon (self);
  gst_paco_pipe_stop (&self->pipe);
  gst_paco_allocator_detach (self->allocator);
  gst_clear_object (&self->allocator);

  GST_OBJECT_LOCK (self);
  closing = g_steal_pointer (&self->decoder);
  self->backend->decoder_stats (closing, &self->last_stats);
  GST_OBJECT_UNLOCK (self);

  self->backend->decoder_close (closing);
  free_planes (self);
  g_clear_pointer (&self->input_state, gst_video_codec_state_unref);
  return TRUE;
}

/* While the base class resets itself on the way down, nothing may be finished
 * any more. */
static GstStateChangeReturn
gst_paco_dec_change_state (GstElement *element, GstStateChange transition)
{
  GstPacoDec *self = GST_PACO_DEC (element);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY)
    gst_paco_pipe_set_dropping (&self->pipe, TRUE);
  return GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
}

/* --- format --- */

/* The first frame brings the format; this only keeps what upstream knows. */
static gboolean
gst_paco_dec_set_format (GstVideoDecoder *decoder, GstVideoCodecState *state)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);

  g_clear_pointer (&self->input_state, gst_video_codec_state_unref);
  self->input_state = gst_video_codec_state_ref (state);
  self->configured = FALSE;
  return TRUE;
}

/* Tells the base class and downstream what comes. */
static gboolean
set_output (GstPacoDec *self, const PacoHeader *header, guint reduce,
    const GstVideoInfo *coded)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);
  GstVideoFormat format;
  GstVideoCodecState *state;
  GstClockTime min, max;
  GstCaps *allowed;
  guint width, height;

  paco_geometry_reduced_size (&header->picture, reduce, &width, &height);
  allowed = gst_pad_get_allowed_caps (GST_VIDEO_DECODER_SRC_PAD (self));
  format = paco_raw_format_pick (GST_VIDEO_INFO_FORMAT (coded), width, allowed);
  gst_clear_caps (&allowed);
  state = gst_video_decoder_set_interlaced_output_state (decoder, format,
      GST_VIDEO_INFO_INTERLACE_MODE (coded), width, height, self->input_state);
  if (state == NULL)
    return FALSE;

  /* The frame knows better than the caps upstream. */
  state->info.par_n = coded->par_n;
  state->info.par_d = coded->par_d;
  state->info.fps_n = coded->fps_n;
  state->info.fps_d = coded->fps_d;
  state->info.colorimetry = coded->colorimetry;
  state->info.chroma_site = coded->chroma_site;
  GST_VIDEO_INFO_FIELD_ORDER (&state->info) = GST_VIDEO_INFO_FIELD_ORDER (
      coded);
  gst_caps_replace (&state->caps, NULL);
  state->caps = gst_video_info_to_caps (&state->info);
  paco_caps_set_hdr (state->caps, &header->video);

  self->output_info = state->info;
  paco_raw_format (format, &self->raw);
  gst_video_codec_state_unref (state);

  gst_paco_latency (self->depth, coded->fps_n, coded->fps_d, &min, &max);
  gst_video_decoder_set_latency (decoder, min, max);
  return gst_video_decoder_negotiate (decoder);
}

static gboolean
allocate_planes (GstPacoDec *self, GError **error)
{
  PacoPictureFormat picture;

  free_planes (self);
  if (!self->via_planes)
    return TRUE;

  paco_picture_format_from_info (&self->output_info, false, &picture);
  for (guint i = 0; i < self->depth; i++) {
    self->slots[i].planes = paco_planes_new (&picture);
    if (self->slots[i].planes == NULL) {
      g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
          "no memory for pictures of %ux%u", picture.width, picture.height);
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
configure_backend (
    GstPacoDec *self, const PacoHeader *header, guint reduce, GError **error)
{
  PacoSampleLayout layout[PACO_MAX_COMPONENTS];

  self->via_planes = self->raw.packed
      || !paco_fields_fit (&header->picture, reduce);
  if (!allocate_planes (self, error))
    return FALSE;

  for (guint c = 0; c < self->raw.n_components; c++)
    layout[c] = self->via_planes ? paco_planes_layout : self->raw.layout[c];
  return self->backend->decoder_configure (
      self->decoder, header, layout, reduce, error);
}

/* Gets ready for frames like header's. Nothing is in flight. Returns
 * GST_FLOW_OK with *error set where only this frame is to blame. */
static GstFlowReturn
configure (GstPacoDec *self, const PacoHeader *header, GError **error)
{
  GstVideoInfo coded;
  guint reduce;

  GST_OBJECT_LOCK (self);
  reduce = self->reduce;
  GST_OBJECT_UNLOCK (self);

  self->configured = FALSE;
  if (reduce > header->coding.levels) {
    GST_ELEMENT_ERROR (self, LIBRARY, SETTINGS,
        ("reduce=%u leaves out more resolution levels than the %u that the "
         "stream has",
            reduce, header->coding.levels),
        (NULL));
    return GST_FLOW_ERROR;
  }
  if (!paco_video_info_from_header (header, &coded)) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "no raw format of this GStreamer holds its %u components (it was %s)",
        header->picture.n_components, header->video.raw_format);
    return GST_FLOW_OK;
  }

  if (!set_output (self, header, reduce, &coded))
    return GST_FLOW_NOT_NEGOTIATED;
  if (!configure_backend (self, header, reduce, error))
    return GST_FLOW_OK;

  self->header = *header;
  self->header.set = NULL;
  self->configured = TRUE;
  return GST_FLOW_OK;
}

/* Every frame in flight holds a buffer while it is decoded. A pool that may
 * run dry before as many frames are in flight would stall the stream, so
 * such a pool is replaced. */
static void
reserve_buffers (GstPacoDec *self, GstQuery *query)
{
  GstBufferPool *pool = NULL;
  guint size, min, max;

  if (gst_query_get_n_allocation_pools (query) == 0)
    return;

  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  min += self->depth;
  if (max != 0 && max < min) {
    GST_DEBUG_OBJECT (
        self, "downstream's pool of %u buffers is too small", max);
    gst_clear_object (&pool);
    max = 0;
  }
  gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  gst_clear_object (&pool);
}

/* Memory that the device writes by itself, unless downstream has its own. */
static void
offer_memory (GstPacoDec *self, GstQuery *query)
{
  GstAllocator *allocator = NULL;
  GstAllocationParams params;

  if (self->allocator == NULL)
    return;
  if (gst_query_get_n_allocation_params (query) == 0) {
    gst_query_add_allocation_param (query, self->allocator, NULL);
    return;
  }
  gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  if (allocator == NULL)
    gst_query_set_nth_allocation_param (query, 0, self->allocator, &params);
  gst_clear_object (&allocator);
}

static gboolean
gst_paco_dec_decide_allocation (GstVideoDecoder *decoder, GstQuery *query)
{
  GstBufferPool *pool = NULL;
  GstStructure *config;

  offer_memory (GST_PACO_DEC (decoder), query);
  reserve_buffers (GST_PACO_DEC (decoder), query);
  if (!GST_VIDEO_DECODER_CLASS (parent_class)
           ->decide_allocation (decoder, query))
    return FALSE;

  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    return TRUE;

  gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config))
    GST_DEBUG_OBJECT (decoder, "the pool has no video meta");
  gst_object_unref (pool);
  return TRUE;
}

/* --- frames --- */

/* Maps what the frame is decoded into. */
static gboolean
map_output (GstPacoDec *self, Slot *slot, PacoPicture *picture, GError **error)
{
  GstMapFlags access = GST_MAP_WRITE;

  /* Words that components share are read before they are written. */
  if (self->raw.gaps)
    access |= GST_MAP_READ;
  if (!gst_video_frame_map (&slot->output, &self->output_info,
          slot->frame->output_buffer, access)) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "downstream's buffer cannot be written to");
    return FALSE;
  }
  slot->output_mapped = TRUE;

  paco_frame_clear_gaps (&self->raw, &slot->output);
  if (self->via_planes)
    *picture = *paco_planes_picture (slot->planes);
  else
    paco_picture_from_frame (&self->raw, &slot->output, picture);
  return TRUE;
}

/* Hands the slot's frame, whose input is mapped, to the backend. */
static GstFlowReturn
submit (GstPacoDec *self, Slot *slot, const PacoHeader *header, GError **error)
{
  GstFlowReturn flow;
  PacoPicture picture;

  flow = gst_video_decoder_allocate_output_frame (
      GST_VIDEO_DECODER (self), slot->frame);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!map_output (self, slot, &picture, error))
    return GST_FLOW_OK;

  slot->picture_flags = header->video.picture_flags;
  if (!self->backend->decoder_submit (self->decoder, slot->input.data,
          header->frame_size, &picture, slot, error))
    return GST_FLOW_OK;

  self->next_slot = (self->next_slot + 1) % self->depth;
  gst_paco_pipe_submitted (&self->pipe);
  return GST_FLOW_OK;
}

/* Maps the input and reads the header. */
static gboolean
read_frame (GstPacoDec *self, Slot *slot, PacoHeader *header, GError **error)
{
  GstBuffer *buffer = slot->frame->input_buffer;

  if (!gst_buffer_map (buffer, &slot->input, GST_MAP_READ)) {
    g_set_error (
        error, PACO_ERROR, PACO_ERROR_MEMORY, "the buffer cannot be read");
    return FALSE;
  }
  slot->input_mapped = TRUE;

  if (!paco_header_parse (
          slot->input.data, slot->input.size, header, NULL, error))
    return FALSE;

  if (header->frame_size > slot->input.size) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "it is cut: %" G_GSIZE_FORMAT " of %u bytes", slot->input.size,
        header->frame_size);
    return FALSE;
  }
  if (header->frame_size < slot->input.size)
    GST_WARNING_OBJECT (self,
        "%" G_GSIZE_FORMAT " bytes behind the frame are ignored",
        slot->input.size - header->frame_size);
  return TRUE;
}

static gboolean
needs_configuration (GstPacoDec *self, const PacoHeader *header)
{
  return !self->configured
      || !paco_video_equal (&self->header.video, &header->video)
      || !paco_header_same_configuration (&self->header, header)
      || gst_pad_needs_reconfigure (GST_VIDEO_DECODER_SRC_PAD (self));
}

/* Decodes the slot's frame; returns GST_FLOW_OK with *error set where the frame
 * is to blame. */
static GstFlowReturn
decode_slot (GstPacoDec *self, Slot *slot, GError **error)
{
  PacoHeader header;
  GstFlowReturn flow;

  if (!read_frame (self, slot, &header, error))
    return GST_FLOW_OK;

  if (needs_configuration (self, &header)) {
    gst_paco_pipe_wait_done (&self->pipe);
    flow = configure (self, &header, error);
    if (flow != GST_FLOW_OK || *error != NULL)
      return flow;
  }
  return submit (self, slot, &header, error);
}

static gboolean
is_late (GstPacoDec *self, GstVideoCodecFrame *frame)
{
  return gst_video_decoder_get_max_decode_time (GST_VIDEO_DECODER (self), frame)
      < 0;
}

/* Takes the frame. Runs without the stream lock. */
static GstFlowReturn
decode (GstPacoDec *self, GstVideoCodecFrame *frame)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);
  Slot *slot;
  GstFlowReturn flow;
  GError *error = NULL;

  gst_paco_pipe_wait_slot (&self->pipe);
  flow = gst_paco_pipe_take_flow (&self->pipe);
  if (flow != GST_FLOW_OK) {
    gst_video_decoder_release_frame (decoder, frame);
    return flow;
  }

  /* Any frame may be left out, since none needs another. */
  if (is_late (self, frame)) {
    gst_paco_pipe_wait_done (&self->pipe);
    return gst_video_decoder_drop_frame (decoder, frame);
  }

  slot = &self->slots[self->next_slot];
  slot->frame = frame;
  flow = decode_slot (self, slot, &error);
  if (flow == GST_FLOW_OK && error == NULL)
    return GST_FLOW_OK;

  slot_unmap (slot);
  slot->frame = NULL;
  if (flow != GST_FLOW_OK) {
    g_clear_error (&error);
    gst_video_decoder_release_frame (decoder, frame);
    return flow;
  }

  /* In its turn, after the frames before it. */
  gst_paco_pipe_wait_done (&self->pipe);
  flow = fail_frame (self, frame, error);
  g_clear_error (&error);
  return flow;
}

static GstFlowReturn
gst_paco_dec_handle_frame (GstVideoDecoder *decoder, GstVideoCodecFrame *frame)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);
  gboolean reverse = decoder->input_segment.rate < 0.0;
  GstFlowReturn flow;

  GST_VIDEO_DECODER_STREAM_UNLOCK (decoder);
  flow = decode (self, frame);
  /* Playing backwards the base class turns the order of what has been finished
   * when this returns. */
  if (reverse)
    gst_paco_pipe_wait_done (&self->pipe);
  GST_VIDEO_DECODER_STREAM_LOCK (decoder);
  return flow;
}

static GstFlowReturn
gst_paco_dec_drain (GstVideoDecoder *decoder)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);

  GST_VIDEO_DECODER_STREAM_UNLOCK (decoder);
  gst_paco_pipe_wait_done (&self->pipe);
  GST_VIDEO_DECODER_STREAM_LOCK (decoder);
  return gst_paco_pipe_take_flow (&self->pipe);
}

static gboolean
gst_paco_dec_flush (GstVideoDecoder *decoder)
{
  GstPacoDec *self = GST_PACO_DEC (decoder);

  if (self->decoder == NULL)
    return TRUE;
  GST_VIDEO_DECODER_STREAM_UNLOCK (decoder);
  abandon (self);
  GST_VIDEO_DECODER_STREAM_LOCK (decoder);
  return TRUE;
}

/* --- object --- */

static void
gst_paco_dec_set_property (
    GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GstPacoDec *self = GST_PACO_DEC (object);
  gboolean known = TRUE;

  GST_OBJECT_LOCK (self);
  if (id == PROP_REDUCE)
    self->reduce = g_value_get_uint (value);
  else
    known = gst_paco_settings_set (&self->settings, id, value);
  GST_OBJECT_UNLOCK (self);

  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_paco_dec_get_property (
    GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  GstPacoDec *self = GST_PACO_DEC (object);
  gboolean known = TRUE;

  GST_OBJECT_LOCK (self);
  if (id == GST_PACO_PROP_STATS) {
    if (self->decoder != NULL)
      self->backend->decoder_stats (self->decoder, &self->last_stats);
    g_value_take_boxed (value, gst_paco_stats_to_structure (&self->last_stats));
  } else if (id == PROP_REDUCE) {
    g_value_set_uint (value, self->reduce);
  } else {
    known = gst_paco_settings_get (&self->settings, id, value);
  }
  GST_OBJECT_UNLOCK (self);

  if (!known)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
gst_paco_dec_finalize (GObject *object)
{
  gst_paco_pipe_clear (&GST_PACO_DEC (object)->pipe);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_paco_dec_init (GstPacoDec *self)
{
  GstVideoDecoder *decoder = GST_VIDEO_DECODER (self);

  gst_paco_settings_init (&self->settings);
  gst_paco_pipe_init (&self->pipe);
  for (guint i = 0; i < MAX_DEPTH; i++)
    self->slots[i].self = self;

  gst_video_decoder_set_packetized (decoder, TRUE);
  gst_video_decoder_set_needs_format (decoder, TRUE);
  gst_video_decoder_set_use_default_pad_acceptcaps (decoder, TRUE);
  GST_PAD_SET_ACCEPT_TEMPLATE (GST_VIDEO_DECODER_SINK_PAD (self));
}

static void
gst_paco_dec_class_init (GstPacoDecClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstVideoDecoderClass *decoder_class = GST_VIDEO_DECODER_CLASS (klass);
  GstCaps *raw_caps = paco_raw_caps ();

  object_class->set_property = GST_DEBUG_FUNCPTR (gst_paco_dec_set_property);
  object_class->get_property = GST_DEBUG_FUNCPTR (gst_paco_dec_get_property);
  object_class->finalize = GST_DEBUG_FUNCPTR (gst_paco_dec_finalize);
  gst_paco_settings_install (object_class);
  g_object_class_install_property (object_class, PROP_REDUCE,
      g_param_spec_uint ("reduce", "Reduce",
          "Resolution levels to leave out: the picture is 1/2^n in each "
          "direction",
          0, PACO_MAX_LEVELS, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));

  element_class->change_state = GST_DEBUG_FUNCPTR (gst_paco_dec_change_state);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_pad_template (element_class,
      gst_pad_template_new ("src", GST_PAD_SRC, GST_PAD_ALWAYS, raw_caps));
  gst_caps_unref (raw_caps);
  gst_element_class_set_static_metadata (element_class, "PaCo video decoder",
      "Codec/Decoder/Video/Hardware",
      "Intra-frame wavelet decoder, BPC-PaCo, for NVIDIA GPUs and CPUs",
      "The gst-paco developers");

  decoder_class->start = GST_DEBUG_FUNCPTR (gst_paco_dec_start);
  decoder_class->stop = GST_DEBUG_FUNCPTR (gst_paco_dec_stop);
  decoder_class->set_format = GST_DEBUG_FUNCPTR (gst_paco_dec_set_format);
  decoder_class->decide_allocation = GST_DEBUG_FUNCPTR (
      gst_paco_dec_decide_allocation);
  decoder_class->handle_frame = GST_DEBUG_FUNCPTR (gst_paco_dec_handle_frame);
  decoder_class->drain = GST_DEBUG_FUNCPTR (gst_paco_dec_drain);
  decoder_class->finish = GST_DEBUG_FUNCPTR (gst_paco_dec_drain);
  decoder_class->flush = GST_DEBUG_FUNCPTR (gst_paco_dec_flush);
}

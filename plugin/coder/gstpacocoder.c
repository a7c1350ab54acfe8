/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Starts, configures and stops the coder of an element; gstpacocoder.h says for
 * whom. */
#include "gstpacocoder.h"
#include "gstpacobackend.h"
#include "gstpacoallocator.h"
#include <gst/video/gstvideodecoder.h>
#include <gst/video/gstvideoencoder.h>

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

/* Encoded frames in the device's memory beyond those that are being decoded: one is
 * read, one waits for the decoder, parser and queues hold a few. */
#define SPARE_CODED 6

static GQuark
coder_quark (void)
{
  return g_quark_from_static_string ("gst-paco-coder");
}

GstPacoCoder *
gst_paco_coder_of (gpointer element)
{
  return g_object_get_qdata (element, coder_quark ());
}

void
gst_paco_coder_init (GstPacoCoder *coder, GstElement *element,
    GstPacoPipeFunc push,
    void (*describe) (GstElement *element, GstStructure *stats))
{
  g_object_set_qdata (G_OBJECT (element), coder_quark (), coder);
  coder->element = element;
  coder->encodes = GST_IS_VIDEO_ENCODER (element);
  coder->push = push;
  coder->describe = describe;
  coder->n_devices = 1;
  gst_paco_cuda_init (&coder->cuda, element);
  paco_settings_init (&coder->settings);
  g_mutex_init (&coder->loss);
}

void
gst_paco_coder_clear (GstPacoCoder *coder)
{
  gst_paco_cuda_clear (&coder->cuda);
  g_mutex_clear (&coder->loss);
  paco_settings_clear (&coder->settings);
}

static void
copy_settings (GstPacoCoder *coder, PacoSettings *settings)
{
  GST_OBJECT_LOCK (coder->element);
  paco_settings_copy (&coder->settings, settings);
  GST_OBJECT_UNLOCK (coder->element);
}

/* Lets go of a frame that the coder has given up, in any thread. GstVideoEncoder keeps
 * a reference of its own; slices of a decoder's stack are references. */
static void
drop (void *user_data)
{
  GstPacoFrame *frame = user_data;
  GstPacoPipe *pipe = frame->pipe;
  g_autoptr (GstElement) owner = gst_paco_pipe_ref_owner (pipe);
  gboolean is_slice = frame->member != NULL;
  GstVideoCodecFrame *codec_frame = gst_paco_frame_take (frame);

  if (GST_IS_VIDEO_DECODER (owner) && !is_slice)
    gst_video_decoder_release_frame (GST_VIDEO_DECODER (owner), codec_frame);
  else
    gst_video_codec_frame_unref (codec_frame);
  gst_paco_pipe_done (pipe, GST_FLOW_OK);
}

static PacoCoder *
open_coder (GstPacoCoder *coder, const PacoSettings *settings,
    const PacoForeignContext *context, GError **error)
{
  return gst_paco_open (
      coder->element, settings, coder->encodes, context, drop, error);
}

/* A picture in device memory lies on one device. */
static gboolean
is_wanted (const PacoSettings *settings)
{
  return settings->backend != PACO_USE_CPU
      && !paco_settings_have_devices (settings);
}

static PacoCoder *
open_in (GstPacoCoder *coder, const PacoSettings *settings,
    GstPacoCudaContext *context, GError **error)
{
  PacoForeignContext foreign = gst_paco_cuda_context_foreign (context);
  PacoCoder *opened = open_coder (coder, settings, &foreign, error);

  if (opened != NULL)
    coder->cuda.handle = foreign.handle;
  return opened;
}

/* Opens a coder where neighbors or the application have a context, so that it need not
 * move later. NULL if there is no context that can be used. */
static PacoCoder *
open_in_shared (GstPacoCoder *coder, const PacoSettings *settings)
{
  g_autoptr (GstPacoCudaContext) context = NULL;

  coder->cuda.handle = NULL;
  if (is_wanted (settings))
    context = gst_paco_cuda_ask_neighbors (&coder->cuda);
  return context != NULL ? open_in (coder, settings, context, NULL) : NULL;
}

/* --- start and stop --- */

/* Starts the pipe of a coder that has been opened, which it takes. */
static gboolean
start_pipe (GstPacoCoder *coder, PacoCoder *opened)
{
  coder->depth = paco_coder_depth (opened);
  coder->pipe = gst_paco_pipe_new (coder->encodes ? "pacoenc" : "pacodec",
      coder->depth, coder->element, coder->push);
  if (coder->pipe == NULL) {
    paco_coder_close (opened);
    gst_paco_post_error (coder->element,
        g_error_new_literal (PACO_ERROR, PACO_ERROR_MEMORY,
            "the thread that pushes frames could not be started"));
    return FALSE;
  }

  coder->warned_of_copies = FALSE;
  GST_OBJECT_LOCK (coder->element);
  coder->coder = opened;
  coder->n_devices = paco_coder_n_devices (opened);
  coder->past = (PacoStats){ NULL };
  if (paco_coder_has_host_memory (opened)) {
    coder->allocator = gst_paco_allocator_new (opened);
    if (!coder->encodes)
      coder->coded = gst_paco_recycler_new (
          coder->allocator, coder->depth + SPARE_CODED);
  }
  GST_OBJECT_UNLOCK (coder->element);
  return TRUE;
}

gboolean
gst_paco_coder_start (GstPacoCoder *coder)
{
  PacoSettings settings;
  GError *error = NULL;
  PacoCoder *opened;

  copy_settings (coder, &settings);
  opened = open_in_shared (coder, &settings);
  if (opened == NULL)
    opened = open_coder (coder, &settings, NULL, &error);
  paco_settings_clear (&settings);
  if (opened != NULL)
    return start_pipe (coder, opened);
  gst_paco_post_error (coder->element, error);
  return FALSE;
}

/* Drops all frames but those that are being pushed. Without the stream lock. */
static void
abandon (GstPacoCoder *coder)
{
  GError *error = NULL;

  gst_paco_pipe_set_dropping (coder->pipe, TRUE);
  if (!paco_coder_abandon (coder->coder, &error))
    gst_paco_coder_lost (coder, error);
  gst_paco_pipe_wait_idle (coder->pipe);
  gst_paco_pipe_take_flow (coder->pipe);
  gst_paco_pipe_set_dropping (coder->pipe, FALSE);
}

/* Adds up all coders since the start. The object lock is held. */
static void
read_stats (GstPacoCoder *coder)
{
  PacoStats *stats = &coder->last_stats;

  paco_coder_stats (coder->coder, stats);
  stats->frames += coder->past.frames;
  stats->bytes += coder->past.bytes;
  stats->corrupted_blocks += coder->past.corrupted_blocks;
  stats->concealed_blocks += coder->past.concealed_blocks;
  stats->transform_ms += coder->past.transform_ms;
  stats->blocks_ms += coder->past.blocks_ms;
  stats->stream_ms += coder->past.stream_ms;
}

void
gst_paco_coder_stop (GstPacoCoder *coder)
{
  g_autoptr (GstAllocator) allocator = NULL, coded = NULL;
  PacoCoder *opened;

  if (coder->coder == NULL)
    return;

  abandon (coder);
  g_clear_pointer (&coder->pipe, gst_paco_pipe_stop);

  GST_OBJECT_LOCK (coder->element);
  read_stats (coder);
  opened = g_steal_pointer (&coder->coder);
  allocator = g_steal_pointer (&coder->allocator);
  coder->n_devices = 1;
  coded = g_steal_pointer (&coder->coded);
  GST_OBJECT_UNLOCK (coder->element);
  gst_paco_log_stats (GST_CAT_DEFAULT, coder->element, &coder->last_stats);

  if (coded != NULL)
    gst_paco_recycler_stop (coded);
  if (allocator != NULL)
    gst_paco_allocator_set_coder (allocator, NULL);
  paco_coder_close (opened);
  gst_paco_cuda_share (&coder->cuda, NULL);
}

/* --- while it runs --- */

static void
claim_latency (GstPacoCoder *coder)
{
  const GstPacoLatency *latency = &coder->latency;
  GstClockTime least = latency->claim + latency->held;
  GstClockTime most = latency->bound + latency->held;

  if (coder->encodes)
    gst_video_encoder_set_latency (
        GST_VIDEO_ENCODER (coder->element), least, most);
  else
    gst_video_decoder_set_latency (
        GST_VIDEO_DECODER (coder->element), least, most);
}

void
gst_paco_coder_begin_latency (
    GstPacoCoder *coder, const GstVideoInfo *info, guint stack)
{
  gst_paco_latency_init (&coder->latency, coder->depth,
      GST_VIDEO_INFO_FIELD_RATE_N (info), GST_VIDEO_INFO_FPS_D (info));
  gst_paco_latency_hold (&coder->latency, stack, GST_VIDEO_INFO_FPS_N (info),
      GST_VIDEO_INFO_FPS_D (info));
  claim_latency (coder);
}

void
gst_paco_coder_configured (GstPacoCoder *coder)
{
  coder->depth = paco_coder_depth (coder->coder);
  gst_paco_pipe_set_depth (coder->pipe, coder->depth);
}

GstFlowReturn
gst_paco_coder_wait (GstPacoCoder *coder, guint n_frames)
{
  GError *error = NULL;

  if (paco_coder_wait (coder->coder, n_frames, &error))
    return GST_FLOW_OK;
  gst_paco_coder_lost (coder, error);
  return GST_FLOW_ERROR;
}

GstFlowReturn
gst_paco_coder_wait_for_flight (GstPacoCoder *coder)
{
  GstFlowReturn flow = gst_paco_coder_wait (coder, coder->depth - 1);

  return flow == GST_FLOW_OK ? gst_paco_pipe_take_flow (coder->pipe) : flow;
}

GstFlowReturn
gst_paco_coder_submitted (GstPacoCoder *coder)
{
  gst_paco_pipe_submitted (coder->pipe);
  if (coder->depth > 1)
    return GST_FLOW_OK;
  gst_paco_pipe_wait_done (coder->pipe);
  return gst_paco_pipe_take_flow (coder->pipe);
}

/* The time that a finished frame waits for others to be pushed is downstream's. */
void
gst_paco_coder_finished (GstPacoCoder *coder, const GstPacoFrame *frame,
    const PacoFrameTimes *times, gsize size, gint64 stored)
{
  gint64 elapsed = MAX (times->finished + stored - frame->begun, 0);

  GST_LOG_OBJECT (coder->element,
      "frame %u: %" G_GSIZE_FORMAT " bytes, %.2f ms (transform %.2f, blocks "
      "%.2f, stream %.2f)",
      frame->frame->system_frame_number, size, elapsed / 1000.0,
      times->transform_ms, times->blocks_ms, times->stream_ms);
  if (gst_paco_latency_measured (&coder->latency, elapsed * GST_USECOND))
    claim_latency (coder);
}

void
gst_paco_coder_lost (GstPacoCoder *coder, GError *error)
{
  g_autoptr (GstElement) owner = NULL;

  /* The lock is held until the error is on the bus: if another thread returned
   * before, upstream's own message would come first. */
  g_mutex_lock (&coder->loss);
  owner = gst_paco_pipe_ref_owner (coder->pipe);
  if (owner != NULL)
    gst_paco_post_error (coder->element, error);
  else
    g_clear_error (&error);
  gst_paco_pipe_lose (coder->pipe);
  g_mutex_unlock (&coder->loss);
}

/* Returns the lock of the element's base class. */
static GRecMutex *
stream_lock (const GstPacoCoder *coder)
{
  return coder->encodes ? &GST_VIDEO_ENCODER (coder->element)->stream_lock
                        : &GST_VIDEO_DECODER (coder->element)->stream_lock;
}

GstFlowReturn
gst_paco_coder_drain (GstPacoCoder *coder)
{
  if (coder->pipe == NULL)
    return GST_FLOW_OK;
  g_rec_mutex_unlock (stream_lock (coder));
  gst_paco_pipe_wait_done (coder->pipe);
  g_rec_mutex_lock (stream_lock (coder));
  return gst_paco_pipe_take_flow (coder->pipe);
}

void
gst_paco_coder_flush (GstPacoCoder *coder)
{
  if (coder->coder == NULL)
    return;
  /* The base class has thrown away the events of the frames that are pending, the
   * segment among them. So none of these frames may be finished any more, not
   * even by a thread that already waits for the lock. */
  gst_paco_pipe_set_dropping (coder->pipe, TRUE);
  g_rec_mutex_unlock (stream_lock (coder));
  abandon (coder);
  g_rec_mutex_lock (stream_lock (coder));
}

GstStructure *
gst_paco_coder_stats (GstPacoCoder *coder)
{
  GstStructure *stats;

  if (coder->coder != NULL)
    read_stats (coder);
  stats = gst_paco_stats_to_structure (&coder->last_stats);
  coder->describe (coder->element, stats);
  return stats;
}

/* --- sharing --- */

gboolean
gst_paco_coder_can_share (GstPacoCoder *coder)
{
  gboolean possible;

  if (gst_paco_cuda_library () == NULL)
    return FALSE;
  GST_OBJECT_LOCK (coder->element);
  possible = is_wanted (&coder->settings)
      && (coder->coder == NULL || paco_coder_has_host_memory (coder->coder));
  GST_OBJECT_UNLOCK (coder->element);
  return possible;
}

static gint
device_id (GstPacoCoder *coder)
{
  gint id;

  GST_OBJECT_LOCK (coder->element);
  id = coder->settings.cuda_device_id;
  GST_OBJECT_UNLOCK (coder->element);
  return id;
}

/* Goes on with another coder, which is not configured yet. Nothing may be in flight. */
static void
replace (GstPacoCoder *coder, PacoCoder *opened)
{
  PacoCoder *closed;

  gst_paco_pipe_wait_idle (coder->pipe);
  GST_OBJECT_LOCK (coder->element);
  read_stats (coder);
  coder->past = coder->last_stats;
  closed = coder->coder;
  coder->coder = opened;
  if (coder->allocator != NULL)
    gst_paco_allocator_set_coder (coder->allocator, opened);
  else
    coder->allocator = gst_paco_allocator_new (opened);
  GST_OBJECT_UNLOCK (coder->element);
  paco_coder_close (closed);
}

/* The user gets the warning once: the pictures are right all the same. */
static void
warn_of_copies (GstPacoCoder *coder, GError *error)
{
  if (!coder->warned_of_copies)
    GST_ELEMENT_WARNING (coder->element, RESOURCE, NOT_FOUND,
        ("Pictures in the memory of a GPU are copied by way of the host: %s",
            error != NULL ? error->message
                          : "they are in no context that "
                            "could be shared"),
        (NULL));
  coder->warned_of_copies = TRUE;
  g_clear_error (&error);
}

static gboolean
move (GstPacoCoder *coder, GstPacoCudaContext *context)
{
  PacoSettings settings;
  PacoCoder *opened;
  GError *error = NULL;

  if (gst_paco_cuda_context_foreign (context).handle == coder->cuda.handle)
    return TRUE;
  copy_settings (coder, &settings);
  opened = open_in (coder, &settings, context, &error);
  paco_settings_clear (&settings);
  if (opened != NULL)
    replace (coder, opened);
  else
    warn_of_copies (coder, error);
  return opened != NULL;
}

gboolean
gst_paco_coder_share (GstPacoCoder *coder, gboolean may_create)
{
  g_autoptr (GstPacoCudaContext) context = NULL;

  if (!gst_paco_coder_can_share (coder))
    return FALSE;
  context = gst_paco_cuda_find_context (
      &coder->cuda, device_id (coder), may_create);
  if (context == NULL && may_create)
    warn_of_copies (coder, NULL);
  return context != NULL && move (coder, context);
}

gboolean
gst_paco_coder_is_elsewhere (GstPacoCoder *coder, GstBuffer *buffer)
{
  GstPacoCudaContext *context = gst_paco_cuda_buffer_context (buffer);
  gint id = device_id (coder);
  guint device = 0;

  if (context == NULL || !gst_paco_coder_can_share (coder)
      || gst_paco_cuda_context_foreign (context).handle == coder->cuda.handle)
    return FALSE;
  g_object_get (context, "cuda-device-id", &device, NULL);
  return id < 0 || id == (gint) device;
}

gboolean
gst_paco_coder_follow (GstPacoCoder *coder, GstBuffer *buffer)
{
  GstPacoCudaContext *context = gst_paco_cuda_buffer_context (buffer);

  if (!move (coder, context))
    return FALSE;
  gst_paco_cuda_share (&coder->cuda, context);
  return TRUE;
}

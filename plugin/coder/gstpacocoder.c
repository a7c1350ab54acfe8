/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Starts, configures and stops the coder of an element; gstpacocoder.h says for
 * whom. */
#include "gstpacocoder.h"
#include "plugin/cuda/gstpacoallocator.h"
#include "gstpacolog.h"
#include "plugin/parse/gstpacorecycler.h"
#include "plugin/cuda/gstpacosharing.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

/* A decoder keeps so many encoded frames in the device's memory beyond those that
 * are being decoded: one is read, one waits for a place in the decoder, and the
 * parser and the queues between the elements hold a few. */
#define SPARE_CODED 6

void
gst_paco_coder_init (GstPacoCoder *coder, GstElement *element,
    GRecMutex *stream_lock, GstPacoPipeFunc push)
{
  coder->element = element;
  coder->stream_lock = stream_lock;
  coder->n_devices = 1;
  gst_paco_cuda_init (&coder->cuda, element);
  paco_settings_init (&coder->settings);
  g_mutex_init (&coder->loss);
  gst_paco_pipe_init (&coder->pipe, push, element);
}

void
gst_paco_coder_clear (GstPacoCoder *coder)
{
  gst_paco_pipe_clear (&coder->pipe);
  gst_paco_cuda_clear (&coder->cuda);
  g_mutex_clear (&coder->loss);
  paco_settings_clear (&coder->settings);
}

/* --- start and stop --- */

/* Starts the thread that pushes, under this name. opened is NULL if no coder
 * could be opened; start() takes ownership of error. */
static gboolean
start (GstPacoCoder *coder, const char *name, PacoCoder *opened, GError *error)
{
  GstElement *element = coder->element;

  if (opened == NULL) {
    gst_paco_post_error (element, error);
    return FALSE;
  }

  coder->depth = paco_coder_depth (opened);
  coder->frames = gst_paco_frames_new (coder->depth, GST_OBJECT (element));
  coder->warned_of_copies = FALSE;
  GST_OBJECT_LOCK (element);
  coder->coder = opened;
  coder->n_devices = paco_coder_n_devices (opened);
  coder->past = (PacoStats){ NULL };
  if (paco_coder_has_host_memory (opened))
    coder->allocator = gst_paco_allocator_new (opened);
  GST_OBJECT_UNLOCK (element);

  if (gst_paco_pipe_start (&coder->pipe, name))
    return TRUE;
  gst_paco_coder_stop (coder);
  g_set_error_literal (&error, PACO_ERROR, PACO_ERROR_MEMORY,
      "the thread that pushes frames could not be started");
  gst_paco_post_error (element, error);
  return FALSE;
}

static void
copy_settings (GstPacoCoder *coder, PacoSettings *settings)
{
  GST_OBJECT_LOCK (coder->element);
  paco_settings_copy (&coder->settings, settings);
  GST_OBJECT_UNLOCK (coder->element);
}

static gboolean
open_and_start (GstPacoCoder *coder, const char *name, GstPacoOpenFunc open,
    void (*drop) (void *frame))
{
  PacoSettings settings;
  GError *error = NULL;
  PacoCoder *opened;

  coder->open = open;
  coder->drop = drop;
  copy_settings (coder, &settings);
  opened = gst_paco_sharing_open (coder, &settings);
  if (opened == NULL)
    opened = open (coder->element, &settings, NULL, drop, &error);
  paco_settings_clear (&settings);
  return start (coder, name, opened, error);
}

gboolean
gst_paco_coder_start_encoder (GstPacoCoder *coder, void (*drop) (void *frame))
{
  return open_and_start (coder, "pacoenc", gst_paco_open_encoder, drop);
}

gboolean
gst_paco_coder_start_decoder (GstPacoCoder *coder, void (*drop) (void *frame))
{
  if (!open_and_start (coder, "pacodec", gst_paco_open_decoder, drop))
    return FALSE;
  GST_OBJECT_LOCK (coder->element);
  if (coder->allocator != NULL)
    coder->coded = gst_paco_recycler_new (
        coder->allocator, coder->depth + SPARE_CODED);
  GST_OBJECT_UNLOCK (coder->element);
  return TRUE;
}

/* Drops all frames, those that are being pushed excepted. The stream lock must
 * not be held. */
static void
abandon (GstPacoCoder *coder)
{
  GError *error = NULL;

  gst_paco_pipe_set_dropping (&coder->pipe, TRUE);
  if (!paco_coder_abandon (coder->coder, &error))
    gst_paco_coder_lost (coder, error);
  gst_paco_pipe_wait_idle (&coder->pipe);
  gst_paco_pipe_take_flow (&coder->pipe);
  gst_paco_pipe_set_dropping (&coder->pipe, FALSE);
}

/* Sums up what all coders since the start have done, the last of which is open.
 * The object lock must be held. */
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
  GstAllocator *allocator, *coded;
  PacoCoder *opened;

  if (coder->coder == NULL)
    return;

  abandon (coder);
  gst_paco_pipe_stop (&coder->pipe);

  GST_OBJECT_LOCK (coder->element);
  read_stats (coder);
  opened = g_steal_pointer (&coder->coder);
  allocator = g_steal_pointer (&coder->allocator);
  coder->n_devices = 1;
  coded = g_steal_pointer (&coder->coded);
  GST_OBJECT_UNLOCK (coder->element);
  gst_paco_log_stats (GST_CAT_DEFAULT, coder->element, &coder->last_stats);

  if (coded != NULL) {
    gst_paco_recycler_stop (coded);
    gst_object_unref (coded);
  }
  if (allocator != NULL) {
    gst_paco_allocator_detach (allocator);
    gst_object_unref (allocator);
  }
  paco_coder_close (opened);
  g_clear_pointer (&coder->frames, gst_paco_frames_unref);
  gst_paco_cuda_share (&coder->cuda, NULL);
}

/* --- while it runs --- */

void
gst_paco_coder_replace (GstPacoCoder *coder, PacoCoder *opened)
{
  PacoCoder *closed;

  gst_paco_pipe_wait_idle (&coder->pipe);
  GST_OBJECT_LOCK (coder->element);
  read_stats (coder);
  coder->past = coder->last_stats;
  closed = coder->coder;
  coder->coder = opened;
  if (coder->allocator != NULL)
    gst_paco_allocator_attach (coder->allocator, opened);
  else
    coder->allocator = gst_paco_allocator_new (opened);
  GST_OBJECT_UNLOCK (coder->element);
  paco_coder_close (closed);
}

void
gst_paco_coder_configured (GstPacoCoder *coder)
{
  coder->depth = paco_coder_depth (coder->coder);
  gst_paco_frames_set_depth (coder->frames, coder->depth);
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
gst_paco_coder_submitted (GstPacoCoder *coder)
{
  gst_paco_pipe_submitted (&coder->pipe);
  if (coder->depth > 1)
    return GST_FLOW_OK;
  gst_paco_pipe_wait_done (&coder->pipe);
  return gst_paco_pipe_take_flow (&coder->pipe);
}

/* The time that a finished frame waits while another one is pushed is
 * downstream's latency, and is not counted. */
gboolean
gst_paco_coder_finished (GstPacoCoder *coder, const GstPacoFrame *frame,
    const PacoFrameTimes *times, gsize size, gint64 stored)
{
  gint64 elapsed = MAX (times->finished + stored - frame->begun, 0);

  GST_LOG_OBJECT (coder->element,
      "frame %u: %" G_GSIZE_FORMAT " bytes, %.2f ms (transform %.2f, blocks "
      "%.2f, stream %.2f)",
      frame->frame->system_frame_number, size, elapsed / 1000.0,
      times->transform_ms, times->blocks_ms, times->stream_ms);
  return gst_paco_latency_measured (&coder->latency, elapsed * GST_USECOND);
}

void
gst_paco_coder_lost (GstPacoCoder *coder, GError *error)
{
  /* The lock is held until the error is on the bus: if another thread returned
   * before, upstream's own message would come first. */
  g_mutex_lock (&coder->loss);
  if (gst_paco_pipe_is_lost (&coder->pipe))
    g_clear_error (&error);
  else
    gst_paco_post_error (coder->element, error);
  gst_paco_frames_orphan (coder->frames);
  gst_paco_pipe_lose (&coder->pipe);
  g_mutex_unlock (&coder->loss);
}

GstFlowReturn
gst_paco_coder_drain (GstPacoCoder *coder)
{
  g_rec_mutex_unlock (coder->stream_lock);
  gst_paco_pipe_wait_done (&coder->pipe);
  g_rec_mutex_lock (coder->stream_lock);
  return gst_paco_pipe_take_flow (&coder->pipe);
}

void
gst_paco_coder_flush (GstPacoCoder *coder)
{
  if (coder->coder == NULL)
    return;
  /* The base class has thrown away the events of the frames that are pending, the
   * segment among them. So none of these frames may be finished any more, not
   * even by a thread that already waits for the lock. */
  gst_paco_pipe_set_dropping (&coder->pipe, TRUE);
  g_rec_mutex_unlock (coder->stream_lock);
  abandon (coder);
  g_rec_mutex_lock (coder->stream_lock);
}

GstAllocator *
gst_paco_coder_ref_allocator (
    GstPacoCoder *coder, guint *depth, guint *n_devices)
{
  GstAllocator *allocator = NULL;

  GST_OBJECT_LOCK (coder->element);
  if (coder->allocator != NULL)
    allocator = gst_object_ref (coder->allocator);
  *depth = coder->settings.pipeline_depth;
  *n_devices = coder->n_devices;
  GST_OBJECT_UNLOCK (coder->element);
  return allocator;
}

void
gst_paco_coder_propose (GstPacoCoder *coder, GstQuery *query)
{
  GstAllocator *coded = NULL;

  GST_OBJECT_LOCK (coder->element);
  if (coder->coded != NULL)
    coded = gst_object_ref (coder->coded);
  GST_OBJECT_UNLOCK (coder->element);
  if (coded != NULL)
    gst_query_add_allocation_param (query, coded, NULL);
  gst_clear_object (&coded);
}

void
gst_paco_coder_set_context (GstPacoCoder *coder, GstContext *context)
{
  gint device_id;

  GST_OBJECT_LOCK (coder->element);
  device_id = coder->settings.cuda_device_id;
  GST_OBJECT_UNLOCK (coder->element);
  gst_paco_cuda_set_context (&coder->cuda, context, device_id);
}

gboolean
gst_paco_coder_get_property (GstPacoCoder *coder, guint id, GValue *value)
{
  if (id != GST_PACO_PROP_STATS)
    return gst_paco_settings_get (&coder->settings, id, value) != NULL;

  if (coder->coder != NULL)
    read_stats (coder);
  g_value_take_boxed (value, gst_paco_stats_to_structure (&coder->last_stats));
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The life of a coder in an element. */
#include "gstpacocoder.h"
#include "gstpacoallocator.h"

void
gst_paco_coder_init (GstPacoCoder *coder, GstElement *element,
    GRecMutex *stream_lock, GstPacoPipeFunc collect,
    void (*drop) (void *user_data))
{
  coder->element = element;
  coder->stream_lock = stream_lock;
  coder->drop = drop;
  gst_paco_settings_init (&coder->settings);
  gst_paco_pipe_init (&coder->pipe, collect, element);
}

void
gst_paco_coder_clear (GstPacoCoder *coder)
{
  gst_paco_pipe_clear (&coder->pipe);
}

/* --- encoder or decoder, whichever is open --- */

static gboolean
is_open (const GstPacoCoder *coder)
{
  return coder->encoder != NULL || coder->decoder != NULL;
}

static void
coder_stats (GstPacoCoder *coder)
{
  if (coder->encoder != NULL)
    coder->backend->encoder_stats (coder->encoder, &coder->last_stats);
  if (coder->decoder != NULL)
    coder->backend->decoder_stats (coder->decoder, &coder->last_stats);
}

static void
coder_abandon (GstPacoCoder *coder)
{
  if (coder->encoder != NULL)
    coder->backend->encoder_abandon (coder->encoder, coder->drop);
  if (coder->decoder != NULL)
    coder->backend->decoder_abandon (coder->decoder, coder->drop);
}

/* --- start and stop --- */

/* encoder or decoder is NULL; error is given away. */
static gboolean
start (GstPacoCoder *coder, const GstPacoSettings *settings,
    const PacoBackend *backend, PacoEncoder *encoder, PacoDecoder *decoder,
    GError *error)
{
  if (encoder == NULL && decoder == NULL) {
    gst_paco_post_error (coder->element, error);
    return FALSE;
  }

  GST_OBJECT_LOCK (coder->element);
  coder->backend = backend;
  coder->encoder = encoder;
  coder->decoder = decoder;
  GST_OBJECT_UNLOCK (coder->element);

  coder->depth = settings->pipeline_depth;
  coder->next_slot = 0;
  if (!gst_paco_pipe_start (&coder->pipe,
          encoder != NULL ? "pacoenc" : "pacodec", coder->depth)) {
    gst_paco_coder_stop (coder);
    g_set_error_literal (&error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the thread that pushes frames could not be started");
    gst_paco_post_error (coder->element, error);
    return FALSE;
  }

  if (encoder != NULL)
    coder->allocator = gst_paco_allocator_new (
        (GstPacoHostMemoryFunc) backend->encoder_host_memory, encoder);
  else
    coder->allocator = gst_paco_allocator_new (
        (GstPacoHostMemoryFunc) backend->decoder_host_memory, decoder);
  return TRUE;
}

static GstPacoSettings
read_settings (GstPacoCoder *coder)
{
  GstPacoSettings settings;

  GST_OBJECT_LOCK (coder->element);
  settings = coder->settings;
  GST_OBJECT_UNLOCK (coder->element);
  return settings;
}

gboolean
gst_paco_coder_start_encoder (GstPacoCoder *coder)
{
  const GstPacoSettings settings = read_settings (coder);
  const PacoBackend *backend = NULL;
  GError *error = NULL;
  PacoEncoder *encoder = gst_paco_open_encoder (
      coder->element, &settings, &backend, &error);

  return start (coder, &settings, backend, encoder, NULL, error);
}

gboolean
gst_paco_coder_start_decoder (GstPacoCoder *coder)
{
  const GstPacoSettings settings = read_settings (coder);
  const PacoBackend *backend = NULL;
  GError *error = NULL;
  PacoDecoder *decoder = gst_paco_open_decoder (
      coder->element, &settings, &backend, &error);

  return start (coder, &settings, backend, NULL, decoder, error);
}

/* Drops all frames, those that are being pushed excepted. To be called without
 * the stream lock. */
static void
abandon (GstPacoCoder *coder)
{
  gst_paco_pipe_set_dropping (&coder->pipe, TRUE);
  coder_abandon (coder);
  gst_paco_pipe_wait_idle (&coder->pipe);
  gst_paco_pipe_take_flow (&coder->pipe);
  gst_paco_pipe_set_dropping (&coder->pipe, FALSE);
}

void
gst_paco_coder_stop (GstPacoCoder *coder)
{
  PacoEncoder *encoder;
  PacoDecoder *decoder;

  if (!is_open (coder))
    return;

  abandon (coder);
  gst_paco_pipe_stop (&coder->pipe);
  gst_paco_allocator_detach (coder->allocator);
  gst_clear_object (&coder->allocator);

  GST_OBJECT_LOCK (coder->element);
  coder_stats (coder);
  encoder = g_steal_pointer (&coder->encoder);
  decoder = g_steal_pointer (&coder->decoder);
  GST_OBJECT_UNLOCK (coder->element);

  if (encoder != NULL)
    coder->backend->encoder_close (encoder);
  if (decoder != NULL)
    coder->backend->decoder_close (decoder);
  gst_paco_coder_free_planes (coder);
}

/* --- while it runs --- */

void
gst_paco_coder_submitted (GstPacoCoder *coder)
{
  coder->next_slot = (coder->next_slot + 1) % coder->depth;
  gst_paco_pipe_submitted (&coder->pipe);
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
  if (!is_open (coder))
    return;
  g_rec_mutex_unlock (coder->stream_lock);
  abandon (coder);
  g_rec_mutex_lock (coder->stream_lock);
}

gboolean
gst_paco_coder_allocate_planes (
    GstPacoCoder *coder, const GstVideoInfo *info, GError **error)
{
  PacoPictureFormat picture;

  gst_paco_coder_free_planes (coder);
  paco_picture_format_from_info (info, false, &picture);
  for (guint i = 0; i < coder->depth; i++) {
    coder->planes[i] = paco_planes_new (&picture);
    if (coder->planes[i] == NULL) {
      g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
          "no memory for pictures of %ux%u", picture.width, picture.height);
      return FALSE;
    }
  }
  return TRUE;
}

void
gst_paco_coder_free_planes (GstPacoCoder *coder)
{
  for (guint i = 0; i < G_N_ELEMENTS (coder->planes); i++)
    g_clear_pointer (&coder->planes[i], paco_planes_free);
}

gboolean
gst_paco_coder_get_property (GstPacoCoder *coder, guint id, GValue *value)
{
  if (id != GST_PACO_PROP_STATS)
    return gst_paco_settings_get (&coder->settings, id, value);

  coder_stats (coder);
  g_value_take_boxed (value, gst_paco_stats_to_structure (&coder->last_stats));
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Moves a coder into the context of its neighbors; gstpacosharing.h says why. */
#include "gstpacosharing.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

/* Pictures in device memory are wanted with one device only, because a picture
 * lies on one. */
static gboolean
is_wanted (const PacoSettings *settings)
{
  return settings->backend != PACO_USE_CPU
      && !paco_settings_have_devices (settings);
}

gboolean
gst_paco_sharing_is_possible (GstPacoCoder *coder)
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

GstCaps *
gst_paco_sharing_limit_caps (GstPacoCoder *coder, GstCaps *raw)
{
  return gst_paco_sharing_is_possible (coder) ? raw
                                              : gst_paco_cuda_strip_caps (raw);
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

static PacoCoder *
open_in (GstPacoCoder *coder, const PacoSettings *settings,
    GstPacoCudaContext *context, GError **error)
{
  PacoForeignContext foreign = gst_paco_cuda_context_foreign (context);
  PacoCoder *opened = coder->open (
      coder->element, settings, &foreign, coder->drop, error);

  if (opened != NULL)
    coder->cuda.handle = foreign.handle;
  return opened;
}

PacoCoder *
gst_paco_sharing_open (GstPacoCoder *coder, const PacoSettings *settings)
{
  GstPacoCudaContext *context;
  PacoCoder *opened;

  coder->cuda.handle = NULL;
  if (!is_wanted (settings))
    return NULL;
  context = gst_paco_cuda_ask_neighbors (&coder->cuda);
  if (context == NULL)
    return NULL;
  opened = open_in (coder, settings, context, NULL);
  gst_object_unref (context);
  return opened;
}

/* Posts a warning, which the user gets once, because the pictures are right all
 * the same. */
static void
warn (GstPacoCoder *coder, GError *error)
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

  if (gst_paco_cuda_context_handle (context) == coder->cuda.handle)
    return TRUE;
  GST_OBJECT_LOCK (coder->element);
  paco_settings_copy (&coder->settings, &settings);
  GST_OBJECT_UNLOCK (coder->element);
  opened = open_in (coder, &settings, context, &error);
  paco_settings_clear (&settings);
  if (opened == NULL) {
    warn (coder, error);
    return FALSE;
  }
  gst_paco_coder_replace (coder, opened);
  return TRUE;
}

gboolean
gst_paco_sharing_enter (GstPacoCoder *coder, gboolean may_create)
{
  GstPacoCudaContext *context;
  gboolean entered;

  if (!gst_paco_sharing_is_possible (coder))
    return FALSE;
  context = gst_paco_cuda_find_context (
      &coder->cuda, device_id (coder), may_create);
  if (context == NULL) {
    if (may_create)
      warn (coder, NULL);
    return FALSE;
  }
  entered = move (coder, context);
  gst_object_unref (context);
  return entered;
}

gboolean
gst_paco_sharing_is_elsewhere (GstPacoCoder *coder, GstBuffer *buffer)
{
  GstPacoCudaContext *context = gst_paco_cuda_buffer_context (buffer);
  gint id = device_id (coder);

  return context != NULL && gst_paco_sharing_is_possible (coder)
      && gst_paco_cuda_context_handle (context) != coder->cuda.handle
      && (id < 0 || id == gst_paco_cuda_context_device (context));
}

gboolean
gst_paco_sharing_follow (GstPacoCoder *coder, GstBuffer *buffer)
{
  GstPacoCudaContext *context = gst_paco_cuda_buffer_context (buffer);

  if (!move (coder, context))
    return FALSE;
  gst_paco_cuda_share (&coder->cuda, context);
  return TRUE;
}

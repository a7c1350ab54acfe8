/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs pipelines of GStreamer for container.c and mux.c (gst_pipeline.h). */
#include "gst_pipeline.h"
#include "tool.h"
#include <string.h>

bool
paco_gst_has_elements (const char *const *names, GError **error)
{
  if (!gst_init_check (NULL, NULL, error))
    return false;
  for (; *names; names++) {
    GstElementFactory *factory = gst_element_factory_find (*names);

    if (!factory) {
      g_set_error (error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_FAILED,
          "GStreamer has no element %s, which this needs; %s", *names,
          g_str_has_prefix (*names, "paco")
              ? "gst-paco's plugin must be installed, or in GST_PLUGIN_PATH"
              : "it is in gst-plugins-good");
      return false;
    }
    gst_object_unref (factory);
  }
  return true;
}

static void
set_location (GstElement *pipeline, const char *name, const char *path)
{
  GstElement *element = path ? gst_bin_get_by_name (GST_BIN (pipeline), name)
                             : NULL;

  if (!element)
    return;
  g_object_set (element, "location", path, NULL);
  gst_object_unref (element);
}

GstElement *
paco_gst_pipeline (
    const char *description, const char *from, const char *to, GError **error)
{
  GError *failure = NULL;
  GstElement *pipeline = gst_parse_launch (description, &failure);

  if (failure) {
    g_propagate_error (error, failure);
    g_clear_pointer (&pipeline, gst_object_unref);
    return NULL;
  }
  set_location (pipeline, "from", from);
  set_location (pipeline, "to", to);
  return pipeline;
}

bool
paco_gst_failed (GstElement *pipeline, const char *path, GError **error)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  GError *failure = NULL;
  char *debug = NULL;

  gst_object_unref (bus);
  if (!message)
    return false;
  gst_message_parse_error (message, &failure, &debug);
  g_strchomp (failure->message);
  if (g_str_has_suffix (failure->message, "."))
    failure->message[strlen (failure->message) - 1] = 0;
  if (g_error_matches (
          failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
    g_set_error (error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_FAILED,
        "%s cannot be written: the disk is full", path);
  else
    g_set_error (error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_FAILED,
        "%s: GStreamer says: %s", path, failure->message);
  g_error_free (failure);
  g_free (debug);
  gst_message_unref (message);
  return true;
}

void
paco_gst_free (GstElement *pipeline)
{
  if (!pipeline)
    return;
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

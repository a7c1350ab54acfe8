/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs pipelines of GStreamer (gst_pipeline.h). */
#include "gst_pipeline.h"
#include "tool.h"
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <string.h>

#define WAIT (200 * GST_MSECOND) /* between looks for signals */

/* Loads the plugin that was built, unpacked or installed with this program, as the scripts
 * do (pipelines/find-plugin.sh), unless GST_PLUGIN_PATH says where plugins are. */
static void
load_own_plugin (void)
{
  static const char *const folders[] = { "plugin", "lib/gstreamer-1.0",
    PACO_PLUGIN_FOLDER };
  const char *given = g_getenv ("GST_PLUGIN_PATH_1_0");
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = program ? g_path_get_dirname (program) : NULL;
  GstPlugin *plugin = NULL;

  if (!given)
    given = g_getenv ("GST_PLUGIN_PATH");
  for (unsigned i = 0;
       folder && !(given && *given) && !plugin && i < G_N_ELEMENTS (folders);
       i++) {
    g_autofree char *path = g_build_filename (
        folder, "..", folders[i], "libgstpaco.so", NULL);

    if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      plugin = gst_plugin_load_file (path, NULL);
  }
  gst_clear_object (&plugin);
}

bool
paco_gst_has_elements (const char *const *names, GError **error)
{
  if (!gst_init_check (NULL, NULL, error))
    return false;
  load_own_plugin ();
  for (; *names; names++) {
    g_autoptr (GstElementFactory) factory = gst_element_factory_find (*names);

    if (!factory)
      return paco_tool_failed (error,
          "GStreamer has no element %s, which this needs; %s", *names,
          g_str_has_prefix (*names, "paco")
              ? "gst-paco's plugin must be installed, or in GST_PLUGIN_PATH"
              : g_str_has_prefix (*names, "rsvg") ? "it is in gst-plugins-bad"
              : g_str_has_prefix (*names, "raw")  ? "it is in gst-plugins-base"
                                                 : "it is in gst-plugins-good");
  }
  return true;
}

static void
set_location (GstElement *pipeline, const char *name, const char *path)
{
  g_autoptr (GstElement)
      element = path ? gst_bin_get_by_name (GST_BIN (pipeline), name) : NULL;

  if (!element)
    return;
  g_object_set (element, "location", path, NULL);
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

/* A filter that no stream is linked to, and its sink. */
typedef struct
{
  GstElement *filter, *sink;
} Ends;

static void
end_sink (GstElement *sink)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (pad, gst_event_new_stream_start ("none"));
  gst_pad_send_event (pad, gst_event_new_segment (&segment));
  gst_pad_send_event (pad, gst_event_new_eos ());
}

static void
on_all_streams (GstElement *demuxer, gpointer data)
{
  const Ends *ends = data;
  g_autoptr (GstPad) pad = gst_element_get_static_pad (ends->filter, "sink");

  if (!gst_pad_is_linked (pad))
    end_sink (ends->sink);
}

static void
free_ends (gpointer data, GClosure *closure)
{
  Ends *ends = data;

  gst_object_unref (ends->filter);
  gst_object_unref (ends->sink);
  g_free (ends);
}

void
paco_gst_end_without_stream (GstElement *pipeline, const char *demuxer,
    const char *filter, const char *sink)
{
  g_autoptr (GstElement)
      element = gst_bin_get_by_name (GST_BIN (pipeline), demuxer);
  Ends *ends = g_new (Ends, 1);

  ends->filter = gst_bin_get_by_name (GST_BIN (pipeline), filter);
  ends->sink = gst_bin_get_by_name (GST_BIN (pipeline), sink);
  g_signal_connect_data (
      element, "no-more-pads", G_CALLBACK (on_all_streams), ends, free_ends, 0);
}

/* Says what the message says, and frees it. */
static void
tell_error (GstMessage *message, const char *path, GError **error)
{
  GError *failure = NULL;
  g_autofree char *debug = NULL;

  gst_message_parse_error (message, &failure, &debug);
  g_strchomp (failure->message);
  if (g_str_has_suffix (failure->message, "."))
    failure->message[strlen (failure->message) - 1] = 0;
  if (g_error_matches (
          failure, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
    paco_tool_failed (error, "%s cannot be written: the disk is full", path);
  else
    paco_tool_failed (error, "%s: GStreamer says: %s", path, failure->message);
  g_error_free (failure);
  gst_message_unref (message);
}

bool
paco_gst_failed (GstElement *pipeline, const char *path, GstClockTime wait,
    bool *ended, GError **error)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (
      bus, wait, GST_MESSAGE_ERROR | (ended ? GST_MESSAGE_EOS : 0));
  bool failed = message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;

  if (failed)
    tell_error (message, path, error);
  else if (message) {
    *ended = true;
    gst_message_unref (message);
  }
  return failed;
}

static GstSample *
pull (GstElement *pipeline, const GstVideoInfo *video, GstBuffer *picture,
    const char *path, GError **error)
{
  g_autoptr (GstElement)
      source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  g_autoptr (GstElement)
      sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstCaps) caps = gst_video_info_to_caps (video);
  GstSample *sample = NULL;

  g_object_set (source, "caps", caps, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  GST_BUFFER_PTS (picture) = 0;
  gst_app_src_push_buffer (GST_APP_SRC (source), picture);
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  while (!sample && !gst_app_sink_is_eos (GST_APP_SINK (sink))
      && !paco_signals_caught (error)
      && !paco_gst_failed (pipeline, path, 0, NULL, error))
    sample = gst_app_sink_try_pull_sample (GST_APP_SINK (sink), WAIT);
  return sample;
}

GstSample *
paco_gst_process (const char *elements, const GstVideoInfo *video,
    GstBuffer *picture, const char *path, GError **error)
{
  g_autofree char *description = g_strdup_printf (
      "appsrc name=source format=time ! %s ! appsink name=sink sync=false",
      elements);
  GError *failure = NULL;
  GstElement *pipeline = paco_gst_pipeline (description, NULL, NULL, &failure);
  GstSample *sample = NULL;

  if (pipeline)
    sample = pull (pipeline, video, picture, path, &failure);
  else
    gst_buffer_unref (picture);
  if (!sample && !failure)
    paco_tool_failed (&failure, "GStreamer does not make %s", path);
  if (failure)
    g_propagate_error (error, failure);
  paco_gst_free (pipeline);
  return sample;
}

void
paco_gst_free (GstElement *pipeline)
{
  if (!pipeline)
    return;
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

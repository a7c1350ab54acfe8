/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the pictures of a file with GStreamer, as reader.h says. */
#include "pipelines/reader.h"
#include "pipelines/clip.h"
#include <gst/app/app.h>

struct Reader
{
  GstElement *pipeline, *converter;
  GstAppSink *sink;
  gint has_sound; /* atomic */
};

/* Links decodebin's streams: the first picture stream goes to the converter,
 * the others nowhere. */
static void
link_stream (GstElement *decoder, GstPad *pad, Reader *reader)
{
  GstPad *sink = gst_element_get_static_pad (reader->converter, "sink");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const char *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

  if (g_str_has_prefix (name, "audio/"))
    g_atomic_int_set (&reader->has_sound, TRUE);
  if (gst_pad_is_linked (sink) || g_strcmp0 (name, "video/x-raw") != 0) {
    GstElement *nowhere = gst_element_factory_make ("fakesink", NULL);

    gst_object_unref (sink);
    g_object_set (nowhere, "async", FALSE, "sync", FALSE, NULL);
    gst_bin_add (GST_BIN (GST_OBJECT_PARENT (decoder)), nowhere);
    gst_element_sync_state_with_parent (nowhere);
    sink = gst_element_get_static_pad (nowhere, "sink");
  }
  gst_pad_link (pad, sink);
  gst_object_unref (sink);
  gst_caps_unref (caps);
}

static void
check_streams (GstElement *decoder, GstElement *converter)
{
  GstPad *sink = gst_element_get_static_pad (converter, "sink");

  if (!gst_pad_is_linked (sink))
    GST_ELEMENT_ERROR (decoder, STREAM, WRONG_TYPE,
        ("There are no pictures in this file."), (NULL));
  gst_object_unref (sink);
}

Reader *
reader_open (const char *path, GstCaps *formats)
{
  Reader *reader = g_new0 (Reader, 1);
  GstElement *pipeline = gst_pipeline_new (NULL);
  GstElement *source = gst_element_factory_make ("filesrc", NULL);
  GstElement *decoder = gst_element_factory_make ("decodebin", NULL);
  GstElement *converter = gst_element_factory_make ("videoconvert", NULL);
  GstElement *out = gst_element_factory_make ("appsink", NULL);

  if (!source || !decoder || !converter || !out)
    g_error ("GStreamer's base plugins are missing "
             "(package gstreamer1.0-plugins-base).");
  g_object_set (source, "location", path, NULL);
  g_object_set (out, "sync", FALSE, "caps", formats, "max-buffers", 2u, NULL);
  gst_bin_add_many (GST_BIN (pipeline), source, decoder, converter, out, NULL);
  gst_element_link (source, decoder);
  gst_element_link (converter, out);
  *reader = (Reader){ pipeline, converter, GST_APP_SINK (out), FALSE };
  g_signal_connect (decoder, "pad-added", G_CALLBACK (link_stream), reader);
  g_signal_connect (
      decoder, "no-more-pads", G_CALLBACK (check_streams), converter);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  return reader;
}

GstSample *
reader_pull (Reader *reader, GError **error)
{
  GError *found = NULL;

  while (!clip_take_error (reader->pipeline, &found)) {
    GstSample *sample = gst_app_sink_try_pull_sample (
        reader->sink, 100 * GST_MSECOND);

    if (sample)
      return sample;
    if (gst_app_sink_is_eos (reader->sink)) {
      clip_take_error (reader->pipeline, &found);
      break;
    }
  }
  if (found)
    g_propagate_error (error, found);
  return NULL;
}

gboolean
reader_has_sound (Reader *reader)
{
  return g_atomic_int_get (&reader->has_sound);
}

char *
reader_orientation (Reader *reader)
{
  GstPad *pad = gst_element_get_static_pad (reader->converter, "sink");
  char *orientation = NULL;
  GstEvent *event;

  for (guint i = 0; !orientation
       && (event = gst_pad_get_sticky_event (pad, GST_EVENT_TAG, i));
       i++) {
    GstTagList *tags;

    gst_event_parse_tag (event, &tags);
    gst_tag_list_get_string (tags, GST_TAG_IMAGE_ORIENTATION, &orientation);
    gst_event_unref (event);
  }
  gst_object_unref (pad);
  if (g_strcmp0 (orientation, "rotate-0") == 0)
    g_clear_pointer (&orientation, g_free);
  return orientation;
}

void
reader_close (Reader *reader)
{
  gst_element_set_state (reader->pipeline, GST_STATE_NULL);
  gst_object_unref (reader->pipeline);
  g_free (reader);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads a file with GStreamer into memory, so that coding can be timed without
 * the file's own decoder. */
#include "pipelines/clip.h"
#include <gst/app/app.h>
#include <gst/pbutils/pbutils.h>

Clip *
clip_new (void)
{
  Clip *clip = g_new0 (Clip, 1);

  clip->buffers = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_buffer_unref);
  return clip;
}

void
clip_free (Clip *clip)
{
  if (!clip)
    return;
  g_ptr_array_unref (clip->buffers);
  gst_clear_caps (&clip->caps);
  g_free (clip);
}

guint64
clip_bytes (const Clip *clip)
{
  guint64 bytes = 0;

  for (guint i = 0; i < clip->buffers->len; i++)
    bytes += gst_buffer_get_size (clip->buffers->pdata[i]);
  return bytes;
}

gboolean
clip_take_error (GstElement *pipeline, GError **error)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  char *missing = NULL;
  GError *found = NULL;

  while ((message = gst_bus_pop_filtered (
              bus, GST_MESSAGE_ERROR | GST_MESSAGE_ELEMENT))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR && !found)
      gst_message_parse_error (message, &found, NULL);
    else if (gst_is_missing_plugin_message (message) && !missing)
      missing = gst_missing_plugin_message_get_description (message);
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  if (found && missing)
    g_set_error (error, found->domain, found->code,
        "GStreamer lacks a plugin: %s. Many decoders are in the packages "
        "gstreamer1.0-libav and gstreamer1.0-plugins-ugly.",
        missing);
  else if (found)
    g_propagate_error (error, g_steal_pointer (&found));
  else {
    g_free (missing);
    return FALSE;
  }
  g_clear_error (&found);
  g_free (missing);
  return TRUE;
}

/* decodebin's streams: the first picture stream goes to the converter (the
 * user data), the others nowhere. */
static void
link_stream (GstElement *decoder, GstPad *pad, GstElement *converter)
{
  GstPad *sink = gst_element_get_static_pad (converter, "sink");
  GstCaps *caps = gst_pad_get_current_caps (pad);
  const char *name = gst_structure_get_name (gst_caps_get_structure (caps, 0));

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

static GstElement *
make_reader (const char *path, GstCaps *formats, GstAppSink **sink)
{
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
  g_signal_connect (decoder, "pad-added", G_CALLBACK (link_stream), converter);
  g_signal_connect (
      decoder, "no-more-pads", G_CALLBACK (check_streams), converter);
  *sink = GST_APP_SINK (out);
  return pipeline;
}

/* Takes a picture in; FALSE when it does not belong to the clip any more. */
static gboolean
add_picture (Clip *clip, GstSample *sample, guint64 max_bytes)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  guint index = clip->buffers->len;

  if (!clip->caps) {
    clip->caps = gst_caps_copy (gst_sample_get_caps (sample));
    if (!gst_video_info_from_caps (&clip->info, clip->caps))
      return FALSE;
    /* Stills have no rate; one is needed for time stamps. */
    if (!clip->info.fps_n) {
      clip->info.fps_n = 25;
      clip->info.fps_d = 1;
      gst_caps_set_simple (
          clip->caps, "framerate", GST_TYPE_FRACTION, 25, 1, NULL);
    }
  } else {
    GstVideoInfo info;

    if (!gst_video_info_from_caps (&info, gst_sample_get_caps (sample))
        || info.width != clip->info.width || info.height != clip->info.height
        || info.finfo != clip->info.finfo
        || clip->info.size * (index + 1) > max_bytes)
      return FALSE;
  }
  buffer = gst_buffer_copy (buffer);
  GST_BUFFER_PTS (buffer) = gst_util_uint64_scale (
      index, GST_SECOND * clip->info.fps_d, clip->info.fps_n);
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = gst_util_uint64_scale (
      1, GST_SECOND * clip->info.fps_d, clip->info.fps_n);
  g_ptr_array_add (clip->buffers, buffer);
  return TRUE;
}

Clip *
clip_from_file (const char *path, GstCaps *formats, guint max_frames,
    guint64 max_bytes, GError **error)
{
  GstAppSink *sink;
  GstElement *pipeline = make_reader (path, formats, &sink);
  Clip *clip = clip_new ();
  GError *found = NULL;
  gboolean more = TRUE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (more && !clip_take_error (pipeline, &found)) {
    GstSample *sample = gst_app_sink_try_pull_sample (sink, 100 * GST_MSECOND);

    if (sample) {
      more = clip->buffers->len < max_frames
          && add_picture (clip, sample, max_bytes);
      gst_sample_unref (sample);
    } else if (gst_app_sink_is_eos (sink)) {
      clip->complete = TRUE;
      break;
    }
  }
  clip_take_error (pipeline, found ? NULL : &found);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  /* A damaged end is no reason to throw away what came before it. */
  if (clip->buffers->len) {
    g_clear_error (&found);
    return clip;
  }
  clip_free (clip);
  if (found)
    g_propagate_prefixed_error (error, found, "%s: ", path);
  else
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
        "%s: no picture came out of this file.", path);
  return NULL;
}

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
  g_free (clip->orientation);
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

typedef struct
{
  GstElement *pipeline, *converter;
  GstAppSink *sink;
  gint has_sound; /* atomic */
} Reader;

/* decodebin's streams: the first picture stream goes to the converter, the
 * others nowhere. */
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

static void
make_reader (const char *path, GstCaps *formats, Reader *reader)
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
  *reader = (Reader){ pipeline, converter, GST_APP_SINK (out), FALSE };
  g_signal_connect (decoder, "pad-added", G_CALLBACK (link_stream), reader);
  g_signal_connect (
      decoder, "no-more-pads", G_CALLBACK (check_streams), converter);
}

/* How the pictures are to be turned, or NULL if they are not. */
static char *
find_orientation (GstElement *converter)
{
  GstPad *pad = gst_element_get_static_pad (converter, "sink");
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

static gboolean
same_format (const GstVideoInfo *a, const GstVideoInfo *b)
{
  return a->width == b->width && a->height == b->height && a->finfo == b->finfo;
}

/* Takes a picture in; FALSE, with clip->end set, when it does not belong to the
 * clip any more. */
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
        || !same_format (&info, &clip->info)) {
      clip->end = CLIP_OTHER_FORMAT;
      return FALSE;
    }
    if (clip->info.size * (index + 1) > max_bytes) {
      clip->end = CLIP_MAX_BYTES;
      return FALSE;
    }
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
  Reader reader;
  Clip *clip = clip_new ();
  GError *found = NULL;
  gboolean more = TRUE;

  make_reader (path, formats, &reader);
  gst_element_set_state (reader.pipeline, GST_STATE_PLAYING);
  while (more && !clip_take_error (reader.pipeline, &found)) {
    GstSample *sample = gst_app_sink_try_pull_sample (
        reader.sink, 100 * GST_MSECOND);

    if (sample && clip->buffers->len == max_frames) {
      clip->end = CLIP_MAX_FRAMES;
      more = FALSE;
    } else if (sample) {
      more = add_picture (clip, sample, max_bytes);
    } else {
      more = !gst_app_sink_is_eos (reader.sink);
    }
    g_clear_pointer (&sample, gst_sample_unref);
  }
  clip_take_error (reader.pipeline, found ? NULL : &found);
  if (found)
    clip->end = CLIP_DAMAGED;
  clip->has_sound = g_atomic_int_get (&reader.has_sound);
  clip->orientation = find_orientation (reader.converter);
  gst_element_set_state (reader.pipeline, GST_STATE_NULL);
  gst_object_unref (reader.pipeline);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads a file with GStreamer into memory, so that coding can be timed without
 * the file's own decoder. */
#include "pipelines/clip.h"
#include "pipelines/reader.h"
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

static gboolean
same_format (const GstVideoInfo *a, const GstVideoInfo *b)
{
  return a->width == b->width && a->height == b->height && a->finfo == b->finfo;
}

/* Takes a picture in. Returns FALSE, with clip->end set, when it does not
 * belong to the clip any more. */
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
  Reader *reader = reader_open (path, formats);
  Clip *clip = clip_new ();
  GError *found = NULL;
  gboolean more = TRUE;
  GstSample *sample;

  while (more && (sample = reader_pull (reader, &found))) {
    if (clip->buffers->len == max_frames) {
      clip->end = CLIP_MAX_FRAMES;
      more = FALSE;
    } else {
      more = add_picture (clip, sample, max_bytes);
    }
    gst_sample_unref (sample);
  }
  if (found)
    clip->end = CLIP_DAMAGED;
  clip->has_sound = reader_has_sound (reader);
  clip->orientation = reader_orientation (reader);
  reader_close (reader);
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

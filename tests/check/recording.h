/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Helps tests that record into files and play them: pipelines that run to their end,
 * and the comparison of what comes back with what was recorded. */
#pragma once
#include "elements.h"
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

typedef struct
{
  GstElement *pipeline;
  GstAppSink *sink;
} Player;

/* Starts a pipeline with an appsink "sink", or a playbin with one. */
static inline void
start (Player *player, GstElement *pipeline)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");

  if (!sink)
    g_object_get (pipeline, "video-sink", &sink, NULL);
  player->pipeline = pipeline;
  player->sink = GST_APP_SINK (sink);
  g_object_set (sink, "sync", FALSE, "max-buffers", 3, NULL);
  reach_state (pipeline, GST_STATE_PAUSED);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
}

static inline void
stop (Player *player)
{
  gst_element_set_state (player->pipeline, GST_STATE_NULL);
  gst_object_unref (player->sink);
  gst_object_unref (player->pipeline);
}

static inline GPtrArray *
pull_all (Player *player)
{
  GPtrArray *samples = g_ptr_array_new_with_free_func (
      (GDestroyNotify) gst_sample_unref);
  GstSample *sample;

  while ((sample = gst_app_sink_try_pull_sample (player->sink, TIME_LIMIT)))
    g_ptr_array_add (samples, sample);
  fail_unless (gst_app_sink_is_eos (player->sink));
  return samples;
}

/* Makes the frames that are recorded: n_frames of what videotestsrc gives for
 * the caps source. */
static inline GPtrArray *
originals (const gchar *source, guint n_frames)
{
  GPtrArray *samples;
  Player player;

  start (&player,
      launch ("videotestsrc pattern=ball num-buffers=%u ! %s ! "
              "appsink name=sink",
          n_frames, source));
  samples = pull_all (&player);
  stop (&player);
  fail_unless_equals_int (samples->len, n_frames);
  return samples;
}

/* --- comparing -------------------------------------------------------- */

static inline void
expect_same_caps (GstSample *a, GstSample *b, const gchar *what)
{
  static const gchar *const fields[] = { "format", "width", "height",
    "framerate", "pixel-aspect-ratio", "interlace-mode", "field-order",
    "colorimetry", "chroma-site", "mastering-display-info",
    "content-light-level" };
  const GstStructure *x = gst_caps_get_structure (gst_sample_get_caps (a), 0);
  const GstStructure *y = gst_caps_get_structure (gst_sample_get_caps (b), 0);

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    const GValue *v = gst_structure_get_value (x, fields[i]);
    const GValue *w = gst_structure_get_value (y, fields[i]);

    if (v)
      fail_unless (w && gst_value_compare (v, w) == GST_VALUE_EQUAL,
          "%s: %s has changed: %" GST_PTR_FORMAT " is now %" GST_PTR_FORMAT,
          what, fields[i], x, y);
  }
}

/* Unpacks the samples of a line as GStreamer does: without padding, whatever
 * the format. */
static inline void
unpack_line (GstVideoFrame *frame, gint line, guint8 *samples)
{
  const GstVideoFormatInfo *format = frame->info.finfo;

  format->unpack_func (format, GST_VIDEO_PACK_FLAG_NONE, samples, frame->data,
      frame->info.stride, 0, line, frame->info.width);
}

static inline gboolean
same_picture (GstSample *a, GstSample *b)
{
  GstVideoFrame x, y;
  GstVideoInfo info, other;
  gboolean same = TRUE;
  guint8 *lines;
  gsize size;

  fail_unless (gst_video_info_from_caps (&info, gst_sample_get_caps (a)));
  fail_unless (gst_video_info_from_caps (&other, gst_sample_get_caps (b)));
  fail_unless_equals_int (info.width, other.width);
  fail_unless_equals_int (info.height, other.height);
  fail_unless (
      gst_video_frame_map (&x, &info, gst_sample_get_buffer (a), GST_MAP_READ));
  fail_unless (gst_video_frame_map (
      &y, &other, gst_sample_get_buffer (b), GST_MAP_READ));
  size = 8 * GST_ROUND_UP_32 (info.width); /* four samples of 16 bits a pixel */
  lines = g_malloc0 (2 * size);
  for (gint line = 0; line < GST_VIDEO_INFO_FIELD_HEIGHT (&info); line++) {
    unpack_line (&x, line, lines);
    unpack_line (&y, line, lines + size);
    same = same && memcmp (lines, lines + size, size) == 0;
  }
  g_free (lines);
  gst_video_frame_unmap (&x);
  gst_video_frame_unmap (&y);
  return same;
}

/* Checks that a sample is frame n. Its time is stream time, since splitmuxsrc
 * has an offset. After a seek into the middle of a frame, its rest may be what
 * is shown. */
static inline void
expect_same_frame (GPtrArray *frames, guint n, GstSample *sample,
    GstClockTime earliest, GstClockTime latest, const gchar *what)
{
  GstClockTime time = gst_segment_to_stream_time (
      gst_sample_get_segment (sample), GST_FORMAT_TIME,
      GST_BUFFER_PTS (gst_sample_get_buffer (sample)));

  fail_unless (same_picture (g_ptr_array_index (frames, n), sample),
      "%s: frame %u is another", what, n);
  fail_unless (time >= earliest && time <= latest,
      "%s: frame %u is at %" GST_TIME_FORMAT, what, n, GST_TIME_ARGS (time));
}

static inline GstClockTime
begin_of (GPtrArray *frames, guint n)
{
  return GST_BUFFER_PTS (gst_sample_get_buffer (g_ptr_array_index (frames, n)));
}

static inline GstClockTime
duration_of (GPtrArray *frames, guint n)
{
  return GST_BUFFER_DURATION (
      gst_sample_get_buffer (g_ptr_array_index (frames, n)));
}

static inline void
expect_frame (GPtrArray *frames, guint n, GstSample *sample,
    GstClockTime tolerance, const gchar *what)
{
  GstClockTime begin = begin_of (frames, n);

  expect_same_frame (frames, n, sample, begin - MIN (begin, tolerance),
      begin + tolerance, what);
}

/* Plays all frames, and checks them. */
static inline void
expect_frames (Player *player, GPtrArray *frames, GstClockTime tolerance,
    const gchar *what)
{
  g_autoptr (GPtrArray) samples = pull_all (player);

  fail_unless (samples->len == frames->len, "%s: %u frames of %u", what,
      samples->len, frames->len);
  for (guint i = 0; i < frames->len; i++)
    expect_frame (frames, i, g_ptr_array_index (samples, i), tolerance, what);
  expect_same_caps (
      g_ptr_array_index (frames, 0), g_ptr_array_index (samples, 0), what);
}

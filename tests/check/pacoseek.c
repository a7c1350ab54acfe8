/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacoparse on files: duration, exact seeks, playing backwards, damage. */
#include "pacoframes.h"
#include <gst/app/gstappsink.h>
#include <malloc.h>

#define N_FRAMES 200
#define FRAME_TIME(n) gst_util_uint64_scale (n, GST_SECOND * 1001, 30000)

static const PacoFrameSpec spec = { 48, 32, 30000, 1001, 1, 1 };
/* These frames say where they stand, too. */
static const PacoFrameSpec placed = { 48, 32, 30000, 1001, 1, 1, TRUE };

typedef struct
{
  GPtrArray *frames;
  gchar *path;
  GstElement *pipeline;
  GstAppSink *sink;
} File;

/* Makes a file of frames of many sizes, and a pipeline that splits it.
 * `between` stands between filesrc and pacoparse. */
static void
open_file (File *file, gboolean has_places, const GByteArray *tail,
    const gchar *between)
{
  file->frames = paco_test_frames (has_places ? &placed : &spec, N_FRAMES);
  if (tail)
    g_ptr_array_add (file->frames, g_byte_array_ref ((GByteArray *) tail));
  file->path = temporary_file ();
  paco_test_write (file->frames, file->path);
  file->pipeline = launch ("filesrc location=%s ! %s pacoparse ! "
                           "appsink name=sink sync=false max-buffers=4",
      file->path, between);
  file->sink = GST_APP_SINK (
      gst_bin_get_by_name (GST_BIN (file->pipeline), "sink"));
  reach_state (file->pipeline, GST_STATE_PAUSED);
}

static void
close_file (File *file)
{
  gst_object_unref (file->sink);
  stop_pipeline (file->pipeline);
  remove_file (file->path);
  g_ptr_array_unref (file->frames);
}

static gint64
duration (File *file)
{
  gint64 result = -1;

  gst_element_query_duration (file->pipeline, GST_FORMAT_TIME, &result);
  return result;
}

static void
seek (File *file, gdouble rate, GstSeekFlags flags, gint64 start, gint64 stop)
{
  fail_unless (gst_element_seek (file->pipeline, rate, GST_FORMAT_TIME,
      flags | GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, start, GST_SEEK_TYPE_SET,
      stop));
  gst_element_get_state (file->pipeline, NULL, NULL, TIME_LIMIT);
}

/* Expects that the next frame is number n, at its time. */
static void
expect_frame (File *file, gint n)
{
  g_autoptr (GstSample)
      sample = gst_app_sink_try_pull_sample (file->sink, TIME_LIMIT);
  GstBuffer *buffer;

  fail_unless (sample, "no frame %d", n);
  buffer = gst_sample_get_buffer (sample);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), FRAME_TIME (n));
  fail_unless (paco_test_buffer_is (buffer, paco_test_nth (file->frames, n)));
}

static void
expect_end (File *file)
{
  fail_if (gst_app_sink_try_pull_sample (file->sink, TIME_LIMIT));
  fail_unless (gst_app_sink_is_eos (file->sink));
}

LOOP_TEST (test_duration_and_frames, 2)
{
  File file;

  open_file (&file, __i__, NULL, "");
  fail_unless_equals_int64 (duration (&file), FRAME_TIME (N_FRAMES));
  gst_element_set_state (file.pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < N_FRAMES; i++)
    expect_frame (&file, i);
  expect_end (&file);
  close_file (&file);
}

LOOP_TEST (test_seek, 2)
{
  static const GstSeekFlags flags[] = { 0, GST_SEEK_FLAG_ACCURATE,
    GST_SEEK_FLAG_KEY_UNIT };
  static const gint numbers[] = { 100, 3, 199, 0, 150, 151, 40 };
  File file;

  open_file (&file, __i__, NULL, "");
  gst_element_set_state (file.pipeline, GST_STATE_PLAYING);
  for (guint f = 0; f < G_N_ELEMENTS (flags); f++) {
    for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
      gint n = numbers[i];

      /* Seeks go to its first nanosecond, and to its middle. */
      seek (&file, 1.0, flags[f], FRAME_TIME (n), -1);
      expect_frame (&file, n);
      seek (&file, 1.0, flags[f], FRAME_TIME (n) + FRAME_TIME (1) / 2, -1);
      expect_frame (&file, n);
      if (n + 1 < N_FRAMES)
        expect_frame (&file, n + 1);
    }
  }
  /* This plays a piece of the file. */
  seek (&file, 1.0, 0, FRAME_TIME (50), FRAME_TIME (53) - 1);
  for (gint n = 50; n < 53; n++)
    expect_frame (&file, n);
  expect_end (&file);
  /* This seeks beyond the file. */
  seek (&file, 1.0, 0, FRAME_TIME (N_FRAMES) + GST_SECOND, -1);
  expect_end (&file);
  close_file (&file);
}

/* Tests playing backwards. The base class hands whole stretches on, each
 * forwards, for the decoder to turn round, so all that counts is that no frame
 * is missing or misdated. */
LOOP_TEST (test_backwards, 2)
{
  gboolean seen[N_FRAMES] = { FALSE };
  GstSample *sample;
  File file;

  open_file (&file, __i__, NULL, "");
  gst_element_set_state (file.pipeline, GST_STATE_PLAYING);
  seek (&file, -1.0, 0, 0, FRAME_TIME (N_FRAMES));
  while ((sample = gst_app_sink_try_pull_sample (file.sink, TIME_LIMIT))) {
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    gint n = (GST_BUFFER_PTS (buffer) + FRAME_TIME (1) / 2) / FRAME_TIME (1);

    fail_unless (n < N_FRAMES);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), FRAME_TIME (n));
    fail_unless (paco_test_buffer_is (buffer, paco_test_nth (file.frames, n)));
    seen[n] = TRUE;
    gst_sample_unref (sample);
  }
  fail_unless (gst_app_sink_is_eos (file.sink));
  for (gint n = 0; n < N_FRAMES; n++)
    fail_unless (seen[n], "frame %d is missing", n);
  close_file (&file);
}

/* Tests that neither a cut frame nor garbage at the end counts. */
LOOP_TEST (test_damaged_end, 2)
{
  g_autoptr (GByteArray) tail = paco_test_frame (&spec, 1);
  File file;

  g_byte_array_set_size (tail, tail->len / 2);
  open_file (&file, __i__, tail, "");
  fail_unless_equals_int64 (duration (&file), FRAME_TIME (N_FRAMES));
  seek (&file, 1.0, 0, FRAME_TIME (N_FRAMES - 2), -1);
  gst_element_set_state (file.pipeline, GST_STATE_PLAYING);
  expect_frame (&file, N_FRAMES - 2);
  expect_frame (&file, N_FRAMES - 1);
  expect_end (&file);
  close_file (&file);

  memset (tail->data, 0, tail->len);
  open_file (&file, __i__, tail, "");
  gst_element_set_state (file.pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < N_FRAMES; i++)
    expect_frame (&file, i);
  expect_end (&file);
  close_file (&file);
}

/* Tests that time is estimated without random access to the file: frames are
 * still whole and on the grid, and the duration is about right. */
LOOP_TEST (test_seek_when_pushed, 2)
{
  File file;
  GstSample *sample;
  GstBuffer *buffer;
  gint64 estimate;
  gboolean found = FALSE;

  open_file (&file, __i__, NULL, "queue max-size-buffers=1 !");
  gst_element_set_state (file.pipeline, GST_STATE_PLAYING);
  for (gint i = 0; i < N_FRAMES; i++)
    expect_frame (&file, i);
  expect_end (&file);
  estimate = duration (&file);
  fail_unless (ABS (estimate - (gint64) FRAME_TIME (N_FRAMES))
      < (gint64) FRAME_TIME (2));

  seek (&file, 1.0, 0, FRAME_TIME (100), -1);
  sample = gst_app_sink_try_pull_sample (file.sink, TIME_LIMIT);
  fail_unless (sample);
  buffer = gst_sample_get_buffer (sample);
  for (gint i = 0; i < N_FRAMES; i++)
    found |= paco_test_buffer_is (buffer, paco_test_nth (file.frames, i));
  fail_unless (found);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), FRAME_TIME (100));
  gst_sample_unref (sample);
  close_file (&file);
}

/* Seeks among ten frames, and returns how many bytes the heap then has. */
static gsize
heap_after_seeks (File *file, gint n_seeks)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (file->pipeline);
  struct mallinfo2 info;

  for (gint i = 0; i < n_seeks; i++) {
    GstMessage *message;

    seek (file, 1.0, GST_SEEK_FLAG_ACCURATE,
        FRAME_TIME (g_random_int_range (0, 10) * 17), -1);
    while ((message = gst_bus_pop (bus)))
      gst_message_unref (message);
  }
  info = mallinfo2 ();
  return info.uordblks + info.hblkhd;
}

/* Tests that nothing is kept of a seek, so that many seeks cost no memory. */
TEST (test_memory)
{
  enum
  {
    N_SEEKS = 8000,
    MOST = 3 << 18 /* bytes; an entry for each seek takes more */
  };
  gsize before, after;
  File file;

  open_file (&file, FALSE, NULL, "");
  gst_element_set_state (file.pipeline, GST_STATE_PLAYING);
  before = heap_after_seeks (&file, 500);
  /* The sanitizers' heap has no such count. */
  if (before > 0) {
    after = heap_after_seeks (&file, N_SEEKS);
    GST_INFO (
        "%" G_GSIZE_FORMAT " bytes, then %" G_GSIZE_FORMAT, before, after);
    fail_unless (after < before + MOST);
  }
  close_file (&file);
}

TEST_MAIN ("pacoseek")

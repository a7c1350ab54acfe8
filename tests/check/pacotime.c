/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frame times (plugin/parse/gstpacotime.c): it compares the grid of frames with
 * 128-bit arithmetic, and plays streams whose headers name frame rates that no clock
 * can follow. */
#include "caps/videocaps.h"
#include "pacoframes.h"
#include "plugin/parse/gstpacotime.h"

typedef unsigned __int128 Wide;

/* --- the grid --------------------------------------------------------- */

static GstClockTime
exact_time (const GstPacoGrid *grid, guint64 n)
{
  Wide time = grid->origin
      + (Wide) n * (GST_SECOND * (guint64) grid->fps_d) / (guint) grid->fps_n;

  return MIN (time, GST_PACO_TIME_MAX);
}

static void
check_grid (const GstPacoGrid *grid, guint64 n)
{
  GstClockTime time = gst_paco_grid_time (grid, n);
  guint64 found;

  fail_unless_equals_uint64 (time, exact_time (grid, n));
  for (gint d = -1; d <= 1; d++) {
    GstClockTime at = time + d;

    if (at > GST_PACO_TIME_MAX - 1)
      continue;
    found = gst_paco_grid_frame_at (grid, at);
    if (at < grid->origin) {
      fail_unless_equals_uint64 (found, 0);
      continue;
    }
    fail_unless (exact_time (grid, found) <= at);
    /* A frame's number may be beyond 64 bits, too. */
    fail_unless (found == G_MAXUINT64 - 1 || exact_time (grid, found + 1) > at);
  }
  if (time < GST_PACO_TIME_MAX)
    fail_unless_equals_uint64 (
        exact_time (grid, gst_paco_grid_nearest (grid, time)), time);
}

TEST (test_grid)
{
  static const gint extremes[] = { 1, 2, 25, 1001, 30000, G_MAXINT - 1,
    G_MAXINT };
  static const guint64 numbers[] = { 0, 1, 2, 1000, G_MAXUINT32,
    (guint64) 1 << 62, G_MAXUINT64 - 1 };
  static const GstClockTime origins[] = { 0, 1, 40 * GST_MSECOND,
    GST_PACO_TIME_MAX - 1, GST_PACO_TIME_MAX };

  for (guint a = 0; a < G_N_ELEMENTS (extremes); a++)
    for (guint b = 0; b < G_N_ELEMENTS (extremes); b++)
      for (guint o = 0; o < G_N_ELEMENTS (origins); o++)
        for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
          check_grid (&(GstPacoGrid){ extremes[a], extremes[b], origins[o] },
              numbers[i]);
}

TEST (test_random_grid)
{
  for (gint i = 0; i < 100000; i++) {
    GstPacoGrid grid = {
      .fps_n = 1 + (g_random_int () >> g_random_int_range (2, 32)),
      .fps_d = 1 + (g_random_int () >> g_random_int_range (2, 32)),
      .origin = ((guint64) g_random_int () << 32 | g_random_int ())
          >> g_random_int_range (1, 64),
    };

    check_grid (&grid,
        ((guint64) g_random_int () << 32 | g_random_int ())
            >> g_random_int_range (1, 64));
  }
}

TEST (test_nearest)
{
  const GstPacoGrid grid = { 30000, 1001, 5 * GST_SECOND };
  GstClockTime half = gst_paco_grid_time (&grid, 1) / 2 - grid.origin / 2;

  for (guint64 n = 1; n < 1000; n++) {
    GstClockTime time = gst_paco_grid_time (&grid, n);

    fail_unless_equals_uint64 (
        gst_paco_grid_nearest (&grid, time + half - 2), n);
    fail_unless_equals_uint64 (
        gst_paco_grid_nearest (&grid, time - half + 2), n);
  }
  fail_unless_equals_uint64 (gst_paco_grid_nearest (&grid, 0), 0);
}

TEST (test_usable_rates)
{
  static const struct
  {
    gint fps_n, fps_d;
    gboolean usable;
  } rates[] = { { 25, 1, TRUE }, { 1, 3600, TRUE }, { 1, 3601, FALSE },
    { 1000000, 1, TRUE }, { 1000001, 1, FALSE }, { G_MAXINT, G_MAXINT, TRUE },
    { 1, G_MAXINT, FALSE }, { G_MAXINT, 1, FALSE }, { 0, 1, FALSE },
    { 1, 0, FALSE }, { -1, 1, FALSE }, { 25, -1, FALSE },
    { G_MININT, 1, FALSE } };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++)
    fail_unless_equals_int (
        paco_frame_rate_is_usable (rates[i].fps_n, rates[i].fps_d),
        rates[i].usable);
}

/* --- streams ---------------------------------------------------------- */

typedef struct
{
  gint fps_n, fps_d, frames;
} Stretch;

static const struct
{
  const gchar *name;
  Stretch stretches[4];
} streams[] = {
  { "slow", { { 1, G_MAXINT, 5 } } },
  { "fast", { { G_MAXINT, 1, 5 } } },
  { "slow after 25", { { 25, 1, 5 }, { 1, G_MAXINT, 10 } } },
  { "fast after 25", { { 25, 1, 2 }, { G_MAXINT, 1, 9 } } },
  { "both, and 25 again",
      { { G_MAXINT, 1, 3 }, { 1, G_MAXINT, 3 }, { 25, 1, 3 },
          { 1, G_MAXINT - 1, 3 } } },
};

static guint
write_stream (const Stretch *stretches, const gchar *path)
{
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  GError *error = NULL;
  guint n = 0;

  for (guint i = 0; i < 4; i++) {
    const PacoFrameSpec spec = { 64, 64, stretches[i].fps_n, stretches[i].fps_d,
      1, 1 };

    for (gint k = 0; k < stretches[i].frames; k++) {
      g_autoptr (GByteArray) frame = paco_test_frame (&spec, n++);

      paco_test_append (stream, frame);
    }
  }
  g_file_set_contents (path, (const gchar *) stream->data, stream->len, &error);
  g_assert_no_error (error);
  return n;
}

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  g_atomic_int_inc ((gint *) user_data);
  return GST_PAD_PROBE_OK;
}

/* Plays in real time, and expects that all frames come out, and soon. */
static void
play (const gchar *path, const gchar *between, guint n)
{
  g_autoptr (Pipeline) pipeline = launch (
      "filesrc location=%s ! %s pacoparse ! pacodec backend=cpu qos=false ! "
      "fakesink name=sink sync=true",
      path, between);
  g_autoptr (GstElement)
      sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (sink, "sink");
  g_autoptr (GstQuery) latency = gst_query_new_latency ();
  g_autoptr (GError) error = NULL;
  GstClockTime min, max;
  gint rendered = 0;
  gboolean live;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count, &rendered, NULL);
  reach_state (pipeline, GST_STATE_PLAYING);
  fail_unless (gst_pad_peer_query (pad, latency));
  gst_query_parse_latency (latency, &live, &min, &max);
  fail_unless (
      min <= GST_SECOND, "latency %" GST_TIME_FORMAT, GST_TIME_ARGS (min));
  error = play_to_end (pipeline);
  g_assert_no_error (error);
  fail_unless_equals_int (g_atomic_int_get (&rendered), n);
}

LOOP_TEST (test_absurd_rates, G_N_ELEMENTS (streams))
{
  g_autoptr (TemporaryFile) path = temporary_file ();
  guint n = write_stream (streams[__i__].stretches, path);

  g_print ("%s\n", streams[__i__].name);
  play (path, "", n);
  play (path, "queue !", n);
}

TEST_MAIN ("pacotime")

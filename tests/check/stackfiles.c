/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests stacks in files: recorded and played with the muxers and demuxers of
 * GStreamer, pictures come at their times, also after seeks, of ranges and where
 * key units alone are asked for. */
#include "recording.h"
#include "stackseries.h"

/* Records pictures whose begin sample is their number. */
static gchar *
record (const gchar *folder, const gchar *muxer, guint length, guint n)
{
  gchar *path = g_build_filename (folder, "test", NULL);
  GstElement *pipeline = launch (
      "appsrc name=in format=time caps=video/x-raw,format=GRAY8,width=32,"
      "height=24,framerate=25/1 ! pacoenc stack=%u rate-control=lossless ! "
      "pacoparse ! %s filesink location=%s",
      length, muxer, path);
  GstElement *in = gst_bin_get_by_name (GST_BIN (pipeline), "in");
  Series series = { .n_frames = 1 };
  GstFlowReturn flow;

  paco_test_info (&series.info, GST_VIDEO_FORMAT_GRAY8, 32, 24);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GstBuffer) buffer = draw_slice (&series, i);

    g_signal_emit_by_name (in, "push-buffer", buffer, &flow);
  }
  g_signal_emit_by_name (in, "end-of-stream", &flow);
  gst_object_unref (in);
  run (pipeline);
  return path;
}

static guint
number_of (GstSample *sample)
{
  GstMapInfo map;
  guint n;

  gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ);
  n = map.data[0];
  gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
  return n;
}

/* Checks that no picture is damaged. */
static void
expect_sound (GPtrArray *samples)
{
  for (guint i = 0; i < samples->len; i++)
    fail_if (GST_BUFFER_FLAG_IS_SET (
        gst_sample_get_buffer (g_ptr_array_index (samples, i)),
        GST_BUFFER_FLAG_CORRUPTED));
}

/* Checks that these are n sound pictures at their times, one after the other or in
 * reverse. */
static void
expect_pictures (GPtrArray *samples, guint begin, gboolean reverse, guint n,
    const gchar *what)
{
  fail_unless (samples->len == n, "%s: %u pictures from %u on, of %u", what,
      samples->len, begin, n);
  for (guint i = 0; i < n; i++) {
    GstSample *sample = g_ptr_array_index (samples, i);
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    guint number = reverse ? begin - i : begin + i;

    fail_unless_equals_int (number_of (sample), number);
    fail_if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED),
        "%s: picture %u is corrupted", what, number);
    fail_unless_equals_int (
        (GST_BUFFER_PTS (buffer) + DURATION / 4) / DURATION, number);
  }
}

/* Plays to the end from picture n on, and checks that each picture is sound and
 * at its time. */
static void
expect_from (Player *player, guint n, guint end, const gchar *what)
{
  g_autoptr (GPtrArray) samples = pull_all (player);

  expect_pictures (samples, n, FALSE, end - n, what);
}

static void
seek (Player *player, GstSeekFlags flags, guint n)
{
  fail_unless (gst_element_seek_simple (player->pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | flags, n * DURATION));
  fail_unless_equals_int (
      gst_element_get_state (player->pipeline, NULL, NULL, TIME_LIMIT),
      GST_STATE_CHANGE_SUCCESS);
}

LOOP_TEST (test_files, 3)
{
  static const struct
  {
    const gchar *muxer, *demuxer;
    gboolean finds_all; /* as key units: matroskamux writes few cues */
  } kinds[] = {
    { "", "", TRUE },
    { "qtmux !", "qtdemux !", TRUE },
    { "matroskamux !", "matroskademux !", FALSE },
  };
  guint end = draw (1, 60), length = draw (2, 17);
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = record (folder, kinds[__i__].muxer, length, end);
  Player player;

  start (&player,
      launch ("filesrc location=%s ! %s pacoparse ! pacodec ! "
              "appsink name=sink",
          path, kinds[__i__].demuxer));
  expect_from (&player, 0, end, "from the beginning");
  for (guint i = 0; i < 4; i++) {
    guint n = draw (0, end - 1);

    seek (&player, GST_SEEK_FLAG_ACCURATE, n);
    expect_from (&player, n, end, kinds[__i__].demuxer);
    n = draw (0, end - 1);
    if (!kinds[__i__].finds_all)
      continue;
    seek (&player, GST_SEEK_FLAG_KEY_UNIT, n);
    expect_from (&player, n - n % length, end, "to a key unit");
  }
  stop (&player);
}

/* Tests a file that begins with pictures that are each for themselves, and goes
 * on with stacks. */
TEST (test_mixed_file)
{
  guint alone = draw (1, 20), end = alone + draw (2, 40), length = draw (2, 17);
  g_autoptr (Folder) folder = temporary_folder ();
  gchar *path = NULL, *bytes;
  g_autoptr (GString) both = g_string_new (NULL);
  Player player;
  gsize size;

  for (guint i = 0; i < 2; i++) {
    g_free (path);
    path = record (folder, "", i ? length : 1, i ? end - alone : alone);
    fail_unless (g_file_get_contents (path, &bytes, &size, NULL));
    g_string_append_len (both, bytes, (gssize) size);
    g_free (bytes);
  }
  fail_unless (g_file_set_contents (path, both->str, (gssize) both->len, NULL));
  start (&player,
      launch ("filesrc location=%s ! pacoparse ! pacodec ! appsink name=sink",
          path));
  for (guint i = 0; i < 4; i++) {
    guint n = i == 0 ? alone + 1 : draw (0, end - 1);
    g_autoptr (GPtrArray) samples = NULL;

    seek (&player, GST_SEEK_FLAG_ACCURATE, n);
    samples = pull_all (&player);
    fail_unless (samples->len == end - n, "%u pictures from %u on, of %u",
        samples->len, n, end);
    for (guint k = 0; k < samples->len; k++)
      fail_unless_equals_int (number_of (g_ptr_array_index (samples, k)),
          n + k < alone ? n + k : n + k - alone);
  }
  stop (&player);
  g_free (path);
}

/* Tests that a part of a stack, of a file that pacoparse reads on its own, may
 * be asked for: its pictures are sound, and there is no damage beside it. */
TEST (test_ranges)
{
  guint end = draw (20, 60), length = draw (2, 17);
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = record (folder, "", length, end);
  Player player;
  GstBus *bus;

  start (&player,
      launch ("filesrc location=%s ! pacoparse ! pacodec ! appsink name=sink",
          path));
  bus = gst_element_get_bus (player.pipeline);
  for (guint i = 0; i < 4; i++) {
    guint from = draw (0, end - 2), to = draw (from + 1, end - 1);
    gboolean reverse = i % 2 == 1;
    GPtrArray *samples;

    fail_unless (gst_element_seek (player.pipeline, reverse ? -1.0 : 1.0,
        GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
        GST_SEEK_TYPE_SET, from * DURATION, GST_SEEK_TYPE_SET, to * DURATION));
    samples = pull_all (&player);
    fail_unless (samples->len == to - from, "%u pictures of %u to %u",
        samples->len, from, to);
    for (guint k = 0; k < samples->len; k++)
      fail_unless_equals_int (number_of (g_ptr_array_index (samples, k)),
          reverse ? to - 1 - k : from + k);
    expect_sound (samples);
    g_ptr_array_unref (samples);
    fail_unless (
        gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING | GST_MESSAGE_ERROR)
        == NULL);
  }
  gst_object_unref (bus);
  stop (&player);
}

/* Tests that key units alone are asked for. Where pacoparse reads the file all
 * frames come, and all pictures are shown; a demuxer leaves the others of each
 * stack out, whose key units are then no pictures, but for that of a stack of
 * one. */
LOOP_TEST (test_key_units, 2)
{
  const GstSeekFlags flags = GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_TRICKMODE
      | GST_SEEK_FLAG_TRICKMODE_KEY_UNITS;
  guint end = draw (20, 60), length = draw (2, 17);
  gboolean demuxed = __i__ > 0;
  guint alone = end % length == 1;
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = record (
      folder, demuxed ? "qtmux !" : "", length, end);
  g_autoptr (GPtrArray) samples = NULL;
  Player player;

  start (&player,
      launch ("filesrc location=%s ! %s pacoparse ! pacodec ! "
              "appsink name=sink",
          path, demuxed ? "qtdemux !" : ""));
  fail_unless (gst_element_seek (player.pipeline, 1.0, GST_FORMAT_TIME, flags,
      GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_NONE, 0));
  samples = pull_all (&player);
  fail_unless_equals_int (samples->len, demuxed ? alone : end);
  expect_sound (samples);
  stop (&player);
}

/* Has a player seek before it plays, as soon as it takes a seek; or when it shows the
 * first picture, if it is to wait for that. */
static void
begin_at (Player *player, GstElement *pipeline, GstEvent *seek, gboolean waits)
{
  gint64 end = g_get_monotonic_time () + TIME_LIMIT / GST_USECOND;

  player->pipeline = pipeline;
  player->sink = GST_APP_SINK (
      gst_bin_get_by_name (GST_BIN (pipeline), "sink"));
  g_object_set (player->sink, "sync", FALSE, "max-buffers", 3, NULL);
  gst_element_set_state (pipeline, GST_STATE_PAUSED);
  if (waits)
    fail_unless_equals_int (
        gst_element_get_state (pipeline, NULL, NULL, TIME_LIMIT),
        GST_STATE_CHANGE_SUCCESS);
  while (!gst_element_send_event (pipeline, gst_event_ref (seek))) {
    fail_unless (g_get_monotonic_time () < end, "it takes no seek");
    g_usleep (1000);
  }
  gst_event_unref (seek);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
}

/* Checks that the player has got no error, and a warning if it must have one. */
static void
expect_warned (Player *player, gboolean warned, const gchar *what)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (player->pipeline);
  GstMessage *message;
  GError *error = NULL;

  while ((message = gst_bus_pop_filtered (
              bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING))) {
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    fail_if (error, "%s: %s", what, error ? error->message : "");
    warned = FALSE;
    gst_message_unref (message);
  }
  fail_if (warned, "%s: there is no warning", what);
}

/* Tests a player that asks for key units alone from the beginning, forward or in
 * reverse, and plays on as usual. That no picture can be shown is a warning, and no
 * error. */
LOOP_TEST (test_begin_with_key_units, 6)
{
  static const struct
  {
    const gchar *muxer, *demuxer;
    gboolean
        waits; /* matroskademux loses seeks while it reads the file's head */
  } kinds[] = {
    { "", "", FALSE },
    { "qtmux !", "qtdemux !", FALSE },
    { "matroskamux !", "matroskademux !", TRUE },
  };
  const GstSeekFlags flags = GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE;
  const gchar *what = kinds[__i__ / 2].demuxer;
  gboolean reverse = __i__ % 2 == 1;
  guint end = draw (1, 60), length = draw (0, 3) ? draw (2, 17) : 1;
  guint n = reverse ? draw (1, end) : draw (0, end - 1);
  guint begin = reverse ? n - 1 : n, all = reverse ? n : end - n;
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = record (folder, kinds[__i__ / 2].muxer, length, end);
  GPtrArray *samples;
  Player player;

  /* A demuxer sends the first frame of each stack, of which that of a stack of one is
   * a picture. */
  if (what[0] != 0 && length > 1) {
    all = end % length == 1 && (!reverse || n == end);
    begin = end - 1;
  }
  begin_at (&player,
      launch ("filesrc location=%s ! %s pacoparse ! pacodec ! "
              "appsink name=sink",
          path, what),
      gst_event_new_seek (reverse ? -1.0 : 1.0, GST_FORMAT_TIME,
          flags | GST_SEEK_FLAG_TRICKMODE | GST_SEEK_FLAG_TRICKMODE_KEY_UNITS,
          GST_SEEK_TYPE_SET, reverse ? 0 : n * DURATION, GST_SEEK_TYPE_SET,
          reverse ? n * DURATION : GST_CLOCK_TIME_NONE),
      kinds[__i__ / 2].waits);
  samples = pull_all (&player);
  expect_pictures (samples, begin, reverse, all, what);
  g_ptr_array_unref (samples);
  expect_warned (&player, all == 0, what);
  n = draw (0, end - 1);
  fail_unless (gst_element_seek (player.pipeline, 1.0, GST_FORMAT_TIME, flags,
      GST_SEEK_TYPE_SET, n * DURATION, GST_SEEK_TYPE_SET, GST_CLOCK_TIME_NONE));
  expect_from (&player, n, end, what);
  stop (&player);
}

/* Tests that files are split between stacks only. */
TEST (test_split_files)
{
  g_autoptr (Folder) folder = temporary_folder ();
  Player player;
  g_autoptr (GPtrArray) samples = NULL;

  run (launch ("videotestsrc pattern=ball num-buffers=40 ! "
               "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1 ! "
               "pacoenc stack=8 rate-control=lossless ! pacoparse ! "
               "splitmuxsink location=%s/part-%%02d.mov "
               "max-size-time=400000000 muxer-factory=qtmux",
      folder));
  start (&player,
      launch ("filesrc location=%s/part-01.mov ! qtdemux ! pacoparse ! "
              "pacodec ! appsink name=sink",
          folder));
  samples = pull_all (&player);
  fail_unless_equals_int (samples->len, 8);
  expect_sound (samples);
  stop (&player);
}

TEST_MAIN ("stackfiles", "qtmux", "qtdemux", "matroskamux", "matroskademux",
    "splitmuxsink", "appsrc")

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests interlace-mode=alternate, which has one field in each buffer: through the
 * elements, elementary streams and containers, flags and times come back unchanged. */
#include "pacotest.h"
#include "recording.h"

#define N_FIELDS 24
#define FIELD_TIME (20 * GST_MSECOND)

#define FIELDS                                                                 \
  "videotestsrc pattern=ball num-buffers=%u ! video/x-raw, format = %s, "      \
  "width = 96, height = 68, framerate = 50/1 ! interlace field-pattern=1:1 "   \
  "name=interlace ! video/x-raw(format:Interlaced) ! "

#define FIELD_FLAGS                                                            \
  (GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF                \
      | GST_VIDEO_BUFFER_FLAG_RFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD)

/* Gives each field a time of its own. The element interlace gives both fields
 * of a frame the same one. */
static GstPadProbeReturn
retime (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  guint *n = user_data;
  GstBuffer *buffer = gst_buffer_make_writable (
      GST_PAD_PROBE_INFO_BUFFER (info));

  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = (*n)++ * FIELD_TIME;
  GST_BUFFER_DURATION (buffer) = FIELD_TIME;
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* Launches a source of fields of a format before the elements of tail. */
static GstElement *
launch_fields (const gchar *format, const gchar *tail, guint *counter)
{
  g_autofree gchar *description = g_strconcat (FIELDS, tail, NULL);
  GstElement *pipeline = launch (description, N_FIELDS, format);
  g_autoptr (GstElement)
      interlace = gst_bin_get_by_name (GST_BIN (pipeline), "interlace");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (interlace, "src");

  *counter = 0;
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, retime, counter, NULL);
  return pipeline;
}

static GPtrArray *
original_fields (const gchar *format)
{
  GPtrArray *samples;
  guint counter;
  Player player;

  start (&player, launch_fields (format, "appsink name=sink", &counter));
  samples = pull_all (&player);
  stop (&player);
  fail_unless_equals_int (samples->len, N_FIELDS);
  return samples;
}

static void
expect_interlaced_caps (GstSample *sample, const gchar *what)
{
  GstCaps *caps = gst_sample_get_caps (sample);

  fail_unless (gst_caps_features_contains (gst_caps_get_features (caps, 0),
                   GST_CAPS_FEATURE_FORMAT_INTERLACED),
      "%s: %" GST_PTR_FORMAT, what, caps);
}

/* Plays all fields, and checks pictures, caps, times, flags and durations. */
static void
expect_fields (Player *player, GPtrArray *fields, GstClockTime tolerance,
    const gchar *what)
{
  g_autoptr (GPtrArray) samples = pull_all (player);

  fail_unless (samples->len == fields->len, "%s: %u fields of %u", what,
      samples->len, fields->len);
  for (guint i = 0; i < fields->len; i++) {
    GstSample *sample = g_ptr_array_index (samples, i);
    GstBuffer *buffer = gst_sample_get_buffer (sample);
    GstBuffer *original = gst_sample_get_buffer (g_ptr_array_index (fields, i));

    expect_frame (fields, i, sample, tolerance, what);
    fail_unless_equals_int (GST_BUFFER_FLAGS (buffer) & FIELD_FLAGS,
        GST_BUFFER_FLAGS (original) & FIELD_FLAGS);
    fail_unless_equals_int (
        GST_VIDEO_BUFFER_IS_TOP_FIELD (buffer) != FALSE, i % 2);
    fail_unless (ABS (GST_CLOCK_DIFF (FIELD_TIME, GST_BUFFER_DURATION (buffer)))
            <= (GstClockTimeDiff) tolerance,
        "%s: field %u lasts %" GST_TIME_FORMAT, what, i,
        GST_TIME_ARGS (GST_BUFFER_DURATION (buffer)));
    expect_interlaced_caps (sample, what);
  }
  expect_same_caps (
      g_ptr_array_index (fields, 0), g_ptr_array_index (samples, 0), what);
}

/* --- elements --------------------------------------------------------- */

static const gchar *const formats[] = { "I420", "I422_10LE", "v210", "Y42B",
  "NV12", "AYUV", "UYVP", "Y444_16LE" };

LOOP_TEST (test_round_trip, G_N_ELEMENTS (formats))
{
  const gchar *format = formats[__i__];
  g_autoptr (GPtrArray) fields = original_fields (format);
  guint counter;
  Player player;

  start (&player,
      launch_fields (format,
          "pacoenc rate-control=lossless ! pacodec ! appsink name=sink",
          &counter));
  expect_fields (&player, fields, 0, format);
  stop (&player);
  start (&player,
      launch_fields (format,
          "pacoenc rate-control=lossless ! pacoparse ! queue ! pacoparse ! "
          "pacodec ! appsink name=sink",
          &counter));
  expect_fields (&player, fields, 0, format);
  stop (&player);
}

/* Tests that each resolution level halves the lines of the field. */
TEST (test_reduced)
{
  static const gint heights[] = { 68, 34, 18, 10 };

  for (guint reduce = 0; reduce < G_N_ELEMENTS (heights); reduce++) {
    g_autofree gchar *tail = g_strdup_printf (
        "pacoenc ! pacodec reduce=%u ! appsink name=sink", reduce);
    GPtrArray *samples;
    GstVideoInfo info;
    guint counter;
    Player player;

    start (&player, launch_fields ("I420", tail, &counter));
    samples = pull_all (&player);
    fail_unless_equals_int (samples->len, N_FIELDS);
    fail_unless (gst_video_info_from_caps (
        &info, gst_sample_get_caps (g_ptr_array_index (samples, 0))));
    fail_unless_equals_int (info.height, heights[reduce]);
    fail_unless_equals_int (gst_buffer_get_size (gst_sample_get_buffer (
                                g_ptr_array_index (samples, 0))),
        info.size);
    g_ptr_array_unref (samples);
    stop (&player);
  }
}

/* Tests that a frame's header says which field it is, and how many lines that
 * has. */
TEST (test_header)
{
  g_autoptr (PacoHarness) harness = gst_harness_new ("pacoenc");

  gst_harness_set_src_caps_str (harness,
      "video/x-raw(format:Interlaced),format=GRAY8,width=64,height=48,"
      "framerate=25/1,interlace-mode=alternate");
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_create_buffer (harness, 64 * 24);
    PacoHeader header;

    GST_BUFFER_PTS (buffer) = i * FIELD_TIME;
    GST_BUFFER_FLAG_SET (buffer,
        i % 2 == 0 ? GST_VIDEO_BUFFER_FLAG_TOP_FIELD
                   : GST_VIDEO_BUFFER_FLAG_BOTTOM_FIELD);
    buffer = gst_harness_push_and_pull (harness, buffer);
    paco_test_header (buffer, &header);
    fail_unless_equals_int (
        header.video.interlace_mode, PACO_INTERLACE_ALTERNATE);
    fail_unless_equals_int (header.picture.height, 24);
    fail_if (header.picture.fields);
    fail_unless_equals_int (header.video.picture_flags,
        i % 2 == 0 ? PACO_PICTURE_ONE_FIELD | PACO_PICTURE_TOP_FIELD_FIRST
                   : PACO_PICTURE_ONE_FIELD);
    fail_unless_equals_int (header.video.fps_n, 25);
  }
}

/* Tests that the rate in caps is that of frames, but to a muxer each buffer is
 * one. */
TEST (test_rate_in_caps)
{
  static const struct
  {
    const gchar *element, *allowed;
    gint fps;
  } cases[] = {
    { "pacoenc", "video/x-paco", 25 },
    { "pacoenc", "video/x-qt-part", 50 },
    { "pacoenc ! queue ! pacoparse", "video/x-paco", 25 },
    { "pacoenc ! queue ! pacoparse", "video/x-mp4-part", 50 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (PacoHarness) harness = paco_test_harness (cases[i].element);
    g_autoptr (GstCaps) caps = NULL;
    GstStructure *s;
    gint fps_n = 0, fps_d = 0, height = 0;

    gst_harness_set_sink_caps_str (harness, cases[i].allowed);
    gst_harness_set_src_caps_str (harness,
        "video/x-raw(format:Interlaced),format=GRAY8,width=64,height=48,"
        "framerate=25/1,interlace-mode=alternate");
    gst_harness_push (harness, gst_harness_create_buffer (harness, 64 * 24));
    pull_and_drop (harness);
    caps = gst_pad_get_current_caps (harness->sinkpad);
    s = gst_caps_get_structure (caps, 0);
    fail_unless (gst_structure_has_name (s, cases[i].allowed));
    fail_unless (gst_structure_get_fraction (s, "framerate", &fps_n, &fps_d));
    fail_unless_equals_int (fps_n, cases[i].fps);
    fail_unless (gst_structure_get_int (s, "height", &height));
    fail_unless_equals_int (height, 48);
  }
}

TEST (test_refused)
{
  static const struct
  {
    const gchar *caps, *sentence;
  } cases[] = {
    { "video/x-raw(format:Interlaced),format=GRAY8,width=64,height=47,"
      "framerate=25/1,interlace-mode=alternate",
        "needs an even height" },
    { "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1,"
      "interlace-mode=fields",
        "come one by one (alternate)" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (PacoHarness) harness = paco_test_harness ("pacoenc");

    gst_harness_set_src_caps_str (harness, cases[i].caps);
    expect_error (harness, 0, 0, cases[i].sentence);
  }
}

/* --- files ------------------------------------------------------------ */

TEST (test_files)
{
  static const struct
  {
    const gchar *muxer;
    GstClockTime tolerance;
  } cases[] = { { "", 0 }, { "pacoparse !", 0 }, { "qtmux !", 1000 },
    { "pacoparse ! qtmux !", 1000 }, { "mp4mux !", 1000 },
    { "matroskamux !", GST_MSECOND },
    { "pacoparse ! matroskamux !", GST_MSECOND } };
  g_autoptr (GPtrArray) fields = original_fields ("I422_10LE");
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = g_build_filename (folder, "test", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *tail = g_strdup_printf (
        "pacoenc rate-control=lossless ! %s filesink location=%s",
        cases[i].muxer, path);
    guint counter;
    gint64 duration;
    Player player;

    run (launch_fields ("I422_10LE", tail, &counter));
    start (&player,
        launch ("filesrc location=%s ! decodebin ! appsink name=sink", path));
    fail_unless (gst_element_query_duration (
        player.pipeline, GST_FORMAT_TIME, &duration));
    fail_unless (ABS (duration - (gint64) (N_FIELDS * FIELD_TIME))
            <= (gint64) cases[i].tolerance,
        "%s: lasts %" GST_TIME_FORMAT, cases[i].muxer,
        GST_TIME_ARGS (duration));
    expect_fields (&player, fields, cases[i].tolerance, cases[i].muxer);
    stop (&player);
  }
}

TEST_MAIN ("fields", "qtmux", "matroskamux", "interlace")

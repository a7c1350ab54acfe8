/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests recording into containers and playing them back, with the muxers, demuxers
 * and autopluggers of an unpatched GStreamer: every frame comes back, bit by bit, at
 * its time, with all that its caps said, also after seeks. */
#include "recording.h"
#include <gst/pbutils/pbutils.h>

#define N_FRAMES 24

/* These are recorded. The fields behind the format are those that no container
 * brings back to GStreamer. */
static const gchar *const sources[] = {
  "video/x-raw, format = I422_10LE, width = 96, height = 66, "
  "framerate = 30000/1001, pixel-aspect-ratio = 64/45, "
  "interlace-mode = interleaved, field-order = bottom-field-first, "
  "colorimetry = bt709, chroma-site = mpeg2",
  "video/x-raw, format = GBR_12LE, width = 67, height = 35, "
  "framerate = 24/1, pixel-aspect-ratio = 1/1, "
  "interlace-mode = progressive, colorimetry = 1:1:14:7, "
  "mastering-display-info = (string) "
  "\"34000:16000:13250:34500:7500:3000:15635:16450:10000000:500\", "
  "content-light-level = (string) \"1000:400\"",
  "video/x-raw, format = GRAY8, width = 64, height = 48, "
  "framerate = 50/1, pixel-aspect-ratio = 1/1, "
  "interlace-mode = progressive",
};

/* This is a container, how exactly times come back from it, and what
 * GStreamer's own elements cannot do with any codec: matroskamux writes one cue
 * in half a second, so not each frame is found as a key unit; in fragments,
 * qtdemux finds everything but the last frame, and does not go backwards. */
typedef struct
{
  const gchar *muxer, *suffix;
  GstClockTime tolerance;
  gboolean key_units, whole_index;
} Container;

static const Container containers[] = {
  { "qtmux !", "mov", 1000, TRUE, TRUE },
  { "mp4mux !", "mp4", 1000, TRUE, TRUE },
  { "mp4mux fragment-duration=300 !", "fragmented.mp4", 1000, FALSE, FALSE },
  { "matroskamux !", "mkv", GST_MSECOND, FALSE, TRUE },
  { "", "paco", 1000, TRUE, TRUE },
};

/* --- recording -------------------------------------------------------- */

static gchar *
record (const gchar *folder, const gchar *source, const Container *container)
{
  gchar *path = g_strdup_printf ("%s/test.%s", folder, container->suffix);

  run (launch ("videotestsrc pattern=ball num-buffers=%d ! %s ! "
               "pacoenc rate-control=lossless ! pacoparse ! %s "
               "filesink location=%s",
      N_FRAMES, source, container->muxer, path));
  return path;
}

/* Seeks to and fro, and checks which frames come. */
static void
expect_seeks (Player *player, GPtrArray *frames, const Container *container,
    const gchar *what)
{
  static const GstSeekFlags flags[] = { GST_SEEK_FLAG_NONE,
    GST_SEEK_FLAG_ACCURATE, GST_SEEK_FLAG_KEY_UNIT };
  static const guint numbers[] = { 12, 3, N_FRAMES - 1, 0, 17 };

  for (guint f = 0; f < (container->key_units ? 3 : 2); f++) {
    for (guint i = 0; i < G_N_ELEMENTS (numbers); i++) {
      GstClockTime begin = begin_of (frames, numbers[i]);
      GstClockTime middle = begin + duration_of (frames, numbers[i]) / 2;
      g_autoptr (GstSample) sample = NULL;

      if (numbers[i] == N_FRAMES - 1 && !container->whole_index)
        continue;
      fail_unless (gst_element_seek_simple (player->pipeline, GST_FORMAT_TIME,
          GST_SEEK_FLAG_FLUSH | flags[f], middle));
      gst_element_get_state (player->pipeline, NULL, NULL, TIME_LIMIT);
      sample = gst_app_sink_try_pull_sample (player->sink, TIME_LIMIT);
      fail_unless (sample, "%s: nothing after a seek", what);
      expect_same_frame (frames, numbers[i], sample,
          begin - MIN (begin, container->tolerance),
          (flags[f] & GST_SEEK_FLAG_KEY_UNIT) ? begin + container->tolerance
                                              : middle,
          what);
    }
  }
}

/* --- tests ------------------------------------------------------------ */

LOOP_TEST (
    test_record_and_play, G_N_ELEMENTS (sources) * G_N_ELEMENTS (containers))
{
  static const gchar *const autopluggers[] = { "decodebin", "decodebin3" };
  const gchar *source = sources[__i__ / G_N_ELEMENTS (containers)];
  const Container *container = &containers[__i__ % G_N_ELEMENTS (containers)];
  g_autoptr (Folder) folder = temporary_folder ();
  g_autoptr (GPtrArray) frames = originals (source, N_FRAMES);
  g_autofree gchar *path = record (folder, source, container);
  Player player;

  for (guint i = 0; i < G_N_ELEMENTS (autopluggers); i++) {
    start (&player,
        launch ("filesrc location=%s ! %s ! appsink name=sink", path,
            autopluggers[i]));
    expect_frames (&player, frames, container->tolerance, path);
    expect_seeks (&player, frames, container, path);
    stop (&player);
  }
  start (&player,
      launch ("playbin uri=file://%s flags=video+native-video "
              "video-sink=\"appsink name=sink\"",
          path));
  expect_frames (&player, frames, container->tolerance, path);
  stop (&player);
}

/* All combinations that concern decoders. */
static const gchar *const playbin_flags[] = {
  "video+audio+deinterlace+soft-colorbalance",
  "video+native-video",
  "video+force-sw-decoders",
  "video+native-video+force-sw-decoders",
};

/* Tests playbin. playbin3 of GStreamer 1.22 now and then never ends with short files of
 * any codec, so it is no judge; and it knows nothing of software decoders. */
LOOP_TEST (test_playbin, 2 * G_N_ELEMENTS (playbin_flags))
{
  const Container *container = &containers[__i__ % 2 ? 0 : 4];
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = record (folder, sources[2], container);
  g_autoptr (GPtrArray) samples = NULL;
  Player player;

  start (&player,
      launch ("playbin uri=file://%s flags=%s "
              "video-sink=\"appsink name=sink\"",
          path, playbin_flags[__i__ / 2]));
  samples = pull_all (&player);
  fail_unless_equals_int (samples->len, N_FRAMES);
  stop (&player);
}

/* Runs a pipeline whose first error must have these words. */
static void
expect_words (GstElement *pipeline, const gchar *words)
{
  g_autoptr (GError) error = run_to_end (pipeline);

  fail_unless (error && strstr (error->message, words), "%s",
      error ? error->message : "there is no error");
}

TEST (test_split_files)
{
  g_autoptr (Folder) folder = temporary_folder ();
  g_autoptr (GPtrArray) frames = originals (sources[2], N_FRAMES);
  g_autofree gchar *second = g_strdup_printf ("%s/part-01.mov", folder);
  Player player;

  run (launch ("videotestsrc pattern=ball num-buffers=%d ! %s ! "
               "pacoenc rate-control=lossless ! pacoparse ! "
               "splitmuxsink location=%s/part-%%02d.mov "
               "max-size-time=200000000 muxer-factory=qtmux",
      N_FRAMES, sources[2], folder));
  fail_unless (g_file_test (second, G_FILE_TEST_EXISTS), "it was not split");
  start (&player,
      launch ("splitmuxsrc location=%s/part-*.mov ! decodebin ! "
              "appsink name=sink",
          folder));
  expect_frames (&player, frames, GST_USECOND, "splitmuxsrc");
  stop (&player);
  expect_words (
      launch (
          "splitmuxsrc location=%s/part-*.mov ! pacodec ! fakesink", folder),
      "put pacoparse before it");
}

/* Tests streaming formats that carry anything. */
LOOP_TEST (test_transports, G_N_ELEMENTS (sources))
{
  static const gchar *const transports[] = {
    "pacoparse ! rtpgstpay ! rtpgstdepay",
    "rtpgstpay config-interval=1 ! rtpgstdepay ! pacoparse",
    "gdppay ! gdpdepay",
    "pacoparse ! gdppay ! gdpdepay ! pacoparse",
    "pacoparse ! identity ! pacoparse",
  };
  const gchar *source = sources[__i__ % G_N_ELEMENTS (sources)];
  g_autoptr (GPtrArray) frames = originals (source, N_FRAMES);
  Player player;

  for (guint i = 0; i < G_N_ELEMENTS (transports); i++) {
    start (&player,
        launch ("videotestsrc pattern=ball num-buffers=%d ! %s ! "
                "pacoenc rate-control=lossless ! %s ! pacodec ! "
                "appsink name=sink",
            N_FRAMES, source, transports[i]));
    expect_frames (&player, frames, 1000, transports[i]);
    stop (&player);
  }
}

/* Finds the coded stream as the parser describes it. The list has it as the demuxer
 * describes it, too. */
static GstDiscovererVideoInfo *
coded_stream (GList *streams)
{
  for (; streams; streams = streams->next) {
    GstCaps *caps = gst_discoverer_stream_info_get_caps (streams->data);
    gboolean coded = gst_structure_has_name (
        gst_caps_get_structure (caps, 0), "video/x-paco");

    gst_caps_unref (caps);
    if (coded)
      return streams->data;
  }
  return NULL;
}

/* Matroska has the tag in the track, MOV and MP4 in the file; a codestream has none. */
static void
check_encoder (GstDiscovererStreamInfo *file, GstDiscovererVideoInfo *video)
{
  g_autofree gchar *encoder = NULL;

  if (!GST_IS_DISCOVERER_CONTAINER_INFO (file))
    return;
  fail_unless (gst_tag_list_get_string (gst_discoverer_stream_info_get_tags (
                                            GST_DISCOVERER_STREAM_INFO (video)),
                   GST_TAG_ENCODER, &encoder)
      || gst_tag_list_get_string (gst_discoverer_container_info_get_tags (
                                      GST_DISCOVERER_CONTAINER_INFO (file)),
          GST_TAG_ENCODER, &encoder));
  fail_unless (g_str_has_prefix (encoder, "gst-paco 1."), "%s", encoder);
}

LOOP_TEST (test_discoverer, G_N_ELEMENTS (containers))
{
  const Container *container = &containers[__i__];
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = record (folder, sources[0], container);
  g_autofree gchar *uri = g_strconcat ("file://", path, NULL), *codec = NULL;
  GstDiscoverer *discoverer = gst_discoverer_new (TIME_LIMIT, NULL);
  GstDiscovererInfo *info;
  GstDiscovererVideoInfo *video;
  GstClockTime duration = gst_util_uint64_scale (
      N_FRAMES, 1001 * GST_SECOND, 30000);
  GError *error = NULL;
  GList *streams;

  info = gst_discoverer_discover_uri (discoverer, uri, &error);
  fail_unless (info && !error, "%s: %s", uri, error ? error->message : "");
  fail_unless_equals_int (
      gst_discoverer_info_get_result (info), GST_DISCOVERER_OK);
  streams = gst_discoverer_info_get_video_streams (info);
  video = coded_stream (streams);
  fail_unless (video);
  fail_unless_equals_int (gst_discoverer_video_info_get_width (video), 96);
  fail_unless_equals_int (gst_discoverer_video_info_get_height (video), 66);
  fail_unless_equals_int (
      gst_discoverer_video_info_get_framerate_num (video), 30000);
  fail_unless_equals_int (gst_discoverer_video_info_get_par_num (video), 64);
  fail_unless (gst_discoverer_video_info_is_interlaced (video));
  fail_unless (gst_tag_list_get_string (
      gst_discoverer_stream_info_get_tags (GST_DISCOVERER_STREAM_INFO (video)),
      GST_TAG_VIDEO_CODEC, &codec));
  fail_unless_equals_string (codec, "PaCo");
  check_encoder (gst_discoverer_info_get_stream_info (info), video);
  fail_unless (gst_discoverer_info_get_seekable (info));
  fail_unless (
      ABS (GST_CLOCK_DIFF (duration, gst_discoverer_info_get_duration (info)))
          <= 2 * GST_MSECOND,
      "%s lasts %" GST_TIME_FORMAT, path,
      GST_TIME_ARGS (gst_discoverer_info_get_duration (info)));
  gst_discoverer_stream_info_list_free (streams);
  gst_discoverer_info_unref (info);
  g_object_unref (discoverer);
}

/* Tests stereoscopic video, of which demuxers say nothing or something else,
 * but frames do. */
LOOP_TEST (test_views, G_N_ELEMENTS (containers))
{
  static const gchar *const views[] = {
    "multiview-mode=side-by-side, "
    "multiview-flags=(GstVideoMultiviewFlagsSet)4001:ffffffff",
    "multiview-mode=top-bottom, "
    "multiview-flags=(GstVideoMultiviewFlagsSet)4:ffffffff",
    "multiview-mode=frame-by-frame",
    "multiview-mode=checkerboard",
  };
  const Container *container = &containers[__i__];
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = g_build_filename (folder, "test", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (views); i++) {
    GstVideoInfo info, expected;
    GPtrArray *samples;
    g_autofree gchar *caps = g_strconcat (
        "video/x-raw, format=GRAY8, width=64, "
        "height=48, framerate=25/1, ",
        views[i], NULL);
    GstCaps *original = gst_caps_from_string (caps);
    Player player;

    /* GStreamer turns half-aspect into an aspect ratio where it makes caps. */
    fail_unless (gst_video_info_from_caps (&expected, original));
    gst_caps_unref (original);
    original = gst_video_info_to_caps (&expected);
    fail_unless (gst_video_info_from_caps (&expected, original));
    run (launch ("videotestsrc num-buffers=4 ! video/x-raw, format=GRAY8, "
                 "width=64, height=48, framerate=25/1 ! "
                 "capssetter caps=\"%s\" ! pacoenc ! %s filesink location=%s",
        caps, container->muxer, path));
    start (&player,
        launch ("filesrc location=%s ! decodebin ! appsink name=sink", path));
    samples = pull_all (&player);
    fail_unless_equals_int (samples->len, 4);
    fail_unless (gst_video_info_from_caps (
        &info, gst_sample_get_caps (g_ptr_array_index (samples, 0))));
    fail_unless_equals_int (GST_VIDEO_INFO_MULTIVIEW_MODE (&info),
        GST_VIDEO_INFO_MULTIVIEW_MODE (&expected));
    fail_unless_equals_int (GST_VIDEO_INFO_MULTIVIEW_FLAGS (&info),
        GST_VIDEO_INFO_MULTIVIEW_FLAGS (&expected));
    fail_unless_equals_int (info.par_n, expected.par_n);
    fail_unless_equals_int (info.par_d, expected.par_d);
    g_ptr_array_unref (samples);
    stop (&player);
    gst_caps_unref (original);
  }
}

/* Tests reverse playback: a decoder reverses the stretches that the parser hands on. */
LOOP_TEST (test_backwards, G_N_ELEMENTS (containers))
{
  const Container *container = &containers[__i__];
  gchar *folder = temporary_folder ();
  GPtrArray *frames = originals (sources[2], N_FRAMES);
  gchar *path = record (folder, sources[2], container);
  GPtrArray *samples;
  Player player;

  if (!container->whole_index) {
    g_ptr_array_unref (frames);
    g_free (path);
    remove_folder (folder);
    return;
  }
  start (&player,
      launch ("filesrc location=%s ! decodebin ! appsink name=sink", path));
  fail_unless (gst_element_seek (player.pipeline, -1.0, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0, GST_SEEK_TYPE_SET,
      N_FRAMES * GST_SECOND / 50));
  gst_element_get_state (player.pipeline, NULL, NULL, TIME_LIMIT);
  samples = pull_all (&player);
  fail_unless_equals_int (samples->len, N_FRAMES);
  for (guint i = 0; i < N_FRAMES; i++)
    expect_frame (frames, N_FRAMES - 1 - i, g_ptr_array_index (samples, i),
        container->tolerance, path);
  g_ptr_array_unref (samples);
  stop (&player);
  g_free (path);
  g_ptr_array_unref (frames);
  remove_folder (folder);
}

TEST_MAIN ("containers", "qtmux", "matroskamux", "splitmuxsink", "rtpgstpay",
    "gdppay", "videotestsrc", "decodebin3", "capssetter")

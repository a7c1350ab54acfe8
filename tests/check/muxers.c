/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests which muxers take PaCo, with and without a parser before them, and encodebin
 * and transcodebin, which choose encoder and muxer by a profile. */
#include "recording.h"
#include <gst/pbutils/pbutils.h>

#define N_FRAMES 12
#define SOURCE                                                                 \
  "video/x-raw, format = I422_10LE, width = 96, height = 66, "                 \
  "framerate = 30000/1001, pixel-aspect-ratio = 64/45, "                       \
  "interlace-mode = interleaved, field-order = bottom-field-first, "           \
  "colorimetry = bt709, chroma-site = mpeg2"
#define ENCODE                                                                 \
  "videotestsrc pattern=ball num-buffers=%u ! " SOURCE                         \
  " ! pacoenc rate-control=lossless ! "

/* This is 16000 samples. */
#define AUDIO                                                                  \
  "audiotestsrc num-buffers=16 samplesperbuffer=1000 ! "                       \
  "audio/x-raw, format=S24LE, rate=48000, channels=1"

/* --- refusals --------------------------------------------------------- */

/* Tests muxers that say by their templates that they take no such video. */
TEST (test_does_not_link)
{
  static const gchar *const tails[] = {
    "avimux ! fakesink",
    "asfmux ! fakesink",
    "webmmux ! fakesink",
    "pacoparse ! avimux ! fakesink",
    "pacoparse ! asfmux ! fakesink",
    "pacoparse ! webmmux ! fakesink",
    "queue ! webmmux ! fakesink",
  };

  for (guint i = 0; i < G_N_ELEMENTS (tails); i++) {
    g_autofree gchar *description = g_strconcat (
        "videotestsrc ! pacoenc ! ", tails[i], NULL);
    g_autoptr (GError) error = NULL;
    GstElement *pipeline = gst_parse_launch_full (
        description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);

    fail_unless (g_error_matches (error, GST_PARSE_ERROR, GST_PARSE_ERROR_LINK),
        "%s: %s", tails[i], error ? error->message : "it was linked");
    fail_unless (pipeline == NULL);
  }
}

/* Tests muxers of which that is known only once caps are negotiated. */
TEST (test_is_refused)
{
  static const gchar *const tails[] = {
    "queue ! avimux ! fakesink",
    "queue ! asfmux ! fakesink",
    "pacoparse ! queue ! avimux ! fakesink",
    "pacoparse ! queue ! asfmux ! fakesink",
    "pacoparse ! identity ! queue ! asfmux ! fakesink",
    "video/x-wmv ! asfmux ! fakesink",
    "pacoparse ! video/x-wmv ! avimux ! fakesink",
    "pacoparse ! video/x-wmv ! queue ! asfmux ! fakesink",
    "splitmuxsink muxer-factory=avimux sink-factory=fakesink",
    "pacoparse ! splitmuxsink muxer-factory=asfmux sink-factory=fakesink",
  };

  for (guint i = 0; i < G_N_ELEMENTS (tails); i++) {
    g_autofree gchar *format = g_strconcat (ENCODE, tails[i], NULL);
    g_autoptr (GError) error = run_to_end (launch (format, N_FRAMES));

    fail_unless (error, "%s: nothing went wrong", tails[i]);
    fail_unless (
        g_error_matches (error, GST_CORE_ERROR, GST_CORE_ERROR_NEGOTIATION)
            && strstr (error->message, "qtmux, mp4mux or matroskamux"),
        "%s: %s", tails[i], error->message);
  }
}

/* --- recording -------------------------------------------------------- */

static void
expect_played (const gchar *path, GPtrArray *frames, GstClockTime tolerance)
{
  Player player;

  start (&player,
      launch ("filesrc location=%s ! decodebin expose-all-streams=false "
              "caps=video/x-raw(ANY) ! appsink name=sink",
          path));
  expect_frames (&player, frames, tolerance, path);
  stop (&player);
}

TEST (test_links)
{
  static const gchar *const tails[] = {
    "qtmux !",
    "mp4mux !",
    "matroskamux !",
    "queue ! qtmux !",
    "queue ! matroskamux !",
    "video/x-wmv ! matroskamux !",
    "video/x-wmv, wmvversion=3 ! queue ! matroskamux !",
    "tee ! queue ! identity ! matroskamux !",
    "pacoparse ! qtmux !",
    "pacoparse ! queue ! matroskamux !",
    "pacoparse ! video/x-wmv ! queue ! matroskamux !",
    "pacoparse ! queue ! pacoparse ! matroskamux !",
    "",
  };
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = g_build_filename (folder, "test", NULL);
  g_autoptr (GPtrArray) frames = originals (SOURCE, N_FRAMES);

  for (guint i = 0; i < G_N_ELEMENTS (tails); i++) {
    g_autofree gchar *format = g_strconcat (
        ENCODE, tails[i], " filesink location=%s", NULL);

    run (launch (format, N_FRAMES, path));
    expect_played (path, frames, GST_MSECOND);
  }
}

TEST (test_splitmuxsink)
{
  static const gchar *const muxers[] = { "qtmux", "mp4mux", "matroskamux" };
  static const gchar *const parsers[] = { "", "pacoparse !" };
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = g_build_filename (folder, "test", NULL);
  g_autoptr (GPtrArray) frames = originals (SOURCE, N_FRAMES);

  for (guint m = 0; m < G_N_ELEMENTS (muxers); m++)
    for (guint p = 0; p < G_N_ELEMENTS (parsers); p++) {
      run (launch (ENCODE "%s splitmuxsink muxer-factory=%s location=%s",
          N_FRAMES, parsers[p], muxers[m], path));
      expect_played (path, frames, GST_MSECOND);
    }
}

/* Tests a muxer that comes when the stream already runs: it gets other caps for
 * the same frames. */
TEST (test_caps_follow_the_peer)
{
  g_autoptr (PacoHarness) harness = paco_test_harness (
      "pacoenc ! capsfilter caps=\"video/x-paco; video/x-qt-part\"");
  g_autoptr (GstElement)
      filter = gst_harness_find_element (harness, "capsfilter");
  static const gchar *const allowed[] = { "video/x-paco", "video/x-qt-part",
    "video/x-mp4-part", "video/x-paco" };
  GstCaps *caps;

  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1,"
      "multiview-mode=side-by-side");
  for (guint i = 0; i < G_N_ELEMENTS (allowed); i++) {
    const GstStructure *s;

    gst_util_set_object_arg (G_OBJECT (filter), "caps", allowed[i]);
    push (harness, gst_harness_create_buffer (harness, 64 * 48));
    pull_and_drop (harness);
    caps = gst_pad_get_current_caps (harness->sinkpad);
    s = gst_caps_get_structure (caps, 0);
    fail_unless_equals_string (gst_structure_get_name (s), allowed[i]);
    fail_unless_equals_string (
        gst_structure_get_string (s, "multiview-mode"), "side-by-side");
    gst_caps_unref (caps);
  }
}

/* Tests that a capsfilter may be set to the caps that it has seen, as encodebin and
 * ges-launch do: what is in Matroska stays there. */
TEST (test_settled_caps)
{
  g_autoptr (PacoHarness) harness = paco_test_harness (
      "pacoenc pipeline-depth=1 ! pacoparse ! capsfilter ! matroskamux");
  g_autoptr (GstElement)
      filter = gst_harness_find_element (harness, "capsfilter");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (filter, "sink");
  GstCaps *caps;

  gst_harness_set_src_caps_str (
      harness, "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1");
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = gst_harness_create_buffer (harness, 64 * 48);

    GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
    push (harness, buffer);
    caps = gst_pad_get_current_caps (pad);
    fail_unless (caps, "no frame has come to the capsfilter");
    g_object_set (filter, "caps", caps, NULL);
    gst_caps_unref (caps);
  }
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
}

/* --- profiles --------------------------------------------------------- */

/* Puts the target file where GStreamer looks for it. */
static gchar *
install_target (void)
{
  gchar *folder = temporary_folder ();
  g_autofree gchar *category = g_build_filename (
      folder, "storage-editing", NULL);
  g_autofree gchar *installed = g_build_filename (category, "paco.gep", NULL);
  g_autofree gchar *source = g_build_filename (g_getenv ("PACO_SOURCE_ROOT"),
                       "plugin", "paco.gep", NULL),
                   *contents = NULL;
  gsize size;

  fail_unless (g_file_get_contents (source, &contents, &size, NULL));
  fail_unless (g_mkdir (category, 0700) == 0);
  fail_unless (g_file_set_contents (installed, contents, size, NULL));
  g_setenv ("GST_ENCODING_TARGET_PATH", folder, TRUE);
  return folder;
}

static void
remove_target (gchar *folder)
{
  remove_folder (g_build_filename (folder, "storage-editing", NULL));
  g_unsetenv ("GST_ENCODING_TARGET_PATH");
  remove_folder (folder);
}

static guint64
count_audio_samples (const gchar *path)
{
  guint64 bytes = 0;
  GPtrArray *samples;
  Player player;

  start (&player,
      launch ("filesrc location=%s ! decodebin expose-all-streams=false "
              "caps=audio/x-raw ! audio/x-raw, format=S24LE, channels=1 ! "
              "appsink name=sink",
          path));
  samples = pull_all (&player);
  for (guint i = 0; i < samples->len; i++)
    bytes += gst_buffer_get_size (
        gst_sample_get_buffer (g_ptr_array_index (samples, i)));
  g_ptr_array_unref (samples);
  stop (&player);
  return bytes / 3;
}

TEST (test_target_file)
{
  static const gchar *const profiles[] = { "mov", "mov-lossless", "mkv",
    "mkv-lossless" };
  static const gchar *const containers[] = { "video/quicktime",
    "video/quicktime", "video/x-matroska", "video/x-matroska" };
  gchar *folder = install_target ();
  GError *error = NULL;
  GstEncodingTarget *target = gst_encoding_target_load (
      "paco", "storage-editing", &error);

  fail_unless (target, "%s", error ? error->message : "");
  fail_unless_equals_int (
      g_list_length ((GList *) gst_encoding_target_get_profiles (target)),
      G_N_ELEMENTS (profiles));
  for (guint i = 0; i < G_N_ELEMENTS (profiles); i++) {
    GstEncodingProfile *profile = gst_encoding_target_get_profile (
        target, profiles[i]);
    GstCaps *format = gst_encoding_profile_get_format (profile);

    fail_unless_equals_string (
        gst_structure_get_name (gst_caps_get_structure (format, 0)),
        containers[i]);
    gst_caps_unref (format);
    gst_encoding_profile_unref (profile);
  }
  gst_encoding_target_unref (target);
  remove_target (folder);
}

LOOP_TEST (test_encodebin, 4)
{
  static const gchar *const profiles[] = {
    "paco/mov-lossless",
    "paco/mkv-lossless",
    ("video/quicktime,variant=iso:video/x-mp4-part,format=(uint)1329807696"
     "+cinema-lossless"),
    "video/x-paco+cinema-lossless",
  };
  const gchar *profile = profiles[__i__];
  gboolean with_audio = g_str_has_prefix (profile, "paco/");
  gchar *target = install_target ();
  gchar *folder = temporary_folder ();
  gchar *path = g_build_filename (folder, "test", NULL);
  GPtrArray *frames = originals (SOURCE, N_FRAMES);

  run (launch ("encodebin name=bin profile=\"%s\" ! filesink location=%s "
               "videotestsrc pattern=ball num-buffers=%u ! %s ! bin.video_0 %s",
      profile, path, N_FRAMES, SOURCE,
      with_audio ? AUDIO " ! bin.audio_0" : ""));
  expect_played (path, frames, GST_MSECOND);
  if (with_audio)
    fail_unless_equals_uint64 (count_audio_samples (path), 16000);
  g_ptr_array_unref (frames);
  g_free (path);
  remove_folder (folder);
  remove_target (target);
}

/* Tests that a file of another kind, with sound, becomes one of PaCo. */
TEST (test_transcodebin)
{
  static const gchar *const profiles[] = { "mov-lossless", "mkv-lossless" };
  static const gchar source[] = "video/x-raw, format = UYVY, width = 96, "
                                "height = 66, framerate = 25/1";
  gchar *target = install_target ();
  gchar *folder = temporary_folder ();
  gchar *from = g_build_filename (folder, "from.mov", NULL);
  gchar *to = g_build_filename (folder, "to", NULL);
  GPtrArray *frames = originals (source, N_FRAMES);

  run (launch ("qtmux name=mux ! filesink location=%s "
               "videotestsrc pattern=ball num-buffers=%u ! %s ! mux. " AUDIO
               " ! mux.",
      from, N_FRAMES, source));
  for (guint i = 0; i < G_N_ELEMENTS (profiles); i++) {
    run (launch ("uritranscodebin source-uri=file://%s dest-uri=file://%s "
                 "profile=paco/%s",
        from, to, profiles[i]));
    expect_played (to, frames, GST_MSECOND);
    /* GStreamer's audiorate may leave out a few. */
    fail_unless (count_audio_samples (to) > 15900);
  }
  g_ptr_array_unref (frames);
  g_free (from);
  g_free (to);
  remove_folder (folder);
  remove_target (target);
}

TEST_MAIN ("muxers", "qtmux", "matroskamux", "webmmux", "avimux", "asfmux",
    "splitmuxsink", "encodebin", "uritranscodebin")

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what the elements say of settings that are impossible or have no effect: a
 * sentence that names the property, its value and what to do. Presets of pacoenc are
 * found without any file, set what they should, give way to files, and frames are coded
 * as they say. */
#include "pacotest.h"
#include <sched.h>

#define SMALL_CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"

/* Tests that settings that cannot be met give an error with a sentence. */
TEST (test_wrong_settings)
{
  static const struct
  {
    const char *launch, *words;
  } cases[] = {
    { "pacoenc rate-control=bitrate", "set bitrate, or frame-size" },
    { "pacoenc rate-control=lossless wavelet=cdf97", "cdf53" },
    { "pacoenc codeblock-height=48",
        "codeblock-height=48 cannot be done: codeblocks have 32, 64, 128 or "
        "256 lines" },
    { "pacoenc color-transform=rct", "color-transform=rct is for R, G and B" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (PacoHarness)
        harness = paco_test_gray_harness (cases[i].launch, 64, 48);

    fail_if (gst_harness_push (harness, paco_test_gray_buffer (64, 48, 0))
        == GST_FLOW_OK);
    expect_error (
        harness, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS, cases[i].words);
  }
}

/* Tests that each wavelet and color transform is what the frame says; auto goes
 * by the format. */
TEST (test_transforms)
{
  static const struct
  {
    const char *launch, *format;
    PacoWaveletId wavelet;
    PacoColorTransform transform;
  } cases[] = {
    { "wavelet=cdf53 color-transform=rct", "RGB", PACO_WAVELET_CDF53,
        PACO_COLOR_TRANSFORM_RCT },
    { "wavelet=dd137 color-transform=rct2", "RGB", PACO_WAVELET_DD137,
        PACO_COLOR_TRANSFORM_RCT2 },
    { "wavelet=cdf97 color-transform=rct2", "RGB", PACO_WAVELET_CDF97,
        PACO_COLOR_TRANSFORM_RCT2 },
    { "wavelet=cdf97 color-transform=ict", "RGB", PACO_WAVELET_CDF97,
        PACO_COLOR_TRANSFORM_ICT },
    { "rate-control=lossless wavelet=dd137 color-transform=none", "RGB",
        PACO_WAVELET_DD137, PACO_COLOR_TRANSFORM_NONE },
    { "rate-control=lossless", "RGB", PACO_WAVELET_CDF53,
        PACO_COLOR_TRANSFORM_RCT2 },
    { "rate-control=lossless", "GRAY8", PACO_WAVELET_DD137,
        PACO_COLOR_TRANSFORM_NONE },
    { "rate-control=lossless", "Y444", PACO_WAVELET_DD137,
        PACO_COLOR_TRANSFORM_NONE },
    { "rate-control=lossless", "I422_10LE", PACO_WAVELET_DD137,
        PACO_COLOR_TRANSFORM_NONE },
    { "", "RGB", PACO_WAVELET_CDF97, PACO_COLOR_TRANSFORM_ICT },
    { "tune=psnr", "RGB", PACO_WAVELET_CDF97, PACO_COLOR_TRANSFORM_MATRIX },
    { "color-transform=matrix", "RGB", PACO_WAVELET_CDF97,
        PACO_COLOR_TRANSFORM_MATRIX },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *launch = g_strdup_printf ("pacoenc %s", cases[i].launch);
    g_autofree char *caps = g_strdup_printf (
        "video/x-raw,format=%s,width=64,height=48,"
        "framerate=25/1",
        cases[i].format);
    g_autoptr (PacoHarness) harness = paco_test_harness (launch);
    GstVideoInfo info;
    g_autoptr (GstBuffer) buffer = NULL;
    PacoHeader header;

    gst_video_info_set_format (
        &info, gst_video_format_from_string (cases[i].format), 64, 48);
    gst_harness_set_src_caps_str (harness, caps);
    buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    gst_buffer_memset (buffer, 0, 77, info.size);
    push (harness, buffer);
    buffer = gst_harness_pull (harness);
    paco_test_header (buffer, &header);
    fail_unless_equals_int (
        header.coding.components[0].wavelet, cases[i].wavelet);
    fail_unless_equals_int (header.coding.color_transform, cases[i].transform);
  }
}

/* Tests that what was set and has no effect is told once, and frames are coded. */
TEST (test_ignored_settings)
{
  static const struct
  {
    const char *launch, *word, *later;
  } cases[] = {
    { "pacoenc", NULL, "bitrate=777 has no effect with rate-control=quality" },
    { "pacoenc bitrate=3000",
        "bitrate=3000 has no effect with rate-control=quality", "bitrate=777" },
    { "pacoenc frame-size=1000",
        "frame-size=1000 has no effect with rate-control=quality", NULL },
    { "pacoenc rate-control=bitrate frame-size=9000 bitrate=5",
        "bitrate=5 has no effect with frame-size=9000", "bitrate=777" },
    { "pacoenc rate-control=bitrate frame-size=9000 quality=50",
        "quality=50 has no effect with rate-control=bitrate", "bitrate=777" },
    { "pacoenc rate-control=lossless bitrate=2",
        "bitrate=2 has no effect with rate-control=lossless", "bitrate=777" },
    { "pacoenc rate-control=lossless quality=50",
        "quality=50 has no effect with rate-control=lossless", "bitrate=777" },
    { "pacoenc rate-control=lossless roi-weight=2",
        "roi-weight=2 has no effect with rate-control=lossless",
        "bitrate=777" },
    { "pacoenc rate-control=lossless tune=psnr",
        "tune=psnr has no effect with rate-control=lossless", "bitrate=777" },
    { "pacoenc tune=psnr", NULL, "bitrate=777" },
    { "pacoenc rate-control=lossless", NULL, "bitrate=777" },
    { "pacoenc quality=100", NULL, "bitrate=777" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (PacoHarness) harness = paco_test_harness (cases[i].launch);

    gst_harness_set_src_caps_str (harness, SMALL_CAPS);
    for (guint k = 0; k < 3; k++) {
      push (harness, paco_test_gray_buffer (64, 48, k));
      expect_warning (harness, k == 0 ? cases[i].word : NULL);
    }

    gst_harness_set (harness, "pacoenc", "bitrate", 777, NULL);
    gst_harness_push (harness, paco_test_gray_buffer (64, 48, 3));
    expect_warning (harness, cases[i].later);
  }
}

/* Tests that more levels are left out than there are. */
TEST (test_reduce)
{
  g_autoptr (PacoHarness) harness = paco_test_gray_harness (
      "pacoenc levels=3 ! pacodec reduce=4", 64, 48);

  gst_harness_push (harness, paco_test_gray_buffer (64, 48, 0));
  gst_harness_push_event (harness, gst_event_new_eos ());
  expect_error (harness, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "set reduce to 3 or less");
}

/* Tests that who names a GPU is told that another processor does the work, and
 * who names none is not. */
TEST (test_missing_gpu)
{
  static const char *const launches[] = { "pacoenc cuda-device-id=999",
    "pacodec cuda-device-id=999", "pacoenc" };

  for (guint i = 0; i < G_N_ELEMENTS (launches); i++) {
    g_autoptr (Pipeline) element = gst_object_ref_sink (launch (launches[i]));
    g_autoptr (GstBus) bus = gst_bus_new ();
    g_autoptr (GError) warning = NULL;

    gst_element_set_bus (element, bus);
    fail_if (gst_element_set_state (element, GST_STATE_PAUSED)
        == GST_STATE_CHANGE_FAILURE);
    warning = pop_said (bus, GST_MESSAGE_WARNING);
    fail_unless_equals_int (warning != NULL, i < 2);
    if (warning)
      fail_unless (strstr (warning->message,
                       "cuda-device-id=999 cannot be used, so the CPU codes"),
          "%s: %s", launches[i], warning->message);
    gst_bus_set_flushing (bus, TRUE);
  }
}

static void
expect_threads (const char *launch, const char *threads)
{
  g_autoptr (PacoHarness) harness = paco_test_gray_harness (launch, 64, 48);
  g_autoptr (GstStructure) stats = NULL;
  const char *device;

  push (harness, paco_test_gray_buffer (64, 48, 0));
  pull_and_drop (harness);
  stats = stats_of (harness, "pacoenc");
  device = gst_structure_get_string (stats, "device");
  fail_unless (g_str_has_prefix (device, threads), "%s: %s", launch, device);
}

/* Tests that there are as many threads as were asked for, or as the process may
 * use. */
TEST (test_threads)
{
  cpu_set_t all, one;
  int cpu = 0;

  expect_threads ("pacoenc backend=cpu threads=3", "3 threads,");
  expect_threads ("pacoenc backend=cpu threads=300", "300 threads");
  if (sched_getaffinity (0, sizeof (all), &all) != 0)
    return;
  while (!CPU_ISSET (cpu, &all))
    cpu++;
  CPU_ZERO (&one);
  CPU_SET (cpu, &one);
  fail_unless (sched_setaffinity (0, sizeof (one), &one) == 0);
  expect_threads ("pacoenc backend=cpu", "1 thread,");
  expect_threads ("pacoenc backend=cpu threads=2", "2 threads,");
  sched_setaffinity (0, sizeof (all), &all);
}

/* --- presets -------------------------------------------------------------- */

static const struct
{
  const gchar *name, *rate_control;
  gdouble quality;
  guint bitrate, complexity, pipeline_depth;
} presets[] = {
  { "cinema-lossless", "lossless", 90, 0, 1, 2 },
  { "cinema-visually-lossless", "quality", 90, 0, 1, 2 },
  { "broadcast-200", "bitrate", 90, 200000, 1, 2 },
  { "proxy", "quality", 60, 0, 1, 2 },
  { "low-latency", "quality", 80, 0, 2, 1 },
};

/* Tests that presets of files are there as well, and go first. This is the first test, as
 * GStreamer keeps the presets of a class that it has read once. What the user
 * saves and deletes is in a file; a preset of the plugin's shows again behind
 * it. */
TEST (test_presets_of_files)
{
  static const gchar file[] = "[_presets_]\nversion=9.0\n"
                              "element-name=GstPacoEnc\n"
                              "[mine]\nquality=17\n"
                              "[proxy]\n_meta/comment=Smaller\nquality=42\n";
  g_autofree gchar *folder = g_dir_make_tmp ("paco-presets-XXXXXX", NULL);
  g_autofree gchar *path = g_build_filename (folder, "GstPacoEnc.prs", NULL);
  g_autofree gchar *saved = g_build_filename (g_get_user_data_dir (),
      "gstreamer-1.0", "presets", "GstPacoEnc.prs", NULL);
  gchar **names, *comment;
  g_autoptr (GstElement) encoder = NULL;
  GstPreset *preset;
  gdouble quality;

  fail_unless (g_str_has_prefix (saved, g_getenv ("PACO_BUILD_ROOT")));
  g_remove (saved);
  fail_unless (g_file_set_contents (path, file, -1, NULL));
  g_setenv ("GST_PRESET_PATH", folder, TRUE);
  encoder = gst_object_ref_sink (gst_element_factory_make ("pacoenc", NULL));
  preset = GST_PRESET (encoder);
  names = gst_preset_get_preset_names (preset);
  fail_unless (g_strv_contains ((const gchar **) names, "mine"));
  fail_unless_equals_int (g_strv_length (names), G_N_ELEMENTS (presets) + 1);
  g_strfreev (names);
  fail_unless (gst_preset_load_preset (preset, "mine"));
  g_object_get (encoder, "quality", &quality, NULL);
  fail_unless_equals_float (quality, 17);
  fail_unless (gst_preset_load_preset (preset, "proxy"));
  g_object_get (encoder, "quality", &quality, NULL);
  fail_unless_equals_float (quality, 42);
  fail_unless (gst_preset_get_meta (preset, "proxy", "comment", &comment));
  fail_unless_equals_string (comment, "Smaller");
  g_free (comment);

  g_object_set (encoder, "quality", 71.0, NULL);
  fail_unless (gst_preset_save_preset (preset, "mine"));
  fail_unless (g_file_test (saved, G_FILE_TEST_EXISTS));
  fail_unless (gst_preset_load_preset (preset, "proxy"));
  fail_unless (gst_preset_load_preset (preset, "mine"));
  g_object_get (encoder, "quality", &quality, NULL);
  fail_unless_equals_float (quality, 71);
  fail_unless (gst_preset_delete_preset (preset, "mine"));
  fail_if (gst_preset_load_preset (preset, "mine"));
  fail_unless (gst_preset_delete_preset (preset, "proxy"));
  fail_unless (gst_preset_load_preset (preset, "proxy"));
  g_object_get (encoder, "quality", &quality, NULL);
  fail_unless_equals_float (quality, 60);

  g_unsetenv ("GST_PRESET_PATH");
  g_remove (saved);
  g_remove (path);
  g_rmdir (folder);
}

/* Tests that a preset sets all that the presets differ in, whatever was set
 * before. No file and no variable of the environment is needed to find it. */
TEST (test_presets)
{
  g_autoptr (GstElement) encoder = gst_object_ref_sink (
      gst_element_factory_make ("pacoenc", NULL));
  gchar **names = gst_preset_get_preset_names (GST_PRESET (encoder));
  gchar *comment;

  fail_unless (names != NULL);
  for (guint i = 0; i < G_N_ELEMENTS (presets); i++) {
    GValue rate_control = G_VALUE_INIT;
    guint bitrate, frame_size, complexity, pipeline_depth;
    gdouble quality;

    fail_unless (g_strv_contains ((const gchar **) names, presets[i].name));
    gst_util_set_object_arg (G_OBJECT (encoder), "tune", "psnr");
    g_object_set (encoder, "frame-size", 77, "quality", 33.0, "bitrate", 44,
        "complexity", 0, "pipeline-depth", 7, NULL);
    fail_unless (
        gst_preset_load_preset (GST_PRESET (encoder), presets[i].name));
    g_object_get (encoder, "quality", &quality, "bitrate", &bitrate,
        "frame-size", &frame_size, "complexity", &complexity, "pipeline-depth",
        &pipeline_depth, NULL);
    g_object_get_property (G_OBJECT (encoder), "rate-control", &rate_control);
    fail_unless_equals_string (
        g_enum_get_value (g_type_class_peek (G_VALUE_TYPE (&rate_control)),
            g_value_get_enum (&rate_control))
            ->value_nick,
        presets[i].rate_control);
    fail_unless_equals_float (quality, presets[i].quality);
    fail_unless_equals_int (bitrate, presets[i].bitrate);
    fail_unless_equals_int (frame_size, 0);
    fail_unless_equals_int (complexity, presets[i].complexity);
    fail_unless_equals_int (pipeline_depth, presets[i].pipeline_depth);
    g_value_unset (&rate_control);
    g_object_get_property (G_OBJECT (encoder), "tune", &rate_control);
    fail_unless_equals_int (g_value_get_enum (&rate_control), 0);
    g_value_unset (&rate_control);
    fail_unless (gst_preset_get_meta (
        GST_PRESET (encoder), presets[i].name, "comment", &comment));
    fail_unless (strlen (comment) > 10);
    g_free (comment);
    fail_if (gst_preset_get_meta (
        GST_PRESET (encoder), presets[i].name, "author", &comment));
  }
  fail_if (gst_preset_load_preset (GST_PRESET (encoder), "no such preset"));
  g_strfreev (names);
}

/* Returns frames coded under a preset, by gst-launch-1.0's syntax. They are of
 * noise, so those of broadcast-200 fill their budget. */
LOOP_TEST (test_preset_coding, G_N_ELEMENTS (presets))
{
  g_autoptr (PacoHarness) harness = paco_test_harness (
      "pacoenc name=encoder backend=cpu @preset=%s", presets[__i__].name);
  gsize size;

  gst_harness_add_src_parse (harness,
      "videotestsrc pattern=snow num-buffers=2 ! "
      "video/x-raw,format=GRAY8,width=640,height=480,framerate=120/1 ! "
      "identity",
      FALSE);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GstBuffer) buffer = NULL;
    PacoHeader header;

    fail_unless_equals_int (gst_harness_push_from_src (harness), GST_FLOW_OK);
    buffer = gst_harness_pull (harness);
    size = gst_buffer_get_size (buffer);
    paco_test_header (buffer, &header);
    fail_unless_equals_int (
        header.coding.components[0].wavelet == PACO_WAVELET_CDF97,
        strcmp (presets[__i__].name, "cinema-lossless") != 0);
    if (strcmp (presets[__i__].name, "broadcast-200") == 0)
      fail_unless (size <= 200000000 / 8 / 120 && size > 200000000 / 8 / 122,
          "%" G_GSIZE_FORMAT, size);
  }
}

TEST_MAIN ("settings")

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the presets of pacoenc (plugin/enc/gstpacopreset.c): they are found without any
 * file, set what they should, give way to files, and frames are coded as they say. */
#include "pacotest.h"

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

TEST_MAIN ("presets")

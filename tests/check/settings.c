/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what the elements say of settings that are impossible or have no effect: a
 * sentence that names the property, its value and what to do. */
#include "pacotest.h"
#include <sched.h>

#define SMALL_CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"

/* Tests that settings that cannot be met give an error with a sentence. */
GST_START_TEST (test_wrong_settings)
{
  static const struct
  {
    const char *launch, *word;
  } cases[] = {
    { "pacoenc rate-control=bitrate", "set bitrate, or frame-size" },
    { "pacoenc rate-control=lossless wavelet=cdf97", "cdf53" },
    { "pacoenc codeblock-height=48",
        "codeblock-height=48 cannot be done: codeblocks have 32, 64, 128 or "
        "256 lines" },
    { "pacoenc color-transform=rct", "color-transform=rct is for R, G and B" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBus *bus;
    GstHarness *harness = paco_test_harness (cases[i].launch, &bus);
    GError *error;

    gst_harness_set_src_caps_str (harness, SMALL_CAPS);
    fail_if (gst_harness_push (harness, paco_test_gray_buffer (64, 48, 0))
        == GST_FLOW_OK);
    error = paco_test_pop_error (bus);
    fail_unless (error != NULL, "%s", cases[i].launch);
    fail_unless (
        g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS),
        "%s: %s", cases[i].launch, error->message);
    fail_unless (strcasestr (error->message, cases[i].word) != NULL, "%s: %s",
        cases[i].launch, error->message);
    g_error_free (error);
    paco_test_teardown_failed (harness, bus);
  }
}
GST_END_TEST;

/* Tests that each wavelet and color transform is what the frame says; auto goes
 * by the format. */
GST_START_TEST (test_transforms)
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
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBus *bus;
    char *launch = g_strdup_printf ("pacoenc %s", cases[i].launch);
    char *caps = g_strdup_printf ("video/x-raw,format=%s,width=64,height=48,"
                                  "framerate=25/1",
        cases[i].format);
    GstHarness *harness = paco_test_harness (launch, &bus);
    GstVideoInfo info;
    GstBuffer *buffer;
    PacoHeader header;

    gst_video_info_set_format (
        &info, gst_video_format_from_string (cases[i].format), 64, 48);
    gst_harness_set_src_caps_str (harness, caps);
    buffer = gst_buffer_new_allocate (NULL, info.size, NULL);
    gst_buffer_memset (buffer, 0, 77, info.size);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (harness);
    paco_test_header (buffer, &header);
    fail_unless_equals_int (
        header.coding.components[0].wavelet, cases[i].wavelet);
    fail_unless_equals_int (header.coding.color_transform, cases[i].transform);
    gst_buffer_unref (buffer);
    g_free (launch);
    g_free (caps);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

/* Returns the next warning on the bus, which the caller frees, or NULL. */
static char *
pop_warning (GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  GError *warning = NULL;
  char *text;

  if (message == NULL)
    return NULL;
  gst_message_parse_warning (message, &warning, NULL);
  text = g_strdup (warning->message);
  g_error_free (warning);
  gst_message_unref (message);
  return text;
}

static void
expect_warning (GstBus *bus, const char *word, const char *what)
{
  char *warning = pop_warning (bus);

  fail_unless (word == NULL ? warning == NULL
                            : warning != NULL && strstr (warning, word) != NULL,
      "%s: %s", what, warning);
  g_free (warning);
}

/* Tests that what was set and has no effect is told once, and frames are coded. */
GST_START_TEST (test_ignored_settings)
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
    GstBus *bus;
    GstHarness *harness = paco_test_harness (cases[i].launch, &bus);
    GstElement *encoder = gst_harness_find_element (harness, "pacoenc");

    gst_harness_set_src_caps_str (harness, SMALL_CAPS);
    for (guint k = 0; k < 3; k++) {
      fail_unless_equals_int (
          gst_harness_push (harness, paco_test_gray_buffer (64, 48, k)),
          GST_FLOW_OK);
      expect_warning (bus, k == 0 ? cases[i].word : NULL, cases[i].launch);
    }

    g_object_set (encoder, "bitrate", 777, NULL);
    gst_harness_push (harness, paco_test_gray_buffer (64, 48, 3));
    expect_warning (bus, cases[i].later, cases[i].launch);
    gst_object_unref (encoder);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

/* Tests that more levels are left out than there are. */
GST_START_TEST (test_reduce)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness (
      "pacoenc levels=3 ! pacodec reduce=4", &bus);
  GError *error;

  gst_harness_set_src_caps_str (harness, SMALL_CAPS);
  gst_harness_push (harness, paco_test_gray_buffer (64, 48, 0));
  gst_harness_push_event (harness, gst_event_new_eos ());
  error = paco_test_pop_error (bus);
  fail_unless (error != NULL);
  fail_unless (
      strstr (error->message, "set reduce to 3 or less"), "%s", error->message);
  g_error_free (error);
  paco_test_teardown_failed (harness, bus);
}
GST_END_TEST;

/* Tests that who names a GPU is told that another processor does the work, and
 * who names none is not. */
GST_START_TEST (test_missing_gpu)
{
  static const char *const launches[] = { "pacoenc cuda-device-id=999",
    "pacodec cuda-device-id=999", "pacoenc" };

  for (guint i = 0; i < G_N_ELEMENTS (launches); i++) {
    GstElement *element = gst_parse_launch (launches[i], NULL);
    GstBus *bus = gst_bus_new ();

    gst_object_ref_sink (element);
    gst_element_set_bus (element, bus);
    fail_if (gst_element_set_state (element, GST_STATE_PAUSED)
        == GST_STATE_CHANGE_FAILURE);
    expect_warning (bus,
        i < 2 ? "cuda-device-id=999 cannot be used, so the CPU codes" : NULL,
        launches[i]);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_bus_set_flushing (bus, TRUE);
    gst_object_unref (bus);
    gst_object_unref (element);
  }
}
GST_END_TEST;

static void
expect_threads (const char *launch, const char *threads)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness (launch, &bus);
  GstElement *encoder = gst_harness_find_element (harness, "pacoenc");
  GstStructure *stats;
  const char *device;

  g_object_get (encoder, "stats", &stats, NULL);
  device = gst_structure_get_string (stats, "device");
  fail_unless (g_str_has_prefix (device, threads), "%s: %s", launch, device);
  gst_structure_free (stats);
  gst_object_unref (encoder);
  paco_test_teardown (harness, bus);
}

/* Tests that there are as many threads as were asked for, or as the process may
 * use. */
GST_START_TEST (test_threads)
{
  cpu_set_t all, one;
  int cpu = 0;

  expect_threads ("pacoenc backend=cpu threads=3", "3 threads,");
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
GST_END_TEST;

static Suite *
settings_suite (void)
{
  Suite *suite = suite_create ("settings");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, test_wrong_settings);
  tcase_add_test (tcase, test_transforms);
  tcase_add_test (tcase, test_ignored_settings);
  tcase_add_test (tcase, test_reduce);
  tcase_add_test (tcase, test_missing_gpu);
  tcase_add_test (tcase, test_threads);
  return suite;
}

GST_CHECK_MAIN (settings);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frames that are cut by pacoparse max-frame-size, and regions of interest. */
#include "pacotest.h"

#define WIDTH 512
#define HEIGHT 384
#define GRAY_CAPS                                                              \
  "video/x-raw,format=GRAY8,width=512,height=384,framerate=25/1,"              \
  "interlace-mode=progressive"

static GstVideoInfo
gray_info (void)
{
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, WIDTH, HEIGHT);
  return info;
}

/* Returns the squared error of columns [from, to). */
static double
square_error (GstBuffer *a, GstBuffer *b, guint from, guint to)
{
  GstVideoInfo info = gray_info ();
  g_autoptr (GArray) sa = paco_test_samples (&info, a);
  g_autoptr (GArray) sb = paco_test_samples (&info, b);
  double sum = 0;

  for (guint y = 0; y < HEIGHT; y++)
    for (guint x = from; x < to; x++) {
      double difference = g_array_index (sa, guint16, y * WIDTH + x)
          - g_array_index (sb, guint16, y * WIDTH + x);

      sum += difference * difference;
    }
  return sum;
}

static GstBuffer *
decode (GstBuffer *coded)
{
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");
  GstBuffer *decoded;

  push (harness, coded);
  gst_harness_push_event (harness, gst_event_new_eos ());
  decoded = gst_harness_pull (harness);
  return decoded;
}

/* Tests frames that come into pacoparse in all ways: they are no larger than
 * asked for, with the caps that say so, decodable without a broken block, and
 * better the more they may take; and the places of what comes out are those of
 * a stream of these frames. */
TEST (test_cut)
{
  static const guint sizes[] = { 3000, 6000, 12000, 400000 };
  double last_error = G_MAXDOUBLE;

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++) {
    g_autoptr (PacoHarness) harness = paco_test_harness (
        "pacoenc quality=98 cut-points=true ! pacoparse max-frame-size=%u",
        sizes[s]);
    guint64 offset = 0;
    double error = 0;

    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    for (guint i = 0; i < 3; i++) {
      g_autoptr (GstBuffer) original = paco_test_gray_buffer (WIDTH, HEIGHT, i);
      GstBuffer *coded;
      g_autoptr (GstBuffer) decoded = NULL;
      PacoHeader header;
      GstCaps *caps;
      gint promised;

      coded = gst_harness_push_and_pull (harness, gst_buffer_ref (original));
      caps = gst_pad_get_current_caps (harness->sinkpad);
      fail_unless (gst_structure_get_int (
          gst_caps_get_structure (caps, 0), "max-frame-size", &promised));
      gst_caps_unref (caps);
      fail_unless (promised <= (gint) sizes[s]);
      fail_unless (gst_buffer_get_size (coded) <= sizes[s]);
      fail_unless (s == 3 || gst_buffer_get_size (coded) >= sizes[s] * 8 / 10);
      fail_unless_equals_uint64 (GST_BUFFER_PTS (coded), i * 40 * GST_MSECOND);
      paco_test_header (coded, &header);
      fail_unless_equals_uint64 (header.video.place.number, i);
      fail_unless_equals_uint64 (header.video.place.offset, offset);
      offset += gst_buffer_get_size (coded);
      decoded = decode (coded);
      fail_if (GST_BUFFER_FLAG_IS_SET (decoded, GST_BUFFER_FLAG_CORRUPTED));
      error += square_error (original, decoded, 0, WIDTH);
    }
    fail_unless (error < last_error, "%u bytes: %g, fewer: %g", sizes[s], error,
        last_error);
    last_error = error;
  }
}

/* Tests that what cannot be cut gives an error that says why, and goes no
 * further. */
TEST (test_refused)
{
  static const struct
  {
    const gchar *launch, *words;
  } cases[] = {
    { "pacoenc ! pacoparse max-frame-size=2000", "cut-points=true" },
    { "pacoenc cut-points=true ! pacoparse max-frame-size=1", "is the least" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (PacoHarness) harness = paco_test_harness (cases[i].launch);

    gst_harness_set_src_caps_str (harness, GRAY_CAPS);
    gst_harness_push (harness, paco_test_gray_buffer (WIDTH, HEIGHT, 0));
    gst_harness_push_event (harness, gst_event_new_eos ());
    fail_unless_equals_int (gst_harness_buffers_in_queue (harness), 0);
    expect_error (harness, 0, 0, cases[i].words);
  }
}

/* Codes a picture with n regions on its left side. */
static GstBuffer *
code_with_regions (const gchar *launch, GstBuffer *original, guint n)
{
  g_autoptr (PacoHarness) harness = paco_test_harness (launch);
  GstBuffer *buffer = gst_buffer_copy (original);

  for (guint i = 0; i < n; i++)
    gst_buffer_add_video_region_of_interest_meta (
        buffer, "face", 8, i * HEIGHT / n, 80, HEIGHT / n + 1);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS);
  push (harness, buffer);
  buffer = gst_harness_pull (harness);
  return buffer;
}

/* Tests that regions of interest err less than half as much at the same bytes,
 * also if there are more of them than the codec knows of, and do nothing
 * without a weight. */
TEST (test_regions)
{
  static const gchar *const launch =
      "pacoenc rate-control=bitrate frame-size=30000 levels=1 "
      "codeblock-height=32 roi-weight=%d metadata=captions";
  GstVideoInfo info = gray_info ();
  g_autoptr (GstBuffer) original = paco_test_random_buffer (&info, 5);
  static const guint n_regions[] = { 0, 1, 16, 40 };
  double without = 0;

  for (guint i = 0; i < G_N_ELEMENTS (n_regions); i++) {
    g_autofree gchar *weighted = g_strdup_printf (launch, 8);
    g_autofree gchar *alike = g_strdup_printf (launch, 1);
    GstBuffer *coded = code_with_regions (weighted, original, n_regions[i]);
    GstBuffer *plain = code_with_regions (alike, original, n_regions[i]);
    GstBuffer *decoded;
    double error;

    fail_unless (gst_buffer_get_size (coded) <= 30000);
    decoded = decode (coded);
    error = square_error (original, decoded, 16, 80);
    if (i == 0)
      without = error;
    else
      fail_unless (error < without / 2, "%u regions: %g, without: %g",
          n_regions[i], error, without);
    gst_buffer_unref (decoded);
    decoded = decode (plain);
    fail_unless (square_error (original, decoded, 16, 80) == without,
        "regions without a weight");
    gst_buffer_unref (decoded);
  }
}

TEST_MAIN ("cut")

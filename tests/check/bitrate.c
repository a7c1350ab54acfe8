/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacoenc with rate-control=bitrate: every frame keeps its budget, at once and
 * after changes; what caps, tags and stats say of it; and which budgets are refused. */
#include "pacotest.h"

#define GRAY_CAPS(rate)                                                        \
  "video/x-raw,format=GRAY8,width=256,height=200,framerate=" rate              \
  ",interlace-mode=progressive"

/* This counts what has passed the pad behind the encoder. */
typedef struct
{
  gint promised; /* by the last caps */
  guint n_caps, n_frames, n_broken;
  guint maximum_bitrate, bitrate; /* of the last tags */
} Seen;

static GstPadProbeReturn
see (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Seen *seen = data;
  GstTagList *tags;
  GstCaps *caps;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    seen->n_frames++;
    if (gst_buffer_get_size (GST_PAD_PROBE_INFO_BUFFER (info))
        > (gsize) seen->promised)
      seen->n_broken++;
    return GST_PAD_PROBE_OK;
  }
  switch (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))) {
    case GST_EVENT_CAPS:
      seen->n_caps++;
      gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
      fail_unless (gst_structure_get_int (
          gst_caps_get_structure (caps, 0), "max-frame-size", &seen->promised));
      break;
    case GST_EVENT_TAG:
      gst_event_parse_tag (GST_PAD_PROBE_INFO_EVENT (info), &tags);
      gst_tag_list_get_uint (
          tags, GST_TAG_MAXIMUM_BITRATE, &seen->maximum_bitrate);
      gst_tag_list_get_uint (tags, GST_TAG_BITRATE, &seen->bitrate);
      break;
    default:
      break;
  }
  return GST_PAD_PROBE_OK;
}

static GstHarness *
seen_harness (const gchar *launch, Seen *seen)
{
  GstHarness *harness = paco_test_harness (launch);

  *seen = (Seen){ 0 };
  gst_pad_add_probe (harness->sinkpad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, see,
      seen, NULL);
  return harness;
}

/* A frame of this size is so small that its largest block is a good part of it,
 * so cutting a bitplane may leave that much of the budget. Larger frames leave a
 * hundredth (tests/codec/budget.c). */
#define LEAST_FILL 0.8

/* Tests noise, which takes whatever it gets, in any kind of format: from the
 * first frame on nothing is above the budget, and little of it is left. */
LOOP_TEST (test_fill, 15)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_GRAY8,
    GST_VIDEO_FORMAT_I420, GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_GBR_12LE,
    GST_VIDEO_FORMAT_GRAY16_LE };
  static const gchar *const modes[] = { "progressive", "interleaved", "mixed" };
  GstVideoFormat format = formats[__i__ % G_N_ELEMENTS (formats)];
  g_autofree gchar *launch = NULL;
  GstVideoInfo info;
  g_autoptr (PacoHarness) harness = NULL;
  GstCaps *caps;
  Seen seen;
  guint budget;

  paco_test_info (&info, format, 288, 224);
  budget = GST_VIDEO_INFO_SIZE (&info) / g_random_int_range (4, 30);
  launch = g_strdup_printf (
      "pacoenc rate-control=bitrate frame-size=%u", budget);
  harness = seen_harness (launch, &seen);
  caps = gst_video_info_to_caps (&info);
  gst_caps_set_simple (
      caps, "interlace-mode", G_TYPE_STRING, modes[__i__ % 3], NULL);
  gst_harness_set_src_caps (harness, caps);
  for (guint i = 0; i < 20; i++) {
    g_autoptr (GstBuffer)
        buffer = paco_test_random_buffer (&info, g_random_int ());
    gsize size;

    if (i % 3 == 1)
      GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    push (harness, buffer);
    buffer = gst_harness_pull (harness);
    size = gst_buffer_get_size (buffer);
    fail_unless (size <= budget && size >= budget * LEAST_FILL,
        "%s: frame %u has %zu bytes, its budget %u", launch, i, size, budget);
  }
  fail_unless_equals_int (seen.promised, (gint) budget);
  fail_unless_equals_int (seen.n_broken, 0);
}

/* Tests that each frame has the budget of the time when it came, with frames in
 * flight, and no more than the caps before it say. */
LOOP_TEST (test_changes, 4)
{
  enum
  {
    N = 60
  };
  g_autofree gchar *launch = g_strdup_printf (
      "pacoenc rate-control=bitrate bitrate=1000 pipeline-depth=%d", 1 + __i__);
  GstVideoInfo info;
  Seen seen;
  g_autoptr (PacoHarness) harness = seen_harness (launch, &seen);
  guint kbits = 1000, budgets[N], n_changes = 0;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, 256, 200);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS ("25/1"));
  for (guint i = 0; i < N; i++) {
    if (i % 4 == 3) {
      kbits = g_random_int_range (300, 8000);
      gst_harness_set (harness, "pacoenc", "bitrate", kbits, NULL);
      n_changes++;
    }
    budgets[i] = kbits * 5;
    push (harness, paco_test_random_buffer (&info, i));
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  for (guint i = 0; i < N; i++) {
    g_autoptr (GstBuffer) buffer = gst_harness_pull (harness);
    gsize size = gst_buffer_get_size (buffer);

    fail_unless (size <= budgets[i] && size >= budgets[i] * LEAST_FILL,
        "frame %u has %zu bytes, its budget %u", i, size, budgets[i]);
  }
  fail_unless_equals_int (seen.n_frames, N);
  fail_unless_equals_int (seen.n_broken, 0);
  fail_unless (seen.n_caps > n_changes / 2 && seen.n_caps <= n_changes + 1);
  fail_unless_equals_int (seen.promised, (gint) (kbits * 5));
  fail_unless_equals_int (seen.bitrate, kbits * 1000);
  fail_unless_equals_int (seen.maximum_bitrate, kbits * 1000);
}

/* Tests that a field is a picture of its own where fields come one by one, and
 * that frame-size needs no frame rate and wins over bitrate. */
TEST (test_budget)
{
  static const struct
  {
    const gchar *settings, *caps;
    gint promised;
    guint maximum_bitrate, bitrate;
  } cases[] = {
    { "bitrate=2000", GRAY_CAPS ("25/1"), 10000, 2000000, 2000000 },
    { "bitrate=2000", GRAY_CAPS ("30000/1001"), 8341, 1999840, 2000000 },
    { "frame-size=7000", GRAY_CAPS ("50/1"), 7000, 2800000, 0 },
    { "frame-size=7000", GRAY_CAPS ("0/1"), 7000, 0, 0 },
    { "frame-size=7000 bitrate=1", GRAY_CAPS ("25/1"), 7000, 1400000, 0 },
    { "bitrate=2000",
        "video/x-raw(format:Interlaced),format=GRAY8,width=256,height=200,"
        "framerate=25/1,interlace-mode=alternate",
        5000, 2000000, 2000000 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree gchar *launch = g_strdup_printf (
        "pacoenc rate-control=bitrate %s", cases[i].settings);
    gboolean field = strstr (cases[i].caps, "alternate") != NULL;
    Seen seen;
    g_autoptr (PacoHarness) harness = seen_harness (launch, &seen);
    g_autoptr (GstBuffer)
        buffer = paco_test_gray_buffer (256, field ? 100 : 200, 0);

    gst_harness_set_src_caps_str (harness, cases[i].caps);
    if (field)
      GST_BUFFER_FLAG_SET (buffer,
          GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TOP_FIELD);
    push (harness, buffer);
    buffer = gst_harness_pull (harness);
    fail_unless_equals_int (seen.promised, cases[i].promised);
    fail_unless_equals_int (seen.maximum_bitrate, cases[i].maximum_bitrate);
    fail_unless_equals_int (seen.bitrate, cases[i].bitrate);
    fail_unless_equals_int (seen.n_broken, 0);
  }
}

/* Tests that a budget that cannot be kept gives a sentence that says which one
 * can. */
TEST (test_impossible)
{
  static const struct
  {
    const gchar *settings, *caps, *words;
  } cases[] = {
    { "", GRAY_CAPS ("25/1"), "set bitrate, or frame-size" },
    { "bitrate=9000", GRAY_CAPS ("0/1"), "set frame-size instead" },
    { "frame-size=1", GRAY_CAPS ("25/1"), "bytes at least" },
    { "bitrate=1", GRAY_CAPS ("25/1"), "bytes at least" },
    { "bitrate=9000", GRAY_CAPS ("1000000/1"), "bytes at least" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (PacoHarness) harness = paco_test_harness (
        "pacoenc rate-control=bitrate %s", cases[i].settings);

    gst_harness_set_src_caps_str (harness, cases[i].caps);
    gst_harness_push (harness, paco_test_gray_buffer (256, 200, 0));
    expect_error (harness, 0, 0, cases[i].words);
  }
}

/* Tests that the smallest size that the sentence names can be had, and that a
 * budget of one byte less is refused, also while it plays. */
TEST (test_smallest)
{
  g_autoptr (PacoHarness) refused = paco_test_gray_harness (
      "pacoenc rate-control=bitrate frame-size=1", 256, 200);
  g_autoptr (PacoHarness)
      harness = paco_test_harness ("pacoenc rate-control=bitrate");
  g_autoptr (GstBuffer) buffer = NULL;
  g_autoptr (GError) error = NULL;
  guint smallest;

  gst_harness_push (refused, paco_test_gray_buffer (256, 200, 0));
  error = paco_test_pop_error (refused);
  ignore_errors (refused);
  smallest = atoi (strpbrk (error->message, "0123456789"));

  gst_harness_set (harness, "pacoenc", "frame-size", smallest, NULL);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS ("25/1"));
  push (harness, paco_test_gray_buffer (256, 200, 0));
  buffer = gst_harness_pull (harness);
  fail_unless (gst_buffer_get_size (buffer) <= smallest);
  gst_harness_set (harness, "pacoenc", "frame-size", smallest - 1, NULL);
  gst_harness_push (harness, paco_test_gray_buffer (256, 200, 1));
  expect_error (harness, 0, 0, "bytes at least");
}

/* Tests that stats have the last frames, oldest first. */
TEST (test_stats)
{
  enum
  {
    N = 25,
    KEPT = 16
  };
  g_autoptr (PacoHarness) harness = paco_test_harness (
      "pacoenc rate-control=bitrate frame-size=9000");
  const GValue *sizes, *steps;
  guint expected[N];
  g_autoptr (GstStructure) stats = NULL;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, 256, 200);
  gst_harness_set_src_caps_str (harness, GRAY_CAPS ("25/1"));
  for (guint i = 0; i < N; i++) {
    g_autoptr (GstBuffer) buffer = NULL;

    if (i == 20)
      gst_harness_set (harness, "pacoenc", "frame-size", 3000, NULL);
    buffer = gst_harness_push_and_pull (
        harness, paco_test_random_buffer (&info, i));
    expected[i] = gst_buffer_get_size (buffer);
  }
  gst_harness_get (harness, "pacoenc", "stats", &stats, NULL);
  sizes = gst_structure_get_value (stats, "last-frame-sizes");
  steps = gst_structure_get_value (stats, "last-frame-steps");
  fail_unless_equals_int (gst_value_array_get_size (sizes), KEPT);
  fail_unless_equals_int (gst_value_array_get_size (steps), KEPT);
  for (guint i = 0; i < KEPT; i++)
    fail_unless_equals_int (
        g_value_get_uint (gst_value_array_get_value (sizes, i)),
        expected[N - KEPT + i]);
  /* A third of the bytes needs coarser steps. */
  fail_unless (g_value_get_double (gst_value_array_get_value (steps, KEPT - 1))
      > 1.5 * g_value_get_double (gst_value_array_get_value (steps, 0)));
  fail_unless (g_value_get_double (gst_value_array_get_value (steps, 0)) > 0.0);
}

TEST_MAIN ("bitrate")

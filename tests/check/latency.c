/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the latency that pacoenc and pacodec claim, and pipeline-depth=1, which
 * pushes a frame in the call that brought it. */
#include "pacotest.h"
#include "plugin/coder/gstpacolatency.h"
#include <stdio.h>

/* --- what is claimed, by itself --- */

TEST (test_claim)
{
  GstPacoLatency latency;

  gst_paco_latency_init (&latency, 3, 50, 1);
  fail_unless_equals_uint64 (latency.claim, 60 * GST_MSECOND);
  /* Without a rate the claim is that of 25 frames per second. */
  gst_paco_latency_init (&latency, 2, 0, 1);
  fail_unless_equals_uint64 (latency.claim, 80 * GST_MSECOND);
  /* These rates are absurd. */
  gst_paco_latency_init (&latency, 8, 1, G_MAXINT);
  fail_unless_equals_uint64 (latency.claim, GST_PACO_MAX_LATENCY);
  fail_if (gst_paco_latency_measured (&latency, G_MAXUINT64));
  fail_unless_equals_uint64 (latency.claim, GST_PACO_MAX_LATENCY);
  gst_paco_latency_init (&latency, 1, G_MAXINT, 1);
  fail_unless_equals_uint64 (latency.claim, 0);
  fail_if (gst_paco_latency_measured (&latency, GST_SECOND));
}

/* Tests that the claim comes down to what is measured, goes up with a frame
 * that takes longer, and does neither often. */
TEST (test_claim_follows)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (g_random_int ());
  GstPacoLatency latency;
  guint n_changes = 0;

  gst_paco_latency_init (&latency, 2, 25, 1);
  for (guint i = 0; i < 100; i++)
    n_changes += gst_paco_latency_measured (&latency, 2 * GST_MSECOND);
  fail_unless_equals_int (n_changes, 1);
  fail_unless_equals_uint64 (latency.claim, 2500 * GST_USECOND);
  fail_unless (gst_paco_latency_measured (&latency, 20 * GST_MSECOND));
  fail_unless_equals_uint64 (latency.claim, 25 * GST_MSECOND);
  /* This is longer than as many frames as are in flight. */
  fail_unless (gst_paco_latency_measured (&latency, 500 * GST_MSECOND));
  fail_unless_equals_uint64 (latency.claim, 80 * GST_MSECOND);

  n_changes = 0;
  for (guint i = 0; i < 100000; i++) {
    GstClockTime elapsed = g_rand_int_range (random, 1, 40 * GST_MSECOND);

    n_changes += gst_paco_latency_measured (&latency, elapsed);
    fail_unless (latency.claim >= elapsed);
  }
  fail_unless (n_changes < 100, "%u changes", n_changes);
}

/* --- what elements claim --- */

typedef struct
{
  GstHarness *harness;
  gboolean decodes;
} Element;

static void
element_init (Element *element, gboolean decodes, guint depth, const char *rate)
{
  g_autofree char *launch = g_strdup_printf (
      "%s backend=cpu threads=1 pipeline-depth=%u",
      decodes ? "pacodec" : "pacoenc", depth);
  g_autofree char *caps = g_strdup_printf (decodes
          ? PACO_TEST_CODED_CAPS
          : "video/x-raw,format=GRAY8,width=64,height=48,framerate=%s",
      rate);

  *element = (Element){ .decodes = decodes };
  element->harness = paco_test_harness (launch);
  gst_harness_set_src_caps_str (element->harness, caps);
}

static GstFlowReturn
element_push (Element *element, const char *rate)
{
  GstBuffer *buffer = paco_test_gray_buffer (64, 48, 0);
  GstVideoInfo info;

  if (element->decodes) {
    paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
    sscanf (rate, "%d/%d", &info.fps_n, &info.fps_d);
    buffer = paco_test_code ("pacoenc backend=cpu", &info, buffer);
  }
  return gst_harness_push (element->harness, buffer);
}

static void
latency_of (Element *element, GstClockTime *min, GstClockTime *max)
{
  g_autoptr (GstQuery) query = gst_query_new_latency ();

  fail_unless (gst_pad_peer_query (element->harness->sinkpad, query));
  gst_query_parse_latency (query, NULL, min, max);
  fail_unless (*min <= *max);
}

static const struct
{
  const char *rate;
  guint depth;
  GstClockTime latency, decoded; /* of the encoder, and of the decoder */
} claims[] = {
  { "25/1", 1, 40 * GST_MSECOND, 40 * GST_MSECOND },
  { "25/1", 2, 80 * GST_MSECOND, 80 * GST_MSECOND },
  { "25/1", 8, 320 * GST_MSECOND, 320 * GST_MSECOND },
  { "50/1", 8, 160 * GST_MSECOND, 160 * GST_MSECOND },
  { "1/1", 8, GST_SECOND, GST_SECOND },
  /* These rates cannot be, and are not believed. */
  { "1/2147483647", 1, GST_SECOND, 40 * GST_MSECOND },
  { "1/2147483647", 8, GST_SECOND, 320 * GST_MSECOND },
  { "2147483647/1", 2, 0, 80 * GST_MSECOND },
};

/* Checks what is claimed until frames have been measured; a single one cannot
 * lower it. */
static void
check_claim (gboolean decodes, guint i)
{
  GstClockTime min, max;
  Element element;

  element_init (&element, decodes, claims[i].depth, claims[i].rate);
  fail_unless_equals_int (element_push (&element, claims[i].rate), GST_FLOW_OK);
  pull_and_drop (element.harness);
  latency_of (&element, &min, &max);
  fail_unless_equals_uint64 (
      min, decodes ? claims[i].decoded : claims[i].latency);
  paco_test_teardown (element.harness);
}

LOOP_TEST (test_claims_of_encoder, G_N_ELEMENTS (claims))
{
  check_claim (FALSE, __i__);
}

LOOP_TEST (test_claims_of_decoder, G_N_ELEMENTS (claims))
{
  check_claim (TRUE, __i__);
}

/* Tests that with one frame per second nothing near a second is claimed for
 * small ones. */
LOOP_TEST (test_measured, 2)
{
  Element element;
  GstClockTime min, max;
  GstMessage *message;
  guint n_messages = 0;

  element_init (&element, __i__, 1, "1/1");
  for (guint i = 0; i < 100; i++) {
    fail_unless_equals_int (element_push (&element, "1/1"), GST_FLOW_OK);
    pull_and_drop (element.harness);
  }
  latency_of (&element, &min, &max);
  fail_unless (min > 0);
  fail_unless (min < GST_SECOND, "%" GST_TIME_FORMAT, GST_TIME_ARGS (min));
  while (
      (message = gst_bus_pop_filtered (
           GST_ELEMENT_BUS (element.harness->element), GST_MESSAGE_LATENCY))) {
    gst_message_unref (message);
    n_messages++;
  }
  fail_unless (n_messages > 0 && n_messages < 20, "%u messages", n_messages);
  paco_test_teardown (element.harness);
}

/* --- pipeline-depth=1 --- */

LOOP_TEST (test_pushed_in_call, 2)
{
  Element element;

  element_init (&element, __i__, 1, "25/1");
  for (guint i = 1; i <= 50; i++) {
    fail_unless_equals_int (element_push (&element, "25/1"), GST_FLOW_OK);
    fail_unless_equals_int (gst_harness_buffers_received (element.harness), i);
  }
  paco_test_teardown (element.harness);
}

TEST_MAIN ("latency")

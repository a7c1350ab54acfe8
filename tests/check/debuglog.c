/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the debug log of the elements (plugin/coder/gstpacobackend.h): it describes a stream
 * at level 5 and every frame at level 6, and gives no warnings if nothing is wrong. */
#include "pacotest.h"

/* This is what categories whose names begin with "paco" have said. */
typedef struct
{
  GMutex lock;
  GString *text; /* lines of "level element message" */
} Log;

static void
note (GstDebugCategory *category, GstDebugLevel level, const gchar *file,
    const gchar *function, gint line, GObject *object, GstDebugMessage *message,
    gpointer data)
{
  const char *name = gst_debug_category_get_name (category);
  Log *log = data;

  if (!g_str_has_prefix (name, "paco"))
    return;
  if (GST_IS_ELEMENT (object))
    name = GST_OBJECT_NAME (gst_element_get_factory (GST_ELEMENT (object)));
  g_mutex_lock (&log->lock);
  g_string_append_printf (log->text, "%s %s %s\n",
      gst_debug_level_get_name (level), name, gst_debug_message_get (message));
  g_mutex_unlock (&log->lock);
}

static void
log_begin (Log *log, const char *levels)
{
  g_mutex_init (&log->lock);
  log->text = g_string_new (NULL);
  gst_debug_remove_log_function (gst_debug_log_default);
  gst_debug_add_log_function (note, log, NULL);
  gst_debug_set_threshold_from_string (levels, FALSE);
}

static char *
log_end (Log *log)
{
  gst_debug_set_threshold_from_string ("paco*:0", FALSE);
  gst_debug_remove_log_function (note);
  g_mutex_clear (&log->lock);
  return g_string_free (log->text, FALSE);
}

/* Checks that each piece stands in the log, behind the one before it. */
static void
expect_pieces (const char *text, const char *const *pieces)
{
  const char *at = text;

  for (guint i = 0; pieces[i] != NULL; i++) {
    const char *found = strstr (at, pieces[i]);

    fail_unless (found != NULL, "\"%s\" is not behind \"%s\" in:\n%s",
        pieces[i], i > 0 ? pieces[i - 1] : "", text);
    at = found + strlen (pieces[i]);
  }
}

#define SOURCE                                                                 \
  "videotestsrc num-buffers=3 ! "                                              \
  "video/x-raw,format=GBR_12LE,width=64,height=48,framerate=25/1 ! "

TEST (test_story)
{
  static const char *const encoder[] = { " using the ",
    "the first that backend=auto finds", "pacoenc caps in: video/x-raw",
    "GBR_12LE", "pacoenc rate: lossless, complexity 2", "pacoenc coding: 64x48",
    "12 bits 1x1 cdf53", "12 bits 1x1 cdf53", "12 bits 1x1 cdf53", "levels 3",
    "codeblocks 64x32", "coding passes 2", "color transform rct2",
    "pacoenc caps out: video/x-paco", "3 frames of", NULL };
  static const char *const parser[] = { "pacoparse caps in: video/x-paco",
    "pacoparse caps out: video/x-qt-part", NULL };
  static const char *const decoder[] = { "pacodec caps in: video/x-paco",
    "pacodec configuring for frame 0: the stream begins",
    "pacodec caps out: video/x-raw", "pacodec coding: 64x48", "cdf53",
    "levels 3", "codeblocks 64x32", NULL };
  Log log;
  g_autofree char *text = NULL;

  log_begin (&log, "paco*:5");
  run (launch (
      SOURCE "pacoenc rate-control=lossless complexity=2 levels=3 "
             "codeblock-height=32 coding-passes=2 ! tee name=t ! pacoparse ! "
             "qtmux ! fakesink async=false t. ! queue ! pacodec ! "
             "fakesink async=false"));
  text = log_end (&log);
  expect_pieces (text, encoder);
  expect_pieces (text, parser);
  expect_pieces (text, decoder);
  fail_if (strstr (text, "WARN") != NULL, "%s", text);
  fail_if (strstr (text, "ERROR") != NULL, "%s", text);
  fail_if (strstr (text, " ms (transform ") != NULL, "%s", text);
}

/* Tests that level 6 adds the frames, each with its size and times. */
TEST (test_frames)
{
  static const char *const encoder[] = { "pacoenc frame 0: ", " bytes, ",
    " ms (transform ", ", blocks ", ", stream ",
    "pacoenc frame 1: ", "pacoenc frame 2: ", NULL };
  static const char *const decoder[] = { "pacodec frame 0: ", " bytes, ",
    " ms (transform ", ", blocks ", ", stream ",
    "pacodec frame 1: ", "pacodec frame 2: ", NULL };
  static const char *const parser[] = { "pacoparse frame at byte 0: ",
    " bytes, at 0:00:00.000000000", "pacoparse frame at byte",
    "0:00:00.040000000", "pacoparse frame at byte", NULL };
  Log log;
  g_autofree char *text = NULL;

  log_begin (&log, "paco*:6");
  run (launch (SOURCE "pacoenc ! pacoparse ! pacodec ! fakesink"));
  text = log_end (&log);
  expect_pieces (text, encoder);
  expect_pieces (text, parser);
  expect_pieces (text, decoder);
}

static GstBuffer *
gray (guint index, gboolean interlaced)
{
  GstBuffer *buffer = paco_test_gray_buffer (64, 48, index);

  if (interlaced)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  return buffer;
}

/* Tests that the log tells what changes on the way, and what is left out and why. */
TEST (test_changes)
{
  static const char *const pieces[] = { "pacoenc coding: 64x48 in one piece",
    "pacoenc coding: 64x48 in two fields",
    "pacoenc frame 1 is interlaced, unlike the one before it",
    "pacoenc rate: from now on quality 50", NULL };
  static const char *const decoder[] = { "pacodec configuring for frame 0",
    "pacodec configuring for frame 1: it is coded otherwise",
    "pacodec frame 3 is late already: dropped", NULL };
  GstHarness *harness;
  GstElement *encoder;
  Log log;
  g_autofree char *text = NULL;

  log_begin (&log, "paco*:6");
  harness = paco_test_harness ("pacoenc ! video/x-paco ! pacodec qos=true");
  encoder = gst_harness_find_element (harness, "pacoenc");
  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1,"
      "interlace-mode=mixed");
  for (guint i = 0; i < 3; i++) {
    if (i == 2)
      g_object_set (encoder, "quality", 50.0, NULL);
    gst_harness_push (harness, gray (i, i >= 1));
    pull_and_drop (harness);
  }
  push_qos (harness);
  gst_harness_push (harness, gray (3, TRUE));
  gst_harness_push_event (harness, gst_event_new_eos ());
  gst_object_unref (encoder);
  paco_test_teardown (harness);

  text = log_end (&log);
  expect_pieces (text, pieces);
  expect_pieces (text, decoder);
}

TEST_MAIN ("debuglog")

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frames in flight when a flush comes. The elements are linked into this
 * program, and the linker puts the function below in the place of
 * g_rec_mutex_unlock(), so that a thread that waits for a lock gets it before the
 * thread that released it goes on: so what may happen between two lines does happen.
 * If a frame is finished in a segment that is gone, GStreamer complains, and the
 * test fails. */
#include "pacoframes.h"
#include <gmodule.h>
#include <gst/check/gstharness.h>

#define N_FLUSHES 60

void gst_plugin_paco_register (void);
void __real_g_rec_mutex_unlock (GRecMutex *lock);
G_MODULE_EXPORT void __wrap_g_rec_mutex_unlock (GRecMutex *lock);

void
__wrap_g_rec_mutex_unlock (GRecMutex *lock)
{
  __real_g_rec_mutex_unlock (lock);
  g_usleep (2000);
}

static void
push (GstHarness *harness, guint8 *data, gsize size)
{
  GstBuffer *buffer = gst_buffer_new_memdup (data, size);

  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
}

static void
flush (GstHarness *harness)
{
  GstSegment segment;

  fail_unless (gst_harness_push_event (harness, gst_event_new_flush_start ()));
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
}

GST_START_TEST (test_decoder)
{
  const PacoFrameSpec spec = PACO_FRAME_SPEC_DEFAULT;
  GByteArray *frame = paco_test_frame (&spec, 0);
  GstHarness *harness;
  GstBuffer *buffer;

  gst_plugin_paco_register ();
  harness = gst_harness_new_parse ("pacodec backend=cpu threads=1");
  gst_harness_set_src_caps_str (
      harness, "video/x-paco, parsed=true, alignment=frame");
  for (guint i = 0; i < N_FLUSHES; i++) {
    push (harness, frame->data, frame->len);
    g_usleep (g_random_int_range (0, 3000));
    flush (harness);
  }
  /* All is as it was before the flush. */
  while ((buffer = gst_harness_try_pull (harness)))
    gst_buffer_unref (buffer);
  push (harness, frame->data, frame->len);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  buffer = gst_harness_pull (harness);
  fail_unless (buffer != NULL);
  gst_buffer_unref (buffer);
  gst_harness_teardown (harness);
  g_byte_array_unref (frame);
}
GST_END_TEST;

#define SIDE 64

static GstHarness *
new_encoder (void)
{
  GstHarness *harness = gst_harness_new_parse (
      "pacoenc backend=cpu threads=1 pipeline-depth=1");

  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=64, height=64, framerate=25/1");
  return harness;
}

static GstFlowReturn
push_picture (GstHarness *harness)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, SIDE * SIDE, NULL);

  gst_buffer_memset (buffer, 0, 1, SIDE * SIDE);
  GST_BUFFER_PTS (buffer) = 0;
  return gst_harness_push (harness, buffer);
}

static void
deactivate (GstHarness *harness)
{
  GstElement *encoder = gst_harness_find_element (harness, "pacoenc");
  GstPad *pad = gst_element_get_static_pad (encoder, "src");

  fail_unless (gst_pad_set_active (pad, FALSE));
  gst_object_unref (pad);
  gst_object_unref (encoder);
}

/* A pipeline that is stopped deactivates pads while pictures still come. The encoder
 * must not say then that downstream does not take its caps, because that is an error. */
GST_START_TEST (test_encoder_is_stopped)
{
  GstHarness *harness = new_encoder ();
  GstElement *encoder;

  deactivate (harness);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=64, height=64, framerate=30/1");
  fail_unless_equals_int (push_picture (harness), GST_FLOW_FLUSHING);
  gst_harness_teardown (harness);

  harness = new_encoder ();
  encoder = gst_harness_find_element (harness, "pacoenc");
  fail_unless_equals_int (push_picture (harness), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (harness));
  deactivate (harness);
  /* The largest frame that there may be has another size now, of which caps
   * tell. */
  g_object_set (encoder, "quality", 10.0, NULL);
  fail_unless_equals_int (push_picture (harness), GST_FLOW_FLUSHING);
  gst_object_unref (encoder);
  gst_harness_teardown (harness);
}
GST_END_TEST;

static Suite *
flush_suite (void)
{
  Suite *suite = suite_create ("flush");
  TCase *test_case = tcase_create ("general");

  suite_add_tcase (suite, test_case);
  tcase_set_timeout (test_case, 60);
  tcase_add_test (test_case, test_decoder);
  tcase_add_test (test_case, test_encoder_is_stopped);
  return suite;
}

GST_CHECK_MAIN (flush);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frames in flight when a flush comes. The elements are linked into this
 * program, and the linker puts the function below in the place of
 * g_rec_mutex_unlock(), so that a thread that waits for a lock gets it before the
 * thread that released it goes on: so what may happen between two lines does happen.
 * If a frame is finished in a segment that is gone, GStreamer complains, and the
 * test fails. */
#include "pacoframes.h"
#include <gmodule.h>

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
push_frame (GstHarness *harness, const GByteArray *frame)
{
  GstBuffer *buffer = gst_buffer_new_memdup (frame->data, frame->len);

  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  push (harness, buffer);
}

TEST (test_decoder)
{
  const PacoFrameSpec spec = PACO_FRAME_SPEC_DEFAULT;
  g_autoptr (GByteArray) frame = paco_test_frame (&spec, 0);
  g_autoptr (PacoHarness)
      harness = paco_test_harness ("pacodec backend=cpu threads=1");

  gst_harness_set_src_caps_str (
      harness, "video/x-paco, parsed=true, alignment=frame");
  for (guint i = 0; i < N_FLUSHES; i++) {
    push_frame (harness, frame);
    g_usleep (g_random_int_range (0, 3000));
    flush (harness, GST_FORMAT_TIME);
  }
  /* All is as it was before the flush. */
  drop_all (harness);
  push_frame (harness, frame);
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  pull_and_drop (harness);
}

#define SIDE 64

static GstHarness *
new_encoder (void)
{
  GstHarness *harness = paco_test_harness (
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
  g_autoptr (GstElement)
      encoder = gst_harness_find_element (harness, "pacoenc");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (encoder, "src");

  fail_unless (gst_pad_set_active (pad, FALSE));
}

/* A pipeline that is stopped deactivates pads while pictures still come. The encoder
 * must not say then that downstream does not take its caps, because that is an error. */
TEST (test_encoder_is_stopped)
{
  GstHarness *harness = new_encoder ();
  g_autoptr (GstElement) encoder = NULL;

  deactivate (harness);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw, format=GRAY8, width=64, height=64, framerate=30/1");
  fail_unless_equals_int (push_picture (harness), GST_FLOW_FLUSHING);
  paco_test_teardown (harness);

  harness = new_encoder ();
  encoder = gst_harness_find_element (harness, "pacoenc");
  fail_unless_equals_int (push_picture (harness), GST_FLOW_OK);
  pull_and_drop (harness);
  deactivate (harness);
  /* The largest frame that there may be has another size now, of which caps
   * tell. */
  g_object_set (encoder, "quality", 10.0, NULL);
  fail_unless_equals_int (push_picture (harness), GST_FLOW_FLUSHING);
  paco_test_teardown (harness);
}

TEST_MAIN_AFTER (gst_plugin_paco_register (), "flush")

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Helps the tests of pacoparse: a harness with a bus, and frames that are pushed
 * into it and expected of it. */
#pragma once
#include "pacoframes.h"
#include <gst/check/gstharness.h>

static const PacoFrameSpec spec = PACO_FRAME_SPEC_DEFAULT;

static inline void
push_segment (GstHarness *h, GstFormat format)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

static inline GstHarness *
new_harness (const gchar *caps, GstFormat format)
{
  GstHarness *h = gst_harness_new ("pacoparse");
  GstBus *bus = gst_bus_new ();

  gst_element_set_bus (h->element, bus);
  gst_object_unref (bus);
  gst_harness_set_src_caps_str (h, caps);
  push_segment (h, format);
  return h;
}

static inline void
close_harness (GstHarness *h)
{
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
}

static inline void
push_bytes (GstHarness *h, const guint8 *data, gsize size)
{
  fail_unless_equals_int (
      gst_harness_push (h, gst_buffer_new_memdup (data, size)), GST_FLOW_OK);
}

static inline void
push_in_chunks (GstHarness *h, const GByteArray *stream, gsize chunk)
{
  for (gsize at = 0; at < stream->len; at += chunk)
    push_bytes (h, stream->data + at, MIN (chunk, stream->len - at));
}

static inline void
expect_messages (GstHarness *h, gint warnings, gint errors)
{
  GstBus *bus = gst_element_get_bus (h->element);
  GstMessage *message;

  while ((message = gst_bus_pop (bus))) {
    warnings -= GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
    errors -= GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR;
    gst_message_unref (message);
  }
  gst_object_unref (bus);
  fail_unless (warnings == 0, "%d warnings are missing", warnings);
  fail_unless (errors == 0, "%d errors are missing", errors);
}

/* Expects that the frames that came out are exactly these, by their numbers. */
static inline void
expect_frames (GstHarness *h, GPtrArray *frames, const gint *numbers, gint n)
{
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), n);
  for (gint i = 0; i < n; i++) {
    GstBuffer *buffer = gst_harness_pull (h);

    fail_unless (
        paco_test_buffer_is (buffer, paco_test_nth (frames, numbers[i])),
        "frame %d is not number %d", i, numbers[i]);
    fail_if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT));
    gst_buffer_unref (buffer);
  }
}

static inline GstBuffer *
packet (const GByteArray *bytes, gsize size)
{
  return gst_buffer_new_memdup (bytes->data, size);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes pacoparse, alone or with pacodec: a stream is pushed in chunks of any
 * size. The elements live as long as the process and are flushed between
 * inputs. The first byte has bits 0-2 chunks, bits 3-4 levels left out, bit 5
 * a flush in the middle, bit 6 the parser alone, bit 7 buffers are frames. */
#include "tests/fuzz/fuzz.h"
#include <gst/check/gstharness.h>
#include <string.h>

enum
{
  CHUNKS = 7,
  REDUCE_SHIFT = 3,
  REDUCE = 3,
  FLUSH = 1 << 5,
  PARSER_ALONE = 1 << 6,
  FRAMED = 1 << 7,
};

static GstHarness *
open_harness (unsigned how)
{
  static GstHarness *harnesses[4];
  unsigned i = (how & PARSER_ALONE ? 1 : 0) | (how & FRAMED ? 2 : 0);

  if (!harnesses[i]) {
    harnesses[i] = gst_harness_new_parse (how & PARSER_ALONE
            ? "pacoparse"
            : "pacoparse ! " FUZZ_DECODER "pipeline-depth=2");
    gst_harness_set_drop_buffers (harnesses[i], TRUE);
    gst_harness_set_src_caps_str (harnesses[i],
        how & FRAMED ? "video/x-paco, parsed=true, alignment=frame"
                     : "video/x-paco");
  }
  return harnesses[i];
}

static void
set_reduce (GstHarness *harness, unsigned how)
{
  GstElement *decoder = gst_bin_get_by_name (
      GST_BIN (harness->element), "decoder");

  if (decoder) {
    g_object_set (decoder, "reduce", how >> REDUCE_SHIFT & REDUCE, NULL);
    gst_object_unref (decoder);
  }
}

static void
flush (GstHarness *harness, unsigned how)
{
  GstSegment segment;

  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_segment_init (
      &segment, how & FRAMED ? GST_FORMAT_TIME : GST_FORMAT_BYTES);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
}

/* Forgets what the elements have said, which is of no interest. */
static void
forget_events (GstHarness *harness)
{
  GstEvent *event;

  while ((event = gst_harness_try_pull_event (harness)))
    gst_event_unref (event);
  while ((event = gst_harness_try_pull_upstream_event (harness)))
    gst_event_unref (event);
}

/* Returns how many bytes the frame has that begins at data, as far as its
 * header tells. */
static size_t
frame_bytes (const uint8_t *data, size_t size)
{
  uint32_t bytes = 0;

  if (size >= 12 && memcmp (data, "PACO", 4) == 0)
    bytes = data[8] | data[9] << 8 | data[10] << 16 | (uint32_t) data[11] << 24;
  return CLAMP (bytes, 1, size);
}

static void
push_all (GstHarness *harness, unsigned how, const uint8_t *data, size_t size)
{
  static const size_t sizes[] = { 1 << 20, 4096, 1000, 333, 97, 64, 20, 7 };
  size_t chunk = MAX (sizes[how & CHUNKS], size / 300 + 1);
  unsigned n = 0;

  for (size_t at = 0, bytes; at < size; at += bytes, n++) {
    GstBuffer *buffer;

    bytes = how & FRAMED ? frame_bytes (data + at, size - at)
                         : MIN (chunk, size - at);
    if (n > 1000)
      bytes = size - at;
    buffer = gst_buffer_new_memdup (data + at, bytes);
    if (how & FRAMED) {
      GST_BUFFER_PTS (buffer) = n * (GST_SECOND / 25);
      GST_BUFFER_DURATION (buffer) = GST_SECOND / 25;
    }
    if (gst_harness_push (harness, buffer) != GST_FLOW_OK)
      return;
    if ((how & FLUSH) && n == 5)
      flush (harness, how);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  GstHarness *harness;

  if (size < 2)
    return 0;
  harness = open_harness (data[0]);
  set_reduce (harness, data[0]);
  flush (harness, data[0]);
  push_all (harness, data[0], data + 1, size - 1);
  gst_harness_push_event (harness, gst_event_new_eos ());
  forget_events (harness);
  return 0;
}

FUZZ_MUTATOR (stream)

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes pacoparse in pull mode, which asks its source for bytes, and pacodec,
 * from the beginning to the end or an error; libFuzzer's time limit ends what
 * hangs. The first byte has bits 0-1 seeks, bit 2 far ones, bit 3 backwards,
 * bit 4 accurate, bit 6 the parser alone. */
#include "tests/fuzz/fuzz.h"
#include <gio/gio.h>
#include <gst/gst.h>

enum
{
  SEEKS = 3,
  FAR = 1 << 2,
  BACKWARDS = 1 << 3,
  ACCURATE = 1 << 4,
  PARSER_ALONE = 1 << 6,
};

/* Makes a new one, because giostreamsrc keeps bytes of a stream that it had
 * before. */
static GstElement *
new_pipeline (unsigned how)
{
  return gst_parse_launch (how & PARSER_ALONE
          ? "giostreamsrc name=source ! pacoparse ! fakesink"
          : "giostreamsrc name=source ! pacoparse ! " FUZZ_DECODER
            "pipeline-depth=2 ! fakesink",
      NULL);
}

static void
set_stream (GstElement *pipeline, const uint8_t *data, size_t size)
{
  g_autoptr (GstElement)
      source = gst_bin_get_by_name (GST_BIN (pipeline), "source");
  GInputStream *stream = g_memory_input_stream_new_from_data (
      data, (gssize) size, NULL);

  g_object_set (source, "stream", stream, NULL);
  g_object_unref (stream);
}

static GstMessageType
wait_for (GstElement *pipeline, GstMessageType types)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, types | GST_MESSAGE_ERROR);
  GstMessageType type = GST_MESSAGE_TYPE (message);

  gst_message_unref (message);
  return type;
}

static void
seek (GstElement *pipeline, unsigned how, gint64 time)
{
  GstSeekFlags flags = GST_SEEK_FLAG_FLUSH
      | (how & ACCURATE ? GST_SEEK_FLAG_ACCURATE
                        : GST_SEEK_FLAG_KEY_UNIT | GST_SEEK_FLAG_SNAP_AFTER);

  if (how & FAR)
    time <<= 24;
  if (how & BACKWARDS)
    gst_element_seek (pipeline, -1.0, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
        0, GST_SEEK_TYPE_SET, time);
  else
    gst_element_seek (pipeline, 1.0, GST_FORMAT_TIME, flags, GST_SEEK_TYPE_SET,
        time, GST_SEEK_TYPE_NONE, -1);
}

/* Plays from paused to the end. */
static void
play (GstElement *pipeline, const uint8_t *data, size_t size)
{
  gint64 duration, position;

  gst_element_query_duration (pipeline, GST_FORMAT_TIME, &duration);
  gst_element_query_position (pipeline, GST_FORMAT_TIME, &position);
  for (unsigned i = 0; i < (data[0] & SEEKS); i++)
    seek (pipeline, data[0], data[(40 + i) % size] * 20 * GST_MSECOND);
  if (gst_element_set_state (pipeline, GST_STATE_PLAYING)
      != GST_STATE_CHANGE_FAILURE)
    wait_for (pipeline, GST_MESSAGE_EOS);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  g_autoptr (GstElement) pipeline = NULL;

  if (size < 2)
    return 0;
  pipeline = new_pipeline (data[0]);
  set_stream (pipeline, data + 1, size - 1);
  if (gst_element_set_state (pipeline, GST_STATE_PAUSED)
          != GST_STATE_CHANGE_FAILURE
      && wait_for (pipeline, GST_MESSAGE_ASYNC_DONE | GST_MESSAGE_EOS)
          != GST_MESSAGE_ERROR)
    play (pipeline, data, size);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return 0;
}

FUZZ_MUTATOR (stream)

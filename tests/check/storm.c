/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs several pipelines at once, to which everything that an application may do
 * happens at random times: seeks, flushes, changes of state, properties, stats. It
 * fails if an error comes, if something hangs, or if a sanitizer complains,
 * ThreadSanitizer above all (setup 'thread'). PACO_STORM_SECONDS says how long it
 * runs. */
#include "elements.h"
#include <stdlib.h>

#define N_PIPELINES 5
#define N_FRAMES "60"

static const gchar *const descriptions[N_PIPELINES] = {
  "videotestsrc pattern=snow ! video/x-raw,format=I420,width=200,height=120 ! "
  "pacoenc name=encoder backend=cpu threads=2 pipeline-depth=3 ! pacoparse ! "
  "pacodec name=decoder backend=cpu threads=2 pipeline-depth=3 ! fakesink",
  "filesrc location=%s ! pacoparse ! "
  "pacodec name=decoder backend=cpu threads=3 pipeline-depth=4 ! queue ! "
  "fakesink",
  "filesrc location=%s ! queue ! pacoparse ! "
  "pacodec name=decoder backend=cpu threads=1 reduce=1 ! fakesink sync=true",
  "videotestsrc pattern=snow ! video/x-raw,format=v210,width=96,height=64 ! "
  "pacoenc name=encoder backend=cpu threads=1 pipeline-depth=8 "
  "rate-control=lossless ! tee name=tee ! queue ! pacoparse ! "
  "pacodec name=decoder backend=cpu ! fakesink "
  "tee. ! queue ! pacoparse ! fakesink",
  "videotestsrc pattern=ball ! video/x-raw,format=GRAY8,width=96,height=64 ! "
  "pacoenc name=encoder backend=cpu threads=1 pipeline-depth=3 stack=5 ! "
  "pacoparse ! pacodec name=decoder backend=cpu threads=1 ! fakesink",
};

static gchar *stream;
static gint64 end;     /* g_get_monotonic_time() */
static gint n_actions; /* atomic */

typedef struct
{
  GstElement *pipeline, *encoder, *decoder;
  GRand *rand;
} Ship;

/* GstVideoDecoder says so when a flush drops the first frames and the stream ends
 * before the next; on a busy machine that may happen at any seek. */
#define NOTHING_CAME_OUT "No valid frames decoded before end of stream"

static void
expect_no_error (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

  if (message != NULL) {
    g_autoptr (GError) error = NULL;
    g_autofree gchar *details = NULL;

    gst_message_parse_error (message, &error, &details);
    if (strcmp (error->message, NOTHING_CAME_OUT) != 0)
      g_error ("%s: %s (%s)", GST_MESSAGE_SRC_NAME (message), error->message,
          details);
    gst_message_unref (message);
  }
}

/* Seeks to well before the end, so that frames come out. */
static void
seek (Ship *ship)
{
  gint64 time = g_rand_int_range (ship->rand, 0, 1500) * GST_MSECOND;

  if (g_rand_boolean (ship->rand))
    gst_element_seek_simple (ship->pipeline, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH
            | (g_rand_boolean (ship->rand) ? GST_SEEK_FLAG_ACCURATE
                                           : GST_SEEK_FLAG_KEY_UNIT),
        time);
  else
    gst_element_seek (ship->pipeline, g_rand_boolean (ship->rand) ? -1.0 : 2.0,
        GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET, 0,
        GST_SEEK_TYPE_SET, 3 * GST_SECOND);
}

static void
change_state (Ship *ship)
{
  static const GstState states[] = { GST_STATE_PAUSED, GST_STATE_PLAYING,
    GST_STATE_READY, GST_STATE_NULL };

  gst_element_set_state (ship->pipeline,
      states[g_rand_int_range (ship->rand, 0, G_N_ELEMENTS (states))]);
  gst_element_set_state (ship->pipeline, GST_STATE_PLAYING);
}

static void
set_properties (Ship *ship)
{
  if (ship->encoder != NULL)
    g_object_set (ship->encoder, "quality",
        g_rand_double_range (ship->rand, 1.0, 100.0), NULL);
  g_object_set (
      ship->decoder, "reduce", g_rand_int_range (ship->rand, 0, 3), NULL);
}

static void
ask (Ship *ship)
{
  GstStructure *stats = NULL;
  gint64 value;

  if (ship->encoder != NULL) {
    g_object_get (ship->encoder, "stats", &stats, NULL);
    gst_structure_free (stats);
  }
  g_object_get (ship->decoder, "stats", &stats, NULL);
  gst_structure_free (stats);
  gst_element_query_position (ship->pipeline, GST_FORMAT_TIME, &value);
  gst_element_query_duration (ship->pipeline, GST_FORMAT_TIME, &value);
}

static void
sail (const gchar *description, GRand *rand)
{
  static void (*const actions[]) (
      Ship *) = { seek, seek, change_state, set_properties, ask };
  Ship ship = { .rand = rand };

  ship.pipeline = gst_parse_launch (description, NULL);
  g_assert (ship.pipeline != NULL);
  ship.encoder = gst_bin_get_by_name (GST_BIN (ship.pipeline), "encoder");
  ship.decoder = gst_bin_get_by_name (GST_BIN (ship.pipeline), "decoder");
  gst_element_set_state (ship.pipeline, GST_STATE_PLAYING);
  for (guint i = 0; i < 40 && g_get_monotonic_time () < end; i++) {
    g_usleep (g_rand_int_range (rand, 0, 15000));
    actions[g_rand_int_range (rand, 0, G_N_ELEMENTS (actions))](&ship);
    g_atomic_int_inc (&n_actions);
    expect_no_error (ship.pipeline);
  }
  gst_element_set_state (ship.pipeline, GST_STATE_NULL);
  expect_no_error (ship.pipeline);
  gst_clear_object (&ship.encoder);
  gst_object_unref (ship.decoder);
  gst_object_unref (ship.pipeline);
}

static gpointer
storm (gpointer data)
{
  g_autoptr (GRand) rand = g_rand_new ();
  gchar *description = g_strdup (data);

  if (strstr (description, "%s") != NULL) {
    gchar **parts = g_strsplit (description, "%s", 2);

    g_free (description);
    description = g_strjoinv (stream, parts);
    g_strfreev (parts);
  }
  while (g_get_monotonic_time () < end)
    sail (description, rand);
  g_free (description);
  return NULL;
}

/* Records the file in which pipelines seek. */
static void
record (void)
{
  stream = temporary_file ();
  run (launch ("videotestsrc num-buffers=" N_FRAMES " ! "
               "video/x-raw,format=I420,width=200,height=120,framerate=25/1 ! "
               "pacoenc backend=cpu ! filesink location=%s",
      stream));
}

TEST (test_storm)
{
  const gchar *seconds = g_getenv ("PACO_STORM_SECONDS");
  GThread *threads[N_PIPELINES];

  record ();
  end = g_get_monotonic_time ()
      + (seconds != NULL ? atoi (seconds) : 4) * G_TIME_SPAN_SECOND;
  for (guint i = 0; i < N_PIPELINES; i++)
    threads[i] = g_thread_new ("storm", storm, (gpointer) descriptions[i]);
  for (guint i = 0; i < N_PIPELINES; i++)
    g_thread_join (threads[i]);
  g_print ("%d actions\n", n_actions);
  fail_unless (n_actions > 10);
  remove_file (stream);
}

TEST_MAIN ("storm")

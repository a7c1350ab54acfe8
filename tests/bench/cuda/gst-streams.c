/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures many streams that one process codes on one GPU, each with elements of its own,
 * from buffers of the pools that these propose:
 *
 *   gst-streams [OPTIONS] PREFIX [FILE.ppm]
 *
 * prints JSON lines (figures.h) with names that begin with PREFIX:
 *
 *   ..._enc_fps, or ..._both_fps with --both   of all streams together
 *   ..._cores_per_100fps                       of the processor
 *   ..._slowest                                speed of the slowest one over the mean
 *
 * --both: each pipeline decodes what it encodes.
 * --rate=FPS: a clock sends FPS frames a second to each stream, to all at the same
 * moment; only ..._p50_ms and ..._p99_ms, from that moment to the encoded frame.
 * --beside: only the first stream has the clock, and the latencies are its own.
 * --most: only ..._cameras, with how many streams 99 % of the frames are there before
 * the clock sends the next ones; found by doubling and halving.
 *
 * PACO_H2D_GBPS is the rate of the bus as paco-bench has found it; a ratio of 1 is as
 * many frames as it moves. */
#include "tests/bench/cuda/content.h"
#include "tests/bench/cuda/elements.h"
#include "tests/bench/cuda/figures.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STREAMS 256

typedef struct
{
  ElementsCase c;
  const char *prefix;
  double rate;
  int n_streams;
  gboolean beside, most;
} Options;

/* Streams wait for one another before their first frames, and each goes on until all have
 * had enough. */
typedef struct
{
  GMutex lock;
  GCond all_ready;
  guint n, n_ready;
  gint n_enough; /* atomic */
} Meeting;

typedef struct
{
  Meeting *meeting;
  ElementsCase c;
  ElementsRun run;
  gboolean enough;
  GThread *thread;
} Stream;

static void
stream_is_ready (void *data)
{
  Meeting *meeting = ((Stream *) data)->meeting;

  g_mutex_lock (&meeting->lock);
  if (++meeting->n_ready == meeting->n)
    g_cond_broadcast (&meeting->all_ready);
  while (meeting->n_ready < meeting->n)
    g_cond_wait (&meeting->all_ready, &meeting->lock);
  g_mutex_unlock (&meeting->lock);
}

static gboolean
stream_wants_more (void *data)
{
  Stream *stream = data;

  if (!stream->enough)
    g_atomic_int_inc (&stream->meeting->n_enough);
  stream->enough = TRUE;
  return g_atomic_int_get (&stream->meeting->n_enough)
      < (gint) stream->meeting->n;
}

static gpointer
stream_main (gpointer data)
{
  Stream *stream = data;

  elements_encode (&stream->c, &stream->run,
      &(ElementsOthers){ stream_is_ready, stream_wants_more, stream });
  return NULL;
}

static Stream *
run_streams (const Options *options, guint n)
{
  Meeting meeting = { .n = n };
  Stream *streams = g_new0 (Stream, n);

  g_mutex_init (&meeting.lock);
  g_cond_init (&meeting.all_ready);
  for (guint i = 0; i < n; i++) {
    streams[i].meeting = &meeting;
    streams[i].c = options->c;
    if (i == 0 || !options->beside)
      streams[i].c.rate = options->rate;
    streams[i].thread = g_thread_new ("stream", stream_main, &streams[i]);
  }
  for (guint i = 0; i < n; i++)
    g_thread_join (streams[i].thread);
  g_cond_clear (&meeting.all_ready);
  g_mutex_clear (&meeting.lock);
  return streams;
}

static void
free_streams (Stream *streams, guint n)
{
  for (guint i = 0; i < n; i++)
    elements_run_clear (&streams[i].run);
  g_free (streams);
}

/* --- figures --- */

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* Returns the latency of which a share of the frames of n streams stays below. */
static double
quantile (const Stream *streams, guint n, double share)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; i < n; i++)
    g_array_append_vals (
        all, streams[i].run.latencies->data, streams[i].run.latencies->len);
  qsort (all->data, all->len, sizeof (double), compare);
  return g_array_index (all, double, (guint) (share * (all->len - 1)));
}

static void
measure_latency (const Options *options, guint n)
{
  Stream *streams = run_streams (options, n);
  guint n_measured = options->beside ? 1 : n;

  fprintf (stderr, "worst: %.4g ms\n", quantile (streams, n_measured, 1));
  figure_cost (quantile (streams, n_measured, 0.5), "ms", NULL, 0, "%s_p50_ms",
      options->prefix);
  figure_cost (quantile (streams, n_measured, 0.99), "ms", NULL, 0, "%s_p99_ms",
      options->prefix);
  free_streams (streams, n);
}

static gboolean
is_in_time (const Options *options, guint n)
{
  Stream *streams = run_streams (options, n);
  double latency = quantile (streams, n, 0.99);

  fprintf (stderr, "%u streams: %.4g ms\n", n, latency);
  free_streams (streams, n);
  return latency < 1000 / options->rate;
}

static void
measure_most (const Options *options)
{
  guint good = 0, bad = 8;

  while (bad <= MAX_STREAMS && is_in_time (options, bad)) {
    good = bad;
    bad *= 2;
  }
  while (bad - good > 1 + good / 8) {
    guint n = (good + bad) / 2;

    if (is_in_time (options, n))
      good = n;
    else
      bad = n;
  }
  figure_speed (good, "streams", NULL, 0, "%s_cameras", options->prefix);
}

/* Returns how many of a stream's frames came while the first stream was measured. */
static guint
count_beside_first (const Stream *streams, guint i)
{
  const GArray *first = streams[0].run.arrivals;
  const GArray *arrivals = streams[i].run.arrivals;
  gint64 from = g_array_index (first, gint64, 0);
  gint64 to = g_array_index (first, gint64, first->len - 1);
  guint n = 0;

  for (guint k = 0; k < arrivals->len; k++) {
    gint64 arrival = g_array_index (arrivals, gint64, k);

    n += arrival > from && arrival <= to;
  }
  return n;
}

static void
measure_speed (const Options *options, guint n)
{
  Stream *streams = run_streams (options, n);
  const char *rate = g_getenv ("PACO_H2D_GBPS");
  GArray *arrivals[MAX_STREAMS];
  double speed, slowest;
  guint n_frames = 0;

  for (guint i = 0; i < n; i++) {
    n_frames += count_beside_first (streams, i);
    arrivals[i] = streams[i].run.arrivals;
  }
  speed = elements_joint_speed (arrivals, n, &slowest);
  figure_speed (speed, "frames/s", "h2d_gbps",
      rate ? 1e9 * g_ascii_strtod (rate, NULL)
              / (double) elements_picture_size (&options->c)
           : 0,
      "%s_%s_fps", options->prefix, options->c.both ? "both" : "enc");
  figure_cost (100 * streams[0].run.processor / n_frames, "cores", NULL, 0,
      "%s_cores_per_100fps", options->prefix);
  figure_speed (slowest, "of the mean", NULL, 0, "%s_slowest", options->prefix);
  free_streams (streams, n);
}

/* --- options --- */

static gboolean
parse (Options *options, int argc, char **argv, char ***files, GError **error)
{
  const GOptionEntry entries[] = {
    { "streams", 0, 0, G_OPTION_ARG_INT, &options->n_streams, "Streams (8)",
        "N" },
    { "both", 0, 0, G_OPTION_ARG_NONE, &options->c.both,
        "Each decodes what it encodes", NULL },
    { "rate", 0, 0, G_OPTION_ARG_DOUBLE, &options->rate,
        "Frames a second that a clock sends to each", "FPS" },
    { "beside", 0, 0, G_OPTION_ARG_NONE, &options->beside,
        "Only the first stream has the clock", NULL },
    { "most", 0, 0, G_OPTION_ARG_NONE, &options->most,
        "How many streams are in time", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, files, NULL,
        "PREFIX [FILE.ppm]" },
    { NULL },
  };

  return elements_parse (
             &options->c, entries, "- measures many streams", argc, argv, error)
      && ((*files && options->c.n_frames > 1 && options->n_streams > 0
              && options->n_streams <= MAX_STREAMS && options->rate >= 0
              && (options->rate > 0 || !(options->most || options->beside)))
          || elements_refuse (error));
}

int
main (int argc, char **argv)
{
  Options options = {
    .c = {
      .format = "I422_10LE",
      .width = 1920,
      .height = 1080,
      .backend = "cuda",
      .rate_control = "lossless",
      .depth = 2,
      .n_warm = 40,
      .n_frames = 600,
    },
    .n_streams = 8,
  };
  char **files = NULL;
  GError *error = NULL;

  if (!parse (&options, argc, argv, &files, &error)) {
    fprintf (stderr, "%s\n", error->message);
    g_error_free (error);
    return 2;
  }
  options.prefix = files[0];
  options.c.picture = files[1];
  gst_init (NULL, NULL);
  if (options.most)
    measure_most (&options);
  else if (options.rate > 0)
    measure_latency (&options, (guint) options.n_streams);
  else
    measure_speed (&options, (guint) options.n_streams);
  g_strfreev (files);
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Shows what frames in flight do when. The backend marks the borders of a
 * frame's stages with events anyway; here they are asked for when each frame
 * has ended, for frames alone and for frames in a row.
 *
 * The ceiling of the overlap, the time of a frame's stages alone over the time
 * from frame to frame in a row, is that its longest stage never pauses. */
#include "tests/bench/cuda/figures.h"
#include "tests/bench/cuda/pipeline.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 4
#define N_WARM 24
#define N_FRAMES 96
#define N_SHOWN 8
#define N_COLUMNS 64

/* Downloads wait for their turn behind CODED; this is when they began. */
#define DOWNLOAD PACO_CUDA_N_EVENTS

typedef struct
{
  double ms[PACO_CUDA_N_EVENTS + 1];
} Moments;

typedef struct
{
  Bench *bench;
  GMutex lock;     /* flights' threads append */
  GArray *moments; /* of Moments */
} Log;

typedef struct
{
  const char *name;
  unsigned from, to; /* moments */
} Stage;

#define N_STAGES 3

static const Stage stages[N_STAGES] = {
  { "upload", PACO_CUDA_BEGIN, PACO_CUDA_UPLOADED },
  { "kernels", PACO_CUDA_STAGE_1, PACO_CUDA_CODED },
  { "download", DOWNLOAD, PACO_CUDA_END },
};

static double
stage_ms (const Moments *moments, unsigned stage)
{
  return moments->ms[stages[stage].to] - moments->ms[stages[stage].from];
}

/* --- the log --- */

static void
frame_ended (void *data, const CUevent *events)
{
  Log *log = data;
  Bench *bench = log->bench;
  Moments moments;

  for (unsigned i = 0; i < PACO_CUDA_N_EVENTS; i++) {
    float milliseconds;

    must_succeed (bench->device->driver->event_elapsed_time (
        &milliseconds, bench->events[0], events[i]));
    moments.ms[i] = milliseconds;
  }
  g_mutex_lock (&log->lock);
  g_array_append_val (log->moments, moments);
  g_mutex_unlock (&log->lock);
}

static int
compare_moments (const void *a, const void *b)
{
  const Moments *x = a, *y = b;
  double difference = x->ms[PACO_CUDA_END] - y->ms[PACO_CUDA_END];

  return difference < 0 ? -1 : difference > 0;
}

static void
log_begin (Log *log, Bench *bench)
{
  *log = (Log){ .bench = bench };
  g_mutex_init (&log->lock);
  log->moments = g_array_new (FALSE, FALSE, sizeof (Moments));
  must_succeed (
      bench->device->driver->event_record (bench->events[0], bench->stream));
  must_succeed (bench->device->driver->event_synchronize (bench->events[0]));
  bench->device->frame_ended_data = log;
  bench->device->frame_ended = frame_ended;
}

/* Ends the log, without the frames that warmed up. */
static Moments *
log_end (Log *log)
{
  Moments *moments;

  log->bench->device->frame_ended = NULL;
  g_array_sort (log->moments, compare_moments);
  moments = &g_array_index (log->moments, Moments, 0);
  for (guint i = 1; i < log->moments->len; i++)
    moments[i].ms[DOWNLOAD] = MAX (
        moments[i].ms[PACO_CUDA_CODED], moments[i - 1].ms[PACO_CUDA_END]);
  return moments + N_WARM;
}

static void
log_clear (Log *log)
{
  g_array_unref (log->moments);
  g_mutex_clear (&log->lock);
}

/* --- frames --- */

static void
run_encoder (Bench *bench, unsigned depth, const PacoParameters *parameters)
{
  PacoEncoder *encoder = pipeline_encoder (
      bench, depth, &bench->pinned[0], parameters);

  for (unsigned i = 0; i < N_WARM + N_FRAMES + depth; i++) {
    if (i >= depth) {
      PacoEncodedFrame *frame = pipeline_collect (encoder);

      frame->release (frame);
    }
    pipeline_submit (encoder, &bench->pinned[i % BENCH_PICTURES]);
  }
  paco_coder_abandon (PACO_CODER (encoder), NULL);
  paco_coder_close (PACO_CODER (encoder));
}

static void
run_decoder (Bench *bench, unsigned depth, const PacoEncodedFrame *frame)
{
  PacoDecoder *decoder = pipeline_decoder (depth, &bench->pinned[0], frame);

  for (unsigned i = 0; i < N_WARM + N_FRAMES + depth; i++) {
    if (i >= depth)
      pipeline_collect_picture (decoder);
    pipeline_submit_stream (decoder, frame, &bench->pinned[i % BENCH_PICTURES]);
  }
  paco_coder_abandon (PACO_CODER (decoder), NULL);
  paco_coder_close (PACO_CODER (decoder));
}

static PacoEncodedFrame *
encode_one (Bench *bench, const PacoParameters *parameters)
{
  PacoEncoder *encoder = pipeline_encoder (
      bench, 1, &bench->pinned[0], parameters);
  PacoEncodedFrame *frame;

  pipeline_submit (encoder, &bench->pinned[0]);
  frame = pipeline_collect (encoder);
  paco_coder_close (PACO_CODER (encoder));
  return frame;
}

/* --- what is printed --- */

static void
print_frames (const char *name, const Moments *moments)
{
  double origin = moments[0].ms[PACO_CUDA_BEGIN];

  for (unsigned i = 0; i < N_SHOWN; i++) {
    printf ("{\"timeline\": \"%s\", \"frame\": %u", name, i);
    for (unsigned k = 0; k < N_STAGES; k++)
      printf (", \"%s\": [%.3f, %.3f]", stages[k].name,
          moments[i].ms[stages[k].from] - origin,
          moments[i].ms[stages[k].to] - origin);
    printf (", \"unit\": \"ms\"}\n");
  }
}

/* Says which stage a frame is in at a time; N_STAGES: it waits; -1: it is not
 * there. */
static int
stage_at (const Moments *moments, double ms)
{
  for (unsigned k = 0; k < N_STAGES; k++)
    if (ms >= moments->ms[stages[k].from] && ms < moments->ms[stages[k].to])
      return (int) k;
  return ms >= moments->ms[PACO_CUDA_BEGIN] && ms < moments->ms[PACO_CUDA_END]
      ? N_STAGES
      : -1;
}

static void
print_chart (const char *name, const Moments *moments)
{
  double begin = moments[0].ms[PACO_CUDA_BEGIN];
  double column = (moments[N_SHOWN - 1].ms[PACO_CUDA_END] - begin) / N_COLUMNS;

  printf ("%s: u upload, k kernels, d download, . waits; %.3f ms a column\n",
      name, column);
  for (unsigned i = 0; i < N_SHOWN; i++) {
    printf ("  frame %u   ", i);
    for (unsigned x = 0; x < N_COLUMNS; x++)
      putchar (" ukd."[1 + stage_at (&moments[i], begin + (x + 0.5) * column)]);
    putchar ('\n');
  }
  /* Frames before and after those shown are counted too. */
  for (unsigned k = 0; k < N_STAGES; k++) {
    printf ("  %-10s", stages[k].name);
    for (unsigned x = 0; x < N_COLUMNS; x++) {
      unsigned n = 0;

      for (int i = -DEPTH; i < N_SHOWN + DEPTH; i++)
        n += stage_at (&moments[i], begin + (x + 0.5) * column) == (int) k;
      putchar (n > 0 ? '0' + (int) n : ' ');
    }
    putchar ('\n');
  }
}

/* Returns the sum of the stages' medians. */
static double
median_stages (const Moments *moments, double *longest)
{
  double values[N_FRAMES], sum = 0;

  *longest = 0;
  for (unsigned k = 0; k < N_STAGES; k++) {
    double ms;

    for (unsigned i = 0; i < N_FRAMES; i++)
      values[i] = stage_ms (&moments[i], k);
    ms = median (values, N_FRAMES);
    printf ("  %s %.3f ms\n", stages[k].name, ms);
    *longest = MAX (*longest, ms);
    sum += ms;
  }
  return sum;
}

static void
timeline (Bench *bench, const char *name, const PacoParameters *parameters,
    const PacoEncodedFrame *frame)
{
  double sum = 0, longest = 0, wall;

  for (unsigned depth = 1; depth <= DEPTH; depth += DEPTH - 1) {
    Log log;
    const Moments *moments;

    log_begin (&log, bench);
    if (frame)
      run_decoder (bench, depth, frame);
    else
      run_encoder (bench, depth, parameters);
    moments = log_end (&log);
    if (depth == 1) {
      printf ("%s, frames alone:\n", name);
      sum = median_stages (moments, &longest);
    } else {
      print_frames (name, moments + N_FRAMES / 2);
      print_chart (name, moments + N_FRAMES / 2);
      wall = (moments[N_FRAMES - 1].ms[PACO_CUDA_END]
                 - moments[0].ms[PACO_CUDA_END])
          / (N_FRAMES - 1);
      figure_cost (wall, "ms", "longest stage", longest, "%s_frame_ms", name);
      figure_speed (sum / wall, "stages at once", "longest stage",
          sum / longest, "%s_overlap", name);
    }
    log_clear (&log);
  }
}

void
bench_timeline (Bench *bench)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;

  parameters.rgb = true;
  parameters.tune = PACO_TUNE_PSNR;
  for (unsigned lossless = 2; lossless-- > 0;) {
    PacoEncodedFrame *frame;

    bench_restore (bench);
    parameters.rate_control = lossless ? PACO_RATE_LOSSLESS : PACO_RATE_QUALITY;
    frame = encode_one (bench, &parameters);
    timeline (
        bench, lossless ? "lossless_enc" : "quality_enc", &parameters, NULL);
    timeline (
        bench, lossless ? "lossless_dec" : "quality_dec", &parameters, frame);
    frame->release (frame);
  }
}

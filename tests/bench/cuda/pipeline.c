/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the whole way, through the backend's table: pictures go from the
 * host's memory to codestreams there, and back. The host's clock measures,
 * since what it does is a part of that.
 *
 * Ceilings: of frames per second and of the milliseconds of a lone frame, the
 * bus, with nothing but these pictures (and codestreams, which a lone frame
 * waits for too); of the host's work, one copy of each picture by memcpy(), so that
 * a ratio above 1 says that pictures are not copied. */
#include "tests/bench/cuda/bench.h"
#include "tests/bench/cuda/figures.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define DEPTH 4
#define N_LONE 40 /* frames alone */
#define N_WINDOWS 24
#define WINDOW 40 /* frames */
#define N_WARM 20

typedef struct
{
  double milliseconds; /* a frame, alone or in a row */
  double cores;        /* at 100 frames a second */
} Speed;

/* This is a coder under test: put() hands in frame i, take() collects the
 * oldest. */
typedef struct _Coder Coder;
struct _Coder
{
  void (*put) (Coder *coder, unsigned i);
  void (*take) (Coder *coder);
  PacoEncoder *encoder;
  PacoDecoder *decoder;
  const PacoPicture *pictures;
  unsigned n_pictures;
  const PacoEncodedFrame *frame; /* to be decoded */
};

static double
processor_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
      + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double
milliseconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / 1000.0;
}

static Speed
lone_frames (Coder *coder)
{
  double values[N_LONE];

  for (unsigned i = 0; i < N_WARM + N_LONE; i++) {
    gint64 begin = g_get_monotonic_time ();

    coder->put (coder, i);
    coder->take (coder);
    if (i >= N_WARM)
      values[i - N_WARM] = milliseconds_since (begin);
  }
  return (Speed){ .milliseconds = median (values, N_LONE) };
}

static Speed
frames_in_a_row (Coder *coder)
{
  double values[N_WINDOWS], processor = 0;
  gint64 begin = 0;

  for (unsigned i = 0; i < DEPTH; i++)
    coder->put (coder, i);
  for (unsigned i = 0; i <= N_WARM + N_WINDOWS * WINDOW; i++) {
    unsigned measured = i - N_WARM;

    coder->take (coder);
    if (i == N_WARM)
      processor = processor_seconds ();
    else if (i > N_WARM && measured % WINDOW == 0)
      values[measured / WINDOW - 1] = milliseconds_since (begin);
    if (i >= N_WARM && measured % WINDOW == 0)
      begin = g_get_monotonic_time ();
    coder->put (coder, i + DEPTH);
  }
  processor = processor_seconds () - processor;
  for (unsigned i = 0; i < DEPTH; i++)
    coder->take (coder);
  return (Speed){
    .milliseconds = median (values, N_WINDOWS) / WINDOW,
    .cores = 100.0 * processor / (N_WINDOWS * WINDOW),
  };
}

static Speed
measure (Coder *coder, unsigned depth)
{
  return depth == 1 ? lone_frames (coder) : frames_in_a_row (coder);
}

/* --- coders --- */

static PacoEncoder *
pipeline_encoder (Bench *bench, unsigned depth, const PacoPicture *picture,
    const PacoParameters *parameters)
{
  const PacoBackendOptions options = { .device = BENCH_DEVICE, .depth = depth };
  GError *error = NULL;
  PacoEncoder *encoder = paco_cuda_backend.encoder_open (&options, &error);

  must (encoder != NULL, error);
  must (paco_encoder_configure (
            encoder, &bench->format, picture->layout, parameters, &error),
      error);
  return encoder;
}

static void
pipeline_submit (PacoEncoder *encoder, const PacoPicture *picture)
{
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  GError *error = NULL;

  must (paco_encoder_submit (encoder, picture, &video, NULL, &error), error);
}

static PacoEncodedFrame *
pipeline_collect (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame = paco_encoder_collect (encoder, NULL);

  must (!frame->error, frame->error);
  return frame;
}

static PacoDecoder *
pipeline_decoder (
    unsigned depth, const PacoPicture *picture, const PacoEncodedFrame *frame)
{
  const PacoBackendOptions options = { .device = BENCH_DEVICE, .depth = depth };
  GError *error = NULL;
  PacoDecoder *decoder = paco_cuda_backend.decoder_open (&options, &error);
  PacoHeader header;

  must (decoder != NULL, error);
  must (paco_header_parse (frame->data, frame->size, &header, NULL, &error),
      error);
  must (paco_decoder_configure (decoder, &header, picture->layout, 0, &error),
      error);
  return decoder;
}

static void
pipeline_submit_stream (PacoDecoder *decoder, const PacoEncodedFrame *frame,
    const PacoPicture *destination)
{
  GError *error = NULL;
  PacoCodedFrame coded;

  must (
      paco_coded_frame_parse (&coded, frame->data, frame->size, &error), error);
  must (
      paco_decoder_submit (decoder, &coded, destination, NULL, &error), error);
}

static void
pipeline_collect_picture (PacoDecoder *decoder)
{
  PacoDecodedFrame frame = { NULL };

  must (paco_decoder_collect (decoder, &frame, NULL), NULL);
  must (!frame.error && frame.corrupted_blocks == 0, frame.error);
}

static void
put_picture (Coder *coder, unsigned i)
{
  pipeline_submit (coder->encoder, &coder->pictures[i % coder->n_pictures]);
}

static void
take_stream (Coder *coder)
{
  PacoEncodedFrame *frame = pipeline_collect (coder->encoder);

  frame->release (frame);
}

static void
put_stream (Coder *coder, unsigned i)
{
  pipeline_submit_stream (
      coder->decoder, coder->frame, &coder->pictures[i % coder->n_pictures]);
}

static void
take_picture (Coder *coder)
{
  pipeline_collect_picture (coder->decoder);
}

/* Measures encoding. Pictures are the content, not what a decoder has made of
 * it. */
static Speed
encode_speed (Bench *bench, unsigned depth, const PacoPicture *pictures,
    const PacoParameters *parameters)
{
  Coder coder = {
    .put = put_picture,
    .take = take_stream,
    .encoder = pipeline_encoder (bench, depth, &pictures[0], parameters),
    .pictures = pictures,
    .n_pictures = BENCH_PICTURES,
  };
  Speed speed;

  bench_restore (bench);
  speed = measure (&coder, depth);
  paco_coder_close (PACO_CODER (coder.encoder));
  return speed;
}

/* Measures decoding. The first picture stays as it is, to be compared with. Of
 * the others nothing is left. */
static Speed
decode_speed (Bench *bench, unsigned depth, const PacoPicture *pictures,
    const PacoEncodedFrame *frame)
{
  Coder coder = {
    .put = put_stream,
    .take = take_picture,
    .decoder = pipeline_decoder (depth, &pictures[1], frame),
    .pictures = pictures + 1,
    .n_pictures = BENCH_PICTURES - 1,
    .frame = frame,
  };
  Speed speed;

  for (unsigned i = 0; i < coder.n_pictures; i++)
    memset (coder.pictures[i].data[0], 0x55, bench->n_bytes);
  speed = measure (&coder, depth);
  paco_coder_close (PACO_CODER (coder.decoder));
  return speed;
}

/* --- figures --- */

/* Prints figures; name is "lossless_enc" or "quality_dec_unpinned", for
 * example. */
static void
speed_figures (Bench *bench, const char *name, unsigned depth, bool encodes,
    size_t stream_bytes, const Speed *speed)
{
  const BenchCeilings *ceilings = &bench->ceilings;
  double up = encodes ? bench->n_bytes : stream_bytes;
  double down = encodes ? stream_bytes : bench->n_bytes;
  double bus = encodes ? ceilings->h2d_gbps : ceilings->d2h_gbps;

  if (depth == 1) {
    figure_cost (speed->milliseconds, "ms", "h2d_gbps and d2h_gbps",
        (up / ceilings->h2d_gbps + down / ceilings->d2h_gbps) / 1e6,
        "%s_latency_ms", name);
    return;
  }
  figure_speed (1000.0 / speed->milliseconds, "frames/s",
      encodes ? "h2d_gbps" : "d2h_gbps", 1e9 * bus / bench->n_bytes, "%s_fps",
      name);
  figure_cost (speed->cores, "cores", "memcpy_gbps",
      100.0 * bench->n_bytes / ceilings->memcpy_gbps / 1e9,
      "%s_cores_per_100fps", name);
}

/* Measures coding that is lossless, by quality or with a budget. */
static void
bench_rate (Bench *bench, const char *prefix, const PacoParameters *parameters)
{
  bool lossless = parameters->rate_control == PACO_RATE_LOSSLESS;
  PacoEncoder *encoder = pipeline_encoder (
      bench, 1, &bench->pinned[0], parameters);
  PacoEncodedFrame *frame;
  char name[64];

  pipeline_submit (encoder, &bench->pinned[0]);
  frame = pipeline_collect (encoder);
  figure_cost (frame->size, "bytes", "raw samples", bench->n_samples * 12 / 8,
      "%s_frame_bytes", prefix);
  for (unsigned depth = 1; depth <= DEPTH; depth += DEPTH - 1) {
    for (unsigned pinned = 2; pinned-- > 0;) {
      const PacoPicture *pictures = pinned ? bench->pinned : bench->ordinary;
      const char *memory = pinned ? "" : "_unpinned";
      Speed speed = encode_speed (bench, depth, pictures, parameters);

      g_snprintf (name, sizeof name, "%s_enc%s", prefix, memory);
      speed_figures (bench, name, depth, true, frame->size, &speed);
      if (depth == 1 && pinned && lossless)
        figure_cost (speed.milliseconds, "ms", "h2d_gbps and d2h_gbps",
            bench->n_bytes / bench->ceilings.h2d_gbps / 1e6
                + frame->size / bench->ceilings.d2h_gbps / 1e6,
            "latency_ms");
      speed = decode_speed (bench, depth, pictures, frame);
      g_snprintf (name, sizeof name, "%s_dec%s", prefix, memory);
      speed_figures (bench, name, depth, false, frame->size, &speed);
    }
  }
  for (unsigned i = 1; lossless && i < BENCH_PICTURES; i++)
    if (memcmp (
            bench->pinned[0].data[0], bench->pinned[i].data[0], bench->n_bytes)
            != 0
        || memcmp (bench->pinned[0].data[0], bench->ordinary[i].data[0],
               bench->n_bytes)
            != 0)
      g_error ("picture %u did not come back as it was", i);
  frame->release (frame);
  paco_coder_close (PACO_CODER (encoder));
}

void
bench_pipeline (Bench *bench)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;

  parameters.rgb = true;
  parameters.tune = PACO_TUNE_PSNR;
  bench_rate (bench, "quality", &parameters);
  parameters.rate_control = PACO_RATE_LOSSLESS;
  bench_rate (bench, "lossless", &parameters);
  parameters.rate_control = PACO_RATE_BITRATE;
  parameters.frame_size = bench_frame_size (bench);
  bench_rate (bench, "bitrate", &parameters);
}

/* --- what frames in flight do when ---
 *
 * Shows what frames in flight do when. The backend marks the borders of a
 * frame's stages with events anyway; here they are asked for when each frame
 * has ended, for frames alone and for frames in a row.
 *
 * The ceiling of the overlap, the time of a frame's stages alone over the time
 * from frame to frame in a row, is that its longest stage never pauses. */

#define N_WARM_TIMELINE 24
#define N_FRAMES 96
#define N_SHOWN 8
#define N_COLUMNS 64

/* Downloads wait for their turn behind CODED; this is when they began. */
#define DOWNLOAD PACO_CUDA_N_MOMENTS

typedef struct
{
  double ms[PACO_CUDA_N_MOMENTS + 1];
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

  for (unsigned i = 0; i < PACO_CUDA_N_MOMENTS; i++) {
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
  must_succeed (bench->device->driver->event_record (
      bench->events[0], bench->stream.handle));
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
  return moments + N_WARM_TIMELINE;
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

  for (unsigned i = 0; i < N_WARM_TIMELINE + N_FRAMES + depth; i++) {
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

  for (unsigned i = 0; i < N_WARM_TIMELINE + N_FRAMES + depth; i++) {
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

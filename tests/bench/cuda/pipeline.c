/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the whole way, through the backend's table: pictures go from the
 * host's memory to codestreams there, and back. The host's clock measures,
 * since what it does is a part of that.
 *
 * Ceilings: of frames per second and of the milliseconds of a lone frame, the
 * bus, with nothing but these pictures (and codestreams, which a lone frame
 * waits for too); of the host's work, one copy of each picture by memcpy(), so that
 * a ratio above 1 says that pictures are not copied. */
#include "tests/bench/cuda/pipeline.h"
#include "tests/bench/cuda/figures.h"
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

PacoEncoder *
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

void
pipeline_submit (PacoEncoder *encoder, const PacoPicture *picture)
{
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  GError *error = NULL;

  must (paco_encoder_submit (encoder, picture, &video, NULL, &error), error);
}

PacoEncodedFrame *
pipeline_collect (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame = paco_encoder_collect (encoder, NULL);

  must (!frame->error, frame->error);
  return frame;
}

PacoDecoder *
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

void
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

void
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

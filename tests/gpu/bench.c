/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The CUDA backend's speed on 4096x2160 RGB with 12 bits, one JSON line per
 * figure: medians of at least 20 runs after some to warm up.
 *
 *   bench [FILE.ppm]   a picture with 8 bits of 3840x2160 or more, to which
 *                      noise adds the lower bits; else one that is computed
 *
 * Exit status 77 (skipped) without a CUDA device. */
#include "codec/index.h"
#include "codec/policy.h"
#include "gpu/frame.h"
#include "gpu/pack.h"
#include "tests/gpu/content.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define WIDTH CONTENT_WIDTH
#define HEIGHT CONTENT_HEIGHT
#define N_SAMPLES CONTENT_SAMPLES
#define N_BYTES CONTENT_BYTES
/* More than the device's cache holds, so that every run finds it cold. */
#define N_SETS 3
#define N_RUNS 30
#define N_WARM 6

static const PacoPictureFormat format = {
  .width = WIDTH,
  .height = HEIGHT,
  .n_components = 3,
  .components = { { 12, 0, 0 }, { 12, 0, 0 }, { 12, 0, 0 } },
};

static void
figure (const char *name, double value)
{
  printf ("{\"figure\": \"%s\", \"value\": %.4g}\n", name, value);
  fflush (stdout);
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
median (double *values, unsigned n)
{
  qsort (values, n, sizeof *values, compare_doubles);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void
must (gboolean done, GError *error)
{
  if (!done)
    g_error ("%s", error ? error->message : "a call failed");
}

static void
must_succeed (CUresult result)
{
  if (result != CUDA_SUCCESS)
    g_error ("the driver returned %d", result);
}

static PacoPicture
picture_at (uint8_t *memory)
{
  PacoPicture picture = { .data = { memory } };

  for (unsigned c = 0; c < 3; c++) {
    picture.data[c] = memory + c * (size_t) (2 * WIDTH * HEIGHT);
    picture.stride[c] = 2 * WIDTH;
    picture.layout[c] = (PacoSampleLayout){ .bytes = 2, .pixel_stride = 2 };
  }
  return picture;
}

/* --- kernels --- */

typedef struct
{
  PacoCuda *cuda;
  CUevent events[2];
  CUstream stream;
  CUdeviceptr pictures[N_SETS];
  PacoPicture host; /* page-locked */
  double copy_us;
} Bench;

typedef void (*Task) (Bench *bench, void *data, unsigned set);

/* Median microseconds on the device. */
static double
time_task (Bench *bench, Task task, void *data)
{
  const PacoDriver *driver = bench->cuda->driver;
  double values[N_RUNS];

  for (unsigned run = 0; run < N_WARM + N_RUNS; run++) {
    float milliseconds;

    must_succeed (driver->event_record (bench->events[0], bench->stream));
    task (bench, data, run % N_SETS);
    must_succeed (driver->event_record (bench->events[1], bench->stream));
    must_succeed (driver->event_synchronize (bench->events[1]));
    must_succeed (driver->event_elapsed_time (
        &milliseconds, bench->events[0], bench->events[1]));
    if (run >= N_WARM)
      values[run - N_WARM] = 1000.0 * milliseconds;
  }
  return median (values, N_RUNS);
}

static void
copy_task (Bench *bench, void *data, unsigned set)
{
  must_succeed (bench->cuda->driver->memcpy_dtod_async (
      bench->pictures[(set + 1) % N_SETS], bench->pictures[set], N_BYTES,
      bench->stream));
}

static void
upload_task (Bench *bench, void *data, unsigned set)
{
  must_succeed (bench->cuda->driver->memcpy_htod_async (
      bench->pictures[set], bench->host.data[0], N_BYTES, bench->stream));
}

static void
download_task (Bench *bench, void *data, unsigned set)
{
  must_succeed (bench->cuda->driver->memcpy_dtoh_async (
      bench->host.data[0], bench->pictures[set], N_BYTES, bench->stream));
}

/* One way to code, with N_SETS of everything. */
typedef struct
{
  PacoCudaPlan plan;
  unsigned complexity;
  bool wide;
  CUdeviceptr coefficients[N_SETS], payload[N_SETS];
  PacoDeviceMemory scratch, planes, blocks, slots, records, decode_records;
  PacoPackBuffers pack;
  PacoCudaFrame frame; /* what the functions of the backend want of it */
  CUdeviceptr output, outputs[2];
  CUstream bus;
  PacoPinnedMemory host;
  size_t payload_size, frame_size;
} Coding;

static PacoDwtFrame
dwt_frame (Coding *coding, unsigned set)
{
  return (PacoDwtFrame){
    .coding = &coding->plan.coding,
    .coefficients = coding->coefficients[set],
    .scratch = coding->scratch.address,
    .wide = coding->wide,
  };
}

static void
forward_task (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;
  PacoPicture picture = picture_at (
      (uint8_t *) (uintptr_t) bench->pictures[set]);
  PacoDwtFrame frame = dwt_frame (coding, set);

  frame.picture = &picture;
  must (paco_dwt_enqueue_forward (coding->plan.dwt, bench->cuda->device,
            &bench->cuda->dwt, &frame, bench->stream, NULL),
      NULL);
}

static void
inverse_task (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;
  PacoPicture picture = picture_at (
      (uint8_t *) (uintptr_t) bench->pictures[set]);
  PacoDwtFrame frame = dwt_frame (coding, set);

  frame.picture = &picture;
  must (paco_dwt_enqueue_inverse (coding->plan.dwt, bench->cuda->device,
            &bench->cuda->dwt, &frame, bench->stream, NULL),
      NULL);
}

static void
encode_task (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;
  unsigned passes = coding->plan.coding.coding_passes;
  PacoBpcEncodeParameters parameters = {
    .coefficients = coding->coefficients[set],
    .blocks = coding->blocks.address,
    .rows = bench->cuda->rows
        + coding->plan.coding.probability_set * PACO_CUDA_SET_BYTES,
    .planes = coding->planes.address,
    .slots = coding->slots.address,
    .records = coding->records.address,
    .n_blocks = coding->plan.n_blocks,
    .complexity = coding->complexity,
  };

  must (paco_module_launch (bench->cuda->device,
            bench->cuda->bpc_encode[coding->wide][passes - 1],
            coding->plan.n_blocks, 1, 1, PACO_BPC_THREADS,
            paco_bpc_shared_bytes (false, passes, coding->plan.block_height),
            bench->stream, &parameters, NULL),
      NULL);
}

static void
decode_task (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;
  unsigned passes = coding->plan.coding.coding_passes;
  PacoBpcDecodeParameters parameters = {
    .coefficients = coding->coefficients[set],
    .blocks = coding->blocks.address,
    .rows = bench->cuda->rows
        + coding->plan.coding.probability_set * PACO_CUDA_SET_BYTES,
    .planes = coding->planes.address,
    .payload = coding->payload[set],
    .records = coding->decode_records.address + 16,
    .n_broken = coding->decode_records.address,
    .n_blocks = coding->plan.n_blocks,
    .payload_words = (coding->payload_size + 3) / 4,
    .reversible = paco_wavelets[coding->plan.coding.wavelet].reversible,
    .reconstruction = coding->plan.coding.reconstruction,
  };

  must (paco_module_launch (bench->cuda->device,
            bench->cuda->bpc_decode[coding->wide][passes - 1],
            coding->plan.n_blocks, 1, 1, PACO_BPC_THREADS,
            paco_bpc_shared_bytes (true, passes, coding->plan.block_height),
            bench->stream, &parameters, NULL),
      NULL);
}

static void
pack_task (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;

  must (paco_pack_enqueue (&coding->frame, &coding->pack, coding->slots.address,
            coding->records.address, false, 1024, coding->output,
            (size_t) 2 * N_BYTES, NULL),
      NULL);
}

static CUdeviceptr
device_new (Bench *bench, size_t size)
{
  PacoDeviceMemory memory = { 0 };
  GError *error = NULL;

  must (
      paco_device_memory_reserve (bench->cuda, &memory, size, "bench", &error),
      error);
  return memory.address;
}

static void
coding_init (Bench *bench, Coding *coding, const PacoParameters *parameters)
{
  PacoCudaPlan *plan = &coding->plan;
  GError *error = NULL;
  PacoGpuBlock *blocks;
  size_t words;

  *coding = (Coding){ .complexity = parameters->complexity };
  plan->format = format;
  must (paco_policy_coding (&format, parameters, &plan->coding, &error), error);
  must (paco_cuda_plan_init (plan, bench->cuda, &error), error);
  coding->wide = !paco_dwt_is_narrow (&format, &plan->coding);
  blocks = g_new (PacoGpuBlock, plan->n_blocks);
  words = paco_cuda_plan_blocks (plan, coding->wide, NULL, blocks);
  for (unsigned i = 0; i < N_SETS; i++)
    coding->coefficients[i] = device_new (
        bench, plan->dwt->n_coefficients * (coding->wide ? 4 : 2));
  coding->scratch.address = device_new (bench, plan->dwt->scratch_bytes);
  coding->planes.address = device_new (bench,
      4 * (size_t) plan->n_columns
          * (coding->wide ? PACO_BPC_PLANES_32 : PACO_BPC_PLANES_16));
  coding->blocks.address = device_new (bench, plan->n_blocks * sizeof *blocks);
  coding->slots.address = device_new (bench, 4 * words);
  coding->records.address = device_new (
      bench, plan->n_blocks * sizeof (PacoGpuRecord));
  coding->decode_records.address = device_new (
      bench, 16 + plan->n_blocks * sizeof (PacoGpuRecord));
  must_succeed (bench->cuda->driver->memcpy_htod (
      coding->blocks.address, blocks, plan->n_blocks * sizeof *blocks));
  must (paco_pack_buffers_init (
            &coding->pack, bench->cuda, plan->n_blocks, &error),
      error);
  coding->frame = (PacoCudaFrame){
    .cuda = bench->cuda,
    .plan = plan,
    .stream = bench->stream,
    .blocks = coding->blocks,
  };
  g_free (blocks);
}

static void
coding_clear (Bench *bench, Coding *coding)
{
  const PacoDriver *driver = bench->cuda->driver;

  for (unsigned i = 0; i < N_SETS; i++) {
    driver->mem_free (coding->coefficients[i]);
    if (coding->payload[i])
      driver->mem_free (coding->payload[i]);
  }
  driver->mem_free (coding->scratch.address);
  driver->mem_free (coding->planes.address);
  driver->mem_free (coding->blocks.address);
  driver->mem_free (coding->slots.address);
  driver->mem_free (coding->records.address);
  driver->mem_free (coding->decode_records.address);
  paco_pack_buffers_clear (&coding->pack, bench->cuda);
  paco_cuda_plan_clear (&coding->plan);
}

/* Turns the encoder's output into the decoder's input: what pack leaves in the
 * device's memory is a frame's index and payload. */
static void
exchange (Bench *bench, Coding *coding)
{
  const PacoDriver *driver = bench->cuda->driver;
  const PacoPackSizes *sizes =
      (const PacoPackSizes *) coding->pack.host_sizes.data;
  uint32_t n = coding->plan.n_blocks;
  size_t records = n * sizeof (PacoGpuRecord);
  GError *error = NULL;

  must_succeed (driver->stream_synchronize (bench->stream));
  coding->payload_size = sizes->payload_size;
  coding->frame_size = sizes->payload_size + sizes->index_size;
  for (unsigned i = 0; i < N_SETS; i++) {
    coding->payload[i] = device_new (bench, coding->payload_size + 64);
    must_succeed (driver->memcpy_dtod_async (coding->payload[i],
        coding->output + 1024 + sizes->index_size, coding->payload_size,
        bench->stream));
  }
  must_succeed (driver->memcpy_dtod_async (coding->decode_records.address + 16,
      coding->records.address, records, bench->stream));
  must (paco_driver_check (driver, driver->stream_synchronize (bench->stream),
            &error, "exchange"),
      error);
}

static void
check_unbroken (Bench *bench, Coding *coding)
{
  uint32_t n_broken = 1;

  must_succeed (bench->cuda->driver->memcpy_dtoh (
      &n_broken, coding->decode_records.address, sizeof n_broken));
  if (n_broken > 0)
    g_error ("%u blocks are broken", n_broken);
}

/* --- frames that stay on the device, streams that come and go --- */

#define N_RESIDENT 300

typedef struct
{
  CUstream bus; /* up- or downloads */
  CUevent there[2], done[2];
} Resident;

static void
resident_init (Bench *bench, Resident *resident)
{
  const PacoDriver *driver = bench->cuda->driver;

  must_succeed (driver->stream_create (&resident->bus, CU_STREAM_NON_BLOCKING));
  for (unsigned i = 0; i < 2; i++) {
    must_succeed (driver->event_create (&resident->there[i], 0));
    must_succeed (driver->event_create (&resident->done[i], 0));
  }
}

static void
resident_clear (Bench *bench, Resident *resident)
{
  for (unsigned i = 0; i < 2; i++) {
    bench->cuda->driver->event_destroy (resident->there[i]);
    bench->cuda->driver->event_destroy (resident->done[i]);
  }
  bench->cuda->driver->stream_destroy (resident->bus);
}

/* Runs `begin`, then hands over to `end` in the other stream; two frames are
 * under way. Returns frames per second. */
static double
resident_speed (Bench *bench, Coding *coding, Resident *resident,
    CUstream begin_stream, Task begin, CUstream end_stream, Task end)
{
  const PacoDriver *driver = bench->cuda->driver;
  gint64 start = 0;

  for (unsigned i = 0; i < N_WARM + N_RESIDENT; i++) {
    unsigned k = i % 2;

    if (i == N_WARM) {
      must_succeed (driver->ctx_synchronize ());
      start = g_get_monotonic_time ();
    }
    must_succeed (
        driver->stream_wait_event (begin_stream, resident->done[k], 0));
    begin (bench, coding, k);
    must_succeed (driver->event_record (resident->there[k], begin_stream));
    must_succeed (
        driver->stream_wait_event (end_stream, resident->there[k], 0));
    end (bench, coding, k);
    must_succeed (driver->event_record (resident->done[k], end_stream));
  }
  must_succeed (driver->ctx_synchronize ());
  return N_RESIDENT / ((double) (g_get_monotonic_time () - start) / 1e6);
}

static void
whole_encode_task (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;

  coding->output = coding->outputs[set];
  forward_task (bench, data, set);
  encode_task (bench, data, set);
  pack_task (bench, data, set);
}

static void
stream_down_task (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;

  must_succeed (bench->cuda->driver->memcpy_dtoh_async (coding->host.data,
      coding->outputs[set], 1024 + coding->frame_size, coding->bus));
}

static void
stream_up_task (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;

  must_succeed (bench->cuda->driver->memcpy_htod_async (coding->payload[set],
      coding->host.data, coding->payload_size, coding->bus));
}

static void
whole_decode_task (Bench *bench, void *data, unsigned set)
{
  decode_task (bench, data, set);
  inverse_task (bench, data, set);
}

static void
bench_resident (Bench *bench, Coding *coding, const char *prefix)
{
  const PacoDriver *driver = bench->cuda->driver;
  Resident resident;
  char name[64];

  resident_init (bench, &resident);
  coding->bus = resident.bus;
  must (paco_pinned_memory_reserve (
            bench->cuda, &coding->host, 2 * N_BYTES, "bench", NULL),
      NULL);
  must_succeed (driver->memcpy_dtoh (
      coding->host.data, coding->payload[0], coding->payload_size));
  g_snprintf (name, sizeof name, "%s_resident_enc_fps", prefix);
  figure (name,
      resident_speed (bench, coding, &resident, bench->stream,
          whole_encode_task, resident.bus, stream_down_task));
  must_succeed (driver->memcpy_dtoh (
      coding->host.data, coding->payload[2], coding->payload_size));
  g_snprintf (name, sizeof name, "%s_resident_dec_fps", prefix);
  figure (name,
      resident_speed (bench, coding, &resident, resident.bus, stream_up_task,
          bench->stream, whole_decode_task));
  paco_pinned_memory_clear (bench->cuda, &coding->host);
  resident_clear (bench, &resident);
}

/* prefix: of the figures' names; wavelet and pack figures only if wanted. */
static void
bench_coding (Bench *bench, const char *prefix,
    const PacoParameters *parameters, const char *wavelet, bool packs)
{
  Coding coding;
  char name[64];
  double us;

  coding_init (bench, &coding, parameters);
  for (unsigned i = 0; i < 2; i++)
    coding.outputs[i] = device_new (bench, 2 * N_BYTES);
  for (unsigned i = 0; i < N_SETS; i++)
    upload_task (bench, NULL, i);
  us = time_task (bench, forward_task, &coding);
  g_snprintf (name, sizeof name, "%s_fwd_ratio", wavelet ? wavelet : "");
  if (wavelet)
    figure (name, us / bench->copy_us);
  g_snprintf (name, sizeof name, "%s_enc_gsps", prefix);
  figure (name, N_SAMPLES / time_task (bench, encode_task, &coding) / 1000.0);

  coding.output = coding.outputs[0];
  us = time_task (bench, pack_task, &coding);
  if (packs)
    figure ("pack_us", us);
  exchange (bench, &coding);
  g_snprintf (name, sizeof name, "%s_bits_per_sample", prefix);
  figure (name, 8.0 * coding.frame_size / N_SAMPLES);
  g_snprintf (name, sizeof name, "%s_dec_gsps", prefix);
  figure (name, N_SAMPLES / time_task (bench, decode_task, &coding) / 1000.0);
  check_unbroken (bench, &coding);
  if (wavelet) {
    g_snprintf (name, sizeof name, "%s_inv_ratio", wavelet);
    us = time_task (bench, inverse_task, &coding);
    figure (name, us / bench->copy_us);
    bench_resident (bench, &coding, packs ? "lossless" : "quality");
    check_unbroken (bench, &coding);
  }
  for (unsigned i = 0; i < 2; i++)
    bench->cuda->driver->mem_free (coding.outputs[i]);
  coding_clear (bench, &coding);
}

static void
bench_kernels (Bench *bench)
{
  PacoParameters lossless = PACO_PARAMETERS_DEFAULT, quality, slow;

  for (unsigned i = 0; i < N_SETS; i++)
    bench->pictures[i] = device_new (bench, N_BYTES + 64);
  bench->copy_us = time_task (bench, copy_task, NULL);
  figure ("copy_us", bench->copy_us);
  figure ("h2d_gbps", N_BYTES / time_task (bench, upload_task, NULL) / 1000.0);

  lossless.rgb = true;
  quality = lossless;
  lossless.rate_control = PACO_RATE_LOSSLESS;
  bench_coding (bench, "bpc", &lossless, "dwt53", true);
  bench_coding (bench, "bpc_quality", &quality, "dwt97", false);
  slow = lossless;
  slow.complexity = 0;
  for (slow.coding_passes = 2; slow.coding_passes <= 3; slow.coding_passes++) {
    char prefix[8];

    g_snprintf (prefix, sizeof prefix, "bpc%u", slow.coding_passes);
    bench_coding (bench, prefix, &slow, NULL, false);
  }
}

/* --- the whole way --- */

static double
seconds (gint64 since)
{
  return (double) (g_get_monotonic_time () - since) / 1e6;
}

static double
processor_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
      + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static PacoEncoder *
open_encoder (unsigned depth, const PacoPicture *picture,
    const PacoParameters *parameters)
{
  const PacoBackendOptions options = { .device = -1, .depth = depth };
  GError *error = NULL;
  PacoEncoder *encoder = paco_cuda_backend.encoder_open (&options, &error);

  must (encoder != NULL, error);
  must (paco_cuda_backend.encoder_configure (
            encoder, &format, picture->layout, parameters, &error),
      error);
  return encoder;
}

static PacoEncodedFrame *
collect (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame = paco_cuda_backend.encoder_collect (encoder);

  must (!frame->error, frame->error);
  return frame;
}

static void
submit (PacoEncoder *encoder, const PacoPicture *picture)
{
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  GError *error = NULL;

  must (
      paco_cuda_backend.encoder_submit (encoder, picture, &video, NULL, &error),
      error);
}

/* Frames per second; depth 1: milliseconds of a frame. */
static double
encode_speed (unsigned depth, const PacoPicture *pictures, unsigned n_pictures,
    const PacoParameters *parameters, double *cores)
{
  PacoEncoder *encoder = open_encoder (depth, &pictures[0], parameters);
  unsigned n = depth == 1 ? 40 : 400;
  double values[40], processor = 0;
  gint64 start = 0;

  for (unsigned i = 0; i < n + 20 + depth; i++) {
    if (i == 20) {
      start = g_get_monotonic_time ();
      processor = processor_seconds ();
    }
    if (depth == 1) {
      gint64 begin = g_get_monotonic_time ();
      PacoEncodedFrame *frame;

      submit (encoder, &pictures[i % n_pictures]);
      frame = collect (encoder);
      values[i % 40] = 1000.0 * seconds (begin);
      frame->release (frame);
    } else {
      PacoEncodedFrame *frame = i >= depth ? collect (encoder) : NULL;

      if (frame)
        frame->release (frame);
      if (i < n + 20)
        submit (encoder, &pictures[i % n_pictures]);
    }
  }
  *cores = 100.0 * (processor_seconds () - processor) / (n + depth);
  paco_cuda_backend.encoder_close (encoder);
  return depth == 1 ? median (values, 40) : (n + depth) / seconds (start);
}

static double
decode_speed (unsigned depth, const PacoPicture *pictures, unsigned n_pictures,
    const uint8_t *data, size_t size, double *cores)
{
  const PacoBackendOptions options = { .device = -1, .depth = depth };
  GError *error = NULL;
  PacoDecoder *decoder = paco_cuda_backend.decoder_open (&options, &error);
  unsigned n = depth == 1 ? 40 : 400;
  double values[40], processor = 0;
  PacoHeader header;
  gint64 start = 0;

  must (decoder != NULL, error);
  must (paco_header_parse (data, size, &header, NULL, &error), error);
  must (paco_cuda_backend.decoder_configure (
            decoder, &header, pictures[0].layout, 0, &error),
      error);
  for (unsigned i = 0; i < n + 20 + depth; i++) {
    gint64 begin = g_get_monotonic_time ();
    PacoDecodedFrame frame = { NULL };

    if (i == 20) {
      start = begin;
      processor = processor_seconds ();
    }
    if (depth > 1 && i >= depth)
      paco_cuda_backend.decoder_collect (decoder, &frame);
    if (depth == 1 || i < n + 20)
      must (paco_cuda_backend.decoder_submit (
                decoder, data, size, &pictures[i % n_pictures], NULL, &error),
          error);
    if (depth == 1) {
      paco_cuda_backend.decoder_collect (decoder, &frame);
      values[i % 40] = 1000.0 * seconds (begin);
    }
    must (!frame.error && frame.corrupted_blocks == 0, frame.error);
  }
  *cores = 100.0 * (processor_seconds () - processor) / (n + depth);
  paco_cuda_backend.decoder_close (decoder);
  return depth == 1 ? median (values, 40) : (n + depth) / seconds (start);
}

static void
whole_figure (const char *prefix, const char *way, unsigned depth,
    const char *memory, double value, double cores)
{
  char name[64];

  if (depth == 1) {
    g_snprintf (name, sizeof name, "%s_%s%s_latency_ms", prefix, way, memory);
    figure (name, value);
    return;
  }
  g_snprintf (name, sizeof name, "%s_%s%s_fps", prefix, way, memory);
  figure (name, value);
  g_snprintf (
      name, sizeof name, "%s_%s%s_cores_per_100fps", prefix, way, memory);
  figure (name, cores);
}

/* Lossless or by quality, page-locked and ordinary memory. */
static void
bench_whole (const char *prefix, const PacoParameters *parameters,
    const PacoPicture *pinned, const PacoPicture *ordinary, unsigned n)
{
  PacoEncoder *encoder = open_encoder (1, &pinned[0], parameters);
  PacoEncodedFrame *frame;
  char name[64];
  double cores;

  submit (encoder, &pinned[0]);
  frame = collect (encoder);
  g_snprintf (name, sizeof name, "%s_frame_bytes", prefix);
  printf ("{\"figure\": \"%s\", \"value\": %zu}\n", name, frame->size);

  for (unsigned depth = 1; depth <= 4; depth += 3) {
    for (unsigned is_pinned = 2; is_pinned-- > 0;) {
      const PacoPicture *pictures = is_pinned ? pinned : ordinary;
      const char *memory = is_pinned ? "" : "_unpinned";
      double value = encode_speed (depth, pictures, n, parameters, &cores);

      whole_figure (prefix, "enc", depth, memory, value, cores);
      if (depth == 1 && is_pinned
          && parameters->rate_control == PACO_RATE_LOSSLESS)
        figure ("latency_ms", value);
      value = decode_speed (
          depth, pictures + 1, n - 1, frame->data, frame->size, &cores);
      whole_figure (prefix, "dec", depth, memory, value, cores);
    }
  }
  if (parameters->rate_control == PACO_RATE_LOSSLESS
      && memcmp (pinned[0].data[0], pinned[1].data[0], N_BYTES) != 0)
    g_error ("the picture did not come back as it was");
  frame->release (frame);
  paco_cuda_backend.encoder_close (encoder);
}

#define N_PICTURES 6

int
main (int argc, char **argv)
{
  Bench bench = { NULL };
  GError *error = NULL;
  PacoHostMemory *memory[N_PICTURES];
  PacoPicture pinned[N_PICTURES], ordinary[N_PICTURES];
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;

  bench.cuda = paco_cuda_open (-1, &error);
  if (!bench.cuda) {
    printf ("skipped: %s\n", error->message);
    return 77;
  }
  must (paco_cuda_enter (bench.cuda, &error), error);
  for (unsigned i = 0; i < 2; i++)
    must_succeed (bench.cuda->driver->event_create (&bench.events[i], 0));
  must_succeed (bench.cuda->driver->stream_create (
      &bench.stream, CU_STREAM_NON_BLOCKING));
  for (unsigned i = 0; i < N_PICTURES; i++) {
    memory[i] = paco_cuda_host_memory_new (bench.cuda, N_BYTES, &error);
    must (memory[i] != NULL, error);
    pinned[i] = picture_at (memory[i]->data);
    ordinary[i] = picture_at (g_malloc (N_BYTES));
    if (i == 0)
      content_fill ((uint16_t *) memory[0]->data, argc > 1 ? argv[1] : NULL);
    else
      memcpy (pinned[i].data[0], pinned[0].data[0], N_BYTES);
    memcpy (ordinary[i].data[0], pinned[0].data[0], N_BYTES);
  }
  bench.host = pinned[0];
  bench_kernels (&bench);
  parameters.rgb = true;
  bench_whole ("quality", &parameters, pinned, ordinary, N_PICTURES);
  for (unsigned i = 1; i < N_PICTURES; i++)
    memcpy (pinned[i].data[0], pinned[0].data[0], N_BYTES);
  for (unsigned i = 0; i < N_PICTURES; i++)
    memcpy (ordinary[i].data[0], pinned[0].data[0], N_BYTES);
  parameters.rate_control = PACO_RATE_LOSSLESS;
  bench_whole ("lossless", &parameters, pinned, ordinary, N_PICTURES);
  bench.host = pinned[1];
  figure (
      "d2h_gbps", N_BYTES / time_task (&bench, download_task, NULL) / 1000.0);

  for (unsigned i = 0; i < N_PICTURES; i++) {
    memory[i]->release (memory[i]);
    g_free (ordinary[i].data[0]);
  }
  for (unsigned i = 0; i < N_SETS; i++)
    bench.cuda->driver->mem_free (bench.pictures[i]);
  for (unsigned i = 0; i < 2; i++)
    bench.cuda->driver->event_destroy (bench.events[i]);
  bench.cuda->driver->stream_destroy (bench.stream);
  paco_cuda_leave (bench.cuda);
  paco_cuda_unref (bench.cuda);
  return 0;
}

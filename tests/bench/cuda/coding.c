/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes the content in one way, stage by stage, and measures the kernels, each alone, and
 * frames whose pictures stay on the device. Everything that the kernels read and write is
 * there BENCH_SETS times, so that it does not stay in the device's cache from one run to
 * the next, and several frames can be coded at a time.
 *
 * The ceiling of the kernels is the device's memory: a copy of a picture reads and
 * writes two bytes a sample, about what the least a kernel has to move. A
 * transform at ratio 1 would be as fast as that copy; the packing is compared
 * with a copy of as many bytes as the frame has. The block coder computes: its
 * ratio says how much less than the memory it takes in. */
#include "codec/policy.h"
#include "gpu/cells.h"
#include "gpu/pack.h"
#include "gpu/rate.h"
#include "tests/bench/cuda/bench.h"
#include "tests/bench/cuda/figures.h"
#include "tests/gpu/driver/copies.h"

/* Bytes that are left for a header. */
#define CODING_HEADER 1024

typedef struct
{
  PacoGeometry *geometry;
  PacoCudaPlan plan;
  unsigned complexity;
  bool wide;
  CUdeviceptr coefficients[BENCH_SETS];              /* from the transform */
  CUdeviceptr code[BENCH_SETS], records[BENCH_SETS]; /* the block coder */
  CUdeviceptr output[BENCH_SETS]; /* and the packing: a codestream each */
  CUdeviceptr payload[BENCH_SETS], decode_records[BENCH_SETS];
  CUdeviceptr scratch[BENCH_SETS], planes[BENCH_SETS]; /* in between */
  PacoPackBuffers pack[BENCH_SETS];
  PacoDeviceMemory blocks;
  PacoCudaFrame frame; /* what the backend's functions want of it */
  size_t payload_size, frame_size;
  /* These are there with a budget, else NULL. */
  PacoRateTable *table;
  PacoCudaSteps steps;
  PacoCudaRate rate;
  PacoCudaBudget budgets[BENCH_SETS];
  /* With a step map: how it is found, and its cells. */
  PacoActivity activity;
  PacoCudaCells cells[BENCH_SETS];
} Coding;

/* This is n_broken and what follows it, before the records. */
#define RECORDS 16

static PacoDwtFrame
dwt_frame (Coding *coding, const PacoPicture *picture, unsigned set)
{
  return (PacoDwtFrame){
    .coding = &coding->plan.coding,
    .picture = picture,
    .coefficients = coding->coefficients[set],
    .scratch = coding->scratch[set],
    .wide = coding->wide,
    .scales = coding->table ? coding->table->scale : NULL,
    .cells = coding->cells[set].cells.address,
  };
}

static void
transform (Bench *bench, Coding *coding, unsigned set, bool inverse)
{
  PacoPicture picture = bench_picture_at (
      bench, (uint8_t *) (uintptr_t) bench->pictures[set]);
  PacoDwtFrame frame = dwt_frame (coding, &picture, set);

  must (paco_dwt_enqueue (
            coding->plan.dwt, &frame, inverse, &bench->stream, NULL),
      NULL);
}

static void
coding_forward (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;

  transform (bench, coding, set, false);
  coding->frame.stream = bench->stream;
  coding->frame.coefficients.address = coding->coefficients[set];
  if (coding->plan.coding.step_map)
    must (paco_cuda_cells_find (&coding->cells[set], &coding->frame,
              &coding->activity, false, coding->wide, NULL),
        NULL);
}

static void
coding_inverse (Bench *bench, void *data, unsigned set)
{
  transform (bench, data, set, true);
}

static void
launch (Bench *bench, Coding *coding, int decoder, CUfunction function,
    const void *parameters)
{
  const PacoCudaPlan *plan = &coding->plan;

  must (paco_module_launch (bench->device->context,
            &(PacoLaunch){
                .function = function,
                .grid_x = plan->n_blocks,
                .threads = PACO_BPC_THREADS,
                .shared_bytes = paco_bpc_shared_bytes (
                    decoder, plan->coding.coding_passes, plan->block_height),
                .parameters = parameters,
            },
            bench->stream.handle, NULL),
      NULL);
}

static void
coding_encode (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;
  unsigned passes = coding->plan.coding.coding_passes;
  PacoBpcEncodeParameters parameters = {
    .coefficients = coding->coefficients[set],
    .blocks = coding->blocks.address,
    .rows = bench->device->rows,
    .planes = coding->planes[set],
    .code = coding->code[set],
    .records = coding->records[set],
    .cells = coding->cells[set].cells.address,
    .n_blocks = coding->plan.n_blocks,
    .complexity = coding->complexity,
    .block_checks = coding->plan.coding.block_checks,
  };

  if (coding->table) {
    coding->frame.stream = bench->stream;
    coding->frame.coefficients.address = coding->coefficients[set];
    coding->rate.cells = coding->cells[set].cells.address;
    must (paco_cuda_budget_decide (
              &coding->budgets[set], &coding->frame, &coding->rate, NULL),
        NULL);
    paco_cuda_budget_set_parameters (
        &coding->budgets[set], &coding->rate, &parameters);
  }
  launch (bench, coding, false,
      bench->device->bpc_encode[coding->wide][passes - 1], &parameters);
  if (coding->table)
    must (paco_cuda_budget_cut (&coding->budgets[set], &coding->frame,
              &coding->rate, coding->rate.bytes, coding->code[set],
              coding->records[set], NULL),
        NULL);
}

static void
coding_learn (Bench *bench, Coding *coding)
{
  PacoRateHistory history = PACO_RATE_NO_HISTORY;
  PacoRateAttempt attempt;

  must_succeed (
      bench->device->driver->stream_synchronize (bench->stream.handle));
  paco_rate_begin (&attempt, coding->table, bench->format.n_components, false,
      coding->rate.bytes, &history);
  paco_rate_step (&attempt, paco_cuda_budget_sums (&coding->budgets[0]));
  paco_rate_again (&attempt, paco_cuda_budget_bytes (&coding->budgets[0]));
  coding->rate.correction = attempt.history.correction;
}

static void
coding_decode (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;
  unsigned passes = coding->plan.coding.coding_passes;
  PacoBpcDecodeParameters parameters = {
    .coefficients = coding->coefficients[set],
    .blocks = coding->blocks.address,
    .rows = bench->device->rows,
    .planes = coding->planes[set],
    .payload = coding->payload[set],
    .records = coding->decode_records[set] + RECORDS,
    .n_broken = coding->decode_records[set],
    .n_blocks = coding->plan.n_blocks,
    .payload_words = (coding->payload_size + 3) / 4,
    .reconstruction = coding->plan.coding.reconstruction,
    .block_checks = coding->plan.coding.block_checks,
  };

  launch (bench, coding, true,
      bench->device->bpc_decode[coding->wide][passes - 1], &parameters);
}

static void
coding_pack (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;

  coding->frame.stream = bench->stream;
  must (
      paco_pack_enqueue (&coding->frame, &coding->pack[set], coding->code[set],
          coding->records[set], 0, coding->plan.coding.block_checks,
          CODING_HEADER, 0, coding->output[set], 2 * bench->n_bytes, NULL),
      NULL);
}

/* Makes memory that there is BENCH_SETS times. */
static void
init_sets (Bench *bench, Coding *coding, size_t code_bytes)
{
  const PacoCudaPlan *plan = &coding->plan;
  size_t records = plan->n_blocks * sizeof (PacoGpuRecord);
  size_t planes = coding->wide ? PACO_BPC_PLANES_32 : PACO_BPC_PLANES_16;
  GError *error = NULL;

  for (unsigned i = 0; i < BENCH_SETS; i++) {
    coding->scratch[i] = bench_device_memory (bench, plan->dwt->scratch_bytes);
    coding->planes[i] = bench_device_memory (
        bench, 4 * planes * plan->n_columns);
    must (paco_pack_buffers_reserve (&coding->pack[i], &bench->share,
              plan->n_blocks, false, 0, &error),
        error);
    coding->coefficients[i] = bench_device_memory (
        bench, plan->dwt->n_coefficients * (coding->wide ? 4 : 2));
    coding->code[i] = bench_device_memory (bench, code_bytes);
    coding->records[i] = bench_device_memory (bench, records);
    coding->output[i] = bench_device_memory (bench, 2 * bench->n_bytes);
    coding->decode_records[i] = bench_device_memory (bench, RECORDS + records);
  }
}

static void
init_budgets (Bench *bench, Coding *coding, const PacoParameters *parameters)
{
  PacoHeader header = { .picture = bench->format,
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = coding->plan.coding };
  GError *error = NULL;

  must (paco_cuda_steps_init (&coding->steps, &bench->share, coding->table,
            bench->format.n_components, &error),
      error);
  for (unsigned i = 0; i < BENCH_SETS; i++)
    must (paco_cuda_budget_reserve (&coding->budgets[i], &bench->share,
              coding->plan.n_blocks, coding->steps.n_entries, &error),
        error);
  coding->rate = (PacoCudaRate){
    .steps = &coding->steps,
    .wide = coding->wide,
    .block_checks = coding->plan.coding.block_checks,
    .bytes = parameters->frame_size - paco_header_size (&header),
    .correction = PACO_RATE_FIRST_CORRECTION,
  };
}

static void
init_cells (Bench *bench, Coding *coding, const PacoParameters *parameters)
{
  GError *error = NULL;

  coding->activity = paco_policy_activity (
      &bench->format, parameters, &coding->plan.coding, coding->table);
  for (unsigned i = 0; i < BENCH_SETS; i++)
    must (paco_cuda_cells_reserve (
              &coding->cells[i], &bench->share, coding->geometry, &error),
        error);
}

static void
coding_init (Bench *bench, Coding *coding, const PacoParameters *parameters)
{
  bool has_budget = parameters->rate_control == PACO_RATE_BITRATE;
  PacoCudaPlan *plan = &coding->plan;
  GError *error = NULL;
  PacoGpuBlock *blocks;
  size_t words;

  *coding = (Coding){ .complexity = parameters->complexity };
  plan->format = bench->format;
  must (paco_policy_coding (&bench->format, parameters, &plan->coding, &error),
      error);
  plan->geometry = coding->geometry = paco_geometry_new (
      &bench->format, &plan->coding);
  must (paco_cuda_plan_init (plan, bench->device, &error), error);
  coding->wide = !paco_dwt_is_narrow (&bench->format, &plan->coding);
  if (has_budget) {
    coding->table = paco_rate_table_new (
        &bench->format, parameters, &plan->coding);
    coding->wide = !coding->table->narrow;
  }
  blocks = g_new (PacoGpuBlock, plan->n_blocks);
  words = paco_cuda_plan_blocks (
      plan, &plan->coding, coding->wide, NULL, blocks);
  init_sets (bench, coding, 4 * words);
  coding->blocks.address = bench_device_memory (
      bench, plan->n_blocks * sizeof *blocks);
  must_succeed (bench->device->driver->memcpy_htod (
      coding->blocks.address, blocks, plan->n_blocks * sizeof *blocks));
  g_free (blocks);
  coding->frame = (PacoCudaFrame){
    .share = &bench->share,
    .device = bench->device,
    .plan = plan,
    .blocks = { coding->blocks },
  };
  if (has_budget)
    init_budgets (bench, coding, parameters);
  if (plan->coding.step_map)
    init_cells (bench, coding, parameters);
}

static void
coding_clear (Bench *bench, Coding *coding)
{
  const PacoDriver *driver = bench->device->driver;

  for (unsigned i = 0; i < BENCH_SETS; i++) {
    driver->mem_free (coding->coefficients[i]);
    driver->mem_free (coding->code[i]);
    driver->mem_free (coding->records[i]);
    driver->mem_free (coding->output[i]);
    driver->mem_free (coding->decode_records[i]);
    driver->mem_free (coding->scratch[i]);
    driver->mem_free (coding->planes[i]);
    paco_pack_buffers_clear (&coding->pack[i], &bench->share);
    paco_cuda_budget_clear (&coding->budgets[i], &bench->share);
    paco_cuda_cells_clear (&coding->cells[i], &bench->share);
    if (coding->payload[i])
      driver->mem_free (coding->payload[i]);
  }
  driver->mem_free (coding->blocks.address);
  paco_cuda_steps_clear (&coding->steps, &bench->share);
  paco_rate_table_free (coding->table);
  paco_cuda_plan_clear (&coding->plan);
  paco_geometry_free (coding->geometry);
}

static void
coding_exchange (Bench *bench, Coding *coding)
{
  const PacoDriver *driver = bench->device->driver;
  const PacoPackSizes *sizes =
      (const PacoPackSizes *) coding->pack[0].host_sizes.data;
  size_t size = coding->plan.n_blocks * sizeof (PacoGpuRecord);
  g_autofree PacoGpuRecord *records = g_malloc (size);
  GError *error = NULL;

  must_succeed (driver->stream_synchronize (bench->stream.handle));
  must_succeed (driver_memcpy_dtoh (driver, records, coding->records[0], size));
  paco_cuda_order_records (records, coding->plan.n_blocks, false);
  coding->payload_size = sizes->payload_size;
  coding->frame_size = sizes->payload_size + sizes->index_size;
  for (unsigned i = 0; i < BENCH_SETS; i++) {
    coding->payload[i] = bench_device_memory (bench, coding->payload_size + 64);
    must_succeed (driver_memcpy_dtod_async (driver, coding->payload[i],
        coding->output[i] + CODING_HEADER + sizes->index_size,
        coding->payload_size, bench->stream.handle));
    must_succeed (driver->memcpy_htod (
        coding->decode_records[i] + RECORDS, records, size));
  }
  must (paco_driver_check (driver,
            driver->stream_synchronize (bench->stream.handle), &error,
            "a frame cannot be taken over"),
      error);
}

static void
coding_check (Bench *bench, Coding *coding)
{
  for (unsigned i = 0; i < BENCH_SETS; i++) {
    uint32_t n_broken = 1;

    must_succeed (driver_memcpy_dtoh (bench->device->driver, &n_broken,
        coding->decode_records[i], sizeof n_broken));
    if (n_broken > 0)
      g_error ("%u blocks are broken", n_broken);
  }
}

/* --- frames that stay on the device ---
 *
 * Measures frames whose pictures stay on the device while their codestreams
 * come and go, as the pipeline does it: some are in flight, each in a stream of
 * its own, with turns on the bus.
 *
 * The ceiling is what takes longer: the kernels of a frame one by one, or the bus
 * with nothing but these codestreams. The former can be passed, as frames in flight
 * fill each other's gaps. */

/* These are microseconds of the stages of a frame, each alone. */
typedef struct
{
  double forward, encode, pack, decode, inverse;
} KernelTimes;

#define N_WINDOWS 24
#define WINDOW 20 /* frames */

typedef struct
{
  Coding *coding;
  CUstream streams[BENCH_SETS];
  CUevent turns[BENCH_SETS]; /* each one's last, on the bus */
  CUevent borders[N_WINDOWS + 1];
  PacoPinnedMemory host;
} Resident;

static void
resident_init (Bench *bench, Resident *resident)
{
  const PacoDriver *driver = bench->device->driver;

  for (unsigned i = 0; i < BENCH_SETS; i++) {
    must_succeed (
        driver->stream_create (&resident->streams[i], CU_STREAM_NON_BLOCKING));
    must_succeed (driver->event_create (&resident->turns[i], 0));
  }
  for (unsigned i = 0; i <= N_WINDOWS; i++)
    must_succeed (driver->event_create (&resident->borders[i], 0));
  must (paco_pinned_memory_reserve (
            bench->device, &resident->host, 2 * bench->n_bytes, "bench", NULL),
      NULL);
}

static void
resident_clear (Bench *bench, Resident *resident)
{
  const PacoDriver *driver = bench->device->driver;

  paco_pinned_memory_clear (bench->device, &resident->host);
  for (unsigned i = 0; i < BENCH_SETS; i++) {
    driver->event_destroy (resident->turns[i]);
    driver->stream_destroy (resident->streams[i]);
  }
  for (unsigned i = 0; i <= N_WINDOWS; i++)
    driver->event_destroy (resident->borders[i]);
}

/* Returns frames per second, the median over windows. */
static double
resident_speed (Bench *bench, Resident *resident, BenchTask task)
{
  const PacoDriver *driver = bench->device->driver;
  CUstream stream = bench->stream.handle;
  double values[N_WINDOWS];

  for (unsigned i = 0; i <= N_WINDOWS * WINDOW; i++) {
    unsigned set = i % BENCH_SETS;

    bench->stream.handle = resident->streams[set];
    task (bench, resident, set);
    if (i % WINDOW == 0)
      must_succeed (driver->event_record (
          resident->borders[i / WINDOW], bench->stream.handle));
  }
  bench->stream.handle = stream;
  must_succeed (driver->ctx_synchronize ());
  for (unsigned i = 0; i < N_WINDOWS; i++) {
    float milliseconds;

    must_succeed (driver->event_elapsed_time (
        &milliseconds, resident->borders[i], resident->borders[i + 1]));
    values[i] = milliseconds;
  }
  return 1000.0 * WINDOW / median (values, N_WINDOWS);
}

/* Takes its turn on the bus, before which the frame before has its own. */
static void
take_turn (Bench *bench, Resident *resident, unsigned set)
{
  must_succeed (bench->device->driver->stream_wait_event (bench->stream.handle,
      resident->turns[(set + BENCH_SETS - 1) % BENCH_SETS], 0));
}

static void
end_turn (Bench *bench, Resident *resident, unsigned set)
{
  must_succeed (bench->device->driver->event_record (
      resident->turns[set], bench->stream.handle));
}

static void
encode (Bench *bench, void *data, unsigned set)
{
  Resident *resident = data;
  Coding *coding = resident->coding;

  coding_forward (bench, coding, set);
  coding_encode (bench, coding, set);
  coding_pack (bench, coding, set);
  take_turn (bench, resident, set);
  must_succeed (bench->device->driver->memcpy_dtoh_async (resident->host.data,
      coding->output[set], CODING_HEADER + coding->frame_size,
      bench->stream.handle));
  end_turn (bench, resident, set);
}

static void
decode (Bench *bench, void *data, unsigned set)
{
  Resident *resident = data;
  Coding *coding = resident->coding;

  take_turn (bench, resident, set);
  must_succeed (bench->device->driver->memcpy_htod_async (coding->payload[set],
      resident->host.data, coding->payload_size, bench->stream.handle));
  end_turn (bench, resident, set);
  coding_decode (bench, coding, set);
  coding_inverse (bench, coding, set);
}

static void
resident_figure (const char *prefix, const char *way, double fps,
    double kernels_us, const char *bus, double bus_us)
{
  bool bound_by_bus = bus_us > kernels_us;

  figure_speed (fps, "frames/s", bound_by_bus ? bus : "kernels one by one",
      1e6 / MAX (bus_us, kernels_us), "%s_resident_%s_fps", prefix, way);
}

/* Has blocks decoded in the order that frames in flight have. */
static void
coding_order (Bench *bench, Coding *coding)
{
  const PacoDriver *driver = bench->device->driver;
  size_t size = coding->plan.n_blocks * sizeof (PacoGpuRecord);
  g_autofree PacoGpuRecord *records = g_malloc (size);

  for (unsigned i = 0; i < BENCH_SETS; i++) {
    CUdeviceptr address = coding->decode_records[i] + RECORDS;

    must_succeed (driver_memcpy_dtoh (driver, records, address, size));
    paco_cuda_order_records (records, coding->plan.n_blocks, true);
    must_succeed (driver->memcpy_htod (address, records, size));
  }
}

/* Measures frames per second when only codestreams come and go: figures
 * PREFIX_resident_... */
static void
bench_resident (
    Bench *bench, Coding *coding, const KernelTimes *times, const char *prefix)
{
  const BenchCeilings *ceilings = &bench->ceilings;
  Resident resident = { .coding = coding };
  double fps;

  resident_init (bench, &resident);
  bench_upload (bench); /* decoding has left its pictures there */
  fps = resident_speed (bench, &resident, encode);
  resident_figure (prefix, "enc", fps,
      times->forward + times->encode + times->pack, "d2h_gbps",
      coding->frame_size / ceilings->d2h_gbps / 1000.0);
  if (coding->table) { /* frames that are cut are decoded by bench_pipeline() */
    resident_clear (bench, &resident);
    return;
  }
  must_succeed (driver_memcpy_dtoh (bench->device->driver, resident.host.data,
      coding->payload[BENCH_SETS - 1], coding->payload_size));
  coding_order (bench, coding);
  fps = resident_speed (bench, &resident, decode);
  resident_figure (prefix, "dec", fps, times->decode + times->inverse,
      "h2d_gbps", coding->payload_size / ceilings->h2d_gbps / 1000.0);
  resident_clear (bench, &resident);
}

/* --- the kernels --- */

typedef struct
{
  const char *prefix;  /* of the figures of the block coder */
  const char *wavelet; /* for figures of the transform, else NULL */
  const char *whole;   /* for frames that stay on the device, else NULL */
  bool packs;
  PacoParameters parameters;
} Case;

static void
transform_figure (
    Bench *bench, const Case *this, const char *direction, double us)
{
  if (this->wavelet)
    figure_cost (us / bench->ceilings.copy_us, "copies", "copy_us", 1.0,
        "%s_%s_ratio", this->wavelet, direction);
}

static void
blocks_figure (Bench *bench, const Case *this, const char *direction, double us)
{
  figure_speed (bench->n_samples / us / 1000.0, "Gsample/s", "copy_us",
      bench->n_samples / bench->ceilings.copy_us / 1000.0, "%s_%s_gsps",
      this->prefix, direction);
}

static void
bench_coding (Bench *bench, const Case *this)
{
  Coding coding;
  KernelTimes times;

  coding_init (bench, &coding, &this->parameters);
  bench_upload (bench);
  times.forward = bench_time (bench, coding_forward, &coding);
  transform_figure (bench, this, "fwd", times.forward);
  if (coding.table) {
    coding_encode (bench, &coding, 0);
    coding_learn (bench, &coding);
  }
  times.encode = bench_time (bench, coding_encode, &coding);
  blocks_figure (bench, this, "enc", times.encode);
  times.pack = bench_time (bench, coding_pack, &coding);
  coding_exchange (bench, &coding);
  if (this->packs)
    figure_cost (times.pack, "us", "copy_us",
        bench->ceilings.copy_us * coding.frame_size / bench->n_bytes,
        "pack_us");
  figure_cost (8.0 * coding.frame_size / bench->n_samples, "bit/sample",
      "raw samples", 12.0, "%s_bits_per_sample", this->prefix);
  times.decode = bench_time (bench, coding_decode, &coding);
  blocks_figure (bench, this, "dec", times.decode);
  coding_check (bench, &coding);
  times.inverse = bench_time (bench, coding_inverse, &coding);
  transform_figure (bench, this, "inv", times.inverse);
  if (this->whole) {
    bench_resident (bench, &coding, &times, this->whole);
    coding_check (bench, &coding);
  }
  coding_clear (bench, &coding);
}

void
bench_kernels (Bench *bench)
{
  PacoParameters quality = PACO_PARAMETERS_DEFAULT, lossless, never_raw,
                 unchecked, bitrate;

  quality.rgb = true;
  quality.tune = PACO_TUNE_PSNR;
  lossless = quality;
  lossless.rate_control = PACO_RATE_LOSSLESS;
  unchecked = never_raw = lossless;
  unchecked.block_checks = false;
  never_raw.complexity = 0;
  bench_coding (bench,
      &(Case){ "bpc", "dwt53", "lossless", true, .parameters = lossless });
  bench_coding (bench,
      &(Case){
          "bpc_quality", "dwt97", "quality", false, .parameters = quality });
  bitrate = quality;
  bitrate.rate_control = PACO_RATE_BITRATE;
  bitrate.frame_size = bench_frame_size (bench);
  bench_coding (bench,
      &(Case){ "bpc_bitrate", NULL, "bitrate", false, .parameters = bitrate });
  bench_coding (bench, &(Case){ "bpc_unchecked", .parameters = unchecked });
  bench_coding (bench, &(Case){ "bpc_c0", .parameters = never_raw });
  never_raw.coding_passes = 2;
  bench_coding (bench, &(Case){ "bpc2", .parameters = never_raw });
  never_raw.coding_passes = 3;
  bench_coding (bench, &(Case){ "bpc3", .parameters = never_raw });
}

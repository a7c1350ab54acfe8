/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs the stages of coding.h one by one. */
#include "tests/bench/cuda/coding.h"
#include "codec/policy.h"

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
  };
}

typedef gboolean (*Transform) (const PacoDwt *dwt,
    const PacoCudaContext *device, const PacoDwtFrame *frame, CUstream stream,
    GError **error);

static void
transform (Bench *bench, Coding *coding, unsigned set, Transform enqueue)
{
  PacoPicture picture = bench_picture_at (
      bench, (uint8_t *) (uintptr_t) bench->pictures[set]);
  PacoDwtFrame frame = dwt_frame (coding, &picture, set);

  must (enqueue (coding->plan.dwt, bench->device->context, &frame,
            bench->stream, NULL),
      NULL);
}

void
coding_forward (Bench *bench, void *data, unsigned set)
{
  transform (bench, data, set, paco_dwt_enqueue_forward);
}

void
coding_inverse (Bench *bench, void *data, unsigned set)
{
  transform (bench, data, set, paco_dwt_enqueue_inverse);
}

static void
launch (Bench *bench, Coding *coding, int decoder, CUfunction function,
    const void *parameters)
{
  const PacoCudaPlan *plan = &coding->plan;

  must (paco_module_launch (bench->device->context, function, plan->n_blocks, 1,
            1, PACO_BPC_THREADS,
            paco_bpc_shared_bytes (
                decoder, plan->coding.coding_passes, plan->block_height),
            bench->stream, parameters, NULL),
      NULL);
}

void
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
    .n_blocks = coding->plan.n_blocks,
    .complexity = coding->complexity,
    .block_checks = coding->plan.coding.block_checks,
  };

  if (coding->table) {
    coding->frame.stream = bench->stream;
    coding->frame.coefficients.address = coding->coefficients[set];
    must (paco_cuda_budget_decide (
              &coding->budgets[set], &coding->frame, &coding->rate, NULL),
        NULL);
    paco_cuda_budget_tell (&coding->budgets[set], &coding->rate, &parameters);
  }
  launch (bench, coding, false,
      bench->device->bpc_encode[coding->wide][passes - 1], &parameters);
  if (coding->table)
    must (paco_cuda_budget_cut (&coding->budgets[set], &coding->frame,
              &coding->rate, coding->code[set], coding->records[set], NULL),
        NULL);
}

void
coding_learn (Bench *bench, Coding *coding)
{
  PacoRateHistory history = PACO_RATE_NO_HISTORY;
  PacoRateAttempt attempt;

  must_succeed (bench->device->driver->stream_synchronize (bench->stream));
  paco_rate_begin (&attempt, coding->table, bench->format.n_components, false,
      coding->rate.bytes, &history);
  paco_rate_step (&attempt, paco_cuda_budget_sums (&coding->budgets[0]));
  paco_rate_again (&attempt, paco_cuda_budget_bytes (&coding->budgets[0]));
  coding->rate.correction = attempt.history.correction;
}

void
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

void
coding_pack (Bench *bench, void *data, unsigned set)
{
  Coding *coding = data;

  coding->frame.stream = bench->stream;
  must (
      paco_pack_enqueue (&coding->frame, &coding->pack[set], coding->code[set],
          coding->records[set], 0, coding->plan.coding.block_checks,
          CODING_HEADER, coding->output[set], 2 * bench->n_bytes, NULL),
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
    must (paco_pack_buffers_reserve (
              &coding->pack[i], &bench->share, plan->n_blocks, false, &error),
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

void
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
}

void
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
    if (coding->payload[i])
      driver->mem_free (coding->payload[i]);
  }
  driver->mem_free (coding->blocks.address);
  paco_cuda_steps_clear (&coding->steps, &bench->share);
  paco_rate_table_free (coding->table);
  paco_cuda_plan_clear (&coding->plan);
  paco_geometry_free (coding->geometry);
}

void
coding_exchange (Bench *bench, Coding *coding)
{
  const PacoDriver *driver = bench->device->driver;
  const PacoPackSizes *sizes =
      (const PacoPackSizes *) coding->pack[0].host_sizes.data;
  size_t records = coding->plan.n_blocks * sizeof (PacoGpuRecord);
  GError *error = NULL;

  must_succeed (driver->stream_synchronize (bench->stream));
  coding->payload_size = sizes->payload_size;
  coding->frame_size = sizes->payload_size + sizes->index_size;
  for (unsigned i = 0; i < BENCH_SETS; i++) {
    coding->payload[i] = bench_device_memory (bench, coding->payload_size + 64);
    must_succeed (driver->memcpy_dtod_async (coding->payload[i],
        coding->output[i] + CODING_HEADER + sizes->index_size,
        coding->payload_size, bench->stream));
    must_succeed (
        driver->memcpy_dtod_async (coding->decode_records[i] + RECORDS,
            coding->records[i], records, bench->stream));
  }
  must (paco_driver_check (driver, driver->stream_synchronize (bench->stream),
            &error, "a frame cannot be taken over"),
      error);
}

void
coding_check (Bench *bench, Coding *coding)
{
  for (unsigned i = 0; i < BENCH_SETS; i++) {
    uint32_t n_broken = 1;

    must_succeed (bench->device->driver->memcpy_dtoh (
        &n_broken, coding->decode_records[i], sizeof n_broken));
    if (n_broken > 0)
      g_error ("%u blocks are broken", n_broken);
  }
}

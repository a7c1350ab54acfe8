/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Launches the kernels for frames with a budget or with cut points. */
#include "gpu/rate.h"
#include <string.h>

G_STATIC_ASSERT (
    PACO_RATE_MAX_ENTRIES == PACO_MAX_COMPONENTS * PACO_MAX_SUBBANDS);

gboolean
paco_cuda_steps_init (PacoCudaSteps *steps, PacoCudaShare *share,
    const PacoRateTable *table, unsigned n_components, GError **error)
{
  const PacoDriver *driver = share->device->driver;
  size_t size;

  steps->table = table;
  steps->n_entries = table->n_entries * n_components;
  size = sizeof (PacoRateStep) * table->n_numbers * steps->n_entries;
  return paco_device_memory_reserve (
             share, &steps->memory, size, "quantizer steps", error)
      && paco_driver_check (driver,
          driver->memcpy_htod (steps->memory.address, table->steps, size),
          error, "the quantizer steps cannot be uploaded to %s",
          share->device->context->name)
      /* A copy from pageable memory may return before it has ended. */
      && paco_driver_check (driver, driver->ctx_synchronize (), error,
          "the quantizer steps cannot be uploaded to %s",
          share->device->context->name);
}

void
paco_cuda_steps_clear (PacoCudaSteps *steps, PacoCudaShare *share)
{
  paco_device_memory_clear (share, &steps->memory);
  steps->table = NULL;
}

gboolean
paco_cuda_budget_reserve (PacoCudaBudget *budget, PacoCudaShare *share,
    uint32_t n_blocks, unsigned n_entries, GError **error)
{
  size_t numbers = (size_t) PACO_BPC_PLANES_32 * n_blocks;
  size_t sums = MAX (n_entries, 1) * sizeof (PacoRateBits);

  return paco_device_memory_reserve (share, &budget->sums, sums, "sums", error)
      && paco_device_memory_reserve (
          share, &budget->number, sizeof (uint32_t), "step number", error)
      && paco_device_memory_reserve (share, &budget->plane_ends,
          MAX (2 * numbers, 1), "ends of bitplanes", error)
      && paco_device_memory_reserve (
          share, &budget->tops, MAX (4 * numbers, 1), "counts", error)
      && paco_device_memory_reserve (share, &budget->cuts,
          MAX (n_blocks * sizeof (PacoRateCuts), 1), "cuts", error)
      && paco_device_memory_reserve (share, &budget->pieces,
          MAX (n_blocks * sizeof (PacoRatePieces), 1), "cuts", error)
      && paco_device_memory_reserve (
          share, &budget->cut_sums, sizeof (PacoRateSums), "sums", error)
      && paco_device_memory_reserve (
          share, &budget->lost, MAX (n_blocks, 1), "cuts", error)
      && paco_pinned_memory_reserve (share->device, &budget->host,
          sizeof (uint64_t) + sums, "sums", error);
}

void
paco_cuda_budget_clear (PacoCudaBudget *budget, PacoCudaShare *share)
{
  paco_device_memory_clear (share, &budget->sums);
  paco_device_memory_clear (share, &budget->number);
  paco_device_memory_clear (share, &budget->plane_ends);
  paco_device_memory_clear (share, &budget->tops);
  paco_device_memory_clear (share, &budget->cuts);
  paco_device_memory_clear (share, &budget->pieces);
  paco_device_memory_clear (share, &budget->cut_sums);
  paco_device_memory_clear (share, &budget->lost);
  paco_pinned_memory_clear (share->device, &budget->host);
  budget->unfinished = false;
}

static gboolean
set_zero (PacoCudaFrame *frame, const PacoDeviceMemory *memory, GError **error)
{
  const PacoDriver *driver = frame->device->driver;

  return paco_cuda_stream_send (&frame->stream, error)
      && paco_driver_check (driver,
          driver->memset_d8_async (
              memory->address, 0, memory->size, frame->stream.handle),
          error, "memory of %s cannot be cleared",
          frame->device->context->name);
}

gboolean
paco_cuda_budget_begin (
    PacoCudaBudget *budget, PacoCudaFrame *frame, GError **error)
{
  if (budget->unfinished
      && (!set_zero (frame, &budget->sums, error)
          || !set_zero (frame, &budget->cut_sums, error)))
    return FALSE;
  budget->unfinished = true;
  return TRUE;
}

static uint32_t
thread_blocks (uint32_t n_threads, uint32_t each)
{
  return (n_threads + each - 1) / each;
}

static gboolean
count (const PacoCudaBudget *budget, PacoCudaFrame *frame,
    const PacoCudaRate *rate, GError **error)
{
  PacoRateCountParameters parameters = {
    .coefficients = frame->coefficients.address,
    .blocks = frame->blocks[frame->form].address,
    .sums = budget->sums.address,
    .cells = rate->cells,
    .n_blocks = frame->plan->n_blocks,
    .block_checks = rate->block_checks,
  };

  return paco_cuda_stream_launch (&frame->stream,
      &(PacoLaunch){
          .function = frame->device->rate_count[rate->wide],
          .grid_x = thread_blocks (
              32 * frame->plan->n_blocks, PACO_RATE_COUNT_THREADS),
          .threads = PACO_RATE_COUNT_THREADS,
          PACO_LAUNCH_PARAMETERS (parameters),
      },
      error);
}

gboolean
paco_cuda_budget_decide (const PacoCudaBudget *budget, PacoCudaFrame *frame,
    const PacoCudaRate *rate, GError **error)
{
  PacoRateDecideParameters parameters = {
    .steps = rate->steps->memory.address,
    .sums = budget->sums.address,
    .host_sums = (uintptr_t) paco_cuda_budget_sums (budget),
    .number = budget->number.address,
    .budget = rate->bytes,
    .correction = rate->correction,
    .n_entries = rate->steps->n_entries,
    .n_numbers = rate->steps->table->n_numbers,
    .known = rate->number,
    .is_known = rate->is_known,
  };
  PacoLaunch decide = {
    .function = frame->device->rate_decide,
    .grid_x = 1,
    .threads = PACO_RATE_DECIDE_THREADS,
    .shared_bytes = 4 * PACO_RATE_DECIDE_WORDS (rate->steps->n_entries),
    PACO_LAUNCH_PARAMETERS (parameters),
  };

  return (rate->is_known || count (budget, frame, rate, error))
      && paco_cuda_stream_launch (&frame->stream, &decide, error);
}

void
paco_cuda_budget_set_parameters (const PacoCudaBudget *budget,
    const PacoCudaRate *rate, PacoBpcEncodeParameters *parameters)
{
  parameters->plane_ends = budget->plane_ends.address;
  parameters->tops = budget->tops.address;
  if (!rate->steps)
    return;
  parameters->steps = rate->steps->memory.address;
  parameters->step_number = budget->number.address;
  parameters->n_entries = rate->steps->n_entries;
}

/* Finds the cuts of all blocks. */
static gboolean
find (PacoCudaFrame *frame, const PacoRateFitParameters *parameters,
    GError **error)
{
  return paco_cuda_stream_launch (&frame->stream,
      &(PacoLaunch){
          .function = frame->device->rate_find,
          .grid_x = thread_blocks (
              frame->plan->n_blocks, PACO_RATE_FIND_THREADS),
          .threads = PACO_RATE_FIND_THREADS,
          .shared_bytes = 4 * PACO_RATE_FIND_WORDS,
          PACO_LAUNCH_PARAMETERS (*parameters),
      },
      error);
}

/* Chooses the cuts that blocks lose, and shortens the blocks. */
static gboolean
fit (PacoCudaFrame *frame, const PacoRateFitParameters *parameters,
    GError **error)
{
  const PacoCudaDevice *device = frame->device;
  PacoLaunch choose = {
    .function = device->rate_fit,
    .grid_x = 1,
    .threads = PACO_RATE_FIT_THREADS,
    .shared_bytes = 4 * PACO_RATE_FIT_WORDS,
    PACO_LAUNCH_PARAMETERS (*parameters),
  };
  PacoLaunch shorten = {
    .function = device->rate_shorten,
    .grid_x = thread_blocks (
        32 * frame->plan->n_blocks, PACO_RATE_SHORTEN_THREADS),
    .threads = PACO_RATE_SHORTEN_THREADS,
    PACO_LAUNCH_PARAMETERS (*parameters),
  };

  return paco_cuda_stream_launch (&frame->stream, &choose, error)
      && paco_cuda_stream_launch (&frame->stream, &shorten, error);
}

gboolean
paco_cuda_budget_cut (const PacoCudaBudget *budget, PacoCudaFrame *frame,
    const PacoCudaRate *rate, uint64_t bytes, CUdeviceptr code,
    CUdeviceptr records, GError **error)
{
  PacoRateFitParameters parameters = {
    .blocks = frame->blocks[frame->form].address,
    .plane_ends = budget->plane_ends.address,
    .tops = budget->tops.address,
    .code = code,
    .records = records,
    .cuts = budget->cuts.address,
    .pieces = budget->pieces.address,
    .sums = budget->cut_sums.address,
    .lost = budget->lost.address,
    .host_bytes = (uintptr_t) budget->host.data,
    .budget = bytes,
    .n_blocks = frame->plan->n_blocks,
    .block_checks = rate->block_checks,
    .cut_points = rate->cut_points,
  };
  unsigned n_entries = 3u * frame->plan->coding.levels + 1;

  if (rate->steps) {
    parameters.steps = rate->steps->memory.address;
    parameters.number = budget->number.address;
    parameters.n_entries = rate->steps->n_entries;
    return find (frame, &parameters, error) && fit (frame, &parameters, error);
  }
  for (unsigned c = 0; c < frame->plan->format.n_components; c++)
    memcpy (parameters.weights + c * n_entries, rate->rate->weight[c],
        n_entries * sizeof (int16_t));
  return find (frame, &parameters, error);
}

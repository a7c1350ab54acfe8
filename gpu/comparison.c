/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares what a frame decodes to with a picture, on the device (comparison.h). */
#include "gpu/comparison.h"
#include "gpu/kernels/compare.h"

#define BLOCKS_PER_MULTIPROCESSOR 8
#define MAX_ROWS_OF_GRID 65535u

gboolean
paco_cuda_comparison_begin (PacoCudaComparison *comparison,
    PacoCudaFrame *frame, const PacoPicture *picture, GError **error)
{
  PacoPicture like = *picture;

  /* Wherever the picture is, its copy lies as if it had been uploaded. */
  like.memory = PACO_MEMORY_HOST;
  paco_transfer_plan (
      &comparison->transfer, &like, &frame->plan->format, frame->plan->reduce);
  return paco_device_memory_reserve (frame->share, &comparison->memory,
      comparison->transfer.size + 64, "the copy of a picture", error);
}

void
paco_cuda_comparison_clear (
    PacoCudaComparison *comparison, PacoCudaShare *share)
{
  paco_device_memory_clear (share, &comparison->memory);
  comparison->transfer = (PacoTransfer){ 0 };
}

void
paco_cuda_comparison_copy (
    const PacoCudaComparison *comparison, PacoPicture *copy)
{
  paco_transfer_device_picture (
      &comparison->transfer, comparison->memory.address, copy);
}

static gboolean
enqueue_region (PacoCudaFrame *frame, const PacoTransferRegion *region,
    CUdeviceptr picture, CUdeviceptr copy, CUdeviceptr n_different,
    GError **error)
{
  PacoCudaDevice *device = frame->device;
  bool has_gaps = region->row_bytes < region->stride;
  PacoCompareParameters parameters = {
    .a = picture,
    .b = copy,
    /* Rows without gaps are one. */
    .row_bytes = has_gaps ? region->row_bytes : region->size,
    .rows = has_gaps ? region->rows : 1,
    .stride = region->stride,
    .aligned = ((picture | copy) & 15) == 0
        && (!has_gaps || (region->stride & 15) == 0),
    .n_different = n_different,
  };
  uint64_t units = parameters.aligned ? parameters.row_bytes / 16 + 1
                                      : parameters.row_bytes;
  uint64_t most = (uint64_t) device->context->n_multiprocessors
      * BLOCKS_PER_MULTIPROCESSOR;
  uint64_t wanted = (units + PACO_COMPARE_THREADS - 1) / PACO_COMPARE_THREADS;
  unsigned grid_x = (unsigned) CLAMP (wanted, 1, most);
  unsigned grid_y = (unsigned) CLAMP (
      parameters.rows, 1, MIN (MAX (most / grid_x, 1), MAX_ROWS_OF_GRID));

  return paco_module_launch (device->context, device->compare, grid_x, grid_y,
      1, PACO_COMPARE_THREADS, 0, frame->stream, &parameters, error);
}

gboolean
paco_cuda_comparison_enqueue (const PacoCudaComparison *comparison,
    PacoCudaFrame *frame, CUdeviceptr n_different, GError **error)
{
  const PacoTransfer *transfer = &comparison->transfer;
  bool uploaded = frame->transfer.picture.memory == PACO_MEMORY_HOST;

  for (unsigned i = 0; i < transfer->n_regions; i++) {
    const PacoTransferRegion *region = &transfer->regions[i];
    CUdeviceptr picture = uploaded
        ? frame->station.memory.address + region->offset
        : (CUdeviceptr) (uintptr_t) region->data;

    if (!enqueue_region (frame, region, picture,
            comparison->memory.address + region->offset, n_different, error))
      return FALSE;
  }
  return TRUE;
}

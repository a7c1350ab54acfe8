/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Moves pictures between the host's memory and the device's. */
#include "gpu/transfer.h"
#include "codec/crop.h"
#include "gpu/pinned.h"
#include <string.h>

#define REGION_ALIGNMENT 256
/* Bytes that are copied on the host before the device may fetch them. */
#define PIECE ((size_t) 8 << 20)

/* --- Regions --- */

static PacoTransferRegion
describe_region (const PacoRegion *region)
{
  size_t stride = region->stride < 0 ? -(size_t) region->stride
                                     : (size_t) region->stride;
  PacoTransferRegion result = {
    .data = region->data,
    .row_bytes = region->line_bytes,
    .rows = region->lines,
  };

  result.stride = result.pitch = result.rows > 1 ? stride : result.row_bytes;
  result.size = (result.rows - 1) * result.stride + result.row_bytes;
  if (region->stride < 0)
    result.data -= (result.rows - 1) * result.stride;
  return result;
}

static int
compare_regions (const void *a, const void *b)
{
  const PacoTransferRegion *x = a, *y = b;

  return x->data < y->data ? -1 : x->data > y->data;
}

/* Says whether rows of two regions, the first of which lies first in memory, take turns
 * without a gap, as those of a mosaic do. */
static bool
take_turns (const PacoTransferRegion *first, const PacoTransferRegion *second)
{
  return first->stride == second->stride && first->rows == second->rows
      && first->data + first->row_bytes == second->data
      && first->row_bytes + second->row_bytes <= first->stride;
}

/* Says whether there is nothing between the rows of a region, nor on the device. */
static bool
is_whole (const PacoTransferRegion *region)
{
  return region->row_bytes == region->stride
      && region->row_bytes == region->pitch;
}

/* Joins planes that lie behind each other without a gap, and regions whose rows take
 * turns, so that they move as one. */
static void
join_regions (PacoTransfer *transfer)
{
  unsigned n = 0;

  for (unsigned i = 1; i < transfer->n_regions; i++) {
    PacoTransferRegion *last = &transfer->regions[n];
    const PacoTransferRegion *next = &transfer->regions[i];

    if (is_whole (last) && is_whole (next)
        && last->data + last->size == next->data
        && last->offset + last->size == next->offset
        && last->staging + last->size == next->staging) {
      last->size += next->size;
      last->row_bytes = last->stride = last->pitch = last->size;
      last->rows = 1;
    } else if (take_turns (last, next)) {
      last->row_bytes += next->row_bytes;
      last->size += next->row_bytes;
    } else {
      transfer->regions[++n] = *next;
    }
  }
  transfer->n_regions = n + 1;
}

static size_t
align (size_t size)
{
  return (size + REGION_ALIGNMENT - 1) & ~(size_t) (REGION_ALIGNMENT - 1);
}

static void
find_regions (PacoTransfer *transfer, const PacoPicture *picture,
    const PacoPictureFormat *format, unsigned reduce)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  unsigned n = paco_picture_regions (format, picture, reduce, regions);

  *transfer = (PacoTransfer){
    .n_regions = n,
    .picture = *picture,
    .n_components = format->n_components,
  };
  for (unsigned i = 0; i < n; i++)
    transfer->regions[i] = describe_region (&regions[i]);
  qsort (transfer->regions, n, sizeof *transfer->regions, compare_regions);
  for (unsigned i = 0; i < n; i++) {
    PacoTransferRegion *region = &transfer->regions[i];

    region->offset = region->staging = transfer->size;
    if (i > 0 && take_turns (region - 1, region)) {
      region->offset = region->staging = region[-1].offset
          + region[-1].row_bytes;
      transfer->size = region->offset;
    }
    transfer->size += align (region->size);
  }
  transfer->staging_size = transfer->size;
}

/* A component's region is the one that begins with one of its rows; addresses alone do
 * not tell, because rows of several regions may alternate. */
static void
find_components (PacoTransfer *transfer)
{
  const PacoPicture *picture = &transfer->picture;

  for (unsigned c = 0; c < transfer->n_components; c++) {
    for (unsigned i = 0; i < transfer->n_regions; i++) {
      const PacoTransferRegion *region = &transfer->regions[i];
      ptrdiff_t first = picture->stride[c] < 0
          ? (ptrdiff_t) ((region->rows - 1) * region->stride)
          : 0;

      if (picture->data[c] == region->data + first)
        transfer->offset[c] = region->offset + first;
    }
    transfer->stride[c] = picture->stride[c];
  }
}

/* What moves of a part: its regions' rows, from the whole on the device. */
static void
find_part (PacoTransfer *transfer, const PacoPicture *picture,
    const PacoPictureFormat *format, unsigned reduce)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  unsigned n = paco_picture_regions (format, picture, reduce, regions);
  PacoWhole whole;

  paco_whole_place (&whole, format, picture, reduce);
  *transfer = (PacoTransfer){
    .n_regions = n,
    .size = whole.size,
    .picture = *picture,
    .n_components = format->n_components,
  };
  memcpy (transfer->offset, whole.offset, sizeof transfer->offset);
  memcpy (transfer->stride, whole.stride, sizeof transfer->stride);
  for (unsigned i = 0; i < n; i++) {
    PacoTransferRegion *region = &transfer->regions[i];
    ptrdiff_t stride = whole.stride[regions[i].components[0]];

    *region = describe_region (&regions[i]);
    region->offset = paco_whole_offset (&whole, format, picture, &regions[i]);
    region->pitch = (size_t) ABS (stride);
    /* The last line is the first one in memory. */
    if (stride < 0)
      region->offset -= (region->rows - 1) * region->pitch;
    region->staging = transfer->staging_size;
    transfer->staging_size += align (region->size);
  }
}

void
paco_transfer_plan (PacoTransfer *transfer, const PacoPicture *picture,
    const PacoPictureFormat *format, unsigned reduce)
{
  bool on_device = picture->memory == PACO_MEMORY_DEVICE;

  if (on_device && picture->crop.width == 0) {
    *transfer = (PacoTransfer){ .picture = *picture };
    return;
  }
  if (picture->crop.width > 0) {
    find_part (transfer, picture, format, reduce);
  } else {
    find_regions (transfer, picture, format, reduce);
    find_components (transfer);
    join_regions (transfer);
  }
  for (unsigned i = 0; i < transfer->n_regions; i++) {
    PacoTransferRegion *region = &transfer->regions[i];

    region->pinned = on_device || paco_is_pinned (region->data, region->size);
  }
}

void
paco_transfer_device_picture (
    const PacoTransfer *transfer, CUdeviceptr memory, PacoPicture *picture)
{
  *picture = transfer->picture;
  if (transfer->n_regions == 0)
    return;
  picture->crop = (PacoCrop){ 0 };
  for (unsigned c = 0; c < transfer->n_components; c++) {
    picture->data[c] = (uint8_t *) (uintptr_t) (memory + transfer->offset[c]);
    picture->stride[c] = transfer->stride[c];
  }
}

/* --- The staged --- */

gboolean
paco_staged_reserve (
    PacoStaged *staged, size_t size, size_t staging, GError **error)
{
  /* The transform reads some bytes further. */
  return paco_device_memory_reserve (
             staged->share, &staged->memory, size + 64, "samples", error)
      && paco_pinned_memory_reserve (
          staged->device, &staged->staging, staging, "samples", error);
}

void
paco_staged_clear (PacoStaged *staged)
{
  paco_device_memory_clear (staged->share, &staged->memory);
  paco_pinned_memory_clear (staged->device, &staged->staging);
}

gboolean
paco_staged_upload (PacoStaged *staged, CUdeviceptr to, const uint8_t *data,
    size_t size, bool pinned, size_t staging_offset, GError **error)
{
  if (pinned)
    return paco_cuda_upload (
        staged->device, to, data, size, staged->stream, error);
  for (size_t at = 0; at < size; at += PIECE) {
    size_t bytes = MIN (PIECE, size - at);
    uint8_t *staging = staged->staging.data + staging_offset + at;

    paco_copy (staged->share->copiers, staging, data + at, bytes, 1, bytes);
    if (!paco_cuda_upload (
            staged->device, to + at, staging, bytes, staged->stream, error))
      return FALSE;
  }
  return TRUE;
}

bool
paco_transfer_is_pinned (const PacoTransfer *transfer)
{
  for (unsigned i = 0; i < transfer->n_regions; i++)
    if (!transfer->regions[i].pinned)
      return false;
  return true;
}

static gboolean
upload_region (const PacoTransfer *transfer, const PacoTransferRegion *region,
    PacoStaged *staged, GError **error)
{
  CUdeviceptr to = staged->memory.address + region->offset;

  if (transfer->staged && !region->pinned)
    return paco_cuda_upload (staged->device, to,
        staged->staging.data + region->staging, region->size, staged->stream,
        error);
  return paco_staged_upload (staged, to, region->data, region->size,
      region->pinned, region->staging, error);
}

gboolean
paco_transfer_stage (PacoTransfer *transfer, PacoStaged *staged, GError **error)
{
  if (!paco_staged_reserve (
          staged, transfer->size, transfer->staging_size, error))
    return FALSE;
  for (unsigned i = 0; i < transfer->n_regions; i++) {
    const PacoTransferRegion *region = &transfer->regions[i];

    if (!region->pinned)
      paco_copy (staged->share->copiers, staged->staging.data + region->staging,
          region->data, region->size, 1, region->size);
  }
  transfer->staged = true;
  return TRUE;
}

gboolean
paco_transfer_reserve (
    const PacoTransfer *transfer, PacoStaged *staged, GError **error)
{
  return transfer->n_regions == 0
      || paco_staged_reserve (staged, transfer->size,
          paco_transfer_is_pinned (transfer) ? 0 : transfer->staging_size,
          error);
}

gboolean
paco_transfer_upload (
    const PacoTransfer *transfer, PacoStaged *staged, GError **error)
{
  if (!paco_transfer_reserve (transfer, staged, error))
    return FALSE;
  for (unsigned i = 0; i < transfer->n_regions; i++)
    if (!upload_region (transfer, &transfer->regions[i], staged, error))
      return FALSE;
  return TRUE;
}

/* Copies rows alone. Between them the destination stays as it is. */
static CUresult
download_rows (const PacoTransfer *transfer, const PacoTransferRegion *region,
    PacoStaged *staged)
{
  bool on_device = transfer->picture.memory == PACO_MEMORY_DEVICE;
  CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .srcDevice = staged->memory.address + region->offset,
    .srcPitch = region->pitch,
    .dstMemoryType = on_device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
    .dstDevice = (uintptr_t) region->data,
    .dstHost = region->pinned ? region->data
                              : staged->staging.data + region->staging,
    .dstPitch = region->stride,
    .WidthInBytes = region->row_bytes,
    .Height = region->rows,
  };

  return staged->device->driver->memcpy_2d_async (
      &copy, staged->stream->handle);
}

gboolean
paco_transfer_download (
    const PacoTransfer *transfer, PacoStaged *staged, GError **error)
{
  const PacoDriver *driver = staged->device->driver;

  if (!paco_cuda_stream_send (staged->stream, error))
    return FALSE;
  for (unsigned i = 0; i < transfer->n_regions; i++) {
    const PacoTransferRegion *region = &transfer->regions[i];
    CUresult result;

    if (region->pitch != region->stride
        || (region->pinned && region->row_bytes < region->stride)
        || transfer->picture.memory == PACO_MEMORY_DEVICE)
      result = download_rows (transfer, region, staged);
    else
      result = driver->memcpy_dtoh_async (region->pinned
              ? region->data
              : staged->staging.data + region->staging,
          staged->memory.address + region->offset, region->size,
          staged->stream->handle);
    if (!paco_driver_check (driver, result, error,
            "%zu bytes cannot be downloaded from %s", region->size,
            staged->device->context->name))
      return FALSE;
  }
  return TRUE;
}

void
paco_transfer_finish (const PacoTransfer *transfer, PacoStaged *staged)
{
  for (unsigned i = 0; i < transfer->n_regions; i++) {
    const PacoTransferRegion *region = &transfer->regions[i];

    if (!region->pinned)
      paco_copy (staged->share->copiers, region->data,
          staged->staging.data + region->staging, region->row_bytes,
          region->rows, region->stride);
  }
}

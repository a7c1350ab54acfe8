/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Moves pictures between the host's memory and the device's; transfer.h says for
 * whom. */
#include "gpu/transfer.h"
#include "gpu/pinned.h"
#include <string.h>

#define REGION_ALIGNMENT 256
/* How many bytes are copied on the host before the device may fetch them. */
#define PIECE ((size_t) 8 << 20)

/* --- Regions --- */

static PacoTransferRegion
describe_region (const PacoRegion *region)
{
  size_t stride = region->stride < 0 ? -(size_t) region->stride
                                     : (size_t) region->stride;
  PacoTransferRegion told = {
    .data = region->data,
    .row_bytes = region->line_bytes,
    .rows = region->lines,
  };

  told.stride = told.rows > 1 ? stride : told.row_bytes;
  told.size = (told.rows - 1) * told.stride + told.row_bytes;
  if (region->stride < 0)
    told.data -= (told.rows - 1) * told.stride;
  return told;
}

static int
compare_regions (const void *a, const void *b)
{
  const PacoTransferRegion *x = a, *y = b;

  return x->data < y->data ? -1 : x->data > y->data;
}

/* Joins planes that lie behind each other without a gap, so that they move as one. */
static void
join_regions (PacoTransfer *transfer)
{
  unsigned n = 0;

  for (unsigned i = 1; i < transfer->n_regions; i++) {
    PacoTransferRegion *last = &transfer->regions[n];
    const PacoTransferRegion *next = &transfer->regions[i];

    if (last->row_bytes == last->stride && next->row_bytes == next->stride
        && last->stride == next->stride && last->data + last->size == next->data
        && last->offset + last->size == next->offset) {
      last->size += next->size;
      last->rows += next->rows;
    } else {
      transfer->regions[++n] = *next;
    }
  }
  transfer->n_regions = n + 1;
}

/* Says whether the picture's regions are those of the last one, moved by some bytes.
 * A picture in the device's memory has none. */
static bool
only_moved (const PacoTransfer *transfer, const PacoPicture *picture)
{
  const PacoPicture *old = &transfer->picture;
  uintptr_t by = (uintptr_t) picture->data[0] - (uintptr_t) old->data[0];

  if (transfer->n_regions == 0)
    return false;
  for (unsigned c = 0; c < transfer->n_components; c++)
    if ((uintptr_t) picture->data[c] - (uintptr_t) old->data[c] != by
        || picture->stride[c] != old->stride[c]
        || memcmp (&picture->layout[c], &old->layout[c], sizeof old->layout[c])
            != 0)
      return false;
  return true;
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

    region->offset = transfer->size;
    transfer->size += (region->size + REGION_ALIGNMENT - 1)
        & ~(size_t) (REGION_ALIGNMENT - 1);
  }
}

/* Finds the address of each component on the device. Its region is the one that
 * begins with one of the component's rows; addresses alone do not tell, because
 * the rows of several regions may alternate in memory. */
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
  }
}

void
paco_transfer_plan (PacoTransfer *transfer, const PacoPicture *picture,
    const PacoPictureFormat *format, unsigned reduce)
{
  if (picture->memory == PACO_MEMORY_DEVICE) {
    *transfer = (PacoTransfer){ .picture = *picture };
    return;
  }
  if (only_moved (transfer, picture)) {
    for (unsigned i = 0; i < transfer->n_regions; i++)
      transfer->regions[i].data = picture->data[0]
          + (transfer->regions[i].data - transfer->picture.data[0]);
    transfer->picture = *picture;
    transfer->staged = false;
  } else {
    find_regions (transfer, picture, format, reduce);
    find_components (transfer);
    join_regions (transfer);
  }
  for (unsigned i = 0; i < transfer->n_regions; i++) {
    PacoTransferRegion *region = &transfer->regions[i];

    region->pinned = paco_is_pinned (region->data, region->size);
  }
}

void
paco_transfer_device_picture (const PacoTransfer *transfer,
    const PacoStation *station, PacoPicture *picture)
{
  *picture = transfer->picture;
  if (picture->memory == PACO_MEMORY_DEVICE)
    return;
  for (unsigned c = 0; c < transfer->n_components; c++)
    picture->data[c] = (uint8_t *) (uintptr_t) (station->memory.address
        + transfer->offset[c]);
}

/* --- The station --- */

gboolean
paco_station_reserve (
    PacoStation *station, size_t size, bool staging, GError **error)
{
  /* The transform reads some bytes further. */
  return paco_device_memory_reserve (
             station->share, &station->memory, size + 64, "samples", error)
      && (!staging
          || paco_pinned_memory_reserve (
              station->device, &station->staging, size, "samples", error));
}

void
paco_station_clear (PacoStation *station)
{
  paco_device_memory_clear (station->share, &station->memory);
  paco_pinned_memory_clear (station->device, &station->staging);
}

static gboolean
enqueue_upload (PacoStation *station, CUdeviceptr to, const uint8_t *from,
    size_t size, GError **error)
{
  return paco_driver_check (station->device->driver,
      station->device->driver->memcpy_htod_async (
          to, from, size, station->stream),
      error, "%zu bytes cannot be uploaded to %s", size,
      station->device->context->name);
}

gboolean
paco_station_upload (PacoStation *station, CUdeviceptr to, const uint8_t *data,
    size_t size, bool pinned, size_t staging_offset, GError **error)
{
  if (pinned)
    return enqueue_upload (station, to, data, size, error);
  for (size_t at = 0; at < size; at += PIECE) {
    size_t bytes = MIN (PIECE, size - at);
    uint8_t *staging = station->staging.data + staging_offset + at;

    paco_copier_run (
        station->share->copier, staging, data + at, bytes, 1, bytes);
    if (!enqueue_upload (station, to + at, staging, bytes, error))
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
    PacoStation *station, GError **error)
{
  CUdeviceptr to = station->memory.address + region->offset;

  if (transfer->staged && !region->pinned)
    return enqueue_upload (station, to, station->staging.data + region->offset,
        region->size, error);
  return paco_station_upload (station, to, region->data, region->size,
      region->pinned, region->offset, error);
}

gboolean
paco_transfer_stage (
    PacoTransfer *transfer, PacoStation *station, GError **error)
{
  if (!paco_station_reserve (station, transfer->size, true, error))
    return FALSE;
  for (unsigned i = 0; i < transfer->n_regions; i++) {
    const PacoTransferRegion *region = &transfer->regions[i];

    if (!region->pinned)
      paco_copier_run (station->share->copier,
          station->staging.data + region->offset, region->data, region->size, 1,
          region->size);
  }
  transfer->staged = true;
  return TRUE;
}

gboolean
paco_transfer_reserve (
    const PacoTransfer *transfer, PacoStation *station, GError **error)
{
  return transfer->n_regions == 0
      || paco_station_reserve (
          station, transfer->size, !paco_transfer_is_pinned (transfer), error);
}

gboolean
paco_transfer_upload (
    const PacoTransfer *transfer, PacoStation *station, GError **error)
{
  if (!paco_transfer_reserve (transfer, station, error))
    return FALSE;
  for (unsigned i = 0; i < transfer->n_regions; i++)
    if (!upload_region (transfer, &transfer->regions[i], station, error))
      return FALSE;
  return TRUE;
}

/* Between the rows the destination stays as it is. */
static CUresult
download_rows (const PacoTransferRegion *region, PacoStation *station)
{
  CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .srcDevice = station->memory.address + region->offset,
    .srcPitch = region->stride,
    .dstMemoryType = CU_MEMORYTYPE_HOST,
    .dstHost = region->data,
    .dstPitch = region->stride,
    .WidthInBytes = region->row_bytes,
    .Height = region->rows,
  };

  return station->device->driver->memcpy_2d_async (&copy, station->stream);
}

gboolean
paco_transfer_download (
    const PacoTransfer *transfer, PacoStation *station, GError **error)
{
  const PacoDriver *driver = station->device->driver;

  for (unsigned i = 0; i < transfer->n_regions; i++) {
    const PacoTransferRegion *region = &transfer->regions[i];
    CUresult result;

    if (region->pinned && region->row_bytes < region->stride)
      result = download_rows (region, station);
    else
      result = driver->memcpy_dtoh_async (region->pinned
              ? region->data
              : station->staging.data + region->offset,
          station->memory.address + region->offset, region->size,
          station->stream);
    if (!paco_driver_check (driver, result, error,
            "%zu bytes cannot be downloaded from %s", region->size,
            station->device->context->name))
      return FALSE;
  }
  return TRUE;
}

void
paco_transfer_finish (const PacoTransfer *transfer, PacoStation *station)
{
  for (unsigned i = 0; i < transfer->n_regions; i++) {
    const PacoTransferRegion *region = &transfer->regions[i];

    if (!region->pinned)
      paco_copier_run (station->share->copier, region->data,
          station->staging.data + region->offset, region->row_bytes,
          region->rows, region->stride);
  }
}

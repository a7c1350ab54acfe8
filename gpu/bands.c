/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies bands of lines to the host, with one copy for each region: a band is one long
 * row of memory, and one copy takes rows at equal distances. */
#include "gpu/bands.h"

/* The bands of a region as rows of memory, in the order of addresses: with a negative
 * stride the last line of the last band is first. */
typedef struct
{
  const uint8_t *data; /* of the device */
  size_t bytes, pitch; /* of a row; from one to the next */
  size_t offset; /* in the host's memory, where there is nothing between */
  size_t first;  /* there, from the offset to the first line */
} Rows;

static Rows
find_rows (const PacoRegion *region, const PacoBands *bands, unsigned n_fields)
{
  size_t line = (size_t) ABS (region->stride) * n_fields;
  size_t last_line = line * (PACO_TILE_LINES - 1);
  Rows rows = {
    .data = region->data
        + region->stride * (ptrdiff_t) (n_fields * bands->first),
    .bytes = last_line + region->line_bytes,
    .pitch = line * bands->step,
  };

  if (region->stride < 0) {
    rows.data -= rows.pitch * (bands->n - 1) + last_line;
    rows.first = rows.bytes * (bands->n - 1) + last_line;
  }
  return rows;
}

static gboolean
check_queued (const PacoCudaFrame *frame, CUresult result, GError **error)
{
  return paco_driver_check (frame->device->driver, result, error,
      "lines cannot be downloaded from %s", frame->device->context->name);
}

static gboolean
copy_rows (PacoCudaBands *bands, const PacoCudaFrame *frame, const Rows *rows,
    GError **error)
{
  CUDA_MEMCPY2D copy = {
    .srcMemoryType = CU_MEMORYTYPE_DEVICE,
    .srcDevice = (CUdeviceptr) (uintptr_t) rows->data,
    .srcPitch = rows->pitch,
    .dstMemoryType = CU_MEMORYTYPE_HOST,
    .dstHost = bands->memory.data + rows->offset,
    .dstPitch = rows->bytes,
    .WidthInBytes = rows->bytes,
    .Height = bands->samples.bands.n,
  };

  return check_queued (frame,
      frame->device->driver->memcpy_2d_async (&copy, bands->stream), error);
}

static void
describe (const PacoRegion *region, const Rows *rows, unsigned n_fields,
    const PacoPicture *picture, PacoCudaBands *bands)
{
  PacoBandSamples *samples = &bands->samples;

  for (unsigned i = 0; i < region->n_components; i++) {
    unsigned c = region->components[i];

    samples->data[c] = bands->memory.data + rows->offset + rows->first;
    samples->line[c] = region->stride * (ptrdiff_t) n_fields;
    samples->band[c] = region->stride < 0 ? -(ptrdiff_t) rows->bytes
                                          : (ptrdiff_t) rows->bytes;
    samples->layout[c] = picture->layout[c];
  }
}

/* Makes the stream if it is the first time, and makes it wait for the picture. */
static gboolean
begin (PacoCudaBands *bands, PacoCudaFrame *frame, GError **error)
{
  return (bands->stream
             || paco_cuda_stream_create (
                 frame->device->context, &bands->stream, error))
      && paco_cuda_frame_mark (frame, PACO_CUDA_ARRIVED, error)
      && check_queued (frame,
          frame->device->driver->stream_wait_event (
              bands->stream, frame->events[PACO_CUDA_ARRIVED], 0),
          error);
}

gboolean
paco_cuda_bands_fetch (PacoCudaBands *bands, PacoCudaFrame *frame,
    const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoSampleMaps *maps, GError **error)
{
  unsigned n_fields = paco_n_fields (format);
  PacoRegion regions[PACO_MAX_COMPONENTS];
  unsigned n = paco_picture_regions (format, picture, 0, regions);
  Rows rows[PACO_MAX_COMPONENTS];
  size_t size = 0;

  bands->samples.bands = paco_policy_bands (format);
  bands->samples.maps = maps;
  for (unsigned i = 0; i < n; i++) {
    rows[i] = find_rows (&regions[i], &bands->samples.bands, n_fields);
    rows[i].offset = size;
    size += rows[i].bytes * bands->samples.bands.n;
  }
  if (!paco_pinned_memory_reserve (
          frame->device, &bands->memory, size, "bands of lines", error)
      || !begin (bands, frame, error))
    return FALSE;
  for (unsigned i = 0; i < n; i++) {
    if (!copy_rows (bands, frame, &rows[i], error))
      return FALSE;
    describe (&regions[i], &rows[i], n_fields, picture, bands);
  }
  return check_queued (frame,
      frame->device->driver->event_record (
          frame->events[PACO_CUDA_SAMPLED], bands->stream),
      error);
}

void
paco_cuda_bands_give_up (PacoCudaBands *bands, PacoCudaDevice *device)
{
  if (bands->stream)
    device->driver->stream_synchronize (bands->stream);
}

void
paco_cuda_bands_clear (PacoCudaBands *bands, PacoCudaDevice *device)
{
  paco_cuda_bands_give_up (bands, device);
  paco_pinned_memory_clear (device, &bands->memory);
  if (bands->stream)
    device->driver->stream_destroy (bands->stream);
  *bands = (PacoCudaBands){ 0 };
}

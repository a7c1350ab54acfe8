/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Puts a frame's codestream together. */
#include "gpu/pack.h"
#include "codec/index.h"
#include <string.h>
#include <zlib.h>

#define COPY_BLOCKS_PER_MULTIPROCESSOR 8

gboolean
paco_pack_buffers_reserve (PacoPackBuffers *buffers, PacoCudaShare *share,
    uint32_t n_blocks, bool cut_points, size_t map_size, GError **error)
{
  size_t index = PACO_MAX_INDEX_SIZE (n_blocks) + map_size
      + (cut_points ? PACO_MAX_CUT_POINTS_SIZE (n_blocks) : 0);

  return paco_device_memory_reserve (
             share, &buffers->index, index + 16, "index", error)
      && paco_device_memory_reserve (
          share, &buffers->sizes, sizeof (PacoPackSizes), "sizes", error)
      && paco_pinned_memory_reserve (share->device, &buffers->host_sizes,
          sizeof (PacoPackSizes), "sizes", error);
}

void
paco_pack_buffers_clear (PacoPackBuffers *buffers, PacoCudaShare *share)
{
  paco_device_memory_clear (share, &buffers->index);
  paco_device_memory_clear (share, &buffers->sizes);
  paco_pinned_memory_clear (share->device, &buffers->host_sizes);
}

gboolean
paco_pack_enqueue (PacoCudaFrame *frame, const PacoPackBuffers *buffers,
    CUdeviceptr code, CUdeviceptr records, CUdeviceptr cuts, bool block_checks,
    uint32_t header_size, uint32_t map_size, CUdeviceptr output,
    size_t capacity, GError **error)
{
  const PacoCudaDevice *device = frame->device;
  PacoPackParameters parameters = {
    .blocks = frame->blocks[frame->form].address,
    .code = code,
    .records = records,
    .cuts = cuts,
    .index = buffers->index.address,
    .sizes = buffers->sizes.address,
    .host_sizes = (uintptr_t) buffers->host_sizes.data,
    .output = output,
    .capacity = capacity,
    .header_size = header_size,
    .map_size = map_size,
    .n_blocks = frame->plan->n_blocks,
    .block_checks = block_checks,
  };
  uint32_t most = device->context->n_multiprocessors
      * COPY_BLOCKS_PER_MULTIPROCESSOR;
  uint32_t warps = PACO_PACK_COPY_THREADS / 32;
  uint32_t wanted = (PACO_PACK_COPY_WARPS * frame->plan->n_blocks + warps - 1)
      / warps;

  PacoLaunch scan = {
    .function = device->pack_scan,
    .grid_x = 1,
    .threads = PACO_PACK_SCAN_THREADS,
    PACO_LAUNCH_PARAMETERS (parameters),
  };
  PacoLaunch copy = {
    .function = device->pack_copy,
    .grid_x = MIN (wanted, most),
    .threads = PACO_PACK_COPY_THREADS,
    PACO_LAUNCH_PARAMETERS (parameters),
  };

  return paco_cuda_stream_launch (&frame->stream, &scan, error)
      && paco_cuda_stream_launch (&frame->stream, &copy, error);
}

size_t
paco_pack_size (const PacoPackBuffers *buffers)
{
  const PacoPackSizes *sizes = (const PacoPackSizes *) buffers->host_sizes.data;

  return sizes->index_size + sizes->payload_size;
}

gboolean
paco_pack_finish (const PacoPackBuffers *buffers, PacoHeader *header,
    const uint8_t *tables, const uint8_t *map, uint8_t *output, size_t *size,
    GError **error)
{
  const PacoPackSizes *sizes = (const PacoPackSizes *) buffers->host_sizes.data;
  uint64_t frame_size;
  uint8_t *index = output + header->header_size;
  size_t tables_size = paco_header_tables_size (header);

  header->index_size = tables_size + sizes->index_size;
  header->cut_points_size = sizes->cut_points_size;
  frame_size = header->header_size + header->index_size + sizes->payload_size;
  if (frame_size + header->video.attachment.size > G_MAXUINT32) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "the coded frame would be larger than 4 GiB; use a lower quality");
    return FALSE;
  }
  if (!sizes->fits) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the coded frame is larger than expected, %" G_GUINT64_FORMAT " bytes",
        frame_size);
    return FALSE;
  }
  if (tables_size > 0)
    memcpy (index, tables, tables_size);
  if (header->step_map_size > 0)
    memcpy (index + tables_size + paco_header_records_size (header), map,
        header->step_map_size);
  header->index_crc = crc32 (0, index, header->index_size);
  header->frame_size = (uint32_t) frame_size + header->video.attachment.size;
  paco_header_write (header, output);
  *size = frame_size;
  return TRUE;
}

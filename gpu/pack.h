/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Puts a frame's codestream together: launches kernels/pack.cu, and adds the header on
 * the host. */
#pragma once
#include "gpu/frame.h"

typedef struct
{
  PacoDeviceMemory index, sizes;
  PacoPinnedMemory host_sizes; /* PacoPackSizes */
} PacoPackBuffers;

/* Makes the buffers large enough for n_blocks and a step map; they only grow. They are
 * zero before the first call. */
gboolean paco_pack_buffers_reserve (PacoPackBuffers *buffers,
    PacoCudaShare *share, uint32_t n_blocks, bool cut_points, size_t map_size,
    GError **error);
void paco_pack_buffers_clear (PacoPackBuffers *buffers, PacoCudaShare *share);

/* Enqueues the kernels that write index and payload to output, from the block coder's
 * code and records. cuts are for the index's cut points, or 0. header_size: all bytes
 * before the records, code tables included. map_size: of the step map. */
gboolean paco_pack_enqueue (PacoCudaFrame *frame,
    const PacoPackBuffers *buffers, CUdeviceptr code, CUdeviceptr records,
    CUdeviceptr cuts, bool block_checks, uint32_t header_size,
    uint32_t map_size, CUdeviceptr output, size_t capacity, GError **error);

/* Returns the bytes of index and payload without code tables, after the scan has ended. */
size_t paco_pack_size (const PacoPackBuffers *buffers);

/* Writes the header, the code tables and the step map when index and payload have been
 * downloaded; *size becomes the frame's. tables: their bytes for the index, or NULL if
 * there are none; map: header->step_map_size bytes. */
gboolean paco_pack_finish (const PacoPackBuffers *buffers, PacoHeader *header,
    const uint8_t *tables, const uint8_t *map, uint8_t *output, size_t *size,
    GError **error);

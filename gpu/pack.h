/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Putting a frame's codestream together on the device: launches of
 * kernels/pack.cu, and what the host adds. */
#pragma once
#include "gpu/frame.h"

G_BEGIN_DECLS

typedef struct
{
  PacoDeviceMemory index, sizes;
  PacoPinnedMemory host_sizes; /* PacoPackSizes */
} PacoPackBuffers;

/* Buffers as large at least as those that there are; clear ones to begin with. */
gboolean paco_pack_buffers_reserve (PacoPackBuffers *buffers,
    PacoCudaShare *share, uint32_t n_blocks, bool cut_points, GError **error);
void paco_pack_buffers_clear (PacoPackBuffers *buffers, PacoCudaShare *share);

/* Enqueues scan and copies to output. code and records: what the block coder
 * wrote. cuts: for the index's cut points, or 0. */
gboolean paco_pack_enqueue (PacoCudaFrame *frame,
    const PacoPackBuffers *buffers, CUdeviceptr code, CUdeviceptr records,
    CUdeviceptr cuts, bool block_checks, uint32_t header_size,
    CUdeviceptr output, size_t capacity, GError **error);

/* Bytes of index and payload, once the scan is done. */
size_t paco_pack_size (const PacoPackBuffers *buffers);

/* When index and payload have come to the host: writes the header and returns
 * the frame's size in *size. */
gboolean paco_pack_finish (const PacoPackBuffers *buffers, PacoHeader *header,
    uint8_t *output, size_t *size, GError **error);

G_END_DECLS

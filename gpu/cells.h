/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The step map that an encoder makes on the device (codec/policy_map.h), and packs on the
 * host while the block coder works. */
#pragma once
#include "codec/encoder_private.h"
#include "gpu/frame.h"

/* Buffers of a flight. */
typedef struct
{
  PacoDeviceMemory cells, added;
  PacoPinnedMemory host, host_added;
  uint8_t *map;  /* its bytes */
  uint32_t size; /* of the frame's map, 0 without one */
} PacoCudaCells;

/* Makes the buffers large enough; they only grow from zero. */
gboolean paco_cuda_cells_reserve (PacoCudaCells *cells, PacoCudaShare *share,
    const PacoGeometry *geometry, GError **error);
void paco_cuda_cells_clear (PacoCudaCells *cells, PacoCudaShare *share);

/* Enqueues the upload of what areas add to the cells of the frame. */
gboolean paco_cuda_cells_add (PacoCudaCells *cells, PacoCudaFrame *frame,
    const PacoEncoderJob *job, GError **error);

/* Enqueues, after the transform, what finds the cells, and what downloads them. added:
 * something was uploaded. */
gboolean paco_cuda_cells_find (const PacoCudaCells *cells, PacoCudaFrame *frame,
    const PacoActivity *activity, bool added, bool wide, GError **error);
gboolean paco_cuda_cells_download (
    const PacoCudaCells *cells, PacoCudaFrame *frame, GError **error);

/* Waits for the download, and sets map and size. */
gboolean paco_cuda_cells_pack (
    PacoCudaCells *cells, PacoCudaFrame *frame, GError **error);

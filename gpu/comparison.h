/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares what a frame decodes to with a picture, on the device, for decoder.c: the
 * picture is uploaded unless it is there already, the frame is decoded into a copy that
 * lies as the picture does, and kernels/compare.cu counts the bytes that are
 * different. */
#pragma once
#include "gpu/frame.h"

G_BEGIN_DECLS

/* A flight has one, and uses it for one frame after the other. All is 0 before the
 * first. */
typedef struct
{
  PacoTransfer transfer; /* says how the copy lies */
  PacoDeviceMemory memory;
} PacoCudaComparison;

/* Plans the comparison with a picture, for the frame's plan, and makes memory for the
 * copy. */
gboolean paco_cuda_comparison_begin (PacoCudaComparison *comparison,
    PacoCudaFrame *frame, const PacoPicture *picture, GError **error);
void paco_cuda_comparison_clear (
    PacoCudaComparison *comparison, PacoCudaShare *share);

/* Sets *copy to the picture into which the frame is decoded. */
void paco_cuda_comparison_copy (
    const PacoCudaComparison *comparison, PacoPicture *copy);

/* Enqueues the kernels that compare the copy with the picture that frame->transfer has
 * uploaded, or that lies on the device. They add to the number at n_different, of 64
 * bits. */
gboolean paco_cuda_comparison_enqueue (const PacoCudaComparison *comparison,
    PacoCudaFrame *frame, CUdeviceptr n_different, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoded frames on their way out: page-locked buffers into which the device writes,
 * each large enough for any frame. They are used again when they come back, which they
 * may do from any thread, and after the encoder is gone. */
#pragma once
#include "codec/encoder.h"
#include "gpu/device.h"

typedef struct _PacoCudaOutputs PacoCudaOutputs;

PacoCudaOutputs *paco_cuda_outputs_new (PacoCudaDevice *device);
/* Frames that are still out are freed when they come back. */
void paco_cuda_outputs_close (PacoCudaOutputs *outputs);

/* Sets the size of buffers and how many are kept at least, and allocates these unless
 * they are huge. Frames that are out stay valid. */
gboolean paco_cuda_outputs_configure (
    PacoCudaOutputs *outputs, size_t size, unsigned n, GError **error);

/* Returns a frame in such a buffer, or NULL with an error if there is no memory. */
PacoEncodedFrame *paco_cuda_outputs_get (
    PacoCudaOutputs *outputs, GError **error);

/* Sets the frame's size, and appends its attachment. If many frames are out, or the
 * buffer has no room for the attachment, *frame becomes a copy in ordinary memory: an
 * application that collects frames holds no page-locked buffers of the largest size.
 * Error MEMORY if there is none. */
gboolean paco_cuda_outputs_finish (PacoCudaOutputs *outputs,
    PacoEncodedFrame **frame, size_t size, const PacoAttachment *attachment,
    GError **error);

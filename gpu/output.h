/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoded frames on their way out: page-locked buffers into which the device
 * writes, each large enough for any frame, kept for the next frames when they
 * come back. They may come back from any thread, and after the encoder is
 * gone. */
#pragma once
#include "codec/encoder.h"
#include "gpu/device.h"

G_BEGIN_DECLS

typedef struct _PacoCudaOutputs PacoCudaOutputs;

PacoCudaOutputs *paco_cuda_outputs_new (PacoCudaDevice *device);
/* Frames that are still out are freed when they come back. */
void paco_cuda_outputs_close (PacoCudaOutputs *outputs);

/* Sets the size of buffers and how many are kept at least, and gets these unless
 * they are huge. Once more of them have been out, more are kept. Frames that are
 * out stay. */
gboolean paco_cuda_outputs_configure (
    PacoCudaOutputs *outputs, size_t size, unsigned n, GError **error);

/* A frame with such a buffer; without one, and with an error, if there is no
 * memory. */
PacoEncodedFrame *paco_cuda_outputs_get (PacoCudaOutputs *outputs);
/* A frame without data. */
PacoEncodedFrame *paco_cuda_outputs_get_empty (PacoCudaOutputs *outputs);

/* Sets the size that the frame has come to. When many frames are out, the
 * bytes move to ordinary memory, so that an application that collects frames
 * does not hold page-locked buffers of the largest size. */
void paco_cuda_outputs_finish (PacoEncodedFrame *frame, size_t size);

G_END_DECLS

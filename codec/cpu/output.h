/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoded frames on their way out, for encoder.c: their buffers have just the size that
 * is needed, and are kept for the next frames when they come back. They may come back
 * from any thread, and after the encoder is gone. */
#pragma once
#include "codec/backend.h"

typedef struct _PacoOutputs PacoOutputs;

PacoOutputs *paco_outputs_new (void);
/* Frees the buffers that are kept, and sets how many are kept from now on; at first
 * none are. */
void paco_outputs_keep (PacoOutputs *outputs, unsigned keep);
/* Frames that are still out are freed when they come back. */
void paco_outputs_close (PacoOutputs *outputs);

/* Returns a frame with room for `size` bytes. Its data is NULL if size is 0 or there is
 * no memory. */
PacoEncodedFrame *paco_outputs_get (PacoOutputs *outputs, size_t size);

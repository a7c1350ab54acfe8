/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encoded frames on their way out: buffers of just the size that is needed,
 * kept for the next frames when they come back. They may come back from any
 * thread, and after the encoder is gone. */
#pragma once
#include "codec/backend.h"

typedef struct _PacoOutputs PacoOutputs;

PacoOutputs *paco_outputs_new (void);
/* Frees the buffers that are kept, and says how many are kept from now on; at
 * first none is. */
void paco_outputs_keep (PacoOutputs *outputs, unsigned keep);
/* Frames that are still out are freed when they come back. */
void paco_outputs_close (PacoOutputs *outputs);

/* A frame with room for `size` bytes; data is NULL if size is 0 or there is no
 * memory. */
PacoEncodedFrame *paco_outputs_get (PacoOutputs *outputs, size_t size);

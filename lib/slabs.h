/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps memory for the frames that reader.c reads: it comes back when applications
 * release them, from any thread, and is used again. */
#pragma once
#include "codec/encoder.h"

typedef struct PacoSlabs PacoSlabs;

/* Memory for a frame. */
typedef struct
{
  PacoEncodedFrame
      frame; /* first: the owner of a PacoFrame, which is released */
  PacoSlabs *slabs;
  uint8_t *bytes;
  size_t capacity;
} PacoSlab;

/* Returns NULL if there is no memory. */
PacoSlabs *paco_slabs_new (void);
/* Frees all slabs; those that are still taken are freed when they come back. */
void paco_slabs_free (PacoSlabs *slabs);

/* Returns a slab with room for so many bytes, which are not cleared, or NULL if
 * there is no memory. */
PacoSlab *paco_slabs_take (PacoSlabs *slabs, size_t size);

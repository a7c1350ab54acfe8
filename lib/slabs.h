/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Memory for the frames that reader.c reads: it comes back when applications release
 * them, by any thread, and is used again. */
#pragma once
#include "codec/encoder.h"

typedef struct PacoSlabs PacoSlabs;

/* Of a frame. */
typedef struct
{
  PacoEncodedFrame
      frame; /* first: the owner of a PacoFrame, which is released */
  PacoSlabs *slabs;
  uint8_t *bytes;
  size_t capacity;
} PacoSlab;

/* NULL without memory. */
PacoSlabs *paco_slabs_new (void);
/* Slabs that are still taken are freed when they come back. */
void paco_slabs_free (PacoSlabs *slabs);

/* A slab with room for so many bytes, which are anything; NULL without memory. */
PacoSlab *paco_slabs_take (PacoSlabs *slabs, size_t size);

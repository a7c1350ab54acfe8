/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A layout of samples made ready for the line operations: for vectors of eight
 * elements of 32 bits, a sample each, where their bytes lie in memory. samples.c
 * makes one for each component of a frame, layout_kernels.h reads it.
 *
 * Elements 0..3 have theirs in the 16 bytes from the vector's first group on,
 * elements 4..7 in the 16 bytes that begin `second` bytes further, in the same ones
 * if that is 0. Byte shuffles do not cross these halves, which is why a sample does
 * not always have the element of its number. */
#pragma once
#include "codec/layout.h"

#define PACO_PLAN_ELEMENTS 8
#define PACO_PLAN_WINDOW 16 /* bytes that a half looks at */
#define PACO_PLAN_ROUNDS 2

typedef struct
{
  const PacoSampleLayout *layout;
  unsigned depth;
  uint32_t columns;  /* of the component */
  size_t line_bytes; /* of the region (PacoRegion) */

  /* Samples and bytes of whole groups that a vector takes; 0 if the layout does
   * not suit it. */
  uint8_t n_samples, n_bytes;
  uint8_t second;
  /* The element of each sample, and the sample of each element. */
  uint32_t element_of[PACO_PLAN_ELEMENTS], sample_of[PACO_PLAN_ELEMENTS];
  uint32_t shifts[PACO_PLAN_ELEMENTS]; /* of the sample in the element */
  /* For each byte of the elements, the byte of the half's window that it is read
   * from; and for each byte of the windows, that of the half's elements that is
   * written there. PACO_PLAN_NONE: there is none. Where samples share bytes, they
   * are written in several rounds; n_rounds is 0 if PACO_PLAN_ROUNDS are not
   * enough. */
  uint8_t gather[2 * PACO_PLAN_WINDOW];
  uint8_t n_rounds;
  uint8_t scatter[PACO_PLAN_ROUNDS][2 * PACO_PLAN_WINDOW];
} PacoLayoutPlan;

#define PACO_PLAN_NONE 0x80

/* The layout must be possible (paco_layouts_check()), and stay. */
void paco_layout_plan (PacoLayoutPlan *plan, const PacoSampleLayout *layout,
    unsigned depth, uint32_t columns, size_t line_bytes);

/* How many vectors take the first of n samples, whole groups of which lie in
 * `bytes` bytes: vectors look at a few bytes and words more than they take. */
size_t paco_layout_vectors (const PacoLayoutPlan *plan, size_t n, size_t bytes);

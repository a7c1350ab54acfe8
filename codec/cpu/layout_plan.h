/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A layout of samples made ready for the line operations: where the bytes of vectors
 * of eight elements of 32 bits, a sample each, lie in memory. samples.c makes one
 * for each component of a frame, and layout_kernels.h reads it.
 *
 * The bytes of elements 0..3 are in a window of 16 bytes that begins with the
 * vector's first group; those of elements 4..7 are in a second window, which begins
 * `second` bytes further (0: it is the same). Byte shuffles do not cross the two
 * halves of a vector, so a sample does not always have the element of its number. */
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

  /* How many samples and bytes, in whole groups, a vector takes; 0 if vectors cannot be
   * used with the layout. */
  uint8_t n_samples, n_bytes;
  uint8_t second;
  /* The element of each sample, and the sample of each element. */
  uint32_t element_of[PACO_PLAN_ELEMENTS], sample_of[PACO_PLAN_ELEMENTS];
  uint32_t shifts[PACO_PLAN_ELEMENTS]; /* of the sample in the element */
  /* gather has, for each byte of the elements, the byte of the half's window that it
   * is read from. The other table has, for each byte of the windows, the byte of the
   * half's elements that is written there. PACO_PLAN_NONE says that there is none.
   * Where samples share bytes, they are written in several rounds; n_rounds is 0 if
   * PACO_PLAN_ROUNDS are not enough. */
  uint8_t gather[2 * PACO_PLAN_WINDOW];
  uint8_t n_rounds;
  uint8_t scatter[PACO_PLAN_ROUNDS][2 * PACO_PLAN_WINDOW];
} PacoLayoutPlan;

#define PACO_PLAN_NONE 0x80

/* Makes a plan. paco_layouts_check() must have accepted the layout, which must not
 * change afterwards. */
void paco_layout_plan (PacoLayoutPlan *plan, const PacoSampleLayout *layout,
    unsigned depth, uint32_t columns, size_t line_bytes);

/* Returns how many vectors can be used for n samples, whole groups of which lie in
 * `bytes` bytes. The last samples are left over, because a vector touches a few bytes
 * and words more than it takes. */
size_t paco_layout_vectors (const PacoLayoutPlan *plan, size_t n, size_t bytes);

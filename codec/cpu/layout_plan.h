/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A layout of samples made ready for the line operations: for vectors of eight
 * lanes of 32 bits, a sample each, how the lanes' bytes lie in memory.
 *
 * Lanes 0..3 find theirs in the 16 bytes from the vector's first group on, lanes
 * 4..7 in the 16 bytes that begin `second` bytes further, in the same ones if
 * that is 0. Byte shuffles do not cross these halves, which is why samples do not
 * always have the lane of their number. */
#pragma once
#include "codec/layout.h"

#define PACO_PLAN_LANES 8
#define PACO_PLAN_WINDOW 16 /* bytes that a half looks at */
#define PACO_PLAN_ROUNDS 2

typedef struct
{
  const PacoSampleLayout *layout;
  unsigned depth;
  size_t line_bytes; /* of the region (PacoRegion) */

  /* Samples and bytes of whole groups that a vector takes; 0 if the layout does
   * not suit it. */
  uint8_t n_samples, n_bytes;
  uint8_t second;
  /* By sample its lane, and by lane its sample. */
  uint32_t lane_of[PACO_PLAN_LANES], sample_of[PACO_PLAN_LANES];
  uint32_t shifts[PACO_PLAN_LANES]; /* of the sample in the lane */
  /* By byte of the lanes the byte of the half's window that it is read from, and
   * by byte of the window that of the half's lanes that is written there;
   * PACO_PLAN_NONE: there is none. Where samples share bytes, they are written in
   * several rounds; n_rounds is 0 if PACO_PLAN_ROUNDS are not enough. */
  uint8_t gather[2 * PACO_PLAN_WINDOW];
  uint8_t n_rounds;
  uint8_t scatter[PACO_PLAN_ROUNDS][2 * PACO_PLAN_WINDOW];
} PacoLayoutPlan;

#define PACO_PLAN_NONE 0x80

/* The layout must be possible (paco_layouts_check()), and stay. */
void paco_layout_plan (PacoLayoutPlan *plan, const PacoSampleLayout *layout,
    unsigned depth, size_t line_bytes);

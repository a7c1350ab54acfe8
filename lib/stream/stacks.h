/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decides which frames of a stream are slices of one stack (FORMAT.md section 12), for
 * pacodec, libpaco and paco. Numbers of stacks begin with 0 in each recording, so they
 * do not tell recordings apart that were joined. */
#pragma once
#include "codec/header.h"

/* What the last frame is. All zeros before the first frame and after a seek. */
typedef struct
{
  PacoSlice slice;  /* Its length is 0 if the frame is of no stack. */
  bool goes_on;     /* The frame before it is of the same stack. */
  bool has_first;   /* Slice 0 of its stack came. */
  unsigned missing; /* slices of its stack, directly before it */

  /* The next slice of the stack has the same size, and this place. */
  uint32_t width, height;
  bool has_place;
  PacoPlace next;
} PacoStacks;

/* Takes the next frame. lost: bytes or frames are missing before it. */
void paco_stacks_frame (
    PacoStacks *stacks, const PacoHeader *header, bool lost);

/* Returns whether the last frame completes its stack, or is of none. */
static inline bool
paco_stacks_at_end (const PacoStacks *stacks)
{
  return stacks->slice.position + 1 >= stacks->slice.length;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decides which frames are slices of one stack (stacks.h). */
#include "stacks.h"

static bool
is_same_stack (const PacoStacks *stacks, const PacoHeader *header)
{
  const PacoSlice *a = &stacks->slice, *b = &header->video.slice;

  return a->number == b->number && a->length == b->length
      && a->wavelet == b->wavelet && a->levels == b->levels
      && a->depth == b->depth && a->bits == b->bits
      && stacks->width == header->picture.width
      && stacks->height == header->picture.height;
}

/* Returns whether the frame is the next one of the same recording. Frames without a
 * place may be. */
static bool
is_next (const PacoStacks *stacks, const PacoHeader *header, bool lost)
{
  const PacoPlace *place = &header->video.place;

  return !lost
      && (!stacks->has_place || !header->video.has_place
          || (place->number == stacks->next.number
              && place->offset == stacks->next.offset));
}

/* Slices may be missing before the frame. If none is, nothing may be missing: after a
 * loss the slice with the next position is of another recording. */
static bool
goes_on (const PacoStacks *stacks, const PacoHeader *header, bool lost)
{
  int step = header->video.slice.position - stacks->slice.position;

  return is_same_stack (stacks, header)
      && (step > 1 || (step == 1 && is_next (stacks, header, lost)));
}

void
paco_stacks_frame (PacoStacks *stacks, const PacoHeader *header, bool lost)
{
  const PacoSlice *slice = &header->video.slice;
  const PacoPlace *place = &header->video.place;
  bool same = goes_on (stacks, header, lost);

  *stacks = (PacoStacks){
    .slice = *slice,
    .goes_on = same,
    .has_first = slice->length > 0
        && (slice->position == 0 || (same && stacks->has_first)),
    .missing = slice->position - (same ? stacks->slice.position + 1u : 0),
    .width = header->picture.width,
    .height = header->picture.height,
    .has_place = header->video.has_place,
    .next = { place->number + 1, place->offset + header->frame_size },
  };
}

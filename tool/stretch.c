/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stretches samples (stretch.h). */
#include "stretch.h"

unsigned
paco_stretch (unsigned sample, unsigned depth, unsigned bits)
{
  unsigned result = 0;
  int shift = (int) (bits - depth);

  for (; shift > 0; shift -= (int) depth)
    result |= sample << shift;
  return result | sample >> -shift;
}

void
paco_pixels_stretch (const PacoPixels *pixels)
{
  unsigned depth = pixels->info.depth[0];
  uint8_t *at = pixels->samples, *end = at + pixels->size;

  if (depth % 8 == 0)
    return;
  for (; depth < 8 && at < end; at++)
    *at = (uint8_t) paco_stretch (*at, depth, 8);
  for (; at + 1 < end; at += 2) {
    unsigned sample = paco_stretch ((unsigned) at[0] << 8 | at[1], depth, 16);

    at[0] = (uint8_t) (sample >> 8);
    at[1] = (uint8_t) sample;
  }
}

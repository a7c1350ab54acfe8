/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Areas of a picture that count more than the rest of it (GStreamer's regions of
 * interest): codeblocks that touch none of them are quantized more coarsely. The
 * encoders of all backends and the reference ask paco_areas_planes(). A decoder knows
 * nothing of areas: it sees dropped planes. */
#pragma once
#include "geometry.h"
#include <string.h>

#define PACO_MAX_AREAS 16

/* A rectangle in columns and lines of the picture. Parts outside of the picture do not
 * matter. */
typedef struct
{
  uint32_t x, y, width, height;
} PacoArea;

typedef struct
{
  unsigned n; /* 0: the whole picture counts alike */
  PacoArea areas[PACO_MAX_AREAS];
} PacoAreas;

static inline bool
paco_areas_equal (const PacoAreas *a, const PacoAreas *b)
{
  return a->n == b->n
      && memcmp (a->areas, b->areas, a->n * sizeof a->areas[0]) == 0;
}

/* Returns how many planes block i loses before it is rounded: `planes` if the samples
 * that it has an influence on lie in none of the areas, else 0. A block of alpha
 * loses none. */
unsigned paco_areas_planes (const PacoAreas *areas,
    const PacoPictureFormat *picture, const PacoCoding *coding,
    const PacoGeometry *geometry, uint32_t block, unsigned planes);

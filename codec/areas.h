/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Areas of a picture that count more than the rest of it (GStreamer's regions of
 * interest): what touches none of them is quantized more coarsely, by the step map as far
 * as it can, else codeblock by codeblock. The encoders of all backends and the reference
 * ask. A decoder knows nothing of areas: it sees a step map and dropped planes. */
#pragma once
#include "geometry.h"
#include <string.h>

#define PACO_MAX_AREAS 16

/* The octaves that a step map takes of those that steps are coarser outside of areas. */
#define PACO_AREAS_MAPPED 2

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

/* Returns how many planes block i loses before it is rounded: `planes`, less those that
 * the frame's step map takes, if the samples that it has an influence on lie in none of
 * the areas, else 0. A block of alpha loses none. */
unsigned paco_areas_planes (const PacoAreas *areas,
    const PacoPictureFormat *picture, const PacoCoding *coding,
    const PacoGeometry *geometry, uint32_t block, unsigned planes);

/* Adds to the exponents of the cells of the frame's step map (codec/step_map.h) that have
 * no influence on an area, if there are areas. planes: as above. */
void paco_areas_add (const PacoAreas *areas, const PacoCoding *coding,
    const PacoGeometry *geometry, unsigned planes, uint8_t *cells);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out which codeblocks and cells of the step map lie outside of all areas that count
 * more; areas.h says for whom. It takes the reach of a wavelet from wavelet.h. */
#include "areas.h"
#include "step_map.h"
#include "wavelet.h"

#define INSIDE 0x80u /* marks a cell, beside its exponent */

/* Columns and lines of the picture; the end is not included. */
typedef struct
{
  int64_t left, top, right, bottom;
} Rectangle;

static Rectangle
shown_by (const PacoPictureFormat *picture, const PacoCoding *coding,
    const PacoGeometry *geometry, const PacoCodeblock *block)
{
  const PacoSubband *subband = &geometry->subbands[block->subband];
  const int64_t reach = paco_wavelet_shown_reach (
      coding->components[subband->component].wavelet);
  const PacoComponent *component = &picture->components[subband->component];
  int64_t columns = INT64_C (1) << (subband->level + component->subsampling_x);
  int64_t lines = (INT64_C (1) << (subband->level + component->subsampling_y))
      * geometry->n_fields;

  return (Rectangle){ .left = ((int64_t) block->x - reach) * columns,
    .top = ((int64_t) block->y - reach) * lines,
    .right = ((int64_t) block->x + block->width + reach) * columns,
    .bottom = ((int64_t) block->y + block->height + reach) * lines };
}

/* Returns how many of the planes that a block loses the step map takes. */
static unsigned
mapped_planes (const PacoPictureFormat *picture, const PacoCoding *coding,
    const PacoGeometry *geometry, const PacoSubband *subband, unsigned planes)
{
  PacoStepMapPlace place = paco_step_map_place (
      picture, coding, geometry, subband);

  if (!place.used)
    return 0;
  planes = MIN (planes, PACO_AREAS_MAPPED);
  return place.halved ? (planes + 1) / 2 : planes;
}

unsigned
paco_areas_planes (const PacoAreas *areas, const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry, uint32_t block,
    unsigned planes)
{
  const PacoSubband *subband =
      &geometry->subbands[geometry->blocks[block].subband];
  Rectangle shown;

  if (areas->n == 0 || planes == 0
      || paco_is_alpha (picture, subband->component))
    return 0;
  shown = shown_by (picture, coding, geometry, &geometry->blocks[block]);
  for (unsigned i = 0; i < areas->n; i++) {
    const PacoArea *area = &areas->areas[i];

    if (area->x < shown.right && (int64_t) area->x + area->width > shown.left
        && area->y < shown.bottom
        && (int64_t) area->y + area->height > shown.top)
      return 0;
  }
  return planes - mapped_planes (picture, coding, geometry, subband, planes);
}

/* Marks the cells of a field that have an influence on an area. Levels that use the map
 * reach farthest at the coarsest one. */
static void
mark_cells (const PacoArea *area, const PacoCoding *coding,
    const PacoGeometry *geometry, unsigned field, uint8_t *cells)
{
  const int64_t lines = geometry->n_fields;
  const int64_t margin =
      paco_wavelet_shown_reach (coding->components[0].wavelet)
      << PACO_STEP_MAP_LEVELS;
  uint32_t columns = paco_step_map_columns (geometry);
  uint32_t first = paco_step_map_first_cell (geometry, field);
  int64_t rows = (paco_step_map_first_cell (geometry, field + 1) - first)
      / columns;
  int64_t left = (area->x - margin) >> PACO_STEP_MAP_CELL_LOG2;
  int64_t right = ((int64_t) area->x + area->width - 1 + margin)
      >> PACO_STEP_MAP_CELL_LOG2;
  int64_t top = (area->y / lines - margin) >> PACO_STEP_MAP_CELL_LOG2;
  int64_t bottom = (((int64_t) area->y + area->height - 1) / lines + margin)
      >> PACO_STEP_MAP_CELL_LOG2;

  for (int64_t y = MAX (top, 0); y <= MIN (bottom, rows - 1); y++)
    for (int64_t x = MAX (left, 0); x <= MIN (right, columns - 1); x++)
      cells[first + y * columns + x] |= INSIDE;
}

void
paco_areas_add (const PacoAreas *areas, const PacoCoding *coding,
    const PacoGeometry *geometry, unsigned planes, uint8_t *cells)
{
  unsigned octaves = MIN (planes, PACO_AREAS_MAPPED);
  uint32_t n = paco_step_map_n_cells (geometry);

  if (areas->n == 0 || octaves == 0)
    return;
  for (unsigned i = 0; i < areas->n; i++)
    for (unsigned f = 0; f < geometry->n_fields; f++)
      mark_cells (&areas->areas[i], coding, geometry, f, cells);
  for (uint32_t k = 0; k < n; k++)
    cells[k] = cells[k] & INSIDE
        ? cells[k] & ~INSIDE
        : MIN (cells[k] + 4 * octaves, PACO_STEP_MAP_EXPONENTS - 1);
}

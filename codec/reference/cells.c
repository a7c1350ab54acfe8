/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the exponents of the step map that an encoder makes by the activity of the
 * picture (FORMAT.md section 9), a cell at a time. */
#include "codec/reference/reference.h"
#include "codec/step_map.h"

/* A cell, in coefficients of level 1. */
#define CELL (1u << (PACO_STEP_MAP_CELL_LOG2 - 1))

/* Adds the coefficients of a subband to the sum of the cell in that column and row, and
 * their number to n. */
static void
add_subband (const PacoGeometry *geometry, const PacoReferencePlane *plane,
    unsigned field, unsigned i, const PacoActivity *activity, uint32_t column,
    uint32_t row, uint64_t *sum, uint32_t *n)
{
  const PacoSubband *subband = paco_geometry_subband (
      geometry, field, 0, 1, PACO_ORIENTATION_HL + i);
  uint32_t left, top;

  paco_reference_subband_origin (geometry, subband, &left, &top);
  for (uint32_t y = CELL * row; y < MIN (CELL * (row + 1), subband->height);
       y++)
    for (uint32_t x = CELL * column;
         x < MIN (CELL * (column + 1), subband->width); x++) {
      PacoReferenceSample sample =
          plane->samples[(size_t) (top + y) * plane->width + left + x];

      *sum += (uint64_t) activity->weight[i]
          * paco_reference_scaled_magnitude (
              sample, PACO_WAVELET_CDF97, activity->scale[i]);
      *n += 1;
    }
}

void
paco_reference_find_cells (const PacoGeometry *geometry, unsigned field,
    const PacoReferencePlane *plane, const PacoActivity *activity,
    uint8_t *cells)
{
  uint32_t columns = paco_step_map_columns (geometry);
  uint32_t first = paco_step_map_first_cell (geometry, field);
  uint32_t end = paco_step_map_first_cell (geometry, field + 1);

  for (uint32_t k = first; k < end; k++) {
    uint64_t sum = 0;
    uint32_t n = 0;

    for (unsigned i = 0; i < PACO_ACTIVITY_SUBBANDS; i++)
      add_subband (geometry, plane, field, i, activity, (k - first) % columns,
          (k - first) / columns, &sum, &n);
    cells[k] = (uint8_t) paco_activity_exponent (activity, sum, n);
  }
}

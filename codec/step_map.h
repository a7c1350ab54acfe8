/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The step map (FORMAT.md section 6.2): quantiser steps that vary over the picture. Each
 * cell of 16x16 samples of component 0 has an exponent, which makes the steps of levels 1
 * to 3 coarser there. The reference writes maps; all decoders parse them and look up the
 * exponents of coefficients. */
#pragma once
#include "geometry.h"
#include "step_cells.h"

/* How many cells a line of cells has. Field 0 has the first lines of cells. */
static inline uint32_t
paco_step_map_columns (const PacoGeometry *geometry)
{
  return paco_ceil_shift (
      geometry->resolution[0][0][0].width, PACO_STEP_MAP_CELL_LOG2);
}

/* How many cells there are in the lines of all fields, or in those of the fields before
 * one. */
uint32_t paco_step_map_n_cells (const PacoGeometry *geometry);
uint32_t paco_step_map_first_cell (
    const PacoGeometry *geometry, unsigned field);

/* Where the exponents of a subband's coefficients are. */
typedef struct
{
  bool used;                /* Its steps depend on the map. */
  bool halved;              /* Half of the exponent is taken. */
  uint8_t shift_x, shift_y; /* from a coefficient to samples of component 0 */
  uint32_t first, columns;  /* cells of the field */
} PacoStepMapPlace;

/* Returns this of a subband in frames of this picture and coding. */
PacoStepMapPlace paco_step_map_place (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry,
    const PacoSubband *subband);

/* Returns the number of the cell of the coefficient at x, y of a subband that uses the
 * map. */
static inline uint32_t
paco_step_map_cell (const PacoStepMapPlace *place, uint32_t x, uint32_t y)
{
  uint32_t row = (y << place->shift_y) >> PACO_STEP_MAP_CELL_LOG2;
  uint32_t column = (x << place->shift_x) >> PACO_STEP_MAP_CELL_LOG2;

  return place->first + row * place->columns + column;
}

/* Returns the coefficient's exponent. */
static inline unsigned
paco_step_map_exponent (
    const PacoStepMapPlace *place, const uint8_t *cells, uint32_t x, uint32_t y)
{
  return cells[paco_step_map_cell (place, x, y)] >> place->halved;
}

/* What each exponent multiplies a step by. It has ten significant bits, as steps have, so
 * that the product is exact. */
extern const float paco_step_map_scales[PACO_STEP_MAP_EXPONENTS];

/* What the encoder multiplies with, for each exponent (PACO_STEP_MAP_MULTIPLIER). */
extern const uint32_t paco_step_map_multipliers[PACO_STEP_MAP_EXPONENTS];

/* Returns the magnitude c, below 2^23, at a step that is coarser by an exponent. */
static inline uint32_t
paco_step_map_coarser (uint32_t c, unsigned exponent)
{
  return (
      uint32_t) ((2 * (uint64_t) c + 1) * paco_step_map_multipliers[exponent]
      >> PACO_STEP_MAP_SHIFT);
}

/* How many bytes the map takes at most. */
size_t paco_step_map_max_size (const PacoGeometry *geometry);
/* Writes a map, and returns how many bytes it takes. */
size_t paco_step_map_write (
    const uint8_t *cells, const PacoGeometry *geometry, uint8_t *data);

/* Parses the map of the frame that begins at data, whose header and index have been
 * parsed, into paco_step_map_n_cells() exponents. Error CORRUPT if its bytes are not as
 * section 6.2 says. */
gboolean paco_step_map_parse_frame (const uint8_t *data,
    const PacoHeader *header, const PacoGeometry *geometry, uint8_t *cells,
    GError **error);

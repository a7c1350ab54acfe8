/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of the kernels of cells.cu, which find the cells of the step map that an
 * encoder makes (codec/policy_map.h). C and CUDA include it. */
#pragma once
#include "codec/policy_map.h"
#include "gpu/kernels/bpc.h"

#define PACO_CELLS_THREADS 128 /* of a block */
/* Lanes that add up a cell: each has two columns of coefficients. */
#define PACO_CELLS_LANES 4

/* A subband of level 1 of component 0. */
typedef struct
{
  uint32_t coefficients, stride; /* elements, both even */
  uint32_t width, height;
} PacoCellsSubband;

typedef struct
{
  PACO_DEVICE_POINTER (const void) coefficients; /* int16_t or int32_t */
  PACO_DEVICE_POINTER (uint8_t) cells;           /* rows of both fields */
  /* What is added to exponents, for areas (codec/areas.h), or 0. */
  PACO_DEVICE_POINTER (const uint8_t) added;
  PacoActivity activity;
  PacoCellsSubband subbands[2][PACO_ACTIVITY_SUBBANDS]; /* of fields */
  uint32_t columns, rows; /* of cells; rows: of field 0 */
} PacoCellsParameters;

/* Launch: columns * PACO_CELLS_LANES threads in x, and in y a block for each row of cells
 * of both fields. */

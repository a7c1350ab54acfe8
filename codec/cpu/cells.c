/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the cells of a step map by the coefficients of level 1; cells.h says for whom. */
#include "codec/cpu/cells.h"

enum
{
  /* Coefficients of level 1 that a cell is high and wide. */
  CELL = 1 << (PACO_STEP_MAP_CELL_LOG2 - 1),
  CELLS = PACO_SUMMED_CELLS,
};

typedef struct
{
  const PacoFrame *frame;
  const PacoActivity *activity;
  uint32_t columns, rows; /* rows: of field 0 */
  uint8_t *cells;
} Job;

static uint32_t
length_of_cell (uint32_t first, uint32_t length)
{
  return first < length ? MIN (CELL, length - first) : 0;
}

/* Finds up to CELLS cells of a row, from one in that column on. */
static void
find_some (const Job *job, unsigned field, uint32_t row, uint32_t column,
    uint8_t *cells)
{
  const PacoPlane *planes = job->frame->coefficients[field][0].planes[1];
  uint32_t n = MIN (CELLS, job->columns - column);
  uint64_t sums[CELLS] = { 0 };
  uint32_t counts[CELLS] = { 0 };

  for (unsigned i = 0; i < PACO_ACTIVITY_SUBBANDS; i++) {
    const PacoPlane *plane = &planes[PACO_ORIENTATION_HL + i];
    uint32_t x = CELL * column, y = CELL * row, own[CELLS] = { 0 };
    uint32_t height = length_of_cell (y, plane->height);

    if (height == 0 || x >= plane->width)
      continue;
    job->frame->ops->sum_cells (plane->data + y * plane->stride + x,
        (ptrdiff_t) plane->stride, MIN (CELLS * CELL, plane->width - x), height,
        job->activity->scale[i], own);
    for (uint32_t k = 0; k < n; k++) {
      sums[k] += (uint64_t) job->activity->weight[i] * own[k];
      counts[k] += height * length_of_cell (x + CELL * k, plane->width);
    }
  }
  for (uint32_t k = 0; k < n; k++)
    cells[k] = (uint8_t) paco_activity_exponent (
        job->activity, sums[k], counts[k]);
}

static void
find_row (void *data, uint32_t item, unsigned worker)
{
  const Job *job = data;
  uint8_t *cells = job->cells + (size_t) item * job->columns;
  unsigned field = item >= job->rows;

  for (uint32_t column = 0; column < job->columns; column += CELLS)
    find_some (job, field, item - field * job->rows, column, cells + column);
}

void
paco_find_cells (
    const PacoFrame *frame, const PacoActivity *activity, uint8_t *cells)
{
  const PacoGeometry *geometry = frame->geometry;
  uint32_t columns = paco_step_map_columns (geometry);
  Job job = { frame, activity, columns,
    paco_step_map_first_cell (geometry, 1) / columns, cells };

  paco_workers_run (frame->workers, paco_step_map_n_cells (geometry) / columns,
      2, find_row, &job);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and parses step maps (FORMAT.md section 6.2); step_map.h says for whom. A cell
 * is a difference to what its neighbours predict, packed by adaptive.c. */
#include "step_map.h"
#include "adaptive.h"
#include "error.h"

enum
{
  LARGEST = PACO_STEP_MAP_EXPONENTS - 1,
  N_CLASSES = 4, /* of how much the neighbours differ */
  N_LENGTHS = 3, /* bits of a difference that have contexts of their own */
  /* A codeword holds at least four bits, and a cell has a bit for whether it differs, one
   * for the sign, and LARGEST - 1 for the difference. */
  MAX_CELL_BYTES = 1 + 1 + LARGEST - 1,
};

/* --- where exponents are --- */

static uint32_t
rows_of (const PacoGeometry *geometry, unsigned field)
{
  return paco_ceil_shift (
      geometry->resolution[field][0][0].height, PACO_STEP_MAP_CELL_LOG2);
}

uint32_t
paco_step_map_first_cell (const PacoGeometry *geometry, unsigned field)
{
  uint32_t rows = 0;

  for (unsigned f = 0; f < field; f++)
    rows += rows_of (geometry, f);
  return rows * paco_step_map_columns (geometry);
}

uint32_t
paco_step_map_n_cells (const PacoGeometry *geometry)
{
  return paco_step_map_first_cell (geometry, geometry->n_fields);
}

PacoStepMapPlace
paco_step_map_place (const PacoPictureFormat *picture, const PacoCoding *coding,
    const PacoGeometry *geometry, const PacoSubband *subband)
{
  const PacoComponent *first = &picture->components[0];
  const PacoComponent *component = &picture->components[subband->component];

  if (!coding->step_map || paco_is_reversible (coding, subband->component)
      || subband->orientation == PACO_ORIENTATION_LL
      || subband->level > PACO_STEP_MAP_LEVELS)
    return (PacoStepMapPlace){ 0 };
  return (PacoStepMapPlace){
    .used = true,
    .halved = coding->step_map_halved >> subband->component & 1,
    .shift_x = subband->level + component->subsampling_x - first->subsampling_x,
    .shift_y = subband->level + component->subsampling_y - first->subsampling_y,
    .first = paco_step_map_first_cell (geometry, subband->field),
    .columns = paco_step_map_columns (geometry),
  };
}

#define OCTAVE(first)                                                          \
  (first), (first) * (1.0f + PACO_STEP_MAP_MANTISSA (1) / 512.0f),             \
      (first) * (1.0f + PACO_STEP_MAP_MANTISSA (2) / 512.0f),                  \
      (first) * (1.0f + PACO_STEP_MAP_MANTISSA (3) / 512.0f)

const float paco_step_map_scales[PACO_STEP_MAP_EXPONENTS] = { OCTAVE (1.0f),
  OCTAVE (2.0f), OCTAVE (4.0f), OCTAVE (8.0f) };

#define FOUR(e)                                                                \
  PACO_STEP_MAP_MULTIPLIER (e), PACO_STEP_MAP_MULTIPLIER ((e) + 1),            \
      PACO_STEP_MAP_MULTIPLIER ((e) + 2), PACO_STEP_MAP_MULTIPLIER ((e) + 3)

const uint32_t paco_step_map_multipliers[PACO_STEP_MAP_EXPONENTS] = { FOUR (0),
  FOUR (4), FOUR (8), FOUR (12) };

/* --- cells as bits --- */

typedef struct
{
  PacoAdaptive coder;
  PacoAdaptiveContext differs[N_CLASSES];
  PacoAdaptiveContext sign[N_CLASSES][2];
  PacoAdaptiveContext more[N_CLASSES][N_LENGTHS];
} Packer;

/* What the neighbours of a cell say. */
typedef struct
{
  unsigned predicted, class;
  bool rounded; /* The prediction is rounded up. */
} Neighbors;

static Packer
packer (PacoAdaptive coder)
{
  Packer packer = { .coder = coder };

  for (unsigned c = 0; c < N_CLASSES; c++) {
    packer.differs[c] = PACO_ADAPTIVE_START;
    for (unsigned i = 0; i < 2; i++)
      packer.sign[c][i] = PACO_ADAPTIVE_START;
    for (unsigned i = 0; i < N_LENGTHS; i++)
      packer.more[c][i] = PACO_ADAPTIVE_START;
  }
  return packer;
}

/* cell is that at column x, row y of a field. */
static Neighbors
look_around (const uint8_t *cell, uint32_t columns, uint32_t x, uint32_t y)
{
  unsigned left, above, corner, sum;

  if (x == 0 && y == 0)
    return (Neighbors){ 0 };
  left = x > 0 ? cell[-1] : *(cell - columns);
  above = y > 0 ? *(cell - columns) : left;
  corner = x == 0 ? above : y == 0 ? left : *(cell - columns - 1);
  sum = left + above;
  return (Neighbors){
    .predicted = (sum + 1) / 2,
    .class = MIN ((unsigned) (ABS ((int) left - (int) corner)
                      + ABS ((int) above - (int) corner)),
        N_CLASSES - 1),
    .rounded = sum % 2,
  };
}

static void
write_cell (Packer *p, const Neighbors *n, unsigned exponent)
{
  PacoAdaptiveContext *more = p->more[n->class];
  bool down = exponent < n->predicted;
  unsigned most = down ? n->predicted : LARGEST - n->predicted;
  unsigned difference = down ? n->predicted - exponent
                             : exponent - n->predicted;

  paco_adaptive_write (&p->coder, &p->differs[n->class], difference > 0);
  if (difference == 0)
    return;
  if (n->predicted > 0 && n->predicted < LARGEST)
    paco_adaptive_write (&p->coder, &p->sign[n->class][n->rounded], down);
  for (unsigned i = 1; i < most && i <= difference; i++)
    paco_adaptive_write (
        &p->coder, &more[MIN (i, N_LENGTHS) - 1], i < difference);
}

static unsigned
read_cell (Packer *p, const Neighbors *n)
{
  PacoAdaptiveContext *more = p->more[n->class];
  bool down = n->predicted == LARGEST;
  unsigned most, difference = 1;

  if (!paco_adaptive_read (&p->coder, &p->differs[n->class]))
    return n->predicted;
  if (n->predicted > 0 && n->predicted < LARGEST)
    down = paco_adaptive_read (&p->coder, &p->sign[n->class][n->rounded]);
  most = down ? n->predicted : LARGEST - n->predicted;
  while (difference < most
      && paco_adaptive_read (&p->coder, &more[MIN (difference, N_LENGTHS) - 1]))
    difference++;
  return down ? n->predicted - difference : n->predicted + difference;
}

/* --- maps --- */

size_t
paco_step_map_max_size (const PacoGeometry *geometry)
{
  return (size_t) paco_step_map_n_cells (geometry) * MAX_CELL_BYTES + 4;
}

size_t
paco_step_map_write (
    const uint8_t *cells, const PacoGeometry *geometry, uint8_t *data)
{
  size_t room = paco_step_map_max_size (geometry);
  uint32_t columns = paco_step_map_columns (geometry);
  Packer p = packer (paco_adaptive_writer (data, room));

  for (unsigned f = 0; f < geometry->n_fields; f++) {
    for (uint32_t y = 0; y < rows_of (geometry, f); y++) {
      for (uint32_t x = 0; x < columns; x++, cells++) {
        Neighbors n = look_around (cells, columns, x, y);

        write_cell (&p, &n, *cells);
      }
    }
  }
  paco_adaptive_finish (&p.coder);
  return room - p.coder.left;
}

gboolean
paco_step_map_parse_frame (const uint8_t *data, const PacoHeader *header,
    const PacoGeometry *geometry, uint8_t *cells, GError **error)
{
  const uint8_t *map = data + header->header_size + header->index_size
      - header->cut_points_size - header->step_map_size;
  uint32_t columns = paco_step_map_columns (geometry);
  Packer p = packer (paco_adaptive_reader (map, header->step_map_size));

  for (unsigned f = 0; f < geometry->n_fields; f++) {
    for (uint32_t y = 0; y < rows_of (geometry, f) && !p.coder.broken; y++) {
      for (uint32_t x = 0; x < columns; x++, cells++) {
        Neighbors n = look_around (cells, columns, x, y);

        *cells = (uint8_t) read_cell (&p, &n);
      }
    }
  }
  return (!p.coder.broken && p.coder.left == 0)
      || paco_fail (
          error, PACO_ERROR_CORRUPT, "the step map of the frame is damaged");
}

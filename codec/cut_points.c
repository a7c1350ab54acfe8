/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and parses the cut points of a frame; cut_points.h says for whom. */
#include "cut_points.h"
#include "record.h"

size_t
paco_cut_points_write (const PacoBlockRecord *records, const PacoRateCuts *cuts,
    uint32_t n, uint8_t *data)
{
  uint8_t *out = data;

  for (uint32_t i = 0; i < n; i++)
    if (records[i].planes > 0)
      out = paco_rate_write_points (&cuts[i], out);
  return out - data;
}

/* Says whether the block can have these cuts: each leaves less than the one before. */
static bool
are_of_block (const PacoRateCuts *cuts, const PacoBlockRecord *record)
{
  unsigned left = record->length;

  for (unsigned k = 0; k < cuts->n; k++) {
    unsigned bytes = 4u * cuts->codewords[k];

    if (bytes == 0 || bytes > left || cuts->plane[k] >= record->planes
        || cuts->plane[k] < record->dropped_planes
        || cuts->plane[k] > PACO_MAX_DROPPED_PLANES
        || cuts->worth[k + 1] < cuts->worth[k])
      return false;
    left = bytes;
  }
  return true;
}

gboolean
paco_cut_points_parse (const uint8_t *data, size_t size,
    const PacoBlockRecord *records, uint32_t n, PacoRateCuts *cuts)
{
  for (uint32_t i = 0; i < n; i++) {
    PacoRateCuts *c = &cuts[i];
    unsigned plane;

    *c = (PacoRateCuts){ .zero = records[i].planes == 0 };
    if (c->zero)
      continue;
    if (size == 0)
      return FALSE;
    c->n = *data & PACO_RATE_POINTS_NUMBER;
    plane = *data >> PACO_RATE_POINTS_PLANE_SHIFT;
    if (size < PACO_RATE_POINTS_BYTES (c->n))
      return FALSE;
    size -= PACO_RATE_POINTS_BYTES (c->n);
    data++;
    for (unsigned k = 0; k < c->n; k++, data += 3) {
      c->plane[k] = (uint8_t) (plane + k);
      c->codewords[k] = (uint16_t) (data[0] | data[1] << 8);
      c->worth[k] = data[2];
    }
    c->worth[c->n] = *data++;
    if (!are_of_block (c, &records[i]))
      return FALSE;
  }
  return size == 0;
}

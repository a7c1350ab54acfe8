/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What stands for broken blocks of LL (FORMAT.md section 11), for decoder.c:
 * coefficients of the last frame or between those of the neighbours, quantised
 * anew. */
#include "codec/reference/conceal.h"
#include "codec/quantizer.h"
#include <math.h>
#include <string.h>

#define N_FORMS 2

/* The last frame of a form. A block that it did not have is NULL. */
typedef struct
{
  uint32_t n_blocks;
  PacoReferenceSample **blocks;
} Last;

struct _PacoReferenceConcealer
{
  Last last[N_FORMS];
};

PacoReferenceConcealer *
paco_reference_concealer_new (void)
{
  return g_new0 (PacoReferenceConcealer, 1);
}

void
paco_reference_concealer_forget (PacoReferenceConcealer *concealer)
{
  for (unsigned form = 0; form < N_FORMS; form++) {
    Last *last = &concealer->last[form];

    for (uint32_t i = 0; i < last->n_blocks; i++)
      g_free (last->blocks[i]);
    g_clear_pointer (&last->blocks, g_free);
    last->n_blocks = 0;
  }
}

void
paco_reference_concealer_free (PacoReferenceConcealer *concealer)
{
  paco_reference_concealer_forget (concealer);
  g_free (concealer);
}

void
paco_reference_keep (PacoReferenceConcealer *concealer, unsigned form,
    uint32_t n_blocks, uint32_t i, const PacoReferenceSample *samples, size_t n)
{
  Last *last = &concealer->last[form];

  if (!last->blocks) {
    last->blocks = g_new0 (PacoReferenceSample *, n_blocks);
    last->n_blocks = n_blocks;
  }
  g_free (last->blocks[i]);
  last->blocks[i] = samples ? g_memdup2 (samples, n * sizeof *samples) : NULL;
}

const PacoReferenceSample *
paco_reference_last (
    const PacoReferenceConcealer *concealer, unsigned form, uint32_t i)
{
  const Last *last = &concealer->last[form];

  return last->blocks ? last->blocks[i] : NULL;
}

/* --- between neighbours --- */

static double
number (PacoReferenceSample sample, bool reversible)
{
  return reversible ? sample.i : (double) sample.f;
}

/* Of a line of a neighbour on the left or on the right, of a column of others. */
static double
mean (const PacoReferenceNeighbor *neighbor, bool beside, unsigned at,
    bool reversible)
{
  unsigned n = beside ? neighbor->width : neighbor->height;
  double sum = 0.0;

  for (unsigned i = 0; i < n; i++)
    sum += number (neighbor->samples[beside ? at * neighbor->width + i
                                            : i * neighbor->width + at],
        reversible);
  return sum / n;
}

double
paco_reference_between (const PacoCodeblock *block,
    const PacoReferenceNeighbor neighbors[4], bool reversible, unsigned x,
    unsigned y)
{
  double sum = 0.0, weights = 0.0;

  for (unsigned side = 0; side < 4; side++) {
    bool beside = side == PACO_REFERENCE_LEFT || side == PACO_REFERENCE_RIGHT;
    unsigned distance = side == PACO_REFERENCE_LEFT ? x + 1
        : side == PACO_REFERENCE_RIGHT              ? block->width - x
        : side == PACO_REFERENCE_ABOVE              ? y + 1
                                                    : block->height - y;

    if (!neighbors[side].samples)
      continue;
    sum += 1.0 / distance
        * mean (&neighbors[side], beside, beside ? y : x, reversible);
    weights += 1.0 / distance;
  }
  return sum / weights;
}

int32_t
paco_reference_quantize_again (
    double x, bool reversible, float step, unsigned reconstruction)
{
  double index = reversible
      ? floor (fabs (x) + 0.5)
      : floor (fabs (x) / step + (128 - (int) reconstruction) / 256.0);

  index = fmin (fmax (index, 0.0), PACO_MAX_MAGNITUDE);
  return x < 0.0 ? -(int32_t) index : (int32_t) index;
}

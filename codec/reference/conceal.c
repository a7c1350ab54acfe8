/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the blocks that stand for broken ones (FORMAT.md section 11), for decoder.c:
 * from coefficients of the last frame, or from those of the neighbours, quantised
 * anew. */
#include "codec/reference/conceal.h"
#include "codec/quantizer.h"
#include <math.h>
#include <string.h>

#define N_FORMS 2

/* Coefficients of a frame's blocks; those that it did not have are NULL. */
typedef struct
{
  uint32_t n_blocks;
  PacoReferenceSample **blocks;
} Frame;

struct _PacoReferenceConcealer
{
  Frame last[N_FORMS]; /* of each form */
  Frame next;          /* that is being decoded */
};

PacoReferenceConcealer *
paco_reference_concealer_new (void)
{
  return g_new0 (PacoReferenceConcealer, 1);
}

static void
clear (Frame *frame)
{
  for (uint32_t i = 0; i < frame->n_blocks; i++)
    g_free (frame->blocks[i]);
  g_free (frame->blocks);
  *frame = (Frame){ 0, NULL };
}

void
paco_reference_concealer_forget (PacoReferenceConcealer *concealer)
{
  for (unsigned form = 0; form < N_FORMS; form++)
    clear (&concealer->last[form]);
}

void
paco_reference_concealer_free (PacoReferenceConcealer *concealer)
{
  paco_reference_concealer_forget (concealer);
  clear (&concealer->next);
  g_free (concealer);
}

void
paco_reference_keep (PacoReferenceConcealer *concealer, uint32_t n_blocks,
    uint32_t i, const PacoReferenceSample *samples, size_t n)
{
  Frame *next = &concealer->next;

  if (!next->blocks) {
    next->blocks = g_new0 (PacoReferenceSample *, n_blocks);
    next->n_blocks = n_blocks;
  }
  next->blocks[i] = samples ? g_memdup2 (samples, n * sizeof *samples) : NULL;
}

void
paco_reference_next_frame (PacoReferenceConcealer *concealer, unsigned form)
{
  clear (&concealer->last[form]);
  concealer->last[form] = concealer->next;
  concealer->next = (Frame){ 0, NULL };
}

const PacoReferenceSample *
paco_reference_last (
    const PacoReferenceConcealer *concealer, unsigned form, uint32_t i)
{
  const Frame *last = &concealer->last[form];

  return last->blocks ? last->blocks[i] : NULL;
}

/* --- between neighbours --- */

double
paco_reference_number (PacoReferenceSample sample, bool reversible)
{
  return reversible ? sample.i : (double) sample.f;
}

/* The mean of a line of a neighbour on the left or on the right, or of a column of one
 * above or below. */
static double
mean (const PacoReferenceNeighbor *neighbor, bool beside, unsigned at,
    bool reversible)
{
  unsigned n = beside ? neighbor->width : neighbor->height;
  double sum = 0.0;

  for (unsigned i = 0; i < n; i++)
    sum += paco_reference_number (
        neighbor->samples[beside ? at * neighbor->width + i
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

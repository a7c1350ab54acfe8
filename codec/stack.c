/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Applies and undoes the wavelet along a stack (stack.h), with lifting steps between
 * whole slices. It goes through the stack once, in pieces of each slice that stay in
 * the cache while all steps of all levels are done.
 *
 * The steps are those of 5/3. Haar has the same steps, with twice the nearer of two
 * slices in place of both: a difference, and the half of it. */
#include "stack.h"
#include <math.h>

/* How many bits samples have in the wavelet when they are coded with loss. The other
 * three of 16 are for the growth of numbers: one level of 5/3 makes a low half up to
 * 3/2 and a high half up to 2 times as large as its input, so three levels make a low
 * half up to 27/8 and a high half up to 9/4 * 2 = 9/2 times as large. The last of 13
 * bits is 1/32 of the last of 8 bits, far below any step of the quantiser. */
#define LOSSY_BITS 13

/* How many samples of each slice go through all steps before the next ones do. */
#define PIECE 2048

bool
paco_slice_is_valid (const PacoSlice *slice)
{
  return slice->length >= 1 && slice->length <= PACO_MAX_STACK
      && slice->position < slice->length
      && (slice->wavelet == PACO_STACK_CDF53
          || slice->wavelet == PACO_STACK_HAAR)
      && slice->levels <= PACO_MAX_STACK_LEVELS
      && (slice->depth == 8 || slice->depth == 16)
      && (slice->bits == slice->depth || slice->bits == LOSSY_BITS);
}

PacoSlice
paco_stack_plan (
    uint32_t number, unsigned length, unsigned depth, bool lossless)
{
  PacoSlice slice = {
    .number = number,
    .length = (uint8_t) length,
    .wavelet = PACO_STACK_CDF53,
    .depth = (uint8_t) depth,
    .bits = (uint8_t) (lossless ? depth : LOSSY_BITS),
  };

  while (slice.levels < PACO_MAX_STACK_LEVELS && 1u << slice.levels < length)
    slice.levels++;
  return slice;
}

const char *
paco_slice_wavelet_name (const PacoSlice *slice)
{
  return slice->wavelet == PACO_STACK_HAAR ? "haar" : "cdf53";
}

/* --- levels and steps --- */

#define N_STEPS 2
static const PacoLiftingStep *const steps =
    paco_wavelets[PACO_WAVELET_CDF53].steps;

/* Returns how many slices are the input of this level: every 2^level-th one. */
static unsigned
level_slices (const PacoSlice *slice, unsigned level)
{
  return (slice->length + (1u << level) - 1) >> level;
}

/* Finds the slices before and after slice i among the n of a level, or those that stand
 * for them at the ends. Returns false if slice i has no neighbor, and stays as it is. */
static bool
find_neighbors (const PacoSlice *slice, unsigned i, unsigned n,
    unsigned *before, unsigned *after)
{
  if (n == 1)
    return false;
  if (slice->wavelet == PACO_STACK_HAAR) {
    *before = *after = i ^ 1;
    return *before < n;
  }
  *before = (unsigned) paco_lifting_mirror ((int64_t) i - 1, n);
  *after = (unsigned) paco_lifting_mirror ((int64_t) i + 1, n);
  return true;
}

/* --- weights --- */

/* Undoes step k on n numbers, without rounding. */
static void
undo_step (const PacoSlice *slice, unsigned k, double *x, unsigned n)
{
  double tap = ldexp (steps[k].taps[0], -steps[k].shift);
  unsigned a, b;

  for (unsigned i = k % 2 == 0; i < n; i += 2)
    if (find_neighbors (slice, i, n, &a, &b))
      x[i] -= tap * (x[a] + x[b]);
}

double
paco_slice_weight (const PacoSlice *slice)
{
  double x[PACO_MAX_STACK] = { 0.0 }, line[PACO_MAX_STACK], energy = 0.0;

  x[slice->position] = 1.0;
  for (unsigned level = slice->levels; level-- > 0;) {
    unsigned n = level_slices (slice, level);

    for (unsigned i = 0; i < n; i++)
      line[i] = x[i << level];
    for (unsigned k = N_STEPS; k-- > 0;)
      undo_step (slice, k, line, n);
    for (unsigned i = 0; i < n; i++)
      x[i << level] = line[i];
  }
  for (unsigned i = 0; i < slice->length; i++)
    energy += x[i] * x[i];
  return ldexp (sqrt (energy), PACO_SLICE_DEPTH - slice->bits);
}

double
paco_stack_max_weight (unsigned length, unsigned depth, bool lossless)
{
  static const uint8_t wavelets[] = { PACO_STACK_CDF53, PACO_STACK_HAAR };
  double most = 0.0;

  for (unsigned n = 1; n <= length; n++)
    for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++) {
      PacoSlice slice = paco_stack_plan (0, n, depth, lossless);

      slice.wavelet = wavelets[w];
      /* Slices of the low half have the largest weights. */
      for (; slice.position < n; slice.position += 1u << slice.levels)
        most = MAX (most, paco_slice_weight (&slice));
    }
  return most;
}

/* --- samples --- */

/* Shifts samples so that their middle is that of 16 bits. */
static uint16_t
centered (unsigned sample, unsigned bits)
{
  return (uint16_t) (sample + 0x8000u - (1u << (bits - 1)));
}

void
paco_slice_load (
    const PacoSlice *slice, const void *samples, uint16_t *coded, size_t n)
{
  const uint8_t *narrow = samples;
  const uint16_t *wide = samples;

  if (slice->depth == 8 && slice->bits == 8)
    for (size_t i = 0; i < n; i++)
      coded[i] = centered (narrow[i], 8);
  else if (slice->depth == 8)
    for (size_t i = 0; i < n; i++)
      coded[i] = centered (narrow[i] << 5 | narrow[i] >> 3, LOSSY_BITS);
  else if (slice->bits == 16)
    for (size_t i = 0; i < n; i++)
      coded[i] = GUINT16_FROM_LE (wide[i]);
  else
    for (size_t i = 0; i < n; i++) {
      unsigned sample = GUINT16_FROM_LE (wide[i]);

      coded[i] = centered ((sample - (sample >> 13) + 4) >> 3, LOSSY_BITS);
    }
}

/* Undoes centered(). Quantised samples may be out of range; they become the nearest
 * value in it. */
static unsigned
clamped (uint16_t coded, unsigned bits)
{
  int sample = (int) coded - 0x8000 + (1 << (bits - 1));

  return (unsigned) CLAMP (sample, 0, (1 << bits) - 1);
}

void
paco_slice_store (
    const PacoSlice *slice, const uint16_t *coded, void *samples, size_t n)
{
  uint8_t *narrow = samples;
  uint16_t *wide = samples;

  if (slice->depth == 8 && slice->bits == 8)
    for (size_t i = 0; i < n; i++)
      narrow[i] = (uint8_t) clamped (coded[i], 8);
  else if (slice->depth == 8)
    for (size_t i = 0; i < n; i++) {
      unsigned sample = clamped (coded[i], LOSSY_BITS);

      narrow[i] = (uint8_t) ((sample - (sample >> 8) + 16) >> 5);
    }
  else if (slice->bits == 16)
    for (size_t i = 0; i < n; i++)
      wide[i] = GUINT16_TO_LE (coded[i]);
  else
    for (size_t i = 0; i < n; i++) {
      unsigned sample = clamped (coded[i], LOSSY_BITS);

      wide[i] = GUINT16_TO_LE ((uint16_t) (sample << 3 | sample >> 10));
    }
}

/* --- lifting --- */

/* Returns what a step adds to a sample whose neighbors are a and b. Their middle counts
 * as zero. */
static inline int
lifted (const PacoLiftingStep *step, uint16_t a, uint16_t b)
{
  int sum = (int) a + (int) b - 2 * 0x8000;

  return ((int) step->taps[0] * sum + step->offset) >> step->shift;
}

/* Does a step on n samples, modulo 2^16. The difference of two samples of 16 bits may
 * not fit into 16 bits. Nothing is lost nevertheless: the opposite step has the same
 * neighbors, and subtracts what was added. Samples of LOSSY_BITS never wrap around. */
static void
add (const PacoLiftingStep *step, uint16_t *x, const uint16_t *a,
    const uint16_t *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    x[i] = (uint16_t) (x[i] + lifted (step, a[i], b[i]));
}

static void
subtract (const PacoLiftingStep *step, uint16_t *x, const uint16_t *a,
    const uint16_t *b, size_t n)
{
  for (size_t i = 0; i < n; i++)
    x[i] = (uint16_t) (x[i] - lifted (step, a[i], b[i]));
}

/* Does the same for samples of LOSSY_BITS. Errors of the quantiser, or damage, may make
 * them larger than 16 bits hold; they become the nearest value that 16 bits hold. */
static void
subtract_clamped (const PacoLiftingStep *step, uint16_t *x, const uint16_t *a,
    const uint16_t *b, size_t n)
{
  for (size_t i = 0; i < n; i++) {
    int difference = (int) x[i] - lifted (step, a[i], b[i]);

    x[i] = (uint16_t) CLAMP (difference, 0, 0xffff);
  }
}

typedef void (*LiftFunc) (const PacoLiftingStep *step, uint16_t *x,
    const uint16_t *a, const uint16_t *b, size_t n);

/* Does step k of a level on n samples of each slice, from sample `first` on. */
static void
lift (const PacoSlice *slice, unsigned level, unsigned k, LiftFunc func,
    uint16_t *const *slices, size_t first, size_t n)
{
  unsigned n_slices = level_slices (slice, level), a, b;

  for (unsigned i = k % 2 == 0; i < n_slices; i += 2)
    if (find_neighbors (slice, i, n_slices, &a, &b))
      func (&steps[k], slices[i << level] + first, slices[a << level] + first,
          slices[b << level] + first, n);
}

void
paco_stack_forward (const PacoSlice *slice, uint16_t *const *slices, size_t n)
{
  for (size_t first = 0; first < n; first += PIECE)
    for (unsigned level = 0; level < slice->levels; level++)
      for (unsigned k = 0; k < N_STEPS; k++)
        lift (slice, level, k, add, slices, first, MIN (PIECE, n - first));
}

void
paco_stack_inverse (const PacoSlice *slice, uint16_t *const *slices, size_t n)
{
  LiftFunc func = slice->bits == PACO_SLICE_DEPTH ? subtract : subtract_clamped;

  for (size_t first = 0; first < n; first += PIECE)
    for (unsigned level = slice->levels; level-- > 0;)
      for (unsigned k = N_STEPS; k-- > 0;)
        lift (slice, level, k, func, slices, first, MIN (PIECE, n - first));
}

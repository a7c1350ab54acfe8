/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the wavelet of a stack (policy_stack.h, FORMAT.md section 12). Each wavelet
 * with each number of levels, and no wavelet, are tried on some lines of the slices.
 * How many bits a slice takes is estimated from what is left of its samples when each
 * is predicted from its neighbors. */
#include "policy_stack.h"
#include "policy.h"
#include <math.h>
#include <string.h>

#define PAIRS 32 /* how many pairs of lines of a slice are looked at, at most */

/* Costs, and the numbers whose logarithms they are, are in 1/16. */
#define UNIT 16

/* The lines that are looked at. Each slice has `pairs` pairs of lines, of which the
 * second line is predicted from the first. */
typedef struct
{
  uint32_t width, pairs;
  uint16_t *lines[PACO_MAX_STACK];
} Sample;

/* Returns about 16 log2 (n / 16), by straight lines between powers of 2. n is at least
 * 16. */
static inline uint32_t
logarithm (uint32_t n)
{
  unsigned top = 31 - (unsigned) __builtin_clz (n);

  return UNIT * (top - 4) + (n >> (top - 4)) - UNIT;
}

/* Returns what a sample costs that differs by `left` from its prediction, modulo 2^16.
 * scale: 2^16 times 16, divided by the step of the quantiser. */
static inline uint32_t
cost_of (uint16_t left, uint32_t scale)
{
  int16_t value = (int16_t) left;
  uint32_t magnitude = (uint32_t) (value < 0 ? -value : value);

  return logarithm (UNIT + (uint32_t) ((uint64_t) magnitude * scale >> 16));
}

/* Returns what slice i costs: bits, in 1/16. */
static uint64_t
cost_of_slice (const Sample *sample, unsigned i, uint32_t scale)
{
  uint64_t cost = 0;

  for (uint32_t p = 0; p < sample->pairs; p++) {
    const uint16_t *above = sample->lines[i] + (size_t) 2 * p * sample->width;
    const uint16_t *line = above + sample->width;

    for (uint32_t x = 1; x < sample->width; x++)
      cost += cost_of (
          (uint16_t) (line[x] - line[x - 1] - above[x] + above[x - 1]), scale);
  }
  return cost;
}

/* Returns the step of the quantiser, in units of the samples that the wavelet gets. It
 * is 1 without loss. */
static double
step (const PacoSlice *plan, const PacoParameters *parameters)
{
  if (parameters->rate_control == PACO_RATE_LOSSLESS)
    return 1.0;
  return MAX (ldexp (paco_policy_base_step (parameters), plan->bits - 8), 1.0);
}

static uint32_t
n_pairs (uint32_t height)
{
  return MIN (height / 2, PAIRS);
}

size_t
paco_policy_stack_work (unsigned length, uint32_t width, uint32_t height)
{
  return (size_t) length * 2 * n_pairs (height) * width;
}

/* Copies lines at equal distances to `work`. */
static Sample
take_sample (const PacoSlice *plan, uint16_t *const *slices, uint32_t width,
    uint32_t height, uint16_t *work)
{
  Sample sample = { .width = width, .pairs = n_pairs (height) };
  size_t size = (size_t) 2 * sample.pairs * width;

  for (unsigned i = 0; i < plan->length; i++) {
    sample.lines[i] = work + i * size;
    for (uint32_t p = 0; p < sample.pairs; p++)
      memcpy (sample.lines[i] + (size_t) 2 * p * width,
          slices[i] + (size_t) ((uint64_t) p * height / sample.pairs) * width,
          (size_t) 2 * width * sizeof *work);
  }
  return sample;
}

/* Applies a wavelet to the sample. Returns what the sample costs then. */
static uint64_t
try (const PacoSlice *plan, const PacoParameters *parameters,
    const Sample *sample)
{
  const double of_one = ldexp (1.0, PACO_SLICE_DEPTH - plan->bits);
  PacoSlice slice = *plan;
  uint64_t cost = 0;

  paco_stack_forward (
      plan, sample->lines, (size_t) 2 * sample->pairs * sample->width);
  for (; slice.position < slice.length; slice.position++) {
    double scale = UNIT / step (plan, parameters);

    if (parameters->rate_control != PACO_RATE_LOSSLESS)
      scale *= paco_slice_weight (&slice) / of_one;
    cost += cost_of_slice (
        sample, slice.position, (uint32_t) ldexp (scale, 16));
  }
  return cost;
}

PacoSlice
paco_policy_stack (const PacoSlice *plan, const PacoParameters *parameters,
    uint16_t *const *slices, uint32_t width, uint32_t height, uint16_t *work)
{
  static const uint8_t wavelets[] = { PACO_STACK_HAAR, PACO_STACK_CDF53 };
  PacoSlice slice = *plan, best;
  unsigned levels = slice.levels;
  uint64_t least, cost;
  Sample sample;

  slice.position = slice.levels = 0;
  best = slice;
  if (levels == 0 || paco_policy_stack_work (1, width, height) == 0)
    return best;
  sample = take_sample (plan, slices, width, height, work);
  least = try (&slice, parameters, &sample);
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++) {
    slice.wavelet = wavelets[w];
    for (slice.levels = 1; slice.levels <= levels; slice.levels++) {
      cost = try (&slice, parameters, &sample);
      paco_stack_inverse (
          &slice, sample.lines, (size_t) 2 * sample.pairs * width);
      if (cost < least) {
        least = cost;
        best = slice;
      }
    }
  }
  return best;
}

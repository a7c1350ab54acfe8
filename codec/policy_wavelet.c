/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the wavelet of lossless RGB (policy_wavelet.h): it transforms tiles of a
 * picture with both reversible wavelets and compares the magnitudes of the
 * coefficients. codec/NOTES.md says how many bits that saves. And chooses that of a stack:
 * each wavelet with each number of levels, and none, are tried on some lines of the
 * slices. How many bits a slice takes is estimated from what is left of its samples when
 * each is predicted from its neighbors. */
#include "policy_wavelet.h"
#include "fit.h"
#include "policy.h"
#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__ ((always_inline))

enum
{
  COLUMNS = PACO_TILE_COLUMNS,
  LINES = PACO_TILE_LINES,
  N_COMPONENTS = 3,
  N_SUBBANDS = 3, /* that are not LL */
};

/* --- A band of tiles --- */

/* A number in each tile of a band. Those of 8-bit samples need no more than 16 bits in any
 * step of either wavelet. */
typedef int16_t Lanes __attribute__ ((vector_size (sizeof (PacoLanes))));
typedef Lanes Band[LINES * COLUMNS];

/* half: the level shift, which is left out, but counts where weights are not 1 together. */
static void
transform_colors (
    const PacoCoding *coding, int16_t half, Band components[N_COMPONENTS])
{
  const PacoColorTransform transform = coding->color_transform;
  PacoFit fit = transform == PACO_COLOR_TRANSFORM_FIT
      ? paco_fit (coding->parameters)
      : (PacoFit) PACO_FIT_USUAL;
  const int16_t of_a = fit.x, of_b = fit.y;

  for (unsigned i = 0;
       i < LINES * COLUMNS && transform != PACO_COLOR_TRANSFORM_NONE; i++) {
    Lanes b = components[fit.b][i], c = components[fit.c][i];
    Lanes v = components[fit.a][i] - b, mean = b + (v >> 1), u = c - mean;
    Lanes y = mean + (u >> 2);

    if (transform == PACO_COLOR_TRANSFORM_RCT) {
      u = c - b;
      y = b + ((u + v) >> 2);
    } else if (transform == PACO_COLOR_TRANSFORM_FIT) {
      u = c - b - ((of_a * v - of_b * (b - half)) >> 3);
      y = fit.mean ? mean : b;
    }
    components[0][i] = y;
    components[1][i] = u;
    components[2][i] = v;
  }
}

/* Does a lifting step with n rows of m numbers. Rows begin `row` apart, and their numbers
 * are `apart`; x[first] is the first row that it changes. All arguments but x are
 * compile-time constants. */
INLINE void
lift_step (const PacoLiftingStep *step, unsigned first, unsigned n,
    unsigned row, unsigned m, unsigned apart, Lanes *x)
{
  const int16_t near = (int16_t) step->taps[0], far = (int16_t) step->taps[1];
  const int16_t offset = (int16_t) step->offset;

  for (unsigned i = first; i < n; i += 2) {
    const Lanes *a = x + row * paco_lifting_mirror ((int) i - 1, n);
    const Lanes *b = x + row * paco_lifting_mirror ((int) i + 1, n);
    const Lanes *c = x + row * paco_lifting_mirror ((int) i - 3, n);
    const Lanes *d = x + row * paco_lifting_mirror ((int) i + 3, n);

    for (unsigned j = 0; j < m * apart; j += apart) {
      Lanes sum = near * (a[j] + b[j]) + offset;

      if (step->n_taps > 1)
        sum += far * (c[j] + d[j]);
      x[i * row + j] += sum >> step->shift;
    }
  }
}

INLINE void
lift (const PacoWavelet *wavelet, unsigned n, unsigned row, unsigned m,
    unsigned apart, Lanes *x)
{
  lift_step (&wavelet->steps[0], 1, n, row, m, apart, x);
  lift_step (&wavelet->steps[1], 0, n, row, m, apart, x);
}

/* Adds the magnitudes of every other number of a line to a sum. */
static void
add_line (const Lanes *line, uint64_t *sum)
{
  Lanes magnitudes = { 0 };

  for (unsigned x = 0; x < COLUMNS; x += 2) {
    Lanes sign = line[x] >> 15;

    magnitudes += (line[x] ^ sign) - sign;
  }
  for (unsigned j = 0; j < PACO_TILES_ACROSS; j++)
    *sum += (uint16_t) magnitudes[j];
}

/* Adds the magnitudes of a component to the sums of HL, LH and HH. */
INLINE void
add_magnitudes (
    const PacoWavelet *wavelet, const Band component, uint64_t sums[N_SUBBANDS])
{
  Band x;

  memcpy (x, component, sizeof x);
  lift (wavelet, LINES, COLUMNS, COLUMNS, 1, x);
  lift (wavelet, COLUMNS, 1, LINES, COLUMNS, x);
  for (unsigned y = 0; y < LINES; y += 2) {
    add_line (x + y * COLUMNS + 1, &sums[0]);
    add_line (x + (y + 1) * COLUMNS, &sums[1]);
    add_line (x + (y + 1) * COLUMNS + 1, &sums[2]);
  }
}

/* --- The choice --- */

/* A coefficient takes about log (1 + m) bits, m being the mean magnitude of its
 * subband. The logarithms of two numbers a and b that are nearly the same differ by
 * about 2 (b - a) / (b + a). All subbands of level 1 have as many coefficients, so
 * these differences are added up. */
bool
paco_policy_takes_other_wavelet (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoBandSamples *samples)
{
  uint32_t n_tiles = samples->bands.n * paco_policy_tiles_across (picture).n;
  uint64_t sums[2][N_COMPONENTS][N_SUBBANDS] = { { { 0 } } };
  int64_t n = (int64_t) n_tiles * COLUMNS * LINES / 4, total = 0;
  int16_t half = (int16_t) (1 << (picture->components[0].depth - 1));
  Band components[N_COMPONENTS];

  for (uint32_t k = 0; k < samples->bands.n; k++) {
    for (unsigned c = 0; c < N_COMPONENTS; c++) {
      PacoTiles tiles;

      paco_policy_load_tiles (picture, samples, c, k, PACO_ALL_LINES, tiles);
      memcpy (components[c], tiles, sizeof tiles);
    }
    transform_colors (coding, half, components);
    for (unsigned c = 0; c < N_COMPONENTS; c++) {
      add_magnitudes (
          &paco_wavelets[PACO_WAVELET_CDF53], components[c], sums[0][c]);
      add_magnitudes (
          &paco_wavelets[PACO_WAVELET_DD137], components[c], sums[1][c]);
    }
  }
  for (unsigned c = 0; n > 0 && c < N_COMPONENTS; c++)
    for (unsigned s = 0; s < N_SUBBANDS; s++) {
      int64_t of_53 = (int64_t) sums[0][c][s], of_137 = (int64_t) sums[1][c][s];

      total += (of_137 - of_53) * 65536 / (of_137 + of_53 + n);
    }
  return total < 0;
}

bool
paco_policy_other_wavelet (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *other)
{
  PacoParameters with_other = *parameters;

  with_other.wavelet = PACO_WAVELET_DD137;
  if (parameters->rate_control != PACO_RATE_LOSSLESS
      || parameters->wavelet != PACO_WAVELET_AUTO || !parameters->rgb
      || picture->n_components < N_COMPONENTS)
    return false;
  for (unsigned c = 0; c < N_COMPONENTS; c++)
    if (picture->components[c].depth > PACO_CHOICE_DEPTH
        || picture->components[c].subsampling_x
        || picture->components[c].subsampling_y)
      return false;
  return paco_policy_bands (picture).n > 0
      && paco_policy_coding (picture, &with_other, other, NULL);
}

/* --- the wavelet along a stack --- */

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

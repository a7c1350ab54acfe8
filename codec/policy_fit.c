/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the parameters of rct-fit (policy_fit.h). How many bits a component takes is
 * estimated from how its numbers differ from their neighbors. All components of a
 * transform are sums of weighted R, G and B, so their differences are, too. Bits of the
 * three components add up: the weights by which C is predicted and the choice of T are
 * found apart. */
#include "policy_fit.h"
#include "fit.h"
#include "logarithm.h"
#include <string.h>

#define INLINE static inline __attribute__ ((always_inline))

enum
{
  COLUMNS = PACO_TILE_COLUMNS,
  LINES = PACO_TILE_LINES,
  N_COMPONENTS = 3,
  N_TILES = PACO_TILES_ACROSS,
  STEP = 4,      /* from a line that is looked at to the next one */
  LOADED = 0x33, /* these lines, and the ones above them */
  LINE = (COLUMNS - 1) * N_TILES,
  N_PAIRS = LINES / STEP * (COLUMNS - 1), /* of numbers that are compared */
  PAIRS = LINES / STEP * COLUMNS,         /* with zeros at the end */
  VECTOR = 16,                            /* bytes that compilers vectorize */
  WEIGHTS = PACO_FIT_ONE + 1,
  /* RCT2 stays unless this is saved in a tile, 0.1 bits a pixel. */
  LEAST_SAVING = 13107,
};

bool
paco_policy_chooses_fit (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding)
{
  return coding->color_transform == PACO_COLOR_TRANSFORM_RCT2
      && parameters->color_transform == PACO_COLOR_TRANSFORM_AUTO
      && parameters->rate_control == PACO_RATE_LOSSLESS
      && !parameters->cut_points && paco_policy_bands (picture).n > 0;
}

/* --- costs --- */

#define NUMBER int16_t
#define INTEGER int16_t
#define SUM uint16_t
#define NAME(name) name##_16
#include "policy_fit_template.h"
#undef NUMBER
#undef INTEGER
#undef SUM
#undef NAME

#define NUMBER float
#define INTEGER int32_t
#define SUM float
#define NAME(name) name##_float
#include "policy_fit_template.h"

typedef struct
{
  uint16_t bits; /* all that differences have */
  union
  {
    Component_16 narrow[N_COMPONENTS]; /* with at most 11 bits */
    Component_float wide[N_COMPONENTS];
  };
} Band;

/* The tiles, and what has been found of them, or 0. */
typedef struct
{
  unsigned n_bands, n_tiles; /* tiles of each */
  Band bands[PACO_MAX_BANDS];
  /* What C costs less eighths of the others, [C][eighths of the first][of the second]. With
   * none that is the component itself, which may be T. */
  uint64_t rest[N_COMPONENTS][WEIGHTS][WEIGHTS];
} Sample;

static uint16_t
find_bits (const PacoTiles tiles)
{
  uint16_t bits = 0;

  for (unsigned y = 1; y < LINES; y += STEP) {
    const uint16_t *numbers = tiles[y][1], *left = tiles[y][0];
    const uint16_t *above = tiles[y - 1][1];

    for (unsigned i = 0; i < LINE; i++) {
      uint16_t across = (uint16_t) (MAX (numbers[i], left[i])
          - MIN (numbers[i], left[i]));
      uint16_t down = (uint16_t) (MAX (numbers[i], above[i])
          - MIN (numbers[i], above[i]));

      bits = (uint16_t) (bits | across | down);
    }
  }
  return bits;
}

static void
load_band (const PacoPictureFormat *picture, const PacoBandSamples *samples,
    uint32_t k, Band *band)
{
  PacoTiles tiles[N_COMPONENTS];

  band->bits = 0;
  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    paco_policy_load_tiles (picture, samples, c, k, LOADED, tiles[c]);
    band->bits |= find_bits (tiles[c]);
  }
  for (unsigned c = 0; c < N_COMPONENTS; c++)
    if (band->bits < 2048)
      find_differences_16 (tiles[c], &band->narrow[c]);
    else
      find_differences_float (tiles[c], &band->wide[c]);
}

/* Returns what a sum of components costs with these weights, whose magnitudes are 16
 * together at most. */
static uint64_t
cost_of (const Sample *sample, const int weights[N_COMPONENTS])
{
  uint64_t cost = 0;

  for (unsigned k = 0; k < sample->n_bands; k++) {
    const Band *band = &sample->bands[k];

    if (band->bits < 256)
      cost += find_cost_16 (band->narrow, weights, sample->n_tiles, 16);
    else if (band->bits < 2048)
      cost += find_cost_16 (band->narrow, weights, sample->n_tiles, 2);
    else
      cost += find_cost_float (band->wide, weights, sample->n_tiles, 16);
  }
  return cost;
}

/* Returns what a sum of component c and the others costs. */
static uint64_t
cost_with (
    const Sample *sample, unsigned c, int of_c, int of_first, int of_second)
{
  int weights[N_COMPONENTS];

  weights[c] = of_c;
  weights[c == 0 ? 1 : 0] = of_first;
  weights[c == 2 ? 1 : 2] = of_second;
  return cost_of (sample, weights);
}

static uint64_t
cost_of_rest (Sample *sample, unsigned c, unsigned a, unsigned b)
{
  uint64_t *cost = &sample->rest[c][a][b];

  if (*cost == 0)
    *cost = cost_with (sample, c, PACO_FIT_ONE, -(int) a, -(int) b);
  return *cost;
}

/* --- the choice --- */

typedef struct
{
  unsigned of_first, of_second; /* in eighths */
  uint64_t cost;                /* of C less these */
} Weights;

/* Tries weights that are possible. */
static void
try (Sample *sample, unsigned c, unsigned of_first, unsigned of_second,
    Weights *best)
{
  uint64_t cost;

  if (of_first > PACO_FIT_ONE || of_second > PACO_FIT_ONE
      || of_first + of_second > PACO_FIT_ONE)
    return;
  cost = cost_of_rest (sample, c, of_first, of_second);
  if (cost < best->cost)
    *best = (Weights){ of_first, of_second, cost };
}

/* Goes from half of either, all of one or none to better weights, as long as a neighbor is
 * better. */
static Weights
find_weights (Sample *sample, unsigned c)
{
  Weights best = { .cost = G_MAXUINT64 }, from;

  try (sample, c, PACO_FIT_ONE / 2, PACO_FIT_ONE / 2, &best);
  try (sample, c, PACO_FIT_ONE, 0, &best);
  try (sample, c, 0, PACO_FIT_ONE, &best);
  try (sample, c, 0, 0, &best);
  do {
    from = best;
    for (int i = -1; i <= 1; i++)
      for (int j = -1; j <= 1; j++)
        if (i != j)
          try (sample, c, from.of_first + (unsigned) i,
              from.of_second + (unsigned) j, &best);
  } while (best.cost < from.cost);
  return best;
}

/* Finds the best parameters with which component c is C. Returns what they cost. */
static uint64_t
find_fit (Sample *sample, unsigned c, PacoFit *fit)
{
  const uint8_t first = c == 0 ? 1 : 0, second = c == 2 ? 1 : 2;
  uint64_t of_first = cost_of_rest (sample, first, 0, 0);
  uint64_t of_second = cost_of_rest (sample, second, 0, 0);
  uint64_t of_t = cost_with (sample, c, 0, PACO_FIT_ONE / 2, PACO_FIT_ONE / 2);
  Weights weights = find_weights (sample, c);
  uint64_t cost = cost_with (sample, c, 0, PACO_FIT_ONE, -PACO_FIT_ONE)
      + weights.cost;

  *fit = (PacoFit){ .a = first, .b = second, .c = (uint8_t) c, .mean = true };
  if (of_second < of_t) {
    fit->mean = false;
    of_t = of_second;
  }
  if (of_first < of_t) {
    fit->mean = false;
    fit->a = second;
    fit->b = first;
    of_t = of_first;
  }
  fit->x = (uint8_t) (fit->a == first ? weights.of_first : weights.of_second);
  fit->y = (uint8_t) (PACO_FIT_ONE - weights.of_first - weights.of_second);
  return cost + of_t;
}

/* Returns what RCT2 costs. */
static uint64_t
find_rct2 (Sample *sample)
{
  static const int luma[] = { 3, 3, 2 };

  return cost_with (sample, 2, 0, PACO_FIT_ONE, -PACO_FIT_ONE)
      + cost_of_rest (sample, 2, PACO_FIT_ONE / 2, PACO_FIT_ONE / 2)
      + cost_of (sample, luma);
}

void
paco_policy_choose_fit (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, PacoCoding *coding)
{
  Sample sample;
  uint64_t cost, least = G_MAXUINT64;
  PacoFit fit, best = { 0 };

  sample.n_bands = samples->bands.n;
  sample.n_tiles = paco_policy_tiles_across (picture).n;
  memset (sample.rest, 0, sizeof sample.rest);
  for (uint32_t k = 0; k < samples->bands.n; k++)
    load_band (picture, samples, k, &sample.bands[k]);
  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    cost = find_fit (&sample, c, &fit);
    if (cost < least) {
      least = cost;
      best = fit;
    }
  }
  coding->color_transform = PACO_COLOR_TRANSFORM_RCT2;
  memset (coding->parameters, 0, sizeof coding->parameters);
  if (least + (uint64_t) sample.n_bands * sample.n_tiles * LEAST_SAVING
      >= find_rct2 (&sample))
    return;
  coding->color_transform = PACO_COLOR_TRANSFORM_FIT;
  paco_fit_pack (&best, coding->parameters);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the parameters of rct-fit (policy_fit.h). How many bits a component takes is
 * estimated from how its numbers differ from their neighbors. All components of a
 * transform are sums of weighted R, G and B, so their differences are, too. Bits of the
 * three components add up: the weights by which C is predicted and the choice of T are
 * found apart. */
#include "policy_fit.h"
#include "fit.h"
#include "logarithm.h"
#include <stdlib.h>
#include <string.h>

enum
{
  COLUMNS = PACO_TILE_COLUMNS,
  LINES = PACO_TILE_LINES,
  N_COMPONENTS = 3,
  STEP = 4, /* from a line that is looked at to the next one */
  PAIRS = LINES / STEP * (COLUMNS - 1), /* of numbers that are compared */
  WEIGHTS = PACO_FIT_ONE + 1,
  /* RCT2 stays unless this is saved in a tile, 0.1 bits a pixel. */
  LEAST_SAVING = 13107,
};

/* Differences from the numbers on the left, and then those from the numbers above. */
typedef int32_t Differences[2 * PAIRS];

/* What the numbers of transforms cost, by which component is C. The first and the second
 * one are the others, in their order. */
typedef struct
{
  uint64_t mean[N_COMPONENTS];       /* T of the others */
  uint64_t difference[N_COMPONENTS]; /* V of the others */
  /* C less so many eighths of the first one and of the second one: U. With no eighth that
   * is the component itself, which may be T. */
  uint64_t rest[N_COMPONENTS][WEIGHTS][WEIGHTS];
  uint64_t luma; /* Y of RCT2 */
} Costs;

bool
paco_policy_chooses_fit (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding)
{
  return coding->color_transform == PACO_COLOR_TRANSFORM_RCT2
      && parameters->color_transform == PACO_COLOR_TRANSFORM_AUTO
      && parameters->rate_control == PACO_RATE_LOSSLESS
      && !parameters->cut_points && paco_policy_bands (picture).n > 0;
}

static void
load_differences (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, unsigned c, uint32_t band, uint32_t column,
    Differences differences)
{
  PacoTile tile;
  unsigned i = 0;

  paco_policy_load_tile (
      samples, c, picture->components[c].depth, band, column, tile);
  for (unsigned y = 1; y < LINES; y += STEP)
    for (unsigned x = 1; x < COLUMNS; x++, i++) {
      differences[i] = tile[y][x] - tile[y][x - 1];
      differences[PAIRS + i] = tile[y][x] - tile[y - 1][x];
    }
}

/* Takes differences of `taken` from those of x. Returns what x costs then: the logarithms
 * of the mean magnitudes in both directions, plus 1. */
static uint64_t
cost_less (Differences x, const Differences taken)
{
  uint64_t cost = 0;

  for (unsigned k = 0; k < 2; k++) {
    uint32_t sum = PACO_FIT_ONE * PAIRS;

    for (unsigned i = 0; i < PAIRS; i++) {
      x[k * PAIRS + i] -= taken[k * PAIRS + i];
      sum += (uint32_t) abs (x[k * PAIRS + i]);
    }
    cost += paco_logarithm (sum);
  }
  return cost;
}

/* Returns what a weighted sum of three components costs. */
static uint64_t
cost_of (const Differences d[N_COMPONENTS], const int weights[N_COMPONENTS])
{
  static const Differences nothing;
  Differences x;

  for (unsigned i = 0; i < 2 * PAIRS; i++)
    x[i] = weights[0] * d[0][i] + weights[1] * d[1][i] + weights[2] * d[2][i];
  return cost_less (x, nothing);
}

/* Adds what component c costs when the others have predicted it. */
static void
add_rests (const Differences d[N_COMPONENTS], unsigned c, Costs *costs)
{
  static const Differences nothing;
  const Differences *first = &d[c == 0 ? 1 : 0], *second = &d[c == 2 ? 1 : 2];
  Differences x, y;

  for (unsigned i = 0; i < 2 * PAIRS; i++)
    x[i] = PACO_FIT_ONE * d[c][i];
  for (unsigned a = 0; a < WEIGHTS; a++) {
    costs->rest[c][a][0] += cost_less (x, a > 0 ? *first : nothing);
    memcpy (y, x, sizeof y);
    for (unsigned b = 1; a + b < WEIGHTS; b++)
      costs->rest[c][a][b] += cost_less (y, *second);
  }
}

static void
add_costs (const Differences d[N_COMPONENTS], Costs *costs)
{
  static const int luma[] = { 3, 3, 2 };

  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    unsigned first = c == 0 ? 1 : 0, second = c == 2 ? 1 : 2;
    int weights[N_COMPONENTS] = { 0 };

    weights[first] = weights[second] = PACO_FIT_ONE / 2;
    costs->mean[c] += cost_of (d, weights);
    weights[first] = PACO_FIT_ONE;
    weights[second] = -PACO_FIT_ONE;
    costs->difference[c] += cost_of (d, weights);
    add_rests (d, c, costs);
  }
  costs->luma += cost_of (d, luma);
}

/* The best parameters so far. */
typedef struct
{
  PacoFit fit;
  uint64_t cost;
} Best;

static void
try (Best *best, uint64_t cost, const PacoFit *fit)
{
  if (cost < best->cost)
    *best = (Best){ *fit, cost };
}

/* Tries all T with which C can be predicted by a eighths of the first and b eighths of the
 * second one of the others. */
static void
try_weights (const Costs *costs, unsigned c, unsigned a, unsigned b, Best *best)
{
  const uint8_t first = c == 0 ? 1 : 0, second = c == 2 ? 1 : 2;
  uint64_t cost = costs->difference[c] + costs->rest[c][a][b];
  PacoFit fit = { .a = first,
    .b = second,
    .c = (uint8_t) c,
    .x = (uint8_t) a,
    .y = (uint8_t) (PACO_FIT_ONE - a - b) };

  fit.mean = true;
  try (best, cost + costs->mean[c], &fit);
  fit.mean = false;
  try (best, cost + costs->rest[second][0][0], &fit);
  fit.a = second;
  fit.b = first;
  fit.x = (uint8_t) b;
  try (best, cost + costs->rest[first][0][0], &fit);
}

void
paco_policy_choose_fit (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, PacoCoding *coding)
{
  PacoBands across = paco_policy_tiles_across (picture);
  uint64_t n_tiles = (uint64_t) samples->bands.n * across.n;
  Best best = { .cost = G_MAXUINT64 };
  Differences d[N_COMPONENTS];
  Costs costs = { 0 };
  uint64_t of_rct2;

  for (uint32_t k = 0; k < samples->bands.n; k++)
    for (uint32_t i = 0; i < across.n; i++) {
      for (unsigned c = 0; c < N_COMPONENTS; c++)
        load_differences (
            picture, samples, c, k, across.first + i * across.step, d[c]);
      add_costs (d, &costs);
    }
  for (unsigned c = 0; c < N_COMPONENTS; c++)
    for (unsigned a = 0; a < WEIGHTS; a++)
      for (unsigned b = 0; a + b < WEIGHTS; b++)
        try_weights (&costs, c, a, b, &best);
  of_rct2 = costs.difference[2] + costs.rest[2][4][4] + costs.luma;
  coding->color_transform = PACO_COLOR_TRANSFORM_RCT2;
  memset (coding->parameters, 0, sizeof coding->parameters);
  if (best.cost + n_tiles * LEAST_SAVING >= of_rct2)
    return;
  coding->color_transform = PACO_COLOR_TRANSFORM_FIT;
  paco_fit_pack (&best.fit, coding->parameters);
}

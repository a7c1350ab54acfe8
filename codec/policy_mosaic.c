/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the weights of a mosaic's color transform (policy_mosaic.h). Each weight is
 * tried: how many bits red, or blue, takes then is estimated from how samples differ from
 * their neighbors. */
#include "policy_mosaic.h"
#include "logarithm.h"
#include "mosaic.h"
#include <stdlib.h>

enum
{
  COLUMNS = PACO_TILE_COLUMNS,
  LINES = PACO_TILE_LINES,
  WEIGHTS = PACO_MAX_MOSAIC_WEIGHT + 1,
  PAIRS = (LINES - 3) * (COLUMNS - 3), /* of numbers that are compared */
};

bool
paco_policy_chooses_weights (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding)
{
  return coding->color_transform == PACO_COLOR_TRANSFORM_MOSAIC
      && parameters->rate_control == PACO_RATE_LOSSLESS
      && paco_policy_bands (picture).n > 0;
}

/* Sums up the neighbors of the samples that have all of them in the tile. */
static void
add_neighbors (const PacoComponent *place, const PacoTile beside,
    const PacoTile above, PacoTile sums)
{
  unsigned left = 1 - place->place_x, up = 1 - place->place_y;

  for (unsigned y = 1; y + 1 < LINES; y++)
    for (unsigned x = 1; x + 1 < COLUMNS; x++)
      sums[y][x] = beside[y][x - left] + beside[y][x - left + 1]
          + above[y - up][x] + above[y - up + 1][x];
}

/* Adds what a tile costs with each weight: the logarithms of the mean magnitudes by which
 * numbers differ from those on the left and from those above, plus 1. */
static void
add_costs (const PacoTile tile, const PacoTile sums, uint64_t costs[WEIGHTS])
{
  for (int32_t weight = 0; weight < WEIGHTS; weight++) {
    uint64_t left = 32 * PAIRS, above = 32 * PAIRS;

    for (unsigned y = 2; y + 1 < LINES; y++)
      for (unsigned x = 2; x + 1 < COLUMNS; x++) {
        left += (uint32_t) abs (32 * (tile[y][x] - tile[y][x - 1])
            - weight * (sums[y][x] - sums[y][x - 1]));
        above += (uint32_t) abs (32 * (tile[y][x] - tile[y - 1][x])
            - weight * (sums[y][x] - sums[y - 1][x]));
      }
    costs[weight] += paco_logarithm (left) + paco_logarithm (above);
  }
}

static uint8_t
choose (const PacoPictureFormat *picture, const PacoBandSamples *samples,
    const PacoMosaicStep *step)
{
  const PacoComponent *component = &picture->components[step->component];
  PacoBands across = paco_policy_tiles_across (picture);
  uint64_t costs[WEIGHTS] = { 0 };
  uint8_t best = 0;

  for (uint32_t k = 0; k < samples->bands.n; k++)
    for (uint32_t i = 0; i < across.n; i++) {
      uint32_t column = across.first + i * across.step;
      PacoTile tile, beside, above, sums = { { 0 } };

      paco_policy_load_tile (
          samples, step->component, component->depth, k, column, tile);
      paco_policy_load_tile (
          samples, step->beside, component->depth, k, column, beside);
      paco_policy_load_tile (
          samples, step->above, component->depth, k, column, above);
      add_neighbors (component, beside, above, sums);
      add_costs (tile, sums, costs);
    }
  for (uint8_t weight = 1; weight < WEIGHTS; weight++)
    if (costs[weight] < costs[best])
      best = weight;
  return best;
}

void
paco_policy_choose_weights (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, PacoCoding *coding)
{
  for (unsigned k = 0; k < 2; k++) {
    PacoMosaicStep step = paco_mosaic_step (picture, coding, k);

    coding->parameters[k] = choose (picture, samples, &step);
  }
}

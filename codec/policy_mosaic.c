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
  N_PLACES = 4, /* components */
  WEIGHTS = PACO_MAX_MOSAIC_WEIGHT + 1,
  PAIRS = (LINES - 3) * (COLUMNS - 3), /* of numbers that are compared */
};

/* Of all tiles of a band, in the order of PacoTiles. */
typedef int32_t Numbers[LINES][COLUMNS][PACO_TILES_ACROSS];

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
add_neighbors (const PacoComponent *place, const PacoTiles beside,
    const PacoTiles above, Numbers sums)
{
  unsigned left = 1 - place->place_x, up = 1 - place->place_y;

  for (unsigned y = 1; y + 1 < LINES; y++)
    for (unsigned x = 1; x + 1 < COLUMNS; x++)
      for (unsigned j = 0; j < PACO_TILES_ACROSS; j++)
        sums[y][x][j] = beside[y][x - left][j] + beside[y][x - left + 1][j]
            + above[y - up][x][j] + above[y - up + 1][x][j];
}

/* Finds 32 times the numbers, which are those with weight 0. */
static void
begin_rests (const PacoTiles tiles, Numbers rests)
{
  for (unsigned y = 1; y + 1 < LINES; y++)
    for (unsigned x = 1; x + 1 < COLUMNS; x++)
      for (unsigned j = 0; j < PACO_TILES_ACROSS; j++)
        rests[y][x][j] = 32 * tiles[y][x][j];
}

/* Returns what tiles cost: the logarithms of the mean magnitudes by which numbers differ
 * from those on the left and from those above, plus 1. */
static uint64_t
cost_of (const Numbers rests, unsigned n_tiles)
{
  uint32_t left[PACO_TILES_ACROSS] = { 0 }, above[PACO_TILES_ACROSS] = { 0 };
  uint64_t cost = 0;

  for (unsigned y = 2; y + 1 < LINES; y++)
    for (unsigned x = 2; x + 1 < COLUMNS; x++)
      for (unsigned j = 0; j < PACO_TILES_ACROSS; j++) {
        left[j] += (uint32_t) abs (rests[y][x][j] - rests[y][x - 1][j]);
        above[j] += (uint32_t) abs (rests[y][x][j] - rests[y - 1][x][j]);
      }
  for (unsigned j = 0; j < n_tiles; j++)
    cost += paco_logarithm (32 * PAIRS + left[j])
        + paco_logarithm (32 * PAIRS + above[j]);
  return cost;
}

/* Makes the rests with the next weight. */
static void
take_sums (const Numbers sums, Numbers rests)
{
  for (unsigned y = 1; y + 1 < LINES; y++)
    for (unsigned x = 1; x + 1 < COLUMNS; x++)
      for (unsigned j = 0; j < PACO_TILES_ACROSS; j++)
        rests[y][x][j] -= sums[y][x][j];
}

/* Adds what the tiles of a band cost with each weight. */
static void
add_costs (const PacoPictureFormat *picture, const PacoMosaicStep *step,
    const PacoTiles tiles[N_PLACES], uint64_t costs[WEIGHTS])
{
  const uint32_t across = paco_policy_tiles_across (picture).n;
  Numbers sums, rests;

  add_neighbors (&picture->components[step->component], tiles[step->beside],
      tiles[step->above], sums);
  begin_rests (tiles[step->component], rests);
  for (unsigned weight = 0; weight < WEIGHTS; weight++) {
    costs[weight] += cost_of (rests, across);
    take_sums (sums, rests);
  }
}

void
paco_policy_choose_weights (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, PacoCoding *coding)
{
  uint64_t costs[2][WEIGHTS] = { { 0 } };
  PacoTiles tiles[N_PLACES];

  for (uint32_t k = 0; k < samples->bands.n; k++) {
    for (unsigned c = 0; c < N_PLACES; c++)
      paco_policy_load_tiles (picture, samples, c, k, PACO_ALL_LINES, tiles[c]);
    for (unsigned i = 0; i < 2; i++) {
      PacoMosaicStep step = paco_mosaic_step (picture, coding, i);

      add_costs (picture, &step, tiles, costs[i]);
    }
  }
  for (unsigned i = 0; i < 2; i++) {
    coding->parameters[i] = 0;
    for (uint8_t weight = 1; weight < WEIGHTS; weight++)
      if (costs[i][weight] < costs[i][coding->parameters[i]])
        coding->parameters[i] = weight;
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What weighted sums of three components cost in the tiles of a band. policy_fit.c includes
 * this for integers of 16 bits, and for larger ones in binary32, which holds them: NUMBER
 * is a weighted sum, INTEGER has as many bits, SUM holds a sum of some that are positive,
 * and NAME() makes names. */

/* The numbers of some tiles. */
typedef NUMBER NAME (Lanes) __attribute__ ((vector_size (VECTOR)));
typedef INTEGER NAME (Bits) __attribute__ ((vector_size (VECTOR)));
typedef SUM NAME (Sums) __attribute__ ((vector_size (VECTOR)));
typedef int32_t NAME (Totals)
    __attribute__ ((vector_size (VECTOR / sizeof (NUMBER) * 4)));

enum
{
  NAME (N_LANES) = VECTOR / sizeof (NUMBER),
  NAME (N_PARTS) = N_TILES / NAME (N_LANES), /* of the tiles */
};

/* The differences of a component in each tile: those side by side, and then those above one
 * another. And the sums of either. */
typedef struct
{
  NUMBER differences[2][PAIRS * N_TILES] __attribute__ ((aligned (VECTOR)));
  int32_t sums[2][N_TILES];
} NAME (Component);

static void
NAME (find_differences) (const PacoTiles tiles, NAME (Component) * component)
{
  *component = (NAME (Component)){ 0 };
  for (unsigned y = 1, at = 0; y < LINES; y += STEP, at += LINE) {
    const uint16_t *numbers = tiles[y][1], *left = tiles[y][0];
    const uint16_t *above = tiles[y - 1][1];

    for (unsigned i = 0; i < LINE; i++) {
      component->differences[0][at + i] = (NUMBER) (numbers[i] - left[i]);
      component->differences[1][at + i] = (NUMBER) (numbers[i] - above[i]);
    }
  }
  for (unsigned k = 0; k < 2; k++)
    for (unsigned i = 0; i < PAIRS * N_TILES; i += N_TILES)
      for (unsigned j = 0; j < N_TILES; j++)
        component->sums[k][j] += (int32_t) component->differences[k][i + j];
}

/* Adds twice the positive weighted sums to those of the tiles. A SUM holds `run` of them. */
INLINE void
NAME (add_positive) (const NAME (Component) of[N_COMPONENTS], unsigned k,
    const int weights[N_COMPONENTS], const unsigned run, uint32_t sums[N_TILES])
{
  const NUMBER u = (NUMBER) weights[0], v = (NUMBER) weights[1];
  const NUMBER w = (NUMBER) weights[2];
  const NAME (Lanes) *r = (const NAME (Lanes) *) of[0].differences[k];
  const NAME (Lanes) *g = (const NAME (Lanes) *) of[1].differences[k];
  const NAME (Lanes) *b = (const NAME (Lanes) *) of[2].differences[k];

  for (unsigned part = 0; part < NAME (N_PARTS); part++) {
    NAME (Totals) total = { 0 };

    for (unsigned i = part; i < PAIRS * NAME (N_PARTS);
         i += run * NAME (N_PARTS)) {
      NAME (Sums) some = { 0 };

      for (unsigned p = i; p < i + run * NAME (N_PARTS); p += NAME (N_PARTS)) {
        NAME (Lanes) x = u * r[p] + v * g[p] + w * b[p];

        some += (NAME (Sums)) ((NAME (Bits)) x & (x > 0));
      }
      total += __builtin_convertvector(some, NAME (Totals));
    }
    for (unsigned j = 0; j < NAME (N_LANES); j++)
      sums[part * NAME (N_LANES) + j] += 2 * (uint32_t) total[j];
  }
}

/* Returns what a weighted sum costs: in each tile the logarithms of the mean magnitudes in
 * both directions, plus 1. Magnitudes are twice what is positive, less all. */
INLINE uint64_t
NAME (find_cost) (const NAME (Component) of[N_COMPONENTS],
    const int weights[N_COMPONENTS], unsigned n_tiles, const unsigned run)
{
  uint64_t cost = 0;

  for (unsigned k = 0; k < 2; k++) {
    uint32_t sums[N_TILES];

    for (unsigned j = 0; j < N_TILES; j++)
      sums[j] = (uint32_t) (PACO_FIT_ONE * N_PAIRS
          - weights[0] * of[0].sums[k][j] - weights[1] * of[1].sums[k][j]
          - weights[2] * of[2].sums[k][j]);
    NAME (add_positive) (of, k, weights, run, sums);
    for (unsigned j = 0; j < n_tiles; j++)
      cost += paco_logarithm (sums[j]);
  }
  return cost;
}

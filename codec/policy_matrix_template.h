/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Covariances of the tiles of a band. policy_matrix.c includes this with binary32 for
 * samples of 8 bits, and with binary64: NUMBER holds the sums of products in a line, which
 * are integers. NAME() makes names. */

typedef NUMBER NAME (Numbers)[LINES][COLUMNS][PACO_TILES_ACROSS];
typedef NUMBER NAME (Differences)[N_DIFFERENCES][PACO_TILES_ACROSS];

static void
NAME (convert) (const PacoTiles tiles, NAME (Numbers) numbers)
{
  for (unsigned y = 0; y < LINES; y++)
    for (unsigned x = 0; x < COLUMNS; x++)
      for (unsigned j = 0; j < PACO_TILES_ACROSS; j++)
        numbers[y][x][j] = tiles[y][x][j];
}

/* Finds differences to the numbers before, and these less those to the numbers after: side
 * by side, or above one another. */
static void
NAME (find_differences) (const NAME (Numbers) numbers, unsigned y,
    unsigned lines, unsigned columns, NAME (Differences) differences)
{
  const NUMBER *before = numbers[y - lines][1 - columns];
  const NUMBER *x = numbers[y][1], *after = numbers[y + lines][1 + columns];
  NUMBER *first = differences[0], *second = differences[N_DIFFERENCES / 2];

  for (unsigned i = 0; i < N_DIFFERENCES / 2 * PACO_TILES_ACROSS; i++) {
    first[i] = x[i] - before[i];
    second[i] = first[i] + x[i] - after[i];
  }
}

/* Adds the products of two components. */
static void
NAME (add_products) (const NAME (Differences) a, const NAME (Differences) b,
    double sums[PACO_TILES_ACROSS])
{
  NUMBER line[PACO_TILES_ACROSS] = { 0 };

  for (unsigned i = 0; i < N_DIFFERENCES; i++)
    for (unsigned j = 0; j < PACO_TILES_ACROSS; j++)
      line[j] += a[i][j] * b[i][j];
  for (unsigned j = 0; j < PACO_TILES_ACROSS; j++)
    sums[j] += line[j];
}

static void
NAME (add_line) (const NAME (Numbers) numbers[N_COMPONENTS], unsigned y,
    unsigned lines, unsigned columns, Products sums)
{
  NAME (Differences) differences[N_COMPONENTS];

  for (unsigned c = 0; c < N_COMPONENTS; c++)
    NAME (find_differences) (numbers[c], y, lines, columns, differences[c]);
  for (unsigned i = 0; i < N_COMPONENTS; i++)
    for (unsigned j = i; j < N_COMPONENTS; j++)
      NAME (add_products) (differences[i], differences[j], sums[i][j]);
}

static void
NAME (add_band) (const PacoTiles tiles[N_COMPONENTS], Products sums)
{
  NAME (Numbers) numbers[N_COMPONENTS];

  for (unsigned c = 0; c < N_COMPONENTS; c++)
    NAME (convert) (tiles[c], numbers[c]);
  for (unsigned y = 1; y + 1 < LINES; y++) {
    NAME (add_line) (numbers, y, 0, 1, sums);
    NAME (add_line) (numbers, y, 1, 0, sums);
  }
}

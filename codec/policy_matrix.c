/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the color matrix of a picture (policy_matrix.h). Its rows are the eigenvectors
 * of the covariance of R, G and B, which is summed up in integers. All else is binary64 in
 * one order, so that every machine finds the same. */
#include "policy_matrix.h"
#include "sample_map.h"
#include <math.h>
#include <string.h>

enum
{
  COLUMNS = PACO_TILE_COLUMNS,
  LINES = PACO_TILE_LINES,
  N_COMPONENTS = 3,
  N_SWEEPS = 10, /* after which nothing changes any more */
};

typedef double Matrix[N_COMPONENTS][N_COMPONENTS];

void
paco_policy_usual_matrix (float matrix[PACO_MATRIX_SIZE])
{
  static const float usual[PACO_MATRIX_SIZE] = { 0.57735027f, -0.40824829f,
    0.70710678f, 0.57735027f, -0.40824829f, -0.70710678f, 0.57735027f,
    0.81649658f, 0.0f };

  memcpy (matrix, usual, sizeof usual);
}

bool
paco_policy_chooses_matrix (
    const PacoPictureFormat *picture, const PacoCoding *coding)
{
  return coding->color_transform == PACO_COLOR_TRANSFORM_MATRIX
      && paco_policy_bands (picture).n > 0;
}

/* --- the covariance --- */

static void
load_tiles (const PacoPictureFormat *picture, const PacoBandSamples *samples,
    uint32_t band, uint32_t column, PacoTile tiles[N_COMPONENTS])
{
  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    const PacoComponent *component = &picture->components[c];

    paco_policy_load_tile (
        samples, c, component->depth, band, column, tiles[c]);
    for (unsigned y = 0; y < LINES; y++)
      for (unsigned x = 0; x < COLUMNS; x++)
        tiles[c][y][x] = paco_sample_code (
            component, (uint16_t) tiles[c][y][x]);
  }
}

/* Adds the products of what is left of samples when half of both neighbors is taken away:
 * those on the left and on the right, or those above and below. Numbers are doubled. */
static void
add_products (const PacoTile tiles[N_COMPONENTS], unsigned y, unsigned x,
    unsigned lines, unsigned columns, int64_t sums[N_COMPONENTS][N_COMPONENTS])
{
  int64_t rest[N_COMPONENTS];

  for (unsigned c = 0; c < N_COMPONENTS; c++)
    rest[c] = 2 * tiles[c][y][x] - tiles[c][y - lines][x - columns]
        - tiles[c][y + lines][x + columns];
  for (unsigned i = 0; i < N_COMPONENTS; i++)
    for (unsigned j = i; j < N_COMPONENTS; j++)
      sums[i][j] += rest[i] * rest[j];
}

/* Sums up the products of all tiles; of i and j where i <= j. */
static void
add_tiles (const PacoPictureFormat *picture, const PacoBandSamples *samples,
    int64_t sums[N_COMPONENTS][N_COMPONENTS])
{
  PacoBands across = paco_policy_tiles_across (picture);
  PacoTile tiles[N_COMPONENTS];

  for (uint32_t k = 0; k < samples->bands.n; k++)
    for (uint32_t i = 0; i < across.n; i++) {
      load_tiles (picture, samples, k, across.first + i * across.step, tiles);
      for (unsigned y = 1; y + 1 < LINES; y++)
        for (unsigned x = 1; x + 1 < COLUMNS; x++) {
          add_products (tiles, y, x, 0, 1, sums);
          add_products (tiles, y, x, 1, 0, sums);
        }
    }
}

/* --- its eigenvectors --- */

/* Makes a[p][q] zero by a rotation (Jacobi), and applies it to the rows of v. */
static void
rotate (Matrix a, Matrix v, unsigned p, unsigned q)
{
  unsigned r = 3 - p - q;
  double theta, t, c, s, ap, aq;

  if (a[p][q] == 0.0)
    return;
  theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
  t = 1.0 / (fabs (theta) + sqrt (theta * theta + 1.0));
  t = theta < 0.0 ? -t : t;
  c = 1.0 / sqrt (t * t + 1.0);
  s = t * c;
  a[p][p] -= t * a[p][q];
  a[q][q] += t * a[p][q];
  a[p][q] = a[q][p] = 0.0;
  ap = a[r][p];
  aq = a[r][q];
  a[r][p] = a[p][r] = c * ap - s * aq;
  a[r][q] = a[q][r] = s * ap + c * aq;
  for (unsigned i = 0; i < N_COMPONENTS; i++) {
    double vp = v[p][i], vq = v[q][i];

    v[p][i] = c * vp - s * vq;
    v[q][i] = s * vp + c * vq;
  }
}

/* Makes the first of the largest magnitudes of a row positive. */
static void
set_sign (double row[N_COMPONENTS])
{
  double largest = row[0];

  for (unsigned i = 1; i < N_COMPONENTS; i++)
    if (fabs (row[i]) > fabs (largest))
      largest = row[i];
  for (unsigned i = 0; i < N_COMPONENTS && largest < 0.0; i++)
    row[i] = -row[i];
}

/* Diagonalizes a, and returns the eigenvectors as rows of v, that of the largest
 * eigenvalue first. */
static void
find_eigenvectors (Matrix a, Matrix v)
{
  unsigned order[N_COMPONENTS] = { 0, 1, 2 };
  Matrix rows = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

  for (unsigned sweep = 0; sweep < N_SWEEPS; sweep++) {
    rotate (a, rows, 0, 1);
    rotate (a, rows, 0, 2);
    rotate (a, rows, 1, 2);
  }
  for (unsigned i = 1; i < N_COMPONENTS; i++)
    for (unsigned k = i; k > 0; k--)
      if (a[order[k]][order[k]] > a[order[k - 1]][order[k - 1]]) {
        unsigned other = order[k];

        order[k] = order[k - 1];
        order[k - 1] = other;
      }
  for (unsigned i = 0; i < N_COMPONENTS; i++) {
    memcpy (v[i], rows[order[i]], sizeof v[i]);
    set_sign (v[i]);
  }
}

void
paco_policy_choose_matrix (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, PacoCoding *coding)
{
  int64_t sums[N_COMPONENTS][N_COMPONENTS] = { { 0 } };
  Matrix a, v;

  add_tiles (picture, samples, sums);
  if (sums[0][0] + sums[1][1] + sums[2][2] == 0)
    return;
  for (unsigned i = 0; i < N_COMPONENTS; i++)
    for (unsigned j = 0; j < N_COMPONENTS; j++)
      a[i][j] = (double) sums[MIN (i, j)][MAX (i, j)];
  find_eigenvectors (a, v);
  for (unsigned i = 0; i < N_COMPONENTS; i++)
    for (unsigned j = 0; j < N_COMPONENTS; j++)
      coding->matrix[N_COMPONENTS * j + i] = (float) v[i][j];
}

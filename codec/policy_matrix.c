/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the color matrix of a picture (policy_matrix.h). Covariances of tiles are
 * integers, which binary64 holds. All else is binary64 in one order, so that every machine
 * finds the same. */
#include "policy_matrix.h"
#include <math.h>
#include <string.h>

enum
{
  COLUMNS = PACO_TILE_COLUMNS,
  LINES = PACO_TILE_LINES,
  N_COMPONENTS = 3,
  MAX_TILES = PACO_TILES_ACROSS * PACO_MAX_BANDS,
  N_DIFFERENCES = 2 * (COLUMNS - 2), /* of a line in one direction */
  N_SWEEPS = 8,
};

/* The tangent of the largest angle of a rotation. */
#define MAX_TANGENT 0.25

typedef double Matrix[N_COMPONENTS][N_COMPONENTS];
/* Of all tiles of a band the sums of products of i and j, where i <= j. */
typedef double Products[N_COMPONENTS][N_COMPONENTS][PACO_TILES_ACROSS];

typedef struct
{
  unsigned n;
  Matrix
      tiles[MAX_TILES]; /* covariances, in colors of which rows are the mixes */
  Matrix rows;
} Mixes;

bool
paco_policy_chooses_matrix (
    const PacoPictureFormat *picture, const PacoCoding *coding)
{
  return coding->color_transform == PACO_COLOR_TRANSFORM_MATRIX
      && paco_policy_bands (picture).n > 0;
}

/* --- covariances --- */

#define NUMBER float
#define NAME(name) name##_float
#include "policy_matrix_template.h"
#undef NUMBER
#undef NAME

#define NUMBER double
#define NAME(name) name##_double
#include "policy_matrix_template.h"

/* Finds the covariance of each tile. */
static void
find_covariances (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, Mixes *mixes)
{
  const uint32_t across = paco_policy_tiles_across (picture).n;
  PacoTiles tiles[N_COMPONENTS];

  mixes->n = 0;
  for (uint32_t k = 0; k < samples->bands.n; k++) {
    Products sums = { { { 0 } } };

    for (unsigned c = 0; c < N_COMPONENTS; c++)
      paco_policy_load_tiles (picture, samples, c, k, PACO_ALL_LINES, tiles[c]);
    /* A sum of products in a line is at most 30 255^2 + 30 510^2. */
    if (picture->components[0].depth <= 8)
      add_band_float (tiles, sums);
    else
      add_band_double (tiles, sums);
    for (uint32_t n = 0; n < across; n++, mixes->n++)
      for (unsigned i = 0; i < N_COMPONENTS; i++)
        for (unsigned j = 0; j < N_COMPONENTS; j++)
          mixes->tiles[mixes->n][i][j] = sums[MIN (i, j)][MAX (i, j)][n];
  }
}

/* --- rotations --- */

/* Adds up the variances of a mix in all tiles. */
static double
variance (const Mixes *mixes, unsigned i)
{
  double sum = 0.0;

  for (unsigned k = 0; k < mixes->n; k++)
    sum += mixes->tiles[k][i][i];
  return sum;
}

/* Returns the tangent of the angle by which mixes p and q should be rotated: a step of
 * Newton's towards the least sum of the logarithms of all variances plus `floor`. */
static double
find_tangent (const Mixes *mixes, unsigned p, unsigned q, double floor)
{
  double slope = 0.0, curvature = 0.0;

  for (unsigned k = 0; k < mixes->n; k++) {
    double a = mixes->tiles[k][p][p] + floor;
    double b = mixes->tiles[k][q][q] + floor;
    double difference = b - a, part = difference / (a * b);

    slope += mixes->tiles[k][p][q] * part;
    curvature += difference * part;
  }
  if (curvature <= 0.0)
    return 0.0;
  return CLAMP (slope / curvature, -MAX_TANGENT, MAX_TANGENT);
}

static void
rotate_pair (double *p, double *q, double cosine, double sine)
{
  double a = *p, b = *q;

  *p = cosine * a - sine * b;
  *q = sine * a + cosine * b;
}

static void
rotate (Mixes *mixes, unsigned p, unsigned q, double tangent)
{
  double cosine = 1.0 / sqrt (tangent * tangent + 1.0);
  double sine = tangent * cosine;

  for (unsigned i = 0; i < N_COMPONENTS; i++)
    rotate_pair (&mixes->rows[p][i], &mixes->rows[q][i], cosine, sine);
  for (unsigned k = 0; k < mixes->n; k++) {
    Matrix *tile = &mixes->tiles[k];

    for (unsigned i = 0; i < N_COMPONENTS; i++)
      rotate_pair (&(*tile)[p][i], &(*tile)[q][i], cosine, sine);
    for (unsigned i = 0; i < N_COMPONENTS; i++)
      rotate_pair (&(*tile)[i][p], &(*tile)[i][q], cosine, sine);
  }
}

/* --- the matrix --- */

static double
total_variance (const Mixes *mixes)
{
  return variance (mixes, 0) + variance (mixes, 1) + variance (mixes, 2);
}

/* Begins with the mixes of the usual matrix. */
static void
find_mixes (Mixes *mixes)
{
  double floor = total_variance (mixes) / (1024.0 * mixes->n);

  rotate (mixes, 0, 1, -1.0);
  rotate (mixes, 0, 2, -0.70710678);
  for (unsigned sweep = 0; sweep < N_SWEEPS; sweep++)
    for (unsigned p = 0; p < 2; p++)
      for (unsigned q = p + 1; q < N_COMPONENTS; q++)
        rotate (mixes, p, q, find_tangent (mixes, p, q, floor));
}

/* Finds the order of the mixes, that of the largest variance first. */
static void
sort (const Mixes *mixes, unsigned order[N_COMPONENTS])
{
  for (unsigned i = 0; i < N_COMPONENTS; i++) {
    unsigned k = i;

    for (; k > 0 && variance (mixes, i) > variance (mixes, order[k - 1]); k--)
      order[k] = order[k - 1];
    order[k] = i;
  }
}

/* Says whether the first of the largest magnitudes of a row is negative. */
static bool
is_negative (const double row[N_COMPONENTS])
{
  double largest = row[0];

  for (unsigned i = 1; i < N_COMPONENTS; i++)
    if (fabs (row[i]) > fabs (largest))
      largest = row[i];
  return largest < 0.0;
}

void
paco_policy_choose_matrix (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, PacoCoding *coding)
{
  static const Matrix unit = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  unsigned order[N_COMPONENTS];
  Mixes mixes;

  memcpy (mixes.rows, unit, sizeof unit);
  find_covariances (picture, samples, &mixes);
  if (total_variance (&mixes) <= 0.0)
    return;
  find_mixes (&mixes);
  sort (&mixes, order);
  for (unsigned i = 0; i < N_COMPONENTS; i++) {
    const double *row = mixes.rows[order[i]];
    double sign = is_negative (row) ? -1.0 : 1.0;

    for (unsigned j = 0; j < N_COMPONENTS; j++)
      coding->matrix[N_COMPONENTS * j + i] = (float) (sign * row[j]);
  }
}

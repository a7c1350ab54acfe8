/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what encoders decide (codec/policy.c): the coding that follows from
 * parameters, its steps and their norms, the largest frame, and what is refused; and the
 * choice of a block's probability set, by integers (codec/policy_set.h) that are compared
 * with real numbers. */
#include "codec/error.h"
#include "codec/policy.h"
#include "codec/policy_set.h"
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include "tests/codec/random-header.h"
#include "tests/codec/must.h"
#include <math.h>
#include <string.h>

static void
test_steps (void)
{
  for (unsigned code = 0; code < 1 << 14; code++)
    g_assert_cmpuint (paco_step_encode (paco_step_decode (code)), ==, code);
  g_assert_cmpuint (paco_step_encode (0.0), ==, 0);
  g_assert_cmpuint (paco_step_encode (1e30), ==, (1 << 14) - 1);
  g_assert_cmpfloat (paco_step_decode (16 << 9), ==, 1.0);
}

/* Tests norms of JPEG 2000's 5/3 synthesis (ITU-T T.800 has no table; these are
 * the figures every encoder of it uses) and the scale of the unscaled 9/7. */
static void
test_norms (void)
{
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_CDF53, 1, PACO_ORIENTATION_LL), 1.5,
      1e-3);
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_CDF53, 1, PACO_ORIENTATION_HL), 1.038,
      1e-3);
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_CDF53, 1, PACO_ORIENTATION_HH), 0.7186,
      1e-3);
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_CDF97, 1, PACO_ORIENTATION_LL),
      1.9659 / (1.230174105 * 1.230174105), 2e-3);
  /* The low half of 13/7 is put together by (-1 0 9 16 9 0 -1) / 16. */
  g_assert_cmpfloat_with_epsilon (
      paco_wavelet_norm (PACO_WAVELET_DD137, 1, PACO_ORIENTATION_LL),
      (1 + 81 + 256 + 81 + 1) / 256.0, 1e-9);
}

/* Tests that alpha is lossless, whatever the parameters say of the colour. */
static void
test_policy_of_alpha (void)
{
  for (int n = 0; n < 1000; n++) {
    PacoPictureFormat picture;
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding coding;
    unsigned wavelet;
    GError *error = NULL;

    draw_picture (&picture);
    parameters.quality = draw (0, 100);
    parameters.levels = draw (0, 8);
    parameters.wavelet = draw (0, PACO_N_WAVELETS - 1);
    wavelet = parameters.wavelet;
    paco_policy_coding (&picture, &parameters, &coding, &error);
    g_assert_no_error (error);
    for (unsigned c = 0; c < picture.n_components; c++) {
      bool alpha = c + 1 == picture.n_components && c % 2 == 1
          && !picture.mosaic;

      g_assert_true (paco_is_alpha (&picture, c) == alpha);
      g_assert_cmpuint (coding.components[c].wavelet, ==,
          alpha ? PACO_WAVELET_CDF53 : wavelet);
      g_assert_cmpuint (coding.components[c].family, ==,
          !paco_wavelets[coding.components[c].wavelet].reversible);
      for (unsigned level = 1; alpha && level <= coding.levels; level++)
        for (unsigned o = 0; o < 4; o++)
          g_assert_cmpuint (paco_policy_dropped_planes (
                                &picture, &parameters, &coding, c, level, o),
              ==, 0);
    }
  }
}

/* Tests what `auto` stands for, by kind and depth. */
static void
test_policy_auto (void)
{
  static const struct
  {
    unsigned n_components, depth, subsampling;
    bool rgb, lossless;
    PacoWaveletId wavelet;
    PacoColorTransform transform;
  } cases[] = {
    { 1, 8, 0, false, true, PACO_WAVELET_DD137, PACO_COLOR_TRANSFORM_NONE },
    { 2, 12, 0, false, true, PACO_WAVELET_DD137, PACO_COLOR_TRANSFORM_NONE },
    { 3, 8, 1, false, true, PACO_WAVELET_DD137, PACO_COLOR_TRANSFORM_NONE },
    { 3, 10, 1, false, true, PACO_WAVELET_DD137, PACO_COLOR_TRANSFORM_NONE },
    { 3, 8, 0, true, true, PACO_WAVELET_CDF53, PACO_COLOR_TRANSFORM_RCT2 },
    { 4, 12, 0, true, true, PACO_WAVELET_CDF53, PACO_COLOR_TRANSFORM_RCT2 },
    { 1, 8, 0, false, false, PACO_WAVELET_CDF97, PACO_COLOR_TRANSFORM_NONE },
    { 3, 12, 0, true, false, PACO_WAVELET_CDF97, PACO_COLOR_TRANSFORM_ICT },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoPictureFormat picture = { 64, 64, cases[i].n_components };
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding coding;

    for (unsigned c = 0; c < picture.n_components; c++)
      picture.components[c] = (PacoComponent){
        .depth = cases[i].depth,
        .subsampling_x = c % 3 > 0 ? cases[i].subsampling : 0,
      };
    parameters.rgb = cases[i].rgb;
    if (cases[i].lossless)
      parameters.rate_control = PACO_RATE_LOSSLESS;
    g_assert_true (paco_policy_coding (&picture, &parameters, &coding, NULL));
    g_assert_cmpuint (coding.color_transform, ==, cases[i].transform);
    parameters.tune = PACO_TUNE_PSNR;
    g_assert_true (paco_policy_coding (&picture, &parameters, &coding, NULL));
    g_assert_cmpuint (coding.color_transform, ==,
        cases[i].transform == PACO_COLOR_TRANSFORM_ICT
            ? PACO_COLOR_TRANSFORM_MATRIX
            : cases[i].transform);
    for (unsigned c = 0; c < picture.n_components; c++)
      g_assert_cmpuint (coding.components[c].wavelet, ==,
          paco_is_alpha (&picture, c) ? PACO_WAVELET_CDF53 : cases[i].wavelet);
  }
}

/* Tests that with a reversible wavelet and loss, `auto` is the transform of
 * JPEG 2000. */
static void
test_policy_auto_transform_with_loss (void)
{
  PacoPictureFormat picture = { 64, 64, 3, false, { { 8 }, { 8 }, { 8 } } };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoCoding coding;

  parameters.rgb = true;
  parameters.wavelet = PACO_WAVELET_DD137;
  g_assert_true (paco_policy_coding (&picture, &parameters, &coding, NULL));
  g_assert_cmpuint (coding.color_transform, ==, PACO_COLOR_TRANSFORM_RCT);
}

/* Tests that 9/7 has four bits behind the point where 16 bits hold them, which
 * is so at the default quality and below, with tune=visual on the three finest
 * levels, and that 5/3 has none. */
static void
test_policy_fraction_bits (void)
{
  unsigned n_four = 0, n_one = 0;

  for (int n = 0; n < 300; n++) {
    double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
    PacoPictureFormat picture;
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding coding;

    draw_picture (&picture);
    parameters.quality = draw (0, 100);
    parameters.levels = draw (0, 8);
    parameters.tune = draw (0, 1) ? PACO_TUNE_PSNR : PACO_TUNE_VISUAL;
    g_assert_true (paco_policy_coding (&picture, &parameters, &coding, NULL));
    paco_coefficient_bounds (&picture, &coding, bounds);
    for (unsigned c = 0; c < picture.n_components; c++)
      for (unsigned k = 0; k <= 3u * coding.levels; k++) {
        unsigned bits = coding.subbands[c][k].fraction_bits;

        if (paco_is_alpha (&picture, c)) {
          g_assert_cmpuint (bits, ==, 0);
          continue;
        }
        g_assert_true (bits == 1 || bits == 4);
        g_assert_true ((bits == 4) == (16.0 * bounds[c][k] < 32767.0));
        if (parameters.quality <= 90 && !picture.mosaic
            && (parameters.tune == PACO_TUNE_PSNR
                    ? parameters.levels <= 5
                    : k + 9 > 3u * parameters.levels))
          g_assert_cmpuint (bits, ==, 4);
        n_four += bits == 4;
        n_one += bits == 1;
      }
  }
  g_assert_true (n_four > 0 && n_one > 0);
}

/* Tests that the bound of a frame has room for whatever the header says, also
 * where there is hardly anything else in the frame. */
static void
test_policy_max_frame_size (void)
{
  for (int n = 0; n < 1000; n++) {
    PacoHeader header;
    PacoProbabilitySet set;
    g_autoptr (PacoGeometry) geometry = NULL;

    draw_header (&header, &set);
    header.set = NULL;
    header.picture.width = draw (1, 3);
    header.picture.height = draw (1, 3);
    geometry = paco_geometry_new (&header.picture, &header.coding);
    g_assert_cmpuint (
        paco_policy_max_frame_size (&header.picture, &header.coding, geometry),
        >=,
        paco_header_size (&header) + PACO_MAX_INDEX_SIZE (geometry->n_blocks));
  }
}

static void
test_policy_errors (void)
{
  PacoPictureFormat yuv = { .width = 16,
    .height = 16,
    .n_components = 3,
    .components = { { 8, 0, 0 }, { 8, 1, 1 }, { 8, 1, 1 } } };
  static const struct
  {
    PacoParameters parameters;
    const char *word;
  } cases[] = {
    { { .rate_control = PACO_RATE_BITRATE,
          .wavelet = PACO_WAVELET_AUTO,
          .coding_passes = 1,
          .color_transform = PACO_COLOR_TRANSFORM_AUTO },
        "rate-control=bitrate" },
    { { .rate_control = PACO_RATE_LOSSLESS,
          .wavelet = PACO_WAVELET_CDF97,
          .coding_passes = 1,
          .color_transform = PACO_COLOR_TRANSFORM_AUTO },
        "wavelet=cdf53" },
    { { .wavelet = PACO_N_WAVELETS, .coding_passes = 1 }, "wavelet" },
    { { .wavelet = -2, .coding_passes = 1 }, "wavelet" },
    { { .levels = PACO_MAX_LEVELS + 1, .coding_passes = 1 },
        "levels=9 is too many: there are 0 to 8" },
    { { .coding_passes = 0 }, "coding-passes=0 cannot be done" },
    { { .coding_passes = 4 }, "coding-passes=4 cannot be done" },
    { { .coding_passes = 1, .block_height = 48 },
        "codeblock-height=48 cannot be done: codeblocks have 32, 64" },
    { { .coding_passes = 1, .color_transform = PACO_COLOR_TRANSFORM_RCT },
        "color-transform=rct is for R, G and B" },
    { { .coding_passes = 1, .color_transform = PACO_COLOR_TRANSFORM_ICT },
        "color-transform=ict is for R, G and B" },
    { { .coding_passes = 1, .color_transform = PACO_COLOR_TRANSFORM_MATRIX },
        "color-transform=matrix is for R, G and B" },
    { { .coding_passes = 1, .color_transform = PACO_COLOR_TRANSFORM_RCT2 },
        "color-transform=rct2 is for R, G and B" },
    { { .coding_passes = 1, .color_transform = PACO_N_COLOR_TRANSFORMS },
        "there is no color transform" },
    { { .rate_control = PACO_RATE_LOSSLESS,
          .wavelet = PACO_WAVELET_CDF97,
          .coding_passes = 1,
          .color_transform = PACO_COLOR_TRANSFORM_AUTO },
        "dd137" },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoCoding coding;
    GError *error = NULL;

    g_assert_false (
        paco_policy_coding (&yuv, &cases[i].parameters, &coding, &error));
    g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
    if (!strstr (error->message, cases[i].word))
      g_error ("%s is not in: %s", cases[i].word, error->message);
    g_clear_error (&error);
  }
}

/* --- the choice of a probability set --- */

/* Tests four columns and 34 lines: pairs are those of lines within the first
 * 32, or within the rest, and those of columns 0 and 1, and 2 and 3. Both of
 * the first pair have plane 1, of the others one does. */
static void
test_pairs (void)
{
  static const struct
  {
    uint8_t x, y, magnitude;
  } ones[] = { { 0, 0, 2 }, { 1, 0, 3 }, { 2, 0, 1 }, { 2, 1, 2 }, { 0, 31, 1 },
    { 0, 32, 2 }, { 0, 33, 1 } };
  PacoReferenceBlock block = { .width = 4, .height = 34 };
  int32_t indices[4 * 34] = { 0 };
  PacoBlockCounts counts;

  for (unsigned i = 0; i < G_N_ELEMENTS (ones); i++)
    indices[ones[i].y * 4 + ones[i].x] = i % 2 ? -ones[i].magnitude
                                               : ones[i].magnitude;
  paco_reference_count_block (&block, indices, 0, &counts);
  g_assert_cmpuint (counts.top[0], ==, 3);
  g_assert_cmpuint (counts.top[1], ==, 4);
  g_assert_cmpuint (counts.pairs[0], ==, 3);
  g_assert_cmpuint (counts.pairs[1], ==, 1);
  g_assert_cmpuint (counts.pairs[2], ==, 0);
}

/* Finds the cell of a block with real numbers; returns false where they are too
 * near to a bound to say. */
static bool
real_cell (unsigned planes, const uint32_t *top, const uint32_t *pairs,
    uint32_t n, unsigned *cell)
{
  static const double bounds[7] = { 1 / 16.0, 0.25, 0.5, 1, 1.5, 2.25, 3.5 };
  double significant = 0, sum = 0, by_chance = 0, together = 0, share;
  unsigned density = 0;

  for (unsigned p = planes; p-- > 0;) {
    significant += top[p];
    sum += significant;
    by_chance += floor (significant * significant / n);
    together += pairs[p];
  }
  while (density < 7 && sum >= bounds[density] * n)
    density++;
  share = 32 * (together - 1.5 * by_chance) / (1.5 * (sum - by_chance) + 0.5);
  if (fabs (share - rint (share)) < 1e-6)
    return false;
  *cell = density * 16 + (unsigned) CLAMP (floor (share) + 1, 0.0, 15.0);
  return true;
}

static void
test_cells (void)
{
  static const unsigned kinds[4] = { 0, 1, 1, 2 };
  unsigned n_compared = 0;

  for (unsigned i = 0; i < 20000; i++) {
    unsigned orientation = g_test_rand_int_range (0, 4), cell;
    unsigned planes = g_test_rand_int_range (1, PACO_MAX_PLANES + 1);
    uint32_t n = i % 8 ? g_test_rand_int_range (1, 16385) : 16384, left = n;
    uint32_t top[PACO_MAX_PLANES] = { 0 }, pairs[PACO_MAX_PLANES] = { 0 };
    uint32_t found = 0;

    for (unsigned p = planes; p-- > 0;) {
      unsigned shift = g_test_rand_int_range (0, 10);

      top[p] = g_test_rand_int_range (0, (left >> shift) + 1);
      if (i % 16 == 0)
        top[p] = left;
      left -= top[p];
      found += top[p];
      pairs[p] = i % 16 == 0
          ? found * 3 / 2
          : (uint32_t) g_test_rand_int_range (0, found * 3 / 2 + 1);
    }
    if (!real_cell (planes, top, pairs, n, &cell))
      continue;
    n_compared++;
    g_assert_cmpuint (
        paco_policy_set_cell (orientation, planes, 0, top, pairs, n), ==,
        kinds[orientation] * 128 + cell);
  }
  g_assert_cmpuint (n_compared, >, 10000);
}

/* Tests that all sets that are chosen exist, and nearly all that exist are
 * chosen. */
static void
test_sets (void)
{
  for (unsigned f = 0; f < PACO_N_FAMILIES; f++) {
    unsigned used = 0;

    for (unsigned cell = 0; cell < PACO_SET_CELLS; cell++) {
      unsigned set = paco_policy_set_of_cell[f][cell];

      g_assert_cmpuint (set, <, PACO_N_SETS);
      used |= 1u << set;
    }
    g_assert_cmpuint (__builtin_popcount (used), >=, PACO_N_SETS - 1);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quantizer/steps", test_steps);
  g_test_add_func ("/wavelet/norms", test_norms);
  g_test_add_func ("/policy/auto", test_policy_auto);
  g_test_add_func (
      "/policy/auto-transform-with-loss", test_policy_auto_transform_with_loss);
  g_test_add_func ("/policy/alpha", test_policy_of_alpha);
  g_test_add_func ("/policy/fraction-bits", test_policy_fraction_bits);
  g_test_add_func ("/policy/max-frame-size", test_policy_max_frame_size);
  g_test_add_func ("/policy/errors", test_policy_errors);
  g_test_add_func ("/policy/set/pairs", test_pairs);
  g_test_add_func ("/policy/set/cells", test_cells);
  g_test_add_func ("/policy/set/sets", test_sets);
  return g_test_run ();
}

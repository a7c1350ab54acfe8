/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what the encoder chooses by a picture: the sample of it, and the choices by that
 * sample, of the wavelet and of the color transform. */
#include "codec/fit.h"
#include "codec/policy.h"
#include "codec/policy_fit.h"
#include "codec/policy_matrix.h"
#include "codec/policy_tiles.h"
#include "codec/policy_wavelet.h"
#include "codec/reference/reference.h"
#include "random-picture.h"
#include <math.h>
#include <string.h>

#define N_COMPONENTS 3

/* Codes a picture by the reference, and returns its header. */
static PacoHeader
encode (const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoParameters *parameters)
{
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  PacoHeader header;

  g_assert_true (paco_reference_encode (
      format, picture, &video, parameters, NULL, frame, NULL));
  g_assert_true (
      paco_header_parse_frame (frame->data, frame->len, &header, NULL, NULL));
  return header;
}

/* Makes samples, whose lines have `width` columns, those of component c. */
static void
lay_out (PacoPicture *picture, unsigned c, uint16_t *samples, unsigned width)
{
  picture->data[c] = (uint8_t *) samples;
  picture->stride[c] = 2 * width;
  picture->layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
  picture->layout[c].big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
}

/* --- the tiles --- */

/* Fails unless the tiles of a component have its numbers, and no others. */
static void
check_tiles (const TestPicture *picture, const PacoReferencePlane *plane,
    unsigned component, unsigned lines)
{
  const PacoPictureFormat *format = &picture->format;
  PacoBandSamples samples = paco_policy_band_samples (
      format, &picture->picture, NULL);
  PacoBands across = paco_policy_tiles_across (format);
  int half = 1 << (format->components[component].depth - 1);

  for (uint32_t k = 0; k < samples.bands.n; k++) {
    PacoTiles tiles;

    paco_policy_load_tiles (format, &samples, component, k, lines, tiles);
    for (unsigned i = 0; i < PACO_TILE_LINES * PACO_TILE_COLUMNS; i++)
      for (unsigned j = 0; j < PACO_TILES_ACROSS; j++) {
        unsigned x = i % PACO_TILE_COLUMNS, y = i / PACO_TILE_COLUMNS;
        uint32_t line = samples.bands.first + k * samples.bands.step + y;
        uint32_t column = across.first + j * across.step + x;

        if (j >= across.n)
          g_assert_cmpuint (tiles[y][x][j], ==, 0);
        else if (lines >> y & 1)
          g_assert_cmpint (tiles[y][x][j], ==,
              plane->samples[line * plane->width + column].i + half);
      }
  }
}

static void
test_tiles (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  unsigned n_bands = 0;

  for (unsigned i = 0; i < 300; i++) {
    unsigned c = g_rand_int_range (rand, 0, 3);
    PacoPictureFormat format = {
      .width = g_rand_int_range (rand, 1, i % 2 ? 700 : 80),
      .height = g_rand_int_range (rand, 1, 200),
      .n_components = g_rand_int_range (rand, 3, 5),
      .fields = g_rand_boolean (rand),
    };
    uint8_t depth = g_rand_int_range (rand, 1, 17);
    g_auto (TestPicture) picture;
    PacoReferencePlane plane;

    for (unsigned k = 0; k < format.n_components; k++)
      format.components[k].depth = depth;
    test_picture_init (rand, &picture, &format, 0);
    g_assert_true (paco_reference_plane_init (
        &plane, format.width, paco_ceil_shift (format.height, format.fields)));
    paco_reference_load_samples (&format, &picture.picture, 0, c, &plane);
    check_tiles (&picture, &plane, c, g_rand_int_range (rand, 1, 256));
    n_bands += paco_policy_bands (&format).n;
    paco_reference_plane_clear (&plane);
  }
  g_assert_cmpuint (n_bands, >, 300);
}

/* --- the wavelet ---
 *
 * The integers of codec/policy_wavelet.c are those of FORMAT.md section 9 in real numbers,
 * and pictures of which 5/3 or 13/7 is known to be better take that. */

static uint32_t
even (uint32_t size)
{
  return size / 2 * 2;
}

/* Adds the magnitudes of HL, LH and HH of a tile of a picture's planes. */
static void
add_tile (const PacoReferencePlane *planes, const PacoCoding *coding,
    uint32_t left, uint32_t top, double sums[N_COMPONENTS][3])
{
  PacoReferencePlane tiles[N_COMPONENTS];

  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    g_assert_true (paco_reference_plane_init (&tiles[c], 32, 8));
    for (unsigned i = 0; i < 32 * 8; i++)
      tiles[c].samples[i] =
          planes[c].samples[(top + i / 32) * planes[c].width + left + i % 32];
  }
  paco_reference_forward_color (tiles, N_COMPONENTS, coding);
  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    paco_reference_forward_dwt (&tiles[c], 1, coding->components[c].wavelet);
    for (unsigned i = 0; i < 32 * 8; i++) {
      unsigned subband = (i % 32 >= 16) + 2 * (i / 32 >= 4);

      if (subband > 0)
        sums[c][subband - 1] += fabs ((double) tiles[c].samples[i].i);
    }
    paco_reference_plane_clear (&tiles[c]);
  }
}

/* Returns what decides, in real numbers: below 0 13/7 is chosen. It is 0 for a
 * picture that has no tile. */
static double
real_choice (const TestPicture *picture, const PacoCoding *coding)
{
  PacoReferencePlane planes[N_COMPONENTS];
  PacoCoding codings[2] = { *coding, *coding };
  double sums[2][N_COMPONENTS][3] = { { { 0 } } }, total = 0;
  uint32_t width = picture->format.width, n = 0;
  uint32_t height = (picture->format.height + picture->format.fields)
      / (1 + picture->format.fields);
  uint32_t across = even (MAX (width / 8, 32)),
           down = even (MAX (height / 8, 8));

  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    codings[1].components[c].wavelet = PACO_WAVELET_DD137;
    g_assert_true (paco_reference_plane_init (&planes[c], width, height));
    paco_reference_load_samples (
        &picture->format, &picture->picture, 0, c, &planes[c]);
  }
  for (uint32_t y = even ((down - 8) / 2); y + 8 <= height; y += down)
    for (uint32_t x = even ((across - 32) / 2); x + 32 <= width; x += across) {
      n += 64;
      for (unsigned w = 0; w < 2; w++)
        add_tile (planes, &codings[w], x, y, sums[w]);
    }
  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    for (unsigned s = 0; n > 0 && s < 3; s++)
      total += (sums[1][c][s] - sums[0][c][s])
          / (sums[1][c][s] + sums[0][c][s] + n);
    paco_reference_plane_clear (&planes[c]);
  }
  return total;
}

static bool
integer_choice (const TestPicture *picture, const PacoCoding *coding)
{
  PacoBandSamples samples = paco_policy_band_samples (
      &picture->format, &picture->picture, NULL);

  return paco_policy_takes_other_wavelet (&picture->format, coding, &samples);
}

static void
test_sums (void)
{
  static const PacoColorTransform transforms[] = { PACO_COLOR_TRANSFORM_NONE,
    PACO_COLOR_TRANSFORM_RCT, PACO_COLOR_TRANSFORM_RCT2,
    PACO_COLOR_TRANSFORM_FIT };
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  unsigned n[2] = { 0 };

  for (unsigned i = 0; i < 300; i++) {
    PacoCoding coding = { .color_transform = transforms[i % 4] };
    PacoPictureFormat format = {
      .width = g_rand_int_range (rand, 1, i % 2 ? 700 : 80),
      .height = g_rand_int_range (rand, 1, i % 2 ? 200 : 40),
      .n_components = g_rand_int_range (rand, 3, 5),
      .fields = g_rand_boolean (rand),
    };
    uint8_t depth = g_rand_int_range (rand, 1, PACO_CHOICE_DEPTH + 1);
    g_auto (TestPicture) picture;
    double wanted;

    for (unsigned c = 0; c < format.n_components; c++)
      format.components[c].depth = depth;
    test_picture_init (rand, &picture, &format, 0);
    test_picture_fill (rand, &picture);
    while (!paco_fit_is_valid (coding.parameters))
      for (unsigned k = 0; k < 2; k++)
        coding.parameters[k] = g_rand_int_range (rand, 0, 256);
    wanted = real_choice (&picture, &coding);
    /* Each of the nine terms is cut off at 1/65536. */
    if (wanted == 0.0 || fabs (wanted) > 9.0 / 65536) {
      bool found = integer_choice (&picture, &coding);

      g_assert_true (found == (wanted < 0));
      n[found]++;
    }
  }
  g_assert_cmpuint (n[0], >, 3);
  g_assert_cmpuint (n[1], >, 3);
}

/* Tests a waveform of some samples' length, that 13/7 predicts better, and
 * noise, that 5/3 does; one after the other of the same coder's parameters. */
static void
test_content (void)
{
  PacoPictureFormat format = { 320, 96, 3, false, { { 8 }, { 8 }, { 8 } } };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autofree uint8_t *bytes = g_malloc (format.width * format.height * 3);
  TestPicture picture = { .format = format };
  PacoCoding other;

  parameters.rate_control = PACO_RATE_LOSSLESS;
  parameters.rgb = true;
  g_assert_true (paco_policy_other_wavelet (&format, &parameters, &other));
  for (unsigned c = 0; c < 3; c++) {
    picture.picture.data[c] = bytes + c;
    picture.picture.stride[c] = format.width * 3;
    picture.picture.layout[c] = (PacoSampleLayout){
      .group_bytes = 3, .group_samples = 1, .word_bytes = 1
    };
  }
  for (unsigned i = 0; i < 20; i++) {
    double period = g_test_rand_double_range (6, 12);
    bool noise = i % 2;
    PacoHeader header;

    for (unsigned at = 0; at < format.width * format.height * 3; at++)
      bytes[at] = noise
          ? g_test_rand_int_range (0, 256)
          : (uint8_t) (128
              + 60
                  * sin ((at / 3 % format.width + at / 3 / format.width
                             + 5 * (at % 3))
                      * 2 * G_PI / period));
    g_assert_true (integer_choice (&picture, &other) == !noise);
    header = encode (&format, &picture.picture, &parameters);
    g_assert_cmpuint (header.coding.components[0].wavelet, ==,
        noise ? PACO_WAVELET_CDF53 : PACO_WAVELET_DD137);
  }
}

/* Tests that a picture chooses only in RGB of 8 bits without loss, and where
 * nobody has chosen. */
static void
test_who_chooses (void)
{
  static const struct
  {
    PacoRateControl rate_control;
    int wavelet;
    bool rgb;
    unsigned n_components, depth, subsampling, width;
    bool chooses;
  } cases[] = {
    { PACO_RATE_LOSSLESS, PACO_WAVELET_AUTO, true, 3, 8, 0, 32, true },
    { PACO_RATE_LOSSLESS, PACO_WAVELET_AUTO, true, 4, 8, 0, 32, true },
    { PACO_RATE_LOSSLESS, PACO_WAVELET_AUTO, true, 3, 1, 0, 32, true },
    { PACO_RATE_LOSSLESS, PACO_WAVELET_AUTO, true, 3, 9, 0, 32, false },
    { PACO_RATE_LOSSLESS, PACO_WAVELET_AUTO, true, 3, 8, 0, 31, false },
    { PACO_RATE_LOSSLESS, PACO_WAVELET_AUTO, true, 3, 8, 1, 32, false },
    { PACO_RATE_LOSSLESS, PACO_WAVELET_AUTO, false, 3, 8, 0, 32, false },
    { PACO_RATE_LOSSLESS, PACO_WAVELET_AUTO, true, 2, 8, 0, 32, false },
    { PACO_RATE_LOSSLESS, PACO_WAVELET_CDF53, true, 3, 8, 0, 32, false },
    { PACO_RATE_LOSSLESS, PACO_WAVELET_DD137, true, 3, 8, 0, 32, false },
    { PACO_RATE_QUALITY, PACO_WAVELET_AUTO, true, 3, 8, 0, 32, false },
    { PACO_RATE_BITRATE, PACO_WAVELET_AUTO, true, 3, 8, 0, 32, false },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoPictureFormat format = { cases[i].width, 8, cases[i].n_components };
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding other;

    for (unsigned c = 0; c < format.n_components; c++)
      format.components[c] = (PacoComponent){ .depth = cases[i].depth,
        .subsampling_x = c > 0 ? cases[i].subsampling : 0 };
    parameters.rate_control = cases[i].rate_control;
    parameters.frame_size = 1000;
    parameters.wavelet = cases[i].wavelet;
    parameters.rgb = cases[i].rgb;
    g_assert_true (paco_policy_other_wavelet (&format, &parameters, &other)
        == cases[i].chooses);
    if (cases[i].chooses)
      g_assert_cmpuint (other.components[0].wavelet, ==, PACO_WAVELET_DD137);
  }
}

/* --- the weights of a mosaic --- */

enum
{
  MOSAIC_WIDTH = 140,
  MOSAIC_HEIGHT = 60,
};

/* Draws noise for green, and makes red and blue of the greens around them, weighted in
 * eighths. A row or column beyond the edges is of zeros. */
static void
draw_mosaic (uint16_t samples[MOSAIC_HEIGHT + 2][MOSAIC_WIDTH + 2],
    const PacoPictureFormat *format, const unsigned weights[2])
{
  for (unsigned y = 1; y <= MOSAIC_HEIGHT; y++)
    for (unsigned x = 1; x <= MOSAIC_WIDTH; x++)
      samples[y][x] = g_test_rand_int_range (0, 4096);
  for (unsigned i = 0; i < 2; i++) {
    const PacoComponent *place = &format->components[3 * i];

    for (unsigned y = 1 + place->place_y; y <= MOSAIC_HEIGHT; y += 2)
      for (unsigned x = 1 + place->place_x; x <= MOSAIC_WIDTH; x += 2)
        samples[y][x] = weights[i]
            * (samples[y - 1][x] + samples[y + 1][x] + samples[y][x - 1]
                + samples[y][x + 1])
            / 32;
  }
}

/* Tests that the weights which leave nothing of red and blue are found, wherever these
 * lie, and are those of the frame. */
static void
test_weights (void)
{
  static uint16_t samples[MOSAIC_HEIGHT + 2][MOSAIC_WIDTH + 2];
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoPictureFormat format = { .width = MOSAIC_WIDTH,
    .height = MOSAIC_HEIGHT,
    .n_components = 4,
    .mosaic = true };

  parameters.rate_control = PACO_RATE_LOSSLESS;
  for (unsigned i = 0; i < 40; i++) {
    const unsigned weights[2] = { g_test_rand_int_range (0, 9),
      g_test_rand_int_range (0, 9) };
    PacoPicture picture = { .crop = { 0 } };
    PacoHeader header;

    for (unsigned c = 0; c < 4; c++) {
      PacoComponent *component = &format.components[c];

      *component = (PacoComponent){ .depth = 12,
        .subsampling_x = 1,
        .subsampling_y = 1,
        .place_x = (c ^ i) & 1,
        .place_y = (c ^ i) >> 1 & 1 };
      picture.data[c] = (uint8_t *) &samples[1 + component->place_y][1];
      picture.stride[c] = 2 * sizeof samples[0];
      picture.layout[c] = (PacoSampleLayout){ .group_bytes = 4,
        .group_samples = 1,
        .word_bytes = 2,
        .big_endian = G_BYTE_ORDER == G_BIG_ENDIAN,
        .places = { { .byte = 2 * component->place_x } } };
    }
    draw_mosaic (samples, &format, weights);
    header = encode (&format, &picture, &parameters);
    g_assert_cmpuint (
        header.coding.color_transform, ==, PACO_COLOR_TRANSFORM_MOSAIC);
    g_assert_cmpuint (header.coding.parameters[0], ==, weights[0]);
    g_assert_cmpuint (header.coding.parameters[1], ==, weights[1]);
  }
}

/* --- the color matrix --- */

enum
{
  MATRIX_WIDTH = 150,
  MATRIX_HEIGHT = 80,
};

/* Draws a rotation: its rows are what R, G and B have of three independent colors. */
static void
draw_rotation (double rows[3][3])
{
  double q[4], n = 0.0;

  for (unsigned i = 0; i < 4; i++) {
    q[i] = g_test_rand_double_range (-1.0, 1.0);
    n += q[i] * q[i];
  }
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 3; j++) {
      unsigned k = 3 - i - j;
      double sign = (i + 1) % 3 == j ? -1.0 : 1.0;

      rows[i][j] = i == j
          ? 1.0 - 2.0 * (n - q[0] * q[0] - q[i + 1] * q[i + 1]) / n
          : 2.0 * (q[i + 1] * q[j + 1] + sign * q[0] * q[k + 1]) / n;
    }
}

/* Draws samples that are mixes of noise of these amplitudes. */
static void
draw_mixes (uint16_t samples[3][MATRIX_HEIGHT][MATRIX_WIDTH],
    double mixes[3][3], const double amplitudes[3])
{
  for (unsigned y = 0; y < MATRIX_HEIGHT; y++)
    for (unsigned x = 0; x < MATRIX_WIDTH; x++) {
      double noise[3];

      for (unsigned i = 0; i < 3; i++)
        noise[i] = amplitudes[i] * g_test_rand_double_range (-1.0, 1.0);
      for (unsigned c = 0; c < 3; c++)
        samples[c][y][x] = (uint16_t) lrint (32768.0 + mixes[c][0] * noise[0]
            + mixes[c][1] * noise[1] + mixes[c][2] * noise[2]);
    }
}

/* Codes a picture of RGB with loss, and returns the header. */
static PacoHeader
encode_rgb (uint16_t samples[3][MATRIX_HEIGHT][MATRIX_WIDTH],
    PacoSampleKind kind, uint32_t width)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoPictureFormat format = {
    .width = width, .height = MATRIX_HEIGHT, .n_components = 3
  };
  PacoPicture picture = { .crop = { 0 } };
  PacoHeader header;

  for (unsigned c = 0; c < 3; c++) {
    format.components[c] = (PacoComponent){ .depth = 16, .kind = kind };
    lay_out (&picture, c, samples[c][0], MATRIX_WIDTH);
  }
  parameters.rgb = true;
  parameters.tune = PACO_TUNE_PSNR;
  parameters.quality = 30.0;
  header = encode (&format, &picture, &parameters);
  g_assert_cmpuint (
      header.coding.color_transform, ==, PACO_COLOR_TRANSFORM_MATRIX);
  return header;
}

/* Tests that the colors that a picture was mixed of are found, the largest first, whatever
 * kind its samples are of. */
static void
test_matrix (void)
{
  static uint16_t samples[3][MATRIX_HEIGHT][MATRIX_WIDTH];
  static const double amplitudes[3] = { 8000.0, 2000.0, 500.0 };
  PacoHeader header, other;

  for (unsigned n = 0; n < 20; n++) {
    double mixes[3][3];

    draw_rotation (mixes);
    draw_mixes (samples, mixes, amplitudes);
    header = encode_rgb (samples, PACO_SAMPLE_UNSIGNED, MATRIX_WIDTH);
    for (unsigned k = 0; k < 3; k++) {
      const float *m = header.coding.matrix + k;
      double product = 0.0, norm = 0.0;
      float largest = m[0];

      for (unsigned i = 0; i < 3; i++) {
        product += m[3 * i] * mixes[i][k];
        norm += (double) m[3 * i] * m[3 * i];
        if (fabsf (m[3 * i]) > fabsf (largest))
          largest = m[3 * i];
      }
      g_assert_cmpfloat (fabs (product), >, 0.995);
      g_assert_cmpfloat (fabs (norm - 1.0), <, 1e-6);
      g_assert_cmpfloat (largest, >, 0.0f);
    }
    for (unsigned i = 0; i < 3 * MATRIX_HEIGHT; i++)
      for (unsigned x = 0; x < MATRIX_WIDTH; x++)
        samples[i / MATRIX_HEIGHT][i % MATRIX_HEIGHT][x] ^= 0x8000;
    other = encode_rgb (samples, PACO_SAMPLE_SIGNED, MATRIX_WIDTH);
    g_assert_cmpmem (header.coding.matrix, sizeof header.coding.matrix,
        other.coding.matrix, sizeof other.coding.matrix);
  }
}

/* Tests the matrix of pictures that say nothing: too small for a tile, or of one color. */
static void
test_usual_matrix (void)
{
  static uint16_t samples[3][MATRIX_HEIGHT][MATRIX_WIDTH];
  static const double amplitudes[3] = { 9000.0, 2000.0, 500.0 };
  const size_t size = sizeof paco_usual_matrix;
  double mixes[3][3];
  PacoHeader header;

  draw_rotation (mixes);
  draw_mixes (samples, mixes, amplitudes);
  header = encode_rgb (samples, PACO_SAMPLE_UNSIGNED, PACO_TILE_COLUMNS - 1);
  g_assert_cmpmem (header.coding.matrix, size, paco_usual_matrix, size);
  header = encode_rgb (samples, PACO_SAMPLE_UNSIGNED, PACO_TILE_COLUMNS);
  g_assert_true (memcmp (header.coding.matrix, paco_usual_matrix, size) != 0);
  memset (samples, 77, sizeof samples);
  header = encode_rgb (samples, PACO_SAMPLE_UNSIGNED, MATRIX_WIDTH);
  g_assert_cmpmem (header.coding.matrix, size, paco_usual_matrix, size);
}

/* --- the color transform of RGB --- */

enum
{
  RGB_WIDTH = 200,
  RGB_HEIGHT = 64,
  LARGE = 4000, /* Differences need more than 11 bits. */
  SMALL = 60,
};

/* How samples hold a number below 4096. */
typedef enum
{
  HOLD_UNSIGNED,
  HOLD_SIGNED,
  HOLD_GAPS,
  N_HOLDS
} Hold;

static uint16_t
held (Hold hold, unsigned number)
{
  return hold == HOLD_SIGNED ? number ^ 2048
      : hold == HOLD_GAPS    ? number * 4
                             : number;
}

/* Draws noise below `most` for A and B, and makes C of these eighths of them. */
static void
draw_rgb (uint16_t *samples[N_COMPONENTS], Hold hold, const PacoFit *order,
    const unsigned most[2], const unsigned eighths[2])
{
  for (unsigned i = 0; i < RGB_WIDTH * RGB_HEIGHT; i++) {
    unsigned a = g_test_rand_int_range (0, most[0]);
    unsigned b = g_test_rand_int_range (0, most[1]);

    samples[order->a][i] = held (hold, a);
    samples[order->b][i] = held (hold, b);
    samples[order->c][i] = held (hold, (eighths[0] * a + eighths[1] * b) / 8);
  }
}

/* Codes a picture of RGB without loss, and returns the header. */
static PacoHeader
encode_lossless_rgb (uint16_t *const samples[N_COMPONENTS], Hold hold)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoPictureFormat format = { RGB_WIDTH, RGB_HEIGHT, N_COMPONENTS };
  PacoPicture picture = { .crop = { 0 } };
  PacoHeader header;

  parameters.rate_control = PACO_RATE_LOSSLESS;
  parameters.rgb = true;
  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    format.components[c] = (PacoComponent){
      .depth = hold == HOLD_GAPS ? 14 : 12,
      .kind = hold == HOLD_SIGNED ? PACO_SAMPLE_SIGNED : PACO_SAMPLE_UNSIGNED,
    };
    lay_out (&picture, c, samples[c], RGB_WIDTH);
  }
  header = encode (&format, &picture, &parameters);
  g_assert_cmpuint (header.coding.n_code_tables, ==, hold == HOLD_GAPS);
  return header;
}

/* Tests that the component and the weights are found which leave nothing of it, and that T
 * is the mean of two that are as noisy, and else the one that is less so. Differences need
 * 12, 11, 10 or 8 bits. */
static void
test_fit (void)
{
  static const unsigned scales[4] = { LARGE, 2000, 1000, 240 };
  static uint16_t memory[N_COMPONENTS][RGB_WIDTH * RGB_HEIGHT];
  uint16_t *samples[N_COMPONENTS] = { memory[0], memory[1], memory[2] };

  for (unsigned i = 0; i < 120; i++) {
    unsigned large = g_test_rand_int_range (0, 3), of_a, of_b;
    Hold hold = (Hold) (i % N_HOLDS);
    PacoFit fit = { .c = g_test_rand_int_range (0, 3) }, found;
    unsigned scale;
    PacoHeader header;

    of_a = g_test_rand_int_range (1, 8);
    of_b = g_test_rand_int_range (1, 9 - of_a);
    fit.a = fit.c == 0 ? 1 : 0;
    fit.b = fit.c == 2 ? 1 : 2;
    fit.mean = large == 2;
    if (fit.c == 2 && fit.mean && of_a == 4 && of_b == 4)
      continue; /* RCT2 does that. */
    if (large == 1) {
      fit.a = fit.b;
      fit.b = 3 - fit.a - fit.c;
    }
    fit.x = of_a;
    fit.y = 8 - of_a - of_b;
    scale = fit.mean ? scales[i / N_HOLDS % G_N_ELEMENTS (scales)] : LARGE;
    draw_rgb (samples, hold, &fit,
        (unsigned[]){ scale, fit.mean ? scale : SMALL },
        (unsigned[]){ of_a, of_b });
    header = encode_lossless_rgb (samples, hold);
    g_assert_cmpuint (
        header.coding.color_transform, ==, PACO_COLOR_TRANSFORM_FIT);
    found = paco_fit (header.coding.parameters);
    g_assert_cmpmem (&found, sizeof found, &fit, sizeof fit);
  }
}

/* Tests that RCT2 stays where nothing is better: for gray, and R, G and B alike but for
 * little noise. */
static void
test_no_fit (void)
{
  static uint16_t memory[N_COMPONENTS][RGB_WIDTH * RGB_HEIGHT];
  uint16_t *samples[N_COMPONENTS] = { memory[0], memory[1], memory[2] };

  for (unsigned noise = 1; noise < 200; noise *= 3) {
    PacoHeader header;

    for (unsigned i = 0; i < RGB_WIDTH * RGB_HEIGHT; i++) {
      unsigned gray = g_test_rand_int_range (0, 3000);

      for (unsigned c = 0; c < N_COMPONENTS; c++)
        samples[c][i] = gray + g_test_rand_int_range (0, noise);
    }
    header = encode_lossless_rgb (samples, HOLD_UNSIGNED);
    g_assert_cmpuint (
        header.coding.color_transform, ==, PACO_COLOR_TRANSFORM_RCT2);
    g_assert_cmpuint (header.coding.parameters[0], ==, 0);
    g_assert_cmpuint (header.coding.parameters[1], ==, 0);
  }
}

/* Tests that only lossless RGB chooses its color transform, where nobody has, and blocks
 * are not to be cut. */
static void
test_who_fits (void)
{
  static const struct
  {
    PacoRateControl rate_control;
    int color_transform;
    bool rgb, cut_points;
    unsigned width;
    bool chooses;
  } cases[] = {
    { PACO_RATE_LOSSLESS, PACO_COLOR_TRANSFORM_AUTO, true, false, 32, true },
    { PACO_RATE_LOSSLESS, PACO_COLOR_TRANSFORM_AUTO, true, false, 31, false },
    { PACO_RATE_LOSSLESS, PACO_COLOR_TRANSFORM_AUTO, true, true, 32, false },
    { PACO_RATE_LOSSLESS, PACO_COLOR_TRANSFORM_AUTO, false, false, 32, false },
    { PACO_RATE_LOSSLESS, PACO_COLOR_TRANSFORM_RCT2, true, false, 32, false },
    { PACO_RATE_LOSSLESS, PACO_COLOR_TRANSFORM_RCT, true, false, 32, false },
    { PACO_RATE_LOSSLESS, PACO_COLOR_TRANSFORM_FIT, true, false, 32, false },
    { PACO_RATE_QUALITY, PACO_COLOR_TRANSFORM_AUTO, true, false, 32, false },
    { PACO_RATE_BITRATE, PACO_COLOR_TRANSFORM_AUTO, true, false, 32, false },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoPictureFormat format = { cases[i].width, 8, 3, false,
      { { 12 }, { 12 }, { 12 } } };
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding coding;

    parameters.rate_control = cases[i].rate_control;
    parameters.frame_size = 1000;
    parameters.color_transform = cases[i].color_transform;
    parameters.rgb = cases[i].rgb;
    parameters.cut_points = cases[i].cut_points;
    g_assert_true (paco_policy_coding (&format, &parameters, &coding, NULL));
    g_assert_true (paco_policy_chooses_fit (&format, &parameters, &coding)
        == cases[i].chooses);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/choice/tiles", test_tiles);
  g_test_add_func ("/choice/wavelet/sums", test_sums);
  g_test_add_func ("/choice/wavelet/content", test_content);
  g_test_add_func ("/choice/wavelet/who-chooses", test_who_chooses);
  g_test_add_func ("/choice/weights", test_weights);
  g_test_add_func ("/choice/matrix", test_matrix);
  g_test_add_func ("/choice/usual-matrix", test_usual_matrix);
  g_test_add_func ("/choice/fit/content", test_fit);
  g_test_add_func ("/choice/fit/none", test_no_fit);
  g_test_add_func ("/choice/fit/who-chooses", test_who_fits);
  return g_test_run ();
}

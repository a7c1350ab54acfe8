/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws codeblocks, as random-block.h says. */
#include "tests/codec/random-block.h"
#include "codec/quantizer.h"
#include <math.h>
#include <string.h>

static int32_t
laplacian (GRand *rand, double scale)
{
  double u = g_rand_double (rand) - 0.5;
  double v = -scale * log1p (-2.0 * fabs (u));

  v = MIN (v, (double) PACO_MAX_MAGNITUDE);
  return (int32_t) (u < 0 ? -v : v);
}

/* Fills a block with content of some kind. */
static void
make_content (
    GRand *rand, int32_t *values, unsigned width, unsigned height, int32_t most)
{
  unsigned kind = g_rand_int_range (rand, 0, 10);
  unsigned bits = g_rand_int_range (rand, 1, g_bit_storage (most) + 1);
  double scale = exp2 (g_rand_double_range (rand, -2.0, 14.0));
  int32_t limit = (int32_t) ((1u << bits) - 1);
  double activity = 1.0;

  if (g_rand_boolean (rand))
    scale = exp2 (g_rand_double_range (rand, -1.0, 5.0));
  for (unsigned y = 0; y < height; y++) {
    for (unsigned x = 0; x < width; x++) {
      int32_t *v = &values[y * width + x];

      switch (kind) {
        case 0: /* noise of all bits */
          *v = g_rand_int_range (rand, -limit, limit + 1);
          break;
        case 1: /* sparse */
          *v = g_rand_int_range (rand, 0, 60)
              ? 0
              : g_rand_int_range (rand, -limit, limit + 1);
          break;
        case 2: /* extreme, all negative or any sign */
          *v = -most;
          break;
        case 3:
          *v = g_rand_boolean (rand) ? limit : -limit;
          break;
        case 4: /* smooth */
          *v = (int32_t) (scale * sin (x * 0.1) * cos (y * 0.13));
          break;
        case 5: /* a line on nothing */
          *v = x == width / 2 || y == height / 3 ? limit : 0;
          break;
        case 6: /* one coefficient */
          *v = x == width - 1 && y == height - 1 ? -limit : 0;
          break;
        default: /* like a subband: activity wanders */
          activity = CLAMP (
              activity * exp2 (g_rand_double_range (rand, -0.5, 0.5)), 0.05,
              20.0);
          *v = laplacian (rand, scale * activity);
          break;
      }
      *v = CLAMP (*v, -most, most);
    }
  }
}

/* Leaves nothing of some stripes, and less of others. */
static void
quiet_stripes (GRand *rand, int32_t *values, unsigned width, unsigned height)
{
  for (unsigned y = 0; y < height; y += PACO_STRIPE_LINES) {
    unsigned end = MIN (y + PACO_STRIPE_LINES, height);
    int32_t divisor = 1 << g_rand_int_range (rand, 0, 8);

    if (g_rand_int_range (rand, 0, 4) == 0)
      divisor = INT32_MAX;
    for (unsigned i = y * width; i < end * width; i++)
      values[i] /= divisor;
  }
}

void
random_block_values (
    GRand *rand, int32_t *values, unsigned width, unsigned height, int32_t most)
{
  make_content (rand, values, width, height, most);
  if (g_rand_boolean (rand))
    quiet_stripes (rand, values, width, height);
}

void
random_block_set (GRand *rand, PacoProbabilitySet *set)
{
  unsigned kind = g_rand_int_range (rand, 0, 6);

  for (unsigned r = 0; kind <= 2 && r < PACO_N_ROWS; r++)
    for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
      set->p[r][c] = kind == 0 ? g_rand_int_range (rand, 1, 256)
          : kind == 1          ? 1
                               : 255;
}

/* Makes the bytes n, of which new ones are zero or noise. */
static void
resize (GRand *rand, GByteArray *bytes, unsigned n, bool noise)
{
  unsigned before = bytes->len;

  g_byte_array_set_size (bytes, n);
  for (unsigned i = noise ? 0 : before; i < n; i++)
    bytes->data[i] = noise ? (uint8_t) g_rand_int (rand) : 0;
}

void
random_block_damage (GRand *rand, PacoBlockRecord *record, GByteArray *bytes,
    unsigned max_planes)
{
  unsigned n = bytes->len;

  switch (g_rand_int_range (rand, 0, 11)) {
    case 0: /* bits */
      for (int k = g_rand_int_range (rand, 1, 20); n > 0 && k > 0; k--)
        bytes->data[g_rand_int_range (rand, 0, n)] ^= 1
            << g_rand_int_range (rand, 0, 8);
      break;
    case 1: /* cut */
      resize (rand, bytes, n ? g_rand_int_range (rand, 0, n) : 0, false);
      break;
    case 2:
      resize (rand, bytes, n ? n - 1 : 0, false);
      break;
    case 3: /* more of it */
      resize (
          rand, bytes, MIN (n + g_rand_int_range (rand, 1, 80), 65535), false);
      break;
    case 4:
      resize (rand, bytes,
          g_rand_int_range (rand, 0, g_rand_boolean (rand) ? 400 : 65536),
          true);
      break;
    case 5: /* all ones, or zeros */
      if (n > 0)
        memset (bytes->data, g_rand_boolean (rand) ? 0xff : 0, n);
      break;
    case 6: /* the last byte, where the padding is */
      if (n > 0)
        bytes->data[n - 1] = (uint8_t) g_rand_int (rand);
      break;
    case 7: /* other decisions */
      record->planes = g_rand_int_range (rand, 0, max_planes + 1);
      record->dropped_planes = record->planes
          ? g_rand_int_range (rand, 0, MIN (record->planes, 16))
          : 0;
      record->raw_planes = g_rand_int_range (
          rand, 0, record->planes - record->dropped_planes + 1);
      record->raw_left_signs = record->raw_planes == 0 && g_rand_boolean (rand);
      record->cut = record->raw_planes == 0 && !record->raw_left_signs;
      break;
    case 8:
      record->set = g_rand_int_range (rand, 0, PACO_N_SETS);
      break;
    case 9:
      record->shared_codewords = !record->shared_codewords;
      break;
    default:
      break;
  }
  record->length = bytes->len;
}

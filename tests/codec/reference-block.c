/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the reference's block coder: examples worked out by hand from FORMAT.md
 * section 7, round trips of random blocks, and broken ones. */
#include "codec/density.h"
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include "codec/reference/arithmetic.h"
#include <stdlib.h>
#include <string.h>

/* Tests a codeword by hand, with S = 2^32 - 1 at its begin.
 * 1 with 128/256: T = 0x7fffffff, so L = 0x80000000, S = 0x7fffffff.
 * 0 with  64/256: T = 0x1fffffff, so S = 0x1fffffff.
 * 1 with 255/256: T = 0x1fdfffff, so L = 0x9fe00000, S = 0x001fffff.
 * 21 bits are open; the raw bits 1 0 1 fill the lowest. */
static void
test_codeword_by_hand (void)
{
  static const uint8_t raw[3] = { 1, 0, 1 };
  static const uint8_t expected[4] = { 0x05, 0x00, 0xe0, 0x9f };
  PacoReferenceArithmeticCoders coders;
  PacoReferenceBits *bits = g_byte_array_new ();
  g_autoptr (GByteArray) out = g_byte_array_new ();

  paco_reference_arithmetic_init (&coders, 1);
  paco_reference_encode_symbol (&coders, 0, 128, true);
  paco_reference_encode_symbol (&coders, 0, 64, false);
  paco_reference_encode_symbol (&coders, 0, 255, true);
  g_assert_cmphex (coders.coders[0].s, ==, 0x001fffff);
  g_byte_array_append (bits, raw, sizeof raw);
  paco_reference_arithmetic_finish (&coders, bits, out);
  g_assert_cmpmem (out->data, out->len, expected, sizeof expected);
  paco_reference_arithmetic_clear (&coders);
  g_byte_array_unref (bits);
}

/* Tests that with 1/256 for what comes, a codeword holds four symbols and no
 * more: after the fourth S is 0, and the fifth reserves another. Arithmetic
 * coders reserve in the order in which they ask. */
static void
test_codewords_in_order_of_reservation (void)
{
  PacoReferenceArithmeticCoders coders;

  paco_reference_arithmetic_init (&coders, 2);
  paco_reference_encode_symbol (&coders, 1, 1, false);
  paco_reference_encode_symbol (&coders, 0, 128, true);
  for (int i = 0; i < 3; i++)
    paco_reference_encode_symbol (&coders, 1, 1, false);
  g_assert_cmpuint (coders.codewords->len, ==, 2);
  g_assert_cmpuint (coders.coders[1].s, ==, 0);
  g_assert_cmphex (g_array_index (coders.codewords, uint32_t, 0), ==, 0);
  paco_reference_encode_symbol (&coders, 1, 1, false);
  g_assert_cmpuint (coders.codewords->len, ==, 3);
  g_assert_cmpuint (coders.coders[0].codeword, ==, 1);
  g_assert_cmpuint (coders.coders[1].codeword, ==, 2);
  paco_reference_arithmetic_clear (&coders);
}

/* Codes a block with these decisions and returns what was counted. */
static PacoReferenceCounts *
count_block (unsigned width, unsigned height, unsigned orientation,
    const int32_t *indices, PacoBlockRecord record)
{
  PacoReferenceCounts *counts = g_new0 (PacoReferenceCounts, 1);
  g_autoptr (GByteArray) out = g_byte_array_new ();
  PacoReferenceBlock block = {
    .width = width,
    .height = height,
    .orientation = orientation,
    .coding_passes = 1,
    .sets = paco_family_of_one (&paco_builtin_sets[0][0]),
    .counts = counts,
  };

  paco_reference_encode_block_as (&block, indices, &record, out);
  return counts;
}

static void
assert_count (const PacoReferenceCounts *counts, unsigned row, unsigned context,
    uint64_t zeros, uint64_t ones)
{
  g_assert_cmpuint (counts->symbols[row][context][0], ==, zeros);
  g_assert_cmpuint (counts->symbols[row][context][1], ==, ones);
}

static uint64_t
count_all (const PacoReferenceCounts *counts)
{
  uint64_t sum = 0;

  for (unsigned row = 0; row < PACO_N_ROWS; row++)
    for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
      sum += counts->symbols[row][c][0] + counts->symbols[row][c][1];
  return sum;
}

/* Tests one coefficient in the middle: when the line below it is visited it is
 * near to all three, and no earlier. It lies in a right column, so its sign in
 * the last plane is raw. */
static void
test_significance_contexts (void)
{
  static const int32_t indices[9] = { 0, 0, 0, 0, -1, 0, 0, 0, 0 };
  g_autofree PacoReferenceCounts *counts = count_block (
      3, 3, PACO_ORIENTATION_LL, indices, (PacoBlockRecord){ .planes = 1 });

  assert_count (counts, 0, 0, 5, 1);
  assert_count (counts, 0, 3, 3, 0);
  assert_count (counts, 0, PACO_WAKE_CONTEXT, 0, 1);
  g_assert_cmpuint (count_all (counts), ==, 10);
  g_assert_cmpuint (counts->raw_bits, ==, 1);
}

/* The left columns of a line are visited together, then the right ones:
 *   2 0 -2 0      plane 1: both become significant in one visit
 *   0 0  0 0      plane 0: two of eight are, density class 5
 * With the weights of HH: (1,0) between both 6, (3,0) beside one 3; (0,1) and
 * (2,1) below one, and a knight's move from the other, 4; (1,1) at a corner of
 * both 8; (3,1) of one 4. Both are refined with one that is two columns away. The
 * lanes' densities are 3 * 4 * 1 + 29 * 2 / 8 = 19, class 8. */
static void
test_two_planes (void)
{
  static const int32_t indices[8] = { 2, 0, -2, 0, 0, 0, 0, 0 };
  g_autofree PacoReferenceCounts *counts = count_block (
      4, 2, PACO_ORIENTATION_HH, indices, (PacoBlockRecord){ .planes = 2 });
  unsigned row1 = (2 * 4 + 1) * 16, row0 = (2 * 4 + 0) * 16 + 8;

  assert_count (counts, row1, 0, 0, 2);
  assert_count (counts, row0, PACO_REFINEMENT_CONTEXT, 2, 0);
  for (int i = 0; i < 2; i++) {
    unsigned row = i ? row1 : row0;

    assert_count (counts, row, 6, 1, 0);
    assert_count (counts, row, 3, 1, 0);
    assert_count (counts, row, 4, 3, 0);
    assert_count (counts, row, 8, 1, 0);
  }
  assert_count (counts, row1, PACO_SIGN_CONTEXT + 4, 1, 1);
  assert_count (counts, row1, PACO_WAKE_CONTEXT, 0, 1);
  g_assert_cmpuint (count_all (counts), ==, 19);
  g_assert_cmpuint (counts->raw_bits, ==, 0);
}

/* Counts the symbols of a context in all rows of a plane. */
static uint64_t
count_in_plane (const PacoReferenceCounts *counts, unsigned orientation,
    unsigned plane, unsigned context)
{
  unsigned first = PACO_PLANE_ROW (orientation, plane);
  uint64_t sum = 0;

  for (unsigned row = first; row < first + PACO_N_DENSITIES; row++)
    sum += counts->symbols[row][context][0] + counts->symbols[row][context][1];
  return sum;
}

/* Tests weights in a block of 5x5, of which only what is in the middle is
 * significant before plane 0. Of the others as many as this have the context 0,
 * 1, ...: the corners have 0, and all others what one neighbor where the middle
 * is weighs. */
static void
test_weights (void)
{
  static const uint8_t expected[4][6] = { { 4, 12, 0, 8, 0, 0 },
    { 4, 10, 6, 2, 0, 2 }, { 4, 10, 6, 2, 0, 2 }, { 4, 12, 0, 4, 4, 0 } };

  for (unsigned orientation = 0; orientation < 4; orientation++) {
    int32_t indices[25] = { [12] = 2 };
    g_autofree PacoReferenceCounts *counts = count_block (
        5, 5, orientation, indices, (PacoBlockRecord){ .planes = 2 });

    for (unsigned c = 0; c < PACO_N_SIGNIFICANCE; c++)
      g_assert_cmpuint (count_in_plane (counts, orientation, 0, c), ==,
          c < 6 ? expected[orientation][c] : 0);
  }
}

/* Tests that what is above and below weighs most in HL, what is left and right
 * in LH: two coefficients stand one above the other, or beside one another. */
static void
test_directions (void)
{
  static const int32_t indices[2] = { 2, 0 };
  static const uint8_t expected[4][2] = { { 3, 3 }, { 5, 3 }, { 3, 5 },
    { 3, 3 } };

  for (unsigned orientation = 0; orientation < 4; orientation++) {
    for (unsigned beside = 0; beside < 2; beside++) {
      g_autofree PacoReferenceCounts *counts = count_block (1 + beside,
          2 - beside, orientation, indices, (PacoBlockRecord){ .planes = 2 });

      g_assert_cmpuint (count_in_plane (counts, orientation, 0,
                            expected[orientation][beside]),
          ==, 1);
    }
  }
}

/* Tests two columns and three stripes, 20 lines: the first wakes in plane 2,
 * the last, of four lines, in plane 0, the middle one never. While both its
 * neighbors sleep its context is 52, then 53. It is asked in plane 1 as well,
 * and nothing of it is coded. */
static void
test_stripes (void)
{
  int32_t indices[2 * 20] = { [0] = 4, [2 * 16] = 1 };
  g_autofree PacoReferenceCounts *counts = count_block (
      2, 20, PACO_ORIENTATION_LL, indices, (PacoBlockRecord){ .planes = 3 });
  unsigned row2 = PACO_PLANE_ROW (0, 2), row1 = PACO_PLANE_ROW (0, 1);
  unsigned row0 = PACO_PLANE_ROW (0, 0);

  /* One of 40 is significant then: 2^10 <= 40^2. */
  row1 += 11;
  row0 += 11;
  assert_count (counts, row2, PACO_WAKE_CONTEXT, 2, 1);
  assert_count (counts, row1, PACO_WAKE_CONTEXT, 1, 0);
  assert_count (counts, row1, PACO_WAKE_CONTEXT + 1, 1, 0);
  assert_count (counts, row0, PACO_WAKE_CONTEXT, 0, 1);
  assert_count (counts, row0, PACO_WAKE_CONTEXT + 1, 1, 0);
  /* These are stripes that are asked, three times 16 coefficients, 8, and two
   * signs. */
  g_assert_cmpuint (count_all (counts), ==, 3 + 2 + 2 + 3 * 16 + 8 + 2);
  g_assert_cmpuint (counts->raw_bits, ==, 0);
}

/* Tests six lanes and three stripes, where one lane has a stripe full of
 * significant coefficients: 16 of 288. The stripe weighs 2 * 16, the one beside
 * it 16, where the first and the last count for those outside, too; floor (29 *
 * 16 / 288) is 1. */
static void
test_local_density (void)
{
  static const uint8_t z[3][6] = { { 0, 0, 16, 16, 16, 0 },
    { 0, 0, 32, 32, 32, 0 }, { 0, 0, 16, 16, 16, 0 } };
  int32_t indices[12 * 24] = { 0 };
  unsigned expected[PACO_N_DENSITIES] = { 0 };
  g_autofree PacoReferenceCounts *counts = NULL;

  for (unsigned y = 8; y < 16; y++)
    indices[y * 12 + 6] = indices[y * 12 + 7] = 2;
  /* These have all stripes awake in plane 0. */
  indices[0] = indices[12 * 23] = 1;
  counts = count_block (
      12, 24, PACO_ORIENTATION_HH, indices, (PacoBlockRecord){ .planes = 2 });
  for (unsigned g = 0; g < 3; g++) {
    for (unsigned t = 0; t < 6; t++) {
      unsigned k = 0;

      while (k < 14 && (z[g][t] + 1) * (z[g][t] + 1) << (k + 1) <= 221 * 221)
        k++;
      expected[1 + k] += 16;
    }
  }
  for (unsigned q = 0; q < PACO_N_DENSITIES; q++) {
    unsigned row = PACO_PLANE_ROW (PACO_ORIENTATION_HH, 0) + q;
    uint64_t sum = 0;

    for (unsigned c = 0; c < PACO_SIGN_CONTEXT; c++)
      sum += counts->symbols[row][c][0] + counts->symbols[row][c][1];
    g_assert_cmpuint (sum, ==, expected[q]);
  }
}

/* Tests that the classes are those of FORMAT.md section 7.4, by its
 * arithmetic. */
static void
test_density_classes (void)
{
  for (unsigned z = 0; z <= PACO_MAX_LOCAL_DENSITY; z++) {
    unsigned k = 0;

    while (k < 14 && z * z << (k + 1) <= 221 * 221)
      k++;
    g_assert_cmpuint (paco_local_density_class (z), ==, 1 + k);
  }
  g_assert_cmpuint (paco_density_of_block (1, 30), ==, 0);
  g_assert_cmpuint (paco_density_of_block (2, 29), ==, 2);
  g_assert_cmpuint (paco_density_of_block (16384, 16384), ==, 29);
}

/* Tests a negative sign below a negative one: the vertical sum is negative, so
 * the context is that of a positive one and the symbol turns. In HL the same
 * neighbor counts as horizontal. */
static void
test_sign_contexts (void)
{
  static const int32_t indices[2] = { -2, -1 };
  PacoBlockRecord record = { .planes = 2 };
  PacoReferenceCounts *counts;
  unsigned row0;

  /* The density is one in two: s^2 2^k <= N^2 up to k = 2, so the class is
   * 3. */
  counts = count_block (1, 2, PACO_ORIENTATION_LH, indices, record);
  row0 = 1 * 4 * 16 + 3;
  assert_count (counts, row0, PACO_SIGN_CONTEXT + 3, 1, 0);
  g_free (counts);

  counts = count_block (1, 2, PACO_ORIENTATION_HL, indices, record);
  assert_count (counts, row0, PACO_SIGN_CONTEXT + 1, 1, 0);
  g_free (counts);

  record.raw_left_signs = true;
  counts = count_block (1, 2, PACO_ORIENTATION_HL, indices, record);
  assert_count (counts, row0, PACO_SIGN_CONTEXT + 1, 0, 0);
  g_assert_cmpuint (counts->raw_bits, ==, 1);
  g_free (counts);
}

/* Raw planes: column by column, highest plane first, then the signs of what is
 * not zero. 2x2, planes 1 and 0 of (1, -2 / 0, 3), columns (1, 0), (-2, 3):
 * plane 1: 0 0 1 1; plane 0: 1 0 0 1; signs of 1, -2, 3: 0 1 0. */
static void
test_raw_block (void)
{
  static const int32_t indices[4] = { 1, -2, 0, 3 };
  static const uint8_t expected[2] = { 0x9c, 0x02 };
  PacoReferenceBlock block = { .width = 2,
    .height = 2,
    .coding_passes = 1,
    .sets = paco_family_of_one (&paco_builtin_sets[0][0]) };
  PacoBlockRecord record = { .planes = 2, .raw_planes = 2 };
  g_autoptr (GByteArray) out = g_byte_array_new ();
  int32_t decoded[4];

  paco_reference_encode_block_as (&block, indices, &record, out);
  g_assert_cmpmem (out->data, out->len, expected, sizeof expected);
  g_assert_true (
      paco_reference_decode_block (&block, &record, out->data, decoded));
  g_assert_cmpmem (decoded, sizeof decoded, indices, sizeof indices);

  /* One byte more or less, or a padding bit, and it is broken. */
  g_byte_array_append (out, (const guint8 *) "", 1);
  record.length = 3;
  g_assert_false (
      paco_reference_decode_block (&block, &record, out->data, decoded));
  record.length = 1;
  g_assert_false (
      paco_reference_decode_block (&block, &record, out->data, decoded));
  record.length = 2;
  out->data[1] |= 0x80;
  g_assert_false (
      paco_reference_decode_block (&block, &record, out->data, decoded));
  for (int i = 0; i < 4; i++)
    g_assert_cmpint (decoded[i], ==, 0);
}

static void
test_quantizer (void)
{
  PacoReferenceSample x = { .f = -7.9f };

  /* floor (7.9 / 2) is 3, and back that is the middle of 6 .. 8; with a plane
   * dropped 3 becomes 1, and that the middle of 4 .. 8. */
  g_assert_cmpint (
      paco_reference_scale (x, PACO_WAVELET_CDF97, 2.0f, 0), ==, -3);
  g_assert_cmpint (
      paco_reference_scale (x, PACO_WAVELET_CDF97, 2.0f, 4), ==, -63);
  g_assert_cmpfloat (
      paco_reference_dequantize (-3, 0, 128, PACO_WAVELET_CDF97, 2.0f).f, ==,
      -7.0f);
  g_assert_cmpfloat (
      paco_reference_dequantize (-3, 1, 128, PACO_WAVELET_CDF97, 2.0f).f, ==,
      -6.0f);
  x.f = 1e30f;
  g_assert_cmpint (
      paco_reference_scale (x, PACO_WAVELET_CDF97, 2.0f, 0), ==, (1 << 23) - 1);
  g_assert_cmpint (
      paco_reference_dequantize (-13, 0, 128, PACO_WAVELET_CDF53, 0).i, ==,
      -13);
  /* 13 is 1101b; without two planes that is 3, and back 12 plus half of 4. */
  g_assert_cmpint (
      paco_reference_dequantize (-13, 2, 128, PACO_WAVELET_CDF53, 0).i, ==,
      -14);
  g_assert_cmpint (
      paco_reference_dequantize (3, 2, 128, PACO_WAVELET_CDF53, 0).i, ==, 0);
}

/* Tests one plane of 16 columns and a line, where a 0 is as likely as a 1, so
 * that a symbol is a bit of the codeword: that of the stripe that wakes comes
 * first, then those of lanes 0 to 7, first their left columns. What is open
 * holds the signs. With two planes these lanes have two coders, and so two
 * codewords at least. */
static void
test_eight_lanes_by_hand (void)
{
  static const uint8_t bytes[4] = { 0x05, 0x00, 0xd0, 0xc0 };
  static const int32_t expected[16] = { -1, 1, 0, 0, 0, -1, [14] = 1 };
  PacoProbabilitySet set;
  PacoReferenceBlock block = { .width = 16,
    .height = 1,
    .coding_passes = 1,
    .sets = paco_family_of_one (&set) };
  PacoBlockRecord record = {
    .planes = 1, .shared_codewords = true, .raw_left_signs = true, .length = 4
  };
  int32_t indices[16];

  memset (&set, 128, sizeof set);
  g_assert_true (paco_reference_decode_block (&block, &record, bytes, indices));
  g_assert_cmpmem (indices, sizeof indices, expected, sizeof expected);
  record.planes = 2;
  g_assert_false (
      paco_reference_decode_block (&block, &record, bytes, indices));
}

/* --- Rounding --- */

/* Returns what becomes of `value` in column x, line y of a block of 64 x 40
 * that is zero but for n coefficients of `other` that are given as x, y. */
static int32_t
rounded (int32_t value, unsigned x, unsigned y, int32_t other, unsigned n,
    const uint8_t (*places)[2])
{
  int32_t values[64 * 40] = { 0 };

  for (unsigned i = 0; i < n; i++)
    values[places[i][1] * 64 + places[i][0]] = other;
  values[y * 64 + x] = value;
  paco_reference_round_block (values, 64, 40, PACO_FRACTION_BITS);
  return values[y * 64 + x];
}

static void
test_rounding (void)
{
  /* These are around (20, 20): six of the ring come first, then near ones.
   * Their contexts are 1 to 6, and then 3 more with each. */
  static const uint8_t around[14][2] = { { 18, 20 }, { 22, 20 }, { 20, 18 },
    { 20, 22 }, { 19, 18 }, { 21, 22 }, { 19, 19 }, { 20, 19 }, { 21, 19 },
    { 19, 20 }, { 21, 20 }, { 19, 21 }, { 20, 21 }, { 21, 21 } };
  /* With i significant neighbors, 1 comes of this value and of larger ones. */
  static const uint8_t least[15] = { 16, 15, 14, 13, 12, 12, 11, 11, 10, 10, 10,
    10, 9, 9, 9 };
  static const uint8_t tiles[3][2] = { { 5, 31 }, { 4, 30 }, { 4, 31 } };
  int32_t half[4] = { 4, -5, 0, -1 };

  for (unsigned n = 0; n <= G_N_ELEMENTS (around); n++) {
    for (int32_t value = 0; value < 64; value++) {
      int32_t expected = value / 16 + (value % 16 >= least[n]);

      g_assert_cmpint (rounded (value, 20, 20, 13, n, around), ==, expected);
      g_assert_cmpint (
          rounded (-value, 20, 20, -500, n, around), ==, -expected);
      /* What lies below 13/16 does not count. */
      g_assert_cmpint (rounded (value, 20, 20, 12, n, around), ==, value / 16);
    }
  }

  /* (6, 31), beyond the corner and in the next 32 lines do not count. */
  g_assert_cmpint (rounded (13, 5, 32, 99, 3, tiles), ==, 0);
  g_assert_cmpint (rounded (13, 5, 31, 99, 3, tiles), ==, 1);

  paco_reference_round_block (half, 2, 2, 1);
  g_assert_cmpint (half[0], ==, 2);
  g_assert_cmpint (half[1], ==, -3);
  g_assert_cmpint (half[2], ==, 0);
  g_assert_cmpint (half[3], ==, -1);
}

/* --- Random blocks --- */

typedef struct
{
  PacoReferenceBlock block;
  unsigned dropped_planes, complexity;
  int32_t indices[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];
  PacoProbabilitySet set;
} RandomBlock;

static RandomBlock *
random_block (void)
{
  RandomBlock *random = g_new0 (RandomBlock, 1);
  unsigned bits = g_test_rand_int_range (0, PACO_MAX_PLANES + 1);
  unsigned sparse = g_test_rand_int_range (1, 100);
  unsigned n;

  random->block = (PacoReferenceBlock){
    .width = g_test_rand_int_range (1, 65),
    .height = g_test_rand_int_range (1, g_test_rand_bit () ? 257 : 40),
    .orientation = g_test_rand_int_range (0, 4),
    .coding_passes = g_test_rand_int_range (1, 4),
    .sets = paco_family_of_one (&paco_builtin_sets[0][0]),
  };
  if (g_test_rand_bit ()) {
    for (unsigned row = 0; row < PACO_N_ROWS; row++)
      for (unsigned c = 0; c < PACO_N_CONTEXTS; c++)
        random->set.p[row][c] = g_test_rand_int_range (1, 256);
    random->block.sets = paco_family_of_one (&random->set);
  }
  random->complexity = g_test_rand_int_range (0, 4);
  random->dropped_planes = g_test_rand_bit () ? 0
                                              : g_test_rand_int_range (0, 16);
  n = random->block.width * random->block.height;
  for (unsigned i = 0; i < n; i++) {
    unsigned shift = g_test_rand_int_range (0, bits + 1);
    int32_t magnitude = g_test_rand_int () & ((1u << shift) - 1);

    if (g_test_rand_int_range (0, 100) < (int) sparse)
      random->indices[i] = g_test_rand_bit () ? magnitude : -magnitude;
  }
  return random;
}

/* Says whether a block decodes, and to what was coded without the planes below. */
static bool
decodes_to (const RandomBlock *random, const PacoBlockRecord *record,
    const uint8_t *bytes)
{
  unsigned n = random->block.width * random->block.height;
  unsigned dropped = record->dropped_planes;
  g_autofree int32_t *decoded = g_new (int32_t, n);
  bool well = paco_reference_decode_block (
      &random->block, record, bytes, decoded);

  for (unsigned k = 0; well && k < n; k++) {
    int32_t magnitude = abs (random->indices[k]) >> dropped << dropped;

    well = decoded[k] == (random->indices[k] < 0 ? -magnitude : magnitude);
  }
  return well;
}

static void
test_block_round_trip (void)
{
  for (int i = 0; i < 300; i++) {
    g_autofree RandomBlock *random = random_block ();
    unsigned n = random->block.width * random->block.height;
    g_autoptr (GByteArray) out = g_byte_array_new ();
    PacoBlockRecord record;

    paco_reference_encode_block (&random->block, random->indices,
        random->dropped_planes, random->complexity, &record, out);
    g_assert_cmpuint (record.length, ==, out->len);
    g_assert_cmpuint (record.length, <=,
        paco_raw_block_bytes (n, record.planes - record.dropped_planes));
    if (record.planes == 0)
      record.dropped_planes = random->dropped_planes;
    g_assert_true (decodes_to (random, &record, out->data));
  }
}

/* Tests that a block that is cut at the end of a plane is what it was without
 * the planes below. */
static void
test_cut (void)
{
  unsigned n_cut = 0;

  for (int i = 0; i < 200; i++) {
    g_autofree RandomBlock *random = random_block ();
    unsigned n = random->block.width * random->block.height;
    g_autofree int32_t *decoded = g_new (int32_t, n);
    g_autoptr (GByteArray) out = g_byte_array_new ();
    PacoCutPoints points;
    PacoBlockRecord record;

    random->block.cut_points = &points;
    paco_reference_encode_block (&random->block, random->indices,
        random->dropped_planes, random->complexity, &record, out);
    for (unsigned p = 0; p <= PACO_MAX_DROPPED_PLANES; p++) {
      PacoBlockRecord cut = record;

      if (points.codewords[p] == 0)
        continue;
      n_cut++;
      paco_record_cut (&cut, p, points.codewords[p]);
      g_assert_cmpuint (cut.length, <=, record.length);
      g_assert_true (paco_reference_decode_block (
          &random->block, &cut, out->data, decoded));
      for (unsigned k = 0; k < n; k++) {
        int32_t magnitude = abs (random->indices[k]) >> p << p;

        g_assert_cmpint (
            decoded[k], ==, random->indices[k] < 0 ? -magnitude : magnitude);
      }
      /* Its length is exact. */
      cut.length -= 4;
      g_assert_false (paco_reference_decode_block (
          &random->block, &cut, out->data, decoded));
      cut.length += 8;
      if (cut.length <= out->len)
        g_assert_false (paco_reference_decode_block (
            &random->block, &cut, out->data, decoded));
    }
  }
  g_assert_cmpuint (n_cut, >, 100);
}

/* Tests that it is 116 - (103 >> d) in a frame of 13, and 116 always in one of
 * 116. */
static void
test_cut_reconstruction (void)
{
  static const unsigned expected[8] = { 13, 65, 91, 104, 110, 113, 115, 116 };
  PacoBlockRecord record = { .planes = 10, .dropped_planes = 1 };

  g_assert_cmpuint (paco_reference_reconstruction (13, &record), ==, 13);
  record.cut = true;
  for (unsigned d = 0; d < 8; d++) {
    record.dropped_planes = d;
    g_assert_cmpuint (
        paco_reference_reconstruction (13, &record), ==, expected[d]);
    g_assert_cmpuint (paco_reference_reconstruction (116, &record), ==, 116);
    for (unsigned rho = 0; rho < 256; rho++)
      g_assert_cmpint (PACO_CUT_RECONSTRUCTION (rho, d), ==,
          (int) paco_reference_reconstruction (rho, &record));
  }
}

/* Tests that any record with any bytes decodes or is broken; under the
 * sanitizers this shows reads out of bounds. */
static void
test_hostile_blocks (void)
{
  unsigned n_broken = 0;

  for (int i = 0; i < 300; i++) {
    g_autofree RandomBlock *random = random_block ();
    unsigned n = random->block.width * random->block.height;
    PacoBlockRecord record = { .planes = g_test_rand_int_range (1, 24) };
    g_autofree uint8_t *bytes = NULL;

    record.dropped_planes = g_test_rand_int_range (0, MIN (record.planes, 16));
    record.raw_planes = g_test_rand_int_range (
        0, record.planes - record.dropped_planes + 1);
    record.shared_codewords = g_test_rand_bit ();
    record.raw_left_signs = record.raw_planes == 0 && g_test_rand_bit ();
    record.cut = record.raw_planes == 0 && !record.raw_left_signs
        && g_test_rand_bit ();
    record.length = g_test_rand_int_range (0, i % 2 ? 65536 : 200);
    bytes = g_malloc (record.length);
    for (unsigned k = 0; k < record.length; k++)
      bytes[k] = g_test_rand_int ();
    if (!paco_reference_decode_block (
            &random->block, &record, bytes, random->indices)) {
      n_broken++;
      for (unsigned k = 0; k < n; k++)
        g_assert_cmpint (random->indices[k], ==, 0);
    }
  }
  g_assert_cmpuint (n_broken, >, 250);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reference/block/codeword-by-hand", test_codeword_by_hand);
  g_test_add_func ("/reference/block/codewords-in-order-of-reservation",
      test_codewords_in_order_of_reservation);
  g_test_add_func (
      "/reference/block/significance-contexts", test_significance_contexts);
  g_test_add_func ("/reference/block/two-planes", test_two_planes);
  g_test_add_func ("/reference/block/weights", test_weights);
  g_test_add_func ("/reference/block/directions", test_directions);
  g_test_add_func ("/reference/block/stripes", test_stripes);
  g_test_add_func ("/reference/block/local-density", test_local_density);
  g_test_add_func ("/reference/block/density-classes", test_density_classes);
  g_test_add_func ("/reference/block/sign-contexts", test_sign_contexts);
  g_test_add_func ("/reference/block/raw", test_raw_block);
  g_test_add_func ("/reference/block/quantizer", test_quantizer);
  g_test_add_func ("/reference/block/rounding", test_rounding);
  g_test_add_func (
      "/reference/block/eight-lanes-by-hand", test_eight_lanes_by_hand);
  g_test_add_func ("/reference/block/round-trip", test_block_round_trip);
  g_test_add_func ("/reference/block/cut", test_cut);
  g_test_add_func (
      "/reference/block/cut-reconstruction", test_cut_reconstruction);
  g_test_add_func ("/reference/block/hostile", test_hostile_blocks);
  return g_test_run ();
}

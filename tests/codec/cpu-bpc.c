/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares all CPU block coders with the reference: the same bytes out of the same
 * coefficients, the same coefficients out of the same bytes, and the same verdict on
 * bytes that are no block. Buffers are exactly as large as the interface says, so
 * that sanitizers find accesses beyond them. */
#include "codec/cpu/bpc.h"
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include "tests/codec/n-cases.h"
#include "tests/codec/random-block.h"
#include <math.h>
#include <stdlib.h>
#include <stdatomic.h>
#include <string.h>

#define MARGIN 3 /* columns right of the block, to be left alone */
/* Of lines that are written past the caches: whole cache lines. */
#define NARROW_STRIDE 96

/* This is a block, and how it is coded. */
typedef struct
{
  PacoBpcBlock block;
  PacoProbabilitySet set;
  PacoReferenceSample *samples; /* height rows of stride */
  int32_t *indices;             /* what the reference makes of them */
} Case;

/* This says what the cases reached, so that the test cannot pass by missing
 * it. */
typedef struct
{
  unsigned zero, shared, eight, raw_left, some_raw, all_raw, dropped, one_lane;
  /* These count stripes that wake in a later plane than others, the first and
   * the last one too, or in none that is coded; and lengths that escape. */
  unsigned late, late_first, late_last, asleep, long_bytes;
} Reached;

static unsigned n_blocks = 1500;

static Case *
case_new (GRand *rand)
{
  static const uint8_t fraction_bits[4] = { 0, 1, PACO_FRACTION_BITS,
    PACO_FRACTION_BITS };
  Case *c = g_new0 (Case, 1);
  PacoBpcBlock *b = &c->block;
  g_autofree int32_t *values = NULL;

  b->width = g_rand_boolean (rand) ? 64 : g_rand_int_range (rand, 1, 65);
  b->height = g_rand_int_range (rand, 0, 8) ? g_rand_int_range (rand, 1, 70)
                                            : g_rand_int_range (rand, 1, 257);
  if (g_rand_int_range (rand, 0, 40) == 0)
    b->width = 64, b->height = 256;
  b->orientation = g_rand_int_range (rand, 0, 4);
  b->coding_passes = g_rand_int_range (rand, 0, 2)
      ? 1
      : g_rand_int_range (rand, 1, 4);
  b->complexity = g_rand_int_range (rand, 0, 4);
  b->dropped_planes = g_rand_int_range (rand, 0, 3)
      ? 0
      : g_rand_int_range (rand, 0, 16);
  b->reconstruction = g_rand_int_range (rand, 0, 256);
  b->reversible = g_rand_boolean (rand);
  if (!b->reversible)
    b->fraction_bits = fraction_bits[g_rand_int_range (rand, 0, 4)];
  b->step = paco_step_decode ((uint16_t) g_rand_int_range (rand, 0, 1 << 14));
  b->stride = b->width + MARGIN;
  c->set = paco_builtin_sets[0][0];
  random_block_set (rand, &c->set);
  b->family = g_rand_int_range (rand, 0, PACO_N_FAMILIES);
  for (unsigned k = 0; k < PACO_N_SETS; k++)
    b->sets.sets[k] = g_rand_boolean (rand) ? &c->set
                                            : &paco_builtin_sets[b->family][k];

  values = g_new (int32_t, b->width * b->height);
  random_block_values (rand, values, b->width, b->height, PACO_MAX_MAGNITUDE);

  c->samples = g_new0 (PacoReferenceSample, b->stride * b->height);
  c->indices = g_new (int32_t, b->width * b->height);
  for (unsigned y = 0; y < b->height; y++) {
    for (unsigned x = 0; x < b->width; x++) {
      PacoReferenceSample *s = &c->samples[y * b->stride + x];
      int32_t value = values[y * b->width + x];

      if (b->reversible)
        s->i = value;
      else
        s->f = (float) ((value + g_rand_double_range (rand, -0.9, 0.9))
            * (double) b->step);
      c->indices[y * b->width + x] = paco_reference_scale (*s,
          b->reversible ? PACO_WAVELET_CDF53 : PACO_WAVELET_CDF97, b->step,
          b->fraction_bits);
    }
  }
  paco_reference_round_block (
      c->indices, b->width, b->height, b->fraction_bits);
  b->coefficients = c->samples;
  return c;
}

static void
case_free (Case *c)
{
  g_free (c->samples);
  g_free (c->indices);
  g_free (c);
}

static PacoReferenceBlock
reference_block (const Case *c)
{
  return (PacoReferenceBlock){ .width = c->block.width,
    .height = c->block.height,
    .orientation = c->block.orientation,
    .coding_passes = c->block.coding_passes,
    .family = c->block.family,
    .sets = c->block.sets };
}

static void
assert_same_record (const PacoBlockRecord *a, const PacoBlockRecord *b)
{
  g_assert_cmpuint (a->planes, ==, b->planes);
  g_assert_cmpuint (a->raw_planes, ==, b->raw_planes);
  g_assert_cmpuint (a->dropped_planes, ==, b->dropped_planes);
  g_assert_cmpuint (a->shared_codewords, ==, b->shared_codewords);
  g_assert_cmpuint (a->raw_left_signs, ==, b->raw_left_signs);
  g_assert_cmpuint (a->set, ==, b->set);
  g_assert_cmpuint (a->cut, ==, b->cut);

  g_assert_cmpuint (a->length, ==, b->length);
}

/* Returns how many planes the magnitudes in a stripe have. */
static unsigned
stripe_planes (const Case *c, unsigned stripe)
{
  unsigned width = c->block.width, first = stripe * PACO_STRIPE_LINES;
  unsigned end = MIN (first + PACO_STRIPE_LINES, c->block.height), planes = 0;

  for (unsigned i = first * width; i < end * width; i++)
    while ((uint32_t) ABS (c->indices[i]) >> planes != 0)
      planes++;
  return planes;
}

static void
note_stripes (Reached *reached, const Case *c, const PacoBlockRecord *r)
{
  unsigned last = (c->block.height - 1u) / PACO_STRIPE_LINES;
  unsigned lowest = r->dropped_planes + r->raw_planes;

  for (unsigned g = 0; g <= last; g++) {
    unsigned planes = stripe_planes (c, g);
    bool late = planes > lowest && planes < r->planes;

    reached->late += late;
    reached->late_first += late && g == 0;
    reached->late_last += late && g == last && last > 0;
    reached->asleep += planes <= lowest && lowest < r->planes;
  }
}

static void
note_reached (Reached *reached, const Case *c, const PacoBlockRecord *r)
{
  unsigned planes = r->planes - r->dropped_planes;

  reached->zero += r->planes == 0;
  reached->dropped += r->dropped_planes > 0;
  reached->all_raw += r->planes > 0 && r->raw_planes == planes;
  reached->some_raw += r->raw_planes > 0 && r->raw_planes < planes;
  reached->raw_left += r->raw_left_signs;
  reached->shared += r->shared_codewords;
  reached->eight += r->shared_codewords && paco_record_lanes (r) == 8;
  reached->one_lane += r->planes > 0 && !r->shared_codewords;
  reached->long_bytes += r->length >= PACO_LENGTH_ESCAPE;
  note_stripes (reached, c, r);
}

static void
check_decode_with (const PacoBpcOps *ops, PacoBpcScratch *scratch,
    const Case *c, const PacoBlockRecord *record, const uint8_t *bytes,
    const int32_t *indices, bool expected)
{
  size_t n = (size_t) c->block.stride * c->block.height;
  g_autofree PacoReferenceSample *decoded = g_new (PacoReferenceSample, n);
  PacoBpcBlock block = c->block;

  memset (decoded, 0x55, n * sizeof *decoded);
  block.coefficients = decoded;
  if (ops->decode (scratch, &block, record, bytes) != expected)
    g_error ("%s: not the verdict of the reference", ops->name);
  for (unsigned y = 0; y < block.height; y++) {
    for (unsigned x = 0; x < (unsigned) block.stride; x++) {
      PacoReferenceSample want = { .i = 0x55555555 };

      if (x < block.width)
        want = paco_reference_dequantize (indices[y * block.width + x],
            record->dropped_planes,
            paco_reference_reconstruction (block.reconstruction, record),
            block.reversible ? PACO_WAVELET_CDF53 : PACO_WAVELET_CDF97,
            block.step);
      if (decoded[y * block.stride + x].i != want.i)
        g_error ("%s: %u, %u is %x, not %x", ops->name, x, y,
            (uint32_t) decoded[y * block.stride + x].i, (uint32_t) want.i);
    }
  }
}

/* Does the same with narrow coefficients, which whole lines get past the caches. */
static void
check_decode_narrow (const PacoBpcOps *ops, PacoBpcScratch *scratch,
    const Case *c, const PacoBlockRecord *record, const uint8_t *bytes,
    const int32_t *indices, bool expected)
{
  PacoBpcBlock block = c->block;
  size_t n = (size_t) NARROW_STRIDE * block.height;
  g_autofree int16_t *memory = g_malloc (n * sizeof *memory + 64);
  int16_t *decoded = (int16_t *) (((uintptr_t) memory + 63) & ~(uintptr_t) 63);

  memset (decoded, 0x55, n * sizeof *decoded);
  block.coefficients = decoded;
  block.stride = NARROW_STRIDE;
  block.narrow = block.past_caches = true;
  if (ops->decode (scratch, &block, record, bytes) != expected)
    g_error ("%s, narrow: not the verdict of the reference", ops->name);
  atomic_thread_fence (memory_order_seq_cst);
  for (unsigned y = 0; y < block.height; y++) {
    for (unsigned x = 0; x < NARROW_STRIDE; x++) {
      int32_t want = 0x5555;

      if (x < block.width)
        want = paco_reference_dequantize (indices[y * block.width + x],
            record->dropped_planes,
            paco_reference_reconstruction (block.reconstruction, record),
            PACO_WAVELET_CDF53, block.step)
                   .i;
      if (decoded[y * NARROW_STRIDE + x] != want)
        g_error ("%s, narrow: %u, %u is %d, not %d", ops->name, x, y,
            decoded[y * NARROW_STRIDE + x], want);
    }
  }
}

/* Decodes with the reference and with all block coders, and compares verdict
 * and result. */
static bool
check_decode (PacoBpcScratch *scratch, const Case *c,
    const PacoBlockRecord *record, const uint8_t *data)
{
  PacoReferenceBlock reference = reference_block (c);
  g_autofree int32_t *indices = g_new (
      int32_t, c->block.width * c->block.height);
  g_autofree uint8_t *bytes = g_memdup2 (data, record->length);
  bool well = paco_reference_decode_block (&reference, record, bytes, indices);

  for (const PacoBpcOps *const *ops = paco_bpc_all_ops (); *ops; ops++) {
    check_decode_with (*ops, scratch, c, record, bytes, indices, well);
    if (c->block.reversible && record->planes < 16)
      check_decode_narrow (*ops, scratch, c, record, bytes, indices, well);
  }
  return well;
}

static void
check_encode_with (const PacoBpcOps *ops, PacoBpcScratch *scratch,
    const Case *c, const PacoBlockRecord *expected, const GByteArray *bytes,
    const PacoCutPoints *expected_points)
{
  size_t n = (size_t) c->block.stride * c->block.height * 4;
  g_autofree uint8_t *out = g_malloc (PACO_BPC_OUTPUT_SIZE);
  g_autofree void *before = g_memdup2 (c->samples, n);
  PacoBpcBlock block = c->block;
  PacoBlockRecord record;
  PacoCutPoints points;

  memset (&record, 0x55, sizeof record);
  memset (&points, 0x55, sizeof points);
  block.cut_points = &points;
  ops->encode (scratch, &block, out, &record);

  assert_same_record (&record, expected);
  if (bytes->len > 0 && memcmp (out, bytes->data, bytes->len) != 0)
    g_error ("%s: not the bytes of the reference", ops->name);
  g_assert_cmpmem (before, n, c->samples, n);
  for (unsigned p = 0; p < PACO_MAX_PLANES; p++)
    g_assert_cmpuint (points.codewords[p], ==, expected_points->codewords[p]);
}

static void
check_encode (PacoBpcScratch *scratch, const Case *c,
    const PacoBlockRecord *expected, const GByteArray *bytes,
    const PacoCutPoints *expected_points)
{
  for (const PacoBpcOps *const *ops = paco_bpc_all_ops (); *ops; ops++)
    check_encode_with (*ops, scratch, c, expected, bytes, expected_points);
}

static void
test_same (void)
{
  PacoBpcScratch *scratch = paco_bpc_scratch_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (20201);
  Reached reached = { 0 };

  for (unsigned i = 0; i < n_blocks; i++) {
    Case *c = case_new (rand);
    PacoReferenceBlock reference = reference_block (c);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    PacoBlockRecord record;
    PacoCutPoints points;

    reference.cut_points = &points;
    paco_reference_encode_block (&reference, c->indices,
        c->block.dropped_planes, c->block.complexity, &record, bytes);
    note_reached (&reached, c, &record);
    check_encode (scratch, c, &record, bytes, &points);

    g_assert_true (check_decode (scratch, c, &record, bytes->data));
    case_free (c);
  }
  g_test_message ("zero %u, shared %u by eight %u, one lane %u, raw left signs"
                  " %u, some raw %u, all raw %u, dropped %u; stripes late %u,"
                  " first %u, last %u, asleep %u; long %u",
      reached.zero, reached.shared, reached.eight, reached.one_lane,
      reached.raw_left, reached.some_raw, reached.all_raw, reached.dropped,
      reached.late, reached.late_first, reached.late_last, reached.asleep,
      reached.long_bytes);

  if (n_blocks >= 500)
    g_assert_true (reached.zero && reached.eight && reached.one_lane
        && reached.shared > reached.eight && reached.raw_left
        && reached.some_raw && reached.all_raw && reached.dropped
        && reached.late_first && reached.late_last && reached.asleep
        && reached.late > reached.late_first + reached.late_last
        && reached.long_bytes);

  paco_bpc_scratch_free (scratch);
}

/* Makes records that this encoder would not choose, but may meet. */
static void
make_decisions (GRand *rand, const Case *c, PacoBlockRecord *record)
{
  unsigned n = c->block.width * c->block.height, planes = 0;

  memset (record, 0, sizeof *record);
  for (unsigned i = 0; i < n; i++)
    while (planes < PACO_MAX_PLANES
        && (uint32_t) ABS (c->indices[i]) >> planes != 0)
      planes++;
  record->planes = g_rand_int_range (rand, MAX (planes, 1), 24);
  if (g_rand_int_range (rand, 0, 3))
    record->planes = MAX (planes, 1);
  record->dropped_planes = g_rand_int_range (rand, 0, MIN (record->planes, 16));
  if (g_rand_boolean (rand))
    record->dropped_planes = 0;
  if (g_rand_boolean (rand))
    record->raw_planes = g_rand_int_range (
        rand, 0, record->planes - record->dropped_planes + 1);
  record->shared_codewords = g_rand_boolean (rand);
  record->raw_left_signs = record->raw_planes == 0 && g_rand_boolean (rand);
  record->set = g_rand_int_range (rand, 0, PACO_N_SETS);
}

static void
test_any_decisions (void)
{
  PacoBpcScratch *scratch = paco_bpc_scratch_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (30301);

  for (unsigned i = 0; i < n_blocks; i++) {
    Case *c = case_new (rand);
    PacoReferenceBlock reference = reference_block (c);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    PacoBlockRecord record;

    make_decisions (rand, c, &record);
    paco_reference_encode_block_as (&reference, c->indices, &record, bytes);
    g_assert_true (check_decode (scratch, c, &record, bytes->data));
    case_free (c);
  }
  paco_bpc_scratch_free (scratch);
}

/* Tests blocks that are cut wherever they can be, and coded with decisions of
 * any kind. */
static void
test_cut (void)
{
  PacoBpcScratch *scratch = paco_bpc_scratch_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (50501);
  unsigned n_cut = 0, n_one_plane = 0;

  for (unsigned i = 0; i < n_blocks / 4; i++) {
    Case *c = case_new (rand);
    PacoReferenceBlock reference = reference_block (c);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    PacoCutPoints points;
    PacoBlockRecord record;

    reference.cut_points = &points;
    if (g_rand_boolean (rand)) {
      make_decisions (rand, c, &record);
      paco_reference_encode_block_as (&reference, c->indices, &record, bytes);
    } else {
      paco_reference_encode_block (&reference, c->indices,
          c->block.dropped_planes, c->block.complexity, &record, bytes);
    }
    reference.cut_points = NULL;
    for (unsigned p = 0; p <= PACO_MAX_DROPPED_PLANES; p++) {
      PacoBlockRecord cut = record;

      if (points.codewords[p] == 0)
        continue;
      paco_record_cut (&cut, p, points.codewords[p]);
      g_assert_true (check_decode (scratch, c, &cut, bytes->data));
      cut.length -= 1 + g_rand_int_range (rand, 0, 4);
      g_assert_false (check_decode (scratch, c, &cut, bytes->data));
      n_cut++;
      n_one_plane += cut.shared_codewords && cut.planes == p + 1;
    }
    case_free (c);
  }
  if (n_blocks >= 500)
    g_assert_true (n_cut > 0 && n_one_plane > 0);
  paco_bpc_scratch_free (scratch);
}

static void
test_damaged (void)
{
  PacoBpcScratch *scratch = paco_bpc_scratch_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (40401);
  unsigned n_well = 0;

  for (unsigned i = 0; i < n_blocks; i++) {
    Case *c = case_new (rand);
    PacoReferenceBlock reference = reference_block (c);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    PacoBlockRecord record;

    paco_reference_encode_block (&reference, c->indices,
        c->block.dropped_planes, c->block.complexity, &record, bytes);
    random_block_damage (rand, &record, bytes, PACO_MAX_PLANES);
    n_well += check_decode (scratch, c, &record, bytes->data);
    case_free (c);
  }
  g_test_message ("%u of %u still a block", n_well, n_blocks);
  paco_bpc_scratch_free (scratch);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  n_blocks = n_cases (n_blocks);
  g_test_add_func ("/cpu/bpc/same", test_same);
  g_test_add_func ("/cpu/bpc/any-decisions", test_any_decisions);
  g_test_add_func ("/cpu/bpc/cut", test_cut);
  g_test_add_func ("/cpu/bpc/damaged", test_damaged);
  return g_test_run ();
}

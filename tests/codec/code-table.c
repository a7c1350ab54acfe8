/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests code tables: what is written is read again, bytes that FORMAT.md does not allow are refused, and the packed form is
 * what the reference's arithmetic coder makes. */
#include "codec/code_table.h"
#include "codec/reference/arithmetic.h"
#include "n-cases.h"
#include <string.h>

/* Draws codes of up to `depth` bits in one of several manners. */
static PacoCodeTable
draw_table (GRand *rand, unsigned depth)
{
  PacoCodeTable table = { { 0 } };
  unsigned n = 1u << depth, manner = g_rand_int_range (rand, 0, 5);
  unsigned period = g_rand_int_range (rand, 1, 40), run = 0;
  bool used = true;

  for (unsigned code = 0; code < n; code++) {
    if (manner == 0) /* noise */
      used = g_rand_boolean (rand);
    else if (manner == 1) /* one in a period */
      used = code % period == 0;
    else if (manner == 2) /* few */
      used = g_rand_int_range (rand, 0, 1000) == 0;
    else if (manner == 3 && run-- == 0) { /* runs */
      run = (unsigned) g_rand_int_range (rand, 0, 300);
      used = !used;
    }
    if (used)
      table.used[code / 64] |= UINT64_C (1) << code % 64;
  }
  table.used[0] |= 1ull << g_rand_int_range (rand, 0, MIN (n, 64));
  return table;
}

static void
test_round_trip (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  g_autofree uint8_t *data = g_malloc (PACO_MAX_CODE_TABLE_SIZE);

  for (unsigned n = 0; n < n_cases (400); n++) {
    unsigned depth = (unsigned) g_rand_int_range (rand, 1, 17);
    PacoCodeTable table = draw_table (rand, depth), unpacked;
    PacoCodeTableInfo info = { 0 }, wrong;

    g_assert_true (paco_code_table_measure (&table, &info));
    paco_code_table_pack (&table, &info, data);
    g_assert_cmpuint (info.size, <=, PACO_MAX_CODE_TABLE_SIZE);
    g_assert_true (paco_code_table_unpack (&info, data, &unpacked));
    g_assert_cmpmem (&table, sizeof table, &unpacked, sizeof unpacked);
    g_assert_cmpuint (paco_code_table_depth (info.n_codes), <=, depth);
    wrong = info;
    wrong.n_codes ^= 1u << g_rand_int_range (rand, 0, 17);
    g_assert_false (paco_code_table_unpack (&wrong, data, &unpacked));
    wrong = info;
    wrong.size--;
    g_assert_false (
        info.size > 0 && paco_code_table_unpack (&wrong, data, &unpacked));
  }
}

/* Codes the bits between the first and the last code as section 3.3 says. */
static GByteArray *
pack_by_reference (const PacoCodeTable *table, unsigned first, unsigned last)
{
  PacoReferenceArithmeticCoders coders;
  g_autoptr (GByteArray) no_bits = g_byte_array_new ();
  GByteArray *bytes = g_byte_array_new ();
  unsigned chance[256], before = 1;

  for (unsigned i = 0; i < 256; i++)
    chance[i] = 32768;
  paco_reference_arithmetic_init (&coders, 1);
  for (unsigned code = first + 1; code < last; code++) {
    bool used = paco_code_is_used (table, code);
    unsigned *c = &chance[before];

    paco_reference_encode_symbol (&coders, 0, CLAMP (*c >> 8, 1, 255), used);
    *c = used ? *c - (*c >> 4) : *c + ((65536 - *c) >> 4);
    before = (before << 1 | used) & 255;
  }
  paco_reference_arithmetic_finish (&coders, no_bits, bytes);
  paco_reference_arithmetic_clear (&coders);
  return bytes;
}

static void
test_packed_form (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  g_autofree uint8_t *data = g_malloc (PACO_MAX_CODE_TABLE_SIZE);
  unsigned n_packed = 0;

  for (unsigned n = 0; n < n_cases (200); n++) {
    PacoCodeTable table = draw_table (rand, 12);
    PacoCodeTableInfo info = { 0 };
    g_autoptr (GByteArray) packed = NULL;

    g_assert_true (paco_code_table_measure (&table, &info));
    paco_code_table_pack (&table, &info, data);
    packed = pack_by_reference (&table, info.first, info.last);
    if (info.form == 0) { /* the bitmap is smaller */
      g_assert_cmpuint (packed->len, >, info.size);
      continue;
    }
    g_assert_cmpmem (data, info.size, packed->data, packed->len);
    n_packed++;
  }
  g_assert_cmpuint (n_packed, >, 0);
}

/* Tests what the fields of the chunk allow, and the bytes contradict. */
static void
test_refused (void)
{
  static const struct
  {
    PacoCodeTableInfo info;
    uint8_t data[4];
  } refused[] = {
    { { 1, 0, 3, 4, 2, 1 }, { 2 } },    /* the first code is not used */
    { { 1, 0, 3, 4, 2, 1 }, { 1 } },    /* the last code is not used */
    { { 1, 0, 3, 3, 1, 1 }, { 3 } },    /* a code after the last one */
    { { 1, 0, 3, 3, 1, 2 }, { 1, 0 } }, /* too many bytes */
    { { 1, 1, 3, 9, 2, 0 }, { 0 } },    /* a codeword is missing */
    { { 1, 1, 3, 3, 1, 4 }, { 0 } },    /* one too many */
  };
  static const uint8_t one[] = { 1 };
  PacoCodeTable table;

  for (unsigned i = 0; i < G_N_ELEMENTS (refused); i++)
    g_assert_false (
        paco_code_table_unpack (&refused[i].info, refused[i].data, &table));
  g_assert_true (paco_code_table_unpack (
      &(PacoCodeTableInfo){ 1, 0, 3, 3, 1, 1 }, one, &table));
}

static void
test_pays (void)
{
  PacoCodeTable table = { { 0 } };
  PacoCodeTableInfo info;

  g_assert_false (paco_code_table_measure (&table, &info));
  for (unsigned code = 100; code < 164; code++)
    table.used[code / 64] |= UINT64_C (1) << code % 64;
  for (unsigned gone = 101; gone < 110; gone++) {
    g_assert_true (paco_code_table_measure (&table, &info));
    g_assert_cmpint (paco_code_table_pays (&info), ==, gone > 108);
    table.used[gone / 64] &= ~(UINT64_C (1) << gone % 64);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/code-table/round-trip", test_round_trip);
  g_test_add_func ("/code-table/packed-form", test_packed_form);
  g_test_add_func ("/code-table/refused", test_refused);
  g_test_add_func ("/code-table/pays", test_pays);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the encoder's choice of a block's probability set: what is counted for it,
 * and the integers of codec/policy_set.h against real numbers. */
#include "codec/policy_set.h"
#include "codec/reference/reference.h"
#include <math.h>

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
  unsigned n_told = 0;

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
    n_told++;
    g_assert_cmpuint (
        paco_policy_set_cell (orientation, planes, 0, top, pairs, n), ==,
        kinds[orientation] * 128 + cell);
  }
  g_assert_cmpuint (n_told, >, 10000);
}

/* Tests that all sets that are chosen exist, and nearly all that exist are
 * chosen. */
static void
test_choice (void)
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
  g_test_add_func ("/choice/pairs", test_pairs);
  g_test_add_func ("/choice/cells", test_cells);
  g_test_add_func ("/choice/sets", test_choice);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the check of a codeblock's bytes: the CPU's is the reference's, and of
 * each kind of damage no more escapes it than chance would let through, one in
 * 65536.
 *
 *   test-check [--damages=N]
 *
 * With N given it tries N damages of each kind and prints the counts. */
#include "codec/check.h"
#include "codec/cpu/bpc.h"
#include "codec/reference/reference.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_BYTES 4096
#define DAMAGES_OF_A_BLOCK 8

static int damages = 400000;

/* --- the value --- */

static void
test_value (void)
{
  static uint8_t memory[65535 + 8];

  for (unsigned i = 0; i < 2000; i++) {
    size_t length = i < 100 ? i : (size_t) g_test_rand_int_range (0, 65536);
    uint8_t *bytes = memory + g_test_rand_int_range (0, 8);

    for (size_t k = 0; k < length; k++)
      bytes[k] = g_test_rand_int ();
    for (const PacoBpcOps *const *ops = paco_bpc_all_ops (); *ops; ops++)
      g_assert_cmpuint ((*ops)->check (bytes, length), ==,
          paco_reference_check (bytes, length));
    g_assert_cmpuint (paco_block_check (bytes, length), ==,
        paco_reference_check (bytes, length));
  }
}

/* --- damages --- */

typedef struct
{
  GRand *rand;
  size_t length;
  uint8_t bytes[MAX_BYTES];
} Block;

static uint32_t
below (Block *block, uint32_t n)
{
  return g_rand_int (block->rand) % n;
}

/* Draws a block like a coded one, or a poorer one: constant, of few values,
 * mostly of zeros. */
static void
draw_block (Block *block)
{
  unsigned kind = below (block, 8);
  unsigned mask = below (block, 256);

  block->length = 16 + below (block, (MAX_BYTES - 16) >> below (block, 7));
  for (size_t i = 0; i < block->length; i++) {
    uint8_t byte = g_rand_int (block->rand);

    block->bytes[i] = kind == 0 ? mask
        : kind == 1             ? byte & mask
        : kind == 2             ? (byte < 4 ? byte : 0)
                                : byte;
  }
}

static uint32_t
get_word (const Block *block, size_t i)
{
  uint32_t word;

  memcpy (&word, block->bytes + 4 * i, 4);
  return GUINT32_FROM_LE (word);
}

static void
put_word (Block *block, size_t i, uint32_t word)
{
  word = GUINT32_TO_LE (word);
  memcpy (block->bytes + 4 * i, &word, 4);
}

static void
change_byte (Block *block)
{
  block->bytes[below (block, block->length)] ^= 1 + below (block, 255);
}

static void
flip_bit (Block *block)
{
  block->bytes[below (block, block->length)] ^= 1 << below (block, 8);
}

/* Flips the highest bits of two words, where a plain sum of products modulo
 * 2^32 would see nothing. */
static void
flip_top_bits (Block *block)
{
  for (unsigned k = 0; k < 2; k++)
    block->bytes[4 * below (block, block->length / 4) + 3] ^= 0x80;
}

/* Sets one bit at equal distances, as a line of a bus that is stuck does. */
static void
stick_bit (Block *block)
{
  size_t step = 1u << below (block, 8);
  uint8_t bit = 1 << below (block, 8);

  for (size_t i = below (block, step); i < block->length; i += step)
    block->bytes[i] |= bit;
}

/* Adds differences that a sum linear in the place would not see. */
static void
add_second_difference (Block *block)
{
  size_t n_words = block->length / 4;
  size_t step = 1 + below (block, (n_words - 1) / 2);
  size_t first = below (block, n_words - 2 * step);
  uint32_t d = 1u << below (block, 32);

  put_word (block, first, get_word (block, first) + d);
  put_word (block, first + step, get_word (block, first + step) - 2 * d);
  put_word (block, first + 2 * step, get_word (block, first + 2 * step) + d);
}

static void
burst (Block *block)
{
  size_t at = below (block, block->length);
  size_t end = MIN (at + 64, block->length);

  end -= below (block, end - at);
  for (size_t i = at; i < end; i++)
    block->bytes[i] = g_rand_int (block->rand);
}

static void
swap_words (Block *block)
{
  size_t a = below (block, block->length / 4);
  size_t b = below (block, block->length / 4);
  uint32_t word = get_word (block, a);

  put_word (block, a, get_word (block, b));
  put_word (block, b, word);
}

static void
swap_pairs (Block *block)
{
  size_t a = below (block, block->length / 8);
  size_t b = below (block, block->length / 8);

  for (unsigned k = 0; k < 2; k++) {
    uint32_t word = get_word (block, 2 * a + k);

    put_word (block, 2 * a + k, get_word (block, 2 * b + k));
    put_word (block, 2 * b + k, word);
  }
}

/* Loses a byte, or inserts one. */
static void
shift (Block *block)
{
  size_t at = below (block, block->length);
  size_t n = block->length - at - 1;

  if (below (block, 2)) {
    memmove (block->bytes + at, block->bytes + at + 1, n);
    block->bytes[block->length - 1] = g_rand_int (block->rand);
  } else {
    memmove (block->bytes + at + 1, block->bytes + at, n);
  }
}

/* Loses words, so that others come from behind. */
static void
shift_words (Block *block)
{
  size_t n_words = block->length / 4;
  size_t at = below (block, n_words), by = 1 + below (block, n_words - at);
  size_t n = 4 * (n_words - at - by);

  memmove (block->bytes + 4 * at, block->bytes + 4 * (at + by), n);
}

/* Clears the end, as if it had never been written. */
static void
clear_end (Block *block)
{
  size_t at = below (block, block->length);

  memset (block->bytes + at, 0, block->length - at);
}

static void
cut (Block *block)
{
  block->length = below (block, block->length);
}

static void
replace (Block *block)
{
  for (size_t i = 0; i < block->length; i++)
    block->bytes[i] = g_rand_int (block->rand);
}

static const struct
{
  const char *name;
  void (*damage) (Block *block);
} kinds[] = {
  { "one byte changed", change_byte },
  { "one bit flipped", flip_bit },
  { "top bits of two words flipped", flip_top_bits },
  { "a bit stuck at equal distances", stick_bit },
  { "+d, -2d, +d at equal distances", add_second_difference },
  { "a burst of at most 64 bytes", burst },
  { "two words swapped", swap_words },
  { "two pairs swapped", swap_pairs },
  { "a byte lost or doubled", shift },
  { "words lost", shift_words },
  { "zeros from somewhere on", clear_end },
  { "cut", cut },
  { "other bytes", replace },
};

/* Counts damages that change bytes, and those of them that the check does not
 * see. */
static void
try_damages (Block *original, void (*damage) (Block *), int *n, int *escaped)
{
  const PacoBpcOps *ops = paco_bpc_ops ();
  Block damaged;

  for (*n = *escaped = 0; *n < damages;) {
    uint16_t check;

    draw_block (original);
    check = ops->check (original->bytes, original->length);
    for (int i = 0; i < DAMAGES_OF_A_BLOCK; i++) {
      damaged.rand = original->rand;
      damaged.length = original->length;
      memcpy (damaged.bytes, original->bytes, original->length);
      damage (&damaged);
      if (damaged.length == original->length
          && memcmp (damaged.bytes, original->bytes, original->length) == 0)
        continue;
      ++*n;
      *escaped += ops->check (damaged.bytes, damaged.length) == check;
    }
  }
}

static void
test_damages (void)
{
  Block *block = g_new (Block, 1);

  block->rand = g_rand_new_with_seed (g_test_rand_int ());
  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++) {
    int n, escaped;
    double expected;

    try_damages (block, kinds[i].damage, &n, &escaped);
    expected = n / 65536.0;
    g_test_message ("%-31s %9d tried, %4d not seen, %.1f expected",
        kinds[i].name, n, escaped, expected);
    /* Chance exceeds this once in some 10^12 runs. */
    g_assert_cmpfloat (escaped, <, expected + 8 * sqrt (expected) + 10);
  }
  g_rand_free (block->rand);
  g_free (block);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc > 1 && sscanf (argv[1], "--damages=%d", &damages) != 1)
    return 1;
  g_test_add_func ("/check/value", test_value);
  g_test_add_func ("/check/damages", test_damages);
  return g_test_run ();
}

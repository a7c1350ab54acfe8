/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the memory of the CPU backend: sizes that are impossible, and arenas. */
#include "codec/cpu/memory.h"
#include <glib.h>
#include <string.h>

/* Tests that what does not fit a size_t does not come back as something
 * smaller. */
static void
test_sizes (void)
{
  static const size_t impossible[][2] = {
    { G_MAXSIZE, 1 },
    { G_MAXSIZE / 4 + 2, 4 },
    { (size_t) 1 << (4 * sizeof (size_t)),
        (size_t) 1 << (4 * sizeof (size_t)) },
  };
  uint8_t *memory;

  for (unsigned i = 0; i < G_N_ELEMENTS (impossible); i++)
    g_assert_null (paco_memory_new (impossible[i][0], impossible[i][1]));

  for (size_t size = 0; size < 10000000; size = size * 3 + 1) {
    memory = paco_memory_new (size, 1);
    g_assert_nonnull (memory);
    g_assert_cmpuint ((uintptr_t) memory % 64, ==, 0);
    memset (memory, 1, size);
    paco_memory_free (memory);
  }
}

/* Takes n pieces of many sizes, filled with their numbers, and looks at all of
 * them when the last one is there. */
static void
fill (PacoArena *arena, unsigned n)
{
  uint8_t **pieces = g_new (uint8_t *, n);

  for (unsigned i = 0; i < n; i++) {
    size_t size = 1 + i * 7919u % 50000;

    pieces[i] = paco_arena_reserve (arena, size + 100);
    g_assert_nonnull (pieces[i]);
    memset (pieces[i], (int) i, size + 100);
    paco_arena_take (arena, size);
  }
  for (unsigned i = 0; i < n; i++)
    for (size_t k = 0; k < 1 + i * 7919u % 50000; k++)
      g_assert_cmpuint (pieces[i][k], ==, (uint8_t) i);
  g_free (pieces);
}

static void
test_arena (void)
{
  PacoArena arena = { NULL };
  PacoSpare spare = { .size = 5 << 20 };

  spare.memory = paco_memory_new (spare.size, 1);
  for (unsigned round = 0; round < 3; round++) {
    spare.used = 0;
    paco_arena_reset (&arena, round == 1 ? &spare : NULL);
    fill (&arena, 200 << round);
  }
  /* This is more than a chunk holds. */
  g_assert_nonnull (paco_arena_reserve (&arena, 9 << 20));
  g_assert_null (paco_arena_reserve (&arena, G_MAXSIZE / 2));
  paco_arena_clear (&arena);
  paco_memory_free (spare.memory);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/sizes", test_sizes);
  g_test_add_func ("/memory/arena", test_arena);
  return g_test_run ();
}

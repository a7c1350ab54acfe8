/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests copies past the caches (gpu/copy.h): they copy every byte, and no other
 * one, at any alignment. */
#include "gpu/copy.h"
#include <glib.h>
#include <string.h>

#define ROOM 8192
#define GUARD 0xa5

static void
fill (uint8_t *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    bytes[i] = g_test_rand_int ();
}

static void
check_copy (PacoUncachedCopy copy, uint8_t *to, const uint8_t *from)
{
  size_t begin = g_test_rand_int_range (0, 200);
  size_t size = g_test_rand_int_range (0, ROOM - 400);
  size_t source = g_test_rand_int_range (0, 200);

  memset (to, GUARD, ROOM);
  copy (to + begin, from + source, size);
  g_assert_cmpmem (to + begin, size, from + source, size);
  for (size_t i = 0; i < ROOM; i++)
    if (i < begin || i >= begin + size)
      g_assert_cmpuint (to[i], ==, GUARD);
}

/* Tests a copy of parts of something of that size, which decides how they are
 * copied. */
static void
test_copy (gconstpointer size)
{
  PacoUncachedCopy copy = paco_uncached_copy (GPOINTER_TO_SIZE (size));
  g_autofree uint8_t *to = g_malloc (ROOM), *from = g_malloc (ROOM);

  fill (from, ROOM);
  for (int i = 0; i < 2000; i++)
    check_copy (copy, to, from);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/uncached/small", GSIZE_TO_POINTER (1), test_copy);
  g_test_add_data_func (
      "/uncached/large", GSIZE_TO_POINTER (G_MAXSIZE), test_copy);
  return g_test_run ();
}

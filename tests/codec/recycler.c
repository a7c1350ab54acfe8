/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what a recycler keeps (codec/recycler.h), with memory that is counted and may
 * be refused. */
#include "codec/recycler.h"

static unsigned n_allocated, n_there;
static bool refuses;

static bool
allocate (void *item, size_t size, void *user, GError **error)
{
  PacoRecycled *memory = item;

  if (refuses) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY, "refused");
    return false;
  }
  n_allocated++;
  n_there++;
  memory->size = size;
  memory->data = g_malloc (size);
  return true;
}

static void
release (void *item)
{
  g_free (((PacoRecycled *) item)->data);
  n_there--;
}

static void
test_recycler (void)
{
  static const PacoRecyclerClass klass = {
    .item_size = sizeof (PacoRecycled),
    .allocate = allocate,
    .release = release,
    .tight = true,
  };
  PacoRecyclerLimits limits = {
    .least = 1, .most = 3, .most_bytes = 2500, .alive = 5
  };
  PacoRecycler *recycler = paco_recycler_new (&klass, &limits, NULL);
  PacoRecycled *items[5], *item;
  GError *error = NULL;

  g_assert_true (paco_recycler_fill (recycler, 2, 1000, &error));
  g_assert_cmpuint (paco_recycler_used (recycler), ==, 0);
  for (unsigned i = 0; i < 5; i++)
    items[i] = paco_recycler_take (recycler, 1000, &error);
  g_assert_cmpuint (n_allocated, ==, 5);
  g_assert_null (paco_recycler_take (recycler, 1000, &error));
  g_assert_no_error (error);
  for (unsigned i = 0; i < 5; i++)
    paco_recycler_give (items[i]);
  g_assert_cmpuint (n_there, ==, 2); /* three would have too many bytes */

  /* Memory that is too small or much too large is replaced. */
  g_assert_true (paco_recycler_take (recycler, 500, &error) == items[1]);
  item = paco_recycler_take (recycler, 499, &error);
  g_assert_cmpuint (item->size, ==, 499);
  paco_recycler_give (item);
  paco_recycler_give (items[1]);
  g_assert_cmpuint (n_there, ==, 2);
  paco_recycler_give (NULL);

  /* One is kept whatever its size; those in use at a reset are not. */
  paco_recycler_reset (recycler);
  g_assert_cmpuint (n_there, ==, 0);
  paco_recycler_give (paco_recycler_take (recycler, 3000, &error));
  item = paco_recycler_take (recycler, 3000, &error);
  g_assert_cmpuint (n_allocated, ==, 7);
  paco_recycler_reset (recycler);
  paco_recycler_give (item);
  g_assert_cmpuint (n_there, ==, 0);

  refuses = true;
  g_assert_false (paco_recycler_fill (recycler, 1, 10, NULL));
  g_assert_null (paco_recycler_take (recycler, 10, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_MEMORY);
  g_clear_error (&error);
  refuses = false;
  paco_recycler_drop (paco_recycler_take (recycler, 10, &error));
  g_assert_cmpuint (n_there, ==, 0);
  item = paco_recycler_take (recycler, 10, &error);
  g_assert_cmpuint (paco_recycler_used (recycler), ==, 1);
  paco_recycler_free (recycler);
  g_assert_cmpuint (n_there, ==, 1);
  paco_recycler_give (item);
  g_assert_cmpuint (n_there, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/recycler", test_recycler);
  return g_test_run ();
}

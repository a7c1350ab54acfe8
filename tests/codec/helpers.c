/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the threads that do parts of a job with their caller (codec/cpu/): every
 * part is done once, and all are when the call returns, however many call at the
 * same time. */
#include "codec/helpers.h"

#define N_CALLERS 4
#define N_ROUNDS 2000

typedef struct
{
  guint done[PACO_MAX_HELPERS]; /* each by one thread */
} Job;

static void
do_part (void *data, unsigned part)
{
  Job *job = data;

  job->done[part]++;
}

static gpointer
call (gpointer helpers)
{
  for (guint i = 0; i < N_ROUNDS; i++) {
    unsigned n = 1 + i % paco_helpers_count (helpers);
    Job job = { { 0 } };

    paco_helpers_run (helpers, n, do_part, &job);
    for (unsigned part = 0; part < PACO_MAX_HELPERS; part++)
      g_assert_cmpuint (job.done[part], ==, part < n);
  }
  return NULL;
}

static void
test_parts (void)
{
  PacoHelpers *helpers = paco_helpers_new ();

  g_assert_cmpuint (paco_helpers_count (helpers), >=, 1);
  g_assert_cmpuint (paco_helpers_count (helpers), <=, PACO_MAX_HELPERS);
  call (helpers);
  paco_helpers_free (helpers);
}

static void
test_callers (void)
{
  PacoHelpers *helpers = paco_helpers_new ();
  GThread *threads[N_CALLERS];

  for (guint i = 0; i < N_CALLERS; i++)
    threads[i] = g_thread_new ("caller", call, helpers);
  for (guint i = 0; i < N_CALLERS; i++)
    g_thread_join (threads[i]);
  paco_helpers_free (helpers);
  paco_helpers_free (NULL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/helpers/parts", test_parts);
  g_test_add_func ("/helpers/callers", test_callers);
  return g_test_run ();
}

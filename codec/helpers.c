/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Shares out parts of a job to the threads of a GThreadPool; helpers.h says for
 * whom. */
#include "codec/helpers.h"

struct _PacoHelpers
{
  GThreadPool *pool;
  unsigned count; /* the caller included */
};

typedef struct
{
  void (*func) (void *data, unsigned part);
  void *data;
  GMutex lock;
  GCond done;
  unsigned n_left; /* parts that others do; under the lock */
} Job;

typedef struct
{
  Job *job;
  unsigned number;
} Part;

static void
work (gpointer data, gpointer unused)
{
  const Part *part = data;
  Job *job = part->job;

  job->func (job->data, part->number);
  g_mutex_lock (&job->lock);
  if (--job->n_left == 0)
    g_cond_signal (&job->done);
  g_mutex_unlock (&job->lock);
}

PacoHelpers *
paco_helpers_new (void)
{
  PacoHelpers *helpers = g_new0 (PacoHelpers, 1);

  helpers->count = CLAMP (g_get_num_processors () / 2, 1, PACO_MAX_HELPERS);
  helpers->pool = g_thread_pool_new (work, NULL, helpers->count, TRUE, NULL);
  /* The pool may have got fewer threads, or none. */
  helpers->count = MIN (
      helpers->count, 1 + g_thread_pool_get_num_threads (helpers->pool));
  return helpers;
}

void
paco_helpers_free (PacoHelpers *helpers)
{
  if (helpers) {
    g_thread_pool_free (helpers->pool, FALSE, TRUE);
    g_free (helpers);
  }
}

unsigned
paco_helpers_count (const PacoHelpers *helpers)
{
  return helpers->count;
}

void
paco_helpers_run (PacoHelpers *helpers, unsigned n_parts,
    void (*func) (void *data, unsigned part), void *data)
{
  Part parts[PACO_MAX_HELPERS];
  Job job = { .func = func, .data = data, .n_left = n_parts - 1 };

  if (n_parts == 1) {
    func (data, 0);
    return;
  }
  g_mutex_init (&job.lock);
  g_cond_init (&job.done);
  for (unsigned i = 1; i < n_parts; i++) {
    parts[i] = (Part){ &job, i };
    g_thread_pool_push (helpers->pool, &parts[i], NULL);
  }
  func (data, 0);
  g_mutex_lock (&job.lock);
  while (job.n_left > 0)
    g_cond_wait (&job.done, &job.lock);
  g_mutex_unlock (&job.lock);
  g_mutex_clear (&job.lock);
  g_cond_clear (&job.done);
}

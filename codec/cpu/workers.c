/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A pool of threads that share out the items of a job; workers.h says for whom.
 *
 * There is one seat for each allowed thread, and only a thread that has a seat
 * works. The pool's threads and the callers compete for the seats, so callers add no
 * load of their own. The number of a seat is the number of the worker. The pool has
 * one thread less than seats, since the caller of a job works itself.
 *
 * Items are handed out by an atomic counter; the lock is taken only to join or leave
 * a job. A thread that finds a job exhausted leaves it, and the last to leave wakes
 * the caller. Jobs are joined in the order in which they came, so the oldest frame
 * is served first. */
#include "codec/cpu/workers.h"
#include "codec/coder_private.h"
#include "codec/cpu/backend_private.h"
#include "codec/cpu/processors.h"

#define MAX_THREADS 1024

typedef struct _Job Job;

struct _Job
{
  Job *next;
  PacoWorkFunc function;
  void *data;
  uint32_t n_items, chunk;
  guint next_item; /* atomic */
  unsigned members;
};

typedef struct
{
  PacoBpcScratch *bpc;
  PacoDwtLines *lines;
} Scratch;

struct _PacoWorkers
{
  gint references; /* atomic */
  unsigned n_seats, n_threads;
  GThread **threads;
  Scratch *scratch; /* by seat */

  GMutex lock;
  GCond work; /* for the threads: a job came, or a seat for one, or quit */
  GCond left; /* for callers: a seat is free, or a job has no members */
  Job *jobs;
  unsigned *free_seats, n_free_seats;
  bool quit;
};

static bool
has_items (Job *job)
{
  return g_atomic_int_get ((gint *) &job->next_item) < (gint) job->n_items;
}

/* Works on items until there are none left. The counter runs past n_items by at most
 * one chunk for each thread; the caller has made sure that this does not overflow. */
static void
work_on (Job *job, unsigned seat)
{
  for (;;) {
    uint32_t item = g_atomic_int_add ((gint *) &job->next_item, job->chunk);
    uint32_t end;

    if (item >= job->n_items)
      return;
    end = MIN (job->n_items, item + job->chunk);
    for (; item < end; item++)
      job->function (job->data, item, seat);
  }
}

static Job *
find_work (PacoWorkers *workers)
{
  for (Job *job = workers->jobs; job; job = job->next)
    if (has_items (job))
      return job;
  return NULL;
}

/* Joins a job, works, and leaves it. The lock is held when it is called and when it
 * returns. */
static void
join_and_leave (PacoWorkers *workers, Job *job, unsigned seat)
{
  job->members++;
  g_mutex_unlock (&workers->lock);
  work_on (job, seat);
  g_mutex_lock (&workers->lock);
  if (--job->members == 0)
    g_cond_broadcast (&workers->left);
}

static unsigned
take_seat (PacoWorkers *workers)
{
  return workers->free_seats[--workers->n_free_seats];
}

static void
leave_seat (PacoWorkers *workers, unsigned seat)
{
  workers->free_seats[workers->n_free_seats++] = seat;
  g_cond_broadcast (&workers->left);
  if (find_work (workers))
    g_cond_signal (&workers->work);
}

static gpointer
thread_main (gpointer data)
{
  PacoWorkers *workers = data;

  g_mutex_lock (&workers->lock);
  while (!workers->quit) {
    Job *job = find_work (workers);

    if (job && workers->n_free_seats > 0) {
      unsigned seat = take_seat (workers);

      do
        join_and_leave (workers, job, seat);
      while ((job = find_work (workers)) != NULL);
      leave_seat (workers, seat);
    } else {
      g_cond_wait (&workers->work, &workers->lock);
    }
  }
  g_mutex_unlock (&workers->lock);
  return NULL;
}

static void
add_job (PacoWorkers *workers, Job *job)
{
  Job **end = &workers->jobs;

  while (*end)
    end = &(*end)->next;
  *end = job;
}

static void
remove_job (PacoWorkers *workers, Job *job)
{
  Job **at = &workers->jobs;

  while (*at != job)
    at = &(*at)->next;
  *at = job->next;
}

void
paco_workers_run (PacoWorkers *workers, uint32_t n_items, uint32_t chunk,
    PacoWorkFunc function, void *data)
{
  Job job = { NULL, function, data, n_items, MAX (chunk, 1), 0, 0 };
  uint32_t n_chunks = (n_items + job.chunk - 1) / job.chunk;

  if (n_items == 0)
    return;
  g_mutex_lock (&workers->lock);
  add_job (workers, &job);
  for (uint32_t i = 1; i < MIN (n_chunks, workers->n_seats); i++)
    g_cond_signal (&workers->work);
  while (has_items (&job) || job.members > 0) {
    if (has_items (&job) && workers->n_free_seats > 0) {
      unsigned seat = take_seat (workers);

      join_and_leave (workers, &job, seat);
      leave_seat (workers, seat);
    } else {
      g_cond_wait (&workers->left, &workers->lock);
    }
  }
  remove_job (workers, &job);
  g_mutex_unlock (&workers->lock);
}

static bool
allocate (PacoWorkers *workers)
{
  workers->free_seats = g_new (unsigned, workers->n_seats);
  workers->scratch = g_new0 (Scratch, workers->n_seats);
  workers->threads = g_new0 (GThread *, workers->n_seats);
  for (unsigned i = 0; i < workers->n_seats; i++) {
    workers->free_seats[i] = workers->n_seats - 1 - i;
    workers->scratch[i].bpc = paco_bpc_scratch_new ();
    workers->scratch[i].lines = paco_dwt_lines_new ();
    if (!workers->scratch[i].bpc || !workers->scratch[i].lines)
      return false;
  }
  workers->n_free_seats = workers->n_seats;
  while (workers->n_threads + 1 < workers->n_seats) {
    GThread *thread = g_thread_try_new (
        "paco-worker", thread_main, workers, NULL);

    if (!thread)
      return false;
    workers->threads[workers->n_threads++] = thread;
  }
  return true;
}

PacoWorkers *
paco_workers_new (unsigned threads)
{
  PacoWorkers *workers = g_new0 (PacoWorkers, 1);

  workers->references = 1;
  workers->n_seats = threads ? threads : paco_processors_usable ();
  workers->n_seats = CLAMP (workers->n_seats, 1, MAX_THREADS);
  g_mutex_init (&workers->lock);
  g_cond_init (&workers->work);
  g_cond_init (&workers->left);
  if (!allocate (workers))
    g_clear_pointer (&workers, paco_workers_free);
  return workers;
}

PacoWorkers *
paco_workers_ref (PacoWorkers *workers)
{
  g_atomic_int_inc (&workers->references);
  return workers;
}

void
paco_workers_free (PacoWorkers *workers)
{
  if (!workers || !g_atomic_int_dec_and_test (&workers->references))
    return;
  g_mutex_lock (&workers->lock);
  workers->quit = true;
  g_cond_broadcast (&workers->work);
  g_mutex_unlock (&workers->lock);
  for (unsigned i = 0; i < workers->n_threads; i++)
    g_thread_join (workers->threads[i]);
  for (unsigned i = 0; i < workers->n_seats; i++) {
    if (workers->scratch[i].bpc)
      paco_bpc_scratch_free (workers->scratch[i].bpc);
    if (workers->scratch[i].lines)
      paco_dwt_lines_free (workers->scratch[i].lines);
  }
  g_free (workers->free_seats);
  g_free (workers->scratch);
  g_free (workers->threads);
  g_cond_clear (&workers->work);
  g_cond_clear (&workers->left);
  g_mutex_clear (&workers->lock);
  g_free (workers);
}

unsigned
paco_workers_count (const PacoWorkers *workers)
{
  return workers->n_seats;
}

PacoBpcScratch *
paco_workers_bpc (PacoWorkers *workers, unsigned worker)
{
  return workers->scratch[worker].bpc;
}

PacoDwtLines *
paco_workers_lines (PacoWorkers *workers, unsigned worker)
{
  return workers->scratch[worker].lines;
}

PacoWorkers *
paco_cpu_workers_new (const PacoBackendOptions *options, GError **error)
{
  const PacoCoder *other = options->share_threads;
  PacoWorkers *workers = other && other->threads
      ? paco_workers_ref (other->threads)
      : paco_workers_new (options->threads);

  if (!workers)
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the threads of the CPU backend could not be started");
  return workers;
}

void
paco_cpu_describe (
    PacoStats *stats, const PacoWorkers *workers, const PacoCpuOps *ops)
{
  unsigned threads = paco_workers_count (workers);

  g_snprintf (stats->device, sizeof stats->device, "%u thread%s, %s", threads,
      threads == 1 ? "" : "s", ops->blocks->name);
}

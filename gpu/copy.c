/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies shared out to a few threads. */
#include "gpu/copy.h"
#include "gpu/stream.h"
#include <glib.h>
#include <string.h>

/* More do not make it faster: memory is the limit. */
#define MAX_THREADS 6
#define MIN_PART (256u << 10)

struct _PacoCopier
{
  GThreadPool *pool;
  unsigned n_threads;
};

typedef struct
{
  GMutex lock;
  GCond done;
  unsigned n_left;
} Job;

typedef struct
{
  Job *job;
  PacoStreamCopy copy;
  uint8_t *to;
  const uint8_t *from;
  size_t bytes, rows, stride;
} Part;

static void
copy_part (const Part *part)
{
  if (part->bytes == part->stride) {
    part->copy (part->to, part->from, part->bytes * part->rows);
    return;
  }
  for (size_t y = 0; y < part->rows; y++)
    part->copy (part->to + y * part->stride, part->from + y * part->stride,
        part->bytes);
}

static void
work (gpointer data, gpointer unused)
{
  Part *part = data;
  Job *job = part->job;

  copy_part (part);
  g_mutex_lock (&job->lock);
  if (--job->n_left == 0)
    g_cond_signal (&job->done);
  g_mutex_unlock (&job->lock);
}

PacoCopier *
paco_copier_new (void)
{
  PacoCopier *copier = g_new0 (PacoCopier, 1);
  unsigned n_processors = g_get_num_processors ();

  copier->n_threads = CLAMP (n_processors / 2, 1, MAX_THREADS);
  copier->pool = g_thread_pool_new (work, NULL, copier->n_threads, TRUE, NULL);
  /* There may be fewer than that, or none; who asks for a copy does a part. */
  copier->n_threads = MIN (
      copier->n_threads, 1 + g_thread_pool_get_num_threads (copier->pool));
  return copier;
}

void
paco_copier_free (PacoCopier *copier)
{
  if (copier) {
    g_thread_pool_free (copier->pool, FALSE, TRUE);
    g_free (copier);
  }
}

/* One row can be cut anywhere, several only between rows. */
static unsigned
cut (PacoCopier *copier, Part *parts, Part whole)
{
  size_t units = whole.rows == 1 ? whole.bytes : whole.rows;
  size_t unit = whole.rows == 1 ? 1 : whole.stride;
  size_t n = CLAMP (whole.bytes * whole.rows / MIN_PART, 1, copier->n_threads);
  size_t each = (units + n - 1) / n;

  if (whole.rows == 1)
    each = (each + 63) & ~(size_t) 63;
  for (unsigned i = 0; i < n; i++) {
    size_t first = MIN (i * each, units);
    size_t count = MIN (each, units - first);

    parts[i] = whole;
    parts[i].to += first * unit;
    parts[i].from += first * unit;
    if (whole.rows == 1)
      parts[i].bytes = parts[i].stride = count;
    else
      parts[i].rows = count;
  }
  return n;
}

void
paco_copier_run (PacoCopier *copier, uint8_t *to, const uint8_t *from,
    size_t bytes, size_t rows, size_t stride)
{
  Part parts[MAX_THREADS];
  Part whole = { NULL, paco_stream_copy (bytes * rows), to, from, bytes, rows,
    stride };
  Job job = { .n_left = 0 };
  unsigned n;

  if (rows == 0 || bytes == 0)
    return;
  if (rows == 1)
    whole.stride = bytes;
  n = cut (copier, parts, whole);
  if (n > 1) {
    g_mutex_init (&job.lock);
    g_cond_init (&job.done);
    job.n_left = n - 1;
    for (unsigned i = 1; i < n; i++) {
      parts[i].job = &job;
      g_thread_pool_push (copier->pool, &parts[i], NULL);
    }
  }
  copy_part (&parts[0]);
  if (n > 1) {
    g_mutex_lock (&job.lock);
    while (job.n_left > 0)
      g_cond_wait (&job.done, &job.lock);
    g_mutex_unlock (&job.lock);
    g_mutex_clear (&job.lock);
    g_cond_clear (&job.done);
  }
}

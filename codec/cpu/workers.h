/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A pool of threads that share out the items of a job, for encoder.c, decoder.c
 * and frame.c. Every frame in flight runs its own jobs at the same time as
 * the others. However many there are, at most as many threads work as the user
 * allowed. */
#pragma once
#include "codec/cpu/bpc.h"
#include "codec/cpu/dwt.h"

typedef struct _PacoWorkers PacoWorkers;

/* Does item `item`. worker, below paco_workers_count(), is a number that no other
 * thread has while the function runs. It must not start a job itself. */
typedef void (*PacoWorkFunc) (void *data, uint32_t item, unsigned worker);

/* Makes workers; threads = 0 stands for as many as processors.h says. NULL when threads
 * or memory cannot be had. */
PacoWorkers *paco_workers_new (unsigned threads);
/* Several coders may share a pool: it ends when each of them has freed it. */
PacoWorkers *paco_workers_ref (PacoWorkers *workers);
void paco_workers_free (PacoWorkers *workers);
unsigned paco_workers_count (const PacoWorkers *workers);

/* Does items 0..n_items-1, handed out in order and in groups of `chunk`; the caller
 * works as well. Returns when all are done. */
void paco_workers_run (PacoWorkers *workers, uint32_t n_items, uint32_t chunk,
    PacoWorkFunc function, void *data);

/* Working memory of a worker, for use within a PacoWorkFunc. */
PacoBpcScratch *paco_workers_bpc (PacoWorkers *workers, unsigned worker);
PacoDwtLines *paco_workers_lines (PacoWorkers *workers, unsigned worker);

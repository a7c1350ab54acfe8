/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A pool of threads that share out the items of a job. Every frame in flight
 * runs its own jobs at the same time as the others; however many there are, at
 * most as many threads work as the user allowed. */
#pragma once
#include "codec/cpu/bpc.h"
#include "codec/cpu/dwt.h"

typedef struct _PacoWorkers PacoWorkers;

/* Does item `item`; worker < paco_workers_count() is nobody else's while it
 * runs. Must not start a job itself. */
typedef void (*PacoWorkFunc) (void *data, uint32_t item, unsigned worker);

/* threads: 0 = as many as processors.h says. NULL when threads or memory cannot
 * be had. */
PacoWorkers *paco_workers_new (unsigned threads);
void paco_workers_free (PacoWorkers *workers);
unsigned paco_workers_count (const PacoWorkers *workers);

/* Does items 0..n_items-1, in groups of `chunk` handed out in order; the
 * caller works too. Returns when all are done. */
void paco_workers_run (PacoWorkers *workers, uint32_t n_items, uint32_t chunk,
    PacoWorkFunc function, void *data);

/* Working memory of a worker, for use within a PacoWorkFunc. */
PacoBpcScratch *paco_workers_bpc (PacoWorkers *workers, unsigned worker);
PacoDwtLines *paco_workers_lines (PacoWorkers *workers, unsigned worker);

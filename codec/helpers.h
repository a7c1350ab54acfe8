/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A few threads that do parts of what their caller does: for work that is bound
 * by memory, where few threads are as fast as many (gpu/copy.c copies with them,
 * plugin/parse/gstpacoreader.c reads). Work that wants all processors has
 * codec/cpu/workers.c. */
#pragma once
#include <glib.h>

G_BEGIN_DECLS

/* How many threads work at most, the caller's included. More would not make copies
 * faster, as memory is the limit. */
#define PACO_MAX_HELPERS 6

typedef struct _PacoHelpers PacoHelpers;

/* Makes half as many helpers as there are processors, at most PACO_MAX_HELPERS. If no
 * thread can be created, the caller does all parts itself. */
PacoHelpers *paco_helpers_new (void);
/* Frees helpers, which may be NULL. */
void paco_helpers_free (PacoHelpers *helpers);

/* Returns how many parts are done at the same time, the caller's included: from 1 to
 * PACO_MAX_HELPERS. */
unsigned paco_helpers_count (const PacoHelpers *helpers);

/* Calls func (data, 0) to func (data, n_parts - 1), one of them in the caller's
 * thread, and returns when all have returned. n_parts is from 1 to
 * paco_helpers_count(). Any number of threads may call it at once. */
void paco_helpers_run (PacoHelpers *helpers, unsigned n_parts,
    void (*func) (void *data, unsigned part), void *data);

G_END_DECLS

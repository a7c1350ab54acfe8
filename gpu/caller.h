/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A thread that makes calls of the driver for threads that cannot wait for ever: a call
 * that never returns blocks this thread, and others no longer than a time limit. Every
 * open device has one. Flights' threads call the driver themselves; codec/coder.c
 * limits how long they are waited for. */
#pragma once
#include <glib.h>
#include <stdbool.h>

typedef struct _PacoCaller PacoCaller;

/* Returns NULL and error MEMORY when no thread can be created. */
PacoCaller *paco_caller_new (GError **error);
/* The thread makes the calls that are waiting, and ends. */
void paco_caller_close (PacoCaller *caller);

/* Makes the thread call func(data) after the calls before it, and waits until it has
 * returned; in the thread itself func is simply called. FALSE if this call or one
 * before it has taken longer than timeout (microseconds). Then data belongs to the
 * thread: if the call returns after all, the thread calls late(data), after func if
 * func had begun. Without `late`, func is called in any case. */
bool paco_caller_call (PacoCaller *caller, gint64 timeout,
    void (*func) (void *data), void (*late) (void *data), void *data);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A thread of ours that makes calls of the driver for whoever cannot wait for
 * ever: a call that never returns keeps that thread, and nobody else for longer
 * than a time that is set. Every device that is open has one (device.c). What
 * the flights' threads call is not made here; waiting for them has its limit in
 * codec/coder.c. */
#pragma once
#include <glib.h>
#include <stdbool.h>

G_BEGIN_DECLS

typedef struct _PacoCaller PacoCaller;

/* NULL and error MEMORY when a thread cannot be had. */
PacoCaller *paco_caller_new (GError **error);
/* The thread ends after the calls that are waiting. */
void paco_caller_close (PacoCaller *caller);

/* Has the thread call func(data), one call after the other, and waits until it
 * has returned; in the thread itself func is just called. FALSE when the call
 * that is being made, this one or one before it, has taken longer than timeout
 * (microseconds). data then stays with the thread: should that call return, it
 * calls late(data), after func if that had begun. Without `late`, func is called
 * in any case. */
bool paco_caller_call (PacoCaller *caller, gint64 timeout,
    void (*func) (void *data), void (*late) (void *data), void *data);

G_END_DECLS

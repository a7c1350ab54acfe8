/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A thread that makes calls of the driver for threads that cannot wait for ever: a
 * call that never returns blocks this thread, and blocks others no longer than a
 * time limit. Every open device has one (device.c). Flights' threads call the driver
 * themselves; how long they are waited for is limited in codec/coder.c. */
#pragma once
#include <glib.h>
#include <stdbool.h>

typedef struct _PacoCaller PacoCaller;

/* Returns NULL and error MEMORY when no thread can be created. */
PacoCaller *paco_caller_new (GError **error);
/* The thread makes the calls that are waiting, and ends. */
void paco_caller_close (PacoCaller *caller);

/* Makes the thread call func(data) after the calls before it, and waits until it has
 * returned. In the thread itself func is simply called. FALSE when the call that is
 * being made, this one or one before it, has taken longer than timeout
 * (microseconds). Then data belongs to the thread: if that call returns after all,
 * the thread calls late(data), and does so after func if func had begun. Without
 * `late`, func is called in any case. */
bool paco_caller_call (PacoCaller *caller, gint64 timeout,
    void (*func) (void *data), void (*late) (void *data), void *data);

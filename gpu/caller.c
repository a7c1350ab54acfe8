/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A queue of calls, and the thread that makes them. The queue belongs to its thread, to
 * its owner and to those that wait. */
#include "gpu/caller.h"
#include "codec/error.h"

typedef struct
{
  void (*func) (void *data);
  void (*late) (void *data);
  void *data;
  bool done, abandoned;
} Call;

struct _PacoCaller
{
  gint references; /* atomic */
  GMutex lock;     /* of what follows */
  GCond changed;
  GThread *thread;
  GQueue calls; /* that wait, of Call */
  gint64 since; /* when the call that is being made began; 0: there is none */
  bool quit;
};

static void
unref (PacoCaller *caller)
{
  if (!g_atomic_int_dec_and_test (&caller->references))
    return;
  g_cond_clear (&caller->changed);
  g_mutex_clear (&caller->lock);
  g_free (caller);
}

/* The lock is held, but not during the call. */
static void
make_call (PacoCaller *caller, Call *call)
{
  bool wanted = !call->abandoned || !call->late;
  bool late;

  caller->since = g_get_monotonic_time ();
  g_mutex_unlock (&caller->lock);
  if (wanted)
    call->func (call->data);
  g_mutex_lock (&caller->lock);
  late = call->abandoned;
  call->done = true;
  if (late) {
    g_mutex_unlock (&caller->lock);
    if (call->late)
      call->late (call->data);
    g_free (call);
    g_mutex_lock (&caller->lock);
  }
  caller->since = 0;
  g_cond_broadcast (&caller->changed);
}

static gpointer
caller_main (gpointer data)
{
  PacoCaller *caller = data;
  Call *call;

  g_mutex_lock (&caller->lock);
  caller->thread = g_thread_self ();
  while ((call = g_queue_pop_head (&caller->calls)) || !caller->quit) {
    if (call)
      make_call (caller, call);
    else
      g_cond_wait (&caller->changed, &caller->lock);
  }
  g_mutex_unlock (&caller->lock);
  unref (caller);
  return NULL;
}

PacoCaller *
paco_caller_new (GError **error)
{
  PacoCaller *caller = g_new0 (PacoCaller, 1);
  GThread *thread;

  caller->references = 2;
  g_mutex_init (&caller->lock);
  g_cond_init (&caller->changed);
  g_queue_init (&caller->calls);
  thread = g_thread_try_new ("paco-device", caller_main, caller, NULL);
  if (thread) {
    g_thread_unref (thread);
    return caller;
  }
  g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
      "the thread of a device could not be started");
  unref (caller);
  unref (caller);
  return NULL;
}

void
paco_caller_close (PacoCaller *caller)
{
  g_mutex_lock (&caller->lock);
  caller->quit = true;
  g_cond_broadcast (&caller->changed);
  g_mutex_unlock (&caller->lock);
  unref (caller);
}

/* Waits for a call. FALSE when that or one before it has taken too long. The lock
 * is held. */
static bool
wait_for (PacoCaller *caller, const Call *call, gint64 timeout)
{
  while (!call->done) {
    gint64 since = caller->since ? caller->since : g_get_monotonic_time ();

    if (!g_cond_wait_until (&caller->changed, &caller->lock, since + timeout)
        && !call->done && caller->since > 0
        && g_get_monotonic_time () >= caller->since + timeout)
      return false;
  }
  return true;
}

bool
paco_caller_call (PacoCaller *caller, gint64 timeout, void (*func) (void *data),
    void (*late) (void *data), void *data)
{
  Call *call;
  bool done;

  g_mutex_lock (&caller->lock);
  if (caller->thread == g_thread_self ()) {
    g_mutex_unlock (&caller->lock);
    func (data);
    return true;
  }
  call = g_new (Call, 1);
  *call = (Call){ .func = func, .late = late, .data = data };
  g_atomic_int_inc (&caller->references);
  g_queue_push_tail (&caller->calls, call);
  g_cond_broadcast (&caller->changed);
  done = wait_for (caller, call, timeout);
  call->abandoned = !done;
  g_mutex_unlock (&caller->lock);
  if (done)
    g_free (call);
  unref (caller);
  return done;
}

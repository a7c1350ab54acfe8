/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Memory that is used again (recycler.h). The owner and each item that is in use have a
 * reference to the recycler. */
#include "codec/recycler.h"
#include <stddef.h>

struct _PacoRecycler
{
  gint references;
  const PacoRecyclerClass *klass;
  void *user;
  GMutex lock; /* guards what follows */
  PacoRecyclerLimits limits;
  PacoRecycled *idle; /* the item that came back last is first */
  unsigned n_idle, n_alive;
  size_t idle_bytes;
  unsigned generation; /* of reset() */
};

PacoRecycler *
paco_recycler_new (const PacoRecyclerClass *klass,
    const PacoRecyclerLimits *limits, void *user)
{
  PacoRecycler *recycler = g_new0 (PacoRecycler, 1);

  recycler->references = 1;
  recycler->klass = klass;
  recycler->limits = *limits;
  recycler->user = user;
  g_mutex_init (&recycler->lock);
  return recycler;
}

static void
unref (PacoRecycler *recycler)
{
  if (!g_atomic_int_dec_and_test (&recycler->references))
    return;
  g_mutex_clear (&recycler->lock);
  g_free (recycler);
}

static void
item_free (const PacoRecycler *recycler, PacoRecycled *item)
{
  recycler->klass->release (item);
  g_free (item);
}

void
paco_recycler_limit (PacoRecycler *recycler, const PacoRecyclerLimits *limits)
{
  g_mutex_lock (&recycler->lock);
  recycler->limits = *limits;
  g_mutex_unlock (&recycler->lock);
}

void
paco_recycler_reset (PacoRecycler *recycler)
{
  PacoRecycled *idle;

  g_mutex_lock (&recycler->lock);
  idle = g_steal_pointer (&recycler->idle);
  recycler->n_alive -= recycler->n_idle;
  recycler->n_idle = 0;
  recycler->idle_bytes = 0;
  recycler->generation++;
  g_mutex_unlock (&recycler->lock);
  while (idle) {
    PacoRecycled *next = idle->next;

    item_free (recycler, idle);
    idle = next;
  }
}

void
paco_recycler_free (PacoRecycler *recycler)
{
  if (!recycler)
    return;
  paco_recycler_reset (recycler);
  unref (recycler);
}

static bool
fits (const PacoRecycler *recycler, const PacoRecycled *item, size_t size)
{
  return item->size >= size
      && (!recycler->klass->tight || item->size / 2 <= size);
}

/* Takes the first idle item that fits, or the first one. The lock is held. */
static PacoRecycled *
take_idle (PacoRecycler *recycler, size_t size)
{
  PacoRecycled **at = &recycler->idle, *item;

  while (*at && !fits (recycler, *at, size))
    at = &(*at)->next;
  if (!*at)
    at = &recycler->idle;
  item = *at;
  if (item) {
    *at = item->next;
    recycler->n_idle--;
    recycler->idle_bytes -= item->size;
  }
  return item;
}

/* The lock is held. */
static void
add_idle (PacoRecycler *recycler, PacoRecycled *item)
{
  item->next = recycler->idle;
  recycler->idle = item;
  recycler->n_idle++;
  recycler->idle_bytes += item->size;
}

/* Makes an item, which n_alive counts already. */
static PacoRecycled *
item_new (PacoRecycler *recycler, size_t size, GError **error)
{
  PacoRecycled *item = g_malloc0 (recycler->klass->item_size);
  bool done = recycler->klass->allocate (item, size, recycler->user, error);

  item->recycler = recycler;
  g_mutex_lock (&recycler->lock);
  item->generation = recycler->generation;
  recycler->n_alive -= !done;
  g_mutex_unlock (&recycler->lock);
  if (!done)
    g_clear_pointer (&item, g_free);
  return item;
}

void *
paco_recycler_take (PacoRecycler *recycler, size_t size, GError **error)
{
  PacoRecycled *item;
  bool allowed;

  g_mutex_lock (&recycler->lock);
  item = take_idle (recycler, size);
  allowed = item || recycler->n_alive < recycler->limits.alive;
  recycler->n_alive += !item && allowed;
  g_mutex_unlock (&recycler->lock);
  if (item && !fits (recycler, item, size)) {
    item_free (recycler, item);
    item = NULL;
  }
  if (!item && allowed)
    item = item_new (recycler, size, error);
  if (item)
    g_atomic_int_inc (&recycler->references);
  return item;
}

bool
paco_recycler_fill (
    PacoRecycler *recycler, unsigned n, size_t size, GError **error)
{
  for (;;) {
    PacoRecycled *item;
    bool full;

    g_mutex_lock (&recycler->lock);
    full = recycler->n_alive >= n;
    recycler->n_alive += !full;
    g_mutex_unlock (&recycler->lock);
    if (full)
      return true;
    item = item_new (recycler, size, error);
    if (!item)
      return false;
    g_mutex_lock (&recycler->lock);
    add_idle (recycler, item);
    g_mutex_unlock (&recycler->lock);
  }
}

/* Says whether an item that comes back is kept. The lock is held. */
static bool
has_room (const PacoRecycler *recycler, const PacoRecycled *item)
{
  const PacoRecyclerLimits *limits = &recycler->limits;

  return item->generation == recycler->generation
      && (recycler->n_idle < limits->least
          || (recycler->n_idle < limits->most
              && item->size <= limits->most_bytes
              && recycler->idle_bytes <= limits->most_bytes - item->size));
}

/* Takes back an item, and keeps it if it may. */
static void
take_back (PacoRecycled *item, bool may_keep)
{
  PacoRecycler *recycler = item->recycler;
  bool keep;

  g_mutex_lock (&recycler->lock);
  keep = may_keep && has_room (recycler, item);
  if (keep)
    add_idle (recycler, item);
  else
    recycler->n_alive--;
  g_mutex_unlock (&recycler->lock);
  if (!keep)
    item_free (recycler, item);
  unref (recycler);
}

void
paco_recycler_give (void *item)
{
  PacoRecycled *recycled = item;

  if (recycled && recycled->recycler)
    take_back (recycled, true);
  else
    g_free (recycled);
}

void
paco_recycler_drop (void *item)
{
  take_back (item, false);
}

unsigned
paco_recycler_used (PacoRecycler *recycler)
{
  unsigned n;

  g_mutex_lock (&recycler->lock);
  n = recycler->n_alive - recycler->n_idle;
  g_mutex_unlock (&recycler->lock);
  return n;
}

/* --- coded frames --- */

static void
release_frame (PacoEncodedFrame *frame)
{
  g_clear_error (&frame->error);
  paco_recycler_give ((uint8_t *) frame - offsetof (PacoRecycledFrame, frame));
}

PacoRecycledFrame *
paco_recycler_take_frame (PacoRecycler *recycler, size_t size, GError **error)
{
  PacoRecycledFrame *item = paco_recycler_take (recycler, size, error);

  if (item)
    item->frame = (PacoEncodedFrame){
      .data = item->memory.data,
      .size = size,
      .release = release_frame,
    };
  return item;
}

static bool
allocate_plain (void *item, size_t size, void *user, GError **error)
{
  PacoRecycled *memory = item;

  memory->size = size + size / 8;
  memory->data = g_try_malloc (memory->size);
  return memory->data != NULL;
}

static void
release_plain (void *item)
{
  g_free (((PacoRecycled *) item)->data);
}

const PacoRecyclerClass paco_plain_frames = {
  .item_size = sizeof (PacoRecycledFrame),
  .allocate = allocate_plain,
  .release = release_plain,
};

PacoEncodedFrame *
paco_encoded_frame_empty (GError *error)
{
  PacoRecycledFrame *item = g_new0 (PacoRecycledFrame, 1);

  item->frame.error = error;
  item->frame.release = release_frame;
  return &item->frame;
}

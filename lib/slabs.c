/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps memory for frames that is used again, for reader.c (slabs.h). */
#include "slabs.h"

enum
{
  MAX_KEPT = 16,
  MAX_KEPT_BYTES = 1 << 26, /* One slab is kept whatever its size. */
  EXTRA_SHARE = 8, /* a slab has 1/8 more than was asked for: frames differ */
};

struct PacoSlabs
{
  gint references; /* the owner's, and those of slabs that are taken */
  GMutex lock;
  unsigned n_kept;
  size_t kept_bytes;
  PacoSlab *kept[MAX_KEPT]; /* NULL's behind them */
  bool closed;
};

PacoSlabs *
paco_slabs_new (void)
{
  PacoSlabs *slabs = g_try_new0 (PacoSlabs, 1);

  if (!slabs)
    return NULL;
  slabs->references = 1;
  g_mutex_init (&slabs->lock);
  return slabs;
}

static void
free_slab (PacoSlab *slab)
{
  g_free (slab->bytes);
  g_free (slab);
}

static void
unref (PacoSlabs *slabs)
{
  if (!g_atomic_int_dec_and_test (&slabs->references))
    return;
  for (unsigned i = 0; i < slabs->n_kept; i++)
    free_slab (slabs->kept[i]);
  g_mutex_clear (&slabs->lock);
  g_free (slabs);
}

void
paco_slabs_free (PacoSlabs *slabs)
{
  if (!slabs)
    return;
  g_mutex_lock (&slabs->lock);
  slabs->closed = true;
  g_mutex_unlock (&slabs->lock);
  unref (slabs);
}

static void
give_back (PacoEncodedFrame *frame)
{
  PacoSlab *slab = (PacoSlab *) frame;
  PacoSlabs *slabs = slab->slabs;
  bool keep;

  g_mutex_lock (&slabs->lock);
  keep = !slabs->closed && slabs->n_kept < MAX_KEPT
      && (slabs->n_kept == 0
          || slabs->kept_bytes + slab->capacity <= MAX_KEPT_BYTES);
  if (keep) {
    slabs->kept[slabs->n_kept++] = slab;
    slabs->kept_bytes += slab->capacity;
  }
  g_mutex_unlock (&slabs->lock);
  if (!keep)
    free_slab (slab);
  unref (slabs);
}

/* Takes the slab that was kept last, which is most likely in a cache. */
static PacoSlab *
take_kept (PacoSlabs *slabs)
{
  PacoSlab *slab = NULL;

  g_mutex_lock (&slabs->lock);
  if (slabs->n_kept > 0) {
    slab = slabs->kept[--slabs->n_kept];
    slabs->kept_bytes -= slab->capacity;
  }
  g_mutex_unlock (&slabs->lock);
  return slab ? slab : g_try_new0 (PacoSlab, 1);
}

PacoSlab *
paco_slabs_take (PacoSlabs *slabs, size_t size)
{
  PacoSlab *slab = take_kept (slabs);

  if (!slab)
    return NULL;
  if (slab->capacity < size) {
    g_free (slab->bytes);
    slab->capacity = size + size / EXTRA_SHARE;
    slab->bytes = g_try_malloc (slab->capacity);
    if (!slab->bytes) {
      g_free (slab);
      return NULL;
    }
  }
  slab->slabs = slabs;
  slab->frame.release = give_back;
  g_atomic_int_inc (&slabs->references);
  return slab;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps bytes of a file in memory of a coder (bytes.h), which lib/paco.h gives. */
#include "tool/archive/bytes.h"
#include <string.h>

PacoBytes *
paco_bytes_new (void)
{
  return g_new0 (PacoBytes, 1);
}

static void
release (PacoBytes *bytes)
{
  if (bytes->buffer.data)
    paco_buffer_release (&bytes->buffer);
  else
    g_free (bytes->data);
}

void
paco_bytes_free (PacoBytes *bytes)
{
  if (!bytes)
    return;
  release (bytes);
  g_free (bytes);
}

/* Returns memory of the coder, if there is one and it has any. */
static PacoBuffer
allocate (const PacoBytes *bytes, gsize size)
{
  PacoBuffer buffer = { NULL };

  if (bytes->encoder)
    paco_frame_encoder_allocate (bytes->encoder, size, &buffer, NULL);
  else if (bytes->decoder)
    paco_frame_decoder_allocate (bytes->decoder, size, &buffer, NULL);
  return buffer;
}

/* Makes room for so many bytes, of which the first `keep` are those that are there. */
static void
reserve (PacoBytes *bytes, gsize capacity, gsize keep)
{
  PacoBytes old = *bytes;

  if (keep == 0)
    release (&old);
  bytes->buffer = allocate (bytes, capacity);
  bytes->data = bytes->buffer.data ? bytes->buffer.data : g_malloc (capacity);
  bytes->capacity = capacity;
  if (keep == 0)
    return;
  memcpy (bytes->data, old.data, keep);
  release (&old);
}

void
paco_bytes_set_size (PacoBytes *bytes, gsize size)
{
  /* The next file may be somewhat larger. */
  if (size > bytes->capacity)
    reserve (bytes, bytes->capacity > 0 ? size + size / 8 : size, 0);
  bytes->len = size;
}

void
paco_bytes_append (PacoBytes *bytes, const guint8 *data, gsize size)
{
  gsize at = bytes->len;

  /* Memory doubles, so that files that grow piece by piece are not moved each time. */
  if (at + size > bytes->capacity)
    reserve (bytes, MAX (at + size, at > 0 ? bytes->capacity * 2 : 0), at);
  bytes->len = at + size;
  if (size > 0)
    memcpy (bytes->data + at, data, size);
}

/* --- the pool ---------------------------------------------------------------- */

struct PacoBytesPool
{
  GMutex lock;
  GPtrArray *there; /* the last one was given back last */
  gsize kept, most; /* Their bytes, and those that there may be. */
  PacoFrameEncoder *encoder;
  PacoFrameDecoder *decoder;
};

static void
free_bytes (gpointer bytes)
{
  paco_bytes_free (bytes);
}

PacoBytesPool *
paco_bytes_pool_new (
    PacoFrameEncoder *encoder, PacoFrameDecoder *decoder, gsize most)
{
  PacoBytesPool *pool = g_new0 (PacoBytesPool, 1);

  g_mutex_init (&pool->lock);
  pool->there = g_ptr_array_new_with_free_func (free_bytes);
  pool->most = most;
  pool->encoder = encoder;
  pool->decoder = decoder;
  return pool;
}

void
paco_bytes_pool_free (PacoBytesPool *pool)
{
  if (!pool)
    return;
  g_ptr_array_unref (pool->there);
  g_mutex_clear (&pool->lock);
  g_free (pool);
}

PacoBytes *
paco_bytes_pool_take (PacoBytesPool *pool)
{
  PacoBytes *bytes = NULL;

  g_mutex_lock (&pool->lock);
  if (pool->there->len > 0)
    bytes = g_ptr_array_steal_index (pool->there, pool->there->len - 1);
  if (bytes)
    pool->kept -= bytes->capacity;
  g_mutex_unlock (&pool->lock);
  if (bytes)
    return bytes;
  bytes = paco_bytes_new ();
  bytes->encoder = pool->encoder;
  bytes->decoder = pool->decoder;
  return bytes;
}

void
paco_bytes_pool_give (PacoBytesPool *pool, PacoBytes *bytes)
{
  if (!bytes)
    return;
  g_mutex_lock (&pool->lock);
  if (pool->there->len == 0 || bytes->capacity + pool->kept <= pool->most) {
    g_ptr_array_add (pool->there, bytes);
    pool->kept += bytes->capacity;
    bytes = NULL;
  }
  g_mutex_unlock (&pool->lock);
  paco_bytes_free (bytes);
}

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
release (void *item)
{
  PacoBytes *bytes = item;

  if (bytes->buffer.data)
    paco_buffer_release (&bytes->buffer);
  else
    g_free (bytes->data);
}

void
paco_bytes_free (PacoBytes *bytes)
{
  if (bytes && bytes->item.recycler) {
    paco_recycler_drop (bytes);
  } else if (bytes) {
    release (bytes);
    g_free (bytes);
  }
}

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

/* Makes room for `capacity` bytes, and keeps the first `keep` ones. */
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
  PacoRecycler *there;
  PacoFrameEncoder *encoder;
  PacoFrameDecoder *decoder;
};

/* New bytes are empty: they allocate when they get a size. */
static bool
set_coder (void *item, size_t size, void *user, GError **error)
{
  const PacoBytesPool *pool = user;
  PacoBytes *bytes = item;

  bytes->encoder = pool->encoder;
  bytes->decoder = pool->decoder;
  return true;
}

PacoBytesPool *
paco_bytes_pool_new (
    PacoFrameEncoder *encoder, PacoFrameDecoder *decoder, gsize most)
{
  static const PacoRecyclerClass klass = {
    .item_size = sizeof (PacoBytes),
    .allocate = set_coder,
    .release = release,
  };
  const PacoRecyclerLimits limits = {
    .least = 1, .most = G_MAXUINT, .most_bytes = most, .alive = G_MAXUINT
  };
  PacoBytesPool *pool = g_new0 (PacoBytesPool, 1);

  pool->there = paco_recycler_new (&klass, &limits, pool);
  pool->encoder = encoder;
  pool->decoder = decoder;
  return pool;
}

void
paco_bytes_pool_free (PacoBytesPool *pool)
{
  if (!pool)
    return;
  paco_recycler_free (pool->there);
  g_free (pool);
}

PacoBytes *
paco_bytes_pool_take (PacoBytesPool *pool)
{
  return paco_recycler_take (pool->there, 0, NULL);
}

void
paco_bytes_pool_give (PacoBytes *bytes)
{
  if (bytes)
    bytes->item.size = bytes->capacity;
  paco_recycler_give (bytes);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps bytes of a file in memory of a coder (bytes.h), which lib/paco.h gives. */
#include "archive/bytes.h"
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

void
paco_bytes_set_size (PacoBytes *bytes, gsize size)
{
  if (size > bytes->capacity) {
    /* Memory doubles, so that files that grow piece by piece are not moved each
     * time. */
    gsize capacity = MAX (size, bytes->len > 0 ? bytes->capacity * 2 : 0);
    PacoBuffer buffer = allocate (bytes, capacity);
    guint8 *data = buffer.data ? buffer.data : g_malloc (capacity);

    if (bytes->len > 0)
      memcpy (data, bytes->data, bytes->len);
    release (bytes);
    bytes->data = data;
    bytes->buffer = buffer;
    bytes->capacity = capacity;
  }
  bytes->len = size;
}

void
paco_bytes_append (PacoBytes *bytes, const guint8 *data, gsize size)
{
  gsize at = bytes->len;

  paco_bytes_set_size (bytes, at + size);
  if (size > 0)
    memcpy (bytes->data + at, data, size);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Cuts bytes that are pushed into frames and what is between them, for pacoparse
 * (gstpacosplitter.h). lib/stream/sync.c finds the frames. */
#include "gstpacosplitter.h"
#include "codec/error.h"
#include <string.h>

enum
{
  MIN_CAPACITY = 4096,
};

static void
release_input (GstPacoSplitter *splitter)
{
  if (splitter->input) {
    gst_buffer_unmap (splitter->input, &splitter->map);
    gst_clear_buffer (&splitter->input);
  }
  splitter->input_at = 0;
}

static gsize
input_left (const GstPacoSplitter *splitter)
{
  return splitter->input ? splitter->map.size - splitter->input_at : 0;
}

void
gst_paco_splitter_reset (GstPacoSplitter *splitter, guint64 offset)
{
  release_input (splitter);
  g_clear_pointer (&splitter->data, g_free);
  splitter->start = splitter->size = splitter->capacity = splitter->needed = 0;
  splitter->n_marks = 0;
  splitter->copied = 0;
  splitter->discont = FALSE;
  splitter->offset = offset;
  paco_sync_reset (&splitter->sync, offset);
}

/* --- time stamps ------------------------------------------------------ */

/* Only the last buffer that begins within what is waited for matters: the next piece
 * begins there, if any frame does. So there is one mark at or before the bytes held,
 * one among them, and one of what came in last. */
static void
add_mark (GstPacoSplitter *splitter, const GstBuffer *buffer)
{
  guint64 offset = splitter->offset + splitter->size;
  guint n = splitter->n_marks;

  if (!GST_BUFFER_PTS_IS_VALID (buffer) && !GST_BUFFER_DTS_IS_VALID (buffer))
    return;
  if (n == G_N_ELEMENTS (splitter->marks)
      || (n > 0 && splitter->marks[n - 1].offset > splitter->offset))
    n--;
  splitter->marks[n] = (GstPacoMark){
    .offset = offset,
    .pts = GST_BUFFER_PTS (buffer),
    .dts = GST_BUFFER_DTS (buffer),
  };
  splitter->n_marks = n + 1;
}

/* The last buffer that begins here or before has the times, once. */
static void
stamp (GstPacoSplitter *splitter, GstBuffer *piece)
{
  guint passed = 0;

  while (passed < splitter->n_marks
      && splitter->marks[passed].offset <= splitter->offset)
    passed++;
  GST_BUFFER_PTS (piece) = GST_BUFFER_DTS (piece) = GST_CLOCK_TIME_NONE;
  if (passed > 0) {
    GST_BUFFER_PTS (piece) = splitter->marks[passed - 1].pts;
    GST_BUFFER_DTS (piece) = splitter->marks[passed - 1].dts;
  }
  splitter->n_marks -= passed;
  memmove (splitter->marks, splitter->marks + passed,
      splitter->n_marks * sizeof splitter->marks[0]);
}

/* --- bytes that are held ---------------------------------------------- */

/* Makes room for `size` bytes. A frame that is waited for from its first byte on
 * gets no more than it needs. If frames were doubted and given up, bytes move
 * only after a quarter as many have left. */
static gboolean
reserve (GstPacoSplitter *splitter, gsize size, GError **error)
{
  gsize capacity = MAX (size, MIN (2 * splitter->capacity, splitter->needed));
  guint8 *data;

  if (splitter->start + size <= splitter->capacity)
    return TRUE;
  if (size <= splitter->capacity && splitter->start >= splitter->size / 4) {
    memmove (splitter->data, splitter->data + splitter->start, splitter->size);
    splitter->start = 0;
    splitter->copied += splitter->size;
    return TRUE;
  }
  capacity = MAX (capacity, MIN_CAPACITY);
  if (splitter->start > 0)
    capacity += splitter->start + size / 4;
  data = g_try_realloc (splitter->data, capacity);
  if (!data) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "There is not enough memory to wait for a frame of %" G_GSIZE_FORMAT
        " bytes; a lower max-wait-size of pacoparse takes such frames for "
        "damage.",
        splitter->needed);
    return FALSE;
  }
  splitter->data = data;
  splitter->capacity = capacity;
  splitter->copied += splitter->start + splitter->size;
  return TRUE;
}

static gboolean
hold (GstPacoSplitter *splitter, gsize size, GError **error)
{
  if (!reserve (splitter, splitter->size + size, error))
    return FALSE;
  memcpy (splitter->data + splitter->start + splitter->size,
      splitter->map.data + splitter->input_at, size);
  splitter->size += size;
  splitter->input_at += size;
  splitter->copied += size;
  return TRUE;
}

/* The memory becomes the buffer's if these are most of the bytes held. */
static GstBuffer *
take_held (GstPacoSplitter *splitter, gsize size)
{
  gsize rest = splitter->size - size;
  guint8 *data = splitter->data;
  GstBuffer *buffer;

  if (rest > size) {
    buffer = gst_buffer_new_memdup (data + splitter->start, size);
    splitter->start += size;
  } else {
    guint8 *copy = rest ? g_memdup2 (data + splitter->start + size, rest)
                        : NULL;

    buffer = gst_buffer_new_wrapped_full (
        0, data, splitter->capacity, splitter->start, size, data, g_free);
    splitter->data = copy;
    splitter->start = 0;
    splitter->capacity = rest;
  }
  splitter->size = rest;
  splitter->needed = 0;
  splitter->copied += MIN (size, rest);
  return buffer;
}

static GstBuffer *
take_input (GstPacoSplitter *splitter, gsize size)
{
  GstBuffer *buffer = gst_buffer_copy_region (
      splitter->input, GST_BUFFER_COPY_MEMORY, splitter->input_at, size);

  splitter->input_at += size;
  return buffer;
}

/* --- in and out ------------------------------------------------------- */

gboolean
gst_paco_splitter_push (GstPacoSplitter *splitter, GstBuffer *buffer)
{
  release_input (splitter);
  if (!gst_buffer_map (buffer, &splitter->map, GST_MAP_READ)) {
    gst_buffer_unref (buffer);
    return FALSE;
  }
  splitter->input = buffer;
  splitter->discont |= GST_BUFFER_IS_DISCONT (buffer);
  add_mark (splitter, buffer);
  return TRUE;
}

/* Holds what is needed to go on. Returns FALSE if there is nothing to look at. */
static gboolean
gather (GstPacoSplitter *splitter, gboolean last, GError **error)
{
  gsize left = input_left (splitter);

  if (splitter->size == 0)
    return left > 0;
  if (splitter->size < splitter->needed && left > 0
      && !hold (splitter, MIN (left, splitter->needed - splitter->size), error))
    return FALSE;
  return splitter->size >= splitter->needed || last;
}

gboolean
gst_paco_splitter_next (GstPacoSplitter *splitter, gboolean last,
    GstPacoPiece *piece, GError **error)
{
  while (gather (splitter, last, error)) {
    gboolean held = splitter->size > 0;
    const guint8 *data = held ? splitter->data + splitter->start
                              : splitter->map.data + splitter->input_at;
    gsize available = held ? splitter->size : input_left (splitter), size;
    PacoSyncResult result;

    piece->reason = NULL;
    result = paco_sync_next (&splitter->sync, splitter->offset, data, available,
        last && (!held || input_left (splitter) == 0), FALSE, &size,
        &piece->reason);
    if (result == PACO_SYNC_MORE) {
      splitter->needed = size;
      if (!held && !hold (splitter, available, error))
        return FALSE;
      continue;
    }
    piece->size = size;
    piece->is_frame = result == PACO_SYNC_FRAME;
    piece->buffer = held ? take_held (splitter, size)
                         : take_input (splitter, size);
    stamp (splitter, piece->buffer);
    if (splitter->discont)
      GST_BUFFER_FLAG_SET (piece->buffer, GST_BUFFER_FLAG_DISCONT);
    splitter->discont = FALSE;
    splitter->offset += size;
    return TRUE;
  }
  if (input_left (splitter) == 0)
    release_input (splitter);
  return FALSE;
}

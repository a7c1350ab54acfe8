/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Where the frames of a file are.
 *
 * Hopping reads 20 bytes of each frame: nothing on a disk that answers in
 * microseconds, but a walk over the whole surface of one that has to seek. So
 * it is done in slices, and given up where an answer takes milliseconds; then
 * positions are estimated from the bitrate, as in any elementary stream. */
#include "gstpacofileindex.h"
#include "codec/header.h"

enum
{
  FIRST_HOPS = 8, /* before one judges */
  SLOW_HOP_US = 1000,
};

struct _GstPacoFileIndex
{
  /* Only the streaming thread changes the index. */
  guint64 next; /* offset behind the last frame */
  guint64 size; /* of the file, 0 as long as it is not known */
  gboolean given_up;

  GMutex lock;     /* of what follows: seeks come from other threads */
  GArray *offsets; /* guint64 */
  gboolean complete;
};

GstPacoFileIndex *
gst_paco_file_index_new (guint64 first)
{
  GstPacoFileIndex *index = g_new0 (GstPacoFileIndex, 1);

  g_mutex_init (&index->lock);
  index->offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  index->next = first;
  return index;
}

void
gst_paco_file_index_free (GstPacoFileIndex *index)
{
  if (!index)
    return;
  g_array_unref (index->offsets);
  g_mutex_clear (&index->lock);
  g_free (index);
}

static gboolean
read_frame_size (GstPad *pad, guint64 offset, guint64 *size)
{
  GstBuffer *buffer = NULL;
  guint8 data[PACO_HEADER_PEEK_SIZE];
  PacoHeader header;
  gsize got;

  if (gst_pad_pull_range (pad, offset, sizeof data, &buffer) != GST_FLOW_OK)
    return FALSE;
  got = gst_buffer_extract (buffer, 0, data, sizeof data);
  gst_buffer_unref (buffer);
  if (!paco_header_peek (data, got, &header, NULL))
    return FALSE;
  *size = header.frame_size;
  return TRUE;
}

static void
set_complete (GstPacoFileIndex *index)
{
  g_mutex_lock (&index->lock);
  index->complete = TRUE;
  g_mutex_unlock (&index->lock);
}

/* Adds the frame behind the last one. FALSE: there is none. A frame that is
 * cut by the end of the file does not count; a damaged place ends the index,
 * since it does not say how much time it covers. */
static gboolean
hop (GstPacoFileIndex *index, GstPad *pad)
{
  guint64 size;

  if (index->next == index->size) {
    set_complete (index);
    return FALSE;
  }
  if (!read_frame_size (pad, index->next, &size)) {
    index->given_up = TRUE;
    return FALSE;
  }
  if (size > index->size - index->next) {
    set_complete (index);
    return FALSE;
  }
  g_mutex_lock (&index->lock);
  g_array_append_val (index->offsets, index->next);
  g_mutex_unlock (&index->lock);
  index->next += size;
  return TRUE;
}

gboolean
gst_paco_file_index_extend (
    GstPacoFileIndex *index, GstPad *pad, guint at_least, gint64 budget)
{
  gint64 start = g_get_monotonic_time (), before = start, now = start;
  gint64 fastest = G_MAXINT64;

  if (index->complete || index->given_up)
    return FALSE;
  if (!index->size) {
    gint64 size;

    if (!gst_pad_peer_query_duration (pad, GST_FORMAT_BYTES, &size) || size < 0
        || (guint64) size < index->next)
      index->given_up = TRUE;
    else
      index->size = size;
  }
  for (guint hops = 1; !index->given_up && hop (index, pad); hops++) {
    /* The fastest hop judges the disk: any other may just have been
     * interrupted. */
    now = g_get_monotonic_time ();
    fastest = MIN (fastest, now - before);
    before = now;
    if (hops == FIRST_HOPS && fastest > SLOW_HOP_US)
      index->given_up = TRUE;
    if (hops >= at_least && now - start >= budget)
      break;
  }
  return !index->complete && !index->given_up;
}

gboolean
gst_paco_file_index_is_complete (GstPacoFileIndex *index)
{
  gboolean complete;

  g_mutex_lock (&index->lock);
  complete = index->complete;
  g_mutex_unlock (&index->lock);
  return complete;
}

guint64
gst_paco_file_index_n_frames (GstPacoFileIndex *index)
{
  guint64 n;

  g_mutex_lock (&index->lock);
  n = index->offsets->len;
  g_mutex_unlock (&index->lock);
  return n;
}

guint64
gst_paco_file_index_offset (GstPacoFileIndex *index, guint64 frame)
{
  guint64 offset;

  g_mutex_lock (&index->lock);
  offset = g_array_index (index->offsets, guint64, frame);
  g_mutex_unlock (&index->lock);
  return offset;
}

static gint
compare_offsets (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return x < y ? -1 : x > y;
}

gboolean
gst_paco_file_index_find (
    GstPacoFileIndex *index, guint64 offset, guint64 *frame)
{
  gboolean found;
  guint position = 0;

  g_mutex_lock (&index->lock);
  found = g_array_binary_search (
      index->offsets, &offset, compare_offsets, &position);
  g_mutex_unlock (&index->lock);
  *frame = position;
  return found;
}

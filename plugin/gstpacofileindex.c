/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Where the frames of a file are.
 *
 * Hopping reads 20 bytes of each frame: nothing on a disk that answers in
 * microseconds, but a walk over the whole surface of one that has to seek. So
 * it is done in slices, and given up where an answer takes milliseconds; then
 * positions are estimated from the bitrate, as in any elementary stream. */
#include "gstpacofileindex.h"
#include "gstpacofileplaces.h"

enum
{
  FIRST_HOPS = 8, /* before one judges */
  SLOW_HOP_US = 1000,
  PLACES_US = 250000,
};

struct _GstPacoFileIndex
{
  gint references;

  /* Only the streaming thread changes the index. */
  guint64 next; /* offset behind the last frame */
  gboolean given_up;
  GstPacoFilePlaces places; /* any thread may read them once complete is set */

  GMutex lock;     /* of what follows: seeks come from other threads */
  GArray *offsets; /* guint64, by hops */
  gboolean complete, has_places;
};

GstPacoFileIndex *
gst_paco_file_index_new (const GstPacoFileFrame *first)
{
  GstPacoFileIndex *index = g_new0 (GstPacoFileIndex, 1);

  index->references = 1;
  g_mutex_init (&index->lock);
  index->offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  index->next = first->offset;
  gst_paco_file_places_init (&index->places, first);
  return index;
}

GstPacoFileIndex *
gst_paco_file_index_ref (GstPacoFileIndex *index)
{
  g_atomic_int_inc (&index->references);
  return index;
}

void
gst_paco_file_index_unref (GstPacoFileIndex *index)
{
  if (!index || !g_atomic_int_dec_and_test (&index->references))
    return;
  gst_paco_file_places_clear (&index->places);
  g_array_unref (index->offsets);
  g_mutex_clear (&index->lock);
  g_free (index);
}

static void
set_complete (GstPacoFileIndex *index, gboolean has_places)
{
  g_mutex_lock (&index->lock);
  index->complete = TRUE;
  index->has_places = has_places;
  g_mutex_unlock (&index->lock);
}

static void
extend_places (GstPacoFileIndex *index, GstPacoFile *file, gint64 budget)
{
  gint64 end = g_get_monotonic_time () + budget;

  do
    gst_paco_file_places_extend (&index->places, file);
  while (index->places.state == GST_PACO_FILE_PLACES_PARTIAL
      && g_get_monotonic_time () < end);
  if (index->places.state == GST_PACO_FILE_PLACES_COMPLETE)
    set_complete (index, TRUE);
}

/* Adds the frame behind the last one. FALSE: there is none. A frame that is
 * cut by the end of the file does not count; a damaged place ends the index,
 * since it does not say how much time it covers. */
static gboolean
hop (GstPacoFileIndex *index, GstPacoFile *file)
{
  PacoHeader header;
  const guint8 *data;

  if (index->next == file->size) {
    set_complete (index, FALSE);
    return FALSE;
  }
  data = gst_paco_file_peek (file, index->next, PACO_HEADER_PEEK_SIZE);
  if (!data || !paco_header_peek (data, PACO_HEADER_PEEK_SIZE, &header, NULL)) {
    index->given_up = TRUE;
    return FALSE;
  }
  if (header.frame_size > file->size - index->next) {
    set_complete (index, FALSE);
    return FALSE;
  }
  g_mutex_lock (&index->lock);
  g_array_append_val (index->offsets, index->next);
  g_mutex_unlock (&index->lock);
  index->next += header.frame_size;
  return TRUE;
}

static void
extend_hops (
    GstPacoFileIndex *index, GstPacoFile *file, guint at_least, gint64 budget)
{
  gint64 start = g_get_monotonic_time (), before = start, now = start;
  gint64 fastest = G_MAXINT64;

  index->given_up |= file->size < index->next || file->size == 0;
  for (guint hops = 1; !index->given_up && hop (index, file); hops++) {
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
}

gboolean
gst_paco_file_index_extend (
    GstPacoFileIndex *index, GstPacoFile *file, guint at_least, gint64 budget)
{
  if (index->complete || index->given_up)
    return FALSE;
  if (index->places.state == GST_PACO_FILE_PLACES_PARTIAL)
    extend_places (index, file,
        index->places.streams->len ? budget : MAX (budget, PLACES_US));
  if (index->places.state == GST_PACO_FILE_PLACES_FAILED)
    extend_hops (index, file, at_least, budget);
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
  n = index->has_places ? index->places.n_frames : index->offsets->len;
  g_mutex_unlock (&index->lock);
  return n;
}

gboolean
gst_paco_file_index_find (
    GstPacoFileIndex *index, GstPacoFile *file, guint64 *n, guint64 *offset)
{
  gboolean has_places, found;

  g_mutex_lock (&index->lock);
  has_places = index->has_places;
  found = has_places ? *n < index->places.n_frames : *n < index->offsets->len;
  if (found && !has_places)
    *offset = g_array_index (index->offsets, guint64, *n);
  g_mutex_unlock (&index->lock);
  return found
      && (!has_places
          || gst_paco_file_places_find (&index->places, file, n, offset));
}

static gint
compare_offsets (gconstpointer a, gconstpointer b)
{
  guint64 x = *(const guint64 *) a, y = *(const guint64 *) b;

  return x < y ? -1 : x > y;
}

gboolean
gst_paco_file_index_number (
    GstPacoFileIndex *index, const GstPacoFileFrame *frame, guint64 *n)
{
  gboolean has_places, found;
  guint position = 0;

  g_mutex_lock (&index->lock);
  has_places = index->has_places;
  found = !has_places
      && g_array_binary_search (
          index->offsets, &frame->offset, compare_offsets, &position);
  g_mutex_unlock (&index->lock);
  if (has_places)
    return gst_paco_file_places_number (&index->places, frame, n);
  *n = position;
  return found;
}

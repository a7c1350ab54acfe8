/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds where the frames of a file are (frame_index.h), by places.c or by hopping.
 *
 * Hopping reads 20 bytes of each frame. That is cheap on a disk that answers in
 * microseconds, but on one that has to seek it takes a walk over the whole surface.
 * So it is done in slices, and given up if an answer takes milliseconds; then
 * positions are estimated from the bitrate, as in any elementary stream. */
#include "frame_index.h"
#include "places.h"

enum
{
  FIRST_HOPS = 8, /* before one judges */
  SLOW_HOP_US = 1000,
  PLACES_US = 250000,
};

struct PacoFrameIndex
{
  gint references;
  bool patient;

  /* Only the thread that extends the index changes it. */
  uint64_t next; /* offset behind the last frame */
  bool given_up;
  PacoFilePlaces places; /* any thread may read them once complete is set */

  GMutex lock;     /* of what follows: seeks come from other threads */
  GArray *offsets; /* uint64_t, by hops */
  bool complete, has_places;
};

PacoFrameIndex *
paco_frame_index_new (const PacoFileFrame *first, bool patient)
{
  PacoFrameIndex *index = g_new0 (PacoFrameIndex, 1);

  index->references = 1;
  index->patient = patient;
  g_mutex_init (&index->lock);
  index->offsets = g_array_new (false, false, sizeof (uint64_t));
  index->next = first->offset;
  paco_file_places_init (&index->places, first);
  return index;
}

PacoFrameIndex *
paco_frame_index_ref (PacoFrameIndex *index)
{
  g_atomic_int_inc (&index->references);
  return index;
}

void
paco_frame_index_unref (PacoFrameIndex *index)
{
  if (!index || !g_atomic_int_dec_and_test (&index->references))
    return;
  paco_file_places_clear (&index->places);
  g_array_unref (index->offsets);
  g_mutex_clear (&index->lock);
  g_free (index);
}

static void
set_complete (PacoFrameIndex *index, bool has_places)
{
  g_mutex_lock (&index->lock);
  index->complete = true;
  index->has_places = has_places;
  g_mutex_unlock (&index->lock);
}

static void
extend_places (PacoFrameIndex *index, PacoFile *file, int64_t budget)
{
  int64_t end = g_get_monotonic_time () + budget;

  do
    paco_file_places_extend (&index->places, file);
  while (index->places.state == PACO_FILE_PLACES_PARTIAL
      && g_get_monotonic_time () < end);
  if (index->places.state == PACO_FILE_PLACES_COMPLETE)
    set_complete (index, true);
}

/* Says whether the frame behind the last one, which claims to be larger than the
 * file, is only cut by its end: its header is good, or cut itself, and no other frame
 * begins in it. To know that takes reading all that is there. */
static bool
is_cut_by_end (
    const PacoFrameIndex *index, PacoFile *file, const PacoHeader *header)
{
  PacoFileFrame frame;

  if (header->header_size > file->size - index->next)
    return true;
  return paco_file_frame_at (file, index->next, &frame)
      && (!index->patient
          || paco_file_doubt (file, index->next, header->frame_size)
              == frame.end);
}

/* Adds the frame behind the last one. Returns false if there is none. A frame
 * that is cut by the end of the file does not count. A damaged place ends the
 * index, because it does not say how much time it covers. */
static bool
hop (PacoFrameIndex *index, PacoFile *file)
{
  PacoHeader header;

  if (index->next == file->size) {
    set_complete (index, false);
    return false;
  }
  if (!paco_file_peek_header (file, index->next, &header)) {
    index->given_up = true;
    return false;
  }
  if (header.frame_size > file->size - index->next) {
    if (is_cut_by_end (index, file, &header))
      set_complete (index, false);
    else
      index->given_up = true;
    return false;
  }
  g_mutex_lock (&index->lock);
  g_array_append_val (index->offsets, index->next);
  g_mutex_unlock (&index->lock);
  index->next += header.frame_size;
  return true;
}

static void
extend_hops (
    PacoFrameIndex *index, PacoFile *file, unsigned at_least, int64_t budget)
{
  int64_t start = g_get_monotonic_time (), before = start, now = start;
  int64_t fastest = G_MAXINT64;

  index->given_up |= file->size < index->next || file->size == 0;
  for (unsigned hops = 1; !index->given_up && hop (index, file); hops++) {
    /* The disk is judged by the fastest hop, because any other may just have been
     * interrupted. */
    now = g_get_monotonic_time ();
    fastest = MIN (fastest, now - before);
    before = now;
    if (hops == FIRST_HOPS && fastest > SLOW_HOP_US && !index->patient)
      index->given_up = true;
    if (hops >= at_least && now - start >= budget)
      break;
  }
}

bool
paco_frame_index_extend (
    PacoFrameIndex *index, PacoFile *file, unsigned at_least, int64_t budget)
{
  if (index->complete || index->given_up)
    return false;
  if (index->places.state == PACO_FILE_PLACES_PARTIAL)
    extend_places (index, file,
        index->places.streams->len ? budget : MAX (budget, PLACES_US));
  if (index->places.state == PACO_FILE_PLACES_FAILED)
    extend_hops (index, file, at_least, budget);
  return !index->complete && !index->given_up;
}

bool
paco_frame_index_is_complete (PacoFrameIndex *index)
{
  bool complete;

  g_mutex_lock (&index->lock);
  complete = index->complete;
  g_mutex_unlock (&index->lock);
  return complete;
}

bool
paco_frame_index_has_places (PacoFrameIndex *index)
{
  bool has_places;

  g_mutex_lock (&index->lock);
  has_places = index->has_places;
  g_mutex_unlock (&index->lock);
  return has_places;
}

uint64_t
paco_frame_index_n_frames (PacoFrameIndex *index)
{
  uint64_t n;

  g_mutex_lock (&index->lock);
  n = index->has_places ? index->places.n_frames : index->offsets->len;
  g_mutex_unlock (&index->lock);
  return n;
}

bool
paco_frame_index_find (
    PacoFrameIndex *index, PacoFile *file, uint64_t *n, uint64_t *offset)
{
  bool has_places, found;

  g_mutex_lock (&index->lock);
  has_places = index->has_places;
  found = has_places ? *n < index->places.n_frames : *n < index->offsets->len;
  if (found && !has_places)
    *offset = g_array_index (index->offsets, uint64_t, *n);
  g_mutex_unlock (&index->lock);
  return found
      && (!has_places
          || paco_file_places_find (&index->places, file, n, offset));
}

static gint
compare_offsets (gconstpointer a, gconstpointer b)
{
  uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

  return x < y ? -1 : x > y;
}

bool
paco_frame_index_number (
    PacoFrameIndex *index, const PacoFileFrame *frame, uint64_t *n)
{
  bool has_places, found;
  unsigned position = 0;

  g_mutex_lock (&index->lock);
  has_places = index->has_places;
  found = !has_places
      && g_array_binary_search (
          index->offsets, &frame->offset, compare_offsets, &position);
  g_mutex_unlock (&index->lock);
  if (has_places)
    return paco_file_places_number (&index->places, frame, n);
  *n = position;
  return found;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds where the frames of a file are (frame_index.h), by their places or by hopping.
 *
 * By their places (FORMAT.md, chunk 4): a file holds one stream, or several that were
 * joined; each is found from its end, and a frame in it by bisection. It fails if
 * anything does not add up (bytes are missing, frames have no places, there are several
 * frame rates), and for streams that take longer to find than to walk through.
 *
 * Hopping reads 20 bytes of each frame. That is cheap on a disk that answers in
 * microseconds, but on one that has to seek it takes a walk over the whole surface.
 * So it is done in slices, and given up if an answer takes milliseconds; then
 * positions are estimated from the bitrate, as in any elementary stream. */
#include "frame_index.h"

/* --- by places --- */

enum
{
  /* The last frame of a stream is looked for in 64 MB, or in MOST_FRAMES_AT_END
   * times the bytes of the largest frame seen. */
  MOST_AT_END = 64 << 20,
  MOST_FRAMES_AT_END = 4,
  /* A frame at most NEAR frames after another one is reached by hopping. */
  NEAR = 8,
  /* Bisecting ends after at most 200 steps, in any file. */
  MOST_STEPS = 200,
  /* A search passes at most 100 frames of other streams. */
  MOST_STRANGERS = 100,
  /* This number of bytes may be read to find joined streams, and the next one for each
   * frame found: reading these takes about as long as a hop. Short streams of
   * large frames are found sooner by hopping. */
  MOST_FOR_STREAMS = 64 << 20,
  MOST_FOR_FRAME = 32 << 10,
};

typedef struct
{
  int64_t begin;         /* of the stream, as its frames say */
  uint64_t first_offset; /* of its first frame in the file */
  uint64_t end;
  uint32_t first, last; /* their numbers in the stream */
  uint64_t before;      /* frames of the file before it */
} Stream;

typedef enum
{
  PLACES_PARTIAL, /* some streams are yet to be found */
  PLACES_COMPLETE,
  PLACES_FAILED,
} PlacesState;

typedef struct
{
  PlacesState state;
  PacoFileFrame first; /* of the file */
  uint64_t end;        /* of the bytes not yet in a stream */
  GArray *streams;     /* of Stream; the last one first, until complete */
  uint64_t n_frames;   /* of these streams */
  uint64_t bytes;      /* read to find them */
} Places;

static void
places_init (Places *places, const PacoFileFrame *first)
{
  *places = (Places){
    .state = first->has_place ? PLACES_PARTIAL : PLACES_FAILED,
    .first = *first,
    .end = G_MAXUINT64,
    .streams = g_array_new (false, false, sizeof (Stream)),
  };
}

static void
places_clear (Places *places)
{
  g_clear_pointer (&places->streams, g_array_unref);
}

/* --- finding the streams ---------------------------------------------- */

/* Finds the frame that a stream begins with in the file: its first one, or, if
 * the file's start was cut, the file's first one. */
static bool
find_first (const Places *places, PacoFile *file, const PacoFileFrame *last,
    PacoFileFrame *first)
{
  if (last->begin == places->first.begin) {
    *first = places->first;
    return true;
  }
  return last->begin > (int64_t) places->first.offset
      && paco_file_frame_at (file, last->begin, first) && first->has_place
      && first->number == 0 && first->begin == last->begin;
}

static bool
find_stream (const Places *places, PacoFile *file, Stream *stream)
{
  const PacoFileFrame *start = &places->first;
  bool is_last = places->streams->len == 0;
  uint64_t most = MAX (
      MOST_AT_END, MOST_FRAMES_AT_END * (start->end - start->offset));
  PacoFileFrame first, last;

  if (!paco_file_last_frame (file, start->offset, places->end, most, &last)
      || !last.has_place || !find_first (places, file, &last, &first)
      || last.fps_n != start->fps_n || last.fps_d != start->fps_d
      || first.fps_n != start->fps_n || first.fps_d != start->fps_d)
    return false;
  /* Between streams nothing may be missing. A frame that the end of the file
   * has cut is none. */
  if (!is_last && last.end != places->end)
    return false;
  *stream = (Stream){
    .begin = last.begin,
    .first_offset = first.offset,
    .end = last.end,
    .first = first.number,
    .last = last.number,
  };
  if (is_last && last.end > file->size) {
    stream->end = last.offset;
    stream->last--;
  }
  return first.number < last.number
      || (first.offset == last.offset && stream->end > first.offset);
}

static uint64_t
n_frames (const Stream *stream)
{
  return (uint64_t) stream->last - stream->first + 1;
}

/* Puts the streams in the order of the file and counts their frames. */
static void
complete (Places *places)
{
  GArray *streams = places->streams;

  for (unsigned i = 0; i < streams->len / 2; i++) {
    Stream *a = &g_array_index (streams, Stream, i);
    Stream *b = &g_array_index (streams, Stream, streams->len - 1 - i);
    Stream c = *a;

    *a = *b;
    *b = c;
  }
  for (unsigned i = 1; i < streams->len; i++) {
    const Stream *previous = &g_array_index (streams, Stream, i - 1);

    g_array_index (streams, Stream, i).before = previous->before
        + n_frames (previous);
  }
  places->state = PLACES_COMPLETE;
}

static void
places_extend (Places *places, PacoFile *file)
{
  uint64_t before = file->bytes;
  Stream stream;

  if (places->state != PLACES_PARTIAL)
    return;
  if (places->streams->len == 0)
    places->end = file->size;
  if (!find_stream (places, file, &stream)) {
    places->state = PLACES_FAILED;
    return;
  }
  g_array_append_val (places->streams, stream);
  places->n_frames += n_frames (&stream);
  places->bytes += file->bytes - before;
  places->end = stream.first_offset;
  if (places->end == places->first.offset)
    complete (places);
  else if (places->bytes > MOST_FOR_STREAMS + MOST_FOR_FRAME * places->n_frames)
    places->state = PLACES_FAILED;
}

/* --- looking up ------------------------------------------------------- */

/* Returns the last stream for which `before` or first_offset is at most the
 * value. */
static const Stream *
stream_for (const Places *places, uint64_t value, bool by_offset)
{
  unsigned low = 0, high = places->streams->len;

  while (high - low > 1) {
    unsigned middle = low + (high - low) / 2;
    const Stream *stream = &g_array_index (places->streams, Stream, middle);

    if ((by_offset ? stream->first_offset : stream->before) <= value)
      low = middle;
    else
      high = middle;
  }
  return &g_array_index (places->streams, Stream, low);
}

static bool
belongs (const PacoFileFrame *frame, const Stream *stream)
{
  return frame->has_place && frame->begin == stream->begin
      && frame->number >= stream->first && frame->number <= stream->last;
}

static bool
places_number (const Places *places, const PacoFileFrame *frame, uint64_t *n)
{
  const Stream *stream = stream_for (places, frame->offset, true);

  if (!belongs (frame, stream))
    return false;
  *n = stream->before + (frame->number - stream->first);
  return true;
}

/* Finds the first frame of the stream that begins in [from, end). */
static bool
next_of_stream (PacoFile *file, const Stream *stream, uint64_t from,
    uint64_t end, PacoFileFrame *frame)
{
  for (unsigned strangers = 0; strangers < MOST_STRANGERS; strangers++) {
    if (!paco_file_next_frame (file, from, end, frame))
      return false;
    if (belongs (frame, stream))
      return true;
    from = frame->offset + 1;
  }
  file->gave_up = true;
  return false;
}

/* Guesses where to look for frame `number` between low and `high`: in proportion,
 * half a frame early, so that the next one found is the right one; or in the
 * middle, if that did not help. */
static uint64_t
guess (const PacoFileFrame *low, uint64_t high, uint64_t high_number,
    uint32_t number, bool halve)
{
  uint64_t range = high - low->end, at;

  if (halve)
    return low->end + range / 2;
  at = (uint64_t) ((double) range * (number - low->number - 0.5)
      / (double) (high_number - low->number));
  return low->end + MIN (at, range - 1);
}

/* Narrows [low, high) down to frame `number`, or to the last good one before. No
 * frame up to `number` begins at high or later. */
static bool
bisect (
    PacoFile *file, const Stream *stream, uint32_t number, PacoFileFrame *low)
{
  uint64_t high_number = (uint64_t) stream->last + 1;
  uint64_t high = stream->end, range = G_MAXUINT64;
  PacoFileFrame frame;

  for (unsigned step = 0; low->number < number && low->end < high; step++) {
    uint64_t from = low->end;
    bool found;

    if (number - low->number > NEAR)
      from = guess (
          low, high, high_number, number, high - low->end > range / 2);
    range = high - low->end;
    found = next_of_stream (file, stream, from, high, &frame);
    if (file->gave_up || step == MOST_STEPS
        || (found && frame.number <= low->number))
      return false;
    if (found && frame.number <= number) {
      *low = frame;
    } else {
      high = from;
      if (found)
        high_number = frame.number;
    }
  }
  return true;
}

static bool
places_find (
    const Places *places, PacoFile *file, uint64_t *n, uint64_t *offset)
{
  const Stream *stream = stream_for (places, *n, false);
  uint32_t number = stream->first + (uint32_t) (*n - stream->before);
  PacoFileFrame frame;

  file->gave_up = false;
  if (!paco_file_frame_at (file, stream->first_offset, &frame)
      || !belongs (&frame, stream) || !bisect (file, stream, number, &frame))
    return false;
  *n = stream->before + (frame.number - stream->first);
  *offset = frame.offset;
  return true;
}

/* --- the index --- */

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
  Places places; /* any thread may read them once complete is set */

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
  places_init (&index->places, first);
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
  places_clear (&index->places);
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
    places_extend (&index->places, file);
  while (
      index->places.state == PLACES_PARTIAL && g_get_monotonic_time () < end);
  if (index->places.state == PLACES_COMPLETE)
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
  if (index->places.state == PLACES_PARTIAL)
    extend_places (index, file,
        index->places.streams->len ? budget : MAX (budget, PLACES_US));
  if (index->places.state == PLACES_FAILED)
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
      && (!has_places || places_find (&index->places, file, n, offset));
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
    return places_number (&index->places, frame, n);
  *n = position;
  return found;
}

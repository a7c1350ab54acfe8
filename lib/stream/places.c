/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds where the frames of a file are, by what they say of their places, for
 * frame_index.c (places.h). */
#include "places.h"
#include <glib.h>

enum
{
  /* The last frame of a stream is looked for in so many bytes, or in so many
   * times the bytes of the largest frame seen. */
  MOST_AT_END = 64 << 20,
  MOST_FRAMES_AT_END = 4,
  /* A frame that is at most so many behind another one is reached by hopping. */
  NEAR = 8,
  /* Bisecting ends after at most so many steps, in any file. */
  MOST_STEPS = 200,
  /* A search may come across so many frames of other streams. */
  MOST_STRANGERS = 100,
  /* So many bytes may be read to find joined streams, and so many more for each
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

void
paco_file_places_init (PacoFilePlaces *places, const PacoFileFrame *first)
{
  *places = (PacoFilePlaces){
    .state = first->has_place ? PACO_FILE_PLACES_PARTIAL
                              : PACO_FILE_PLACES_FAILED,
    .first = *first,
    .end = G_MAXUINT64,
    .streams = g_array_new (false, false, sizeof (Stream)),
  };
}

void
paco_file_places_clear (PacoFilePlaces *places)
{
  g_clear_pointer (&places->streams, g_array_unref);
}

/* --- finding the streams ---------------------------------------------- */

/* Finds the frame that a stream begins with in the file: its first one, or, if
 * the file's start was cut, the file's first one. */
static bool
find_first (const PacoFilePlaces *places, PacoFile *file,
    const PacoFileFrame *last, PacoFileFrame *first)
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
find_stream (const PacoFilePlaces *places, PacoFile *file, Stream *stream)
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
complete (PacoFilePlaces *places)
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
  places->state = PACO_FILE_PLACES_COMPLETE;
}

void
paco_file_places_extend (PacoFilePlaces *places, PacoFile *file)
{
  uint64_t before = file->bytes;
  Stream stream;

  if (places->state != PACO_FILE_PLACES_PARTIAL)
    return;
  if (places->streams->len == 0)
    places->end = file->size;
  if (!find_stream (places, file, &stream)) {
    places->state = PACO_FILE_PLACES_FAILED;
    return;
  }
  g_array_append_val (places->streams, stream);
  places->n_frames += n_frames (&stream);
  places->bytes += file->bytes - before;
  places->end = stream.first_offset;
  if (places->end == places->first.offset)
    complete (places);
  else if (places->bytes > MOST_FOR_STREAMS + MOST_FOR_FRAME * places->n_frames)
    places->state = PACO_FILE_PLACES_FAILED;
}

/* --- looking up ------------------------------------------------------- */

/* Returns the last stream for which `before` or first_offset is at most the
 * value. */
static const Stream *
stream_for (const PacoFilePlaces *places, uint64_t value, bool by_offset)
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

bool
paco_file_places_number (
    const PacoFilePlaces *places, const PacoFileFrame *frame, uint64_t *n)
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

bool
paco_file_places_find (
    const PacoFilePlaces *places, PacoFile *file, uint64_t *n, uint64_t *offset)
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

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Where the frames of a file are, by what they say of their places. */
#include "gstpacofileplaces.h"
#include <gst/gst.h>

enum
{
  /* The last frame of a stream is looked for in so many bytes, or so many times
   * the largest frame seen. */
  MOST_AT_END = 64 << 20,
  MOST_FRAMES_AT_END = 4,
  /* A frame so few behind another one is reached by hopping. */
  NEAR = 8,
  /* Bisecting ends before, in any file. */
  MOST_STEPS = 200,
  /* Frames of other streams that a search may come across. */
  MOST_STRANGERS = 100,
  /* Bytes that may be read to find joined streams, and so many more for each
   * frame found: reading these takes about as long as a hop. Short streams of
   * large frames are found sooner by hopping. */
  MOST_FOR_STREAMS = 64 << 20,
  MOST_FOR_FRAME = 32 << 10,
};

typedef struct
{
  gint64 begin;         /* of the stream, as its frames say */
  guint64 first_offset; /* of its first frame in the file */
  guint64 end;
  guint32 first, last; /* their numbers in the stream */
  guint64 before;      /* frames of the file before it */
} Stream;

void
gst_paco_file_places_init (
    GstPacoFilePlaces *places, const GstPacoFileFrame *first)
{
  *places = (GstPacoFilePlaces){
    .state = first->has_place ? GST_PACO_FILE_PLACES_PARTIAL
                              : GST_PACO_FILE_PLACES_FAILED,
    .first = *first,
    .end = G_MAXUINT64,
    .streams = g_array_new (FALSE, FALSE, sizeof (Stream)),
  };
}

void
gst_paco_file_places_clear (GstPacoFilePlaces *places)
{
  g_clear_pointer (&places->streams, g_array_unref);
}

/* --- finding the streams ---------------------------------------------- */

/* The frame that a stream begins with in the file: its first one, or, where the
 * file's start was cut, the file's first one. */
static gboolean
find_first (const GstPacoFilePlaces *places, GstPacoFile *file,
    const GstPacoFileFrame *last, GstPacoFileFrame *first)
{
  if (last->begin == places->first.begin) {
    *first = places->first;
    return TRUE;
  }
  return last->begin > (gint64) places->first.offset
      && gst_paco_file_frame_at (file, last->begin, first) && first->has_place
      && first->number == 0 && first->begin == last->begin;
}

static gboolean
find_stream (const GstPacoFilePlaces *places, GstPacoFile *file, Stream *stream)
{
  const GstPacoFileFrame *start = &places->first;
  gboolean is_last = places->streams->len == 0;
  guint64 most = MAX (
      MOST_AT_END, MOST_FRAMES_AT_END * (start->end - start->offset));
  GstPacoFileFrame first, last;

  if (!gst_paco_file_last_frame (file, start->offset, places->end, most, &last)
      || !last.has_place || !find_first (places, file, &last, &first)
      || last.fps_n != start->fps_n || last.fps_d != start->fps_d
      || first.fps_n != start->fps_n || first.fps_d != start->fps_d)
    return FALSE;
  /* Between streams nothing may be missing. A frame that the end of the file
   * has cut is none. */
  if (!is_last && last.end != places->end)
    return FALSE;
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

static guint64
n_frames (const Stream *stream)
{
  return (guint64) stream->last - stream->first + 1;
}

/* Turns the streams round and counts. */
static void
complete (GstPacoFilePlaces *places)
{
  GArray *streams = places->streams;

  for (guint i = 0; i < streams->len / 2; i++) {
    Stream *a = &g_array_index (streams, Stream, i);
    Stream *b = &g_array_index (streams, Stream, streams->len - 1 - i);
    Stream c = *a;

    *a = *b;
    *b = c;
  }
  for (guint i = 1; i < streams->len; i++) {
    const Stream *previous = &g_array_index (streams, Stream, i - 1);

    g_array_index (streams, Stream, i).before = previous->before
        + n_frames (previous);
  }
  places->state = GST_PACO_FILE_PLACES_COMPLETE;
}

void
gst_paco_file_places_extend (GstPacoFilePlaces *places, GstPacoFile *file)
{
  guint64 before = file->bytes;
  Stream stream;

  if (places->state != GST_PACO_FILE_PLACES_PARTIAL)
    return;
  if (places->streams->len == 0)
    places->end = file->size;
  if (!find_stream (places, file, &stream)) {
    places->state = GST_PACO_FILE_PLACES_FAILED;
    return;
  }
  g_array_append_val (places->streams, stream);
  places->n_frames += n_frames (&stream);
  places->bytes += file->bytes - before;
  places->end = stream.first_offset;
  if (places->end == places->first.offset)
    complete (places);
  else if (places->bytes > MOST_FOR_STREAMS + MOST_FOR_FRAME * places->n_frames)
    places->state = GST_PACO_FILE_PLACES_FAILED;
}

/* --- looking up ------------------------------------------------------- */

/* The last stream for which `before` or first_offset is at most the value. */
static const Stream *
stream_for (const GstPacoFilePlaces *places, guint64 value, gboolean by_offset)
{
  guint low = 0, high = places->streams->len;

  while (high - low > 1) {
    guint middle = low + (high - low) / 2;
    const Stream *stream = &g_array_index (places->streams, Stream, middle);

    if ((by_offset ? stream->first_offset : stream->before) <= value)
      low = middle;
    else
      high = middle;
  }
  return &g_array_index (places->streams, Stream, low);
}

static gboolean
belongs (const GstPacoFileFrame *frame, const Stream *stream)
{
  return frame->has_place && frame->begin == stream->begin
      && frame->number >= stream->first && frame->number <= stream->last;
}

gboolean
gst_paco_file_places_number (
    const GstPacoFilePlaces *places, const GstPacoFileFrame *frame, guint64 *n)
{
  const Stream *stream = stream_for (places, frame->offset, TRUE);

  if (!belongs (frame, stream))
    return FALSE;
  *n = stream->before + (frame->number - stream->first);
  return TRUE;
}

/* The first frame of the stream that begins in [from, end). */
static gboolean
next_of_stream (GstPacoFile *file, const Stream *stream, guint64 from,
    guint64 end, GstPacoFileFrame *frame)
{
  for (guint strangers = 0; strangers < MOST_STRANGERS; strangers++) {
    if (!gst_paco_file_next_frame (file, from, end, frame))
      return FALSE;
    if (belongs (frame, stream))
      return TRUE;
    from = frame->offset + 1;
  }
  file->gave_up = TRUE;
  return FALSE;
}

/* Where to look for frame `number` between low and `high`: in proportion, half a
 * frame early, so that the next one found is the one; in the middle, where that
 * did not get on. */
static guint64
guess (const GstPacoFileFrame *low, guint64 high, guint32 high_number,
    guint32 number, gboolean halve)
{
  guint64 range = high - low->end, at;

  if (halve)
    return low->end + range / 2;
  at = gst_util_uint64_scale (range, 2 * (guint64) (number - low->number) - 1,
      2 * (guint64) (high_number - low->number));
  return low->end + MIN (at, range - 1);
}

/* Narrows [low, high) down to frame `number`, or the last good one before. No
 * frame up to `number` begins at high or later. */
static gboolean
bisect (GstPacoFile *file, const Stream *stream, guint32 number,
    GstPacoFileFrame *low)
{
  guint32 high_number = stream->last + 1;
  guint64 high = stream->end, range = G_MAXUINT64;
  GstPacoFileFrame frame;

  for (guint step = 0; low->number < number && low->end < high; step++) {
    guint64 from = low->end;
    gboolean found;

    if (number - low->number > NEAR)
      from = guess (
          low, high, high_number, number, high - low->end > range / 2);
    range = high - low->end;
    found = next_of_stream (file, stream, from, high, &frame);
    if (file->gave_up || step == MOST_STEPS
        || (found && frame.number <= low->number))
      return FALSE;
    if (found && frame.number <= number) {
      *low = frame;
    } else {
      high = from;
      if (found)
        high_number = frame.number;
    }
  }
  return TRUE;
}

gboolean
gst_paco_file_places_find (const GstPacoFilePlaces *places, GstPacoFile *file,
    guint64 *n, guint64 *offset)
{
  const Stream *stream = stream_for (places, *n, FALSE);
  guint32 number = stream->first + (guint32) (*n - stream->before);
  GstPacoFileFrame frame;

  file->gave_up = FALSE;
  if (!gst_paco_file_frame_at (file, stream->first_offset, &frame)
      || !belongs (&frame, stream) || !bisect (file, stream, number, &frame))
    return FALSE;
  *n = stream->before + (frame.number - stream->first);
  *offset = frame.offset;
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco still: it finds the frame with a timecode, or a number, and decodes it to
 * a file, as paco decode does. */
#include "decode.h"
#include "formats.h"
#include "timecode.h"
#include "tool.h"
#include <errno.h>
#include <string.h>

/* The stream, by its first frame. */
typedef struct
{
  double rate; /* pictures a second, or 0 */
  bool has_timecode;
  PacoTimecode timecode;
} Stream;

/* Reads a frame and its timecode. Returns false at the end, too. */
static bool
read_timecode (PacoInput *input, uint64_t *number, PacoTimecode *timecode,
    PacoInfo *info, bool *has_timecode, GError **error)
{
  PacoInputFrame frame;
  PacoInputResult result = paco_input_next (input, &frame, error);

  if (result == PACO_INPUT_END)
    paco_input_release (&frame);
  if (result != PACO_INPUT_FRAME)
    return false;
  *number = frame.frame.number;
  *has_timecode = paco_timecode_of_frame (
      frame.frame.data, frame.frame.size, timecode);
  if (info)
    paco_probe (frame.frame.data, frame.frame.size, info, NULL, NULL);
  paco_input_release (&frame);
  return true;
}

static bool
read_stream (PacoInput *input, Stream *stream, GError **error)
{
  PacoInfo info = PACO_INFO_INIT;
  uint64_t number;

  *stream = (Stream){ 0 };
  if (!read_timecode (input, &number, &stream->timecode, &info,
          &stream->has_timecode, error))
    return (error && *error) || paco_input_has_none (input, "no frame", error);
  stream->rate = paco_picture_rate (&info);
  return true;
}

/* Counts from 0 at the frame rate. */
static bool
count_frames (const Stream *stream, const PacoTimecode *wanted,
    uint64_t *number, GError **error)
{
  unsigned rate = (unsigned) (stream->rate + 0.5);

  if (rate == 0)
    return paco_tool_failed (error,
        "the file does not say how many frames a second has, and no frame has "
        "a timecode; a number says which frame");
  if (wanted->frames >= rate)
    return paco_tool_misused (
        error, "a second has %u frames, counted from 0", rate);
  *number = paco_timecode_number (wanted, rate);
  return true;
}

/* Looks for the frame, first where it is if no timecode is left out. */
static bool
find_timecode (PacoInput *input, const Stream *stream, PacoTimecode *wanted,
    uint64_t *number, GError **error)
{
  unsigned rate = paco_timecode_rate (&stream->timecode);
  uint64_t first, target, day, ratio;
  g_autofree char *from = paco_timecode_text (&stream->timecode);
  PacoTimecode found;
  GError *failure = NULL;
  bool has = false;

  if (rate == 0)
    rate = MAX ((unsigned) (stream->rate + 0.5), 1);
  wanted->flags = stream->timecode.flags;
  first = paco_timecode_number (&stream->timecode, rate);
  target = paco_timecode_number (wanted, rate);
  day = paco_timecode_number (
      &(PacoTimecode){ .hours = 24, .flags = wanted->flags }, rate);
  /* Of 50 pictures a second, two have the same of 25 timecodes. */
  ratio = MAX ((uint64_t) (stream->rate / rate + 0.5), 1);
  *number = (target + day - first) % day * ratio;
  if (paco_input_seek (input, *number, NULL)
      && read_timecode (input, number, &found, NULL, &has, NULL) && has
      && paco_timecode_equal (&found, wanted))
    return true;
  if (!paco_input_seek (input, 0, error))
    return false;
  while (read_timecode (input, number, &found, NULL, &has, &failure))
    if (has && paco_timecode_equal (&found, wanted))
      return true;
  if (failure) {
    g_propagate_error (error, failure);
    return false;
  }
  return paco_tool_failed (
      error, "no frame has that timecode; the first one has %s", from);
}

static bool
find_frame (
    const char *path, const char *when, uint64_t *number, GError **error)
{
  g_autoptr (PacoInput) input = NULL;
  PacoTimecode wanted;
  Stream stream;
  char *end;

  if (*when && strspn (when, "0123456789") == strlen (when)) {
    errno = 0;
    *number = g_ascii_strtoull (when, &end, 10);
    if (errno == 0 && *number < G_MAXUINT32)
      return true;
  }
  if (!paco_timecode_parse (when, &wanted))
    return paco_tool_misused (error,
        "%s is no timecode, as 01:02:03:04 is, and no number of a frame", when);
  if (strcmp (path, "-") == 0)
    return paco_tool_misused (error,
        "a timecode is looked for in files; of standard input a number says "
        "which frame");
  input = paco_input_open (path, error);
  if (!input || !read_stream (input, &stream, error))
    return false;
  return stream.has_timecode
      ? find_timecode (input, &stream, &wanted, number, error)
      : count_frames (&stream, &wanted, number, error);
}

static const PacoToolUsage usage = {
  .arguments = "FILE TIME OUT",
  .summary = "Decodes the frame at TIME to a picture: PGM, PPM, PAM, PNG, "
             "JPEG, TIFF or DPX, by the\nname of OUT.",
  .description =
      "TIME is a timecode, HH:MM:SS:FF, or the number of a frame, counted from "
      "0. Timecodes are\nthose of the frames; if they have none, 00:00:00:00 "
      "is the first one.",
  .minimum = 3,
  .maximum = 3,
};

int
paco_tool_still (int argc, char **argv)
{
  PacoDecodeOptions options = PACO_DECODE_OPTIONS_INIT;
  const GOptionEntry entries[] = {
    PACO_DECODE_ENTRIES (options),
    { NULL },
  };
  PacoFrameRange range;
  GError *error = NULL;
  int code;

  if (!paco_tool_parse (&usage, entries, &argc, &argv))
    return PACO_EXIT_USAGE;
  paco_signals_catch ();
  if (find_frame (argv[1], argv[2], &range.first, &error)) {
    range.last = range.first;
    code = paco_decode_range (&options, argv[1], argv[3], &range);
  } else {
    code = paco_tool_fail (error);
  }
  paco_tool_free (entries);
  return code;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco cut: it writes some frames of a file to a file of their own.
 * Nothing is coded again. */
#include "codec/text.h"
#include "input.h"
#include "members.h"
#include "progress.h"
#include "recording.h"
#include "tool.h"

typedef struct
{
  PacoFrameRange range;
  gboolean no_sound, force, quiet;
  bool damaged;
} Cut;

static void
tell_damage (
    Cut *cut, PacoProgress *progress, const PacoFrame *frame, uint64_t expected)
{
  if (frame->number > expected) {
    cut->damaged = true;
    paco_progress_complain (progress,
        "of frames %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
        " %" G_GUINT64_FORMAT " %s missing; those that follow move up",
        cut->range.first, cut->range.last, frame->number - expected,
        paco_text_plural (frame->number - expected, "is", "are"));
  }
}

/* Checks that a stack is copied as a whole or not at all, because a part of it
 * gives no picture. */
static bool
check_stack (const Cut *cut, const PacoFrame *frame, GError **error)
{
  PacoInfo info = PACO_INFO_INIT;
  uint64_t begin, end;

  if (paco_probe (frame->data, frame->size, &info, NULL, NULL) != PACO_STATUS_OK
      || info.stack_length == 0)
    return true;
  begin = frame->number - MIN (frame->number, info.stack_position);
  end = begin + info.stack_length - 1;
  if (begin >= cut->range.first && end <= cut->range.last)
    return true;
  return paco_tool_failed (error,
      "frames %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
      " are a stack, of which no part can be cut off: begin with "
      "%" G_GUINT64_FORMAT " and end with %" G_GUINT64_FORMAT ", or beyond",
      begin, end, MIN (begin, cut->range.first), MAX (end, cut->range.last));
}

static bool
copy_frames (Cut *cut, PacoInput *input, PacoRecording *recording,
    PacoProgress *progress, GError **error)
{
  uint64_t expected = cut->range.first;
  PacoInputFrame frame;
  PacoInputResult result;
  bool good = true;
  g_autofree char *what = NULL;

  while (good && expected <= cut->range.last
      && (result = paco_input_next (input, &frame, error))
          == PACO_INPUT_FRAME) {
    uint64_t number = frame.frame.number;

    if (number >= cut->range.first && number <= cut->range.last) {
      tell_damage (cut, progress, &frame.frame, expected);
      good = check_stack (cut, &frame.frame, error)
          && paco_recording_copy (recording, input, &frame, error);
      if (expected == cut->range.first)
        paco_members_tell_cut (&frame.frame, true, progress);
      if (number == cut->range.last)
        paco_members_tell_cut (&frame.frame, false, progress);
      expected = number + 1;
      paco_progress_set (progress, expected - cut->range.first);
    } else if (number > cut->range.last) {
      tell_damage (cut, progress, &(PacoFrame){ .number = cut->range.last + 1 },
          expected);
      expected = cut->range.last + 1;
    }
    paco_input_release (&frame);
  }
  if (!good || (expected <= cut->range.last && result == PACO_INPUT_ERROR))
    return false;
  if (expected > cut->range.last && paco_recording_frames (recording) > 0)
    return true;
  if (result == PACO_INPUT_END)
    paco_input_release (&frame);
  what = g_strdup_printf ("no frame %" G_GUINT64_FORMAT, expected);
  paco_input_has_none (input, what, error);
  return false;
}

static bool
cut_file (Cut *cut, char *from, const char *to, GError **error)
{
  const PacoOutputRules rules = { cut->force, &from, 1, NULL };
  g_autoptr (PacoInput) input = paco_input_open (from, error);
  PacoRecording *recording = NULL;
  PacoProgress *progress;
  bool good, has_sound = false;

  if (!input)
    return false;
  good = (cut->range.first == 0
             || paco_input_seek (input, cut->range.first, error))
      && (recording = paco_recording_open (to, NULL, &rules, error));
  if (good) {
    has_sound = !cut->no_sound && paco_recording_keep_sound (recording);
    paco_recording_set_files (recording,
        (guint32) (cut->range.last - cut->range.first + 1),
        paco_members_count (from, &cut->range));
    progress = paco_progress_new (
        cut->range.last - cut->range.first + 1, cut->quiet);
    good = copy_frames (cut, input, recording, progress, error);
    paco_progress_free (progress);
  }
  if (good)
    paco_input_tell_left_out (input, has_sound, NULL);
  return paco_recording_end (recording, good, cut->quiet, error);
}

static const PacoToolUsage usage = {
  .arguments = "FILE A B OUT",
  .summary = "Copies frames A to B of FILE, B included, to OUT: .paco, or with "
             "GStreamer .mkv, .mov.",
  .description =
      "Frames are counted from 0. Nothing is coded again: OUT is "
      "what one run over these\npictures would have written. Of "
      ".mkv and .mov files the sound of these frames is copied, too,\n"
      "if it is raw samples; a line says what is left out.",
  .minimum = 4,
  .maximum = 4,
};

int
paco_tool_cut (int argc, char **argv)
{
  Cut cut = { 0 };
  const GOptionEntry entries[] = {
    PACO_FLAG ("no-sound", &cut.no_sound, "copies the frames only"),
    PACO_FORCE (&cut.force, "overwrites a file that is there"),
    PACO_QUIET (&cut.quiet, "shows no progress on a terminal"),
    { NULL },
  };
  GError *error = NULL;
  g_autofree char *range = NULL;
  bool good;

  if (!paco_tool_parse (&usage, entries, &argc, &argv))
    return PACO_EXIT_USAGE;
  paco_signals_catch ();
  range = g_strdup_printf ("%s-%s", argv[2], argv[3]);
  good = *argv[2] && *argv[3]
      && paco_frame_range_parse (range, &cut.range, &error);
  if (!good && !error)
    paco_tool_misused (&error, "A and B are numbers of frames");
  if (!good || !cut_file (&cut, argv[1], argv[4], &error))
    return paco_tool_fail (error);
  return cut.damaged ? PACO_EXIT_DAMAGE : PACO_EXIT_DONE;
}

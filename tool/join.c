/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco join: it writes files one behind the other as one. Nothing is
 * coded again. What was coded in parts, on many machines, becomes the file that one
 * machine would have written. */
#include "tool/archive/chunks.h"
#include "codec/header.h"
#include "codec/text.h"
#include "input.h"
#include "members.h"
#include "progress.h"
#include "recording.h"
#include "tool.h"
#include "volumes.h"
#include <string.h>
#include <sys/stat.h>

typedef struct
{
  char *sound;
  gboolean no_sound, force, quiet;
  bool has_sound; /* The sound of the parts is copied. */
  /* Of the first frame. */
  GByteArray *first_bytes;
  PacoHeader first;
  PacoProgress *progress;
  PacoFileCount count; /* of the part's archive */
  bool damaged;
} Join;

/* Returns what makes the frames of b no continuation of those of a, or NULL if
 * nothing does. */
static const char *
find_difference (const PacoHeader *a, const PacoHeader *b)
{
  const PacoVideoInfo *v = &a->video, *w = &b->video;

  if (a->picture.width != b->picture.width
      || a->picture.height != b->picture.height)
    return "size";
  if (strcmp (v->raw_format, w->raw_format) != 0)
    return "format";
  if (v->fps_n != w->fps_n || v->fps_d != w->fps_d)
    return "frame rate";
  if (v->par_n != w->par_n || v->par_d != w->par_d)
    return "pixel aspect ratio";
  if (v->interlace_mode != w->interlace_mode)
    return "interlacing";
  if (v->range != w->range || v->matrix != w->matrix
      || v->transfer != w->transfer || v->primaries != w->primaries)
    return "colours";
  if (v->has_place != w->has_place)
    return "numbering: only one of them has numbered frames";
  if (!paco_header_same_configuration (a, b) && !paco_header_same_stream (a, b))
    return "settings of the encoder, or samples";
  return NULL;
}

static bool
fits (Join *join, const char *name, const PacoFrame *frame, GError **error)
{
  PacoHeader header;
  const char *difference;

  if (!paco_header_parse (frame->data, frame->size, &header, NULL, error))
    return false;
  if (join->first_bytes->len == 0) {
    /* The header is kept as long as others are compared with it. */
    g_byte_array_append (join->first_bytes, frame->data, header.header_size);
    return paco_header_parse (join->first_bytes->data, join->first_bytes->len,
        &join->first, NULL, error);
  }
  difference = find_difference (&join->first, &header);
  if (!difference)
    return true;
  return paco_tool_failed (error,
      "%s does not go on where the parts before it end: it has another %s",
      name, difference);
}

static void
tell_damage (
    Join *join, const PacoInput *input, const PacoInputFrame *input_frame)
{
  const PacoFrame *frame = &input_frame->frame;
  g_autofree char *because = NULL;

  if (!frame->missing && !frame->skipped)
    return;
  paco_file_count_report (&join->count, MAX (frame->missing, 1));
  because = paco_input_because (input_frame);
  join->damaged = true;
  paco_progress_complain (join->progress,
      "%s is damaged: %s frame %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT
      " %s missing, and %" G_GUINT64_FORMAT " %s left out%s",
      input->name, frame->data ? "before" : "behind the last", frame->number,
      frame->missing,
      paco_text_plural (frame->missing, "frame is", "frames are"),
      frame->skipped, paco_text_plural (frame->skipped, "byte is", "bytes are"),
      because);
}

/* Reports files that a part's archive has, and of which there is nothing. */
static void
tell_missing_files (Join *join, const PacoInput *input, uint64_t n)
{
  if (n == 0)
    return;
  join->damaged = true;
  paco_progress_complain (join->progress,
      "%s is not a whole archive: %" G_GUINT64_FORMAT
      " more of its files %s missing",
      input->name, n, paco_text_plural (n, "is", "are"));
}

static bool
is_empty (const char *path)
{
  struct stat status;

  return stat (path, &status) == 0 && S_ISREG (status.st_mode)
      && status.st_size == 0;
}

static bool
add_part (
    Join *join, const char *path, PacoRecording *recording, GError **error)
{
  g_autoptr (PacoInput) input = NULL;
  PacoInputFrame frame;
  PacoInputResult result;
  bool begun = false, good = true;

  /* The part is of a range without frames. */
  if (is_empty (path))
    return true;
  input = paco_input_open (path, error);
  if (!input)
    return false;
  while (good
      && (result = paco_input_next (input, &frame, error))
          == PACO_INPUT_FRAME) {
    tell_damage (join, input, &frame);
    tell_missing_files (
        join, input, paco_file_count_frame (&join->count, &frame.frame));
    good = (begun || fits (join, path, &frame.frame, error))
        && paco_recording_copy (recording, input, &frame, error);
    begun = true;
    paco_input_release (&frame);
    paco_progress_set (join->progress, paco_recording_frames (recording));
  }
  if (good && result == PACO_INPUT_END) {
    tell_damage (join, input, &frame);
    join->damaged |= paco_input_tell_ending (input, join->progress);
    tell_missing_files (join, input, paco_file_count_end (&join->count));
    paco_input_tell_left_out (input, join->has_sound, join->progress);
    paco_input_release (&frame);
    good = begun || paco_input_has_none (input, "no frame", error);
  } else {
    good = false;
  }
  return good;
}

static uint64_t
count_frames (char **paths, int n)
{
  uint64_t total = 0;

  for (int i = 0; i < n; i++) {
    g_autoptr (PacoInput)
        input = is_empty (paths[i]) ? NULL : paco_input_open (paths[i], NULL);

    if (input)
      total += paco_input_count (input);
  }
  return total;
}

/* Returns how many files the archive has that the part is, or 0 if that is unknown, or
 * the part no archive. */
static guint32
count_part_files (const char *path)
{
  g_autoptr (PacoInput)
      input = strcmp (path, "-") == 0 ? NULL : paco_input_open (path, NULL);
  PacoInputFrame frame;
  guint32 n_files = 0;

  /* A pipe cannot be read twice. */
  if (input && input->size > 0
      && paco_input_next (input, &frame, NULL) == PACO_INPUT_FRAME) {
    n_files = paco_file_count_of (frame.frame.data, frame.frame.size);
    paco_input_release (&frame);
  }
  return n_files;
}

/* Returns how many files the archives have together, or 0 if that is unknown. */
static guint32
count_files (char **paths, int n)
{
  guint64 total = 0;

  for (int i = 0; i < n; i++) {
    guint32 n_files = is_empty (paths[i]) ? 0 : count_part_files (paths[i]);

    if (n_files == 0 && !is_empty (paths[i]))
      return 0;
    total += n_files;
  }
  return total <= G_MAXUINT32 ? (guint32) total : 0;
}

/* Returns how many members the archives have together, or 0 if that is unknown. */
static guint32
count_members (char **paths, int n)
{
  const PacoFrameRange all = { 0, G_MAXUINT64 };
  guint64 total = 0;

  for (int i = 0; i < n; i++)
    if (!is_empty (paths[i]))
      total += paco_members_count (paths[i], &all);
  return total <= G_MAXUINT32 ? (guint32) total : 0;
}

static bool
join_files (Join *join, char **paths, int n, const char *out, GError **error)
{
  const PacoOutputRules rules = { join->force, paths, n, NULL };
  PacoRecording *recording = paco_recording_open (
      out, join->sound, &rules, error);
  bool good = true;

  if (!recording)
    return false;
  n = paco_volumes_drop (paths, n);
  join->has_sound = !join->sound && !join->no_sound
      && paco_recording_keep_sound (recording);
  paco_recording_set_files (
      recording, count_files (paths, n), count_members (paths, n));
  join->progress = paco_progress_new (
      join->quiet ? 0 : count_frames (paths, n), join->quiet);
  for (int i = 0; good && i < n; i++)
    good = add_part (join, paths[i], recording, error);
  paco_progress_free (join->progress);
  if (good && paco_recording_frames (recording) == 0)
    good = paco_tool_failed (error, "the parts have no frames");
  return paco_recording_end (recording, good, join->quiet, error);
}

static const PacoToolUsage usage = {
  .arguments = "FILE... OUT",
  .summary = "Joins files to OUT: .paco, or with GStreamer .mkv, .mov.",
  .description =
      "Nothing is coded again. Pictures, frame rates and settings must agree. "
      "Parts that were\ncoded apart give the bytes of one run over all "
      "pictures; files of 0 bytes are passed\nover. Sound of .mkv and .mov "
      "files is "
      "copied, too, if it is raw samples; --sound\nadds another one. A line "
      "says what is left out.",
  .minimum = 2,
  .maximum = -1,
};

int
paco_tool_join (int argc, char **argv)
{
  Join join = { 0 };
  const GOptionEntry entries[] = {
    { "sound", 0, 0, G_OPTION_ARG_FILENAME, &join.sound,
        "sound for .mkv and .mov", "FILE.wav" },
    PACO_FLAG ("no-sound", &join.no_sound, "copies the frames only"),
    PACO_FORCE (&join.force, "overwrites a file that is there"),
    PACO_QUIET (&join.quiet, "shows no progress on a terminal"),
    { NULL },
  };
  GError *error = NULL;
  bool good;

  if (!paco_tool_parse (&usage, entries, &argc, &argv))
    return PACO_EXIT_USAGE;
  paco_signals_catch ();
  join.first_bytes = g_byte_array_new ();
  good = join_files (&join, argv + 1, argc - 2, argv[argc - 1], &error);
  g_byte_array_unref (join.first_bytes);
  paco_tool_free (entries);
  if (!good)
    return paco_tool_fail (error);
  return join.damaged ? PACO_EXIT_DAMAGE : PACO_EXIT_DONE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco verify: it finds out whether all frames of a file are there and
 * sound. It decodes each frame with decoding.c, and names the blocks that are
 * damaged with damage.c. */
#include "coder_options.h"
#include "damage.h"
#include "decoding.h"
#include "json.h"
#include "progress.h"
#include "slices.h"
#include "tool.h"
#include <stdio.h>

#define NAMED_BLOCKS 8 /* of a frame */

typedef struct
{
  PacoCoderOptions coder;
  char *frames;
  gboolean fast, json, quiet, checksums, md5;
  PacoFrameRange range;
  PacoProgress *progress;
  GString *report; /* JSON: the frames that are damaged */
  uint64_t frames_seen, frames_damaged, frames_missing, bytes_damaged;
  uint64_t blocks_damaged, unchecked;
  uint64_t last;   /* number of the last frame */
  PacoSlice slice; /* that it is, or of length 0 */
  bool is_damaged; /* and whether it has been counted so */
} Verify;

/* Adds a line to the report: what is wrong with a frame, or between frames. */
static void G_GNUC_PRINTF (3, 4)
    tell (Verify *verify, uint64_t number, const char *format, ...)
{
  va_list arguments;
  char *sentence;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (verify->json) {
    paco_json_open (verify->report, NULL, '{');
    paco_json_number (verify->report, "frame", number);
    paco_json_text (verify->report, "damage", sentence);
    paco_json_close (verify->report, '}');
  } else {
    paco_progress_pause (verify->progress);
    printf ("frame %" G_GUINT64_FORMAT ": %s\n", number, sentence);
    fflush (stdout);
  }
  g_free (sentence);
}

static void
tell_blocks (Verify *verify, const PacoFrame *frame, unsigned broken)
{
  unsigned n;
  char *names = paco_damage_blocks (frame->data, frame->size, NAMED_BLOCKS, &n);

  verify->blocks_damaged += broken;
  tell (verify, frame->number, "%u damaged block%s%s%s%s", broken,
      broken == 1 ? "" : "s", *names ? ": " : "", names,
      n > NAMED_BLOCKS ? "; ..." : "");
  g_free (names);
}

/* Reports bytes behind the last whole frame. */
static void
tell_end (Verify *verify, const PacoFrame *end)
{
  if (verify->frames_seen == 0)
    tell (verify, 0, "%" G_GUINT64_FORMAT " bytes are no whole frame",
        end->skipped);
  else
    tell (verify, verify->last,
        "%" G_GUINT64_FORMAT " bytes behind frame %" G_GUINT64_FORMAT
        " belong to no whole one",
        end->skipped, verify->last);
}

/* Reports what lies between this frame, or the end, and the frame before. */
static void
tell_gap (Verify *verify, const PacoFrame *frame)
{
  if (frame->missing == 1)
    tell (verify, frame->number - 1, "missing");
  else if (frame->missing > 1)
    tell (verify, frame->number - frame->missing,
        "missing, and those up to frame %" G_GUINT64_FORMAT, frame->number - 1);
  verify->frames_missing += frame->missing;
  if (frame->skipped && frame->data)
    tell (verify, frame->number,
        "%" G_GUINT64_FORMAT " bytes before it belong to no whole frame",
        frame->skipped);
  else if (frame->skipped)
    tell_end (verify, frame);
  verify->bytes_damaged += frame->skipped;
}

static void
count_damaged (Verify *verify)
{
  verify->frames_damaged += !verify->is_damaged;
  verify->is_damaged = true;
}

/* Says whether frames of a stack should come behind the last one. */
static bool
is_within_stack (const Verify *verify)
{
  return verify->slice.position + 1 < verify->slice.length;
}

static void
tell_part (Verify *verify)
{
  tell (verify, verify->last,
      "it is slice %u of a stack of %u, whose end is missing",
      verify->slice.position, verify->slice.length);
  count_damaged (verify);
}

/* Reports where stacks are not whole although no frame is known to be missing, as where
 * a recording has ended within one. */
static void
check_stack (Verify *verify, const PacoFrame *frame)
{
  PacoSlice slice = paco_slice_of (frame);
  bool goes_on = is_within_stack (verify)
      && paco_slice_follows (&verify->slice, &slice);
  bool is_begin = verify->frames_seen == 0 && verify->range.first > 0;

  if (is_within_stack (verify) && !goes_on && !frame->missing)
    tell_part (verify);
  verify->is_damaged = false;
  if (slice.position > (goes_on ? verify->slice.position + 1 : 0)
      && !frame->missing && !is_begin) {
    tell (verify, frame->number,
        "it is slice %u of a stack of %u, of which the one before is missing",
        slice.position, slice.length);
    count_damaged (verify);
  }
  verify->slice = slice;
}

/* Reports the last stack if the file has ended within it. */
static void
check_last_stack (Verify *verify)
{
  if (is_within_stack (verify))
    tell_part (verify);
}

static bool
on_done (void *user, PacoDecoded *decoded, GError **error)
{
  Verify *verify = user;
  const PacoFrame *frame = &decoded->input.frame;
  uint64_t before = verify->blocks_damaged;

  tell_gap (verify, frame);
  if (!frame->data) {
    check_last_stack (verify);
    return true;
  }
  check_stack (verify, frame);
  if (decoded->error)
    tell (verify, frame->number, "%s", decoded->error->message);
  else if (decoded->result.corrupted_blocks)
    tell_blocks (verify, frame, decoded->result.corrupted_blocks);
  if (decoded->error || verify->blocks_damaged != before)
    count_damaged (verify);
  verify->last = frame->number;
  paco_progress_set (verify->progress, ++verify->frames_seen);
  return true;
}

/* --- without decoding --- */

static void
check_frame (Verify *verify, const PacoFrame *frame)
{
  PacoError failure;
  uint32_t broken = 0;
  PacoStatus status = paco_frame_check (
      frame->data, frame->size, &broken, NULL, &failure);

  if (status == PACO_STATUS_UNSUPPORTED)
    verify->unchecked++;
  else if (status != PACO_STATUS_OK)
    tell (verify, frame->number, "%s", failure.message);
  else if (broken)
    tell_blocks (verify, frame, broken);
  if (broken > 0
      || (status != PACO_STATUS_OK && status != PACO_STATUS_UNSUPPORTED))
    count_damaged (verify);
}

static bool
check_all (Verify *verify, PacoInput *input, GError **error)
{
  PacoInputFrame frame;
  PacoInputResult result;

  if (verify->range.first > 0
      && !paco_input_seek (input, verify->range.first, error))
    return false;
  while ((result = paco_input_next (input, &frame, error)) == PACO_INPUT_FRAME
      && frame.frame.number <= verify->range.last) {
    if (frame.frame.number >= verify->range.first) {
      tell_gap (verify, &frame.frame);
      check_stack (verify, &frame.frame);
      check_frame (verify, &frame.frame);
      verify->last = frame.frame.number;
      paco_progress_set (verify->progress, ++verify->frames_seen);
    }
    paco_input_release (&frame);
  }
  if (result == PACO_INPUT_ERROR)
    return false;
  if (result == PACO_INPUT_END) {
    tell_gap (verify, &frame.frame);
    check_last_stack (verify);
  }
  paco_input_release (&frame);
  return true;
}

/* --- with --- */

static bool
decode_all (Verify *verify, PacoInput *input, GError **error)
{
  PacoDecoding decoding = {
    .input = input,
    .decoder = paco_frame_decoder_new (),
    .range = verify->range,
    .kind = &paco_writer_raw,
    .done = on_done,
    .user = verify,
  };
  /* Slices of stacks are no pictures, but may be sound. */
  bool good = paco_frame_decoder_set (decoding.decoder, "slices", "true", NULL)
          == PACO_STATUS_OK
      && paco_coder_options_apply (
          &verify->coder, decoding.decoder, NULL, error)
      && paco_decoding_run (&decoding, error);

  paco_frame_decoder_free (decoding.decoder);
  return good;
}

static bool
is_sound (const Verify *verify)
{
  return verify->frames_damaged == 0 && verify->frames_missing == 0
      && verify->bytes_damaged == 0;
}

static void
print_summary (const Verify *verify, const char *path)
{
  if (verify->unchecked)
    printf ("%s: %" G_GUINT64_FORMAT
            " frames have no checks; without --fast they are decoded\n",
        path, verify->unchecked);
  if (is_sound (verify)) {
    printf ("%s: %" G_GUINT64_FORMAT " frames, all sound\n", path,
        verify->frames_seen);
    return;
  }
  printf ("%s: %" G_GUINT64_FORMAT " frames, %" G_GUINT64_FORMAT
          " of them damaged, %" G_GUINT64_FORMAT " missing; %" G_GUINT64_FORMAT
          " blocks are damaged, %" G_GUINT64_FORMAT
          " bytes belong to no frame\n",
      path, verify->frames_seen, verify->frames_damaged, verify->frames_missing,
      verify->blocks_damaged, verify->bytes_damaged);
}

static void
print_json (const Verify *verify, const char *path)
{
  GString *text = g_string_new ("{");

  paco_json_text (text, "file", path);
  paco_json_boolean (text, "sound", is_sound (verify));
  paco_json_number (text, "frames", verify->frames_seen);
  paco_json_number (text, "damaged_frames", verify->frames_damaged);
  paco_json_number (text, "missing_frames", verify->frames_missing);
  paco_json_number (text, "damaged_blocks", verify->blocks_damaged);
  paco_json_number (text, "skipped_bytes", verify->bytes_damaged);
  paco_json_number (text, "unchecked_frames", verify->unchecked);
  printf ("%s, \"damage\": [%s]}\n", text->str, verify->report->str);
  g_string_free (text, TRUE);
}

static int
verify_file (Verify *verify, const char *path)
{
  GError *error = NULL;
  PacoInput *input = paco_input_open (path, &error);
  bool good = false;

  if (input) {
    verify->progress = paco_progress_new (
        paco_input_count (input), verify->quiet);
    good = verify->fast ? check_all (verify, input, &error)
                        : decode_all (verify, input, &error);
    paco_progress_free (verify->progress);
  }
  if (good && verify->frames_seen == 0 && verify->frames_missing == 0) {
    g_set_error (&error, PACO_TOOL_ERROR, PACO_TOOL_ERROR_FAILED,
        "%s has no such frames", path);
    good = false;
  }
  paco_input_close (input);
  if (!good)
    return paco_tool_fail (error);
  if (verify->json)
    print_json (verify, path);
  else
    print_summary (verify, path);
  return is_sound (verify) ? PACO_EXIT_DONE : PACO_EXIT_DAMAGE;
}

static void
add_option (GPtrArray *words, const char *name, char *value)
{
  if (!value)
    return;
  g_ptr_array_add (words, (char *) name);
  g_ptr_array_add (words, value);
}

/* Runs `paco restore --check`, which compares with what archives know of their
 * source files. */
static int
verify_archive (const Verify *verify, const char *path)
{
  const PacoCoderOptions *coder = &verify->coder;
  GPtrArray *words = g_ptr_array_new ();
  char threads[16];
  int code;

  if (verify->fast || verify->json || coder->settings || coder->depth >= 0) {
    paco_tool_complain ("--checksums and --md5 go with --frames, --threads, "
                        "--backend, --devices and --quiet only");
    g_ptr_array_unref (words);
    return PACO_EXIT_USAGE;
  }
  g_ptr_array_add (words, (char *) "restore");
  g_ptr_array_add (words, (char *) "--check");
  if (verify->md5)
    g_ptr_array_add (words, (char *) "--md5");
  if (verify->quiet)
    g_ptr_array_add (words, (char *) "--quiet");
  g_snprintf (threads, sizeof threads, "%d", coder->threads);
  add_option (words, "--frames", verify->frames);
  add_option (words, "--backend", coder->backend);
  add_option (words, "--gpus", coder->devices);
  add_option (words, "--threads", coder->threads >= 0 ? threads : NULL);
  g_ptr_array_add (words, (char *) "--");
  g_ptr_array_add (words, (char *) path);
  g_ptr_array_add (words, NULL);
  code = paco_tool_restore ((int) words->len - 1, (char **) words->pdata);
  g_ptr_array_unref (words);
  return code;
}

static const PacoToolUsage usage = {
  .arguments = "FILE",
  .summary =
      "Decodes all frames of FILE and says which are damaged or missing.",
  .description = "The exit code is 3 then, and 0 if all are sound.",
  .minimum = 1,
  .maximum = 1,
};

int
paco_tool_verify (int argc, char **argv)
{
  Verify verify = { .coder = PACO_CODER_OPTIONS_INIT };
  GOptionEntry coder[PACO_CODER_OPTIONS_N];
  const GOptionEntry entries[] = {
    { "fast", 0, 0, G_OPTION_ARG_NONE, &verify.fast,
        "compares bytes with the checks of frames and blocks, without decoding",
        NULL },
    { "checksums", 0, 0, G_OPTION_ARG_NONE, &verify.checksums,
        "makes the files of an archive again and compares their checksums",
        NULL },
    { "md5", 0, 0, G_OPTION_ARG_NONE, &verify.md5,
        "the same, and their MD5s, where they were kept", NULL },
    { "frames", 0, 0, G_OPTION_ARG_STRING, &verify.frames,
        "only these frames, B included", "A-B" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &verify.json, "prints JSON", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &verify.quiet,
        "shows no progress on a terminal", NULL },
    { NULL },
  };
  GError *error = NULL;
  int code;

  paco_coder_options_entries (&verify.coder, coder);
  if (!paco_tool_parse (&usage, entries, coder, &argc, &argv))
    return PACO_EXIT_USAGE;
  paco_signals_catch ();
  if (verify.checksums || verify.md5) {
    code = verify_archive (&verify, argv[1]);
    g_free (verify.frames);
    paco_coder_options_clear (&verify.coder);
    return code;
  }
  verify.report = g_string_new (NULL);
  code = paco_frame_range_parse (verify.frames, &verify.range, &error)
      ? verify_file (&verify, argv[1])
      : paco_tool_fail (error);
  g_string_free (verify.report, TRUE);
  g_free (verify.frames);
  paco_coder_options_clear (&verify.coder);
  return code;
}

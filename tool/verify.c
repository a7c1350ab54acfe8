/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco verify: it finds out whether all frames of a file are there and
 * sound. It decodes each frame with decoding.c. */
#include "tool/archive/chunks.h"
#include "tool/archive/member.h"
#include "archive_command.h"
#include "codec/text.h"
#include "coder_options.h"
#include "decoding.h"
#include "progress.h"
#include "tool.h"
#include "volumes.h"
#include "codec/check.h"
#include "codec/index.h"
#include <stdio.h>

#define NAMED_BLOCKS 8 /* of a frame */

typedef struct
{
  PacoCoderOptions coder;
  char *frames;
  int memory; /* MB; 0: the default */
  gboolean fast, json, quiet, checksums, md5;
  PacoFrameRange range;
  PacoInput *input;
  PacoProgress *progress;
  GString *report; /* JSON: the frames that are damaged */
  uint64_t frames_seen, frames_damaged, frames_missing, bytes_damaged;
  uint64_t blocks_damaged, unchecked;
  bool is_cut;   /* The file is a container and has lost its end. */
  uint64_t last; /* number of the last frame */
  PacoFileCount count;
  uint64_t
      members; /* files of an archive that are no frames, and end in these */
  PacoStacks stacks;
  bool is_damaged; /* and whether it has been counted so */
} Verify;

static void
name_block (GString *names, const PacoGeometry *geometry, uint32_t i)
{
  static const char *const orientations[] = { "LL", "HL", "LH", "HH" };
  const PacoCodeblock *block = &geometry->blocks[i];
  const PacoSubband *subband = &geometry->subbands[block->subband];

  if (names->len > 0)
    g_string_append (names, "; ");
  g_string_append_printf (names, "%s of level %u, component %u",
      orientations[subband->orientation], subband->level, subband->component);
  if (geometry->n_fields == 2)
    g_string_append_printf (names, ", field %u", subband->field);
  g_string_append_printf (names, ", at %u,%u", block->x, block->y);
}

static void
name_broken (const uint8_t *payload, const PacoBlockRecord *records,
    const PacoGeometry *geometry, unsigned most, GString *names, unsigned *n)
{
  for (uint32_t i = 0; i < geometry->n_blocks; i++) {
    const PacoBlockRecord *record = &records[i];

    if (record->planes == 0
        || paco_block_check (payload + record->offset, record->length)
            == record->check)
      continue;
    if ((*n)++ < most)
      name_block (names, geometry, i);
  }
}

/* Returns "LL of component 0 at 64,0; ..." for up to `most` broken blocks of the whole
 * frame at data, to be freed; x and y are coefficients of the subband. *n becomes how
 * many there are. The text is empty if the frame has no checks, or a damaged index. */
static char *
name_blocks (const void *data, gsize size, unsigned most, unsigned *n)
{
  GString *names = g_string_new (NULL);
  PacoHeader header;
  PacoGeometry *geometry;
  PacoBlockRecord *records;

  *n = 0;
  if (!paco_header_parse (data, size, &header, NULL, NULL)
      || header.frame_size > size || !header.coding.block_checks)
    return g_string_free (names, FALSE);
  geometry = paco_geometry_new (&header.picture, &header.coding);
  records = g_try_new (PacoBlockRecord, geometry->n_blocks);
  if (records
      && paco_index_parse_frame (data, &header, geometry, records, NULL))
    name_broken (
        (const uint8_t *) data + header.header_size + header.index_size,
        records, geometry, most, names, n);
  g_free (records);
  paco_geometry_free (geometry);
  return g_string_free (names, FALSE);
}

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
  g_autofree char *names = name_blocks (
      frame->data, frame->size, NAMED_BLOCKS, &n);

  verify->blocks_damaged += broken;
  tell (verify, frame->number, "%u damaged %s%s%s%s", broken,
      paco_text_plural (broken, "block", "blocks"), *names ? ": " : "", names,
      n > NAMED_BLOCKS ? "; ..." : "");
}

static void
tell_end (Verify *verify, const PacoFrame *end, const char *because)
{
  if (verify->frames_seen == 0)
    tell (verify, 0, "%" G_GUINT64_FORMAT " %s no whole frame%s", end->skipped,
        paco_text_plural (end->skipped, "byte is", "bytes are"), because);
  else
    tell (verify, verify->last,
        "%" G_GUINT64_FORMAT " %s behind frame %" G_GUINT64_FORMAT
        " %s to no whole one%s",
        end->skipped, paco_text_plural (end->skipped, "byte", "bytes"),
        verify->last, paco_text_plural (end->skipped, "belongs", "belong"),
        because);
}

/* Reports what lies between this frame, or the end, and the frame before. */
static void
tell_gap (Verify *verify, const PacoInputFrame *input)
{
  const PacoFrame *frame = &input->frame;
  g_autofree char *because = paco_input_because (input);

  if (frame->missing == 1)
    tell (verify, frame->number - 1, "missing");
  else if (frame->missing > 1)
    tell (verify, frame->number - frame->missing,
        "missing, and those up to frame %" G_GUINT64_FORMAT, frame->number - 1);
  verify->frames_missing += frame->missing;
  if (frame->skipped && frame->data)
    tell (verify, frame->number, "%" G_GUINT64_FORMAT " %s to no whole frame%s",
        frame->skipped,
        paco_text_plural (
            frame->skipped, "byte before it belongs", "bytes before it belong"),
        because);
  else if (frame->skipped)
    tell_end (verify, frame, because);
  verify->bytes_damaged += frame->skipped;
  paco_file_count_report (
      &verify->count, MAX (frame->missing, frame->skipped > 0));
}

/* Reports files that an archive has, and of which there is nothing. */
static void
tell_missing_files (Verify *verify, uint64_t n)
{
  if (n == 0 || verify->frames)
    return;
  tell (verify, verify->last,
      "the archive ends with it, and %" G_GUINT64_FORMAT
      " more of its files %s missing",
      n, paco_text_plural (n, "is", "are"));
  verify->frames_missing += n;
}

static void
count_damaged (Verify *verify)
{
  verify->frames_damaged += !verify->is_damaged;
  verify->is_damaged = true;
}

/* Reports that the stack of the last frame has no end, if it has none. */
static void
tell_part (Verify *verify, const PacoStacks *stacks)
{
  if (paco_stacks_at_end (stacks))
    return;
  tell (verify, verify->last,
      "it is slice %u of a stack of %u, whose end is missing",
      stacks->slice.position, stacks->slice.length);
  count_damaged (verify);
}

/* Reports where stacks are not whole although no frame is known to be missing, as where
 * a recording has ended within one. */
static void
check_stack (Verify *verify, const PacoFrame *frame)
{
  PacoStacks *stacks = &verify->stacks, before = *stacks;
  bool is_begin = verify->frames_seen == 0 && verify->range.first > 0;
  PacoHeader header;

  paco_slice_read (frame, &header);
  paco_stacks_frame (stacks, &header, frame->skipped || frame->missing);
  if (!stacks->goes_on && !frame->missing)
    tell_part (verify, &before);
  verify->is_damaged = false;
  if (stacks->missing > 0 && !frame->missing && !is_begin) {
    tell (verify, frame->number,
        "it is slice %u of a stack of %u, of which the one before is missing",
        stacks->slice.position, stacks->slice.length);
    count_damaged (verify);
  }
}

/* Reports what is missing at the end: of the last stack, if the file has ended within
 * it, of an archive, and of a container. */
static void
check_end (Verify *verify)
{
  const char *ending = paco_input_ending (verify->input, &verify->is_cut);

  if (verify->is_cut)
    tell (verify, verify->last, "%s", ending);
  else if (ending)
    paco_input_tell_ending (verify->input, verify->progress);
  tell_missing_files (verify, paco_file_count_end (&verify->count));
  tell_part (verify, &verify->stacks);
}

/* Compares a frame with its checks, without decoding it. */
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

/* Counts the members that a frame carries, and compares the attachment with its check. */
static void
check_members (Verify *verify, const PacoFrame *frame)
{
  GError *error = NULL;
  PacoMemberPieces pieces;

  if (paco_member_pieces_begin (frame->data, frame->size, &pieces, &error)) {
    verify->members += pieces.count.n_ends;
    return;
  }
  if (!verify->fast) {
    tell (verify, frame->number, "%s", error->message);
    count_damaged (verify);
  }
  g_error_free (error);
}

static bool
on_done (void *user, PacoDecoded *decoded, GError **error)
{
  Verify *verify = user;
  const PacoFrame *frame = &decoded->input.frame;
  uint64_t before = verify->blocks_damaged;

  tell_gap (verify, &decoded->input);
  if (!frame->data) {
    check_end (verify);
    return true;
  }
  tell_missing_files (verify, paco_file_count_frame (&verify->count, frame));
  check_members (verify, frame);
  check_stack (verify, frame);
  if (verify->fast)
    check_frame (verify, frame);
  else if (decoded->error)
    tell (verify, frame->number, "%s", decoded->error->message);
  else if (decoded->result.corrupted_blocks)
    tell_blocks (verify, frame, decoded->result.corrupted_blocks);
  if (decoded->error || verify->blocks_damaged != before)
    count_damaged (verify);
  verify->last = frame->number;
  paco_progress_set (verify->progress, ++verify->frames_seen);
  return true;
}

static bool
decode_all (Verify *verify, PacoInput *input, GError **error)
{
  PacoDecoding decoding = {
    .input = input,
    .decoder = verify->fast ? NULL : paco_frame_decoder_new (),
    .range = verify->range,
    .kind = &paco_writer_raw,
    .memory = (uint64_t) verify->memory * 1000000,
    .done = on_done,
    .user = verify,
  };
  /* Slices of stacks are no pictures, but may be sound. */
  bool good = (verify->fast
                  || (paco_coder_set (decoding.decoder, NULL, "slices",
                          "slices", "true", error)
                      && paco_coder_options_apply (
                          &verify->coder, decoding.decoder, NULL, error)))
      && paco_decoding_run (&decoding, error);

  paco_frame_decoder_free (decoding.decoder);
  return good;
}

static bool
is_sound (const Verify *verify)
{
  return verify->frames_damaged == 0 && verify->frames_missing == 0
      && verify->bytes_damaged == 0 && !verify->is_cut;
}

static void
print_summary (const Verify *verify, const char *path)
{
  if (verify->unchecked)
    printf ("%s: %" G_GUINT64_FORMAT
            " %s no checks; without --fast all are decoded\n",
        path, verify->unchecked,
        paco_text_plural (verify->unchecked, "frame has", "frames have"));
  if (is_sound (verify)) {
    printf ("%s: %" G_GUINT64_FORMAT " %s", path, verify->frames_seen,
        paco_text_plural (verify->frames_seen, "frame", "frames"));
    if (verify->members > 0)
      printf (" and %" G_GUINT64_FORMAT " %s", verify->members,
          paco_text_plural (verify->members, "member", "members"));
    printf (", all sound\n");
    return;
  }
  printf ("%s: %" G_GUINT64_FORMAT " %s, %" G_GUINT64_FORMAT
          " of them damaged, %" G_GUINT64_FORMAT " missing; %" G_GUINT64_FORMAT
          " %s damaged, %" G_GUINT64_FORMAT " %s to no frame%s\n",
      path, verify->frames_seen,
      paco_text_plural (verify->frames_seen, "frame", "frames"),
      verify->frames_damaged, verify->frames_missing, verify->blocks_damaged,
      paco_text_plural (verify->blocks_damaged, "block is", "blocks are"),
      verify->bytes_damaged,
      paco_text_plural (verify->bytes_damaged, "byte belongs", "bytes belong"),
      verify->is_cut ? "; the file is cut" : "");
}

static void
print_json (const Verify *verify, const char *path)
{
  g_autoptr (GString) text = g_string_new ("{");

  paco_json_text (text, "file", path);
  paco_json_boolean (text, "sound", is_sound (verify));
  paco_json_number (text, "frames", verify->frames_seen);
  paco_json_number (text, "members", verify->members);
  paco_json_number (text, "damaged_frames", verify->frames_damaged);
  paco_json_number (text, "missing_frames", verify->frames_missing);
  paco_json_number (text, "damaged_blocks", verify->blocks_damaged);
  paco_json_number (text, "skipped_bytes", verify->bytes_damaged);
  paco_json_number (text, "unchecked_frames", verify->unchecked);
  printf ("%s, \"damage\": [%s]}\n", text->str, verify->report->str);
}

static int
verify_file (Verify *verify, const char *path)
{
  GError *error = NULL;
  PacoInput *input = paco_input_open (path, &error);
  bool good = false;

  verify->input = input;
  if (input) {
    verify->progress = paco_progress_new (
        paco_input_count (input), verify->quiet);
    good = decode_all (verify, input, &error);
    paco_progress_free (verify->progress);
  }
  if (good && verify->frames_seen == 0 && verify->frames_missing == 0)
    good = paco_input_has_none (input, "no such frames", &error);
  paco_input_close (input);
  if (!good)
    return paco_tool_fail (error);
  if (verify->json)
    print_json (verify, path);
  else {
    g_autofree char *shown = paco_text_show (path);

    print_summary (verify, shown);
  }
  return is_sound (verify) ? PACO_EXIT_DONE : PACO_EXIT_DAMAGE;
}

/* Compares files with what archives know of them, as `paco restore --check` does. */
static int
verify_archive (const Verify *verify, const char *path)
{
  const PacoCoderOptions *coder = &verify->coder;
  const PacoRestoreCommand restore = {
    .frames = verify->frames,
    .coders = { coder->backend, coder->devices, MAX (coder->threads, 0), 0 },
    .md5 = verify->md5,
    .quiet = verify->quiet,
    .memory = verify->memory,
  };

  if (!verify->fast && !verify->json && !coder->settings && coder->depth < 0)
    return paco_restore_command (&restore, path, NULL);
  paco_tool_complain ("--checksums and --md5 go with --frames, --threads, "
                      "--backend, --devices, --memory and --quiet only");
  return PACO_EXIT_USAGE;
}

static const PacoToolUsage usage = {
  .arguments = "FILE",
  .summary =
      "Decodes all frames of FILE and says which are damaged or missing.",
  .description = "The exit code is 3 then, and 0 if all are sound. FILE may be "
                 "the first or all files of a\nsplit archive.",
  .minimum = 1,
  .maximum = -1,
};

int
paco_tool_verify (int argc, char **argv)
{
  Verify verify = { .coder = PACO_CODER_OPTIONS_INIT };
  const GOptionEntry entries[] = {
    PACO_FLAG ("fast", &verify.fast,
        "compares bytes with the checks of frames and blocks, without "
        "decoding"),
    PACO_FLAG ("checksums", &verify.checksums,
        "makes the files of an archive again and compares their checksums"),
    PACO_FLAG (
        "md5", &verify.md5, "the same, and their MD5s, where they were kept"),
    PACO_TEXT (
        "frames", &verify.frames, "only these frames, B included", "A-B"),
    PACO_DECODING_MEMORY_OPTION (&verify.memory),
    PACO_FLAG ("json", &verify.json, "prints JSON"),
    PACO_QUIET (&verify.quiet, "shows no progress on a terminal"),
    PACO_CODER_OPTIONS (verify.coder),
    { NULL },
  };
  GError *error = NULL;
  int code;

  if (!paco_tool_parse (&usage, entries, &argc, &argv))
    return PACO_EXIT_USAGE;
  paco_signals_catch ();
  if (paco_volumes_drop (argv + 1, argc - 1) > 1) {
    paco_tool_complain ("it takes one FILE, or all files of a split archive");
    code = PACO_EXIT_USAGE;
  } else if (verify.memory < 0) {
    paco_tool_complain ("--memory is not negative");
    code = PACO_EXIT_USAGE;
  } else if (verify.checksums || verify.md5) {
    code = verify_archive (&verify, argv[1]);
  } else {
    verify.report = g_string_new (NULL);
    code = paco_frame_range_parse (verify.frames, &verify.range, &error)
        ? verify_file (&verify, argv[1])
        : paco_tool_fail (error);
    g_string_free (verify.report, TRUE);
  }
  paco_tool_free (entries);
  return code;
}

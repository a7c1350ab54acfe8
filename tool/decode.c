/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco decode: it decodes frames to pictures in files, with decoding.c
 * and writers.c. */
#include "tool/archive/chunks.h"
#include "tool/archive/source.h"
#include "codec/text.h"
#include "decode.h"
#include "decoding.h"
#include "output.h"
#include "progress.h"
#include "sequence.h"
#include "to_rgb.h"
#include "tool.h"

/* What is written, and how far it is. */
typedef struct
{
  const PacoDecodeOptions *options;
  const PacoWriterKind *kind;
  const char *path;
  PacoOutputRules rules;
  bool numbered;
  PacoOutput *stream; /* where the kind is one */
  PacoInfo first;     /* what the stream's pictures are */
  GByteArray *head;
  PacoToRgb *to_rgb;
  PacoInput *input;
  PacoProgress *progress;
  uint64_t done, damaged;
  uint64_t end; /* number of the last frame that was there, plus 1 */
  PacoFrameRange range;
  PacoFileCount count; /* of the archive, if all frames are decoded */
} Decode;

static bool
begin_stream (Decode *decode, const PacoInfo *info, GError **error)
{
  decode->first = *info;
  decode->stream = paco_output_open (decode->path, &decode->rules, error);
  if (!decode->stream)
    return false;
  g_byte_array_set_size (decode->head, 0);
  return !decode->kind->begin
      || (decode->kind->begin (info, decode->head, error)
          && paco_output_write (
              decode->stream, decode->head->data, decode->head->len, error));
}

static bool
is_like_first (const Decode *decode, const PacoInfo *info, GError **error)
{
  const PacoInfo *first = &decode->first;
  bool same = paco_source_same_samples (first, info);

  if (!same)
    paco_tool_failed (error,
        "the pictures become others here, %u x %u instead of %u x %u, or of "
        "other components; one %s file cannot hold both, and --frames chooses",
        info->width, info->height, first->width, first->height,
        decode->kind->name);
  return same;
}

static bool
write_picture (Decode *decode, PacoOutput *output, const PacoPixels *pixels,
    GError **error)
{
  if (paco_writer_needs_rgb (decode->kind, &pixels->info)) {
    pixels = paco_to_rgb (&decode->to_rgb, pixels, decode->kind, error);
    if (!pixels)
      return false;
  }
  g_byte_array_set_size (decode->head, 0);
  return decode->kind->head (pixels, decode->head, error)
      && paco_output_write (
          output, decode->head->data, decode->head->len, error)
      && (decode->kind->whole
          || paco_output_write (output, pixels->samples, pixels->size, error));
}

static bool
write_file (Decode *decode, const PacoDecoded *frame, GError **error)
{
  uint64_t number = frame->input.frame.number;
  PacoOutput *output;
  g_autofree char *name = NULL;

  if (decode->options->start >= 0)
    number = number - decode->range.first + (uint64_t) decode->options->start;
  name = decode->numbered ? paco_sequence_name (decode->path, number)
                          : g_strdup (decode->path);
  output = paco_output_open (name, &decode->rules, error);
  if (!output)
    return false;
  return paco_output_end (output,
      write_picture (decode, output, &frame->pixels, error), false, error);
}

static void
tell_damage (Decode *decode, const PacoDecoded *frame)
{
  const PacoFrame *coded = &frame->input.frame;
  g_autofree char *because = paco_input_because (&frame->input);

  if (coded->missing)
    paco_progress_complain (decode->progress,
        coded->missing == 1 ? "frame %" G_GUINT64_FORMAT " is missing"
                            : "frames %" G_GUINT64_FORMAT
                              " to %" G_GUINT64_FORMAT " are missing",
        coded->number - coded->missing, coded->number - 1);
  if (coded->skipped && coded->data)
    paco_progress_complain (decode->progress,
        "%" G_GUINT64_FORMAT " %s before frame %" G_GUINT64_FORMAT
        " %s to no whole frame%s",
        coded->skipped, paco_text_plural (coded->skipped, "byte", "bytes"),
        coded->number, paco_text_plural (coded->skipped, "belongs", "belong"),
        because);
  else if (coded->skipped)
    paco_progress_complain (decode->progress,
        "%" G_GUINT64_FORMAT " %s to no whole one%s", coded->skipped,
        paco_text_plural (coded->skipped, "byte behind the last frame belongs",
            "bytes behind the last frame belong"),
        because);
  if (frame->error)
    paco_progress_complain (decode->progress,
        "frame %" G_GUINT64_FORMAT " is left out: %s", coded->number,
        frame->error->message);
  else if (coded->data && frame->result.corrupted_blocks)
    paco_progress_complain (decode->progress,
        "frame %" G_GUINT64_FORMAT " has %u damaged %s", coded->number,
        frame->result.corrupted_blocks,
        paco_text_plural (frame->result.corrupted_blocks, "block", "blocks"));
  else if (frame->n_bad)
    paco_progress_complain (decode->progress,
        "frame %" G_GUINT64_FORMAT
        " is of a stack of %u, of whose other frames %u %s missing or damaged",
        coded->number, frame->stack.slice.length, frame->n_bad,
        paco_text_plural (frame->n_bad, "is", "are"));
}

/* Reports frames of an archive that are missing at its end, which no later frame tells. */
static void
tell_missing_end (Decode *decode, const PacoFrame *coded)
{
  const PacoMemberCount no_members = { 0 };
  PacoInfo info = PACO_INFO_INIT;
  uint64_t n = 0;

  if (decode->range.first > 0 || decode->range.last < G_MAXUINT64)
    return;
  paco_file_count_report (
      &decode->count, MAX (coded->missing, coded->skipped > 0));
  if (!coded->data)
    n = paco_file_count_end (&decode->count);
  else if (paco_probe (coded->data, coded->size, &info, NULL, NULL)
      == PACO_STATUS_OK)
    n = paco_file_count_add (&decode->count, &info,
        paco_file_count_of (coded->data, coded->size), &no_members);
  if (n == 0)
    return;
  decode->damaged++;
  paco_progress_complain (decode->progress,
      "the archive ends before frame %" G_GUINT64_FORMAT
      ", and %" G_GUINT64_FORMAT " more of its frames %s missing",
      coded->number, n, paco_text_plural (n, "is", "are"));
}

/* Reports that the range goes on after the last frame of the file. */
static void
tell_short_range (Decode *decode)
{
  if (decode->end == 0 || decode->range.last == G_MAXUINT64
      || decode->end > decode->range.last)
    return;
  decode->damaged++;
  paco_progress_complain (decode->progress,
      "the file ends before frame %" G_GUINT64_FORMAT
      ", and --frames asks for those up to %" G_GUINT64_FORMAT,
      decode->end, decode->range.last);
}

static bool
on_done (void *user, PacoDecoded *frame, GError **error)
{
  Decode *decode = user;
  const PacoFrame *coded = &frame->input.frame;
  bool good = true;

  tell_missing_end (decode, coded);
  if (frame->error || coded->missing || coded->skipped
      || (coded->data && (frame->result.corrupted_blocks || frame->n_bad))) {
    decode->damaged++;
    tell_damage (decode, frame);
  }
  if (!coded->data) {
    tell_short_range (decode);
    decode->damaged += paco_input_tell_ending (decode->input, decode->progress);
    return true;
  }
  decode->end = coded->number + 1;
  if (!frame->error)
    good = !decode->kind->stream
        ? write_file (decode, frame, error)
        : (decode->stream || begin_stream (decode, &frame->pixels.info, error))
            && is_like_first (decode, &frame->pixels.info, error)
            && write_picture (decode, decode->stream, &frame->pixels, error);
  if (!good) {
    g_prefix_error (error, "frame %" G_GUINT64_FORMAT ": ", coded->number);
    return false;
  }
  decode->done += !frame->error;
  paco_progress_set (decode->progress, coded->number - decode->range.first + 1);
  return true;
}

/* --- before and after --- */

static bool
check_path (Decode *decode, uint64_t n_frames, GError **error)
{
  decode->numbered = !decode->kind->stream
      && paco_sequence_is_pattern (decode->path);
  if (decode->numbered)
    return paco_sequence_check (decode->path, error);
  /* That a range has no frames is found out later. */
  if (!decode->kind->stream && n_frames != 1
      && (n_frames > 0 || decode->range.last == G_MAXUINT64))
    return paco_tool_misused (error,
        "a %s file holds one picture: --frames N says which one, or a name "
        "like picture_%%06d.%s numbers them",
        decode->kind->name, decode->kind->extensions[0]);
  return paco_output_check (decode->path, &decode->rules, error);
}

static bool
run (Decode *decode, PacoInput *input, GError **error)
{
  const PacoDecodeOptions *options = decode->options;
  PacoDecoding decoding = {
    .input = input,
    .decoder = paco_frame_decoder_new (),
    .range = decode->range,
    .kind = decode->kind,
    .reduce = (unsigned) options->reduce,
    .region = options->region,
    .memory = (uint64_t) options->memory * 1000000,
    .stacks = true,
    .done = on_done,
    .user = decode,
  };
  char reduce[16];
  bool good = true;

  g_snprintf (reduce, sizeof reduce, "%d", options->reduce);
  if (options->format) {
    decoding.format = paco_format_of_option (options->format, error);
    good = decoding.format != NULL;
  }
  good = good
      && paco_coder_set (
          decoding.decoder, NULL, "slices", "slices", "true", error)
      && paco_coder_options_apply (
          &options->coder, decoding.decoder, NULL, error)
      && paco_coder_set (
          decoding.decoder, NULL, "reduce", "reduce", reduce, error)
      && (!options->region
          || paco_coder_set (decoding.decoder, NULL, "region", "region",
              options->region, error));
  if (good) {
    decode->progress = paco_progress_new (
        paco_frame_range_count (&decode->range, paco_input_count (input)),
        options->quiet);
    good = paco_decoding_run (&decoding, error);
    paco_progress_free (decode->progress);
  }
  paco_frame_decoder_free (decoding.decoder);
  return good;
}

static int
decode_file (const char *from, Decode *decode)
{
  GError *error = NULL;
  g_autoptr (PacoInput) input = NULL;
  bool good;

  decode->head = g_byte_array_new ();
  input = decode->input = paco_input_open (from, &error);
  good = input
      && check_path (decode,
          paco_frame_range_count (&decode->range, paco_input_count (input)),
          &error)
      && run (decode, input, &error);
  if (good && decode->done == 0)
    good = paco_input_has_none (input, "no such frames", &error);
  good = paco_output_end (decode->stream, good, true, &error);
  g_byte_array_unref (decode->head);
  paco_to_rgb_free (decode->to_rgb);
  if (!good)
    return paco_tool_fail (error);
  return decode->damaged ? PACO_EXIT_DAMAGE : PACO_EXIT_DONE;
}

int
paco_decode_range (const PacoDecodeOptions *options, char *from, const char *to,
    const PacoFrameRange *range)
{
  GError *error = NULL;
  Decode decode = {
    .options = options,
    .kind = paco_writer_kind (options->as, to, &error),
    .path = to,
    .rules = { options->force, &from, 1, NULL },
    .range = *range,
  };

  if (!decode.kind)
    return paco_tool_fail (error);
  if (options->reduce >= 0 && options->memory >= 0)
    return decode_file (from, &decode);
  paco_tool_complain ("--reduce and --memory are not negative");
  return PACO_EXIT_USAGE;
}

static const PacoToolUsage usage = {
  .arguments = "FILE OUT",
  .summary = "Decodes frames of FILE to pictures: PGM, PPM, PAM, PNG, JPEG, "
             "TIFF, DNG, DPX,\nY4M or raw, by the name of OUT.",
  .description = "A name like picture_%06d.png stands for numbered files, "
                 "whose numbers are those of\nthe frames. \"-\" is standard "
                 "input or output. Frames are counted from 0.",
  .minimum = 2,
  .maximum = 2,
};

int
paco_tool_decode (int argc, char **argv)
{
  PacoDecodeOptions options = PACO_DECODE_OPTIONS_INIT;
  PacoFrameRange range;
  const GOptionEntry entries[] = {
    PACO_DECODE_ENTRIES (options),
    PACO_TEXT ("format", &options.format,
        "how samples lie in a raw file, by GStreamer's names: RGB, I422_10LE, "
        "...",
        "NAME"),
    PACO_TEXT (
        "frames", &options.frames, "only these frames, B included", "A-B"),
    PACO_NUMBER ("start", &options.start,
        "number of the first file; default: that of the frame", "N"),
    PACO_DECODING_MEMORY_OPTION (&options.memory),
    { NULL },
  };
  GError *error = NULL;
  int code;

  if (!paco_tool_parse (&usage, entries, &argc, &argv))
    return PACO_EXIT_USAGE;
  paco_signals_catch ();
  code = paco_frame_range_parse (options.frames, &range, &error)
      ? paco_decode_range (&options, argv[1], argv[2], &range)
      : paco_tool_fail (error);
  paco_tool_free (entries);
  return code;
}

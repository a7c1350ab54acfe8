/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco contact: it decodes frames that are spread over a file and writes a
 * sheet of them, each with its timecode. */
#include "codec/text.h"
#include "coder_options.h"
#include "decoding.h"
#include "output.h"
#include "progress.h"
#include "sheet.h"
#include "timecode.h"
#include "tool.h"
#include <string.h>

#define GAP 8         /* between pictures, and at the border */
#define LEAST_TEXT 12 /* lines */

typedef struct
{
  PacoCoderOptions coder;
  char *as, *frames;
  int columns, pictures, width;
  gboolean force, quiet;
} Options;

typedef struct
{
  const Options *options;
  PacoInput *input;
  PacoProgress *progress;
  PacoSheet *sheet;
  PacoInfo info; /* of the first frame */
  PacoFrameRange range;
  uint64_t count; /* of the file's frames, or 0 */
  unsigned n, columns, rows, width, height, text_height, reduce;
  unsigned done; /* how many have their place */
  bool found, damaged;
} Contact;

static unsigned
sheet_width (const Contact *contact)
{
  return GAP + contact->columns * (contact->width + GAP);
}

static unsigned
sheet_height (const Contact *contact)
{
  return GAP + contact->rows * (contact->height + contact->text_height + GAP);
}

/* Returns what stands below a picture, to be freed. */
static char *
name_frame (const Contact *contact, const PacoFrame *frame)
{
  unsigned rate = (unsigned) (paco_picture_rate (&contact->info) + 0.5);
  PacoTimecode timecode;

  if (!paco_timecode_of_frame (frame->data, frame->size, &timecode)) {
    if (rate == 0)
      return g_strdup_printf ("%" G_GUINT64_FORMAT, frame->number);
    timecode = paco_timecode_of_number (frame->number, rate, false);
  }
  return paco_timecode_text (&timecode);
}

static bool
on_done (void *user, PacoDecoded *decoded, GError **error)
{
  Contact *contact = user;
  const PacoFrame *frame = &decoded->input.frame;
  PacoSheetArea area = {
    .x = GAP + contact->done % contact->columns * (contact->width + GAP),
    .y = GAP
        + contact->done / contact->columns
            * (contact->height + contact->text_height + GAP),
    .width = contact->width,
    .height = contact->height,
  };
  g_autofree char *name = NULL;

  if (!frame->data)
    return true;
  if (decoded->error || decoded->result.corrupted_blocks || decoded->n_bad) {
    contact->damaged = true;
    paco_progress_complain (contact->progress,
        "frame %" G_GUINT64_FORMAT " is %s", frame->number,
        decoded->error ? decoded->error->message : "damaged");
  }
  contact->found = true;
  name = name_frame (contact, frame);
  if (!decoded->error
      && !paco_sheet_add (contact->sheet, &decoded->pixels, &area, error))
    return false;
  area.y += area.height;
  area.height = contact->text_height;
  paco_sheet_write (contact->sheet, name, &area);
  return true;
}

/* --- which frames, and how large --- */

/* Counts the frames, and reads what the first one is. */
static bool
count_and_read (Contact *contact, GError **error)
{
  PacoInputFrame frame;
  PacoInputResult result;
  PacoError failure;
  bool good = true;

  contact->count = paco_input_count (contact->input);
  result = paco_input_next (contact->input, &frame, error);
  contact->info = (PacoInfo) PACO_INFO_INIT;
  if (result == PACO_INPUT_FRAME)
    good = paco_tool_check (paco_probe (frame.frame.data, frame.frame.size,
                                &contact->info, NULL, &failure),
        &failure, error);
  if (result != PACO_INPUT_ERROR)
    paco_input_release (&frame);
  if (result == PACO_INPUT_END)
    return paco_input_has_none (contact->input, "no frame", error);
  if (result != PACO_INPUT_FRAME || !good)
    return false;
  return (!contact->info.mosaic
             && contact->info.sample_kind[0] == PACO_SAMPLES_UNSIGNED)
      || paco_tool_failed (error,
          "%s has mosaics of a sensor, or signed or floating-point samples, of "
          "which no sheet is made",
          contact->input->name);
}

/* Chooses how often pictures are halved before they are scaled. */
static unsigned
choose_reduction (const Contact *contact)
{
  unsigned reduce = 0;

  /* The colours of two fields may not be halved like the picture. */
  if (contact->info.stack_length > 0 || contact->info.fields)
    return 0;
  while (reduce < contact->info.levels
      && contact->info.width >> (reduce + 1) >= contact->width)
    reduce++;
  return reduce;
}

static bool
lay_out (Contact *contact, GError **error)
{
  const Options *options = contact->options;
  const PacoInfo *info = &contact->info;
  uint64_t n = paco_frame_range_count (&contact->range, contact->count);
  double lines = info->height * (info->interlace_mode == 3 ? 2.0 : 1.0);
  double shape = info->par_n && info->par_d ? (double) info->par_n / info->par_d
                                            : 1;

  if (n == 0)
    return paco_tool_failed (error,
        "%s has no such frames, or does not say how many it has; --frames A-B "
        "says it",
        contact->input->name);
  contact->n = (unsigned) MIN ((uint64_t) options->pictures, n);
  contact->range.last = contact->range.first + n - 1;
  contact->columns = MIN ((unsigned) options->columns, contact->n);
  contact->rows = (contact->n + contact->columns - 1) / contact->columns;
  contact->width = (unsigned) options->width;
  contact->height = (unsigned) MAX (
      contact->width * lines / (info->width * shape) + 0.5, 1);
  contact->text_height = MAX (contact->width / 14, LEAST_TEXT);
  contact->reduce = choose_reduction (contact);
  if (sheet_width (contact) <= PACO_MAX_SIZE
      && sheet_height (contact) <= PACO_MAX_SIZE)
    return true;
  return paco_tool_misused (error,
      "the sheet would have %u x %u pixels, and each may be %d at most: "
      "--width, --columns and --pictures make it smaller",
      sheet_width (contact), sheet_height (contact), PACO_MAX_SIZE);
}

/* --- the work --- */

static bool
decode_frame (Contact *contact, uint64_t number, GError **error)
{
  char reduce[16];
  PacoDecoding decoding = {
    .input = contact->input,
    .decoder = paco_frame_decoder_new (),
    .range = { number, number },
    .kind = &paco_writer_video,
    .reduce = contact->reduce,
    .stacks = true,
    .done = on_done,
    .user = contact,
  };
  bool good;

  g_snprintf (reduce, sizeof reduce, "%u", contact->reduce);
  good = paco_coder_set (
             decoding.decoder, NULL, "slices", "slices", "true", error)
      && paco_coder_options_apply (
          &contact->options->coder, decoding.decoder, NULL, error)
      && paco_coder_set (
          decoding.decoder, NULL, "reduce", "reduce", reduce, error)
      && paco_decoding_run (&decoding, error);
  paco_frame_decoder_free (decoding.decoder);
  return good;
}

static bool
decode_all (Contact *contact, GError **error)
{
  uint64_t n = contact->range.last - contact->range.first + 1;
  bool good = true;

  for (; good && contact->done < contact->n; contact->done++) {
    uint64_t number = contact->range.first + contact->done * n / contact->n;

    contact->found = false;
    good = paco_input_seek (contact->input, 0, error)
        && decode_frame (contact, number, error);
    if (good && !contact->found) {
      contact->damaged = true;
      paco_progress_complain (
          contact->progress, "frame %" G_GUINT64_FORMAT " is missing", number);
    }
    paco_progress_set (contact->progress, contact->done + 1);
  }
  return good;
}

/* Writes the sheet as a picture. */
static bool
write_sheet (Contact *contact, const PacoWriterKind *kind, const char *path,
    const PacoOutputRules *rules, GError **error)
{
  PacoInfo info = PACO_INFO_INIT;
  PacoPixels pixels = { 0 };
  const uint8_t *rgb = paco_sheet_finish (contact->sheet, error);
  GByteArray *head = g_byte_array_new ();
  PacoOutput *output = NULL;
  bool good;

  info.width = sheet_width (contact);
  info.height = sheet_height (contact);
  info.n_components = 3;
  info.matrix = info.range = 1;
  for (unsigned c = 0; c < 3; c++)
    info.depth[c] = 8;
  good = rgb && paco_pixels_place (&pixels, kind, NULL, &info, error);
  if (good)
    memcpy (pixels.samples, rgb, pixels.size);
  good = good && kind->head (&pixels, head, error)
      && (output = paco_output_open (path, rules, error))
      && paco_output_write (output, head->data, head->len, error)
      && (kind->whole
          || paco_output_write (output, pixels.samples, pixels.size, error));
  good = paco_output_end (output, good, false, error);
  g_byte_array_unref (head);
  paco_pixels_clear (&pixels);
  return good;
}

static bool
make_sheet (Contact *contact, char *from, const char *to, GError **error)
{
  const Options *options = contact->options;
  const PacoOutputRules rules = { options->force, &from, 1, NULL };
  const PacoWriterKind *kind = paco_writer_kind (options->as, to, error);
  bool good = kind != NULL;

  if (good && !kind->rgb)
    good = paco_tool_misused (error,
        "a sheet is a PNG, JPEG, TIFF or PPM file, and %s is %s", to,
        kind->name);
  if (!good || !paco_output_check (to, &rules, error)
      || !(contact->input = paco_input_open (from, error))
      || !count_and_read (contact, error) || !lay_out (contact, error)
      || !(contact->sheet = paco_sheet_new (
               sheet_width (contact), sheet_height (contact), error)))
    return false;
  contact->progress = paco_progress_new (contact->n, options->quiet);
  good = decode_all (contact, error);
  paco_progress_free (contact->progress);
  return good && write_sheet (contact, kind, to, &rules, error);
}

static const PacoToolUsage usage = {
  .arguments = "FILE OUT",
  .summary = "Writes a sheet of pictures of FILE, evenly spread over it, with "
             "their timecodes, to OUT:\nPNG, JPEG, TIFF or PPM.",
  .description =
      "Timecodes are those of the frames; if they have none, 00:00:00:00 is "
      "the first one.",
  .minimum = 2,
  .maximum = 2,
};

int
paco_tool_contact (int argc, char **argv)
{
  Options options = {
    .coder = PACO_CODER_OPTIONS_INIT,
    .columns = 4,
    .pictures = 20,
    .width = 320,
  };
  Contact contact = { .options = &options };
  const GOptionEntry entries[] = {
    PACO_NUMBER (
        "pictures", &options.pictures, "how many at most; default 20", "N"),
    PACO_NUMBER (
        "columns", &options.columns, "how many side by side; default 4", "N"),
    PACO_NUMBER ("width", &options.width, "of each one; default 320", "N"),
    PACO_TEXT (
        "frames", &options.frames, "only of these frames, B included", "A-B"),
    PACO_TEXT ("as", &options.as,
        "what the sheet is written as, whatever OUT is called: png, jpeg, "
        "tiff, pnm",
        "KIND"),
    PACO_FORCE (&options.force, "overwrites a file that is there"),
    PACO_QUIET (&options.quiet, "shows no progress on a terminal"),
    PACO_CODER_OPTIONS (options.coder),
    { NULL },
  };
  GError *error = NULL;
  bool good;

  if (!paco_tool_parse (&usage, entries, &argc, &argv))
    return PACO_EXIT_USAGE;
  paco_signals_catch ();
  good = options.pictures >= 1 && options.columns >= 1 && options.width >= 16;
  if (!good)
    paco_tool_misused (
        &error, "--pictures and --columns are at least 1, --width at least 16");
  good = good && paco_frame_range_parse (options.frames, &contact.range, &error)
      && make_sheet (&contact, argv[1], argv[2], &error);
  paco_sheet_free (contact.sheet);
  paco_input_close (contact.input);
  paco_tool_free (entries);
  if (!good)
    return paco_tool_fail (error);
  return contact.damaged ? PACO_EXIT_DAMAGE : PACO_EXIT_DONE;
}

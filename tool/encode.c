/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements paco encode: it encodes pictures of files to a file of frames, with
 * readers.c, libpaco and recording.c. */
#include "codec/text.h"
#include "coder_options.h"
#include "input.h"
#include "names.h"
#include "progress.h"
#include "readers.h"
#include "recording.h"
#include "tool.h"
#include <stdio.h>
#include <string.h>

/* What the command line asks for. */
typedef struct
{
  PacoCoderOptions coder;
  char *format, *size, *mosaic, *fps, *par, *quality, *bitrate, *frames;
  char *sound;
  char *colours[PACO_N_COLOUR_NAMES];
  gboolean lossless, force, quiet;
} Options;

typedef struct
{
  const Options *options;
  PacoPictures *pictures;
  PacoFrameEncoder *encoder;
  PacoRecording *recording;
  PacoProgress *progress;
  PacoFrameRange range;
  uint32_t fps_n, fps_d, par_n, par_d; /* 0: not given */
  bool configured, lost;
  PacoInfo info;          /* of the first picture */
  GQueue waiting, unused; /* of PacoPictureRead */
  uint64_t read, done;
} Encode;

/* --- what the pictures are --- */

static void
describe (Encode *encode, PacoInfo *info)
{
  if (encode->fps_d) {
    info->fps_n = encode->fps_n;
    info->fps_d = encode->fps_d;
  }
  if (encode->par_d) {
    info->par_n = encode->par_n;
    info->par_d = encode->par_d;
  }
  for (unsigned i = 0; i < PACO_N_COLOUR_NAMES; i++)
    if (encode->options->colours[i])
      paco_names_set_colour (info, i, encode->options->colours[i], NULL);
  info->has_place = 1;
}

static bool
configure (Encode *encode, const PacoPictureRead *picture, GError **error)
{
  PacoInfo info_read = picture->info, *info = &info_read;
  PacoError failure;

  if (encode->configured) {
    if (paco_source_same_samples (&encode->info, info))
      return true;
    return paco_tool_failed (error,
        "picture %" G_GUINT64_FORMAT
        "%s%s%s is another one than those before: %u x %u with %u %s of %u %s, "
        "after %u x %u with %u of %u",
        encode->read, picture->name ? " (" : "",
        picture->name ? picture->name : "", picture->name ? ")" : "",
        info->width, info->height, info->n_components,
        paco_text_plural (info->n_components, "component", "components"),
        info->depth[0], paco_text_plural (info->depth[0], "bit", "bits"),
        encode->info.width, encode->info.height, encode->info.n_components,
        encode->info.depth[0]);
  }
  describe (encode, info);
  encode->info = *info;
  encode->configured = true;
  return paco_tool_check (
      paco_frame_encoder_configure (encode->encoder, info, &failure), &failure,
      error);
}

/* --- the work --- */

static bool
finish_oldest (Encode *encode, GError **error)
{
  PacoPictureRead *picture = g_queue_pop_head (&encode->waiting);
  PacoError failure;
  PacoFrame frame = { 0 };
  PacoStatus status = paco_frame_encoder_collect (
      encode->encoder, &frame, &failure);
  bool good = paco_tool_check (status, &failure, error)
      && paco_recording_add (encode->recording, frame.data, frame.size, error);

  encode->lost |= status == PACO_STATUS_DEVICE;
  paco_frame_release (&frame);
  g_queue_push_head (&encode->unused, picture);
  if (good)
    paco_progress_set (encode->progress, ++encode->done);
  return good;
}

static bool
submit (Encode *encode, PacoPictureRead *picture, GError **error)
{
  PacoError failure;
  PacoStatus status;

  if (!configure (encode, picture, error))
    return false;
  while ((status = paco_frame_encoder_submit (
              encode->encoder, &picture->image, NULL, picture, &failure))
          == PACO_STATUS_BUSY
      && !g_queue_is_empty (&encode->waiting))
    if (!finish_oldest (encode, error))
      return false;
  return paco_tool_check (status, &failure, error);
}

static PacoPictureRead *
take_unused (Encode *encode)
{
  PacoPictureRead *picture = g_queue_pop_head (&encode->unused);

  if (!picture) {
    picture = g_new0 (PacoPictureRead, 1);
    paco_picture_read_init (picture);
  }
  return picture;
}

static bool
encode_all (Encode *encode, GError **error)
{
  uint64_t wanted = encode->range.last - encode->range.first;

  if (encode->range.first > 0
      && !paco_pictures_skip (encode->pictures, encode->range.first, error))
    return false;
  for (; encode->read <= wanted; encode->read++) {
    PacoPictureRead *picture = take_unused (encode);
    GError *failure = NULL;

    if (!paco_pictures_next (encode->pictures, picture, &failure)
        || !submit (encode, picture, &failure)) {
      g_queue_push_head (&encode->unused, picture);
      if (!failure)
        break;
      g_propagate_error (error, failure);
      return false;
    }
    g_queue_push_tail (&encode->waiting, picture);
  }
  while (!g_queue_is_empty (&encode->waiting))
    if (!finish_oldest (encode, error))
      return false;
  if (encode->done == 0)
    paco_tool_failed (error, "there is no picture");
  return encode->done > 0;
}

static void
free_pictures (GQueue *pictures)
{
  PacoPictureRead *picture;

  while ((picture = g_queue_pop_head (pictures))) {
    paco_picture_read_clear (picture);
    g_free (picture);
  }
}

/* --- settings --- */

static bool
parse_raw (const Options *options, PacoPicturesHow *how, GError **error)
{
  char end;

  *how = (PacoPicturesHow){ 0 };
  if (options->mosaic) {
    how->mosaic = paco_format_of_pattern (options->mosaic, error);
    if (!how->mosaic)
      return false;
  }
  if (!options->format && !options->size)
    return true;
  if (!options->format || !options->size
      || sscanf (options->size, "%ux%u%c", &how->width, &how->height, &end) != 2
      || how->width < 1 || how->width > PACO_MAX_SIZE || how->height < 1
      || how->height > PACO_MAX_SIZE)
    return paco_tool_misused (error,
        "raw pictures need both --format and --size, as in --format RGB --size "
        "1920x1080, each side 1 to 16384");
  how->format = paco_format_of_option (options->format, error);
  return how->format != NULL;
}

static bool
apply_rate (const Options *options, PacoFrameEncoder *encoder, GError **error)
{
  const struct
  {
    const char *option, *value, *control;
  } rates[] = {
    { "lossless", options->lossless ? "" : NULL, "lossless" },
    { "quality", options->quality, "quality" },
    { "bitrate", options->bitrate, "bitrate" },
  };
  const char *chosen = NULL;

  for (unsigned i = 0; i < G_N_ELEMENTS (rates); i++) {
    if (!rates[i].value)
      continue;
    if (chosen)
      return paco_tool_misused (
          error, "--%s and --%s exclude each other", chosen, rates[i].option);
    chosen = rates[i].option;
    if (!paco_coder_set (
            NULL, encoder, chosen, "rate-control", rates[i].control, error)
        || (*rates[i].value
            && !paco_coder_set (
                NULL, encoder, chosen, chosen, rates[i].value, error)))
      return false;
  }
  return true;
}

static bool
read_options (Encode *encode, PacoPicturesHow *how, GError **error)
{
  const Options *options = encode->options;
  PacoInfo scratch = PACO_INFO_INIT;

  for (unsigned i = 0; i < PACO_N_COLOUR_NAMES; i++)
    if (options->colours[i]
        && !paco_names_set_colour (&scratch, i, options->colours[i], error))
      return false;
  return paco_tool_parse_ratio (
             "fps", options->fps, &encode->fps_n, &encode->fps_d, error)
      && paco_tool_parse_ratio (
          "par", options->par, &encode->par_n, &encode->par_d, error)
      && paco_frame_range_parse (options->frames, &encode->range, error)
      && parse_raw (options, how, error)
      && paco_coder_options_apply (
          &options->coder, NULL, encode->encoder, error)
      && apply_rate (options, encode->encoder, error);
}

static bool
run (Encode *encode, char **names, int n, const char *out, GError **error)
{
  const Options *options = encode->options;
  PacoOutputRules rules = { options->force, names, n, NULL };
  PacoPicturesHow how;
  bool good;

  if (!read_options (encode, &how, error))
    return false;
  encode->pictures = paco_pictures_open (names, n, &how, error);
  if (!encode->pictures)
    return false;
  rules.pattern = encode->pictures->pattern;
  encode->recording = paco_recording_open (out, options->sound, &rules, error);
  if (!encode->recording)
    return false;
  encode->progress = paco_progress_new (
      paco_frame_range_count (&encode->range, encode->pictures->n_frames),
      options->quiet);
  good = encode_all (encode, error);
  paco_progress_free (encode->progress);
  return paco_recording_end (encode->recording, good, options->quiet, error);
}

static const PacoToolUsage usage = {
  .arguments = "IN... OUT",
  .summary = "Encodes pictures to OUT: .paco, or with GStreamer .mkv, .mov.",
  .description = "IN: single pictures (PGM, PPM, PAM, PNG, DPX, ...), or a "
                 "pattern as scan_%06d.png of\nnumbered ones; a Y4M file; raw "
                 "pictures, with --format and --size. \"-\" is standard\ninput "
                 "(Y4M, raw) or output. Settings of --set are those of "
                 "pacoenc: lib/paco.h and the\nman page list them.",
  .minimum = 2,
  .maximum = -1,
};

int
paco_tool_encode (int argc, char **argv)
{
  Options options = { .coder = PACO_CODER_OPTIONS_INIT };
  Encode encode = { .options = &options };
  const GOptionEntry entries[] = {
    PACO_TEXT ("quality", &options.quality,
        "0 to 100; 90, the default, is visually lossless", "Q"),
    PACO_FLAG (
        "lossless", &options.lossless, "all samples come back as they were"),
    PACO_TEXT ("bitrate", &options.bitrate,
        "no frame has more than its share of KBIT kbit/s", "KBIT"),
    PACO_TEXT ("fps", &options.fps,
        "frames a second, as 25 or 30000/1001; 29.97 is the latter", "RATE"),
    PACO_TEXT ("par", &options.par, "pixel aspect ratio, as 64/45", "RATIO"),
    PACO_TEXT ("format", &options.format,
        "how samples lie in raw pictures, by GStreamer's names: RGB, "
        "I422_10LE, ...",
        "NAME"),
    PACO_TEXT ("size", &options.size, "columns and lines of raw pictures",
        "WIDTHxHEIGHT"),
    PACO_TEXT ("mosaic", &options.mosaic,
        "gray pictures are a sensor's mosaic: rggb, grbg, gbrg, bggr",
        "PATTERN"),
    PACO_TEXT ("frames", &options.frames,
        "only these pictures, counted from 0, B included", "A-B"),
    PACO_TEXT ("sound", &options.sound, "sound for .mkv and .mov", "FILE.wav"),
    PACO_TEXT ("matrix", &options.colours[PACO_COLOUR_MATRIX],
        "what colours mean; the man page lists names", "NAME"),
    PACO_TEXT (
        "transfer", &options.colours[PACO_COLOUR_TRANSFER], "the same", "NAME"),
    PACO_TEXT ("primaries", &options.colours[PACO_COLOUR_PRIMARIES], "the same",
        "NAME"),
    PACO_TEXT ("range", &options.colours[PACO_COLOUR_RANGE], "full or limited",
        "NAME"),
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
  encode.encoder = paco_frame_encoder_new ();
  good = run (&encode, argv + 1, argc - 2, argv[argc - 1], &error);
  if (!encode.lost) {
    paco_frame_encoder_free (encode.encoder);
    free_pictures (&encode.waiting);
    free_pictures (&encode.unused);
  }
  paco_pictures_close (encode.pictures);
  paco_tool_free (entries);
  return good ? PACO_EXIT_DONE : paco_tool_fail (error);
}

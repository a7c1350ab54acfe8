/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-rate [OPTION...] FILE...: codes pictures with the CPU backend, without loss unless
 * a quality or a budget is given, decodes them and compares. Prints a JSON line for each
 * file and run, with a PSNR of 999 for no difference; first_psnr is that of the first
 * generation. Times are those of a frame from samples in memory to the codestream in
 * memory, everything allocated before, and back; copy_wall is that of a copy of the
 * picture, the ceiling of any codec.
 *
 * With --conceal=LAST it codes two pictures of a stream and breaks blocks of the second
 * one, FILE: the first block of LL, LL of the first component, all LL, or all blocks of
 * the coarsest level but LL. It prints the PSNR with zeros in their place, after LAST,
 * and as the first picture of a stream. */
#include "codec/backend.h"
#include "codec/frame_cut.h"
#include "codec/index.h"
#include "codec/tables/pictures.h"
#include "tests/bench/seconds.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_RUNS 1000

typedef struct
{
  PacoParameters parameters;
  int generations, threads, runs;
  int color_transform; /* of RGB */
  int cut;             /* bytes; 0: frames are not cut */
  char *planes;        /* prefix of files, or NULL */
  char *conceal;       /* the file of the picture before, or NULL */
} Options;

static G_GNUC_NORETURN void
stop (const GError *error)
{
  fprintf (stderr, "%s\n", error ? error->message : "No frame came back.");
  exit (1);
}

/* --- pictures --- */

/* Makes a picture of the same format, all samples 0 in words of their own, for a decoder
 * to write to. */
static void
picture_blank (TrainingPicture *picture, const TrainingPicture *like)
{
  uint64_t offset = 0;

  *picture = *like;
  picture->name = g_strdup (like->name);
  picture->contents = g_malloc0 (like->n_samples * 2);
  for (unsigned c = 0; c < like->format.n_components; c++) {
    unsigned bytes = like->format.components[c].depth > 8 ? 2 : 1;
    uint32_t width = paco_component_width (&like->format, c);

    picture->picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (bytes);
    picture->picture.data[c] = (uint8_t *) picture->contents + offset;
    picture->picture.stride[c] = (ptrdiff_t) width * bytes;
    offset += (uint64_t) width * bytes
        * paco_component_height (&like->format, c);
  }
}

static unsigned
sample (const TrainingPicture *picture, unsigned c, uint32_t x, uint32_t y)
{
  const PacoSampleLayout *layout = &picture->picture.layout[c];
  const uint8_t *p = picture->picture.data[c] + y * picture->picture.stride[c]
      + paco_layout_offset (layout, x);

  if (layout->word_bytes == 1)
    return p[0];
  return layout->big_endian ? p[0] << 8 | p[1] : p[1] << 8 | p[0];
}

/* Writes all samples, component after component, line after line, as two bytes each, the
 * lower one first. */
static gboolean
picture_write (const Options *options, const char *which,
    const TrainingPicture *picture, GError **error)
{
  g_autofree char *path = g_strconcat (options->planes, which, NULL);
  g_autofree uint8_t *bytes = g_malloc (picture->n_samples * 2);
  size_t n = 0;

  for (unsigned c = 0; c < picture->format.n_components; c++)
    for (uint32_t y = 0; y < paco_component_height (&picture->format, c); y++)
      for (uint32_t x = 0; x < paco_component_width (&picture->format, c);
           x++) {
        unsigned value = sample (picture, c, x, y);

        bytes[n++] = value & 255;
        bytes[n++] = value >> 8;
      }
  return g_file_set_contents (path, (char *) bytes, (gssize) n, error);
}

/* Returns the PSNR over all samples, or 999 if none differs. */
static double
picture_psnr (const TrainingPicture *a, const TrainingPicture *b)
{
  double sum = 0;

  for (unsigned c = 0; c < a->format.n_components; c++) {
    double scale = 1.0 / ((1u << a->format.components[c].depth) - 1);
    uint64_t squares = 0;

    for (uint32_t y = 0; y < paco_component_height (&a->format, c); y++)
      for (uint32_t x = 0; x < paco_component_width (&a->format, c); x++) {
        int64_t difference = (int64_t) sample (a, c, x, y)
            - sample (b, c, x, y);

        squares += (uint64_t) (difference * difference);
      }
    sum += (double) squares * scale * scale;
  }
  return sum == 0 ? 999.0 : 10 * log10 ((double) a->n_samples / sum);
}

static double
copy_seconds (const TrainingPicture *file, char *destination, size_t size)
{
  Seconds start = seconds_now ();

  memcpy (destination, file->contents, size);
  /* The copy is wanted for its own sake. */
  __asm__ volatile("" : : "r"(destination) : "memory");
  return seconds_since (start).wall;
}

/* --- coding --- */

/* Codes the picture once more than the runs, which the times are of. */
static GBytes *
encode (const Options *options, const TrainingPicture *file, Seconds *seconds)
{
  const PacoBackendOptions backend = { .threads = (unsigned) options->threads,
    .depth = 1 };
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  PacoParameters parameters = options->parameters;
  GError *error = NULL;
  GBytes *stream = NULL;
  PacoEncoder *encoder = paco_cpu_backend.encoder_open (&backend, &error);

  parameters.rgb = file->rgb;
  if (file->rgb)
    parameters.color_transform = options->color_transform;
  if (!encoder
      || !paco_encoder_configure (
          encoder, &file->format, file->picture.layout, &parameters, &error))
    stop (error);
  for (int run = 0; run <= options->runs; run++) {
    Seconds start = seconds_now ();
    PacoEncodedFrame *frame;

    if (!paco_encoder_submit (encoder, &file->picture, &video, NULL, &error))
      stop (error);
    frame = paco_encoder_collect (encoder, NULL);
    if (run)
      seconds[run - 1] = seconds_since (start);
    if (!frame || !frame->data)
      stop (frame ? frame->error : NULL);
    g_clear_pointer (&stream, g_bytes_unref);
    stream = g_bytes_new (frame->data, frame->size);
    frame->release (frame);
  }
  paco_coder_close (PACO_CODER (encoder));
  return stream;
}

static void
decode (const Options *options, GBytes *stream, TrainingPicture *decoded,
    Seconds *seconds)
{
  const PacoBackendOptions backend = { .threads = (unsigned) options->threads,
    .depth = 1 };
  gsize size;
  const uint8_t *data = g_bytes_get_data (stream, &size);
  GError *error = NULL;
  PacoDecoder *decoder = paco_cpu_backend.decoder_open (&backend, &error);
  PacoCodedFrame coded;
  PacoDecodedFrame frame = { NULL };

  if (!decoder || !paco_coded_frame_parse (&coded, data, size, &error)
      || !paco_decoder_configure (
          decoder, &coded.header, decoded->picture.layout, 0, &error))
    stop (error);
  for (int run = 0; run <= options->runs; run++) {
    Seconds start = seconds_now ();

    if (!paco_coded_frame_parse (&coded, data, size, &error)
        || !paco_decoder_submit (
            decoder, &coded, &decoded->picture, NULL, &error)
        || !paco_decoder_collect (decoder, &frame, NULL) || frame.error)
      stop (error ? error : frame.error);
    if (run)
      seconds[run - 1] = seconds_since (start);
    if (frame.corrupted_blocks) {
      fprintf (stderr, "%u blocks are broken.\n", frame.corrupted_blocks);
      exit (1);
    }
  }
  paco_coder_close (PACO_CODER (decoder));
}

/* Cuts a recording, which it takes. */
static GBytes *
cut (GBytes *recording, size_t budget)
{
  size_t size, out_size;
  const uint8_t *data = g_bytes_get_data (recording, &size);
  uint8_t *out = g_malloc (size);
  GError *error = NULL;

  if (!paco_frame_cut (data, size, budget, out, &out_size, &error))
    stop (error);
  g_bytes_unref (recording);
  return g_bytes_new_take (out, out_size);
}

static void
print_run (const TrainingPicture *file, const char *path, size_t recorded,
    size_t size, double psnr, double first_psnr)
{
  printf ("{\"file\": \"%s\", \"samples\": %" G_GSIZE_FORMAT
          ", \"bytes\": %" G_GSIZE_FORMAT ", \"bits_per_sample\": %.5f, "
          "\"recorded_bytes\": %" G_GSIZE_FORMAT
          ", \"psnr\": %.3f, \"first_psnr\": %.3f, \"depth\": %u",
      path, file->n_samples, size, size * 8.0 / (double) file->n_samples,
      recorded, psnr, first_psnr, file->format.components[0].depth);
}

static gboolean
measure (const Options *options, const char *path, GError **error)
{
  TrainingPicture file, decoded[2];
  const TrainingPicture *source = &file;
  size_t size = 0, recorded = 0, copied;
  double first_psnr = 0, psnr;
  Seconds encoding[MAX_RUNS], decoding[MAX_RUNS];
  gboolean done = TRUE;

  if (!training_picture_read (path, &file, error))
    return FALSE;
  picture_blank (&decoded[0], &file);
  picture_blank (&decoded[1], &file);
  for (int n = 0; n < options->generations; n++) {
    GBytes *stream = encode (options, source, encoding);

    if (n == 0)
      recorded = g_bytes_get_size (stream);
    if (options->cut > 0)
      stream = cut (stream, (size_t) options->cut);
    source = &decoded[n % 2];
    decode (options, stream, &decoded[n % 2], decoding);
    if (n == 0) {
      size = g_bytes_get_size (stream);
      first_psnr = picture_psnr (&file, source);
    }
    g_bytes_unref (stream);
  }
  if (options->parameters.rate_control == PACO_RATE_LOSSLESS
      && options->cut == 0 && first_psnr < 999) {
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED,
        "%s did not come back as it was.", path);
    done = FALSE;
  }
  if (done && options->planes)
    done = picture_write (options, "original", &file, error)
        && picture_write (options, "decoded", source, error);
  psnr = picture_psnr (&file, source);
  copied = file.n_samples * file.picture.layout[0].word_bytes;
  for (int run = 0; done && run < options->runs; run++) {
    print_run (&file, path, recorded, size, psnr, first_psnr);
    /* The first copy of a run brings the pages in. */
    copy_seconds (&file, decoded[0].contents, copied);
    printf (", \"encode_seconds\": %.6f, \"encode_wall\": %.6f, "
            "\"decode_seconds\": %.6f, \"decode_wall\": %.6f, "
            "\"copy_bytes\": %" G_GSIZE_FORMAT ", \"copy_wall\": %.6f}\n",
        encoding[run].cpu, encoding[run].wall, decoding[run].cpu,
        decoding[run].wall, copied,
        copy_seconds (&file, decoded[0].contents, copied));
  }
  fflush (stdout);
  training_picture_clear (&file);
  training_picture_clear (&decoded[0]);
  training_picture_clear (&decoded[1]);
  return done;
}

/* --- broken blocks --- */

static const char *const damages[] = { "none", "first-block",
  "ll-of-first-component", "all-ll", "coarsest-details" };

/* Says whether a block of LL or of the coarsest level is broken. */
static bool
is_broken (const PacoGeometry *geometry, uint32_t i, unsigned damage)
{
  bool ll = i < geometry->n_blocks_at[geometry->levels];

  switch (damage) {
    case 1:
      return i == 0;
    case 2:
      return ll
          && geometry->subbands[geometry->blocks[i].subband].component == 0;
    case 3:
      return ll;
    default:
      return damage == 4 && !ll;
  }
}

static void
damage_frame (uint8_t *data, const PacoHeader *header, unsigned damage)
{
  PacoGeometry *geometry = paco_geometry_new (
      &header->picture, &header->coding);
  g_autofree PacoBlockRecord *records = g_new (
      PacoBlockRecord, geometry->n_blocks);
  size_t payload = header->header_size + header->index_size;
  GError *error = NULL;

  if (!paco_index_parse_frame (data, header, geometry, records, &error))
    stop (error);
  for (uint32_t i = 0; i < geometry->n_blocks_at[geometry->levels - 1]; i++)
    if (is_broken (geometry, i, damage) && records[i].length > 0)
      data[payload + records[i].offset] ^= 1;
  paco_geometry_free (geometry);
}

/* Decodes a stream of one or two frames, and returns the PSNR of the last one. */
static double
psnr_of (GBytes *const *streams, unsigned n, unsigned damage, bool conceal,
    const TrainingPicture *file)
{
  const PacoBackendOptions options = {
    .threads = 1, .depth = 1, .conceal = conceal
  };
  PacoDecoder *decoder = paco_cpu_backend.decoder_open (&options, NULL);
  TrainingPicture decoded;
  GError *error = NULL;
  double psnr;

  picture_blank (&decoded, file);
  for (unsigned k = 0; k < n; k++) {
    gsize size;
    const uint8_t *data = g_bytes_get_data (streams[k], &size);
    g_autofree uint8_t *copy = g_memdup2 (data, size);
    PacoDecodedFrame frame = { NULL };
    PacoCodedFrame coded;

    if (!paco_coded_frame_parse (&coded, copy, size, &error))
      stop (error);
    if (k + 1 == n)
      damage_frame (copy, &coded.header, damage);
    if ((k == 0
            && !paco_decoder_configure (
                decoder, &coded.header, decoded.picture.layout, 0, &error))
        || !paco_decoder_submit (
            decoder, &coded, &decoded.picture, NULL, &error)
        || !paco_decoder_collect (decoder, &frame, NULL) || frame.error)
      stop (error ? error : frame.error);
  }
  psnr = picture_psnr (file, &decoded);
  training_picture_clear (&decoded);
  paco_coder_close (PACO_CODER (decoder));
  return psnr;
}

static gboolean
measure_concealment (const Options *options, const char *path, GError **error)
{
  const char *paths[2] = { options->conceal, path };
  Seconds seconds[MAX_RUNS];
  TrainingPicture files[2];
  GBytes *streams[2];

  for (unsigned k = 0; k < 2; k++) {
    if (!training_picture_read (paths[k], &files[k], error))
      return FALSE;
    streams[k] = encode (options, &files[k], seconds);
  }
  for (unsigned damage = 0; damage < G_N_ELEMENTS (damages); damage++)
    printf ("{\"file\": \"%s\", \"broken\": \"%s\", \"zero_psnr\": %.2f, "
            "\"after_last_psnr\": %.2f, \"first_psnr\": %.2f}\n",
        files[1].name, damages[damage],
        psnr_of (streams + 1, 1, damage, false, &files[1]),
        psnr_of (streams, 2, damage, true, &files[1]),
        psnr_of (streams + 1, 1, damage, true, &files[1]));
  for (unsigned k = 0; k < 2; k++) {
    g_bytes_unref (streams[k]);
    training_picture_clear (&files[k]);
  }
  return TRUE;
}

/* --- options --- */

/* Returns the place of a name that an option has; NULL is the first. */
static int
place_of (const char *option, const char *name, const char *const *names)
{
  for (int i = 0; names[i]; i++)
    if (!name || strcmp (names[i], name) == 0)
      return i;
  fprintf (stderr, "There is no %s %s.\n", option, name);
  exit (1);
}

static gboolean
parse (Options *options, int *argc, char ***argv, GError **error)
{
  static const char *const tunes[] = { "visual", "psnr", NULL };
  const char *wavelets[PACO_N_WAVELETS + 1] = { NULL };
  const char *transforms[PACO_N_COLOR_TRANSFORMS + 1] = { NULL };
  PacoParameters *parameters = &options->parameters;
  char *wavelet = NULL, *color_transform = NULL, *tune = NULL;
  double quality = -1;
  gboolean unchecked = FALSE, done;
  int complexity = (int) parameters->complexity, frame_size = 0;
  GOptionEntry entries[] = {
    { "quality", 'q', 0, G_OPTION_ARG_DOUBLE, &quality, "Quality", "0..100" },
    { "frame-size", 0, 0, G_OPTION_ARG_INT, &frame_size, "Budget", "BYTES" },
    { "cut", 0, 0, G_OPTION_ARG_INT, &options->cut,
        "Codes with cut points, and cuts the frame to that", "BYTES" },
    { "tune", 0, 0, G_OPTION_ARG_STRING, &tune, "As pacoenc's", "visual|psnr" },
    { "complexity", 'c', 0, G_OPTION_ARG_INT, &complexity, "As pacoenc's",
        "0..3" },
    { "wavelet", 'w', 0, G_OPTION_ARG_STRING, &wavelet, "As pacoenc's",
        "NAME" },
    { "color-transform", 't', 0, G_OPTION_ARG_STRING, &color_transform,
        "As pacoenc's, of RGB only", "NAME" },
    { "no-checks", 0, 0, G_OPTION_ARG_NONE, &unchecked,
        "Codeblocks have no checks", NULL },
    { "generations", 'g', 0, G_OPTION_ARG_INT, &options->generations,
        "How often what was decoded is coded again", "N" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options->threads, "Threads (1)",
        "N" },
    { "runs", 0, 0, G_OPTION_ARG_INT, &options->runs, "Runs (1)", "N" },
    { "planes", 'p', 0, G_OPTION_ARG_FILENAME, &options->planes,
        "Writes the samples, two bytes each, to PREFIXoriginal and "
        "PREFIXdecoded",
        "PREFIX" },
    { "conceal", 0, 0, G_OPTION_ARG_FILENAME, &options->conceal,
        "Breaks blocks of a picture that comes after this one", "LAST" },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("FILE...");

  g_option_context_add_main_entries (context, entries, NULL);
  done = g_option_context_parse (context, argc, argv, error);
  for (int i = 0; i < PACO_N_WAVELETS; i++)
    wavelets[i] = paco_wavelets[i].name;
  for (int i = 0; i < PACO_N_COLOR_TRANSFORMS; i++)
    transforms[i] = paco_color_transforms[i].name;
  options->generations = CLAMP (options->generations, 1, 1000);
  options->threads = MAX (options->threads, 1);
  options->runs = CLAMP (options->runs, 1, MAX_RUNS);
  parameters->rate_control = PACO_RATE_LOSSLESS;
  if (quality >= 0 || options->conceal)
    parameters->rate_control = PACO_RATE_QUALITY;
  if (quality >= 0)
    parameters->quality = quality;
  if (frame_size > 0) {
    parameters->rate_control = PACO_RATE_BITRATE;
    parameters->frame_size = (uint32_t) frame_size;
  }
  parameters->complexity = (unsigned) complexity;
  parameters->block_checks = !unchecked;
  parameters->cut_points = options->cut > 0;
  parameters->tune = (PacoTune) place_of ("tune", tune, tunes);
  if (wavelet)
    parameters->wavelet = place_of ("wavelet", wavelet, wavelets);
  if (color_transform)
    options->color_transform = place_of (
        "color transform", color_transform, transforms);
  return done;
}

int
main (int argc, char **argv)
{
  Options options = { .parameters = PACO_PARAMETERS_DEFAULT,
    .color_transform = PACO_COLOR_TRANSFORM_AUTO,
    .threads = 1,
    .runs = 1,
    .generations = 1 };
  GError *error = NULL;
  gboolean done = parse (&options, &argc, &argv, &error);

  for (int i = 1; done && i < argc; i++)
    done = (options.conceal ? measure_concealment : measure) (
        &options, argv[i], &error);
  if (!done)
    stop (error);
  return 0;
}

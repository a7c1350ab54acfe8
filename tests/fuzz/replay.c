/* SPDX-License-Identifier: LGPL-2.1-or-later
 * fuzz-replay [--mutations=N] [--seed=S] [FILE...]: runs the fuzz target
 * without a fuzzer, as a test: over the frames of the files, over frames that
 * it codes itself with every kind of option, and over N mutations of these that
 * depend on the seed alone. `--mutations=0 FILE` replays what a fuzzer found,
 * the file as it is. --keep=FILE: every input is written there before it is
 * tried, so that the last one outlives a crash. */
#include "codec/backend.h"
#include "tests/fuzz/fuzz-frame.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  GPtrArray *seeds; /* GByteArray */
  uint64_t state;   /* of the generator */
} Fuzz;

static uint64_t
next_random (Fuzz *fuzz)
{
  /* xorshift64* */
  fuzz->state ^= fuzz->state >> 12;
  fuzz->state ^= fuzz->state << 25;
  fuzz->state ^= fuzz->state >> 27;
  return fuzz->state * 2685821657736338717u;
}

static uint32_t
below (Fuzz *fuzz, uint32_t n)
{
  return n ? (uint32_t) ((next_random (fuzz) >> 32) * n >> 32) : 0;
}

static void
add_seed (Fuzz *fuzz, const uint8_t *data, size_t size)
{
  GByteArray *seed = g_byte_array_sized_new ((guint) size);

  g_byte_array_append (seed, data, (guint) size);
  g_ptr_array_add (fuzz->seeds, seed);
}

/* Files may hold several frames; what is none is a seed as it is. */
static void
add_file (Fuzz *fuzz, const char *path)
{
  GError *error = NULL;
  char *data;
  gsize size, position = 0;

  if (!g_file_get_contents (path, &data, &size, &error)) {
    fprintf (stderr, "%s\n", error->message);
    exit (1);
  }
  while (position < size) {
    const uint8_t *frame = (const uint8_t *) data + position;
    gsize left = size - position, bytes = left;
    PacoHeader header;

    if (left >= PACO_HEADER_PEEK_SIZE
        && paco_header_peek (frame, left, &header, NULL))
      bytes = MIN (header.frame_size, left);
    add_seed (fuzz, frame, bytes);
    position += bytes;
  }
  g_free (data);
}

typedef struct
{
  uint16_t width, height;
  uint8_t n_components, depth, subsampling;
  bool fields, rgb, lossless, checks;
  uint8_t levels, passes, complexity;
  uint16_t block_height;
} Kind;

static void
fill_samples (Fuzz *fuzz, const Kind *kind, uint16_t *samples, size_t n)
{
  unsigned noise = 1u << (kind->depth / 2);

  for (size_t i = 0; i < n; i++) {
    size_t x = i % kind->width, y = i / kind->width;
    unsigned value = (unsigned) ((x * 7 + y * 3) << kind->depth >> 10);

    samples[i] = (uint16_t) ((value + below (fuzz, noise))
        & ((1u << kind->depth) - 1));
  }
}

static void
add_coded (Fuzz *fuzz, const Kind *kind)
{
  const PacoBackend *backend = &paco_cpu_backend;
  const PacoBackendOptions options = { .threads = 1, .depth = 1 };
  const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoPictureFormat format = { .width = kind->width,
    .height = kind->height,
    .n_components = kind->n_components,
    .fields = kind->fields };
  PacoPicture picture = { 0 };
  PacoEncoder *encoder;
  PacoEncodedFrame *frame;
  GError *error = NULL;
  size_t plane = (size_t) kind->width * kind->height;
  uint16_t *samples = g_new (uint16_t, plane * kind->n_components);

  parameters.rate_control = kind->lossless ? PACO_RATE_LOSSLESS
                                           : PACO_RATE_QUALITY;
  parameters.levels = kind->levels;
  parameters.coding_passes = kind->passes;
  parameters.block_height = kind->block_height;
  parameters.complexity = kind->complexity;
  parameters.rgb = kind->rgb;
  parameters.block_checks = kind->checks;
  fill_samples (fuzz, kind, samples, plane * kind->n_components);
  for (unsigned c = 0; c < kind->n_components; c++) {
    unsigned shift = c && c < 3 ? kind->subsampling : 0;

    format.components[c] = (PacoComponent){ kind->depth, shift, shift };
    picture.layout[c] = (PacoSampleLayout){ .bytes = 2, .pixel_stride = 2 };
    picture.data[c] = (uint8_t *) (samples + plane * c);
    picture.stride[c] = kind->width * 2;
  }
  encoder = backend->encoder_open (&options, &error);
  if (!encoder
      || !paco_encoder_configure (
          encoder, &format, picture.layout, &parameters, &error)
      || !paco_encoder_submit (encoder, &picture, &video, NULL, &error)
      || !(frame = paco_encoder_collect (encoder, NULL)) || !frame->data) {
    fprintf (stderr, "A seed cannot be coded: %s\n",
        error ? error->message : "no frame came back");
    exit (1);
  }
  add_seed (fuzz, frame->data, frame->size);
  frame->release (frame);
  paco_coder_close (PACO_CODER (encoder));
  g_free (samples);
}

/* One frame of each kind that takes its own way through the decoder. */
static void
add_all_kinds (Fuzz *fuzz)
{
  static const Kind kinds[] = {
    { 1, 1, 1, 8, 0, false, false, true, false, 5, 1, 0, 0 },
    { 64, 64, 1, 8, 0, false, false, true, false, 0, 1, 0, 32 },
    { 97, 61, 1, 16, 0, false, false, true, true, 3, 1, 3, 0 },
    { 75, 50, 3, 8, 1, false, false, true, false, 5, 2, 1, 0 },
    { 130, 70, 3, 12, 0, false, true, true, true, 2, 3, 2, 64 },
    { 66, 129, 4, 10, 0, true, true, true, false, 4, 1, 1, 128 },
    { 120, 200, 1, 10, 0, true, false, false, false, 5, 1, 0, 256 },
    { 99, 80, 3, 8, 2, false, false, false, true, 8, 1, 1, 0 },
    { 128, 64, 3, 14, 0, false, true, false, false, 1, 2, 3, 0 },
    { 17, 300, 4, 16, 1, false, false, false, true, 3, 3, 0, 32 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (kinds); i++)
    add_coded (fuzz, &kinds[i]);
}

/* Positions in header and index, which decide most, are drawn as often as
 * those in the much longer payload. */
static uint32_t
draw_position (Fuzz *fuzz, const GByteArray *data)
{
  PacoHeader header;
  uint32_t end = data->len;

  if (!data->len)
    return 0;
  if (data->len >= PACO_HEADER_PEEK_SIZE
      && paco_header_peek (data->data, data->len, &header, NULL)) {
    uint32_t part = below (fuzz, 3);

    if (part == 0)
      end = MIN (header.header_size, data->len);
    else if (part == 1)
      end = MIN (header.header_size + header.index_size, data->len);
  }
  return below (fuzz, end);
}

static void
mutate (Fuzz *fuzz, GByteArray *data)
{
  static const uint8_t extremes[] = { 0, 1, 0x7f, 0x80, 0xfe, 0xff };
  uint32_t at = draw_position (fuzz, data);
  uint32_t left = data->len - at, n;
  uint8_t byte = (uint8_t) next_random (fuzz);

  if (!data->len)
    return;
  switch (below (fuzz, 8)) {
    case 0:
    case 1:
      data->data[at] ^= (uint8_t) (1u << below (fuzz, 8));
      break;
    case 2:
      data->data[at] = byte;
      break;
    case 3:
      data->data[at] = extremes[below (fuzz, G_N_ELEMENTS (extremes))];
      break;
    case 4: /* a word of ones or zeros */
      memset (data->data + at, below (fuzz, 2) ? 0xff : 0, MIN (4, left));
      break;
    case 5:
      g_byte_array_set_size (data, at);
      break;
    case 6: /* a part again, elsewhere */
      n = below (fuzz, MIN (left, 64)) + 1;
      at = below (fuzz, data->len - n + 1);
      memmove (
          data->data + at, data->data + below (fuzz, data->len - n + 1), n);
      break;
    default: /* bytes lost */
      n = below (fuzz, MIN (left, 16)) + 1;
      g_byte_array_remove_range (data, at, MIN (n, left));
  }
}

static void
try_input (const GByteArray *input, const char *keep)
{
  FILE *file = keep ? fopen (keep, "wb") : NULL;

  if (keep && !file)
    fprintf (stderr, "%s cannot be written.\n", keep);
  if (file) {
    fwrite (input->data, 1, input->len, file);
    fclose (file);
  }
  LLVMFuzzerTestOneInput (input->data, input->len);
}

int
main (int argc, char **argv)
{
  Fuzz fuzz = { .seeds = g_ptr_array_new () };
  int mutations = 3000, number = 1;
  char *keep = NULL;
  GOptionEntry entries[] = {
    { "mutations", 'n', 0, G_OPTION_ARG_INT, &mutations, "How many", "N" },
    { "seed", 's', 0, G_OPTION_ARG_INT, &number, "Of the generator", "S" },
    { "keep", 'k', 0, G_OPTION_ARG_FILENAME, &keep, "Write inputs", "FILE" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("[FILE...]");
  GError *error = NULL;

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    return 1;
  }
  g_option_context_free (context);
  fuzz.state = 0x9e3779b97f4a7c15u ^ (uint64_t) number << 1;
  for (int i = 1; i < argc; i++)
    add_file (&fuzz, argv[i]);
  if (mutations > 0)
    add_all_kinds (&fuzz);
  for (guint i = 0; i < fuzz.seeds->len; i++)
    try_input (fuzz.seeds->pdata[i], keep);
  for (int i = 0; i < mutations; i++) {
    GByteArray *input = g_byte_array_new ();
    const GByteArray *seed = fuzz.seeds->pdata[below (&fuzz, fuzz.seeds->len)];

    g_byte_array_append (input, seed->data, seed->len);
    for (uint32_t n = 1 + below (&fuzz, 4); n > 0; n--)
      mutate (&fuzz, input);
    try_input (input, keep);
    g_byte_array_unref (input);
  }
  printf ("%u frames and %d mutations\n", fuzz.seeds->len, mutations);
  for (guint i = 0; i < fuzz.seeds->len; i++)
    g_byte_array_unref (fuzz.seeds->pdata[i]);
  g_ptr_array_unref (fuzz.seeds);
  g_free (keep);
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the frames that seeds.h promises, with encoders of the CPU backend. */
#include "tests/fuzz/seeds.h"
#include "codec/backend.h"
#include <stdio.h>
#include <stdlib.h>

GPtrArray *
fuzz_seeds_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) g_byte_array_unref);
}

static void
add_seed (GPtrArray *seeds, const uint8_t *data, size_t size)
{
  GByteArray *seed = g_byte_array_sized_new ((guint) size);

  g_byte_array_append (seed, data, (guint) size);
  g_ptr_array_add (seeds, seed);
}

void
fuzz_seeds_add_file (GPtrArray *seeds, const char *path)
{
  GError *error = NULL;
  g_autofree char *data = NULL;
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
    add_seed (seeds, frame, bytes);
    position += bytes;
  }
}

typedef struct
{
  uint16_t width, height;
  uint8_t n_components, depth, subsampling;
  bool fields, rgb, lossless, checks, cuts;
  uint8_t levels, passes, complexity;
  uint16_t block_height;
} Kind;

static void
fill_samples (FuzzRandom *random, const Kind *kind, uint16_t *samples, size_t n)
{
  unsigned noise = 1u << (kind->depth / 2);

  for (size_t i = 0; i < n; i++) {
    size_t x = i % kind->width, y = i / kind->width;
    unsigned value = (unsigned) ((x * 7 + y * 3) << kind->depth >> 10);

    samples[i] = (uint16_t) ((value + fuzz_random_below (random, noise))
        & ((1u << kind->depth) - 1));
  }
}

static void
add_coded (GPtrArray *seeds, FuzzRandom *random, const Kind *kind)
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
  g_autofree uint16_t *samples = g_new (uint16_t, plane * kind->n_components);

  parameters.rate_control = kind->lossless ? PACO_RATE_LOSSLESS
                                           : PACO_RATE_QUALITY;
  parameters.levels = kind->levels;
  parameters.coding_passes = kind->passes;
  parameters.block_height = kind->block_height;
  parameters.complexity = kind->complexity;
  parameters.rgb = kind->rgb;
  parameters.block_checks = kind->checks;
  parameters.cut_points = kind->cuts;
  fill_samples (random, kind, samples, plane * kind->n_components);
  for (unsigned c = 0; c < kind->n_components; c++) {
    unsigned shift = c && c < 3 ? kind->subsampling : 0;

    format.components[c] = (PacoComponent){ kind->depth, shift, shift };
    picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
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
  add_seed (seeds, frame->data, frame->size);
  frame->release (frame);
  paco_coder_close (PACO_CODER (encoder));
}

void
fuzz_seeds_add_kinds (GPtrArray *seeds, FuzzRandom *random)
{
  static const Kind kinds[] = {
    { 1, 1, 1, 8, 0, false, false, true, false, false, 5, 1, 0, 0 },
    { 64, 64, 1, 8, 0, false, false, true, false, false, 0, 1, 0, 32 },
    { 97, 61, 1, 16, 0, false, false, true, true, true, 3, 1, 3, 0 },
    { 75, 50, 3, 8, 1, false, false, true, false, true, 5, 2, 1, 0 },
    { 130, 70, 3, 12, 0, false, true, true, true, false, 2, 3, 2, 64 },
    { 66, 129, 4, 10, 0, true, true, true, false, false, 4, 1, 1, 128 },
    { 120, 200, 1, 10, 0, true, false, false, false, true, 5, 1, 0, 256 },
    { 99, 80, 3, 8, 2, false, false, false, true, false, 8, 1, 1, 0 },
    { 128, 64, 3, 14, 0, false, true, false, false, true, 1, 2, 3, 0 },
    { 17, 300, 4, 16, 1, false, false, false, true, false, 3, 3, 0, 32 },
    { 65, 8, 3, 8, 2, true, false, false, false, false, 5, 1, 1, 0 },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (kinds); i++)
    add_coded (seeds, random, &kinds[i]);
}

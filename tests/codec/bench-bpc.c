/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures how fast the CPU block coders are on one core: it encodes and decodes all
 * blocks of a 5/3 transform of the green plane of a PPM picture, and says how many
 * samples a second they do. Nothing is asserted but that it comes back.
 *
 *   bench-bpc picture.ppm [repetitions [ops]]
 *
 * Repetitions may be two numbers, as 3,1: of encoding and of decoding. Programs
 * that count instructions (tests/arm64/count.c) take the one from the other. */
#include "codec/cpu/bpc.h"
#include "codec/geometry.h"
#include "codec/reference/reference.h"
#include "codec/tables/pictures.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEVELS 5

typedef struct
{
  unsigned width, height;
  int32_t *coefficients; /* transformed, subbands nested */
  int32_t *decoded;
  PacoGeometry *geometry;
  PacoBlockRecord *records;
  uint8_t **bytes;
} Picture;

/* Returns the green samples of an RGB picture of 8 bits, level shifted. */
static int32_t *
load_green (const char *name, unsigned *width, unsigned *height)
{
  TrainingPicture file;
  int32_t *green;

  if (!training_picture_read (name, &file, NULL) || !file.rgb
      || file.picture.layout[1].word_bytes != 1)
    return NULL;
  *width = file.format.width;
  *height = file.format.height;
  green = g_new (int32_t, (size_t) *width * *height);
  for (uint32_t y = 0; y < *height; y++)
    for (uint32_t x = 0; x < *width; x++)
      green[y * *width + x] =
          file.picture.data[1][y * file.picture.stride[1]
              + paco_layout_offset (&file.picture.layout[1], x)]
          - 128;
  training_picture_clear (&file);
  return green;
}

/* Says where a block is in the nested layout of the reference transform. */
static PacoBpcBlock
block_of (const Picture *picture, int32_t *plane, uint32_t n)
{
  const PacoCodeblock *where = &picture->geometry->blocks[n];
  const PacoSubband *subband = &picture->geometry->subbands[where->subband];
  unsigned x = where->x, y = where->y, w = picture->width, h = picture->height;

  for (unsigned level = 1; level <= subband->level; level++) {
    w = (w + 1) / 2;
    h = (h + 1) / 2;
  }
  x += subband->orientation & 1 ? w : 0;
  y += subband->orientation & 2 ? h : 0;
  return (
      PacoBpcBlock){ .coefficients = plane + (size_t) y * picture->width + x,
    .stride = picture->width,
    .width = where->width,
    .height = where->height,
    .orientation = subband->orientation,
    .coding_passes = 1,
    .reversible = true,
    .sets = paco_family_of_one (&paco_builtin_sets[0][0]) };
}

/* Returns the processor time of this thread, since others share the machine. */
static double
now (void)
{
  struct timespec t;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
  return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static double
run (Picture *picture, const PacoBpcOps *ops, PacoBpcScratch *scratch,
    unsigned complexity, bool encode)
{
  double start = now ();

  for (uint32_t n = 0; n < picture->geometry->n_blocks; n++) {
    PacoBpcBlock block = block_of (
        picture, encode ? picture->coefficients : picture->decoded, n);

    block.complexity = complexity;
    if (encode)
      ops->encode (scratch, &block, picture->bytes[n], &picture->records[n]);
    else if (!ops->decode (
                 scratch, &block, &picture->records[n], picture->bytes[n]))
      g_error ("block %u does not come back", n);
  }
  return now () - start;
}

static void
report (Picture *picture, const PacoBpcOps *ops, unsigned complexity,
    const unsigned repetitions[2])
{
  PacoBpcScratch *scratch = paco_bpc_scratch_new ();
  size_t n = (size_t) picture->width * picture->height;
  double encode = HUGE_VAL, decode = HUGE_VAL;
  uint64_t bytes = 0;

  for (unsigned i = 0; i < repetitions[0]; i++)
    encode = fmin (encode, run (picture, ops, scratch, complexity, true));
  for (unsigned i = 0; i < repetitions[1]; i++)
    decode = fmin (decode, run (picture, ops, scratch, complexity, false));
  if (memcmp (picture->coefficients, picture->decoded, 4 * n) != 0)
    g_error ("the coefficients do not come back");
  for (uint32_t i = 0; i < picture->geometry->n_blocks; i++)
    bytes += picture->records[i].length;
  printf ("%-7s complexity %u: %.3f bit/sample; encode %.1f Msamples/s; decode "
          "%.1f Msamples/s\n",
      ops->name, complexity, 8.0 * bytes / n, n / encode / 1e6,
      n / decode / 1e6);
  fflush (stdout);
  paco_bpc_scratch_free (scratch);
}

static Picture *
picture_new (int32_t *green, unsigned width, unsigned height)
{
  Picture *picture = g_new0 (Picture, 1);
  PacoReferencePlane plane = { width, height, (PacoReferenceSample *) green };
  PacoPictureFormat format = { .width = width,
    .height = height,
    .n_components = 1,
    .components = { { .depth = 8 } } };
  PacoCoding coding = { .levels = LEVELS, .coding_passes = 1 };

  for (unsigned k = 0; k < PACO_MAX_SUBBANDS; k++)
    coding.subbands[0][k].height_log2 = 2;
  paco_reference_forward_dwt (&plane, LEVELS, PACO_WAVELET_CDF53);
  picture->width = width;
  picture->height = height;
  picture->coefficients = green;
  picture->decoded = g_new0 (int32_t, (size_t) width * height);
  picture->geometry = paco_geometry_new (&format, &coding);
  picture->records = g_new0 (PacoBlockRecord, picture->geometry->n_blocks);
  picture->bytes = g_new0 (uint8_t *, picture->geometry->n_blocks);
  for (uint32_t i = 0; i < picture->geometry->n_blocks; i++)
    picture->bytes[i] = g_malloc (PACO_BPC_OUTPUT_SIZE);
  return picture;
}

static void
picture_free (Picture *picture)
{
  for (uint32_t i = 0; i < picture->geometry->n_blocks; i++)
    g_free (picture->bytes[i]);
  g_free (picture->bytes);
  g_free (picture->records);
  g_free (picture->decoded);
  g_free (picture->coefficients);
  paco_geometry_free (picture->geometry);
  g_free (picture);
}

int
main (int argc, char **argv)
{
  const PacoBpcOps *const *all = paco_bpc_all_ops ();
  unsigned width, height, repetitions[2] = { 5, 5 };
  int32_t *green = argc > 1 ? load_green (argv[1], &width, &height) : NULL;
  Picture *picture;

  if (!green) {
    fprintf (stderr,
        "usage: bench-bpc picture.ppm (binary, 8 bits)"
        " [repetitions [ops]]\n");
    return 2;
  }
  if (argc > 2
      && sscanf (argv[2], "%u,%u", &repetitions[0], &repetitions[1]) < 2)
    repetitions[1] = repetitions[0];
  picture = picture_new (green, width, height);
  for (; *all; all++)
    for (unsigned complexity = 0; complexity < 2; complexity++)
      if (argc < 4 || strcmp (argv[3], (*all)->name) == 0)
        report (picture, *all, complexity, repetitions);
  picture_free (picture);
  return 0;
}

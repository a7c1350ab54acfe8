/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes what the benchmarks code: a picture of a file, or a computed one, with noise. */
#include "tests/bench/cuda/content.h"
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double
gaussian (GRand *rand)
{
  double u = g_rand_double (rand), v = g_rand_double (rand);

  return sqrt (-2.0 * log (u + 1e-12)) * cos (2.0 * G_PI * v);
}

/* Reads an 8-bit P6 file; returns NULL if it cannot be used. */
static uint8_t *
read_ppm (const char *name, unsigned *width, unsigned *height)
{
  FILE *file = name ? fopen (name, "rb") : NULL;
  uint8_t *bytes = NULL;
  unsigned most;

  if (!file)
    return NULL;
  if (fscanf (file, "P6 %u %u %u", width, height, &most) == 3 && most == 255
      && *width > 0 && *width <= 32768 && *height > 0 && *height <= 32768
      && getc (file) != EOF) {
    size_t size = 3 * (size_t) *width * *height;

    bytes = g_malloc (size);
    if (fread (bytes, 1, size, file) != size)
      g_clear_pointer (&bytes, g_free);
  }
  fclose (file);
  return bytes;
}

static double
computed (unsigned c, unsigned x, unsigned y)
{
  double value = 128 + 60 * sin (x * 0.003 + c) * cos (y * 0.005)
      + 30 * sin (x * y * 1e-5) + 12 * sin (x * 0.21 + y * 0.13 + c);

  return (x / 97 + y / 61) % 9 == 0 ? 255 - value : value;
}

/* Says where a line of n samples that is mirrored at its ends has sample i. */
static unsigned
mirrored (unsigned i, unsigned n)
{
  unsigned at = i % (2 * n);

  return at < n ? at : 2 * n - 1 - at;
}

/* The noise is drawn from this number of values, a power of two. */
#define N_NOISE 65536

/* This is what a plane of the content is made of. */
typedef struct
{
  const uint8_t *bytes; /* of a picture; NULL: computed */
  unsigned width, height;
  GRand *rand;
  double *noise;
} Source;

static void
fill_plane (const Source *source, unsigned c, uint16_t *samples,
    unsigned columns, unsigned lines)
{
  for (unsigned y = 0; y < lines; y++) {
    for (unsigned x = 0; x < columns; x++) {
      double value;

      if (source->bytes)
        value = source->bytes[3
                * ((size_t) mirrored (y, source->height) * source->width
                    + mirrored (x, source->width))
            + c];
      else
        value = computed (c, x, y);
      value = floor (value * 16
          + source->noise[g_rand_int (source->rand) % N_NOISE] + 0.5);
      *samples++ = (uint16_t) CLAMP (value, 0, 4095);
    }
  }
}

void
content_fill (
    uint16_t *samples, unsigned width, unsigned height, const char *name)
{
  unsigned columns = MIN (width, CONTENT_WIDTH);
  unsigned lines = MIN (height, CONTENT_HEIGHT);
  g_autofree uint16_t *plane = g_new (uint16_t, (size_t) columns * lines);
  Source source = { .rand = g_rand_new_with_seed (1) };
  g_autofree uint8_t *bytes = read_ppm (name, &source.width, &source.height);

  source.bytes = bytes;
  source.noise = g_new (double, N_NOISE);
  for (unsigned i = 0; i < N_NOISE; i++)
    source.noise[i] = 4 * gaussian (source.rand);
  fprintf (stderr, "content: %s\n", bytes ? name : "computed");
  for (unsigned c = 0; c < 3; c++) {
    fill_plane (&source, c, plane, columns, lines);
    for (unsigned y = 0; y < height; y++) {
      const uint16_t *line = plane + (size_t) mirrored (y, lines) * columns;

      memcpy (samples, line, columns * sizeof *samples);
      for (unsigned x = columns; x < width; x++)
        samples[x] = line[mirrored (x, columns)];
      samples += width;
    }
  }
  g_rand_free (source.rand);
  g_free (source.noise);
}

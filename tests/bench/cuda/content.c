/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the benchmarks code. */
#include "tests/bench/cuda/content.h"
#include <glib.h>
#include <math.h>
#include <stdio.h>

static double
gaussian (GRand *rand)
{
  double u = g_rand_double (rand), v = g_rand_double (rand);

  return sqrt (-2.0 * log (u + 1e-12)) * cos (2.0 * G_PI * v);
}

/* An 8-bit P6 file; NULL if it cannot be used. */
static uint8_t *
read_ppm (const char *name, unsigned *width, unsigned *height)
{
  FILE *file = name ? fopen (name, "rb") : NULL;
  uint8_t *bytes = NULL;
  unsigned most;

  if (!file)
    return NULL;
  if (fscanf (file, "P6 %u %u %u", width, height, &most) == 3 && most == 255
      && *width >= CONTENT_WIDTH / 2 && *height >= CONTENT_HEIGHT
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

void
content_fill (uint16_t *samples, const char *name)
{
  unsigned width = CONTENT_WIDTH, height = CONTENT_HEIGHT;
  uint8_t *bytes = read_ppm (name, &width, &height);
  GRand *rand = g_rand_new_with_seed (1);

  fprintf (stderr, "content: %s\n", bytes ? name : "computed");
  for (unsigned c = 0; c < 3; c++) {
    for (unsigned y = 0; y < CONTENT_HEIGHT; y++) {
      for (unsigned x = 0; x < CONTENT_WIDTH; x++) {
        unsigned from = x < width ? x : 2 * width - 1 - x;
        double value = bytes ? bytes[3 * ((size_t) y * width + from) + c]
                             : computed (c, x, y);

        value = floor (value * 16 + 4 * gaussian (rand) + 0.5);
        samples[((size_t) c * CONTENT_HEIGHT + y) * CONTENT_WIDTH + x] =
            (uint16_t) CLAMP (value, 0, 4095);
      }
    }
  }
  g_rand_free (rand);
  g_free (bytes);
}

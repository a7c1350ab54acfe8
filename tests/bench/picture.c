/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements picture.h. */
#include "tests/bench/picture.h"
#include <math.h>

void
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

gboolean
picture_write (const TrainingPicture *picture, const char *path, GError **error)
{
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

double
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
  if (sum == 0)
    return INFINITY;
  return 10 * log10 ((double) a->n_samples / sum);
}

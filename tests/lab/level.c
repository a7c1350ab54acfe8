/* SPDX-License-Identifier: LGPL-2.1-or-later
 * level.h says what this is for. */
#include "tests/lab/level.h"
#include "codec/reference/reference.h"
#include "codec/wavelet.h"
#include "tests/lab/lab.h"
#include <stdlib.h>
#include <string.h>

void
lab_level_init (LabLevel *level, PacoWaveletId wavelet, uint32_t width,
    uint32_t height, PacoWord *data, unsigned threads)
{
  size_t words = paco_coefficients_place (
      &level->coefficients, width, height, 1, 0, false, NULL);

  memset (level, 0, sizeof *level);
  level->memory = lab_new (words * sizeof *level->memory, 64);
  paco_coefficients_place (
      &level->coefficients, width, height, 1, 0, false, level->memory);
  level->picture = (PacoPlane){ width, height, width, data };
  level->planes = (PacoPlaneSet){ 1, { &level->picture } };
  level->pass = (PacoDwtPass){ paco_row_ops (), &paco_wavelets[wavelet], 1,
    width, height, { level->coefficients.planes[1] }, paco_planes_read,
    &level->planes };
  level->workers = paco_workers_new (threads);
  if (!level->workers)
    lab_fail ("no %u threads", threads);
  /* Bands are as codec/cpu/frame.c has them: few for each thread, all of it for
   * one. */
  level->band_height = threads == 1
      ? (height + 1) & ~1u
      : (MAX (height / (4 * threads), 32) + 1) & ~1u;
}

void
lab_level_clear (LabLevel *level)
{
  paco_workers_free (level->workers);
  free (level->memory);
}

static void
do_band (void *data, uint32_t item, unsigned worker)
{
  LabLevel *level = data;
  uint32_t y = item * level->band_height;

  paco_dwt_forward (&level->pass, y,
      MIN (y + level->band_height, level->pass.height),
      paco_workers_lines (level->workers, worker));
}

void
lab_level_run (void *data)
{
  LabLevel *level = data;
  uint32_t n = (level->pass.height + level->band_height - 1)
      / level->band_height;

  paco_workers_run (level->workers, n, 1, do_band, level);
}

void
lab_level_gather (const LabLevel *level, PacoWord *plane, size_t stride)
{
  const PacoPlane *bands = level->coefficients.planes[1];

  for (unsigned o = 0; o < 4; o++) {
    PacoWord *to = plane + (o & 1 ? bands[PACO_ORIENTATION_LL].width : 0)
        + (o & 2 ? bands[PACO_ORIENTATION_LL].height * stride : 0);

    for (uint32_t y = 0; y < bands[o].height; y++)
      if (bands[o].width > 0)
        memcpy (to + y * stride, bands[o].data + y * bands[o].stride,
            bands[o].width * sizeof *to);
  }
}

void
lab_reference_level (PacoWaveletId id, uint32_t width, uint32_t height,
    PacoWord *data, size_t stride)
{
  PacoReferencePlane plane = { .width = width, .height = height };

  plane.samples = g_new (PacoReferenceSample, (size_t) width * height);
  for (uint32_t y = 0; y < height; y++)
    memcpy (plane.samples + (size_t) y * width, data + y * stride,
        width * sizeof *data);
  paco_reference_forward_dwt (&plane, 1, id);
  for (uint32_t y = 0; y < height; y++)
    memcpy (data + y * stride, plane.samples + (size_t) y * width,
        width * sizeof *data);
  g_free (plane.samples);
}

/* Returns the scale of coefficient i of a line of n, a line of one sample
 * included. */
static double
scale_of (uint32_t i, uint32_t n)
{
  double gain = paco_wavelets[PACO_WAVELET_CDF97].low_gain;

  return i < (n + 1) / 2 ? 1.0 / gain : gain;
}

void
lab_level_scale (uint32_t width, uint32_t height, float *data, size_t stride)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      data[y * stride + x] *= (float) (scale_of (x, width)
          * scale_of (y, height));
}

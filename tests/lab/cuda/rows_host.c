/* SPDX-License-Identifier: LGPL-2.1-or-later
 * rows_host.h says what this is for. */
#include "tests/lab/cuda/rows_host.h"
#include "codec/cpu/dwt.h"
#include "codec/wavelet.h"
#include "tests/lab/lab.h"
#include <stdlib.h>
#include <string.h>

typedef struct
{
  const PacoWavelet *wavelet;
  bool inverse;
  unsigned levels;
  PacoPlane picture;
  PacoCoefficients coefficients;
  PacoDwtLines *lines;
} Transform;

static void
run_level (const Transform *transform, unsigned level)
{
  const PacoPlane *fine = level == 1
      ? &transform->picture
      : &transform->coefficients.planes[level - 1][PACO_ORIENTATION_LL];
  PacoPlaneSet set = { 1, { fine } };
  PacoDwtPass pass = {
    .ops = paco_row_ops (),
    .wavelet = transform->wavelet,
    .n_planes = 1,
    .width = fine->width,
    .height = fine->height,
    .subbands = { transform->coefficients.planes[level] },
    .access = transform->inverse ? paco_planes_write : paco_planes_read,
    .access_data = &set,
  };

  (transform->inverse ? paco_dwt_inverse : paco_dwt_forward) (
      &pass, 0, fine->height, transform->lines);
}

static void
run (void *data)
{
  const Transform *transform = data;
  unsigned n = transform->levels;

  for (unsigned i = 1; i <= n; i++)
    run_level (transform, transform->inverse ? n + 1 - i : i);
}

double
lab_host_ms (PacoWaveletId wavelet, bool inverse, uint32_t width,
    uint32_t height, unsigned levels)
{
  Transform transform = { .wavelet = &paco_wavelets[wavelet],
    .inverse = inverse,
    .levels = levels,
    .picture = { width, height, width, NULL },
    .lines = paco_dwt_lines_new () };
  PacoCoefficients *coefficients = &transform.coefficients;
  size_t picture = (size_t) width * height;
  size_t n = paco_coefficients_place (
      coefficients, width, height, levels, 0, false, NULL);
  size_t n_inner = paco_coefficients_place (
      coefficients, width, height, levels, 0, true, NULL);
  PacoWord *memory = lab_new ((picture + n + n_inner) * sizeof *memory, 64);
  double ms;

  transform.picture.data = memory;
  paco_coefficients_place (
      coefficients, width, height, levels, 0, false, memory + picture);
  paco_coefficients_place (
      coefficients, width, height, levels, 0, true, memory + picture + n);
  for (size_t i = 0; i < picture + n; i++) {
    int sample = lab_draw (-128, 127);
    float number = (float) sample;

    memory[i] = (PacoWord) sample;
    if (!transform.wavelet->reversible)
      memcpy (&memory[i], &number, sizeof number);
  }
  ms = lab_time_one (run, &transform);
  free (memory);
  paco_dwt_lines_free (transform.lines);
  return ms;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the wavelet transform of the CPU backend with the reference: every number
 * is the same, whatever the size, the instruction set, and the bands into which the
 * work is divided. */
#include "codec/cpu/dwt.h"
#include "codec/reference/reference.h"
#include "tests/codec/n-cases.h"
#include <string.h>

#define N_SMALL 1600

typedef struct
{
  const PacoRowOps *ops;
  const PacoWavelet *wavelet;
  uint32_t width, height;
  unsigned levels;
  PacoCoefficients coefficients;
  PacoWord *memory;
  PacoPlane picture; /* of the CPU transform */
  PacoDwtLines *lines;
} Transform;

/* Samples of whole numbers are below `limit` unless they are extreme. */
static PacoReferenceSample
random_sample (PacoWaveletId wavelet, bool extreme, int32_t limit)
{
  PacoReferenceSample sample;

  if (!paco_wavelets[wavelet].reversible)
    sample.f = (float) g_test_rand_double_range (-40000.0, 40000.0)
        * (extreme ? 1e9f : 1.0f);
  else if (extreme)
    sample.i = (int32_t) g_test_rand_int ();
  else
    sample.i = g_test_rand_int_range (-limit, limit);
  return sample;
}

static size_t
place_all (Transform *transform, PacoWord *base)
{
  size_t words = 0;

  for (int inner = 0; inner < 2; inner++)
    words += paco_coefficients_place (&transform->coefficients,
        transform->width, transform->height, transform->levels, 0, inner,
        base ? base + words : NULL);
  return words;
}

static void
transform_init (Transform *transform, const PacoRowOps *ops,
    PacoWaveletId wavelet, uint32_t width, uint32_t height, unsigned levels)
{
  size_t words;

  *transform = (Transform){
    .ops = ops,
    .wavelet = &paco_wavelets[wavelet],
    .width = width,
    .height = height,
    .levels = levels,
    .lines = paco_dwt_lines_new (),
    .picture = { width, height, width, g_new (PacoWord, width * height),
        false },
  };
  words = place_all (transform, NULL);
  transform->memory = g_new0 (PacoWord, words);
  place_all (transform, transform->memory);
}

static void
transform_clear (Transform *transform)
{
  g_free (transform->picture.data);
  g_free (transform->memory);
  paco_dwt_lines_free (transform->lines);
}

/* Runs one level in bands of a random height. */
static void
run_level (Transform *transform, unsigned level, bool inverse)
{
  PacoPlaneSet set = { transform->ops, 1, { &transform->picture } };
  PacoDwtPass pass = {
    .ops = transform->ops,
    .wavelet = transform->wavelet,
    .n_planes = 1,
    .width = paco_ceil_shift (transform->width, level - 1),
    .height = paco_ceil_shift (transform->height, level - 1),
    .subbands = { transform->coefficients.planes[level] },
    .access = inverse ? paco_planes_write : paco_planes_read,
    .access_data = &set,
  };
  uint32_t band = 2 * g_test_rand_int_range (1, pass.height + 1);

  if (level > 1)
    set.planes[0] = &transform->coefficients.planes[level - 1][0];
  for (uint32_t y = 0; y < pass.height; y += band) {
    uint32_t end = MIN (y + band, pass.height);

    if (inverse)
      paco_dwt_inverse (&pass, y, end, transform->lines);
    else
      paco_dwt_forward (&pass, y, end, transform->lines);
  }
}

/* Compares a plane with the part of the reference's that begins at x0, y0. */
static void
compare (const Transform *transform, const PacoPlane *plane,
    const PacoReferencePlane *reference, uint32_t x0, uint32_t y0)
{
  for (uint32_t y = 0; y < plane->height; y++) {
    const PacoReferenceSample *expected = reference->samples
        + (size_t) (y0 + y) * reference->width + x0;

    if (memcmp (plane->data + y * plane->stride, expected,
            plane->width * sizeof (PacoWord))
        != 0)
      g_error ("%s: %s, %ux%u, %u levels: line %u of %ux%u",
          transform->ops->name, transform->wavelet->name, transform->width,
          transform->height, transform->levels, y, plane->width, plane->height);
  }
}

static void
compare_subbands (
    const Transform *transform, const PacoReferencePlane *reference)
{
  for (unsigned level = transform->levels; level > 0; level--) {
    const PacoPlane *planes = transform->coefficients.planes[level];
    uint32_t x0 = paco_ceil_shift (transform->width, level);
    uint32_t y0 = paco_ceil_shift (transform->height, level);

    for (unsigned o = level == transform->levels ? 0 : 1; o < 4; o++)
      compare (
          transform, &planes[o], reference, o & 1 ? x0 : 0, o & 2 ? y0 : 0);
  }
}

static bool
is_narrow (const PacoReferencePlane *coefficients)
{
  for (size_t i = 0; i < (size_t) coefficients->width * coefficients->height;
       i++)
    if (ABS ((int64_t) coefficients->samples[i].i) > INT16_MAX)
      return false;
  return true;
}

/* Makes the subbands narrow, line by line in their memory. */
static void
narrow (Transform *transform)
{
  unsigned levels = transform->levels;

  paco_coefficients_set_narrow (&transform->coefficients, levels, true);
  for (unsigned level = levels; level > 0; level--) {
    for (unsigned o = level == levels ? 0 : 1; o < 4; o++) {
      const PacoPlane *plane = &transform->coefficients.planes[level][o];

      for (uint32_t y = 0; y < plane->height; y++)
        for (uint32_t x = 0; x < plane->width; x++) {
          size_t at = y * plane->stride + x;
          int16_t word = (int16_t) plane->data[at];

          memcpy ((uint8_t *) plane->data + 2 * at, &word, sizeof word);
        }
    }
  }
}

/* Checks there and back: source is what the reference has made coefficients,
 * and then back of these. */
static void
check_ops (const PacoRowOps *ops, PacoWaveletId wavelet, unsigned levels,
    const PacoReferencePlane *source, const PacoReferencePlane *coefficients,
    const PacoReferencePlane *back)
{
  uint32_t width = source->width, height = source->height;
  Transform transform;

  transform_init (&transform, ops, wavelet, width, height, levels);
  memcpy (transform.picture.data, source->samples,
      sizeof *source->samples * width * height);
  for (unsigned level = 1; level <= levels; level++)
    run_level (&transform, level, false);
  compare_subbands (&transform, coefficients);
  if (transform.wavelet->reversible && is_narrow (coefficients))
    narrow (&transform);
  for (unsigned level = levels; level > 0; level--)
    run_level (&transform, level, true);
  compare (&transform, &transform.picture, back, 0, 0);
  transform_clear (&transform);
}

static void
copy_plane (PacoReferencePlane *copy, const PacoReferencePlane *plane)
{
  g_assert_true (paco_reference_plane_init (copy, plane->width, plane->height));
  memcpy (copy->samples, plane->samples,
      sizeof *plane->samples * plane->width * plane->height);
}

/* Checks the operations of all instruction sets, which the reference serves
 * once. */
static void
check_transform (PacoWaveletId wavelet, uint32_t width, uint32_t height,
    unsigned levels, bool extreme)
{
  int32_t limit = g_test_rand_bit () ? 65536 : 4096;
  PacoReferencePlane source, coefficients, back;

  g_assert_true (paco_reference_plane_init (&source, width, height));
  for (size_t i = 0; i < (size_t) width * height; i++)
    source.samples[i] = random_sample (wavelet, extreme, limit);
  copy_plane (&coefficients, &source);
  paco_reference_forward_dwt (&coefficients, levels, wavelet);
  copy_plane (&back, &coefficients);
  paco_reference_inverse_dwt (&back, levels, wavelet);
  for (const PacoRowOps *const *ops = paco_row_all_ops (); *ops; ops++)
    check_ops (*ops, wavelet, levels, &source, &coefficients, &back);
  paco_reference_plane_clear (&source);
  paco_reference_plane_clear (&coefficients);
  paco_reference_plane_clear (&back);
}

/* Tests all small sizes, or a share of them. */
static void
test_small (void)
{
  for (uint32_t height = 1; height <= 40; height++)
    for (uint32_t width = 1; width <= 40; width++)
      for (unsigned wavelet = 0; wavelet < PACO_N_WAVELETS; wavelet++)
        if (g_test_rand_int_range (0, N_SMALL) < (int) n_cases (N_SMALL))
          check_transform (
              wavelet, width, height, g_test_rand_int_range (1, 9), false);
}

/* Tests wide pictures, which are filtered in strips of columns. */
static void
test_wide (void)
{
  for (unsigned wavelet = 0; wavelet < PACO_N_WAVELETS; wavelet++) {
    for (uint32_t width = 4090; width <= 4104; width++)
      check_transform (wavelet, width, 9, 3, false);
    for (uint32_t width = 8190; width <= 8203; width += 3)
      check_transform (wavelet, width, 5, 2, false);
    check_transform (wavelet, PACO_MAX_SIZE, 3, 1, false);
  }
}

/* Tests large pictures: what they write goes past the caches. */
static void
test_large (void)
{
  uint32_t width = g_test_rand_int_range (2100, 4300);

  check_transform (g_test_rand_int_range (0, PACO_N_WAVELETS), width,
      (1u << 22) / width + g_test_rand_int_range (1, 9), 2, false);
}

static void
test_random (void)
{
  for (unsigned i = 0; i < n_cases (60); i++)
    check_transform (g_test_rand_int_range (0, PACO_N_WAVELETS),
        g_test_rand_int_range (1, 1500), g_test_rand_int_range (1, 120),
        g_test_rand_int_range (1, 9), g_test_rand_bit ());
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/dwt/small", test_small);
  g_test_add_func ("/cpu/dwt/wide", test_wide);
  g_test_add_func ("/cpu/dwt/large", test_large);
  g_test_add_func ("/cpu/dwt/random", test_random);
  return g_test_run ();
}

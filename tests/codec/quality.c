/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what quality and tune do: steps, sizes and errors, over all qualities and
 * over generations of coding. */
#include "codec/quantizer.h"
#include "codec/step_map.h"
#include "tests/codec/draw.h"
#include "tests/codec/test-picture.h"
#include <math.h>

static double
psnr (const TestPicture *a, const TestPicture *b)
{
  double sum = 0;
  uint64_t n = 0;

  for (unsigned c = 0; c < a->format.n_components; c++)
    for (uint32_t i = 0; i < a->width[c] * a->height[c]; i++, n++) {
      double difference = (double) a->samples[c][i] - b->samples[c][i];

      sum += difference * difference
          / pow (ldexp (1, (int) a->format.components[c].depth) - 1, 2);
    }
  return 10 * log10 ((double) n / sum);
}

/* Draws gray, or three components of any chroma format, with colour transform
 * or without. */
static void
draw_format (PacoPictureFormat *format, PacoParameters *parameters)
{
  unsigned depth = draw (8, 16);

  *format = (PacoPictureFormat){
    .width = draw (120, 200),
    .height = draw (100, 160),
    .n_components = draw (0, 2) ? 3 : 1,
  };
  for (unsigned c = 0; c < format->n_components; c++)
    format->components[c].depth = depth;
  parameters->rgb = draw (0, 1);
  if (!parameters->rgb && format->n_components == 3)
    for (unsigned c = 1, x = draw (0, 1), y = x && draw (0, 1); c < 3; c++) {
      format->components[c].subsampling_x = x;
      format->components[c].subsampling_y = y;
    }
}

static TestPicture *
draw_scene (const PacoPictureFormat *format)
{
  TestPicture *picture = test_picture_new (format, 0);

  test_picture_draw (picture, TEST_SCENE_SHAPES, g_test_rand_int ());
  return picture;
}

/* Tests that from one quality to the next no step grows, of either tune, and
 * that at 100 the tunes agree. */
static void
test_steps (void)
{
  for (int n = 0; n < 40; n++) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoPictureFormat format;
    PacoCoding last[2], coding[2];

    draw_format (&format, &parameters);
    parameters.levels = draw (0, 8);
    if (parameters.rgb && format.n_components == 3)
      parameters.color_transform = draw (0, 1) ? PACO_COLOR_TRANSFORM_ICT
                                               : PACO_COLOR_TRANSFORM_MATRIX;
    for (int q = 0; q <= 1000; q += 5) {
      parameters.quality = q / 10.0;
      for (unsigned tune = 0; tune < 2; tune++) {
        parameters.tune = tune;
        g_assert_true (
            paco_policy_coding (&format, &parameters, &coding[tune], NULL));
        for (unsigned c = 0; q > 0 && c < format.n_components; c++)
          for (unsigned k = 0; k <= 3 * parameters.levels; k++)
            g_assert_cmpuint (coding[tune].subbands[c][k].step, <=,
                last[tune].subbands[c][k].step);
        last[tune] = coding[tune];
      }
    }
    for (unsigned c = 0; c < format.n_components; c++)
      for (unsigned k = 0; k <= 3 * parameters.levels; k++)
        g_assert_cmpuint (
            coding[0].subbands[c][k].step, ==, coding[1].subbands[c][k].step);
  }
}

static double
step (const PacoCoding *coding, unsigned component, unsigned entry)
{
  return paco_step_decode (coding->subbands[component][entry].step);
}

/* Tests what tune=visual is: against tune=psnr the finest subbands have the
 * coarsest steps, most of all those of chroma that is not subsampled, and
 * colours that are coded as they are have the steps of luma. */
static void
test_visual (void)
{
  PacoPictureFormat format = { .width = 64, .height = 64, .n_components = 3 };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;

  for (unsigned c = 0; c < 3; c++)
    format.components[c].depth = 10;
  for (unsigned rgb = 0; rgb < 2; rgb++) {
    PacoCoding visual, flat;
    double luma, chroma, coarse;

    parameters.rgb = rgb;
    parameters.color_transform = PACO_COLOR_TRANSFORM_NONE;
    parameters.tune = PACO_TUNE_PSNR;
    g_assert_true (paco_policy_coding (&format, &parameters, &flat, NULL));
    parameters.tune = PACO_TUNE_VISUAL;
    g_assert_true (paco_policy_coding (&format, &parameters, &visual, NULL));
    coarse = step (&visual, 0, 0) / step (&flat, 0, 0);
    luma = step (&visual, 0, 3 * 5 - 2) / step (&flat, 0, 3 * 5 - 2);
    chroma = step (&visual, 1, 3 * 5 - 2) / step (&flat, 1, 3 * 5 - 2);
    g_assert_cmpfloat (luma, >, 2.0 * coarse);
    if (rgb)
      g_assert_cmpfloat (chroma, ==, luma);
    else
      g_assert_cmpfloat (chroma, >, 2.0 * luma);
  }
}

/* Tests that the size and the PSNR grow with the quality. Below 40 a small
 * frame has so few coefficients left that chance decides. Above 40 the PSNR may
 * still fall by tenths of a decibel: often below 30 dB, and above that in one of
 * 512 scenes, where a step happened to hit the value of a large area. Above 30 dB
 * it grows over two steps of the quality. */
static void
test_monotone (void)
{
  for (int n = 0; n < 4; n++) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoPictureFormat format;
    g_autoptr (TestPicture) original = NULL;
    double last_psnr = 0, before_last = 0;
    unsigned last_size = 0;

    draw_format (&format, &parameters);
    parameters.tune = n % 2 ? PACO_TUNE_PSNR : PACO_TUNE_VISUAL;
    original = draw_scene (&format);
    for (int quality = 40; quality <= 100; quality += 5) {
      g_autoptr (GByteArray) frame = NULL;
      g_autoptr (TestPicture) decoded = NULL;
      double of_quality;

      parameters.quality = quality;
      frame = reference_encode (original, &parameters);
      decoded = reference_decode (frame, &format, 0, 0);
      g_assert_cmpuint (frame->len, >, last_size);
      of_quality = psnr (original, decoded);
      g_assert_cmpfloat (of_quality, >, last_psnr - 0.3);
      if (last_psnr >= 30.0)
        g_assert_cmpfloat (of_quality, >, before_last);
      last_size = frame->len;
      before_last = last_psnr;
      last_psnr = of_quality;
    }
  }
}

/* Tests that what has been coded once is coded again nine times, and loses
 * little: 0.05 dB in the median of 180 scenes, 0.34 dB in the worst. */
static void
test_generations (void)
{
  for (int n = 0; n < 3; n++) {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoPictureFormat format;
    TestPicture *original, *last;
    double first = 0;

    draw_format (&format, &parameters);
    last = original = draw_scene (&format);
    for (int generation = 0; generation < 10; generation++) {
      g_autoptr (GByteArray) frame = reference_encode (last, &parameters);

      if (last != original)
        test_picture_free (last);
      last = reference_decode (frame, &format, 0, 0);
      if (generation == 0)
        first = psnr (original, last);
    }
    g_assert_cmpfloat (psnr (original, last), >, first - 0.75);
    test_picture_free (last);
    test_picture_free (original);
  }
}

/* Codes a picture, and returns the cells of its step map, or NULL without one. */
static uint8_t *
encode_cells (const TestPicture *picture, const PacoParameters *parameters,
    const PacoAreas *areas)
{
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  PacoGeometry *geometry;
  g_autofree uint8_t *cells = NULL;
  PacoHeader header;

  g_assert_true (
      paco_reference_encode_after (&picture->format, &picture->picture,
          &test_video_info, parameters, areas, NULL, NULL, frame, NULL));
  g_assert_true (
      paco_header_parse (frame->data, frame->len, &header, NULL, NULL));
  if (!header.coding.step_map)
    return NULL;
  geometry = paco_geometry_new (&header.picture, &header.coding);
  cells = g_malloc (paco_step_map_n_cells (geometry));
  g_assert_true (
      paco_step_map_parse_frame (frame->data, &header, geometry, cells, NULL));
  paco_geometry_free (geometry);
  return g_steal_pointer (&cells);
}

/* Tests that steps are coarser where a picture is noise than where it is flat, whatever
 * the quality or the budget is, and not with tune=psnr; and that those outside of an area
 * are coarser still. */
static void
test_map (void)
{
  PacoPictureFormat format = { .width = 160, .height = 32, .n_components = 1 };
  const PacoAreas areas = { 1, { { 120, 0, 40, 32 } } };
  const unsigned columns = 10, flat = columns - 1, noise = 0;
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (TestPicture) picture = NULL;

  format.components[0].depth = 10;
  picture = test_picture_new (&format, 0);
  test_picture_draw (picture, TEST_SCENE_NOISE, g_test_rand_int ());
  for (unsigned y = 0; y < 32; y++)
    for (unsigned x = 80; x < 160; x++)
      picture->samples[0][y * 160 + x] = 512;
  for (int n = 0; n < 4; n++) {
    g_autofree uint8_t *cells = NULL, *outside = NULL;

    parameters.tune = n < 3 ? PACO_TUNE_VISUAL : PACO_TUNE_PSNR;
    parameters.rate_control = n < 2 ? PACO_RATE_QUALITY : PACO_RATE_BITRATE;
    parameters.quality = n == 0 ? 90.0 : 30.0;
    parameters.frame_size = 1500;
    parameters.area_weight = 1.0;
    cells = encode_cells (picture, &parameters, NULL);
    g_assert_true ((cells != NULL) == (n < 3));
    for (unsigned row = 0; cells && row < 2; row++) {
      g_assert_cmpuint (cells[row * columns + flat], ==, 0);
      g_assert_cmpuint (cells[row * columns + noise], >=, 3);
    }
    parameters.area_weight = 2.0;
    outside = encode_cells (picture, &parameters, &areas);
    g_assert_nonnull (outside);
    g_assert_cmpuint (outside[flat], ==, 0);
    g_assert_cmpuint (outside[noise], ==, cells ? cells[noise] + 4 : 4);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/quality/steps", test_steps);
  g_test_add_func ("/quality/visual", test_visual);
  g_test_add_func ("/quality/map", test_map);
  g_test_add_func ("/quality/monotone", test_monotone);
  g_test_add_func ("/quality/generations", test_generations);
  return g_test_run ();
}

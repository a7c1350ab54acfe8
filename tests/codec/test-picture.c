/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws the pictures that test-picture.h promises. */
#include "tests/codec/test-picture.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

const PacoVideoInfo test_video_info = {
  .raw_format = "TEST",
  .par_n = 1,
  .par_d = 1,
  .fps_n = 25,
  .fps_d = 1,
};

static uint32_t
reduced_height (
    const PacoPictureFormat *format, unsigned component, unsigned reduce)
{
  uint32_t height = paco_component_height (format, component);

  if (!format->fields)
    return paco_ceil_shift (height, reduce);
  return paco_ceil_shift ((height + 1) / 2, reduce)
      + paco_ceil_shift (height / 2, reduce);
}

TestPicture *
test_picture_new (const PacoPictureFormat *format, unsigned reduce)
{
  TestPicture *picture = g_new0 (TestPicture, 1);

  picture->format = *format;
  for (unsigned c = 0; c < format->n_components; c++) {
    uint32_t width = paco_ceil_shift (paco_component_width (format, c), reduce);

    picture->width[c] = width;
    picture->height[c] = reduced_height (format, c, reduce);
    picture->samples[c] = g_new0 (uint16_t, width * picture->height[c]);
    picture->picture.data[c] = (uint8_t *) picture->samples[c];
    picture->picture.stride[c] = (ptrdiff_t) width * 2;
    picture->picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
    picture->picture.layout[c].big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
  }
  return picture;
}

void
test_picture_free (TestPicture *picture)
{
  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
    g_free (picture->samples[c]);
  g_free (picture);
}

/* Returns a sample of a slope, a disc, stripes that grow finer, and noise of a
 * few steps. */
static uint32_t
shape (uint32_t x, uint32_t y, uint32_t width, uint32_t height,
    unsigned component, uint32_t noise)
{
  int32_t dx = (int32_t) (2 * x) - (int32_t) width;
  int32_t dy = (int32_t) (2 * y) - (int32_t) height;
  uint32_t value = 6000 + 30000 * x / width + 12000 * y / height
      + 3000 * component;

  if (4 * (dx * dx + dy * dy) < (int32_t) (width * height))
    value = 52000 - 9000 * component + 8 * x;
  if (y > height - height / 4 && (x * x / (width + 8) + component) % 3 == 0)
    value = value / 2;
  return value + noise % 500;
}

void
test_picture_draw (TestPicture *picture, TestScene scene, uint32_t seed)
{
  for (unsigned c = 0; c < picture->format.n_components; c++) {
    unsigned depth = picture->format.components[c].depth;
    uint16_t *sample = picture->samples[c];

    for (uint32_t y = 0; y < picture->height[c]; y++) {
      for (uint32_t x = 0; x < picture->width[c]; x++) {
        uint32_t value = 65535;

        seed = seed * 1664525 + 1013904223;
        if (scene == TEST_SCENE_SHAPES)
          value = shape (
              x, y, picture->width[c], picture->height[c], c, seed >> 16);
        else if (scene == TEST_SCENE_NOISE)
          value = seed >> 16;
        *sample++ = MIN (value, 65535) >> (16 - depth);
      }
    }
  }
}

char *
test_picture_md5 (const TestPicture *picture)
{
  GString *text = g_string_new (NULL);

  for (unsigned c = 0; c < picture->format.n_components; c++) {
    uint32_t n = picture->width[c] * picture->height[c];
    unsigned size = picture->format.components[c].depth > 8 ? 2 : 1;
    GChecksum *checksum = g_checksum_new (G_CHECKSUM_MD5);

    for (uint32_t i = 0; i < n; i++) {
      uint8_t bytes[2] = { picture->samples[c][i] & 0xff,
        picture->samples[c][i] >> 8 };

      g_checksum_update (checksum, bytes, size);
    }
    g_string_append_printf (text, " %s", g_checksum_get_string (checksum));
    g_checksum_free (checksum);
  }
  return g_string_free (text, FALSE);
}

bool
test_picture_equal (const TestPicture *a, const TestPicture *b)
{
  return test_picture_difference (a, b) == 0;
}

unsigned
test_picture_difference (const TestPicture *a, const TestPicture *b)
{
  unsigned largest = 0;

  for (unsigned c = 0; c < a->format.n_components; c++) {
    uint32_t n = a->width[c] * a->height[c];

    for (uint32_t i = 0; i < n; i++) {
      unsigned difference = abs (a->samples[c][i] - b->samples[c][i]);

      largest = MAX (largest, difference);
    }
  }
  return largest;
}

GByteArray *
reference_encode (const TestPicture *picture, const PacoParameters *parameters)
{
  GByteArray *frame = g_byte_array_new ();
  GError *error = NULL;
  gboolean done = paco_reference_encode (&picture->format, &picture->picture,
      &test_video_info, parameters, NULL, frame, &error);

  g_assert_no_error (error);
  g_assert_true (done);
  return frame;
}

TestPicture *
reference_decode (const GByteArray *frame, const PacoPictureFormat *format,
    unsigned reduce, uint32_t corrupted)
{
  TestPicture *picture = test_picture_new (format, reduce);
  GError *error = NULL;
  uint32_t found = corrupted + 1;
  gboolean done = paco_reference_decode (
      frame->data, frame->len, reduce, &picture->picture, &found, &error);

  g_assert_no_error (error);
  g_assert_true (done);
  g_assert_cmpuint (found, ==, corrupted);
  return picture;
}

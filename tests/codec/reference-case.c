/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encodes and decodes a case with the reference, as reference-case.h says. */
#include "tests/codec/reference-case.h"

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

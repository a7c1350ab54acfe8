/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests failing allocations: every allocation in the size of pictures that encoder
 * and decoder make, from open() to close(), fails once in turn. That must be an
 * error MEMORY or a frame that says so, and the coder must work again with the next
 * configure(). The linker puts the function below in the place of posix_memalign(),
 * which all of them call; sanitizers find leaks. Small things are allocated with
 * GLib's g_new(), which ends the program without memory, by design. */
#include "codec/backend.h"
#include "random-picture.h"
#include <errno.h>
#include <stdlib.h>

int __real_posix_memalign (void **memory, size_t alignment, size_t size);
int __wrap_posix_memalign (void **memory, size_t alignment, size_t size);

/* This many allocations succeed until one fails; below 0 none does. */
static gint countdown; /* atomic */

int
__wrap_posix_memalign (void **memory, size_t alignment, size_t size)
{
  if (g_atomic_int_add (&countdown, -1) == 0)
    return ENOMEM;
  return __real_posix_memalign (memory, alignment, size);
}

/* Lets allocation number n from here on fail. */
static void
fail_nth (int n)
{
  g_atomic_int_set (&countdown, n);
}

static void
fail_none (void)
{
  g_atomic_int_set (&countdown, -1);
}

/* Says whether an allocation has failed since fail_nth(). */
static bool
has_failed (void)
{
  return g_atomic_int_get (&countdown) < 0;
}

static const PacoBackendOptions options = { .threads = 2, .depth = 2 };

typedef struct
{
  TestPicture picture;
  PacoParameters parameters;
  PacoVideoInfo video;
} Case;

static void
case_init (Case *c, bool lossless)
{
  const PacoPictureFormat format = {
    .width = 200,
    .height = 150,
    .n_components = 3,
    .components = { { 12, 0, 0 }, { 12, 1, 1 }, { 12, 1, 1 } },
  };
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());

  test_picture_init (rand, &c->picture, &format, 0);
  test_picture_fill (rand, &c->picture);
  test_video_random (rand, &c->video);
  c->parameters = (PacoParameters) PACO_PARAMETERS_DEFAULT;
  c->parameters.rate_control = lossless ? PACO_RATE_LOSSLESS
                                        : PACO_RATE_QUALITY;
}

/* Returns the frame, or NULL and the error. */
static GByteArray *
encode (const Case *c, PacoEncoder *encoder, GError **error)
{
  PacoEncodedFrame *frame;
  GByteArray *bytes = NULL;

  if (!paco_encoder_configure (encoder, &c->picture.format,
          c->picture.picture.layout, &c->parameters, error)
      || !paco_encoder_submit (
          encoder, &c->picture.picture, &c->video, NULL, error))
    return NULL;
  frame = paco_encoder_collect (encoder, error);
  g_assert_nonnull (frame);
  if (frame->error) {
    g_propagate_error (error, g_steal_pointer (&frame->error));
  } else {
    bytes = g_byte_array_new ();
    g_byte_array_append (bytes, frame->data, (guint) frame->size);
  }
  frame->release (frame);
  return bytes;
}

static bool
decode (const Case *c, PacoDecoder *decoder, const GByteArray *bytes,
    TestPicture *picture, GError **error)
{
  PacoDecodedFrame frame = { NULL };
  PacoCodedFrame coded;

  if (!paco_coded_frame_parse (&coded, bytes->data, bytes->len, error)
      || !paco_decoder_configure (
          decoder, &coded.header, picture->picture.layout, 0, error)
      || !paco_decoder_submit (decoder, &coded, &picture->picture, NULL, error))
    return false;
  g_assert_true (paco_decoder_collect (decoder, &frame, NULL));
  if (!frame.error) {
    g_assert_cmpuint (frame.corrupted_blocks, ==, 0);
    return true;
  }
  g_propagate_error (error, frame.error);
  return false;
}

static void
compare_bytes (const GByteArray *a, const GByteArray *b)
{
  g_assert_cmpmem (a->data, a->len, b->data, b->len);
}

/* Encodes with allocation n failing, and returns whether it was needed at
 * all. */
static bool
encode_without (const Case *c, int n, const GByteArray *expected)
{
  GError *error = NULL;
  GByteArray *bytes = NULL;
  PacoEncoder *encoder;
  bool failed;

  fail_nth (n);
  encoder = paco_cpu_backend.encoder_open (&options, &error);
  if (encoder)
    bytes = encode (c, encoder, &error);
  failed = has_failed ();
  fail_none ();
  if (bytes)
    compare_bytes (bytes, expected); /* The encoder did without it. */
  else
    g_assert_error (error, PACO_ERROR, PACO_ERROR_MEMORY);
  g_clear_error (&error);
  g_clear_pointer (&bytes, g_byte_array_unref);
  if (encoder) {
    bytes = encode (c, encoder, &error);
    g_assert_no_error (error);
    compare_bytes (bytes, expected);
    g_byte_array_unref (bytes);
    paco_coder_close (PACO_CODER (encoder));
  }
  return failed;
}

static bool
decode_without (
    const Case *c, int n, const GByteArray *bytes, const TestPicture *expected)
{
  GError *error = NULL;
  g_auto (TestPicture) picture;
  PacoDecoder *decoder;
  bool failed;

  test_picture_copy (&picture, &c->picture);
  fail_nth (n);
  decoder = paco_cpu_backend.decoder_open (&options, &error);
  if (decoder)
    decode (c, decoder, bytes, &picture, &error);
  failed = has_failed ();
  fail_none ();
  if (error)
    g_assert_error (error, PACO_ERROR, PACO_ERROR_MEMORY);
  g_clear_error (&error);
  if (decoder) {
    g_assert_true (decode (c, decoder, bytes, &picture, &error));
    g_assert_no_error (error);
    test_picture_compare (&picture, expected);
    paco_coder_close (PACO_CODER (decoder));
  }
  return failed;
}

static void
test_allocations (gconstpointer lossless)
{
  PacoEncoder *encoder;
  PacoDecoder *decoder;
  g_auto (TestPicture) decoded;
  GError *error = NULL;
  g_autoptr (GByteArray) bytes = NULL;
  Case c;
  int n = 0, n_encoder;

  fail_none ();
  case_init (&c, lossless != NULL);
  encoder = paco_cpu_backend.encoder_open (&options, NULL);
  bytes = encode (&c, encoder, &error);
  g_assert_no_error (error);
  paco_coder_close (PACO_CODER (encoder));
  decoder = paco_cpu_backend.decoder_open (&options, NULL);
  test_picture_copy (&decoded, &c.picture);
  g_assert_true (decode (&c, decoder, bytes, &decoded, &error));
  paco_coder_close (PACO_CODER (decoder));

  while (encode_without (&c, n, bytes))
    n++;
  n_encoder = n;
  for (n = 0; decode_without (&c, n, bytes, &decoded);)
    n++;
  g_test_message ("%d allocations to encode, %d to decode", n_encoder, n);
  g_assert_cmpint (n_encoder, >, 4);
  g_assert_cmpint (n, >, 4);
  test_picture_clear (&c.picture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func (
      "/allocations/lossless", GINT_TO_POINTER (1), test_allocations);
  g_test_add_data_func ("/allocations/quality", NULL, test_allocations);
  return g_test_run ();
}

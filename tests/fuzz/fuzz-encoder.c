/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Fuzzes the encoder. The first bytes of the input draw a format, a layout and
 * parameters, the others are the memory of the picture. Every variant must
 * write the reference's bytes, keep to the largest size that it has announced,
 * and be decoded without a broken block. */
#include "codec/cpu/backend_private.h"
#include "codec/reference/reference.h"
#include "tests/codec/random-picture.h"
#include "tests/fuzz/decoding.h"
#include "tests/fuzz/fuzz.h"
#include <stdlib.h>
#include <string.h>

#define N_WORDS 2 /* that draw */
#define MAX_VARIANTS 3

static PacoEncoder *
open_encoder (unsigned variant)
{
  static PacoEncoder *encoders[MAX_VARIANTS];
  const PacoBackendOptions options = { .threads = 1, .depth = 1 };
  const PacoCpuOps ops = { paco_row_all_ops ()[variant],
    paco_bpc_all_ops ()[variant] };

  if (!encoders[variant]) {
    encoders[variant] = paco_cpu_backend.encoder_open (&options, NULL);
    paco_cpu_encoder_set_ops (encoders[variant], &ops);
  }
  return encoders[variant];
}

/* Fills all of the memory: bits that are no samples are ignored. */
static void
fill (TestPicture *picture, const uint8_t *data, size_t size)
{
  size_t at = 0;

  for (unsigned c = 0; c < picture->format.n_components; c++)
    for (size_t i = 0; picture->buffers[c] && i < picture->sizes[c]; i++)
      picture->buffers[c][i] = size ? data[at++ % size] : 0;
}

static void
check_decodes (const GByteArray *frame)
{
  PacoCodedFrame coded;
  FuzzPicture picture;
  FuzzVerdict verdict;

  if (!paco_coded_frame_parse (&coded, frame->data, frame->len, NULL))
    abort ();
  fuzz_picture_init (&picture, &coded.header, 0, 2);
  verdict = fuzz_decode (0, &coded, 0, &picture);
  if (!verdict.decoded || verdict.corrupted_blocks > 0)
    abort ();
  fuzz_picture_clear (&picture);
}

static void
check_variant (unsigned variant, const TestPicture *picture,
    const PacoParameters *parameters, const PacoVideoInfo *video,
    const GByteArray *expected)
{
  PacoEncoder *encoder = open_encoder (variant);
  PacoEncodedFrame *frame;
  gboolean possible = paco_encoder_configure (
      encoder, &picture->format, picture->picture.layout, parameters, NULL);

  if (possible != (expected->len > 0))
    abort ();
  if (!possible)
    return;
  if (!paco_encoder_submit (encoder, &picture->picture, video, NULL, NULL))
    abort ();
  frame = paco_encoder_collect (encoder, NULL);
  if (!frame || !frame->data || frame->size != expected->len
      || frame->size > paco_encoder_max_frame_size (encoder)
      || memcmp (frame->data, expected->data, frame->size) != 0)
    abort ();
  frame->release (frame);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  guint32 words[N_WORDS];
  g_autoptr (GRand) rand = NULL;
  PacoPictureFormat format;
  PacoParameters parameters;
  PacoVideoInfo video;
  TestPicture picture;
  g_autoptr (GByteArray) expected = NULL;

  if (size < sizeof words)
    return 0;
  memcpy (words, data, sizeof words);
  rand = g_rand_new_with_seed_array (words, N_WORDS);
  test_format_random (rand, &format, 6000);
  test_picture_init (rand, &picture, &format, 0);
  test_parameters_random (rand, &parameters);
  test_video_random (rand, &video);
  fill (&picture, data + sizeof words, size - sizeof words);
  expected = g_byte_array_new ();
  if (paco_reference_encode (
          &format, &picture.picture, &video, &parameters, NULL, expected, NULL))
    check_decodes (expected);
  for (unsigned i = 0; i < fuzz_n_variants (); i++)
    check_variant (i, &picture, &parameters, &video, expected);
  test_picture_clear (&picture);
  return 0;
}

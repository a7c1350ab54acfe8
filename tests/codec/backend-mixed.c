/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frames in one piece and frames of two fields in one stream: they follow each
 * other without the coder being configured again or drained in between. */
#include "backend-case.h"
#include "codec/header.h"
#include "codec/reference/reference.h"
#include <string.h>

#define N_FRAMES 12
#define N_FORMS 2

/* This is a picture, and what the reference makes of it in either form. */
typedef struct
{
  Case c;
  GByteArray *frames[N_FORMS];
} Mixed;

static void
mixed_clear (Mixed *mixed)
{
  for (unsigned i = 0; i < N_FORMS; i++)
    g_byte_array_unref (mixed->frames[i]);
  case_clear (&mixed->c);
}

/* Makes one; mode is what the frames say of their stream. */
static void
mixed_init (Mixed *mixed, PacoInterlaceMode mode)
{
  Case *c = &mixed->c;
  bool possible = false;

  while (!possible) {
    case_init_possible (c, 3000);
    c->video.interlace_mode = mode;
    possible = true;
    for (unsigned i = 0; i < N_FORMS; i++) {
      PacoPictureFormat format = c->source.format;

      format.fields = i;
      mixed->frames[i] = g_byte_array_new ();
      possible = paco_reference_encode (&format, &c->source.picture, &c->video,
                     &c->parameters, NULL, mixed->frames[i], NULL)
          && possible;
    }
    if (!possible)
      mixed_clear (mixed);
  }
}

static PacoBackendOptions
random_options (void)
{
  return (PacoBackendOptions){ .device = -1,
    .threads = g_test_rand_int_range (1, 4),
    .depth = g_test_rand_int_range (1, 4),
    .timeout = PATIENCE };
}

static void
check_configurations (PacoCoder *coder, unsigned n)
{
  PacoStats stats;

  paco_coder_stats (coder, &stats);
  g_assert_cmpuint (stats.frames, ==, N_FRAMES);
  g_assert_cmpuint (stats.configurations, ==, n);
}

/* --- Encoding --- */

static void
collect_coded (const Mixed *mixed, PacoEncoder *encoder, unsigned form)
{
  PacoEncodedFrame *frame = must_collect (encoder);
  const GByteArray *expected = mixed->frames[form];

  if (frame->size != expected->len
      || memcmp (frame->data, expected->data, frame->size) != 0)
    g_error (
        "case %u: the encoders differ where fields is %u", mixed->c.seed, form);
  g_assert_cmpuint (frame->size, <=, paco_encoder_max_frame_size (encoder));
  frame->release (frame);
}

static void
encode (const Mixed *mixed)
{
  const PacoBackendOptions options = random_options ();
  g_autoptr (PacoEncoder) encoder = BACKEND.encoder_open (&options, NULL);
  const TestPicture *source = &mixed->c.source;
  unsigned forms[N_FRAMES], depth;
  GError *error = NULL;

  set_random_ops (mixed->c.rand, encoder, NULL);
  paco_encoder_configure_mixed (encoder, &source->format,
      source->picture.layout, &mixed->c.parameters, &error);
  g_assert_no_error (error);
  depth = paco_coder_depth (PACO_CODER (encoder));
  for (unsigned n = 0; n < N_FRAMES + depth; n++) {
    if (n >= depth)
      collect_coded (mixed, encoder, forms[n - depth]);
    if (n >= N_FRAMES)
      continue;
    forms[n] = g_test_rand_bit ();
    paco_encoder_set_fields (encoder, forms[n]);
    must_submit (encoder, &source->picture, &mixed->c.video, NULL);
  }
  check_configurations (PACO_CODER (encoder), 1);
}

/* --- Decoding --- */

/* This says where a frame goes, and what the reference makes of it there. */
typedef struct
{
  unsigned form;
  TestPicture mine, theirs;
} Destination;

static void
destination_init_form (Destination *destination, const Mixed *mixed,
    unsigned form, unsigned reduce)
{
  const GByteArray *frame = mixed->frames[form];
  PacoPictureFormat format = mixed->c.source.format;

  format.fields = form;
  destination->form = form;
  test_picture_init (mixed->c.rand, &destination->mine, &format, reduce);
  test_picture_copy (&destination->theirs, &destination->mine);
  g_assert_true (paco_reference_decode (frame->data, frame->len, reduce,
      &destination->theirs.picture, NULL, NULL));
}

static void
collect_decoded (PacoDecoder *decoder, Destination *expected)
{
  PacoDecodedFrame frame;

  frame = must_collect_picture (decoder);
  g_assert_true (frame.user_data == expected);
  test_picture_compare (&expected->mine, &expected->theirs);
  test_picture_clear (&expected->mine);
  test_picture_clear (&expected->theirs);
}

static void
decode_mixed (const Mixed *mixed)
{
  const PacoBackendOptions options = random_options ();
  unsigned reduce = g_test_rand_int_range (0, (int) mixed->c.levels + 1);
  g_autoptr (PacoDecoder) decoder = BACKEND.decoder_open (&options, NULL);
  Destination destinations[N_FRAMES];
  unsigned collected = 0, n_configured = 0;
  bool seen[N_FORMS] = { false };

  set_random_ops (mixed->c.rand, NULL, decoder);
  for (unsigned n = 0; n < N_FRAMES; n++) {
    unsigned form = g_test_rand_bit ();
    const GByteArray *frame = mixed->frames[form];
    Destination *destination = &destinations[n];
    PacoCodedFrame coded;

    destination_init_form (destination, mixed, form, reduce);
    must_parse (&coded, frame->data, frame->len);
    g_assert_true (paco_decoder_takes (decoder, &coded.header) == seen[form]);
    while (collected < n
        && (!seen[form]
            || n - collected == paco_coder_depth (PACO_CODER (decoder))))
      collect_decoded (decoder, &destinations[collected++]);
    if (!seen[form]) {
      must_configure_decoder (
          decoder, &coded.header, destination->mine.picture.layout, reduce);
      n_configured++;
    }
    seen[form] = true;
    must_submit_frame (
        decoder, &coded, &destination->mine.picture, destination);
  }
  while (collected < N_FRAMES)
    collect_decoded (decoder, &destinations[collected++]);
  check_configurations (PACO_CODER (decoder), n_configured);
}

/* --- Tests --- */

/* Tests frames of both forms. Each test keeps coders open: where they share a
 * device, the first one to open it waits for a context. */
static void
test_mixed (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (150); n++) {
    Mixed mixed;

    mixed_init (&mixed, PACO_INTERLACE_MIXED);
    encode (&mixed);
    decode_mixed (&mixed);
    mixed_clear (&mixed);
  }
}

/* Tests that a frame of another stream, of either form, is not taken for one of
 * this. */
static void
test_other_stream (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (30); n++) {
    const PacoBackendOptions options = random_options ();
    PacoDecoder *decoder = BACKEND.decoder_open (&options, NULL);
    Mixed streams[2];
    PacoCodedFrame coded[2][N_FORMS];

    for (unsigned i = 0; i < 2; i++) {
      mixed_init (&streams[i], PACO_INTERLACE_MIXED);
      for (unsigned form = 0; form < N_FORMS; form++)
        must_parse (&coded[i][form], streams[i].frames[form]->data,
            streams[i].frames[form]->len);
    }
    if (!paco_header_same_stream (&coded[0][0].header, &coded[1][1].header)) {
      for (unsigned i = 0; i < 2; i++)
        for (unsigned form = 0; form < N_FORMS; form++) {
          g_auto (TestPicture) picture;

          test_picture_init (
              streams[i].c.rand, &picture, &coded[i][form].header.picture, 0);
          must_configure_decoder (
              decoder, &coded[i][form].header, picture.picture.layout, 0);
          g_assert_true (paco_decoder_takes (decoder, &coded[i][0].header));
          g_assert_true (
              paco_decoder_takes (decoder, &coded[i][1].header) == (form == 1));
          if (i == 1)
            g_assert_false (paco_decoder_takes (decoder, &coded[0][1].header)
                && paco_decoder_takes (decoder, &coded[0][0].header));
        }
    }
    paco_coder_close (PACO_CODER (decoder));
    for (unsigned i = 0; i < 2; i++)
      mixed_clear (&streams[i]);
  }
}

/* Tests that only frames that say that they are of a mixed stream are waited
 * for. */
static void
test_unmixed (void)
{
  static const PacoInterlaceMode modes[] = { PACO_INTERLACE_PROGRESSIVE,
    PACO_INTERLACE_INTERLEAVED };
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (30); n++) {
    const PacoBackendOptions options = random_options ();
    g_autoptr (PacoDecoder) decoder = BACKEND.decoder_open (&options, NULL);
    PacoCodedFrame coded[N_FORMS];
    Mixed mixed;

    mixed_init (&mixed, modes[n % G_N_ELEMENTS (modes)]);
    for (unsigned form = 0; form < N_FORMS; form++) {
      g_auto (TestPicture) picture;

      must_parse (
          &coded[form], mixed.frames[form]->data, mixed.frames[form]->len);
      test_picture_init (
          mixed.c.rand, &picture, &coded[form].header.picture, 0);
      must_configure_decoder (
          decoder, &coded[form].header, picture.picture.layout, 0);
      g_assert_true (paco_decoder_takes (decoder, &coded[form].header));
      g_assert_false (
          form > 0 && paco_decoder_takes (decoder, &coded[0].header));
    }
    mixed_clear (&mixed);
  }
}

void
add_mixed_tests (void)
{
  g_test_add_func ("/backend/mixed/unmixed", test_unmixed);
  g_test_add_func ("/backend/mixed", test_mixed);
  g_test_add_func ("/backend/mixed/other-stream", test_other_stream);
}

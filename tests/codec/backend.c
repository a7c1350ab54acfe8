/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares a backend with the reference, on random pictures, layouts and parameters:
 * the same bytes, the same pixels, the same verdict on damaged frames. Every case is
 * made from one number, printed when it fails; run with --seed to repeat, and with
 * PACO_CASES to do more. */
#include "backend-case.h"
#include "codec/fit.h"
#include "codec/frame_cut.h"
#include "codec/matrix.h"
#include "codec/mosaic.h"
#include "codec/reference/reference.h"
#include <string.h>

/* Checks that a frame that was cut decodes like any other. */
static void
check_cut (Case *c, PacoDecoder *decoder)
{
  size_t least, size;
  g_autofree uint8_t *out = NULL;
  Verdict verdict;
  PacoHeader header;

  c->parameters.cut_points = true;
  c->parameters.frame_size += 8; /* their chunk of the header */
  g_byte_array_set_size (c->frame, 0);
  g_assert_true (paco_reference_encode (&c->source.format, &c->source.picture,
      &c->video, &c->parameters, NULL, c->frame, NULL));
  g_assert_true (paco_header_parse_frame (
      c->frame->data, c->frame->len, &header, NULL, NULL));
  least = paco_header_overhead (&header) + header.index_size;
  out = g_malloc (c->frame->len);
  g_assert_true (paco_frame_cut (c->frame->data, c->frame->len,
      g_rand_int_range (c->rand, least, c->frame->len + 1), out, &size, NULL));
  verdict = decode_and_check (c, decoder, out, size, 0);
  g_assert_true (verdict.decoded);
  g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
}

static void
test_random (void)
{
  g_auto (Coders) coders;
  unsigned n_coded = 0;

  coders_open (&coders);
  while (n_coded < n_cases (2000)) {
    g_auto (Case) c;
    bool possible = case_init (&c, n_coded % 20 == 0 ? 40000 : 1500);
    unsigned i = g_rand_int_range (c.rand, 0, N_CODERS);

    set_random_ops (c.rand, coders.encoders[i], coders.decoders[i]);
    if (possible) {
      Verdict verdict;

      if (g_rand_int_range (c.rand, 0, 4) == 0)
        case_set_budget (&c);
      encode_and_check (&c, coders.encoders[i]);
      verdict = decode_and_check (
          &c, coders.decoders[i], c.frame->data, c.frame->len, 0);
      g_assert_true (verdict.decoded);
      g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
      if (n_coded % 4 == 0)
        decode_and_check (&c, coders.decoders[i], c.frame->data, c.frame->len,
            g_rand_int_range (c.rand, 0, c.levels + 1));
      if (n_coded % 4 == 1)
        check_cut (&c, coders.decoders[i]);
      n_coded++;
    } else {
      g_autoptr (GError) error = NULL;

      g_assert_false (configure_encoder (&c, coders.encoders[i], &error));
      g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
    }
  }
}

/* Decodes a frame of a case with a decoder that has been configured for another
 * one of it, which `like` was the destination of. */
static void
decode_another_and_check (
    const Case *c, PacoDecoder *decoder, const TestPicture *like)
{
  TestPicture mine, theirs;
  PacoCodedFrame coded;
  test_picture_copy (&mine, like);
  test_picture_copy (&theirs, like);
  must_parse (&coded, c->frame->data, c->frame->len);
  g_assert_true (paco_decoder_takes (decoder, &coded.header));
  must_submit_frame (decoder, &coded, &mine.picture, NULL);
  must_collect_picture (decoder);
  g_assert_true (paco_reference_decode (
      c->frame->data, c->frame->len, 0, &theirs.picture, NULL, NULL));
  test_picture_compare (&mine, &theirs);
  test_picture_clear (&mine);
  test_picture_clear (&theirs);
}

/* Tests that frames of one stream choose their wavelets, each for itself, and
 * neither the encoder nor the decoder is configured again. */
static void
test_choice (void)
{
  g_auto (Coders) coders;
  unsigned n[2] = { 0 };

  coders_open (&coders);
  for (unsigned i = 0; i < n_cases (80) || n[0] == 0 || n[1] == 0; i++) {
    PacoEncoder *encoder = coders.encoders[i % N_CODERS];
    PacoDecoder *decoder = coders.decoders[i % N_CODERS];
    g_auto (TestPicture) destination;
    g_auto (Case) c;

    case_init_choosing (&c);
    encode_and_check (&c, encoder);
    destination_init (&c, &destination, 0);
    g_assert_true (
        decode (decoder, c.frame->data, c.frame->len, 0, &destination).decoded);
    for (unsigned k = 0; k < 6; k++) {
      n[case_takes_other (&c)]++;
      case_choose_again (&c);
      encode_another_and_check (&c, encoder);
      decode_another_and_check (&c, decoder, &destination);
    }
  }
}

/* Tests that alpha comes back at every quality, wherever it lies. */
static void
test_alpha (void)
{
  g_auto (Coders) coders;
  unsigned n = 0;

  coders_open (&coders);
  while (n < n_cases (100)) {
    g_auto (Case) c;
    TestPicture decoded;

    case_init_possible (&c, 1500);
    if (paco_is_alpha (&c.source.format, c.source.format.n_components - 1u)) {
      unsigned i = n++ % N_CODERS;

      set_random_ops (c.rand, coders.encoders[i], coders.decoders[i]);
      encode_and_check (&c, coders.encoders[i]);
      destination_init (&c, &decoded, 0);
      g_assert_true (
          decode (coders.decoders[i], c.frame->data, c.frame->len, 0, &decoded)
              .decoded);
      test_picture_compare_component (
          &c.source, &decoded, c.source.format.n_components - 1);
      test_picture_clear (&decoded);
    }
  }
}

/* Tests that threads that write the colour and threads that write alpha never
 * write the same region at the same time, for what one of them puts there would
 * be lost. */
static void
test_shared_region (void)
{
  static const PacoPictureFormat format = { 3000, 64, 4, false,
    { { 10 }, { 10 }, { 10 }, { 2 } } };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  Case c = { .rand = g_rand_new_with_seed (g_test_rand_int ()),
    .frame = g_byte_array_new () };
  /* Other backends have no such threads, and one of them is slow. */
  unsigned n_decodes = strcmp (BACKEND.name, "cpu") == 0 ? n_cases (20) : 1;
  TestPicture empty, expected, found;
  g_auto (Coders) coders;

  coders_open (&coders);
  test_video_random (c.rand, &c.video);
  for (;;) {
    test_picture_init (c.rand, &c.source, &format, 0);
    if (c.source.picture.data[0] == c.source.picture.data[3])
      break;
    test_picture_clear (&c.source);
  }
  test_picture_copy (&empty, &c.source);
  test_picture_fill (c.rand, &c.source);
  g_assert_true (paco_reference_encode (
      &format, &c.source.picture, &c.video, &parameters, NULL, c.frame, NULL));
  test_picture_copy (&expected, &empty);
  g_assert_true (paco_reference_decode (
      c.frame->data, c.frame->len, 0, &expected.picture, NULL, NULL));

  for (unsigned n = 0; n < n_decodes; n++) {
    test_picture_copy (&found, &empty);
    g_assert_true (decode (
        coders.decoders[N_CODERS - 1], c.frame->data, c.frame->len, 0, &found)
                       .decoded);
    test_picture_compare (&found, &expected);
    test_picture_clear (&found);
  }
  test_picture_clear (&empty);
  test_picture_clear (&expected);
  case_clear (&c);
}

static void
put_random_components (GRand *rand, PacoHeader *header)
{
  PacoCoding *coding = &header->coding;
  unsigned levels = coding->levels;
  unsigned of_color = coding->color_transform == PACO_COLOR_TRANSFORM_MATRIX
      ? PACO_WAVELET_CDF97
      : (unsigned) g_rand_int_range (rand, 0, PACO_N_WAVELETS);

  for (unsigned c = 0; c < header->picture.n_components; c++) {
    unsigned wavelet = g_rand_int_range (rand, 0, PACO_N_WAVELETS);

    if (coding->color_transform != PACO_COLOR_TRANSFORM_NONE && c < 3)
      wavelet = of_color;
    if (coding->n_code_tables > 0 && !paco_wavelets[wavelet].reversible)
      wavelet = PACO_WAVELET_CDF53;
    coding->components[c].wavelet = wavelet;
    coding->components[c].family = g_rand_int_range (rand, 0, PACO_N_FAMILIES);
    for (unsigned k = 0; k <= 3 * levels; k++)
      coding->subbands[c][k].step = paco_wavelets[wavelet].reversible
          ? 0
          : g_rand_int_range (rand, 12 << 9, 20 << 9);
  }
  if (coding->color_transform == PACO_COLOR_TRANSFORM_MOSAIC)
    for (unsigned i = 0; i < 2; i++)
      coding->parameters[i] = g_rand_int_range (
          rand, 0, PACO_MAX_MOSAIC_WEIGHT + 1);
  for (unsigned i = 0; i < PACO_MATRIX_SIZE; i++)
    coding->matrix[i] = (float) g_rand_double_range (
        rand, -PACO_MAX_MATRIX, PACO_MAX_MATRIX);
  while (coding->color_transform == PACO_COLOR_TRANSFORM_FIT
      && !paco_fit_is_valid (coding->parameters))
    for (unsigned i = 0; i < 2; i++)
      coding->parameters[i] = g_rand_int_range (rand, 0, 256);
  if (paco_wavelets[of_color].reversible
      && coding->color_transform == PACO_COLOR_TRANSFORM_ICT)
    coding->color_transform = PACO_COLOR_TRANSFORM_RCT;
}

/* Tests that decoders take any components of any wavelets and sets, which no
 * encoder of ours makes: the header of a frame is exchanged for one of its
 * size. With sets of their own blocks decode to something else, or are
 * broken. */
static void
test_any_components (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (200); n++) {
    g_auto (Case) c;
    PacoHeader header;
    unsigned i = n % N_CODERS, reduce;

    case_init_possible (&c, 1500);
    g_assert_true (
        paco_header_parse (c.frame->data, c.frame->len, &header, NULL, NULL));
    put_random_components (c.rand, &header);
    g_assert_cmpuint (paco_header_size (&header), ==, header.header_size);
    paco_header_write (&header, c.frame->data);
    reduce = g_rand_boolean (c.rand)
        ? 0
        : g_rand_int_range (c.rand, 0, c.levels + 1);
    set_random_ops (c.rand, NULL, coders.decoders[i]);
    g_assert_true (decode_and_check (
        &c, coders.decoders[i], c.frame->data, c.frame->len, reduce)
                       .decoded);
  }
}

/* Tests a probability set that is carried in the frame. */
static void
test_carried_set (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < 40; n++) {
    g_auto (Case) c;
    PacoProbabilitySet set = paco_builtin_sets[0][0];
    Verdict verdict;

    case_init_possible (&c, 1000);
    for (unsigned i = 0; i < 300; i++)
      set.p[g_rand_int_range (c.rand, 0, PACO_N_ROWS)][g_rand_int_range (
          c.rand, 0, PACO_N_CONTEXTS)] = g_rand_int_range (c.rand, 1, 256);
    g_byte_array_set_size (c.frame, 0);
    g_assert_true (paco_reference_encode (&c.source.format, &c.source.picture,
        &c.video, &c.parameters, &set, c.frame, NULL));
    verdict = decode_and_check (
        &c, coders.decoders[n % N_CODERS], c.frame->data, c.frame->len, 0);
    g_assert_true (verdict.decoded);
    g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!coders_are_available ())
    return 0;
  g_test_add_func ("/backend/random", test_random);
  g_test_add_func ("/backend/choice", test_choice);
  g_test_add_func ("/backend/alpha", test_alpha);
  g_test_add_func ("/backend/any-components", test_any_components);
  g_test_add_func ("/backend/shared-region", test_shared_region);
  g_test_add_func ("/backend/carried-set", test_carried_set);
  add_area_tests ();
  add_compare_tests ();
  add_conceal_tests ();
  add_damage_tests ();
  add_flight_tests ();
  add_map_tests ();
  add_memory_tests ();
  add_mixed_tests ();
  add_code_tests ();
  add_slice_tests ();
  return g_test_run ();
}

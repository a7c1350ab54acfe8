/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A backend against the reference, on random pictures, layouts and
 * parameters: the same bytes, the same pixels, the same verdict on damaged
 * frames. Every case is made from one number, printed when it fails; run with
 * --seed to repeat, and with PACO_CASES to do more. */
#include "backend-case.h"
#include "codec/reference/reference.h"
#include <stdio.h>

static void
test_random (void)
{
  Coders coders;
  unsigned n_coded = 0;

  coders_open (&coders);
  while (n_coded < n_cases (2000)) {
    Case c;
    bool possible = case_init (&c, n_coded % 20 == 0 ? 40000 : 1500);
    unsigned i = g_rand_int_range (c.rand, 0, N_CODERS);

    set_random_ops (c.rand, coders.encoders[i], coders.decoders[i]);
    if (possible) {
      Verdict verdict;

      encode_and_check (&c, coders.encoders[i]);
      verdict = decode_and_check (
          &c, coders.decoders[i], c.frame->data, c.frame->len, 0);
      g_assert_true (verdict.decoded);
      g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
      if (n_coded % 4 == 0)
        decode_and_check (&c, coders.decoders[i], c.frame->data, c.frame->len,
            g_rand_int_range (c.rand, 0, c.levels + 1));
      n_coded++;
    } else {
      GError *error = NULL;

      g_assert_false (configure_encoder (&c, coders.encoders[i], &error));
      g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
      g_error_free (error);
    }
    case_clear (&c);
  }
  coders_close (&coders);
}

/* A probability set carried in the frame. */
static void
test_carried_set (void)
{
  Coders coders;

  coders_open (&coders);
  for (unsigned n = 0; n < 40; n++) {
    Case c;
    PacoProbabilitySet set = paco_builtin_sets[0];
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
    case_clear (&c);
  }
  coders_close (&coders);
}

/* Without a device there is nothing to test, which is no failure. */
static bool
is_available (void)
{
  GError *error = NULL;
  PacoEncoder *encoder = BACKEND.encoder_open (&coder_options[0], &error);

  if (encoder)
    paco_coder_close (PACO_CODER (encoder));
  else
    printf ("1..0 # SKIP %s\n", error->message);
  g_clear_error (&error);
  return encoder != NULL;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!is_available ())
    return 0;
  g_test_add_func ("/backend/random", test_random);
  g_test_add_func ("/backend/carried-set", test_carried_set);
  add_damage_tests ();
  add_flight_tests ();
  add_memory_tests ();
  return g_test_run ();
}

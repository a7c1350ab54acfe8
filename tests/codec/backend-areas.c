/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what encoders do for some frames only: areas that count more, which change
 * from frame to frame, and cut points; also with a quality that changes. budget.c
 * tests the same with budgets. */
#include "backend-case.h"
#include "codec/reference/reference.h"
#include <math.h>

enum
{
  N_FRAMES = 6,
};

typedef struct
{
  Case c;
  double qualities[N_FRAMES];
  PacoAreas areas[N_FRAMES];
} Sequence;

static void
sequence_init (Sequence *sequence)
{
  Case *c = &sequence->c;

  case_init_possible (c,
      g_test_rand_int_range (0, 8) ? g_test_rand_int_range (1, 2000) : 60000);
  c->parameters.cut_points = g_rand_boolean (c->rand);
  case_without_wrapping (c);
  c->parameters.area_weight = exp2 (g_rand_double_range (c->rand, 0.0, 9.0));
  for (unsigned i = 0; i < N_FRAMES; i++) {
    sequence->qualities[i] = c->parameters.quality;
    if (i == 0 || g_rand_boolean (c->rand))
      test_areas_random (c->rand, &c->source.format, &sequence->areas[i]);
    else
      sequence->areas[i] = sequence->areas[i - 1];
    if (g_rand_int_range (c->rand, 0, 4) == 0)
      c->parameters.quality = g_rand_double_range (c->rand, 0.0, 100.0);
  }
}

/* Compares the next frame with the reference's. */
static void
collect (Sequence *sequence, PacoEncoder *encoder, unsigned i)
{
  Case *c = &sequence->c;
  PacoEncodedFrame *frame = paco_encoder_collect (encoder, NULL);
  GError *error = NULL;

  c->parameters.quality = sequence->qualities[i];
  g_byte_array_set_size (c->frame, 0);
  paco_reference_encode_after (&c->source.format, &c->source.picture, &c->video,
      &c->parameters, &sequence->areas[i], NULL, NULL, c->frame, &error);
  g_assert_no_error (error);
  check_encoded (c, frame);
  g_assert_cmpuint (frame->size, <=, paco_encoder_max_frame_size (encoder));
  frame->release (frame);
}

static void
test_sequences (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (150); n++) {
    PacoEncoder *encoder = coders.encoders[n % N_CODERS];
    unsigned depth, done = 0;
    Sequence sequence;
    GError *error = NULL;

    sequence_init (&sequence);
    set_random_ops (sequence.c.rand, encoder, NULL);
    sequence.c.parameters.quality = sequence.qualities[0];
    configure_encoder (&sequence.c, encoder, &error);
    g_assert_no_error (error);
    depth = paco_coder_depth (PACO_CODER (encoder));
    for (unsigned i = 0; i < N_FRAMES; i++) {
      paco_encoder_set_rate (encoder, sequence.qualities[i], 0, 0);
      paco_encoder_set_areas (encoder, &sequence.areas[i]);
      must_submit (
          encoder, &sequence.c.source.picture, &sequence.c.video, NULL);
      while (i + 1 - done >= depth)
        collect (&sequence, encoder, done++);
    }
    while (done < N_FRAMES)
      collect (&sequence, encoder, done++);
    case_clear (&sequence.c);
  }
}

void
add_area_tests (void)
{
  g_test_add_func ("/backend/areas", test_sequences);
}

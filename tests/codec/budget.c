/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frames with a budget: they are never larger, and use it if the content can;
 * they have the same bytes as the reference's whatever is in flight, also while the
 * budget changes; and impossible budgets are refused. Pictures, formats and budgets
 * are random. */
#include "backend-case.h"
#include "codec/policy.h"
#include "codec/rate_control.h"
#include "codec/reference/reference.h"
#include <math.h>
#include <string.h>

enum
{
  N_FRAMES = 3 * PACO_RATE_DISTANCE,
  N_PICTURES = 3,
};

typedef struct
{
  Case c;
  TestPicture pictures[N_PICTURES]; /* of the same format and layout */
  uint32_t budgets[N_FRAMES];
  PacoAreas areas[N_FRAMES];
  PacoRateHistory histories[N_FRAMES];
} Sequence;

static void
sequence_init (Sequence *sequence)
{
  Case *c = &sequence->c;
  PacoParameters parameters;
  uint32_t budget = 0;

  case_init_possible (c,
      g_test_rand_int_range (0, 4) ? g_test_rand_int_range (1, 2000) : 60000);
  if (g_rand_boolean (c->rand))
    c->parameters.area_weight = exp2 (g_rand_double_range (c->rand, 0.0, 9.0));
  parameters = c->parameters;
  for (unsigned i = 0; i < N_PICTURES; i++) {
    test_picture_copy (&sequence->pictures[i], &c->source);
    test_picture_fill (c->rand, &sequence->pictures[i]);
  }
  for (unsigned i = 0; i < N_FRAMES; i++) {
    if (i == 0 || g_rand_int_range (c->rand, 0, 12) == 0) {
      test_budget_random (c->rand, &c->source.format, &c->video, &parameters);
      budget = parameters.frame_size;
    }
    sequence->budgets[i] = budget;
    test_areas_random (c->rand, &c->source.format, &sequence->areas[i]);
  }
  c->parameters.rate_control = PACO_RATE_BITRATE;
  c->parameters.cut_points = g_rand_boolean (c->rand);
  if (c->parameters.cut_points)
    for (unsigned i = 0; i < N_FRAMES; i++)
      sequence->budgets[i] += 12; /* a chunk of the header */
}

static void
sequence_clear (Sequence *sequence)
{
  for (unsigned i = 0; i < N_PICTURES; i++)
    test_picture_clear (&sequence->pictures[i]);
  case_clear (&sequence->c);
}

static void
submit (Sequence *sequence, PacoEncoder *encoder, unsigned i)
{
  paco_encoder_set_rate (
      encoder, sequence->c.parameters.quality, sequence->budgets[i], 0);
  paco_encoder_set_areas (encoder, &sequence->areas[i]);
  must_submit (encoder, &sequence->pictures[i % N_PICTURES].picture,
      &sequence->c.video, NULL);
}

/* This says how full frames are that have room for more than a few blocks. */
typedef struct
{
  unsigned n_frames, n;
  double sum;
} Fill;

#define LARGE_ENOUGH 600

/* Compares the next frame with the reference's. */
static void
collect (Sequence *sequence, PacoEncoder *encoder, unsigned i, Fill *fill)
{
  Case *c = &sequence->c;
  const PacoRateHistory *before = i == 0
      ? NULL
      : &sequence
             ->histories[i > PACO_RATE_DISTANCE ? i - PACO_RATE_DISTANCE : 0];
  PacoEncodedFrame *frame = paco_encoder_collect (encoder, NULL);
  GError *error = NULL;

  c->parameters.frame_size = sequence->budgets[i];
  g_byte_array_set_size (c->frame, 0);
  paco_reference_encode_after (&c->source.format,
      &sequence->pictures[i % N_PICTURES].picture, &c->video, &c->parameters,
      &sequence->areas[i], before, &sequence->histories[i], c->frame, &error);
  g_assert_no_error (error);
  check_encoded (c, frame);
  g_assert_cmpuint (frame->size, <=, sequence->budgets[i]);
  g_assert_cmpuint (frame->size, <=, paco_encoder_max_frame_size (encoder));
  fill->n_frames++;
  if (c->parameters.wavelet == PACO_WAVELET_AUTO
      && !sequence->histories[i].lossless
      && sequence->budgets[i] >= LARGE_ENOUGH) {
    fill->n++;
    fill->sum += (double) frame->size / sequence->budgets[i];
  }
  frame->release (frame);
}

static void
test_sequences (void)
{
  g_auto (Coders) coders;
  Fill fill = { 0 };

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (20); n++) {
    Sequence sequence;
    unsigned k, done = 0;
    PacoEncoder *encoder;
    GError *error = NULL;

    sequence_init (&sequence);
    k = g_rand_int_range (sequence.c.rand, 0, N_CODERS);
    encoder = coders.encoders[k];
    set_random_ops (sequence.c.rand, encoder, NULL);
    sequence.c.parameters.frame_size = sequence.budgets[0];
    configure_encoder (&sequence.c, encoder, &error);
    g_assert_no_error (error);
    for (unsigned i = 0; i < N_FRAMES; i++) {
      submit (&sequence, encoder, i);
      while (i + 1 - done >= paco_coder_depth (PACO_CODER (encoder)))
        collect (&sequence, encoder, done++, &fill);
    }
    while (done < N_FRAMES)
      collect (&sequence, encoder, done++, &fill);
    sequence_clear (&sequence);
  }
  g_test_message ("%u frames, %u lossy and large enough to fill: mean %.5f",
      fill.n_frames, fill.n, fill.sum / MAX (fill.n, 1));
  /* Nothing is asked of this mean: what a block of a tiny picture can lose may be
   * nearly all of its budget. test_fill() has pictures of many blocks. */
}

/* Tests that frames that learn from a flushed one are coded, too. */
static void
test_flushes (void)
{
  g_auto (Coders) coders;
  Fill fill = { 0 };

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (30); n++) {
    Sequence sequence;
    PacoEncoder *encoder = coders.encoders[n % N_CODERS];
    GError *error = NULL;

    sequence_init (&sequence);
    sequence.c.parameters.frame_size = sequence.budgets[0];
    configure_encoder (&sequence.c, encoder, &error);
    g_assert_no_error (error);
    for (unsigned i = 0; i < 4; i++) {
      for (unsigned k = 0; k < paco_coder_depth (PACO_CODER (encoder)); k++)
        submit (&sequence, encoder, k);
      paco_coder_abandon (PACO_CODER (encoder), NULL);
    }
    /* The next frame is the first one of a stream again. */
    submit (&sequence, encoder, 0);
    collect (&sequence, encoder, 0, &fill);
    sequence_clear (&sequence);
  }
}

/* --- pictures of many blocks --- */

enum
{
  WAVES_SIDE = 512,
};

/* Draws smooth waves with noise on them, in bytes beside one another. */
static void
init_waves (TestPicture *picture)
{
  static const PacoPictureFormat format = { .width = WAVES_SIDE,
    .height = WAVES_SIDE,
    .n_components = 1,
    .components = { { 8, 0, 0 } } };
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  uint8_t *data;

  for (;;) {
    test_picture_init (rand, picture, &format, 0);
    if (picture->picture.layout[0].word_bytes == 1
        && picture->picture.stride[0] >= WAVES_SIDE
        && paco_layout_is_planar (&picture->picture.layout[0]))
      break;
    test_picture_clear (picture);
  }
  data = picture->picture.data[0];
  for (unsigned y = 0; y < WAVES_SIDE; y++)
    for (unsigned x = 0; x < WAVES_SIDE; x++) {
      double value = 128.0 + 60.0 * sin (x * 0.05) * cos (y * 0.07)
          + g_test_rand_double_range (-20.0, 20.0);

      data[y * picture->picture.stride[0] + x] = (uint8_t) value;
    }
}

static void
code_waves (const TestPicture *source, TestPicture *decoded,
    const PacoParameters *parameters, const PacoAreas *areas, size_t *size)
{
  static const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  g_autoptr (PacoEncoder)
      encoder = BACKEND.encoder_open (&coder_options[0], NULL);
  PacoEncodedFrame *frame;
  GError *error = NULL;

  must_configure (encoder, &source->format, source->picture.layout, parameters);
  paco_encoder_set_areas (encoder, areas);
  must_submit (encoder, &source->picture, &video, NULL);
  frame = must_collect (encoder);
  *size = frame->size;
  g_assert_true (paco_reference_decode (
      frame->data, frame->size, 0, &decoded->picture, NULL, &error));
  g_assert_no_error (error);
  frame->release (frame);
}

/* Tests that budgets of 1/3 of a bit a sample to 3 bits are filled. */
static void
test_fill (void)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  TestPicture source, decoded;

  init_waves (&source);
  test_picture_copy (&decoded, &source);
  parameters.rate_control = PACO_RATE_BITRATE;
  for (unsigned n = 0; n < n_cases (8); n++) {
    double bits = 3.0 * pow (9.0, -g_test_rand_double ());
    size_t size;

    parameters.frame_size = (uint32_t) (bits / 8 * WAVES_SIDE * WAVES_SIDE);
    parameters.cut_points = g_test_rand_bit ();
    code_waves (&source, &decoded, &parameters, NULL, &size);
    g_test_message ("%.3f bits: %u bytes of %u", bits, (unsigned) size,
        parameters.frame_size);
    g_assert_cmpuint (size, <=, parameters.frame_size);
    g_assert_cmpuint (size, >=, parameters.frame_size * 95ull / 100);
  }
  test_picture_clear (&source);
  test_picture_clear (&decoded);
}

/* --- areas --- */

/* Returns the squared error in an area. */
static double
error_in (const TestPicture *a, const TestPicture *b, const PacoArea *area)
{
  double sum = 0.0;

  for (unsigned y = area->y; y < area->y + area->height; y++)
    for (unsigned x = area->x; x < area->x + area->width; x++) {
      int difference = a->picture.data[0][y * a->picture.stride[0] + x]
          - b->picture.data[0][y * b->picture.stride[0] + x];

      sum += difference * difference;
    }
  return sum;
}

/* Tests that an area gains 3 dB at the same bytes, and that with a quality the
 * rest takes fewer. */
static void
test_area_gains (void)
{
  static const PacoAreas areas = { 1, { { 192, 128, 128, 256 } } };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  TestPicture source, plain, weighed;
  size_t plain_size, weighed_size;

  init_waves (&source);
  test_picture_copy (&plain, &source);
  test_picture_copy (&weighed, &source);

  parameters.rate_control = PACO_RATE_BITRATE;
  parameters.frame_size = WAVES_SIDE * WAVES_SIDE / 4;
  parameters.area_weight = 4.0;
  code_waves (&source, &plain, &parameters, NULL, &plain_size);
  code_waves (&source, &weighed, &parameters, &areas, &weighed_size);
  g_assert_cmpuint (weighed_size, <=, parameters.frame_size);
  g_assert_cmpuint (weighed_size, >=, parameters.frame_size * 98 / 100);
  g_assert_cmpuint (plain_size, <=, parameters.frame_size);
  g_assert_cmpuint (plain_size, >=, parameters.frame_size * 98 / 100);
  g_assert_cmpfloat (2.0 * error_in (&source, &weighed, areas.areas), <,
      error_in (&source, &plain, areas.areas));

  parameters.rate_control = PACO_RATE_QUALITY;
  code_waves (&source, &plain, &parameters, NULL, &plain_size);
  code_waves (&source, &weighed, &parameters, &areas, &weighed_size);
  /* Blocks are so large that half of them touch the area. */
  g_assert_cmpuint (weighed_size, <, plain_size * 7 / 8);
  g_assert_cmpfloat (error_in (&source, &weighed, areas.areas), <,
      1.05 * error_in (&source, &plain, areas.areas));
  test_picture_clear (&source);
  test_picture_clear (&plain);
  test_picture_clear (&weighed);
}

/* --- what is refused --- */

static void
expect_refusal (PacoEncoder *encoder, const Case *c, const char *words)
{
  g_autoptr (GError) error = NULL;

  g_assert_false (configure_encoder (c, encoder, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_refusals (void)
{
  g_autoptr (PacoEncoder)
      encoder = BACKEND.encoder_open (&coder_options[0], NULL);
  g_auto (Case) c;
  PacoParameters *p = &c.parameters;
  g_autoptr (PacoGeometry) geometry = NULL;
  PacoCoding coding;
  size_t least;
  g_autofree char *words = NULL;
  PacoEncodedFrame *frame;
  GError *error = NULL;

  case_init_possible (&c, 3000);
  c.video.attachment = (PacoAttachment){ NULL };
  p->rate_control = PACO_RATE_BITRATE;
  p->frame_size = 0;
  expect_refusal (encoder, &c, "needs a budget: set bitrate, or frame-size");
  p->bitrate = 1000000;
  expect_refusal (encoder, &c, "needs a frame rate");
  p->fps_n = 25;
  p->fps_d = 0;
  expect_refusal (encoder, &c, "needs a frame rate");
  p->fps_d = 1;
  p->bitrate = 1;
  expect_refusal (encoder, &c, "the budget is 0 bytes");

  g_assert_true (paco_policy_coding (&c.source.format, p, &coding, NULL));
  geometry = paco_geometry_new (&c.source.format, &coding);
  least = paco_policy_min_frame_size (&c.source.format, &coding, geometry);
  p->frame_size = (uint32_t) least - 1;
  words = g_strdup_printf ("takes %zu bytes at least", least);
  expect_refusal (encoder, &c, words);
  p->frame_size = (uint32_t) least;
  configure_encoder (&c, encoder, &error);
  g_assert_no_error (error);

  /* While it plays it is the frame that is refused, and the next one may be
   * coded. */
  paco_encoder_set_rate (encoder, 90.0, (uint32_t) least - 1, 0);
  g_assert_false (
      paco_encoder_submit (encoder, &c.source.picture, &c.video, NULL, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  paco_encoder_set_rate (encoder, 90.0, (uint32_t) least + 100, 0);
  must_submit (encoder, &c.source.picture, &c.video, NULL);
  frame = must_collect (encoder);
  frame->release (frame);
}

/* Tests that a bitrate is a budget by the time of a frame: floor (1000003 / 8 /
 * (30000 / 1001)). */
static void
test_bitrate (void)
{
  PacoParameters parameters = { .rate_control = PACO_RATE_BITRATE,
    .bitrate = 1000003,
    .fps_n = 30000,
    .fps_d = 1001 };
  uint32_t budget;

  g_assert_true (paco_policy_budget (&parameters, &budget, NULL));
  g_assert_cmpuint (budget, ==, 4170);
  parameters.frame_size = 77;
  g_assert_true (paco_policy_budget (&parameters, &budget, NULL));
  g_assert_cmpuint (budget, ==, 77);
  parameters.frame_size = 0;
  parameters.bitrate = G_MAXUINT64;
  g_assert_true (paco_policy_budget (&parameters, &budget, NULL));
  g_assert_cmpuint (budget, ==, G_MAXUINT32);
}

/* --- which cuts --- */

/* Tests three blocks of two cuts each: 100, 60 and 30 bytes, and 1 when
 * zero. */
static void
test_cuts (void)
{
  static const struct
  {
    uint64_t budget, total;
    uint8_t lost[3];
  } expected[] = {
    { 300, 300, { 0, 0, 0 } },
    /* These are worth 10, of blocks 0 and 2; block 0 comes first. */
    { 299, 260, { 1, 0, 0 } },
    { 259, 220, { 1, 0, 1 } },
    /* These are worth 20: block 1 loses its first piece. */
    { 219, 180, { 1, 1, 1 } },
    { 179, 150, { 2, 1, 1 } },
    /* What is left is worth the same: as much goes as has to. */
    { 62, 61, { 3, 1, 3 } },
    { 61, 61, { 3, 1, 3 } },
    { 3, 3, { 3, 3, 3 } },
  };
  PacoRateCuts cuts[3];
  uint32_t bytes[3] = { 100, 100, 100 };
  PacoRateBlocks blocks = { cuts, bytes, 3, false };
  uint8_t lost[3];

  for (unsigned i = 0; i < 3; i++)
    cuts[i] = (PacoRateCuts){ .n = 2,
      .plane = { 1, 2 },
      .codewords = { 14, 26 / 4 },
      .worth = { i == 1 ? 20 : 10, 30, 40 } };
  for (unsigned i = 0; i < 3; i++) {
    g_assert_cmpint (paco_rate_cut_bytes (&cuts[i], 0, false), ==, 60);
    cuts[i].codewords[1] = 6;
    g_assert_cmpint (paco_rate_cut_bytes (&cuts[i], 1, false), ==, 28);
    g_assert_cmpint (paco_rate_cut_bytes (&cuts[i], 2, false), ==, 1);
  }
  for (unsigned k = 0; k < 5; k++) {
    uint64_t total = paco_rate_cut (&blocks, expected[k].budget, lost);

    g_assert_cmpuint (total, <=, expected[k].budget);
    if (k < 4)
      g_assert_cmpuint (total, ==, expected[k].total);
    if (k < 4)
      g_assert_cmpmem (lost, 3, expected[k].lost, 3);
  }
  for (unsigned k = 5; k < G_N_ELEMENTS (expected); k++)
    g_assert_cmpuint (paco_rate_cut (&blocks, expected[k].budget, lost), <=,
        expected[k].budget);
  g_assert_cmpmem (lost, 3, expected[7].lost, 3);
}

/* Tests random blocks: they are within the budget, and nothing is left that
 * would fit. */
static void
test_random_cuts (void)
{
  for (unsigned n = 0; n < 300; n++) {
    uint32_t n_blocks = g_test_rand_int_range (1, 200);
    g_autofree PacoRateCuts *cuts = g_new0 (PacoRateCuts, n_blocks);
    g_autofree uint32_t *bytes = g_new (uint32_t, n_blocks);
    g_autofree uint8_t *lost = g_new (uint8_t, n_blocks);
    PacoRateBlocks blocks = { cuts, bytes, n_blocks, g_test_rand_bit () };
    uint64_t total = 0, budget, found, sum = 0;

    for (uint32_t i = 0; i < n_blocks; i++) {
      unsigned left = g_test_rand_int_range (0, 4000);
      unsigned worth = 0;

      cuts[i].zero = g_test_rand_int_range (0, 8) == 0;
      bytes[i] = cuts[i].zero ? 1 : 6 + 4 * left;
      if (!cuts[i].zero)
        cuts[i].n = g_test_rand_int_range (0, PACO_RATE_MAX_CUTS + 1);
      if (left == 0)
        cuts[i].n = 0;
      for (unsigned k = 0; k < cuts[i].n; k++) {
        left = left * g_test_rand_int_range (0, 100) / 100;
        cuts[i].codewords[k] = left;
        worth += g_test_rand_int_range (0, 50);
        cuts[i].worth[k] = worth;
        if (left == 0)
          cuts[i].n = k + 1;
      }
      cuts[i].worth[cuts[i].n] = worth + g_test_rand_int_range (0, 50);
      total += bytes[i];
    }
    budget = n_blocks
        + (uint64_t) ((double) (total - n_blocks)
            * g_test_rand_double_range (0.0, 1.05));
    found = paco_rate_cut (&blocks, budget, lost);
    g_assert_cmpuint (found, <=, budget);
    for (uint32_t i = 0; i < n_blocks; i++) {
      uint32_t now = lost[i] == 0 ? bytes[i]
                                  : (uint32_t) paco_rate_cut_bytes (
                                      &cuts[i], lost[i] - 1, blocks.checks);
      uint32_t before = lost[i] <= 1 ? bytes[i]
                                     : (uint32_t) paco_rate_cut_bytes (
                                         &cuts[i], lost[i] - 2, blocks.checks);

      sum += now;
      if (lost[i] > 0)
        g_assert_cmpuint (found - now + before, >, budget);
    }
    g_assert_cmpuint (sum, ==, found);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!coders_are_available ())
    return 0;
  g_test_add_func ("/budget/sequences", test_sequences);
  g_test_add_func ("/budget/fill", test_fill);
  g_test_add_func ("/budget/flushes", test_flushes);
  g_test_add_func ("/budget/area-gains", test_area_gains);
  g_test_add_func ("/budget/refusals", test_refusals);
  g_test_add_func ("/budget/bitrate", test_bitrate);
  g_test_add_func ("/budget/cuts", test_cuts);
  g_test_add_func ("/budget/random-cuts", test_random_cuts);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the code tables of streams (codec/policy_codes.h): backends look at the codes of a
 * frame as those of the frame before make likely. */
#include "backend-case.h"
#include "codec/policy_codes.h"
#include "codec/reference/reference.h"

enum
{
  WIDTH = 330,
  HEIGHT = 90,
  N_COMPONENTS = 3,
  DEPTH = 12,
};

/* What the codes of a component are like. */
typedef enum
{
  DENSE,
  GAPS,   /* some codes are in lines alone that are not looked at first */
  HIDDEN, /* gaps in the lines that are looked at first, and none in all */
  N_KINDS
} Kind;

static uint16_t
draw_sample (GRand *rand, Kind kind, unsigned line)
{
  bool first = line % PACO_CODE_LINES == 0;
  unsigned number = (unsigned) g_rand_int_range (rand, 0, 256);

  switch (kind) {
    case GAPS:
      return (uint16_t) (8 * number + (first ? 0 : number % 2));
    case HIDDEN:
      return (uint16_t) (512 + (first ? number & ~1u : number));
    default:
      return (uint16_t) (512 + number);
  }
}

static void
draw (GRand *rand, uint16_t (*samples)[WIDTH * HEIGHT],
    const Kind kinds[N_COMPONENTS])
{
  for (unsigned c = 0; c < N_COMPONENTS; c++)
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
      samples[c][i] = draw_sample (rand, kinds[c], i / WIDTH);
}

/* Tests that each frame of a stream has the tables that the reference gives it, whatever
 * the frames before had. */
static void
test_codes (void)
{
  static uint16_t samples[N_COMPONENTS][WIDTH * HEIGHT];
  Case c = { .rand = g_rand_new_with_seed (g_test_rand_int ()),
    .frame = g_byte_array_new (),
    .parameters = PACO_PARAMETERS_DEFAULT,
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .source.format = { WIDTH, HEIGHT, N_COMPONENTS } };
  g_auto (Coders) coders;
  Kind kinds[N_COMPONENTS] = { DENSE };

  c.parameters.rate_control = PACO_RATE_LOSSLESS;
  for (unsigned i = 0; i < N_COMPONENTS; i++) {
    c.source.format.components[i].depth = DEPTH;
    c.source.picture.data[i] = (uint8_t *) samples[i];
    c.source.picture.stride[i] = 2 * WIDTH;
    c.source.picture.layout[i] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
  }
  coders_open (&coders);
  for (unsigned n = 0; n < 24; n++) {
    PacoEncoder *encoder = coders.encoders[n / 8];
    unsigned n_tables;
    PacoHeader header;

    if (n % 8 == 0)
      g_assert_true (configure_encoder (&c, encoder, NULL));
    for (unsigned i = 0; i < N_COMPONENTS; i++)
      if (g_rand_boolean (c.rand))
        kinds[i] = (Kind) g_rand_int_range (c.rand, 0, N_KINDS);
    draw (c.rand, samples, kinds);
    g_byte_array_set_size (c.frame, 0);
    g_assert_true (paco_reference_encode (&c.source.format, &c.source.picture,
        &c.video, &c.parameters, NULL, c.frame, NULL));
    g_assert_true (paco_header_parse_frame (
        c.frame->data, c.frame->len, &header, NULL, NULL));
    n_tables = 0;
    for (unsigned i = 0; i < N_COMPONENTS; i++)
      n_tables += kinds[i] == GAPS;
    g_assert_cmpuint (header.coding.n_code_tables, ==, n_tables);
    encode_another_and_check (&c, encoder);
  }
  g_byte_array_unref (c.frame);
  g_rand_free (c.rand);
}

void
add_code_tests (void)
{
  g_test_add_func ("/backend/codes", test_codes);
}

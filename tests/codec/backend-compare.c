/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests that a backend's decoder compares frames with pictures
 * (paco_decoder_submit_comparison()): it counts the bytes that decoding would change,
 * and changes none. */
#include "backend-case.h"
#include "codec/reference/reference.h"

#define MAX_CHANGES 20

/* Makes what the reference decodes, in random memory. */
static void
decoded_init (const Case *c, TestPicture *picture, unsigned reduce)
{
  destination_init (c, picture, reduce);
  g_assert_true (paco_reference_decode (
      c->frame->data, c->frame->len, reduce, &picture->picture, NULL, NULL));
}

/* Changes some bytes of the picture's regions, or none. */
static void
change (const Case *c, TestPicture *picture, unsigned reduce)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  unsigned n = paco_picture_regions (
      &picture->format, &picture->picture, reduce, regions);
  unsigned n_changes = g_rand_boolean (c->rand)
      ? 0
      : g_rand_int_range (c->rand, 1, MAX_CHANGES);

  for (unsigned i = 0; i < n_changes; i++) {
    const PacoRegion *region = &regions[g_rand_int_range (c->rand, 0, n)];
    uint32_t y = g_rand_int_range (c->rand, 0, region->lines);
    size_t x = g_rand_int_range (c->rand, 0, region->line_bytes);

    region->data[(ptrdiff_t) y * region->stride + (ptrdiff_t) x] ^= 1
        << g_rand_int_range (c->rand, 0, 8);
  }
}

static uint64_t
count_different (const TestPicture *a, const TestPicture *b)
{
  uint64_t n = 0;

  for (unsigned c = 0; c < a->format.n_components; c++)
    for (size_t i = 0; a->buffers[c] && i < a->sizes[c]; i++)
      n += a->buffers[c][i] != b->buffers[c][i];
  return n;
}

/* A frame on its way through a decoder. */
typedef struct
{
  TestPicture picture, before;
  bool compares;
  uint64_t n_different;
} Frame;

static void
submit (const Case *c, PacoDecoder *decoder, const TestPicture *decoded,
    unsigned reduce, Frame *frame)
{
  PacoCodedFrame coded;
  GError *error = NULL;

  test_picture_copy (&frame->picture, decoded);
  change (c, &frame->picture, reduce);
  test_picture_copy (&frame->before, &frame->picture);
  frame->compares = g_rand_int_range (c->rand, 0, 3) > 0;
  frame->n_different = count_different (&frame->picture, decoded);
  must_parse (&coded, c->frame->data, c->frame->len);
  (frame->compares ? paco_decoder_submit_comparison : paco_decoder_submit) (
      decoder, &coded, &frame->picture.picture, frame, &error);
  g_assert_no_error (error);
}

static void
collect (const Case *c, PacoDecoder *decoder, const TestPicture *decoded)
{
  PacoDecodedFrame result;
  Frame *frame;

  result = must_collect_picture (decoder);
  frame = result.user_data;
  test_picture_compare (
      &frame->picture, frame->compares ? &frame->before : decoded);
  if (result.different_bytes != (frame->compares ? frame->n_different : 0))
    g_error ("case %u: %" G_GUINT64_FORMAT " bytes are different, and "
             "%" G_GUINT64_FORMAT " were found",
        c->seed, frame->n_different, result.different_bytes);
  test_picture_clear (&frame->picture);
  test_picture_clear (&frame->before);
}

/* Tests that frames which are compared and frames which are decoded take turns, several
 * in flight. */
static void
test_random (void)
{
  enum
  {
    N_FRAMES = 7
  };
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (300); n++) {
    PacoDecoder *decoder = coders.decoders[n % N_CODERS];
    Frame frames[N_FRAMES];
    g_auto (TestPicture) decoded;
    PacoCodedFrame coded;
    unsigned depth, reduce, done = 0;
    g_auto (Case) c;

    case_init_possible (&c, n % 20 == 0 ? 40000 : 1500);
    reduce = g_rand_boolean (c.rand)
        ? 0
        : g_rand_int_range (c.rand, 0, c.levels + 1);
    set_random_ops (c.rand, NULL, decoder);
    decoded_init (&c, &decoded, reduce);
    must_parse (&coded, c.frame->data, c.frame->len);
    must_configure_decoder (
        decoder, &coded.header, decoded.picture.layout, reduce);
    depth = paco_coder_depth (PACO_CODER (decoder));
    for (unsigned i = 0; i < N_FRAMES; i++) {
      submit (&c, decoder, &decoded, reduce, &frames[i]);
      while (i + 1 - done >= depth) {
        collect (&c, decoder, &decoded);
        done++;
      }
    }
    for (; done < N_FRAMES; done++)
      collect (&c, decoder, &decoded);
  }
}

void
add_compare_tests (void)
{
  g_test_add_func ("/backend/compare", test_random);
}

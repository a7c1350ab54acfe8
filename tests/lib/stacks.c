/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares stacks through libpaco with the reference: slices that are decoded
 * one by one, whole, reduced or as a region, become the pictures of their
 * stack in any layout, also if some are missing; and what cannot be is
 * refused. */
#include "codec/geometry.h"
#include "codec/policy.h"
#include "codec/reference/reference.h"
#include "codec/stack.h"
#include "lib/paco.h"
#include "tests/codec/n-cases.h"
#include "tests/lib/from-codec.h"
#include "tests/lib/status.h"
#include <string.h>

typedef struct
{
  GRand *rand;
  PacoSlice plan;
  PacoPictureFormat format; /* of the slices */
  unsigned reduce;
  uint32_t width, height; /* reduced */
  GByteArray *frames[PACO_MAX_STACK];
  uint16_t *slices[PACO_MAX_STACK]; /* by the library */
  int *expected[PACO_MAX_STACK]; /* samples of the pictures, by the reference */
} Case;

static int
draw (GRand *rand, int low, int high)
{
  return g_rand_int_range (rand, low, high + 1);
}

static void
draw_plan (Case *c)
{
  bool lossless = g_rand_boolean (c->rand);

  c->plan = (PacoSlice){
    .number = g_rand_int (c->rand),
    .length = (uint8_t) draw (c->rand, 1, 9),
    .wavelet = g_rand_boolean (c->rand) ? PACO_STACK_CDF53 : PACO_STACK_HAAR,
    .levels = (uint8_t) draw (c->rand, 0, PACO_MAX_STACK_LEVELS),
    .depth = g_rand_boolean (c->rand) ? 8 : 16,
  };
  c->plan.bits = lossless ? c->plan.depth : 13;
  c->format = (PacoPictureFormat){ .width = (uint32_t) draw (c->rand, 1, 60),
    .height = (uint32_t) draw (c->rand, 1, 60),
    .n_components = 1,
    .components = { { .depth = 16 } } };
  c->reduce = c->plan.bits < 16 ? (unsigned) draw (c->rand, 0, 2) : 0;
  c->width = paco_ceil_shift (c->format.width, c->reduce);
  c->height = paco_ceil_shift (c->format.height, c->reduce);
}

static PacoPicture
plane (uint16_t *samples, uint32_t width)
{
  PacoPicture picture = { .data = { (uint8_t *) samples },
    .stride = { 2 * (ptrdiff_t) width },
    .layout = { PACO_LAYOUT_PLANAR (2) } };

  picture.layout[0].big_endian = G_BYTE_ORDER == G_BIG_ENDIAN;
  return picture;
}

/* Does the wavelet along the stack at n places, or undoes it. */
static void
filter (const PacoSlice *plan, bool undo, int *const *values, size_t n)
{
  for (size_t k = 0; k < n; k++) {
    int column[PACO_MAX_STACK];

    for (unsigned i = 0; i < plan->length; i++)
      column[i] = values[i][k];
    paco_reference_stack (plan, undo, column);
    for (unsigned i = 0; i < plan->length; i++)
      values[i][k] = column[i];
  }
}

/* Codes slices of pictures that are alike. */
static void
code_slices (Case *c)
{
  size_t n = (size_t) c->format.width * c->format.height;
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autofree uint16_t *samples = g_new (uint16_t, n);
  int *values[PACO_MAX_STACK], most = (1 << c->plan.depth) - 1;

  for (unsigned i = 0; i < c->plan.length; i++) {
    values[i] = g_new (int, n);
    for (size_t k = 0; k < n; k++)
      values[i][k] = paco_reference_load_sample (&c->plan,
          draw (c->rand, 0, 20) > 0 && i > 0
              ? CLAMP (values[0][k] + most / 2 + draw (c->rand, -2, 2), 0, most)
              : draw (c->rand, 0, most));
  }
  filter (&c->plan, false, values, n);
  if (c->plan.bits == c->plan.depth)
    parameters.rate_control = PACO_RATE_LOSSLESS;
  for (unsigned i = 0; i < c->plan.length; i++) {
    PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
    PacoPicture picture = plane (samples, c->format.width);
    GError *error = NULL;

    video.slice = c->plan;
    video.slice.position = (uint8_t) i;
    parameters.weight = paco_slice_weight (&video.slice);
    for (size_t k = 0; k < n; k++)
      samples[k] = (uint16_t) (values[i][k] + 0x8000);
    c->frames[i] = g_byte_array_new ();
    paco_reference_encode (
        &c->format, &picture, &video, &parameters, NULL, c->frames[i], &error);
    g_assert_no_error (error);
    g_free (values[i]);
  }
}

/* Finds what slices become, but for those that are missing. */
static void
expect (Case *c, const bool *missing)
{
  size_t n = (size_t) c->width * c->height;
  g_autofree uint16_t *samples = g_new (uint16_t, n);

  for (unsigned i = 0; i < c->plan.length; i++) {
    PacoPicture picture = plane (samples, c->width);

    g_assert_true (paco_reference_decode (c->frames[i]->data, c->frames[i]->len,
        c->reduce, &picture, NULL, NULL));
    c->expected[i] = g_new (int, n);
    for (size_t k = 0; k < n; k++)
      c->expected[i][k] = missing[i] ? 0 : samples[k] - 0x8000;
  }
  filter (&c->plan, true, c->expected, n);
  for (unsigned i = 0; i < c->plan.length; i++)
    for (size_t k = 0; k < n; k++)
      c->expected[i][k] = paco_reference_store_sample (
          &c->plan, c->expected[i][k]);
}

static PacoFrameDecoder *
decoder_new (unsigned reduce, const char *slices)
{
  PacoFrameDecoder *decoder = paco_frame_decoder_new ();

  set_decoder (decoder, "backend", "cpu");
  set_decoder (decoder, "threads", "1");
  set_decoder (decoder, "reduce", "%u", reduce);
  set_decoder (decoder, "slices", "%s", slices);
  return decoder;
}

/* Makes memory for a slice, as paco.h wants it. */
static PacoImage
slice_image (const PacoInfo *info, unsigned reduce, uint16_t **memory)
{
  PacoImage image = new_image_of (info, reduce,
      PACO_IMAGE_TWO_BYTES
          | (G_BYTE_ORDER == G_BIG_ENDIAN ? PACO_IMAGE_BIG_ENDIAN : 0),
      NULL);

  *memory = image.data[0];
  return image;
}

static void
decode_slices (Case *c, const bool *missing)
{
  size_t n = (size_t) c->width * c->height;
  g_autoptr (PacoFrameDecoder) decoder = decoder_new (c->reduce, "true");

  for (unsigned i = 0; i < c->plan.length; i++) {
    PacoInfo info = PACO_INFO_INIT;
    PacoImage image;

    OK (paco_probe (
        c->frames[i]->data, c->frames[i]->len, &info, NULL, &error));
    g_assert_cmpuint (info.stack_length, ==, c->plan.length);
    g_assert_cmpuint (info.stack_depth, ==, c->plan.depth);
    image = slice_image (&info, c->reduce, &c->slices[i]);
    OK (paco_frame_decoder_decode (
        decoder, c->frames[i]->data, c->frames[i]->len, &image, NULL, &error));
    if (missing[i] && g_rand_boolean (c->rand))
      g_clear_pointer (&c->slices[i], g_free);
    for (size_t k = 0; missing[i] && c->slices[i] && k < n; k++)
      c->slices[i][k] = PACO_NO_SLICE;
  }
}

/* Checks all pictures but some that nobody wants, in any layout. */
static void
check_pictures (Case *c)
{
  PacoPictureFormat format = { .width = c->width,
    .height = c->height,
    .n_components = 1,
    .components = { { .depth = c->plan.depth } } };
  TestPicture pictures[PACO_MAX_STACK];
  PacoImage images[PACO_MAX_STACK];
  const PacoImage *wanted[PACO_MAX_STACK] = { NULL };
  unsigned any = (unsigned) draw (c->rand, 0, c->plan.length - 1);

  for (unsigned i = 0; i < c->plan.length; i++) {
    test_picture_init (c->rand, &pictures[i], &format, 0);
    images[i] = image_of (&pictures[i]);
    if (draw (c->rand, 0, 4) > 0)
      wanted[i] = &images[i];
  }
  OK (paco_stack_pictures (c->frames[any]->data, c->frames[any]->len, c->slices,
      c->width, c->height, wanted, &error));
  for (unsigned i = 0; i < c->plan.length; i++) {
    for (uint32_t y = 0; wanted[i] && y < c->height; y++)
      for (uint32_t x = 0; x < c->width; x++)
        g_assert_cmpint (
            read_sample (&pictures[i].picture.layout[0], c->plan.depth,
                pictures[i].picture.data[0]
                    + (ptrdiff_t) y * pictures[i].picture.stride[0],
                x),
            ==, c->expected[i][(size_t) y * c->width + x]);
    test_picture_clear (&pictures[i]);
  }
}

static void
clear (Case *c)
{
  for (unsigned i = 0; i < c->plan.length; i++) {
    g_byte_array_unref (c->frames[i]);
    g_free (c->slices[i]);
    g_free (c->expected[i]);
  }
  g_rand_free (c->rand);
}

static void
test_pictures (void)
{
  for (unsigned n = 0; n < n_cases (60); n++) {
    Case c = { .rand = g_rand_new_with_seed (g_test_rand_int ()) };
    bool missing[PACO_MAX_STACK] = { false };

    draw_plan (&c);
    for (unsigned i = 1; i < c.plan.length; i++)
      missing[i] = draw (c.rand, 0, 9) == 0;
    code_slices (&c);
    expect (&c, missing);
    decode_slices (&c, missing);
    check_pictures (&c);
    clear (&c);
  }
}

/* --- what is refused --- */

#define PICTURES(...) paco_stack_pictures (__VA_ARGS__, &error)

static void
test_refused (void)
{
  const bool missing[PACO_MAX_STACK] = { false };
  Case c = { .rand = g_rand_new_with_seed (g_test_rand_int ()) };
  const PacoImage *none[PACO_MAX_STACK] = { NULL };
  PacoInfo info = PACO_INFO_INIT;
  PacoFrameDecoder *decoder;
  PacoImage image, elsewhere = { .where = PACO_IN_CUDA_MEMORY };
  const uint8_t *data;
  uint16_t *memory;
  size_t size;

  do
    draw_plan (&c);
  while (c.plan.bits != 16 || c.plan.levels == 0);
  code_slices (&c);
  expect (&c, missing);
  decode_slices (&c, missing);
  data = c.frames[0]->data;
  size = c.frames[0]->len;

  /* A slice is no picture, and smaller ones of this kind are none, either. */
  OK (paco_probe (data, size, &info, NULL, &error));
  image = slice_image (&info, 0, &memory);
  decoder = decoder_new (0, "false");
  REFUSED (UNSUPPORTED,
      paco_frame_decoder_decode (decoder, data, size, &image, NULL, &error));
  paco_frame_decoder_free (decoder);
  decoder = decoder_new (1, "true");
  REFUSED (UNSUPPORTED,
      paco_frame_decoder_decode (decoder, data, size, &image, NULL, &error));
  paco_frame_decoder_free (decoder);
  g_free (memory);

  REFUSED (INVALID, PICTURES (NULL, size, c.slices, c.width, c.height, none));
  REFUSED (INVALID, PICTURES (data, size, NULL, c.width, c.height, none));
  REFUSED (INVALID, PICTURES (data, size, c.slices, c.width, c.height, NULL));
  REFUSED (INVALID, PICTURES (data, size, c.slices, 0, c.height, none));
  REFUSED (
      INVALID, PICTURES (data, size, c.slices, c.width, c.height + 1, none));
  REFUSED (MORE, PICTURES (data, 30, c.slices, c.width, c.height, none));
  none[0] = &elsewhere;
  REFUSED (
      UNSUPPORTED, PICTURES (data, size, c.slices, c.width, c.height, none));
  elsewhere.where = PACO_IN_HOST_MEMORY;
  REFUSED (INVALID, PICTURES (data, size, c.slices, c.width, c.height, none));
  memory = c.slices[0];
  none[0] = NULL;
  c.slices[0] = NULL;
  REFUSED (INVALID, PICTURES (data, size, c.slices, c.width, c.height, none));
  c.slices[0] = memory;

  /* This is a picture by itself. */
  {
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
    PacoPicture picture = plane (c.slices[0], c.format.width);
    g_autoptr (GByteArray) frame = g_byte_array_new ();

    paco_reference_encode (
        &c.format, &picture, &video, &parameters, NULL, frame, NULL);
    REFUSED (UNSUPPORTED,
        PICTURES (frame->data, frame->len, c.slices, c.width, c.height, none));
  }
  clear (&c);
}

/* --- which frames are slices of one stack --- */

typedef struct
{
  unsigned length, position;
  int place;                              /* -1: none */
  unsigned more, width, skipped, missing; /* more: bytes of its offset */
  uint32_t what;
} Next;

static void
check_next (PacoStackState *state, const Next *next)
{
  PacoHeader header = { .picture = { .width = next->width,
                            .height = 10,
                            .n_components = 1,
                            .components = { { .depth = 16 } } },
    .video = { .par_n = 1,
        .par_d = 1,
        .fps_d = 1,
        .has_place = next->place >= 0,
        .place = { (uint32_t) next->place,
            10000u * (uint64_t) next->place + next->more } },
    .frame_size = 10000,
    .index_size = 100 };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  uint8_t data[PACO_MAX_HEADER_SIZE];
  PacoFrame frame = {
    .data = data, .skipped = next->skipped, .missing = next->missing
  };
  uint32_t what;

  if (next->length > 0)
    header.video.slice = paco_stack_plan (0, next->length, 8, true);
  header.video.slice.position = (uint8_t) next->position;
  g_assert_true (
      paco_policy_coding (&header.picture, &parameters, &header.coding, NULL));
  frame.size = paco_header_write (&header, data);
  OK (paco_stack_next (state, &frame, &what, &error));
  g_assert_cmpuint (what, ==, next->what);
  REFUSED (INVALID, paco_stack_next (NULL, &frame, &what, &error));
  REFUSED (INVALID, paco_stack_next (state, NULL, &what, &error));
  REFUSED (INVALID, paco_stack_next (state, &frame, NULL, &error));
  frame.size--;
  REFUSED (MORE, paco_stack_next (state, &frame, &what, &error));
}

/* Tests what comes after the second slice of a stack, or after none. */
static void
test_next (void)
{
  static const Next begin[] = {
    { 8, 0, 4, 0, 20, 0, 0, PACO_STACK_FIRST },
    { 8, 1, 5, 0, 20, 0, 0, PACO_STACK_NEXT },
  };
  static const Next after[] = {
    { 8, 2, 6, 0, 20, 0, 0, PACO_STACK_NEXT },
    { 8, 2, -1, 0, 20, 0, 0, PACO_STACK_NEXT },
    { 8, 2, 6, 1, 20, 0, 0, PACO_STACK_STRAY },
    { 8, 2, 7, 0, 20, 0, 0, PACO_STACK_STRAY },
    { 8, 2, 6, 0, 21, 0, 0, PACO_STACK_STRAY },
    { 9, 2, 6, 0, 20, 0, 0, PACO_STACK_STRAY },
    { 8, 2, 6, 0, 20, 1, 0, PACO_STACK_STRAY },
    { 8, 2, 6, 0, 20, 0, 1, PACO_STACK_STRAY },
    { 8, 1, 6, 0, 20, 0, 0, PACO_STACK_STRAY },
    { 8, 4, 8, 1, 20, 9, 2, PACO_STACK_NEXT },
    { 8, 0, 6, 0, 20, 0, 0, PACO_STACK_FIRST },
    { 0, 0, 6, 0, 20, 0, 0, PACO_STACK_NONE },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (after); i++) {
    PacoStackState state = { { 0 } }, none = { { 0 } };
    Next alone = after[i];

    for (unsigned k = 0; k < G_N_ELEMENTS (begin); k++)
      check_next (&state, &begin[k]);
    check_next (&state, &after[i]);
    if (alone.what == PACO_STACK_NEXT)
      alone.what = PACO_STACK_STRAY;
    for (unsigned k = 0; k<2; k++, alone.position += alone.position> 0)
      check_next (&none, &alone);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stacks/pictures", test_pictures);
  g_test_add_func ("/stacks/refused", test_refused);
  g_test_add_func ("/stacks/next", test_next);
  return g_test_run ();
}

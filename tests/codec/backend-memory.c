/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frames in the memory that a backend hands out for them. */
#include "backend-case.h"
#include "codec/reference/reference.h"
#include <string.h>

static void
memory_release (gpointer memory)
{
  ((PacoHostMemory *) memory)->release (memory);
}

/* Moves a picture into memory that the backend has for that, and returns what
 * is to be released. */
static GPtrArray *
move_picture (PacoDecoder *decoder, TestPicture *picture)
{
  GPtrArray *memories = g_ptr_array_new_with_free_func (memory_release);
  PacoHostMemory *of_owner[PACO_MAX_COMPONENTS] = { NULL };

  for (unsigned c = 0; c < picture->format.n_components; c++) {
    unsigned owner = picture->owners[c];
    ptrdiff_t at = picture->picture.data[c] - picture->buffers[owner];

    if (owner == c) {
      PacoHostMemory *memory = paco_coder_host_memory (
          PACO_CODER (decoder), picture->sizes[c], NULL);

      g_assert_nonnull (memory);
      g_assert_cmpuint (memory->size, >=, picture->sizes[c]);
      memcpy (memory->data, picture->buffers[c], picture->sizes[c]);
      g_ptr_array_add (memories, memory);
      of_owner[c] = memory;
    }
    picture->picture.data[c] = (uint8_t *) of_owner[owner]->data + at;
  }
  return memories;
}

/* Tests frames from and to the backend's own memory, of which one coder gets
 * what another has handed out, and some is released late. */
static void
test_host_memory (void)
{
  Coders coders;
  GPtrArray *late = NULL;

  coders_open (&coders);
  if (!paco_coder_has_host_memory (PACO_CODER (coders.encoders[0]))) {
    g_test_skip ("all memory is the same to this backend");
    coders_close (&coders);
    return;
  }
  for (unsigned n = 0; n < n_cases (100); n++) {
    unsigned i = n % N_CODERS;
    TestPicture mine, theirs, source;
    GPtrArray *memories;
    Verdict verdict;
    g_auto (Case) c;

    case_init_possible (&c, 3000);
    source = c.source;
    memories = move_picture (coders.decoders[i], &c.source);
    encode_and_check (&c, coders.encoders[i]);
    g_ptr_array_unref (memories);
    c.source = source;

    destination_init (&c, &mine, 0);
    test_picture_copy (&theirs, &mine);
    source = mine;
    memories = move_picture (coders.decoders[(i + 1) % N_CODERS], &mine);
    verdict = decode (
        coders.decoders[i], c.frame->data, c.frame->len, 0, &mine);
    g_assert_true (verdict.decoded);
    g_assert_true (paco_reference_decode (
        c.frame->data, c.frame->len, 0, &theirs.picture, NULL, NULL));
    for (unsigned k = 0, m = 0; k < mine.format.n_components; k++)
      if (mine.buffers[k])
        g_assert_cmpmem (((PacoHostMemory *) memories->pdata[m++])->data,
            mine.sizes[k], theirs.buffers[k], theirs.sizes[k]);
    if (late)
      g_ptr_array_unref (late);
    late = memories;
    test_picture_clear (&source);
    test_picture_clear (&theirs);
  }
  coders_close (&coders);
  g_ptr_array_unref (late);
}

/* --- Rows of all regions that take turns in one memory --- */

typedef struct
{
  uint8_t *data;
  size_t size, stride;
  PacoHostMemory *memory; /* the backend's; NULL: ordinary memory */
  PacoPicture picture;
} Woven;

/* Makes regions whose rows take turns in one memory. Each region's rows go up
 * or down; there is a gap behind the last one's. The memory is the backend's
 * where `coder`, unless that is NULL, has some. */
static void
woven_init (
    Woven *woven, GRand *rand, const TestPicture *picture, PacoCoder *coder)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  unsigned n = paco_picture_regions (
      &picture->format, &picture->picture, 0, regions);
  size_t at = 0, lines = 0;

  *woven = (Woven){ .stride = g_rand_int_range (rand, 0, 30),
    .picture = picture->picture };
  for (unsigned i = 0; i < n; i++) {
    woven->stride += (size_t) regions[i].groups * regions[i].group_bytes;
    lines = MAX (lines, regions[i].lines);
  }
  woven->stride = (woven->stride + 3) / 4 * 4; /* which swapped words want */
  woven->size = woven->stride * lines;
  if (coder && paco_coder_has_host_memory (coder))
    woven->memory = paco_coder_host_memory (coder, woven->size, NULL);
  woven->data = woven->memory ? woven->memory->data : g_malloc (woven->size);
  memset (woven->data, 0xa5, woven->size);
  for (unsigned i = 0; i < n; i++) {
    bool up = g_rand_boolean (rand);

    for (unsigned k = 0; k < regions[i].n_components; k++) {
      unsigned c = regions[i].components[k];

      woven->picture.data[c] = woven->data + at
          + (up ? woven->stride * (regions[i].lines - 1) : 0);
      woven->picture.stride[c] = up ? -(ptrdiff_t) woven->stride
                                    : (ptrdiff_t) woven->stride;
    }
    at += (size_t) regions[i].groups * regions[i].group_bytes;
  }
}

static void
woven_clear (Woven *woven)
{
  if (woven->memory)
    woven->memory->release (woven->memory);
  else
    g_free (woven->data);
}

/* Copies the rows of the picture that this was made for. */
static void
weave (const Woven *woven, const TestPicture *picture)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  unsigned n = paco_picture_regions (
      &picture->format, &picture->picture, 0, regions);

  for (unsigned i = 0; i < n; i++) {
    unsigned c = regions[i].components[0];

    for (uint32_t y = 0; y < regions[i].lines; y++)
      memcpy (woven->picture.data[c] + (ptrdiff_t) y * woven->picture.stride[c],
          regions[i].data + (ptrdiff_t) y * regions[i].stride,
          regions[i].line_bytes);
  }
}

static void
check_woven (Case *c, PacoEncoder *encoder, PacoDecoder *decoder, bool host)
{
  TestPicture source = c->source, destination;
  PacoCoder *memory = host ? PACO_CODER (decoder) : NULL;
  PacoPicture theirs;
  g_autofree uint8_t *expected = NULL;
  Verdict verdict;
  Woven woven;

  woven_init (&woven, c->rand, &source, memory);
  weave (&woven, &source);
  c->source.picture = woven.picture;
  encode_and_check (c, encoder);
  c->source = source;
  woven_clear (&woven);

  destination_init (c, &destination, 0);
  woven_init (&woven, c->rand, &destination, memory);
  expected = g_memdup2 (woven.data, woven.size);
  theirs = destination.picture = woven.picture;
  for (unsigned i = 0; i < destination.format.n_components; i++)
    theirs.data[i] = expected + (woven.picture.data[i] - woven.data);
  verdict = decode (decoder, c->frame->data, c->frame->len, 0, &destination);
  g_assert_true (verdict.decoded);
  g_assert_true (paco_reference_decode (
      c->frame->data, c->frame->len, 0, &theirs, NULL, NULL));
  if (memcmp (woven.data, expected, woven.size) != 0)
    g_error ("case %u: woven rows differ", c->seed);
  woven_clear (&woven);
  test_picture_clear (&destination);
}

/* Tests regions whose extents overlap although their rows do not; what is
 * between rows stays as it is. */
static void
test_woven_rows (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (60); n++) {
    unsigned i = n % N_CODERS;
    g_auto (Case) c;

    case_init_possible (&c, 3000);
    check_woven (&c, coders.encoders[i], coders.decoders[i], n % 2 > 0);
  }
}

/* Tests pictures in the memory of a device, of which the CPU has none: that is
 * an error, and the coder goes on. */
static void
test_device_memory (void)
{
  GError *error = NULL;
  PacoCodedFrame coded;
  PacoPicture picture;
  Coders coders;
  Case c;

  coders_open (&coders);
  if (paco_coder_has_host_memory (PACO_CODER (coders.encoders[0]))) {
    g_test_skip ("this backend has a device");
    coders_close (&coders);
    return;
  }
  case_init_possible (&c, 1000);
  encode_and_check (&c, coders.encoders[0]);
  decode_and_check (&c, coders.decoders[0], c.frame->data, c.frame->len, 0);
  picture = c.source.picture;
  picture.memory = PACO_MEMORY_DEVICE;
  g_assert_false (paco_encoder_submit (
      coders.encoders[0], &picture, &c.video, NULL, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  must_parse (&coded, c.frame->data, c.frame->len);
  must_configure_decoder (
      coders.decoders[0], &coded.header, c.source.picture.layout, 0);
  g_assert_false (
      paco_decoder_submit (coders.decoders[0], &coded, &picture, NULL, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  encode_and_check (&c, coders.encoders[0]);
  case_clear (&c);
  coders_close (&coders);
}

/* --- Coefficients of 16 and of 32 bits --- */

/* Draws noise of some bits in the left or the right half of a flat picture. */
static void
draw_half (Case *c, bool right, unsigned bits)
{
  uint32_t width = c->source.format.width;

  for (uint32_t y = 0; y < c->source.format.height; y++)
    for (uint32_t x = 0; x < width; x++) {
      bool noisy = right ? x > width / 2 + 16 : x < width / 2 - 16;
      uint32_t noise = g_rand_int (c->rand) >> (32 - bits);

      test_picture_put (&c->source, 0, x, y,
          noisy ? (1u << 15) - (1u << (bits - 1)) + noise : 1u << 15);
    }
  g_byte_array_set_size (c->frame, 0);
  g_assert_true (paco_reference_encode (&c->source.format, &c->source.picture,
      &c->video, &c->parameters, NULL, c->frame, NULL));
}

/* Decodes a frame of a stream, for whose first one the decoder is configured. */
static void
decode_next (const Case *c, PacoDecoder *decoder, TestPicture *destination)
{
  PacoCodedFrame coded;
  PacoDecodedFrame frame = { NULL };

  must_parse (&coded, c->frame->data, c->frame->len);
  if (!paco_decoder_takes (decoder, &coded.header))
    must_configure_decoder (
        decoder, &coded.header, destination->picture.layout, 0);
  must_submit_frame (decoder, &coded, &destination->picture, NULL);
  g_assert_true (paco_decoder_collect (decoder, &frame, NULL));
  g_assert_no_error (frame.error);
  g_assert_cmpuint (frame.corrupted_blocks, ==, 0);
}

/* Tests frames of one stream of which some have coefficients that 16 bits hold. Blocks
 * that are zero in two frames are not written again, unless their memory was that of
 * other blocks meanwhile. */
static void
test_widths (void)
{
  static const struct
  {
    bool right;
    unsigned bits;
  } frames[] = { { 0, 16 }, { 0, 6 }, { 0, 16 }, { 1, 16 }, { 1, 6 }, { 0, 6 },
    { 0, 16 }, { 1, 6 }, { 1, 16 } };
  PacoBackendOptions options = coder_options[0];
  g_autoptr (PacoDecoder) decoder = NULL;
  g_auto (Case) c = { .frame = g_byte_array_new () };
  TestPicture mine, theirs;

  options.depth = 1;
  decoder = BACKEND.decoder_open (&options, NULL);
  g_assert_nonnull (decoder);
  c.rand = g_rand_new_with_seed (g_test_rand_int ());
  c.parameters = (PacoParameters) PACO_PARAMETERS_DEFAULT;
  c.parameters.rate_control = PACO_RATE_LOSSLESS;
  test_video_random (c.rand, &c.video);
  test_picture_init (c.rand, &c.source,
      &(PacoPictureFormat){
          .width = 512,
          .height = 256,
          .n_components = 1,
          .components = { { .depth = 16 } },
      },
      0);
  destination_init (&c, &mine, 0);
  test_picture_copy (&theirs, &mine);
  for (unsigned i = 0; i < G_N_ELEMENTS (frames); i++) {
    draw_half (&c, frames[i].right, frames[i].bits);
    decode_next (&c, decoder, &mine);
    g_assert_true (paco_reference_decode (
        c.frame->data, c.frame->len, 0, &theirs.picture, NULL, NULL));
    test_picture_compare (&mine, &theirs);
  }
  test_picture_clear (&mine);
  test_picture_clear (&theirs);
}

void
add_memory_tests (void)
{
  g_test_add_func ("/backend/device-memory", test_device_memory);
  g_test_add_func ("/backend/host-memory", test_host_memory);
  g_test_add_func ("/backend/widths", test_widths);
  g_test_add_func ("/backend/woven-rows", test_woven_rows);
}

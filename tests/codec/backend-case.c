/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares a backend with the reference in one case, as backend-case.h says. */
#include "backend-case.h"
#include "codec/cpu/backend_private.h"
#include "codec/policy_wavelet.h"
#include "codec/reference/reference.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const PacoBackendOptions coder_options[N_CODERS] = {
  { .device = -1, .threads = 1, .depth = 1, .timeout = PATIENCE },
  { .device = -1, .threads = 2, .depth = 2, .timeout = PATIENCE },
  { .device = -1, .threads = 3, .depth = 3, .timeout = PATIENCE },
};

bool
coders_are_available (void)
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

void
coders_open (Coders *coders)
{
  for (unsigned i = 0; i < N_CODERS; i++) {
    coders->encoders[i] = BACKEND.encoder_open (&coder_options[i], NULL);
    coders->decoders[i] = BACKEND.decoder_open (&coder_options[i], NULL);
    g_assert_nonnull (coders->encoders[i]);
    g_assert_nonnull (coders->decoders[i]);
  }
}

void
coders_close (Coders *coders)
{
  for (unsigned i = 0; i < N_CODERS; i++) {
    paco_coder_close (PACO_CODER (coders->encoders[i]));
    paco_coder_close (PACO_CODER (coders->decoders[i]));
  }
}

/* Draws instruction sets of those that this machine has. */
static PacoCpuOps
random_ops (GRand *rand)
{
  const PacoRowOps *const *rows = paco_row_all_ops ();
  const PacoBpcOps *const *blocks = paco_bpc_all_ops ();
  unsigned n_rows = 0, n_blocks = 0;

  while (rows[n_rows])
    n_rows++;
  while (blocks[n_blocks])
    n_blocks++;
  return (PacoCpuOps){ rows[g_rand_int_range (rand, 0, n_rows)],
    blocks[g_rand_int_range (rand, 0, n_blocks)] };
}

/* Makes a coder use any of them, if it is the CPU's. */
void
set_random_ops (GRand *rand, PacoEncoder *encoder, PacoDecoder *decoder)
{
  PacoCpuOps ops = random_ops (rand);

  if (strcmp (BACKEND.name, "cpu") != 0)
    return;
  if (encoder)
    paco_cpu_encoder_set_ops (encoder, &ops);
  if (decoder)
    paco_cpu_decoder_set_ops (decoder, &ops);
}

/* --- one case: a picture and its frame --- */

/* Returns how many levels can be left out. */
static unsigned
levels_of (const GByteArray *frame)
{
  PacoHeader header;

  g_assert_true (
      paco_header_parse_frame (frame->data, frame->len, &header, NULL, NULL));
  return header.coding.levels;
}

/* Returns FALSE for parameters that the reference refuses, too. */
bool
case_init_seeded (Case *c, guint32 seed, uint32_t samples)
{
  PacoPictureFormat format;

  c->seed = seed;
  c->rand = g_rand_new_with_seed (c->seed);
  c->frame = g_byte_array_new ();
  test_format_random (c->rand, &format, samples);
  test_picture_init (c->rand, &c->source, &format, 0);
  test_picture_fill (c->rand, &c->source);
  test_parameters_random (c->rand, &c->parameters);
  /* By itself it is left out with a budget or cut points, which cases may get. */
  if (c->parameters.color_transform == PACO_COLOR_TRANSFORM_MOSAIC
      && format.components[0].depth == 16)
    c->parameters.color_transform = PACO_COLOR_TRANSFORM_AUTO;
  test_video_random (c->rand, &c->video);
  c->possible = paco_reference_encode (&format, &c->source.picture, &c->video,
      &c->parameters, NULL, c->frame, NULL);
  c->levels = c->possible ? levels_of (c->frame) : 0;
  return c->possible;
}

void
case_without_wrapping (Case *c)
{
  if (c->parameters.color_transform == PACO_COLOR_TRANSFORM_MOSAIC)
    c->parameters.color_transform = PACO_COLOR_TRANSFORM_AUTO;
}

void
case_set_budget (Case *c)
{
  GError *error = NULL;

  test_budget_random (c->rand, &c->source.format, &c->video, &c->parameters);
  case_without_wrapping (c);
  g_byte_array_set_size (c->frame, 0);
  paco_reference_encode (&c->source.format, &c->source.picture, &c->video,
      &c->parameters, NULL, c->frame, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (c->frame->len, <=, c->parameters.frame_size);
}

bool
case_init (Case *c, uint32_t samples)
{
  return case_init_seeded (c, g_test_rand_int (), samples);
}

void
case_init_possible (Case *c, uint32_t samples)
{
  while (!case_init (c, samples))
    case_clear (c);
}

static void
code_source (Case *c)
{
  g_byte_array_set_size (c->frame, 0);
  g_assert_true (paco_reference_encode (&c->source.format, &c->source.picture,
      &c->video, &c->parameters, NULL, c->frame, NULL));
}

void
case_refill (Case *c)
{
  test_picture_fill (c->rand, &c->source);
  code_source (c);
}

void
case_choose_again (Case *c)
{
  if (g_rand_boolean (c->rand))
    test_picture_fill (c->rand, &c->source);
  else
    test_picture_fill_smooth (c->rand, &c->source);
  code_source (c);
}

void
case_init_choosing (Case *c)
{
  PacoPictureFormat format = {
    .width = g_test_rand_int_range (32, 130),
    .height = g_test_rand_int_range (16, 60),
    .n_components = g_test_rand_int_range (3, 5),
    .fields = g_test_rand_bit (),
  };
  uint8_t depth = g_test_rand_int_range (0, 3) == 0
      ? g_test_rand_int_range (PACO_CHOICE_DEPTH + 1, 17)
      : g_test_rand_int_range (5, PACO_CHOICE_DEPTH + 1);

  *c = (Case){ .seed = g_test_rand_int (), .frame = g_byte_array_new () };
  c->rand = g_rand_new_with_seed (c->seed);
  for (unsigned i = 0; i < format.n_components; i++)
    format.components[i].depth = depth;
  test_picture_init (c->rand, &c->source, &format, 0);
  c->parameters = (PacoParameters) PACO_PARAMETERS_DEFAULT;
  c->parameters.rate_control = PACO_RATE_LOSSLESS;
  c->parameters.rgb = true;
  c->levels = c->parameters.levels;
  c->possible = true;
  test_video_random (c->rand, &c->video);
  case_refill (c);
}

bool
case_takes_other (const Case *c)
{
  PacoHeader header;

  g_assert_true (paco_header_parse_frame (
      c->frame->data, c->frame->len, &header, NULL, NULL));
  return header.coding.components[0].wavelet == PACO_WAVELET_DD137;
}

void
case_clear (Case *c)
{
  test_picture_clear (&c->source);
  g_byte_array_unref (c->frame);
  g_rand_free (c->rand);
}

gboolean
configure_encoder (const Case *c, PacoEncoder *encoder, GError **error)
{
  return paco_encoder_configure (encoder, &c->source.format,
      c->source.picture.layout, &c->parameters, error);
}

void
check_encoded (const Case *c, PacoEncodedFrame *frame)
{
  g_assert_nonnull (frame);
  g_assert_no_error (frame->error);
  if (frame->size != c->frame->len
      || memcmp (frame->data, c->frame->data, frame->size) != 0)
    g_error ("case %u: the encoders differ", c->seed);
}

void
encode_and_check (const Case *c, PacoEncoder *encoder)
{
  GError *error = NULL;

  configure_encoder (c, encoder, &error);
  g_assert_no_error (error);
  encode_another_and_check (c, encoder);
}

void
encode_another_and_check (const Case *c, PacoEncoder *encoder)
{
  PacoEncodedFrame *frame;

  must_submit (encoder, &c->source.picture, &c->video, (void *) c);
  frame = paco_encoder_collect (encoder, NULL);
  check_encoded (c, frame);
  g_assert_true (frame->user_data == c);
  g_assert_cmpuint (frame->size, <=, paco_encoder_max_frame_size (encoder));
  frame->release (frame);
  g_assert_null (paco_encoder_collect (encoder, NULL));
}

/* --- decoding --- */

PacoHostMemory *
copy_to_host_memory (PacoCoder *coder, const void *data, size_t size)
{
  PacoHostMemory *memory = NULL;

  if (paco_coder_has_host_memory (coder) && g_test_rand_bit ()) {
    memory = paco_coder_host_memory (coder, size, NULL);
    memcpy (memory->data, data, size);
  }
  return memory;
}

Verdict
decode (PacoDecoder *decoder, const uint8_t *data, size_t size, unsigned reduce,
    TestPicture *destination)
{
  PacoCodedFrame coded;
  PacoDecodedFrame frame = { NULL };
  PacoHostMemory *memory;
  Verdict verdict = { FALSE, 0 };

  if (!paco_coded_frame_parse (&coded, data, size, NULL)
      || !paco_decoder_configure (
          decoder, &coded.header, destination->picture.layout, reduce, NULL))
    return verdict;
  memory = copy_to_host_memory (PACO_CODER (decoder), data, size);
  if (memory)
    coded.data = memory->data;
  if (!paco_decoder_submit (
          decoder, &coded, &destination->picture, &frame, NULL)) {
    if (memory)
      memory->release (memory);
    return verdict;
  }
  g_assert_true (paco_decoder_collect (decoder, &frame, NULL));
  g_assert_true (frame.user_data == &frame);
  verdict.decoded = frame.error == NULL;
  verdict.corrupted_blocks = frame.corrupted_blocks;
  g_clear_error (&frame.error);
  if (memory)
    memory->release (memory);
  return verdict;
}

void
destination_init (const Case *c, TestPicture *picture, unsigned reduce)
{
  test_picture_init (c->rand, picture, &c->source.format, reduce);
}

/* The bytes are a private copy of just their size, for the sanitizers' sake. */
Verdict
decode_and_check (const Case *c, PacoDecoder *decoder, const uint8_t *data,
    size_t size, unsigned reduce)
{
  TestPicture mine, theirs;
  uint32_t corrupted_blocks = 0;
  g_autofree uint8_t *copy = g_memdup2 (data, size);
  Verdict verdict;
  gboolean decoded;

  destination_init (c, &mine, reduce);
  test_picture_copy (&theirs, &mine);
  verdict = decode (decoder, copy, size, reduce, &mine);
  decoded = paco_reference_decode (
      copy, size, reduce, &theirs.picture, &corrupted_blocks, NULL);
  if (verdict.decoded != decoded
      || verdict.corrupted_blocks != corrupted_blocks)
    g_error ("case %u: %s with %u broken blocks, the reference %s with %u",
        c->seed, verdict.decoded ? "decoded" : "refused",
        verdict.corrupted_blocks, decoded ? "decoded" : "refused",
        corrupted_blocks);
  if (decoded)
    test_picture_compare (&mine, &theirs);
  test_picture_clear (&mine);
  test_picture_clear (&theirs);
  return verdict;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames in the memory that a backend hands out for them. */
#include "backend-case.h"
#include "codec/reference/reference.h"
#include <string.h>

static void
memory_release (gpointer memory)
{
  ((PacoHostMemory *) memory)->release (memory);
}

/* Moves a picture into memory that the backend has for that; returns what is to
 * be released. */
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

/* Frames from and to the backend's own memory, of which one coder gets what
 * another has handed out, and some is released late. */
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
    Case c;

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
    case_clear (&c);
  }
  coders_close (&coders);
  g_ptr_array_unref (late);
}

/* Pictures in the memory of a device, of which the CPU has none: an error, and the
 * coder goes on. */
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
  g_assert_true (
      paco_coded_frame_parse (&coded, c.frame->data, c.frame->len, NULL));
  g_assert_true (paco_decoder_configure (
      coders.decoders[0], &coded.header, c.source.picture.layout, 0, NULL));
  g_assert_false (
      paco_decoder_submit (coders.decoders[0], &coded, &picture, NULL, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_clear_error (&error);
  encode_and_check (&c, coders.encoders[0]);
  case_clear (&c);
  coders_close (&coders);
}

void
add_memory_tests (void)
{
  g_test_add_func ("/backend/device-memory", test_device_memory);
  g_test_add_func ("/backend/host-memory", test_host_memory);
}

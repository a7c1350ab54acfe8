/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pictures in a device's memory, in a context that is not the backend's:
 * coders that work there read and write them where they are, after what is enqueued
 * in the pictures' streams, and get the reference's results. It runs on a device
 * and, emulated, without one. */
#include "codec/policy_wavelet.h"
#include "codec/reference/reference.h"
#include "gpu/context.h"
#include "tests/codec/backend-case.h"
#include "tests/gpu/driver/copies.h"
#include "tests/gpu/driver/fake-driver.h"
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define MAX_OFFSET 40 /* of pictures, so that they are not aligned */

/* This is a context of ours with a stream. */
static struct
{
  PacoCudaContext *context;
  const PacoDriver *driver;
  CUstream stream;
  int n_references; /* of coders, atomic */
} theirs;

static void
must (CUresult result)
{
  GError *error = NULL;

  paco_driver_check (theirs.driver, result, &error, "the test's own call");
  g_assert_no_error (error);
}

static void *
ref_owner (void *owner)
{
  g_atomic_int_inc ((int *) owner);
  return owner;
}

static void
unref_owner (void *owner)
{
  g_assert_cmpint (g_atomic_int_add ((int *) owner, -1), >, 0);
}

static PacoBackendOptions
options_for (unsigned depth)
{
  return (PacoBackendOptions){
    .device = 12345, /* says nothing */
    .context = {
      .handle = theirs.context->handle,
      .owner = &theirs.n_references,
      .ref = ref_owner,
      .unref = unref_owner,
    },
    .depth = depth,
    .timeout = PATIENCE,
  };
}

static void
open_in_context (Coders *coders)
{
  GError *error = NULL;

  for (unsigned i = 0; i < N_CODERS; i++) {
    PacoBackendOptions options = options_for (1 + i);

    coders->encoders[i] = BACKEND.encoder_open (&options, &error);
    g_assert_no_error (error);
    coders->decoders[i] = BACKEND.decoder_open (&options, &error);
    g_assert_no_error (error);
  }
}

/* --- Pictures on the device --- */

typedef struct
{
  TestPicture host; /* the same bytes; its picture is the host's */
  PacoPicture picture;
  CUdeviceptr memory[PACO_MAX_COMPONENTS];
  size_t offset;
  void *staging[PACO_MAX_COMPONENTS]; /* page-locked */
} DevicePicture;

static void
allocate (DevicePicture *picture, GRand *rand)
{
  const TestPicture *host = &picture->host;

  picture->picture = host->picture;
  picture->picture.memory = PACO_MEMORY_DEVICE;
  picture->offset = g_rand_boolean (rand)
      ? 0
      : g_rand_int_range (rand, 0, MAX_OFFSET);
  for (unsigned c = 0; c < host->format.n_components; c++) {
    unsigned owner = host->owners[c];

    if (host->buffers[c])
      must (theirs.driver->mem_alloc (
          &picture->memory[c], host->sizes[c] + picture->offset));
    picture->picture.data[c] = (uint8_t *) (uintptr_t) picture->memory[owner]
        + picture->offset + (host->picture.data[c] - host->buffers[owner]);
  }
}

typedef enum
{
  AT_ONCE,
  IN_STREAM,
  IN_COMMON_STREAM,
  N_TIMES
} Time;

/* Uploads now, or whenever a stream comes to it. */
static void
upload (DevicePicture *picture, Time time)
{
  const TestPicture *host = &picture->host;
  CUstream stream = time == IN_STREAM ? theirs.stream : CU_STREAM_LEGACY;

  for (unsigned c = 0; c < host->format.n_components; c++) {
    CUdeviceptr to = picture->memory[c] + picture->offset;

    if (!host->buffers[c])
      continue;
    if (time == AT_ONCE) {
      must (theirs.driver->memcpy_htod (to, host->buffers[c], host->sizes[c]));
      continue;
    }
    must (theirs.driver->mem_host_alloc (
        &picture->staging[c], host->sizes[c], 0));
    memcpy (picture->staging[c], host->buffers[c], host->sizes[c]);
    must (theirs.driver->memcpy_htod_async (
        to, picture->staging[c], host->sizes[c], stream));
    picture->picture.stream = stream;
  }
  if (time == AT_ONCE)
    must (theirs.driver->ctx_synchronize ());
}

static void
download (DevicePicture *picture)
{
  TestPicture *host = &picture->host;

  for (unsigned c = 0; c < host->format.n_components; c++)
    if (host->buffers[c])
      must (driver_memcpy_dtoh (theirs.driver, host->buffers[c],
          picture->memory[c] + picture->offset, host->sizes[c]));
}

static void
device_picture_clear (DevicePicture *picture)
{
  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++) {
    if (picture->memory[c])
      must (theirs.driver->mem_free (picture->memory[c]));
    if (picture->staging[c])
      must (theirs.driver->mem_free_host (picture->staging[c]));
  }
  test_picture_clear (&picture->host);
}

/* --- Tests --- */

static void
encode_on_device (const Case *c, PacoEncoder *encoder, Time time,
    void (*encode) (const Case *c, PacoEncoder *encoder))
{
  DevicePicture source = { .offset = 0 };
  Case device_case = *c;

  test_picture_copy (&source.host, &c->source);
  allocate (&source, c->rand);
  upload (&source, time);
  device_case.source.picture = source.picture;
  encode (&device_case, encoder);
  device_picture_clear (&source);
}

static void
decode_on_device (
    const Case *c, PacoDecoder *decoder, unsigned reduce, Time time)
{
  DevicePicture mine = { .offset = 0 };
  g_auto (TestPicture) expected;

  destination_init (c, &mine.host, reduce);
  test_picture_copy (&expected, &mine.host);
  allocate (&mine, c->rand);
  upload (&mine, time);
  {
    TestPicture on_device = mine.host;

    on_device.picture = mine.picture;
    g_assert_true (
        decode (decoder, c->frame->data, c->frame->len, reduce, &on_device)
            .decoded);
  }
  download (&mine);
  g_assert_true (paco_reference_decode (
      c->frame->data, c->frame->len, reduce, &expected.picture, NULL, NULL));
  test_picture_compare (&mine.host, &expected);
  device_picture_clear (&mine);
}

/* Compares a picture on the device, which is not to be changed. */
static void
compare_on_device (
    const Case *c, PacoDecoder *decoder, unsigned reduce, Time time)
{
  DevicePicture mine = { .offset = 0 };
  PacoCodedFrame coded;
  PacoDecodedFrame frame = { NULL };
  unsigned n_different = g_rand_int_range (c->rand, 0, 2);
  g_auto (TestPicture) before;
  GError *error = NULL;

  destination_init (c, &mine.host, reduce);
  g_assert_true (paco_reference_decode (
      c->frame->data, c->frame->len, reduce, &mine.host.picture, NULL, NULL));
  mine.host.picture.data[0][0] ^= n_different;
  test_picture_copy (&before, &mine.host);
  allocate (&mine, c->rand);
  upload (&mine, time);
  must_parse (&coded, c->frame->data, c->frame->len);
  must_configure_decoder (decoder, &coded.header, mine.picture.layout, reduce);
  paco_decoder_submit_comparison (decoder, &coded, &mine.picture, NULL, &error);
  g_assert_no_error (error);
  frame = must_collect_picture (decoder);
  g_assert_cmpuint (frame.different_bytes, ==, n_different);
  download (&mine);
  test_picture_compare (&mine.host, &before);
  device_picture_clear (&mine);
}

/* Tests that pictures in device memory and in the host's take turns. */
static void
test_random (void)
{
  Coders coders;

  open_in_context (&coders);
  for (unsigned n = 0; n < n_cases (300); n++) {
    unsigned i = n % N_CODERS;
    g_auto (Case) c;

    case_init_possible (&c, 2000);
    encode_on_device (&c, coders.encoders[i],
        g_rand_int_range (c.rand, 0, N_TIMES), encode_and_check);
    if (g_rand_boolean (c.rand))
      encode_and_check (&c, coders.encoders[i]);
    decode_on_device (&c, coders.decoders[i],
        g_rand_boolean (c.rand) ? 0
                                : g_rand_int_range (c.rand, 0, c.levels + 1),
        g_rand_int_range (c.rand, 0, N_TIMES));
    if (g_rand_boolean (c.rand))
      decode_and_check (&c, coders.decoders[i], c.frame->data, c.frame->len, 0);
    compare_on_device (&c, coders.decoders[i],
        g_rand_int_range (c.rand, 0, c.levels + 1),
        g_rand_int_range (c.rand, 0, N_TIMES));
  }
  coders_close (&coders);
  g_assert_cmpint (theirs.n_references, ==, 0);
}

/* Tests that frames of one stream, whose pictures the host has not, choose their wavelets
 * and color transforms. After some that choose the same the next ones guess, and after a
 * new picture the guess may be wrong. */
static void
test_choice (void)
{
  g_auto (Coders) coders;
  unsigned n[2] = { 0 };

  open_in_context (&coders);
  for (unsigned i = 0; i < 6 || n[0] == 0 || n[1] == 0; i++) {
    PacoEncoder *encoder = coders.encoders[i % N_CODERS];
    g_auto (Case) c;

    case_init_choosing (&c);
    encode_on_device (&c, encoder, i % N_TIMES, encode_and_check);
    for (unsigned k = 1; k < 10; k++) {
      n[case_takes_other (&c)]++;
      if (k > 6)
        case_choose_again (&c);
      encode_on_device (&c, encoder, g_rand_int_range (c.rand, 0, N_TIMES),
          encode_another_and_check);
    }
  }
}

/* Has the driver's emulation fail; NULL with a GPU's driver. */
static __typeof__ (fake_cuda_fail) *
find_fail (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

  g_assert_nonnull (library);
  return (__typeof__ (fake_cuda_fail) *) dlsym (library, "fake_cuda_fail");
}

static void
encode_without_memory (const Case *c, PacoEncoder *encoder)
{
  PacoEncodedFrame *frame;
  GError *error = NULL;

  must_submit (encoder, &c->source.picture, &c->video, NULL);
  frame = paco_encoder_collect (encoder, &error);
  g_assert_no_error (error);
  g_assert_error (frame->error, PACO_ERROR, PACO_ERROR_MEMORY);
  frame->release (frame);
}

/* Tests that a frame which guesses and then fails leaves nothing to the next one, which is
 * of a configuration that does not choose. */
static void
test_failed_guess (void)
{
  PacoBackendOptions options = options_for (1);
  g_autoptr (PacoEncoder) encoder = BACKEND.encoder_open (&options, NULL);
  __typeof__ (fake_cuda_fail) *fail = find_fail ();

  if (!fail) {
    g_test_skip ("the driver is not emulated");
    return;
  }
  for (unsigned n = 0; n < 2;) {
    g_auto (Case) c;

    case_init_choosing (&c);
    /* Deeper samples may have code tables, for which a frame waits. */
    if (c.source.format.components[0].depth > PACO_CHOICE_DEPTH)
      continue;
    n++;
    encode_on_device (&c, encoder, AT_ONCE, encode_and_check);
    for (unsigned k = 1; k < 6; k++)
      encode_on_device (&c, encoder, AT_ONCE, encode_another_and_check);
    fail ("cuGraphLaunch:1:2");
    encode_on_device (&c, encoder, AT_ONCE, encode_without_memory);
    fail (NULL);
    c.parameters.rate_control = PACO_RATE_QUALITY;
    case_refill (&c);
    encode_on_device (&c, encoder, AT_ONCE, encode_and_check);
  }
}

/* Tests that the context is kept as long as anything of a coder is left. */
static void
test_owner (void)
{
  PacoBackendOptions options = options_for (2);
  PacoEncoder *encoder = BACKEND.encoder_open (&options, NULL);
  PacoDecoder *decoder = BACKEND.decoder_open (&options, NULL);
  PacoHostMemory *memory;

  g_assert_nonnull (encoder);
  g_assert_nonnull (decoder);
  g_assert_cmpint (theirs.n_references, >, 0);
  memory = paco_coder_host_memory (PACO_CODER (encoder), 1000, NULL);
  g_assert_nonnull (memory);
  paco_coder_close (PACO_CODER (encoder));
  g_assert_cmpint (theirs.n_references, >, 0);
  paco_coder_close (PACO_CODER (decoder));
  g_assert_cmpint (theirs.n_references, >, 0);
  memory->release (memory);
  g_assert_cmpint (theirs.n_references, ==, 0);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  theirs.context = paco_cuda_context_open (0, &error);
  if (!theirs.context) {
    printf ("1..0 # SKIP %s\n", error->message);
    g_clear_error (&error);
    return 0;
  }
  theirs.driver = theirs.context->driver;
  g_assert_true (paco_cuda_context_enter (theirs.context, NULL));
  must (theirs.driver->stream_create (&theirs.stream, CU_STREAM_NON_BLOCKING));
  g_test_add_func ("/device-pictures/random", test_random);
  g_test_add_func ("/device-pictures/choice", test_choice);
  g_test_add_func ("/device-pictures/failed-guess", test_failed_guess);
  g_test_add_func ("/device-pictures/owner", test_owner);
  result = g_test_run ();
  must (theirs.driver->stream_destroy (theirs.stream));
  paco_cuda_context_leave (theirs.context);
  paco_cuda_context_close (theirs.context);
  return result;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests coders in contexts of others, over a driver of our own, which this program is
 * linked to: whose they are, how they are shared, and what becomes of coders when a
 * context is gone. */
#include "codec/backend.h"
#include "gpu/driver.h"
#include "tests/gpu/driver/fake-driver.h"
#include "tests/codec/must.h"
#include <string.h>

#define BACKEND paco_cuda_backend
#define N_DEVICES "3"

static PacoDriver *driver;

static const PacoVideoInfo video = {
  .raw_format = "TEST", .par_n = 1, .par_d = 1, .fps_n = 25, .fps_d = 1
};
static const PacoPictureFormat format = { 64, 64, 1, false, { { 8, 0, 0 } } };
static const PacoSampleLayout layout = PACO_LAYOUT_PLANAR (1);

static CUcontext
context_new (int device)
{
  CUcontext context, popped;

  g_assert_cmpint (driver->ctx_create (&context, 0, device), ==, CUDA_SUCCESS);
  driver->ctx_pop_current (&popped);
  return context;
}

static PacoEncoder *
open_encoder (CUcontext context, GError **error)
{
  const PacoBackendOptions options = {
    .device = -1, .context.handle = context, .depth = 2
  };

  return BACKEND.encoder_open (&options, error);
}

static void
configure (PacoEncoder *encoder)
{
  const PacoParameters parameters = PACO_PARAMETERS_DEFAULT;

  must_configure (encoder, &format, &layout, &parameters);
}

static PacoEncodedFrame *
encode (PacoEncoder *encoder)
{
  static uint8_t samples[64 * 64];
  const PacoPicture picture = {
    .data = { samples }, .stride = { 64 }, .layout = { layout }
  };
  GError *error = NULL;

  must_submit (encoder, &picture, &video, NULL);
  return paco_encoder_collect (encoder, &error);
}

static void
encode_one (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame = encode (encoder);

  g_assert_nonnull (frame);
  g_assert_no_error (frame->error);
  frame->release (frame);
}

static void
assert_device (PacoEncoder *encoder, int device)
{
  PacoStats stats;
  g_autofree char *name = g_strdup_printf ("GPU %d", device);

  paco_coder_stats (PACO_CODER (encoder), &stats);
  g_assert_nonnull (strstr (stats.device, name));
}

static FakeCudaLeft
left (void)
{
  FakeCudaLeft now;

  fake_cuda_left (&now);
  g_assert_cmpuint (now.misuses, ==, 0);
  g_assert_cmpuint (now.pushed, ==, 0);
  return now;
}

/* --- Tests --- */

/* Tests that coders of a context share what is in it, and take nothing away
 * with them. */
static void
test_shared (void)
{
  CUcontext context = context_new (2), other = context_new (2);
  PacoEncoder *encoders[3];
  unsigned modules;

  encoders[0] = open_encoder (context, NULL);
  modules = left ().modules;
  encoders[1] = open_encoder (context, NULL);
  g_assert_cmpuint (left ().modules, ==, modules);
  encoders[2] = open_encoder (other, NULL);
  g_assert_cmpuint (left ().modules, ==, 2 * modules);
  g_assert_cmpuint (left ().contexts, ==, 2);
  for (unsigned i = 0; i < G_N_ELEMENTS (encoders); i++) {
    g_assert_nonnull (encoders[i]);
    assert_device (encoders[i], 2);
    configure (encoders[i]);
    encode_one (encoders[i]);
  }
  for (unsigned i = 0; i < G_N_ELEMENTS (encoders); i++)
    paco_coder_close (PACO_CODER (encoders[i]));
  g_assert_cmpuint (left ().contexts, ==, 2);
  g_assert_cmpuint (left ().modules, ==, 0);
  g_assert_cmpuint (left ().device_memory, ==, 0);
  driver->ctx_destroy (context);
  driver->ctx_destroy (other);
}

/* Tests that a device with a coder in somebody's context is not the least
 * loaded one, and that coders in contexts of ours have no part in that
 * context. */
static void
test_load (void)
{
  CUcontext context = context_new (2);
  PacoEncoder *theirs = open_encoder (context, NULL);
  PacoEncoder *ours[3];

  for (unsigned i = 0; i < G_N_ELEMENTS (ours); i++) {
    ours[i] = open_encoder (NULL, NULL);
    g_assert_nonnull (ours[i]);
  }
  assert_device (theirs, 2);
  assert_device (ours[0], 0);
  assert_device (ours[1], 1);
  g_assert_cmpuint (left ().contexts, ==, 3 + (ours[2] == NULL));
  for (unsigned i = 0; i < G_N_ELEMENTS (ours); i++)
    paco_coder_close (PACO_CODER (ours[i]));
  paco_coder_close (PACO_CODER (theirs));
  driver->ctx_destroy (context);
  g_assert_cmpuint (left ().contexts, ==, 0);
}

static void
assert_says_gone (GError *error)
{
  g_assert_error (error, PACO_ERROR, PACO_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "context"));
  g_clear_error (&error);
}

static void
test_gone_before (void)
{
  CUcontext context = context_new (0);
  GError *error = NULL;

  driver->ctx_destroy (context);
  g_assert_null (open_encoder (context, &error));
  assert_says_gone (error);
  g_assert_cmpuint (left ().contexts, ==, 0);
}

/* Tests that when the context goes while a coder has it frames fail, and others
 * do not. The driver of the test calls that a misuse, which it is. */
static void
test_gone_meanwhile (void)
{
  CUcontext context = context_new (1);
  PacoEncoder *theirs = open_encoder (context, NULL);
  PacoEncoder *ours = open_encoder (NULL, NULL);
  PacoEncodedFrame *frame;
  FakeCudaLeft now;

  configure (theirs);
  configure (ours);
  encode_one (theirs);
  driver->ctx_destroy (context);
  frame = encode (theirs);
  g_assert_nonnull (frame);
  g_assert_error (frame->error, PACO_ERROR, PACO_ERROR_DEVICE);
  frame->release (frame);
  encode_one (ours);
  paco_coder_close (PACO_CODER (theirs));
  encode_one (ours);
  paco_coder_close (PACO_CODER (ours));

  /* The device itself is as good as before. */
  ours = open_encoder (NULL, NULL);
  configure (ours);
  encode_one (ours);
  paco_coder_close (PACO_CODER (ours));
  fake_cuda_left (&now);
  g_assert_cmpuint (now.misuses, ==, 1);
  g_assert_cmpuint (now.contexts, ==, 0);
  fake_cuda_clear ();
}

/* Tests that a device that is too old is so in any context. */
static void
test_too_old (void)
{
  CUcontext context = context_new (0);
  GError *error = NULL;

  g_setenv ("FAKE_CUDA_CAPABILITY", "5.2", TRUE);
  g_assert_null (open_encoder (context, &error));
  g_unsetenv ("FAKE_CUDA_CAPABILITY");
  g_assert_error (error, PACO_ERROR, PACO_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "5.2"));
  g_clear_error (&error);
  g_assert_cmpuint (left ().contexts, ==, 1);
  driver->ctx_destroy (context);
}

int
main (int argc, char **argv)
{
  GError *error = NULL;
  int result;

  g_test_init (&argc, &argv, NULL);
  g_setenv ("FAKE_CUDA_DEVICES", N_DEVICES, TRUE);
  driver = paco_driver_open (&error);
  g_assert_no_error (error);
  g_test_add_func ("/foreign/shared", test_shared);
  g_test_add_func ("/foreign/load", test_load);
  g_test_add_func ("/foreign/gone-before", test_gone_before);
  g_test_add_func ("/foreign/gone-meanwhile", test_gone_meanwhile);
  g_test_add_func ("/foreign/too-old", test_too_old);
  result = g_test_run ();
  paco_driver_close (driver);
  return result;
}

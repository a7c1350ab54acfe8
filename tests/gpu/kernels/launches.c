/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests launches that fail for lack of memory, over the emulated driver: each launch
 * of a frame fails once, of kernels and of graphs. That frame must end with an error, and the next one of the
 * same encoder must be the reference's, whatever the kernels before the launch have
 * left in the flight. Frames have a budget, cut points, both or neither.
 *
 * It calls the encoder through backend-case.h, and the driver by its own name. */
#include "tests/codec/backend-case.h"
#include "tests/gpu/driver/fake-driver.h"
#include <dlfcn.h>
#include <string.h>

static struct
{
  __typeof__ (fake_cuda_fail) *fail;
  __typeof__ (fake_cuda_has_failed) *has_failed;
  __typeof__ (fake_cuda_calls) *calls;
} fake;

/* Finds the driver that the backend has opened; false if it is a GPU's. */
static bool
find_driver (void)
{
  void *library = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

  if (!library)
    g_error ("%s", dlerror ());
  *(void **) &fake.fail = dlsym (library, "fake_cuda_fail");
  *(void **) &fake.has_failed = dlsym (library, "fake_cuda_has_failed");
  *(void **) &fake.calls = dlsym (library, "fake_cuda_calls");
  return fake.fail && fake.has_failed && fake.calls;
}

/* Returns how often a function was called since the last plan. */
static unsigned
calls_of (const char *function)
{
  return fake_cuda_calls_of (fake.calls, function);
}

/* Makes a random case that the encoder is configured for, and has coded a frame
 * of. */
static void
case_begin (Case *c, bool has_budget, PacoEncoder *encoder)
{
  case_init_possible (c, g_test_rand_int_range (1, 600));
  if (has_budget)
    case_set_budget (c);
  if (g_test_rand_bit ()) {
    c->parameters.cut_points = true;
    c->parameters.frame_size += 12; /* a chunk of the header */
    case_refill (c);
  }
  encode_and_check (c, encoder);
}

/* Has the next frame be the first of a stream, which learns nothing from those
 * before. */
static void
begin_stream (PacoEncoder *encoder)
{
  GError *error = NULL;

  paco_coder_abandon (PACO_CODER (encoder), &error);
  g_assert_no_error (error);
}

/* Checks that when the launch of this number fails, the frame after it is right. Returns
 * false if the frame has made no such launch: those that are timed launch no graphs. */
static bool
check_launch (
    const Case *c, PacoEncoder *encoder, const char *function, unsigned number)
{
  g_autofree char *plan = g_strdup_printf ("%s:%u:2", function, number);
  PacoEncodedFrame *frame;
  GError *error = NULL;
  bool failed;

  g_test_message ("case %u, %s", c->seed, plan);
  begin_stream (encoder);
  fake.fail (plan);
  must_submit (encoder, &c->source.picture, &c->video, NULL);
  frame = paco_encoder_collect (encoder, &error);
  g_assert_no_error (error);
  failed = fake.has_failed ();
  if (failed)
    g_assert_error (frame->error, PACO_ERROR, PACO_ERROR_MEMORY);
  else
    g_assert_no_error (frame->error);
  frame->release (frame);
  fake.fail (NULL);
  begin_stream (encoder);
  encode_another_and_check (c, encoder);
  return failed;
}

static void
test_kernels (void)
{
  static const char *const functions[] = { "cuLaunchKernel",
    "cuLaunchKernelEx" };
  g_autoptr (PacoEncoder)
      encoder = BACKEND.encoder_open (&coder_options[0], NULL);

  g_assert_nonnull (encoder);
  g_setenv ("FAKE_CUDA_GRAPHS", "0", TRUE);
  for (unsigned n = 0; n < n_cases (4); n++) {
    g_auto (Case) c;
    unsigned n_launches[G_N_ELEMENTS (functions)];

    case_begin (&c, n % 4 < 3, encoder);
    fake.fail (NULL);
    begin_stream (encoder);
    encode_another_and_check (&c, encoder);
    for (unsigned f = 0; f < G_N_ELEMENTS (functions); f++)
      n_launches[f] = calls_of (functions[f]);
    for (unsigned f = 0; f < G_N_ELEMENTS (functions); f++)
      for (unsigned i = 1; i <= n_launches[f]; i++)
        g_assert_true (check_launch (&c, encoder, functions[f], i));
  }
  g_unsetenv ("FAKE_CUDA_GRAPHS");
}

/* Tests graphs whose kernels get other parameters and pictures, and one of which fails. */
static void
test_graphs (void)
{
  g_autoptr (PacoEncoder)
      encoder = BACKEND.encoder_open (&coder_options[0], NULL);

  g_assert_nonnull (encoder);
  for (unsigned n = 0; n < n_cases (80); n++) {
    g_auto (Case) c;
    unsigned i = 1;

    case_begin (&c, n % 4 < 3, encoder);
    for (unsigned k = 0; k < 4; k++) {
      case_refill (&c);
      begin_stream (encoder);
      encode_another_and_check (&c, encoder);
    }
    while (check_launch (&c, encoder, "cuGraphLaunch", i)
        || check_launch (&c, encoder, "cuGraphLaunch", i))
      i++;
    g_assert_cmpuint (i, >, 1);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!coders_are_available ())
    return 0;
  if (!find_driver ()) {
    g_print ("1..0 # SKIP the driver is not emulated\n");
    return 0;
  }
  g_test_add_func ("/launches/kernels", test_kernels);
  g_test_add_func ("/launches/graphs", test_graphs);
  return g_test_run ();
}

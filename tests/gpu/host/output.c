/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the page-locked buffers of encoded frames (gpu/output.h), which a driver of
 * our own (fake-driver.h), which this program is linked to, counts: allocating one
 * takes the time of many frames, so a stream must not allocate and free them in
 * turns. */
#include "gpu/output.h"
#include "tests/gpu/driver/fake-driver.h"
#include <string.h>

#define N 4         /* buffers that are asked for */
#define MAX_SPARE 8 /* that may be out besides, as in gpu/output.c */
/* This is larger than the encoded frames of 8K, and as many are kept of
 * such. */
#define HUGE_SIZE ((size_t) 210000000)
#define N_HUGE 6

static unsigned
calls (const char *function)
{
  return fake_cuda_calls_of (fake_cuda_calls, function);
}

typedef struct
{
  PacoCudaDevice *device;
  PacoCudaOutputs *outputs;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  GError *error = NULL;

  fixture->device = paco_cuda_device_open (
      0, &(PacoForeignContext){ NULL }, 1000 * PACO_DEFAULT_TIMEOUT, &error);
  g_assert_no_error (error);
  g_assert_true (paco_cuda_device_enter (fixture->device, &error));
  fixture->outputs = paco_cuda_outputs_new (fixture->device);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  FakeCudaLeft left;

  paco_cuda_outputs_close (fixture->outputs);
  fake_cuda_left (&left);
  g_assert_cmpuint (left.host_bytes, <, HUGE_SIZE);
  paco_cuda_device_leave (fixture->device);
  paco_cuda_device_close (fixture->device);
}

/* Makes a frame of as many bytes, all of which are stamp. */
static PacoEncodedFrame *
make (PacoCudaOutputs *outputs, size_t size, uint8_t stamp)
{
  const PacoAttachment none = { NULL };
  GError *error = NULL;
  PacoEncodedFrame *frame = paco_cuda_outputs_get (outputs, &error);

  g_assert_no_error (error);
  memset (frame->data, stamp, size);
  g_assert_true (paco_cuda_outputs_finish (outputs, &frame, size, &none, NULL));
  g_assert_cmpuint (frame->size, ==, size);
  return frame;
}

/* Runs a stream of which at most `most` frames are out at a time, now fewer,
 * now more. */
static void
run_stream (PacoCudaOutputs *outputs, unsigned most, unsigned n_frames)
{
  PacoEncodedFrame *out[N + MAX_SPARE + 1];
  unsigned n = 0;

  for (unsigned i = 0; i < n_frames; i++) {
    unsigned wanted = (unsigned) g_test_rand_int_range (0, (gint) most + 1);

    while (n < wanted)
      out[n++] = make (outputs, 1 + i % 100, (uint8_t) i);
    while (n > wanted) {
      unsigned at = (unsigned) g_test_rand_int_range (0, (gint) n);
      uint8_t *data = out[at]->data;

      for (size_t b = 1; b < out[at]->size; b++)
        g_assert_cmpuint (data[b], ==, data[0]);
      out[at]->release (out[at]);
      out[at] = out[--n];
    }
  }
  while (n > 0) {
    n--;
    out[n]->release (out[n]);
  }
}

/* Checks that no memory is asked for after as many frames have been out as ever
 * will be. */
static void
check_stream (PacoCudaOutputs *outputs, unsigned most)
{
  PacoEncodedFrame *out[N + MAX_SPARE];
  unsigned got, freed;

  for (unsigned i = 0; i < most; i++)
    out[i] = make (outputs, 100, (uint8_t) i);
  got = calls ("cuMemHostAlloc");
  freed = calls ("cuMemFreeHost");
  for (unsigned i = 0; i < most; i++)
    out[i]->release (out[i]);
  run_stream (outputs, most, 500);
  g_assert_cmpuint (calls ("cuMemHostAlloc"), ==, got);
  g_assert_cmpuint (calls ("cuMemFreeHost"), ==, freed);
}

/* Checks that a frame needs no memory of its own: not even something as large that is
 * allocated after it came back changes where the next one is. */
static void
check_frame_is_used_again (PacoCudaOutputs *outputs)
{
  PacoEncodedFrame *frame = make (outputs, 1, 0), *next;
  void *others[8];

  frame->release (frame);
  for (unsigned i = 0; i < G_N_ELEMENTS (others); i++)
    others[i] = g_malloc (sizeof *frame + (i + 1) * sizeof (void *));
  next = make (outputs, 1, 0);
  g_assert_true (next == frame);
  next->release (next);
  for (unsigned i = 0; i < G_N_ELEMENTS (others); i++)
    g_free (others[i]);
}

static void
test_steady (Fixture *fixture, gconstpointer data)
{
  unsigned before = calls ("cuMemHostAlloc");
  GError *error = NULL;

  paco_cuda_outputs_configure (fixture->outputs, 1000, N, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (calls ("cuMemHostAlloc") - before, ==, N);
  check_stream (fixture->outputs, N);
  check_stream (fixture->outputs, N + MAX_SPARE);
  check_frame_is_used_again (fixture->outputs);
}

/* Tests that buffers for 8K are there before the first frame as well, and
 * stay. */
static void
test_huge (Fixture *fixture, gconstpointer data)
{
  unsigned before = calls ("cuMemHostAlloc");
  GError *error = NULL;

  paco_cuda_outputs_configure (fixture->outputs, HUGE_SIZE, N_HUGE, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (calls ("cuMemHostAlloc") - before, ==, N_HUGE);
  check_stream (fixture->outputs, N_HUGE);
  check_stream (fixture->outputs, N_HUGE + 4);
}

/* Tests that an attachment comes behind the frame: into its buffer if it has
 * room there, and otherwise both move to ordinary memory. */
static void
test_attached (Fixture *fixture, gconstpointer data)
{
  static uint8_t bytes[3000];
  GError *error = NULL;

  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t) g_test_rand_int ();
  paco_cuda_outputs_configure (fixture->outputs, 1000, N, &error);
  g_assert_no_error (error);
  for (unsigned n = 0; n < 200; n++) {
    size_t size = (size_t) g_test_rand_int_range (1, 1001);
    PacoAttachment attachment = paco_attachment_of (
        bytes, (size_t) g_test_rand_int_range (1, sizeof bytes + 1));
    PacoEncodedFrame *frame = paco_cuda_outputs_get (fixture->outputs, NULL);
    uint8_t *before = frame->data;
    size_t room = frame->size;
    uint8_t stamp = (uint8_t) n;

    memset (frame->data, stamp, size);
    g_assert_true (paco_cuda_outputs_finish (
        fixture->outputs, &frame, size, &attachment, &error));
    g_assert_no_error (error);
    g_assert_cmpuint (frame->size, ==, size + attachment.size);
    g_assert_true ((frame->data == before) == (frame->size <= room));
    for (size_t i = 0; i < size; i++)
      g_assert_cmpuint (frame->data[i], ==, stamp);
    g_assert_cmpmem (
        frame->data + size, attachment.size, bytes, attachment.size);
    frame->release (frame);
  }
}

/* Tests that what is out beyond the spare ones takes no page-locked memory. */
static void
test_hoarded (Fixture *fixture, gconstpointer data)
{
  PacoEncodedFrame *out[60];
  FakeCudaLeft empty, left;
  GError *error = NULL;

  fake_cuda_left (&empty);
  paco_cuda_outputs_configure (fixture->outputs, 1000, N, &error);
  g_assert_no_error (error);
  for (unsigned i = 0; i < G_N_ELEMENTS (out); i++)
    out[i] = make (fixture->outputs, 1000, (uint8_t) i);
  fake_cuda_left (&left);
  g_assert_cmpuint (
      left.host_memory - empty.host_memory, <=, N + MAX_SPARE + 1);
  for (unsigned i = 0; i < G_N_ELEMENTS (out); i++) {
    uint8_t *bytes = out[i]->data;

    for (unsigned b = 0; b < 1000; b++)
      g_assert_cmpuint (bytes[b], ==, i);
    out[i]->release (out[i]);
  }
  fake_cuda_left (&left);
  g_assert_cmpuint (left.host_memory - empty.host_memory, <=, N + MAX_SPARE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add (
      "/cuda-output/steady", Fixture, NULL, set_up, test_steady, tear_down);
  g_test_add (
      "/cuda-output/attached", Fixture, NULL, set_up, test_attached, tear_down);
  g_test_add ("/cuda-output/huge", Fixture, NULL, set_up, test_huge, tear_down);
  g_test_add (
      "/cuda-output/hoarded", Fixture, NULL, set_up, test_hoarded, tear_down);
  return g_test_run ();
}

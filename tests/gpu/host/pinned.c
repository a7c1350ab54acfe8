/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests page-locked memory of one device that is given to coders of others,
 * over a driver of our own, which this program is linked to: it is used where it is,
 * so no coder takes memory to copy it to. The driver ends the program if a device is to
 * use memory that is not page-locked, or is that to another device only. */
#include "codec/backend.h"
#include "codec/reference/reference.h"
#include "tests/gpu/driver/fake-driver.h"
#include "tests/gpu/driver/fake-kernels.h"
#include "tests/codec/must.h"
#include "tests/codec/n-cases.h"
#include <string.h>

#define BACKEND paco_cuda_backend
#define N_DEVICES 3

static const PacoVideoInfo video = {
  .raw_format = "TEST", .par_n = 1, .par_d = 1, .fps_n = 25, .fps_d = 1
};
static const PacoSampleLayout layout = PACO_LAYOUT_PLANAR (1);

static unsigned
allocations (void)
{
  return fake_cuda_calls_of (fake_cuda_calls, "cuMemHostAlloc");
}

/* --- Memory --- */

/* This is bytes in page-locked memory, or in the heap's. */
typedef struct
{
  PacoHostMemory *pinned;
  uint8_t *data;
} Memory;

static Memory
memory_new (PacoCoder *owner, size_t size)
{
  Memory memory = { NULL };
  GError *error = NULL;

  if (owner) {
    memory.pinned = paco_coder_host_memory (owner, size, &error);
    g_assert_no_error (error);
    memory.data = memory.pinned->data;
  } else {
    memory.data = g_malloc (size);
  }
  return memory;
}

static void
memory_free (Memory memory)
{
  if (memory.pinned)
    memory.pinned->release (memory.pinned);
  else
    g_free (memory.data);
}

/* --- A picture of one component, somewhere in memory --- */

/* This is a picture that is so large that what the fake kernels code is no
 * larger. */
typedef struct
{
  PacoPictureFormat format;
  PacoPicture picture;
  Memory memory;
} Source;

static void
source_init (Source *source, PacoCoder *owner, GRand *random)
{
  unsigned width = g_rand_int_range (random, 64, 200);
  unsigned height = g_rand_int_range (random, 64, 200);
  size_t stride = width + g_rand_int_range (random, 0, 20);
  size_t offset = g_rand_int_range (random, 0, 100);

  source->format = (PacoPictureFormat){ width, height, 1, false,
    { { 8, 0, 0 } } };
  source->memory = memory_new (owner, offset + stride * height);
  source->picture = (PacoPicture){
    .data = { source->memory.data + offset },
    .stride = { stride },
    .layout = { layout },
  };
  for (unsigned y = 0; y < height; y++)
    memset (source->picture.data[0] + y * stride,
        g_rand_int_range (random, 0, 256), width);
}

static PacoEncoder *
open_encoder (int device, const PacoPictureFormat *format)
{
  const PacoBackendOptions options = { .device = device, .depth = 1 };
  const PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoEncoder *encoder = must_open_encoder (&BACKEND, &options);

  must_configure (encoder, format, &layout, &parameters);
  return encoder;
}

/* Expects what the fake kernels make of the picture, and returns how often
 * page-locked memory was allocated for it. */
static unsigned
encode (PacoEncoder *encoder, const Source *source)
{
  unsigned before = allocations (), n;
  PacoEncodedFrame *frame;
  uint8_t stamp = source->picture.data[0][0];

  must_submit (encoder, &source->picture, &video, NULL);
  frame = must_collect (encoder);
  n = allocations () - before;
  g_assert_cmpuint (frame->size, >, FAKE_PAYLOAD_SIZE (stamp));
  for (size_t i = 1; i <= FAKE_PAYLOAD_SIZE (stamp); i++)
    g_assert_cmpuint (frame->data[frame->size - i], ==, stamp);
  frame->release (frame);
  return n;
}

/* This is a frame coded by the reference, and a destination. */
typedef struct
{
  PacoCodedFrame frame;
  PacoPicture destination;
  Memory coded, samples;
} Stream;

static void
stream_init (
    Stream *stream, const Source *source, PacoCoder *coded, PacoCoder *samples)
{
  const PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  size_t stride = source->picture.stride[0];

  g_assert_true (paco_reference_encode (&source->format, &source->picture,
      &video, &parameters, NULL, bytes, NULL));
  stream->coded = memory_new (coded, bytes->len);
  memcpy (stream->coded.data, bytes->data, bytes->len);
  must_parse (&stream->frame, stream->coded.data, bytes->len);
  stream->samples = memory_new (samples, stride * source->format.height);
  stream->destination = (PacoPicture){
    .data = { stream->samples.data },
    .stride = { stride },
    .layout = { layout },
  };
}

static unsigned
decode (PacoDecoder *decoder, Stream *stream)
{
  unsigned before = allocations (), n;
  const PacoHeader *header = &stream->frame.header;
  uint8_t stamp = stream->coded.data[header->header_size + header->index_size];

  must_submit_frame (decoder, &stream->frame, &stream->destination, NULL);
  must_collect_picture (decoder);
  n = allocations () - before;
  for (unsigned y = 0; y < header->picture.height; y++)
    for (unsigned x = 0; x < header->picture.width; x++)
      g_assert_cmpuint (
          stream->samples.data[y * stream->destination.stride[0] + x], ==,
          stamp);
  return n;
}

static PacoDecoder *
open_decoder (int device, const PacoHeader *header)
{
  const PacoBackendOptions options = { .device = device, .depth = 1 };
  PacoDecoder *decoder = must_open_decoder (&BACKEND, &options);

  must_configure_decoder (decoder, header, &layout, 0);
  return decoder;
}

/* --- Tests --- */

/* Memory comes from these coders, one on each device; NULL is the heap. */
static PacoCoder *owners[N_DEVICES + 1];

static void
open_owners (void)
{
  for (int i = 0; i < N_DEVICES; i++) {
    const PacoBackendOptions options = { .device = i, .depth = 1 };
    GError *error = NULL;

    owners[i] = PACO_CODER (BACKEND.encoder_open (&options, &error));
    g_assert_no_error (error);
  }
}

static void
close_owners (void)
{
  for (int i = 0; i < N_DEVICES; i++)
    g_clear_pointer (&owners[i], paco_coder_close);
}

static PacoCoder *
any_owner (GRand *random)
{
  return owners[g_rand_int_range (random, 0, N_DEVICES + 1)];
}

static void
code_some (guint32 seed, bool count)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  for (unsigned i = 0; i < n_cases (1000); i++) {
    Source source;
    Stream stream;
    PacoEncoder *encoder;
    PacoDecoder *decoder;
    unsigned n;

    source_init (&source, any_owner (random), random);
    encoder = open_encoder (
        g_rand_int_range (random, 0, N_DEVICES), &source.format);
    n = encode (encoder, &source);
    if (count)
      g_assert_cmpuint (n, ==, source.memory.pinned ? 0 : 1);
    paco_coder_close (PACO_CODER (encoder));

    stream_init (&stream, &source, any_owner (random), any_owner (random));
    decoder = open_decoder (
        g_rand_int_range (random, 0, N_DEVICES), &stream.frame.header);
    n = decode (decoder, &stream);
    if (count)
      g_assert_cmpuint (n, ==,
          (stream.coded.pinned ? 0 : 1) + (stream.samples.pinned ? 0 : 1));
    paco_coder_close (PACO_CODER (decoder));
    memory_free (stream.coded);
    memory_free (stream.samples);
    memory_free (source.memory);
  }
}

static void
check_left (void)
{
  FakeCudaLeft left;

  fake_cuda_left (&left);
  g_assert_cmpuint (left.misuses, ==, 0);
  g_assert_cmpuint (left.contexts, ==, 0);
  g_assert_cmpuint (left.host_memory, ==, 0);
}

static void
test_any_device (void)
{
  open_owners ();
  code_some (g_test_rand_int (), true);
  close_owners ();
  check_left ();
}

static gpointer
code_in_thread (gpointer seed)
{
  code_some (GPOINTER_TO_UINT (seed), false);
  return NULL;
}

/* Tests that memory comes and goes while others look it up. */
static void
test_threads (void)
{
  GThread *threads[4];

  open_owners ();
  for (unsigned i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new (
        "coder", code_in_thread, GUINT_TO_POINTER (g_test_rand_int ()));
  for (unsigned i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  close_owners ();
  check_left ();
}

/* Tests that what has outlived its coder, and with that the device's last one,
 * is used by other devices as before. */
static void
test_outlives (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (g_test_rand_int ());
  PacoEncoder *encoder;
  Source source;

  open_owners ();
  source_init (&source, owners[2], random);
  close_owners ();
  encoder = open_encoder (0, &source.format);
  g_assert_cmpuint (encode (encoder, &source), ==, 0);
  memory_free (source.memory);
  paco_coder_close (PACO_CODER (encoder));
  check_left ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("FAKE_CUDA_DEVICES", G_STRINGIFY (N_DEVICES), TRUE);
  fake_cuda_fail (NULL);
  g_test_add_func ("/pinned/any-device", test_any_device);
  g_test_add_func ("/pinned/threads", test_threads);
  g_test_add_func ("/pinned/outlives", test_outlives);
  return g_test_run ();
}

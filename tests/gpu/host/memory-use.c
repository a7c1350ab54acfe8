/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures how much memory of the device and how much page-locked memory the CUDA
 * backend takes for a picture, and compares with gpu/NOTES.md. A driver of our own
 * (fake-driver.h), which this program is linked to, counts it. */
#include "codec/backend.h"
#include "gpu/device.h"
#include "gpu/stream.h"
#include "tests/gpu/driver/fake-driver.h"
#include "tests/codec/must.h"
#include <glib.h>

/* These are bytes for each sample of a frame in flight, with coefficients of 16
 * and of 32 bits. */
#define NARROW 12
#define WIDE 16
/* These are page-locked bytes for each sample of a frame in flight; of an
 * encoder, which has two buffers for codestreams more than it has frames in
 * flight, of all these. */
#define PINNED_DECODER 5.0
#define PINNED_ENCODER 4.0
/* This is 7680x4320 in 4:4:4 of 12 bits at the depth that elements have by
 * themselves. */
#define SAMPLES_OF_8K (G_GUINT64_CONSTANT (2) * 3 * 7680 * 4320)
#define MEMORY_FOR_8K G_GUINT64_CONSTANT (8000000000)
G_STATIC_ASSERT (SAMPLES_OF_8K *NARROW < MEMORY_FOR_8K);
/* This much is taken whatever the picture is: by probabilities, and by what
 * small buffers are rounded up to. */
#define FIXED (1 << 20)

typedef struct
{
  PacoPictureFormat format;
  unsigned depth;
  bool lossless;
  double per_sample;
} Case;

static const Case cases[] = {
  { { 1024, 1024, 1, false, { { 8, 0, 0 } } }, 1, true, NARROW },
  { { 1024, 1024, 1, false, { { 8, 0, 0 } } }, 4, false, NARROW },
  { { 1000, 601, 3, false, { { 12, 0, 0 }, { 12, 0, 0 }, { 12, 0, 0 } } }, 2,
      true, NARROW },
  { { 1000, 601, 3, true, { { 10, 0, 0 }, { 10, 1, 0 }, { 10, 1, 0 } } }, 2,
      false, NARROW },
  { { 1024, 1024, 1, false, { { 16, 0, 0 } } }, 2, true, WIDE },
};

static PacoPicture
picture_new (const PacoPictureFormat *format)
{
  PacoPicture picture = { 0 };

  for (unsigned c = 0; c < format->n_components; c++) {
    uint32_t width = paco_component_width (format, c);
    uint32_t height = paco_component_height (format, c);
    uint16_t *samples = g_new (uint16_t, (size_t) width * height);

    for (size_t i = 0; i < (size_t) width * height; i++)
      samples[i] = g_test_rand_int ()
          & ((1u << format->components[c].depth) - 1);
    picture.data[c] = (uint8_t *) samples;
    picture.stride[c] = 2 * (ptrdiff_t) width;
    picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
  }
  return picture;
}

static const PacoVideoInfo video = {
  .par_n = 1, .par_d = 1, .fps_d = 1, .interlace_mode = PACO_INTERLACE_MIXED
};

/* Codes a frame in each flight, and returns the last one's bytes. */
static GByteArray *
encode (const Case *c, PacoEncoder *encoder, const PacoPicture *picture,
    const PacoVideoInfo *info)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  GByteArray *bytes = g_byte_array_new ();

  if (c->lossless)
    parameters.rate_control = PACO_RATE_LOSSLESS;
  must_configure (encoder, &c->format, picture->layout, &parameters);
  for (unsigned i = 0; i < c->depth; i++)
    must_submit (encoder, picture, info, NULL);
  for (unsigned i = 0; i < c->depth; i++) {
    PacoEncodedFrame *frame = must_collect (encoder);

    g_byte_array_set_size (bytes, 0);
    g_byte_array_append (bytes, frame->data, frame->size);
    frame->release (frame);
  }
  return bytes;
}

static void
decode (const Case *c, PacoDecoder *decoder, const PacoPicture *picture,
    const GByteArray *bytes)
{
  PacoCodedFrame coded;

  must_parse (&coded, bytes->data, bytes->len);
  must_configure_decoder (decoder, &coded.header, picture->layout, 0);
  for (unsigned i = 0; i < c->depth; i++)
    must_submit_frame (decoder, &coded, picture, NULL);
  for (unsigned i = 0; i < c->depth; i++) {
    must_collect_picture (decoder);
  }
}

static uint64_t
memory_of (PacoCoder *coder)
{
  PacoStats stats;

  paco_coder_stats (coder, &stats);
  return stats.devices[0].memory;
}

static void
check (const Case *c, PacoCoder *coder, const char *what, double pinned)
{
  double samples = paco_picture_samples (&c->format) * c->depth;
  FakeCudaLeft left;
  PacoStats stats;

  fake_cuda_left (&left);
  paco_coder_stats (coder, &stats);
  g_assert_cmpuint (
      left.device_bytes, ==, stats.devices[0].memory + PACO_CUDA_SETS_BYTES);
  g_test_message ("%s %ux%u of %u bits, depth %u: on the device %.2f bytes a "
                  "sample in flight, page-locked %.2f",
      what, c->format.width, c->format.height, c->format.components[0].depth,
      c->depth, left.device_bytes / samples, left.host_bytes / samples);
  g_assert_cmpfloat (left.device_bytes, <=, c->per_sample * samples + FIXED);
  g_assert_cmpfloat (left.host_bytes, <=, pinned * samples + FIXED);
}

static void
test_use (gconstpointer data)
{
  const Case *c = data;
  const PacoBackendOptions options = { .device = -1, .depth = c->depth };
  PacoPicture picture = picture_new (&c->format);
  PacoEncoder *encoder = paco_cpu_backend.encoder_open (&options, NULL);
  g_autoptr (GByteArray) bytes = encode (c, encoder, &picture, &video);
  PacoDecoder *decoder;

  paco_coder_close (PACO_CODER (encoder));
  encoder = paco_cuda_backend.encoder_open (&options, NULL);
  g_byte_array_unref (encode (c, encoder, &picture, &video));
  check (c, PACO_CODER (encoder), "encode",
      (c->depth + 2.0) / c->depth * PINNED_ENCODER);
  paco_coder_close (PACO_CODER (encoder));

  decoder = paco_cuda_backend.decoder_open (&options, NULL);
  decode (c, decoder, &picture, bytes);
  check (c, PACO_CODER (decoder), "decode", PINNED_DECODER);
  paco_coder_close (PACO_CODER (decoder));

  for (unsigned i = 0; i < c->format.n_components; i++)
    g_free (picture.data[i]);
}

/* --- Attachments --- */

#define ATTACHED 300000

/* Tests that a decoder has no memory for an attachment, which it does not
 * read. */
static void
test_attachment (void)
{
  const Case *c = &cases[1];
  const PacoBackendOptions options = { .device = -1, .depth = c->depth };
  g_autofree uint8_t *attached = g_malloc0 (ATTACHED);
  PacoPicture picture = picture_new (&c->format);
  g_autoptr (PacoEncoder)
      encoder = paco_cpu_backend.encoder_open (&options, NULL);
  PacoVideoInfo attached_to = video;
  GByteArray *bytes[2];
  uint64_t memory[2];

  attached_to.attachment = paco_attachment_of (attached, ATTACHED);
  bytes[0] = encode (c, encoder, &picture, &video);
  bytes[1] = encode (c, encoder, &picture, &attached_to);
  for (unsigned i = 0; i < 2; i++) {
    g_autoptr (PacoDecoder)
        decoder = paco_cuda_backend.decoder_open (&options, NULL);

    fake_cuda_fail (NULL); /* begins to count */
    decode (c, decoder, &picture, bytes[i]);
    /* What was guessed is enough: nothing is exchanged. */
    g_assert_cmpuint (
        fake_cuda_calls_of (fake_cuda_calls, "cuMemFree_v2"), ==, 0);
    memory[i] = memory_of (PACO_CODER (decoder));
    g_byte_array_unref (bytes[i]);
  }
  g_assert_cmpuint (memory[1], ==, memory[0]);
  g_free (picture.data[0]);
}

/* --- Frames in one piece and such of two fields, in turn --- */

#define N_MIXED 40

/* Counts calls that take memory or give it back, make what is kept, or wait for
 * all. */
static unsigned
lasting_calls (void)
{
  static const char *const functions[] = { "cuMemAlloc_v2", "cuMemFree_v2",
    "cuMemHostAlloc", "cuMemFreeHost", "cuStreamCreate", "cuStreamDestroy_v2",
    "cuEventCreate", "cuEventDestroy_v2", "cuCtxSynchronize",
    "cuStreamSynchronize", NULL };
  unsigned sum = 0, n;
  const char *name;

  for (unsigned i = 0; n = fake_cuda_calls (i, &name), name; i++)
    sum += g_strv_contains (functions, name) ? n : 0;
  return sum;
}

static unsigned
graphs_made (void)
{
  return fake_cuda_calls_of (fake_cuda_calls, "cuGraphInstantiateWithFlags");
}

static unsigned
graphs_launched (void)
{
  return fake_cuda_calls_of (fake_cuda_calls, "cuGraphLaunch");
}

/* Tests that frames were launched as graphs, except for the few timed ones, and that
 * graphs were kept for later frames. */
static void
check_graphs (const Case *c, unsigned made, unsigned launched)
{
  g_assert_cmpuint (graphs_made () - made, <=, c->depth * PACO_CUDA_MAX_GRAPHS);
  g_assert_cmpuint (graphs_launched () - launched, >=, N_MIXED / 2);
}

/* Returns the form of frame n: in each flight a frame of each form comes first,
 * then any. */
static unsigned
form_of (unsigned n, unsigned depth)
{
  return n < 2 * depth ? n / depth : (unsigned) g_test_rand_bit ();
}

static void
encode_mixed (const Case *c, PacoEncoder *encoder, const PacoPicture *picture)
{
  unsigned calls = 0, made = graphs_made (), launched = graphs_launched ();

  for (unsigned n = 0; n < N_MIXED + c->depth; n++) {
    if (n >= c->depth) {
      PacoEncodedFrame *frame = must_collect (encoder);

      frame->release (frame);
    }
    if (n == 3 * c->depth)
      calls = lasting_calls ();
    if (n < N_MIXED) {
      paco_encoder_set_fields (encoder, form_of (n, c->depth));
      must_submit (encoder, picture, &video, NULL);
    }
  }
  g_assert_cmpuint (lasting_calls (), ==, calls);
  check_graphs (c, made, launched);
}

static void
decode_mixed (const Case *c, PacoDecoder *decoder, const PacoPicture *picture,
    GByteArray *const *bytes)
{
  unsigned calls = 0, made = graphs_made (), launched = graphs_launched ();
  PacoCodedFrame coded[2];

  for (unsigned i = 0; i < 2; i++) {
    must_parse (&coded[i], bytes[i]->data, bytes[i]->len);
    must_configure_decoder (decoder, &coded[i].header, picture->layout, 0);
  }
  for (unsigned n = 0; n < N_MIXED + c->depth; n++) {
    if (n >= c->depth) {
      must_collect_picture (decoder);
    }
    if (n == 3 * c->depth)
      calls = lasting_calls ();
    if (n < N_MIXED)
      must_submit_frame (decoder, &coded[form_of (n, c->depth)], picture, NULL);
  }
  g_assert_cmpuint (lasting_calls (), ==, calls);
  check_graphs (c, made, launched);
}

/* Tests that memory is that of one form, but for the tables of codeblocks and
 * what frames of one form are larger, and that once each form has been coded in
 * each flight, nothing more is taken, whatever follows. */
static void
test_mixed (void)
{
  Case c = cases[3];
  const PacoBackendOptions options = { .device = -1, .depth = c.depth };
  const PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoPicture picture = picture_new (&c.format);
  PacoEncoder *cpu = paco_cpu_backend.encoder_open (&options, NULL);
  PacoEncoder *encoder = paco_cuda_backend.encoder_open (&options, NULL);
  PacoDecoder *decoder = paco_cuda_backend.decoder_open (&options, NULL);
  GByteArray *bytes[2];
  uint64_t coded = 0, decoded = 0;

  for (unsigned i = 0; i < 2; i++) {
    c.format.fields = i;
    bytes[i] = encode (&c, cpu, &picture, &video);
    g_byte_array_unref (encode (&c, encoder, &picture, &video));
    coded = MAX (coded, memory_of (PACO_CODER (encoder)));
    if (i == 0)
      decode (&c, decoder, &picture, bytes[i]);
  }
  decoded = memory_of (PACO_CODER (decoder));
  g_assert_true (paco_encoder_configure_mixed (
      encoder, &c.format, picture.layout, &parameters, NULL));
  encode_mixed (&c, encoder, &picture);
  g_assert_cmpuint (memory_of (PACO_CODER (encoder)), <=, coded * 1.05);
  decode_mixed (&c, decoder, &picture, bytes);
  g_assert_cmpuint (memory_of (PACO_CODER (decoder)), <=, decoded * 1.05);

  paco_coder_close (PACO_CODER (cpu));
  paco_coder_close (PACO_CODER (encoder));
  paco_coder_close (PACO_CODER (decoder));
  for (unsigned i = 0; i < 2; i++)
    g_byte_array_unref (bytes[i]);
  for (unsigned i = 0; i < c.format.n_components; i++)
    g_free (picture.data[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda-memory-use/mixed", test_mixed);
  g_test_add_func ("/cuda-memory-use/attachment", test_attachment);
  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *name = g_strdup_printf ("/cuda-memory-use/%u", i);

    g_test_add_data_func (name, &cases[i], test_use);
  }
  return g_test_run ();
}

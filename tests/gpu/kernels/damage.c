/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests damaged frames on the GPU: verdict, broken blocks and pixels are the
 * same as from the CPU backend, which the reference judges elsewhere.
 *
 *   damage [--frames=N] [--large=N] [--samples=N] [--seed=S]
 *
 * frames: of pictures of up to `samples` samples a component, from 1x1 on;
 * large: of pictures up to 4K. Many frames are in flight at a time. The seed is
 * printed with the first difference, which ends the program. Status 77 where
 * there is no device, unless PACO_EMULATED is in the environment. */
#include "codec/backend.h"
#include "codec/parameters.h"
#include "tests/codec/random-damage.h"
#include "tests/codec/random-picture.h"
#include "tests/codec/must.h"
#include <stdio.h>
#include <string.h>

#define DEPTH 8
#define FRAMES_PER_CASE 24 /* without another configuration */
#define MAX_SAMPLES (1u << 26)

static gint n_frames = 20000, n_large = 200, max_samples = 3000;
static gint64 seed = -1;

static const GOptionEntry entries[] = {
  { "frames", 0, 0, G_OPTION_ARG_INT, &n_frames, "frames of small pictures",
      "N" },
  { "large", 0, 0, G_OPTION_ARG_INT, &n_large, "frames of large pictures",
      "N" },
  { "samples", 0, 0, G_OPTION_ARG_INT, &max_samples,
      "samples of a component of a small picture", "N" },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "of the random numbers", "S" },
  { NULL },
};

static const PacoBackend *const backends[2] = { &paco_cuda_backend,
  &paco_cpu_backend };

/* This is a decoder of each backend, with the same frames in flight. */
typedef struct
{
  PacoDecoder *decoders[2];
} Pair;

/* This is a damaged frame, and where each of the two decoders puts its picture.
 * bytes is NULL as long as it is not in flight. One time in two they are read from
 * page-locked memory, from where a lone frame is uploaded before its index is read. */
typedef struct
{
  GByteArray *bytes;
  PacoHostMemory *memory;
  TestPicture pictures[2];
} Frame;

static struct
{
  unsigned frames, refused, broken, unnoticed;
} counts;

static GRand *rand_;

G_GNUC_NORETURN static void
fail (const Frame *frame, const char *what)
{
  char *path = g_build_filename (g_get_tmp_dir (), "paco-damage.paco", NULL);

  fprintf (stderr, "seed %" G_GINT64_FORMAT ", frame %u: %s\n", seed,
      counts.frames, what);
  if (frame->bytes
      && g_file_set_contents (
          path, (const char *) frame->bytes->data, frame->bytes->len, NULL))
    fprintf (stderr, "The frame is in %s.\n", path);
  exit (1);
}

/* --- frames --- */

static void
frame_init (Frame *frame, const PacoPictureFormat *format, unsigned reduce)
{
  TestPicture *picture = &frame->pictures[0];

  frame->bytes = NULL;
  frame->memory = NULL;
  test_picture_init (rand_, picture, format, reduce);
  test_picture_copy (&frame->pictures[1], picture);
}

static void
frame_clear (Frame *frame)
{
  test_picture_clear (&frame->pictures[0]);
  test_picture_clear (&frame->pictures[1]);
}

/* Clears a frame that has been in flight. What a decoder that refuses a frame
 * leaves in the picture is its own affair. */
static void
frame_done (Frame *frame, bool refused)
{
  const TestPicture *from = &frame->pictures[0], *to = &frame->pictures[1];

  for (unsigned c = 0; refused && c < PACO_MAX_COMPONENTS; c++)
    if (from->buffers[c])
      memcpy (to->buffers[c], from->buffers[c], from->sizes[c]);
  g_clear_pointer (&frame->bytes, g_byte_array_unref);
  if (frame->memory)
    frame->memory->release (frame->memory);
  frame->memory = NULL;
  counts.frames++;
  counts.refused += refused;
}

/* --- what is compared --- */

static void
compare (
    const Frame *frame, const PacoDecodedFrame *a, const PacoDecodedFrame *b)
{
  const TestPicture *one = &frame->pictures[0], *other = &frame->pictures[1];

  if (!a->error != !b->error) {
    fprintf (stderr, "%s: %s\n", a->error ? "cuda" : "cpu",
        a->error ? a->error->message : b->error->message);
    fail (frame, "only one of the two decodes it");
  }
  if (a->corrupted_blocks != b->corrupted_blocks
      || a->concealed_blocks != b->concealed_blocks)
    fail (frame, "another number of broken or concealed blocks");
  for (unsigned c = 0; !a->error && c < PACO_MAX_COMPONENTS; c++)
    if (one->buffers[c]
        && memcmp (one->buffers[c], other->buffers[c], one->sizes[c]) != 0)
      fail (frame, "other pixels");
  counts.broken += a->corrupted_blocks > 0;
  counts.unnoticed += !a->error && a->corrupted_blocks == 0;
}

/* --- the two decoders --- */

static void
pair_open (Pair *pair, unsigned depth)
{
  const PacoBackendOptions options = {
    .device = -1,
    .depth = depth,
    .conceal = true,
    .timeout = 600000, /* milliseconds: emulated, or sanitized, it takes long */
  };

  for (unsigned i = 0; i < 2; i++) {
    GError *error = NULL;

    pair->decoders[i] = backends[i]->decoder_open (&options, &error);
    if (!pair->decoders[i]) {
      printf ("%s\n", error->message);
      exit (g_getenv ("PACO_EMULATED") ? 1 : 77);
    }
  }
}

static void
pair_close (Pair *pair)
{
  for (unsigned i = 0; i < 2; i++)
    paco_coder_close (PACO_CODER (pair->decoders[i]));
}

/* Collects the oldest frame of both. */
static bool
pair_collect (Pair *pair)
{
  PacoDecodedFrame results[2];
  Frame *frame;

  if (!paco_decoder_collect (pair->decoders[0], &results[0], NULL)
      || !paco_decoder_collect (pair->decoders[1], &results[1], NULL))
    return false;
  frame = results[0].user_data;
  g_assert (results[1].user_data == frame);
  compare (frame, &results[0], &results[1]);
  frame_done (frame, results[0].error != NULL);
  g_clear_error (&results[0].error);
  g_clear_error (&results[1].error);
  return true;
}

static bool
pair_configure (
    Pair *pair, const Frame *frame, const PacoHeader *header, unsigned reduce)
{
  bool done[2];

  while (pair_collect (pair)) {
  }
  for (unsigned i = 0; i < 2; i++) {
    GError *error = NULL;

    done[i] = paco_decoder_configure (pair->decoders[i], header,
        frame->pictures[i].picture.layout, reduce, &error);
    if (error && error->code != PACO_ERROR_CORRUPT
        && error->code != PACO_ERROR_UNSUPPORTED)
      fail (frame, error->message);
    g_clear_error (&error);
  }
  if (done[0] != done[1])
    fail (frame, "only one of the two can be configured for it");
  return done[0];
}

static void
pair_submit (Pair *pair, Frame *frame)
{
  PacoCodedFrame coded;
  bool done[2];

  if (!paco_coded_frame_parse (
          &coded, frame->bytes->data, frame->bytes->len, NULL)) {
    frame_done (frame, true);
    return;
  }
  if (g_rand_boolean (rand_)) {
    frame->memory = paco_coder_host_memory (
        PACO_CODER (pair->decoders[0]), frame->bytes->len, NULL);
    memcpy (frame->memory->data, frame->bytes->data, frame->bytes->len);
    coded.data = frame->memory->data;
  }
  for (unsigned i = 0; i < 2; i++)
    done[i] = paco_decoder_submit (
        pair->decoders[i], &coded, &frame->pictures[i].picture, frame, NULL);
  if (done[0] != done[1])
    fail (frame, "only one of the two takes it");
  if (!done[0])
    frame_done (frame, true);
}

/* --- a picture and what becomes of its frame --- */

static PacoEncodedFrame *
encode (PacoEncoder *encoder, const PacoPictureFormat *format)
{
  PacoParameters parameters;
  PacoEncodedFrame *frame;
  PacoVideoInfo video;
  g_auto (TestPicture) source;

  test_picture_init (rand_, &source, format, 0);
  test_picture_fill (rand_, &source);
  test_video_random (rand_, &video);
  do
    test_parameters_random (rand_, &parameters);
  while (!paco_encoder_configure (
      encoder, format, source.picture.layout, &parameters, NULL));
  if (!paco_encoder_submit (encoder, &source.picture, &video, NULL, NULL))
    g_error ("seed %" G_GINT64_FORMAT ": a picture cannot be coded", seed);
  frame = must_collect (encoder);
  return frame;
}

static uint32_t
total_samples (const PacoPictureFormat *format)
{
  uint32_t total = 0;

  for (unsigned c = 0; c < format->n_components; c++)
    total += paco_component_width (format, c)
        * paco_component_height (format, c);
  return total;
}

/* Decodes a frame that asks for another configuration. */
static void
decode_odd (
    Pair *pair, GByteArray *bytes, const PacoHeader *header, unsigned reduce)
{
  Frame frame;

  frame_init (&frame, &header->picture, reduce);
  frame.bytes = bytes;
  if (pair_configure (pair, &frame, header, reduce))
    pair_submit (pair, &frame);
  else
    frame_done (&frame, true);
  while (pair_collect (pair)) {
  }
  frame_clear (&frame);
}

/* Decodes a damaged copy of coded, which ends up in flight in `frame`, if it is
 * for decoders that are configured for original. */
static void
decode_damaged (Pair *pair, Pair *odd, Frame *frame,
    const PacoEncodedFrame *coded, const PacoHeader *original, unsigned reduce)
{
  GByteArray *bytes = g_byte_array_new ();
  PacoProbabilitySet set;
  PacoHeader header;

  g_byte_array_append (bytes, coded->data, coded->size);
  test_damage (rand_, bytes, MAX (total_samples (&original->picture), 4096));
  if (frame->bytes)
    pair_collect (pair);
  frame->bytes = bytes;
  if (!paco_header_parse (bytes->data, bytes->len, &header, &set, NULL)) {
    frame_done (frame, true);
  } else if (paco_header_same_configuration (original, &header)) {
    pair_submit (pair, frame);
  } else {
    frame->bytes = NULL;
    if (total_samples (&header.picture) <= MAX_SAMPLES)
      decode_odd (odd, bytes, &header, reduce);
    else
      g_byte_array_unref (bytes);
  }
}

/* Damages a frame in FRAMES_PER_CASE ways, n of which are in flight at a
 * time. */
static void
do_case (Pair *pair, Pair *odd, const PacoEncodedFrame *coded, unsigned n)
{
  Frame frames[DEPTH];
  PacoHeader original;
  unsigned reduce = 0;

  g_assert (
      paco_header_parse (coded->data, coded->size, &original, NULL, NULL));
  if (g_rand_boolean (rand_))
    reduce = g_rand_int_range (rand_, 0, original.coding.levels + 1);
  for (unsigned i = 0; i < n; i++)
    frame_init (&frames[i], &original.picture, reduce);
  if (!pair_configure (pair, &frames[0], &original, reduce))
    g_error ("seed %" G_GINT64_FORMAT ": a good frame is refused", seed);
  for (unsigned i = 0; i < FRAMES_PER_CASE; i++)
    decode_damaged (pair, odd, &frames[i % n], coded, &original, reduce);
  while (pair_collect (pair)) {
  }
  for (unsigned i = 0; i < n; i++)
    frame_clear (&frames[i]);
}

static void
random_large_format (PacoPictureFormat *format)
{
  test_format_random (rand_, format, 100);
  format->width = 2 * g_rand_int_range (rand_, 500, 2049);
  format->height = 2 * g_rand_int_range (rand_, 250, 1081);
  if (!format->mosaic) {
    format->width -= g_rand_int_range (rand_, 0, 2);
    format->height -= g_rand_int_range (rand_, 0, 2);
  }
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  const PacoBackendOptions options = { .device = -1, .depth = 1 };
  PacoEncoder *encoder;
  GError *error = NULL;
  Pair pair, odd;
  gint64 begin = g_get_monotonic_time ();

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    g_error ("%s", error->message);
  g_option_context_free (context);
  if (seed < 0)
    seed = g_random_int ();
  rand_ = g_rand_new_with_seed ((guint32) seed);
  pair_open (&pair, DEPTH);
  pair_open (&odd, 1);
  encoder = paco_cpu_backend.encoder_open (&options, NULL);

  while (counts.frames < (unsigned) (n_frames + n_large)) {
    bool large = counts.frames >= (unsigned) n_frames;
    PacoPictureFormat format;
    PacoEncodedFrame *coded;

    if (large)
      random_large_format (&format);
    else
      test_format_random (rand_, &format,
          g_rand_int_range (rand_, 0, 10) ? max_samples / 10 : max_samples);
    coded = encode (encoder, &format);
    do_case (&pair, &odd, coded, large ? 3 : DEPTH);
    coded->release (coded);
  }
  paco_coder_close (PACO_CODER (encoder));
  pair_close (&pair);
  pair_close (&odd);
  g_rand_free (rand_);
  printf ("seed %" G_GINT64_FORMAT ": %u damaged frames in %.1f s: %u refused, "
          "%u with broken blocks, %u not noticed\n",
      seed, counts.frames, (g_get_monotonic_time () - begin) / 1e6,
      counts.refused, counts.broken, counts.unnoticed);
  if (counts.refused == 0 || counts.broken == 0 || counts.unnoticed == 0)
    g_error ("the damage is all of one kind");
  return 0;
}

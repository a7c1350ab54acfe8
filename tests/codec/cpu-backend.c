/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The CPU backend against the reference, on random pictures, layouts and
 * parameters: the same bytes, the same pixels, the same verdict on damaged
 * frames. Every case is made from one number, printed when it fails; run with
 * --seed to repeat, and with PACO_CASES to do more. */
#include "codec/cpu/backend_private.h"
#include "codec/geometry.h"
#include "codec/reference/reference.h"
#include "random-picture.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define N_CODERS 3
static const PacoBackendOptions coder_options[N_CODERS] = {
  { .threads = 1, .depth = 1 },
  { .threads = 2, .depth = 2 },
  { .threads = 3, .depth = 3 },
};

/* Coders that live through all cases, to be configured again and again. */
typedef struct
{
  PacoEncoder *encoders[N_CODERS];
  PacoDecoder *decoders[N_CODERS];
} Coders;

static void
coders_open (Coders *coders)
{
  for (unsigned i = 0; i < N_CODERS; i++) {
    coders->encoders[i] = paco_cpu_backend.encoder_open (
        &coder_options[i], NULL);
    coders->decoders[i] = paco_cpu_backend.decoder_open (
        &coder_options[i], NULL);
    g_assert_nonnull (coders->encoders[i]);
    g_assert_nonnull (coders->decoders[i]);
  }
}

static void
coders_close (Coders *coders)
{
  for (unsigned i = 0; i < N_CODERS; i++) {
    paco_cpu_backend.encoder_close (coders->encoders[i]);
    paco_cpu_backend.decoder_close (coders->decoders[i]);
  }
}

static unsigned
n_cases (unsigned standard)
{
  const char *cases = g_getenv ("PACO_CASES");

  return cases ? (unsigned) atoi (cases) : standard;
}

/* Random instruction sets of those that this machine has. */
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

/* --- one case: a picture and its frame --- */

typedef struct
{
  guint32 seed;
  GRand *rand;
  TestPicture source;
  PacoParameters parameters;
  PacoVideoInfo video;
  GByteArray *frame; /* of the reference */
  unsigned levels;
} Case;

/* Returns FALSE for parameters that the reference refuses, too. */
static bool
case_init (Case *c, uint32_t samples)
{
  PacoPictureFormat format;

  c->seed = g_test_rand_int ();
  c->rand = g_rand_new_with_seed (c->seed);
  c->frame = g_byte_array_new ();
  test_format_random (c->rand, &format, samples);
  test_picture_init (c->rand, &c->source, &format, 0);
  test_picture_fill (c->rand, &c->source);
  test_parameters_random (c->rand, &c->parameters);
  test_video_random (c->rand, &c->video);
  c->levels = c->parameters.levels;
  return paco_reference_encode (&format, &c->source.picture, &c->video,
      &c->parameters, NULL, c->frame, NULL);
}

static void
case_clear (Case *c)
{
  test_picture_clear (&c->source);
  g_byte_array_unref (c->frame);
  g_rand_free (c->rand);
}

static gboolean
configure_encoder (const Case *c, PacoEncoder *encoder, GError **error)
{
  return paco_cpu_backend.encoder_configure (encoder, &c->source.format,
      c->source.picture.layout, &c->parameters, error);
}

static void
check_encoded (const Case *c, PacoEncodedFrame *frame)
{
  g_assert_nonnull (frame);
  g_assert_no_error (frame->error);
  if (frame->size != c->frame->len
      || memcmp (frame->data, c->frame->data, frame->size) != 0)
    g_error ("case %u: the encoders differ", c->seed);
}

static void
encode_and_check (const Case *c, PacoEncoder *encoder)
{
  PacoEncodedFrame *frame;
  GError *error = NULL;

  configure_encoder (c, encoder, &error);
  g_assert_no_error (error);
  g_assert_true (paco_cpu_backend.encoder_submit (
      encoder, &c->source.picture, &c->video, (void *) c, &error));
  frame = paco_cpu_backend.encoder_collect (encoder);
  check_encoded (c, frame);
  g_assert_true (frame->user_data == c);
  g_assert_cmpuint (
      frame->size, <=, paco_cpu_backend.encoder_max_frame_size (encoder));
  frame->release (frame);
  g_assert_null (paco_cpu_backend.encoder_collect (encoder));
}

/* --- decoding --- */

typedef struct
{
  gboolean decoded;
  uint32_t corrupted_blocks;
} Verdict;

static Verdict
decode (PacoDecoder *decoder, const uint8_t *data, size_t size, unsigned reduce,
    TestPicture *destination)
{
  PacoHeader header;
  PacoProbabilitySet set;
  PacoDecodedFrame frame = { NULL };
  Verdict verdict = { FALSE, 0 };

  if (!paco_header_parse (data, size, &header, &set, NULL)
      || !paco_cpu_backend.decoder_configure (
          decoder, &header, destination->picture.layout, reduce, NULL)
      || !paco_cpu_backend.decoder_submit (
          decoder, data, size, &destination->picture, &frame, NULL))
    return verdict;
  g_assert_true (paco_cpu_backend.decoder_collect (decoder, &frame));
  g_assert_true (frame.user_data == &frame);
  verdict.decoded = frame.error == NULL;
  verdict.corrupted_blocks = frame.corrupted_blocks;
  g_clear_error (&frame.error);
  return verdict;
}

/* The bytes are a private copy of just their size, for the sanitizers' sake. */
static Verdict
decode_and_check (const Case *c, PacoDecoder *decoder, const uint8_t *data,
    size_t size, unsigned reduce)
{
  TestPicture mine, theirs;
  uint32_t corrupted_blocks = 0;
  uint8_t *copy = g_memdup2 (data, size);
  Verdict verdict;
  gboolean decoded;

  test_picture_init (c->rand, &mine, &c->source.format, reduce);
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
  g_free (copy);
  return verdict;
}

static void
test_random (void)
{
  Coders coders;
  unsigned n_coded = 0;

  coders_open (&coders);
  while (n_coded < n_cases (2000)) {
    Case c;
    bool possible = case_init (&c, n_coded % 20 == 0 ? 40000 : 1500);
    unsigned i = g_rand_int_range (c.rand, 0, N_CODERS);
    PacoCpuOps ops = random_ops (c.rand);

    paco_cpu_encoder_set_ops (coders.encoders[i], &ops);
    paco_cpu_decoder_set_ops (coders.decoders[i], &ops);
    if (possible) {
      Verdict verdict;

      encode_and_check (&c, coders.encoders[i]);
      verdict = decode_and_check (
          &c, coders.decoders[i], c.frame->data, c.frame->len, 0);
      g_assert_true (verdict.decoded);
      g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
      if (n_coded % 4 == 0)
        decode_and_check (&c, coders.decoders[i], c.frame->data, c.frame->len,
            g_rand_int_range (c.rand, 0, c.levels + 1));
      n_coded++;
    } else {
      GError *error = NULL;

      g_assert_false (configure_encoder (&c, coders.encoders[i], &error));
      g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
      g_error_free (error);
    }
    case_clear (&c);
  }
  coders_close (&coders);
}

/* --- damage --- */

static void
put32 (uint8_t *data, uint32_t value)
{
  for (unsigned i = 0; i < 4; i++)
    data[i] = value >> (8 * i);
}

/* Makes the CRCs of header and index right again, so that what lies behind
 * them is reached. */
static void
mend (GByteArray *frame, const PacoHeader *header)
{
  uint8_t *data = frame->data;
  uint32_t index_end = header->header_size + header->index_size;

  if (frame->len >= index_end)
    put32 (
        data + 16, crc32 (0, data + header->header_size, header->index_size));
  if (frame->len >= header->header_size)
    put32 (data + header->header_size - 4,
        crc32 (0, data, header->header_size - 4));
}

static void
damage (GRand *rand, GByteArray *frame, const PacoHeader *header)
{
  uint32_t index_end = header->header_size + header->index_size;
  uint32_t begin = 0, end = frame->len;

  switch (g_rand_int_range (rand, 0, 8)) {
    case 0: /* cut */
      g_byte_array_set_size (frame, g_rand_int_range (rand, 0, frame->len));
      return;
    case 1: /* anywhere, the CRCs left wrong */
      frame->data[g_rand_int_range (rand, 0, frame->len)] ^= 1
          << g_rand_int_range (rand, 0, 8);
      return;
    case 2:
      end = header->header_size;
      break;
    case 3:
    case 4:
      begin = header->header_size;
      end = index_end;
      break;
    default:
      begin = index_end;
      break;
  }
  for (int n = g_rand_int_range (rand, 1, 6); n > 0 && begin < end; n--) {
    uint8_t *byte = &frame->data[g_rand_int_range (rand, begin, end)];

    if (g_rand_boolean (rand))
      *byte ^= 1 << g_rand_int_range (rand, 0, 8);
    else
      *byte = g_rand_int (rand);
  }
  mend (frame, header);
}

/* Whether the damaged header still says what the test has buffers for. */
static bool
same_format (const uint8_t *data, size_t size, const PacoHeader *original)
{
  PacoHeader header;

  return !paco_header_parse (data, size, &header, NULL, NULL)
      || (header.picture.width == original->picture.width
          && header.picture.height == original->picture.height
          && header.picture.fields == original->picture.fields
          && header.picture.n_components == original->picture.n_components
          && memcmp (header.picture.components, original->picture.components,
                 sizeof header.picture.components)
              == 0);
}

static void
test_damaged (void)
{
  Coders coders;
  unsigned n_refused = 0, n_broken = 0, n_unharmed = 0;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (400); n++) {
    Case c;
    PacoHeader header;
    PacoCpuOps ops;

    while (!case_init (&c, 600))
      case_clear (&c);
    ops = random_ops (c.rand);
    paco_cpu_decoder_set_ops (coders.decoders[0], &ops);
    g_assert_true (
        paco_header_parse (c.frame->data, c.frame->len, &header, NULL, NULL));
    for (unsigned i = 0; i < 10; i++) {
      GByteArray *copy = g_byte_array_new ();

      g_byte_array_append (copy, c.frame->data, c.frame->len);
      damage (c.rand, copy, &header);
      if (same_format (copy->data, copy->len, &header)) {
        Verdict verdict = decode_and_check (&c, coders.decoders[0], copy->data,
            copy->len, g_rand_int_range (c.rand, 0, c.levels + 1));

        n_refused += !verdict.decoded;
        n_broken += verdict.corrupted_blocks > 0;
        n_unharmed += verdict.decoded && verdict.corrupted_blocks == 0;
      }
      g_byte_array_unref (copy);
    }
    case_clear (&c);
  }
  coders_close (&coders);
  g_test_message ("%u refused, %u with broken blocks, %u not noticed",
      n_refused, n_broken, n_unharmed);
  g_assert_cmpuint (n_refused, >, 0);
  g_assert_cmpuint (n_broken, >, 0);
}

/* A few bytes that claim a picture of gigabytes: refused before memory for it
 * is asked for. */
static void
test_huge (void)
{
  PacoHeader header = {
    .picture = { .width = 16384, .height = 16384, .n_components = 4 },
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = { .levels = 5, .coding_passes = 1 },
  };
  PacoSampleLayout layouts[4];
  PacoDecoder *decoder = paco_cpu_backend.decoder_open (
      &coder_options[1], NULL);
  GError *error = NULL;

  for (unsigned c = 0; c < 4; c++) {
    header.picture.components[c].depth = 16;
    layouts[c] = (PacoSampleLayout){ .bytes = 2, .pixel_stride = 2 };
  }
  header.index_size = 100;
  header.frame_size = 1000;
  g_assert_false (paco_cpu_backend.decoder_configure (
      decoder, &header, layouts, 0, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
  g_clear_error (&error);
  paco_cpu_backend.decoder_close (decoder);
}

/* --- frames in flight --- */

typedef struct
{
  Case c;
  PacoEncoder *encoder;
  unsigned n_frames;
} Stream;

static void
stream_init (Stream *stream, unsigned threads, unsigned depth)
{
  PacoBackendOptions options = { .threads = threads, .depth = depth };
  GError *error = NULL;

  while (!case_init (&stream->c, 20000))
    case_clear (&stream->c);
  stream->encoder = paco_cpu_backend.encoder_open (&options, NULL);
  configure_encoder (&stream->c, stream->encoder, &error);
  g_assert_no_error (error);
}

static void
stream_clear (Stream *stream)
{
  paco_cpu_backend.encoder_close (stream->encoder);
  case_clear (&stream->c);
}

static void
stream_submit (Stream *stream, unsigned number)
{
  g_assert_true (paco_cpu_backend.encoder_submit (stream->encoder,
      &stream->c.source.picture, &stream->c.video, GUINT_TO_POINTER (number),
      NULL));
}

static gpointer
submit_all (gpointer data)
{
  Stream *stream = data;

  for (unsigned i = 1; i <= stream->n_frames; i++)
    stream_submit (stream, i);
  return NULL;
}

/* One thread puts frames in, another takes them out. */
static void
test_order (void)
{
  for (unsigned depth = 1; depth <= 8; depth++) {
    Stream stream = { .n_frames = 40 };
    GThread *thread;
    PacoStats stats;

    stream_init (&stream, 2, depth);
    thread = g_thread_new ("submit", submit_all, &stream);
    for (unsigned i = 1; i <= stream.n_frames;) {
      PacoEncodedFrame *frame = paco_cpu_backend.encoder_collect (
          stream.encoder);

      if (!frame) {
        g_thread_yield ();
        continue;
      }
      g_assert_cmpuint (GPOINTER_TO_UINT (frame->user_data), ==, i++);
      check_encoded (&stream.c, frame);
      frame->release (frame);
    }
    g_thread_join (thread);
    paco_cpu_backend.encoder_stats (stream.encoder, &stats);
    g_assert_cmpstr (stats.backend, ==, "cpu");
    g_assert_cmpuint (stats.frames, ==, stream.n_frames);
    g_assert_cmpuint (
        stats.bytes, ==, (uint64_t) stream.n_frames * stream.c.frame->len);
    stream_clear (&stream);
  }
}

static gint n_dropped;

static void
count_dropped (void *user_data)
{
  g_assert_nonnull (user_data);
  g_atomic_int_inc (&n_dropped);
}

typedef struct
{
  PacoEncoder *encoder;
  gint stop, n_collected;
} Collector;

static gpointer
collect_all (gpointer data)
{
  Collector *collector = data;

  while (!g_atomic_int_get (&collector->stop)) {
    PacoEncodedFrame *frame = paco_cpu_backend.encoder_collect (
        collector->encoder);

    if (frame) {
      g_atomic_int_inc (&collector->n_collected);
      frame->release (frame);
    }
  }
  return NULL;
}

/* Abandons from a third thread while one submits and, at times, one collects:
 * nobody is left waiting, and every frame is either collected or dropped. */
static void
test_abandon (void)
{
  for (unsigned round = 0; round < 40; round++) {
    Stream stream = { .n_frames = 30 };
    Collector collector = { 0 };
    GThread *submitter, *thread = NULL;

    n_dropped = 0;
    stream_init (&stream, 1 + round % 3, 1 + round % 4);
    collector.encoder = stream.encoder;
    submitter = g_thread_new ("submit", submit_all, &stream);
    if (round % 2)
      thread = g_thread_new ("collect", collect_all, &collector);
    while (g_atomic_int_get (&n_dropped)
            + g_atomic_int_get (&collector.n_collected)
        < (gint) stream.n_frames) {
      paco_cpu_backend.encoder_abandon (stream.encoder, count_dropped);
      g_usleep (round * 50);
    }
    g_thread_join (submitter);
    g_atomic_int_set (&collector.stop, TRUE);
    if (thread)
      g_thread_join (thread);
    paco_cpu_backend.encoder_abandon (stream.encoder, count_dropped);
    g_assert_cmpint (n_dropped + collector.n_collected, ==, stream.n_frames);

    /* and it works as before */
    stream_submit (&stream, 1);
    {
      PacoEncodedFrame *frame = paco_cpu_backend.encoder_collect (
          stream.encoder);

      check_encoded (&stream.c, frame);
      frame->release (frame);
    }
    stream_clear (&stream);
  }
}

/* Frames are released after the encoder is gone, and in any order. */
static void
test_release_late (void)
{
  Stream stream = { .n_frames = 4 };
  PacoEncodedFrame *frames[4];

  stream_init (&stream, 2, 4);
  submit_all (&stream);
  for (unsigned i = 0; i < 4; i++)
    frames[i] = paco_cpu_backend.encoder_collect (stream.encoder);
  frames[2]->release (frames[2]);
  paco_cpu_backend.encoder_close (stream.encoder);
  check_encoded (&stream.c, frames[0]);
  frames[0]->release (frames[0]);
  frames[3]->release (frames[3]);
  check_encoded (&stream.c, frames[1]);
  frames[1]->release (frames[1]);
  case_clear (&stream.c);
}

/* The quality changes between frames, with frames in flight. */
static void
test_set_rate (void)
{
  Case c;
  PacoEncoder *encoder = paco_cpu_backend.encoder_open (
      &coder_options[1], NULL);
  static const double qualities[] = { 10, 95, 95, 60, 0, 100 };

  do {
    while (!case_init (&c, 3000))
      case_clear (&c);
    if (c.parameters.rate_control == PACO_RATE_QUALITY)
      break;
    case_clear (&c);
  } while (true);
  g_assert_true (configure_encoder (&c, encoder, NULL));
  for (unsigned i = 0; i < G_N_ELEMENTS (qualities) + 1; i++) {
    PacoEncodedFrame *frame;

    if (i < G_N_ELEMENTS (qualities)) {
      paco_cpu_backend.encoder_set_rate (encoder, qualities[i], 0);
      g_assert_true (paco_cpu_backend.encoder_submit (
          encoder, &c.source.picture, &c.video, NULL, NULL));
    }
    if (i == 0)
      continue;
    c.parameters.quality = qualities[i - 1];
    g_byte_array_set_size (c.frame, 0);
    g_assert_true (paco_reference_encode (&c.source.format, &c.source.picture,
        &c.video, &c.parameters, NULL, c.frame, NULL));
    frame = paco_cpu_backend.encoder_collect (encoder);
    check_encoded (&c, frame);
    frame->release (frame);
  }
  paco_cpu_backend.encoder_close (encoder);
  case_clear (&c);
}

static void
test_decode_in_flight (void)
{
  Case c;
  PacoDecoder *decoder = paco_cpu_backend.decoder_open (
      &coder_options[2], NULL);
  TestPicture pictures[3], expected;
  PacoHeader header;
  PacoDecodedFrame frame;

  while (!case_init (&c, 20000))
    case_clear (&c);
  test_picture_init (c.rand, &expected, &c.source.format, 0);
  for (unsigned i = 0; i < 3; i++)
    test_picture_copy (&pictures[i], &expected);
  g_assert_true (paco_reference_decode (
      c.frame->data, c.frame->len, 0, &expected.picture, NULL, NULL));
  g_assert_true (
      paco_header_parse (c.frame->data, c.frame->len, &header, NULL, NULL));
  g_assert_true (paco_cpu_backend.decoder_configure (
      decoder, &header, expected.picture.layout, 0, NULL));
  for (unsigned i = 0; i < 30 + 3; i++) {
    if (i >= 3) {
      g_assert_true (paco_cpu_backend.decoder_collect (decoder, &frame));
      g_assert_no_error (frame.error);
      g_assert_true (frame.user_data == &pictures[i % 3]);
      test_picture_compare (&pictures[i % 3], &expected);
    }
    if (i < 30)
      g_assert_true (paco_cpu_backend.decoder_submit (decoder, c.frame->data,
          c.frame->len, &pictures[i % 3].picture, &pictures[i % 3], NULL));
  }
  g_assert_false (paco_cpu_backend.decoder_collect (decoder, &frame));
  paco_cpu_backend.decoder_close (decoder);
  for (unsigned i = 0; i < 3; i++)
    test_picture_clear (&pictures[i]);
  test_picture_clear (&expected);
  case_clear (&c);
}

/* A probability set carried in the frame. */
static void
test_carried_set (void)
{
  Coders coders;

  coders_open (&coders);
  for (unsigned n = 0; n < 40; n++) {
    Case c;
    PacoProbabilitySet set = paco_builtin_sets[0];
    Verdict verdict;

    while (!case_init (&c, 1000))
      case_clear (&c);
    for (unsigned i = 0; i < 300; i++)
      set.p[g_rand_int_range (c.rand, 0, PACO_N_ROWS)][g_rand_int_range (
          c.rand, 0, PACO_N_CONTEXTS)] = g_rand_int_range (c.rand, 1, 256);
    g_byte_array_set_size (c.frame, 0);
    g_assert_true (paco_reference_encode (&c.source.format, &c.source.picture,
        &c.video, &c.parameters, &set, c.frame, NULL));
    verdict = decode_and_check (
        &c, coders.decoders[n % N_CODERS], c.frame->data, c.frame->len, 0);
    g_assert_true (verdict.decoded);
    g_assert_cmpuint (verdict.corrupted_blocks, ==, 0);
    case_clear (&c);
  }
  coders_close (&coders);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/backend/random", test_random);
  g_test_add_func ("/cpu/backend/damaged", test_damaged);
  g_test_add_func ("/cpu/backend/huge", test_huge);
  g_test_add_func ("/cpu/backend/order", test_order);
  g_test_add_func ("/cpu/backend/abandon", test_abandon);
  g_test_add_func ("/cpu/backend/release-late", test_release_late);
  g_test_add_func ("/cpu/backend/set-rate", test_set_rate);
  g_test_add_func ("/cpu/backend/decode-in-flight", test_decode_in_flight);
  g_test_add_func ("/cpu/backend/carried-set", test_carried_set);
  return g_test_run ();
}

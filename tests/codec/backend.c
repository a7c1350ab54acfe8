/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A backend against the reference, on random pictures, layouts and
 * parameters: the same bytes, the same pixels, the same verdict on damaged
 * frames. Every case is made from one number, printed when it fails; run with
 * --seed to repeat, and with PACO_CASES to do more. */
#include "codec/cpu/backend_private.h"
#include "codec/geometry.h"
#include "codec/reference/reference.h"
#include "random-picture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#ifndef BACKEND
#define BACKEND paco_cpu_backend
#endif

#define N_CODERS 3
static const PacoBackendOptions coder_options[N_CODERS] = {
  { .device = -1, .threads = 1, .depth = 1 },
  { .device = -1, .threads = 2, .depth = 2 },
  { .device = -1, .threads = 3, .depth = 3 },
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
    coders->encoders[i] = BACKEND.encoder_open (&coder_options[i], NULL);
    coders->decoders[i] = BACKEND.decoder_open (&coder_options[i], NULL);
    g_assert_nonnull (coders->encoders[i]);
    g_assert_nonnull (coders->decoders[i]);
  }
}

static void
coders_close (Coders *coders)
{
  for (unsigned i = 0; i < N_CODERS; i++) {
    BACKEND.encoder_close (coders->encoders[i]);
    BACKEND.decoder_close (coders->decoders[i]);
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

/* Makes a coder use any of them, if it is the CPU's. */
static void
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

typedef struct
{
  guint32 seed;
  GRand *rand;
  TestPicture source;
  PacoParameters parameters;
  PacoVideoInfo video;
  GByteArray *frame; /* of the reference */
  unsigned levels;
  bool possible;
} Case;

/* Returns FALSE for parameters that the reference refuses, too. */
static bool
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
  test_video_random (c->rand, &c->video);
  c->levels = c->parameters.levels;
  c->possible = paco_reference_encode (&format, &c->source.picture, &c->video,
      &c->parameters, NULL, c->frame, NULL);
  return c->possible;
}

static bool
case_init (Case *c, uint32_t samples)
{
  return case_init_seeded (c, g_test_rand_int (), samples);
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
  return BACKEND.encoder_configure (encoder, &c->source.format,
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
  g_assert_true (BACKEND.encoder_submit (
      encoder, &c->source.picture, &c->video, (void *) c, &error));
  frame = BACKEND.encoder_collect (encoder);
  check_encoded (c, frame);
  g_assert_true (frame->user_data == c);
  g_assert_cmpuint (frame->size, <=, BACKEND.encoder_max_frame_size (encoder));
  frame->release (frame);
  g_assert_null (BACKEND.encoder_collect (encoder));
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
      || !BACKEND.decoder_configure (
          decoder, &header, destination->picture.layout, reduce, NULL)
      || !BACKEND.decoder_submit (
          decoder, data, size, &destination->picture, &frame, NULL))
    return verdict;
  g_assert_true (BACKEND.decoder_collect (decoder, &frame));
  g_assert_true (frame.user_data == &frame);
  verdict.decoded = frame.error == NULL;
  verdict.corrupted_blocks = frame.corrupted_blocks;
  g_clear_error (&frame.error);
  return verdict;
}

/* Memory for a decoder of c. Where components share words, whoever hands the
 * picture in has cleared them; the CPU keeps what it finds there even so. */
static void
destination_init (const Case *c, TestPicture *picture, unsigned reduce)
{
  test_picture_init (c->rand, picture, &c->source.format, reduce);
  for (unsigned i = 0; i < PACO_MAX_COMPONENTS; i++)
    if (picture->picture.layout[0].shared && picture->buffers[i]
        && strcmp (BACKEND.name, "cpu") != 0)
      memset (picture->buffers[i], 0, picture->sizes[i]);
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

    set_random_ops (c.rand, coders.encoders[i], coders.decoders[i]);
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

    while (!case_init (&c, 600))
      case_clear (&c);
    set_random_ops (c.rand, NULL, coders.decoders[0]);
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
  PacoDecoder *decoder = BACKEND.decoder_open (&coder_options[1], NULL);
  GError *error = NULL;

  for (unsigned c = 0; c < 4; c++) {
    header.picture.components[c].depth = 16;
    layouts[c] = (PacoSampleLayout){ .bytes = 2, .pixel_stride = 2 };
  }
  header.index_size = 100;
  header.frame_size = 1000;
  g_assert_false (
      BACKEND.decoder_configure (decoder, &header, layouts, 0, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_CORRUPT);
  g_clear_error (&error);
  BACKEND.decoder_close (decoder);
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
  PacoBackendOptions options = {
    .device = -1, .threads = threads, .depth = depth
  };
  GError *error = NULL;

  while (!case_init (&stream->c, 20000))
    case_clear (&stream->c);
  stream->encoder = BACKEND.encoder_open (&options, NULL);
  configure_encoder (&stream->c, stream->encoder, &error);
  g_assert_no_error (error);
}

static void
stream_clear (Stream *stream)
{
  BACKEND.encoder_close (stream->encoder);
  case_clear (&stream->c);
}

static void
stream_submit (Stream *stream, unsigned number)
{
  g_assert_true (
      BACKEND.encoder_submit (stream->encoder, &stream->c.source.picture,
          &stream->c.video, GUINT_TO_POINTER (number), NULL));
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
      PacoEncodedFrame *frame = BACKEND.encoder_collect (stream.encoder);

      if (!frame) {
        g_thread_yield ();
        continue;
      }
      g_assert_cmpuint (GPOINTER_TO_UINT (frame->user_data), ==, i++);
      check_encoded (&stream.c, frame);
      frame->release (frame);
    }
    g_thread_join (thread);
    BACKEND.encoder_stats (stream.encoder, &stats);
    g_assert_cmpstr (stats.backend, ==, BACKEND.name);
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
    PacoEncodedFrame *frame = BACKEND.encoder_collect (collector->encoder);

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
      BACKEND.encoder_abandon (stream.encoder, count_dropped);
      g_usleep (round * 50);
    }
    g_thread_join (submitter);
    g_atomic_int_set (&collector.stop, TRUE);
    if (thread)
      g_thread_join (thread);
    BACKEND.encoder_abandon (stream.encoder, count_dropped);
    g_assert_cmpint (n_dropped + collector.n_collected, ==, stream.n_frames);

    /* and it works as before */
    stream_submit (&stream, 1);
    {
      PacoEncodedFrame *frame = BACKEND.encoder_collect (stream.encoder);

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
    frames[i] = BACKEND.encoder_collect (stream.encoder);
  frames[2]->release (frames[2]);
  BACKEND.encoder_close (stream.encoder);
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
  PacoEncoder *encoder = BACKEND.encoder_open (&coder_options[1], NULL);
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
      BACKEND.encoder_set_rate (encoder, qualities[i], 0);
      g_assert_true (BACKEND.encoder_submit (
          encoder, &c.source.picture, &c.video, NULL, NULL));
    }
    if (i == 0)
      continue;
    c.parameters.quality = qualities[i - 1];
    g_byte_array_set_size (c.frame, 0);
    g_assert_true (paco_reference_encode (&c.source.format, &c.source.picture,
        &c.video, &c.parameters, NULL, c.frame, NULL));
    frame = BACKEND.encoder_collect (encoder);
    check_encoded (&c, frame);
    frame->release (frame);
  }
  BACKEND.encoder_close (encoder);
  case_clear (&c);
}

static void
test_decode_in_flight (void)
{
  Case c;
  PacoDecoder *decoder = BACKEND.decoder_open (&coder_options[2], NULL);
  TestPicture pictures[3], expected;
  PacoHeader header;
  PacoDecodedFrame frame;

  while (!case_init (&c, 20000))
    case_clear (&c);
  destination_init (&c, &expected, 0);
  for (unsigned i = 0; i < 3; i++)
    test_picture_copy (&pictures[i], &expected);
  g_assert_true (paco_reference_decode (
      c.frame->data, c.frame->len, 0, &expected.picture, NULL, NULL));
  g_assert_true (
      paco_header_parse (c.frame->data, c.frame->len, &header, NULL, NULL));
  g_assert_true (BACKEND.decoder_configure (
      decoder, &header, expected.picture.layout, 0, NULL));
  for (unsigned i = 0; i < 30 + 3; i++) {
    if (i >= 3) {
      g_assert_true (BACKEND.decoder_collect (decoder, &frame));
      g_assert_no_error (frame.error);
      g_assert_true (frame.user_data == &pictures[i % 3]);
      test_picture_compare (&pictures[i % 3], &expected);
    }
    if (i < 30)
      g_assert_true (BACKEND.decoder_submit (decoder, c.frame->data,
          c.frame->len, &pictures[i % 3].picture, &pictures[i % 3], NULL));
  }
  g_assert_false (BACKEND.decoder_collect (decoder, &frame));
  BACKEND.decoder_close (decoder);
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

/* --- memory of the backend --- */

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

  for (unsigned c = 0; c < picture->format.n_components; c++) {
    unsigned owner = picture->buffers[c] ? c : 0;
    ptrdiff_t at = picture->picture.data[c]
        - (owner == c ? picture->buffers[c] : picture->buffers[0]);
    PacoHostMemory *memory;

    if (owner == c) {
      memory = BACKEND.decoder_host_memory (decoder, picture->sizes[c], NULL);
      g_assert_nonnull (memory);
      g_assert_cmpuint (memory->size, >=, picture->sizes[c]);
      memcpy (memory->data, picture->buffers[c], picture->sizes[c]);
      g_ptr_array_add (memories, memory);
    } else {
      memory = memories->pdata[0];
    }
    picture->picture.data[c] = (uint8_t *) memory->data + at;
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

  if (!BACKEND.encoder_host_memory) {
    g_test_skip ("all memory is the same to this backend");
    return;
  }
  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (100); n++) {
    unsigned i = n % N_CODERS;
    TestPicture mine, theirs, source;
    GPtrArray *memories;
    Verdict verdict;
    Case c;

    while (!case_init (&c, 3000))
      case_clear (&c);
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

/* --- many coders at once --- */

typedef struct
{
  guint32 seed;
  bool decodes;
} Station;

static gpointer
work_at_station (gpointer data)
{
  const Station *station = data;
  const PacoBackendOptions options = { .device = -1, .threads = 2, .depth = 3 };
  PacoEncoder *encoder = BACKEND.encoder_open (&options, NULL);
  PacoDecoder *decoder = BACKEND.decoder_open (&options, NULL);

  g_assert_true (encoder && decoder);
  for (unsigned n = 0; n < 5; n++) {
    Case c;

    case_init_seeded (&c, station->seed + n, 20000);
    for (unsigned k = 0; k < 4 && c.possible; k++) {
      if (station->decodes)
        g_assert_true (
            decode_and_check (&c, decoder, c.frame->data, c.frame->len, 0)
                .decoded);
      else
        encode_and_check (&c, encoder);
    }
    case_clear (&c);
  }
  BACKEND.encoder_close (encoder);
  BACKEND.decoder_close (decoder);
  return NULL;
}

static void
test_many (void)
{
  enum
  {
    N = 8
  };
  Station stations[N];
  GThread *threads[N];

  for (unsigned i = 0; i < N; i++) {
    stations[i] = (Station){ g_test_rand_int (), i % 2 };
    threads[i] = g_thread_new ("station", work_at_station, &stations[i]);
  }
  for (unsigned i = 0; i < N; i++)
    g_thread_join (threads[i]);
}

/* Without a device there is nothing to test, which is no failure. */
static bool
is_available (void)
{
  GError *error = NULL;
  PacoEncoder *encoder = BACKEND.encoder_open (&coder_options[0], &error);

  if (encoder)
    BACKEND.encoder_close (encoder);
  else
    printf ("1..0 # SKIP %s\n", error->message);
  g_clear_error (&error);
  return encoder != NULL;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!is_available ())
    return 0;
  g_test_add_func ("/backend/random", test_random);
  g_test_add_func ("/backend/damaged", test_damaged);
  g_test_add_func ("/backend/huge", test_huge);
  g_test_add_func ("/backend/order", test_order);
  g_test_add_func ("/backend/abandon", test_abandon);
  g_test_add_func ("/backend/release-late", test_release_late);
  g_test_add_func ("/backend/set-rate", test_set_rate);
  g_test_add_func ("/backend/decode-in-flight", test_decode_in_flight);
  g_test_add_func ("/backend/carried-set", test_carried_set);
  g_test_add_func ("/backend/host-memory", test_host_memory);
  g_test_add_func ("/backend/many", test_many);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests frames in flight: their order, abandoning them, changes of the rate between
 * them, and many coders at work at once. */
#include "backend-case.h"
#include "codec/reference/reference.h"

typedef struct
{
  Case c;
  PacoEncoder *encoder;
  unsigned n_frames;
} Stream;

static void
stream_init (Stream *stream, unsigned threads, unsigned depth,
    void (*drop) (void *user_data))
{
  PacoBackendOptions options = {
    .device = -1,
    .threads = threads,
    .depth = depth,
    .timeout = PATIENCE,
    .drop = drop,
  };
  GError *error = NULL;

  case_init_possible (&stream->c, 20000);
  stream->encoder = BACKEND.encoder_open (&options, NULL);
  configure_encoder (&stream->c, stream->encoder, &error);
  g_assert_no_error (error);
}

static void
stream_clear (Stream *stream)
{
  paco_coder_close (PACO_CODER (stream->encoder));
  case_clear (&stream->c);
}

static void
stream_submit (Stream *stream, unsigned number)
{
  must_submit (stream->encoder, &stream->c.source.picture, &stream->c.video,
      GUINT_TO_POINTER (number));
}

static gpointer
submit_all (gpointer data)
{
  Stream *stream = data;

  for (unsigned i = 1; i <= stream->n_frames; i++)
    stream_submit (stream, i);
  return NULL;
}

/* Tests one thread that puts frames in, while another takes them out. */
static void
test_order (void)
{
  for (unsigned depth = 1; depth <= 8; depth++) {
    Stream stream = { .n_frames = n_cases (400) };
    GThread *thread;
    PacoStats stats;

    stream_init (&stream, 2, depth, NULL);
    thread = g_thread_new ("submit", submit_all, &stream);
    for (unsigned i = 1; i <= stream.n_frames;) {
      PacoEncodedFrame *frame = paco_encoder_collect (stream.encoder, NULL);

      if (!frame) {
        g_thread_yield ();
        continue;
      }
      g_assert_cmpuint (GPOINTER_TO_UINT (frame->user_data), ==, i++);
      check_encoded (&stream.c, frame);
      frame->release (frame);
    }
    g_thread_join (thread);
    paco_coder_stats (PACO_CODER (stream.encoder), &stats);
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
    PacoEncodedFrame *frame = paco_encoder_collect (collector->encoder, NULL);

    if (frame) {
      g_atomic_int_inc (&collector->n_collected);
      frame->release (frame);
    }
  }
  return NULL;
}

/* Tests abandoning from a third thread while one submits and, at times, one
 * collects: nobody is left waiting, and every frame is either collected or
 * dropped. */
static void
test_abandon (void)
{
  for (unsigned round = 0; round < n_cases (120); round++) {
    Stream stream = { .n_frames = 30 };
    Collector collector = { 0 };
    GThread *submitter, *thread = NULL;

    n_dropped = 0;
    stream_init (&stream, 1 + round % 3, 1 + round % 4, count_dropped);
    collector.encoder = stream.encoder;
    submitter = g_thread_new ("submit", submit_all, &stream);
    if (round % 2)
      thread = g_thread_new ("collect", collect_all, &collector);
    while (g_atomic_int_get (&n_dropped)
            + g_atomic_int_get (&collector.n_collected)
        < (gint) stream.n_frames) {
      g_assert_true (paco_coder_abandon (PACO_CODER (stream.encoder), NULL));
      g_usleep (round * 50);
    }
    g_thread_join (submitter);
    g_atomic_int_set (&collector.stop, TRUE);
    if (thread)
      g_thread_join (thread);
    g_assert_true (paco_coder_abandon (PACO_CODER (stream.encoder), NULL));
    g_assert_cmpint (n_dropped + collector.n_collected, ==, stream.n_frames);

    /* and it works as before */
    stream_submit (&stream, 1);
    {
      PacoEncodedFrame *frame = paco_encoder_collect (stream.encoder, NULL);

      check_encoded (&stream.c, frame);
      frame->release (frame);
    }
    stream_clear (&stream);
  }
}

/* Tests that frames are released after the encoder is gone, and in any
 * order. */
static void
test_release_late (void)
{
  Stream stream = { .n_frames = 4 };
  PacoEncodedFrame *frames[4];

  stream_init (&stream, 2, 4, NULL);
  submit_all (&stream);
  for (unsigned i = 0; i < 4; i++)
    frames[i] = paco_encoder_collect (stream.encoder, NULL);
  frames[2]->release (frames[2]);
  paco_coder_close (PACO_CODER (stream.encoder));
  check_encoded (&stream.c, frames[0]);
  frames[0]->release (frames[0]);
  frames[3]->release (frames[3]);
  check_encoded (&stream.c, frames[1]);
  frames[1]->release (frames[1]);
  case_clear (&stream.c);
}

/* Tests that the quality changes between frames, with frames in flight; the
 * bound of their size holds for all of them. */
static void
test_set_rate (void)
{
  Case c;
  g_autoptr (PacoEncoder)
      encoder = BACKEND.encoder_open (&coder_options[1], NULL);
  static const double qualities[] = { 10, 95, 95, 60, 0, 100 };
  size_t bound;

  do {
    case_init_possible (&c, 3000);
    if (c.parameters.rate_control == PACO_RATE_QUALITY)
      break;
    case_clear (&c);
  } while (true);
  c.parameters.quality = qualities[0];
  g_assert_true (configure_encoder (&c, encoder, NULL));
  bound = paco_encoder_max_frame_size (encoder);
  for (unsigned i = 0; i < G_N_ELEMENTS (qualities) + 1; i++) {
    PacoEncodedFrame *frame;

    if (i < G_N_ELEMENTS (qualities)) {
      paco_encoder_set_rate (encoder, qualities[i], 0, 0);
      must_submit (encoder, &c.source.picture, &c.video, NULL);
    }
    if (i == 0)
      continue;
    c.parameters.quality = qualities[i - 1];
    g_byte_array_set_size (c.frame, 0);
    g_assert_true (paco_reference_encode (&c.source.format, &c.source.picture,
        &c.video, &c.parameters, NULL, c.frame, NULL));
    frame = paco_encoder_collect (encoder, NULL);
    check_encoded (&c, frame);
    g_assert_cmpuint (frame->size, <=, bound);
    frame->release (frame);
  }
  case_clear (&c);
}

static void
test_decode_in_flight (void)
{
  g_auto (Case) c;
  PacoDecoder *decoder = BACKEND.decoder_open (&coder_options[2], NULL);
  TestPicture pictures[3], expected;
  PacoCodedFrame coded;
  PacoDecodedFrame frame;
  unsigned n_frames = n_cases (300);

  case_init_possible (&c, 20000);
  destination_init (&c, &expected, 0);
  for (unsigned i = 0; i < 3; i++)
    test_picture_copy (&pictures[i], &expected);
  g_assert_true (paco_reference_decode (
      c.frame->data, c.frame->len, 0, &expected.picture, NULL, NULL));
  must_parse (&coded, c.frame->data, c.frame->len);
  must_configure_decoder (decoder, &coded.header, expected.picture.layout, 0);
  for (unsigned i = 0; i < n_frames + 3; i++) {
    if (i >= 3) {
      frame = must_collect_picture (decoder);
      g_assert_true (frame.user_data == &pictures[i % 3]);
      test_picture_compare (&pictures[i % 3], &expected);
    }
    if (i < n_frames)
      must_submit_frame (
          decoder, &coded, &pictures[i % 3].picture, &pictures[i % 3]);
  }
  g_assert_false (paco_decoder_collect (decoder, &frame, NULL));
  paco_coder_close (PACO_CODER (decoder));
  for (unsigned i = 0; i < 3; i++)
    test_picture_clear (&pictures[i]);
  test_picture_clear (&expected);
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
  const PacoBackendOptions options = {
    .device = -1, .threads = 2, .depth = 3, .timeout = PATIENCE
  };
  g_autoptr (PacoEncoder) encoder = BACKEND.encoder_open (&options, NULL);
  g_autoptr (PacoDecoder) decoder = BACKEND.decoder_open (&options, NULL);

  g_assert_true (encoder && decoder);
  for (unsigned n = 0; n < 5; n++) {
    g_auto (Case) c;

    case_init_seeded (&c, station->seed + n, 20000);
    for (unsigned k = 0; k < 4 && c.possible; k++) {
      if (station->decodes)
        g_assert_true (
            decode_and_check (&c, decoder, c.frame->data, c.frame->len, 0)
                .decoded);
      else
        encode_and_check (&c, encoder);
    }
  }
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

void
add_flight_tests (void)
{
  g_test_add_func ("/backend/order", test_order);
  g_test_add_func ("/backend/abandon", test_abandon);
  g_test_add_func ("/backend/release-late", test_release_late);
  g_test_add_func ("/backend/set-rate", test_set_rate);
  g_test_add_func ("/backend/decode-in-flight", test_decode_in_flight);
  g_test_add_func ("/backend/many", test_many);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests how pushed bytes are cut into frames (plugin/parse/gstpacosplitter.c): the result
 * does not depend on the buffers, the work, which is counted, grows with the bytes,
 * and memory is bounded. */
#include "pacoframes.h"
#include "plugin/parse/gstpacosplitter.h"
#include <time.h>

#define N_FRAMES 8

static const PacoFrameSpec spec = PACO_FRAME_SPEC_DEFAULT;

typedef struct
{
  guint64 offset;
  gsize size;
} Found;

typedef struct
{
  GArray *frames; /* These are found. */
  guint64 checked, searched, copied;
  gsize most_held;
} Outcome;

static void
collect (GstPacoSplitter *splitter, gboolean last, guint64 *at,
    const guint8 *data, Outcome *outcome)
{
  GError *error = NULL;
  GstPacoPiece piece;

  while (gst_paco_splitter_next (splitter, last, &piece, &error)) {
    /* A fail_unless() would be a system call each time. */
    g_assert_cmpuint (piece.size, >, 0);
    g_assert_true (
        gst_buffer_memcmp (piece.buffer, 0, data + *at, piece.size) == 0);
    g_assert_true (piece.is_frame == !piece.reason);
    if (piece.is_frame)
      g_array_append_val (outcome->frames, ((Found){ *at, piece.size }));
    *at += piece.size;
    gst_buffer_unref (piece.buffer);
    g_clear_error (&piece.reason);
  }
  g_assert_no_error (error);
  outcome->most_held = MAX (outcome->most_held, splitter->capacity);
}

/* Splits a stream that comes in buffers of `chunk` bytes, 0: of random
 * sizes. */
static Outcome
split (const GByteArray *stream, gsize chunk)
{
  GstPacoSplitter splitter = { 0 };
  Outcome outcome = { g_array_new (FALSE, FALSE, sizeof (Found)) };
  guint64 at = 0;

  splitter.sync.max_wait_size = PACO_SYNC_DEFAULT_MAX_WAIT_SIZE;
  gst_paco_splitter_reset (&splitter, 0);
  for (gsize from = 0, size; from < stream->len; from += size) {
    gsize most = (gsize) 1 << g_random_int_range (0, 18);

    size = chunk ? chunk : 1 + g_random_int () % most;
    size = MIN (size, stream->len - from);
    fail_unless (gst_paco_splitter_push (
        &splitter, gst_buffer_new_memdup (stream->data + from, size)));
    collect (&splitter, FALSE, &at, stream->data, &outcome);
  }
  collect (&splitter, TRUE, &at, stream->data, &outcome);
  fail_unless_equals_uint64 (at, stream->len);
  outcome.checked = splitter.sync.checked;
  outcome.searched = splitter.sync.searched;
  outcome.copied = splitter.copied;
  gst_paco_splitter_reset (&splitter, 0);
  return outcome;
}

/* --- streams of all sorts --------------------------------------------- */

static void
append_random (GByteArray *stream, gsize size)
{
  for (gsize i = 0; i < size; i++) {
    guint8 byte = g_random_int ();

    g_byte_array_append (stream, &byte, 1);
  }
}

/* Appends a good header of a frame that claims frame_size bytes. */
static void
append_header (GByteArray *stream, guint width, guint32 frame_size)
{
  g_autoptr (GByteArray)
      frame = paco_test_frame (&(PacoFrameSpec){ 1, 1, 25, 1, 1, 1 }, 0);
  guint8 data[PACO_MAX_HEADER_SIZE];
  PacoHeader header;

  fail_unless (
      paco_header_parse (frame->data, frame->len, &header, NULL, NULL));
  header.picture.width = header.picture.height = width;
  header.frame_size = frame_size;
  g_byte_array_append (stream, data, paco_header_write (&header, data));
}

static void
append_something (GByteArray *stream, GPtrArray *frames)
{
  const GByteArray *frame = paco_test_nth (
      frames, g_random_int_range (0, N_FRAMES));
  const gchar *magics = "PACOPACPAPACO\1\0";

  switch (g_random_int_range (0, 9)) {
    case 0:
    case 1:
    case 2:
      paco_test_append (stream, frame);
      break;
    case 3: /* cut; where only a byte is missing it may pass for whole */
      g_byte_array_append (
          stream, frame->data, g_random_int_range (0, frame->len - 1));
      break;
    case 4:
      append_random (stream, g_random_int_range (0, 300));
      break;
    case 5:
      g_byte_array_append (
          stream, (const guint8 *) magics, g_random_int_range (0, 16));
      break;
    case 6: /* headers alone, which cover what follows */
      append_header (stream, 1 << g_random_int_range (4, 14),
          g_random_int_range (100, 20000));
      break;
    case 7: /* the end of a frame */
    {
      guint from = g_random_int_range (1, frame->len);

      g_byte_array_append (stream, frame->data + from, frame->len - from);
    } break;
    default: /* a damaged header */
      paco_test_append (stream, frame);
      stream->data[stream->len - frame->len + g_random_int_range (0, 70)] ^= 1
          << g_random_int_range (0, 8);
      break;
  }
}

static void
expect_same (const Outcome *a, const Outcome *b)
{
  fail_unless_equals_int (a->frames->len, b->frames->len);
  for (guint i = 0; i < a->frames->len; i++) {
    const Found *x = &g_array_index (a->frames, Found, i);
    const Found *y = &g_array_index (b->frames, Found, i);

    fail_unless_equals_uint64 (x->offset, y->offset);
    fail_unless_equals_uint64 (x->size, y->size);
  }
}

/* Tests that a frame of the stream that stands whole and in no other's bytes is
 * found. */
TEST (test_any_buffers)
{
  g_autoptr (GPtrArray) frames = paco_test_frames (&spec, N_FRAMES);
  /* A buffer for each byte is what sanitizers make slow. */
  gint rounds = g_getenv ("PACO_SANITIZE") != NULL ? 6 : 20;

  for (gint round = 0; round < rounds; round++) {
    static const gsize chunks[] = { 0, 0, 1, 2, 4096 };
    g_autoptr (GByteArray) stream = g_byte_array_new ();
    gint parts = g_random_int_range (1, 60);
    Outcome whole;

    while (parts--)
      append_something (stream, frames);
    whole = split (stream, MAX (stream->len, 1));
    for (guint i = 0; i < G_N_ELEMENTS (chunks); i++) {
      Outcome cut = split (stream, chunks[i]);

      expect_same (&whole, &cut);
      fail_unless (cut.searched <= 3 * (guint64) stream->len);
      g_array_unref (cut.frames);
    }
    g_array_unref (whole.frames);
  }
}

/* Tests a frame of which one byte is missing: the next frame begins with the
 * last byte of the cut one, which passes for whole, however much has come of
 * what follows it. */
TEST (test_a_byte_is_missing)
{
  static const gsize chunks[] = { 1, 2, 100, 4096, G_MAXUINT32 };
  g_autoptr (GPtrArray) frames = paco_test_frames (&spec, 3);
  guint cut = paco_test_nth (frames, 0)->len;

  for (guint i = 0; i < G_N_ELEMENTS (chunks); i++) {
    g_autoptr (GByteArray) stream = g_byte_array_new ();
    Outcome outcome;

    paco_test_append (stream, paco_test_nth (frames, 0));
    g_byte_array_set_size (stream, cut - 1);
    paco_test_append (stream, paco_test_nth (frames, 1));
    paco_test_append (stream, paco_test_nth (frames, 2));
    outcome = split (stream, chunks[i]);
    fail_unless_equals_int (outcome.frames->len, 2);
    fail_unless_equals_uint64 (
        g_array_index (outcome.frames, Found, 0).size, cut);
    fail_unless_equals_uint64 (g_array_index (outcome.frames, Found, 1).offset,
        stream->len - paco_test_nth (frames, 2)->len);
    g_array_unref (outcome.frames);
  }
}

/* --- work ------------------------------------------------------------- */

typedef void (*Fill) (GByteArray *stream);

static void
fill_nested (GByteArray *stream)
{
  /* Each header is good, and claims more than a megabyte. */
  append_header (stream, 16384, 1280007);
}

static void
fill_deeply_nested (GByteArray *stream)
{
  append_header (stream, 16384, 200 << 20);
}

static void
fill_frames_and_claims (GByteArray *stream)
{
  g_autoptr (GByteArray)
      frame = paco_test_frame (&(PacoFrameSpec){ 1, 1, 25, 1, 1, 1 }, 0);

  paco_test_append (stream, frame);
  append_header (stream, 16384, 100 << 20);
}

static void
fill_magics (GByteArray *stream)
{
  g_byte_array_append (stream, (const guint8 *) "PACO", 4);
}

static void
fill_letters (GByteArray *stream)
{
  g_byte_array_append (stream, (const guint8 *) "PPPPPPPP", 8);
}

/* Fills a stream with long headers of which only the CRC, that of 16 KB, is
 * wrong. */
static void
fill_long_headers (GByteArray *stream)
{
  guint8 data[] = { 'P', 'A', 'C', 'O', PACO_VERSION, 0,
    PACO_MAX_HEADER_SIZE & 0xff, PACO_MAX_HEADER_SIZE >> 8, 0, 0, 1, 0, 0, 0, 0,
    0, 0, 0, 0, 0 };

  g_byte_array_append (stream, data, sizeof data);
}

static void
fill_zeros (GByteArray *stream)
{
  static const guint8 zeros[4096];

  g_byte_array_append (stream, zeros, sizeof zeros);
}

static const struct
{
  const gchar *name;
  Fill fill;
} hostile[] = {
  { "nested", fill_nested },
  { "deeply nested", fill_deeply_nested },
  { "frames and claims", fill_frames_and_claims },
  { "magics", fill_magics },
  { "letters", fill_letters },
  { "long headers", fill_long_headers },
  { "zeros", fill_zeros },
};

/* Makes a hostile stream. Every piece is allocated, and every allocation is
 * slow with sanitizers, which get `less` times fewer. */
static GByteArray *
hostile_stream (guint i, gsize size, gsize less)
{
  g_autoptr (GByteArray) unit = g_byte_array_new ();
  GByteArray *stream = g_byte_array_new ();

  if (g_getenv ("PACO_SANITIZE") != NULL)
    size /= less;
  hostile[i].fill (unit);
  while (stream->len < size)
    paco_test_append (stream, unit);
  return stream;
}

LOOP_TEST (test_work_is_linear, G_N_ELEMENTS (hostile))
{
  static const gsize chunks[] = { 1, 100, 4096, 65536, G_MAXUINT32, 0 };
  g_autoptr (GByteArray) stream = hostile_stream (__i__, 1 << 18, 4);
  guint n_frames = 0;

  for (guint i = 0; i < G_N_ELEMENTS (chunks); i++) {
    Outcome outcome = split (stream, chunks[i]);
    gdouble bytes = stream->len;

    GST_INFO ("%s in %" G_GSIZE_FORMAT ": %u frames, checked %.2f, searched "
              "%.2f, copied %.2f of each byte",
        hostile[__i__].name, chunks[i], outcome.frames->len,
        outcome.checked / bytes, outcome.searched / bytes,
        outcome.copied / bytes);
    /* Some headers are checked whatever they cost. */
    fail_unless (outcome.checked <= 10 * bytes + 32 * PACO_MAX_HEADER_SIZE);
    fail_unless (outcome.searched <= 3 * bytes);
    fail_unless (outcome.copied <= 8 * bytes);
    fail_unless (outcome.most_held <= 2 * bytes);
    if (i == 0)
      n_frames = outcome.frames->len;
    fail_unless_equals_int (outcome.frames->len, n_frames);
    g_array_unref (outcome.frames);
  }
}

/* Tests what the base class does with the pieces, by the processor's time,
 * which other programs do not add to. It is a guard against time that grows
 * with the square, not a measurement. */
LOOP_TEST (test_element_does_not_hang, G_N_ELEMENTS (hostile))
{
  g_autoptr (GByteArray) stream = hostile_stream (__i__, 4 << 20, 16);
  g_autoptr (PacoHarness) h = gst_harness_new ("pacoparse");
  clock_t start = clock ();
  GstSegment segment;

  gst_harness_set_drop_buffers (h, TRUE);
  gst_harness_set_src_caps_str (h, "video/x-paco");
  gst_segment_init (&segment, GST_FORMAT_BYTES);
  gst_harness_push_event (h, gst_event_new_segment (&segment));
  for (gsize at = 0; at < stream->len; at += 4096)
    push (h,
        gst_buffer_new_memdup (
            stream->data + at, MIN (4096, stream->len - at)));
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless (clock () - start < 16 * CLOCKS_PER_SEC);
}

static GstPadProbeReturn
count_bytes (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  *(guint64 *) user_data += gst_buffer_get_size (
      GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_OK;
}

/* Tests that the same bytes in a file are not read over and over again. */
LOOP_TEST (test_file_is_read_in_proportion, G_N_ELEMENTS (hostile))
{
  g_autoptr (GByteArray) stream = hostile_stream (__i__, 2 << 20, 8);
  g_autoptr (TemporaryFile) path = temporary_file ();
  GstElement *pipeline = launch (
      "filesrc location=%s ! pacoparse name=parser ! fakesink", path);
  g_autoptr (GError) error = NULL;
  guint64 read = 0;

  fail_unless (g_file_set_contents (
      path, (const gchar *) stream->data, stream->len, NULL));
  add_probe (pipeline, "parser", "sink",
      GST_PAD_PROBE_TYPE_PULL | GST_PAD_PROBE_TYPE_BUFFER, count_bytes, &read);
  error = run_to_end (pipeline);
  fail_unless (read >= stream->len);
  fail_unless (read <= 150 * (guint64) stream->len,
      "%" G_GUINT64_FORMAT " bytes of %u were read", read, stream->len);
}

/* --- waiting ---------------------------------------------------------- */

/* Tests that a header that claims 2 GB is not waited for. */
TEST (test_waiting_is_bounded)
{
  GstPacoSplitter splitter = { 0 };
  g_autoptr (GByteArray) stream = g_byte_array_new ();
  Outcome outcome = { g_array_new (FALSE, FALSE, sizeof (Found)) };
  guint64 at = 0;

  append_header (stream, 16384, PACO_SYNC_DEFAULT_MAX_WAIT_SIZE + 1);
  g_byte_array_set_size (stream, 64 << 20);
  splitter.sync.max_wait_size = PACO_SYNC_DEFAULT_MAX_WAIT_SIZE;
  gst_paco_splitter_reset (&splitter, 0);
  for (gsize from = 0; from < stream->len; from += 4096) {
    gst_paco_splitter_push (
        &splitter, gst_buffer_new_memdup (stream->data + from, 4096));
    collect (&splitter, FALSE, &at, stream->data, &outcome);
  }
  fail_unless (outcome.most_held <= 2 * PACO_MAX_HEADER_SIZE);
  fail_unless_equals_uint64 (at, stream->len);
  gst_paco_splitter_reset (&splitter, 0);
  g_array_unref (outcome.frames);
}

/* Expects that n frames come out of a parser that waits for N bytes at most. */
static void
expect_with_limit (
    GPtrArray *frames, guint limit, guint n, const gchar *warning)
{
  g_autoptr (PacoHarness)
      h = paco_test_parser ("video/x-paco", GST_FORMAT_BYTES);

  gst_harness_set (h, "pacoparse", "max-wait-size", limit, NULL);
  for (guint i = 0; i < frames->len; i++) {
    const GByteArray *frame = paco_test_nth (frames, i);

    for (guint at = 0; at < frame->len; at += 50)
      push_bytes (h, frame->data + at, MIN (50, frame->len - at));
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_in_queue (h), n);
  expect_warning (h, warning);
}

TEST (test_max_wait_size)
{
  g_autoptr (GPtrArray) frames = paco_test_frames (&spec, N_FRAMES);
  guint largest = 0, smaller = 0;

  for (guint i = 0; i < N_FRAMES; i++)
    largest = MAX (largest, paco_test_nth (frames, i)->len);
  for (guint i = 0; i < N_FRAMES; i++)
    smaller += paco_test_nth (frames, i)->len < largest;
  expect_with_limit (frames, largest, N_FRAMES, NULL);
  expect_with_limit (frames, largest - 1, smaller, "max-wait-size");
}

/* --- time stamps ------------------------------------------------------ */

/* Tests that a frame has the times of the buffer in which it begins, once. */
TEST (test_time_stamps)
{
  for (gint round = 0; round < 20; round++) {
    g_autoptr (GPtrArray) frames = paco_test_frames (&spec, N_FRAMES);
    gsize chunk = g_random_int_range (1, 3000), begin = 0;
    GstPacoSplitter splitter = { 0 };
    g_autoptr (GByteArray) stream = g_byte_array_new ();
    GstClockTime last = GST_CLOCK_TIME_NONE;
    guint n = 0;

    for (guint i = 0; i < N_FRAMES; i++)
      paco_test_append (stream, paco_test_nth (frames, i));
    splitter.sync.max_wait_size = PACO_SYNC_DEFAULT_MAX_WAIT_SIZE;
    gst_paco_splitter_reset (&splitter, 0);
    for (gsize at = 0; at < stream->len; at += chunk) {
      GstBuffer *buffer = gst_buffer_new_memdup (
          stream->data + at, MIN (chunk, stream->len - at));
      GstPacoPiece piece;

      GST_BUFFER_PTS (buffer) = at;
      GST_BUFFER_DTS (buffer) = at + 1;
      gst_paco_splitter_push (&splitter, buffer);
      while (gst_paco_splitter_next (&splitter, FALSE, &piece, NULL)) {
        GstClockTime expected = begin / chunk * chunk;

        fail_unless (piece.is_frame);
        if (expected == last) {
          fail_if (GST_BUFFER_PTS_IS_VALID (piece.buffer));
        } else {
          fail_unless_equals_uint64 (GST_BUFFER_PTS (piece.buffer), expected);
          fail_unless_equals_uint64 (
              GST_BUFFER_DTS (piece.buffer), expected + 1);
        }
        last = expected;
        begin += piece.size;
        n++;
        gst_buffer_unref (piece.buffer);
      }
    }
    fail_unless_equals_int (n, N_FRAMES);
    gst_paco_splitter_reset (&splitter, 0);
  }
}

TEST_MAIN ("pacosplitter")

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests ancillary chunks: they say behind the header what they said before, those
 * that FORMAT.md forbids are refused, unknown ones are carried, and frames with a
 * budget keep it whatever they carry. */
#include "backend-case.h"
#include "codec/bytes.h"
#include "codec/frame_cut.h"
#include "codec/policy.h"
#include "codec/reference/reference.h"
#include "random-ancillary.h"
#include <string.h>
#include <zlib.h>

static GRand *
new_rand (void)
{
  return g_rand_new_with_seed (g_test_rand_int ());
}

/* Returns a header without other chunks, of a frame whose sizes do not lie. */
static PacoHeader
plain_header (void)
{
  PacoHeader header = {
    .picture = { .width = 64,
        .height = 64,
        .n_components = 1,
        .components = { { 8, 0, 0 } } },
    .video = { .par_n = 1, .par_d = 1, .fps_d = 1 },
    .coding = { .levels = 1, .coding_passes = 1 },
    .index_size = 4,
  };

  return header;
}

static size_t
write_header (PacoHeader *header, uint8_t *data)
{
  header->frame_size = (uint32_t) (paco_header_size (header) + 4);
  return paco_header_write (header, data);
}

/* --- chunks --- */

static void
test_round_trip (void)
{
  g_autoptr (GRand) rand = new_rand ();
  g_autofree uint8_t *data = g_malloc (PACO_MAX_HEADER_SIZE);

  for (int n = 0; n < 2000; n++) {
    g_autoptr (GByteArray) memory = g_byte_array_new ();
    PacoHeader header = plain_header (), parsed;
    GError *error = NULL;
    size_t size;

    test_ancillary_random (rand, memory, PACO_MAX_ANCILLARY_SIZE);
    header.video.ancillary = (PacoAncillary){ memory->data, memory->len };
    header.video.has_content_light = g_rand_boolean (rand);
    header.video.has_place = g_rand_boolean (rand);
    size = write_header (&header, data);
    g_assert_cmpuint (size, ==, paco_header_size (&header));
    paco_header_parse (data, size, &parsed, NULL, &error);
    g_assert_no_error (error);
    g_assert_true (
        parsed.video.has_content_light == header.video.has_content_light);
    g_assert_cmpuint (
        paco_ancillary_size (&parsed.video.ancillary), ==, memory->len);
    g_byte_array_set_size (memory, 0);
    g_byte_array_append (memory, data, (guint) size);
    g_assert_cmpuint (paco_header_write (&parsed, data), ==, size);
    g_assert_cmpmem (data, size, memory->data, memory->len);
  }
}

/* Tests that what is read from a chunk and written again is that chunk. */
static void
test_contents (void)
{
  g_autoptr (GRand) rand = new_rand ();

  for (int n = 0; n < 5000; n++) {
    g_autoptr (GByteArray) memory = g_byte_array_new ();
    uint8_t again[20000];
    PacoAncillaryWriter writer = { .data = again, .capacity = sizeof again };
    PacoAncillary chunks;
    PacoChunk chunk;
    const char *reason;

    test_ancillary_random_chunk (rand, memory,
        g_rand_int_range (
            rand, PACO_ANCILLARY_FIRST, PACO_ANCILLARY_REFERENCE_TIME + 1));
    chunks = (PacoAncillary){ memory->data, memory->len };
    g_assert_true (paco_ancillary_check (&chunks, &reason));
    g_assert_true (paco_ancillary_next (&chunks, &chunk));
    g_assert_true (test_ancillary_write_again (&writer, &chunk));
    g_assert_cmpmem (again, writer.size, memory->data, memory->len);
    /* Where a byte of the room that it takes is missing it is not there. */
    writer = (PacoAncillaryWriter){ .data = again,
      .capacity = (size_t) g_rand_int_range (rand, 0, (int) memory->len) };
    g_assert_false (test_ancillary_write_again (&writer, &chunk));
    g_assert_cmpuint (writer.size, ==, 0);
  }
}

/* Tests that bytes that FORMAT.md describes are read as it says. */
static void
test_bytes (void)
{
  static const uint8_t timecode_bytes[] = { 9, 0, 29, 0, 0x30, 0x75, 0, 0, 0xe9,
    3, 0, 0, 29, 0, 0, 0, 23, 59, 58, 2, 3, 0x40, 0x42, 0x0f, 0, 0, 0, 0, 0,
    0xf0, 0xf1, 0xff, 0xff };
  static const uint8_t area_bytes[] = { 10, 0, 49, 0, 255, 255, 255, 255, 7, 0,
    0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 4, 'f', 'a', 'c', 'e',
    1, 3, 'q', '/', 'p', 2, 1, 'd', 2, 251, 255, 255, 255, 1, 't', 8, 2, 0, 'o',
    'k' };
  PacoAncillary chunks = { timecode_bytes, sizeof timecode_bytes };
  char name[PACO_MAX_NAME + 1];
  PacoAreaOfInterest area;
  PacoTimecode timecode;
  PacoValues values;
  const char *reason;
  PacoValue value;
  PacoChunk chunk;

  g_assert_true (paco_ancillary_check (&chunks, &reason));
  g_assert_true (paco_ancillary_next (&chunks, &chunk));
  paco_chunk_timecode (&chunk, &timecode);
  g_assert_cmpuint (timecode.fps_n, ==, 30000);
  g_assert_cmpuint (timecode.fps_d, ==, 1001);
  g_assert_cmpuint (timecode.frames, ==, 29);
  g_assert_cmpuint (timecode.hours, ==, 23);
  g_assert_cmpuint (timecode.minutes, ==, 59);
  g_assert_cmpuint (timecode.seconds, ==, 58);
  g_assert_cmpuint (timecode.field_count, ==, 2);
  g_assert_cmpuint (
      timecode.flags, ==, PACO_TIMECODE_DROP_FRAME | PACO_TIMECODE_INTERLACED);
  g_assert_cmpint (timecode.daily_jam, ==, 1000000);
  g_assert_cmpint (timecode.daily_jam_offset, ==, -3600);

  chunks = (PacoAncillary){ area_bytes, sizeof area_bytes };
  g_assert_true (paco_ancillary_check (&chunks, &reason));
  g_assert_true (paco_ancillary_next (&chunks, &chunk));
  paco_chunk_area (&chunk, &area, &values);
  g_assert_cmpint (area.id, ==, -1);
  g_assert_cmpint (area.parent_id, ==, 7);
  g_assert_cmpuint (area.x, ==, 1);
  g_assert_cmpuint (area.y, ==, 2);
  g_assert_cmpuint (area.width, ==, 3);
  g_assert_cmpuint (area.height, ==, 4);
  g_assert_cmpmem (area.type, area.type_length, "face", 4);
  g_assert_true (paco_values_next_list (&values, name));
  g_assert_cmpstr (name, ==, "q/p");
  g_assert_true (paco_values_next (&values, &value));
  g_assert_cmpstr (value.name, ==, "d");
  g_assert_cmpint (value.integer, ==, -5);
  g_assert_true (paco_values_next (&values, &value));
  g_assert_cmpmem (value.text.data, value.text.length, "ok", 2);
  g_assert_false (paco_values_next (&values, &value));
  g_assert_false (paco_values_next_list (&values, name));
}

/* Tests what is a name, and how many values a list has. */
static void
test_names (void)
{
  uint8_t data[4096];
  PacoAncillaryWriter writer = { .data = data, .capacity = sizeof data };
  const PacoReferenceTime time = { 1, 2 };
  PacoValue value = { .name = "v", .type = PACO_VALUE_BOOLEAN };

  g_assert_true (paco_is_name ("timestamp/x-unix", 16));
  g_assert_false (paco_is_name ("", 0));
  g_assert_false (paco_is_name ("1st", 3));
  g_assert_false (paco_is_name ("a b", 3));
  g_assert_false (paco_is_name ("\xc3\xa9", 2));
  paco_ancillary_begin_reference_time (&writer, &time);
  g_assert_true (paco_ancillary_add_list (&writer, "a"));
  for (int n = 0; n < 255; n++)
    g_assert_true (paco_ancillary_add_value (&writer, &value));
  g_assert_false (paco_ancillary_add_value (&writer, &value));
  g_assert_true (paco_ancillary_end (&writer));
}

/* --- what is refused --- */

/* Puts the chunk into a header and parses that. */
static gboolean
is_accepted (const void *chunk, size_t size)
{
  PacoHeader header = plain_header (), parsed;
  g_autofree uint8_t *data = g_malloc (PACO_MAX_HEADER_SIZE + size);
  size_t header_size = write_header (&header, data), at = header_size - 4;
  GError *error = NULL;
  gboolean accepted;

  memcpy (data + at, chunk, size);
  header_size += size;
  paco_put16 (data + 6, (uint16_t) header_size);
  paco_put32 (data + 8, (uint32_t) header_size + 4);
  paco_put32 (data + header_size - 4, crc32 (0, data, header_size - 4));
  accepted = paco_header_parse (data, header_size, &parsed, NULL, &error);
  if (accepted) {
    PacoAncillary rest = parsed.video.ancillary;
    PacoChunk found;

    while (paco_ancillary_next (&rest, &found))
      if (found.type <= PACO_ANCILLARY_REFERENCE_TIME) {
        g_autofree uint8_t *again = g_malloc (PACO_MAX_ANCILLARY_SIZE);
        PacoAncillaryWriter writer = { .data = again,
          .capacity = PACO_MAX_ANCILLARY_SIZE };

        if (found.type != PACO_ANCILLARY_ACTIVE_FORMAT || found.data[0] <= 2)
          g_assert_true (test_ancillary_write_again (&writer, &found));
      }
  } else {
    g_assert_true (g_error_matches (error, PACO_ERROR, PACO_ERROR_CORRUPT)
        || g_error_matches (error, PACO_ERROR, PACO_ERROR_VERSION));
    g_assert_cmpuint (strlen (error->message), >, 20);
    g_clear_error (&error);
  }
  return accepted;
}

static void
test_refusals (void)
{
  static const struct
  {
    uint8_t chunk[40];
    size_t size;
    bool good;
  } cases[] = {
    { { 7, 0, 1, 0, 1 }, 5, false },    /* a caption without bytes */
    { { 7, 0, 2, 0, 99, 1 }, 6, true }, /* of an unknown kind */
    { { 8, 0, 4, 0, 0, 0, 1, 9 }, 8, true },
    { { 8, 0, 5, 0, 0, 0, 1, 9, 0 }, 9, false },
    { { 8, 0, 4, 0, 1, 0, 1, 9 }, 8, false }, /* bars that are too short */
    { { 8, 0, 1, 0, 3 }, 5, true },           /* an unknown kind */
    { { 8, 0, 4, 0, 0, 1, 3, 15 }, 8, true }, /* an unknown standard */
    { { 8, 0, 4, 0, 0, 2, 1, 9 }, 8, false }, /* there is no third field */
    { { 8, 0, 4, 0, 0, 0, 1, 16 }, 8, false },
    { { 8, 0, 10, 0, 2, 1, 255, 255, 255, 255, 0, 0, 0, 0 }, 14, true },
    { { 8, 0, 10, 0, 1, 2, 1, 0, 0, 0, 9, 0, 0, 0 }, 14, false },
    { { 8, 0, 10, 0, 2, 255, 1, 0, 0, 0, 9, 0, 0, 0 }, 14, false },
    /* These are a rate of 2^31 frames a second, and one frame in 2^31
     * seconds. */
    { { 9, 0, 17, 0, 0, 0, 0, 128, 1, 0, 0, 0, 24, 0, 0, 0, 23, 59, 59, 0, 0 },
        21, false },
    { { 9, 0, 17, 0, 1, 0, 0, 0, 0, 0, 0, 128, 24, 0, 0, 0, 23, 59, 59, 0, 0 },
        21, false },
    /* This is 1970-01-01, where local time is a day ahead. */
    { { 9, 0, 29, 0, 25, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 23, 59, 59, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0x80, 0x51, 1, 0 },
        33, false },
    { { 9, 0, 29, 0, 25, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 23, 59, 59, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0x7f, 0x51, 1, 0 },
        33, true },
    /* These are the numerators -2^31 and -2^31 + 1. */
    { { 11, 0, 31, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 'a',
          1, 1, 'b', 7, 0, 0, 0, 128, 1, 0, 0, 0 },
        35, false },
    { { 11, 0, 31, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 'a',
          1, 1, 'b', 7, 1, 0, 0, 128, 1, 0, 0, 0 },
        35, true },
    { { 8, 0, 0, 0 }, 4, false },
    { { 9, 0, 17, 0, 25, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 23, 59, 59, 0, 0 },
        21, true },
    { { 9, 0, 17, 0, 25, 0, 0, 0, 0, 0, 0, 0, 24, 0, 0, 0, 23, 59, 59, 0, 0 },
        21, false },
    { { 9, 0, 17, 0, 25, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 24, 59, 59, 0, 0 },
        21, false },
    { { 9, 0, 17, 0, 25, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 23, 60, 59, 0, 0 },
        21, false },
    { { 9, 0, 17, 0, 25, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 23, 59, 60, 0, 0 },
        21, false },
    { { 9, 0, 17, 0, 25, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 23, 59, 59, 3, 0 },
        21, false },
    { { 9, 0, 18, 0, 25, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 23, 59, 59, 0, 0,
          0 },
        22, false },
    /* This is a daily jam before the year 1. */
    { { 9, 0, 29, 0, 25, 0, 0, 0, 1, 0, 0, 0, 24, 0, 0, 0, 23, 59, 59, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 128, 0, 0, 0, 0 },
        33, false },
    { { 255, 0, 0, 0 }, 4, true },
    { { 12, 0, 3, 0, 1, 2, 3 }, 7, true },
    { { 12, 0, 4, 0, 1, 2, 3 }, 7, false }, /* longer than the header */
    { { 12, 0, 3 }, 3, false },
    { { 0, 1, 0, 0 }, 4, false }, /* 256 is not ancillary */
    { { 0, 0, 0, 0 }, 4, false },
    { { 255, 255, 0, 0 }, 4, false },
  };

  for (size_t i = 0; i < G_N_ELEMENTS (cases); i++)
    if (is_accepted (cases[i].chunk, cases[i].size) != cases[i].good)
      g_error ("case %zu, a chunk of type %u", i, cases[i].chunk[0]);
}

/* Tests that chunks whose bytes were changed or cut are refused, or are others
 * that are good. */
static void
test_forged (void)
{
  g_autoptr (GRand) rand = new_rand ();
  unsigned accepted = 0, refused = 0;

  for (int n = 0; n < 20000; n++) {
    g_autoptr (GByteArray) memory = g_byte_array_new ();
    guint size;

    test_ancillary_random_chunk (rand, memory,
        g_rand_int_range (
            rand, PACO_ANCILLARY_FIRST, PACO_ANCILLARY_REFERENCE_TIME + 1));
    size = memory->len;
    for (int k = g_rand_int_range (rand, 1, 4); k > 0; k--)
      memory->data[g_rand_int_range (rand, 2, (int) size)] =
          (uint8_t) g_rand_int (rand);
    if (g_rand_int_range (rand, 0, 4) == 0) {
      size = (guint) g_rand_int_range (rand, PACO_CHUNK_HEAD, (int) size + 1);
      paco_put16 (memory->data + 2, (uint16_t) (size - PACO_CHUNK_HEAD));
    }
    *(is_accepted (memory->data, size) ? &accepted : &refused) += 1;
  }
  g_assert_cmpuint (accepted, >, 100);
  g_assert_cmpuint (refused, >, 100);
}

/* Tests that all of them together have a limit, and that a header that is as
 * long as one can be is one. */
static void
test_limit (void)
{
  g_autofree uint8_t *chunks = g_malloc0 (PACO_MAX_ANCILLARY_SIZE + 1);
  PacoHeader header = plain_header ();
  GError *error = NULL;

  chunks[0] = 200;
  paco_put16 (chunks + 2, PACO_MAX_ANCILLARY_SIZE - PACO_CHUNK_HEAD);
  g_assert_true (is_accepted (chunks, PACO_MAX_ANCILLARY_SIZE));
  paco_put16 (chunks + 2, PACO_MAX_ANCILLARY_SIZE - PACO_CHUNK_HEAD + 1);
  g_assert_false (is_accepted (chunks, PACO_MAX_ANCILLARY_SIZE + 1));
  header.video.ancillary = (PacoAncillary){ chunks,
    PACO_MAX_ANCILLARY_SIZE + 1 };
  g_assert_false (paco_header_check (&header, &error));
  g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "32768 bytes"));
  g_clear_error (&error);
  G_STATIC_ASSERT (PACO_MAX_HEADER_SIZE <= UINT16_MAX);
}

/* --- frames --- */

enum
{
  N_FRAMES = 2 * PACO_RATE_DISTANCE + 3,
};

typedef struct
{
  Case c;
  GByteArray *ancillary[N_FRAMES];
  PacoRateHistory histories[N_FRAMES];
} Sequence;

static PacoVideoInfo
video_of (const Sequence *sequence, unsigned i)
{
  PacoVideoInfo video = sequence->c.video;

  video.ancillary = (PacoAncillary){ sequence->ancillary[i]->data,
    sequence->ancillary[i]->len };
  return video;
}

static void
collect (Sequence *sequence, PacoEncoder *encoder, unsigned i)
{
  Case *c = &sequence->c;
  PacoEncodedFrame *frame = paco_encoder_collect (encoder, NULL);
  PacoVideoInfo video = video_of (sequence, i);
  PacoHeader header;
  GError *error = NULL;

  g_byte_array_set_size (c->frame, 0);
  paco_reference_encode_after (&c->source.format, &c->source.picture, &video,
      &c->parameters, NULL,
      i == 0
          ? NULL
          : &sequence->histories[i > PACO_RATE_DISTANCE ? i - PACO_RATE_DISTANCE
                                                        : 0],
      &sequence->histories[i], c->frame, &error);
  g_assert_no_error (error);
  check_encoded (c, frame);
  g_assert_cmpuint (frame->size, <=, paco_encoder_max_frame_size (encoder));
  if (c->parameters.frame_size > 0)
    g_assert_cmpuint (frame->size, <=, c->parameters.frame_size);
  g_assert_true (
      paco_header_parse (frame->data, frame->size, &header, NULL, NULL));
  g_assert_cmpuint (
      paco_ancillary_size (&header.video.ancillary), ==, video.ancillary.size);
  frame->release (frame);
}

/* Tests that frames of one stream carry more and less; with a budget none is
 * larger, and one for which there is no room is refused. */
static void
test_frames (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (24); n++) {
    PacoEncoder *encoder = coders.encoders[n % N_CODERS];
    Sequence sequence;
    Case *c = &sequence.c;
    unsigned done = 0;
    GError *error = NULL;
    size_t most;

    case_init_possible (c, g_test_rand_int_range (1, 3000));
    c->video.attachment = (PacoAttachment){ NULL };
    if (n % 3 > 0)
      case_set_budget (c);
    if (n % 3 > 1)
      c->parameters.frame_size += PACO_MAX_ANCILLARY_SIZE / 8;
    configure_encoder (c, encoder, &error);
    g_assert_no_error (error);
    most = paco_encoder_max_ancillary (encoder);
    g_assert_cmpuint (most, <=, PACO_MAX_ANCILLARY_SIZE);
    for (unsigned i = 0; i < N_FRAMES; i++) {
      PacoVideoInfo video;

      sequence.ancillary[i] = g_byte_array_new ();
      test_ancillary_random (c->rand, sequence.ancillary[i], most);
      video = video_of (&sequence, i);
      must_submit (encoder, &c->source.picture, &video, NULL);
      while (i + 1 - done >= paco_coder_depth (PACO_CODER (encoder)))
        collect (&sequence, encoder, done++);
    }
    while (done < N_FRAMES)
      collect (&sequence, encoder, done++);
    for (unsigned i = 0; i < N_FRAMES; i++)
      g_byte_array_unref (sequence.ancillary[i]);
    case_clear (c);
  }
}

static void
test_no_room (void)
{
  g_auto (Coders) coders;

  coders_open (&coders);
  for (unsigned n = 0; n < n_cases (20); n++) {
    PacoEncoder *encoder = coders.encoders[n % N_CODERS];
    g_autofree uint8_t *chunk = g_malloc0 (PACO_MAX_ANCILLARY_SIZE + 1);
    PacoEncodedFrame *frame;
    GError *error = NULL;
    size_t most;
    Case c;

    case_init_possible (&c, g_test_rand_int_range (1, 1000));
    c.video.attachment = (PacoAttachment){ NULL };
    case_set_budget (&c);
    configure_encoder (&c, encoder, &error);
    g_assert_no_error (error);
    most = paco_encoder_max_ancillary (encoder);
    chunk[0] = 255;
    for (size_t size = most + 1; size + 1 > most; size--) {
      if (size < PACO_CHUNK_HEAD)
        break;
      paco_put16 (chunk + 2, (uint16_t) (size - PACO_CHUNK_HEAD));
      c.video.ancillary = (PacoAncillary){ chunk, size };
      g_assert_true (paco_encoder_submit (
                         encoder, &c.source.picture, &c.video, NULL, &error)
          == (size <= most));
    }
    if (most + 1 < PACO_CHUNK_HEAD) {
      case_clear (&c);
      continue;
    }
    g_assert_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED);
    g_clear_error (&error);
    if (most >= PACO_CHUNK_HEAD) {
      frame = paco_encoder_collect (encoder, NULL);
      g_assert_cmpuint (frame->size, <=, c.parameters.frame_size);
      frame->release (frame);
    }
    c.video.ancillary = (PacoAncillary){ NULL, 0 };
    case_clear (&c);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!coders_are_available ())
    return 0;
  g_test_add_func ("/ancillary/round-trip", test_round_trip);
  g_test_add_func ("/ancillary/contents", test_contents);
  g_test_add_func ("/ancillary/bytes", test_bytes);
  g_test_add_func ("/ancillary/names", test_names);
  g_test_add_func ("/ancillary/refusals", test_refusals);
  g_test_add_func ("/ancillary/forged", test_forged);
  g_test_add_func ("/ancillary/limit", test_limit);
  g_test_add_func ("/ancillary/frames/sizes", test_frames);
  g_test_add_func ("/ancillary/frames/no-room", test_no_room);
  return g_test_run ();
}

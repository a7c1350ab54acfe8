/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what pacoparse says of frames that are missing: it reports each gap in a
 * stream, whether it was cut out or damaged, and nothing else, even if streams were
 * joined, begin in the middle, or are played from elsewhere. */
#include "pacoframes.h"

#define N_FRAMES 40

typedef struct
{
  guint first, count;
  gboolean lost;
} Gap;

/* Makes frames with the places that an encoder gives them. */
static GPtrArray *
numbered_frames (guint n)
{
  const PacoFrameSpec spec = { .width = 48,
    .height = 32,
    .fps_n = 30,
    .fps_d = 1,
    .par_n = 1,
    .par_d = 1,
    .has_place = TRUE };
  GPtrArray *frames = paco_test_frames (&spec, n);
  PacoPlace place = { 0, 0 };

  for (guint i = 0; i < n; i++) {
    GByteArray *frame = paco_test_nth (frames, i);

    fail_unless (paco_header_set_place (frame->data, frame->len, &place));
    place.number++;
    place.offset += frame->len;
  }
  return frames;
}

/* --- ways into the parser --------------------------------------------- */

/* Takes what the parser tells of gaps from the bus. */
static GArray *
take_gaps (GstBus *bus, guint *n_infos, guint *n_warnings)
{
  GArray *gaps = g_array_new (FALSE, FALSE, sizeof (Gap));
  GstMessage *message;

  *n_infos = *n_warnings = 0;
  while ((message = gst_bus_pop (bus))) {
    const GstStructure *s = gst_message_get_structure (message);

    *n_infos += GST_MESSAGE_TYPE (message) == GST_MESSAGE_INFO;
    *n_warnings += GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;
    fail_if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR);
    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ELEMENT
        && gst_structure_has_name (s, "paco-missing-frames")) {
      GstClockTime time;
      guint64 bytes, offset;
      Gap gap;

      fail_unless (gst_structure_get (s, "first", G_TYPE_UINT, &gap.first,
          "count", G_TYPE_UINT, &gap.count, "lost", G_TYPE_BOOLEAN, &gap.lost,
          "bytes", G_TYPE_UINT64, &bytes, "offset", G_TYPE_UINT64, &offset,
          "timestamp", GST_TYPE_CLOCK_TIME, &time, NULL));
      g_array_append_val (gaps, gap);
    }
    gst_message_unref (message);
  }
  return gaps;
}

typedef enum
{
  PUSHED, /* bytes, in pieces of any size */
  FRAMED, /* a frame in each buffer, as a demuxer gives them */
  PULLED, /* from a file */
  N_WAYS,
} Way;

/* This is what goes into pacoparse, in pieces each of which is a frame or not,
 * and what comes of it. */
typedef struct
{
  GPtrArray *pieces;
  GArray *gaps;
  guint n_infos, n_warnings;
  GstStructure *stats;
  guint n_frames, n_discont;
} Run;

static void
run_init (Run *run)
{
  *run = (Run){ .pieces = g_ptr_array_new () };
}

static void
run_clear (Run *run)
{
  g_ptr_array_unref (run->pieces);
  g_array_unref (run->gaps);
  gst_structure_free (run->stats);
}

static GByteArray *
whole (const Run *run)
{
  GByteArray *stream = g_byte_array_new ();

  for (guint i = 0; i < run->pieces->len; i++)
    paco_test_append (stream, paco_test_nth (run->pieces, i));
  return stream;
}

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Run *run = user_data;

  run->n_discont += run->n_frames > 0 && GST_BUFFER_IS_DISCONT (info->data);
  run->n_frames++;
  return GST_PAD_PROBE_OK;
}

#define FRAMED_CAPS "video/x-paco,parsed=true,alignment=frame"

static void
push_pieces (Run *run, gboolean framed)
{
  g_autoptr (PacoHarness)
      h = paco_test_parser (framed ? FRAMED_CAPS : "video/x-paco",
          framed ? GST_FORMAT_TIME : GST_FORMAT_BYTES);
  g_autoptr (GByteArray) stream = whole (run);
  guint at = 0;

  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_BUFFER, count, run, NULL);
  for (guint i = 0; at < stream->len; i++) {
    guint size = framed ? paco_test_nth (run->pieces, i)->len
                        : (guint) g_random_int_range (1, 2000);
    GstBuffer *buffer;

    size = MIN (size, stream->len - at);
    buffer = gst_buffer_new_memdup (stream->data + at, size);
    if (framed)
      GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
    push (h, buffer);
    at += size;
  }
  gst_harness_push_event (h, gst_event_new_eos ());
  run->gaps = take_gaps (
      GST_ELEMENT_BUS (h->element), &run->n_infos, &run->n_warnings);
  run->stats = stats_of (h, "pacoparse");
}

static GstElement *
play (Run *run, const gchar *path)
{
  GstElement *pipeline = launch (
      "filesrc location=%s ! pacoparse name=parse ! fakesink", path);

  add_probe (pipeline, "parse", "src", GST_PAD_PROBE_TYPE_BUFFER, count, run);
  return pipeline;
}

/* Waits for the end, and takes what was said before. */
static void
finish (Run *run, GstElement *pipeline)
{
  g_autoptr (GstElement)
      parser = gst_bin_get_by_name (GST_BIN (pipeline), "parse");
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstBus) copies = gst_bus_new ();
  gboolean done = FALSE;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!done) {
    GstMessage *message = gst_bus_timed_pop (bus, TIME_LIMIT);

    fail_unless (message != NULL);
    done = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
    gst_bus_post (copies, message);
  }
  run->gaps = take_gaps (copies, &run->n_infos, &run->n_warnings);
  g_object_get (parser, "stats", &run->stats, NULL);
  stop_pipeline (pipeline);
}

static gchar *
store (const Run *run)
{
  gchar *path = temporary_file ();
  g_autoptr (GByteArray) stream = whole (run);

  fail_unless (
      g_file_set_contents (path, (gchar *) stream->data, stream->len, NULL));
  return path;
}

static void
parse (Run *run, Way way)
{
  g_autoptr (TemporaryFile) path = NULL;

  if (way == PULLED) {
    path = store (run);
    finish (run, play (run, path));
  } else {
    push_pieces (run, way == FRAMED);
  }
}

static guint64
number_of (const Run *run, const gchar *field)
{
  guint64 value = G_MAXUINT64;

  fail_unless (gst_structure_get_uint64 (run->stats, field, &value));
  return value;
}

/* Checks that it was told of these gaps and no others. */
static void
expect_gaps (const Run *run, const Gap *gaps, guint n)
{
  guint64 missing = 0;

  fail_unless_equals_int (run->gaps->len, n);
  for (guint i = 0; i < n; i++) {
    const Gap *found = &g_array_index (run->gaps, Gap, i);

    fail_unless_equals_int (found->first, gaps[i].first);
    fail_unless_equals_int (found->count, gaps[i].count);
    fail_unless_equals_int (found->lost, gaps[i].lost);
    missing += gaps[i].count;
  }
  fail_unless_equals_uint64 (number_of (run, "missing"), missing);
  fail_unless_equals_uint64 (number_of (run, "gaps"), n);
  fail_unless_equals_uint64 (number_of (run, "frames"), run->n_frames);
}

/* --- tests ------------------------------------------------------------ */

/* Tests frames that somebody has taken out, anywhere. */
TEST (test_cut_out)
{
  g_autoptr (GPtrArray) frames = numbered_frames (N_FRAMES);

  for (guint n = 0; n < 30; n++) {
    g_autoptr (GArray) expected = g_array_new (FALSE, FALSE, sizeof (Gap));
    guint rare = g_random_int_range (1, 6), last = G_MAXUINT;
    Run run;

    run_init (&run);
    for (guint i = 0; i < N_FRAMES; i++) {
      if (g_random_int_range (0, rare + 1) == 0)
        continue;
      if (last != G_MAXUINT && last + 1 < i) {
        Gap gap = { last + 1, i - last - 1, FALSE };

        g_array_append_val (expected, gap);
      }
      g_ptr_array_add (run.pieces, frames->pdata[i]);
      last = i;
    }
    if (run.pieces->len > 0) {
      parse (&run, n % N_WAYS);
      fail_unless_equals_int (run.n_frames, run.pieces->len);
      expect_gaps (&run, (Gap *) expected->data, expected->len);
      fail_unless_equals_int (run.n_infos, expected->len > 0);
      fail_unless_equals_int (run.n_warnings, 0);
      fail_unless_equals_int (run.n_discont, expected->len);
      run_clear (&run);
    }
  }
}

/* Tests frames that were there, but are damaged. */
TEST (test_damaged)
{
  g_autoptr (GPtrArray) frames = numbered_frames (N_FRAMES);

  for (guint n = 0; n < 20; n++) {
    guint begin = g_random_int_range (1, N_FRAMES - 8);
    guint n_bad = g_random_int_range (1, 5);
    GByteArray *rubbish = g_byte_array_new ();
    const Gap gap = { begin, n_bad, TRUE };
    Run run;

    run_init (&run);
    for (guint i = 0; i < N_FRAMES; i++) {
      if (i < begin || i >= begin + n_bad) {
        g_ptr_array_add (run.pieces, frames->pdata[i]);
        continue;
      }
      paco_test_append (rubbish, paco_test_nth (frames, i));
      memset (rubbish->data, 0, rubbish->len);
      if (i == begin)
        g_ptr_array_add (run.pieces, rubbish);
    }
    parse (&run, n % N_WAYS);
    fail_unless_equals_int (run.n_frames, N_FRAMES - n_bad);
    expect_gaps (&run, &gap, 1);
    fail_unless_equals_int (run.n_warnings, 2); /* of the damage, and of that */
    fail_unless_equals_int (run.n_infos, 0);
    fail_unless_equals_uint64 (number_of (&run, "damaged"), 1);
    fail_unless_equals_uint64 (number_of (&run, "damaged-bytes"), rubbish->len);
    g_byte_array_unref (rubbish);
    run_clear (&run);
  }
}

/* Tests parts of one stream in any order, of which none goes on later in it. */
TEST (test_joined)
{
  static const struct
  {
    guint n, parts[3][2];
  } cases[] = {
    { 2, { { 0, N_FRAMES }, { 0, N_FRAMES } } },
    { 1, { { 20, N_FRAMES } } },
    { 2, { { 20, N_FRAMES }, { 0, 10 } } },
    { 3, { { 10, 30 }, { 0, 5 }, { 0, 20 } } },
    { 2, { { 5, 20 }, { 5, 20 } } },
    { 3, { { 30, 31 }, { 30, 31 }, { 30, 31 } } },
  };
  g_autoptr (GPtrArray) frames = numbered_frames (N_FRAMES);

  for (guint n = 0; n < N_WAYS * G_N_ELEMENTS (cases); n++) {
    guint c = n / N_WAYS;
    Run run;

    run_init (&run);
    for (guint k = 0; k < cases[c].n; k++)
      for (guint i = cases[c].parts[k][0]; i < cases[c].parts[k][1]; i++)
        g_ptr_array_add (run.pieces, frames->pdata[i]);
    parse (&run, n % N_WAYS);
    expect_gaps (&run, NULL, 0);
    fail_unless_equals_int (run.n_infos + run.n_warnings, 0);
    fail_unless_equals_int (run.n_discont, 0);
    run_clear (&run);
  }
}

/* Tests another stream that begins with a higher number, at an offset where
 * frames of this one cannot have left it; and frames without numbers. */
TEST (test_other_stream)
{
  const PacoPlace places[] = { { 100, 0 }, { 100, G_MAXUINT64 / 2 },
    { N_FRAMES + 1, 100000000 }, { G_MAXUINT32, 1 << 20 } };

  for (guint n = 0; n < N_WAYS * G_N_ELEMENTS (places); n++) {
    g_autoptr (GPtrArray) frames = numbered_frames (N_FRAMES);
    g_autoptr (GPtrArray) other = numbered_frames (1);
    GByteArray *last = paco_test_nth (other, 0);
    Run run;

    paco_header_set_place (last->data, last->len, &places[n / N_WAYS]);
    run_init (&run);
    for (guint i = 0; i < N_FRAMES; i++)
      g_ptr_array_add (run.pieces, frames->pdata[i]);
    g_ptr_array_add (run.pieces, last);
    parse (&run, n % N_WAYS);
    expect_gaps (&run, NULL, 0);
    run_clear (&run);
  }
}

TEST (test_without_numbers)
{
  const PacoFrameSpec spec = PACO_FRAME_SPEC_DEFAULT;
  g_autoptr (GPtrArray) frames = paco_test_frames (&spec, 5);

  for (guint way = 0; way < N_WAYS; way++) {
    Run run;

    run_init (&run);
    for (guint i = 0; i < 5; i += 2)
      g_ptr_array_add (run.pieces, frames->pdata[i]);
    parse (&run, way);
    expect_gaps (&run, NULL, 0);
    run_clear (&run);
  }
}

/* Tests a stream that was cut to a smaller size when frames were missing
 * already. */
TEST (test_cut_before)
{
  g_autoptr (GPtrArray) frames = numbered_frames (10);
  const Gap gap = { 5, 2, FALSE };
  PacoPlace place = { 7, 0 };
  Run run;

  for (guint i = 0; i < 5; i++)
    place.offset += paco_test_nth (frames, i)->len;
  run_init (&run);
  for (guint i = 0; i < 10; i++) {
    GByteArray *frame = paco_test_nth (frames, i);

    if (i >= 7) {
      paco_header_set_place (frame->data, frame->len, &place);
      place.number++;
      place.offset += frame->len;
    }
    if (i < 5 || i >= 7)
      g_ptr_array_add (run.pieces, frame);
  }
  push_pieces (&run, FALSE);
  expect_gaps (&run, &gap, 1);
  run_clear (&run);
}

/* Tests that nobody misses the frames that seeks, or playing backwards, leave
 * out. */
TEST (test_seeks)
{
  g_autoptr (GPtrArray) frames = numbered_frames (N_FRAMES);
  g_autoptr (TemporaryFile) path = NULL;
  Run run;

  run_init (&run);
  for (guint i = 0; i < N_FRAMES; i++)
    g_ptr_array_add (run.pieces, frames->pdata[i]);
  path = store (&run);
  for (gint backwards = 0; backwards < 2; backwards++) {
    GstElement *pipeline = play (&run, path);

    reach_state (pipeline, GST_STATE_PAUSED);
    for (guint n = 0; n < 12; n++) {
      GstClockTime time = g_random_int_range (1, N_FRAMES) * GST_SECOND / 30;

      fail_unless (gst_element_seek (pipeline, backwards ? -1.0 : 1.0,
          GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
          GST_SEEK_TYPE_SET, backwards ? 0 : time, GST_SEEK_TYPE_SET,
          backwards ? time : GST_CLOCK_TIME_NONE));
      fail_unless_equals_int (
          gst_element_get_state (pipeline, NULL, NULL, TIME_LIMIT),
          GST_STATE_CHANGE_SUCCESS);
    }
    finish (&run, pipeline);
    fail_unless_equals_int (run.gaps->len, 0);
    fail_unless_equals_uint64 (number_of (&run, "missing"), 0);
    if (backwards == 0) {
      g_array_unref (run.gaps);
      gst_structure_free (run.stats);
    }
  }
  run_clear (&run);
}

/* Tests a frame that was lost on the way, as upstream says. */
TEST (test_lost)
{
  g_autoptr (GPtrArray) frames = numbered_frames (5);
  g_autoptr (PacoHarness) h = paco_test_parser (FRAMED_CAPS, GST_FORMAT_TIME);
  g_autoptr (GArray) gaps = NULL;
  guint n_infos, n_warnings;

  for (guint i = 0; i < 5; i++) {
    const GByteArray *frame = paco_test_nth (frames, i);
    GstBuffer *buffer = gst_buffer_new_memdup (frame->data, frame->len);

    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 30;
    if (i == 3)
      GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    if (i == 2)
      gst_buffer_unref (buffer);
    else
      push (h, buffer);
  }
  gaps = take_gaps (GST_ELEMENT_BUS (h->element), &n_infos, &n_warnings);
  fail_unless_equals_int (gaps->len, 1);
  fail_unless_equals_int (g_array_index (gaps, Gap, 0).first, 2);
  fail_unless (g_array_index (gaps, Gap, 0).lost);
  fail_unless_equals_int (n_warnings, 1);
  fail_unless_equals_int (n_infos, 0);
}

TEST_MAIN ("pacogaps")

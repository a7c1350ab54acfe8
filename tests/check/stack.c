/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacoenc stack=: groups of any length come back, with the bytes and
 * pixels of the reference, and at their times; and what cannot be is refused.
 * stackfiles.c has their files, stackdamage.c what is missing, damaged, late or of another
 * segment. */
#include "codec/policy_wavelet.h"
#include "codec/reference/reference.h"
#include "pacotest.h"
#include "stackseries.h"
#include "tests/codec/n-cases.h"

/* --- comparing --- */

/* Returns the mean squared error, of samples of 8 bits. */
static double
error_of (const Series *series, GPtrArray *a, GPtrArray *b)
{
  double sum = 0.0, n = 0.0;

  for (guint i = 0; i < a->len; i++) {
    g_autoptr (GArray)
        x = paco_test_samples (&series->info, g_ptr_array_index (a, i));
    g_autoptr (GArray)
        y = paco_test_samples (&series->info, g_ptr_array_index (b, i));

    for (guint k = 0; k < x->len; k++) {
      double d = (double) g_array_index (x, guint16, k)
          - g_array_index (y, guint16, k);

      sum += d * d;
    }
    n += x->len;
  }
  return sum / n / (is_wide (series) ? 257.0 * 257.0 : 1.0);
}

/* Checks where frames begin, their flags and headers: groups have
 * series->length frames, and the last one may have fewer. */
static void
expect_groups (const Series *series, GPtrArray *coded)
{
  fail_unless_equals_int (coded->len, series->n_frames);
  for (guint n = 0; n < coded->len; n++) {
    GstBuffer *buffer = g_ptr_array_index (coded, n);
    guint begin = n - n % series->length;
    PacoHeader header;

    paco_test_header (buffer, &header);
    fail_unless_equals_int (header.video.slice.number, n / series->length);
    fail_unless_equals_int (header.video.slice.position, n - begin);
    fail_unless_equals_int (header.video.slice.length,
        MIN (series->length, series->n_frames - begin));
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT),
        n != begin);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (buffer), n * DURATION);
    fail_unless_equals_uint64 (GST_BUFFER_DURATION (buffer), DURATION);
  }
}

/* --- by the reference --- */

typedef struct
{
  PacoSlice plan;
  guint width, height;
  guint16 *slices[PACO_MAX_STACK];
} Group;

static const PacoPictureFormat *
slice_format (const Group *group)
{
  static PacoPictureFormat format;

  format = (PacoPictureFormat){ .width = group->width,
    .height = group->height,
    .n_components = 1,
    .components = { { .depth = 16 } } };
  return &format;
}

static PacoPicture
slice_picture (const Group *group, guint i)
{
  PacoPicture picture = { .data = { (guint8 *) group->slices[i] },
    .stride = { 2 * group->width },
    .layout = { paco_planes_layout } };

  return picture;
}

/* Does one step of the reference on every column of the group. */
static void
apply (Group *group, gboolean undo)
{
  for (gsize k = 0; k < (gsize) group->width * group->height; k++) {
    int values[PACO_MAX_STACK];

    for (guint i = 0; i < group->plan.length; i++)
      values[i] = group->slices[i][k] - 0x8000;
    paco_reference_stack (&group->plan, undo, values);
    for (guint i = 0; i < group->plan.length; i++)
      group->slices[i][k] = 0x8000 + values[i];
  }
}

/* Checks that the bytes are those of frame n of a group whose pictures are
 * these. */
static void
expect_bytes (const Series *series, Group *group, GPtrArray *slices,
    GPtrArray *coded, guint begin)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  gboolean wide = is_wide (series);

  for (guint i = 0; i < group->plan.length; i++) {
    g_autoptr (GArray) samples = paco_test_samples (
        &series->info, g_ptr_array_index (slices, begin + i));

    for (guint k = 0; k < samples->len; k++)
      group->slices[i][k] = 0x8000
          + paco_reference_load_sample (
              &group->plan, g_array_index (samples, guint16, k));
  }
  fail_unless_equals_int (group->plan.depth, wide ? 16 : 8);
  fail_unless_equals_int (
      group->plan.bits, series->lossless ? group->plan.depth : 13);
  apply (group, FALSE);
  parameters.rate_control = series->lossless ? PACO_RATE_LOSSLESS
                                             : PACO_RATE_QUALITY;
  parameters.quality = series->quality;
  parameters.tune = PACO_TUNE_PSNR;
  for (guint i = 0; i < group->plan.length; i++) {
    GstBuffer *buffer = g_ptr_array_index (coded, begin + i);
    g_autoptr (GByteArray) bytes = g_byte_array_new ();
    PacoPicture picture = slice_picture (group, i);
    PacoHeader header;
    GError *error = NULL;

    paco_test_header (buffer, &header);
    parameters.weight = paco_slice_weight (&header.video.slice);
    paco_reference_encode (slice_format (group), &picture, &header.video,
        &parameters, NULL, bytes, &error);
    g_assert_no_error (error);
    fail_unless (gst_buffer_get_size (buffer) == bytes->len
            && gst_buffer_memcmp (buffer, 0, bytes->data, bytes->len) == 0,
        "slice %u of %u: other bytes than the reference's", i,
        group->plan.length);
  }
}

/* Decodes the slices of a group, and compares them with its pictures. */
static void
expect_pictures (const Series *series, Group *group, GPtrArray *coded,
    GPtrArray *pictures, guint begin)
{
  for (guint i = 0; i < group->plan.length; i++) {
    PacoPicture picture = slice_picture (group, i);
    GstMapInfo map;

    gst_buffer_map (g_ptr_array_index (coded, begin + i), &map, GST_MAP_READ);
    fail_unless (
        paco_reference_decode (map.data, map.size, 0, &picture, NULL, NULL));
    gst_buffer_unmap (g_ptr_array_index (coded, begin + i), &map);
  }
  apply (group, TRUE);
  for (guint i = 0; i < group->plan.length; i++) {
    g_autoptr (GArray) samples = paco_test_samples (
        &series->info, g_ptr_array_index (pictures, begin + i));

    for (guint k = 0; k < samples->len; k++)
      fail_unless_equals_int (g_array_index (samples, guint16, k),
          paco_reference_store_sample (
              &group->plan, group->slices[i][k] - 0x8000));
  }
}

static void
expect_reference (const Series *series, GPtrArray *slices, GPtrArray *coded,
    GPtrArray *pictures)
{
  Group group = { .width = series->info.width, .height = series->info.height };

  for (guint i = 0; i < PACO_MAX_STACK; i++)
    group.slices[i] = g_new (guint16, group.width * group.height);
  for (guint begin = 0; begin < coded->len; begin += group.plan.length) {
    PacoHeader header;

    paco_test_header (g_ptr_array_index (coded, begin), &header);
    group.plan = header.video.slice;
    expect_bytes (series, &group, slices, coded, begin);
    expect_pictures (series, &group, coded, pictures, begin);
  }
  for (guint i = 0; i < PACO_MAX_STACK; i++)
    g_free (group.slices[i]);
}

/* --- tests --- */

TEST (test_round_trip)
{
  for (guint c = 0; c < n_cases (6); c++) {
    g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
    g_autoptr (PacoHarness)
        harness = paco_test_decoder_harness ("pacodec backend=cpu threads=2");
    Series series;

    draw_series (&series, 70);
    slices = draw_slices (&series);
    coded = code (&series, slices);
    expect_groups (&series, coded);
    pictures = decode (harness, coded);
    fail_unless_equals_int (pictures->len, slices->len);
    fail_unless_equals_int (count_corrupted (pictures), 0);
    for (guint n = 0; n < slices->len; n++) {
      fail_unless_equals_uint64 (
          GST_BUFFER_PTS ((GstBuffer *) pictures->pdata[n]), n * DURATION);
      fail_unless (
          !series.lossless || is_slice (&series, pictures, n, slices, n));
    }
    expect_reference (&series, slices, coded, pictures);
  }
}

/* Codes and decodes the slices, in stacks of series->length, and returns the
 * mean squared error. */
static double
measure (const Series *series, GPtrArray *slices, gsize *bytes)
{
  g_autoptr (GPtrArray) coded = code (series, slices), pictures = NULL;
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");

  pictures = decode (harness, coded);
  fail_unless_equals_int (pictures->len, slices->len);
  *bytes = 0;
  for (guint n = 0; n < coded->len; n++)
    *bytes += gst_buffer_get_size (coded->pdata[n]);
  return error_of (series, slices, pictures);
}

/* Tests that a quality means about the same error, and fewer bytes where slices
 * are alike. How much depends on the pictures, which are the same ones each
 * time. */
LOOP_TEST (test_quality, 2)
{
  static const guint qualities[] = { 50, 75, 95 };
  Series series = { .n_frames = 16, .depth = 2 };

  paco_test_info (&series.info,
      __i__ ? GST_VIDEO_FORMAT_GRAY16_LE : GST_VIDEO_FORMAT_GRAY8, 140, 110);
  g_random_set_seed (1);
  for (guint i = 0; i < G_N_ELEMENTS (qualities); i++) {
    g_autoptr (GPtrArray) slices = draw_slices (&series);
    double alone, together;
    gsize bytes[2];

    series.quality = qualities[i];
    series.length = 1;
    alone = measure (&series, slices, &bytes[0]);
    series.length = 16;
    together = measure (&series, slices, &bytes[1]);
    /* Both are at most what the step allows; without a stack more of it is zero. */
    fail_unless (together < 1.4 * alone, "q%u: an error of %g, %g before",
        series.quality, together, alone);
    fail_unless (bytes[1] < 0.8 * bytes[0], "q%u: %zu bytes, %zu before",
        series.quality, bytes[1], bytes[0]);
  }
  g_random_set_seed ((guint32) g_get_real_time ());
}

/* Checks numbers, lengths and positions of the slices that are there. */
static void
expect_slices (GPtrArray *coded, const gchar *expected)
{
  g_autoptr (GString) found = g_string_new (NULL);

  for (guint n = 0; n < coded->len; n++) {
    GstBuffer *buffer = g_ptr_array_index (coded, n);
    PacoHeader header;

    paco_test_header (buffer, &header);
    g_string_append_printf (found, "%u:%u/%u ", header.video.slice.number,
        header.video.slice.position, header.video.slice.length);
    fail_unless_equals_int (
        GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DELTA_UNIT),
        header.video.slice.position > 0);
  }
  fail_unless_equals_string (found->str, expected);
}

static void
push_slices (GstHarness *harness, const Series *series, guint begin, guint n)
{
  for (guint i = begin; i < begin + n; i++)
    push (harness, draw_slice (series, i));
}

/* Tests what ends a stack before it is full. */
TEST (test_short_stacks)
{
  g_autoptr (PacoHarness) harness = NULL;
  g_autoptr (GPtrArray) coded = NULL;
  Series series;

  draw_series (&series, 40);
  series.length = 5;
  harness = encoder (&series);
  push_slices (harness, &series, 0, 7);
  /* A key unit is asked for. */
  gst_harness_push_event (harness,
      gst_video_event_new_downstream_force_key_unit (
          7 * DURATION, 7 * DURATION, 7 * DURATION, TRUE, 1));
  push_slices (harness, &series, 7, 1);
  /* The caps change. */
  paco_test_info (&series.info, GST_VIDEO_INFO_FORMAT (&series.info),
      series.info.width, series.info.height + 1);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&series.info));
  push_slices (harness, &series, 8, 3);
  /* A flush takes what is not full with it. */
  flush (harness, GST_FORMAT_TIME);
  push_slices (harness, &series, 11, 6);
  gst_harness_push_event (harness, gst_event_new_eos ());
  coded = take_all (harness);
  expect_slices (coded,
      "0:0/5 0:1/5 0:2/5 0:3/5 0:4/5 1:0/2 1:1/2 2:0/1 "
      "0:0/5 0:1/5 0:2/5 0:3/5 0:4/5 1:0/1 ");
}

/* Tests stacks and single pictures in one stream. */
TEST (test_mixed)
{
  static const guint lengths[] = { 3, 1, 4 };
  g_autoptr (GPtrArray) slices = NULL, coded = new_buffers (), pictures = NULL;
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");
  Series series;

  draw_small (&series, 1, 7);
  slices = draw_slices (&series);
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    series.length = lengths[i];
    g_ptr_array_extend_and_steal (coded, code (&series, slices));
  }
  pictures = decode (harness, coded);
  fail_unless_equals_int (pictures->len, 3 * slices->len);
  fail_unless_equals_int (count_corrupted (pictures), 0);
  for (guint n = 0; n < pictures->len; n++)
    fail_unless (is_slice (&series, pictures, n, slices, n % slices->len));
  expect_warning (harness, NULL);
}

/* Tests that downstream may want the bytes of samples the other way round. */
TEST (test_big_endian)
{
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
      "pacodec ! capsfilter caps=video/x-raw,format=GRAY16_BE");
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
  GstVideoInfo swapped;
  Series series;

  draw_small (&series, 3, 7);
  paco_test_info (&series.info, GST_VIDEO_FORMAT_GRAY16_LE, series.info.width,
      series.info.height);
  paco_test_info (&swapped, GST_VIDEO_FORMAT_GRAY16_BE, series.info.width,
      series.info.height);
  slices = draw_slices (&series);
  coded = code (&series, slices);
  pictures = decode (harness, coded);
  fail_unless_equals_int (pictures->len, slices->len);
  for (guint n = 0; n < slices->len; n++)
    paco_test_same_samples (&series.info, slices->pdata[n], &swapped,
        pictures->pdata[n], "swapped");
}

/* Checks that all of these can be decoded. */
static void
expect_decodable (GPtrArray *coded)
{
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");
  g_autoptr (GPtrArray) pictures = decode (harness, coded);

  fail_unless_equals_int (pictures->len, coded->len);
  fail_unless_equals_int (count_corrupted (pictures), 0);
  ignore_errors (harness);
}

/* Tests what is cut: what is lost of a number modulo 2^16 may turn black into white,
 * so those are not cut; others are. */
TEST (test_cut)
{
  static const struct
  {
    GstVideoFormat format;
    const gchar *rate_control;
  } kinds[] = {
    { GST_VIDEO_FORMAT_GRAY16_LE, "lossless" },
    { GST_VIDEO_FORMAT_GRAY16_LE, "quality" },
    { GST_VIDEO_FORMAT_GRAY8, "lossless" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autoptr (PacoHarness) harness = paco_test_harness (
        "pacoenc stack=4 cut-points=true rate-control=%s quality=%d ! "
        "pacoparse max-frame-size=1500",
        kinds[i].rate_control, i == 1 ? 100 : 90);
    g_autoptr (GPtrArray) cut = NULL;
    Series series;

    draw_small (&series, 4, 4);
    paco_test_info (&series.info, kinds[i].format, 100, 80);
    gst_harness_set_src_caps (harness, gst_video_info_to_caps (&series.info));
    for (guint n = 0; n < 4; n++)
      gst_harness_push (harness, draw_slice (&series, n));
    gst_harness_push_event (harness, gst_event_new_eos ());
    cut = take_all (harness);
    fail_unless_equals_int (cut->len, i == 0 ? 0 : 4);
    if (i == 0)
      expect_error (harness, 0, 0, "16-bit");
    for (guint n = 0; n < cut->len; n++)
      fail_unless (gst_buffer_get_size (cut->pdata[n]) <= 1500);
    expect_decodable (cut);
  }
}

/* Tests that the size that frames are cut to may change within a stack. */
TEST (test_cut_change)
{
  static const guint most[] = { 0, 0, 1500, 1500, 1500, 0, 0, 0 };
  g_autoptr (GPtrArray) coded = NULL, cut = new_buffers ();
  g_autoptr (PacoHarness) parse = paco_test_decoder_harness ("pacoparse");
  g_autoptr (PacoHarness) harness = NULL;
  Series series;

  draw_small (&series, 8, 8);
  paco_test_info (&series.info, GST_VIDEO_FORMAT_GRAY8, 100, 80);
  harness = paco_test_harness_of (
      "pacoenc stack=8 quality=100 cut-points=true", &series.info);
  push_slices (harness, &series, 0, series.n_frames);
  gst_harness_push_event (harness, gst_event_new_eos ());
  coded = take_all (harness);
  for (guint n = 0; n < coded->len; n++) {
    gst_harness_set (parse, "pacoparse", "max-frame-size", most[n], NULL);
    gst_harness_push (parse, gst_buffer_ref (coded->pdata[n]));
    g_ptr_array_extend_and_steal (cut, take_all (parse));
    fail_unless_equals_int (cut->len, n + 1);
    fail_unless_equals_int (gst_buffer_get_size (cut->pdata[n])
            < gst_buffer_get_size (coded->pdata[n]),
        most[n] > 0);
  }
  expect_decodable (cut);
}

/* --- what cannot be --- */

#define CAPS(format, size) "video/x-raw,framerate=25/1,format=" format "," size
#define SMALL "width=16,height=16"

TEST (test_refused)
{
  static const struct
  {
    const gchar *launch, *caps, *words;
  } wrong[] = {
    { "pacoenc stack=4", CAPS ("I420", SMALL), "GRAY8 and GRAY16_LE" },
    { "pacoenc stack=4", CAPS ("RGBA", SMALL), "the pictures are RGBA" },
    { "pacoenc stack=4", CAPS ("GRAY16_BE", SMALL),
        "the pictures are GRAY16_BE" },
    { "pacoenc stack=4", CAPS ("GRAY8", SMALL ",interlace-mode=interleaved"),
        "interlaced" },
    { "pacoenc stack=4 rate-control=bitrate frame-size=20000",
        CAPS ("GRAY8", SMALL), "rate-control=bitrate" },
    /* No memory is taken for what no computer should be asked for. */
    { "pacoenc stack=5", CAPS ("GRAY8", "width=8192,height=8192"),
        "smaller stack" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    g_autoptr (PacoHarness) harness = paco_test_harness (wrong[i].launch);

    gst_harness_set_src_caps_str (harness, wrong[i].caps);
    gst_harness_push (harness, gst_buffer_new_allocate (NULL, 16 * 64, NULL));
    expect_error (harness, 0, 0, wrong[i].words);
  }
}

/* Tests that there are lower resolutions only of slices that are not modulo
 * anything. */
TEST (test_reduce)
{
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
    g_autoptr (PacoHarness)
        harness = paco_test_decoder_harness ("pacodec reduce=1");
    Series series;

    draw_small (&series, 4, 9);
    series.lossless = i % 2 == 0;
    paco_test_info (&series.info,
        i / 2 ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_GRAY16_LE, 50, 34);
    slices = draw_slices (&series);
    coded = code (&series, slices);
    pictures = decode (harness, coded);
    if (i == 0) {
      expect_error (harness, 0, 0, "reduce=1");
      continue;
    }
    fail_unless_equals_int (pictures->len, series.n_frames);
    fail_unless_equals_int (
        gst_buffer_get_size (pictures->pdata[0]), i / 2 ? 28 * 17 : 52 * 17);
  }
}

/* Tests that latency has the time that a picture waits for the others of its stack. */
TEST (test_latency)
{
  GstClockTime latency[2];
  Series series;

  draw_series (&series, 40);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (PacoHarness) harness = NULL;

    series.length = i ? 8 : 1;
    harness = encoder (&series);
    latency[i] = gst_harness_query_latency (harness);
  }
  fail_unless_equals_uint64 (latency[1], latency[0] + 7 * DURATION);
}

/* Tests that a decoder tells its latency from the first frame of a stack on,
 * and of a longer one. */
TEST (test_decoder_latency)
{
  static const guint lengths[] = { 3, 7 };
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec pipeline-depth=2");

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    g_autoptr (GPtrArray) slices = NULL, coded = NULL;
    Series series;

    draw_series_of_same (&series, lengths[i], lengths[i]);
    slices = draw_same_slices (&series);
    coded = code (&series, slices);
    for (guint n = 0; n < coded->len; n++) {
      gst_harness_push (harness, gst_buffer_ref (coded->pdata[n]));
      /* This is two frames in flight, and those of the stack. */
      fail_unless_equals_uint64 (
          gst_harness_query_latency (harness), (2 + lengths[i] - 1) * DURATION);
    }
  }
}

TEST_MAIN ("stack")

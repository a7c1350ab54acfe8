/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacoenc stack=: groups of any length come back, with the bytes and
 * pixels of the reference, and at their times; and what cannot be is refused.
 * stackfiles.c has their files, stackdamage.c what is missing or damaged, and
 * stackstreams.c what is late or of another segment. */
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
    GArray *x = paco_test_samples (&series->info, g_ptr_array_index (a, i));
    GArray *y = paco_test_samples (&series->info, g_ptr_array_index (b, i));

    for (guint k = 0; k < x->len; k++) {
      double d = (double) g_array_index (x, guint16, k)
          - g_array_index (y, guint16, k);

      sum += d * d;
    }
    n += x->len;
    g_array_unref (x);
    g_array_unref (y);
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
    GArray *samples = paco_test_samples (
        &series->info, g_ptr_array_index (slices, begin + i));

    for (guint k = 0; k < samples->len; k++)
      group->slices[i][k] = 0x8000
          + paco_reference_load_sample (
              &group->plan, g_array_index (samples, guint16, k));
    g_array_unref (samples);
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
    GByteArray *bytes = g_byte_array_new ();
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
    g_byte_array_unref (bytes);
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
    GArray *samples = paco_test_samples (
        &series->info, g_ptr_array_index (pictures, begin + i));

    for (guint k = 0; k < samples->len; k++)
      fail_unless_equals_int (g_array_index (samples, guint16, k),
          paco_reference_store_sample (
              &group->plan, group->slices[i][k] - 0x8000));
    g_array_unref (samples);
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

GST_START_TEST (test_round_trip)
{
  for (guint c = 0; c < n_cases (6); c++) {
    g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
    Series series;
    GstBus *bus;

    draw_series (&series, 70);
    slices = draw_slices (&series);
    coded = code (&series, slices);
    expect_groups (&series, coded);
    pictures = decode (coded, "pacodec backend=cpu threads=2", &bus);
    fail_unless (paco_test_pop_error (bus) == NULL);
    fail_unless_equals_int (pictures->len, slices->len);
    for (guint n = 0; n < slices->len; n++) {
      GstBuffer *picture = g_ptr_array_index (pictures, n);

      fail_unless_equals_uint64 (GST_BUFFER_PTS (picture), n * DURATION);
      fail_if (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
      if (series.lossless)
        fail_unless (same_samples (
            &series.info, g_ptr_array_index (slices, n), picture));
    }
    expect_reference (&series, slices, coded, pictures);
    free_bus (bus);
  }
}
GST_END_TEST;

/* Codes and decodes the slices, in stacks of series->length, and returns the
 * mean squared error. */
static double
measure (const Series *series, GPtrArray *slices, gsize *bytes)
{
  g_autoptr (GPtrArray) coded = code (series, slices), pictures = NULL;
  double error;
  GstBus *bus;

  pictures = decode (coded, "pacodec", &bus);
  fail_unless_equals_int (pictures->len, slices->len);
  error = error_of (series, slices, pictures);
  *bytes = 0;
  for (guint n = 0; n < coded->len; n++)
    *bytes += gst_buffer_get_size (g_ptr_array_index (coded, n));
  free_bus (bus);
  return error;
}

/* Tests that a quality means about the same error, and fewer bytes where slices
 * are alike. How much depends on the pictures, which are the same ones each
 * time. */
GST_START_TEST (test_quality)
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
GST_END_TEST;

/* Checks numbers, lengths and positions of the slices that are there. */
static void
expect_slices (GPtrArray *coded, const gchar *expected)
{
  GString *found = g_string_new (NULL);

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
  g_string_free (found, TRUE);
}

static void
push (GstHarness *harness, const Series *series, guint begin, guint n)
{
  for (guint i = begin; i < begin + n; i++)
    fail_unless_equals_int (
        gst_harness_push (harness, draw_slice (series, i)), GST_FLOW_OK);
}

/* Tests what ends a stack before it is full. */
GST_START_TEST (test_short_stacks)
{
  g_autoptr (GPtrArray) coded = new_buffers ();
  Series series;
  GstHarness *harness;
  GstBus *bus;
  GstSegment segment;

  draw_series (&series, 40);
  series.length = 5;
  harness = encoder (&series, &bus);
  push (harness, &series, 0, 7);
  /* A key unit is asked for. */
  gst_harness_push_event (harness,
      gst_video_event_new_downstream_force_key_unit (
          7 * DURATION, 7 * DURATION, 7 * DURATION, TRUE, 1));
  push (harness, &series, 7, 1);
  /* The caps change. */
  paco_test_info (&series.info, GST_VIDEO_INFO_FORMAT (&series.info),
      series.info.width, series.info.height + 1);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&series.info));
  push (harness, &series, 8, 3);
  /* A flush takes what is not full with it. */
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));
  push (harness, &series, 11, 6);
  gst_harness_push_event (harness, gst_event_new_eos ());
  take_all (harness, coded);
  expect_slices (coded,
      "0:0/5 0:1/5 0:2/5 0:3/5 0:4/5 1:0/2 1:1/2 2:0/1 "
      "0:0/5 0:1/5 0:2/5 0:3/5 0:4/5 1:0/1 ");
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests stacks and single pictures in one stream. */
GST_START_TEST (test_mixed)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
  Series series;
  GstBus *bus;

  draw_series (&series, 50);
  series.lossless = TRUE;
  series.n_frames = 7;
  series.length = 3;
  slices = draw_slices (&series);
  coded = code (&series, slices);
  for (guint length = 1; length <= 4; length += 3) {
    g_autoptr (GPtrArray) more = NULL;

    series.length = length;
    more = code (&series, slices);
    for (guint n = 0; n < more->len; n++)
      g_ptr_array_add (coded, gst_buffer_ref (g_ptr_array_index (more, n)));
  }
  pictures = decode (coded, "pacodec", &bus);
  fail_unless_equals_int (pictures->len, 3 * slices->len);
  for (guint n = 0; n < pictures->len; n++) {
    GstBuffer *picture = g_ptr_array_index (pictures, n);

    fail_unless (same_samples (
        &series.info, g_ptr_array_index (slices, n % slices->len), picture));
    fail_if (GST_BUFFER_FLAG_IS_SET (picture, GST_BUFFER_FLAG_CORRUPTED));
  }
  fail_unless (
      gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING)
      == NULL);
  free_bus (bus);
}
GST_END_TEST;

/* Tests that downstream may want the bytes of samples the other way round. */
GST_START_TEST (test_big_endian)
{
  g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
  GstVideoInfo swapped;
  Series series;
  GstBus *bus;

  draw_small (&series, 3, 7);
  paco_test_info (&series.info, GST_VIDEO_FORMAT_GRAY16_LE, series.info.width,
      series.info.height);
  paco_test_info (&swapped, GST_VIDEO_FORMAT_GRAY16_BE, series.info.width,
      series.info.height);
  slices = draw_slices (&series);
  coded = code (&series, slices);
  pictures = decode (
      coded, "pacodec ! capsfilter caps=video/x-raw,format=GRAY16_BE", &bus);
  fail_unless_equals_int (pictures->len, slices->len);
  for (guint n = 0; n < slices->len; n++)
    paco_test_same_samples (&series.info, g_ptr_array_index (slices, n),
        &swapped, g_ptr_array_index (pictures, n), "swapped");
  free_bus (bus);
}
GST_END_TEST;

/* Checks that all of these can be decoded. */
static void
expect_decodable (GPtrArray *coded)
{
  GstBus *bus;
  g_autoptr (GPtrArray) pictures = decode (coded, "pacodec", &bus);

  fail_unless_equals_int (pictures->len, coded->len);
  fail_unless_equals_int (count_corrupted (pictures), 0);
  free_bus (bus);
}

/* Tests what is cut: what is lost of a number modulo 2^16 may turn black into white,
 * so those are not cut; others are. */
GST_START_TEST (test_cut)
{
  static const struct
  {
    GstVideoFormat format;
    gboolean lossless;
  } kinds[] = {
    { GST_VIDEO_FORMAT_GRAY16_LE, TRUE },
    { GST_VIDEO_FORMAT_GRAY16_LE, FALSE },
    { GST_VIDEO_FORMAT_GRAY8, TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++) {
    g_autoptr (GPtrArray) cut = new_buffers ();
    Series series;
    GstBus *bus;
    GstHarness *harness = paco_test_harness (
        "pacoenc stack=4 cut-points=true name=encoder ! pacoparse "
        "max-frame-size=1500",
        &bus);
    GstElement *element = gst_harness_find_element (harness, "pacoenc");
    GError *error;

    gst_util_set_object_arg (G_OBJECT (element), "rate-control",
        kinds[i].lossless ? "lossless" : "quality");
    g_object_set (element, "quality", 100.0, NULL);
    gst_object_unref (element);
    draw_small (&series, 4, 4);
    paco_test_info (&series.info, kinds[i].format, 100, 80);
    gst_harness_set_src_caps (harness, gst_video_info_to_caps (&series.info));
    for (guint n = 0; n < 4; n++)
      gst_harness_push (harness, draw_slice (&series, n));
    gst_harness_push_event (harness, gst_event_new_eos ());
    take_all (harness, cut);
    error = paco_test_pop_error (bus);
    fail_unless_equals_int (cut->len, i == 0 ? 0 : 4);
    fail_unless ((error != NULL) == (i == 0));
    if (error)
      fail_unless (strstr (error->message, "16-bit"), "%s", error->message);
    g_clear_error (&error);
    for (guint n = 0; n < cut->len; n++)
      fail_unless (gst_buffer_get_size (g_ptr_array_index (cut, n)) <= 1500);
    expect_decodable (cut);
    paco_test_teardown_failed (harness, bus);
  }
}
GST_END_TEST;

/* Tests that the size that frames are cut to may change within a stack. */
GST_START_TEST (test_cut_change)
{
  static const guint most[] = { 0, 0, 1500, 1500, 1500, 0, 0, 0 };
  g_autoptr (GPtrArray) coded = new_buffers (), cut = new_buffers ();
  GstBus *bus[2];
  GstHarness *harness = paco_test_harness (
      "pacoenc stack=8 quality=100 cut-points=true", &bus[0]);
  GstHarness *parse = paco_test_decoder_harness ("pacoparse", &bus[1]);
  Series series;

  draw_small (&series, 8, 8);
  paco_test_info (&series.info, GST_VIDEO_FORMAT_GRAY8, 100, 80);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&series.info));
  for (guint n = 0; n < series.n_frames; n++)
    gst_harness_push (harness, draw_slice (&series, n));
  gst_harness_push_event (harness, gst_event_new_eos ());
  take_all (harness, coded);
  for (guint n = 0; n < coded->len; n++) {
    gst_harness_set (parse, "pacoparse", "max-frame-size", most[n], NULL);
    gst_harness_push (parse, gst_buffer_ref (g_ptr_array_index (coded, n)));
    take_all (parse, cut);
    fail_unless_equals_int (cut->len, n + 1);
    fail_unless_equals_int (gst_buffer_get_size (g_ptr_array_index (cut, n))
            < gst_buffer_get_size (g_ptr_array_index (coded, n)),
        most[n] > 0);
  }
  expect_decodable (cut);
  paco_test_teardown (harness, bus[0]);
  paco_test_teardown (parse, bus[1]);
}
GST_END_TEST;

/* --- what cannot be --- */

static void
expect_error (GstHarness *harness, GstBus *bus, const gchar *words)
{
  GError *error = paco_test_pop_error (bus);

  fail_unless (error != NULL, "no error, for \"%s\"", words);
  fail_unless (strstr (error->message, words), "%s", error->message);
  g_error_free (error);
  paco_test_teardown_failed (harness, bus);
}

GST_START_TEST (test_refused)
{
  static const struct
  {
    const gchar *launch, *caps, *words;
  } wrong[] = {
    { "pacoenc stack=4",
        "video/x-raw,format=I420,width=16,height=16,framerate=25/1",
        "GRAY8 and GRAY16_LE" },
    { "pacoenc stack=4",
        "video/x-raw,format=RGBA,width=16,height=16,framerate=25/1",
        "the pictures are RGBA" },
    { "pacoenc stack=4",
        "video/x-raw,format=GRAY16_BE,width=16,height=16,framerate=25/1",
        "the pictures are GRAY16_BE" },
    { "pacoenc stack=4",
        "video/x-raw,format=GRAY8,width=16,height=16,framerate=25/1,"
        "interlace-mode=interleaved",
        "interlaced" },
    { "pacoenc stack=4 rate-control=bitrate frame-size=20000",
        "video/x-raw,format=GRAY8,width=16,height=16,framerate=25/1",
        "rate-control=bitrate" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++) {
    GstBus *bus;
    GstHarness *harness = paco_test_harness (wrong[i].launch, &bus);

    gst_harness_set_src_caps_str (harness, wrong[i].caps);
    gst_harness_push (harness, gst_buffer_new_allocate (NULL, 16 * 64, NULL));
    expect_error (harness, bus, wrong[i].words);
  }
}
GST_END_TEST;

/* Tests that no memory is taken for what no computer should be asked for. */
GST_START_TEST (test_bound)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacoenc stack=5", &bus);
  GError *error;

  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=GRAY8,width=8192,height=8192,framerate=25/1");
  gst_harness_push (harness, gst_buffer_new ());
  error = paco_test_pop_error (bus);
  fail_unless (error != NULL && strstr (error->message, "smaller stack"));
  g_error_free (error);
  paco_test_teardown_failed (harness, bus);
}
GST_END_TEST;

/* Tests that there are lower resolutions only of slices that are not modulo
 * anything. */
GST_START_TEST (test_reduce)
{
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GPtrArray) slices = NULL, coded = NULL, pictures = NULL;
    Series series;
    GstBus *bus;

    draw_series (&series, 60);
    series.n_frames = 9;
    series.length = 4;
    series.lossless = i % 2 == 0;
    paco_test_info (&series.info,
        i / 2 ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_GRAY16_LE, 50, 34);
    slices = draw_slices (&series);
    coded = code (&series, slices);
    pictures = decode (coded, "pacodec reduce=1", &bus);
    if (i == 0) {
      GError *error = paco_test_pop_error (bus);

      fail_unless (error != NULL && strstr (error->message, "reduce=1"));
      g_error_free (error);
    } else {
      fail_unless_equals_int (pictures->len, series.n_frames);
      fail_unless (paco_test_pop_error (bus) == NULL);
      fail_unless_equals_int (
          gst_buffer_get_size (g_ptr_array_index (pictures, 0)),
          i / 2 ? 28 * 17 : 52 * 17);
    }
    free_bus (bus);
  }
}
GST_END_TEST;

/* Tests that latency has the time that a picture waits for the others of its stack. */
GST_START_TEST (test_latency)
{
  GstClockTime without, with;
  Series series;
  GstHarness *harness;
  GstBus *bus;

  draw_series (&series, 40);
  series.length = 1;
  harness = encoder (&series, &bus);
  without = gst_harness_query_latency (harness);
  paco_test_teardown (harness, bus);
  series.length = 8;
  harness = encoder (&series, &bus);
  with = gst_harness_query_latency (harness);
  paco_test_teardown (harness, bus);
  fail_unless_equals_uint64 (with, without + 7 * DURATION);
}
GST_END_TEST;

/* Tests that a decoder tells its latency from the first frame of a stack on,
 * and of a longer one. */
GST_START_TEST (test_decoder_latency)
{
  static const guint lengths[] = { 3, 7 };
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec pipeline-depth=2", &bus);

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    g_autoptr (GPtrArray) slices = NULL, coded = NULL;
    Series series;

    draw_series_of_same (&series, lengths[i], lengths[i]);
    slices = draw_same_slices (&series);
    coded = code (&series, slices);
    for (guint n = 0; n < coded->len; n++) {
      gst_harness_push (harness, gst_buffer_ref (g_ptr_array_index (coded, n)));
      /* This is two frames in flight, and those of the stack. */
      fail_unless_equals_uint64 (
          gst_harness_query_latency (harness), (2 + lengths[i] - 1) * DURATION);
    }
  }
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

static Suite *
stack_suite (void)
{
  Suite *suite = suite_create ("stack");
  TCase *chain = tcase_create ("general");

  suite_add_tcase (suite, chain);
  tcase_set_timeout (chain, 120);
  tcase_add_test (chain, test_round_trip);
  tcase_add_loop_test (chain, test_quality, 0, 2);
  tcase_add_test (chain, test_short_stacks);
  tcase_add_test (chain, test_mixed);
  tcase_add_test (chain, test_big_endian);
  tcase_add_test (chain, test_cut);
  tcase_add_test (chain, test_cut_change);
  tcase_add_test (chain, test_refused);
  tcase_add_test (chain, test_bound);
  tcase_add_test (chain, test_reduce);
  tcase_add_test (chain, test_latency);
  tcase_add_test (chain, test_decoder_latency);
  return suite;
}

GST_CHECK_MAIN (stack);

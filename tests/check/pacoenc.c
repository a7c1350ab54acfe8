/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacoenc: caps, order, draining, flushing, renegotiation, errors, metas,
 * interlaced video, changes while playing. */
#include "codec/policy.h"
#include "pacotest.h"

#define GRAY_CAPS(size)                                                        \
  "video/x-raw,format=GRAY8," size ",framerate=25/"                            \
  "1,interlace-mode=progressive"
#define SMALL_CAPS GRAY_CAPS ("width=64,height=48")

static GstHarness *
gray_harness (const char *launch, GstBus **bus)
{
  GstHarness *harness = paco_test_harness (launch, bus);

  gst_harness_set_src_caps_str (harness, SMALL_CAPS);
  return harness;
}

GST_START_TEST (test_caps)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacoenc", &bus);
  GstBuffer *out;
  GstCaps *caps;
  GstStructure *structure;
  PacoHeader header;
  gint bound = 0;

  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=I422_10LE,width=62,height=31,framerate=30000/1001,"
      "pixel-aspect-ratio=12/11,interlace-mode=interleaved,"
      "field-order=bottom-field-first,colorimetry=bt2100-pq,"
      "chroma-site=mpeg2,"
      "mastering-display-info=(string)35400:14600:8500:39850:6550:2300:15635:"
      "16450:"
      "10000000:1,content-light-level=(string)1000:400");
  gst_harness_push (harness, gst_harness_create_buffer (harness, 62 * 31 * 8));
  out = gst_harness_pull (harness);
  caps = gst_pad_get_current_caps (harness->sinkpad);
  structure = gst_caps_get_structure (caps, 0);

  fail_unless (gst_structure_has_name (structure, "video/x-paco"));
  fail_unless_equals_string (
      gst_structure_get_string (structure, "format"), "I422_10LE");
  fail_unless_equals_string (
      gst_structure_get_string (structure, "interlace-mode"), "interleaved");
  fail_unless_equals_string (
      gst_structure_get_string (structure, "field-order"),
      "bottom-field-first");
  fail_unless_equals_string (
      gst_structure_get_string (structure, "alignment"), "frame");
  fail_unless_equals_string (
      gst_structure_get_string (structure, "colorimetry"), "bt2100-pq");
  fail_unless_equals_string (
      gst_structure_get_string (structure, "chroma-site"), "mpeg2");
  fail_unless_equals_string (
      gst_structure_get_string (structure, "content-light-level"), "1000:400");
  fail_unless (gst_structure_has_field (structure, "mastering-display-info"));
  fail_unless (gst_structure_get_int (structure, "max-frame-size", &bound));
  fail_unless ((gsize) bound >= gst_buffer_get_size (out));

  paco_test_header (out, &header);
  fail_unless (header.picture.fields);
  fail_unless_equals_int (header.video.par_n, 12);
  fail_unless_equals_int (header.video.fps_d, 1001);
  fail_unless (header.video.has_mastering_display);
  fail_unless_equals_int (header.video.mastering_display.primaries[1][0], 8500);
  fail_unless_equals_int (header.video.max_content_light, 1000);
  fail_unless_equals_int (header.video.transfer, GST_VIDEO_TRANSFER_SMPTE2084);

  gst_caps_unref (caps);
  gst_buffer_unref (out);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that all frames come out at EOS, in order, each a sync point with its
 * times. */
GST_START_TEST (test_order_and_drain)
{
  static const char *const launches[] = { "pacoenc pipeline-depth=1",
    "pacoenc pipeline-depth=8 threads=2",
    "pacoenc pipeline-depth=3 threads=1" };
  const guint n = 40;

  for (guint k = 0; k < G_N_ELEMENTS (launches); k++) {
    GstBus *bus;
    GstHarness *harness = gray_harness (launches[k], &bus);

    for (guint i = 0; i < n; i++)
      fail_unless_equals_int (
          gst_harness_push (harness, paco_test_gray_buffer (64, 48, i)),
          GST_FLOW_OK);
    fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
    fail_unless_equals_int (gst_harness_buffers_received (harness), n);

    for (guint i = 0; i < n; i++) {
      GstBuffer *out = gst_harness_pull (harness);

      fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * 40 * GST_MSECOND);
      fail_unless_equals_uint64 (GST_BUFFER_DTS (out), GST_BUFFER_PTS (out));
      fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 40 * GST_MSECOND);
      fail_if (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_DELTA_UNIT));
      gst_buffer_unref (out);
    }
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

/* Tests that a frame says where in the stream it stands, and that another
 * format begins another stream. */
GST_START_TEST (test_places)
{
  static const gchar *const caps[] = { SMALL_CAPS,
    GRAY_CAPS ("width=128,height=96") };
  GstBus *bus;
  GstHarness *harness = gray_harness ("pacoenc pipeline-depth=4", &bus);
  guint n[] = { g_random_int_range (1, 20), g_random_int_range (1, 20) };

  for (guint k = 0; k < 2; k++) {
    gst_harness_set_src_caps_str (harness, caps[k]);
    for (guint i = 0; i < n[k]; i++)
      gst_harness_push (
          harness, paco_test_gray_buffer (64 << k, 48 << k, i * 7));
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  for (guint k = 0; k < 2; k++) {
    guint64 offset = 0;

    for (guint i = 0; i < n[k]; i++) {
      GstBuffer *out = gst_harness_pull (harness);
      PacoHeader header;

      paco_test_header (out, &header);
      fail_unless (header.video.has_place);
      fail_unless_equals_int (header.video.place.number, i);
      fail_unless_equals_uint64 (header.video.place.offset, offset);
      offset += gst_buffer_get_size (out);
      gst_buffer_unref (out);
    }
  }
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that a frame comes out although no later one goes in. */
GST_START_TEST (test_single_frame_is_not_kept)
{
  GstBus *bus;
  GstHarness *harness = gray_harness ("pacoenc pipeline-depth=8", &bus);
  GstBuffer *out;

  gst_harness_push (harness, paco_test_gray_buffer (64, 48, 0));
  out = gst_harness_pull (harness);
  fail_unless (out != NULL);
  gst_buffer_unref (out);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_renegotiation)
{
  GstBus *bus;
  GstHarness *harness = gray_harness ("pacoenc pipeline-depth=4", &bus);
  static const gint sizes[][2] = { { 64, 48 }, { 128, 96 }, { 16, 16 } };
  gint n = 0;

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    gchar *caps = g_strdup_printf (
        GRAY_CAPS ("width=%d,height=%d"), sizes[k][0], sizes[k][1]);

    gst_harness_set_src_caps_str (harness, caps);
    g_free (caps);
    for (guint i = 0; i < 5; i++)
      gst_harness_push (
          harness, paco_test_gray_buffer (sizes[k][0], sizes[k][1], n++));
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), n);

  for (gint i = 0; i < n; i++) {
    GstBuffer *out = gst_harness_pull (harness);
    PacoHeader header;

    paco_test_header (out, &header);
    fail_unless_equals_int (header.picture.width, sizes[i / 5][0]);
    fail_unless_equals_int (header.picture.height, sizes[i / 5][1]);
    gst_buffer_unref (out);
  }
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_flush)
{
  GstBus *bus;
  GstHarness *harness = gray_harness (
      "pacoenc pipeline-depth=8 threads=1", &bus);
  GstSegment segment;
  GstBuffer *out;
  guint after = 0;

  for (guint round = 0; round < 50; round++) {
    for (guint i = 0; i < 6; i++)
      gst_harness_push (harness, paco_test_gray_buffer (64, 48, i));
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    while ((out = gst_harness_try_pull (harness)) != NULL)
      gst_buffer_unref (out);

    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (harness, gst_event_new_segment (&segment));
    fail_unless_equals_int (
        gst_harness_push (harness, paco_test_gray_buffer (64, 48, 100)),
        GST_FLOW_OK);
    out = gst_harness_pull (harness);
    fail_unless (out != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 100 * 40 * GST_MSECOND);
    gst_buffer_unref (out);
    after++;
  }
  fail_unless_equals_int (after, 50);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_no_cuda)
{
  GstElement *encoder = gst_element_factory_make ("pacoenc", NULL);
  GstBus *bus = gst_bus_new ();
  GError *error;

  gst_object_ref_sink (encoder);
  gst_element_set_bus (encoder, bus);
  gst_util_set_object_arg (G_OBJECT (encoder), "backend", "cuda");
  if (gst_element_set_state (encoder, GST_STATE_PAUSED)
      == GST_STATE_CHANGE_FAILURE) {
    error = paco_test_pop_error (bus);
    fail_unless (g_error_matches (
        error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
    /* The message says what to do in a build without CUDA, and what is missing
     * in one with it. */
    fail_unless (strstr (error->message, "backend=cpu") != NULL
        || strstr (error->message, "no CUDA device") != NULL);
    g_error_free (error);

    /* It is not beyond repair. */
    gst_util_set_object_arg (G_OBJECT (encoder), "backend", "auto");
    fail_if (gst_element_set_state (encoder, GST_STATE_PAUSED)
        == GST_STATE_CHANGE_FAILURE);
  }
  gst_element_set_state (encoder, GST_STATE_NULL);
  gst_element_set_bus (encoder, NULL);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (encoder);
  gst_object_unref (bus);
}
GST_END_TEST;

static void
check_refused (const char *caps, gsize size)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacoenc", &bus);
  GError *error;

  gst_harness_set_src_caps_str (harness, caps);
  fail_if (gst_harness_push (harness, gst_harness_create_buffer (harness, size))
          == GST_FLOW_OK,
      "%s", caps);
  error = paco_test_pop_error (bus);
  fail_unless (error != NULL, "%s", caps);
  fail_unless (strlen (error->message) > 20, "%s", error->message);
  g_error_free (error);
  paco_test_teardown_failed (harness, bus);
}

GST_START_TEST (test_refused_input)
{
  check_refused ("video/x-raw,format=I420,width=64,height=48,framerate=25/1,"
                 "interlace-mode=fields",
      64 * 48 * 2);
  check_refused (
      "video/x-raw,format=UYVP,width=35,height=48,framerate=25/1", 88 * 48);
  /* This buffer is too small for its caps. */
  check_refused (SMALL_CAPS, 64 * 47);
}
GST_END_TEST;

/* Tests input with strides and offsets of its own. */
GST_START_TEST (test_video_meta)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness (
      "pacoenc rate-control=lossless ! pacodec", &bus);
  GstVideoInfo info;
  gsize offset[GST_VIDEO_MAX_PLANES] = { 123, 123 + 100 * 48 + 7,
    123 + 100 * 48 + 7 + 41 * 24 + 5 };
  gint stride[GST_VIDEO_MAX_PLANES] = { 100, 41, 53 };
  gsize size = offset[2] + 53 * 24 + 3;
  GstBuffer *in = gst_buffer_new_allocate (NULL, size, NULL), *out;
  GstVideoFrame frame;

  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 64, 48);
  gst_buffer_memset (in, 0, 0xaa, size);
  gst_buffer_add_video_meta_full (in, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_I420, 64, 48, 3, offset, stride);
  fail_unless (gst_video_frame_map (&frame, &info, in, GST_MAP_WRITE));
  for (guint p = 0; p < 3; p++)
    for (guint y = 0; y < (p ? 24 : 48); y++)
      for (guint x = 0; x < (p ? 32 : 64); x++)
        ((guint8 *) frame.data[p])[y * frame.info.stride[p] + x] = 3 * x + 5 * y
            + 40 * p;
  gst_video_frame_unmap (&frame);
  GST_BUFFER_PTS (in) = 0;

  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  gst_harness_push (harness, gst_buffer_ref (in));
  out = gst_harness_pull (harness);
  paco_test_same_samples (&info, in, &info, out, "video meta");
  gst_buffer_unref (in);
  gst_buffer_unref (out);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that metas that are not about memory pass through encoder and
 * decoder. */
GST_START_TEST (test_metas)
{
  GstBus *bus;
  GstHarness *harness = gray_harness ("pacoenc ! pacodec", &bus);
  GstBuffer *in = paco_test_gray_buffer (64, 48, 0), *out;
  GstCaps *reference = gst_caps_new_empty_simple ("timestamp/x-test");
  GstReferenceTimestampMeta *meta;
  GstVideoTimeCodeMeta *timecode;

  gst_buffer_add_reference_timestamp_meta (
      in, reference, 12345, GST_CLOCK_TIME_NONE);
  gst_buffer_add_video_time_code_meta_full (
      in, 25, 1, NULL, GST_VIDEO_TIME_CODE_FLAGS_NONE, 1, 2, 3, 4, 0);
  gst_harness_push (harness, in);
  out = gst_harness_pull (harness);

  meta = gst_buffer_get_reference_timestamp_meta (out, reference);
  fail_unless (meta != NULL);
  fail_unless_equals_uint64 (meta->timestamp, 12345);
  timecode = gst_buffer_get_video_time_code_meta (out);
  fail_unless (timecode != NULL);
  fail_unless_equals_int (timecode->tc.frames, 4);

  gst_caps_unref (reference);
  gst_buffer_unref (out);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

static guint64
count_configurations (GstHarness *harness, const char *name)
{
  GstElement *element = gst_harness_find_element (harness, name);
  GstStructure *stats;
  guint64 n;

  g_object_get (element, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "configurations", &n));
  gst_structure_free (stats);
  gst_object_unref (element);
  return n;
}

/* Tests that in mixed streams each buffer says what it is, and that the flags
 * come back. The encoder gets ready for both forms of frames at once, the
 * decoder when it first sees one. */
GST_START_TEST (test_interlaced)
{
  static const guint flags[] = { 0, GST_VIDEO_BUFFER_FLAG_INTERLACED, 0,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF
        | GST_VIDEO_BUFFER_FLAG_RFF,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_ONEFIELD, 0 };
  const guint all = GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF
      | GST_VIDEO_BUFFER_FLAG_RFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD;
  GstBus *bus;
  GstHarness *harness = paco_test_harness (
      "pacoenc rate-control=lossless pipeline-depth=4 ! "
      "pacodec pipeline-depth=4",
      &bus);
  GstVideoInfo info;
  GstBuffer *in[G_N_ELEMENTS (flags)];

  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=I420,width=34,height=27,framerate=25/1,"
      "interlace-mode=mixed");
  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 34, 27);
  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    in[i] = paco_test_random_buffer (&info, i);
    GST_BUFFER_FLAG_SET (in[i], flags[i]);
    GST_BUFFER_PTS (in[i]) = i * 40 * GST_MSECOND;
    gst_harness_push (harness, gst_buffer_ref (in[i]));
  }
  gst_harness_push_event (harness, gst_event_new_eos ());

  for (guint i = 0; i < G_N_ELEMENTS (flags); i++) {
    GstBuffer *out = gst_harness_pull (harness);

    fail_unless_equals_int_hex (GST_BUFFER_FLAGS (out) & all, flags[i]);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * 40 * GST_MSECOND);
    paco_test_same_samples (&info, in[i], &info, out, "mixed");
    gst_buffer_unref (in[i]);
    gst_buffer_unref (out);
  }
  fail_unless_equals_uint64 (count_configurations (harness, "pacoenc"), 1);
  fail_unless_equals_uint64 (count_configurations (harness, "pacodec"), 2);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that fields are coded as fields, frames as frames. */
GST_START_TEST (test_fields_in_header)
{
  static const struct
  {
    const char *mode;
    guint flags;
    gboolean fields;
    guint picture_flags;
  } cases[] = {
    { "progressive", GST_VIDEO_BUFFER_FLAG_TFF, FALSE, 0 },
    { "interleaved", GST_VIDEO_BUFFER_FLAG_TFF, TRUE,
        PACO_PICTURE_TOP_FIELD_FIRST },
    { "mixed", 0, FALSE, 0 },
    { "mixed", GST_VIDEO_BUFFER_FLAG_INTERLACED, TRUE, 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBus *bus;
    GstHarness *harness = paco_test_harness ("pacoenc", &bus);
    gchar *caps = g_strdup_printf ("video/x-raw,format=GRAY8,width=64,"
                                   "height=48,framerate=25/1,interlace-mode=%s",
        cases[i].mode);
    GstBuffer *buffer = paco_test_gray_buffer (64, 48, 0);
    PacoHeader header;

    gst_harness_set_src_caps_str (harness, caps);
    GST_BUFFER_FLAG_SET (buffer, cases[i].flags);
    gst_harness_push (harness, buffer);
    buffer = gst_harness_pull (harness);
    paco_test_header (buffer, &header);
    fail_unless_equals_int (header.picture.fields, cases[i].fields);
    fail_unless_equals_int (header.video.picture_flags, cases[i].picture_flags);
    gst_buffer_unref (buffer);
    g_free (caps);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

GST_START_TEST (test_quality_while_playing)
{
  GstBus *bus;
  GstHarness *harness = gray_harness ("pacoenc quality=95", &bus);
  GstElement *encoder = gst_harness_find_element (harness, "pacoenc");
  gsize sizes[3];
  static const gdouble qualities[] = { 95.0, 20.0, 95.0 };

  for (guint i = 0; i < 3; i++) {
    GstBuffer *out;

    g_object_set (encoder, "quality", qualities[i], NULL);
    gst_harness_push (harness, paco_test_gray_buffer (64, 48, 0));
    out = gst_harness_pull (harness);
    sizes[i] = gst_buffer_get_size (out);
    gst_buffer_unref (out);
  }
  fail_unless (sizes[1] < sizes[0], "%zu, %zu", sizes[1], sizes[0]);
  fail_unless_equals_uint64 (sizes[0], sizes[2]);
  gst_object_unref (encoder);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that the steps are those of the codec's parameter of this name. */
GST_START_TEST (test_tune)
{
  static const struct
  {
    const gchar *launch;
    PacoTune tune;
  } cases[] = {
    { "pacoenc", PACO_TUNE_VISUAL },
    { "pacoenc tune=visual", PACO_TUNE_VISUAL },
    { "pacoenc tune=psnr", PACO_TUNE_PSNR },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBus *bus;
    GstHarness *harness = gray_harness (cases[i].launch, &bus);
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding coding;
    PacoHeader header;
    GstBuffer *buffer;

    gst_harness_push (harness, paco_test_gray_buffer (64, 48, 0));
    buffer = gst_harness_pull (harness);
    paco_test_header (buffer, &header);
    parameters.tune = cases[i].tune;
    fail_unless (
        paco_policy_coding (&header.picture, &parameters, &coding, NULL));
    for (guint k = 0; k <= 3 * coding.levels; k++)
      fail_unless_equals_int (
          header.coding.subbands[0][k].step, coding.subbands[0][k].step);
    gst_buffer_unref (buffer);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

/* Tests that changes that are not for while it plays wait for the next format,
 * also of frames in fields. */
GST_START_TEST (test_levels_while_playing)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacoenc levels=3", &bus);
  GstElement *encoder = gst_harness_find_element (harness, "pacoenc");
  static const gchar *const caps = "video/x-raw,format=GRAY8,width=64,"
                                   "height=48,framerate=25/1,"
                                   "interlace-mode=mixed";

  gst_harness_set_src_caps_str (harness, caps);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = paco_test_gray_buffer (64, 48, i);
    PacoHeader header;

    if (i == 1)
      GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    gst_harness_push (harness, buffer);
    buffer = gst_harness_pull (harness);
    paco_test_header (buffer, &header);
    fail_unless_equals_int (header.picture.fields, i == 1);
    fail_unless_equals_int (header.coding.levels, 3);
    gst_buffer_unref (buffer);
    g_object_set (encoder, "levels", 1, NULL);
  }
  gst_object_unref (encoder);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_stats)
{
  GstBus *bus;
  GstHarness *harness = gray_harness ("pacoenc backend=cpu threads=2", &bus);
  GstElement *encoder = gst_harness_find_element (harness, "pacoenc");
  GstStructure *stats;
  guint64 frames, bytes, pushed = 0;
  gdouble ms;

  for (guint i = 0; i < 3; i++) {
    GstBuffer *out;

    gst_harness_push (harness, paco_test_gray_buffer (64, 48, i));
    out = gst_harness_pull (harness);
    pushed += gst_buffer_get_size (out);
    gst_buffer_unref (out);
  }

  for (guint k = 0; k < 2; k++) {
    g_object_get (encoder, "stats", &stats, NULL);
    fail_unless (gst_structure_get (stats, "frames", G_TYPE_UINT64, &frames,
        "bytes", G_TYPE_UINT64, &bytes, "transform-ms", G_TYPE_DOUBLE, &ms,
        "blocks-ms", G_TYPE_DOUBLE, &ms, "stream-ms", G_TYPE_DOUBLE, &ms,
        NULL));
    fail_unless_equals_uint64 (frames, 3);
    fail_unless_equals_uint64 (bytes, pushed);
    fail_unless_equals_string (
        gst_structure_get_string (stats, "backend"), "cpu");
    fail_unless (gst_structure_get_string (stats, "device") != NULL);
    gst_structure_free (stats);
    /* The figures stay readable when the element has stopped. */
    gst_element_set_state (encoder, GST_STATE_NULL);
  }
  gst_object_unref (encoder);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that it codes with as many threads as were asked for. */
GST_START_TEST (test_many_threads)
{
  GstBus *bus;
  GstHarness *harness = gray_harness ("pacoenc backend=cpu threads=300", &bus);
  GstElement *encoder = gst_harness_find_element (harness, "pacoenc");
  GstStructure *stats;

  gst_harness_push (harness, paco_test_gray_buffer (64, 48, 0));
  gst_buffer_unref (gst_harness_pull (harness));
  g_object_get (encoder, "stats", &stats, NULL);
  fail_unless (g_str_has_prefix (
      gst_structure_get_string (stats, "device"), "300 threads"));
  gst_structure_free (stats);
  gst_object_unref (encoder);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that coded buffers may outlive the encoder that made them. */
GST_START_TEST (test_buffer_outlives_encoder)
{
  GstBus *bus;
  GstHarness *harness = gray_harness ("pacoenc rate-control=lossless", &bus);
  GstBuffer *in = paco_test_gray_buffer (64, 48, 0), *coded[20], *out;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, 64, 48);
  for (guint i = 0; i < G_N_ELEMENTS (coded); i++) {
    gst_harness_push (harness, gst_buffer_copy (in));
    coded[i] = gst_harness_pull (harness);
  }
  paco_test_teardown (harness, bus);

  harness = paco_test_harness ("pacodec", &bus);
  gst_harness_set_src_caps_str (
      harness, "video/x-paco,parsed=true,alignment=frame");
  for (guint i = 0; i < G_N_ELEMENTS (coded); i++) {
    gst_harness_push (harness, coded[i]);
    out = gst_harness_pull (harness);
    paco_test_same_samples (&info, in, &info, out, "outlived");
    gst_buffer_unref (out);
  }
  gst_buffer_unref (in);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

static GstPadProbeReturn
refuse_buffers (GstPad *pad, GstPadProbeInfo *info, gpointer flow)
{
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GPOINTER_TO_INT (flow);
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_HANDLED;
}

/* Tests that what downstream answers reaches upstream. */
GST_START_TEST (test_downstream_flow)
{
  static const GstFlowReturn flows[] = { GST_FLOW_EOS, GST_FLOW_ERROR,
    GST_FLOW_NOT_LINKED };

  for (guint k = 0; k < G_N_ELEMENTS (flows); k++) {
    GstBus *bus;
    GstHarness *harness = gray_harness ("pacoenc", &bus);
    GstFlowReturn flow = GST_FLOW_OK;

    gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
        refuse_buffers, GINT_TO_POINTER (flows[k]), NULL);
    for (guint i = 0; i < 100 && flow == GST_FLOW_OK; i++)
      flow = gst_harness_push (harness, paco_test_gray_buffer (64, 48, i));
    fail_unless_equals_int (flow, flows[k]);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

GST_START_TEST (test_propose_allocation)
{
  GstBus *bus;
  GstHarness *harness = gray_harness ("pacoenc pipeline-depth=4", &bus);
  GstCaps *caps = gst_caps_from_string (SMALL_CAPS);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool;
  guint size, min;

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless (
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  fail_unless (gst_query_get_n_allocation_pools (query) >= 1);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, NULL);
  fail_unless (pool != NULL);
  fail_unless_equals_int (size, 64 * 48);
  fail_unless (min >= 4);
  gst_object_unref (pool);
  gst_query_unref (query);
  gst_caps_unref (caps);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that frames that are late already are coded unless qos says
 * otherwise. */
GST_START_TEST (test_qos)
{
  for (guint qos = 0; qos < 2; qos++) {
    GstBus *bus;
    GstHarness *harness = gray_harness (
        qos ? "pacoenc qos=true" : "pacoenc qos=false", &bus);
    GstBuffer *frames[] = { paco_test_gray_buffer (64, 48, 0),
      paco_test_gray_buffer (64, 48, 1), paco_test_gray_buffer (64, 48, 1000) };

    paco_test_expect_qos (harness, frames, qos);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

/* Tests that stopping with frames in flight neither hangs nor leaks. */
GST_START_TEST (test_stop_in_flight)
{
  for (guint k = 0; k < 20; k++) {
    GstBus *bus;
    GstHarness *harness = gray_harness (
        "pacoenc pipeline-depth=8 threads=1", &bus);

    for (guint i = 0; i < k % 10; i++)
      gst_harness_push (harness, paco_test_gray_buffer (64, 48, i));
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

static Suite *
pacoenc_suite (void)
{
  Suite *suite = suite_create ("pacoenc");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_caps);
  tcase_add_test (tcase, test_order_and_drain);
  tcase_add_test (tcase, test_places);
  tcase_add_test (tcase, test_single_frame_is_not_kept);
  tcase_add_test (tcase, test_renegotiation);
  tcase_add_test (tcase, test_flush);
  tcase_add_test (tcase, test_no_cuda);
  tcase_add_test (tcase, test_refused_input);
  tcase_add_test (tcase, test_video_meta);
  tcase_add_test (tcase, test_metas);
  tcase_add_test (tcase, test_interlaced);
  tcase_add_test (tcase, test_fields_in_header);
  tcase_add_test (tcase, test_quality_while_playing);
  tcase_add_test (tcase, test_tune);
  tcase_add_test (tcase, test_levels_while_playing);
  tcase_add_test (tcase, test_stats);
  tcase_add_test (tcase, test_many_threads);
  tcase_add_test (tcase, test_buffer_outlives_encoder);
  tcase_add_test (tcase, test_downstream_flow);
  tcase_add_test (tcase, test_propose_allocation);
  tcase_add_test (tcase, test_qos);
  tcase_add_test (tcase, test_stop_in_flight);
  return suite;
}

GST_CHECK_MAIN (pacoenc);

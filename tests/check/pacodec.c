/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacodec: broken input and recovery, reduction, negotiation, renegotiation,
 * flushing, playing backwards, pools, QoS. */
#include "pacotest.h"
#include "codec/geometry.h"

static GstBuffer *
code_gray (guint width, guint height, guint phase)
{
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, width, height);
  return paco_test_code ("pacoenc rate-control=lossless", &info,
      paco_test_gray_buffer (width, height, phase));
}

static void
check_gray (GstBuffer *out, guint width, guint height, guint phase)
{
  GstBuffer *in = paco_test_gray_buffer (width, height, phase);
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, width, height);
  paco_test_same_samples (&info, in, &info, out, "gray");
  gst_buffer_unref (in);
}

static void
pull_gray (GstHarness *harness, guint width, guint height, guint phase)
{
  GstBuffer *buffer = gst_harness_pull (harness);

  check_gray (buffer, width, height, phase);
  gst_buffer_unref (buffer);
}

static void
put_u16 (GstBuffer *buffer, guint at, guint16 value)
{
  guint8 bytes[2];

  GST_WRITE_UINT16_LE (bytes, value);
  gst_buffer_fill (buffer, at, bytes, 2);
}

/* Breaks a good frame in one of several ways. */
static GstBuffer *
broken (guint how)
{
  GstBuffer *buffer = gst_buffer_make_writable (code_gray (64, 48, 1));
  gsize size = gst_buffer_get_size (buffer);

  switch (how) {
    case 0:
      gst_buffer_unref (buffer);
      return gst_buffer_new ();
    case 1:
      gst_buffer_memset (buffer, 0, 0x5a, size);
      break;
    case 2:
      gst_buffer_set_size (buffer, 10);
      break;
    case 3:
      gst_buffer_set_size (buffer, size - 1);
      break;
    case 4:
      gst_buffer_set_size (buffer, size / 2);
      break;
    case 5: /* version */
      gst_buffer_memset (buffer, 4, 9, 1);
      break;
    case 6: /* width; the header's check no longer holds */
      put_u16 (buffer, 36, 16000);
      break;
    case 7: /* header_size */
      put_u16 (buffer, 6, 65535);
      break;
    case 8: /* frame_size */
      put_u16 (buffer, 10, 65535);
      break;
    case 9: /* index_size */
      put_u16 (buffer, 12, 3);
      break;
    case 10: /* index_crc */
      put_u16 (buffer, 16, 12345);
      break;
    default:
      gst_buffer_unref (buffer);
      return NULL;
  }
  return buffer;
}

/* Tests that each broken frame costs a warning and itself; the good frames
 * around it come out. */
GST_START_TEST (test_broken_frames)
{
  for (guint how = 0;; how++) {
    GstBuffer *buffer = broken (how);
    GstBus *bus;
    GstHarness *harness;

    if (buffer == NULL)
      break;
    harness = paco_test_decoder_harness ("pacodec max-errors=-1", &bus);
    gst_harness_push (harness, code_gray (64, 48, 0));
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
    gst_harness_push (harness, code_gray (64, 48, 2));
    gst_harness_push_event (harness, gst_event_new_eos ());

    fail_unless (gst_harness_buffers_received (harness) == 2, "case %u", how);
    pull_gray (harness, 64, 48, 0);
    pull_gray (harness, 64, 48, 2);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

GST_START_TEST (test_max_errors)
{
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec max-errors=2", &bus);
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error;
  guint n;

  for (n = 0; n < 10 && flow == GST_FLOW_OK; n++)
    flow = gst_harness_push (harness, broken (4));
  fail_unless_equals_int (flow, GST_FLOW_ERROR);
  fail_unless_equals_int (n, 3);
  error = paco_test_pop_error (bus);
  fail_unless (
      g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
  fail_unless (strlen (error->message) > 20, "%s", error->message);
  g_error_free (error);
  paco_test_teardown_failed (harness, bus);
}
GST_END_TEST;

/* Makes a frame with a broken payload: what its blocks' checks find costs blocks. The
 * last byte of a lossless frame is padding or raw bits of a block. */
static GstBuffer *
damaged (void)
{
  GstBuffer *buffer = gst_buffer_make_writable (code_gray (256, 192, 3));
  PacoHeader header;
  gsize payload;

  paco_test_header (buffer, &header);
  payload = header.header_size + header.index_size;
  gst_buffer_memset (buffer,
      payload + (gst_buffer_get_size (buffer) - payload) / 2, 0xff,
      (gst_buffer_get_size (buffer) - payload) / 4);
  return buffer;
}

GST_START_TEST (test_corrupted_blocks)
{
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec discard-corrupted-frames=false max-errors=-1", &bus);
  GstElement *decoder = gst_harness_find_element (harness, "pacodec");
  GstStructure *stats;
  GstBuffer *out;
  guint64 blocks;

  gst_harness_push (harness, damaged ());
  out = gst_harness_pull (harness);
  fail_unless (out != NULL);
  fail_unless (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_CORRUPTED));
  gst_buffer_unref (out);

  gst_harness_push (harness, code_gray (256, 192, 4));
  out = gst_harness_pull (harness);
  fail_if (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_CORRUPTED));
  check_gray (out, 256, 192, 4);
  gst_buffer_unref (out);

  g_object_get (decoder, "stats", &stats, NULL);
  fail_unless (gst_structure_get_uint64 (stats, "corrupted-blocks", &blocks));
  fail_unless (blocks > 0);
  gst_structure_free (stats);
  gst_object_unref (decoder);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_discard_corrupted)
{
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec discard-corrupted-frames=true max-errors=-1", &bus);

  gst_harness_push (harness, damaged ());
  gst_harness_push (harness, code_gray (256, 192, 4));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 1);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that of two frames in one buffer, which is upstream's mistake, the
 * first one comes out. */
GST_START_TEST (test_bytes_behind)
{
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness ("pacodec", &bus);

  gst_harness_push (harness,
      gst_buffer_append (code_gray (64, 48, 0), code_gray (64, 48, 1)));
  pull_gray (harness, 64, 48, 0);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that the bitstream, not the caps, says how large the picture is. */
GST_START_TEST (test_lying_caps)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacodec", &bus);
  GstBuffer *out;
  GstVideoInfo info;
  GstCaps *caps;

  gst_harness_set_src_caps_str (harness,
      PACO_TEST_CODED_CAPS ",width=16,height=16,framerate=50/1,format=I420,"
                           "pixel-aspect-ratio=2/1");
  gst_harness_push (harness, code_gray (64, 48, 0));
  out = gst_harness_pull (harness);
  check_gray (out, 64, 48, 0);
  caps = gst_pad_get_current_caps (harness->sinkpad);
  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (info.width, 64);
  fail_unless_equals_int (info.fps_n, 25);
  fail_unless_equals_int (info.par_n, 1);
  gst_caps_unref (caps);
  gst_buffer_unref (out);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_renegotiation)
{
  static const guint sizes[][2] = { { 64, 48 }, { 128, 96 }, { 128, 96 },
    { 17, 5 }, { 64, 48 } };
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec pipeline-depth=4", &bus);

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k < 3; k++)
      gst_harness_push (harness, code_gray (sizes[i][0], sizes[i][1], k));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (
      gst_harness_buffers_received (harness), 3 * G_N_ELEMENTS (sizes));

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k < 3; k++)
      pull_gray (harness, sizes[i][0], sizes[i][1], k);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that downstream may take another layout of the same samples. */
GST_START_TEST (test_other_layout)
{
  static const GstVideoFormat pairs[][2] = {
    { GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_P010_10LE },
    { GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_I422_10LE },
    { GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_BGRx },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    GstBus *bus;
    gchar *launch = g_strdup_printf (
        "pacodec ! capsfilter caps=video/x-raw,format=%s",
        gst_video_format_to_string (pairs[i][1]));
    GstHarness *harness = paco_test_decoder_harness (launch, &bus);
    GstVideoInfo from, to;
    GstBuffer *in, *out;

    paco_test_info (&from, pairs[i][0], 48, 31);
    paco_test_info (&to, pairs[i][1], 48, 31);
    in = paco_test_random_buffer (&from, i);
    gst_harness_push (harness,
        paco_test_code (
            "pacoenc rate-control=lossless", &from, gst_buffer_ref (in)));
    out = gst_harness_pull (harness);
    paco_test_same_samples (&from, in, &to, out, launch);
    gst_buffer_unref (in);
    gst_buffer_unref (out);
    g_free (launch);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

/* Tests that downstream may change its mind while frames flow. */
GST_START_TEST (test_downstream_reconfigures)
{
  static const char *const formats[] = { "I422_10LE", "Y210", "v210" };
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec pipeline-depth=4 ! capsfilter caps=video/x-raw,format=I422_10LE",
      &bus);
  GstElement *filter = gst_harness_find_element (harness, "capsfilter");
  GstVideoInfo from, to;
  GstBuffer *in;

  paco_test_info (&from, GST_VIDEO_FORMAT_UYVP, 48, 20);
  in = paco_test_random_buffer (&from, 1);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstCaps *caps = gst_caps_new_simple (
        "video/x-raw", "format", G_TYPE_STRING, formats[i], NULL);

    g_object_set (filter, "caps", caps, NULL);
    gst_caps_unref (caps);
    paco_test_info (&to, gst_video_format_from_string (formats[i]), 48, 20);
    for (guint k = 0; k < 3; k++)
      gst_harness_push (harness,
          paco_test_code (
              "pacoenc rate-control=lossless", &from, gst_buffer_ref (in)));
    for (guint k = 0; k < 3; k++) {
      GstBuffer *out = gst_harness_pull (harness);

      paco_test_same_samples (&from, in, &to, out, formats[i]);
      gst_buffer_unref (out);
    }
  }
  gst_buffer_unref (in);
  gst_object_unref (filter);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Checks pictures of a format that are reduced, progressive or in fields. */
static void
check_reduced (GstVideoFormat format, const char *mode, guint width,
    guint height, guint reduce)
{
  GstBus *bus;
  gchar *launch = g_strdup_printf ("pacodec reduce=%u", reduce);
  GstHarness *harness = paco_test_decoder_harness (launch, &bus);
  PacoPictureFormat picture;
  GstVideoInfo info, out_info;
  GstVideoFrame frame;
  GstBuffer *out;
  GstCaps *caps;
  guint reduced_width, reduced_height;

  fail_unless (gst_video_info_set_interlaced_format (&info, format,
      gst_video_interlace_mode_from_string (mode), width, height));
  fail_unless (paco_picture_format_from_info (
      &info, info.interlace_mode != 0, &picture));
  paco_geometry_reduced_size (
      &picture, reduce, &reduced_width, &reduced_height);

  gst_harness_push (harness,
      paco_test_code ("pacoenc rate-control=lossless levels=4", &info,
          paco_test_random_buffer (&info, format)));
  out = gst_harness_pull (harness);
  fail_unless (out != NULL, "%s %s %ux%u", launch, mode, width, height);
  caps = gst_pad_get_current_caps (harness->sinkpad);
  fail_unless (gst_video_info_from_caps (&out_info, caps));
  fail_unless_equals_int (out_info.width, reduced_width);
  fail_unless_equals_int (out_info.height, reduced_height);
  fail_unless (gst_video_frame_map (&frame, &out_info, out, GST_MAP_READ));
  gst_video_frame_unmap (&frame);

  gst_caps_unref (caps);
  gst_buffer_unref (out);
  g_free (launch);
  paco_test_teardown (harness, bus);
}

GST_START_TEST (test_reduce)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUV9, GST_VIDEO_FORMAT_v210,
    GST_VIDEO_FORMAT_UYVP, GST_VIDEO_FORMAT_GBRA_12LE };
  static const guint heights[] = { 4, 12, 27, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; k < G_N_ELEMENTS (heights); k++)
      for (guint reduce = 1; reduce <= 4; reduce++) {
        check_reduced (formats[i], "progressive", 66, heights[k], reduce);
        check_reduced (formats[i], "interleaved", 66, heights[k], reduce);
      }
}
GST_END_TEST;

/* Has the frame say that its stream is of that mode. */
static void
set_interlace_mode (GstBuffer *buffer, PacoInterlaceMode mode)
{
  PacoProbabilitySet set;
  PacoHeader header;
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READWRITE));
  fail_unless (paco_header_parse (map.data, map.size, &header, &set, NULL));
  header.video.interlace_mode = mode;
  fail_unless_equals_uint64 (
      paco_header_write (&header, map.data), header.header_size);
  gst_buffer_unmap (buffer, &map);
}

/* Makes one frame of a mixed stream. */
static GstBuffer *
code_of_mixed (const GstVideoInfo *info, guint32 seed, gboolean fields)
{
  GstBuffer *buffer = paco_test_random_buffer (info, seed);

  if (fields)
    GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  return gst_buffer_make_writable (
      paco_test_code ("pacoenc rate-control=lossless levels=4", info, buffer));
}

static void
output_info (GstHarness *harness, GstVideoInfo *info)
{
  GstCaps *caps = gst_pad_get_current_caps (harness->sinkpad);

  fail_unless (gst_video_info_from_caps (info, caps));
  gst_caps_unref (caps);
}

/* Tests that frames of both forms, whatever they say of their stream and
 * however many lines a field of them has, are decoded as each of them alone. */
GST_START_TEST (test_forms)
{
  static const PacoInterlaceMode modes[] = { PACO_INTERLACE_MIXED,
    PACO_INTERLACE_INTERLEAVED, PACO_INTERLACE_PROGRESSIVE };

  for (guint i = 0; i < 40; i++) {
    guint height = g_random_int_range (8, 60);
    char *launch = g_strdup_printf ("pacodec reduce=%u", i % 4);
    GstBus *bus;
    GstHarness *harness = paco_test_decoder_harness (launch, &bus);
    GstVideoInfo info;

    gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_I420,
        GST_VIDEO_INTERLACE_MODE_MIXED, 34, height);
    for (guint n = 0; n < 6; n++) {
      GstHarness *alone = gst_harness_new_parse (launch);
      GstBuffer *coded = code_of_mixed (&info, n, g_random_boolean ());
      GstBuffer *out, *expected;
      GstVideoInfo infos[2];

      set_interlace_mode (coded, modes[i % G_N_ELEMENTS (modes)]);
      gst_harness_set_src_caps_str (alone, PACO_TEST_CODED_CAPS);
      gst_harness_push (alone, gst_buffer_ref (coded));
      gst_harness_push (harness, coded);
      expected = gst_harness_pull (alone);
      out = gst_harness_pull (harness);
      output_info (alone, &infos[0]);
      output_info (harness, &infos[1]);
      fail_unless_equals_int (infos[0].height, infos[1].height);
      paco_test_same_samples (&infos[0], expected, &infos[1], out, launch);
      gst_buffer_unref (out);
      gst_buffer_unref (expected);
      gst_harness_teardown (alone);
    }
    paco_test_teardown (harness, bus);
    g_free (launch);
  }
}
GST_END_TEST;

/* Tests that a constant picture stays constant, however it is reduced. */
GST_START_TEST (test_reduced_samples)
{
  static const char *const modes[] = { "progressive", "interleaved" };

  for (guint m = 0; m < 2; m++)
    for (guint reduce = 0; reduce <= 4; reduce++) {
      GstBus *bus;
      gchar *launch = g_strdup_printf ("pacodec reduce=%u", reduce);
      GstHarness *harness = paco_test_decoder_harness (launch, &bus);
      GstVideoInfo info, out_info;
      GArray *samples;
      GstBuffer *in, *out;
      GstCaps *caps;

      fail_unless (
          gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_I420,
              gst_video_interlace_mode_from_string (modes[m]), 60, 44));
      in = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (&info), NULL);
      gst_buffer_memset (in, 0, 77, GST_VIDEO_INFO_SIZE (&info));
      GST_BUFFER_PTS (in) = 0;
      gst_harness_push (
          harness, paco_test_code ("pacoenc rate-control=lossless", &info, in));
      out = gst_harness_pull (harness);
      caps = gst_pad_get_current_caps (harness->sinkpad);
      fail_unless (gst_video_info_from_caps (&out_info, caps));
      samples = paco_test_samples (&out_info, out);
      fail_unless (samples->len > 0);
      for (guint i = 0; i < samples->len; i++)
        fail_unless_equals_int (g_array_index (samples, guint16, i), 77);

      g_array_unref (samples);
      gst_caps_unref (caps);
      gst_buffer_unref (out);
      g_free (launch);
      paco_test_teardown (harness, bus);
    }
}
GST_END_TEST;

GST_START_TEST (test_too_much_reduction)
{
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness ("pacodec reduce=7", &bus);
  GError *error;

  fail_unless_equals_int (
      gst_harness_push (harness, code_gray (64, 48, 0)), GST_FLOW_ERROR);
  error = paco_test_pop_error (bus);
  fail_unless (
      g_error_matches (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS));
  g_error_free (error);
  paco_test_teardown_failed (harness, bus);
}
GST_END_TEST;

/* Tests that HDR fields and colorimetry come back though no caps carry them. */
GST_START_TEST (test_header_fields_survive)
{
  GstBus *bus;
  GstHarness *encoder = gst_harness_new ("pacoenc");
  GstHarness *decoder = paco_test_decoder_harness ("pacodec", &bus);
  GstCaps *in = gst_caps_from_string (
      "video/x-raw,format=P010_10LE,width=32,height=16,framerate=24000/1001,"
      "pixel-aspect-ratio=4/3,interlace-mode=interleaved,"
      "field-order=top-field-first,colorimetry=bt2100-pq,chroma-site=mpeg2,"
      "mastering-display-info=(string)35400:14600:8500:39850:6550:2300:15635:"
      "16450:10000000:1,content-light-level=(string)1000:400,"
      "multiview-mode=mono");
  GstCaps *out;
  GstStructure *a = gst_caps_get_structure (in, 0), *b;
  GstBuffer *buffer;

  gst_harness_set_src_caps (encoder, gst_caps_ref (in));
  gst_harness_push (encoder, gst_harness_create_buffer (encoder, 32 * 16 * 3));
  gst_harness_push (decoder, gst_harness_pull (encoder));
  buffer = gst_harness_pull (decoder);
  out = gst_pad_get_current_caps (decoder->sinkpad);
  b = gst_caps_get_structure (out, 0);

  for (gint i = 0; i < gst_structure_n_fields (a); i++) {
    const gchar *name = gst_structure_nth_field_name (a, i);
    const GValue *there = gst_structure_get_value (b, name);

    if (g_str_equal (name, "multiview-mode"))
      continue;
    fail_unless (there != NULL, "%s is lost", name);
    fail_unless (gst_value_compare (gst_structure_get_value (a, name), there)
            == GST_VALUE_EQUAL,
        "%s changed", name);
  }

  gst_buffer_unref (buffer);
  gst_caps_unref (in);
  gst_caps_unref (out);
  gst_harness_teardown (encoder);
  paco_test_teardown (decoder, bus);
}
GST_END_TEST;

GST_START_TEST (test_flush)
{
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec pipeline-depth=8 threads=1", &bus);
  GstSegment segment;
  GstBuffer *out;

  for (guint round = 0; round < 5; round++) {
    for (guint i = 0; i < 6; i++)
      gst_harness_push (harness, code_gray (64, 48, i));
    gst_harness_push_event (harness, gst_event_new_flush_start ());
    gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE));
    while ((out = gst_harness_try_pull (harness)) != NULL)
      gst_buffer_unref (out);

    gst_segment_init (&segment, GST_FORMAT_TIME);
    gst_harness_push_event (harness, gst_event_new_segment (&segment));
    gst_harness_push (harness, code_gray (64, 48, 50));
    pull_gray (harness, 64, 48, 50);
  }
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that frames go in forwards, group by group, and come out backwards. */
GST_START_TEST (test_backwards)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacodec pipeline-depth=4", &bus);
  GstCaps *caps = gst_caps_from_string (PACO_TEST_CODED_CAPS);
  GstSegment segment;
  GstBuffer *out;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -1.0;
  segment.start = 0;
  segment.stop = segment.position = 10 * 40 * GST_MSECOND;
  gst_harness_push_event (harness, gst_event_new_stream_start ("backwards"));
  gst_harness_push_event (harness, gst_event_new_caps (caps));
  gst_caps_unref (caps);
  gst_harness_push_event (harness, gst_event_new_segment (&segment));

  for (gint i = 9; i >= 0; i--) {
    GstBuffer *buffer = code_gray (64, 48, i);

    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 10);
  for (gint i = 9; i >= 0; i--) {
    out = gst_harness_pull (harness);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * 40 * GST_MSECOND);
    check_gray (out, 64, 48, i);
    gst_buffer_unref (out);
  }
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests gaps with frames in flight. Where only key frames are wanted, the base
 * class has those out before it goes on. */
GST_START_TEST (test_gap)
{
  static const GstSegmentFlags flags[] = { GST_SEGMENT_FLAG_NONE,
    GST_SEGMENT_FLAG_TRICKMODE | GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS };
  GstBuffer *coded = code_gray (1024, 1024, 0);

  for (guint k = 0; k < G_N_ELEMENTS (flags); k++) {
    GstBus *bus;
    GstHarness *harness = paco_test_decoder_harness (
        "pacodec pipeline-depth=8 threads=1", &bus);
    GstSegment segment;

    gst_segment_init (&segment, GST_FORMAT_TIME);
    segment.flags = flags[k];
    gst_harness_push_event (harness, gst_event_new_segment (&segment));
    for (guint i = 0; i < 4; i++)
      gst_harness_push (harness, gst_buffer_ref (coded));
    fail_unless (gst_harness_push_event (
        harness, gst_event_new_gap (4 * 40 * GST_MSECOND, 40 * GST_MSECOND)));
    if (k == 1)
      fail_unless_equals_int (gst_harness_buffers_received (harness), 4);
    gst_harness_push (harness, gst_buffer_ref (coded));
    gst_harness_push_event (harness, gst_event_new_eos ());
    fail_unless_equals_int (gst_harness_buffers_received (harness), 5);
    paco_test_teardown (harness, bus);
  }
  gst_buffer_unref (coded);
}
GST_END_TEST;

/* Tests that frames that are late already are decoded unless qos says
 * otherwise. */
GST_START_TEST (test_qos)
{
  for (guint qos = 0; qos < 2; qos++) {
    GstBus *bus;
    GstHarness *harness = paco_test_decoder_harness (
        qos ? "pacodec qos=true" : "pacodec qos=false", &bus);
    GstBuffer *frames[] = { code_gray (64, 48, 0), code_gray (64, 48, 1),
      code_gray (64, 48, 1000) };

    paco_test_expect_qos (harness, frames, qos);
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

static GstPadProbeReturn
propose_small_pool (GstPad *pad, GstPadProbeInfo *info, gpointer seen)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);
  GstVideoInfo video;
  GstBufferPool *pool;
  GstStructure *config;
  GstCaps *caps;

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION
      || !(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_PUSH))
    return GST_PAD_PROBE_OK;

  gst_query_parse_allocation (query, &caps, NULL);
  fail_unless (gst_video_info_from_caps (&video, caps));
  pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (config, caps, video.size, 1, 1);
  gst_buffer_pool_set_config (pool, config);
  gst_query_add_allocation_pool (query, pool, video.size, 1, 1);
  gst_object_unref (pool);
  *(gboolean *) seen = TRUE;
  return GST_PAD_PROBE_HANDLED;
}

/* Tests that a pool of one buffer downstream, which keeps what it gets, is no
 * dead end. */
GST_START_TEST (test_small_pool)
{
  GstBus *bus;
  GstHarness *harness = paco_test_decoder_harness (
      "pacodec pipeline-depth=4", &bus);
  gboolean seen = FALSE;

  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      propose_small_pool, &seen, NULL);
  for (guint i = 0; i < 8; i++)
    gst_harness_push (harness, code_gray (64, 48, i));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless (seen);
  fail_unless_equals_int (gst_harness_buffers_received (harness), 8);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

GST_START_TEST (test_stop_in_flight)
{
  for (guint k = 0; k < 20; k++) {
    GstBus *bus;
    GstHarness *harness = paco_test_decoder_harness (
        "pacodec pipeline-depth=8 threads=1", &bus);

    for (guint i = 0; i < k % 10; i++)
      gst_harness_push (harness, code_gray (64, 48, i));
    paco_test_teardown (harness, bus);
  }
}
GST_END_TEST;

static Suite *
pacodec_suite (void)
{
  Suite *suite = suite_create ("pacodec");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_test (tcase, test_broken_frames);
  tcase_add_test (tcase, test_max_errors);
  tcase_add_test (tcase, test_corrupted_blocks);
  tcase_add_test (tcase, test_discard_corrupted);
  tcase_add_test (tcase, test_bytes_behind);
  tcase_add_test (tcase, test_lying_caps);
  tcase_add_test (tcase, test_renegotiation);
  tcase_add_test (tcase, test_other_layout);
  tcase_add_test (tcase, test_downstream_reconfigures);
  tcase_add_test (tcase, test_reduce);
  tcase_add_test (tcase, test_reduced_samples);
  tcase_add_test (tcase, test_forms);
  tcase_add_test (tcase, test_too_much_reduction);
  tcase_add_test (tcase, test_header_fields_survive);
  tcase_add_test (tcase, test_flush);
  tcase_add_test (tcase, test_backwards);
  tcase_add_test (tcase, test_gap);
  tcase_add_test (tcase, test_qos);
  tcase_add_test (tcase, test_small_pool);
  tcase_add_test (tcase, test_stop_in_flight);
  return suite;
}

GST_CHECK_MAIN (pacodec);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacodec: broken input and recovery, reduction, negotiation, renegotiation,
 * flushing, playing backwards, pools, QoS. */
#include "pacotest.h"
#include "codec/geometry.h"

#define LOSSLESS "pacoenc rate-control=lossless"

static GstBuffer *
code_gray (guint width, guint height, guint phase)
{
  return paco_test_code_gray (LOSSLESS, width, height, phase);
}

static const struct
{
  guint at;
  guint8 value[2];
} wrong_bytes[] = {
  { 4, { 9, 0 } },        /* version */
  { 36, { 0x80, 0x3e } }, /* width; the header's check no longer holds */
  { 6, { 255, 255 } },    /* header_size */
  { 10, { 255, 255 } },   /* frame_size */
  { 12, { 3, 0 } },       /* index_size */
  { 16, { 57, 48 } },     /* index_crc */
};

#define CUT_IN_HALF 3
#define N_WAYS_TO_BREAK (5 + G_N_ELEMENTS (wrong_bytes))

/* Breaks a good frame in one of several ways. */
static GstBuffer *
broken (guint how)
{
  GstBuffer *buffer = gst_buffer_make_writable (code_gray (64, 48, 1));
  gsize size = gst_buffer_get_size (buffer);
  const gsize sizes[] = { 0, 10, size - 1, [CUT_IN_HALF] = size / 2 };

  if (how < 4)
    gst_buffer_set_size (buffer, sizes[how]);
  else if (how == 4)
    gst_buffer_memset (buffer, 0, 0x5a, size);
  else
    gst_buffer_fill (
        buffer, wrong_bytes[how - 5].at, wrong_bytes[how - 5].value, 2);
  return buffer;
}

/* Tests that each broken frame costs a warning and itself; the good frames
 * around it come out. */
LOOP_TEST (test_broken_frames, N_WAYS_TO_BREAK)
{
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec max-errors=-1");

  push (harness, code_gray (64, 48, 0));
  push (harness, broken (__i__));
  push (harness, code_gray (64, 48, 2));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 2);
  paco_test_pull_gray (harness, 64, 48, 0);
  paco_test_pull_gray (harness, 64, 48, 2);
}

TEST (test_max_errors)
{
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec max-errors=2");

  for (guint n = 0; n < 2; n++)
    push (harness, broken (CUT_IN_HALF));
  fail_unless_equals_int (
      gst_harness_push (harness, broken (CUT_IN_HALF)), GST_FLOW_ERROR);
  expect_error (harness, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "");
}

/* Tests that of two frames in one buffer, which is upstream's mistake, the
 * first one comes out. */
TEST (test_bytes_behind)
{
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness ("pacodec");

  gst_harness_push (harness,
      gst_buffer_append (code_gray (64, 48, 0), code_gray (64, 48, 1)));
  paco_test_pull_gray (harness, 64, 48, 0);
}

/* Tests that the bitstream, not the caps, says how large the picture is. */
TEST (test_lying_caps)
{
  g_autoptr (PacoHarness) harness = paco_test_harness ("pacodec");
  GstVideoInfo info;

  gst_harness_set_src_caps_str (harness,
      PACO_TEST_CODED_CAPS ",width=16,height=16,framerate=50/1,format=I420,"
                           "pixel-aspect-ratio=2/1");
  gst_harness_push (harness, code_gray (64, 48, 0));
  paco_test_pull_gray (harness, 64, 48, 0);
  info = paco_test_output_info (harness);
  fail_unless_equals_int (info.width, 64);
  fail_unless_equals_int (info.fps_n, 25);
  fail_unless_equals_int (info.par_n, 1);
}

TEST (test_renegotiation)
{
  static const guint sizes[][2] = { { 64, 48 }, { 128, 96 }, { 128, 96 },
    { 17, 5 }, { 64, 48 } };
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec pipeline-depth=4");

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k < 3; k++)
      gst_harness_push (
          harness, code_gray (sizes[i][0], sizes[i][1], 3 * i + k));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (
      gst_harness_buffers_received (harness), 3 * G_N_ELEMENTS (sizes));

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    for (guint k = 0; k < 3; k++)
      paco_test_pull_gray (harness, sizes[i][0], sizes[i][1], 3 * i + k);
}

/* Checks that a decoder gives a lossless frame of a picture in another format. */
static void
check_layout (GstHarness *harness, const GstVideoInfo *from, GstBuffer *in,
    GstVideoFormat format)
{
  g_autoptr (GstBuffer) out = gst_harness_pull (harness);
  GstVideoInfo to;

  paco_test_info (&to, format, from->width, from->height);
  paco_test_same_samples (
      from, in, &to, out, gst_video_format_to_string (format));
}

/* Tests that downstream may take another layout of the same samples. */
TEST (test_other_layout)
{
  static const GstVideoFormat pairs[][2] = {
    { GST_VIDEO_FORMAT_I420_10LE, GST_VIDEO_FORMAT_P010_10LE },
    { GST_VIDEO_FORMAT_v210, GST_VIDEO_FORMAT_I422_10LE },
    { GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_BGRx },
  };

  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++) {
    g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
        "pacodec ! capsfilter caps=video/x-raw,format=%s",
        gst_video_format_to_string (pairs[i][1]));
    g_autoptr (GstBuffer) in = NULL;
    GstVideoInfo from;

    paco_test_info (&from, pairs[i][0], 48, 31);
    in = paco_test_random_buffer (&from, i);
    push (harness, paco_test_code (LOSSLESS, &from, gst_buffer_ref (in)));
    check_layout (harness, &from, in, pairs[i][1]);
  }
}

/* Tests that downstream may change its mind while frames flow. */
TEST (test_downstream_reconfigures)
{
  static const char *const formats[] = { "I422_10LE", "Y210", "v210" };
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
      "pacodec pipeline-depth=4 ! capsfilter "
      "caps=video/x-raw,format=I422_10LE");
  g_autoptr (GstBuffer) in = NULL;
  GstVideoInfo from;

  paco_test_info (&from, GST_VIDEO_FORMAT_UYVP, 48, 20);
  in = paco_test_random_buffer (&from, 1);
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    g_autofree gchar *caps = g_strconcat (
        "video/x-raw,format=", formats[i], NULL);

    set_property (harness, "capsfilter", "caps", caps);
    for (guint k = 0; k < 3; k++)
      push (harness, paco_test_code (LOSSLESS, &from, gst_buffer_ref (in)));
    for (guint k = 0; k < 3; k++)
      check_layout (
          harness, &from, in, gst_video_format_from_string (formats[i]));
  }
}

/* Checks that pictures of a format that are reduced, progressive or in fields, have the
 * size they should; and that a constant one stays constant. */
static void
check_reduced (
    GstVideoFormat format, const char *mode, guint height, guint reduce)
{
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec reduce=%u", reduce);
  PacoPictureFormat picture;
  GstVideoInfo info, out_info;
  guint width, lines;

  fail_unless (gst_video_info_set_interlaced_format (
      &info, format, gst_video_interlace_mode_from_string (mode), 66, height));
  fail_unless (paco_picture_format_from_info (
      &info, info.interlace_mode != 0, &picture));
  paco_geometry_reduced_size (&picture, reduce, &width, &lines);
  for (guint constant = 0; constant < 2; constant++) {
    GstBuffer *in = paco_test_random_buffer (&info, format);
    g_autoptr (GstBuffer) out = NULL;
    g_autoptr (GArray) samples = NULL;

    if (constant)
      gst_buffer_memset (in, 0, 77, -1);
    out = gst_harness_push_and_pull (
        harness, paco_test_code (LOSSLESS " levels=4", &info, in));
    fail_unless (out != NULL, "%s 66x%u, reduce=%u", mode, height, reduce);
    out_info = paco_test_output_info (harness);
    fail_unless_equals_int (out_info.width, width);
    fail_unless_equals_int (out_info.height, lines);
    samples = paco_test_samples (&out_info, out);
    for (guint i = 0;
         constant && format == GST_VIDEO_FORMAT_I420 && i < samples->len; i++)
      fail_unless_equals_int (g_array_index (samples, guint16, i), 77);
  }
}

TEST (test_reduce)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_YUV9, GST_VIDEO_FORMAT_v210,
    GST_VIDEO_FORMAT_UYVP, GST_VIDEO_FORMAT_GBRA_12LE };
  static const guint heights[] = { 4, 12, 27, 40 };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    for (guint k = 0; k < G_N_ELEMENTS (heights); k++)
      for (guint reduce = 0; reduce <= 4; reduce++) {
        check_reduced (formats[i], "progressive", heights[k], reduce);
        check_reduced (formats[i], "interleaved", heights[k], reduce);
      }
}

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
      paco_test_code (LOSSLESS " levels=4", info, buffer));
}

/* Tests that frames of both forms, whatever they say of their stream and
 * however many lines a field of them has, are decoded as each of them alone. */
TEST (test_forms)
{
  static const PacoInterlaceMode modes[] = { PACO_INTERLACE_MIXED,
    PACO_INTERLACE_INTERLEAVED, PACO_INTERLACE_PROGRESSIVE };

  for (guint i = 0; i < 40; i++) {
    g_autoptr (PacoHarness)
        harness = paco_test_decoder_harness ("pacodec reduce=%u", i % 4);
    GstVideoInfo info;

    gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_I420,
        GST_VIDEO_INTERLACE_MODE_MIXED, 34, g_random_int_range (8, 60));
    for (guint n = 0; n < 6; n++) {
      g_autoptr (PacoHarness)
          alone = paco_test_decoder_harness ("pacodec reduce=%u", i % 4);
      GstBuffer *coded = code_of_mixed (&info, n, g_random_boolean ());
      g_autoptr (GstBuffer) out = NULL, expected = NULL;
      GstVideoInfo infos[2];

      set_interlace_mode (coded, modes[i % G_N_ELEMENTS (modes)]);
      expected = gst_harness_push_and_pull (alone, gst_buffer_ref (coded));
      out = gst_harness_push_and_pull (harness, coded);
      infos[0] = paco_test_output_info (alone);
      infos[1] = paco_test_output_info (harness);
      fail_unless_equals_int (infos[0].height, infos[1].height);
      paco_test_same_samples (&infos[0], expected, &infos[1], out, "alone");
    }
  }
}

/* Tests that HDR fields and colorimetry come back though no caps carry them. */
TEST (test_header_fields_survive)
{
  static const gchar caps[] =
      "video/x-raw,format=P010_10LE,width=32,height=16,framerate=24000/1001,"
      "pixel-aspect-ratio=4/3,interlace-mode=interleaved,"
      "field-order=top-field-first,colorimetry=bt2100-pq,chroma-site=mpeg2,"
      "mastering-display-info=(string)35400:14600:8500:39850:6550:2300:15635:"
      "16450:10000000:1,content-light-level=(string)1000:400";
  g_autoptr (PacoHarness) encoder = paco_test_harness ("pacoenc");
  g_autoptr (PacoHarness) decoder = paco_test_decoder_harness ("pacodec");

  gst_harness_set_src_caps_str (encoder, caps);
  gst_harness_push (encoder, gst_harness_create_buffer (encoder, 32 * 16 * 3));
  gst_harness_push (decoder, gst_harness_pull (encoder));
  pull_and_drop (decoder);
  expect_caps (decoder, caps);
}

TEST (test_flush)
{
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
      "pacodec pipeline-depth=8 threads=1");

  for (guint round = 0; round < 5; round++) {
    for (guint i = 0; i < 6; i++)
      gst_harness_push (harness, code_gray (64, 48, i));
    flush (harness, GST_FORMAT_TIME);
    drop_all (harness);
    gst_harness_push (harness, code_gray (64, 48, 50));
    paco_test_pull_gray (harness, 64, 48, 50);
  }
}

/* Tests that frames go in forwards, group by group, and come out backwards. */
TEST (test_backwards)
{
  g_autoptr (PacoHarness)
      harness = paco_test_harness ("pacodec pipeline-depth=4");
  g_autoptr (GstCaps) caps = gst_caps_from_string (PACO_TEST_CODED_CAPS);
  GstSegment segment;

  gst_segment_init (&segment, GST_FORMAT_TIME);
  segment.rate = -1.0;
  segment.stop = segment.position = 10 * 40 * GST_MSECOND;
  gst_harness_push_event (harness, gst_event_new_stream_start ("backwards"));
  gst_harness_push_event (harness, gst_event_new_caps (caps));
  gst_harness_push_event (harness, gst_event_new_segment (&segment));

  for (gint i = 9; i >= 0; i--) {
    GstBuffer *buffer = code_gray (64, 48, i);

    GST_BUFFER_FLAG_SET (buffer, GST_BUFFER_FLAG_DISCONT);
    push (harness, buffer);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 10);
  for (gint i = 9; i >= 0; i--)
    paco_test_pull_gray (harness, 64, 48, i);
}

/* Tests gaps with frames in flight. Where only key frames are wanted, the base
 * class has those out before it goes on. */
TEST (test_gap)
{
  static const GstSegmentFlags flags[] = { GST_SEGMENT_FLAG_NONE,
    GST_SEGMENT_FLAG_TRICKMODE | GST_SEGMENT_FLAG_TRICKMODE_KEY_UNITS };
  g_autoptr (GstBuffer) coded = code_gray (1024, 1024, 0);

  for (guint k = 0; k < G_N_ELEMENTS (flags); k++) {
    g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
        "pacodec pipeline-depth=8 threads=1");
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
  }
}

/* Tests that frames that are late already are decoded unless qos says
 * otherwise. */
TEST (test_qos)
{
  for (guint qos = 0; qos < 2; qos++) {
    g_autoptr (PacoHarness)
        harness = paco_test_decoder_harness ("pacodec qos=%d", qos);
    GstBuffer *frames[] = { code_gray (64, 48, 0), code_gray (64, 48, 1),
      code_gray (64, 48, 1000) };

    paco_test_expect_qos (harness, frames, qos);
  }
}

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
TEST (test_small_pool)
{
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec pipeline-depth=4");
  gboolean seen = FALSE;

  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM,
      propose_small_pool, &seen, NULL);
  for (guint i = 0; i < 8; i++)
    gst_harness_push (harness, code_gray (64, 48, i));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless (seen);
  fail_unless_equals_int (gst_harness_buffers_received (harness), 8);
}

TEST (test_stop_in_flight)
{
  for (guint k = 0; k < 20; k++) {
    g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
        "pacodec pipeline-depth=8 threads=1");

    for (guint i = 0; i < k % 10; i++)
      gst_harness_push (harness, code_gray (64, 48, i));
  }
}

TEST_MAIN ("pacodec")

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pacoenc: caps, order, draining, flushing, renegotiation, errors, metas,
 * interlaced video, changes while playing. */
#include "codec/policy.h"
#include "pacotest.h"

#define SMALL_CAPS "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"

static GstHarness *
gray_harness (const char *launch)
{
  return paco_test_gray_harness (launch, 64, 48);
}

TEST (test_caps)
{
#define KEPT                                                                   \
  "width=62,height=31,framerate=30000/1001,pixel-aspect-ratio=12/11,"          \
  "interlace-mode=interleaved,field-order=bottom-field-first,"                 \
  "colorimetry=bt2100-pq,chroma-site=mpeg2,"                                   \
  "mastering-display-info=(string)35400:14600:8500:39850:6550:2300:15635:"     \
  "16450:10000000:1,content-light-level=(string)1000:400,format=I422_10LE"
  g_autoptr (PacoHarness) harness = paco_test_harness ("pacoenc");
  g_autoptr (GstBuffer) out = NULL;
  PacoHeader header;

  gst_harness_set_src_caps_str (harness, "video/x-raw," KEPT);
  out = gst_harness_push_and_pull (
      harness, gst_harness_create_buffer (harness, 62 * 31 * 8));
  expect_caps (harness, "video/x-paco,alignment=frame," KEPT);
  fail_unless ((gsize) output_int (harness, "max-frame-size")
      >= gst_buffer_get_size (out));
#undef KEPT

  paco_test_header (out, &header);
  fail_unless (header.picture.fields);
  fail_unless_equals_int (header.video.par_n, 12);
  fail_unless_equals_int (header.video.fps_d, 1001);
  fail_unless (header.video.has_mastering_display);
  fail_unless_equals_int (header.video.mastering_display.primaries[1][0], 8500);
  fail_unless_equals_int (header.video.max_content_light, 1000);
  fail_unless_equals_int (header.video.transfer, GST_VIDEO_TRANSFER_SMPTE2084);
}

/* Tests that all frames come out at EOS, in order, each a sync point with its
 * times. */
TEST (test_order_and_drain)
{
  static const char *const launches[] = { "pacoenc pipeline-depth=1",
    "pacoenc pipeline-depth=8 threads=2",
    "pacoenc pipeline-depth=3 threads=1" };
  const guint n = 40;

  for (guint k = 0; k < G_N_ELEMENTS (launches); k++) {
    g_autoptr (PacoHarness) harness = gray_harness (launches[k]);

    for (guint i = 0; i < n; i++)
      push (harness, paco_test_gray_buffer (64, 48, i));
    fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
    fail_unless_equals_int (gst_harness_buffers_received (harness), n);

    for (guint i = 0; i < n; i++) {
      g_autoptr (GstBuffer) out = gst_harness_pull (harness);

      fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * 40 * GST_MSECOND);
      fail_unless_equals_uint64 (GST_BUFFER_DTS (out), GST_BUFFER_PTS (out));
      fail_unless_equals_uint64 (GST_BUFFER_DURATION (out), 40 * GST_MSECOND);
      fail_if (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_DELTA_UNIT));
    }
  }
}

/* Tests that a frame says where in the stream it stands, and that another
 * format begins another stream. */
TEST (test_places)
{
  static const guint sizes[][2] = { { 64, 48 }, { 128, 96 }, { 16, 16 } };
  g_autoptr (PacoHarness) harness = gray_harness ("pacoenc pipeline-depth=4");
  guint n[G_N_ELEMENTS (sizes)], all = 0;

  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    g_autofree gchar *caps = g_strdup_printf (
        "video/x-raw,format=GRAY8,width=%u,height=%u,framerate=25/1",
        sizes[k][0], sizes[k][1]);

    gst_harness_set_src_caps_str (harness, caps);
    n[k] = g_random_int_range (1, 20);
    for (guint i = 0; i < n[k]; i++)
      push (harness, paco_test_gray_buffer (sizes[k][0], sizes[k][1], all++));
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), all);
  for (guint k = 0; k < G_N_ELEMENTS (sizes); k++) {
    guint64 offset = 0;

    for (guint i = 0; i < n[k]; i++) {
      g_autoptr (GstBuffer) out = gst_harness_pull (harness);
      PacoHeader header;

      paco_test_header (out, &header);
      fail_unless_equals_int (header.picture.width, sizes[k][0]);
      fail_unless_equals_int (header.picture.height, sizes[k][1]);
      fail_unless (header.video.has_place);
      fail_unless_equals_int (header.video.place.number, i);
      fail_unless_equals_uint64 (header.video.place.offset, offset);
      offset += gst_buffer_get_size (out);
    }
  }
}

TEST (test_flush)
{
  g_autoptr (PacoHarness)
      harness = gray_harness ("pacoenc pipeline-depth=8 threads=1");

  for (guint round = 0; round < 50; round++) {
    g_autoptr (GstBuffer) out = NULL;

    for (guint i = 0; i < 6; i++)
      gst_harness_push (harness, paco_test_gray_buffer (64, 48, i));
    flush (harness, GST_FORMAT_TIME);
    drop_all (harness);
    push (harness, paco_test_gray_buffer (64, 48, 100));
    /* It comes out although no later one goes in. */
    out = gst_harness_pull (harness);
    fail_unless (out != NULL);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), 100 * 40 * GST_MSECOND);
  }
}

TEST (test_no_cuda)
{
  g_autoptr (Pipeline) encoder = gst_object_ref_sink (
      gst_element_factory_make ("pacoenc", NULL));
  g_autoptr (GstBus) bus = gst_bus_new ();

  gst_element_set_bus (encoder, bus);
  gst_util_set_object_arg (G_OBJECT (encoder), "backend", "cuda");
  if (gst_element_set_state (encoder, GST_STATE_PAUSED)
      == GST_STATE_CHANGE_FAILURE) {
    g_autoptr (GError) error = pop_said (bus, GST_MESSAGE_ERROR);

    g_assert_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND);
    /* The message says what to do in a build without CUDA, and what is missing
     * in one with it. */
    fail_unless (strstr (error->message, "backend=cpu") != NULL
        || strstr (error->message, "no CUDA device") != NULL);

    /* It is not beyond repair. */
    gst_util_set_object_arg (G_OBJECT (encoder), "backend", "auto");
    fail_if (gst_element_set_state (encoder, GST_STATE_PAUSED)
        == GST_STATE_CHANGE_FAILURE);
  }
  gst_bus_set_flushing (bus, TRUE);
}

static void
check_refused (const char *caps, gsize size)
{
  g_autoptr (PacoHarness) harness = paco_test_harness ("pacoenc");

  gst_harness_set_src_caps_str (harness, caps);
  fail_if (gst_harness_push (harness, gst_harness_create_buffer (harness, size))
          == GST_FLOW_OK,
      "%s", caps);
  expect_error (harness, 0, 0, "");
}

TEST (test_refused_input)
{
  check_refused (
      "video/x-raw,format=UYVP,width=35,height=48,framerate=25/1", 88 * 48);
  /* This buffer is too small for its caps. */
  check_refused (SMALL_CAPS, 64 * 47);
}

/* Tests that in mixed streams each buffer says what it is, and that the flags
 * come back. The encoder gets ready for both forms of frames at once, the
 * decoder when it first sees one. */
TEST (test_interlaced)
{
  static const guint flags[] = { 0, GST_VIDEO_BUFFER_FLAG_INTERLACED, 0,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF
        | GST_VIDEO_BUFFER_FLAG_RFF,
    GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_ONEFIELD, 0 };
  const guint all = GST_VIDEO_BUFFER_FLAG_INTERLACED | GST_VIDEO_BUFFER_FLAG_TFF
      | GST_VIDEO_BUFFER_FLAG_RFF | GST_VIDEO_BUFFER_FLAG_ONEFIELD;
  g_autoptr (PacoHarness) harness = paco_test_harness (
      "pacoenc rate-control=lossless pipeline-depth=4 ! "
      "pacodec pipeline-depth=4");
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
    g_autoptr (GstBuffer) out = gst_harness_pull (harness);

    fail_unless_equals_int_hex (GST_BUFFER_FLAGS (out) & all, flags[i]);
    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), i * 40 * GST_MSECOND);
    paco_test_same_samples (&info, in[i], &info, out, "mixed");
    gst_buffer_unref (in[i]);
  }
  fail_unless_equals_uint64 (stat_of (harness, "pacoenc", "configurations"), 1);
  fail_unless_equals_uint64 (stat_of (harness, "pacodec", "configurations"), 2);
}

/* Tests that fields are coded as fields, frames as frames. */
TEST (test_fields_in_header)
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
    g_autoptr (PacoHarness) harness = paco_test_harness ("pacoenc");
    g_autofree gchar *caps = g_strdup_printf (
        "video/x-raw,format=GRAY8,width=64,"
        "height=48,framerate=25/1,interlace-mode=%s",
        cases[i].mode);
    g_autoptr (GstBuffer) buffer = paco_test_gray_buffer (64, 48, 0);
    PacoHeader header;

    gst_harness_set_src_caps_str (harness, caps);
    GST_BUFFER_FLAG_SET (buffer, cases[i].flags);
    buffer = gst_harness_push_and_pull (harness, buffer);
    paco_test_header (buffer, &header);
    fail_unless_equals_int (header.picture.fields, cases[i].fields);
    fail_unless_equals_int (header.video.picture_flags, cases[i].picture_flags);
  }
}

TEST (test_quality_while_playing)
{
  g_autoptr (PacoHarness) harness = gray_harness ("pacoenc quality=95");
  gsize sizes[3];
  static const gdouble qualities[] = { 95.0, 20.0, 95.0 };

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) out = NULL;

    gst_harness_set (harness, "pacoenc", "quality", qualities[i], NULL);
    out = gst_harness_push_and_pull (
        harness, paco_test_gray_buffer (64, 48, 0));
    sizes[i] = gst_buffer_get_size (out);
  }
  fail_unless (sizes[1] < sizes[0], "%zu, %zu", sizes[1], sizes[0]);
  fail_unless_equals_uint64 (sizes[0], sizes[2]);
}

/* Tests that the steps are those of the codec's parameter of this name. */
TEST (test_tune)
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
    g_autoptr (PacoHarness) harness = gray_harness (cases[i].launch);
    PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
    PacoCoding coding;
    PacoHeader header;
    g_autoptr (GstBuffer) buffer = gst_harness_push_and_pull (
        harness, paco_test_gray_buffer (64, 48, 0));

    paco_test_header (buffer, &header);
    parameters.tune = cases[i].tune;
    fail_unless (
        paco_policy_coding (&header.picture, &parameters, &coding, NULL));
    for (guint k = 0; k <= 3 * coding.levels; k++)
      fail_unless_equals_int (
          header.coding.subbands[0][k].step, coding.subbands[0][k].step);
  }
}

/* Tests that changes that are not for while it plays wait for the next format,
 * also of frames in fields. */
TEST (test_levels_while_playing)
{
  g_autoptr (PacoHarness) harness = paco_test_harness ("pacoenc levels=3");
  static const gchar *const caps = "video/x-raw,format=GRAY8,width=64,"
                                   "height=48,framerate=25/1,"
                                   "interlace-mode=mixed";

  gst_harness_set_src_caps_str (harness, caps);
  for (guint i = 0; i < 3; i++) {
    GstBuffer *buffer = paco_test_gray_buffer (64, 48, i);
    PacoHeader header;

    if (i == 1)
      GST_BUFFER_FLAG_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
    buffer = gst_harness_push_and_pull (harness, buffer);
    paco_test_header (buffer, &header);
    fail_unless_equals_int (header.picture.fields, i == 1);
    fail_unless_equals_int (header.coding.levels, 3);
    gst_buffer_unref (buffer);
    gst_harness_set (harness, "pacoenc", "levels", 1, NULL);
  }
}

TEST (test_stats)
{
  g_autoptr (PacoHarness)
      harness = gray_harness ("pacoenc backend=cpu threads=2");
  g_autoptr (GstElement)
      encoder = gst_harness_find_element (harness, "pacoenc");
  GstStructure *stats;
  guint64 frames, bytes, pushed = 0;
  gdouble ms;

  for (guint i = 0; i < 3; i++) {
    g_autoptr (GstBuffer) out = gst_harness_push_and_pull (
        harness, paco_test_gray_buffer (64, 48, i));

    pushed += gst_buffer_get_size (out);
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
}

/* Tests that coded buffers may outlive the encoder that made them. */
TEST (test_buffer_outlives_encoder)
{
  GstHarness *encoder = gray_harness ("pacoenc rate-control=lossless");
  g_autoptr (PacoHarness) decoder = paco_test_decoder_harness ("pacodec");
  GstBuffer *coded[20];

  for (guint i = 0; i < G_N_ELEMENTS (coded); i++)
    coded[i] = gst_harness_push_and_pull (
        encoder, paco_test_gray_buffer (64, 48, i));
  paco_test_teardown (encoder);
  for (guint i = 0; i < G_N_ELEMENTS (coded); i++) {
    push (decoder, coded[i]);
    paco_test_pull_gray (decoder, 64, 48, i);
  }
}

static GstPadProbeReturn
refuse_buffers (GstPad *pad, GstPadProbeInfo *info, gpointer flow)
{
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GPOINTER_TO_INT (flow);
  gst_buffer_unref (GST_PAD_PROBE_INFO_BUFFER (info));
  return GST_PAD_PROBE_HANDLED;
}

/* Tests that what downstream answers reaches upstream. */
TEST (test_downstream_flow)
{
  static const GstFlowReturn flows[] = { GST_FLOW_EOS, GST_FLOW_ERROR,
    GST_FLOW_NOT_LINKED };

  for (guint k = 0; k < G_N_ELEMENTS (flows); k++) {
    g_autoptr (PacoHarness) harness = gray_harness ("pacoenc");
    GstFlowReturn flow = GST_FLOW_OK;

    gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_BUFFER,
        refuse_buffers, GINT_TO_POINTER (flows[k]), NULL);
    for (guint i = 0; i < 100 && flow == GST_FLOW_OK; i++)
      flow = gst_harness_push (harness, paco_test_gray_buffer (64, 48, i));
    fail_unless_equals_int (flow, flows[k]);
  }
}

TEST (test_propose_allocation)
{
  g_autoptr (PacoHarness) harness = gray_harness ("pacoenc pipeline-depth=4");
  g_autoptr (GstCaps) caps = gst_caps_from_string (SMALL_CAPS);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
  g_autoptr (GstBufferPool) pool = NULL;
  guint size, min;

  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless (
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  fail_unless (gst_query_get_n_allocation_pools (query) >= 1);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, NULL);
  fail_unless (pool != NULL);
  fail_unless_equals_int (size, 64 * 48);
  fail_unless (min >= 4);
}

/* Tests that frames that are late already are coded unless qos says
 * otherwise. */
TEST (test_qos)
{
  for (guint qos = 0; qos < 2; qos++) {
    g_autoptr (PacoHarness)
        harness = gray_harness (qos ? "pacoenc qos=true" : "pacoenc qos=false");
    GstBuffer *frames[] = { paco_test_gray_buffer (64, 48, 0),
      paco_test_gray_buffer (64, 48, 1), paco_test_gray_buffer (64, 48, 1000) };

    paco_test_expect_qos (harness, frames, qos);
  }
}

/* Tests that stopping with frames in flight neither hangs nor leaks. */
TEST (test_stop_in_flight)
{
  for (guint k = 0; k < 20; k++) {
    g_autoptr (PacoHarness)
        harness = gray_harness ("pacoenc pipeline-depth=8 threads=1");

    for (guint i = 0; i < k % 10; i++)
      gst_harness_push (harness, paco_test_gray_buffer (64, 48, i));
  }
}

TEST_MAIN ("pacoenc")

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what pacodec does with a frame that asks for more than is allowed, or than
 * there is: it loses that frame, and the frames around it come out. */
#include "pacotest.h"
#include "codec/geometry.h"
#include "codec/index.h"
#include <sys/resource.h>
#include <zlib.h>

#define SMALL 64 /* columns, and lines, of the frames around */
#define HUGE_SIZE PACO_MAX_SIZE

/* Makes a legal frame whose blocks are all empty: it has a few bytes, whatever
 * it claims to be. */
static GstBuffer *
empty_frame_of (
    const PacoPictureFormat *picture, const char *raw_format, guint levels)
{
  PacoHeader header = {
    .picture = *picture,
    .video = { .par_n = 1, .par_d = 1, .fps_n = 25, .fps_d = 1 },
    .coding = { .coding_passes = 1, .levels = levels },
  };
  PacoGeometry *geometry;
  guint8 *data;

  g_strlcpy (
      header.video.raw_format, raw_format, sizeof header.video.raw_format);
  for (guint c = 0; c < picture->n_components; c++)
    for (guint k = 0; k < 3 * levels + 1; k++)
      header.coding.subbands[c][k].height_log2 = 3;
  geometry = paco_geometry_new (&header.picture, &header.coding);
  header.header_size = paco_header_size (&header);
  header.index_size = geometry->n_blocks;
  header.frame_size = header.header_size + header.index_size;
  paco_geometry_free (geometry);
  data = g_malloc0 (header.frame_size);
  header.index_crc = crc32 (0, data + header.header_size, header.index_size);
  paco_header_write (&header, data);
  return gst_buffer_new_wrapped (data, header.frame_size);
}

static GstBuffer *
empty_frame (guint width, guint height)
{
  const PacoPictureFormat picture = {
    .width = width,
    .height = height,
    .n_components = 1,
    .components = { { .depth = 8 } },
  };

  return empty_frame_of (&picture, "GRAY8", 0);
}

static GstBuffer *
small_frame (guint n)
{
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, SMALL, SMALL);
  return paco_test_code ("pacoenc rate-control=lossless levels=3", &info,
      paco_test_gray_buffer (SMALL, SMALL, n));
}

static void
check_small (GstHarness *harness, guint n)
{
  GstBuffer *in = paco_test_gray_buffer (SMALL, SMALL, n);
  GstBuffer *out = gst_harness_pull (harness);
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, SMALL, SMALL);
  paco_test_same_samples (&info, in, &info, out, "small");
  gst_buffer_unref (in);
  gst_buffer_unref (out);
}

static GstPadProbeReturn
count_caps (GstPad *pad, GstPadProbeInfo *info, gpointer n)
{
  if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info)) == GST_EVENT_CAPS)
    ++*(guint *) n;
  return GST_PAD_PROBE_OK;
}

/* Returns how many bytes of address space the process has. */
static gsize
address_space (void)
{
  gchar *text;
  gsize pages;

  fail_unless (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  pages = g_ascii_strtoull (text, NULL, 10);
  g_free (text);
  return pages * 4096;
}

#define N_SMALL 13

/* Decodes small frames with `odd` in the middle, which costs itself only;
 * downstream never hears of its format. memory is the address space that there
 * is for decoding, in bytes, or 0 for any. The threads of encoder and decoder
 * take some before. */
static void
check_lost (const char *launch, GstBuffer *odd, gsize memory)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness (launch, &bus);
  GstBuffer *small[N_SMALL];
  guint n_caps = 0, n = 0;
  struct rlimit before, limit;

  for (guint i = 0; i < N_SMALL; i++)
    small[i] = small_frame (i);
  getrlimit (RLIMIT_AS, &before);
  limit = before;
  if (memory > 0)
    limit.rlim_cur = address_space () + memory;
  setrlimit (RLIMIT_AS, &limit);
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  gst_pad_add_probe (harness->sinkpad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      count_caps, &n_caps, NULL);
  for (guint i = 0; i < 4; i++)
    gst_harness_push (harness, small[n++]);
  for (guint i = 0; i < 3; i++) {
    fail_unless_equals_int (
        gst_harness_push (harness, gst_buffer_ref (odd)), GST_FLOW_OK);
    for (guint k = 0; k < 3; k++)
      gst_harness_push (harness, small[n++]);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  setrlimit (RLIMIT_AS, &before);
  fail_unless_equals_int (n, N_SMALL);
  fail_unless_equals_int (gst_harness_buffers_received (harness), n);
  for (guint i = 0; i < n; i++)
    check_small (harness, i);
  fail_unless_equals_int (n_caps, 1);
  gst_buffer_unref (odd);
  paco_test_teardown (harness, bus);
}

GST_START_TEST (test_max_pixels)
{
  check_lost ("pacodec max-errors=-1", empty_frame (HUGE_SIZE, HUGE_SIZE), 0);
  check_lost ("pacodec max-errors=-1", empty_frame (8193, 8192), 0);
  check_lost ("pacodec max-errors=-1 max-pixels=4096",
      empty_frame (SMALL, SMALL + 1), 0);
  check_lost ("pacoparse ! pacodec max-errors=-1 max-pixels=4096",
      empty_frame (SMALL, SMALL + 1), 0);
}
GST_END_TEST;

/* Tests that the sentence says what to set, and that the frame is decoded with
 * that. */
GST_START_TEST (test_max_pixels_advice)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness (
      "pacodec max-errors=0 max-pixels=1000", &bus);
  GError *error;
  GstBuffer *out;

  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  fail_unless_equals_int (
      gst_harness_push (harness, empty_frame (77, 13)), GST_FLOW_ERROR);
  error = paco_test_pop_error (bus);
  fail_unless (
      g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
  fail_unless (
      strstr (error->message, "max-pixels=1001") != NULL, "%s", error->message);
  g_error_free (error);
  paco_test_teardown_failed (harness, bus);

  harness = paco_test_harness ("pacodec max-errors=0 max-pixels=1001", &bus);
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  gst_harness_push (harness, empty_frame (77, 13));
  out = gst_harness_pull (harness);
  for (guint y = 0; y < 13; y++) {
    guint8 line[77], expected[77];

    memset (expected, 128, sizeof expected);
    gst_buffer_extract (out, y * GST_ROUND_UP_4 (77), line, sizeof line);
    fail_unless (memcmp (line, expected, sizeof line) == 0);
  }
  gst_buffer_unref (out);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that the reason is in the error with which a stream ends that is refused whole, as
 * players show that alone. */
GST_START_TEST (test_max_pixels_of_all)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacodec max-pixels=1000", &bus);
  GError *error;

  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  for (guint i = 0; i < 2; i++)
    gst_harness_push (harness, empty_frame (77, 13));
  gst_harness_push_event (harness, gst_event_new_eos ());
  error = paco_test_pop_error (bus);
  fail_unless (
      g_error_matches (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE));
  fail_unless (strstr (error->message, "Not one of the 2 frames") != NULL, "%s",
      error->message);
  fail_unless (strstr (error->message, "it needs max-pixels=1001") != NULL,
      "%s", error->message);
  g_error_free (error);
  paco_test_teardown_failed (harness, bus);
}
GST_END_TEST;

/* Counts the warnings that tell of max-pixels and the number. */
static guint
count_advice (GstBus *bus, const char *number)
{
  GstMessage *message;
  guint n = 0;

  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING))) {
    GError *error;

    gst_message_parse_warning (message, &error, NULL);
    n += strstr (error->message, "max-pixels") != NULL
        && strstr (error->message, number) != NULL;
    g_error_free (error);
    gst_message_unref (message);
  }
  return n;
}

/* Tests that the encoder says, once for its caps, what the decoder is going to refuse. */
GST_START_TEST (test_max_pixels_of_encoder)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness (
      "pacoenc backend=cpu pipeline-depth=1", &bus);
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, 8192, 8192);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  fail_unless_equals_int (count_advice (bus, ""), 0);
  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, 8193, 8192);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  fail_unless_equals_int (count_advice (bus, "67117056"), 1);
  gst_harness_teardown (harness);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
}
GST_END_TEST;

/* --- memory --- */

/* Tests that there is no memory. The coefficients of the huge frame alone take
 * 1 GiB, its pictures 256 MiB each: with one limit there is no memory for the
 * coefficients, with the other there is, but not for the pictures too. */
GST_START_TEST (test_no_memory)
{
  static const gsize limits[] = { (gsize) 600 << 20, (gsize) 1400 << 20 };

  if (g_getenv ("PACO_SANITIZE") != NULL)
    return; /* sanitizers take all of the address space for themselves */
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    check_lost ("pacodec backend=cpu max-errors=-1 max-pixels=268435456 "
                "threads=2 pipeline-depth=1",
        empty_frame (HUGE_SIZE, HUGE_SIZE), limits[i]);
}
GST_END_TEST;

/* Tests that there is no stream without memory for what the stream is made
 * of. */
GST_START_TEST (test_no_memory_for_stream)
{
  GstBus *bus;
  GstHarness *harness;
  struct rlimit before, limit;
  GError *error;

  if (g_getenv ("PACO_SANITIZE") != NULL)
    return;
  harness = paco_test_harness (
      "pacodec backend=cpu max-errors=-1 max-pixels=268435456 threads=2", &bus);
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  getrlimit (RLIMIT_AS, &before);
  limit = before;
  limit.rlim_cur = address_space () + ((gsize) 600 << 20);
  setrlimit (RLIMIT_AS, &limit);
  fail_unless_equals_int (
      gst_harness_push (harness, empty_frame (HUGE_SIZE, HUGE_SIZE)),
      GST_FLOW_ERROR);
  setrlimit (RLIMIT_AS, &before);
  error = paco_test_pop_error (bus);
  fail_unless (g_error_matches (
      error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT));
  g_error_free (error);
  paco_test_teardown_failed (harness, bus);
}
GST_END_TEST;

/* Tests an odd frame that has fewer levels than are left out. */
GST_START_TEST (test_odd_levels)
{
  GstBus *bus;
  GstHarness *harness = paco_test_harness ("pacodec reduce=1", &bus);

  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  gst_harness_push (harness, small_frame (0));
  fail_unless_equals_int (
      gst_harness_push (harness, empty_frame (SMALL, SMALL)), GST_FLOW_OK);
  gst_harness_push (harness, small_frame (1));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 2);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that fewer large pictures may be in flight than small ones; v210 is
 * decoded to planes, of which there are as many. */
GST_START_TEST (test_depth_changes)
{
  static const guint heights[] = { 64, 3200, 64, 4992, 3200 };
  PacoPictureFormat picture = {
    .width = 8192,
    .n_components = 3,
    .components = { { 10, 0, 0 }, { 10, 1, 0 }, { 10, 1, 0 } },
  };
  GstBus *bus;
  GstHarness *harness = paco_test_harness (
      "pacodec reduce=5 pipeline-depth=8", &bus);
  guint n = 0;

  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (heights); i++) {
    GstBuffer *frame;

    picture.height = heights[i];
    frame = empty_frame_of (&picture, "v210", 5);
    for (guint k = 0; k < 5 + i; k++, n++)
      fail_unless_equals_int (
          gst_harness_push (harness, gst_buffer_ref (frame)), GST_FLOW_OK);
    gst_buffer_unref (frame);
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), n);
  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    for (guint k = 0; k < 5 + i; k++) {
      GstBuffer *out = gst_harness_pull (harness);
      gsize size = gst_buffer_get_size (out);

      /* A line of 256 columns has 43 groups of six, in 768 bytes. */
      fail_unless_equals_int (size, 768 * heights[i] / 32);
      /* These are three samples in the middle of their range. */
      for (gsize at = 0; at < size; at += 768) {
        guint8 word[4];

        gst_buffer_extract (out, at, word, 4);
        fail_unless_equals_int (GST_READ_UINT32_LE (word), 0x20080200);
      }
      gst_buffer_unref (out);
    }
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

static Suite *
limits_suite (void)
{
  Suite *suite = suite_create ("limits");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_set_timeout (tests, 60);
  tcase_add_test (tests, test_max_pixels);
  tcase_add_test (tests, test_max_pixels_advice);
  tcase_add_test (tests, test_max_pixels_of_all);
  tcase_add_test (tests, test_max_pixels_of_encoder);
  tcase_add_test (tests, test_no_memory);
  tcase_add_test (tests, test_no_memory_for_stream);
  tcase_add_test (tests, test_odd_levels);
  tcase_add_test (tests, test_depth_changes);
  return suite;
}

GST_CHECK_MAIN (limits);

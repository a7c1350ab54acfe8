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
  g_autoptr (GstBuffer) in = paco_test_gray_buffer (SMALL, SMALL, n);
  g_autoptr (GstBuffer) out = gst_harness_pull (harness);
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, SMALL, SMALL);
  paco_test_same_samples (&info, in, &info, out, "small");
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
  g_autofree gchar *text = NULL;
  gsize pages;

  fail_unless (g_file_get_contents ("/proc/self/statm", &text, NULL, NULL));
  pages = g_ascii_strtoull (text, NULL, 10);
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
  g_autoptr (PacoHarness) harness = paco_test_harness (launch);
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
    push (harness, gst_buffer_ref (odd));
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
}

TEST (test_max_pixels)
{
  check_lost ("pacodec max-errors=-1", empty_frame (HUGE_SIZE, HUGE_SIZE), 0);
  check_lost ("pacodec max-errors=-1", empty_frame (8193, 8192), 0);
  check_lost ("pacodec max-errors=-1 max-pixels=4096",
      empty_frame (SMALL, SMALL + 1), 0);
  check_lost ("pacoparse ! pacodec max-errors=-1 max-pixels=4096",
      empty_frame (SMALL, SMALL + 1), 0);
}

/* Tests that the sentence says what to set, and that the frame is decoded with
 * that. */
TEST (test_max_pixels_advice)
{
  g_autoptr (PacoHarness) harness = paco_test_decoder_harness (
      "pacodec max-errors=0 max-pixels=1000");
  g_autoptr (PacoHarness) advised = paco_test_decoder_harness (
      "pacodec max-errors=0 max-pixels=1001");
  g_autoptr (GstBuffer) out = NULL;

  fail_unless_equals_int (
      gst_harness_push (harness, empty_frame (77, 13)), GST_FLOW_ERROR);
  expect_error (
      harness, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, "max-pixels=1001");

  out = gst_harness_push_and_pull (advised, empty_frame (77, 13));
  for (guint y = 0; y < 13; y++) {
    guint8 line[77], expected[77];

    memset (expected, 128, sizeof expected);
    gst_buffer_extract (out, y * GST_ROUND_UP_4 (77), line, sizeof line);
    fail_unless (memcmp (line, expected, sizeof line) == 0);
  }
}

/* Tests that the reason is in the error with which a stream ends that is refused whole, as
 * players show that alone. */
TEST (test_max_pixels_of_all)
{
  g_autoptr (PacoHarness)
      harness = paco_test_decoder_harness ("pacodec max-pixels=1000");
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 2; i++)
    gst_harness_push (harness, empty_frame (77, 13));
  gst_harness_push_event (harness, gst_event_new_eos ());
  error = paco_test_pop_error (harness);
  g_assert_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE);
  fail_unless (strstr (error->message, "Not one of the 2 frames")
          && strstr (error->message, "it needs max-pixels=1001"),
      "%s", error->message);
  ignore_errors (harness);
}

/* Tests that the encoder says, once for its caps, what the decoder is going to refuse. */
TEST (test_max_pixels_of_encoder)
{
  g_autoptr (PacoHarness) harness = paco_test_gray_harness (
      "pacoenc backend=cpu pipeline-depth=1", 8192, 8192);

  expect_warning (harness, NULL);
  gst_harness_set_src_caps_str (harness,
      "video/x-raw,format=GRAY8,width=8193,height=8192,framerate=25/1");
  expect_warning (harness, "max-pixels is 67117056 or more");
  expect_warning (harness, NULL);
}

/* --- memory --- */

/* Tests that there is no memory. The coefficients of the huge frame alone take
 * 1 GiB, its pictures 256 MiB each: with one limit there is no memory for the
 * coefficients, with the other there is, but not for the pictures too. */
TEST (test_no_memory)
{
  static const gsize limits[] = { (gsize) 600 << 20, (gsize) 1400 << 20 };

  if (g_getenv ("PACO_SANITIZE") != NULL)
    return; /* sanitizers take all of the address space for themselves */
  for (guint i = 0; i < G_N_ELEMENTS (limits); i++)
    check_lost ("pacodec backend=cpu max-errors=-1 max-pixels=268435456 "
                "threads=2 pipeline-depth=1",
        empty_frame (HUGE_SIZE, HUGE_SIZE), limits[i]);
}

/* Tests that there is no stream without memory for what the stream is made
 * of. */
TEST (test_no_memory_for_stream)
{
  g_autoptr (PacoHarness) harness = NULL;
  struct rlimit before, limit;
  GError *error;

  if (g_getenv ("PACO_SANITIZE") != NULL)
    return;
  harness = paco_test_harness (
      "pacodec backend=cpu max-errors=-1 max-pixels=268435456 threads=2");
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  getrlimit (RLIMIT_AS, &before);
  limit = before;
  limit.rlim_cur = address_space () + ((gsize) 600 << 20);
  setrlimit (RLIMIT_AS, &limit);
  fail_unless_equals_int (
      gst_harness_push (harness, empty_frame (HUGE_SIZE, HUGE_SIZE)),
      GST_FLOW_ERROR);
  setrlimit (RLIMIT_AS, &before);
  error = paco_test_pop_error (harness);
  fail_unless (g_error_matches (
      error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT));
  g_error_free (error);
  ignore_errors (harness);
}

/* Tests an odd frame that has fewer levels than are left out. */
TEST (test_odd_levels)
{
  g_autoptr (PacoHarness) harness = paco_test_harness ("pacodec reduce=1");

  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  gst_harness_push (harness, small_frame (0));
  push (harness, empty_frame (SMALL, SMALL));
  gst_harness_push (harness, small_frame (1));
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), 2);
}

/* Tests that fewer large pictures may be in flight than small ones; v210 is
 * decoded to planes, of which there are as many. */
TEST (test_depth_changes)
{
  static const guint heights[] = { 64, 3200, 64, 4992, 3200 };
  PacoPictureFormat picture = {
    .width = 8192,
    .n_components = 3,
    .components = { { 10, 0, 0 }, { 10, 1, 0 }, { 10, 1, 0 } },
  };
  g_autoptr (PacoHarness)
      harness = paco_test_harness ("pacodec reduce=5 pipeline-depth=8");
  guint n = 0;

  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  for (guint i = 0; i < G_N_ELEMENTS (heights); i++) {
    g_autoptr (GstBuffer) frame = NULL;

    picture.height = heights[i];
    frame = empty_frame_of (&picture, "v210", 5);
    for (guint k = 0; k < 5 + i; k++, n++)
      push (harness, gst_buffer_ref (frame));
  }
  gst_harness_push_event (harness, gst_event_new_eos ());
  fail_unless_equals_int (gst_harness_buffers_received (harness), n);
  for (guint i = 0; i < G_N_ELEMENTS (heights); i++)
    for (guint k = 0; k < 5 + i; k++) {
      g_autoptr (GstBuffer) out = gst_harness_pull (harness);
      gsize size = gst_buffer_get_size (out);

      /* A line of 256 columns has 43 groups of six, in 768 bytes. */
      fail_unless_equals_int (size, 768 * heights[i] / 32);
      /* These are three samples in the middle of their range. */
      for (gsize at = 0; at < size; at += 768) {
        guint8 word[4];

        gst_buffer_extract (out, at, word, 4);
        fail_unless_equals_int (GST_READ_UINT32_LE (word), 0x20080200);
      }
    }
}

TEST_MAIN ("limits")

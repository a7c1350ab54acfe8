/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests mosaics of sensors, video/x-bayer: every pattern and depth comes back through the
 * elements, containers and RTP; what is no mosaic is refused with a sentence; bayer2rgb
 * shows what pacodec makes; and reduce makes R, G and B of cells. */
#include "caps/mosaics.h"
#include "recording.h"
#include <gst/app/gstappsrc.h>

/* The order of colors in a cell: R is 0, the greens are 1 and 2, B is 3. */
static const struct
{
  const gchar *name;
  guint at[4]; /* The place of each: the column, plus twice the line. */
} patterns[] = {
  { "rggb", { 0, 1, 2, 3 } },
  { "grbg", { 1, 0, 3, 2 } },
  { "gbrg", { 2, 3, 0, 1 } },
  { "bggr", { 3, 2, 1, 0 } },
};
static const gchar *const suffixes[] = { "", "10le", "10be", "12le", "12be",
  "14le", "14be", "16le", "16be" };

#define N_PATTERNS G_N_ELEMENTS (patterns)
#define N_SUFFIXES G_N_ELEMENTS (suffixes)
#define N_FORMATS (N_PATTERNS * N_SUFFIXES)
#define LOSSLESS "pacoenc rate-control=lossless levels=2 threads=2"

/* A mosaic, and its random samples line by line. */
typedef struct
{
  guint pattern, width, height, depth;
  const gchar *suffix;
  gboolean big_endian;
  guint16 *samples;
} Mosaic;

static void
clear (Mosaic *mosaic)
{
  g_free (mosaic->samples);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Mosaic, clear)

static Mosaic
draw (guint format, guint width, guint height)
{
  Mosaic mosaic = { .pattern = format % N_PATTERNS,
    .width = width,
    .height = height,
    .suffix = suffixes[format / N_PATTERNS] };

  mosaic.depth = *mosaic.suffix ? (guint) atoi (mosaic.suffix) : 8;
  mosaic.big_endian = g_str_has_suffix (mosaic.suffix, "be");
  mosaic.samples = g_new (guint16, width * height);
  for (guint i = 0; i < width * height; i++)
    mosaic.samples[i] = g_random_int_range (0, 1 << mosaic.depth);
  return mosaic;
}

/* Draws a mosaic of this suffix. */
static Mosaic
draw_any (guint suffix, guint width, guint height)
{
  return draw (
      suffix * N_PATTERNS + g_random_int_range (0, N_PATTERNS), width, height);
}

/* Draws an even number from 2 to 2 * most. */
static guint
draw_size (guint most)
{
  return 2 * g_random_int_range (1, most + 1);
}

static gchar *
caps_of (const Mosaic *mosaic)
{
  return g_strdup_printf ("video/x-bayer, format=(string)%s%s, width=(int)%u, "
                          "height=(int)%u, framerate=(fraction)25/1",
      patterns[mosaic->pattern].name, mosaic->suffix, mosaic->width,
      mosaic->height);
}

static guint
bytes_of (const Mosaic *mosaic)
{
  return mosaic->depth > 8 ? 2 : 1;
}

/* Returns the length of a line as GStreamer has it. */
static guint
usual_stride (const Mosaic *mosaic)
{
  return GST_ROUND_UP_4 (mosaic->width) * bytes_of (mosaic);
}

/* Returns a buffer whose lines have `stride` bytes, with noise where no samples are. */
static GstBuffer *
make_buffer (const Mosaic *mosaic, guint stride)
{
  GstBuffer *buffer = gst_buffer_new_allocate (
      NULL, stride * mosaic->height, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = g_random_int () >> 13;
  for (guint i = 0; i < mosaic->width * mosaic->height; i++) {
    guint8 *at = map.data + i / mosaic->width * stride
        + i % mosaic->width * bytes_of (mosaic);

    if (mosaic->depth == 8)
      *at = mosaic->samples[i];
    else if (mosaic->big_endian)
      GST_WRITE_UINT16_BE (at, mosaic->samples[i]);
    else
      GST_WRITE_UINT16_LE (at, mosaic->samples[i]);
  }
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

/* Expects the mosaic in a buffer as GStreamer lays it out, with padding of zeros. */
static void
expect_mosaic (const Mosaic *mosaic, gboolean big_endian, GstBuffer *buffer)
{
  guint word = bytes_of (mosaic);
  gboolean as_is = mosaic->big_endian == big_endian;
  GstMapInfo map;

  fail_unless (buffer != NULL);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (
      map.size, (guint64) usual_stride (mosaic) * mosaic->height);
  for (guint y = 0; y < mosaic->height; y++)
    for (guint x = 0; x < usual_stride (mosaic) / word; x++) {
      const guint8 *at = map.data + y * usual_stride (mosaic) + x * word;
      guint is = word == 1 ? *at
          : big_endian     ? GST_READ_UINT16_BE (at)
                           : GST_READ_UINT16_LE (at);
      guint was = x < mosaic->width ? mosaic->samples[y * mosaic->width + x]
                                    : 0;

      fail_unless (is == was,
          "%s%s%s %ux%u: sample %u of line %u is %u, was %u",
          patterns[mosaic->pattern].name, mosaic->suffix,
          as_is ? "" : " turned", mosaic->width, mosaic->height, x, y, is, was);
    }
  gst_buffer_unmap (buffer, &map);
}

static GstHarness *
harness_of (const Mosaic *mosaic, const gchar *launch)
{
  g_autofree gchar *caps = caps_of (mosaic);
  GstHarness *harness = paco_test_harness ("%s", launch);

  gst_harness_set_src_caps_str (harness, caps);
  return harness;
}

/* --- there and back --------------------------------------------------- */

static void
check_comes_back (const Mosaic *mosaic, GstBuffer *in)
{
  g_autoptr (PacoHarness)
      harness = harness_of (mosaic, LOSSLESS " ! pacodec threads=2");
  g_autofree gchar *caps = caps_of (mosaic);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (harness, in);

  expect_mosaic (mosaic, mosaic->big_endian, out);
  expect_caps (harness, caps);
}

LOOP_TEST (test_every_mosaic_comes_back, N_FORMATS)
{
  const guint widths[] = { 2, 4, 66, draw_size (50) };

  for (guint i = 0; i < G_N_ELEMENTS (widths); i++) {
    g_auto (Mosaic) mosaic = draw (__i__, widths[i], draw_size (20));

    check_comes_back (&mosaic, make_buffer (&mosaic, usual_stride (&mosaic)));
  }
}

/* Tests buffers without padding, with more bytes than a picture, and with a meta. */
LOOP_TEST (test_lines, N_SUFFIXES)
{
  g_auto (Mosaic) mosaic = draw_any (__i__, draw_size (20), draw_size (8));
  guint line = mosaic.width * bytes_of (&mosaic);
  gint stride[GST_VIDEO_MAX_PLANES] = { line + 2 * g_random_int_range (0, 9) };
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0 };
  GstBuffer *buffer = make_buffer (&mosaic, usual_stride (&mosaic));

  check_comes_back (&mosaic, make_buffer (&mosaic, line));
  gst_buffer_append_memory (buffer, gst_allocator_alloc (NULL, 100, NULL));
  check_comes_back (&mosaic, buffer);
  buffer = make_buffer (&mosaic, stride[0]);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GRAY8, mosaic.width, mosaic.height, 1, offset, stride);
  check_comes_back (&mosaic, buffer);
}

/* Tests a pattern that changes, and nothing else. */
TEST (test_other_pattern)
{
  g_auto (Mosaic) first = draw (0, 34, 16), second = draw (3, 34, 16);
  g_autoptr (PacoHarness) harness = harness_of (&first, LOSSLESS " ! pacodec");
  g_autofree gchar *caps = caps_of (&second);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (
      harness, make_buffer (&first, usual_stride (&first)));

  expect_mosaic (&first, FALSE, out);
  gst_harness_set_src_caps_str (harness, caps);
  gst_clear_buffer (&out);
  out = gst_harness_push_and_pull (
      harness, make_buffer (&second, usual_stride (&second)));
  expect_mosaic (&second, FALSE, out);
  expect_caps (harness, caps);
}

/* Tests that downstream gets the order of bytes that it takes. */
LOOP_TEST (test_other_order, N_SUFFIXES - 1)
{
  g_auto (Mosaic) mosaic = draw_any (__i__ + 1, 10, 6);
  g_autofree gchar *launch = g_strdup_printf (LOSSLESS
      " ! pacodec ! capsfilter caps=video/x-bayer,format=%s%u%s",
      patterns[mosaic.pattern].name, mosaic.depth,
      mosaic.big_endian ? "le" : "be");
  g_autoptr (PacoHarness) harness = harness_of (&mosaic, launch);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (
      harness, make_buffer (&mosaic, usual_stride (&mosaic)));

  expect_mosaic (&mosaic, !mosaic.big_endian, out);
}

/* Tests caps of cameras, which say less or more, and that elements agree where they leave
 * a choice. */
TEST (test_negotiation)
{
  static const gchar *const fields[] = { "", ",framerate=0/1",
    ",framerate=30/1,interlace-mode=progressive,pixel-aspect-ratio=1/1",
    ",framerate=30/1,colorimetry=sRGB,interlace-mode=progressive" };
  static const gchar *const between[] = { "", "! queue !", "! tee !" };

  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    g_auto (Mosaic) mosaic = draw (4, 18, 6);
    g_autofree gchar *caps = g_strconcat (
        "video/x-bayer,format=rggb10le,width=18,height=6", fields[i], NULL);
    g_autoptr (PacoHarness) harness = paco_test_harness (LOSSLESS " ! pacodec");
    g_autoptr (GstBuffer) out = NULL;

    gst_harness_set_src_caps_str (harness, caps);
    out = gst_harness_push_and_pull (
        harness, make_buffer (&mosaic, usual_stride (&mosaic)));
    expect_mosaic (&mosaic, FALSE, out);
  }
  for (guint i = 0; i < G_N_ELEMENTS (between); i++)
    run (launch ("videotestsrc num-buffers=3 ! "
                 "video/x-bayer,format=(string){grbg,bggr},width=[16,66] %s "
                 "pacoenc ! pacodec ! video/x-bayer ! fakesink",
        between[i][0] ? between[i] : "!"));
}

/* Tests how a lossy mosaic looks: all samples are near the true ones. */
TEST (test_lossy)
{
  g_auto (Mosaic) mosaic = draw (12, 128, 96);
  g_autoptr (PacoHarness)
      harness = harness_of (&mosaic, "pacoenc quality=95 ! pacodec");
  g_autoptr (GstBuffer) out = NULL;
  GstMapInfo map;

  for (guint i = 0; i < 128 * 96; i++)
    mosaic.samples[i] = 600 + 16 * (i % 128) + 8 * (i / 128) + 400 * (i % 2);
  out = gst_harness_push_and_pull (
      harness, make_buffer (&mosaic, usual_stride (&mosaic)));
  fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
  for (guint i = 0; i < 128 * 96; i++)
    fail_unless (
        ABS ((gint) GST_READ_UINT16_LE (map.data + 2 * i) - mosaic.samples[i])
            < 64,
        "sample %u", i);
  gst_buffer_unmap (out, &map);
}

/* --- refusals --------------------------------------------------------- */

static void
expect_refusal (const gchar *launch, const gchar *caps, const gchar *words)
{
  g_autoptr (PacoHarness) harness = paco_test_harness ("%s", launch);
  GstFlowReturn flow = GST_FLOW_OK;

  gst_harness_set_src_caps_str (harness, caps);
  /* Elements work on several frames at a time. */
  for (guint i = 0; flow == GST_FLOW_OK && i < 20; i++)
    flow = gst_harness_push (
        harness, gst_buffer_new_allocate (NULL, 400, NULL));
  fail_unless (flow != GST_FLOW_OK, "%s takes %s", launch, caps);
  expect_error (harness, 0, 0, words);
}

TEST (test_refusals)
{
#define SIZE(w, h) ",width=" #w ",height=" #h ",framerate=25/1"
  expect_refusal (
      "pacoenc", "video/x-bayer,format=rggb" SIZE (35, 20), "of 35x20 cannot");
  expect_refusal (
      "pacoenc", "video/x-bayer,format=bggr16le" SIZE (20, 7), "must be even");
  expect_refusal ("pacoenc",
      "video/x-bayer,format=rggb,interlace-mode=interleaved" SIZE (20, 20),
      "interlaced");
  expect_refusal ("pacoenc stack=4", "video/x-bayer,format=rggb" SIZE (20, 20),
      "the pictures are rggb");
  expect_refusal (
      "pacoenc", "video/x-bayer,format=rggb" SIZE (22, 20), "is not a rggb");
  expect_refusal ("pacoenc ! pacodec ! capsfilter caps=video/x-raw",
      "video/x-bayer,format=rggb" SIZE (20, 20), "put bayer2rgb there");
}

/* --- what follows ----------------------------------------------------- */

/* Expects each sample of the mosaic as the red, green or blue one of its pixel, of
 * ARGB64, but for a margin. */
static void
expect_colors (const Mosaic *mosaic, const guint8 *pixels)
{
  for (guint y = 2; y + 2 < mosaic->height; y++)
    for (guint x = 2; x + 2 < mosaic->width; x++) {
      guint at = y % 2 * 2 + x % 2, c = 0, is, was;

      while (patterns[mosaic->pattern].at[c] != at)
        c++;
      is = *(const guint16 *) (gconstpointer) (pixels
          + 8 * (gsize) (y * mosaic->width + x)
          + (const guint8[]){ 2, 4, 4, 6 }[c]);
      was = mosaic->samples[y * mosaic->width + x] * 65535u
          / ((1u << mosaic->depth) - 1);
      fail_unless (ABS ((gint) is - (gint) was) <= 1 << (16 - mosaic->depth),
          "%s%s: sample %u of line %u is %u, was %u",
          patterns[mosaic->pattern].name, mosaic->suffix, x, y, is, was);
    }
}

/* Tests that bayer2rgb makes the same of what pacodec decodes as of what was coded, and
 * that it is the picture. It reads lines that it has not written where there are only
 * two, and that of GStreamer 1.26 makes nothing where nobody offers buffers, as
 * videoconvert does. */
LOOP_TEST (test_bayer2rgb, N_SUFFIXES)
{
  g_auto (Mosaic)
      mosaic = draw_any (__i__, 64 + draw_size (9), 2 + draw_size (20));
  g_autoptr (GstCaps)
      deep = gst_caps_from_string ("video/x-bayer,format=rggb16le");
  g_autoptr (GstElementFactory)
      factory = gst_element_factory_find ("bayer2rgb");
  g_autofree gchar *show = g_strdup_printf (
      "bayer2rgb ! capsfilter caps=video/x-raw,format=%s ! videoconvert ! "
      "capsfilter caps=video/x-raw,format=ARGB64",
      mosaic.depth > 8 ? "RGBA64_LE" : "RGBA");
  g_autofree gchar *decode = g_strconcat (LOSSLESS " ! pacodec ! ", show, NULL);
  g_autoptr (PacoHarness) plain = NULL, coded = NULL;
  g_autoptr (GstBuffer) in = NULL, a = NULL, b = NULL;
  GstMapInfo map;

  if (factory == NULL
      || (mosaic.depth > 8
          && !gst_element_factory_can_sink_any_caps (factory, deep))) {
    g_print ("no bayer2rgb for %u bits here: skipped\n", mosaic.depth);
    return;
  }
  in = make_buffer (&mosaic, usual_stride (&mosaic));
  plain = harness_of (&mosaic, show);
  coded = harness_of (&mosaic, decode);
  a = gst_harness_push_and_pull (plain, gst_buffer_ref (in));
  b = gst_harness_push_and_pull (coded, gst_buffer_ref (in));
  fail_unless (a != NULL && b != NULL);
  fail_unless (gst_buffer_map (a, &map, GST_MAP_READ));
  fail_unless_equals_uint64 (map.size, gst_buffer_get_size (b));
  fail_unless_equals_uint64 (
      map.size, 8 * (guint64) mosaic.width * mosaic.height);
  expect_colors (&mosaic, map.data);
  fail_unless_equals_int (gst_buffer_memcmp (b, 0, map.data, map.size), 0);
  gst_buffer_unmap (a, &map);
}

/* Returns sample c of cell (x, y). */
static guint
cell (const Mosaic *mosaic, guint x, guint y, guint c)
{
  guint at = patterns[mosaic->pattern].at[c];

  return mosaic->samples[(2 * y + at / 2) * mosaic->width + 2 * x + at % 2];
}

/* Returns samples R, G, B of a pixel, by GStreamer's own unpacking to 16 bits, whose
 * high bits are the sample. */
static void
read_pixel (GstVideoFrame *frame, guint x, guint y, guint16 *pixel)
{
  const GstVideoFormatInfo *format = frame->info.finfo;
  guint bits = GST_VIDEO_FORMAT_INFO_BITS (gst_video_format_get_info (
      format->unpack_func ? format->unpack_format : GST_VIDEO_FORMAT_ARGB));
  guint8 line[8 * 64];

  format->unpack_func (format, GST_VIDEO_PACK_FLAG_TRUNCATE_RANGE, line,
      frame->data, frame->info.stride, 0, y, frame->info.width);
  for (guint c = 0; c < 4; c++)
    pixel[c] = bits == 8 ? line[4 * x + c] << 8
                         : ((guint16 *) (gpointer) line)[4 * x + c];
}

static void
check_cells (const Mosaic *mosaic, GstHarness *harness, GstBuffer *out)
{
  guint shift = 16 - mosaic->depth;
  GstVideoFrame frame;
  GstVideoInfo info;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->sinkpad);

  fail_unless (gst_video_info_from_caps (&info, caps));
  fail_unless_equals_int (info.width, mosaic->width / 2);
  fail_unless_equals_int (info.height, mosaic->height / 2);
  fail_unless (gst_video_frame_map (&frame, &info, out, GST_MAP_READ));
  for (guint y = 0; y < mosaic->height / 2; y++)
    for (guint x = 0; x < mosaic->width / 2; x++) {
      guint greens = cell (mosaic, x, y, 1) + cell (mosaic, x, y, 2);
      guint green = info.finfo->depth[0] > mosaic->depth
          ? greens << shift >> 1
          : (greens + 1) / 2 << shift;
      guint16 pixel[4];

      read_pixel (&frame, x, y, pixel);
      fail_unless_equals_int (pixel[1], cell (mosaic, x, y, 0) << shift);
      fail_unless_equals_int (pixel[2], green);
      fail_unless_equals_int (pixel[3], cell (mosaic, x, y, 3) << shift);
      fail_unless (pixel[0] >= 0xff00);
    }
  gst_video_frame_unmap (&frame);
}

LOOP_TEST (test_reduce_makes_rgb, N_FORMATS)
{
  g_auto (Mosaic) mosaic = draw (__i__, draw_size (20), draw_size (8));
  static const gchar *const tails[] = { "",
    " ! capsfilter caps=video/x-raw,format=BGRx",
    " ! capsfilter caps=video/x-raw,format=GBR_10BE",
    " ! capsfilter caps=video/x-raw,format=GBR_12BE",
    " ! capsfilter caps=video/x-raw,format=ARGB64",
    " ! capsfilter caps=video/x-raw,format=ARGB64" };
  const gchar *tail = tails[mosaic.depth / 2 - 3];
  g_autofree gchar *launch = g_strconcat (
      LOSSLESS " ! pacodec reduce=1", g_random_boolean () ? tail : "", NULL);
  g_autoptr (PacoHarness) harness = harness_of (&mosaic, launch);
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (
      harness, make_buffer (&mosaic, usual_stride (&mosaic)));

  fail_unless (out != NULL);
  check_cells (&mosaic, harness, out);
}

/* Tests how far pictures are reduced, and that a picture of one color stays so. */
TEST (test_reduce_more)
{
  g_auto (Mosaic) mosaic = draw (0, 50, 22);

  for (guint i = 0; i < 50 * 22; i++)
    mosaic.samples[i] = 100;
  for (guint reduce = 1; reduce <= 3; reduce++) {
    g_autofree gchar *launch = g_strdup_printf (
        LOSSLESS " ! pacodec reduce=%u", reduce);
    g_autoptr (PacoHarness) harness = harness_of (&mosaic, launch);
    g_autoptr (GstBuffer) out = gst_harness_push_and_pull (
        harness, make_buffer (&mosaic, usual_stride (&mosaic)));
    GstMapInfo map;

    fail_unless_equals_int (output_int (harness, "width"),
        (25 + (1 << (reduce - 1)) - 1) >> (reduce - 1));
    fail_unless_equals_int (output_int (harness, "height"),
        (11 + (1 << (reduce - 1)) - 1) >> (reduce - 1));
    fail_unless (gst_buffer_map (out, &map, GST_MAP_READ));
    fail_unless_equals_int (map.data[0], 100);
    fail_unless_equals_int (map.data[2], 100);
    gst_buffer_unmap (out, &map);
  }
  expect_refusal (LOSSLESS " ! pacodec reduce=4",
      "video/x-bayer,format=rggb" SIZE (20, 20), "set reduce to 3 or less");
}

/* --- on the way ------------------------------------------------------- */

#define N_BUFFERS 3

/* Pushes mosaics into an appsrc "src" of a pipeline, and plays it to its end. */
static void
record (GstElement *pipeline, const Mosaic *mosaics)
{
  g_autoptr (GstElement) src = gst_bin_get_by_name (GST_BIN (pipeline), "src");
  g_autofree gchar *words = caps_of (&mosaics[0]);
  g_autoptr (GstCaps) caps = gst_caps_from_string (words);

  g_object_set (src, "caps", caps, "format", GST_FORMAT_TIME, NULL);
  for (guint i = 0; i < N_BUFFERS; i++) {
    GstBuffer *buffer = make_buffer (&mosaics[i], usual_stride (&mosaics[i]));

    GST_BUFFER_PTS (buffer) = i * 40 * GST_MSECOND;
    gst_app_src_push_buffer (GST_APP_SRC (src), buffer);
  }
  gst_app_src_end_of_stream (GST_APP_SRC (src));
  run (pipeline);
}

/* Muxers take no pictures of less than 16 columns. */
LOOP_TEST (test_containers, N_SUFFIXES)
{
  static const gchar *const containers[][2] = {
    { "qtmux", "qtdemux" },
    { "mp4mux fragment-duration=100", "qtdemux" },
    { "matroskamux", "matroskademux" },
    { "identity", "identity" },
  };
  guint width = 16 + draw_size (20), height = 16 + draw_size (20);
  guint format = __i__ * N_PATTERNS + g_random_int_range (0, N_PATTERNS);

  for (guint i = 0; i < G_N_ELEMENTS (containers); i++) {
    g_autoptr (Folder) folder = temporary_folder ();
    Mosaic mosaics[N_BUFFERS];
    g_autofree gchar *caps = NULL;
    Player player;

    for (guint k = 0; k < N_BUFFERS; k++)
      mosaics[k] = draw (format, width, height);
    caps = caps_of (&mosaics[0]);
    record (launch ("appsrc name=src ! " LOSSLESS
                    " ! pacoparse ! %s ! filesink location=%s/file",
                containers[i][0], folder),
        mosaics);
    start (&player,
        launch ("filesrc location=%s/file ! %s ! pacoparse ! pacodec ! %s ! "
                "appsink name=sink",
            folder, containers[i][1], caps));
    for (guint k = 0; k < N_BUFFERS; k++) {
      g_autoptr (GstSample)
          sample = gst_app_sink_try_pull_sample (player.sink, TIME_LIMIT);

      fail_unless (sample != NULL, "%s %s", containers[i][0], caps);
      expect_mosaic (
          &mosaics[k], mosaics[k].big_endian, gst_sample_get_buffer (sample));
    }
    stop (&player);
    for (guint k = 0; k < N_BUFFERS; k++)
      clear (&mosaics[k]);
  }
}

LOOP_TEST (test_rtp, N_SUFFIXES)
{
  g_auto (Mosaic) mosaic = draw_any (__i__, draw_size (60), draw_size (20));
  g_autofree gchar *caps = caps_of (&mosaic);
  g_autoptr (PacoHarness) harness = harness_of (
      &mosaic, LOSSLESS " ! rtppacopay mtu=500 ! rtppacodepay ! pacodec");
  g_autoptr (GstBuffer) out = gst_harness_push_and_pull (
      harness, make_buffer (&mosaic, usual_stride (&mosaic)));

  expect_mosaic (&mosaic, mosaic.big_endian, out);
  expect_caps (harness, caps);
}

TEST_MAIN ("mosaics", "qtmux", "qtdemux", "matroskamux", "matroskademux")

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes pictures for tests of the elements: random ones of any format. It also reads
 * samples, of which it takes only the meaningful bits. */
#pragma once
#include "caps/packed.h"
#include "caps/videocaps.h"
#include "elements.h"
#include <gst/video/video.h>

#define PACO_TEST_CODED_CAPS "video/x-paco,parsed=true,alignment=frame"

static inline void
paco_test_info (
    GstVideoInfo *info, GstVideoFormat format, guint width, guint height)
{
  fail_unless (gst_video_info_set_format (info, format, width, height));
  info->fps_n = 25;
  info->fps_d = 1;
}

/* Returns a buffer of random bytes, padding included. */
static inline GstBuffer *
paco_test_random_buffer (const GstVideoInfo *info, guint32 seed)
{
  GstBuffer *buffer = gst_buffer_new_allocate (
      NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  GRand *random = g_rand_new_with_seed (seed);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (gsize i = 0; i < map.size; i++)
    map.data[i] = g_rand_int (random) >> 13;
  gst_buffer_unmap (buffer, &map);
  g_rand_free (random);
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

/* Returns a number of pacodec's stats. */
static inline guint64
paco_test_stat (GstHarness *harness, const gchar *name)
{
  return stat_of (harness, "pacodec", name);
}

/* Says whether the bytes of a are those of b. */
static inline gboolean
paco_test_same_bytes (GstBuffer *a, GstBuffer *b)
{
  GstMapInfo map;
  gboolean same;

  fail_unless (gst_buffer_map (b, &map, GST_MAP_READ));
  same = gst_buffer_get_size (a) == map.size
      && gst_buffer_memcmp (a, 0, map.data, map.size) == 0;
  gst_buffer_unmap (b, &map);
  return same;
}

/* Returns a smooth picture, for tests that need fewer bits at less quality. */
static inline GstBuffer *
paco_test_gray_buffer (guint width, guint height, guint phase)
{
  guint stride = GST_ROUND_UP_4 (width);
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, stride * height, NULL);
  GstMapInfo map;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < stride; x++)
      map.data[y * stride + x] = 64 + (x + phase) * 96 / width
          + ((x * 7919u + y * 104729u) >> 4) % 16;
  gst_buffer_unmap (buffer, &map);
  GST_BUFFER_PTS (buffer) = phase * 40 * GST_MSECOND;
  GST_BUFFER_DURATION (buffer) = 40 * GST_MSECOND;
  return buffer;
}

/* Returns sample (x, y) of a component of a picture. */
static inline guint32
paco_test_sample (const PacoPicture *picture, const PacoRawFormat *raw, guint c,
    guint x, guint y)
{
  const PacoSampleLayout *layout = &picture->layout[c];
  const PacoSamplePlace *place = &layout->places[x % layout->group_samples];
  const guint8 *at = picture->data[c] + picture->stride[c] * (gssize) y
      + x / layout->group_samples * layout->group_bytes + place->byte;
  guint32 word = 0;

  for (guint i = 0; i < layout->word_bytes; i++)
    word |= (guint32) at[layout->big_endian ? layout->word_bytes - 1 - i : i]
        << (8 * i);
  return (word >> place->shift) & ((1u << raw->components[c].depth) - 1);
}

/* Returns all samples of a buffer, component by component, whatever its format. */
static inline GArray *
paco_test_samples (const GstVideoInfo *info, GstBuffer *buffer)
{
  GArray *samples = g_array_new (FALSE, FALSE, sizeof (guint16));
  PacoPlanes *planes = NULL;
  PacoPictureFormat format;
  PacoRawFormat raw;
  PacoPicture picture;
  GstVideoFrame frame;

  fail_unless (paco_raw_format (GST_VIDEO_INFO_FORMAT (info), &raw));
  fail_unless (paco_picture_format_from_info (info, false, &format));
  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  if (raw.tiled) {
    planes = paco_planes_new (&format);
    paco_planes_unpack (planes, &frame);
    picture = *paco_planes_picture (planes);
  } else {
    paco_picture_from_frame (&raw, &frame, &picture);
  }

  for (guint c = 0; c < format.n_components; c++)
    for (guint y = 0; y < paco_component_height (&format, c); y++)
      for (guint x = 0; x < paco_component_width (&format, c); x++) {
        guint16 sample = paco_test_sample (&picture, &raw, c, x, y);

        g_array_append_val (samples, sample);
      }

  paco_planes_free (planes);
  gst_video_frame_unmap (&frame);
  return samples;
}

static inline void
paco_test_same_samples (const GstVideoInfo *a_info, GstBuffer *a,
    const GstVideoInfo *b_info, GstBuffer *b, const char *what)
{
  g_autoptr (GArray) sa = paco_test_samples (a_info, a);
  g_autoptr (GArray) sb = paco_test_samples (b_info, b);

  fail_unless_equals_int (sa->len, sb->len);
  for (guint i = 0; i < sa->len; i++)
    fail_unless (
        g_array_index (sa, guint16, i) == g_array_index (sb, guint16, i),
        "%s: sample %u is %u, was %u", what, i, g_array_index (sb, guint16, i),
        g_array_index (sa, guint16, i));
}

/* Makes a harness whose input has these caps. */
static inline GstHarness *
paco_test_harness_of (const gchar *launch, const GstVideoInfo *info)
{
  GstHarness *harness = paco_test_harness (launch);

  gst_harness_set_src_caps (harness, gst_video_info_to_caps (info));
  return harness;
}

/* Makes one for gray pictures of 8 bits. */
static inline GstHarness *
paco_test_gray_harness (const gchar *launch, guint width, guint height)
{
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, width, height);
  return paco_test_harness_of (launch, &info);
}

static inline GstHarness *
paco_test_with_coded_caps (GstHarness *harness)
{
  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  return harness;
}

/* Makes one for coded frames. */
#define paco_test_decoder_harness(...)                                         \
  paco_test_with_coded_caps (paco_test_harness (__VA_ARGS__))

/* Codes one buffer. */
static inline GstBuffer *
paco_test_code (
    const gchar *launch, const GstVideoInfo *info, GstBuffer *buffer)
{
  g_autoptr (PacoHarness) harness = paco_test_harness_of (launch, info);
  GstBuffer *out;

  out = gst_harness_push_and_pull (harness, buffer);
  fail_unless (out != NULL);
  return out;
}

/* Codes a smooth picture. */
static inline GstBuffer *
paco_test_code_gray (
    const gchar *launch, guint width, guint height, guint phase)
{
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, width, height);
  return paco_test_code (
      launch, &info, paco_test_gray_buffer (width, height, phase));
}

/* Checks that the next picture is this one, and is not damaged. */
static inline void
paco_test_pull_gray (
    GstHarness *harness, guint width, guint height, guint phase)
{
  g_autoptr (GstBuffer) in = paco_test_gray_buffer (width, height, phase);
  g_autoptr (GstBuffer) out = gst_harness_pull (harness);
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, width, height);
  fail_unless_equals_uint64 (GST_BUFFER_PTS (out), GST_BUFFER_PTS (in));
  fail_if (GST_BUFFER_FLAG_IS_SET (out, GST_BUFFER_FLAG_CORRUPTED));
  paco_test_same_samples (&info, in, &info, out, "gray");
}

/* Returns the info of the caps that have come out. */
static inline GstVideoInfo
paco_test_output_info (GstHarness *harness)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->sinkpad);
  GstVideoInfo info;

  fail_unless (gst_video_info_from_caps (&info, caps));
  return info;
}

/* Parses the header of a coded buffer. */
static inline void
paco_test_header (GstBuffer *buffer, PacoHeader *header)
{
  GstMapInfo map;
  GError *error = NULL;

  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  fail_unless (paco_header_parse (map.data, map.size, header, NULL, &error));
  g_assert_no_error (error);
  fail_unless_equals_uint64 (header->frame_size, map.size);
  gst_buffer_unmap (buffer, &map);
}

/* Pushes frames of phases 0, 1 and 1000, and says before the second one that it
 * is late. Only qos may drop it. */
static inline void
paco_test_expect_qos (
    GstHarness *harness, GstBuffer *const frames[3], gboolean qos)
{
  gst_harness_push (harness, frames[0]);
  pull_and_drop (harness);
  push_qos (harness);
  gst_harness_push (harness, frames[1]);
  gst_harness_push (harness, frames[2]);
  for (guint phase = qos ? 1000 : 1; phase <= 1000; phase += 999) {
    g_autoptr (GstBuffer) out = gst_harness_pull (harness);

    fail_unless_equals_uint64 (GST_BUFFER_PTS (out), phase * 40 * GST_MSECOND);
  }
}

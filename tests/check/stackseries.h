/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Helps the tests of stacks: it draws series of slices, codes and decodes
 * them. */
#pragma once
#include "codec/stack.h"
#include "pacotest.h"
#include <math.h>

#define DURATION (40 * GST_MSECOND)

/* This is a stack of pictures: what is drawn for a test. */
typedef struct
{
  GstVideoInfo info;
  guint length; /* property stack */
  guint n_frames;
  gboolean lossless;
  gboolean unchecked; /* without block-checks */
  guint quality;
  guint depth; /* property pipeline-depth */
} Series;

static inline guint
draw (guint low, guint high)
{
  return low + g_random_int () % (high - low + 1);
}

static inline void
draw_series (Series *series, guint largest)
{
  *series = (Series){ .length = draw (2, 17),
    .n_frames = draw (1, 40),
    .lossless = draw (0, 1),
    .quality = draw (40, 100),
    .depth = draw (1, 3) };
  paco_test_info (&series->info,
      draw (0, 1) ? GST_VIDEO_FORMAT_GRAY8 : GST_VIDEO_FORMAT_GRAY16_LE,
      draw (1, largest), draw (1, largest));
}

static inline gboolean
is_wide (const Series *series)
{
  return GST_VIDEO_INFO_FORMAT (&series->info) == GST_VIDEO_FORMAT_GRAY16_LE;
}

static inline void
put (guint8 *line, gboolean wide, guint x, guint sample)
{
  if (wide)
    GST_WRITE_UINT16_LE (line + 2 * x, sample);
  else
    line[x] = (guint8) sample;
}

/* Returns a sample of something with a texture, which is the same in all
 * slices, that changes slowly, and with noise. */
static inline guint
sample (guint n, guint x, guint y, guint most)
{
  double wave = sin (0.1 * x + 0.05 * n) * cos (0.07 * y - 0.02 * n);
  guint texture = ((x * 7919u + y * 104729u) * 2654435761u) >> 24;

  return (guint) (most * (0.5 + 0.3 * wave + 0.15 * (texture / 256.0 - 0.5)))
      + draw (0, 3);
}

/* Draws slice n of something that changes slowly, with noise; every fifth
 * series is noise over the whole range. The begin sample is n. */
static inline GstBuffer *
draw_slice (const Series *series, guint n)
{
  GstVideoFrame frame;
  GstBuffer *buffer = gst_buffer_new_allocate (
      NULL, GST_VIDEO_INFO_SIZE (&series->info), NULL);
  gboolean wide = is_wide (series), noise = series->n_frames % 5 == 0;
  guint most = wide ? 0xffff : 0xff;

  gst_buffer_memset (buffer, 0, 0, GST_VIDEO_INFO_SIZE (&series->info));
  fail_unless (
      gst_video_frame_map (&frame, &series->info, buffer, GST_MAP_WRITE));
  for (gint y = 0; y < series->info.height; y++) {
    guint8 *line = (guint8 *) frame.data[0] + y * frame.info.stride[0];

    for (gint x = 0; x < series->info.width; x++)
      put (line, wide, x, noise ? draw (0, most) : sample (n, x, y, most));
  }
  put (frame.data[0], wide, 0, n);
  gst_video_frame_unmap (&frame);
  GST_BUFFER_PTS (buffer) = n * DURATION;
  GST_BUFFER_DURATION (buffer) = DURATION;
  return buffer;
}

static inline GPtrArray *
draw_slices (const Series *series)
{
  GPtrArray *slices = new_buffers ();

  for (guint n = 0; n < series->n_frames; n++)
    g_ptr_array_add (slices, draw_slice (series, n));
  return slices;
}

/* Draws a small series that is coded without loss. */
static inline void
draw_small (Series *series, guint length, guint n_frames)
{
  draw_series (series, 40);
  series->lossless = TRUE;
  series->length = length;
  series->n_frames = n_frames;
}

/* Draws a series for slices that are all the same, which are always worth a
 * wavelet along the stack. */
static inline void
draw_series_of_same (Series *series, guint length, guint n_frames)
{
  draw_small (series, length, n_frames);
  paco_test_info (&series->info, GST_VIDEO_INFO_FORMAT (&series->info),
      draw (20, 60), draw (8, 60));
}

static inline GPtrArray *
draw_same_slices (const Series *series)
{
  GPtrArray *slices = new_buffers ();

  g_ptr_array_add (slices, draw_slice (series, 0));
  for (guint n = 1; n < series->n_frames; n++) {
    GstBuffer *buffer = gst_buffer_copy (g_ptr_array_index (slices, 0));

    GST_BUFFER_PTS (buffer) = n * DURATION;
    g_ptr_array_add (slices, buffer);
  }
  return slices;
}

/* Draws a series for slices of one column, of which nothing says what a wavelet
 * brings: there is none. */
static inline void
draw_series_of_one_column (Series *series, guint length, guint n_frames)
{
  draw_series_of_same (series, length, n_frames);
  paco_test_info (
      &series->info, GST_VIDEO_INFO_FORMAT (&series->info), 1, draw (8, 60));
}

static inline GstHarness *
encoder (const Series *series)
{
  GstHarness *harness = paco_test_harness (
      "pacoenc backend=cpu stack=%u tune=psnr rate-control=%s quality=%u "
      "pipeline-depth=%u threads=2 block-checks=%d",
      series->length, series->lossless ? "lossless" : "quality",
      series->lossless ? 90 : series->quality, series->depth,
      !series->unchecked);

  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&series->info));
  return harness;
}

static inline GPtrArray *
code (const Series *series, GPtrArray *slices)
{
  g_autoptr (PacoHarness) harness = encoder (series);

  for (guint n = 0; n < slices->len; n++)
    push (harness, gst_buffer_ref (slices->pdata[n]));
  fail_unless (gst_harness_push_event (harness, gst_event_new_eos ()));
  return take_all (harness);
}

/* Pushes frames up to the first one that is refused, and the end. */
static inline GPtrArray *
decode (GstHarness *harness, GPtrArray *coded)
{
  for (guint n = 0; n < coded->len; n++)
    if (gst_harness_push (harness, gst_buffer_ref (coded->pdata[n]))
        != GST_FLOW_OK)
      break;
  gst_harness_push_event (harness, gst_event_new_eos ());
  return take_all (harness);
}

static inline gboolean
is_corrupted (GPtrArray *pictures, guint i)
{
  return GST_BUFFER_FLAG_IS_SET (pictures->pdata[i], GST_BUFFER_FLAG_CORRUPTED);
}

/* Says whether picture i has the samples of slice n. */
static inline gboolean
is_slice (const Series *series, GPtrArray *pictures, guint i, GPtrArray *slices,
    guint n)
{
  g_autoptr (GArray) x = paco_test_samples (&series->info, pictures->pdata[i]);
  g_autoptr (GArray) y = paco_test_samples (&series->info, slices->pdata[n]);

  return x->len == y->len && memcmp (x->data, y->data, 2 * x->len) == 0;
}

/* Returns the number of the slice whose time a picture has. */
static inline guint
number_at (GPtrArray *pictures, guint i)
{
  GstClockTime time = GST_BUFFER_PTS ((GstBuffer *) pictures->pdata[i]);

  return (time + DURATION / 2) / DURATION;
}

/* Returns how many pictures are flagged as corrupted. */
static inline guint
count_corrupted (GPtrArray *pictures)
{
  guint n = 0;

  for (guint i = 0; i < pictures->len; i++)
    n += is_corrupted (pictures, i);
  return n;
}

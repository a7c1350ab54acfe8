/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws the test scene, which clip.h declares. Patterns of videotestsrc code to next
 * to nothing; this has what camera pictures have: detail at every scale, movement
 * and grain. */
#include "pipelines/clip.h"

#define WIDTH 1920
#define HEIGHT 1080
#define PAN 8 /* columns per picture */

static guint32
next_random (guint32 *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

/* Adds smooth noise of one scale: random heights on a grid, interpolated. */
static void
add_octave (float *map, unsigned width, unsigned height, unsigned scale,
    float amplitude, guint32 *state)
{
  unsigned columns = width / scale + 2, rows = height / scale + 2;
  float *grid = g_new (float, columns *rows);

  for (unsigned i = 0; i < columns * rows; i++)
    grid[i] = amplitude * ((float) (next_random (state) >> 8) / (1 << 23) - 1);
  for (unsigned y = 0; y < height; y++) {
    float v = (float) (y % scale) / (float) scale;
    const float *row = grid + y / scale * columns;

    for (unsigned x = 0; x < width; x++) {
      const float *corner = row + x / scale;
      float u = (float) (x % scale) / (float) scale;
      float top = corner[0] + u * (corner[1] - corner[0]);
      float bottom = corner[columns]
          + u * (corner[columns + 1] - corner[columns]);

      map[(gsize) y * width + x] += top + v * (bottom - top);
    }
  }
  g_free (grid);
}

/* Makes clouds; luma also gets edges, along lines of the same height. */
static float *
make_map (unsigned width, unsigned height, guint32 seed, gboolean edges)
{
  float *map = g_new0 (float, (gsize) width *height);
  float amplitude = 150;

  for (unsigned scale = 512; scale >= 2; scale /= 2, amplitude *= 0.6f)
    add_octave (map, width, height, scale, amplitude, &seed);
  for (gsize i = 0; edges && i < (gsize) width * height; i++)
    map[i] += ((int) (map[i] + 1024) / 96 & 1) ? 70 : -70;
  return map;
}

static void
draw_plane (GstVideoFrame *frame, guint plane, const float *map,
    unsigned map_width, guint32 *state)
{
  unsigned width = GST_VIDEO_FRAME_COMP_WIDTH (frame, plane);
  unsigned step = WIDTH / width, index = GST_BUFFER_OFFSET (frame->buffer);
  int ball_x = 300 + 55 * (int) index;
  int ball_y = 400 + ((int) index - 12) * ((int) index - 12);

  for (unsigned y = 0; y < HEIGHT; y++) {
    guint16 *line = (guint16 *) ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (
                                     frame, plane)
        + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, plane));
    const float *from = map + (gsize) y * map_width + index * PAN;

    for (unsigned x = 0; x < width; x++) {
      int dx = (int) (x * step) - ball_x, dy = (int) y - ball_y;
      guint32 random = next_random (state);
      int grain = (int) (random & 7) + (int) (random >> 8 & 7) - 7;
      int value = (int) from[x * step] * (plane ? 1 : 2) / 2;

      if (dx * dx + dy * dy < 120 * 120)
        value = plane ? 40 - 80 * (int) (plane & 1) : 380 - (dx + dy);
      value += 512 + (plane ? grain / 2 : grain);
      line[x] = GUINT16_TO_LE ((guint16) CLAMP (value, 64, 940));
    }
  }
}

Clip *
clip_scene (guint n_frames)
{
  unsigned map_width = WIDTH + PAN * n_frames;
  guint32 state = 1;
  Clip *clip = clip_new ();
  float *maps[3];

  for (guint plane = 0; plane < 3; plane++)
    maps[plane] = make_map (map_width, HEIGHT, 7 + plane, plane == 0);
  gst_video_info_set_format (
      &clip->info, GST_VIDEO_FORMAT_I422_10LE, WIDTH, HEIGHT);
  clip->info.fps_n = 24;
  clip->info.fps_d = 1;
  clip->caps = gst_video_info_to_caps (&clip->info);
  for (guint i = 0; i < n_frames; i++) {
    GstBuffer *buffer = gst_buffer_new_allocate (NULL, clip->info.size, NULL);
    GstVideoFrame frame;

    GST_BUFFER_OFFSET (buffer) = i;
    GST_BUFFER_PTS (buffer) = i * GST_SECOND / 24;
    GST_BUFFER_DURATION (buffer) = GST_SECOND / 24;
    gst_video_frame_map (&frame, &clip->info, buffer, GST_MAP_WRITE);
    for (guint plane = 0; plane < 3; plane++)
      draw_plane (&frame, plane, maps[plane], map_width, &state);
    gst_video_frame_unmap (&frame);
    g_ptr_array_add (clip->buffers, buffer);
  }
  for (guint plane = 0; plane < 3; plane++)
    g_free (maps[plane]);
  return clip;
}

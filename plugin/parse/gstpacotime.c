/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The grid of times on which the frames of a stream of bytes lie, for pacoparse
 * (gstpacotime.h). */
#include "gstpacotime.h"

static GstClockTime
add (GstClockTime a, GstClockTime b)
{
  return a > GST_PACO_TIME_MAX || b > GST_PACO_TIME_MAX - a ? GST_PACO_TIME_MAX
                                                            : a + b;
}

GstClockTime
gst_paco_grid_time (const GstPacoGrid *grid, guint64 n)
{
  /* gst_util_uint64_scale() gives G_MAXUINT64 for what 64 bits do not hold. */
  return add (grid->origin,
      gst_util_uint64_scale (
          n, GST_SECOND * (guint64) grid->fps_d, grid->fps_n));
}

guint64
gst_paco_grid_frame_at (const GstPacoGrid *grid, GstClockTime time)
{
  guint64 end;

  if (time < grid->origin)
    return 0;
  /* Frame n begins at time t or before where n * d / N is below t + 1. */
  end = gst_util_uint64_scale_ceil (
      MIN (time, GST_PACO_TIME_MAX) - grid->origin + 1, grid->fps_n,
      GST_SECOND * (guint64) grid->fps_d);
  return MAX (end, 1) - 1;
}

guint64
gst_paco_grid_nearest (const GstPacoGrid *grid, GstClockTime time)
{
  guint64 n = gst_paco_grid_frame_at (grid, time);
  GstClockTime before = gst_paco_grid_time (grid, n);
  GstClockTime after = gst_paco_grid_time (grid, n + 1);

  return time > before && after > time && after - time <= time - before ? n + 1
                                                                        : n;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The grid of times on which the frames of a stream of bytes lie. pacoparse
 * stamps frames with it and finds the frame for a time; nothing here counts
 * frames one by one, and nothing overflows. */
#pragma once
#include <gst/gst.h>

/* This is the latest time, to which later ones are set. */
#define GST_PACO_TIME_MAX ((GstClockTime) G_MAXINT64)

/* Frame n begins at origin + n * fps_d / fps_n seconds, rounded down to a
 * nanosecond. A grid with fps_n = 0 tells no time. */
typedef struct
{
  gint fps_n, fps_d;
  GstClockTime origin; /* at most GST_PACO_TIME_MAX */
} GstPacoGrid;

/* Returns when frame n begins, at most GST_PACO_TIME_MAX. The grid has a rate. */
GstClockTime gst_paco_grid_time (const GstPacoGrid *grid, guint64 n);

/* Returns 0 for times before the origin. The grid has a rate. */
guint64 gst_paco_grid_frame_at (const GstPacoGrid *grid, GstClockTime time);

/* Returns the frame that begins nearest to time. The grid has a rate. */
guint64 gst_paco_grid_nearest (const GstPacoGrid *grid, GstClockTime time);

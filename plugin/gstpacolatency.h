/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The latency that pacoenc and pacodec claim: how long a frame takes from its
 * arrival until it is pushed. Frames are pushed when they are finished, not when
 * later ones arrive, so that is the time of coding, which is measured. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

/* No claim is larger, whatever the frame rate and however long coding takes. */
#define GST_PACO_MAX_LATENCY GST_SECOND

typedef struct
{
  /* As many frame durations as frames are in flight: what is claimed until
   * frames have been measured, and never exceeded. An element whose frames take
   * longer falls behind, and no latency helps. */
  GstClockTime bound;
  GstClockTime claim;
  /* What frames wait for others of their stack, beyond that. */
  GstClockTime held;
  /* The longest of the last frames, how many these are, and of how many the
   * claim may fall. */
  GstClockTime longest;
  guint n, window;
} GstPacoLatency;

/* For another frame rate, fps_n = 0 if it is not known. Nothing is measured. */
void gst_paco_latency_init (
    GstPacoLatency *latency, guint depth, gint fps_n, gint fps_d);
/* Frames come in stacks of so many. */
void gst_paco_latency_hold (
    GstPacoLatency *latency, guint stack, gint fps_n, gint fps_d);

/* A frame took this long. Returns whether the claim has changed: it grows when a
 * frame takes longer, and falls when many took much less. Every fall needs twice
 * as many frames as the one before, so that the claim comes to rest. */
gboolean gst_paco_latency_measured (
    GstPacoLatency *latency, GstClockTime elapsed);

G_END_DECLS

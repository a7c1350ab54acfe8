/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The latency that pacoenc and pacodec claim: how long a frame takes from its
 * arrival until it is pushed. Frames are pushed when they are finished, not when
 * later ones arrive, so that is the time of coding, which is measured. */
#pragma once
#include <gst/gst.h>

/* No claim is larger, whatever the frame rate and however long coding takes. */
#define GST_PACO_MAX_LATENCY GST_SECOND

typedef struct
{
  /* The duration of as many frames as are in flight is claimed until frames have
   * been measured, and never exceeded. An element whose frames take longer falls
   * behind, and no latency helps. */
  GstClockTime bound;
  GstClockTime claim;
  /* Frames wait so long, beyond that, for others of their stack. */
  GstClockTime held;
  /* The longest time of the last frames, how many these are, and after how many
   * the claim may fall. */
  GstClockTime longest;
  guint n, window;
} GstPacoLatency;

/* fps_n is 0 if the frame rate is unknown. Forgets what was measured. */
void gst_paco_latency_init (
    GstPacoLatency *latency, guint depth, gint fps_n, gint fps_d);
/* Says that frames come in stacks of `stack` frames. */
void gst_paco_latency_hold (
    GstPacoLatency *latency, guint stack, gint fps_n, gint fps_d);

/* Returns whether the claim has changed: it grows when a frame takes longer, and falls
 * when many took much less. Each fall needs twice as many frames as the one before. */
gboolean gst_paco_latency_measured (
    GstPacoLatency *latency, GstClockTime elapsed);

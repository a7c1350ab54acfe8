/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Claims a latency that is a quarter longer than the longest time that was measured;
 * gstpacolatency.h says for whom. */
#include "gstpacolatency.h"

#define FIRST_WINDOW 8

static GstClockTime
claim_for (const GstPacoLatency *latency, GstClockTime elapsed)
{
  elapsed = MIN (elapsed, GST_PACO_MAX_LATENCY);
  return MIN (elapsed + elapsed / 4, latency->bound);
}

/* Returns how long n frames last. Without a frame rate it assumes 25 per second. */
static GstClockTime
frames_time (guint n, gint fps_n, gint fps_d)
{
  if (fps_n <= 0 || fps_d <= 0) {
    fps_n = 25;
    fps_d = 1;
  }
  return gst_util_uint64_scale (GST_SECOND, (guint64) n * fps_d, fps_n);
}

void
gst_paco_latency_hold (
    GstPacoLatency *latency, guint stack, gint fps_n, gint fps_d)
{
  latency->held = frames_time (stack - 1, fps_n, fps_d);
}

void
gst_paco_latency_init (
    GstPacoLatency *latency, guint depth, gint fps_n, gint fps_d)
{
  *latency = (GstPacoLatency){ .window = FIRST_WINDOW };
  latency->bound = frames_time (depth, fps_n, fps_d);
  latency->bound = MIN (latency->bound, GST_PACO_MAX_LATENCY);
  latency->claim = latency->bound;
}

gboolean
gst_paco_latency_measured (GstPacoLatency *latency, GstClockTime elapsed)
{
  GstClockTime before = latency->claim, lower;

  latency->longest = MAX (latency->longest, elapsed);
  latency->n++;
  if (elapsed > latency->claim)
    latency->claim = claim_for (latency, elapsed);
  if (latency->n < latency->window)
    return latency->claim != before;

  lower = claim_for (latency, latency->longest);
  latency->n = 0;
  latency->longest = 0;
  if (lower <= latency->claim / 4 * 3) {
    latency->claim = lower;
    latency->window = MIN (latency->window * 2, G_MAXUINT / 4);
  }
  return latency->claim != before;
}

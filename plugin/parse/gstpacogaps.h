/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The account of frames that pacoparse hands on, and of those that are missing
 * between them, which lib/stream/gaps.c finds. pacoparse shows it in its property stats,
 * and posts messages of missing frames. */
#pragma once
#include "lib/stream/gaps.h"
#include <gst/gst.h>

typedef struct
{
  GstElement *element;
  PacoGaps gaps;
  gboolean told_lost, told_cut;

  /* Counts since the start, which the element's object lock guards. */
  guint64 frames;
  guint64 missing;       /* frames */
  guint64 n_gaps;        /* where they are missing */
  guint64 damaged;       /* places where something was thrown away */
  guint64 damaged_bytes; /* that were thrown away */
} GstPacoGaps;

void gst_paco_gaps_start (GstPacoGaps *gaps, GstElement *element);

/* What comes next may be from anywhere: a seek, or another stream. */
void gst_paco_gaps_forget (GstPacoGaps *gaps);

/* Bytes were thrown away; first: no frame has come since others were. */
void gst_paco_gaps_damage (
    GstPacoGaps *gaps, guint64 byte, gsize bytes, gboolean first);

/* Counts a frame. lost: damage was seen before it, or upstream says that something is
 * missing. Reports missing frames in a message paco-missing-frames, the first ones also
 * in words. Returns whether some are missing. */
gboolean gst_paco_gaps_frame (GstPacoGaps *gaps, const PacoHeader *header,
    guint64 byte, GstClockTime time, gboolean lost);

/* Returns what the property stats shows. The object lock must be held. */
GstStructure *gst_paco_gaps_stats (const GstPacoGaps *gaps);

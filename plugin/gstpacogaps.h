/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The account of frames that pacoparse hands on, and of those that are missing
 * between them, which file/gaps.c finds. pacoparse shows it in its property stats,
 * and posts messages of missing frames. */
#pragma once
#include "file/gaps.h"
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  PacoGaps gaps;
  gboolean told_lost, told_cut;

  /* Under the element's object lock; since the start. */
  guint64 frames;
  guint64 missing;       /* frames */
  guint64 n_gaps;        /* where they are missing */
  guint64 damaged;       /* places where something was thrown away */
  guint64 damaged_bytes; /* that were thrown away */
} GstPacoGaps;

/* The element was started. */
void gst_paco_gaps_start (GstPacoGaps *gaps, GstElement *element);

/* What comes next may be from anywhere: after a seek, or when another stream begins. */
void gst_paco_gaps_forget (GstPacoGaps *gaps);

/* So many bytes were thrown away at that byte of the stream; first: no frame came since
 * others were. */
void gst_paco_gaps_damage (GstPacoGaps *gaps, GstElement *element, guint64 byte,
    gsize bytes, gboolean first);

/* A frame comes, at that byte of the stream. lost: damage was seen before it, or
 * upstream says that something is missing. Tells of the frames that are missing, in a
 * message paco-missing-frames, and at the first of them in words. Returns whether some
 * are. */
gboolean gst_paco_gaps_frame (GstPacoGaps *gaps, GstElement *element,
    const PacoHeader *header, guint64 byte, GstClockTime time, gboolean lost);

/* For the property stats; with the object lock. */
GstStructure *gst_paco_gaps_stats (const GstPacoGaps *gaps);

G_END_DECLS

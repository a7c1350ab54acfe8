/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The account of frames that pacoparse hands on and of those that are missing
 * between them, by the numbers that frames carry (FORMAT.md, chunk 4).
 *
 * Where numbers begin anew another stream begins, and where they go back somebody has
 * joined streams: nothing is missing then. Where they leave some out, frames of one
 * stream are missing if its bytes before the next frame grew as they would: they were
 * lost, or somebody has cut them out, which nobody can tell but by damage that was
 * seen there. */
#pragma once
#include "codec/header.h"
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct
{
  /* What the next frame of the stream carries; unless anything may come next. */
  gboolean expects;
  PacoPlace next;
  guint64 next_byte;         /* where it is, unless there was a seek */
  guint32 smallest, largest; /* bytes of a frame, since the stream began */
  gboolean told_lost, told_cut;

  /* Under the element's object lock; since the start. */
  guint64 frames;
  guint64 missing;       /* frames */
  guint64 gaps;          /* where they are missing */
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

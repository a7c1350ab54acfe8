/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Seeks in a file that pacoparse reads on its own, with an index of the file
 * (lib/stream/frame_index.h). */
#pragma once
#include "lib/stream/frame_index.h"
#include "gstpacotime.h"
#include <gst/base/gstbaseparse.h>

typedef struct
{
  GstBaseParse *base;
  PacoFile file; /* opened when needed; streaming thread only */

  /* Changed by the streaming thread under the object lock. */
  PacoFrameIndex *index; /* NULL as long as nothing is known */
  GstPacoGrid grid;      /* of the index's frames */
  guint stack;           /* frames of the first stack; 0: there is none */
  GHashTable *told;      /* offsets of frames that the base class was told of */
  guint64 furthest_offset; /* of the furthest frame of these */
  GstClockTime furthest_time;
} GstPacoSeek;

/* *seek has been used, or cleared with zeros. */
void gst_paco_seek_clear (GstPacoSeek *seek);

PacoFile *gst_paco_seek_file (GstPacoSeek *seek);

/* Reads on to learn where frames are, a bit with each frame that is parsed, the first
 * of which is the file's first. Once all frames are known, sets the duration and
 * returns TRUE. grid, which has a rate, is that of all frames. */
gboolean gst_paco_seek_extend (
    GstPacoSeek *seek, const GstPacoGrid *grid, const PacoFileFrame *frame);

/* Finds the number of a frame in the file. Returns FALSE if it is not known. */
gboolean gst_paco_seek_number (
    const GstPacoSeek *seek, const PacoFileFrame *frame, guint64 *n);

/* Notes that a frame with which a decoder can begin has been parsed, and its time. */
void gst_paco_seek_parsed (
    GstPacoSeek *seek, guint64 offset, GstClockTime time);

/* Returns the seek event or another one. The base class seeks exactly where its own
 * index has the frame, so it is told of the first one of the stack; a seek to a key
 * unit becomes one to the frame's beginning. Any thread may call it. */
GstEvent *gst_paco_seek_prepare (GstPacoSeek *seek, GstEvent *event);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Where the frames of a file are: exact durations and exact seeks. Frames say
 * where in their stream they stand (gstpacofileplaces.c), which takes a few
 * reads in a file of any length. Where they do not, or where it does not add
 * up, they are found by hopping from header to header, in slices.
 *
 * Only the streaming thread extends an index; any may look into it. */
#pragma once
#include "gstpacofile.h"

G_BEGIN_DECLS

typedef struct _GstPacoFileIndex GstPacoFileIndex;

/* An index of the frames from `first` on, still empty. */
GstPacoFileIndex *gst_paco_file_index_new (const GstPacoFileFrame *first);
GstPacoFileIndex *gst_paco_file_index_ref (GstPacoFileIndex *index);
void gst_paco_file_index_unref (GstPacoFileIndex *index); /* or NULL */

/* Reads on: for `at_least` frames and about `budget` microseconds of hops, and
 * at first as long as frames' places take, which ends by itself after a
 * quarter of a second. Returns FALSE when there is nothing left to do: the end
 * is reached, or reading is so slow that it is not worth it. */
gboolean gst_paco_file_index_extend (
    GstPacoFileIndex *index, GstPacoFile *file, guint at_least, gint64 budget);

/* Whether all frames of the file are in the index. */
gboolean gst_paco_file_index_is_complete (GstPacoFileIndex *index);

/* Frames in the index so far. */
guint64 gst_paco_file_index_n_frames (GstPacoFileIndex *index);

/* Where frame *n begins; where that one is damaged, *n becomes the last good
 * one before. FALSE if it is not in the index, or cannot be found any more. */
gboolean gst_paco_file_index_find (
    GstPacoFileIndex *index, GstPacoFile *file, guint64 *n, guint64 *offset);

/* The number of a frame in the file; FALSE if it is not in the index. */
gboolean gst_paco_file_index_number (
    GstPacoFileIndex *index, const GstPacoFileFrame *frame, guint64 *n);

G_END_DECLS

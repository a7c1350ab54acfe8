/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Where the frames of a file are. Frames say how long they are, so a file is
 * indexed by hopping from header to header, without reading what is between.
 * Only the streaming thread extends an index; any may look into it. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct _GstPacoFileIndex GstPacoFileIndex;

/* An index of the frames from offset `first` on, still empty. */
GstPacoFileIndex *gst_paco_file_index_new (guint64 first);
void gst_paco_file_index_free (GstPacoFileIndex *index);

/* Reads on for `at_least` frames and about `budget` microseconds, through pad,
 * which is in pull mode and whose streaming thread is the caller. Returns FALSE
 * when there is nothing left to do: the end is reached, or reading is so slow
 * that it is not worth it. */
gboolean gst_paco_file_index_extend (
    GstPacoFileIndex *index, GstPad *pad, guint at_least, gint64 budget);

/* Whether all frames of the file are in the index. */
gboolean gst_paco_file_index_is_complete (GstPacoFileIndex *index);

guint64 gst_paco_file_index_n_frames (GstPacoFileIndex *index);

/* Offset of a frame below n_frames. */
guint64 gst_paco_file_index_offset (GstPacoFileIndex *index, guint64 frame);

/* The number of the frame at offset; FALSE if none begins there. */
gboolean gst_paco_file_index_find (
    GstPacoFileIndex *index, guint64 offset, guint64 *frame);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds where the frames of a file are, for exact durations and exact seeks. Frames
 * say where in their stream they stand, which takes a few reads in a file
 * of any length. If they do not, or if their places do not add up, they are found by
 * hopping from header to header, in slices. gstpacoseek.c of the plugin and
 * lib/reader.c call it.
 *
 * Only one thread extends an index; any thread may look into it. */
#pragma once
#include "file.h"

typedef struct PacoFrameIndex PacoFrameIndex;

/* Makes an index of the frames from `first` on, which is still empty. If it is
 * patient it takes as long as is needed; else it gives up if a hop takes
 * milliseconds. */
PacoFrameIndex *paco_frame_index_new (const PacoFileFrame *first, bool patient);
PacoFrameIndex *paco_frame_index_ref (PacoFrameIndex *index);
void paco_frame_index_unref (PacoFrameIndex *index); /* or NULL */

/* Reads on: for `at_least` frames and about `budget` microseconds of hops, and at
 * first as long as frames' places take, which ends by itself after a quarter of a
 * second. Returns false if nothing is left to do: the end is reached or a damaged
 * place, or reading is so slow that it is not worth it. */
bool paco_frame_index_extend (
    PacoFrameIndex *index, PacoFile *file, unsigned at_least, int64_t budget);

/* Says whether all frames of the file are in the index. */
bool paco_frame_index_is_complete (PacoFrameIndex *index);

/* Says whether a complete index knows frames by their places, so that missing ones
 * count. If not, it has those that are there, one behind the other. */
bool paco_frame_index_has_places (PacoFrameIndex *index);

/* Returns how many frames are in the index so far. */
uint64_t paco_frame_index_n_frames (PacoFrameIndex *index);

/* Finds where frame *n begins. If that one is damaged, *n becomes the last good
 * one before. Returns false if it is not in the index, or cannot be found any
 * more. */
bool paco_frame_index_find (
    PacoFrameIndex *index, PacoFile *file, uint64_t *n, uint64_t *offset);

/* Finds the number of a frame in the file. Returns false if it is not in the
 * index. */
bool paco_frame_index_number (
    PacoFrameIndex *index, const PacoFileFrame *frame, uint64_t *n);

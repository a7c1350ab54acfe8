/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds where the frames of a file are, by what they say of their places (FORMAT.md,
 * chunk 4). A file holds one stream, or several that were joined; each is found from
 * its end, and a frame in it by bisection. It fails if anything does not add up
 * (bytes are missing, frames have no places, there are several frame rates), and for
 * streams that take longer to find than to walk through. Then frame_index.c, which
 * calls it, hops from frame to frame instead. */
#pragma once
#include "file.h"

typedef enum
{
  PACO_FILE_PLACES_PARTIAL, /* some streams are yet to be found */
  PACO_FILE_PLACES_COMPLETE,
  PACO_FILE_PLACES_FAILED,
} PacoFilePlacesState;

typedef struct
{
  PacoFilePlacesState state;
  PacoFileFrame first; /* of the file */
  uint64_t end;        /* of the bytes not yet in a stream */
  GArray *streams;     /* of Stream; the last one first, until complete */
  uint64_t n_frames;   /* of these streams */
  uint64_t bytes;      /* read to find them */
} PacoFilePlaces;

/* Begins with a file whose first frame is `first`. */
void paco_file_places_init (PacoFilePlaces *places, const PacoFileFrame *first);
void paco_file_places_clear (PacoFilePlaces *places);

/* Finds one more stream. */
void paco_file_places_extend (PacoFilePlaces *places, PacoFile *file);

/* Finds the number in the file of a frame, by what it says of its place. Returns
 * false if that fits none of the streams. The places must be complete. */
bool paco_file_places_number (
    const PacoFilePlaces *places, const PacoFileFrame *frame, uint64_t *n);

/* Finds where frame *n, below n_frames, begins. If that one is damaged, *n
 * becomes the last good one before. Returns false if it cannot be found. The
 * places must be complete. */
bool paco_file_places_find (const PacoFilePlaces *places, PacoFile *file,
    uint64_t *n, uint64_t *offset);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Where the frames of a file are, by what they say of their places (FORMAT.md,
 * chunk 4). A file holds one stream, or several that were joined; each is found
 * from its end, and a frame in it by bisection. Whatever does not add up (bytes
 * are missing, frames without places, several frame rates) fails, and so do
 * streams that take longer to find than to walk through; nothing is said then:
 * gstpacofileindex.c hops from frame to frame instead. */
#pragma once
#include "gstpacofile.h"

G_BEGIN_DECLS

typedef enum
{
  GST_PACO_FILE_PLACES_PARTIAL, /* some streams are yet to be found */
  GST_PACO_FILE_PLACES_COMPLETE,
  GST_PACO_FILE_PLACES_FAILED,
} GstPacoFilePlacesState;

typedef struct
{
  GstPacoFilePlacesState state;
  GstPacoFileFrame first; /* of the file */
  guint64 end;            /* of the bytes not yet in a stream */
  GArray *streams;        /* of Stream; the last one first, until complete */
  guint64 n_frames;       /* of these streams */
  guint64 bytes;          /* read to find them */
} GstPacoFilePlaces;

/* For a file whose first frame is `first`. */
void gst_paco_file_places_init (
    GstPacoFilePlaces *places, const GstPacoFileFrame *first);
void gst_paco_file_places_clear (GstPacoFilePlaces *places);

/* Finds one more stream. */
void gst_paco_file_places_extend (GstPacoFilePlaces *places, GstPacoFile *file);

/* The number in the file of a frame, by what it says of its place. FALSE if that
 * fits none of the streams. The places must be complete. */
gboolean gst_paco_file_places_number (
    const GstPacoFilePlaces *places, const GstPacoFileFrame *frame, guint64 *n);

/* Where frame *n, below n_frames, begins; where that one is damaged, *n becomes
 * the last good one before. FALSE if it cannot be found. The places must be
 * complete. */
gboolean gst_paco_file_places_find (const GstPacoFilePlaces *places,
    GstPacoFile *file, guint64 *n, guint64 *offset);

G_END_DECLS

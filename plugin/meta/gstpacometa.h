/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts metas of raw buffers to the ancillary chunks of frames
 * (codec/ancillary.h) and back: captions, AFD and bars, timecodes, regions of
 * interest, reference timestamps. pacoenc keeps them in its frames; pacodec, and
 * pacoparse for muxers, put them on buffers again. */
#pragma once
#include "codec/header.h"
#include <gst/video/video.h>

/* The kinds of metas that frames keep, in the order of lib/stream/settings.c. */
typedef enum
{
  GST_PACO_METADATA_CAPTIONS = 1 << 0, /* GstVideoCaptionMeta */
  GST_PACO_METADATA_ACTIVE_FORMAT = 1
      << 1, /* GstVideoAFDMeta, GstVideoBarMeta */
  GST_PACO_METADATA_TIMECODES = 1 << 2,
  GST_PACO_METADATA_REGIONS = 1 << 3,
  GST_PACO_METADATA_REFERENCE_TIMESTAMPS = 1 << 4,
  GST_PACO_METADATA_ALL = (1 << 5) - 1,
} GstPacoMetadata;

/* --- into frames --- */

typedef struct
{
  guint64 n_left_out; /* metas, and values of theirs */
  guint warned;       /* bits: of which kinds of loss there was a warning */
} GstPacoMetaLoss;

/* Makes at most `room` bytes of chunks in *memory, which is allocated when needed and
 * the caller's. Warns once for each kind of loss. */
PacoAncillary gst_paco_meta_keep (GstBuffer *buffer, GstPacoMetadata kinds,
    gsize room, guint8 **memory, GstElement *element, GstPacoMetaLoss *loss);

/* --- out of frames --- */

/* Counts the new names that an element has taken from frames; it is 0 at first.
 * GLib keeps names for ever, so there is a limit, because frames may be hostile. */
typedef guint GstPacoMetaNames;

/* Puts the metas that a frame's chunks describe on the buffer of its picture,
 * which is reduced to 1/2^reduce. The element is named in the log. */
void gst_paco_meta_restore (const PacoAncillary *chunks, guint reduce,
    GstBuffer *buffer, GstPacoMetaNames *names, GstElement *element);

/* Takes a meta of the frame's buffer, which may be newer than the frame, to the
 * picture's. Returns TRUE if the base class has nothing left to do: the picture has an
 * equal meta, or one that is right for the reduced picture. */
gboolean gst_paco_meta_take (
    const GstMeta *meta, guint reduce, GstBuffer *buffer);

/* Puts metas on the frame's own buffer, made writable: muxers make tracks of some.
 * `bytes` is room to read the header again, whose memory may have gone. */
void gst_paco_meta_restore_coded (const PacoHeader *header, GstBuffer **buffer,
    GByteArray *bytes, GstPacoMetaNames *names, GstElement *element);

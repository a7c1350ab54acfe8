/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Cuts bytes that are pushed, in buffers of any size, into frames and what is
 * between them. pacoparse puts it in front of GstBaseParse in push mode: the
 * base class would copy all that it holds each time it asks what the bytes are.
 * Here each byte is copied at most a few times, and not at all where a whole
 * frame comes in one buffer. */
#pragma once
#include "lib/stream/sync.h"
#include <gst/gst.h>

typedef struct
{
  gboolean is_frame; /* else garbage, and reason says why */
  GstBuffer *buffer; /* has the time stamps of its first byte */
  gsize size;        /* bytes, at least one */
  GError *reason;
} GstPacoPiece;

/* The times of a buffer that came in, and where it begins. */
typedef struct
{
  guint64 offset;
  GstClockTime pts, dts;
} GstPacoMark;

typedef struct
{
  PacoSync sync;  /* its max_wait_size is the user's to set */
  guint64 offset; /* in the stream, of the next piece */
  gboolean discont;

  /* The buffer that came last and has not been looked at yet. */
  GstBuffer *input;
  GstMapInfo map;
  gsize input_at;

  /* The bytes that are held before it, until `needed` bytes are there. */
  guint8 *data;
  gsize start, size, capacity;
  gsize needed;
  guint64 copied; /* bytes, since it was reset */

  /* add_mark() says why more are never needed. */
  GstPacoMark marks[4];
  guint n_marks;
} GstPacoSplitter;

/* The next bytes are at this offset. The splitter is in use, or all zeros. */
void gst_paco_splitter_reset (GstPacoSplitter *splitter, guint64 offset);

/* Takes buffer. Before the next one, gst_paco_splitter_next() must have said that
 * there is nothing left. Returns FALSE if the buffer cannot be read. */
gboolean gst_paco_splitter_push (GstPacoSplitter *splitter, GstBuffer *buffer);

/* Returns the next piece, whose buffer and reason then belong to the caller.
 * Returns FALSE if there is none before more bytes come, or, with *error set, if
 * there is not enough memory. last says that no more bytes will come. */
gboolean gst_paco_splitter_next (GstPacoSplitter *splitter, gboolean last,
    GstPacoPiece *piece, GError **error);

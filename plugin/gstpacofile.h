/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reading what frames of a file say of themselves, at a known offset or from
 * anywhere on. gstpacofileindex.c and gstpacofileplaces.c read through this. */
#pragma once
#include "codec/header.h"

G_BEGIN_DECLS

/* Reads up to `size` bytes at offset; returns how many there are, 0 for none
 * and for errors. */
typedef gsize (*GstPacoFileRead) (
    gpointer source, guint64 offset, guint8 *data, gsize size);

/* A file as one thread sees it. */
typedef struct
{
  GstPacoFileRead read;
  gpointer source;
  guint64 size;         /* of the file, bytes */
  guint64 reads, bytes; /* the work so far */
  gboolean gave_up;     /* set where a search ended early, or reading failed */

  /* What was read last. */
  guint8 *block;
  guint64 block_offset;
  gsize block_size, block_capacity;
} GstPacoFile;

/* What a frame says of itself, where its header is good. */
typedef struct
{
  guint64 offset, end; /* in the file; the end may lie behind the file's */
  guint32 fps_n, fps_d;
  gboolean has_place;
  guint32 number;
  gint64 begin; /* offset in the file of the stream's first frame; below that of
                 * the file's first one if the file was cut */
} GstPacoFileFrame;

void gst_paco_file_init (
    GstPacoFile *file, GstPacoFileRead read, gpointer source, guint64 size);
void gst_paco_file_clear (GstPacoFile *file); /* with zeros */

/* `size` bytes at offset, valid until the next call; NULL if they are not
 * there. */
const guint8 *gst_paco_file_peek (
    GstPacoFile *file, guint64 offset, gsize size);

/* The frame at offset; FALSE if there is no good header. */
gboolean gst_paco_file_frame_at (
    GstPacoFile *file, guint64 offset, GstPacoFileFrame *frame);

/* The first frame that begins in [from, end). The search gives up where false
 * headers make it expensive. */
gboolean gst_paco_file_next_frame (
    GstPacoFile *file, guint64 from, guint64 end, GstPacoFileFrame *frame);

/* The last frame that begins in [first, end), looked for in the last `most`
 * bytes of that. */
gboolean gst_paco_file_last_frame (GstPacoFile *file, guint64 first,
    guint64 end, guint64 most, GstPacoFileFrame *frame);

/* Whether the frame at offset, whose header is good, is a whole one, without
 * reading all of it: another frame follows, or none begins in it. If not,
 * returns where the garbage ends that it is, else 0. */
guint64 gst_paco_file_doubt (
    GstPacoFile *file, guint64 offset, guint32 frame_size);

/* What a header at offset says. */
void gst_paco_file_frame_from_header (
    const PacoHeader *header, guint64 offset, GstPacoFileFrame *frame);

G_END_DECLS

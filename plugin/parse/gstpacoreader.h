/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the frames of a file for pacoparse in pull mode. GstBaseParse pulls each
 * frame into new memory, which costs more than the bytes do: the system clears
 * every page of it, and a GPU cannot read it. Here frames go into memory that is
 * used again, which downstream offers in the allocation query (pacodec: memory
 * that the GPU reads by itself). pacoparse says which frame the base class will
 * pull next; a probe on its sink pad has it read, and gives it to the base class
 * instead of what the pad would have pulled. Whatever else is pulled, or goes
 * wrong, is left to the pad. */
#pragma once
#include <gst/gst.h>

typedef struct _GstPacoLocalFile GstPacoLocalFile;

typedef enum
{
  GST_PACO_SOURCE_UNKNOWN, /* nobody has looked yet */
  GST_PACO_SOURCE_OTHER,   /* something that need not fill memory of others */
  GST_PACO_SOURCE_FILLS,   /* it fills the buffer that it is given */
} GstPacoSourceKind;

typedef struct
{
  GstPad *pad; /* the sink pad, in pull mode when it is used */

  /* Only the streaming thread uses these. */
  gulong probe;          /* 0 as long as nothing was expected */
  GstAllocator *offered; /* downstream's memory, or NULL */
  GstAllocator *own;     /* ordinary memory, once it has been needed */
  GstPacoSourceKind source;
  guint64 end;            /* bytes that upstream has, as it said last */
  guint64 noted_size;     /* most bytes that it has had, or 0 */
  gchar *path;            /* of the file, if filesrc reads one */
  GstPacoLocalFile *file; /* once a frame is large enough */

  /* The frame that is pulled next; size is 0 if none is expected. Meanwhile other
   * threads, which seek, pull through the pad as well. */
  GMutex lock;
  GThread *thread; /* the streaming thread, not a reference */
  guint64 offset;
  gsize size;
  GstBuffer *head; /* its first bytes, as the pad has given them */
} GstPacoReader;

void gst_paco_reader_init (GstPacoReader *reader, GstPad *pad);
void gst_paco_reader_clear (GstPacoReader *reader);

/* To be called when the pad is no longer active. */
void gst_paco_reader_reset (GstPacoReader *reader);

void gst_paco_reader_negotiate (
    GstPacoReader *reader, GstPad *source_pad, GstCaps *caps);

/* In pull and push mode: the first notes how many bytes upstream has, the second says
 * whether it has fewer now, and how many. */
void gst_paco_reader_note_size (GstPacoReader *reader);
gboolean gst_paco_reader_is_cut (const GstPacoReader *reader, guint64 *size);

/* Says that the base class will pull size bytes or some more at offset, or fewer
 * at the end. head holds the bytes that it has pulled there before. */
void gst_paco_reader_expect (
    GstPacoReader *reader, guint64 offset, gsize size, GstBuffer *head);

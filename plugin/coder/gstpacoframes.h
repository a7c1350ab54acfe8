/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The frames of an element that are with its coder: their buffers, mapped, and
 * the planes of formats that the coder does not read or write in place.
 *
 * The element owns them, and every frame that is with the coder does: those that
 * a lost device never gives back outlive the element (orphans). */
#pragma once
#include "caps/packed.h"
#include "codec/coder.h"
#include <gst/video/video.h>

G_BEGIN_DECLS

typedef struct _GstPacoFrames GstPacoFrames;
typedef struct _GstPacoMember GstPacoMember; /* of a stack: gstpacostack.h */

typedef struct
{
  GstPacoFrames *frames;
  GstVideoCodecFrame *frame;
  GstVideoFrame raw; /* the samples */
  GstMapInfo coded;  /* the decoder's input */
  gboolean raw_mapped, coded_mapped;
  PacoPlanes *planes; /* NULL, if not asked for */
  gboolean fields;    /* it is coded as two fields */
  guint8 picture_flags;
  guint8 *ancillary; /* memory for an encoder's, or NULL */
  /* For a slice of a stack: the memory that the coder reads or writes, or NULL;
   * and, in a decoder, the picture that the slice is to become. */
  GBytes *stack;
  GstPacoMember *member;
  gint64 begun; /* g_get_monotonic_time() when it was its turn */
} GstPacoFrame;

/* Makes frames for coders of that depth or less. gst_paco_frames_ref_owner()
 * finds the owner. */
GstPacoFrames *gst_paco_frames_new (guint depth, GstObject *owner);
void gst_paco_frames_unref (GstPacoFrames *frames);

/* Says that the coder has this depth from now on, which is at most that of
 * gst_paco_frames_new(). Nothing may be in flight, unless the depth is as before.
 * The next frame stays the next one. */
void gst_paco_frames_set_depth (GstPacoFrames *frames, guint depth);

/* Allocates planes for each frame. Error MEMORY. Nothing may be in flight. */
gboolean gst_paco_frames_allocate_planes (
    GstPacoFrames *frames, const GstVideoInfo *info, GError **error);
/* Frees the planes, except those of frames that are with a lost coder. */
void gst_paco_frames_free_planes (GstPacoFrames *frames);

/* Returns the next free frame. A coder of the depth must have a free flight. */
GstPacoFrame *gst_paco_frames_next (GstPacoFrames *frames);
/* The first says that the frame is about to be submitted; the second undoes that
 * if the coder refuses it. */
void gst_paco_frames_give (GstPacoFrame *frame);
void gst_paco_frames_take_back (GstPacoFrame *frame);
/* Has to be called when the coder is done with the frame. Unmaps its buffers and
 * returns the codec's frame, which is the caller's. */
GstVideoCodecFrame *gst_paco_frames_take (GstPacoFrame *frame);

/* Unmaps what is mapped. */
void gst_paco_frame_unmap (GstPacoFrame *frame);

/* Returns the owner, which the caller unrefs, or NULL if frames have been
 * orphaned. */
gpointer gst_paco_frames_ref_owner (GstPacoFrames *frames);
/* Says that the owner will not wait for the frames that are with the coder. */
void gst_paco_frames_orphan (GstPacoFrames *frames);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The frames of pacoenc or pacodec that are in flight, and the thread that takes them
 * from the coder and pushes them. A frame has its buffers, mapped, and the planes of
 * formats that the coder does not read or write in place. It is in flight longer than
 * the coder has it: until it has been pushed.
 *
 * The element owns the pipe, and every frame in flight does: those that a lost device
 * never returns outlive the element.
 *
 * Functions that wait must be called without the stream lock of the base class,
 * because pushing takes it. */
#pragma once
#include "caps/packed.h"
#include "codec/coder.h"
#include <gst/video/video.h>

typedef struct _GstPacoPipe GstPacoPipe;
typedef struct _GstPacoMember GstPacoMember; /* of a stack: gstpacostack.h */

typedef struct
{
  GstPacoPipe *pipe;
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

/* Takes the oldest frame from the coder, pushes it and calls gst_paco_pipe_done(). */
typedef void (*GstPacoPipeFunc) (GstElement *element);

/* Starts the thread for coders of this depth or less. NULL if that fails. */
GstPacoPipe *gst_paco_pipe_new (const char *thread_name, guint depth,
    GstElement *owner, GstPacoPipeFunc push);
/* Joins the thread. Frames in flight must have been abandoned before. */
void gst_paco_pipe_stop (GstPacoPipe *pipe);

/* --- frames: the streaming thread calls these --- */

/* depth is at most that of gst_paco_pipe_new(). Nothing may be in flight, unless it is
 * as before. The next frame stays the next one. */
void gst_paco_pipe_set_depth (GstPacoPipe *pipe, guint depth);
/* Allocates planes for each frame. Error MEMORY. Nothing may be in flight. */
gboolean gst_paco_pipe_allocate_planes (
    GstPacoPipe *pipe, const PacoPictureFormat *picture, GError **error);
/* Frees the planes, except those of frames that are with a lost coder. */
void gst_paco_pipe_free_planes (GstPacoPipe *pipe);

/* Returns the next free frame. A coder of the depth must have a free flight. */
GstPacoFrame *gst_paco_pipe_next (GstPacoPipe *pipe);
/* The first says that the frame is about to be submitted. Then the second says that
 * the coder has taken it, or the third that the coder refuses it. */
void gst_paco_pipe_give (GstPacoFrame *frame);
void gst_paco_pipe_submitted (GstPacoPipe *pipe);
void gst_paco_pipe_take_back (GstPacoFrame *frame);

void gst_paco_frame_unmap (GstPacoFrame *frame);

/* --- any thread --- */

/* Has to be called when the coder is done with the frame. Unmaps its buffers and
 * returns the codec's frame, which is the caller's. */
GstVideoCodecFrame *gst_paco_frame_take (GstPacoFrame *frame);
/* Says that a frame has been pushed or dropped. */
void gst_paco_pipe_done (GstPacoPipe *pipe, GstFlowReturn flow);

/* Returns the owner, which the caller unrefs, or NULL if the coder is lost. */
gpointer gst_paco_pipe_ref_owner (GstPacoPipe *pipe);
/* The coder is lost: the owner waits for no frame, and the flow is an error. */
void gst_paco_pipe_lose (GstPacoPipe *pipe);

void gst_paco_pipe_wait_done (GstPacoPipe *pipe);
/* Waits also until the thread has left `push`: it may wait for a frame that was
 * abandoned, and must not take the next one for it. */
void gst_paco_pipe_wait_idle (GstPacoPipe *pipe);

/* Returns the first bad result of done() since the last call. */
GstFlowReturn gst_paco_pipe_take_flow (GstPacoPipe *pipe);

/* Says whether frames that are collected are dropped instead of being pushed. */
void gst_paco_pipe_set_dropping (GstPacoPipe *pipe, gboolean dropping);
gboolean gst_paco_pipe_is_dropping (GstPacoPipe *pipe);

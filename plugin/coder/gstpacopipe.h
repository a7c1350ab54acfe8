/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The thread of pacoenc or pacodec that takes frames from the coder and pushes them,
 * the frames that are still to be pushed, and the flow returns of those that were.
 *
 * Functions that wait must be called without the stream lock of the base class,
 * because pushing takes it. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

/* Takes the oldest frame from the coder, pushes it and calls done() for it. */
typedef void (*GstPacoPipeFunc) (gpointer element);

typedef struct
{
  GMutex lock;
  GCond changed;
  GThread *thread;
  GstPacoPipeFunc func;
  gpointer element;
  gint pending;     /* submitted, not done */
  gboolean pushing; /* func is running */
  gboolean stopping;
  gboolean lost;     /* with the coder: there is nothing to wait for */
  gboolean dropping; /* what is collected is not to be pushed */
  GstFlowReturn flow;
} GstPacoPipe;

void gst_paco_pipe_init (
    GstPacoPipe *pipe, GstPacoPipeFunc func, gpointer element);
void gst_paco_pipe_clear (GstPacoPipe *pipe);

/* Starts the thread; FALSE if it cannot be created. */
gboolean gst_paco_pipe_start (GstPacoPipe *pipe, const char *thread_name);
/* Joins the thread. Frames in flight must have been abandoned before. */
void gst_paco_pipe_stop (GstPacoPipe *pipe);

/* The first says that one frame more is pending; the second, that a frame has been
 * pushed or dropped. */
void gst_paco_pipe_submitted (GstPacoPipe *pipe);
void gst_paco_pipe_done (GstPacoPipe *pipe, GstFlowReturn flow);

/* Says that the coder is lost: then nothing is pending any more, and the flow is an
 * error. */
void gst_paco_pipe_lose (GstPacoPipe *pipe);
gboolean gst_paco_pipe_is_lost (GstPacoPipe *pipe);

/* Waits until all frames are done. */
void gst_paco_pipe_wait_done (GstPacoPipe *pipe);
/* Waits until all frames are done and the pipe's thread has left func: after
 * frames have been abandoned it may still wait for one of them, and must not take
 * the next frame for it. */
void gst_paco_pipe_wait_idle (GstPacoPipe *pipe);

/* Returns the first bad result of done() since the last call. */
GstFlowReturn gst_paco_pipe_take_flow (GstPacoPipe *pipe);

void gst_paco_pipe_set_dropping (GstPacoPipe *pipe, gboolean dropping);
gboolean gst_paco_pipe_is_dropping (GstPacoPipe *pipe);

G_END_DECLS

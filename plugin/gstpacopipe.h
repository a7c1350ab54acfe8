/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames in flight between an element's streaming thread, which submits them
 * to a backend, and a thread of the pipe, which collects and pushes them.
 *
 *   submitted()  one more in flight    (streaming thread, after submit)
 *   collected()  one less in flight    (pipe's thread, after collect)
 *   done()       that frame has been pushed or dropped
 *
 * Waiting functions must be called without the stream lock of the base class,
 * because pushing takes it. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

/* Collects the oldest frame, calls collected() and done() for it. */
typedef void (*GstPacoPipeFunc) (gpointer element);

typedef struct
{
  GMutex lock;
  GCond changed;
  GThread *thread;
  GstPacoPipeFunc func;
  gpointer element;
  guint depth;
  guint in_flight;     /* submitted, not collected */
  guint pending;       /* submitted, not done */
  gboolean collecting; /* func is running */
  gboolean stopping;
  gboolean dropping; /* what is collected is not to be pushed */
  GstFlowReturn flow;
} GstPacoPipe;

void gst_paco_pipe_init (
    GstPacoPipe *pipe, GstPacoPipeFunc func, gpointer element);
void gst_paco_pipe_clear (GstPacoPipe *pipe);

/* FALSE if the thread cannot be had. */
gboolean gst_paco_pipe_start (
    GstPacoPipe *pipe, const char *thread_name, guint depth);
/* Joins the thread. Frames in flight must have been abandoned before. */
void gst_paco_pipe_stop (GstPacoPipe *pipe);

void gst_paco_pipe_submitted (GstPacoPipe *pipe);
void gst_paco_pipe_collected (GstPacoPipe *pipe);
void gst_paco_pipe_done (GstPacoPipe *pipe, GstFlowReturn flow);
/* Both, for a frame that the backend has given up. */
void gst_paco_pipe_dropped (GstPacoPipe *pipe);

/* Waits until fewer than depth frames are in flight. */
void gst_paco_pipe_wait_slot (GstPacoPipe *pipe);
/* Waits until none is in flight. */
void gst_paco_pipe_wait_collected (GstPacoPipe *pipe);
/* Waits until all frames are done. */
void gst_paco_pipe_wait_done (GstPacoPipe *pipe);
/* The same, and until the pipe's thread has left func: after frames have been
 * abandoned it may still wait for one, and must not take the next one for
 * that. */
void gst_paco_pipe_wait_idle (GstPacoPipe *pipe);

/* The first bad result of done() since the last call. */
GstFlowReturn gst_paco_pipe_take_flow (GstPacoPipe *pipe);

void gst_paco_pipe_set_dropping (GstPacoPipe *pipe, gboolean dropping);
gboolean gst_paco_pipe_is_dropping (GstPacoPipe *pipe);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps the frames in flight in a ring, and pushes them from a thread
 * (gstpacopipe.h). The ring has one frame more than the coder has flights: that one
 * has come back and is being pushed while all flights are in use. Frames come back in
 * the order in which they were given, and a frame is done before the thread takes the
 * next one from the coder. So if the coder has a free flight, the next frame of the
 * ring is free, too. */
#include "gstpacopipe.h"
#include "caps/videocaps.h"

struct _GstPacoPipe
{
  GstPacoPipeFunc push;
  GThread *thread;
  GMutex lock; /* guards these */
  GCond changed;
  GstElement *owner; /* NULL once the coder is lost */
  guint references;  /* the owner's, and one for each frame that is not done */
  /* Frames that were submitted and are not done. A frame may be dropped before it is
   * counted, so the number may be below 0 for a moment. */
  gint pending;
  gboolean pushing; /* push() is running */
  gboolean stopping, dropping;
  GstFlowReturn flow;

  /* n frames of the ring are in use, from `first` on; next counts from there. */
  guint first, n, next;
  guint n_ring;
  GstPacoFrame ring[]; /* n_ring */
};

/* --- life --- */

static gpointer
push_loop (gpointer data)
{
  GstPacoPipe *pipe = data;

  g_mutex_lock (&pipe->lock);
  while (!pipe->stopping) {
    GstElement *element = pipe->owner;

    if (pipe->pending <= 0 || element == NULL) {
      g_cond_wait (&pipe->changed, &pipe->lock);
      continue;
    }
    pipe->pushing = TRUE;
    g_mutex_unlock (&pipe->lock);
    pipe->push (element);
    g_mutex_lock (&pipe->lock);
    pipe->pushing = FALSE;
    g_cond_broadcast (&pipe->changed);
  }
  g_mutex_unlock (&pipe->lock);
  return NULL;
}

static void
free_planes (GstPacoPipe *pipe)
{
  for (guint i = 0; i < pipe->n_ring; i++)
    g_clear_pointer (&pipe->ring[i].planes, paco_planes_free);
}

/* Drops a reference and the lock, which is held. */
static void
unref_and_unlock (GstPacoPipe *pipe)
{
  gboolean last = --pipe->references == 0;

  g_mutex_unlock (&pipe->lock);
  if (!last)
    return;
  free_planes (pipe);
  for (guint i = 0; i < pipe->n_ring; i++)
    g_free (pipe->ring[i].ancillary);
  g_cond_clear (&pipe->changed);
  g_mutex_clear (&pipe->lock);
  g_free (pipe);
}

GstPacoPipe *
gst_paco_pipe_new (const char *thread_name, guint depth, GstElement *owner,
    GstPacoPipeFunc push)
{
  GstPacoPipe *pipe = g_malloc0 (
      sizeof *pipe + (depth + 1) * sizeof *pipe->ring);

  g_mutex_init (&pipe->lock);
  g_cond_init (&pipe->changed);
  pipe->push = push;
  pipe->owner = owner;
  pipe->references = 1;
  pipe->n = pipe->n_ring = depth + 1;
  for (guint i = 0; i < pipe->n_ring; i++)
    pipe->ring[i].pipe = pipe;
  pipe->thread = g_thread_try_new (thread_name, push_loop, pipe, NULL);
  if (pipe->thread != NULL)
    return pipe;
  g_mutex_lock (&pipe->lock);
  unref_and_unlock (pipe);
  return NULL;
}

void
gst_paco_pipe_stop (GstPacoPipe *pipe)
{
  g_mutex_lock (&pipe->lock);
  pipe->stopping = TRUE;
  g_cond_broadcast (&pipe->changed);
  g_mutex_unlock (&pipe->lock);
  g_thread_join (pipe->thread);
  g_mutex_lock (&pipe->lock);
  unref_and_unlock (pipe);
}

/* --- frames --- */

/* Returns frame number i of those that are in use. */
static GstPacoFrame *
nth (GstPacoPipe *pipe, guint i)
{
  return &pipe->ring[(pipe->first + i) % pipe->n_ring];
}

void
gst_paco_pipe_set_depth (GstPacoPipe *pipe, guint depth)
{
  if (pipe->n == depth + 1)
    return;
  gst_paco_pipe_free_planes (pipe);
  pipe->first = nth (pipe, pipe->next) - pipe->ring;
  pipe->n = depth + 1;
  pipe->next = 0;
}

gboolean
gst_paco_pipe_allocate_planes (
    GstPacoPipe *pipe, const PacoPictureFormat *picture, GError **error)
{
  gst_paco_pipe_free_planes (pipe);
  for (guint i = 0; i < pipe->n; i++) {
    GstPacoFrame *frame = nth (pipe, i);

    frame->planes = paco_planes_new (picture);
    if (frame->planes == NULL) {
      g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
          "no memory for pictures of %ux%u", picture->width, picture->height);
      return FALSE;
    }
  }
  return TRUE;
}

void
gst_paco_pipe_free_planes (GstPacoPipe *pipe)
{
  gboolean idle;

  g_mutex_lock (&pipe->lock);
  idle = pipe->references == 1;
  g_mutex_unlock (&pipe->lock);
  if (idle)
    free_planes (pipe);
}

GstPacoFrame *
gst_paco_pipe_next (GstPacoPipe *pipe)
{
  return nth (pipe, pipe->next);
}

void
gst_paco_pipe_give (GstPacoFrame *frame)
{
  GstPacoPipe *pipe = frame->pipe;

  g_mutex_lock (&pipe->lock);
  pipe->references++;
  g_mutex_unlock (&pipe->lock);
  pipe->next = (pipe->next + 1) % pipe->n;
}

void
gst_paco_pipe_submitted (GstPacoPipe *pipe)
{
  g_mutex_lock (&pipe->lock);
  pipe->pending++;
  g_cond_broadcast (&pipe->changed);
  g_mutex_unlock (&pipe->lock);
}

static void
leave_stack (GstPacoFrame *frame)
{
  frame->member = NULL;
  g_clear_pointer (&frame->stack, g_bytes_unref);
}

void
gst_paco_pipe_take_back (GstPacoFrame *frame)
{
  GstPacoPipe *pipe = frame->pipe;

  leave_stack (frame);
  pipe->next = (pipe->next + pipe->n - 1) % pipe->n;
  g_mutex_lock (&pipe->lock);
  unref_and_unlock (pipe);
}

void
gst_paco_frame_unmap (GstPacoFrame *frame)
{
  if (frame->coded_mapped)
    gst_buffer_unmap (frame->frame->input_buffer, &frame->coded);
  if (frame->raw_mapped)
    gst_video_frame_unmap (&frame->raw);
  frame->coded_mapped = frame->raw_mapped = FALSE;
}

GstVideoCodecFrame *
gst_paco_frame_take (GstPacoFrame *frame)
{
  gst_paco_frame_unmap (frame);
  leave_stack (frame);
  return g_steal_pointer (&frame->frame);
}

void
gst_paco_pipe_done (GstPacoPipe *pipe, GstFlowReturn flow)
{
  g_mutex_lock (&pipe->lock);
  pipe->pending--;
  if (pipe->flow == GST_FLOW_OK)
    pipe->flow = flow;
  g_cond_broadcast (&pipe->changed);
  unref_and_unlock (pipe);
}

/* --- state --- */

gpointer
gst_paco_pipe_ref_owner (GstPacoPipe *pipe)
{
  gpointer owner;

  g_mutex_lock (&pipe->lock);
  owner = pipe->owner != NULL ? gst_object_ref (pipe->owner) : NULL;
  g_mutex_unlock (&pipe->lock);
  return owner;
}

void
gst_paco_pipe_lose (GstPacoPipe *pipe)
{
  g_mutex_lock (&pipe->lock);
  pipe->owner = NULL;
  pipe->flow = GST_FLOW_ERROR;
  g_cond_broadcast (&pipe->changed);
  g_mutex_unlock (&pipe->lock);
}

static void
wait_for_frames (GstPacoPipe *pipe, gboolean until_idle)
{
  g_mutex_lock (&pipe->lock);
  while ((pipe->pending > 0 && pipe->owner != NULL)
      || (until_idle && pipe->pushing))
    g_cond_wait (&pipe->changed, &pipe->lock);
  g_mutex_unlock (&pipe->lock);
}

void
gst_paco_pipe_wait_done (GstPacoPipe *pipe)
{
  wait_for_frames (pipe, FALSE);
}

void
gst_paco_pipe_wait_idle (GstPacoPipe *pipe)
{
  wait_for_frames (pipe, TRUE);
}

GstFlowReturn
gst_paco_pipe_take_flow (GstPacoPipe *pipe)
{
  GstFlowReturn flow;

  g_mutex_lock (&pipe->lock);
  flow = pipe->flow;
  if (pipe->owner != NULL)
    pipe->flow = GST_FLOW_OK;
  g_mutex_unlock (&pipe->lock);
  return flow;
}

void
gst_paco_pipe_set_dropping (GstPacoPipe *pipe, gboolean dropping)
{
  g_mutex_lock (&pipe->lock);
  pipe->dropping = dropping;
  g_mutex_unlock (&pipe->lock);
}

gboolean
gst_paco_pipe_is_dropping (GstPacoPipe *pipe)
{
  gboolean dropping;

  g_mutex_lock (&pipe->lock);
  dropping = pipe->dropping;
  g_mutex_unlock (&pipe->lock);
  return dropping;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The thread that pushes frames, with a count of pending ones and a condition;
 * gstpacopipe.h says for whom. */
#include "gstpacopipe.h"

void
gst_paco_pipe_init (GstPacoPipe *pipe, GstPacoPipeFunc func, gpointer element)
{
  pipe->func = func;
  pipe->element = element;
  g_mutex_init (&pipe->lock);
  g_cond_init (&pipe->changed);
}

void
gst_paco_pipe_clear (GstPacoPipe *pipe)
{
  g_mutex_clear (&pipe->lock);
  g_cond_clear (&pipe->changed);
}

static gpointer
push_loop (gpointer data)
{
  GstPacoPipe *pipe = data;

  g_mutex_lock (&pipe->lock);
  while (!pipe->stopping) {
    if (pipe->pending <= 0 || pipe->lost) {
      g_cond_wait (&pipe->changed, &pipe->lock);
      continue;
    }
    pipe->pushing = TRUE;
    g_mutex_unlock (&pipe->lock);
    pipe->func (pipe->element);
    g_mutex_lock (&pipe->lock);
    pipe->pushing = FALSE;
    g_cond_broadcast (&pipe->changed);
  }
  g_mutex_unlock (&pipe->lock);
  return NULL;
}

gboolean
gst_paco_pipe_start (GstPacoPipe *pipe, const char *thread_name)
{
  pipe->pending = 0;
  pipe->stopping = pipe->dropping = pipe->pushing = pipe->lost = FALSE;
  pipe->flow = GST_FLOW_OK;
  pipe->thread = g_thread_try_new (thread_name, push_loop, pipe, NULL);
  return pipe->thread != NULL;
}

void
gst_paco_pipe_stop (GstPacoPipe *pipe)
{
  if (pipe->thread == NULL)
    return;

  g_mutex_lock (&pipe->lock);
  pipe->stopping = TRUE;
  g_cond_broadcast (&pipe->changed);
  g_mutex_unlock (&pipe->lock);

  g_thread_join (pipe->thread);
  pipe->thread = NULL;
}

/* A frame may be dropped before it is counted, so the number may be below 0 for
 * a moment. */
void
gst_paco_pipe_submitted (GstPacoPipe *pipe)
{
  g_mutex_lock (&pipe->lock);
  pipe->pending++;
  g_cond_broadcast (&pipe->changed);
  g_mutex_unlock (&pipe->lock);
}

void
gst_paco_pipe_done (GstPacoPipe *pipe, GstFlowReturn flow)
{
  g_mutex_lock (&pipe->lock);
  pipe->pending--;
  if (pipe->flow == GST_FLOW_OK)
    pipe->flow = flow;
  g_cond_broadcast (&pipe->changed);
  g_mutex_unlock (&pipe->lock);
}

void
gst_paco_pipe_lose (GstPacoPipe *pipe)
{
  g_mutex_lock (&pipe->lock);
  pipe->lost = TRUE;
  pipe->flow = GST_FLOW_ERROR;
  g_cond_broadcast (&pipe->changed);
  g_mutex_unlock (&pipe->lock);
}

gboolean
gst_paco_pipe_is_lost (GstPacoPipe *pipe)
{
  gboolean lost;

  g_mutex_lock (&pipe->lock);
  lost = pipe->lost;
  g_mutex_unlock (&pipe->lock);
  return lost;
}

void
gst_paco_pipe_wait_done (GstPacoPipe *pipe)
{
  g_mutex_lock (&pipe->lock);
  while (pipe->pending > 0 && !pipe->lost)
    g_cond_wait (&pipe->changed, &pipe->lock);
  g_mutex_unlock (&pipe->lock);
}

void
gst_paco_pipe_wait_idle (GstPacoPipe *pipe)
{
  g_mutex_lock (&pipe->lock);
  while ((pipe->pending > 0 && !pipe->lost) || pipe->pushing)
    g_cond_wait (&pipe->changed, &pipe->lock);
  g_mutex_unlock (&pipe->lock);
}

GstFlowReturn
gst_paco_pipe_take_flow (GstPacoPipe *pipe)
{
  GstFlowReturn flow;

  g_mutex_lock (&pipe->lock);
  flow = pipe->flow;
  if (!pipe->lost)
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

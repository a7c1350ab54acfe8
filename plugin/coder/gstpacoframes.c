/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps the frames that are with a coder (gstpacoframes.h) in a ring. The ring has
 * one frame more than the coder has flights: that one has come back and is being
 * pushed while all flights are in use. Frames come back in the order in which they
 * were given, and the thread that pushes has left a frame before it takes the next
 * one from the coder. So if the coder has a free flight, the next frame of the ring
 * is free, too. */
#include "gstpacoframes.h"
#include "caps/videocaps.h"

struct _GstPacoFrames
{
  gint references; /* atomic */
  GMutex lock;     /* guards owner */
  GstObject *owner;
  /* n frames of the ring are in use, from `first` on; next counts from there. */
  guint first, n, next;
  guint n_ring;
  GstPacoFrame ring[]; /* n_ring */
};

/* Returns frame number i of those that are in use. */
static GstPacoFrame *
nth (GstPacoFrames *frames, guint i)
{
  return &frames->ring[(frames->first + i) % frames->n_ring];
}

GstPacoFrames *
gst_paco_frames_new (guint depth, GstObject *owner)
{
  GstPacoFrames *frames = g_malloc0 (
      sizeof *frames + (depth + 1) * sizeof *frames->ring);

  frames->references = 1;
  g_mutex_init (&frames->lock);
  frames->owner = owner;
  frames->n = frames->n_ring = depth + 1;
  for (guint i = 0; i < frames->n_ring; i++)
    frames->ring[i].frames = frames;
  return frames;
}

static void
free_planes (GstPacoFrames *frames)
{
  for (guint i = 0; i < frames->n_ring; i++)
    g_clear_pointer (&frames->ring[i].planes, paco_planes_free);
}

void
gst_paco_frames_unref (GstPacoFrames *frames)
{
  if (!g_atomic_int_dec_and_test (&frames->references))
    return;
  free_planes (frames);
  for (guint i = 0; i < frames->n_ring; i++)
    g_free (frames->ring[i].ancillary);
  g_mutex_clear (&frames->lock);
  g_free (frames);
}

void
gst_paco_frames_set_depth (GstPacoFrames *frames, guint depth)
{
  if (frames->n == depth + 1)
    return;
  gst_paco_frames_free_planes (frames);
  frames->first = nth (frames, frames->next) - frames->ring;
  frames->n = depth + 1;
  frames->next = 0;
}

gboolean
gst_paco_frames_allocate_planes (
    GstPacoFrames *frames, const GstVideoInfo *info, GError **error)
{
  PacoPictureFormat picture;

  gst_paco_frames_free_planes (frames);
  paco_picture_format_from_info (info, false, &picture);
  for (guint i = 0; i < frames->n; i++) {
    GstPacoFrame *frame = nth (frames, i);

    frame->planes = paco_planes_new (&picture);
    if (frame->planes == NULL) {
      g_set_error (error, PACO_ERROR, PACO_ERROR_MEMORY,
          "no memory for pictures of %ux%u", picture.width, picture.height);
      return FALSE;
    }
  }
  return TRUE;
}

void
gst_paco_frames_free_planes (GstPacoFrames *frames)
{
  if (g_atomic_int_get (&frames->references) == 1)
    free_planes (frames);
}

GstPacoFrame *
gst_paco_frames_next (GstPacoFrames *frames)
{
  return nth (frames, frames->next);
}

void
gst_paco_frames_give (GstPacoFrame *frame)
{
  GstPacoFrames *frames = frame->frames;

  g_atomic_int_inc (&frames->references);
  frames->next = (frames->next + 1) % frames->n;
}

void
gst_paco_frames_take_back (GstPacoFrame *frame)
{
  GstPacoFrames *frames = frame->frames;

  frames->next = (frames->next + frames->n - 1) % frames->n;
  frame->member = NULL;
  g_clear_pointer (&frame->stack, g_bytes_unref);
  gst_paco_frames_unref (frames);
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
gst_paco_frames_take (GstPacoFrame *frame)
{
  GstVideoCodecFrame *taken;

  gst_paco_frame_unmap (frame);
  taken = g_steal_pointer (&frame->frame);
  frame->member = NULL;
  g_clear_pointer (&frame->stack, g_bytes_unref);
  gst_paco_frames_unref (frame->frames);
  return taken;
}

gpointer
gst_paco_frames_ref_owner (GstPacoFrames *frames)
{
  gpointer owner;

  g_mutex_lock (&frames->lock);
  owner = frames->owner != NULL ? gst_object_ref (frames->owner) : NULL;
  g_mutex_unlock (&frames->lock);
  return owner;
}

void
gst_paco_frames_orphan (GstPacoFrames *frames)
{
  g_mutex_lock (&frames->lock);
  frames->owner = NULL;
  g_mutex_unlock (&frames->lock);
}

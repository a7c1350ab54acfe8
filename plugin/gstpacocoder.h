/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A backend's coder at work in an element: what pacoenc and pacodec do alike
 * from start to stop. The streaming thread submits frames to it, the pipe's
 * thread collects and pushes them. */
#pragma once
#include "caps/packed.h"
#include "gstpacobackend.h"
#include "gstpacopipe.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;
  GRecMutex *stream_lock; /* of the element's base class */
  GstPacoPipe pipe;
  void (*drop) (void *user_data);

  /* Under the element's object lock. */
  GstPacoSettings settings;
  PacoStats last_stats;

  /* From start to stop; changed under the object lock. An element has either
   * an encoder or a decoder. */
  const PacoBackend *backend;
  PacoEncoder *encoder;
  PacoDecoder *decoder;

  GstAllocator *allocator; /* for samples; NULL if any memory will do */

  /* Frames come back in the order they went in, so slots are used in turn. */
  guint depth, next_slot;
  PacoPlanes *planes[GST_PACO_MAX_DEPTH]; /* of each slot, if asked for */
} GstPacoCoder;

/* collect: the pipe's; frames that it waits for may be abandoned meanwhile.
 * drop: for the slot of a frame that the backend has given up; calls
 * gst_paco_pipe_dropped(). */
void gst_paco_coder_init (GstPacoCoder *coder, GstElement *element,
    GRecMutex *stream_lock, GstPacoPipeFunc collect,
    void (*drop) (void *user_data));
void gst_paco_coder_clear (GstPacoCoder *coder);

/* Open what the settings ask for, or post an error. */
gboolean gst_paco_coder_start_encoder (GstPacoCoder *coder);
gboolean gst_paco_coder_start_decoder (GstPacoCoder *coder);
/* Drops what is in flight. */
void gst_paco_coder_stop (GstPacoCoder *coder);

/* After a frame has been submitted from the slot next_slot. */
void gst_paco_coder_submitted (GstPacoCoder *coder);

/* With the stream lock, which they release while they wait. */
GstFlowReturn gst_paco_coder_drain (GstPacoCoder *coder);
void gst_paco_coder_flush (GstPacoCoder *coder);

/* Planes for formats that the backend does not read or write in place: one set
 * for each slot. Error MEMORY. Nothing may be in flight. */
gboolean gst_paco_coder_allocate_planes (
    GstPacoCoder *coder, const GstVideoInfo *info, GError **error);
void gst_paco_coder_free_planes (GstPacoCoder *coder);

/* With the object lock. TRUE if the property was one of the common ones. */
gboolean gst_paco_coder_get_property (
    GstPacoCoder *coder, guint id, GValue *value);

G_END_DECLS

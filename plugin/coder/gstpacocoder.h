/* SPDX-License-Identifier: LGPL-2.1-or-later
 * An encoder or decoder in an element: what pacoenc and pacodec do alike from start
 * to stop. The streaming thread submits frames to it; the pipe's thread
 * (gstpacopipe.h) collects and pushes them. */
#pragma once
#include "gstpacobackend.h"
#include "plugin/cuda/gstpacocuda.h"
#include "gstpacoframes.h"
#include "gstpacolatency.h"
#include "gstpacopipe.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *element;
  GRecMutex *stream_lock; /* of the element's base class */
  GstPacoPipe pipe;

  /* What opens a coder of the element's kind, and what becomes of frames that it
   * gives up. */
  GstPacoOpenFunc open;
  void (*drop) (void *frame);
  GstPacoCuda cuda;
  gboolean warned_of_copies; /* of pictures in device memory */

  /* The element's object lock guards these. */
  PacoSettings settings;
  PacoStats last_stats;
  PacoStats
      past; /* the sums of coders that have been replaced since the start */

  /* These last from start to stop, and change under the object lock. An element
   * has either an encoder or a decoder. */
  union
  {
    PacoCoder *coder; /* what both begin with */
    PacoEncoder *encoder;
    PacoDecoder *decoder;
  };
  guint depth;             /* of what is configured, on all devices */
  guint n_devices;         /* 1 also when it is not started */
  GstAllocator *allocator; /* for samples; NULL if any memory will do */
  GstAllocator *coded;     /* of a decoder, for encoded frames; as above */

  GstPacoFrames *frames; /* from start to stop */
  GMutex loss;           /* held while the loss of the coder is reported */

  GstPacoLatency
      latency; /* the pipe's thread uses it while frames are pending */
} GstPacoCoder;

/* push is the pipe's function. It calls gst_paco_coder_lost() if it cannot get a
 * frame, and gst_paco_pipe_done() otherwise. Frames that it waits for may be
 * abandoned meanwhile. */
void gst_paco_coder_init (GstPacoCoder *coder, GstElement *element,
    GRecMutex *stream_lock, GstPacoPipeFunc push);
void gst_paco_coder_clear (GstPacoCoder *coder);

/* These open the coder that the settings ask for, or post an error. drop is called
 * by any thread for a GstPacoFrame that the coder has given up; it calls
 * gst_paco_pipe_done() if the frame's owner still exists. */
gboolean gst_paco_coder_start_encoder (
    GstPacoCoder *coder, void (*drop) (void *frame));
gboolean gst_paco_coder_start_decoder (
    GstPacoCoder *coder, void (*drop) (void *frame));
/* Drops what is in flight. */
void gst_paco_coder_stop (GstPacoCoder *coder);

/* Goes on with another coder of the same kind, which is not configured yet. Nothing
 * may be in flight. */
void gst_paco_coder_replace (GstPacoCoder *coder, PacoCoder *opened);

/* Has to be called after the coder has been configured: large pictures are coded
 * with fewer frames in flight than the settings allow. */
void gst_paco_coder_configured (GstPacoCoder *coder);

/* Waits until at most n_frames are with the coder. The stream lock must not be held. */
GstFlowReturn gst_paco_coder_wait (GstPacoCoder *coder, guint n_frames);

/* Says that a frame has been submitted. With a depth of one it returns after the
 * frame has been pushed. The stream lock must not be held. */
GstFlowReturn gst_paco_coder_submitted (GstPacoCoder *coder);
/* Says that a frame of `size` bytes has come back and, `stored` microseconds later,
 * is ready to be pushed. It is written to the log. Returns whether the latency to be
 * claimed has changed. */
gboolean gst_paco_coder_finished (GstPacoCoder *coder,
    const GstPacoFrame *frame, const PacoFrameTimes *times, gsize size,
    gint64 stored);
/* Says that the device does not answer. Posts the error, once, and frees it. */
void gst_paco_coder_lost (GstPacoCoder *coder, GError *error);

/* Both are called with the stream lock, which they release while they wait. */
GstFlowReturn gst_paco_coder_drain (GstPacoCoder *coder);
void gst_paco_coder_flush (GstPacoCoder *coder);

/* Offers memory for encoded frames to upstream of a decoder, from any thread. */
void gst_paco_coder_propose (GstPacoCoder *coder, GstQuery *query);

/* Returns what allocation queries need: the allocator, which the caller unrefs, or
 * NULL; how many frames the settings allow in flight on a device; and how many
 * devices there are. Any thread may call it. */
GstAllocator *gst_paco_coder_ref_allocator (
    GstPacoCoder *coder, guint *depth, guint *n_devices);

/* Gives a context to the element. */
void gst_paco_coder_set_context (GstPacoCoder *coder, GstContext *context);

/* Gets a property; TRUE if it is stats or a setting. The object lock is held. */
gboolean gst_paco_coder_get_property (
    GstPacoCoder *coder, guint id, GValue *value);

G_END_DECLS

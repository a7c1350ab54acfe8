/* SPDX-License-Identifier: LGPL-2.1-or-later
 * An encoder or decoder in an element: what pacoenc and pacodec do alike from start
 * to stop. The streaming thread submits frames to it; the pipe's thread
 * (gstpacopipe.h) collects and pushes them. */
#pragma once
#include "codec/backend.h"
#include "gstpacolatency.h"
#include "gstpacopipe.h"
#include "lib/stream/settings.h"
#include "plugin/cuda/gstpacocuda.h"

typedef struct
{
  GstElement *element;
  gboolean encodes;
  GstPacoPipeFunc push;
  /* Adds one element's own fields to the property stats. The object lock is held. */
  void (*describe) (GstElement *element, GstStructure *stats);

  GstPacoCuda cuda;
  gboolean warned_of_copies; /* of pictures in device memory */

  /* The element's object lock guards these. */
  PacoSettings settings;
  /* A setting that may change at any time has been set since this was cleared. */
  gboolean settings_changed;
  PacoStats last_stats;
  /* The sums of coders that have been replaced since the start. */
  PacoStats past;

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

  GstPacoPipe *pipe; /* from start to stop */
  GMutex loss;       /* held while the loss of the coder is reported */

  /* The pipe's thread uses it while frames are pending. */
  GstPacoLatency latency;
} GstPacoCoder;

/* push() calls gst_paco_coder_lost() if it cannot get a frame, else
 * gst_paco_pipe_done(). Frames that it waits for may be abandoned meanwhile. */
void gst_paco_coder_init (GstPacoCoder *coder, GstElement *element,
    GstPacoPipeFunc push,
    void (*describe) (GstElement *element, GstStructure *stats));
void gst_paco_coder_clear (GstPacoCoder *coder);
GstPacoCoder *gst_paco_coder_of (gpointer element);

/* Opens the coder that the settings ask for, or posts an error. */
gboolean gst_paco_coder_start (GstPacoCoder *coder);
void gst_paco_coder_stop (GstPacoCoder *coder);

/* To be called after each configuration, which may change the depth. */
void gst_paco_coder_configured (GstPacoCoder *coder);

void gst_paco_coder_begin_latency (
    GstPacoCoder *coder, const GstVideoInfo *info, guint stack);

/* Waits until at most n_frames are with the coder. The stream lock must not be held. */
GstFlowReturn gst_paco_coder_wait (GstPacoCoder *coder, guint n_frames);
/* Waits until the coder has a free flight. Returns what has become of frames before. */
GstFlowReturn gst_paco_coder_wait_for_flight (GstPacoCoder *coder);

/* Says that a frame has been submitted. With a depth of one it returns after the
 * frame has been pushed. The stream lock must not be held. */
GstFlowReturn gst_paco_coder_submitted (GstPacoCoder *coder);
/* A frame of `size` bytes has come back and is ready `stored` microseconds later.
 * Writes it to the log, and may change the latency that is claimed. */
void gst_paco_coder_finished (GstPacoCoder *coder, const GstPacoFrame *frame,
    const PacoFrameTimes *times, gsize size, gint64 stored);
/* Says that the device does not answer. Posts the error, once, and frees it. */
void gst_paco_coder_lost (GstPacoCoder *coder, GError *error);

/* Both are called with the stream lock, which they release while they wait. */
GstFlowReturn gst_paco_coder_drain (GstPacoCoder *coder);
void gst_paco_coder_flush (GstPacoCoder *coder);

/* Returns the property stats. The object lock is held. */
GstStructure *gst_paco_coder_stats (GstPacoCoder *coder);

/* --- among elements whose pictures are in the memory of a GPU --- */

/* Says whether the coder can work on pictures in device memory, or may be able to
 * when it is open. Any thread may call it. */
gboolean gst_paco_coder_can_share (GstPacoCoder *coder);

/* Moves the coder into the context that neighbors share, where it codes pictures in
 * place, or into a new one if may_create is set. Nothing may be in flight, and the
 * coder has to be configured again. FALSE with a warning posted if it cannot move: then
 * pictures are copied through the host. */
gboolean gst_paco_coder_share (GstPacoCoder *coder, gboolean may_create);

/* The first says whether a buffer lies in another context, in which the coder could
 * work; the second moves the coder there, as above. */
gboolean gst_paco_coder_is_elsewhere (GstPacoCoder *coder, GstBuffer *buffer);
gboolean gst_paco_coder_follow (GstPacoCoder *coder, GstBuffer *buffer);

/* --- gstpacoclass.c --- */

/* Installs what the classes of both elements do alike: the properties of the owner,
 * which is PACO_OF_PACOENC or PACO_OF_PACODEC, contexts, and the end. */
void gst_paco_coder_class_init (GObjectClass *klass, PacoSettingOwner owner);

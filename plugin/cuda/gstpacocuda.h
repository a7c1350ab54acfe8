/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Pictures in the memory of a GPU, video/x-raw(memory:CUDAMemory): their caps,
 * the context in which they lie and which elements share, their pools, and mapping
 * them for a coder. pacoenc and pacodec have one GstPacoCuda each, in their
 * GstPacoCoder. Without libgstcuda, or where the library finds no driver, there
 * are no such pictures, and nothing here does anything. */
#pragma once
#include "caps/formats.h"
#include "codec/coder.h"
#include "gstpacocudalibrary.h"
#include <gst/video/video.h>

typedef struct
{
  GstElement *element;
  /* Held while a context is asked for, by the thread that may be given it. */
  GRecMutex lock;
  GstPacoCudaContext *context; /* that is shared with neighbors, or NULL */
  /* The CUcontext that the element's coder works in, or NULL if the coder has its
   * own one. The thread that submits frames uses it. */
  gpointer handle;
} GstPacoCuda;

void gst_paco_cuda_init (GstPacoCuda *cuda, GstElement *element);
void gst_paco_cuda_clear (GstPacoCuda *cuda);

/* --- Caps --- */

/* Puts the formats that libgstcuda has before raw, which it takes, for templates. */
GstCaps *gst_paco_cuda_extend_caps (GstCaps *raw);
/* Returns caps without pictures in device memory; it takes ownership of caps. */
GstCaps *gst_paco_cuda_strip_caps (GstCaps *caps);
/* Says whether these caps, which are fixed, are of pictures in device memory. */
gboolean gst_paco_cuda_is_caps (const GstCaps *caps);
/* Returns the device format that the pad's peer names and that suits pictures coded
 * from `coded` best, or UNKNOWN. */
GstVideoFormat gst_paco_cuda_pick_format (GstPad *pad, GstVideoFormat coded,
    guint width, guint height, GstVideoInterlaceMode mode);

/* --- Context --- */

/* For the element's set_context() and the queries of its pads. The second returns
 * whether it has answered the query. */
void gst_paco_cuda_set_context (
    GstPacoCuda *cuda, GstContext *context, gint device_id);
gboolean gst_paco_cuda_answer (GstPacoCuda *cuda, GstQuery *query);

/* Returns the context to share: the present one, a neighbor's or the application's, or,
 * if may_create is set, a new one. NULL if there is none for this device. */
GstPacoCudaContext *gst_paco_cuda_find_context (
    GstPacoCuda *cuda, gint device_id, gboolean may_create);
/* Returns the present context, or one that a neighbor has; NULL if there is none. */
GstPacoCudaContext *gst_paco_cuda_ask_neighbors (GstPacoCuda *cuda);
/* From now on shares this context, or none if it is NULL. */
void gst_paco_cuda_share (GstPacoCuda *cuda, GstPacoCudaContext *context);

/* Returns no new reference, or NULL if the buffer is not in device memory. */
GstPacoCudaContext *gst_paco_cuda_buffer_context (GstBuffer *buffer);
PacoForeignContext gst_paco_cuda_context_foreign (GstPacoCudaContext *context);

/* --- Pools: device memory in the context that the coder works in --- */

/* Proposes a pool of at least n buffers to upstream. FALSE if that fails. */
gboolean gst_paco_cuda_propose (GstPacoCuda *cuda, GstQuery *query, guint n);
/* Changes the answer of downstream so that there are n buffers more. Downstream's
 * own pool is used if it is in the same context. */
gboolean gst_paco_cuda_decide (GstPacoCuda *cuda, GstQuery *query, guint n);

/* --- Frames --- */

/* gst_video_frame_map() that leaves device memory of the coder's context where it is,
 * and has libgstcuda copy other device memory to the host. *picture becomes what the
 * coder sees, unless the format is tiled. FALSE if the memory lacks lines of the picture
 * or is not copied as a whole, or if the buffer's meta says that its picture is smaller
 * or of another format. */
gboolean gst_paco_cuda_map (GstPacoCuda *cuda, GstVideoFrame *frame,
    const PacoRawFormat *raw, const GstVideoInfo *info, GstBuffer *buffer,
    GstMapFlags access, PacoPicture *picture);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The allocation query for buffers of samples, as pacoenc and pacodec answer or make
 * it: there must be enough buffers for all frames in flight, in memory that the
 * backend's device reaches by itself. allocator may be NULL in all functions; then
 * any memory will do. */
#pragma once
#include "gstpacocuda.h"
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Proposes to upstream a pool for frames of which depth may be in flight on each
 * of n_devices devices; of device memory, if the caps are of such. */
gboolean gst_paco_pools_propose (GstQuery *query, GstPacoCuda *cuda,
    GstAllocator *allocator, guint depth, guint n_devices);

/* What downstream has answered, made fit for so many frames in flight before the
 * base class decides; FALSE if no device memory can be had ... */
gboolean gst_paco_pools_adapt (GstQuery *query, GstPacoCuda *cuda,
    GstAllocator *allocator, guint depth, guint n_devices);
/* ... and the pool that it has decided for allowed to have strides of its own,
 * where downstream takes them. */
void gst_paco_pools_enable_video_meta (GstQuery *query);
/* Whether that pool gets as many buffers as it has to have at least; the base
 * class does not ask. */
gboolean gst_paco_pools_activate (GstQuery *query);

G_END_DECLS

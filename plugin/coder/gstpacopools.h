/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The allocation query for buffers of samples, as pacoenc and pacodec answer or make
 * it: there must be enough buffers for all frames in flight, in memory that the
 * backend's device reaches by itself. allocator may be NULL in all functions; then
 * any memory will do. */
#pragma once
#include "plugin/cuda/gstpacocuda.h"
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Proposes a pool to upstream, for frames of which depth may be in flight on each of
 * n_devices devices. It is of device memory if the caps are. */
gboolean gst_paco_pools_propose (GstQuery *query, GstPacoCuda *cuda,
    GstAllocator *allocator, guint depth, guint n_devices);

/* Before the base class decides, changes what downstream has answered so that there are
 * buffers for so many frames in flight; FALSE if no device memory can be had. */
gboolean gst_paco_pools_adapt (GstQuery *query, GstPacoCuda *cuda,
    GstAllocator *allocator, guint depth, guint n_devices);
/* Afterwards, lets the pool that was chosen have strides of its own if downstream takes
 * them. */
void gst_paco_pools_enable_video_meta (GstQuery *query);
/* Says whether that pool can allocate as many buffers as it must have at least, which
 * the base class does not check. */
gboolean gst_paco_pools_activate (GstQuery *query);

G_END_DECLS

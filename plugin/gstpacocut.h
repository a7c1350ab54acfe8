/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames made smaller on their way through pacoparse. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

/* The frame in the first `size` bytes of a buffer as one of at most max_size bytes,
 * in memory of its own. It keeps its number and stands behind *offset bytes of other
 * frames; its own are added. NULL with the error of paco_frame_cut(), or MEMORY. */
GstBuffer *gst_paco_cut (GstBuffer *buffer, gsize size, gsize max_size,
    guint64 *offset, GError **error);

G_END_DECLS

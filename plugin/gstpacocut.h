/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frames made smaller on their way through pacoparse. */
#pragma once
#include <gst/gst.h>

G_BEGIN_DECLS

/* The frame in the first `size` bytes of a buffer as one of at most max_size bytes,
 * in memory of its own. It keeps its number and stands behind *offset bytes of other
 * frames; its own are added. NULL if that cannot be: with a warning posted if the
 * frame is to blame, which is left out then; else with an error posted, and *flow
 * says so. */
GstBuffer *gst_paco_cut (GstElement *element, GstBuffer *buffer, gsize size,
    gsize max_size, guint64 *offset, GstFlowReturn *flow);

/* Frames that are cut are no larger than they are cut to, nor than they were: puts
 * that into their caps. most: 0 if they are not cut. */
void gst_paco_cut_limit_caps (GstCaps *caps, guint most);

G_END_DECLS

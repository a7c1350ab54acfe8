/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes frames smaller on their way through pacoparse, which calls it if its property
 * max-frame-size is set. */
#pragma once
#include "codec/header.h"
#include <gst/gst.h>

G_BEGIN_DECLS

/* Makes the frame in the first `size` bytes of a buffer one of at most max_size
 * bytes, in memory of its own, and at that place. Returns NULL if that fails: if the
 * fault is the frame's, with a warning posted, and the frame is left out; else with an
 * error posted, and *flow is set. */
GstBuffer *gst_paco_cut (GstElement *element, GstBuffer *buffer, gsize size,
    gsize max_size, const PacoPlace *place, GstFlowReturn *flow);

/* Puts into caps how large frames are at most: as large as they are cut to, or as
 * they were. most is 0 if they are not cut. */
void gst_paco_cut_limit_caps (GstCaps *caps, guint most);

G_END_DECLS

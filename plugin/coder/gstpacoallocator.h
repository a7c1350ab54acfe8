/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Two kinds of memory. gstpacopools.c offers both in allocation queries to elements
 * that need not know what they are.
 *
 * Memory of a coder is what the backend's device reads and writes without a copy on
 * the host.
 *
 * Recycled memory is kept when it comes back, and handed out again. It serves encoded
 * frames, each of which has another size, so that no GstBufferPool fits. pacodec offers
 * one to upstream over memory of its device; pacoparse and rtppacodepay have one of
 * ordinary memory if downstream offers none. New memory for each frame would be
 * expensive: page-locking 20 MB takes milliseconds, and the system clears every page of
 * ordinary memory. */
#pragma once
#include "codec/coder.h"
#include <gst/gst.h>

/* The coder must have host memory. */
GstAllocator *gst_paco_allocator_new (PacoCoder *coder);

/* From now on memory comes from this coder or, if it is NULL, from the system: pools
 * may go on asking when their coder is about to be closed. */
void gst_paco_allocator_set_coder (GstAllocator *allocator, PacoCoder *coder);

/* Hands out slabs, each for one frame, from source or, if that is NULL, from the
 * system. Beyond n_slabs memory is ordinary and not kept. Any thread may allocate and
 * free; memory may outlive the allocator. */
GstAllocator *gst_paco_recycler_new (GstAllocator *source, guint n_slabs);

/* Returns the recycler that the peer offers for frames of these caps, or NULL. Other
 * allocators may be made for anything, and are not taken. */
GstAllocator *gst_paco_recycler_offered (GstPad *source_pad, GstCaps *caps);

/* Frees the memory that is kept, and keeps none from now on. */
void gst_paco_recycler_stop (GstAllocator *allocator);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * An allocator that keeps the memory that comes back, and hands it out again. It
 * serves encoded frames, each of which has another size, so that no GstBufferPool
 * fits. pacodec offers one to upstream in the allocation query, over memory of its
 * device; pacoparse has one of ordinary memory if downstream offers none.
 *
 * New memory for each frame would be expensive: page-locking 20 MB takes
 * milliseconds, and the system clears every page of ordinary memory. */
#pragma once
#include <gst/gst.h>

#define GST_TYPE_PACO_RECYCLER (gst_paco_recycler_get_type ())
G_DECLARE_FINAL_TYPE (
    GstPacoRecycler, gst_paco_recycler, GST, PACO_RECYCLER, GstAllocator)

/* Makes an allocator whose memory comes in slabs, each for one frame, from
 * source, or from the system if that is NULL. At most n_slabs exist at a time;
 * beyond that it hands out ordinary memory, which is not kept. Any thread may
 * allocate and free. Memory may outlive the allocator. */
GstAllocator *gst_paco_recycler_new (GstAllocator *source, guint n_slabs);

/* Returns the recycler that the peer of source_pad offers for frames of these caps,
 * which the caller unrefs, or NULL. Other allocators are not taken: they may be made
 * for anything, and would be asked for each frame. */
GstAllocator *gst_paco_recycler_offered (GstPad *source_pad, GstCaps *caps);

/* Frees the memory that is kept. From now on the allocator hands out ordinary
 * memory, and keeps none. */
void gst_paco_recycler_stop (GstAllocator *allocator);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * An allocator of memory that the backend's device reads and writes without a
 * copy on the host. Upstream of the encoder and downstream of the decoder use
 * it through the allocation query, and need not know. */
#pragma once
#include "codec/backend.h"
#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_PACO_ALLOCATOR (gst_paco_allocator_get_type ())
G_DECLARE_FINAL_TYPE (
    GstPacoAllocator, gst_paco_allocator, GST, PACO_ALLOCATOR, GstAllocator)

/* encoder_host_memory() or decoder_host_memory() of a backend. */
typedef PacoHostMemory *(*GstPacoHostMemoryFunc) (
    gpointer coder, gsize size, GError **error);

/* func may be NULL, where the backend takes all memory alike: NULL then. */
GstAllocator *gst_paco_allocator_new (
    GstPacoHostMemoryFunc func, gpointer coder);

/* The coder is about to be closed. Pools may go on asking for memory; they get
 * the system's from now on. allocator may be NULL. */
void gst_paco_allocator_detach (GstAllocator *allocator);

G_END_DECLS

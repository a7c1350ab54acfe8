/* SPDX-License-Identifier: LGPL-2.1-or-later
 * An allocator of memory that the backend's device reads and writes without a copy
 * on the host. gstpacopools.c offers it in allocation queries to the elements before
 * the encoder and behind the decoder, which need not know what it is. */
#pragma once
#include "codec/coder.h"
#include <gst/gst.h>

#define GST_TYPE_PACO_ALLOCATOR (gst_paco_allocator_get_type ())
G_DECLARE_FINAL_TYPE (
    GstPacoAllocator, gst_paco_allocator, GST, PACO_ALLOCATOR, GstAllocator)

/* Makes an allocator. The coder must have host memory. */
GstAllocator *gst_paco_allocator_new (PacoCoder *coder);

/* From now on memory comes from this coder, which must have host memory, or, if it is
 * NULL, from the system: pools may go on asking when their coder is about to be
 * closed. */
void gst_paco_allocator_set_coder (GstAllocator *allocator, PacoCoder *coder);

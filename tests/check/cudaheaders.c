/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the plugin's declarations of libgstcuda-1.0 (gstpacocudalibrary.h) with
 * the library's own headers, if these are installed. If they differ it does not
 * compile. */
#define GST_USE_UNSTABLE_API
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>
#include "plugin/cuda/gstpacocudalibrary.h"

#define SAME_PLACE(type, member, other_type, other_member)                     \
  G_STATIC_ASSERT (                                                            \
      offsetof (type, member) == offsetof (other_type, other_member));         \
  G_STATIC_ASSERT (sizeof (((type *) NULL)->member)                            \
      == sizeof (((other_type *) NULL)->other_member))

SAME_PLACE (GstPacoCudaMemory, memory, GstCudaMemory, mem);
SAME_PLACE (GstPacoCudaMemory, context, GstCudaMemory, context);
SAME_PLACE (GstPacoCudaMemory, info, GstCudaMemory, info);
SAME_PLACE (GstPacoCudaPool, pool, GstCudaBufferPool, parent);
SAME_PLACE (GstPacoCudaPool, context, GstCudaBufferPool, context);
G_STATIC_ASSERT (GST_PACO_MAP_CUDA == GST_MAP_CUDA);

/* Their beginnings are the same, so a pointer to one stands for the other. */
#define GstPacoCudaMemory GstCudaMemory
#define SAME_FUNCTION(member, symbol, type, parameters)                        \
  G_STATIC_ASSERT (__builtin_types_compatible_p (                              \
      __typeof__ (&symbol), type (*) parameters));
GST_PACO_CUDA_FUNCTIONS (SAME_FUNCTION)
/* The library comes with GStreamer, and has its version. */
#if GST_CHECK_VERSION(1, 24, 0)
GST_PACO_CUDA_STREAM_FUNCTIONS (SAME_FUNCTION)
#endif

int
main (void)
{
  return g_strcmp0 (GST_PACO_CUDA_FEATURE, GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY)
      || g_strcmp0 (GST_PACO_CUDA_CONTEXT_TYPE, GST_CUDA_CONTEXT_TYPE);
}

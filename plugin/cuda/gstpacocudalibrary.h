/* SPDX-License-Identifier: LGPL-2.1-or-later
 * libgstcuda-1.0, the library of elements that have pictures in the memory of a
 * GPU, found at run time as the driver is (gpu/driver.h): so the plugin loads
 * where it is not installed, one build suits all its versions, and nothing of
 * its development package or of the CUDA toolkit is needed to build. What is
 * declared here is the part of its interface that is the same since 1.22;
 * tests/check/cudaheaders.c compares it with the library's own headers. */
#pragma once
#include <gst/video/video.h>

#define GST_PACO_CUDA_FEATURE "memory:CUDAMemory"
#define GST_PACO_CUDA_CONTEXT_TYPE "gst.cuda.context"
/* Maps device memory as a device address. */
#define GST_PACO_MAP_CUDA (GST_MAP_FLAG_LAST << 1)

/* A GstObject with a CUcontext, which it destroys in the end. */
typedef struct _GstCudaContext GstPacoCudaContext;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstPacoCudaContext, gst_object_unref)
typedef struct _GstCudaStream GstPacoCudaStream;

/* Memory and pools of the library begin with these members. */
typedef struct
{
  GstMemory memory;
  GstPacoCudaContext *context;
  GstVideoInfo info; /* how the picture lies in it */
} GstPacoCudaMemory;

typedef struct
{
  GstBufferPool pool;
  GstPacoCudaContext *context;
} GstPacoCudaPool;

/* F (member, symbol, type, parameters) for each function. Before load_library() has
 * returned TRUE, a call of any other one ends the program. */
#define GST_PACO_CUDA_FUNCTIONS(F)                                             \
  F (load_library, gst_cuda_load_library, gboolean, (void) )                   \
  F (memory_init_once, gst_cuda_memory_init_once, void, (void) )               \
  F (is_memory, gst_is_cuda_memory, gboolean, (GstMemory * memory))            \
  F (context_new, gst_cuda_context_new, GstPacoCudaContext *,                  \
      (guint device_id))                                                       \
  F (context_handle, gst_cuda_context_get_handle, gpointer,                    \
      (GstPacoCudaContext * context))                                          \
  F (ensure_context, gst_cuda_ensure_element_context, gboolean,                \
      (GstElement * element, gint device_id, GstPacoCudaContext * *context))   \
  F (set_context, gst_cuda_handle_set_context, gboolean,                       \
      (GstElement * element, GstContext * context, gint device_id,             \
          GstPacoCudaContext * *result))                                       \
  F (context_query, gst_cuda_handle_context_query, gboolean,                   \
      (GstElement * element, GstQuery * query, GstPacoCudaContext * context))  \
  F (pool_new, gst_cuda_buffer_pool_new, GstBufferPool *,                      \
      (GstPacoCudaContext * context))                                          \
  F (pool_type, gst_cuda_buffer_pool_get_type, GType, (void) )

/* The same for functions of 1.24 and later, which are NULL in earlier versions. */
#define GST_PACO_CUDA_STREAM_FUNCTIONS(F)                                      \
  F (memory_stream, gst_cuda_memory_get_stream, GstPacoCudaStream *,           \
      (GstPacoCudaMemory * memory))                                            \
  F (stream_handle, gst_cuda_stream_get_handle, struct CUstream_st *,          \
      (GstPacoCudaStream * stream))

typedef struct
{
  gpointer library; /* of dlopen() */
#define GST_PACO_CUDA_MEMBER(member, symbol, type, parameters)                 \
  type (*member) parameters;
  GST_PACO_CUDA_FUNCTIONS (GST_PACO_CUDA_MEMBER)
  GST_PACO_CUDA_STREAM_FUNCTIONS (GST_PACO_CUDA_MEMBER)
#undef GST_PACO_CUDA_MEMBER
} GstPacoCudaLibrary;

/* NULL if it is not installed, or the option gstcuda is off. Does not call CUDA. */
const GstPacoCudaLibrary *gst_paco_cuda_library (void);

/* Returns the library with its driver loaded, or NULL if there is no driver. */
const GstPacoCudaLibrary *gst_paco_cuda_library_loaded (void);

/* Says whether the installed library has memory of this format. Earlier versions end
 * a program that asks for memory of a format that they do not have. */
gboolean gst_paco_cuda_library_has_format (
    const GstPacoCudaLibrary *library, GstVideoFormat format);

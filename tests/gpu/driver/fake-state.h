/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps what the fake driver knows: contexts and what is in them, what is enqueued,
 * and which call is to fail. fake-driver.c, fake-kernels.c and fake-neighbor.c call
 * it. fake_begin() takes a lock, which all other functions expect and fake_end()
 * returns. */
#pragma once
#include "gpu/driver.h"
#include "tests/gpu/driver/copies.h"
#include "tests/gpu/driver/fake-kernels.h"
#include "tests/gpu/driver/texture-types.h"

#define FAKE_MAX_PUSHED 256

/* A neighbor's library wants these besides, up to GStreamer 1.26. */
#define FAKE_NEIGHBOR_FUNCTIONS(F)                                             \
  F (driver_get_version, "cuDriverGetVersion", (int *version))                 \
  F (device_can_access_peer, "cuDeviceCanAccessPeer",                          \
      (int *can, CUdevice device, CUdevice peer))                              \
  F (ctx_enable_peer_access, "cuCtxEnablePeerAccess",                          \
      (CUcontext peer, unsigned flags))                                        \
  F (ctx_disable_peer_access, "cuCtxDisablePeerAccess", (CUcontext peer))      \
  F (device_primary_ctx_retain, "cuDevicePrimaryCtxRetain",                    \
      (CUcontext * handle, CUdevice device))                                   \
  F (pointer_get_attribute, "cuPointerGetAttribute",                           \
      (void *value, int attribute, CUdeviceptr memory))                        \
  F (stream_destroy_old, "cuStreamDestroy", (CUstream stream))                 \
  F (mem_alloc_pitch, "cuMemAllocPitch_v2",                                    \
      (CUdeviceptr * memory, size_t * pitch, size_t width, size_t height,      \
          unsigned element))                                                   \
  F (mem_alloc_host, "cuMemAllocHost_v2", (void **memory, size_t size))        \
  F (memcpy_2d, "cuMemcpy2D_v2", (const CUDA_MEMCPY2D *copy))                  \
  F (tex_object_create, "cuTexObjectCreate",                                   \
      (CUtexObject * object, const CUDA_RESOURCE_DESC *resource,               \
          const CUDA_TEXTURE_DESC *texture, const void *view))                 \
  F (tex_object_destroy, "cuTexObjectDestroy", (CUtexObject object))

/* These return an error; GStreamer 1.24 and later wants those from ctx_get_limit on. */
#define FAKE_REFUSED_FUNCTIONS(F)                                              \
  F (graphics_map, "cuGraphicsMapResources", (void) )                          \
  F (graphics_unmap, "cuGraphicsUnmapResources", (void) )                      \
  F (graphics_unregister, "cuGraphicsUnregisterResource", (void) )             \
  F (graphics_set_flags, "cuGraphicsResourceSetMapFlags_v2", (void) )          \
  F (graphics_array, "cuGraphicsSubResourceGetMappedArray", (void) )           \
  F (graphics_pointer, "cuGraphicsResourceGetMappedPointer_v2", (void) )       \
  F (graphics_image, "cuGraphicsGLRegisterImage", (void) )                     \
  F (graphics_buffer, "cuGraphicsGLRegisterBuffer", (void) )                   \
  F (gl_get_devices, "cuGLGetDevices_v2", (void) )                             \
  F (ctx_get_limit, "cuCtxGetLimit", (void) )                                  \
  F (ctx_set_limit, "cuCtxSetLimit", (void) )                                  \
  F (memcpy_on_device, "cuMemcpyDtoD_v2", (void) )                             \
  F (memset_2d_8, "cuMemsetD2D8_v2", (void) )                                  \
  F (memset_2d_16, "cuMemsetD2D16_v2", (void) )                                \
  F (memset_2d_32, "cuMemsetD2D32_v2", (void) )                                \
  F (memset_2d_8_async, "cuMemsetD2D8Async", (void) )                          \
  F (memset_2d_16_async, "cuMemsetD2D16Async", (void) )                        \
  F (memset_2d_32_async, "cuMemsetD2D32Async", (void) )                        \
  F (ipc_get_event, "cuIpcGetEventHandle", (void) )                            \
  F (ipc_open_event, "cuIpcOpenEventHandle", (void) )                          \
  F (ipc_get_memory, "cuIpcGetMemHandle", (void) )                             \
  F (ipc_open_memory, "cuIpcOpenMemHandle", (void) )                           \
  F (ipc_close_memory, "cuIpcCloseMemHandle", (void) )                         \
  F (external_import_memory, "cuImportExternalMemory", (void) )                \
  F (external_destroy_memory, "cuDestroyExternalMemory", (void) )              \
  F (external_get_buffer, "cuExternalMemoryGetMappedBuffer", (void) )          \
  F (external_get_array, "cuExternalMemoryGetMappedMipmappedArray", (void) )   \
  F (external_import_semaphore, "cuImportExternalSemaphore", (void) )          \
  F (external_destroy_semaphore, "cuDestroyExternalSemaphore", (void) )        \
  F (external_signal, "cuSignalExternalSemaphoresAsync", (void) )              \
  F (external_wait, "cuWaitExternalSemaphoresAsync", (void) )

#define FAKE_NUMBER(member, symbol, parameters) FUNCTION_##member,
enum
{
  PACO_DRIVER_FUNCTIONS (FAKE_NUMBER)
  PACO_DRIVER_GRAPH_FUNCTIONS (FAKE_NUMBER) DRIVER_COPIES (FAKE_NUMBER)
      FAKE_NEIGHBOR_FUNCTIONS (FAKE_NUMBER)
          FAKE_REFUSED_FUNCTIONS (FAKE_NUMBER) FAKE_N_FUNCTIONS
};

/* The functions have the driver's names for the linker only. */
#define FAKE_DECLARE(member, symbol, parameters)                               \
  __attribute__ ((visibility ("default")))                                     \
  CUresult fake_##member parameters __asm__(symbol);

typedef struct FakeOperation FakeOperation;
typedef struct FakeEvent FakeEvent;
typedef struct FakeStream FakeStream;
typedef struct FakeContext FakeContext;
typedef struct FakeBlock FakeBlock;
typedef struct FakeFunction FakeFunction;
typedef struct FakeGraph FakeGraph;

struct FakeOperation
{
  FakeOperation *next;
  enum
  {
    FAKE_COPY,
    FAKE_FILL,
    FAKE_LAUNCH,
    FAKE_RECORD,
    FAKE_WAIT
  } kind;
  uint8_t *to;
  const uint8_t *from;
  size_t bytes, rows, to_pitch, from_pitch;
  int value;
  FakeLaunch launch;
  FakeEvent *event;
  unsigned number; /* of the recording */
};

struct FakeEvent
{
  FakeEvent *next;
  FakeStream *stream; /* of the last recording */
  unsigned recorded, done;
};

struct FakeStream
{
  FakeStream *next;
  FakeOperation *first, **end;
  FakeKernelState state;
  bool copies[2]; /* fake_cuda_copying_streams() */
};

struct FakeFunction
{
  FakeFunction *next;
  char name[64];
  unsigned max_shared_bytes; /* of a launch */
};

/* A graph, or what was made of one (fake-graph.c). */
struct FakeGraph
{
  FakeGraph *next;
  GPtrArray *nodes;
  const FakeGraph *template; /* of which it was made */
};

struct FakeBlock
{
  FakeBlock *next;
  uint8_t *data;
  size_t size;
  bool host, portable, registered;
  /* Memory of the device lies between two pages that cannot be accessed. */
  uint8_t *pages;
  size_t pages_size;
};

struct FakeContext
{
  FakeContext *next;
  CUresult lost;
  int device;
  bool primary;
  FakeStream main; /* stream NULL */
  FakeStream *streams;
  FakeEvent *events;
  FakeBlock *blocks;
  FakeFunction *functions; /* of all modules */
  FakeGraph *graphs;
  unsigned n_modules;
};

/* Begins a function of the driver: takes the lock, and returns the result that
 * it is to fail with. The latter is for those that work in a context. */
CUresult fake_begin (int function);
CUresult fake_begin_in_context (int function);
/* Returns the lock, and the result. */
CUresult fake_end (CUresult result);

/* Notes what no failure of a device excuses. */
void fake_misuse (const char *what);

FakeContext *fake_context_new (int device);
/* Returns the one context of the device that all who ask for it share. */
FakeContext *fake_context_primary (int device);
/* Returns the context in which this memory was allocated, or NULL. */
FakeContext *fake_owner (const void *data);
void fake_context_free (FakeContext *context);
/* Checks that all that was made in a context is destroyed before it, as long as
 * nothing has failed. */
void fake_check_empty (const FakeContext *context);
/* Returns the context that is current in this thread, or NULL. */
FakeContext *fake_current (void);
bool fake_push (FakeContext *context); /* false: too many, or none */
FakeContext *fake_pop (void);

/* Returns how many of a device's FAKE_DEVICE_MEMORY bytes are used. */
size_t fake_used (int device);

/* Makes memory. With portable, page-locked memory is that to all contexts. */
uint8_t *fake_new_block (
    FakeContext *context, size_t size, bool host, bool portable);
/* Notes memory of the caller as page-locked. */
void fake_register_block (
    FakeContext *context, void *data, size_t size, bool portable);
/* registered: only if the caller has registered it, and else only if not. */
CUresult fake_free_block (
    FakeContext *context, const void *data, bool registered);
/* Ends the program unless these bytes are memory of the device, or page-locked
 * memory of the host. */
void fake_check_memory (
    FakeContext *context, const void *data, size_t size, bool host);

void fake_remove_stream (FakeContext *context, FakeStream *stream);
void fake_remove_event (FakeContext *context, FakeEvent *event);
void fake_remove_graph (FakeContext *context, FakeGraph *graph);
/* Destroys a stream, for the functions of the driver that do so; function says
 * which. */
CUresult fake_destroy_stream (int function, CUstream stream);

/* Returns a stream of a context, whose own is NULL and CU_STREAM_LEGACY. */
FakeStream *fake_stream (CUstream stream);
FakeOperation *fake_enqueue (CUstream stream, int kind);
/* Enqueues a kernel, of which the driver copies the parameters. */
CUresult fake_enqueue_launch (
    CUstream stream, CUfunction function, const FakeLaunch *launch);
const char *fake_function_name (CUfunction function);
/* Does what is enqueued: up to a recording of an event if there is one, or all
 * of a context. */
void fake_run_until (
    FakeStream *stream, const FakeEvent *event, unsigned number);
void fake_run_all (FakeContext *context);

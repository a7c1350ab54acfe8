/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stands between the plugin and the CUDA driver, for station.c (watch.h). */
#include "tests/soak/watch.h"
#include "gpu/driver.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define MIB (1024.0 * 1024.0)

static GMutex lock;
static GHashTable *device_sizes, *host_sizes; /* by address */
static gsize device_bytes, host_bytes;
static unsigned n_contexts;
static gint broken; /* atomic: the next kernel is to be */

static const char trap[] = ".version 6.4\n"
                           ".target sm_75\n"
                           ".address_size 64\n"
                           ".visible .entry bad_trap () { trap; ret; }\n";

/* These are the driver's own functions. */
static struct
{
  CUresult (CUDAAPI *mem_alloc) (CUdeviceptr *, size_t);
  CUresult (CUDAAPI *mem_free) (CUdeviceptr);
  CUresult (CUDAAPI *mem_host_alloc) (void **, size_t, unsigned);
  CUresult (CUDAAPI *mem_host_register) (void *, size_t, unsigned);
  CUresult (CUDAAPI *mem_host_unregister) (void *);
  CUresult (CUDAAPI *mem_free_host) (void *);
  CUresult (CUDAAPI *ctx_create) (CUcontext *, unsigned, CUdevice);
  CUresult (CUDAAPI *ctx_destroy) (CUcontext);
  CUresult (CUDAAPI *module_load_data) (CUmodule *, const void *);
  CUresult (CUDAAPI *module_get_function) (
      CUfunction *, CUmodule, const char *);
  CUresult (CUDAAPI *launch_kernel) (CUfunction, unsigned, unsigned, unsigned,
      unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
  CUresult (CUDAAPI *launch_kernel_ex) (
      const CUlaunchConfig *, CUfunction, void **, void **);
  CUresult (CUDAAPI *graph_launch) (CUgraphExec, CUstream);
  void (*fake_fail) (const char *plan); /* NULL: this is NVIDIA's driver */
} real;

/* --- Memory --- */

static void
note (GHashTable **sizes, gsize *bytes, gpointer address, gsize size)
{
  g_mutex_lock (&lock);
  if (!*sizes)
    *sizes = g_hash_table_new (NULL, NULL);
  g_hash_table_insert (*sizes, address, GSIZE_TO_POINTER (size));
  *bytes += size;
  g_mutex_unlock (&lock);
}

static void
forget (GHashTable *sizes, gsize *bytes, gpointer address)
{
  g_mutex_lock (&lock);
  if (sizes) {
    *bytes -= GPOINTER_TO_SIZE (g_hash_table_lookup (sizes, address));
    g_hash_table_remove (sizes, address);
  }
  g_mutex_unlock (&lock);
}

static CUresult CUDAAPI
mem_alloc (CUdeviceptr *memory, size_t size)
{
  CUresult result = real.mem_alloc (memory, size);

  if (result == CUDA_SUCCESS)
    note (&device_sizes, &device_bytes, GSIZE_TO_POINTER (*memory), size);
  return result;
}

static CUresult CUDAAPI
mem_free (CUdeviceptr memory)
{
  forget (device_sizes, &device_bytes, GSIZE_TO_POINTER (memory));
  return real.mem_free (memory);
}

static CUresult CUDAAPI
mem_host_alloc (void **memory, size_t size, unsigned flags)
{
  CUresult result = real.mem_host_alloc (memory, size, flags);

  if (result == CUDA_SUCCESS)
    note (&host_sizes, &host_bytes, *memory, size);
  return result;
}

static CUresult CUDAAPI
mem_free_host (void *memory)
{
  forget (host_sizes, &host_bytes, memory);
  return real.mem_free_host (memory);
}

static CUresult CUDAAPI
mem_host_register (void *memory, size_t size, unsigned flags)
{
  CUresult result = real.mem_host_register (memory, size, flags);

  if (result == CUDA_SUCCESS)
    note (&host_sizes, &host_bytes, memory, size);
  return result;
}

static CUresult CUDAAPI
mem_host_unregister (void *memory)
{
  forget (host_sizes, &host_bytes, memory);
  return real.mem_host_unregister (memory);
}

static CUresult CUDAAPI
ctx_create (CUcontext *context, unsigned flags, CUdevice device)
{
  CUresult result = real.ctx_create (context, flags, device);

  g_mutex_lock (&lock);
  n_contexts += result == CUDA_SUCCESS;
  g_mutex_unlock (&lock);
  return result;
}

static CUresult CUDAAPI
ctx_destroy (CUcontext context)
{
  g_mutex_lock (&lock);
  if (--n_contexts == 0) {
    device_bytes = host_bytes = 0;
    if (device_sizes)
      g_hash_table_remove_all (device_sizes);
    if (host_sizes)
      g_hash_table_remove_all (host_sizes);
  }
  g_mutex_unlock (&lock);
  return real.ctx_destroy (context);
}

WatchMemory
watch_memory (void)
{
  WatchMemory memory;

  g_mutex_lock (&lock);
  memory = (WatchMemory){ .device = (double) device_bytes / MIB,
    .pinned = (double) host_bytes / MIB,
    .contexts = n_contexts };
  g_mutex_unlock (&lock);
  return memory;
}

/* --- A kernel that goes wrong --- */

void
watch_break_kernel (void)
{
  g_atomic_int_set (&broken, TRUE);
}

static void
break_if_asked (CUstream stream, const char *fake_plan)
{
  CUmodule module;
  CUfunction function;

  if (!g_atomic_int_compare_and_exchange (&broken, TRUE, FALSE))
    return;
  if (real.fake_fail)
    real.fake_fail (fake_plan);
  else if (real.module_load_data (&module, trap) != CUDA_SUCCESS
      || real.module_get_function (&function, module, "bad_trap")
          != CUDA_SUCCESS
      || real.launch_kernel (function, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL)
          != CUDA_SUCCESS)
    g_error ("a kernel that traps cannot be launched");
}

static CUresult CUDAAPI
launch_kernel (CUfunction function, unsigned grid_x, unsigned grid_y,
    unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
    unsigned shared_bytes, CUstream stream, void **parameters, void **extra)
{
  break_if_asked (stream, "cuLaunchKernel:1:719:lost");
  return real.launch_kernel (function, grid_x, grid_y, grid_z, block_x, block_y,
      block_z, shared_bytes, stream, parameters, extra);
}

static CUresult CUDAAPI
launch_kernel_ex (const CUlaunchConfig *launch, CUfunction function,
    void **parameters, void **extra)
{
  break_if_asked (launch->hStream, "cuLaunchKernelEx:1:719:lost");
  return real.launch_kernel_ex (launch, function, parameters, extra);
}

static CUresult CUDAAPI
graph_launch (CUgraphExec executable, CUstream stream)
{
  break_if_asked (stream, "cuGraphLaunch:1:719:lost");
  return real.graph_launch (executable, stream);
}

/* --- The look-up --- */

typedef void *(*LookUp) (void *library, const char *name);

static LookUp
real_dlsym (void)
{
  static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.17",
    "GLIBC_2.2.5" };
  static LookUp look_up;

  for (gsize i = 0; !look_up && i < G_N_ELEMENTS (versions); i++)
    *(void **) &look_up = dlvsym (RTLD_NEXT, "dlsym", versions[i]);
  if (!look_up)
    abort ();
  return look_up;
}

__attribute__ ((visibility ("default"))) void *
dlsym (void *library, const char *name)
{
  static const struct
  {
    const char *name;
    void **real, *own;
  } functions[] = {
    { "cuMemAlloc_v2", (void **) &real.mem_alloc, mem_alloc },
    { "cuMemFree_v2", (void **) &real.mem_free, mem_free },
    { "cuMemHostAlloc", (void **) &real.mem_host_alloc, mem_host_alloc },
    { "cuMemFreeHost", (void **) &real.mem_free_host, mem_free_host },
    { "cuMemHostRegister_v2", (void **) &real.mem_host_register,
        mem_host_register },
    { "cuMemHostUnregister", (void **) &real.mem_host_unregister,
        mem_host_unregister },
    { "cuCtxCreate_v2", (void **) &real.ctx_create, ctx_create },
    { "cuCtxDestroy_v2", (void **) &real.ctx_destroy, ctx_destroy },
    { "cuModuleLoadData", (void **) &real.module_load_data, NULL },
    { "cuModuleGetFunction", (void **) &real.module_get_function, NULL },
    { "cuLaunchKernel", (void **) &real.launch_kernel, launch_kernel },
    { "cuLaunchKernelEx", (void **) &real.launch_kernel_ex, launch_kernel_ex },
    { "cuGraphLaunch", (void **) &real.graph_launch, graph_launch },
  };
  void *found = real_dlsym () (library, name);

  if (!found || strncmp (name, "cu", 2) != 0)
    return found;
  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++) {
    if (strcmp (name, functions[i].name) != 0)
      continue;
    *functions[i].real = found;
    *(void **) &real.fake_fail = real_dlsym () (library, "fake_cuda_fail");
    return functions[i].own ? functions[i].own : found;
  }
  return found;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens libgstcuda-1.0, and says for which formats its version has memory;
 * gstpacocudalibrary.h says for whom. */
#include "gstpacocudalibrary.h"
#include <dlfcn.h>
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

#define LIBRARY "libgstcuda-1.0.so.0"

#ifdef HAVE_GSTCUDA
static gpointer
open_library (gpointer unused)
{
  g_autofree GstPacoCudaLibrary *library = g_new0 (GstPacoCudaLibrary, 1);
  const char *missing = NULL;

  /* The library registers types, so it must stay loaded. */
  library->library = dlopen (LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
  if (library->library == NULL) {
    GST_INFO ("no pictures in device memory: %s", dlerror ());
    return NULL;
  }
#define LOOK_UP(member, symbol, type, parameters)                              \
  *(void **) &library->member = dlsym (library->library, #symbol);
#define DEMAND(member, symbol, type, parameters)                               \
  LOOK_UP (member, symbol, type, parameters)                                   \
  if (library->member == NULL)                                                 \
    missing = #symbol;
  GST_PACO_CUDA_FUNCTIONS (DEMAND)
  GST_PACO_CUDA_STREAM_FUNCTIONS (LOOK_UP)
#undef DEMAND
#undef LOOK_UP
  if (missing == NULL)
    return g_steal_pointer (&library);
  GST_WARNING (
      "no pictures in device memory: " LIBRARY " has no function %s", missing);
  return NULL;
}
#endif

const GstPacoCudaLibrary *
gst_paco_cuda_library (void)
{
#ifdef HAVE_GSTCUDA
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, open_library, NULL);
#else
  return NULL;
#endif
}

const GstPacoCudaLibrary *
gst_paco_cuda_library_loaded (void)
{
  const GstPacoCudaLibrary *library = gst_paco_cuda_library ();

  if (library == NULL || !library->load_library ())
    return NULL;
  library->memory_init_once ();
  return library;
}

/* The library does not say which version it is. So each row names formats by
 * their names, because an earlier GStreamer does not know all of them, and a
 * function that has existed since the same version. NV21 is in no row: in all
 * versions, up to 1.26 at least, the memory of a picture of an odd height lacks a
 * line. */
static const struct
{
  const char *since;
  const char *formats;
} versions[] = {
  { "gst_cuda_buffer_pool_new",
      "I420 YV12 NV12 P010_10LE P016_LE I420_10LE Y42B I422_10LE I422_12LE "
      "Y444 "
      "Y444_16LE RGBP BGRP GBR GBRA RGBA BGRA RGBx BGRx ARGB ABGR RGB BGR "
      "RGB10A2_LE BGR10A2_LE YUY2 UYVY" },
  { "gst_cuda_memory_get_stream", /* 1.24 */
      "I420_12LE P012_LE Y444_10LE Y444_12LE GBR_10LE GBR_12LE GBR_16LE" },
  { "gst_buffer_pool_config_set_cuda_stream_ordered_alloc", "VUYA" }, /* 1.26 */
  { "gst_cuda_allocator_alloc_stream_ordered", "ARGB64" },            /* 1.28 */
};

static gboolean
is_listed (const char *names, const char *name)
{
  gsize length = strlen (name);

  for (const char *at = names; (at = strstr (at, name)) != NULL; at += length)
    if ((at == names || at[-1] == ' ')
        && (at[length] == ' ' || at[length] == '\0'))
      return TRUE;
  return FALSE;
}

gboolean
gst_paco_cuda_library_has_format (
    const GstPacoCudaLibrary *library, GstVideoFormat format)
{
  const char *name = gst_video_format_to_string (format);

  for (guint i = 0; name != NULL && i < G_N_ELEMENTS (versions); i++)
    if (is_listed (versions[i].formats, name))
      return dlsym (library->library, versions[i].since) != NULL;
  return FALSE;
}

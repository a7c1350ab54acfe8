/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Helps the tests of pictures in device memory, cudamemory.c and cudacontexts.c:
 * libgstcuda itself, the driver that it has found, and pictures in contexts. */
#pragma once
#include "pacotest.h"
#include "plugin/cuda/gstpacocudalibrary.h"
#include "tests/gpu/driver/fake-driver.h"
#include <dlfcn.h>

#define ENCODE "pacoenc backend=cuda rate-control=lossless"
#define DECODE "pacodec backend=cuda"

GST_DEBUG_CATEGORY (gst_paco_debug);

static const GstPacoCudaLibrary *library;

/* These are functions of the driver, which are NULL on a GPU. */
static struct
{
  __typeof__ (fake_cuda_calls) *calls;
  __typeof__ (fake_cuda_fail) *plan;
  __typeof__ (fake_cuda_left) *left;
  __typeof__ (fake_cuda_clear) *clear;
} fake;

/* Says whether there are libgstcuda, a driver and a device. It asks the driver
 * for nothing, because the tests run in processes that are forked from this
 * one. */
static inline gboolean
open_library (void)
{
  void *driver;

  GST_DEBUG_CATEGORY_INIT (gst_paco_debug, "paco", 0, "PaCo");
  library = gst_paco_cuda_library_loaded ();
  if (library == NULL)
    return FALSE;
  driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  *(void **) &fake.calls = dlsym (driver, "fake_cuda_calls");
  *(void **) &fake.plan = dlsym (driver, "fake_cuda_fail");
  *(void **) &fake.left = dlsym (driver, "fake_cuda_left");
  *(void **) &fake.clear = dlsym (driver, "fake_cuda_clear");
  return fake.calls != NULL
      || g_file_test ("/dev/nvidiactl", G_FILE_TEST_EXISTS);
}

static inline gboolean
has_fake_driver (void)
{
  return fake.calls != NULL;
}

/* Says whether the kernels code anything but stamps. */
static inline gboolean
has_real_kernels (void)
{
  return !has_fake_driver () || g_getenv ("PACO_EMULATED") != NULL;
}

static inline guint
calls_of (const char *function)
{
  return fake_cuda_calls_of (fake.calls, function);
}

static inline guint
contexts_left (void)
{
  FakeCudaLeft left;

  fake.left (&left);
  return left.contexts;
}

/* Checks, after each test, that nothing is left in the driver. */
static inline void
check_driver (void)
{
  FakeCudaLeft left;

  if (!has_fake_driver ())
    return;
  fake.left (&left);
  fail_unless_equals_int (left.misuses, 0);
  fail_unless_equals_int (left.contexts, 0);
  fail_unless_equals_int (left.pushed, 0);
}

/* Leaves one test, or none, of a program if there is no device. */
static inline void
prepare (Test *without_device)
{
  if (open_library ()) {
    after_each_test = check_driver;
    for (Test **at = &first_test; *at; at = &(*at)->next)
      if (*at == without_device) {
        *at = without_device->next;
        break;
      }
  } else {
    first_test = without_device;
  }
}

static inline void
forgive_misuses (void)
{
  fake.clear ();
}

/* --- Contexts --- */

static inline GstPacoCudaContext *
context_new (guint device)
{
  GstPacoCudaContext *context = library->context_new (device);

  fail_unless (context != NULL);
  return context;
}

/* Returns a context that the library does not own. */
static inline GstPacoCudaContext *
lent_context (gpointer *handle)
{
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  int (*create) (gpointer *, unsigned, int), (*pop) (gpointer *);
  GstPacoCudaContext *(*wrap) (gpointer, int);
  gpointer popped;

  *(void **) &create = dlsym (driver, "cuCtxCreate_v2");
  *(void **) &pop = dlsym (driver, "cuCtxPopCurrent_v2");
  *(void **) &wrap = dlsym (library->library, "gst_cuda_context_new_wrapped");
  fail_unless_equals_int (create (handle, 0, 0), 0);
  fail_unless_equals_int (pop (&popped), 0);
  return wrap (*handle, 0);
}

static inline void
destroy_context (gpointer handle)
{
  void *driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  int (*destroy) (gpointer);

  *(void **) &destroy = dlsym (driver, "cuCtxDestroy_v2");
  fail_unless_equals_int (destroy (handle), 0);
}

static inline GstContext *
new_context (GstPacoCudaContext *shared)
{
  GstContext *context = gst_context_new (GST_PACO_CUDA_CONTEXT_TYPE, TRUE);
  guint device;

  g_object_get (shared, "cuda-device-id", &device, NULL);
  gst_structure_set (gst_context_writable_structure (context),
      GST_PACO_CUDA_CONTEXT_TYPE, G_OBJECT_TYPE (shared), shared,
      "cuda-device-id", G_TYPE_INT, (gint) device, NULL);
  return context;
}

/* Returns what a GstContext tells of, which the caller unrefs. */
static inline GstPacoCudaContext *
context_of (GstContext *context)
{
  return g_value_dup_object (gst_structure_get_value (
      gst_context_get_structure (context), GST_PACO_CUDA_CONTEXT_TYPE));
}

static inline void
give_context (GstElement *element, GstPacoCudaContext *shared)
{
  GstContext *context = new_context (shared);

  gst_element_set_context (element, context);
  gst_context_unref (context);
}

/* --- Pictures --- */

static inline GstCaps *
device_caps (const GstVideoInfo *info)
{
  GstCaps *caps = gst_video_info_to_caps (info);

  gst_caps_set_features_simple (
      caps, gst_caps_features_new (GST_PACO_CUDA_FEATURE, NULL));
  return caps;
}

static inline gboolean
is_device_caps (GstCaps *caps, guint i)
{
  GstCapsFeatures *features = gst_caps_get_features (caps, i);

  return !gst_caps_features_is_any (features)
      && gst_caps_features_contains (features, GST_PACO_CUDA_FEATURE);
}

/* Returns which formats of device memory the pads' templates have, and how
 * many. */
static inline guint
device_formats (GstVideoFormat *formats)
{
  GstVideoFormat all[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (all, PACO_MAX_RAW_FORMATS), found = 0;

  for (guint i = 0; i < n; i++)
    if (gst_paco_cuda_library_has_format (library, all[i]))
      formats[found++] = all[i];
  return found;
}

/* Makes a picture of random bytes, or, for kernels that pass on stamps, of one
 * byte. */
static inline GstBuffer *
test_picture (const GstVideoInfo *info, guint32 seed)
{
  GstBuffer *buffer = paco_test_random_buffer (info, seed);

  if (!has_real_kernels ())
    gst_buffer_memset (buffer, 0, seed % 29 * 3, -1);
  return buffer;
}

static inline gboolean
is_on_device (GstBuffer *buffer)
{
  return gst_buffer_n_memory (buffer) == 1
      && library->is_memory (gst_buffer_peek_memory (buffer, 0));
}

static inline GstPacoCudaContext *
buffer_context (GstBuffer *buffer)
{
  return ((GstPacoCudaMemory *) gst_buffer_peek_memory (buffer, 0))->context;
}

/* Copies lines as they are. gst_video_frame_copy() leaves out samples behind
 * the last column. */
static inline void
copy_lines (
    GstVideoFrame *to, const GstVideoFrame *from, const GstVideoInfo *info)
{
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    gint components[GST_VIDEO_MAX_COMPONENTS];
    guint lines;

    gst_video_format_info_component (info->finfo, p, components);
    lines = GST_VIDEO_INFO_COMP_HEIGHT (info, components[0]);
    for (guint y = 0; y < lines; y++)
      memcpy ((guint8 *) to->data[p]
              + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (to, p),
          (guint8 *) from->data[p]
              + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (from, p),
          GST_VIDEO_INFO_PLANE_STRIDE (info, p));
  }
}

/* Makes a new buffer in a context, which says how a picture lies in it if
 * has_meta. stream is that of its memory, from 1.24 on, or NULL. */
static inline GstBuffer *
empty_device_buffer (GstPacoCudaContext *context, const GstVideoInfo *info,
    gboolean has_meta, GstPacoCudaStream *stream)
{
  void (*set_stream) (GstStructure *, GstPacoCudaStream *);
  g_autoptr (GstBufferPool) pool = library->pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = device_caps (info);
  GstBuffer *buffer = NULL;

  gst_buffer_pool_config_set_params (
      config, caps, GST_VIDEO_INFO_SIZE (info), 0, 0);
  if (has_meta)
    gst_buffer_pool_config_add_option (
        config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (stream != NULL) {
    *(void **) &set_stream = dlsym (
        library->library, "gst_buffer_pool_config_set_cuda_stream");
    set_stream (config, stream);
  }
  fail_unless (gst_buffer_pool_set_config (pool, config));
  gst_caps_unref (caps);
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless_equals_int (
      gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
  gst_buffer_pool_set_active (pool, FALSE);
  return buffer;
}

/* Returns a buffer in device memory with this picture. */
static inline GstBuffer *
device_buffer (
    GstPacoCudaContext *context, const GstVideoInfo *info, GstBuffer *picture)
{
  GstBuffer *buffer = empty_device_buffer (context, info, TRUE, NULL);
  GstVideoFrame from, to;

  fail_unless (gst_video_frame_map (&to, info, buffer, GST_MAP_WRITE));
  fail_unless (gst_video_frame_map (&from, info, picture, GST_MAP_READ));
  copy_lines (&to, &from, info);
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  GST_BUFFER_PTS (buffer) = GST_BUFFER_PTS (picture);
  GST_BUFFER_DURATION (buffer) = GST_BUFFER_DURATION (picture);
  return buffer;
}

/* Returns a copy in the host's memory of a buffer in device memory. */
static inline GstBuffer *
host_copy (const GstVideoInfo *info, GstBuffer *buffer)
{
  GstBuffer *copy = gst_buffer_new_allocate (
      NULL, GST_VIDEO_INFO_SIZE (info), NULL);
  GstVideoFrame from, to;

  fail_unless (gst_video_frame_map (&to, info, copy, GST_MAP_WRITE));
  fail_unless (gst_video_frame_map (&from, info, buffer, GST_MAP_READ));
  copy_lines (&to, &from, info);
  gst_video_frame_unmap (&from);
  gst_video_frame_unmap (&to);
  GST_BUFFER_PTS (copy) = 0;
  GST_BUFFER_DURATION (copy) = 40 * GST_MSECOND;
  return copy;
}

/* --- Elements --- */

/* Gives back the caps of a query, which has a reference of its own. */
static inline void
unref_caps_of (GstQuery *query)
{
  g_autoptr (GstCaps) caps = NULL;

  gst_query_parse_allocation (query, &caps, NULL);
  gst_query_unref (query);
}

/* --- Encoding and decoding --- */

static inline GstBuffer *
encode_on_host (const GstVideoInfo *info, GstBuffer *picture)
{
  return paco_test_code (ENCODE, info, gst_buffer_ref (picture));
}

/* Codes a picture for decoders on the CPU, because stamps are not coded well
 * enough for them. */
static inline GstBuffer *
encode_on_cpu (const GstVideoInfo *info, GstBuffer *picture)
{
  return paco_test_code ("pacoenc backend=cpu rate-control=lossless", info,
      gst_buffer_ref (picture));
}

/* Checks that two frames are the same but for where they stand in their
 * streams. */
static inline void
assert_same_bytes (GstBuffer *a, GstBuffer *b, const char *what)
{
  GstBuffer *frames[] = { a, b };
  const PacoPlace place = { 0 };
  gpointer bytes[2];
  gsize sizes[2];

  for (guint i = 0; i < 2; i++) {
    gst_buffer_extract_dup (frames[i], 0, -1, &bytes[i], &sizes[i]);
    paco_header_set_place (bytes[i], sizes[i], &place);
  }
  fail_unless (
      sizes[0] == sizes[1] && memcmp (bytes[0], bytes[1], sizes[0]) == 0,
      "%s: other bytes", what);
  g_free (bytes[0]);
  g_free (bytes[1]);
}

/* Makes a harness whose element shares this context, which may be NULL, before
 * it has caps. */
static inline GstHarness *
encoder_harness (
    const char *launch, const GstVideoInfo *info, GstPacoCudaContext *context)
{
  GstHarness *harness = paco_test_harness (launch);

  if (context != NULL)
    give_context (harness->element, context);
  gst_harness_set_src_caps (harness, device_caps (info));
  return harness;
}

/* Pushes a picture that lies in a context, and returns the frame. */
static inline GstBuffer *
encode_in (GstHarness *harness, GstPacoCudaContext *context,
    const GstVideoInfo *info, GstBuffer *picture)
{
  GstBuffer *out;

  push (harness, device_buffer (context, info, picture));
  out = gst_harness_pull (harness);
  fail_unless (out != NULL);
  return out;
}

/* Encodes a picture likewise, and checks that it comes to the bytes of one in
 * system memory. */
static inline void
check_encode (GstHarness *harness, GstPacoCudaContext *context,
    const GstVideoInfo *info, guint32 seed, const char *what)
{
  g_autoptr (GstBuffer) picture = test_picture (info, seed);
  g_autoptr (GstBuffer) expected = encode_on_host (info, picture);
  g_autoptr (GstBuffer) found = encode_in (harness, context, info, picture);

  assert_same_bytes (found, expected, what);
}

static inline GstHarness *
decoder_harness (const char *launch, const GstVideoInfo *info)
{
  GstHarness *harness = paco_test_decoder_harness (launch);

  if (info != NULL)
    gst_harness_set_sink_caps (harness, device_caps (info));
  return harness;
}

/* Decodes what a picture is coded to, and compares. */
static inline void
check_decode (GstHarness *harness, const GstVideoInfo *info, guint32 seed,
    gboolean on_device)
{
  const char *name = GST_VIDEO_INFO_NAME (info);
  g_autoptr (GstBuffer) picture = test_picture (info, seed), out = NULL;

  push (harness, encode_on_cpu (info, picture));
  out = gst_harness_pull (harness);
  fail_unless (out != NULL);
  fail_unless_equals_int (is_on_device (out), on_device);
  if (has_real_kernels ())
    paco_test_same_samples (info, picture, info, out, name);
}

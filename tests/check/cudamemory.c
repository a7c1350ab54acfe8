/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests pictures in device memory, video/x-raw(memory:CUDAMemory), in and out of the
 * elements, with GStreamer's own libgstcuda: over a driver of ours, whose kernels
 * may be the real ones (PACO_EMULATED), or on a GPU. Without libgstcuda there is
 * nothing to test; without a driver, it tests that there are no such pictures. */
#include "cudamemory.h"

/* --- Formats --- */

static void
check_template (const char *element, const char *pad)
{
  GstElementFactory *factory = gst_element_factory_find (element);
  g_autoptr (GstElement) made = gst_element_factory_create (factory, NULL);
  g_autoptr (GstPad) of_pad = gst_element_get_static_pad (made, pad);
  g_autoptr (GstCaps) caps = gst_pad_get_pad_template_caps (of_pad);
  gboolean host_seen = FALSE;

  fail_unless (is_device_caps (caps, 0), "%s: device memory is first", element);
  for (guint i = 0; i < gst_caps_get_size (caps); i++) {
    fail_if (host_seen && is_device_caps (caps, i));
    host_seen |= !is_device_caps (caps, i);
  }
  fail_unless (host_seen);
  gst_object_unref (factory);
}

/* Tests that neither registering the elements nor making them calls the
 * driver. */
TEST (test_registering)
{
  static const char *const names[] = { "pacoenc", "pacodec", "pacoparse" };
  const char *function;
  unsigned n;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstElement) element = gst_element_factory_make (names[i], NULL);

    fail_unless (element != NULL);
  }
  for (unsigned i = 0;
       has_fake_driver () && (n = fake.calls (i, &function), function != NULL);
       i++)
    fail_unless (n == 0, "%s", function);
}

/* Tests formats. libgstcuda ends the program that asks for memory of a format
 * that it does not know. */
TEST (test_formats)
{
  static const char *const never[] = { "GRAY8", "v210", "NV16", "NV21",
    "A444_10LE" };
  static const char *const always[] = { "I422_10LE", "NV12", "P010_10LE", "GBR",
    "Y444_16LE" };
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = device_formats (formats);

  check_template ("pacoenc", "sink");
  check_template ("pacodec", "src");
  fail_unless (n >= 25);
  for (guint i = 0; i < n; i++) {
    GstVideoInfo info;
    g_autoptr (GstBuffer) picture = NULL, buffer = NULL;

    paco_test_info (&info, formats[i], 36, 18);
    picture = test_picture (&info, i);
    buffer = device_buffer (context, &info, picture);
    fail_unless (is_on_device (buffer));
  }
  for (guint i = 0; i < G_N_ELEMENTS (never); i++)
    fail_if (gst_paco_cuda_library_has_format (
        library, gst_video_format_from_string (never[i])));
  for (guint i = 0; i < G_N_ELEMENTS (always); i++)
    fail_unless (gst_paco_cuda_library_has_format (
        library, gst_video_format_from_string (always[i])));
}

/* Says whether heights may be odd. Planes of half the height are not where 1.22
 * looks for them when it copies a picture of an odd height to the host. */
static gboolean
may_be_odd (const GstVideoInfo *info)
{
  return library->memory_stream != NULL || GST_VIDEO_INFO_N_PLANES (info) < 3
      || GST_VIDEO_FORMAT_INFO_H_SUB (info->finfo, 1) == 0;
}

static void
random_size (GstVideoInfo *info, GstVideoFormat format)
{
  guint width = 2 * g_random_int_range (8, 40);
  guint height = 2 * g_random_int_range (8, 30);

  if (paco_raw_format_holds (format, width + 1))
    width += g_random_int_range (0, 2);
  paco_test_info (info, format, width, height);
  if (may_be_odd (info))
    paco_test_info (info, format, width, height + g_random_int_range (0, 2));
}

/* Tests that every format, of odd sizes too, gives the same bytes as from system
 * memory. */
TEST (test_encode_formats)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = device_formats (formats);

  for (guint i = 0; i < n; i++) {
    GstVideoInfo info;
    g_autoptr (PacoHarness) harness = NULL;

    random_size (&info, formats[i]);
    harness = encoder_harness (ENCODE, &info, context);
    for (guint k = 0; k < 3; k++)
      check_encode (harness, context, &info, g_random_int (),
          gst_video_format_to_string (formats[i]));
  }
}

TEST (test_decode_formats)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = device_formats (formats);

  for (guint i = 0; i < n; i++) {
    GstVideoInfo info;
    g_autoptr (PacoHarness) harness = NULL;

    random_size (&info, formats[i]);
    harness = decoder_harness (DECODE, &info);
    give_context (harness->element, context);
    for (guint k = 0; k < 3; k++)
      check_decode (harness, &info, g_random_int (), TRUE);
  }
}

/* Tests interlaced pictures, whose fields lie between each other. */
TEST (test_fields)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstHarness *harness;
  GstVideoInfo info;

  gst_video_info_set_interlaced_format (&info, GST_VIDEO_FORMAT_I422_10LE,
      GST_VIDEO_INTERLACE_MODE_INTERLEAVED, 50, 38);
  info.fps_n = 25;
  harness = encoder_harness (ENCODE, &info, context);
  check_encode (harness, context, &info, 5, "fields");
  paco_test_teardown (harness);
  harness = decoder_harness (DECODE, &info);
  give_context (harness->element, context);
  check_decode (harness, &info, 6, TRUE);
  paco_test_teardown (harness);
}

/* Tests that pictures stay on the device: nothing but codestreams crosses the
 * bus. */
TEST (test_in_place)
{
  GstPacoCudaContext *context = context_new (0);
  GstBuffer *pictures[2], *coded[2];
  GstVideoInfo info;
  GstHarness *harness;
  guint up, down;

  if (!has_fake_driver ()) {
    gst_object_unref (context);
    return;
  }
  paco_test_info (&info, GST_VIDEO_FORMAT_GBR, 64, 64);
  for (guint i = 0; i < 2; i++) {
    pictures[i] = test_picture (&info, i);
    coded[i] = encode_on_cpu (&info, pictures[i]);
  }
  harness = encoder_harness (ENCODE " pipeline-depth=1", &info, context);
  gst_buffer_unref (encode_in (harness, context, &info, pictures[0]));
  up = calls_of ("cuMemcpyHtoDAsync_v2");
  gst_buffer_unref (encode_in (harness, context, &info, pictures[1]));
  fail_unless_equals_int (calls_of ("cuMemcpyHtoDAsync_v2"), up);
  paco_test_teardown (harness);

  /* A decoder uploads payload and index. */
  harness = decoder_harness (DECODE, &info);
  give_context (harness->element, context);
  gst_harness_push (harness, coded[0]);
  pull_and_drop (harness);
  up = calls_of ("cuMemcpyHtoDAsync_v2");
  down = calls_of ("cuMemcpyDtoHAsync_v2") + calls_of ("cuMemcpy2DAsync_v2");
  gst_harness_push (harness, coded[1]);
  pull_and_drop (harness);
  fail_unless_equals_int (calls_of ("cuMemcpyHtoDAsync_v2"), up + 2);
  fail_unless_equals_int (
      calls_of ("cuMemcpyDtoHAsync_v2") + calls_of ("cuMemcpy2DAsync_v2"),
      down);
  paco_test_teardown (harness);
  for (guint i = 0; i < 2; i++)
    gst_buffer_unref (pictures[i]);
  gst_object_unref (context);
}

/* Tests memory of 1.24 and later, which has a stream in which a producer may
 * have enqueued what nobody has waited for: nothing but that stream says when
 * the picture is there. */
TEST (test_memory_stream)
{
  GstPacoCudaContext *context = context_new (0);
  gpointer driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  GstPacoCudaStream *(*stream_new) (GstPacoCudaContext *);
  gboolean (*enter) (GstPacoCudaContext *), (*leave) (gpointer *);
  int (*fill) (gpointer, guchar, gsize, gpointer);
  GstVideoInfo info;
  g_autoptr (PacoHarness) harness = NULL;

  *(void **) &stream_new = dlsym (library->library, "gst_cuda_stream_new");
  *(void **) &enter = dlsym (library->library, "gst_cuda_context_push");
  *(void **) &leave = dlsym (library->library, "gst_cuda_context_pop");
  *(void **) &fill = dlsym (driver, "cuMemsetD8Async");
  if (library->memory_stream == NULL) {
    gst_object_unref (context);
    return;
  }
  paco_test_info (&info, GST_VIDEO_FORMAT_Y444, 64, 64);
  harness = encoder_harness (ENCODE, &info, context);
  for (guint i = 0; i < 4; i++) {
    GstPacoCudaStream *stream = stream_new (context);
    GstBuffer *picture = test_picture (&info, i), *expected, *found;
    GstBuffer *buffer = empty_device_buffer (context, &info, TRUE, stream);
    guchar value = 1 + g_random_int_range (0, 28) * 3;
    GstMapInfo map;

    gst_buffer_memset (picture, 0, value, -1);
    expected = encode_on_host (&info, picture);
    fail_unless (
        gst_buffer_map (buffer, &map, GST_MAP_WRITE | GST_PACO_MAP_CUDA));
    fail_unless (enter (context));
    fail_unless_equals_int (
        fill (map.data, value, map.size, library->stream_handle (stream)), 0);
    fail_unless (leave (NULL));
    gst_buffer_unmap (buffer, &map);
    GST_BUFFER_PTS (buffer) = GST_BUFFER_PTS (picture);
    GST_BUFFER_DURATION (buffer) = GST_BUFFER_DURATION (picture);
    push (harness, buffer);
    found = gst_harness_pull (harness);
    assert_same_bytes (found, expected, "a picture that is being made");
    gst_buffer_unref (found);
    gst_buffer_unref (expected);
    gst_buffer_unref (picture);
    gst_mini_object_unref (GST_MINI_OBJECT_CAST (stream));
  }
  gst_object_unref (context);
}

/* Fills device memory, and frees it, so that the next memory is not clear. */
static void
leave_bytes (GstPacoCudaContext *context, const GstVideoInfo *info)
{
  GstBuffer *left[8];

  for (guint i = 0; i < G_N_ELEMENTS (left); i++) {
    GstMapInfo map;

    left[i] = empty_device_buffer (context, info, TRUE, NULL);
    fail_unless (gst_buffer_map (left[i], &map, GST_MAP_WRITE));
    memset (map.data, 0xaa, map.size);
    gst_buffer_unmap (left[i], &map);
    fail_unless (
        gst_buffer_map (left[i], &map, GST_MAP_READ | GST_PACO_MAP_CUDA));
    gst_buffer_unmap (left[i], &map);
  }
  for (guint i = 0; i < G_N_ELEMENTS (left); i++)
    gst_buffer_unref (left[i]);
}

/* Tests that bytes after the last sample of a line are 0, whatever the memory was used
 * for before. */
TEST (test_padding)
{
  static const guint widths[] = { 50, 82, 50 };
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstVideoInfo info;
  g_autoptr (PacoHarness) harness = decoder_harness (DECODE, NULL);

  gst_harness_set_sink_caps_str (harness, "video/x-raw(memory:CUDAMemory)");
  give_context (harness->element, context);
  for (guint i = 0; i < 4 * G_N_ELEMENTS (widths); i++) {
    g_autoptr (GstBuffer) picture = NULL, out = NULL;
    GstVideoFrame frame;

    paco_test_info (&info, GST_VIDEO_FORMAT_I422_10LE, widths[i / 4], 38);
    if (i % 4 == 0)
      leave_bytes (context, &info);
    picture = test_picture (&info, i);
    out = gst_harness_push_and_pull (harness, encode_on_cpu (&info, picture));
    fail_unless (is_on_device (out));
    fail_unless (gst_video_frame_map (&frame, &info, out, GST_MAP_READ));
    for (guint p = 1; p < 3; p++)
      for (guint y = 0; y < 38; y++) {
        const guint8 *line = (guint8 *) frame.data[p]
            + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, p);

        for (guint x = widths[i / 4]; x < GST_ROUND_UP_4 (widths[i / 4]); x++)
          fail_unless (line[x] == 0, "picture %u, plane %u, line %u: byte %u",
              i, p, y, x);
      }
    gst_video_frame_unmap (&frame);
  }
}

/* --- Memory that is not as it should be --- */

static void
check_refused (const GstVideoInfo *info, GstBuffer *buffer)
{
  g_autoptr (PacoHarness) harness = encoder_harness (ENCODE, info, NULL);
  GError *error;

  gst_harness_push (harness, buffer);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  error = paco_test_pop_error (harness);
  g_assert_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ);
  fail_unless (strstr (error->message, "GPU") != NULL, "%s", error->message);
  g_error_free (error);
  ignore_errors (harness);
}

/* Tests a pool that is set up for smaller pictures than the caps say. */
TEST (test_small_pool)
{
  static const GstVideoFormat formats[] = { GST_VIDEO_FORMAT_I420,
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_GBR, GST_VIDEO_FORMAT_RGBA,
    GST_VIDEO_FORMAT_I422_10LE };
  g_autoptr (GstPacoCudaContext) context = context_new (0);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    GstVideoInfo small, large;

    paco_test_info (&small, formats[i], 64, 40);
    paco_test_info (&large, formats[i], 64, 90);
    check_refused (&large, empty_device_buffer (context, &small, TRUE, NULL));
    check_refused (&large, empty_device_buffer (context, &small, FALSE, NULL));
  }
}

/* Tests that a buffer says how its picture lies in the memory: here it is every
 * other line of a taller picture, or a part of one. */
TEST (test_foreign_strides)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstVideoInfo whole, half;
  g_autoptr (GstBuffer) picture = NULL, sparse = NULL, expected = NULL,
                        found = NULL;
  GstVideoMeta *meta;
  g_autoptr (PacoHarness) harness = NULL;

  paco_test_info (&whole, GST_VIDEO_FORMAT_Y444, 80, 60);
  paco_test_info (&half, GST_VIDEO_FORMAT_Y444, 64, 30);
  picture = test_picture (&whole, 1);
  sparse = device_buffer (context, &whole, picture);
  meta = gst_buffer_get_video_meta (sparse);
  meta->width = 64;
  meta->height = 30;
  for (guint p = 0; p < 3; p++) {
    meta->offset[p] += 16;
    meta->stride[p] *= 2;
  }

  harness = encoder_harness (ENCODE, &half, NULL);
  found = gst_harness_push_and_pull (harness, gst_buffer_ref (sparse));
  expected = paco_test_code (ENCODE, &half, host_copy (&half, sparse));
  assert_same_bytes (found, expected, "every other line");
}

/* Tests caps that speak of device memory, and buffers that are not in it. */
TEST (test_host_buffers)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  g_autoptr (GstBuffer) picture = NULL, expected = NULL;
  GstBuffer *found;
  g_autoptr (PacoHarness) harness = NULL;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 64, 48);
  picture = test_picture (&info, 1);
  expected = encode_on_host (&info, picture);
  harness = encoder_harness (ENCODE, &info, context);
  found = gst_harness_push_and_pull (harness, gst_buffer_ref (picture));
  assert_same_bytes (found, expected, "in the host's memory");
  gst_buffer_unref (found);
  check_encode (harness, context, &info, 2, "in device memory");
}

/* Tests a copy within the device, which nobody has waited for. */
TEST (test_copied)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  g_autoptr (GstBuffer) picture = NULL, buffer = NULL, found = NULL,
                        expected = NULL;
  g_autoptr (PacoHarness) harness = NULL;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_Y444, 64, 48);
  harness = encoder_harness (ENCODE, &info, context);
  check_encode (harness, context, &info, 4, "before");
  picture = test_picture (&info, 5);
  expected = encode_on_host (&info, picture);
  buffer = device_buffer (context, &info, picture);
  found = gst_harness_push_and_pull (harness, gst_buffer_copy_deep (buffer));
  assert_same_bytes (found, expected, "a copy");
}

/* --- Changes in a stream --- */

TEST (test_encoder_changes)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  g_autoptr (PacoHarness) harness = NULL;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_I422_10LE, 64, 48);
  harness = paco_test_harness (ENCODE);
  for (guint i = 0; i < 6; i++) {
    g_autoptr (GstBuffer) picture = test_picture (&info, i);
    g_autoptr (GstBuffer) expected = encode_on_host (&info, picture),
                          found = NULL;

    if (i % 2 == 0) {
      gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
      found = gst_harness_push_and_pull (harness, gst_buffer_ref (picture));
    } else {
      gst_harness_set_src_caps (harness, device_caps (&info));
      found = encode_in (harness, context, &info, picture);
    }
    assert_same_bytes (found, expected, "after a change");
  }
  fail_unless_equals_int (stat_of (harness, "pacoenc", "frames"), 6);
}

TEST (test_decoder_changes)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  g_autoptr (PacoHarness) harness = NULL;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_I422_10LE, 64, 48);
  harness = decoder_harness (DECODE, NULL);
  give_context (harness->element, context);
  for (guint i = 0; i < 6; i++) {
    gst_harness_set_sink_caps (harness,
        i % 2 == 0 ? gst_video_info_to_caps (&info) : device_caps (&info));
    gst_harness_push_upstream_event (harness, gst_event_new_reconfigure ());
    check_decode (harness, &info, i, i % 2 == 1);
  }
  fail_unless_equals_int (stat_of (harness, "pacodec", "frames"), 6);
}

/* Tests that whoever takes any memory gets the system's, and whoever names both
 * gets device memory, in a format that it takes. */
TEST (test_decoder_choice)
{
  static const struct
  {
    const char *caps;
    gboolean on_device;
  } cases[] = {
    { "ANY", FALSE },
    { "video/x-raw(ANY)", FALSE },
    { "video/x-raw; video/x-raw(memory:CUDAMemory)", TRUE },
    { "video/x-raw(memory:CUDAMemory); video/x-raw", TRUE },
    { "video/x-raw(memory:CUDAMemory),format=NV12; video/x-raw", TRUE },
    { "video/x-raw(memory:CUDAMemory),format=Y444; video/x-raw", FALSE },
    { "video/x-raw(memory:CUDAMemory),width=5; video/x-raw", FALSE },
  };
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 64, 48);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstBuffer) picture = test_picture (&info, i), out = NULL;
    g_autoptr (PacoHarness) harness = decoder_harness (DECODE, NULL);

    give_context (harness->element, context);
    gst_harness_set_sink_caps_str (harness, cases[i].caps);
    out = gst_harness_push_and_pull (harness, encode_on_cpu (&info, picture));
    fail_unless_equals_int (is_on_device (out), cases[i].on_device);
  }
}

/* --- States and pipelines --- */

TEST (test_states)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstVideoInfo info;
  g_autoptr (PacoHarness) harness = NULL;

  paco_test_info (&info, GST_VIDEO_FORMAT_GBR, 48, 48);
  harness = encoder_harness (ENCODE, &info, context);
  for (guint i = 0; i < 3; i++) {
    check_encode (harness, context, &info, i, "again");
    gst_element_set_state (harness->element, GST_STATE_NULL);
    gst_element_set_state (harness->element, GST_STATE_PLAYING);
    gst_harness_set_src_caps (harness, device_caps (&info));
  }
}

/* Tests the CPU backend, which has no part in device memory and does not ask
 * for it: what comes in it all the same is copied. */
TEST (test_cpu)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstBuffer *picture, *expected, *found;
  GstHarness *harness;
  GstVideoInfo info;
  GstCaps *caps;

  if (!has_real_kernels ())
    return;
  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 64, 48);
  picture = test_picture (&info, 1);
  expected = encode_on_host (&info, picture);
  harness = paco_test_harness ("pacoenc backend=cpu rate-control=lossless");
  caps = gst_pad_peer_query_caps (harness->srcpad, NULL);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    fail_if (is_device_caps (caps, i));
  gst_caps_unref (caps);
  gst_harness_set_src_caps (harness, device_caps (&info));
  found = encode_in (harness, context, &info, picture);
  assert_same_bytes (found, expected, "on the CPU");
  gst_buffer_unref (found);
  paco_test_teardown (harness);

  harness = paco_test_decoder_harness ("pacodec backend=cpu");
  gst_harness_set_sink_caps_str (
      harness, "video/x-raw(memory:CUDAMemory); video/x-raw");
  check_decode (harness, &info, 1, FALSE);
  paco_test_teardown (harness);
  gst_buffer_unref (expected);
  gst_buffer_unref (picture);
}

/* Tests that buffers of the pool that the encoder proposes lie where it
 * works. */
TEST (test_proposed_pool)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstBufferPool *pool = NULL;
  GstBuffer *buffer = NULL;
  g_autoptr (PacoHarness) harness = NULL;
  GstVideoInfo info;
  GstQuery *query;
  guint size, min, max;

  paco_test_info (&info, GST_VIDEO_FORMAT_I422_10LE, 70, 50);
  harness = encoder_harness (ENCODE " pipeline-depth=3", &info, context);
  check_encode (harness, context, &info, 1, "before");
  query = gst_query_new_allocation (device_caps (&info), TRUE);
  fail_unless (gst_pad_peer_query (harness->srcpad, query));
  fail_unless (
      gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  fail_unless (gst_query_get_n_allocation_pools (query) == 1);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  fail_unless (min >= 4);
  fail_unless (max == 0);
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless_equals_int (
      gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
  fail_unless (buffer_context (buffer) == context);
  fail_unless (gst_buffer_get_size (buffer) == size);
  gst_buffer_unref (buffer);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  unref_caps_of (query);
}

/* Tests that coders in a row share one context, and nothing is left of it. */
TEST (test_row)
{
  GstPacoCudaContext *context = context_new (0);
  GstVideoInfo info;
  GstHarness *harness;

  if (!has_real_kernels ())
    goto done;
  paco_test_info (&info, GST_VIDEO_FORMAT_Y444_16LE, 64, 48);
  harness = paco_test_harness (ENCODE " ! " DECODE " ! " ENCODE " ! " DECODE);
  gst_harness_set_src_caps (harness, device_caps (&info));
  gst_harness_set_sink_caps (harness, device_caps (&info));
  for (guint i = 0; i < 4; i++) {
    g_autoptr (GstBuffer) picture = test_picture (&info, i), out = NULL;

    out = gst_harness_push_and_pull (
        harness, device_buffer (context, &info, picture));
    fail_unless (is_on_device (out));
    fail_unless (buffer_context (out) == context);
    paco_test_same_samples (&info, picture, &info, out, "row");
  }
  if (has_fake_driver ())
    fail_unless_equals_int (contexts_left (), 1);
  paco_test_teardown (harness);
done:
  gst_object_unref (context);
  if (has_fake_driver ())
    fail_unless_equals_int (contexts_left (), 0);
}

/* --- Without a driver --- */

TEST (test_without_driver)
{
  g_autoptr (GstBuffer) picture = NULL;
  GstBuffer *coded;
  g_autoptr (GstBuffer) out = NULL;
  GstHarness *harness;
  GstVideoInfo info;
  GstCaps *caps;

  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 64, 48);
  picture = paco_test_random_buffer (&info, 1);
  harness = paco_test_harness ("pacoenc rate-control=lossless");
  caps = gst_pad_peer_query_caps (harness->srcpad, NULL);
  fail_if (gst_caps_is_empty (caps));
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    fail_if (is_device_caps (caps, i));
  gst_caps_unref (caps);
  gst_harness_set_src_caps (harness, gst_video_info_to_caps (&info));
  coded = gst_harness_push_and_pull (harness, gst_buffer_ref (picture));
  paco_test_teardown (harness);

  harness = paco_test_decoder_harness ("pacodec");
  gst_harness_set_sink_caps_str (
      harness, "video/x-raw(memory:CUDAMemory); video/x-raw");
  out = gst_harness_push_and_pull (harness, coded);
  paco_test_same_samples (&info, picture, &info, out, "system memory");
  paco_test_teardown (harness);
}

TEST_MAIN_AFTER (prepare (&of_test_without_driver), "cudamemory")

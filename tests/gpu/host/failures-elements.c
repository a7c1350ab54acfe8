/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what the elements do when the GPU fails, at the start and later, over a
 * driver of our own (tests/gpu/driver/fake-driver.h), which this program is linked
 * to: they post an error with the cause, nothing hangs, and backend=auto takes the
 * CPU if no GPU can be opened. */
#include "tests/check/pacotest.h"
#include "tests/gpu/host/pipelines.h"
#include <gst/app/gstappsink.h>
#include <gst/check/gstcheck.h>
#include <glib/gstdio.h>
#include <string.h>

#define SOURCE                                                                 \
  "videotestsrc num-buffers=%u pattern=ball ! "                                \
  "video/x-raw,format=I420,width=96,height=64 ! "
#define ENCODER SOURCE "pacoenc name=coder backend=cuda ! fakesink"
#define DECODER                                                                \
  SOURCE "pacoenc backend=cpu ! pacodec name=coder backend=cuda ! fakesink"

/* Plays to the end and stops; returns the error that came instead, or NULL. */
static GError *
play (GstElement *pipeline)
{
  GError *error = play_with_warnings (pipeline, NULL);

  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  return error;
}

static const struct
{
  const char *plan, *cause;
} failures[] = {
  /* These calls come at the start. */
  { "cuInit:1:100:from", "no CUDA device" },
  { "cuCtxCreate_v2:1:2:from", "CUDA_ERROR_OUT_OF_MEMORY" },
  { "cuModuleLoadData:2:209:from", "CUDA_ERROR_NO_BINARY_FOR_GPU" },
  { "cuMemAlloc_v2:1:2:from", "CUDA_ERROR_OUT_OF_MEMORY" },
  /* These come when the format is known. */
  { "cuMemAlloc_v2:5:2:from", "CUDA_ERROR_OUT_OF_MEMORY" },
  { "cuEventCreate:3:700:lost", "CUDA_ERROR_ILLEGAL_ADDRESS" },
  /* These come with frames in flight. */
  { "cuEventSynchronize:1:700:lost", "CUDA_ERROR_ILLEGAL_ADDRESS" },
  { "cuEventSynchronize:7:700:lost", "CUDA_ERROR_ILLEGAL_ADDRESS" },
  { "cuEventSynchronize:8:46:gone", "CUDA_ERROR_DEVICE_UNAVAILABLE" },
  { "cuEventSynchronize:9:2:from", "CUDA_ERROR_OUT_OF_MEMORY" },
  { "cuLaunchKernel:4:719:lost", "CUDA_ERROR_LAUNCH_FAILED" },
  { "cuGraphLaunch:4:719:lost", "CUDA_ERROR_LAUNCH_FAILED" },
  { "cuMemcpyDtoHAsync_v2:5:46", "CUDA_ERROR_DEVICE_UNAVAILABLE" },
};

static void
check_failure (const char *launch, guint i)
{
  GstElement *pipeline = make_pipeline (launch, 30);
  GError *error;

  fake_cuda_fail (failures[i].plan);
  error = play (pipeline);
  fail_unless (error != NULL, "%s: no error", failures[i].plan);
  fail_unless (strstr (error->message, failures[i].cause) != NULL, "%s: %s",
      failures[i].plan, error->message);
  g_error_free (error);
  check_left (failures[i].plan);

  /* The same elements work again when the GPU does. */
  fake_cuda_fail (NULL);
  error = play (pipeline);
  g_assert_no_error (error);
  gst_object_unref (pipeline);
  check_left (failures[i].plan);
}

GST_START_TEST (test_encoder)
{
  check_failure (ENCODER, __i__);
}
GST_END_TEST;

GST_START_TEST (test_decoder)
{
  check_failure (DECODER, __i__);
}
GST_END_TEST;

/* --- backend=auto --- */

static char *log_path; /* GStreamer's, warnings and, of the plugin, more */

/* Returns how often the log says at a level that there is no GPU of use. */
static guint
count_refusals (const char *level)
{
  char *text, **lines;
  guint n = 0;

  fail_unless (g_file_get_contents (log_path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], "the cuda backend cannot be used: ") != NULL
        && strstr (lines[i], level) != NULL)
      n++;
  g_strfreev (lines);
  g_free (text);
  return n;
}

/* Returns all that comes out of a pipeline with the appsink "out", and the
 * backend of "coder". */
static GByteArray *
bytes_of (const char *launch, char **backend)
{
  g_autoptr (GstElement) pipeline = make_pipeline (launch, 5);
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  g_autoptr (GstElement)
      coder = gst_bin_get_by_name (GST_BIN (pipeline), "coder");
  GByteArray *bytes = g_byte_array_new ();
  GstStructure *stats;
  GstSample *sample;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while ((sample = gst_app_sink_pull_sample (GST_APP_SINK (sink)))) {
    GstMapInfo map;

    gst_buffer_map (gst_sample_get_buffer (sample), &map, GST_MAP_READ);
    g_byte_array_append (bytes, map.data, map.size);
    gst_buffer_unmap (gst_sample_get_buffer (sample), &map);
    gst_sample_unref (sample);
  }
  g_object_get (coder, "stats", &stats, NULL);
  *backend = g_strdup (gst_structure_get_string (stats, "backend"));
  gst_structure_free (stats);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  return bytes;
}

/* level: of the log's line that says why the GPU is not used. */
static void
check_fallback (
    const char *plan, const char *level, const char *automatic, const char *cpu)
{
  char *backend;
  GByteArray *got, *expected;
  guint n_refusals = count_refusals (level);

  fake_cuda_fail (plan);
  got = bytes_of (automatic, &backend);
  fail_unless_equals_string (backend, "cpu");
  fail_unless (count_refusals (level) == n_refusals + 1, "%s: %u times %s",
      plan, count_refusals (level) - n_refusals, level);
  g_free (backend);
  fake_cuda_fail (NULL);
  expected = bytes_of (cpu, &backend);
  g_free (backend);
  fail_unless (expected->len > 0);
  fail_unless (got->len == expected->len
          && memcmp (got->data, expected->data, got->len) == 0,
      "%s: not the bytes of the CPU", plan);
  g_byte_array_unref (got);
  g_byte_array_unref (expected);
  check_left (plan);
}

/* Tests that a GPU that cannot be opened is a warning, and none is not; the CPU
 * codes. */
GST_START_TEST (test_fallback)
{
  static const char *const plans[] = { "cuInit:1:100:from", "cuInit:1:999:from",
    "cuDeviceGetCount:1:46:from", "cuCtxCreate_v2:1:2:from",
    "cuCtxCreate_v2:1:46:gone", "cuModuleLoadData:1:209:from",
    "cuMemAlloc_v2:1:2:from", "cuCtxSynchronize:1:700:lost" };

  for (guint i = 0; i < G_N_ELEMENTS (plans); i++) {
    check_fallback (plans[i], i == 0 ? "INFO" : "WARN",
        SOURCE "pacoenc name=coder ! appsink name=out sync=false",
        SOURCE "pacoenc name=coder backend=cpu ! appsink name=out sync=false");
    check_fallback (plans[i], i == 0 ? "INFO" : "WARN",
        SOURCE "pacoenc backend=cpu ! pacodec name=coder ! "
               "appsink name=out sync=false",
        SOURCE "pacoenc backend=cpu ! pacodec name=coder backend=cpu ! "
               "appsink name=out sync=false");
  }
}
GST_END_TEST;

GST_START_TEST (test_fallback_devices)
{
  g_setenv ("FAKE_CUDA_CAPABILITY", "5.2", TRUE);
  check_fallback ("cuInit:1000:2", "WARN",
      SOURCE "pacoenc name=coder ! appsink name=out sync=false",
      SOURCE "pacoenc name=coder backend=cpu ! appsink name=out sync=false");
  g_unsetenv ("FAKE_CUDA_CAPABILITY");
  /* There is no GPU of this number. */
  check_fallback ("cuInit:1000:2", "INFO",
      SOURCE "pacoenc name=coder cuda-device-id=3 ! "
             "appsink name=out sync=false",
      SOURCE "pacoenc name=coder backend=cpu ! appsink name=out sync=false");
}
GST_END_TEST;

/* Tests that a stream that has begun on a GPU is not taken over. */
GST_START_TEST (test_no_fallback_later)
{
  static const char *const launches[] = {
    SOURCE "pacoenc ! fakesink",
    SOURCE "pacoenc backend=cpu ! pacodec ! fakesink",
  };

  for (guint i = 0; i < G_N_ELEMENTS (launches); i++) {
    GstElement *pipeline = make_pipeline (launches[i], 30);
    g_autoptr (GError) error = NULL;

    fake_cuda_fail ("cuEventSynchronize:4:700:lost");
    error = play (pipeline);
    fail_unless (error != NULL);
    fail_unless (strstr (error->message, "CUDA_ERROR_ILLEGAL_ADDRESS") != NULL,
        "%s", error->message);
    gst_object_unref (pipeline);
    check_left (launches[i]);
  }
}
GST_END_TEST;

/* --- several GPUs --- */

GST_START_TEST (test_other_device)
{
  GstElement *pipeline, *other;
  g_autoptr (GError) error = NULL;

  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  pipeline = make_pipeline (
      SOURCE "pacoenc backend=cuda cuda-device-id=0 ! fakesink", 30);
  other = make_pipeline (
      SOURCE "pacoenc backend=cuda cuda-device-id=1 ! fakesink", 60);
  fake_cuda_fail ("device0:300:700:lost");
  gst_element_set_state (other, GST_STATE_PLAYING);
  error = play (pipeline);
  fail_unless (error != NULL);
  fail_unless (
      strstr (error->message, "Fake GPU 0") != NULL, "%s", error->message);

  g_clear_error (&error);
  error = play_with_warnings (other, NULL);
  g_assert_no_error (error);
  gst_element_set_state (other, GST_STATE_NULL);
  gst_object_unref (pipeline);
  gst_object_unref (other);
  check_left ("two devices");
  g_unsetenv ("FAKE_CUDA_DEVICES");
}
GST_END_TEST;

#define N_DEVICES 4

/* Tests as many coders as there are GPUs: each has one for itself. */
GST_START_TEST (test_all_devices)
{
  GstElement *pipeline;
  GError *error;
  guint n_coders[N_DEVICES] = { 0 };

  g_setenv ("FAKE_CUDA_DEVICES", G_STRINGIFY (N_DEVICES), TRUE);
  fake_cuda_fail (NULL);
  pipeline = make_pipeline (SOURCE
      "tee name=t ! queue ! pacoenc name=coder0 backend=cuda ! fakesink "
      "t. ! queue ! pacoenc backend=cpu ! "
      "pacodec name=coder1 backend=cuda ! fakesink "
      "t. ! queue ! pacoenc name=coder2 backend=cuda ! fakesink "
      "t. ! queue ! pacoenc name=coder3 backend=cuda ! fakesink",
      30);
  error = play (pipeline);
  g_assert_no_error (error);
  for (guint i = 0; i < N_DEVICES; i++) {
    g_autofree char *name = g_strdup_printf ("coder%u", i);
    g_autoptr (GstElement)
        coder = gst_bin_get_by_name (GST_BIN (pipeline), name);
    guint number = device_of (coder);

    fail_unless (number < N_DEVICES && n_coders[number]++ == 0,
        "%s: device %u again", name, number);
  }
  gst_object_unref (pipeline);
  check_left ("four devices");
  g_unsetenv ("FAKE_CUDA_DEVICES");
}
GST_END_TEST;

/* --- allocation queries while a coder stops and starts --- */

#define N_CYCLES 300

typedef struct
{
  GstPad *pad;
  const char *caps; /* that it takes */
  gint done;        /* atomic */
} Asker;

/* Asks, and takes memory of what is offered. */
static gpointer
query_allocation (gpointer data)
{
  Asker *asker = data;
  g_autoptr (GstCaps) caps = gst_caps_from_string (asker->caps);

  while (!g_atomic_int_get (&asker->done)) {
    g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
    GstAllocator *allocator = NULL;

    if (gst_pad_query (asker->pad, query)
        && gst_query_get_n_allocation_params (query) > 0)
      gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
    if (allocator != NULL)
      gst_memory_unref (gst_allocator_alloc (allocator, 10000, NULL));
    gst_clear_object (&allocator);
  }
  return NULL;
}

static void
ask_while_stopping (const char *name, const char *caps)
{
  GstElement *coder = gst_element_factory_make (name, NULL);
  Asker asker = { gst_element_get_static_pad (coder, "sink"), caps, FALSE };
  GThread *threads[2];

  gst_object_ref_sink (coder);
  gst_util_set_object_arg (G_OBJECT (coder), "backend", "cuda");
  fake_cuda_fail (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("upstream", query_allocation, &asker);
  for (guint i = 0; i < N_CYCLES; i++) {
    fail_if (gst_element_set_state (coder, GST_STATE_PAUSED)
        == GST_STATE_CHANGE_FAILURE);
    gst_element_set_state (coder, GST_STATE_READY);
  }
  gst_element_set_state (coder, GST_STATE_NULL);
  g_atomic_int_set (&asker.done, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  gst_object_unref (asker.pad);
  gst_object_unref (coder);
  check_left (name);
}

GST_START_TEST (test_queries_while_stopping)
{
  ask_while_stopping (
      "pacoenc", "video/x-raw,format=I420,width=96,height=64,framerate=25/1");
  ask_while_stopping ("pacodec", "video/x-paco,parsed=true,alignment=frame");
}
GST_END_TEST;

/* --- calls of the driver that never return --- */

#define TIMEOUT "500" /* milliseconds */

static const struct
{
  const char *plan;
  guint n_frames;
  bool ends; /* the stream; what hangs is the way down */
} hangs[] = {
  /* These calls come at the start. */
  { "cuInit:1:0:hang", 30 },
  { "cuCtxCreate_v2:1:0:stuck", 30 },
  /* These come when the format is known. */
  { "cuMemAlloc_v2:5:0:hang", 30 },
  { "cuMemHostAlloc:1:0:stuck", 30 },
  { "cuStreamCreate:2:0:hang", 30 },
  /* These come with frames in flight. */
  { "cuEventSynchronize:1:0:hang", 30 },
  { "cuEventSynchronize:7:0:stuck", 30 },
  { "cuLaunchKernel:4:0:hang", 30 },
  { "cuGraphLaunch:4:0:hang", 30 },
  /* This one comes when the last frames are waited for. */
  { "cuEventSynchronize:3:0:stuck", 3 },
  /* These come at the end; each of the three frames may have had memory
   * exchanged before. */
  { "cuMemFree_v2:4:0:hang", 3, true },
  { "cuMemFreeHost:1:0:stuck", 3, true },
  { "cuStreamDestroy_v2:1:0:stuck", 3, true },
  { "cuCtxDestroy_v2:1:0:hang", 3, true },
};

static void
check_hang (const char *launch, guint i)
{
  GstElement *pipeline;
  GError *error;

  g_setenv ("GST_PACO_DEVICE_TIMEOUT", TIMEOUT, TRUE);
  pipeline = make_pipeline (launch, hangs[i].n_frames);
  fake_cuda_fail (hangs[i].plan);
  error = play (pipeline);
  fail_unless (fake_cuda_has_failed (), "%s: no such call", hangs[i].plan);
  fail_unless ((error == NULL) == hangs[i].ends, "%s: %s", hangs[i].plan,
      error != NULL ? error->message : "no error");
  if (error != NULL) {
    fail_unless (strstr (error->message, "has not answered for") != NULL,
        "%s: %s", hangs[i].plan, error->message);
    fail_unless (strstr (error->message, "backend=cpu") != NULL);
    g_error_free (error);
  }
  gst_object_unref (pipeline);
  g_unsetenv ("GST_PACO_DEVICE_TIMEOUT");
  check_left_later (hangs[i].plan);
}

GST_START_TEST (test_hangs_of_encoder)
{
  check_hang (ENCODER, __i__);
}
GST_END_TEST;

GST_START_TEST (test_hangs_of_decoder)
{
  check_hang (DECODER, __i__);
}
GST_END_TEST;

/* Tests another format, packed ones with planes of their own among them, while
 * frames of the last one are with a coder that is lost. */
GST_START_TEST (test_other_format_while_hung)
{
  static const char *const formats[] = { "v210", "BGRA", "I420" };
  const char *format = formats[__i__];
  GstHarness *harness = paco_test_harness ("pacoenc backend=cpu");
  GstElement *encoder;
  GstVideoInfo info;

  gst_element_set_state (harness->element, GST_STATE_NULL);
  g_setenv ("GST_PACO_DEVICE_TIMEOUT", TIMEOUT, TRUE);
  fake_cuda_fail ("cuEventRecord:1:0:hang");
  encoder = gst_harness_find_element (harness, "pacoenc");
  gst_util_set_object_arg (G_OBJECT (encoder), "backend", "cuda");
  gst_object_unref (encoder);
  gst_element_set_state (harness->element, GST_STATE_PLAYING);
  for (guint size = 96; size < 192; size += 48) {
    g_autofree char *caps = g_strdup_printf (
        "video/x-raw,format=%s,width=%u,height=64,framerate=25/1", format,
        size);

    gst_harness_set_src_caps_str (harness, caps);
    paco_test_info (&info, gst_video_format_from_string (format), size, 64);
    for (guint i = 0; i < 4; i++)
      gst_harness_push (harness, paco_test_random_buffer (&info, i));
  }
  ignore_errors (harness);
  paco_test_teardown (harness);
  g_unsetenv ("GST_PACO_DEVICE_TIMEOUT");
  check_left_later (format);
}
GST_END_TEST;

/* Tests stopping while a call hangs, before anybody has noticed. */
GST_START_TEST (test_stop_while_hung)
{
  static const char *const plans[] = { "cuEventSynchronize:5:0:hang",
    "cuEventSynchronize:6:0:stuck", "cuMemAlloc_v2:6:0:hang" };
  const char *launch = __i__ % 2 ? ENCODER : DECODER;
  const char *plan = plans[__i__ / 2];
  GstElement *pipeline;

  g_setenv ("GST_PACO_DEVICE_TIMEOUT", TIMEOUT, TRUE);
  pipeline = make_pipeline (launch, 1000000);
  fake_cuda_fail (plan);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (!fake_cuda_has_failed ())
    g_usleep (1000);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (pipeline);
  g_unsetenv ("GST_PACO_DEVICE_TIMEOUT");
  check_left_later (plan);
}
GST_END_TEST;

/* --- memory for a frame unlike the others --- */

static GstBuffer *
code_gray (guint size)
{
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_GRAY8, size, size);
  return paco_test_code (
      "pacoenc backend=cpu", &info, paco_test_gray_buffer (size, size, 0));
}

/* Decodes small frames around a larger one, for which memory fails as plan says
 * (NULL: it does not), if there is such a call before it has been decoded.
 * Returns how many frames came out. */
static guint
frames_around (
    GstBuffer *small, GstBuffer *large, const char *plan, bool *has_failed)
{
  GstHarness *harness = paco_test_harness (
      "pacodec backend=cuda max-errors=-1 pipeline-depth=2");
  guint n;

  gst_harness_set_src_caps_str (harness, PACO_TEST_CODED_CAPS);
  for (guint i = 0; i < 3; i++)
    gst_harness_push (harness, gst_buffer_ref (small));
  gst_buffer_unref (gst_harness_pull (harness));
  gst_buffer_unref (gst_harness_pull (harness));
  gst_buffer_unref (gst_harness_pull (harness));
  fake_cuda_fail (plan);
  fail_unless_equals_int (
      gst_harness_push (harness, gst_buffer_ref (large)), GST_FLOW_OK);
  while (plan != NULL && !fake_cuda_has_failed ()
      && gst_harness_buffers_received (harness) < 4)
    g_usleep (100);
  *has_failed = fake_cuda_has_failed ();
  fake_cuda_fail (NULL);
  for (guint i = 0; i < 3; i++)
    fail_unless (
        gst_harness_push (harness, gst_buffer_ref (small)) == GST_FLOW_OK,
        "%s: small frames are lost too", plan);
  gst_harness_push_event (harness, gst_event_new_eos ());
  n = gst_harness_buffers_received (harness);
  paco_test_teardown (harness);
  return n;
}

GST_START_TEST (test_memory_for_odd_frame)
{
  static const char *const functions[] = { "cuMemAlloc_v2", "cuMemHostAlloc" };
  GstBuffer *small = code_gray (64), *large = code_gray (512);
  GstBuffer *huge = code_gray (8192);
  bool has_failed;

  fail_unless_equals_int (frames_around (small, large, NULL, &has_failed), 7);
  check_left ("none");
  for (guint f = 0; f < G_N_ELEMENTS (functions); f++) {
    for (guint n = 1;; n++) {
      g_autofree char *plan = g_strdup_printf ("%s:%u:2", functions[f], n);
      guint n_received = frames_around (small, large, plan, &has_failed);

      fail_unless (n_received >= 6, "%s: %u frames", plan, n_received);
      check_left (plan);
      if (!has_failed)
        break;
    }
  }
  /* This takes more than the device has. */
  fail_unless_equals_int (frames_around (small, huge, NULL, &has_failed), 6);
  gst_buffer_unref (small);
  gst_buffer_unref (large);
  gst_buffer_unref (huge);
  check_left ("huge");
}
GST_END_TEST;

static Suite *
cuda_failures_suite (void)
{
  Suite *suite = suite_create ("cudafailures");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_set_timeout (tests, 60);
  tcase_add_loop_test (tests, test_encoder, 0, G_N_ELEMENTS (failures));
  tcase_add_loop_test (tests, test_decoder, 0, G_N_ELEMENTS (failures));
  tcase_add_test (tests, test_fallback);
  tcase_add_test (tests, test_fallback_devices);
  tcase_add_test (tests, test_no_fallback_later);
  tcase_add_test (tests, test_other_device);
  tcase_add_test (tests, test_all_devices);
  tcase_add_test (tests, test_queries_while_stopping);
  tcase_add_loop_test (tests, test_hangs_of_encoder, 0, G_N_ELEMENTS (hangs));
  tcase_add_loop_test (tests, test_hangs_of_decoder, 0, G_N_ELEMENTS (hangs));
  tcase_add_loop_test (tests, test_other_format_while_hung, 0, 3);
  tcase_add_loop_test (tests, test_stop_while_hung, 0, 6);
  tcase_add_test (tests, test_memory_for_odd_frame);
  return suite;
}

int
main (int argc, char **argv)
{
  int n_failed, file = g_file_open_tmp ("paco-XXXXXX.log", &log_path, NULL);

  g_close (file, NULL);
  g_setenv ("GST_DEBUG", "2,paco:4", TRUE);
  g_setenv ("GST_DEBUG_NO_COLOR", "1", TRUE);
  g_setenv ("GST_DEBUG_FILE", log_path, TRUE);
  gst_check_init (&argc, &argv);
  n_failed = gst_check_run_suite (
      cuda_failures_suite (), "cudafailures", __FILE__);
  g_remove (log_path);
  g_free (log_path);
  return n_failed;
}

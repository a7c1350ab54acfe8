/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the page-locked memory that pacodec offers to upstream for encoded frames,
 * over a driver of our own, which this program is linked to: it is allocated once,
 * used for every frame of a file, and freed when the element stops. */
#include "tests/gpu/host/pipelines.h"
#include <glib/gstdio.h>
#include <string.h>

#define DEPTH 3
#define CODED_CAPS                                                             \
  "video/x-paco,parsed=true,alignment=frame,width=96,height=64,format=GRAY8"

static guint
calls_of (const char *function)
{
  return fake_cuda_calls_of (fake_cuda_calls, function);
}

static guint
n_page_locked (void)
{
  FakeCudaLeft left;

  fake_cuda_left (&left);
  return left.host_memory;
}

/* Returns what pacodec offers for these caps, or NULL. */
static GstAllocator *
ask (GstElement *decoder)
{
  g_autoptr (GstCaps) caps = gst_caps_from_string (CODED_CAPS);
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (decoder, "sink");
  GstAllocator *allocator = NULL;

  if (gst_pad_query (pad, query)
      && gst_query_get_n_allocation_params (query) > 0)
    gst_query_parse_nth_allocation_param (query, 0, &allocator, NULL);
  return allocator;
}

static GstElement *
make_decoder (const char *backend)
{
  GstElement *decoder = gst_element_factory_make ("pacodec", NULL);

  gst_object_ref_sink (decoder);
  gst_util_set_object_arg (G_OBJECT (decoder), "backend", backend);
  g_object_set (decoder, "pipeline-depth", DEPTH, NULL);
  gst_element_set_state (decoder, GST_STATE_PAUSED);
  return decoder;
}

static void
drop_decoder (GstElement *decoder)
{
  FakeCudaLeft left;

  gst_element_set_state (decoder, GST_STATE_NULL);
  gst_object_unref (decoder);
  fake_cuda_left (&left);
  fail_unless_equals_int (left.host_memory, 0);
  fail_unless_equals_int (left.contexts, 0);
  fail_unless_equals_int (left.misuses, 0);
}

GST_START_TEST (test_offer)
{
  GstElement *decoder;
  GstAllocator *allocator;
  GstMemory *memory[2 * DEPTH + 20];
  guint before, many;

  fake_cuda_fail (NULL);
  decoder = make_decoder ("cuda");
  allocator = ask (decoder);
  fail_unless (allocator != NULL);
  before = n_page_locked ();
  for (guint i = 0; i < 100; i++) {
    memory[0] = gst_allocator_alloc (allocator, 100000 + i, NULL);
    fail_unless_equals_int (n_page_locked (), before + 1);
    gst_memory_unref (memory[0]);
  }
  fail_unless_equals_int (n_page_locked (), before + 1);

  /* It is bounded, whatever upstream keeps. */
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
    memory[i] = gst_allocator_alloc (allocator, 100000, NULL);
  many = n_page_locked () - before;
  fail_unless (many > DEPTH && many < G_N_ELEMENTS (memory), "%u", many);
  for (guint i = 1; i < G_N_ELEMENTS (memory); i++)
    gst_memory_unref (memory[i]);
  fail_unless_equals_int (n_page_locked () - before, many);

  /* Nothing stays with a stopped element but what somebody has. */
  gst_element_set_state (decoder, GST_STATE_READY);
  fail_unless_equals_int (n_page_locked (), 1);
  gst_memory_unref (memory[0]);
  fail_unless_equals_int (n_page_locked (), 0);
  memory[0] = gst_allocator_alloc (allocator, 100000, NULL);
  fail_unless_equals_int (n_page_locked (), 0);
  gst_memory_unref (memory[0]);
  gst_object_unref (allocator);
  drop_decoder (decoder);
}
GST_END_TEST;

/* Tests that pacodec gives ordinary memory, and no error, when the driver has
 * no more. */
GST_START_TEST (test_no_memory)
{
  GstElement *decoder;
  GstAllocator *allocator;
  GstMemory *memory;

  fake_cuda_fail (NULL);
  decoder = make_decoder ("cuda");
  allocator = ask (decoder);
  fake_cuda_fail ("cuMemHostAlloc:1:2:from");
  for (guint i = 0; i < 3; i++) {
    memory = gst_allocator_alloc (allocator, 100000, NULL);
    fail_unless (memory != NULL);
    gst_memory_unref (memory);
  }
  fake_cuda_fail (NULL);
  gst_object_unref (allocator);
  drop_decoder (decoder);
}
GST_END_TEST;

/* Tests that the CPU backend, to which all memory is the same, offers none. */
GST_START_TEST (test_no_offer)
{
  GstElement *decoder;

  fake_cuda_fail (NULL);
  decoder = make_decoder ("cpu");
  fail_unless (ask (decoder) == NULL);
  drop_decoder (decoder);
}
GST_END_TEST;

/* Runs a pipeline, which it takes, to the end of its stream. */
static void
run (GstElement *pipeline)
{
  GError *error = play_with_warnings (pipeline, NULL);

  g_assert_no_error (error);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* Returns how often page-locked memory is got to play a file of n_frames frames. */
static guint
calls_for_film (guint n_frames, const char *between)
{
  GError *error = NULL;
  char *path;
  guint n;

  g_close (g_file_open_tmp ("paco-XXXXXX.paco", &path, &error), NULL);
  g_assert_no_error (error);
  run (make_pipeline (
      "videotestsrc num-buffers=%u pattern=snow ! "
      "video/x-raw,format=GRAY8,width=400,height=300 ! "
      "pacoenc backend=cpu rate-control=lossless ! filesink location=%s",
      n_frames, path));
  fake_cuda_fail (NULL);
  run (make_pipeline (
      "filesrc location=%s ! pacoparse ! %s pacodec backend=cuda "
      "pipeline-depth=%u ! fakesink",
      path, between, DEPTH));
  n = calls_of ("cuMemHostAlloc");
  g_unlink (path);
  g_free (path);
  return n;
}

GST_START_TEST (test_film)
{
  static const char *const between[] = { "", "queue !" };

  for (guint i = 0; i < G_N_ELEMENTS (between); i++) {
    guint n_few = calls_for_film (DEPTH + 20, between[i]);
    guint n_many = calls_for_film (120, between[i]);

    /* There were some calls; threads may need a buffer more or less. */
    fail_unless (n_few > 2 * DEPTH);
    fail_unless (n_many <= n_few + DEPTH + 6, "%u, then %u", n_few, n_many);
  }
}
GST_END_TEST;

static Suite *
coded_memory_suite (void)
{
  Suite *suite = suite_create ("coded-memory");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 100);
  tcase_add_test (tcase, test_offer);
  tcase_add_test (tcase, test_no_memory);
  tcase_add_test (tcase, test_no_offer);
  tcase_add_test (tcase, test_film);
  return suite;
}

GST_CHECK_MAIN (coded_memory);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the contexts in which pictures in device memory lie: which context the
 * elements share, which they tell their neighbors, and what becomes of pictures that
 * lie elsewhere, or of a context that is gone. It runs like cudamemory.c, which has
 * the other tests of device memory. */
#include "cudamemory.h"

static GstPacoCudaContext *
query_context (GstPad *pad)
{
  GstQuery *query = gst_query_new_context (GST_PACO_CUDA_CONTEXT_TYPE);
  GstPacoCudaContext *found = NULL;

  if (gst_pad_query (pad, query)) {
    GstContext *context;

    gst_query_parse_context (query, &context);
    found = context_of (context);
  }
  gst_query_unref (query);
  return found;
}

/* Checks that both pads tell neighbors which context the element shares. */
static void
check_answers (GstElement *element, GstPacoCudaContext *expected)
{
  static const char *const names[] = { "sink", "src" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    GstPad *pad = gst_element_get_static_pad (element, names[i]);
    GstPacoCudaContext *found = query_context (pad);

    fail_unless (found == expected, "%s", names[i]);
    if (found != NULL)
      gst_object_unref (found);
    gst_object_unref (pad);
  }
}

GST_START_TEST (test_answers)
{
  GstPacoCudaContext *context = context_new (0);
  GstHarness *harness;
  GstVideoInfo info;
  GstBus *bus;

  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 64, 48);
  harness = paco_test_harness (ENCODE, &bus);
  check_answers (harness->element, NULL);
  give_context (harness->element, context);
  check_answers (harness->element, context);
  gst_harness_set_src_caps (harness, device_caps (&info));
  check_encode (harness, context, &info, 1, "given");
  check_answers (harness->element, context);
  paco_test_teardown (harness, bus);

  harness = decoder_harness (DECODE, &info, &bus);
  check_answers (harness->element, NULL);
  give_context (harness->element, context);
  check_decode (harness, &info, 1, TRUE);
  check_answers (harness->element, context);
  paco_test_teardown (harness, bus);
  gst_object_unref (context);
}
GST_END_TEST;

static GstPadQueryFunction harness_query;
static GstPacoCudaContext *neighbors;

static gboolean
neighbor_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  if (GST_QUERY_TYPE (query) == GST_QUERY_CONTEXT) {
    GstContext *context = new_context (neighbors);

    gst_query_set_context (query, context);
    gst_context_unref (context);
    return TRUE;
  }
  return harness_query (pad, parent, query);
}

static void
become_neighbor (GstPad *pad, GstPacoCudaContext *context)
{
  neighbors = context;
  harness_query = GST_PAD_QUERYFUNC (pad);
  gst_pad_set_query_function (pad, neighbor_query);
}

/* Tests that neighbors up and down the stream are asked for their contexts. */
GST_START_TEST (test_asks)
{
  GstPacoCudaContext *context = context_new (0);
  GstHarness *harness;
  GstVideoInfo info;
  GstBus *bus;

  paco_test_info (&info, GST_VIDEO_FORMAT_Y444, 40, 48);
  harness = paco_test_harness (ENCODE, &bus);
  become_neighbor (harness->srcpad, context);
  gst_harness_set_src_caps (harness, device_caps (&info));
  check_answers (harness->element, context);
  check_encode (harness, context, &info, 1, "upstream's");
  check_answers (harness->element, context);
  paco_test_teardown (harness, bus);

  harness = decoder_harness (DECODE, &info, &bus);
  become_neighbor (harness->sinkpad, context);
  check_decode (harness, &info, 1, TRUE);
  check_answers (harness->element, context);
  paco_test_teardown (harness, bus);
  gst_object_unref (context);
}
GST_END_TEST;

/* Tests that the decoder makes a context where nobody has one, and says so. */
GST_START_TEST (test_makes)
{
  GstHarness *harness;
  GstMessage *message;
  GstVideoInfo info;
  GstBus *bus;

  paco_test_info (&info, GST_VIDEO_FORMAT_Y444, 40, 48);
  harness = decoder_harness (DECODE, &info, &bus);
  check_decode (harness, &info, 1, TRUE);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_NEED_CONTEXT);
  fail_unless (message != NULL);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_HAVE_CONTEXT);
  fail_unless (message != NULL);
  gst_message_unref (message);
  paco_test_teardown (harness, bus);
}
GST_END_TEST;

/* Tests that the first picture tells where all of them are, and that one that
 * is elsewhere later on is copied. */
GST_START_TEST (test_other_context)
{
  GstPacoCudaContext *shared = context_new (0), *other = context_new (0);
  GstHarness *harness;
  GstVideoInfo info;
  GstBus *bus;

  paco_test_info (&info, GST_VIDEO_FORMAT_NV12, 52, 46);
  harness = encoder_harness (ENCODE, &info, shared, &bus);
  check_encode (harness, other, &info, 1, "first");
  check_answers (harness->element, other);
  check_encode (harness, shared, &info, 2, "elsewhere");
  check_encode (harness, other, &info, 3, "back");
  check_answers (harness->element, other);
  fail_unless_equals_int (frames_coded (harness->element), 3);
  paco_test_teardown (harness, bus);
  gst_object_unref (shared);
  gst_object_unref (other);
}
GST_END_TEST;

/* Tests that the device that was asked for codes pictures of another one, as
 * copies. */
GST_START_TEST (test_other_device)
{
  GstPacoCudaContext *context;
  GstHarness *harness;
  GstVideoInfo info;
  GstBus *bus;
  gchar *device;

  if (!has_fake_driver ())
    return;
  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  context = context_new (1);
  paco_test_info (&info, GST_VIDEO_FORMAT_UYVY, 52, 46);
  harness = encoder_harness (ENCODE " cuda-device-id=0", &info, context, &bus);
  for (guint i = 0; i < 3; i++)
    check_encode (harness, context, &info, i, "another device's");
  device = device_of (harness->element);
  fail_unless (strstr (device, "GPU 0") != NULL, "%s", device);
  g_free (device);
  paco_test_teardown (harness, bus);

  /* Nobody has said which device it is, so it is the one where the pictures
   * are. */
  harness = encoder_harness (ENCODE, &info, NULL, &bus);
  check_encode (harness, context, &info, 9, "any device");
  device = device_of (harness->element);
  fail_unless (strstr (device, "GPU 1") != NULL, "%s", device);
  g_free (device);
  paco_test_teardown (harness, bus);
  gst_object_unref (context);
  g_unsetenv ("FAKE_CUDA_DEVICES");
}
GST_END_TEST;

/* Tests an element of several devices. A picture lies on one device, so it does
 * not ask for device memory, and copies what comes all the same. */
GST_START_TEST (test_several_devices)
{
  GstPacoCudaContext *context;
  GstHarness *harness;
  GstVideoInfo info;
  GstCaps *caps;
  GstBus *bus;

  if (!has_fake_driver ())
    return;
  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  context = context_new (1);
  paco_test_info (&info, GST_VIDEO_FORMAT_NV12, 52, 46);
  harness = paco_test_harness (ENCODE " cuda-devices=0,1", &bus);
  caps = gst_pad_peer_query_caps (harness->srcpad, NULL);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    fail_if (is_device_caps (caps, i));
  gst_caps_unref (caps);
  gst_harness_set_src_caps (harness, device_caps (&info));
  for (guint i = 0; i < 4; i++)
    check_encode (harness, context, &info, i, "several devices");
  paco_test_teardown (harness, bus);
  gst_object_unref (context);
  g_unsetenv ("FAKE_CUDA_DEVICES");
}
GST_END_TEST;

/* Tests a device that is too old for the kernels, but has pictures all the
 * same. */
GST_START_TEST (test_old_device)
{
  GstPacoCudaContext *context;
  GstHarness *harness;
  GstVideoInfo info;
  GstMessage *warning;
  GstBuffer *picture, *expected, *found;
  GstBus *bus;

  if (!has_fake_driver ())
    return;
  context = context_new (0);
  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 52, 46);
  picture = test_picture (&info, 3);
  expected = encode_on_host (&info, picture);
  harness = encoder_harness (ENCODE, &info, NULL, &bus);
  g_setenv ("FAKE_CUDA_CAPABILITY", "5.2", TRUE);
  found = encode_in (harness, context, &info, picture);
  g_unsetenv ("FAKE_CUDA_CAPABILITY");
  assert_same_bytes (found, expected, "copied");
  warning = gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING);
  fail_unless (warning != NULL);
  gst_message_unref (warning);
  gst_buffer_unref (found);
  gst_buffer_unref (expected);
  gst_buffer_unref (picture);
  paco_test_teardown (harness, bus);
  gst_object_unref (context);
}
GST_END_TEST;

/* Tests that an element gives an error, and nothing worse happens, when whoever
 * has lent a context takes it away. */
GST_START_TEST (test_context_gone)
{
  GstPacoCudaContext *context;
  gpointer handle;
  GstHarness *harness;
  GstVideoInfo info;
  GstBuffer *picture, *buffer;
  GError *error;
  GstBus *bus;

  if (!has_fake_driver ())
    return;
  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 52, 46);
  context = lent_context (&handle);
  picture = test_picture (&info, 1);
  harness = encoder_harness (ENCODE, &info, NULL, &bus);
  check_encode (harness, context, &info, 1, "while it is there");
  buffer = device_buffer (context, &info, picture);
  destroy_context (handle);
  gst_harness_push (harness, buffer);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  error = paco_test_pop_error (bus);
  fail_unless (error != NULL);
  fail_unless (strlen (error->message) > 20);
  g_error_free (error);
  gst_buffer_unref (picture);
  paco_test_teardown_failed (harness, bus);
  gst_object_unref (context);
  forgive_misuses ();
}
GST_END_TEST;

/* --- Failures --- */

/* A life of an element: what the element is given, and what has to come of it
 * if anything does. */
typedef struct
{
  GstVideoInfo info;
  GstPacoCudaContext *context;
  GstBuffer *picture, *input, *expected; /* of the encoder */
  GstBuffer *coded;                      /* for the decoder */
  const char *plan; /* from when the element has started, which has tests */
} Life;

/* Says whether a frame has come, after checking that it is right. */
static gboolean
encode_life (const Life *life, GstBus **bus)
{
  GstHarness *harness = paco_test_harness (ENCODE " pipeline-depth=1", bus);
  gboolean came;
  GstBuffer *out;

  fake.plan (life->plan);
  give_context (harness->element, life->context);
  gst_harness_set_src_caps (harness, device_caps (&life->info));
  gst_harness_push (harness, gst_buffer_ref (life->input));
  out = gst_harness_try_pull (harness);
  came = out != NULL;
  if (came)
    assert_same_bytes (out, life->expected, "a frame");
  gst_clear_buffer (&out);
  gst_harness_teardown (harness);
  return came;
}

static gboolean
decode_life (const Life *life, GstBus **bus)
{
  GstHarness *harness = paco_test_decoder_harness (
      DECODE " pipeline-depth=1", bus);
  gboolean came;
  GstBuffer *out;

  fake.plan (life->plan);
  give_context (harness->element, life->context);
  gst_harness_set_sink_caps_str (
      harness, "video/x-raw(memory:CUDAMemory); video/x-raw");
  gst_harness_push (harness, gst_buffer_ref (life->coded));
  out = gst_harness_try_pull (harness);
  came = out != NULL;
  gst_clear_buffer (&out);
  gst_harness_teardown (harness);
  return came;
}

static gboolean
has_error (GstBus *bus)
{
  GError *error = paco_test_pop_error (bus);
  gboolean found = error != NULL;

  if (found)
    fail_unless (strlen (error->message) > 20, "%s", error->message);
  g_clear_error (&error);
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
  return found;
}

static void
life_init (Life *life)
{
  *life = (Life){ .plan = NULL };
  paco_test_info (&life->info, GST_VIDEO_FORMAT_Y444, 64, 48);
  life->picture = test_picture (&life->info, 7);
  life->expected = encode_on_host (&life->info, life->picture);
  life->coded = encode_on_cpu (&life->info, life->picture);
  life->context = context_new (0);
  life->input = device_buffer (life->context, &life->info, life->picture);
}

static void
life_clear (Life *life)
{
  gst_buffer_unref (life->input);
  gst_buffer_unref (life->picture);
  gst_buffer_unref (life->expected);
  gst_buffer_unref (life->coded);
  gst_object_unref (life->context);
}

/* Lives a life in which call number n of a function fails, and expects a frame
 * that is right, or an error. */
static void
check_failing (gboolean (*live) (const Life *, GstBus **), const char *function,
    unsigned n, const char *how)
{
  char *plan = g_strdup_printf ("%s:%u:%s", function, n, how);
  gboolean came;
  GstBus *bus;
  Life life;

  life_init (&life);
  life.plan = plan;
  came = live (&life, &bus);
  fake.plan (NULL);
  fail_unless (
      came || has_error (bus), "%s: neither a frame nor an error", plan);
  if (came)
    has_error (bus);
  life_clear (&life);
  forgive_misuses ();
  g_free (plan);
}

static void
check_failures (gboolean (*live) (const Life *, GstBus **))
{
  static const char *const hows[] = { "2", "2:from", "700:lost" };
  const char *function;
  guint counts[128] = { 0 };
  GstBus *bus;
  Life life;

  life_init (&life);
  fail_unless (live (&life, &bus));
  fail_if (has_error (bus));
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    counts[i] = fake.calls (i, &function);
    if (function == NULL)
      break;
  }
  life_clear (&life);

  for (guint i = 0; fake.calls (i, &function), function != NULL; i++)
    for (guint k = 0; k < G_N_ELEMENTS (hows) && counts[i] > 0; k++) {
      const guint numbers[] = { 1, counts[i] };

      for (guint m = 0; m < G_N_ELEMENTS (numbers); m++)
        if (m == 0 || numbers[m] != numbers[m - 1])
          check_failing (live, function, numbers[m], hows[k]);
    }
}

GST_START_TEST (test_encoder_failures)
{
  if (has_fake_driver () && !has_real_kernels ())
    check_failures (encode_life);
}
GST_END_TEST;

GST_START_TEST (test_decoder_failures)
{
  if (has_fake_driver () && !has_real_kernels ())
    check_failures (decode_life);
}
GST_END_TEST;

static Suite *
cudacontexts_suite (void)
{
  Suite *suite = suite_create ("cudacontexts");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_set_timeout (tests, 240);
  if (!open_library ())
    return suite;
  tcase_add_checked_fixture (tests, NULL, check_driver);
  tcase_add_test (tests, test_answers);
  tcase_add_test (tests, test_asks);
  tcase_add_test (tests, test_makes);
  tcase_add_test (tests, test_other_context);
  tcase_add_test (tests, test_other_device);
  tcase_add_test (tests, test_several_devices);
  tcase_add_test (tests, test_old_device);
  tcase_add_test (tests, test_context_gone);
  tcase_add_test (tests, test_encoder_failures);
  tcase_add_test (tests, test_decoder_failures);
  return suite;
}

GST_CHECK_MAIN (cudacontexts);

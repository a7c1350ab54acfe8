/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the contexts in which pictures in device memory lie: which context the
 * elements share, which they tell their neighbors, and what becomes of pictures that
 * lie elsewhere, or of a context that is gone. It runs like cudamemory.c, which has
 * the other tests of device memory. */
#include "cudamemory.h"

static GstPacoCudaContext *
query_context (GstPad *pad)
{
  g_autoptr (GstQuery)
      query = gst_query_new_context (GST_PACO_CUDA_CONTEXT_TYPE);
  GstPacoCudaContext *found = NULL;

  if (gst_pad_query (pad, query)) {
    GstContext *context;

    gst_query_parse_context (query, &context);
    found = context_of (context);
  }
  return found;
}

/* Checks that both pads tell neighbors which context the element shares. */
static void
check_answers (GstElement *element, GstPacoCudaContext *expected)
{
  static const char *const names[] = { "sink", "src" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autoptr (GstPad) pad = gst_element_get_static_pad (element, names[i]);
    GstPacoCudaContext *found = query_context (pad);

    fail_unless (found == expected, "%s", names[i]);
    if (found != NULL)
      gst_object_unref (found);
  }
}

TEST (test_answers)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstHarness *harness;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 64, 48);
  harness = paco_test_harness (ENCODE);
  check_answers (harness->element, NULL);
  give_context (harness->element, context);
  check_answers (harness->element, context);
  gst_harness_set_src_caps (harness, device_caps (&info));
  check_encode (harness, context, &info, 1, "given");
  check_answers (harness->element, context);
  paco_test_teardown (harness);

  harness = decoder_harness (DECODE, &info);
  check_answers (harness->element, NULL);
  give_context (harness->element, context);
  check_decode (harness, &info, 1, TRUE);
  check_answers (harness->element, context);
  paco_test_teardown (harness);
}

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
TEST (test_asks)
{
  g_autoptr (GstPacoCudaContext) context = context_new (0);
  GstHarness *harness;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_Y444, 40, 48);
  harness = paco_test_harness (ENCODE);
  become_neighbor (harness->srcpad, context);
  gst_harness_set_src_caps (harness, device_caps (&info));
  check_answers (harness->element, context);
  check_encode (harness, context, &info, 1, "upstream's");
  check_answers (harness->element, context);
  paco_test_teardown (harness);

  harness = decoder_harness (DECODE, &info);
  become_neighbor (harness->sinkpad, context);
  check_decode (harness, &info, 1, TRUE);
  check_answers (harness->element, context);
  paco_test_teardown (harness);
}

/* Tests that the decoder makes a context where nobody has one, and says so. */
TEST (test_makes)
{
  static const GstMessageType types[] = { GST_MESSAGE_NEED_CONTEXT,
    GST_MESSAGE_HAVE_CONTEXT };
  g_autoptr (PacoHarness) harness = NULL;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_Y444, 40, 48);
  harness = decoder_harness (DECODE, &info);
  check_decode (harness, &info, 1, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (types); i++) {
    g_autoptr (GstMessage) message = gst_bus_pop_filtered (
        GST_ELEMENT_BUS (harness->element), types[i]);

    fail_unless (message != NULL);
  }
}

/* Tests that the first picture tells where all of them are, and that one that
 * is elsewhere later on is copied. */
TEST (test_other_context)
{
  g_autoptr (GstPacoCudaContext) shared = context_new (0);
  g_autoptr (GstPacoCudaContext) other = context_new (0);
  g_autoptr (PacoHarness) harness = NULL;
  GstVideoInfo info;

  paco_test_info (&info, GST_VIDEO_FORMAT_NV12, 52, 46);
  harness = encoder_harness (ENCODE, &info, shared);
  check_encode (harness, other, &info, 1, "first");
  check_answers (harness->element, other);
  check_encode (harness, shared, &info, 2, "elsewhere");
  check_encode (harness, other, &info, 3, "back");
  check_answers (harness->element, other);
  fail_unless_equals_int (stat_of (harness, "pacoenc", "frames"), 3);
}

static void
expect_device (GstHarness *harness, const gchar *name)
{
  g_autoptr (GstStructure) stats = stats_of (harness, "pacoenc");
  const gchar *device = gst_structure_get_string (stats, "device");

  fail_unless (strstr (device, name) != NULL, "%s", device);
}

/* Tests that the device that was asked for codes pictures of another one, as
 * copies. */
TEST (test_other_device)
{
  g_autoptr (GstPacoCudaContext) context = NULL;
  g_autoptr (PacoHarness) asked = NULL, any = NULL;
  GstVideoInfo info;

  if (!has_fake_driver ())
    return;
  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  context = context_new (1);
  paco_test_info (&info, GST_VIDEO_FORMAT_UYVY, 52, 46);
  asked = encoder_harness (ENCODE " cuda-device-id=0", &info, context);
  for (guint i = 0; i < 3; i++)
    check_encode (asked, context, &info, i, "another device's");
  expect_device (asked, "GPU 0");

  /* Nobody has said which device it is, so it is the one where the pictures
   * are. */
  any = encoder_harness (ENCODE, &info, NULL);
  check_encode (any, context, &info, 9, "any device");
  expect_device (any, "GPU 1");
  g_unsetenv ("FAKE_CUDA_DEVICES");
}

/* Tests an element of several devices. A picture lies on one device, so it does
 * not ask for device memory, and copies what comes all the same. */
TEST (test_several_devices)
{
  GstPacoCudaContext *context;
  GstHarness *harness;
  GstVideoInfo info;
  GstCaps *caps;

  if (!has_fake_driver ())
    return;
  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  context = context_new (1);
  paco_test_info (&info, GST_VIDEO_FORMAT_NV12, 52, 46);
  harness = paco_test_harness (ENCODE " cuda-devices=0,1");
  caps = gst_pad_peer_query_caps (harness->srcpad, NULL);
  for (guint i = 0; i < gst_caps_get_size (caps); i++)
    fail_if (is_device_caps (caps, i));
  gst_caps_unref (caps);
  gst_harness_set_src_caps (harness, device_caps (&info));
  for (guint i = 0; i < 4; i++)
    check_encode (harness, context, &info, i, "several devices");
  paco_test_teardown (harness);
  gst_object_unref (context);
  g_unsetenv ("FAKE_CUDA_DEVICES");
}

/* Tests a device that is too old for the kernels, but has pictures all the
 * same. */
TEST (test_old_device)
{
  g_autoptr (GstPacoCudaContext) context = NULL;
  g_autoptr (PacoHarness) harness = NULL;
  GstVideoInfo info;
  g_autoptr (GstBuffer) picture = NULL, expected = NULL, found = NULL;

  if (!has_fake_driver ())
    return;
  context = context_new (0);
  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 52, 46);
  picture = test_picture (&info, 3);
  expected = encode_on_host (&info, picture);
  harness = encoder_harness (ENCODE, &info, NULL);
  g_setenv ("FAKE_CUDA_CAPABILITY", "5.2", TRUE);
  found = encode_in (harness, context, &info, picture);
  g_unsetenv ("FAKE_CUDA_CAPABILITY");
  assert_same_bytes (found, expected, "copied");
  expect_warning (harness, "");
}

/* Tests that an element gives an error, and nothing worse happens, when whoever
 * has lent a context takes it away. */
TEST (test_context_gone)
{
  GstPacoCudaContext *context;
  gpointer handle;
  GstHarness *harness;
  GstVideoInfo info;
  GstBuffer *picture, *buffer;
  GError *error;

  if (!has_fake_driver ())
    return;
  paco_test_info (&info, GST_VIDEO_FORMAT_I420, 52, 46);
  context = lent_context (&handle);
  picture = test_picture (&info, 1);
  harness = encoder_harness (ENCODE, &info, NULL);
  check_encode (harness, context, &info, 1, "while it is there");
  buffer = device_buffer (context, &info, picture);
  destroy_context (handle);
  gst_harness_push (harness, buffer);
  fail_unless (gst_harness_try_pull (harness) == NULL);
  gst_element_set_state (harness->element, GST_STATE_NULL);
  error = paco_test_pop_error (harness);
  fail_unless (error != NULL);
  fail_unless (strlen (error->message) > 20);
  g_error_free (error);
  gst_buffer_unref (picture);
  ignore_errors (harness);
  paco_test_teardown (harness);
  gst_object_unref (context);
  forgive_misuses ();
}

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

/* What came of a life: a frame, which is checked, or an error. */
typedef struct
{
  gboolean came, has_error;
} Outcome;

static Outcome
finish (GstHarness *harness, const Life *life, GstBuffer *input,
    GstBuffer *expected)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (harness->element);
  g_autoptr (GstBuffer) out = NULL;
  g_autoptr (GError) error = NULL;
  Outcome outcome;

  gst_harness_push (harness, gst_buffer_ref (input));
  out = gst_harness_try_pull (harness);
  outcome.came = out != NULL;
  if (out && expected)
    assert_same_bytes (out, expected, "a frame");
  gst_clear_buffer (&out);
  gst_harness_teardown (harness);
  error = pop_said (bus, GST_MESSAGE_ERROR);
  outcome.has_error = error != NULL;
  fail_unless (!error || strlen (error->message) > 20);
  gst_bus_set_flushing (bus, TRUE);
  return outcome;
}

static Outcome
encode_life (const Life *life)
{
  GstHarness *harness = paco_test_harness (ENCODE " pipeline-depth=1");

  fake.plan (life->plan);
  give_context (harness->element, life->context);
  gst_harness_set_src_caps (harness, device_caps (&life->info));
  return finish (harness, life, life->input, life->expected);
}

static Outcome
decode_life (const Life *life)
{
  GstHarness *harness = paco_test_decoder_harness (DECODE " pipeline-depth=1");

  fake.plan (life->plan);
  give_context (harness->element, life->context);
  gst_harness_set_sink_caps_str (
      harness, "video/x-raw(memory:CUDAMemory); video/x-raw");
  return finish (harness, life, life->coded, NULL);
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
check_failing (Outcome (*live) (const Life *), const char *function, unsigned n,
    const char *how)
{
  g_autofree char *plan = g_strdup_printf ("%s:%u:%s", function, n, how);
  Outcome outcome;
  Life life;

  life_init (&life);
  life.plan = plan;
  outcome = live (&life);
  fake.plan (NULL);
  fail_unless (outcome.came || outcome.has_error,
      "%s: neither a frame nor an error", plan);
  life_clear (&life);
  forgive_misuses ();
}

static void
check_failures (Outcome (*live) (const Life *))
{
  static const char *const hows[] = { "2", "2:from", "700:lost" };
  const char *function;
  guint counts[128] = { 0 };
  Outcome outcome;
  Life life;

  life_init (&life);
  outcome = live (&life);
  fail_unless (outcome.came && !outcome.has_error);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    counts[i] = fake.calls (i, &function);
    if (function == NULL)
      break;
  }
  life_clear (&life);

  for (guint i = 0; fake.calls (i, &function), function != NULL; i++)
    for (guint k = 0; k < G_N_ELEMENTS (hows) && counts[i] > 0; k++) {
      check_failing (live, function, 1, hows[k]);
      if (counts[i] > 1)
        check_failing (live, function, counts[i], hows[k]);
    }
}

TEST (test_encoder_failures)
{
  if (has_fake_driver () && !has_real_kernels ())
    check_failures (encode_life);
}

TEST (test_decoder_failures)
{
  if (has_fake_driver () && !has_real_kernels ())
    check_failures (decode_life);
}

TEST_MAIN_AFTER (prepare (NULL), "cudacontexts")

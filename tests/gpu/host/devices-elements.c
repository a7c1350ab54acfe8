/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the property cuda-devices of the elements, over a driver of our own, which
 * this program is linked to: which values it takes, what stats says, and what the
 * elements say when one of several GPUs fails or does not answer; which GPU they
 * take by themselves; and that they share GPUs and page-locked memory with libpaco. */
#include "tests/check/pacotest.h"
#include "tests/gpu/host/pipelines.h"
#include "codec/coder.h"
#include "lib/paco.h"
#include <gst/check/gstharness.h>
#include <stdio.h>

#define SOURCE                                                                 \
  "videotestsrc num-buffers=%u pattern=ball ! "                                \
  "video/x-raw,format=I420,width=96,height=64 ! "

static const char *const launches[] = {
  SOURCE "pacoenc name=coder %s ! fakesink",
  SOURCE "pacoenc backend=cpu ! pacodec name=coder %s ! fakesink",
};

/* --- Playing --- */

typedef struct
{
  GstElement *pipeline, *coder;
  GstBus *bus;
  GString *warnings; /* what those say that were posted */
} Player;

/* Sets up a player; properties are those of the coder, an encoder or a
 * decoder. */
static void
player_init (
    Player *player, bool decoder, const char *properties, guint n_frames)
{
  player->pipeline = make_pipeline (launches[decoder], n_frames, properties);
  player->coder = gst_bin_get_by_name (GST_BIN (player->pipeline), "coder");
  player->bus = gst_element_get_bus (player->pipeline);
  player->warnings = g_string_new (NULL);
}

static void
player_clear (Player *player)
{
  fail_unless_equals_int (
      gst_element_set_state (player->pipeline, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  g_string_free (player->warnings, TRUE);
  gst_object_unref (player->bus);
  gst_object_unref (player->coder);
  gst_object_unref (player->pipeline);
}

static guint64
get_number (const GstStructure *structure, const char *field)
{
  guint64 number;

  fail_unless (gst_structure_get_uint64 (structure, field, &number),
      "no number %s", field);
  return number;
}

/* --- Values --- */

#define SEVENTEEN "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16"

static const struct
{
  const char *properties, *words;
} refused[] = {
  { "backend=cuda cuda-devices=0,,1", "cuda-devices=0,,1 is no list of GPUs" },
  { "cuda-devices=0,,1", "cuda-devices=0,,1 is no list of GPUs" },
  { "backend=cpu cuda-devices=x", "cuda-devices=x is no list of GPUs" },
  { "cuda-devices=\",\"", "write their numbers, as in \"0,1\", or \"all\"" },
  { "cuda-devices=0,1,", "is no list of GPUs" },
  { "cuda-devices=-1", "is no list of GPUs" },
  { "cuda-devices=all,0", "is no list of GPUs" },
  { "cuda-devices=99999999999", "is no list of GPUs" },
  { "cuda-devices=0,0", "cuda-devices=0,0 has device 0 twice" },
  { "cuda-devices=1,0,1", "has device 1 twice" },
  { "cuda-devices=" SEVENTEEN, "has more than 16 devices" },
  { "backend=cuda cuda-devices=0,7", "there is no CUDA device 7, only 0 to 1" },
};

GST_START_TEST (test_refused)
{
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    Player player;
    GError *error;

    player_init (&player, i % 2, refused[i].properties, 5);
    error = play_with_warnings (player.pipeline, player.warnings);
    fail_unless (error != NULL && strstr (error->message, refused[i].words),
        "%s: %s", refused[i].properties, error ? error->message : "no error");
    g_clear_error (&error);
    player_clear (&player);
    check_left (refused[i].properties);
  }
}
GST_END_TEST;

/* These values are taken, with n devices, and with a warning of what of
 * them or beside them has no effect. */
static const struct
{
  const char *properties;
  guint n_devices;
  const char *warning;
} taken[] = {
  { "backend=cuda cuda-devices=0", 1, "" },
  { "cuda-devices=1,0", 2, "" },
  { "cuda-devices=\" 0 , 1 \"", 2, "" },
  { "cuda-devices=all", 2, "" },
  { "cuda-devices=\"\"", 1, "" },
  { "cuda-devices=0,1 cuda-device-id=1", 2,
      "cuda-device-id=1 has no effect with cuda-devices=0,1" },
  { "cuda-devices=0,1 backend=cpu", 0,
      "cuda-devices=0,1 has no effect with backend=cpu" },
  { "cuda-devices=0,7", 0,
      "cuda-devices=0,7 cannot be used, so the CPU codes: there is no CUDA "
      "device 7" },
};

GST_START_TEST (test_taken)
{
  for (guint i = 0; i < 2 * G_N_ELEMENTS (taken); i++) {
    const char *properties = taken[i / 2].properties;
    const char *words = taken[i / 2].warning;
    Player player;
    GError *error;
    GstStructure *stats;
    const GValue *devices;

    player_init (&player, i % 2, properties, 5);
    error = play_with_warnings (player.pipeline, player.warnings);
    g_assert_no_error (error);
    g_object_get (player.coder, "stats", &stats, NULL);
    devices = gst_structure_get_value (stats, "devices");
    fail_unless_equals_int (
        gst_value_array_get_size (devices), taken[i / 2].n_devices);
    fail_unless (words[0] != '\0'
            ? g_str_has_prefix (player.warnings->str, words)
            : player.warnings->len == 0,
        "%s: %s", properties, player.warnings->str);
    gst_structure_free (stats);
    player_clear (&player);
    check_left (properties);
  }
}
GST_END_TEST;

GST_START_TEST (test_property)
{
  g_autoptr (GstElement) encoder = gst_element_factory_make ("pacoenc", NULL);
  char *text;

  gst_object_ref_sink (encoder);
  for (guint i = 0; i < 3; i++) {
    static const char *const set[] = { "0,1", NULL, "all" };

    g_object_get (encoder, "cuda-devices", &text, NULL);
    fail_unless_equals_string (text, i == 1 ? "0,1" : "");
    g_free (text);
    g_object_set (encoder, "cuda-devices", set[i], NULL);
  }
}
GST_END_TEST;

/* --- Figures --- */

/* Tests that frames go to the devices in turn, whatever the depth, and that
 * sums are sums. */
GST_START_TEST (test_stats)
{
  for (guint i = 0; i < 12; i++) {
    guint n_frames = g_random_int_range (1, 40), depth = 1 + i % 3;
    g_autofree char *properties = g_strdup_printf (
        "backend=cuda cuda-devices=1,0 pipeline-depth=%u", depth);
    guint64 frames = 0, bytes = 0, memory = 0;
    GstStructure *stats;
    const GValue *devices;
    Player player;
    GError *error;

    player_init (&player, i % 2, properties, n_frames);
    error = play_with_warnings (player.pipeline, player.warnings);
    g_assert_no_error (error);
    g_object_get (player.coder, "stats", &stats, NULL);
    fail_unless_equals_string (gst_structure_get_string (stats, "device"),
        "Fake GPU 1 (device 1) and 1 more");
    devices = gst_structure_get_value (stats, "devices");
    fail_unless_equals_int (gst_value_array_get_size (devices), 2);
    for (guint d = 0; d < 2; d++) {
      const GstStructure *device = gst_value_get_structure (
          gst_value_array_get_value (devices, d));

      fail_unless_equals_string (gst_structure_get_string (device, "name"),
          d == 0 ? "Fake GPU 1 (device 1)" : "Fake GPU 0 (device 0)");
      fail_unless_equals_uint64 (
          get_number (device, "frames"), (n_frames + 1 - d) / 2);
      fail_unless (get_number (device, "device-memory") > 0);
      frames += get_number (device, "frames");
      bytes += get_number (device, "bytes");
      memory += get_number (device, "device-memory");
    }
    fail_unless_equals_uint64 (get_number (stats, "frames"), frames);
    fail_unless_equals_uint64 (get_number (stats, "bytes"), bytes);
    fail_unless_equals_uint64 (get_number (stats, "device-memory"), memory);
    gst_structure_free (stats);
    player_clear (&player);
    check_left (properties);
  }
}
GST_END_TEST;

/* --- Automatic choice --- */

#define N_PLAYERS 6

/* Tests that elements that are open at the same time share out the devices:
 * each new one is on one of those that have the fewest. */
GST_START_TEST (test_automatic)
{
  Player players[N_PLAYERS];
  guint n_coders[4] = { 0 };

  g_setenv ("FAKE_CUDA_DEVICES", "4", TRUE);
  for (guint i = 0; i < 3 * N_PLAYERS; i++) {
    Player *player =
        &players[i < N_PLAYERS ? i : (guint) g_random_int_range (0, N_PLAYERS)];
    guint device, fewest = G_MAXUINT;
    GError *error;

    if (i >= N_PLAYERS) {
      n_coders[device_of (player->coder)]--;
      player_clear (player);
    }
    player_init (player, g_random_boolean (),
        g_random_boolean () ? "backend=cuda" : "backend=cuda cuda-device-id=-1",
        3);
    error = play_with_warnings (player->pipeline, player->warnings);
    g_assert_no_error (error);
    device = device_of (player->coder);
    for (guint d = 0; d < 4; d++)
      fewest = MIN (fewest, n_coders[d]);
    fail_unless_equals_int (n_coders[device], fewest);
    n_coders[device]++;
  }
  for (guint i = 0; i < N_PLAYERS; i++)
    player_clear (&players[i]);
  check_left ("automatic");
  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
}
GST_END_TEST;

/* Tests that there are buffers for all frames in flight, and one that upstream
 * fills. */
GST_START_TEST (test_pool)
{
  static const struct
  {
    const char *devices;
    guint depth, n_buffers;
  } cases[] = { { "", 3, 4 }, { "0,1", 3, 7 }, { "all", 8, 17 } };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElement *encoder = gst_element_factory_make ("pacoenc", NULL);
    GstPad *pad = gst_element_get_static_pad (encoder, "sink");
    GstCaps *caps = gst_caps_from_string (
        "video/x-raw,format=I420,width=96,height=64,framerate=25/1");
    GstQuery *query = gst_query_new_allocation (caps, TRUE);
    guint min;

    gst_object_ref_sink (encoder);
    g_object_set (encoder, "cuda-devices", cases[i].devices, "pipeline-depth",
        cases[i].depth, NULL);
    gst_element_set_state (encoder, GST_STATE_PAUSED);
    fail_unless (gst_pad_query (pad, query));
    gst_query_parse_nth_allocation_pool (query, 0, NULL, NULL, &min, NULL);
    fail_unless_equals_int (min, cases[i].n_buffers);
    gst_query_unref (query);
    gst_caps_unref (caps);
    gst_object_unref (pad);
    gst_element_set_state (encoder, GST_STATE_NULL);
    gst_object_unref (encoder);
    check_left ("pool");
  }
}
GST_END_TEST;

/* --- libpaco in the same process --- */

/* Returns an encoder of libpaco that has opened the device, and memory from it. */
static PacoFrameEncoder *
open_library (const char *device, size_t size, PacoBuffer *memory)
{
  PacoFrameEncoder *encoder = paco_frame_encoder_new ();
  PacoError error;

  fail_unless (paco_frame_encoder_set (encoder, "backend", "cuda", &error)
              == PACO_STATUS_OK
          && paco_frame_encoder_set (encoder, "cuda-device-id", device, &error)
              == PACO_STATUS_OK
          && paco_frame_encoder_allocate (encoder, size, memory, &error)
              == PACO_STATUS_OK,
      "%s", error.message);
  return encoder;
}

/* Tests that an element uses the context of libpaco's encoder on the same GPU, and that
 * an element without a number takes the GPU on which libpaco has none. */
GST_START_TEST (test_library_device)
{
  static const char *const properties[] = { "backend=cuda cuda-device-id=0",
    "backend=cuda" };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (properties); i++) {
    PacoBuffer memory;
    PacoFrameEncoder *encoder = open_library ("0", 100, &memory);
    FakeCudaLeft left;
    Player player;
    GError *error;

    player_init (&player, i % 2, properties[i / 2], 5);
    error = play_with_warnings (player.pipeline, player.warnings);
    g_assert_no_error (error);
    fail_unless_equals_int (device_of (player.coder), i / 2);
    fake_cuda_left (&left);
    fail_unless_equals_int (left.contexts, 1 + i / 2);
    player_clear (&player);
    paco_buffer_release (&memory);
    paco_frame_encoder_free (encoder);
    check_left ("libpaco");
  }
}
GST_END_TEST;

/* Encodes a gray picture of 96 x 64 that is in this memory, and returns how often
 * page-locked memory was allocated for it. */
static guint
encode_from (void *data)
{
  GstHarness *harness = gst_harness_new_parse (
      "pacoenc backend=cuda cuda-device-id=0 pipeline-depth=1");
  GstBuffer *buffer = gst_buffer_new_wrapped_full (
      GST_MEMORY_FLAG_READONLY, data, 96 * 64, 0, 96 * 64, NULL, NULL);
  guint n;

  fake_cuda_fail (NULL);
  gst_harness_set_src_caps_str (
      harness, "video/x-raw,format=GRAY8,width=96,height=64,framerate=25/1");
  gst_buffer_unref (gst_harness_push_and_pull (harness, buffer));
  n = fake_cuda_calls_of (fake_cuda_calls, "cuMemHostAlloc");
  gst_harness_teardown (harness);
  return n;
}

/* Tests that a picture in page-locked memory of libpaco is uploaded from there, and one
 * in other memory is copied into page-locked memory before. */
GST_START_TEST (test_library_memory)
{
  PacoBuffer memory;
  PacoFrameEncoder *encoder = open_library ("0", 96 * 64, &memory);
  g_autofree void *heap = g_malloc0 (96 * 64);

  fail_unless_equals_int (encode_from (memory.data) + 1, encode_from (heap));
  paco_buffer_release (&memory);
  paco_frame_encoder_free (encoder);
  check_left ("libpaco");
}
GST_END_TEST;

/* --- One of them fails --- */

/* Tests that whenever one of them fails, the error says which, and the elements
 * work again afterwards, when the GPU does. */
GST_START_TEST (test_failure)
{
  for (guint i = 0; i < 40; i++) {
    guint device = i / 2 % 2;
    g_autofree char *plan = g_strdup_printf (
        "device%u:%u:700:lost", device, 1 + g_random_int_range (0, 20 + 8 * i));
    g_autofree char *name = g_strdup_printf (
        "Fake GPU %u (device %u)", device, device);
    Player player;
    GError *error;

    player_init (&player, i % 2, "backend=cuda cuda-devices=0,1", 60);
    fake_cuda_fail (plan);
    error = play_with_warnings (player.pipeline, player.warnings);
    fail_unless (error != NULL && strstr (error->message, name), "%s: %s", plan,
        error ? error->message : "no error");
    g_clear_error (&error);
    gst_element_set_state (player.pipeline, GST_STATE_NULL);
    check_left (plan);

    fake_cuda_fail (NULL);
    gst_bus_set_flushing (player.bus, TRUE);
    gst_bus_set_flushing (player.bus, FALSE);
    error = play_with_warnings (player.pipeline, player.warnings);
    g_assert_no_error (error);
    player_clear (&player);
    check_left (plan);
  }
}
GST_END_TEST;

/* Tests a GPU that does not answer, from some call on, while the other does. A decoder of
 * 100 frames makes more than 770 calls on each. */
GST_START_TEST (test_hang)
{
  g_setenv ("GST_PACO_DEVICE_TIMEOUT", "250", TRUE);
  for (guint i = 0; i < 8; i++) {
    guint device = i / 2 % 2;
    g_autofree char *plan = g_strdup_printf (
        "device%u:%u:0:hang", device, 1 + g_random_int_range (0, 80 + 80 * i));
    g_autofree char *name = g_strdup_printf (
        "Fake GPU %u (device %u)", device, device);
    Player player;
    GError *error;

    player_init (&player, i % 2, "backend=cuda cuda-devices=0,1", 100);
    fake_cuda_fail (plan);
    error = play_with_warnings (player.pipeline, player.warnings);
    fail_unless (error != NULL && strstr (error->message, "has not answered"),
        "%s: %s", plan, error ? error->message : "no error");
    /* While it is opened nobody knows more than that it is the driver. */
    fail_unless (strstr (error->message, name) != NULL
            || strstr (error->message, "the CUDA driver") != NULL,
        "%s: %s", plan, error->message);
    g_clear_error (&error);
    player_clear (&player);
    check_left_later (plan);
  }
  g_unsetenv ("GST_PACO_DEVICE_TIMEOUT");
}
GST_END_TEST;

/* Tests stopping with frames on both. */
GST_START_TEST (test_stop)
{
  fake_cuda_fail (NULL);
  for (guint i = 0; i < 40; i++) {
    Player player;

    player_init (&player, i % 2,
        "backend=cuda cuda-devices=all pipeline-depth=4", 1000000);
    gst_element_set_state (player.pipeline, GST_STATE_PLAYING);
    g_usleep (g_random_int_range (0, 10000));
    player_clear (&player);
    check_left ("stopped");
  }
}
GST_END_TEST;

static Suite *
devices_suite (void)
{
  Suite *suite = suite_create ("devices");
  TCase *tests = tcase_create ("general");

  suite_add_tcase (suite, tests);
  tcase_set_timeout (tests, 120);
  tcase_add_test (tests, test_refused);
  tcase_add_test (tests, test_taken);
  tcase_add_test (tests, test_property);
  tcase_add_test (tests, test_stats);
  tcase_add_test (tests, test_automatic);
  tcase_add_test (tests, test_pool);
  tcase_add_test (tests, test_library_device);
  tcase_add_test (tests, test_library_memory);
  tcase_add_test (tests, test_failure);
  tcase_add_test (tests, test_hang);
  tcase_add_test (tests, test_stop);
  return suite;
}

int
main (int argc, char **argv)
{
  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  gst_check_init (&argc, &argv);
  return gst_check_run_suite (devices_suite (), "devices", __FILE__);
}

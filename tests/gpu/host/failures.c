/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what the CUDA backend does when the driver fails, over the fake driver,
 * so that no GPU is needed: every call of every function that a coder makes in
 * its life fails once, in several ways. The life then ends with an error that
 * names the cause, or goes on where the failure does no harm; nothing is left
 * behind, nothing hangs, and no frame comes out that was not coded.
 *
 *   failures FAKE-DRIVER OLD-DRIVER FAKE-MANAGEMENT [-m slow]
 *
 * Each run draws a share of the failures; with -m slow it tries all of them. */
#include "tests/gpu/host/failures-life.h"
#include "tests/gpu/driver/fake-driver.h"
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BACKEND paco_cuda_backend
#define MAX_SECONDS 60 /* of a life */

static const char *fake_path, *old_path, *management_path;

static struct
{
  __typeof__ (fake_cuda_fail) *fail;
  __typeof__ (fake_cuda_has_failed) *has_failed;
  __typeof__ (fake_cuda_failed_device) *failed_device;
  __typeof__ (fake_cuda_calls) *calls;
  __typeof__ (fake_cuda_left) *left;
  __typeof__ (fake_cuda_clear) *clear;
} fake;

/* Has whoever opens libcuda.so.1 from here on get the fake one. */
static void
load_fake (void)
{
  void *library = dlopen (fake_path, RTLD_NOW | RTLD_LOCAL);

  if (!library)
    g_error ("%s", dlerror ());
  *(void **) &fake.fail = dlsym (library, "fake_cuda_fail");
  *(void **) &fake.has_failed = dlsym (library, "fake_cuda_has_failed");
  *(void **) &fake.failed_device = dlsym (library, "fake_cuda_failed_device");
  *(void **) &fake.calls = dlsym (library, "fake_cuda_calls");
  *(void **) &fake.left = dlsym (library, "fake_cuda_left");
  *(void **) &fake.clear = dlsym (library, "fake_cuda_clear");
  g_assert_true (fake.fail && fake.has_failed && fake.failed_device
      && fake.calls && fake.left && fake.clear);
}

/* Returns how often a function was called since the last plan. */
static unsigned
calls_of (const char *function)
{
  return fake_cuda_calls_of (fake.calls, function);
}

/* --- A coder that does not end --- */

static char now[160];

static void
hangs (int signal_number)
{
  static const char text[] = "Bail out! It hangs: ";

  if (write (STDOUT_FILENO, text, sizeof text - 1) < 0
      || write (STDOUT_FILENO, now, strlen (now)) < 0
      || write (STDOUT_FILENO, "\n", 1) < 0)
    _exit (2);
  _exit (1);
}

/* --- Lives --- */

typedef void (*LiveFunc) (Life *);

/* Says whether the function's failure does no harm but that a little memory or
 * time is lost. Such functions may fail without an error, but need not. */
static bool
is_harmless (const char *function)
{
  static const char *const harmless[] = { "cuEventElapsedTime",
    "cuFuncSetAttribute", "cuFuncGetAttribute", "cuDeviceGetName",
    "cuCtxPopCurrent_v2", "cuCtxDestroy_v2", "cuStreamDestroy_v2",
    "cuEventDestroy_v2", "cuMemFree_v2", "cuMemFreeHost", "cuModuleUnload",
    "cuStreamSynchronize", "cuCtxPushCurrent_v2", "cuGraphCreate",
    "cuGraphAddKernelNode_v2", "cuGraphAddDependencies_v2",
    "cuGraphInstantiateWithFlags", "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphExecDestroy", "cuGraphDestroy", NULL };

  return g_strv_contains (harmless, function);
}

/* Checks that nothing is left, unless everything fails, when nothing can be
 * given back. */
static void
check_left (const char *plan, const char *function, bool all_gone)
{
  FakeCudaLeft left;
  bool kept = strcmp (function, "cuCtxDestroy_v2") == 0;
  bool stays = strcmp (function, "cuCtxPopCurrent_v2") == 0;

  fake.left (&left);
  if (left.misuses > 0)
    g_error ("%s: %u misuses of the driver", plan, left.misuses);
  if (!all_gone && !kept && (left.contexts > 0 || (!stays && left.pushed > 0)))
    g_error ("%s: left: %u contexts, %u modules, %u streams, %u events, "
             "%u graphs, %u and %u pieces of memory; %u contexts current",
        plan, left.contexts, left.modules, left.streams, left.events,
        left.graphs, left.device_memory, left.host_memory, left.pushed);
  fake.clear ();
}

static const struct
{
  int result;
  const char *name, *how;
  bool goes_on, new_works, new_fails;
} ways[] = {
  { 2, "CUDA_ERROR_OUT_OF_MEMORY", "once", .goes_on = true },
  { 2, "CUDA_ERROR_OUT_OF_MEMORY", "from" },
  { 700, "CUDA_ERROR_ILLEGAL_ADDRESS", "lost", .new_works = true },
  { 46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "gone", .new_fails = true },
};

static void
check_life (const Life *life, const char *function, bool once)
{
  if (!life->has_failed () && life->n_good < life->n_frames)
    g_error ("%s: %u of %u frames", life->plan, life->n_good, life->n_frames);
  if (life->failed_early && life->n_errors == 0
      && (life->n_good < life->n_frames || !is_harmless (function)))
    g_error ("%s: no error", life->plan);
  if (once && life->n_errors > 1)
    g_error ("%s: %u errors of one failure", life->plan, life->n_errors);
  if (once && life->n_good + life->n_errors < life->n_frames)
    g_error ("%s: %u of %u frames", life->plan, life->n_good, life->n_frames);
}

/* Lives a life in which the call of this number of a function fails in a
 * way. */
static void
live (LiveFunc func, unsigned n_devices, const char *function, unsigned number,
    unsigned way)
{
  Life life = {
    .plan = now,
    .cause = ways[way].name,
    .device = -1,
    .n_devices = n_devices,
    .goes_on = ways[way].goes_on,
    .new_works = ways[way].new_works,
    .new_fails = ways[way].new_fails,
    .has_failed = fake.has_failed,
    .failed_device = fake.failed_device,
  };

  g_snprintf (now, sizeof now, "%s:%u:%d:%s", function, number,
      ways[way].result, ways[way].how);
  fake.fail (now);
  alarm (MAX_SECONDS);
  func (&life);
  alarm (0);
  check_life (&life, function, strcmp (ways[way].how, "once") == 0);
  check_left (now, function, strcmp (ways[way].how, "gone") == 0);
}

/* Chooses early ones, and some of the others. */
static bool
is_chosen (unsigned number, unsigned n)
{
  return number <= 10 || number == n || number % (1 + n / 16) == 0;
}

/* Lives lives in which each call fails. n_devices is 0 for one of them; share
 * is that of the lives, chosen at random, of which 1 is all. */
static void
live_all (LiveFunc func, unsigned n_devices, double share)
{
  g_autoptr (GArray) n_calls = g_array_new (FALSE, TRUE, sizeof (unsigned));
  Life life = {
    .plan = "without a failure",
    .device = -1,
    .n_devices = n_devices,
    .has_failed = fake.has_failed,
  };
  const char *function;
  unsigned n, n_lives = 0;

  fake.fail (NULL);
  func (&life);
  g_assert_cmpuint (life.n_errors, ==, 0);
  g_assert_cmpuint (life.n_good, ==, life.n_frames);
  g_assert_cmpuint (life.n_good, >, 0);
  for (unsigned i = 0; n = fake.calls (i, &function), function; i++)
    g_array_append_val (n_calls, n);
  check_left (life.plan, "", false);

  for (unsigned i = 0; i < n_calls->len; i++) {
    fake.calls (i, &function);
    n = g_array_index (n_calls, unsigned, i);
    for (unsigned number = 1; number <= n; number++)
      for (unsigned w = 0; is_chosen (number, n) && w < G_N_ELEMENTS (ways);
           w++)
        if (g_test_rand_double () < share) {
          live (func, n_devices, function, number, w);
          n_lives++;
        }
  }
  g_test_message ("%u lives", n_lives);
}

static void
test_encoder (void)
{
  live_all (life_of_encoder, 0, g_test_slow () ? 1.0 : 0.1);
}

static void
test_decoder (void)
{
  live_all (life_of_decoder, 0, g_test_slow () ? 1.0 : 0.1);
}

/* Tests one coder on several devices, of which one fails. */
static void
test_several_devices (gconstpointer func)
{
  g_setenv ("FAKE_CUDA_DEVICES", "3", TRUE);
  live_all ((LiveFunc) func, 3, g_test_slow () ? 1.0 : 0.06);
  g_unsetenv ("FAKE_CUDA_DEVICES");
}

/* --- Opening --- */

/* Does what failures --open [DRIVER] asks for: says what opening says in a
 * process that has loaded just this driver, and else finds only what is
 * installed. */
static int
say_what_opening_says (const char *library)
{
  const PacoBackendOptions options = { .device = -1, .depth = 1 };
  GError *error = NULL;
  bool loaded = dlopen (library ? library : "libcuda.so.1", RTLD_NOW) != NULL;

  if (loaded != (library != NULL))
    return 77;
  if (!BACKEND.encoder_open (&options, &error))
    printf ("%s", error->message);
  g_clear_error (&error);
  return 0;
}

/* Returns the environment, without our drivers in LD_LIBRARY_PATH. */
static char **
environment_of_child (void)
{
  const char *path = g_getenv ("LD_LIBRARY_PATH");
  char **folders = g_strsplit (path ? path : "", ":", -1);
  char *ours[] = { g_path_get_dirname (fake_path),
    g_path_get_dirname (old_path) };
  GString *others = g_string_new (NULL);
  char **environment;

  for (char **at = folders; *at; at++)
    if (strcmp (*at, ours[0]) != 0 && strcmp (*at, ours[1]) != 0)
      g_string_append_printf (others, "%s%s", others->len > 0 ? ":" : "", *at);
  environment = g_environ_setenv (
      g_get_environ (), "LD_LIBRARY_PATH", others->str, TRUE);
  g_string_free (others, TRUE);
  g_strfreev (folders);
  g_free (ours[0]);
  g_free (ours[1]);
  return environment;
}

static char *
message_of_child (const char *library)
{
  char **environment = environment_of_child ();
  const char *arguments[] = { "/proc/self/exe", "--open", library, NULL };
  char *message;
  GError *error = NULL;
  int status;

  g_spawn_sync (NULL, (char **) arguments, environment, G_SPAWN_DEFAULT, NULL,
      NULL, &message, NULL, &status, &error);
  g_assert_no_error (error);
  g_strfreev (environment);
  if (WEXITSTATUS (status) == 77)
    g_clear_pointer (&message, g_free);
  return message;
}

static void
expect_words (const char *message, const char *words)
{
  if (!strstr (message, words))
    g_error ("\"%s\" does not say \"%s\"", message, words);
}

static void
test_no_driver (void)
{
  g_autofree char *message = message_of_child (NULL);

  if (message)
    expect_words (message, "no CUDA device: libcuda.so.1");
  else
    g_test_skip ("this machine has a driver");
}

static void
test_old_driver (void)
{
  g_autofree char *message = message_of_child (old_path);

  g_assert_nonnull (message);
  expect_words (message, "the CUDA driver is too old");
  expect_words (message, "cuLaunchKernelEx");
}

static void
expect_refusal (int device, const char *words)
{
  const PacoBackendOptions options = { .device = device, .depth = 1 };
  const int code = g_str_has_prefix (words, "no CUDA device")
      ? PACO_ERROR_NO_DEVICE
      : PACO_ERROR_DEVICE;
  GError *error = NULL;
  PacoDecoder *decoder = BACKEND.decoder_open (&options, &error);

  g_assert_null (decoder);
  g_assert_error (error, PACO_ERROR, code);
  expect_words (error->message, words);
  g_clear_error (&error);
  g_assert_null (BACKEND.encoder_open (&options, &error));
  g_assert_error (error, PACO_ERROR, code);
  expect_words (error->message, words);
  g_clear_error (&error);
  check_left (words, "", false);
}

static void
test_devices (void)
{
  fake.fail (NULL);
  g_setenv ("FAKE_CUDA_DEVICES", "0", TRUE);
  expect_refusal (-1, "no CUDA device");
  expect_refusal (0, "no CUDA device");
  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  expect_refusal (2, "no CUDA device 2, only 0 to 1");
  g_setenv ("FAKE_CUDA_CAPABILITY", "5.2", TRUE);
  expect_refusal (-1, "compute capability 5.2, 7.5 or newer");
  expect_refusal (1, "compute capability 5.2, 7.5 or newer");
  g_unsetenv ("FAKE_CUDA_CAPABILITY");
  fake.fail ("cuInit:1:100:from");
  expect_refusal (-1, "no CUDA device: the driver is installed");
  fake.fail ("cuModuleLoadData:1:209:from");
  expect_refusal (0, "compute capability 9.0");
  fake.fail ("cuDeviceGetAttribute:1:46:from");
  expect_refusal (-1, "CUDA_ERROR_DEVICE_UNAVAILABLE");
  fake.fail ("cuDeviceGetAttribute:1:46:from");
  expect_refusal (1, "CUDA_ERROR_DEVICE_UNAVAILABLE");
  fake.fail (NULL);
  g_unsetenv ("FAKE_CUDA_DEVICES");
}

/* --- Choosing a device --- */

#define MAX_CODERS 9

static PacoCoder *
open_any (bool decoder)
{
  const PacoBackendOptions options = { .device = -1, .depth = 1 };
  GError *error = NULL;
  PacoCoder *coder = decoder
      ? PACO_CODER (BACKEND.decoder_open (&options, &error))
      : PACO_CODER (BACKEND.encoder_open (&options, &error));

  g_assert_no_error (error);
  g_assert_nonnull (coder);
  return coder;
}

static int
device_of (PacoCoder *coder)
{
  PacoStats stats;
  int device, number;

  paco_coder_stats (coder, &stats);
  g_assert_cmpstr (stats.backend, ==, "cuda");
  g_assert_cmpint (
      sscanf (stats.device, "Fake GPU %d (device %d)", &device, &number), ==,
      2);
  if (!g_getenv ("CUDA_VISIBLE_DEVICES"))
    g_assert_cmpint (device, ==, number);
  return device;
}

static unsigned
contexts (void)
{
  FakeCudaLeft left;

  fake.left (&left);
  return left.contexts;
}

/* Tests that coders that are opened and closed in any order spread: each new
 * one is on one of the devices that have the fewest, and of these on that with
 * the most free memory. No device has a context without a coder. */
static void
test_choice (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (g_test_rand_int ());

  fake.fail (NULL);
  for (unsigned n = 0; n < 40; n++) {
    PacoCoder *coders[MAX_CODERS] = { NULL };
    unsigned n_devices = g_rand_int_range (random, 1, 5);
    int n_coders[4] = { 0 }, used[4];
    char *text;

    /* Coders take less than one of these steps. */
    for (unsigned i = 0; i < 4; i++)
      used[i] = 32 * g_rand_int_range (random, 0, 4);
    text = g_strdup_printf ("%u", n_devices);
    g_setenv ("FAKE_CUDA_DEVICES", text, TRUE);
    g_free (text);
    text = g_strdup_printf ("%d,%d,%d,%d", used[0], used[1], used[2], used[3]);
    g_setenv ("FAKE_CUDA_OTHERS", text, TRUE);
    for (unsigned i = 0; i < 60; i++) {
      PacoCoder **coder = &coders[g_rand_int_range (random, 0, MAX_CODERS)];
      unsigned n_open = 0;
      int device;

      if (*coder) {
        n_coders[device_of (*coder)]--;
        paco_coder_close (g_steal_pointer (coder));
        continue;
      }
      *coder = open_any (g_rand_boolean (random));
      device = device_of (*coder);
      g_test_message ("used %s: device %d of %u", text, device, n_devices);
      for (int other = 0; other < (int) n_devices; other++) {
        g_assert_cmpint (n_coders[device], <=, n_coders[other]);
        if (n_coders[device] == n_coders[other])
          g_assert_cmpint (used[device], <=, used[other]);
        /* All coders are alike, and take the same of each device. */
        if (n_coders[device] == n_coders[other] && n_coders[device] == 0
            && used[device] == used[other])
          g_assert_cmpint (device, <=, other);
      }
      n_coders[device]++;
      for (unsigned d = 0; d < n_devices; d++)
        n_open += n_coders[d] > 0;
      g_assert_cmpuint (contexts (), ==, n_open);
    }
    for (unsigned i = 0; i < MAX_CODERS; i++)
      paco_coder_close (coders[i]);
    check_left (text, "", false);
    g_free (text);
  }
  g_unsetenv ("FAKE_CUDA_OTHERS");
  g_unsetenv ("FAKE_CUDA_DEVICES");
}

/* Tests that where nothing ties no memory is asked for, and no context made but
 * that which is used. */
static void
test_choice_without_tie (void)
{
  const PacoBackendOptions options = { .device = 1, .depth = 1 };
  PacoEncoder *encoder;
  PacoCoder *coder;

  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  encoder = BACKEND.encoder_open (&options, NULL);
  g_assert_nonnull (encoder);
  fake.fail (NULL);
  coder = open_any (false);
  g_assert_cmpint (device_of (coder), ==, 0);
  g_assert_cmpuint (calls_of ("cuMemGetInfo_v2"), ==, 0);
  g_assert_cmpuint (calls_of ("cuCtxCreate_v2"), ==, 1);
  paco_coder_close (coder);
  paco_coder_close (PACO_CODER (encoder));
  check_left ("no tie", "", false);
  g_unsetenv ("FAKE_CUDA_DEVICES");
}

/* Tests that a device is chosen without a context on another one where the management
 * library knows the memory of all, and with contexts where it does not. */
static void
test_choice_managed (void)
{
  static const struct
  {
    const char *managed, *visible, *plan;
    unsigned n_asked; /* contexts that are made to ask */
  } cases[] = {
    { "3", "", NULL, 0 },
    { "3", "1,0", NULL, 0 },
    { "2", "", NULL, 3 },
    { "0", "1,0", NULL, 2 },
    { "3", "", "cuDeviceGetUuid_v2:2:46", 3 },
  };
  void *library = dlopen (management_path, RTLD_NOW | RTLD_LOCAL);
  int (*users) (void);

  g_assert_nonnull (library);
  *(void **) &users = dlsym (library, "fake_management_users");
  g_setenv ("FAKE_CUDA_DEVICES", "3", TRUE);
  g_setenv ("FAKE_CUDA_OTHERS", "64,32,96", TRUE);
  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoCoder *coder;

    g_setenv ("FAKE_CUDA_MANAGED", cases[i].managed, TRUE);
    g_setenv ("CUDA_VISIBLE_DEVICES", cases[i].visible, TRUE);
    fake.fail (cases[i].plan);
    coder = open_any (i % 2);
    g_assert_cmpint (device_of (coder), ==, 1);
    g_assert_cmpuint (calls_of ("cuMemGetInfo_v2"), ==, cases[i].n_asked);
    g_assert_cmpuint (
        calls_of ("cuCtxCreate_v2"), ==, MAX (cases[i].n_asked, 1));
    g_assert_cmpint (users (), ==, 0);
    paco_coder_close (coder);
    check_left ("managed", "", false);
  }
  fake.fail (NULL);
  g_unsetenv ("CUDA_VISIBLE_DEVICES");
  g_unsetenv ("FAKE_CUDA_MANAGED");
  g_unsetenv ("FAKE_CUDA_OTHERS");
  g_unsetenv ("FAKE_CUDA_DEVICES");
  dlclose (library);
}

/* Tests that whatever fails on one device, another one codes. */
static void
test_choice_of_another (void)
{
  static const struct
  {
    const char *plan;
    int device;
  } cases[] = {
    { "cuDeviceGet:1:46", 1 },
    { "cuDeviceGetAttribute:1:46", 1 },
    { "cuCtxCreate_v2:1:46", 1 },
    { "cuCtxCreate_v2:1:2", 1 },
    { "cuMemGetInfo_v2:1:700:lost", 1 },
    { "cuModuleLoadData:1:209", 1 },
    { "cuModuleLoadData:2:209:lost", 1 },
    { "cuMemAlloc_v2:1:2", 1 },
    { "cuCtxSynchronize:1:700:lost", 1 },
    { "cuCtxCreate_v2:3:46", 0 },
    { "cuMemGetInfo_v2:2:700:lost", 0 },
  };

  g_setenv ("FAKE_CUDA_DEVICES", "3", TRUE);
  for (unsigned i = 0; i < G_N_ELEMENTS (cases); i++) {
    PacoCoder *coder;

    fake.fail (cases[i].plan);
    coder = open_any (i % 2);
    g_assert_true (fake.has_failed ());
    g_assert_cmpint (device_of (coder), ==, cases[i].device);
    g_assert_cmpuint (contexts (), ==, 1);
    paco_coder_close (coder);
    check_left (cases[i].plan, "", false);
  }
  fake.fail (NULL);
  g_unsetenv ("FAKE_CUDA_DEVICES");
}

/* Tests that a device that has failed comes last, for as long as who used it
 * has it open; where there is no other it is tried again. */
static void
test_choice_after_failure (void)
{
  PacoCoder *coders[3], *failed;
  GError *error = NULL;
  PacoHostMemory *memory;

  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  fake.fail (NULL);
  failed = open_any (false);
  g_assert_cmpint (device_of (failed), ==, 0);
  fake.fail ("device0:1:700:lost");
  memory = paco_coder_host_memory (failed, 100, &error);
  g_assert_null (memory);
  g_assert_error (error, PACO_ERROR, PACO_ERROR_DEVICE);
  g_clear_error (&error);
  for (unsigned i = 0; i < 3; i++) {
    coders[i] = open_any (i == 1);
    g_assert_cmpint (device_of (coders[i]), ==, 1);
  }
  for (unsigned i = 0; i < 3; i++)
    paco_coder_close (coders[i]);
  g_setenv ("FAKE_CUDA_DEVICES", "1", TRUE);
  coders[0] = open_any (false);
  g_assert_cmpint (device_of (coders[0]), ==, 0);
  paco_coder_close (coders[0]);
  paco_coder_close (failed);
  check_left ("a failed device", "", false);
  fake.fail (NULL);
  g_unsetenv ("FAKE_CUDA_DEVICES");
}

/* --- Several devices --- */

static bool
never (void)
{
  return false;
}

static gpointer
live_on_1 (gpointer func)
{
  Life life = { .plan = "the other device", .device = 1, .has_failed = never };

  ((LiveFunc) func) (&life);
  g_assert_cmpuint (life.n_good, ==, life.n_frames);
  return NULL;
}

/* Tests that what happens to one device is nothing to coders of the other, as
 * far as this project goes: after kernel errors drivers refuse the whole
 * process, see failures-device.c. */
static void
test_other_device (void)
{
  g_setenv ("FAKE_CUDA_DEVICES", "2", TRUE);
  for (unsigned n = 1; n <= 40; n++) {
    GThread *others[2];
    Life life = { .plan = now,
      .cause = "CUDA_ERROR_ILLEGAL_ADDRESS",
      .device = 0,
      .has_failed = fake.has_failed };

    g_snprintf (now, sizeof now, "device0:%u:700:lost", n * n);
    fake.fail (now);
    alarm (MAX_SECONDS);
    others[0] = g_thread_new ("other", live_on_1, life_of_encoder);
    others[1] = g_thread_new ("other", live_on_1, life_of_decoder);
    (n % 2 ? life_of_encoder : life_of_decoder) (&life);
    g_thread_join (others[0]);
    g_thread_join (others[1]);
    alarm (0);
    /* The device may have been lost when nothing depended on it any more. */
    check_life (&life, "cuMemFree_v2", false);
    check_left (now, "", false);
  }
  g_unsetenv ("FAKE_CUDA_DEVICES");
}

int
main (int argc, char **argv)
{
  if (argc >= 2 && strcmp (argv[1], "--open") == 0)
    return say_what_opening_says (argv[2]);
  g_test_init (&argc, &argv, NULL);
  if (argc < 4) {
    g_printerr ("usage: failures FAKE-DRIVER OLD-DRIVER FAKE-MANAGEMENT\n");
    return 2;
  }
  fake_path = g_canonicalize_filename (argv[1], NULL);
  old_path = g_canonicalize_filename (argv[2], NULL);
  management_path = g_canonicalize_filename (argv[3], NULL);
  signal (SIGALRM, hangs);
  g_test_add_func ("/failures/no-driver", test_no_driver);
  g_test_add_func ("/failures/old-driver", test_old_driver);
  g_test_add_func ("/failures/load", load_fake);
  g_test_add_func ("/failures/devices", test_devices);
  g_test_add_func ("/failures/choice", test_choice);
  g_test_add_func ("/failures/choice/without-tie", test_choice_without_tie);
  g_test_add_func ("/failures/choice/managed", test_choice_managed);
  g_test_add_func ("/failures/choice/another", test_choice_of_another);
  g_test_add_func ("/failures/choice/after-failure", test_choice_after_failure);
  g_test_add_func ("/failures/encoder", test_encoder);
  g_test_add_func ("/failures/decoder", test_decoder);
  g_test_add_data_func ("/failures/several-devices/encoder", life_of_encoder,
      test_several_devices);
  g_test_add_data_func ("/failures/several-devices/decoder", life_of_decoder,
      test_several_devices);
  g_test_add_func ("/failures/other-device", test_other_device);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests what only a real device can show: what happens when its memory is used up
 * and when a kernel goes wrong, and that coders of several devices do not disturb
 * each other. It compares the results with the CPU's. failures.c tests all other
 * failures without a device. */
#include "codec/backend.h"
#include "gpu/device.h"
#include "gpu/free_memory.h"
#include "tests/codec/must.h"
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CUDA paco_cuda_backend
#define DEPTH 4
#define N_FRAMES 12
#define MAX_SECONDS 60 /* of a test */

static const PacoPictureFormat format = {
  .width = 4096,
  .height = 2160,
  .n_components = 3,
  .components = { { 12, 0, 0 }, { 12, 0, 0 }, { 12, 0, 0 } },
};
static const PacoVideoInfo video = {
  .raw_format = "TEST", .par_n = 1, .par_d = 1, .fps_n = 24, .fps_d = 1
};

/* --- A picture, and what the CPU makes of it --- */

typedef struct
{
  PacoPicture picture;
  uint16_t *samples;
  size_t size; /* bytes */
} Picture;

static void
picture_init (Picture *picture)
{
  size_t plane = (size_t) format.width * format.height;

  *picture = (Picture){ .size = format.n_components * plane * 2 };
  picture->samples = g_malloc0 (picture->size);
  for (unsigned c = 0; c < format.n_components; c++) {
    picture->picture.data[c] = (uint8_t *) (picture->samples + c * plane);
    picture->picture.stride[c] = format.width * sizeof (uint16_t);
    picture->picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
  }
}

static void
picture_draw (Picture *picture)
{
  size_t plane = (size_t) format.width * format.height;
  uint32_t noise = 1;

  for (unsigned c = 0; c < format.n_components; c++)
    for (uint32_t y = 0; y < format.height; y++)
      for (uint32_t x = 0; x < format.width; x++) {
        noise = noise * 1664525u + 1013904223u;
        picture->samples[c * plane + (size_t) y * format.width + x] =
            ((x * (c + 1) + y) / 4 + (noise >> 28)) & 0xfff;
      }
}

static struct
{
  Picture source;
  PacoEncodedFrame *coded;
  PacoCodedFrame frame; /* coded, parsed */
} cpu;

static gboolean
configure (PacoEncoder *encoder, GError **error)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;

  parameters.rate_control = PACO_RATE_LOSSLESS;
  return paco_encoder_configure (
      encoder, &format, cpu.source.picture.layout, &parameters, error);
}

static void
code_on_cpu (void)
{
  const PacoBackendOptions options = { .device = -1, .depth = 1 };
  g_autoptr (PacoEncoder)
      encoder = paco_cpu_backend.encoder_open (&options, NULL);

  picture_init (&cpu.source);
  picture_draw (&cpu.source);
  g_assert_true (configure (encoder, NULL));
  must_submit (encoder, &cpu.source.picture, &video, NULL);
  cpu.coded = paco_encoder_collect (encoder, NULL);
  g_assert_no_error (cpu.coded->error);
  must_parse (&cpu.frame, cpu.coded->data, cpu.coded->size);
}

/* --- The same on a device --- */

#define ALL_DEVICES (-2)

static PacoBackendOptions
options_for (int device)
{
  return (PacoBackendOptions){
    .device = device, .all_devices = device == ALL_DEVICES, .depth = DEPTH
  };
}

/* Checks that every device of the coder has had its part of the frames. */
static void
check_parts (PacoCoder *coder)
{
  PacoStats stats;
  uint64_t frames = 0;

  paco_coder_stats (coder, &stats);
  g_assert_cmpuint (stats.n_devices, >, 0);
  for (unsigned i = 0; i < stats.n_devices; i++) {
    g_assert_cmpuint (stats.devices[i].memory, >, 0);
    g_assert_cmpuint (stats.devices[i].frames, >, 0);
    frames += stats.devices[i].frames;
  }
  g_assert_cmpuint (frames, ==, stats.frames);
}

static gboolean
submit (PacoEncoder *encoder)
{
  return paco_encoder_submit (encoder, &cpu.source.picture, &video, NULL, NULL);
}

/* Returns the error, if there is one; else it checks that the frame is the
 * CPU's. */
static GError *
collect (PacoEncoder *encoder)
{
  PacoEncodedFrame *frame = paco_encoder_collect (encoder, NULL);
  GError *error;

  g_assert_nonnull (frame);
  error = g_steal_pointer (&frame->error);
  if (error)
    g_assert_null (frame->data);
  else
    g_assert_cmpmem (
        frame->data, frame->size, cpu.coded->data, cpu.coded->size);
  frame->release (frame);
  return error;
}

/* Opens, configures, encodes a few frames and closes. */
static GError *
encode_on (int device)
{
  PacoBackendOptions options = options_for (device);
  GError *error = NULL;
  g_autoptr (PacoEncoder) encoder = CUDA.encoder_open (&options, &error);

  if (encoder && configure (encoder, &error)) {
    for (unsigned n = 0; n < N_FRAMES && !error; n++) {
      g_assert_true (submit (encoder));
      if (n >= DEPTH - 1)
        error = collect (encoder);
    }
    paco_coder_abandon (PACO_CODER (encoder), NULL);
    if (!error)
      check_parts (PACO_CODER (encoder));
  }
  return error;
}

static void
decode_on (int device)
{
  PacoBackendOptions options = options_for (device);
  PacoDecoder *decoder = CUDA.decoder_open (&options, NULL);
  Picture pictures[DEPTH];

  g_assert_nonnull (decoder);
  must_configure_decoder (
      decoder, &cpu.frame.header, cpu.source.picture.layout, 0);
  for (unsigned n = 0; n < DEPTH; n++)
    picture_init (&pictures[n]);
  for (unsigned n = 0; n < N_FRAMES; n++) {
    PacoDecodedFrame frame;
    Picture *next = &pictures[n % DEPTH];

    memset (next->samples, 0xff, next->size);
    must_submit_frame (decoder, &cpu.frame, &next->picture, next);
    if (n < DEPTH - 1)
      continue;
    frame = must_collect_picture (decoder);
    next = frame.user_data;
    g_assert_cmpmem (
        next->samples, next->size, cpu.source.samples, cpu.source.size);
  }
  check_parts (PACO_CODER (decoder));
  paco_coder_close (PACO_CODER (decoder));
  for (unsigned n = 0; n < DEPTH; n++)
    g_free (pictures[n].samples);
}

/* --- Out of memory --- */

typedef struct
{
  PacoCudaContext *context;
  GArray *pieces;
} Hog;

/* Takes all memory of a device but some megabytes, in a context of its own. */
static void
hog_init (Hog *hog, int ordinal)
{
  GError *error = NULL;

  hog->context = paco_cuda_context_open (ordinal, &error);
  g_assert_no_error (error);
  hog->pieces = g_array_new (FALSE, FALSE, sizeof (CUdeviceptr));
  g_assert_true (paco_cuda_context_enter (hog->context, NULL));
  for (size_t size = (size_t) 8 << 30; size >= (size_t) 8 << 20; size /= 2) {
    CUdeviceptr piece;

    while (hog->context->driver->mem_alloc (&piece, size) == CUDA_SUCCESS)
      g_array_append_val (hog->pieces, piece);
  }
  paco_cuda_context_leave (hog->context);
}

static void
hog_clear (Hog *hog)
{
  paco_cuda_context_close (hog->context);
  g_array_unref (hog->pieces);
}

static void
expect_out_of_memory (GError *error)
{
  g_assert_error (error, PACO_ERROR, PACO_ERROR_MEMORY);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "out of memory"));
  g_assert_nonnull (strstr (error->message, "fewer frames in flight"));
  g_error_free (error);
}

static void
test_out_of_memory (void)
{
  PacoBackendOptions options = options_for (0);
  PacoEncoder *encoder = CUDA.encoder_open (&options, NULL);
  PacoDecoder *decoder = CUDA.decoder_open (&options, NULL);
  GError *error = NULL;
  Hog hog;

  g_assert_true (encoder && decoder);
  alarm (MAX_SECONDS);
  hog_init (&hog, 0);
  g_assert_cmpuint (hog.pieces->len, >, 0);
  g_assert_false (configure (encoder, &error));
  expect_out_of_memory (g_steal_pointer (&error));
  g_assert_false (paco_decoder_configure (
      decoder, &cpu.frame.header, cpu.source.picture.layout, 0, &error));
  expect_out_of_memory (g_steal_pointer (&error));

  hog_clear (&hog);
  g_assert_true (configure (encoder, &error));
  g_assert_no_error (error);
  g_assert_true (submit (encoder));
  g_assert_no_error (collect (encoder));
  paco_coder_close (PACO_CODER (encoder));
  paco_coder_close (PACO_CODER (decoder));
  decode_on (0);
  alarm (0);
}

/* Tests that there is no room for a context, or for little more than that. */
static void
test_open_out_of_memory (void)
{
  GError *error;
  Hog hog;

  alarm (MAX_SECONDS);
  hog_init (&hog, 0);
  expect_out_of_memory (encode_on (0));
  hog_clear (&hog);
  error = encode_on (0);
  g_assert_no_error (error);
  alarm (0);
}

/* --- A kernel error --- */

static const char bad_kernels[] =
    ".version 6.4\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry bad_trap () { trap; ret; }\n"
    ".visible .entry bad_address ()\n"
    "{ .reg .b64 %a; mov.u64 %a, 64; st.global.u32 [%a], 1; ret; }\n";

/* Runs a kernel that goes wrong in the context that the coders of a device
 * share. */
static void
run_bad_kernel (const char *name)
{
  PacoCudaDevice *device = paco_cuda_device_open (
      0, &(PacoForeignContext){ NULL }, 1000 * PACO_DEFAULT_TIMEOUT, NULL);
  CUmodule module;
  CUfunction function;

  g_assert_nonnull (device);
  g_assert_true (paco_cuda_device_enter (device, NULL));
  g_assert_cmpint (device->driver->module_load_data (&module, bad_kernels), ==,
      CUDA_SUCCESS);
  g_assert_cmpint (
      device->driver->module_get_function (&function, module, name), ==,
      CUDA_SUCCESS);
  g_assert_cmpint (device->driver->launch_kernel (
                       function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL),
      ==, CUDA_SUCCESS);
  paco_cuda_device_leave (device);
  paco_cuda_device_close (device);
}

/* Encodes until a frame fails; the frames before it are right. */
static GError *
encode_until_error (PacoEncoder *encoder)
{
  GError *error = NULL;

  for (unsigned n = 0; n < 100 && !error; n++) {
    error = collect (encoder);
    g_assert_true (submit (encoder));
  }
  return error;
}

static void
expect_cause (GError *error, const char *cause)
{
  g_assert_error (error, PACO_ERROR, PACO_ERROR_DEVICE);
  fprintf (stderr, "# %s\n", error->message);
  g_assert_nonnull (strstr (error->message, cause));
  g_error_free (error);
}

/* Tries to work while the failed coder is open, and after it has been closed.
 * Driver 580 does not take back a process in which a kernel has gone wrong, not
 * even for another device; should one do, then coders are to work again. */
static void
try_again (const char *when)
{
  GError *error = encode_on (0);

  fprintf (stderr, "# a new encoder %s: %s\n", when,
      error ? error->message : "works");
  if (error)
    g_assert_nonnull (strstr (error->message, "has to be started again"));
  g_clear_error (&error);
}

/* Looks at what that means to another device, which is up to the driver as
 * well. */
static void
look_at_device_1 (PacoEncoder *encoder)
{
  GError *error;

  if (!encoder)
    return;
  g_assert_true (submit (encoder));
  error = collect (encoder);
  fprintf (stderr, "# an encoder of device 1: %s\n",
      error ? error->message : "works");
  g_clear_error (&error);
  paco_coder_close (PACO_CODER (encoder));
}

static void
fail_with (const char *kernel, const char *cause)
{
  PacoBackendOptions options = options_for (0), others = options_for (1);
  PacoEncoder *encoder = CUDA.encoder_open (&options, NULL);
  PacoEncoder *other = CUDA.encoder_open (&others, NULL);
  GError *error = NULL;

  g_assert_nonnull (encoder);
  g_assert_true (configure (encoder, NULL));
  g_assert_true (!other || configure (other, NULL));
  for (unsigned n = 0; n < 2 * DEPTH; n++) {
    if (n >= DEPTH)
      g_assert_no_error (collect (encoder));
    g_assert_true (submit (encoder));
  }
  run_bad_kernel (kernel);
  expect_cause (encode_until_error (encoder), cause);
  /* Nothing works from then on, but nothing hangs either. */
  paco_coder_abandon (PACO_CODER (encoder), NULL);
  g_assert_true (submit (encoder));
  expect_cause (collect (encoder), cause);
  g_assert_false (configure (encoder, &error));
  expect_cause (error, cause);
  look_at_device_1 (other);
  try_again ("beside it");
  paco_coder_close (PACO_CODER (encoder));
  try_again ("after it");
}

static void
test_bad_trap_process (void)
{
  alarm (MAX_SECONDS);
  fail_with ("bad_trap", "CUDA_ERROR_LAUNCH_FAILED");
}

static void
test_bad_address_process (void)
{
  alarm (MAX_SECONDS);
  fail_with ("bad_address", "CUDA_ERROR_ILLEGAL_ADDRESS");
}

/* Tests a kernel's error in a process of its own, since the driver may not
 * recover. */
static void
test_kernel_error (gconstpointer path)
{
  g_test_trap_subprocess (
      path, 2 * MAX_SECONDS * G_USEC_PER_SEC, G_TEST_SUBPROCESS_INHERIT_STDERR);
  g_test_trap_assert_passed ();
}

/* --- Several devices --- */

static gpointer
encoder_thread (gpointer device)
{
  g_assert_no_error (encode_on (GPOINTER_TO_INT (device)));
  return NULL;
}

static gpointer
decoder_thread (gpointer device)
{
  decode_on (GPOINTER_TO_INT (device));
  return NULL;
}

/* Has two encoders and two decoders work on each of n devices. */
static void
work_on (int n_devices)
{
  GPtrArray *threads = g_ptr_array_new ();

  alarm (MAX_SECONDS);
  for (int i = 0; i < 2 * n_devices; i++) {
    gpointer device = GINT_TO_POINTER (i % n_devices);

    g_ptr_array_add (threads, g_thread_new ("encoder", encoder_thread, device));
    g_ptr_array_add (threads, g_thread_new ("decoder", decoder_thread, device));
  }
  for (guint i = 0; i < threads->len; i++)
    g_thread_join (threads->pdata[i]);
  g_ptr_array_unref (threads);
  alarm (0);
}

static void
test_one_device (void)
{
  work_on (1);
}

static void
check_named (int device)
{
  PacoBackendOptions options = options_for (device);
  g_autoptr (PacoEncoder) encoder = CUDA.encoder_open (&options, NULL);
  g_autofree char *name = g_strdup_printf ("(device %d)", device);
  PacoStats stats;

  paco_coder_stats (PACO_CODER (encoder), &stats);
  g_test_message ("%s", stats.device);
  g_assert_true (g_str_has_suffix (stats.device, name));
}

/* Tests one coder on all devices that there are. */
static void
test_all_devices (void)
{
  alarm (MAX_SECONDS);
  g_assert_no_error (encode_on (ALL_DEVICES));
  decode_on (ALL_DEVICES);
  alarm (0);
}

static void
test_two_devices (void)
{
  PacoDriver *driver = paco_driver_open (NULL);
  int n_devices = 0;

  driver->device_get_count (&n_devices);
  paco_driver_close (driver);
  if (n_devices < 2) {
    g_test_skip ("this machine has one GPU");
    return;
  }
  check_named (0);
  check_named (1);
  work_on (2);
}

/* Tests that NVML and the driver say the same of free memory, but for what other programs
 * take in between. */
static void
test_free_memory (void)
{
  PacoCudaContext *context = paco_cuda_context_open (0, NULL);
  size_t available, by_driver, total;

  g_assert_true (paco_cuda_context_enter (context, NULL));
  g_assert_cmpint (context->driver->mem_get_info (&by_driver, &total), ==, 0);
  if (!paco_cuda_free_memory ((int[]){ 0 }, 1, &available))
    g_test_skip ("NVML is not installed");
  else
    g_assert_cmpuint (
        MAX (available, by_driver) - MIN (available, by_driver), <, total / 4);
  paco_cuda_context_leave (context);
  paco_cuda_context_close (context);
}

int
main (int argc, char **argv)
{
  const PacoBackendOptions options = { .device = -1, .depth = 1 };
  PacoEncoder *encoder;
  GError *error = NULL;

  g_test_init (&argc, &argv, NULL);
  if (!g_test_subprocess ()) {
    encoder = CUDA.encoder_open (&options, &error);
    if (!encoder) {
      printf ("1..0 # SKIP %s\n", error->message);
      return 0;
    }
    paco_coder_close (PACO_CODER (encoder));
  }
  code_on_cpu ();
  g_test_add_func ("/device/out-of-memory", test_out_of_memory);
  g_test_add_func ("/device/open-out-of-memory", test_open_out_of_memory);
  g_test_add_data_func (
      "/device/trap", "/device/subprocess/trap", test_kernel_error);
  g_test_add_func ("/device/subprocess/trap", test_bad_trap_process);
  g_test_add_data_func (
      "/device/address", "/device/subprocess/address", test_kernel_error);
  g_test_add_func ("/device/subprocess/address", test_bad_address_process);
  g_test_add_func ("/device/free-memory", test_free_memory);
  g_test_add_func ("/device/one", test_one_device);
  g_test_add_func ("/device/two", test_two_devices);
  g_test_add_func ("/device/all", test_all_devices);
  return g_test_run ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the codec with nvJPEG2000, today's JPEG 2000 for NVIDIA's GPUs, in
 * the place of the rivals of text 004 that cannot be had: from a picture in
 * the GPU's memory to a codestream in the host's, and back. The lossy ones are
 * compared at the PSNR that the codec has with its default quality. It is
 * skipped where there is no such library. */
#include "tests/bench/cuda/content.h"
#include "tests/lab/cuda/gray-content.h"
#include "tests/lab/cuda/nvjpeg2000-codec.h"
#include "tests/lab/lab.h"
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
  FLIGHTS = CODEC_MAX_FLIGHTS,
  MICROSECONDS = 200000, /* of a measurement, at least */
  /* The search for a step that has the wanted PSNR halves the range of its
   * logarithm so often. */
  SEARCHES = 10,
};

/* --- The device --- */

typedef CUresult (*RetainPrimary) (CUcontext *context, CUdevice device);

/* Takes the primary context, which libraries of CUDA's runtime expect: it is
 * made current where there is such a thing, and nothing that was in it is
 * needed. */
static CUcontext
take_primary_context (const LabDevice *device)
{
  const PacoCudaContext *context = device->test.context;
  CUcontext primary = context->handle;
  RetainPrimary retain = (RetainPrimary) dlsym (
      context->driver->library, "cuDevicePrimaryCtxRetain");

  if (retain)
    test_device_check (
        &device->test, retain (&primary, context->device), "primary context");
  test_device_check (&device->test, context->driver->ctx_push_current (primary),
      "primary context");
  return primary;
}

static void
leave_primary_context (const LabDevice *device)
{
  CUcontext popped;

  device->test.context->driver->ctx_pop_current (&popped);
}

/* --- Pictures --- */

static void
picture_init (RivalPicture *picture, const LabDevice *device, unsigned width,
    unsigned height, unsigned n_components, unsigned depth)
{
  *picture = (RivalPicture){ width, height, n_components, depth,
    .bytes = (size_t) (depth > 8 ? 2 : 1) * width * height * n_components };
  picture->samples = g_malloc (picture->bytes);
}

static void
picture_upload (RivalPicture *picture, const LabDevice *device)
{
  picture->memory = test_device_new (
      &device->test, picture->samples, picture->bytes);
}

static void
picture_clear (RivalPicture *picture, const LabDevice *device)
{
  test_device_free (&device->test, picture->memory);
  g_free (picture->samples);
}

static int
sample_at (const RivalPicture *picture, const void *samples, size_t i)
{
  return picture->depth > 8 ? ((const uint16_t *) samples)[i]
                            : ((const uint8_t *) samples)[i];
}

/* Returns the PSNR of what is in the device's memory, against the picture;
 * INFINITY: it is the same. */
static double
psnr_of (
    const RivalPicture *picture, const LabDevice *device, CUdeviceptr memory)
{
  size_t n = picture->bytes / (picture->depth > 8 ? 2 : 1);
  double peak = (1 << picture->depth) - 1, sum = 0;
  g_autofree void *found = g_malloc (picture->bytes);

  test_device_read (&device->test, found, memory, picture->bytes);
  for (size_t i = 0; i < n; i++) {
    double error = sample_at (picture, found, i)
        - sample_at (picture, picture->samples, i);

    sum += error * error;
  }
  return 10 * log10 (peak * peak * (double) n / sum);
}

/* --- Results --- */

typedef struct
{
  double encoding[2], decoding[2]; /* frames/s: one at a time, and in flight */
  double bits, psnr;
} Result;

static void
show (const char *table, const char *x, const RivalPicture *picture,
    const Result *result)
{
  double samples = (double) picture->width * picture->height
      * picture->n_components;

  lab_result (
      table, "encoding", x, 1e-9 * samples * result->encoding[1], "Gsample/s");
  lab_result (
      table, "decoding", x, 1e-9 * samples * result->decoding[1], "Gsample/s");
  lab_result (table, "encoding in flight", x, result->encoding[1], "frames/s");
  lab_result (table, "decoding in flight", x, result->decoding[1], "frames/s");
  lab_result (
      table, "encoding one at a time", x, 1e3 / result->encoding[0], "ms");
  lab_result (
      table, "decoding one at a time", x, 1e3 / result->decoding[0], "ms");
  lab_result (table, "rate", x, result->bits, "bits a sample");
  if (isfinite (result->psnr))
    lab_result (table, "PSNR", x, result->psnr, "dB");
}

static double
bits_a_sample (const RivalPicture *picture, size_t bytes)
{
  return 8.0 * (double) bytes
      / ((double) picture->width * picture->height * picture->n_components);
}

static int64_t
microseconds (void)
{
  return lab_is_short () ? 0 : MICROSECONDS;
}

static Result
measure_codec (LabDevice *device, CUcontext context,
    const RivalPicture *picture, const char *rate_control)
{
  Result result;
  Codec codec;

  codec_init (&codec, device, context, picture, rate_control);
  for (unsigned i = 0; i < 2; i++) {
    result.encoding[i] = codec_encode (
        &codec, i ? FLIGHTS : 1, microseconds ());
    result.decoding[i] = codec_decode (
        &codec, i ? FLIGHTS : 1, microseconds ());
  }
  result.bits = bits_a_sample (picture, codec.length);
  result.psnr = psnr_of (picture, device, codec.decoded[0]);
  codec_clear (&codec);
  return result;
}

/* --- The rival --- */

/* This is what one thread does until the time is over. */
typedef struct
{
  RivalFlight *flight;
  bool (*work) (RivalFlight *flight);
  CUcontext context;
  int64_t end;
  unsigned n;
} Thread;

static gpointer
run_thread (gpointer data)
{
  Thread *thread = data;
  const LabDevice *device = thread->flight->rival->device;
  const PacoDriver *driver = device->test.context->driver;
  CUcontext popped;

  test_device_check (
      &device->test, driver->ctx_push_current (thread->context), "context");
  do {
    if (!thread->work (thread->flight))
      break;
    thread->n++;
  } while (g_get_monotonic_time () < thread->end);
  driver->ctx_pop_current (&popped);
  return NULL;
}

static double
run_threads (RivalFlight *flights, unsigned n,
    bool (*work) (RivalFlight *flight), CUcontext context)
{
  int64_t begin = g_get_monotonic_time ();
  Thread threads[FLIGHTS];
  GThread *running[FLIGHTS];
  unsigned n_frames = 0;

  for (unsigned i = 0; i < n; i++) {
    threads[i] = (Thread){ &flights[i], work, context,
      begin + microseconds () };
    running[i] = g_thread_new ("flight", run_thread, &threads[i]);
  }
  for (unsigned i = 0; i < n; i++) {
    g_thread_join (running[i]);
    n_frames += threads[i].n;
  }
  return 1e6 * n_frames / (double) (g_get_monotonic_time () - begin);
}

/* Gives all flights the settings, and has them code the picture once. */
static bool
prepare (RivalFlight *flights, const RivalSettings *settings)
{
  for (unsigned i = 0; i < FLIGHTS; i++)
    if (!rival_flight_set (&flights[i], settings)
        || !rival_flight_encode (&flights[i])
        || !rival_flight_decode (&flights[i])) {
      if (i > 0)
        flights[0].failed = flights[i].failed;
      return false;
    }
  return true;
}

/* Measures the rival; returns FALSE, with a word to the user, if the library
 * refuses. */
static bool
measure_rival (RivalFlight *flights, CUcontext context, const char *x,
    const RivalSettings *settings, Result *result)
{
  const RivalPicture *picture = flights[0].picture;

  if (prepare (flights, settings)) {
    for (unsigned i = 0; i < 2; i++) {
      unsigned n = i ? FLIGHTS : 1;

      result->encoding[i] = run_threads (
          flights, n, rival_flight_encode, context);
      result->decoding[i] = run_threads (
          flights, n, rival_flight_decode, context);
    }
    result->bits = bits_a_sample (picture, flights[0].length);
    result->psnr = psnr_of (
        picture, flights[0].rival->device, flights[0].decoded);
  }
  for (unsigned i = 0; i < FLIGHTS; i++)
    if (flights[i].failed) {
      fprintf (stderr, "%s is left out: %s returned %d\n", x, flights[i].failed,
          flights[i].status);
      return false;
    }
  return true;
}

/* Finds the step whose pictures have that PSNR. Smaller ones have more. */
static bool
find_step (RivalFlight *flight, double psnr, RivalSettings *settings)
{
  double low = log (1.0 / 4096), high = log (256.0);

  for (unsigned i = 0; i < SEARCHES; i++) {
    double middle = (low + high) / 2;

    settings->step = exp (middle);
    if (!rival_flight_set (flight, settings) || !rival_flight_encode (flight)
        || !rival_flight_decode (flight))
      return false;
    if (psnr_of (flight->picture, flight->rival->device, flight->decoded)
        > psnr)
      low = middle;
    else
      high = middle;
  }
  return true;
}

static void
measure_rivals (const Rival *rival, CUcontext context, const char *table,
    const RivalPicture *picture, double psnr)
{
  static const char *const names[] = { "JPEG 2000", "HTJ2K" };
  RivalFlight flights[FLIGHTS];

  for (unsigned i = 0; i < FLIGHTS; i++)
    rival_flight_init (&flights[i], rival, picture);
  for (unsigned lossy = 0; lossy < 2; lossy++)
    for (unsigned ht = 0; ht < 2; ht++) {
      RivalSettings settings = { .high_throughput = ht };
      g_autofree char *x = g_strdup_printf (
          "%s, %s", names[ht], lossy ? "as quality 90" : "lossless");
      Result result;

      /* What fails in the search fails in the measurement, which says so. */
      if (lossy)
        find_step (&flights[0], psnr, &settings);
      if (!measure_rival (flights, context, x, &settings, &result))
        continue;
      if (!lossy && isfinite (result.psnr))
        lab_fail ("%s: the picture is not what was encoded", x);
      show (table, x, picture, &result);
    }
  for (unsigned i = 0; i < FLIGHTS; i++)
    rival_flight_clear (&flights[i]);
}

static void
measure_picture (const Rival *rival, CUcontext context, const char *table,
    const RivalPicture *picture)
{
  Result lossless = measure_codec (rival->device, context, picture, "lossless");
  Result lossy = measure_codec (rival->device, context, picture, "quality");

  if (isfinite (lossless.psnr))
    lab_fail ("the codec's picture is not what was encoded");
  show (table, "this codec, lossless", picture, &lossless);
  show (table, "this codec, quality 90", picture, &lossy);
  measure_rivals (rival, context, table, picture, lossy.psnr);
}

/* --- All of it --- */

static CUcontext
open_all (Rival *rival, LabDevice *device)
{
  char *why;
  CUcontext context;

  *rival = (Rival){ .device = device };
  if (!nvjpeg2k_open (&rival->nv, &why))
    lab_skip ("%s", why);
  lab_device_open (device, paco_fatbin_dwt, "dwt");
  context = take_primary_context (device);
  rival_init (rival, device);
  fprintf (stderr, "nvJPEG2000 %d.%d.%d, %s\n", rival->nv.version[0],
      rival->nv.version[1], rival->nv.version[2], rival->nv.path);
  return context;
}

static void
close_all (Rival *rival)
{
  rival_clear (rival);
  leave_primary_context (rival->device);
  lab_device_close (rival->device);
}

static void
measure (void)
{
  unsigned side = lab_is_short () ? 64 : 4096;
  unsigned width = lab_is_short () ? 96 : CONTENT_WIDTH;
  unsigned height = lab_is_short () ? 64 : CONTENT_HEIGHT;
  RivalPicture picture;
  LabDevice device;
  Rival rival;
  CUcontext context = open_all (&rival, &device);

  picture_init (&picture, &device, side, side, 1, 8);
  lab_gray_content (picture.samples, side);
  picture_upload (&picture, &device);
  measure_picture (&rival, context, "004 today gray", &picture);
  picture_clear (&picture, &device);
  picture_init (&picture, &device, width, height, 3, 12);
  content_fill (picture.samples, width, height, g_getenv ("PACO_CONTENT"));
  picture_upload (&picture, &device);
  measure_picture (&rival, context, "004 today RGB", &picture);
  picture_clear (&picture, &device);
  close_all (&rival);
}

/* --- Checks --- */

static void
draw_picture (RivalPicture *picture)
{
  size_t n = picture->bytes / (picture->depth > 8 ? 2 : 1);

  for (size_t i = 0; i < n; i++) {
    int value = (int) (i % picture->width) + lab_draw (0, 40);

    if (picture->depth > 8)
      ((uint16_t *) picture->samples)[i] = (uint16_t) (value * 10);
    else
      ((uint8_t *) picture->samples)[i] = (uint8_t) (value / 2);
  }
}

static void
must (const RivalFlight *flight)
{
  if (flight->failed)
    nvjpeg2k_check (flight->status, flight->failed);
}

static void
check_rival (const Rival *rival, const RivalPicture *picture, double step,
    bool high_throughput)
{
  RivalSettings settings = { high_throughput, step };
  RivalFlight flight;
  double psnr;

  rival_flight_init (&flight, rival, picture);
  if (rival_flight_set (&flight, &settings) && rival_flight_encode (&flight))
    rival_flight_decode (&flight);
  must (&flight);
  psnr = psnr_of (picture, rival->device, flight.decoded);
  if (step > 0 ? psnr < 20 : (bool) isfinite (psnr))
    lab_fail ("nvJPEG2000's picture of %ux%u, %u components, %s, is not what "
              "was encoded: %g dB",
        picture->width, picture->height, picture->n_components,
        high_throughput ? "HTJ2K" : "JPEG 2000", psnr);
  rival_flight_clear (&flight);
}

static void
check_codec (const Rival *rival, CUcontext context, const RivalPicture *picture)
{
  Codec codec;

  codec_init (&codec, rival->device, context, picture, "lossless");
  codec_encode (&codec, 2, 0);
  codec_decode (&codec, 2, 0);
  if (isfinite (psnr_of (picture, rival->device, codec.decoded[1])))
    lab_fail ("the codec's picture is not what was encoded");
  codec_clear (&codec);
}

static void
check (void)
{
  LabDevice device;
  Rival rival;
  CUcontext context = open_all (&rival, &device);

  for (unsigned i = 0; i < 2; i++) {
    int most = lab_is_short () ? 80 : 300;
    RivalPicture picture;

    /* Columns are a multiple of eight, as in what is measured. */
    picture_init (&picture, &device, 8 * (unsigned) lab_draw (8, most / 8),
        (unsigned) lab_draw (64, most), i ? 3 : 1, i ? 12 : 8);
    draw_picture (&picture);
    picture_upload (&picture, &device);
    for (unsigned ht = 0; ht < 2; ht++) {
      check_rival (&rival, &picture, 0, ht);
      check_rival (&rival, &picture, 1.0 / 16, ht);
    }
    check_codec (&rival, context, &picture);
    picture_clear (&picture, &device);
  }
  close_all (&rival);
}

int
main (int argc, char **argv)
{
  return lab_main (argc, argv, &(LabProgram){ check, measure, NULL });
}

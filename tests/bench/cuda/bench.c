/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Sets up what all measurements share, as bench.h says. */
#include "tests/bench/cuda/bench.h"
#include "tests/bench/cuda/figures.h"
#include "tests/gpu/driver/copies.h"
#include <string.h>

void
must (gboolean done, GError *error)
{
  if (!done)
    g_error ("%s", error ? error->message : "a call failed");
}

void
must_succeed (CUresult result)
{
  if (result != CUDA_SUCCESS)
    g_error ("the driver returned %d", result);
}

PacoPicture
bench_picture_at (const Bench *bench, uint8_t *memory)
{
  PacoPicture picture = { .data = { memory } };

  for (unsigned c = 0; c < 3; c++) {
    picture.data[c] = memory + c * (bench->n_bytes / 3);
    picture.stride[c] = 2 * bench->format.width;
    picture.layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (2);
  }
  return picture;
}

CUdeviceptr
bench_device_memory (Bench *bench, size_t size)
{
  PacoDeviceMemory memory = { 0 };
  GError *error = NULL;

  must (paco_device_memory_reserve (
            &bench->share, &memory, size, "bench", &error),
      error);
  return memory.address;
}

gboolean
bench_open (Bench *bench, unsigned width, unsigned height, const char *file,
    GError **error)
{
  *bench = (Bench){
    .format = {
      .width = width,
      .height = height,
      .n_components = 3,
      .components = { { 12, 0, 0 }, { 12, 0, 0 }, { 12, 0, 0 } },
    },
    .n_samples = 3 * (size_t) width * height,
    .device = paco_cuda_device_open (
        BENCH_DEVICE, &(PacoForeignContext){ NULL }, 1000 * PACO_DEFAULT_TIMEOUT, error),
  };
  bench->n_bytes = 2 * bench->n_samples;
  if (!bench->device || !paco_cuda_device_enter (bench->device, error))
    return FALSE;
  bench->share.device = bench->device;
  for (unsigned i = 0; i < 2; i++)
    must_succeed (bench->device->driver->event_create (&bench->events[i], 0));
  must (paco_cuda_stream_init (&bench->stream, bench->device->context, error),
      *error);
  for (unsigned i = 0; i < BENCH_SETS; i++)
    bench->pictures[i] = bench_device_memory (bench, bench->n_bytes + 64);
  for (unsigned i = 0; i < BENCH_PICTURES; i++) {
    bench->memory[i] = paco_cuda_host_memory_new (
        bench->device, bench->n_bytes, error);
    must (bench->memory[i] != NULL, *error);
    bench->pinned[i] = bench_picture_at (bench, bench->memory[i]->data);
    bench->ordinary[i] = bench_picture_at (bench, g_malloc (bench->n_bytes));
  }
  content_fill ((uint16_t *) bench->memory[0]->data, width, height, file);
  bench_restore (bench);
  return TRUE;
}

void
bench_close (Bench *bench)
{
  const PacoDriver *driver = bench->device->driver;

  for (unsigned i = 0; i < BENCH_PICTURES; i++) {
    bench->memory[i]->release (bench->memory[i]);
    g_free (bench->ordinary[i].data[0]);
  }
  for (unsigned i = 0; i < BENCH_SETS; i++)
    driver->mem_free (bench->pictures[i]);
  for (unsigned i = 0; i < 2; i++)
    driver->event_destroy (bench->events[i]);
  paco_cuda_stream_clear (&bench->stream);
  paco_cuda_device_leave (bench->device);
  paco_cuda_device_close (bench->device);
}

void
bench_restore (Bench *bench)
{
  for (unsigned i = 0; i < BENCH_PICTURES; i++) {
    if (i > 0)
      memcpy (
          bench->pinned[i].data[0], bench->pinned[0].data[0], bench->n_bytes);
    memcpy (
        bench->ordinary[i].data[0], bench->pinned[0].data[0], bench->n_bytes);
  }
}

void
bench_upload (Bench *bench)
{
  for (unsigned i = 0; i < BENCH_SETS; i++)
    must_succeed (bench->device->driver->memcpy_htod (
        bench->pictures[i], bench->pinned[0].data[0], bench->n_bytes));
}

double
bench_time (Bench *bench, BenchTask task, void *data)
{
  const PacoDriver *driver = bench->device->driver;
  double values[BENCH_RUNS];

  for (unsigned run = 0; run < BENCH_WARM + BENCH_RUNS; run++) {
    float milliseconds;

    must_succeed (
        driver->event_record (bench->events[0], bench->stream.handle));
    task (bench, data, run % BENCH_SETS);
    must_succeed (
        driver->event_record (bench->events[1], bench->stream.handle));
    must_succeed (driver->event_synchronize (bench->events[1]));
    must_succeed (driver->event_elapsed_time (
        &milliseconds, bench->events[0], bench->events[1]));
    if (run >= BENCH_WARM)
      values[run - BENCH_WARM] = 1000.0 * milliseconds;
  }
  return median (values, BENCH_RUNS);
}

/* --- ceilings --- */

static void
copy_task (Bench *bench, void *data, unsigned set)
{
  must_succeed (driver_memcpy_dtod_async (bench->device->driver,
      bench->pictures[(set + 1) % BENCH_SETS], bench->pictures[set],
      bench->n_bytes, bench->stream.handle));
}

static void
upload_task (Bench *bench, void *data, unsigned set)
{
  must_succeed (bench->device->driver->memcpy_htod_async (bench->pictures[set],
      bench->pinned[set].data[0], bench->n_bytes, bench->stream.handle));
}

static void
download_task (Bench *bench, void *data, unsigned set)
{
  must_succeed (bench->device->driver->memcpy_dtoh_async (
      bench->pinned[BENCH_SETS + set].data[0], bench->pictures[set],
      bench->n_bytes, bench->stream.handle));
}

/* Returns median microseconds of a copy of a picture by the processor. */
static double
time_memcpy (Bench *bench)
{
  double values[BENCH_RUNS];

  for (unsigned run = 0; run < BENCH_WARM + BENCH_RUNS; run++) {
    unsigned from = run % BENCH_PICTURES, to = (run + 1) % BENCH_PICTURES;
    gint64 begin = g_get_monotonic_time ();

    memcpy (bench->ordinary[to].data[0], bench->ordinary[from].data[0],
        bench->n_bytes);
    if (run >= BENCH_WARM)
      values[run - BENCH_WARM] = (double) (g_get_monotonic_time () - begin);
  }
  return median (values, BENCH_RUNS);
}

static double
gbps (const Bench *bench, double us)
{
  return bench->n_bytes / us / 1000.0;
}

void
bench_ceilings (Bench *bench)
{
  BenchCeilings *ceilings = &bench->ceilings;

  /* This is the first, since it fills the pictures on the device. */
  ceilings->h2d_gbps = gbps (bench, bench_time (bench, upload_task, NULL));
  ceilings->d2h_gbps = gbps (bench, bench_time (bench, download_task, NULL));
  ceilings->copy_us = bench_time (bench, copy_task, NULL);
  ceilings->memcpy_gbps = gbps (bench, time_memcpy (bench));
  figure_cost (
      ceilings->copy_us, "us", "copy_us", ceilings->copy_us, "copy_us");
  figure_speed (
      ceilings->h2d_gbps, "GB/s", "h2d_gbps", ceilings->h2d_gbps, "h2d_gbps");
  figure_speed (
      ceilings->d2h_gbps, "GB/s", "d2h_gbps", ceilings->d2h_gbps, "d2h_gbps");
  figure_speed (ceilings->memcpy_gbps, "GB/s", "memcpy_gbps",
      ceilings->memcpy_gbps, "memcpy_gbps");
}

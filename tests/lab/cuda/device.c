/* SPDX-License-Identifier: LGPL-2.1-or-later
 * device.h says what this is for. */
#include "tests/lab/cuda/device.h"
#include "tests/lab/lab.h"
#include "tests/gpu/driver/copies.h"
#include <stdlib.h>

enum
{
  RUNS = 25,
  WARM_UP_RUNS = 3,
  /* This is more than the caches of any device hold. */
  CACHED_BYTES = 200 << 20,
  /* A download of so many takes 150 microseconds over the fastest bus of today: in that
   * time the host launches what is measured. */
  RANDOM_BYTES = 8 << 20,
  RANDOM_BYTES_SHORT = 1 << 16,
};

static void
must (gboolean done, GError *error)
{
  if (!done)
    lab_fail ("%s", error->message);
}

void
lab_device_open (
    LabDevice *device, const unsigned char *image, const char *name)
{
  int status = test_device_open (&device->test, image, name);

  if (status != 0)
    exit (status);
  /* A stream waits for what is enqueued without one: memory is filled so. */
  test_device_check (&device->test,
      device->test.context->driver->stream_create (&device->stream, 0),
      "stream");
  device->gate = NULL;
}

void
lab_device_close (LabDevice *device)
{
  const PacoDriver *driver = device->test.context->driver;

  if (device->gate) {
    test_device_free (&device->test, device->random);
    driver->mem_free_host (device->gate);
  }
  driver->stream_destroy (device->stream);
  test_device_close (&device->test);
}

CUfunction
lab_device_kernel (const LabDevice *device, const char *name)
{
  CUfunction function;
  GError *error = NULL;

  must (paco_module_function (&device->test.module, name, &function, &error),
      error);
  return function;
}

/* The driver says this of a kernel, and of a device (cuda.h's
 * CU_FUNC_ATTRIBUTE_NUM_REGS and
 * CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR). */
enum
{
  REGISTERS_OF_THREAD = 4,
  THREADS_OF_MULTIPROCESSOR = 39,
};

int
lab_device_registers (const LabDevice *device, CUfunction kernel)
{
  int registers = 0;

  test_device_check (&device->test,
      device->test.context->driver->func_get_attribute (
          &registers, (CUfunction_attribute) REGISTERS_OF_THREAD, kernel),
      "registers");
  return registers;
}

double
lab_device_occupancy (const LabDevice *device, CUfunction kernel,
    unsigned threads, unsigned shared_bytes)
{
  const PacoCudaContext *context = device->test.context;
  int blocks = 0, most;

  test_device_check (&device->test,
      context->driver->occupancy_max_active_blocks (
          &blocks, kernel, (int) threads, shared_bytes),
      "occupancy");
  if (context->driver->device_get_attribute (&most,
          (CUdevice_attribute) THREADS_OF_MULTIPROCESSOR, context->device)
      != CUDA_SUCCESS)
    most = 2048;
  return 100.0 * blocks * threads / most;
}

static void
enqueue (const LabDevice *device, const LabLaunch *launches, unsigned n)
{
  GError *error = NULL;

  for (unsigned i = 0; i < n; i++)
    must (paco_module_launch (device->test.context,
              &(PacoLaunch){
                  .function = launches[i].kernel,
                  .grid_x = launches[i].grid_x,
                  .grid_y = launches[i].grid_y,
                  .threads = launches[i].threads,
                  .shared_bytes = launches[i].shared_bytes,
                  .early = launches[i].early,
                  .parameters = launches[i].parameters,
              },
              device->stream, &error),
        error);
}

static void
wait (const LabDevice *device)
{
  test_device_check (&device->test,
      device->test.context->driver->stream_synchronize (device->stream),
      "kernels");
}

void
lab_device_run (const LabDevice *device, const LabLaunch *launches, unsigned n)
{
  test_device_check (&device->test,
      device->test.context->driver->ctx_synchronize (), "memory");
  enqueue (device, launches, n);
  wait (device);
}

/* --- memory --- */

unsigned
lab_device_sets (size_t bytes)
{
  return lab_is_short () ? 1 : 2 + CACHED_BYTES / MAX (bytes, 1);
}

static void
make_random (LabDevice *device)
{
  const PacoDriver *driver = device->test.context->driver;
  uint16_t *samples;

  device->random_bytes = lab_is_short () ? RANDOM_BYTES_SHORT : RANDOM_BYTES;
  samples = lab_new (device->random_bytes, 64);
  for (size_t i = 0; i < device->random_bytes / 2; i++)
    samples[i] = (uint16_t) lab_draw (0, 255);
  device->random = test_device_new (
      &device->test, samples, device->random_bytes);
  test_device_check (&device->test,
      driver->mem_host_alloc (&device->gate, device->random_bytes, 0),
      "memory of the host");
  free (samples);
}

CUdeviceptr
lab_device_random (LabDevice *device, size_t bytes)
{
  CUdeviceptr memory = test_device_new (&device->test, NULL, bytes);

  if (!device->gate)
    make_random (device);
  test_device_check (&device->test,
      device->test.context->driver->ctx_synchronize (), "memory");
  for (size_t at = 0; at < bytes; at += device->random_bytes)
    test_device_check (&device->test,
        driver_memcpy_dtod_async (device->test.context->driver, memory + at,
            device->random, MIN (device->random_bytes, bytes - at),
            device->stream),
        "copy");
  wait (device);
  return memory;
}

/* --- measuring --- */

/* This is measured: n launches, or without launches a copy; set after set in
 * turn. */
typedef struct
{
  const LabLaunch *launches;
  unsigned n, n_sets;
  CUdeviceptr copies; /* of each set, what is copied and where to */
  size_t bytes;
} Work;

static void
enqueue_work (const LabDevice *device, const Work *work, unsigned run)
{
  unsigned set = run % work->n_sets;
  CUdeviceptr from = work->copies + 2 * work->bytes * set;

  if (work->launches)
    enqueue (device, work->launches + work->n * set, work->n);
  else
    test_device_check (&device->test,
        driver_memcpy_dtod_async (device->test.context->driver,
            from + work->bytes, from, work->bytes, device->stream),
        "copy");
}

/* Makes what is enqueued next wait for this. */
static void
close_gate (const LabDevice *device)
{
  test_device_check (&device->test,
      device->test.context->driver->memcpy_dtoh_async (
          device->gate, device->random, device->random_bytes, device->stream),
      "gate");
}

static double
time_run (const LabDevice *device, const Work *work, unsigned run,
    CUevent begin, CUevent end)
{
  const PacoDriver *driver = device->test.context->driver;
  float ms;

  close_gate (device);
  test_device_check (
      &device->test, driver->event_record (begin, device->stream), "event");
  enqueue_work (device, work, run);
  test_device_check (
      &device->test, driver->event_record (end, device->stream), "event");
  test_device_check (&device->test, driver->event_synchronize (end), "kernels");
  test_device_check (
      &device->test, driver->event_elapsed_time (&ms, begin, end), "time");
  return 1e3 * ms;
}

static double
time_work (LabDevice *device, const Work *work)
{
  const PacoDriver *driver = device->test.context->driver;
  const unsigned runs = lab_is_short () ? 1 : RUNS;
  CUevent begin, end;
  double us[RUNS];

  if (!device->gate)
    make_random (device);
  test_device_check (&device->test, driver->ctx_synchronize (), "memory");
  test_device_check (&device->test, driver->event_create (&begin, 0), "event");
  test_device_check (&device->test, driver->event_create (&end, 0), "event");
  for (unsigned run = 0; run < WARM_UP_RUNS + work->n_sets; run++)
    enqueue_work (device, work, run);
  wait (device);
  for (unsigned run = 0; run < runs; run++)
    us[run] = time_run (device, work, run, begin, end);
  driver->event_destroy (begin);
  driver->event_destroy (end);
  return lab_median (us, runs);
}

double
lab_device_time_us (
    LabDevice *device, const LabLaunch *launches, unsigned n, unsigned n_sets)
{
  return time_work (
      device, &(Work){ .launches = launches, .n = n, .n_sets = n_sets });
}

double
lab_device_copy_us (LabDevice *device, size_t bytes)
{
  unsigned n_sets = lab_device_sets (2 * bytes);
  Work work = { .n_sets = n_sets,
    .copies = lab_device_random (device, 2 * bytes * n_sets),
    .bytes = bytes };
  double us = time_work (device, &work);

  test_device_free (&device->test, work.copies);
  return us;
}

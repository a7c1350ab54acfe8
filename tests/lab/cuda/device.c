/* SPDX-License-Identifier: LGPL-2.1-or-later
 * device.h says what this is for. */
#include "tests/lab/cuda/device.h"
#include "tests/lab/lab.h"
#include <stdlib.h>

enum
{
  RUNS = 25,
  WARM_UP_RUNS = 3,
};

static unsigned
count_runs (void)
{
  return lab_is_short () ? 1 : RUNS;
}

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
}

void
lab_device_close (LabDevice *device)
{
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

static void
enqueue (const LabDevice *device, const LabLaunch *launches, unsigned n)
{
  GError *error = NULL;

  for (unsigned i = 0; i < n; i++)
    must (paco_module_launch (device->test.context, launches[i].kernel,
              launches[i].grid_x, launches[i].grid_y, 1, launches[i].threads,
              launches[i].shared_bytes, NULL, launches[i].parameters, &error),
        error);
}

static void
wait (const LabDevice *device)
{
  test_device_check (&device->test,
      device->test.context->driver->stream_synchronize (NULL), "kernels");
}

void
lab_device_run (const LabDevice *device, const LabLaunch *launches, unsigned n)
{
  enqueue (device, launches, n);
  wait (device);
}

/* What is measured: n launches, or without launches a copy. */
typedef struct
{
  const LabLaunch *launches;
  unsigned n, n_sets;
  CUdeviceptr to, from;
  size_t bytes;
} Work;

static void
enqueue_work (const LabDevice *device, const Work *work, unsigned run)
{
  if (work->launches)
    enqueue (device, work->launches + work->n * (run % work->n_sets), work->n);
  else
    test_device_check (&device->test,
        device->test.context->driver->memcpy_dtod_async (
            work->to, work->from, work->bytes, NULL),
        "copy");
}

static double
time_work (const LabDevice *device, const Work *work)
{
  const PacoDriver *driver = device->test.context->driver;
  const unsigned runs = count_runs (), warm_up = WARM_UP_RUNS * work->n_sets;
  CUevent begin, end;
  double us[RUNS];

  test_device_check (&device->test, driver->event_create (&begin, 0), "event");
  test_device_check (&device->test, driver->event_create (&end, 0), "event");
  for (unsigned run = 0; run < warm_up; run++)
    enqueue_work (device, work, run);
  wait (device);
  for (unsigned run = 0; run < runs; run++) {
    float ms;

    driver->event_record (begin, NULL);
    enqueue_work (device, work, run);
    driver->event_record (end, NULL);
    test_device_check (
        &device->test, driver->event_synchronize (end), "kernels");
    test_device_check (
        &device->test, driver->event_elapsed_time (&ms, begin, end), "time");
    us[run] = 1e3 * ms;
  }
  driver->event_destroy (begin);
  driver->event_destroy (end);
  return lab_median (us, runs);
}

double
lab_device_time_us (const LabDevice *device, const LabLaunch *launches,
    unsigned n, unsigned n_sets)
{
  return time_work (
      device, &(Work){ .launches = launches, .n = n, .n_sets = n_sets });
}

double
lab_device_copy_us (const LabDevice *device, size_t bytes)
{
  Work work = { .n_sets = 1,
    .to = test_device_new (&device->test, NULL, bytes),
    .from = test_device_new (&device->test, NULL, bytes),
    .bytes = bytes };
  double us = time_work (device, &work);

  test_device_free (&device->test, work.to);
  test_device_free (&device->test, work.from);
  return us;
}

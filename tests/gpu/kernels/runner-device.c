/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs the kernels of a test on a CUDA device, through the driver table (runner.h). */
#include "tests/gpu/kernels/runner.h"
#include <stdio.h>
#include <stdlib.h>

struct _Runner
{
  PacoCudaContext *context;
  PacoModule module, layout_module;
  PacoDwtKernels kernels;
  PacoLayoutKernels layout_kernels;
  CUstream stream;
};

static void
must (gboolean done, GError *error)
{
  if (!done) {
    fprintf (stderr, "%s\n", error->message);
    exit (1);
  }
}

static void
must_succeed (Runner *runner, CUresult result, const char *task)
{
  GError *error = NULL;

  must (paco_driver_check (runner->context->driver, result, &error, "%s", task),
      error);
}

Runner *
runner_open (void)
{
  Runner *runner = g_new0 (Runner, 1);
  GError *error = NULL;

  runner->context = paco_cuda_context_open (0, &error);
  if (runner->context == NULL) {
    must (g_getenv ("PACO_EMULATED") == NULL, error);
    printf ("skipped: %s\n", error->message);
    g_error_free (error);
    g_free (runner);
    return NULL;
  }
  must (paco_cuda_context_enter (runner->context, &error), error);
  must (paco_module_load (
            &runner->module, runner->context, paco_fatbin_dwt, "dwt", &error),
      error);
  must (
      paco_dwt_find_kernels (&runner->kernels, &runner->module, &error), error);
  must (paco_module_load (&runner->layout_module, runner->context,
            paco_fatbin_layout, "layout", &error),
      error);
  must (paco_layout_find_kernels (
            &runner->layout_kernels, &runner->layout_module, &error),
      error);
  must_succeed (runner,
      runner->context->driver->stream_create (
          &runner->stream, CU_STREAM_NON_BLOCKING),
      "stream");
  return runner;
}

void
runner_close (Runner *runner)
{
  runner->context->driver->stream_destroy (runner->stream);
  paco_module_unload (&runner->module);
  paco_module_unload (&runner->layout_module);
  paco_cuda_context_leave (runner->context);
  paco_cuda_context_close (runner->context);
  g_free (runner);
}

const char *
runner_name (Runner *runner)
{
  return runner->context->name;
}

unsigned
runner_multiprocessors (Runner *runner)
{
  return runner->context->n_multiprocessors;
}

const PacoDwtKernels *
runner_kernels (Runner *runner)
{
  return &runner->kernels;
}

uint64_t
runner_allocate (Runner *runner, size_t size)
{
  CUdeviceptr memory;

  must_succeed (runner,
      runner->context->driver->mem_alloc (&memory, MAX (size, 1)), "memory");
  return memory;
}

void
runner_free (Runner *runner, uint64_t memory)
{
  must_succeed (runner, runner->context->driver->mem_free (memory), "free");
}

void
runner_write (Runner *runner, uint64_t to, const void *from, size_t size)
{
  if (size > 0) {
    must_succeed (runner, runner->context->driver->memcpy_htod (to, from, size),
        "upload");
    /* Data from pageable memory may still be on its way. */
    must_succeed (runner, runner->context->driver->ctx_synchronize (), "wait");
  }
}

void
runner_read (Runner *runner, void *to, uint64_t from, size_t size)
{
  if (size > 0)
    must_succeed (runner, runner->context->driver->memcpy_dtoh (to, from, size),
        "download");
}

static void
launch_one (Runner *runner, const PacoDwtLaunch *launch, bool early)
{
  GError *error = NULL;

  must ((early && runner->kernels.early ? paco_module_launch_early
                                        : paco_module_launch) (runner->context,
            launch->kernel->function, launch->grid_x, launch->grid_y, 1,
            PACO_DWT_THREADS, 0, runner->stream, &launch->parameters, &error),
      error);
}

void
runner_launch (Runner *runner, const PacoDwtLaunch *launches, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    launch_one (runner, &launches[i], i > 0);
  must_succeed (runner,
      runner->context->driver->stream_synchronize (runner->stream), "kernels");
}

void
runner_launch_layouts (Runner *runner, PacoLayoutDirection direction,
    const PacoLayoutLaunch *launches, unsigned n)
{
  GError *error = NULL;

  must (paco_layout_enqueue (runner->context, &runner->layout_kernels,
            direction, launches, n, false, runner->stream, &error),
      error);
  must_succeed (runner,
      runner->context->driver->stream_synchronize (runner->stream), "kernels");
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

static double
median (double *values, unsigned n)
{
  qsort (values, n, sizeof *values, compare_doubles);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Returns the time between two records of events, in microseconds. */
static double
elapsed_us (Runner *runner, CUevent start, CUevent end)
{
  float milliseconds;

  must_succeed (
      runner, runner->context->driver->event_synchronize (end), "event");
  must_succeed (runner,
      runner->context->driver->event_elapsed_time (&milliseconds, start, end),
      "time");
  return 1000.0 * milliseconds;
}

void
runner_time (Runner *runner, const PacoDwtLaunch *launches, unsigned n,
    unsigned n_sets, unsigned runs, double *total_us, double *launch_us)
{
  const PacoDriver *driver = runner->context->driver;
  CUevent events[2];
  double *values = g_new (double, runs);

  for (unsigned i = 0; i < 2; i++)
    must_succeed (runner, driver->event_create (&events[i], 0), "event");
  for (unsigned run = 0; run < 3 * n_sets; run++)
    runner_launch (runner, launches + n * (run % n_sets), n);
  /* With which == n all launches are timed, else one of them, the others around
   * it. */
  for (unsigned which = 0; which <= n; which++) {
    for (unsigned run = 0; run < runs; run++) {
      const PacoDwtLaunch *set = launches + n * (run % n_sets);

      for (unsigned i = 0; i < n; i++) {
        if (which == n ? i == 0 : i == which)
          driver->event_record (events[0], runner->stream);
        launch_one (runner, &set[i], i > 0);
        if (which == n ? i == n - 1 : i == which)
          driver->event_record (events[1], runner->stream);
      }
      values[run] = elapsed_us (runner, events[0], events[1]);
    }
    *(which == n ? total_us : &launch_us[which]) = median (values, runs);
  }
  g_free (values);
}

double
runner_time_copy (Runner *runner, const uint64_t *from, const uint64_t *to,
    unsigned n_sets, size_t size, unsigned runs)
{
  const PacoDriver *driver = runner->context->driver;
  CUevent events[2];
  double *values = g_new (double, runs);
  double result;

  for (unsigned i = 0; i < 2; i++)
    must_succeed (runner, driver->event_create (&events[i], 0), "event");
  for (unsigned run = 0; run < runs + 5; run++) {
    driver->event_record (events[0], runner->stream);
    must_succeed (runner,
        driver->memcpy_dtod_async (
            to[run % n_sets], from[run % n_sets], size, runner->stream),
        "copy");
    driver->event_record (events[1], runner->stream);
    values[run < 5 ? 0 : run - 5] = elapsed_us (runner, events[0], events[1]);
  }
  result = median (values, runs);
  g_free (values);
  return result;
}

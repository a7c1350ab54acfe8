/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures the ceiling of the device: how fast it copies memory that is too
 * large for its caches, by the driver and by kernels. It is the smallest
 * program of the laboratory for a GPU, to begin others from. */
#include "tests/lab/cuda/copy.h"
#include "tests/lab/cuda/device.h"
#include "tests/lab/lab.h"
#include <stdlib.h>

extern const unsigned char lab_fatbin_copy[];

static const struct
{
  const char *kernel, *series;
  unsigned words;
} methods[] = {
  { "copy_words", "kernel, 4 bytes a thread", 1 },
  { "copy_quads", "kernel, 16 bytes a thread", 4 },
};

static LabLaunch
launch (const LabDevice *device, unsigned method, LabCopyParameters *parameters)
{
  unsigned per_block = LAB_COPY_THREADS * methods[method].words;

  return (LabLaunch){ lab_device_kernel (device, methods[method].kernel),
    (parameters->n + per_block - 1) / per_block, 1, LAB_COPY_THREADS, 0,
    parameters };
}

static void
check (void)
{
  LabDevice device;

  lab_device_open (&device, lab_fatbin_copy, "copy");
  for (unsigned i = 0; i < 20; i++) {
    unsigned method = lab_draw (0, G_N_ELEMENTS (methods) - 1);
    uint32_t n = 4 * lab_draw (1, 3000);
    int32_t *data = lab_new (4 * n, 64), *found;
    LabCopyParameters parameters = { 0, 0, n };
    LabLaunch one;

    lab_draw_integers (data, n, -(1 << 30), 1 << 30);
    parameters.from = test_device_new (&device.test, data, 4 * n);
    parameters.to = test_device_new (&device.test, NULL, 4 * n);
    one = launch (&device, method, &parameters);
    lab_device_run (&device, &one, 1);
    found = test_device_steal (&device.test, parameters.to, 4 * n);
    lab_same_integers (methods[method].series, found, n, data, n, n, 1);
    test_device_free (&device.test, parameters.from);
    g_free (found);
    free (data);
  }
  lab_device_close (&device);
}

static void
measure (void)
{
  LabDevice device;
  size_t megabytes = lab_is_short () ? 1 : 1024;
  LabCopyParameters parameters = { .n = megabytes << 18 };

  lab_device_open (&device, lab_fatbin_copy, "copy");
  parameters.from = test_device_new (&device.test, NULL, megabytes << 20);
  parameters.to = test_device_new (&device.test, NULL, megabytes << 20);
  for (unsigned method = 0; method < G_N_ELEMENTS (methods); method++) {
    LabLaunch one = launch (&device, method, &parameters);

    lab_result ("machine gpu", "copy", methods[method].series,
        2e-3 * (double) (megabytes << 20)
            / lab_device_time_us (&device, &one, 1, 1),
        "GB/s");
  }
  lab_result ("machine gpu", "copy", "driver",
      2e-3 * (double) (megabytes << 20)
          / lab_device_copy_us (&device, megabytes << 20),
      "GB/s");
  test_device_free (&device.test, parameters.from);
  test_device_free (&device.test, parameters.to);
  lab_device_close (&device);
}

int
main (int argc, char **argv)
{
  return lab_main (argc, argv, &(LabProgram){ check, measure });
}

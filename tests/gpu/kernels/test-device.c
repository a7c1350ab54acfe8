/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens a device and launches kernels on it, for tests of kernels (test-device.h). */
#include "tests/gpu/kernels/test-device.h"
#include "tests/gpu/driver/copies.h"
#include <stdio.h>

int
test_device_open (
    TestDevice *test, const unsigned char *image, const char *name)
{
  GError *error = NULL;

  test->context = paco_cuda_context_open (0, &error);
  if (!test->context) {
    printf ("SKIPPED: %s\n", error->message);
    g_error_free (error);
    return g_getenv ("PACO_EMULATED") ? 1 : 77;
  }
  if (!paco_cuda_context_enter (test->context, &error)
      || !paco_module_load (&test->module, test->context, image, name, &error))
    g_error ("%s", error->message);
  return 0;
}

void
test_device_close (TestDevice *test)
{
  paco_module_unload (&test->module);
  paco_cuda_context_leave (test->context);
  paco_cuda_context_close (test->context);
}

void
test_device_check (const TestDevice *test, CUresult result, const char *task)
{
  GError *error = NULL;

  if (!paco_driver_check (test->context->driver, result, &error, "%s", task))
    g_error ("%s", error->message);
}

CUdeviceptr
test_device_reserve (const TestDevice *test, size_t size)
{
  CUdeviceptr memory;

  test_device_check (test,
      test->context->driver->mem_alloc (&memory, MAX (size, 1)),
      "cannot allocate");
  return memory;
}

CUdeviceptr
test_device_new (const TestDevice *test, const void *data, size_t size)
{
  const PacoDriver *driver = test->context->driver;
  CUdeviceptr memory = test_device_reserve (test, size);

  if (data && size > 0)
    test_device_check (
        test, driver->memcpy_htod (memory, data, size), "cannot upload");
  else if (!data)
    test_device_check (test,
        driver->memset_d8_async (memory, TEST_DEVICE_RUBBISH, size, NULL),
        "cannot fill");
  return memory;
}

void
test_device_write (
    const TestDevice *test, CUdeviceptr to, const void *from, size_t size)
{
  const PacoDriver *driver = test->context->driver;

  if (size > 0) {
    test_device_check (
        test, driver->memcpy_htod (to, from, size), "cannot upload");
    /* Data from pageable memory may still be on its way. */
    test_device_check (test, driver->ctx_synchronize (), "cannot wait");
  }
}

void
test_device_read (
    const TestDevice *test, void *to, CUdeviceptr from, size_t size)
{
  if (size > 0)
    test_device_check (test,
        driver_memcpy_dtoh (test->context->driver, to, from, size),
        "cannot download");
}

void
test_device_free (const TestDevice *test, CUdeviceptr memory)
{
  test_device_check (
      test, test->context->driver->mem_free (memory), "cannot free");
}

void *
test_device_steal (const TestDevice *test, CUdeviceptr memory, size_t size)
{
  void *data = g_malloc (size + 1);

  test_device_read (test, data, memory, size);
  test_device_free (test, memory);
  return data;
}

PacoGpuRecord
test_device_record (const PacoBlockRecord *record)
{
  return (PacoGpuRecord){ .planes = record->planes,
    .raw_planes = record->raw_planes,
    .dropped_planes = record->dropped_planes,
    .flags = (record->shared_codewords ? PACO_GPU_SHARED_CODEWORDS : 0)
        | (record->raw_left_signs ? PACO_GPU_RAW_LEFT_SIGNS : 0)
        | (record->cut ? PACO_GPU_CUT : 0),
    .length = record->length,
    .check = record->check,
    .set = record->set };
}

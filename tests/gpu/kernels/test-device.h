/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens a device with one module of kernels, for tests of these, and makes what
 * kernels read of the codec's records. Any failure ends the program. */
#pragma once
#include "codec/index.h"
#include "gpu/kernels/bpc.h"
#include "gpu/module.h"

#define TEST_DEVICE_RUBBISH 0xa5

typedef struct
{
  PacoCudaContext *context;
  PacoModule module;
} TestDevice;

/* Returns 0, or the exit status where there is no device: 77 (skipped), or 1
 * with PACO_EMULATED in the environment, since the emulation was to be
 * found. */
int test_device_open (
    TestDevice *test, const unsigned char *image, const char *name);
void test_device_close (TestDevice *test);

void test_device_check (
    const TestDevice *test, CUresult result, const char *task);

/* Makes memory that is not cleared. */
CUdeviceptr test_device_reserve (const TestDevice *test, size_t size);
/* Makes memory with data in it or, if that is NULL, with rubbish. */
CUdeviceptr test_device_new (
    const TestDevice *test, const void *data, size_t size);
/* The bytes are there when it returns, for any stream. */
void test_device_write (
    const TestDevice *test, CUdeviceptr to, const void *from, size_t size);
void test_device_read (
    const TestDevice *test, void *to, CUdeviceptr from, size_t size);
void test_device_free (const TestDevice *test, CUdeviceptr memory);
/* Reads memory into new memory of the host, and frees it. */
void *test_device_steal (
    const TestDevice *test, CUdeviceptr memory, size_t size);

/* Returns a block's record as kernels read it, but for its offset. */
PacoGpuRecord test_device_record (const PacoBlockRecord *record);

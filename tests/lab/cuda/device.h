/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A GPU, or the emulation of one, for the programs of the laboratory: kernels by name,
 * launches, and times by events, all on the default stream. Memory is that of
 * tests/gpu/kernels/test-device.h. What fails ends the program. */
#pragma once
#include "tests/gpu/kernels/test-device.h"

G_BEGIN_DECLS

typedef struct
{
  TestDevice test;
} LabDevice;

/* Blocks of one dimension, of a kernel that takes one parameter struct. */
typedef struct
{
  CUfunction kernel;
  unsigned grid_x, grid_y, threads, shared_bytes;
  const void *parameters;
} LabLaunch;

/* image: lab_fatbin_NAME; name: for messages. Where there is no device the program ends
 * as one that is skipped; with PACO_EMULATED in the environment, as one that fails. */
void lab_device_open (
    LabDevice *device, const unsigned char *image, const char *name);
void lab_device_close (LabDevice *device);

CUfunction lab_device_kernel (const LabDevice *device, const char *name);

/* Runs n launches one after the other and waits for the last one. */
void lab_device_run (
    const LabDevice *device, const LabLaunch *launches, unsigned n);

/* The median of the times that n launches take, one behind the other, in microseconds.
 * There are n_sets sets of n launches that do the same in different memory, and take
 * turns: so many that the device's caches do not hold all of it. */
double lab_device_time_us (const LabDevice *device, const LabLaunch *launches,
    unsigned n, unsigned n_sets);

/* The device's ceiling: the median time of a copy of this many bytes in its memory. */
double lab_device_copy_us (const LabDevice *device, size_t bytes);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Is a GPU, or the emulation of one, for the programs of the laboratory:
 * kernels by name, launches, and times by events, all in one stream. Memory is
 * that of tests/gpu/kernels/test-device.h. What fails ends the program. */
#pragma once
#include "tests/gpu/kernels/test-device.h"

G_BEGIN_DECLS

typedef struct
{
  TestDevice test;
  CUstream stream;
  /* These are made when they are needed: what lab_device_random() fills memory
   * with, and the host's memory for a download of it that launches wait for
   * which are measured. */
  CUdeviceptr random;
  size_t random_bytes;
  void *gate;
} LabDevice;

/* These are blocks of one dimension, of a kernel that takes one parameter
 * struct. */
typedef struct
{
  CUfunction kernel;
  unsigned grid_x, grid_y, threads, shared_bytes;
  const void *parameters;
  bool early; /* it waits itself for the launch before it (gpu/module.h) */
} LabLaunch;

/* Opens the device. image is lab_fatbin_NAME; name is for messages. Where there
 * is no device the program ends as one that is skipped; with PACO_EMULATED in
 * the environment, as one that fails. */
void lab_device_open (
    LabDevice *device, const unsigned char *image, const char *name);
void lab_device_close (LabDevice *device);

CUfunction lab_device_kernel (const LabDevice *device, const char *name);

/* Return the registers of a kernel's threads; and how many of the threads that
 * a multiprocessor can hold it runs at once, in percent. */
int lab_device_registers (const LabDevice *device, CUfunction kernel);
double lab_device_occupancy (const LabDevice *device, CUfunction kernel,
    unsigned threads, unsigned shared_bytes);

/* Runs n launches one after the other and waits for the last one. */
void lab_device_run (
    const LabDevice *device, const LabLaunch *launches, unsigned n);

/* Returns memory of the device that is full of random samples of 8 bits in
 * words of 16. */
CUdeviceptr lab_device_random (LabDevice *device, size_t bytes);

/* Returns how many sets of memory have to take turns so that the device's
 * caches hold none of it any more when it is used again; bytes are those of a
 * set. */
unsigned lab_device_sets (size_t bytes);

/* Returns the median of the times that n launches take, one behind the other,
 * in microseconds. There are n_sets sets of n launches that do the same in
 * different memory, and take turns. All launches of a set are enqueued before
 * the first one begins, so that the time is the device's alone. */
double lab_device_time_us (
    LabDevice *device, const LabLaunch *launches, unsigned n, unsigned n_sets);

/* Returns the device's ceiling: the median time of a copy of this many bytes in
 * its memory, which its caches do not hold. */
double lab_device_copy_us (LabDevice *device, size_t bytes);

G_END_DECLS

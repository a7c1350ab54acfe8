/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs the kernels of the driver without a GPU: those of emulation.cpp, which
 * code like a device does, or those of fake-kernels.c, which are fast.
 *
 * The latter code nothing, but pass on a stamp. An encoded frame's payload is
 * the lowest byte of the picture's first sample, FAKE_PAYLOAD_SIZE times; every
 * byte of decoded samples is the first of the payload. A frame only gets that
 * if all kinds of kernels have run, in the right order, after the upload and
 * before the download. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_PAYLOAD_SIZE(stamp) (16 + 8 * (unsigned) (stamp))

/* A stream has this. */
typedef struct
{
  unsigned stage;
  uint8_t stamp;
} FakeKernelState;

typedef struct
{
  const char *name; /* of the kernel */
  unsigned grid_x, grid_y, grid_z, threads, shared_bytes;
  const void *parameters;
} FakeLaunch;

/* A C++ file includes this as well. */
G_BEGIN_DECLS

extern const char fake_device_name[];

/* Returns how many bytes the parameter struct of the kernel of this name has,
 * or 0 if there is no such kernel. */
size_t fake_kernel_parameter_bytes (const char *name);

/* Runs a kernel. Returns false if its predecessors have not run, or it cannot
 * be launched so. */
bool fake_kernel_run (FakeKernelState *state, const FakeLaunch *launch);

G_END_DECLS

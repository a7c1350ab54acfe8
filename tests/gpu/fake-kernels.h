/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The kernels of the fake driver. They code nothing, but pass on a stamp. An
 * encoded frame's payload is the lowest byte of the picture's first sample,
 * FAKE_PAYLOAD_SIZE times; every byte of decoded samples is the first of the
 * payload. A frame only gets that if all kinds of kernels have run, in the
 * right order, after the upload and before the download. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_PAYLOAD_SIZE(stamp) (16 + 8 * (unsigned) (stamp))

/* Of a stream. */
typedef struct
{
  unsigned stage;
  uint8_t stamp;
} FakeKernelState;

/* Bytes of the parameter struct of the kernel of this name. */
size_t fake_kernel_parameter_bytes (const char *name);

/* False if the kernel's predecessors have not run. */
bool fake_kernel_run (FakeKernelState *state, const char *name, unsigned grid_y,
    const void *parameters);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures what the device does alone. paco-bench calls it. */
#pragma once
#include "tests/bench/cuda/coding.h"

/* These are microseconds of the stages of a frame, each alone. */
typedef struct
{
  double forward, encode, pack, decode, inverse;
} KernelTimes;

/* Measures transforms, the block coder and the packing, and frames that stay on
 * the device. */
void bench_kernels (Bench *bench);

/* Measures the kernels between layouts and planes. */
void bench_layouts (Bench *bench);

/* Measures frames per second when pictures stay on the device and only
 * codestreams come and go: figures PREFIX_resident_... */
void bench_resident (
    Bench *bench, Coding *coding, const KernelTimes *times, const char *prefix);

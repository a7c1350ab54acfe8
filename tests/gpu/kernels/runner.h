/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs the kernels of a test on what the driver offers: a device or, where
 * libcuda.so.1 is the emulation (emulation.hpp), this machine's processor. */
#pragma once
#include "gpu/dwt.h"
#include "gpu/layout.h"

G_BEGIN_DECLS

typedef struct _Runner Runner;

/* Returns NULL if there is no device, and says why. With PACO_EMULATED in the
 * environment that ends the program: the emulation was to be found. */
Runner *runner_open (void);
void runner_close (Runner *runner);
const char *runner_name (Runner *runner);
unsigned runner_multiprocessors (Runner *runner);
const PacoDwtKernels *runner_kernels (Runner *runner);

/* These end the program when they fail. */
uint64_t runner_allocate (Runner *runner, size_t size);
void runner_free (Runner *runner, uint64_t memory);
void runner_write (Runner *runner, uint64_t to, const void *from, size_t size);
void runner_read (Runner *runner, void *to, uint64_t from, size_t size);
void runner_launch (Runner *runner, const PacoDwtLaunch *launches, unsigned n);

void runner_launch_layouts (Runner *runner, PacoLayoutDirection direction,
    const PacoLayoutLaunch *launches, unsigned n);

/* Measures medians of `runs` runs. */
void runner_time (Runner *runner, const PacoDwtLaunch *launches, unsigned n,
    unsigned n_sets, unsigned runs, double *total_us, double *launch_us);
double runner_time_copy (Runner *runner, const uint64_t *from,
    const uint64_t *to, unsigned n_sets, size_t size, unsigned runs);

G_END_DECLS

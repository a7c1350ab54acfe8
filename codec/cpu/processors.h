/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How many processors this process may use: fewer than the machine has where
 * its affinity (taskset, cpuset) or the quota of its control group (containers)
 * says so. workers.c asks when the user does not say how many threads there are
 * to be. And which instruction sets this processor and its system let programs use:
 * rows.c and bpc.c choose their variants by it. */
#pragma once
#include <stdbool.h>

/* Returns how many of the calling thread and the threads that it starts can run at
 * the same time; at least 1. */
unsigned paco_processors_usable (void);

/* The quota of processor time of this process' control group and of all groups
 * around it, in whole processors, rounded up; 0 if there is none. root is put
 * before the paths of the system's files: "" but in tests. Reads cpu.max of
 * version 2 and cpu.cfs_quota_us of version 1, where systems mount them, below
 * /sys/fs/cgroup. */
unsigned paco_processors_quota (const char *root);

#if defined(__x86_64__)
/* All that the compiler is told to use for *_avx2.c and *_avx512.c
 * (meson.build). */
bool paco_cpu_has_avx2 (void);
bool paco_cpu_has_avx512 (void);
#endif

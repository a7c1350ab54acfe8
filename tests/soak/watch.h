/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stands between the plugin and the CUDA driver: counts the memory that the plugin
 * has, and lets a kernel go wrong. The plugin looks the driver's functions up with
 * dlsym(), of which the program has its own. station.c calls it. */
#pragma once
#include <glib.h>

/* This is how many MiB are allocated now, on devices and, page-locked, on the
 * host; and how many contexts there are. Memory goes with the last context. */
typedef struct
{
  double device, pinned;
  unsigned contexts;
} WatchMemory;

WatchMemory watch_memory (void);

/* Has the next kernel go wrong: on a device by one that traps, which runs
 * before it, else as the driver of tests/gpu/driver does it. */
void watch_break_kernel (void);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Takes the time. CPU seconds are those of all threads of the process. */
#pragma once
#include <time.h>

typedef struct
{
  double wall, cpu;
} Seconds;

static inline double
seconds_of_clock (clockid_t id)
{
  struct timespec now;

  clock_gettime (id, &now);
  return now.tv_sec + now.tv_nsec * 1e-9;
}

static inline Seconds
seconds_since (Seconds start)
{
  return (Seconds){ seconds_of_clock (CLOCK_MONOTONIC) - start.wall,
    seconds_of_clock (CLOCK_PROCESS_CPUTIME_ID) - start.cpu };
}

static inline Seconds
seconds_now (void)
{
  return seconds_since ((Seconds){ 0 });
}

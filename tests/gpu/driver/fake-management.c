/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stands for NVIDIA's management library (NVML), built as libnvidia-ml.so.1: it knows
 * the devices of fake-driver.c by the identifiers that they have there, and what other
 * programs use of their memory (FAKE_CUDA_OTHERS). FAKE_CUDA_MANAGED says how many of
 * them it knows; without it, it is not to be had. */
#include "tests/gpu/driver/fake-driver.h"
#include <stdint.h>

#define EXPORT __attribute__ ((visibility ("default")))
enum
{
  UNINITIALIZED = 1,
  NOT_FOUND = 6,
};

static int n_users;

EXPORT int nvmlInit_v2 (void);
EXPORT int nvmlShutdown (void);
EXPORT int nvmlDeviceGetHandleByUUID (const char *identifier, void **handle);
EXPORT int nvmlDeviceGetMemoryInfo (void *handle, unsigned long long memory[3]);
EXPORT int fake_management_users (void);

int
nvmlInit_v2 (void)
{
  if (!getenv ("FAKE_CUDA_MANAGED"))
    return UNINITIALIZED;
  n_users++;
  return 0;
}

int
nvmlShutdown (void)
{
  return n_users-- > 0 ? 0 : UNINITIALIZED;
}

int
nvmlDeviceGetHandleByUUID (const char *identifier, void **handle)
{
  char known[64];

  if (n_users <= 0)
    return UNINITIALIZED;
  for (int device = 0; device < atoi (getenv ("FAKE_CUDA_MANAGED")); device++) {
    /* Every other device is a part of one. */
    snprintf (known, sizeof known, "%s-fa6e0000-0000-0000-0000-0000000000%02x",
        device % 2 ? "MIG" : "GPU", (unsigned) device);
    if (strcmp (identifier, known) == 0) {
      *handle = (void *) (intptr_t) (device + 1);
      return 0;
    }
  }
  return NOT_FOUND;
}

int
nvmlDeviceGetMemoryInfo (void *handle, unsigned long long memory[3])
{
  if (n_users <= 0 || !handle)
    return UNINITIALIZED;
  memory[0] = FAKE_DEVICE_MEMORY;
  memory[2] = fake_cuda_used_by_others ((int) (intptr_t) handle - 1);
  memory[1] = memory[0] - memory[2];
  return 0;
}

/* Returns how often the library was initialized and not shut down. */
int
fake_management_users (void)
{
  return n_users;
}

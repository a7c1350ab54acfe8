/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lets a test govern the driver of fake-driver.c; without a test the
 * environment does:
 *
 *   FAKE_CUDA_FAIL         a plan, see fake_cuda_fail()
 *   FAKE_CUDA_DEVICES      number of devices (1), of which CUDA_VISIBLE_DEVICES may
 *                          show some, unless it is empty
 *   FAKE_CUDA_CAPABILITY   compute capability (9.0)
 *   FAKE_CUDA_OTHERS       what other programs use of the memory of device 0,
 *                          1, ..., in MiB ("0,0,...")
 *   FAKE_CUDA_MANAGED      number of devices that the management library knows
 *                          (fake-management.c); without it, it is not to be had
 *   FAKE_CUDA_GRAPHS       0: there are no graphs
 *
 * All but the first are read whenever a coder asks. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAKE_DEVICE_MEMORY ((size_t) 256 << 20) /* bytes of each device */

/* Returns how many of them other programs use. */
static inline size_t
fake_cuda_used_by_others (int device)
{
  const char *at = getenv ("FAKE_CUDA_OTHERS");

  while (at && device-- > 0) {
    at = strchr (at, ',');
    at += at != NULL;
  }
  return at ? (size_t) atoi (at) << 20 : 0;
}

/* This counts what has been made and not been destroyed. pushed: contexts that
 * are current in the calling thread. misuses: kernels that ran without those
 * before them, and the like. */
typedef struct
{
  unsigned contexts, modules, streams, events, graphs, device_memory,
      host_memory;
  unsigned pushed, misuses;
  size_t device_bytes, host_bytes;
} FakeCudaLeft;

/* Begins to count calls again, and makes some of them fail. The plan is NULL or
 * "FUNCTION:NUMBER:RESULT[:HOW]": the call of this number (from 1) of the
 * function of this name returns this CUresult. HOW says what comes afterwards:
 *   from   all later calls of the function fail as well;
 *   lost   nothing works in this context any more;
 *   gone   nothing works at all any more, until the next plan;
 *   hang   this call and all later ones of the function do not return;
 *   stuck  this call and all later ones of any function do not return.
 * The latter two return after fake_cuda_release(), with the CUresult if it is
 * not 0.
 * FUNCTION deviceN stands for any function in a context of device N; HOW is lost
 * or hang. */
void fake_cuda_fail (const char *plan);

/* Returns the device in a context of which the plan's call was made, or -1 if
 * it was in none, has not come, or others fail as well. */
int fake_cuda_failed_device (void);

/* Lets all calls return that hang, and none hang any more. */
void fake_cuda_release (void);

/* Says whether the plan's call has come. */
bool fake_cuda_has_failed (void);

/* Returns how often function number i was called since the last plan; *name is
 * NULL behind the last function. */
unsigned fake_cuda_calls (unsigned i, const char **name);

/* Returns how often a function was called since then. `calls` is
 * fake_cuda_calls(), as the linker or dlsym() gives it. */
static inline unsigned
fake_cuda_calls_of (
    unsigned (*calls) (unsigned i, const char **name), const char *function)
{
  const char *name;
  unsigned n;

  for (unsigned i = 0; n = calls (i, &name), name; i++)
    if (strcmp (name, function) == 0)
      return n;
  fprintf (stderr, "The driver has no function %s.\n", function);
  abort ();
}

/* Counts the streams where copies were enqueued since the last plan: n[0] copied from the
 * host's memory, n[1] to it. */
void fake_cuda_copying_streams (unsigned n[2]);

void fake_cuda_left (FakeCudaLeft *left);

/* Destroys whatever is left. Nothing may use the driver meanwhile. */
void fake_cuda_clear (void);

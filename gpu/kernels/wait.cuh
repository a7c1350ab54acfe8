/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Launching early (gpu/module.h): how a kernel waits for the one before it. */
#pragma once

/* A kernel begins while the one before still runs, as far as there is room: it
 * waits here before it reads what that one wrote, and lets the next one begin.
 * Only devices from 9.0 on can. */
__device__ __forceinline__ void
wait_for_kernel_before (void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

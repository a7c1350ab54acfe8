/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Launching early (gpu/module.h): how a kernel waits for the one before it. */
#pragma once

/* A kernel may begin while the one before it still runs, if there is room. Here it
 * lets the next one begin, and waits before it reads what the one before has
 * written. Only devices from 9.0 on can do that. */
__device__ __forceinline__ void
wait_for_kernel_before (void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

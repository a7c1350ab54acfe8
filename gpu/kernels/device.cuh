/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What all kernels are written with. */
#pragma once

#define DEVICE __device__ __forceinline__

#define ALL_LANES 0xffffffffu

/* A kernel that is launched early (gpu/module.h) may begin while the one before it
 * still runs. This lets the next one begin, and waits until what the one before has
 * written is there. Devices before 9.0 cannot do that. */
DEVICE void
wait_for_kernel_before (void)
{
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

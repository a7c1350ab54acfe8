/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies memory, which is the ceiling of whatever reads and writes a picture
 * once; a thread copies a word of 4 or of 16 bytes. */
#include "tests/lab/cuda/copy.h"

template <class Word>
static __device__ __forceinline__ void
copy (const LabCopyParameters &parameters)
{
  uint32_t i = blockIdx.x * LAB_COPY_THREADS + threadIdx.x;

  if (i < parameters.n / (sizeof (Word) / 4))
    ((Word *) parameters.to)[i] = ((const Word *) parameters.from)[i];
}

extern "C" __global__ void
copy_words (const __grid_constant__ LabCopyParameters parameters)
{
  copy<uint32_t> (parameters);
}

extern "C" __global__ void
copy_quads (const __grid_constant__ LabCopyParameters parameters)
{
  copy<uint4> (parameters);
}

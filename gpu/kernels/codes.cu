/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Looks samples of planes up in maps (codec/sample_map.h), and finds the codes of a
 * picture, by which an encoder chooses code tables. Launched by gpu/codes.c. */
#include "gpu/kernels/device.cuh"
#include "gpu/kernels/codes.h"

/* Any number of blocks in y; those in x cover the words of a line, one a thread. */
extern "C" __global__ void
__launch_bounds__ (PACO_CODES_THREADS) paco_map_samples (PacoMapParameters p)
{
  uint32_t word = blockIdx.x * PACO_CODES_THREADS + threadIdx.x;
  uint32_t bits = 8 * p.sample_bytes;

  if (word * 4 >= p.columns * p.sample_bytes)
    return;
  for (uint32_t line = blockIdx.y; line < p.lines; line += gridDim.y) {
    uint32_t *at = (uint32_t *) (p.plane + line * p.stride) + word;
    uint32_t samples = *at, mapped = 0;

    for (uint32_t shift = 0; shift < 32; shift += bits)
      mapped |= (uint32_t) __ldg (p.map + (samples >> shift & p.mask)) << shift;
    *at = mapped;
  }
}

/* An upload by a copy engine would have to wait for the pictures of other frames. */
extern "C" __global__ void
__launch_bounds__ (PACO_CODES_THREADS) paco_take_words (PacoTakeParameters p)
{
  uint32_t i = blockIdx.x * PACO_CODES_THREADS + threadIdx.x;

  if (i < p.n)
    ((uint4 *) p.to)[i] = ((const uint4 *) p.from)[i];
}

static DEVICE void
mark (const PacoFindComponent &p, uint32_t *used, uint32_t word)
{
  uint32_t sample = word >> p.shift & p.mask;
  uint32_t code = sample ^ (sample & p.high ? p.flip_negative : p.flip);
  uint32_t bit = 1u << code % 32;

  /* Most codes were seen before, and reading is cheaper. */
  if (!(used[code / 32] & bit))
    atomicOr (&used[code / 32], bit);
}

static DEVICE void
mark_line (const PacoFindComponent &p, uint32_t *used, const uint8_t *line)
{
  uint32_t in_16 = 16 / p.sample_bytes, bits = 8 * p.sample_bytes;
  uint32_t n = (uintptr_t) line % 16 == 0 ? p.columns / in_16 : 0;

  for (uint32_t i = threadIdx.x; i < n; i += PACO_CODES_THREADS) {
    uint4 samples = __ldg ((const uint4 *) line + i);

    for (uint32_t shift = 0; shift < 32; shift += bits) {
      uint32_t mask = p.sample_bytes == 2 ? 0xffff : 0xff;

      mark (p, used, samples.x >> shift & mask);
      mark (p, used, samples.y >> shift & mask);
      mark (p, used, samples.z >> shift & mask);
      mark (p, used, samples.w >> shift & mask);
    }
  }
  for (uint32_t x = n * in_16 + threadIdx.x; x < p.columns;
       x += PACO_CODES_THREADS)
    mark (p, used,
        p.sample_bytes == 2 ? __ldg ((const uint16_t *) line + x)
                            : __ldg (line + x));
}

/* Gives the host the words of all groups, and leaves zeros for the next frame. */
static DEVICE void
hand_over (const PacoFindParameters &p)
{
  uint32_t n = p.n_words * (p.n_classes > 1 ? 2 : 1);

  for (uint32_t i = threadIdx.x; i < n; i += PACO_CODES_THREADS) {
    p.host_used[i] = __ldcg (p.used + i);
    p.used[i] = 0;
  }
  if (threadIdx.x == 0)
    p.used[2 * p.n_words] = 0;
}

/* Any number of blocks for each class in x, which take line after line of it; those in y are
 * components. The block that ends last hands over what all have found. */
extern "C" __global__ void
__launch_bounds__ (PACO_CODES_THREADS)
    paco_find_codes (PacoFindParameters parameters)
{
  const PacoFindComponent &p = parameters.components[blockIdx.y];
  const uint32_t n_classes = parameters.n_classes, step = parameters.step;
  const uint32_t line_class = blockIdx.x % n_classes;
  uint32_t *found = p.used + (line_class > 0 ? parameters.n_words : 0);
  __shared__ uint32_t used[PACO_CODES_WORDS];
  __shared__ uint32_t n_ended;

  for (uint32_t i = threadIdx.x; i < PACO_CODES_WORDS; i += PACO_CODES_THREADS)
    used[i] = 0;
  __syncthreads ();
  for (uint32_t y = line_class + blockIdx.x / n_classes * step; y < p.lines;
       y += gridDim.x / n_classes * step)
    mark_line (p, used, p.data + (int64_t) y * p.stride);
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < PACO_CODES_WORDS; i += PACO_CODES_THREADS)
    if (used[i] != 0)
      atomicOr (&found[i], used[i]);
  __threadfence ();
  __syncthreads ();
  if (threadIdx.x == 0)
    n_ended = atomicAdd (parameters.used + 2 * parameters.n_words, 1u) + 1;
  __syncthreads ();
  if (n_ended == gridDim.x * gridDim.y) {
    __threadfence ();
    hand_over (parameters);
  }
}

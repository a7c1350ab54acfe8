/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has the convolutions of Galiano et al. (text 003, section III) with the
 * filters of 9/7, each along lines (rows) and down columns:
 *
 *   convolution_conv_*  a thread block has a line, or a column, in shared memory, and writes
 *                       what comes out in its place
 *   convolution_mem_*   a thread reads what it needs from global memory
 *   convolution_text_*  the same from a texture
 *   convolution_sep_*   a thread block has a tile in shared memory, as NVIDIA's sample of
 *                       separable convolution; global memory is read and written line by
 *                       line
 *
 * The filters are in constant memory, where a kernel's parameters are. */
#include "gpu/kernels/dwt_strips.cuh"
#include "tests/lab/cuda/convolution.h"

extern __shared__ uint32_t shared[];

enum
{
  THREADS = LAB_CONVOLUTION_THREADS,
  REACH = LAB_CONVOLUTION_REACH,
};

/* Returns i, mirrored until it is inside of a line of n. */
static __device__ __forceinline__ int
inside (int i, int n)
{
  return mirrored<2 * REACH> (min (i, n + REACH), n);
}

/* Applies the filters to x (i), i from -REACH to REACH around the sample in the
 * middle. */
template <class Samples>
static __device__ __forceinline__ float
low_of (const LabConvolutionParameters &p, const Samples &x)
{
  float sum = p.low[0] * x (0);

#pragma unroll
  for (int i = 1; i <= REACH; i++)
    sum = __fmaf_rn (p.low[i], x (-i) + x (i), sum);
  return sum;
}

template <class Samples>
static __device__ __forceinline__ float
high_of (const LabConvolutionParameters &p, const Samples &x)
{
  float sum = p.high[0] * x (0);

#pragma unroll
  for (int i = 1; i < REACH; i++)
    sum = __fmaf_rn (p.high[i], x (-i) + x (i), sum);
  return sum;
}

/* --- A line in shared memory --- */

/* Filters a line; step is how many floats lie between its samples. */
static __device__ __forceinline__ void
filter_in_place (
    const LabConvolutionParameters &p, float *line, int n, size_t step)
{
  float *samples = (float *) shared;
  int n_low = (n + 1) / 2;

  for (int i = threadIdx.x; i < n + 2 * REACH; i += THREADS)
    samples[i] = line[inside (i - REACH, n) * step];
  __syncthreads ();
  for (int i = threadIdx.x; i < n; i += THREADS) {
    bool is_low = i < n_low;
    const float *middle = samples + REACH
        + (is_low ? 2 * i : 2 * (i - n_low) + 1);
    auto x = [middle] (int k) { return middle[k]; };

    line[i * step] = is_low ? low_of (p, x) : high_of (p, x);
  }
}

extern "C" __global__ void
__launch_bounds__ (THREADS)
    convolution_conv_rows (const __grid_constant__ LabConvolutionParameters p)
{
  filter_in_place (
      p, (float *) p.to + (size_t) blockIdx.x * p.to_stride, p.width, 1);
}

extern "C" __global__ void
__launch_bounds__ (THREADS) convolution_conv_columns (
    const __grid_constant__ LabConvolutionParameters p)
{
  filter_in_place (p, (float *) p.to + blockIdx.x, p.height, p.to_stride);
}

/* --- A thread a result --- */

struct FromMemory
{
  static __device__ __forceinline__ float read (
      const LabConvolutionParameters &p, int column, int line)
  {
    return ((const float *) p.from)[(size_t) line * p.from_stride + column];
  }
};

struct FromTexture
{
  static __device__ __forceinline__ float read (
      const LabConvolutionParameters &p, int column, int line)
  {
    return tex2D<float> (
        (cudaTextureObject_t) p.texture, column + 0.5f, line + 0.5f);
  }
};

template <class Source, bool DOWN>
static __device__ __forceinline__ void
filter_one (const LabConvolutionParameters &p)
{
  int column = blockIdx.x * THREADS + threadIdx.x, line = blockIdx.y;
  int width = p.width, height = p.height;

  if (column >= width)
    return;

  int n = DOWN ? height : width, at = DOWN ? line : column;
  int n_low = (n + 1) / 2;
  int middle = at < n_low ? 2 * at : 2 * (at - n_low) + 1;
  auto x = [&p, middle, n, column, line] (int k) {
    int i = inside (middle + k, n);

    return DOWN ? Source::read (p, column, i) : Source::read (p, i, line);
  };

  ((float *) p.to)[(size_t) line * p.to_stride + column] = at < n_low
      ? low_of (p, x)
      : high_of (p, x);
}

#define FILTER_ONE(name, Source, down)                                         \
  extern "C" __global__ void __launch_bounds__ (THREADS)                       \
      name (const __grid_constant__ LabConvolutionParameters p)                \
  {                                                                            \
    filter_one<Source, down> (p);                                              \
  }
FILTER_ONE (convolution_mem_rows, FromMemory, false)
FILTER_ONE (convolution_mem_columns, FromMemory, true)
FILTER_ONE (convolution_text_rows, FromTexture, false)
FILTER_ONE (convolution_text_columns, FromTexture, true)

/* --- A tile in shared memory --- */

/* Returns the place in shared memory of sample i of a line of the tile, counted
 * from the first one of its apron. */
static __device__ __forceinline__ int
place_in_tile (int line, int i)
{
  return (2 * line + (i & 1)) * LAB_CONVOLUTION_PARITY_WORDS + (i >> 1);
}

extern "C" __global__ void
__launch_bounds__ (THREADS)
    convolution_sep_rows (const __grid_constant__ LabConvolutionParameters p)
{
  enum
  {
    COLUMNS = LAB_CONVOLUTION_TILE_COLUMNS,
    LINES = LAB_CONVOLUTION_TILE_LINES,
    OF_LINE = THREADS / LINES, /* threads */
  };
  float *tile = (float *) shared;
  int first_column = blockIdx.x * COLUMNS, first_line = blockIdx.y * LINES;
  int width = p.width, height = p.height, n_low = (width + 1) / 2;

  for (int line = 0; line < LINES; line++)
    for (int i = threadIdx.x; i < COLUMNS + 2 * REACH; i += THREADS)
      if (first_line + line < height)
        tile[place_in_tile (line, i)] = ((
            const float *) p.from)[(size_t) (first_line + line) * p.from_stride
            + inside (first_column + i - REACH, width)];
  __syncthreads ();

  int line = threadIdx.x / OF_LINE;
  float *to = (float *) p.to + (size_t) (first_line + line) * p.to_stride;

  if (first_line + line >= height)
    return;
#pragma unroll
  for (int part = 0; part < COLUMNS / 2 / OF_LINE; part++) {
    int i = threadIdx.x % OF_LINE + part * OF_LINE;
    int middle = 2 * i + REACH, low = first_column / 2 + i;
    auto x = [tile, line, middle] (
                 int k) { return tile[place_in_tile (line, middle + k)]; };
    auto after = [tile, line, middle] (int k) {
      return tile[place_in_tile (line, middle + 1 + k)];
    };

    if (2 * low < width)
      to[low] = low_of (p, x);
    if (2 * low + 1 < width && !p.low_only)
      to[n_low + low] = high_of (p, after);
  }
}

extern "C" __global__ void
__launch_bounds__ (THREADS)
    convolution_sep_columns (const __grid_constant__ LabConvolutionParameters p)
{
  enum
  {
    COLUMNS = LAB_CONVOLUTION_COLUMN_TILE_COLUMNS,
    LINES = LAB_CONVOLUTION_COLUMN_TILE_LINES,
    STEP = THREADS / COLUMNS, /* lines that the threads do at once */
  };
  float *tile = (float *) shared + threadIdx.x % COLUMNS;
  int column = blockIdx.x * COLUMNS + threadIdx.x % COLUMNS;
  int first_line = blockIdx.y * LINES, thread_line = threadIdx.x / COLUMNS;
  int height = p.height, n_low = (height + 1) / 2;
  bool has_column = column < (int) p.width;

  for (int line = thread_line; line < LINES + 2 * REACH; line += STEP)
    if (has_column)
      tile[line * COLUMNS] =
          ((const float *)
                  p.from)[(size_t) inside (first_line + line - REACH, height)
                  * p.from_stride
              + column];
  __syncthreads ();
  if (!has_column)
    return;
#pragma unroll
  for (int part = 0; part < LINES / 2 / STEP; part++) {
    int i = thread_line + part * STEP;
    int low = first_line / 2 + i;
    const float *middle = tile + (2 * i + REACH) * COLUMNS;
    auto x = [middle] (int k) { return middle[k * COLUMNS]; };
    auto after = [middle] (int k) { return middle[(1 + k) * COLUMNS]; };
    float *to = (float *) p.to + column;

    if (2 * low < height)
      to[(size_t) low * p.to_stride] = low_of (p, x);
    if (2 * low + 1 < height && !p.low_only)
      to[(size_t) (n_low + low) * p.to_stride] = high_of (p, after);
  }
}

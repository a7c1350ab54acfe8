/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelet transform in registers, after Enfedaque, Auli-Llinas and Moure
 * (IEEE TPDS 26(12) 2015, section V): a warp owns a block of columns, a lane
 * neighboring columns of it, and nothing but the warp's own shuffles carries
 * samples from lane to lane. No shared memory, no barrier.
 *
 *            strip s: 128 columns, 120 of them its own
 *           lane 0  lane 1          lane 30  lane 31
 *          |. . . .|x x x x|  ...  |x x x x|. . . .|
 *   tile   |. . . .|x x x x|       |x x x x|. . . .|  | a warp walks down
 *     t    |. . . .|x x x x|       |x x x x|. . . .|  v its tile
 *                  |<--- results written -->|
 *
 * Where this departs from the paper. A lane has four columns instead of two: a
 * line of a 16-bit plane is one 8-byte load, a shuffle serves twice the
 * samples, and the overlap of four columns on either side (what 9/7 needs; 5/3
 * needs two) is 8 of 128 instead of 8 of 64. 13/7 needs six, and gets eight. And a
 * block is not held as a whole: the vertical lifting is a window that slides down
 * (Wavelet::State: two to seven numbers per column), and a line is filtered when the
 * window reaches it. So a tile may have any height; it is as high as it can be while there
 * are enough warps. The lines that two tiles both read are 3 (5/3), 7 (9/7) or 11 (13/7)
 * of 2 * tile_pairs, instead of 4 or 8 of 20. The next lines are fetched while the last
 * ones are filtered.
 *
 * Borders: a line outside of the plane is fetched where its mirror image is, and a
 * column outside of it comes from the lane that has its mirror image. Lifting keeps this
 * symmetry. Only warps at the border do this.
 *
 * A thread has the columns 4 * lane - 4 (13/7: - 8) ... of a strip in all lines of a
 * tile; with a color transform, those of three components. A thread block has 128
 * threads, whose four warps are neighbors in a line, so that what two of them read is in
 * the multiprocessor's cache. With more threads to a block, fewer multiprocessors would
 * work when the last blocks run. gpu/dwt.c launches the kernels. */
#include "gpu/kernels/dwt_forward.cuh"
#include "gpu/kernels/dwt_inverse.cuh"

/* --- Without a wavelet, for levels=0 and for decoders that leave out all levels: a thread
 * takes four columns of a line --- */

DEVICE bool
line_place (const PacoDwtPlane &plane, Place *place, int *line)
{
  unsigned lanes = (plane.width + LANE_COLUMNS - 1) / LANE_COLUMNS;
  unsigned thread = blockIdx.x * PACO_DWT_THREADS + threadIdx.x;

  if (lanes == 0 || thread / lanes >= plane.height)
    return false;
  *line = thread / lanes;
  place->column = place->fetched = (thread - *line * lanes) * LANE_COLUMNS;
  place->writes = true;
  return true;
}

template <class Number, class Layout, int G>
DEVICE void
samples_to_indices (const PacoDwtParameters &p)
{
  typedef SampleSource<Layout, G> Source;
  const PacoDwtPlane *planes = G == 1 ? &p.planes[blockIdx.y] : p.planes;
  typename Source::Raw raw[G];
  Number x[G][LANE_COLUMNS];
  Place place;
  int line;

  wait_for_kernel_before ();
  if (!line_place (planes[0], &place, &line))
    return;

#pragma unroll
  for (int c = 0; c < G; c++)
    raw[c] = Source::fetch (p, planes[c], line, place);
  Source::template unpack<ANY_TILE> (p, planes, raw, x);
#pragma unroll
  for (int c = 0; c < G; c++)
#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i += 2)
      store_subband<Any> (p, planes[c].subbands[0],
          line * planes[0].low_stride + place.column + i, x[c][i], x[c][i + 1]);
}

template <class Number, class Layout, int G>
DEVICE void
indices_to_samples (const PacoDwtParameters &p)
{
  const PacoDwtPlane *planes = G == 1 ? &p.planes[blockIdx.y] : p.planes;
  Number x[G][LANE_COLUMNS];
  Place place;
  int line;

  wait_for_kernel_before ();
  if (!line_place (planes[0], &place, &line))
    return;

#pragma unroll
  for (int c = 0; c < G; c++) {
    const PacoDwtSubband &subband = planes[c].subbands[0];

#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i += 2) {
      int column = place.column + i;
      uint2 pair = fetch_pair (
          p.wide, subband.address, line * planes[0].low_stride + column);

      AnyIndices::dequantize (
          p, subband, line, column, pair, &x[c][i], &x[c][i + 1]);
    }
  }
  SampleSink<Layout, G, AnyIndices>::store (p, planes, place, line, x);
}

/* --- How kernels are made of a wavelet's row; gpu/dwt.c finds them by name --- */

#define KERNEL(name, call)                                                     \
  extern "C" __global__ void __launch_bounds__ (PACO_DWT_THREADS)              \
      name (const __grid_constant__ PacoDwtParameters p)                       \
  {                                                                            \
    call (p);                                                                  \
  }

#define BOUNDED_KERNEL(name, n_blocks, call)                                   \
  extern "C" __global__ void __launch_bounds__ (PACO_DWT_THREADS, n_blocks)    \
      name (const __grid_constant__ PacoDwtParameters p)                       \
  {                                                                            \
    call (p);                                                                  \
  }

/* Steps before its use in which a pair of lines is fetched. Each one more costs
 * registers and a copy of the loop's body; these were the fastest. */
#define AHEAD_FORWARD 1
#define AHEAD_FORWARD_SAMPLES_1 2
#define AHEAD_FORWARD_SAMPLES_3 1
#define AHEAD_INVERSE 4
#define AHEAD_INVERSE_SAMPLES_1 2
#define AHEAD_INVERSE_SAMPLES_3 1

/* Thread blocks that a multiprocessor should run at once. Without this, ptxas takes
 * some registers too many, and one block less fits. */
#define BLOCKS_FORWARD_SAMPLES_3(W) (W::REACH == 2 ? 6 : W::REACH == 4 ? 4 : 3)
#define BLOCKS_INVERSE_SAMPLES_3(W) (W::REACH == 2 ? 5 : 3)

/* The kernels of level 1, whose fine side is samples:
 * dwt_<direction>_<wavelet>_<ability>_<layout>_<components> */
#define FORWARD_SAMPLES(wavelet, W, ability, Ability, layout, Layout)          \
  KERNEL (dwt_forward_##wavelet##_##ability##_##layout##_1,                    \
      (forward<W, 1, SampleSource<Layout, 1>, Ability,                         \
          AHEAD_FORWARD_SAMPLES_1>) )                                          \
  BOUNDED_KERNEL (dwt_forward_##wavelet##_##ability##_##layout##_3,            \
      BLOCKS_FORWARD_SAMPLES_3 (W),                                            \
      (forward<W, 3, SampleSource<Layout, 3>, Ability,                         \
          AHEAD_FORWARD_SAMPLES_3>) )
#define INVERSE_SAMPLES(wavelet, W, ability, Ability, layout, Layout)          \
  KERNEL (dwt_inverse_##wavelet##_##ability##_##layout##_1,                    \
      (inverse<W, Ability##Indices, SampleSink<Layout, 1, Ability##Indices>,   \
          AHEAD_INVERSE_SAMPLES_1>) )                                          \
  BOUNDED_KERNEL (dwt_inverse_##wavelet##_##ability##_##layout##_3,            \
      BLOCKS_INVERSE_SAMPLES_3 (W),                                            \
      (inverse<W, Ability##Indices, SampleSink<Layout, 3, Ability##Indices>,   \
          AHEAD_INVERSE_SAMPLES_3>) )
#define SAMPLES(wavelet, W, ability, Ability)                                  \
  FORWARD_SAMPLES (wavelet, W, ability, Ability, planar8, Planar8)             \
  FORWARD_SAMPLES (wavelet, W, ability, Ability, planar16, Planar16)           \
  INVERSE_SAMPLES (wavelet, W, ability, Ability, planar8, Planar8)             \
  INVERSE_SAMPLES (wavelet, W, ability, Ability, planar16, Planar16)

/* The kernels of the other levels: dwt_<direction>_<wavelet>_<ability> */
#define NUMBERS(wavelet, W, ability, Ability, Source)                          \
  KERNEL (dwt_forward_##wavelet##_##ability,                                   \
      (forward<W, 1, Source, Ability, AHEAD_FORWARD>) )                        \
  KERNEL (dwt_inverse_##wavelet##_##ability,                                   \
      (inverse<W, Ability##Indices, FineSink, AHEAD_INVERSE>) )

/* The kernels without a wavelet:
 * dwt_<direction>_<numbers>_direct_<layout>_<components>. The kind of numbers says
 * how they are quantized. */
#define DIRECT(numbers, Number, layout, Layout, G)                             \
  KERNEL (dwt_forward_##numbers##_direct_##layout##_##G,                       \
      (samples_to_indices<Number, Layout, G>) )                                \
  KERNEL (dwt_inverse_##numbers##_direct_##layout##_##G,                       \
      (indices_to_samples<Number, Layout, G>) )
#define DIRECT_LAYOUTS(numbers, Number, G)                                     \
  DIRECT (numbers, Number, planar8, Planar8, G)                                \
  DIRECT (numbers, Number, planar16, Planar16, G)

/* --- The kernels --- */

typedef Wavelet<PACO_WAVELET_CDF53> Cdf53;
typedef Wavelet<PACO_WAVELET_CDF97> Cdf97;
typedef Wavelet<PACO_WAVELET_DD137> Dd137;

SAMPLES (cdf53, Cdf53, any, Any)
SAMPLES (cdf53, Cdf53, plain, Plain)
SAMPLES (cdf97, Cdf97, any, Any)
SAMPLES (cdf97, Cdf97, plain, Plain)
SAMPLES (dd137, Dd137, any, Any)
SAMPLES (dd137, Dd137, plain, Plain)

NUMBERS (cdf53, Cdf53, any, Any, AnyFineSource)
NUMBERS (cdf53, Cdf53, plain, Plain, FineSource<int16_t>)
NUMBERS (cdf97, Cdf97, any, Any, FineSource<float>)
NUMBERS (cdf97, Cdf97, plain, Plain, FineSource<float>)
NUMBERS (dd137, Dd137, any, Any, AnyFineSource)
NUMBERS (dd137, Dd137, plain, Plain, FineSource<int16_t>)

/* With a step map, levels that use it. */
INVERSE_SAMPLES (cdf97, Cdf97, mapped, Mapped, planar8, Planar8)
INVERSE_SAMPLES (cdf97, Cdf97, mapped, Mapped, planar16, Planar16)
KERNEL (dwt_inverse_cdf97_mapped,
    (inverse<Cdf97, MappedIndices, FineSink, AHEAD_INVERSE>) )

DIRECT_LAYOUTS (integers, int, 1)
DIRECT_LAYOUTS (integers, int, 3)
DIRECT_LAYOUTS (floats, float, 1)
DIRECT_LAYOUTS (floats, float, 3)

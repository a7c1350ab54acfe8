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
 * needs two) is 8 of 128 instead of 8 of 64. And a block is not held as a
 * whole: the vertical lifting is a window that slides down (Cdf97::State: four
 * numbers per column), so that a tile may be as tall as the picture allows
 * warps to be many, and a line is filtered when it comes by. The lines that
 * two tiles both read are 3 (5/3) or 7 (9/7) of 2 * tile_pairs, instead of 4
 * or 8 of 20. The next lines are fetched while the last ones are filtered.
 *
 * Borders: a line outside of the plane is fetched where its mirror image is,
 * a column outside of it comes from the lane that has its mirror image; lifting
 * keeps the symmetry of what it is given. Only warps at the border do so.
 *
 * A thread: columns 4 * lane - 4 ... of a strip, all lines of a tile; with a
 * color transform those of three components. 128 threads to a block: its four
 * warps are neighbors in a line, so that what they both read is in the
 * multiprocessor's cache; more would only make the last wave coarser. */
#include "gpu/kernels/dwt_direct.cuh"

#define KERNEL(name, call)                                                     \
  extern "C" __global__ void __launch_bounds__ (PACO_DWT_THREADS)              \
      name (const __grid_constant__ PacoDwtParameters p)                       \
  {                                                                            \
    call (p);                                                                  \
  }

/* How many steps before its use a pair of lines is fetched. Each costs
 * registers and a copy of the loop's body; measured, not derived. */
#define AHEAD_FORWARD 1
#define AHEAD_FORWARD_SAMPLES_1 2
#define AHEAD_FORWARD_SAMPLES_3 1
#define AHEAD_INVERSE 4
#define AHEAD_INVERSE_SAMPLES_1 2
#define AHEAD_INVERSE_SAMPLES_3 1

/* dwt_forward_<wavelet>_<ability>_samples_<layout>_<components>: level 1 */
#define FORWARD_SAMPLES(wavelet, W, ability, Ability, layout, Layout)          \
  KERNEL (dwt_forward_##wavelet##_##ability##_samples_##layout##_1,            \
      (forward<W, 1, SampleSource<Layout, 1>, Ability,                         \
          AHEAD_FORWARD_SAMPLES_1>) )                                          \
  KERNEL (dwt_forward_##wavelet##_##ability##_samples_##layout##_3,            \
      (forward<W, 3, SampleSource<Layout, 3>, Ability,                         \
          AHEAD_FORWARD_SAMPLES_3>) )
#define FORWARD(wavelet, W)                                                    \
  FORWARD_SAMPLES (wavelet, W, any, Any, generic, GenericSource)               \
  FORWARD_SAMPLES (wavelet, W, any, Any, planar16, Planar16Source)             \
  FORWARD_SAMPLES (wavelet, W, plain, Plain, planar8, Planar8Source)           \
  FORWARD_SAMPLES (wavelet, W, plain, Plain, planar16, Planar16Source)
FORWARD (cdf53, Cdf53)
FORWARD (cdf97, Cdf97)

/* dwt_forward_<wavelet>_<ability>: the further levels. What is any there is
 * wide with 5/3. */
KERNEL (dwt_forward_cdf53_any,
    (forward<Cdf53, 1, FineSource<int32_t>, Any, AHEAD_FORWARD>) )
KERNEL (dwt_forward_cdf53_plain,
    (forward<Cdf53, 1, FineSource<int16_t>, Plain, AHEAD_FORWARD>) )
KERNEL (dwt_forward_cdf97_any,
    (forward<Cdf97, 1, FineSource<float>, Any, AHEAD_FORWARD>) )
KERNEL (dwt_forward_cdf97_plain,
    (forward<Cdf97, 1, FineSource<float>, Plain, AHEAD_FORWARD>) )

/* dwt_inverse_<wavelet>_<ability>[_samples_<layout>_<components>] */
#define SINK(n, Store, Indices) SampleSink<n, Store, Indices>
#define INVERSE(wavelet, W, ability, Indices)                                  \
  KERNEL (dwt_inverse_##wavelet##_##ability,                                   \
      (inverse<W, Indices, FineSink, AHEAD_INVERSE>) )                         \
  KERNEL (dwt_inverse_##wavelet##_##ability##_samples_generic_1,               \
      (inverse<W, Indices, SINK (1, GenericStore, Indices),                    \
          AHEAD_INVERSE_SAMPLES_1>) )                                          \
  KERNEL (dwt_inverse_##wavelet##_##ability##_samples_generic_3,               \
      (inverse<W, Indices, SINK (3, GenericStore, Indices),                    \
          AHEAD_INVERSE_SAMPLES_3>) )                                          \
  KERNEL (dwt_inverse_##wavelet##_##ability##_samples_planar_1,                \
      (inverse<W, Indices, SINK (1, PlanarStore, Indices),                     \
          AHEAD_INVERSE_SAMPLES_1>) )                                          \
  KERNEL (dwt_inverse_##wavelet##_##ability##_samples_planar_3,                \
      (inverse<W, Indices, SINK (3, PlanarStore, Indices),                     \
          AHEAD_INVERSE_SAMPLES_3>) )
INVERSE (cdf53, Cdf53, plain, PlainIndices)
INVERSE (cdf53, Cdf53, any, AnyIndices)
INVERSE (cdf97, Cdf97, plain, PlainIndices)
INVERSE (cdf97, Cdf97, any, AnyIndices)

/* Without a wavelet */
#define DIRECT(wavelet, Number, G)                                             \
  KERNEL (                                                                     \
      samples_to_indices_##wavelet##_##G, (samples_to_indices<Number, G>) )    \
  KERNEL (indices_to_samples_##wavelet##_##G, (indices_to_samples<Number, G>) )
DIRECT (cdf53, int, 1)
DIRECT (cdf53, int, 3)
DIRECT (cdf97, float, 1)
DIRECT (cdf97, float, 3)

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
#include "gpu/kernels/dwt_kernels.cuh"

typedef Wavelet<PACO_WAVELET_CDF53> Cdf53;
typedef Wavelet<PACO_WAVELET_CDF97> Cdf97;
typedef Wavelet<PACO_WAVELET_DD137> Dd137;

SAMPLES (cdf53, Cdf53, any, Any)
SAMPLES (cdf53, Cdf53, plain, Plain)
SAMPLES (cdf97, Cdf97, any, Any)
SAMPLES (cdf97, Cdf97, plain, Plain)
SAMPLES (dd137, Dd137, any, Any)
SAMPLES (dd137, Dd137, plain, Plain)

NUMBERS (cdf53, Cdf53, any, Any, int32_t)
NUMBERS (cdf53, Cdf53, plain, Plain, int16_t)
NUMBERS (cdf97, Cdf97, any, Any, float)
NUMBERS (cdf97, Cdf97, plain, Plain, float)
NUMBERS (dd137, Dd137, any, Any, int32_t)
NUMBERS (dd137, Dd137, plain, Plain, int16_t)

DIRECT_LAYOUTS (integers, int, 1)
DIRECT_LAYOUTS (integers, int, 3)
DIRECT_LAYOUTS (floats, float, 1)
DIRECT_LAYOUTS (floats, float, 3)

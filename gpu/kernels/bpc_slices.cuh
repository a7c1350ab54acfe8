/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes bitplanes from coefficients and back: 32 lines of a lane's two columns are 32
 * words of int16 pairs (or twice 32 words of int32). Transposed as a 32x32 matrix of
 * bits, each word is a bitplane. */
#pragma once
#include "codec/rounding.h"
#include "gpu/kernels/bpc_contexts.cuh"
#include "gpu/kernels/cells.cuh"

/* --- Rounding of coefficients to quantizer indices (FORMAT.md section 9) ---
 *
 * 32 lines of a lane's two columns at once, with a word for each bit of the coefficients,
 * and logic on words for arithmetic. It needs no more registers than the slicing. */

/* Coefficients that are at least PACO_ROUNDING_SIGNIFICANT. f: the bits behind the
 * point, from the lowest; index: any bit before it. */
static DEVICE uint32_t
significant_by (const uint32_t (&f)[PACO_FRACTION_BITS], uint32_t index)
{
  return index | (f[3] & f[2] & (f[1] | f[0]));
}

/* Coefficients that are rounded up; c has the bits of their contexts. */
static DEVICE uint32_t
rounded_up (const uint32_t (&c)[6], const uint32_t (&f)[PACO_FRACTION_BITS])
{
  uint32_t from_8 = c[3] | c[4] | c[5], from_4 = from_8 | c[2];
  uint32_t from_6 = from_8 | (c[2] & c[1]);
  uint32_t from_12 = c[5] | c[4] | (c[3] & c[2]);
  uint32_t from_24 = c[5] | (c[4] & c[3]);
  /* The bits of what is added. */
  uint32_t r0 = (from_4 & (from_6 ^ from_12 ^ from_24)) | (~from_4 & c[0]);
  uint32_t r1 = (from_4 & from_12) | (~from_4 & c[1]);
  uint32_t carry = f[0] & r0;

  carry = (f[1] & r1) | (f[1] & carry) | (r1 & carry);
  carry = (f[2] & from_4) | (f[2] & carry) | (from_4 & carry);
  return f[3] & carry;
}

/* The same for both columns; index: any bit before the point. */
template <int PASSES>
static DEVICE void
round_columns (const uint32_t (&f)[2][PACO_FRACTION_BITS],
    const uint32_t (&index)[2], uint32_t lane, uint32_t (&up)[2])
{
  uint32_t words[2] = { significant_by (f[0], index[0]),
    significant_by (f[1], index[1]) };
  Surroundings<true, PASSES, false> around (words, lane);

#pragma unroll
  for (int side = 0; side < 2; side++) {
    uint32_t c[6];

    around.sum (ORIENTATION_LL, c);
    up[side] = rounded_up (c, f[side]);
    around.move_on ();
  }
}

/* Adds 1 to the coefficients of `up`, in N planes from `first` on. */
template <int N>
static DEVICE void
add_to_planes (uint32_t (&a)[32], int first, uint32_t up)
{
#pragma unroll
  for (int p = 0; p < N; p++) {
    uint32_t carry = a[first + p] & up;

    a[first + p] ^= up;
    up = carry;
  }
}

/* Takes the N lowest planes away. */
template <int N>
static DEVICE void
shift_planes (uint32_t (&a)[32])
{
#pragma unroll
  for (int p = 0; p < 32; p++)
    a[p] = p + N < 32 ? a[p + N] : 0;
}

/* --- Slicing --- */

/* Exchanges bit i of a[k] with bit k of a[i]. */
static DEVICE void
transpose_bits (uint32_t (&a)[32])
{
  constexpr uint32_t masks[5] = { 0x0000ffff, 0x00ff00ff, 0x0f0f0f0f,
    0x33333333, 0x55555555 };

#pragma unroll
  for (int stage = 0; stage < 5; stage++) {
    int distance = 16 >> stage;

#pragma unroll
    for (int i = 0; i < 32; i++)
      if (!(i & distance))
        exchange_bits (a[i], a[i + distance], distance, masks[stage]);
  }
}

/* How coefficients become indices. */
struct Scaling
{
  uint32_t multiplier, shift; /* paco_rate_scale() of magnitudes; 0: none */
  uint32_t lost_planes;       /* that have gone with it */
};

/* Returns how many pairs lie one above the other. */
static DEVICE uint32_t
pairs_of_column (uint32_t column)
{
  return __popc (column & column << 1);
}

template <int PASSES, typename T> struct Slicer
{
  using L = Layout<PASSES>;
  using B = Block<true, PASSES>;

  static constexpr bool NARROW = sizeof (T) == 2;
  B &block;
  const T *rows; /* the lane's left column */
  uint32_t stride;
  uint32_t dropped; /* besides those lost */
  uint32_t fraction_bits;
  Scaling scaling;
  const PacoBpcEncodeParameters &parameters;
  /* PacoBlockCounts of plane p in lane p: top in the lower half, pairs in the upper. */
  uint32_t counts;
  uint32_t n_right;
  uint32_t stripe_planes; /* lane g: of stripe g */

  DEVICE Slicer (B &block_, const PacoGpuBlock &place,
      const PacoBpcEncodeParameters &parameters_, const Scaling &scaling_)
      : block (block_), stride (place.stride),
        dropped (place.dropped_planes - scaling_.lost_planes),
        fraction_bits (place.fraction_bits), scaling (scaling_),
        parameters (parameters_)
  {
    rows = (const T *) parameters.coefficients + place.coefficients
        + 2 * block.lane;
    counts = n_right = 0;
    stripe_planes = 0;
  }

  /* paco_rate_scale() of magnitudes below 2^15. */
  DEVICE void rescale_pairs (uint32_t (&a)[32])
  {
    uint32_t multiplier = scaling.multiplier;
    uint32_t shift = min (scaling.shift, 31u); /* products are below 2^31 */

#pragma unroll
    for (int y = 0; y < 32; y++)
      a[y] = (a[y] & 0xffff) * multiplier >> shift
          | (a[y] >> 16) * multiplier >> shift << 16;
  }

  /* Brings the magnitudes of 32 lines to the steps of their cells: coarser() makes those
   * of a line. Lines beyond the block are zeros, which stay. */
  template <typename F>
  DEVICE void map_lines (uint32_t w, uint32_t (&a)[32], const F &coarser)
  {
    /* Loaded again each time, it takes no registers elsewhere. */
    BlockCells cells (
        parameters.cells, parameters.blocks[blockIdx.x], block.lane);
    uint32_t mask = opaque (cells.lines_mask ());

    if (!cells.cells)
      return;
#pragma unroll
    for (int y = 0; y < 32; y++) {
      if ((y & mask) == 0 && 32 * w + y < block.height)
        cells.find (cells.row (opaque (32 * w + y)));
      a[y] = coarser (cells, a[y]);
    }
  }

  /* Puts the magnitudes of both columns into one word. */
  DEVICE void load_pairs (uint32_t w, uint32_t (&a)[32])
  {
    const T *row = rows + (size_t) (32 * w) * stride;
    uint32_t step = opaque (stride);
    uint32_t left_sign = 0, right_sign = 0;
    uint32_t mask = block.column[RIGHT] ? ~0u : block.column[LEFT] ? 0xffff : 0;

#pragma unroll
    for (int y = 0; y < 32; y++) {
      uint32_t line = 32 * w + y, pair = 0;

      if (line < block.height && mask)
        pair = *(const uint32_t *) row & mask;
      row += step;
      left_sign |= (pair >> 15 & 1) << y;
      right_sign |= (pair >> 31) << y;
      a[y] = __vabs2 (pair);
    }
    if (scaling.multiplier != 0)
      rescale_pairs (a);
    if (parameters.cells)
      map_lines (w, a, [] (const BlockCells &cells, uint32_t pair) {
        return cells.coarser (LEFT, pair & 0xffff)
            | cells.coarser (RIGHT, pair >> 16) << 16;
      });
    block.at (L::SIGN, LEFT, w) = left_sign;
    block.at (L::SIGN, RIGHT, w) = right_sign;
  }

  DEVICE void load_column (int side, uint32_t w, uint32_t (&a)[32])
  {
    const T *row = rows + (size_t) (32 * w) * stride + side;
    uint32_t step = opaque (stride);
    uint32_t sign = 0;

#pragma unroll
    for (int y = 0; y < 32; y++) {
      uint32_t line = 32 * w + y;
      int32_t value = 0;

      if (line < block.height && block.column[side])
        value = *row;
      row += step;
      sign |= ((uint32_t) value >> 31) << y;
      a[y] = abs (value);
    }
    if (scaling.multiplier != 0)
#pragma unroll
      for (int y = 0; y < 32; y++)
        a[y] = paco_rate_scale (a[y], scaling.multiplier, scaling.shift);
    if (parameters.cells)
      map_lines (w, a, [side] (const BlockCells &cells, uint32_t magnitude) {
        return cells.coarser_wide (side, magnitude);
      });
    block.at (L::SIGN, side, w) = sign;
  }

  /* Notes the stripes of coefficients whose highest plane is p. Returns whether there
   * are any. */
  DEVICE bool find_stripes (uint32_t w, uint32_t p, uint32_t highest)
  {
    uint32_t lines = or_of_lanes (highest);

    if (block.lane / 4 == w && (lines >> 8 * (block.lane % 4) & 255))
      stripe_planes = max (stripe_planes, p + 1);
    return lines != 0;
  }

  /* left, right: coefficients whose highest plane is p. */
  DEVICE void count (
      uint32_t p, uint32_t left, uint32_t right, uint32_t n_pairs)
  {
    uint32_t n_of_right = __popc (right);
    uint32_t n = sum_of_lanes (__popc (left) + n_of_right + (n_pairs << 16));

    if (block.lane == p)
      counts += n;
    if (dropped == p)
      n_right += n_of_right;
  }

  DEVICE void round_pairs (uint32_t (&a)[32])
  {
    constexpr int N = 16, F = PACO_FRACTION_BITS;
    uint32_t f[2][F], index[2] = { 0, 0 }, up[2];

    if (fraction_bits == 1) {
      add_to_planes<N - 1> (a, 1, a[0]);
      add_to_planes<N - 1> (a, N + 1, a[N]);
    } else if (fraction_bits == F) {
#pragma unroll
      for (int side = 0; side < 2; side++) {
#pragma unroll
        for (int p = 0; p < F; p++)
          f[side][p] = a[N * side + p];
#pragma unroll
        for (int p = F; p < N; p++)
          index[side] |= a[N * side + p];
      }
      round_columns<PASSES> (f, index, block.lane, up);
      add_to_planes<N - F> (a, F, up[LEFT]);
      add_to_planes<N - F> (a, N + F, up[RIGHT]);
    }
  }

  __device__ void slice_pairs (uint32_t w)
  {
    uint2 *word = &block.plane_word (15 - fraction_bits, w);
    uint32_t plane_step = 32 * opaque (block.words);
    uint32_t a[32];
    uint32_t seen_left = 0, seen_right = 0;
    bool began = false;

    load_pairs (w, a);
    transpose_bits (a);
    round_pairs (a);
#pragma unroll
    for (int p = 15; p >= 0; p--) {
      if (p < PACO_FRACTION_BITS && p < fraction_bits)
        break;

      uint32_t left = a[p] & ~seen_left, right = a[16 + p] & ~seen_right;

      if (find_stripes (w, p - fraction_bits, left | right))
        began = true;
      if (began) {
        *word = make_uint2 (a[p], a[16 + p]);
        seen_left |= left;
        seen_right |= right;
        count (p - fraction_bits, left, right,
            pairs_of_column (seen_left) + pairs_of_column (seen_right)
                + __popc (seen_left & seen_right));
      }
      word -= plane_step;
    }
  }

  /* For columns that are sliced one by one. */
  __device__ void find_up (uint32_t w, uint32_t (&up)[2])
  {
    constexpr int F = PACO_FRACTION_BITS;
    uint32_t f[2][F], index[2] = { 0, 0 };

    up[LEFT] = up[RIGHT] = 0;
    if (fraction_bits == 0)
      return;
#pragma unroll
    for (int side = 0; side < 2; side++) {
      uint32_t a[32];

      load_column (side, w, a);
      transpose_bits (a);
      up[side] = a[0];
#pragma unroll
      for (int p = 0; p < F; p++)
        f[side][p] = a[p];
#pragma unroll
      for (int p = F; p < PACO_BPC_PLANES_32; p++)
        index[side] |= a[p];
    }
    if (fraction_bits == F)
      round_columns<PASSES> (f, index, block.lane, up);
  }

  __device__ void slice_column (int side, uint32_t w, uint32_t up)
  {
    constexpr int N = PACO_BPC_PLANES_32, F = PACO_FRACTION_BITS;
    uint32_t *word = (uint32_t *) &block.plane_word (N - 1, w) + side;
    uint32_t plane_step = 64 * opaque (block.words);
    uint32_t a[32];
    uint32_t seen = 0, seen_left = 0;

    load_column (side, w, a);
    transpose_bits (a);
    if (fraction_bits == 1)
      shift_planes<1> (a);
    else if (fraction_bits == F)
      shift_planes<F> (a);
    add_to_planes<N> (a, 0, up);
#pragma unroll
    for (int p = N - 1; p >= 0; p--) {
      uint32_t highest = a[p] & ~seen, n_pairs;

      seen |= a[p];
      n_pairs = pairs_of_column (seen);
      if (side == RIGHT && p + scaling.lost_planes < N) {
        seen_left |= word[-1];
        n_pairs += __popc (seen & seen_left);
      }
      find_stripes (w, p, highest);
      count (
          p, side == LEFT ? highest : 0, side == RIGHT ? highest : 0, n_pairs);
      /* Higher planes are zero, and would lie above those of the block. */
      if (p + scaling.lost_planes < N)
        *word = a[p];
      word -= plane_step;
    }
  }

  /* Stores zeros for planes that lines have not stored. */
  __device__ void clear_planes (uint32_t planes)
  {
    for (uint32_t w = 0; w < block.words; w++) {
      const uint32_t *stripes = shared + STRIPE_PLANES + 4 * w;
      uint32_t p = max (
          max (stripes[0], stripes[1]), max (stripes[2], stripes[3]));

      for (; p < planes; p++)
        block.plane_word (p, w) = make_uint2 (0, 0);
    }
  }

  /* Slices the block without regard to lost planes, then moves the planes up by their
   * number. Returns the number of planes. */
  __device__ uint32_t slice ()
  {
    uint32_t planes, lost;

    block.planes += 32 * block.words * scaling.lost_planes;
#pragma unroll 1
    for (uint32_t w = 0; w < block.words; w++) {
      if (NARROW) {
        slice_pairs (w);
      } else {
        uint32_t up[2];

        find_up (w, up);
        slice_column (LEFT, w, up[LEFT]);
        slice_column (RIGHT, w, up[RIGHT]);
      }
    }
    n_right = sum_of_lanes (n_right);
    planes = 32 - __clz (__ballot_sync (ALL_LANES, (counts & 0xffff) > 0));
    shared[STRIPE_PLANES + block.lane] = stripe_planes;
    __syncwarp ();
    if (NARROW)
      clear_planes (planes);
    __syncwarp ();
    lost = scaling.lost_planes;
    if (lost == 0)
      return planes;

    block.planes -= 32 * block.words * lost;
    counts = __shfl_up_sync (ALL_LANES, counts, lost);
    if (block.lane < lost)
      counts = 0;
    if (stripe_planes > 0)
      shared[STRIPE_PLANES + block.lane] = stripe_planes + lost;
    __syncwarp ();
    return planes > 0 ? planes + lost : 0;
  }
};

/* --- and back --- */

template <int PASSES, typename T> struct Unslicer
{
  using L = Layout<PASSES>;
  using B = Block<false, PASSES>;

  static constexpr bool NARROW = sizeof (T) == 2;

  B &block;
  T *rows; /* the lane's left column */
  uint32_t stride;
  uint32_t dropped, planes;
  uint32_t middle; /* added to magnitudes that are not 0 */

  DEVICE Unslicer (B &block_, const PacoGpuBlock &place, void *coefficients)
      : block (block_), stride (place.stride), dropped (0), planes (0),
        middle (0)
  {
    rows = (T *) coefficients + place.coefficients + 2 * block.lane;
  }

  __device__ void write_pairs (uint32_t w)
  {
    T *row = rows + (size_t) (32 * w) * stride;
    uint32_t step = opaque (stride);
    uint32_t a[32];
    uint32_t left = block.at (L::SIGN, LEFT, w);
    uint32_t right = block.at (L::SIGN, RIGHT, w);
    const uint2 *word = &block.plane_word (0, w);
    uint32_t plane_step = 32 * opaque (block.words);

#pragma unroll
    for (uint32_t p = 0; p < 16; p++) {
      uint2 both = make_uint2 (0, 0);

      if (p >= dropped && p < planes)
        both = *word;
      word += plane_step;
      a[p] = both.x;
      a[16 + p] = both.y;
    }
    transpose_bits (a);
#pragma unroll
    for (int y = 0; y < 32; y++) {
      uint32_t negative = (left >> y & 1 ? 0xffff : 0)
          | (right >> y & 1 ? 0xffff0000u : 0);
      uint32_t pair = a[y];

      if (middle)
        pair += __vcmpne2 (pair, 0) & middle * 0x10001;
      pair = __vsub2 (pair ^ negative, negative);
      if (32 * w + y < block.height && block.column[LEFT])
        *(uint32_t *) row = pair;
      row += step;
    }
  }

  __device__ void write_column (int side, uint32_t w)
  {
    T *row = rows + (size_t) (32 * w) * stride + side;
    const uint32_t *word = (const uint32_t *) &block.plane_word (0, w) + side;
    uint32_t step = opaque (stride), plane_step = 64 * opaque (block.words);
    uint32_t a[32];
    uint32_t sign = block.at (L::SIGN, side, w);

#pragma unroll
    for (uint32_t p = 0; p < 32; p++) {
      a[p] = p < PACO_BPC_PLANES_32 && p >= dropped && p < planes ? *word : 0;
      word += plane_step;
    }
    transpose_bits (a);
#pragma unroll
    for (int y = 0; y < 32; y++) {
      uint32_t negative = sign >> y & 1 ? ~0u : 0;
      uint32_t value = a[y] + (a[y] ? middle : 0);

      if (32 * w + y < block.height && block.column[side])
        *row = (T) ((value ^ negative) - negative);
      row += step;
    }
  }

  __device__ void write ()
  {
#pragma unroll 1
    for (uint32_t w = 0; w < block.words; w++) {
      if (NARROW) {
        write_pairs (w);
      } else {
        write_column (LEFT, w);
        write_column (RIGHT, w);
      }
    }
  }

  __device__ void write_zeros ()
  {
    for (uint32_t line = 0; line < block.height; line++) {
      T *row = rows + (size_t) line * stride;

      if (block.column[LEFT])
        row[LEFT] = 0;
      if (block.column[RIGHT])
        row[RIGHT] = 0;
    }
  }
};

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Significance contexts of 32 lines of a column at once (FORMAT.md section
 * 7.3). The neighbours are words, a bit a line; adders made of logic count
 * them, a word for each bit of the sum, in less than three instructions a
 * coefficient.
 *
 * A visit sees the lines above it as they are after the scan, those below as
 * they were before, and on its own line the left columns as they were before,
 * unless the visit is a right column's. The encoder knows all that; the decoder
 * knows the 32 lines above, and adds what it finds in these when it finds
 * it (bpc_scan_decode.cuh). */
#pragma once
#include "gpu/kernels/bpc_block.cuh"

/* A column's significance around 32 lines, as the visits to them see it. */
struct ColumnWords
{
  uint32_t before, after;      /* the scan: these lines */
  uint32_t above[2], below[2]; /* the lines one and two away */
};

static __device__ __forceinline__ void
add_bits (uint32_t a, uint32_t b, uint32_t c, uint32_t &sum, uint32_t &carry)
{
  sum = a ^ b ^ c;
  carry = (a & b) | (a & c) | (b & c);
}

/* Counts 8 bits; n[k] has the sum's bit k. */
static __device__ __forceinline__ void
count_8 (const uint32_t (&x)[8], uint32_t (&n)[4])
{
  uint32_t s[3], c[4], t, d[2];

  add_bits (x[0], x[1], x[2], s[0], c[0]);
  add_bits (x[3], x[4], x[5], s[1], c[1]);
  add_bits (x[6], x[7], 0, s[2], c[2]);
  add_bits (s[0], s[1], s[2], n[0], c[3]);
  add_bits (c[0], c[1], c[2], t, d[0]);
  add_bits (t, c[3], 0, n[1], d[1]);
  add_bits (d[0], d[1], 0, n[2], n[3]);
}

static __device__ __forceinline__ void
count_12 (const uint32_t (&x)[12], uint32_t (&n)[4])
{
  uint32_t s[4], c[6], t, u[2], d[3];

#pragma unroll
  for (int k = 0; k < 4; k++)
    add_bits (x[3 * k], x[3 * k + 1], x[3 * k + 2], s[k], c[k]);
  add_bits (s[0], s[1], s[2], t, c[4]);
  add_bits (t, s[3], 0, n[0], c[5]);
  add_bits (c[0], c[1], c[2], u[0], d[0]);
  add_bits (c[3], c[4], c[5], u[1], d[1]);
  add_bits (u[0], u[1], 0, n[1], d[2]);
  add_bits (d[0], d[1], d[2], n[2], n[3]);
}

/* 3 * near + ring, six bits. */
static __device__ __forceinline__ void
weigh (const uint32_t (&near)[4], const uint32_t (&ring)[4], uint32_t (&c)[6])
{
  uint32_t x[4], m[9];

  add_bits (near[0], ring[0], 0, c[0], m[0]);
  add_bits (near[1], near[0], ring[1], x[0], m[1]);
  add_bits (x[0], m[0], 0, c[1], m[2]);
  add_bits (near[2], near[1], ring[2], x[1], m[3]);
  add_bits (x[1], m[1], m[2], c[2], m[4]);
  add_bits (near[3], near[2], ring[3], x[2], m[5]);
  add_bits (x[2], m[3], m[4], c[3], m[6]);
  add_bits (near[3], m[5], m[6], c[4], c[5]);
}

/* Bit j of byte k of bits[p] becomes bit p of byte k of bits[j]. */
static __device__ __forceinline__ void
transpose_bytes (uint32_t (&bits)[8])
{
  constexpr uint32_t masks[3] = { 0x0f0f0f0f, 0x33333333, 0x55555555 };

#pragma unroll
  for (int stage = 0; stage < 3; stage++) {
    int distance = 4 >> stage;

#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (!(i & distance)) {
        uint32_t swap = ((bits[i] >> distance) ^ bits[i + distance])
            & masks[stage];

        bits[i] ^= swap << distance;
        bits[i + distance] ^= swap;
      }
    }
  }
}

/* The columns that matter to the lane's own around 32 lines: FOUND: with what
 * the scan finds in these lines. */
template <bool ENCODE, int PASSES, bool FOUND> struct Surroundings
{
  using L = Layout<PASSES>;
  using B = Block<ENCODE, PASSES>;

  /* Left and right ones of the lane before, this one, and the one after. */
  ColumnWords columns[6];

  __device__ __forceinline__ Surroundings (B &block, uint32_t w)
  {
#pragma unroll
    for (int k = 0; k < 6; k++)
      columns[k] = look (block, k % 2, k / 2 - 1, w);
  }

  /* Those of 32 lines that know no others; words are the lane's columns. */
  __device__ __forceinline__ Surroundings (
      const uint32_t (&words)[2], uint32_t lane)
  {
#pragma unroll
    for (int side = 0; side < 2; side++) {
      uint32_t before = __shfl_up_sync (ALL_LANES, words[side], 1);
      uint32_t after = __shfl_down_sync (ALL_LANES, words[side], 1);

      columns[side] = alone (lane > 0 ? before : 0);
      columns[2 + side] = alone (words[side]);
      columns[4 + side] = alone (lane < 31 ? after : 0);
    }
  }

  __device__ __forceinline__ static ColumnWords alone (uint32_t word)
  {
    return { word, word, { word << 1, word << 2 }, { word >> 1, word >> 2 } };
  }

  __device__ __forceinline__ const ColumnWords &own (int side) const
  {
    return columns[2 + side];
  }

  __device__ __forceinline__ static ColumnWords look (
      B &block, int side, int offset, uint32_t w);
  __device__ __forceinline__ void sum (int side, uint32_t (&c)[6]) const;
};

/* The side's column of the lane `offset` lanes on. */
template <bool ENCODE, int PASSES, bool FOUND>
__device__ __forceinline__ ColumnWords
Surroundings<ENCODE, PASSES, FOUND>::look (
    B &block, int side, int offset, uint32_t w)
{
  const uint32_t *significant = &block.at (L::SIGNIFICANT, side, w) + offset;
  const uint32_t *fresh = &block.at (L::FRESH, side, w) + offset;
  uint32_t above = 0, below = 0;
  ColumnWords column;

  column.before = column.after = 0;
  if (offset == 0 || block.lane + offset < 32) {
    column.before = column.after = significant[0];
    if (FOUND)
      column.after |= fresh[0];
    if (w > 0)
      above = significant[-L::SIZE] | fresh[-L::SIZE];
    if (w + 1 < block.words)
      below = significant[L::SIZE];
  }
#pragma unroll
  for (int k = 0; k < 2; k++) {
    column.above[k] = __funnelshift_l (above, column.after, k + 1);
    column.below[k] = __funnelshift_r (column.before, below, k + 1);
  }
  return column;
}

/* 3 * near + ring of a column of the lane, bit k of the sum in c[k]. */
template <bool ENCODE, int PASSES, bool FOUND>
__device__ __forceinline__ void
Surroundings<ENCODE, PASSES, FOUND>::sum (int side, uint32_t (&c)[6]) const
{
  const ColumnWords &own = columns[2 + side];
  const ColumnWords *next[2] = { &columns[1 + side], &columns[3 + side] };
  const ColumnWords *far[2] = { &columns[side], &columns[4 + side] };
  uint32_t near_8[8], ring_12[12], near[4], ring[4];

  /* Three lines of a column are added first, so that they are added once. */
#pragma unroll
  for (int k = 0; k < 2; k++) {
    near_8[3 * k] = next[k]->above[0];
    near_8[3 * k + 1] = side == LEFT ? next[k]->before : next[k]->after;
    near_8[3 * k + 2] = next[k]->below[0];
    ring_12[3 * k] = far[k]->above[0];
    ring_12[3 * k + 1] = far[k]->before;
    ring_12[3 * k + 2] = far[k]->below[0];
    ring_12[6 + 2 * k] = next[k]->above[1];
    ring_12[7 + 2 * k] = next[k]->below[1];
  }
  near_8[6] = own.above[0];
  near_8[7] = own.below[0];
  ring_12[10] = own.above[1];
  ring_12[11] = own.below[1];
  count_8 (near_8, near);
  count_12 (ring_12, ring);
  weigh (near, ring, c);
}

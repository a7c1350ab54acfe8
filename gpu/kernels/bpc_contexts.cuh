/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Significance contexts of 32 lines of a column at once (FORMAT.md section 7.3), for
 * scans and rounding. Neighbors are words with a bit for each line, and logic on words
 * adds up their weights, a word for each bit of the sum: less than three instructions a
 * coefficient.
 *
 * A visit sees the lines above as they are after the scan, and those below as before.
 * On its own line left columns are as before, unless the visit is to a right column.
 * The encoder knows all that. The decoder knows the lines above, and adds what it finds
 * when it finds it (bpc_scan_decode.cuh). */
#pragma once
#include "gpu/kernels/bpc_block.cuh"

/* A column's significance as the visits to these 32 lines see it. */
struct ColumnWords
{
  uint32_t before, after;      /* the scan: these lines */
  uint32_t above[2], below[2]; /* the lines one and two away */
};

static DEVICE void
add_bits (uint32_t a, uint32_t b, uint32_t c, uint32_t &sum, uint32_t &carry)
{
  sum = a ^ b ^ c;
  carry = (a & b) | (a & c) | (b & c);
}

/* Adds up N bits of one place of binary numbers. Returns the sum's lowest bit; the
 * carries go to the next higher place. */
template <int N>
static DEVICE uint32_t
add_place (const uint32_t *bits, uint32_t *carries)
{
  uint32_t queue[N + N / 2];

#pragma unroll
  for (int k = 0; k < N; k++)
    queue[k] = bits[k];
#pragma unroll
  for (int k = 0; k < (N - 1) / 2; k++)
    add_bits (queue[3 * k], queue[3 * k + 1], queue[3 * k + 2], queue[N + k],
        carries[k]);
  if (N % 2 == 1)
    return queue[N + N / 2 - 1];
  add_bits (queue[N + N / 2 - 2], queue[N + N / 2 - 3], 0, queue[N + N / 2 - 1],
      carries[N / 2 - 1]);
  return queue[N + N / 2 - 1];
}

/* Bits that count once, twice and four times; their sum has six bits. */
template <int N1, int N2, int N4> struct WeightedBits
{
  static constexpr int C1 = N1 / 2, C2 = (N2 + C1) / 2, C4 = (N4 + C2) / 2,
                       C8 = C4 / 2, C16 = C8 / 2;

  uint32_t ones[N1], twos[N2 + C1], fours[N4 + C2];

  DEVICE void add_up (uint32_t (&c)[6])
  {
    uint32_t eights[C4], sixteens[C8], rest[C16];

    c[0] = add_place<N1> (ones, twos + N2);
    c[1] = add_place<N2 + C1> (twos, fours + N4);
    c[2] = add_place<N4 + C2> (fours, eights);
    c[3] = add_place<C4> (eights, sixteens);
    c[4] = add_place<C8> (sixteens, rest);
    c[5] = rest[0];
  }
};

/* Bit j of byte k of bits[p] becomes bit p of byte k of bits[j]. */
static DEVICE void
transpose_bytes (uint32_t (&bits)[8])
{
  constexpr uint32_t masks[3] = { 0x0f0f0f0f, 0x33333333, 0x55555555 };

#pragma unroll
  for (int stage = 0; stage < 3; stage++) {
    int distance = 4 >> stage;

#pragma unroll
    for (int i = 0; i < 8; i++)
      if (!(i & distance))
        exchange_bits (bits[i], bits[i + distance], distance, masks[stage]);
  }
}

/* Neighbors of 32 lines of a column at distances 1 and 2, diagonally, and by a knight's
 * move. */
struct Neighbors
{
  uint32_t horizontal[2], vertical[2], horizontal_2[2], vertical_2[2];
  uint32_t diagonal[4], knights[8];
};

static DEVICE void
copy_bits (uint32_t *to, const uint32_t *from, int n)
{
#pragma unroll
  for (int k = 0; k < n; k++)
    to[k] = from[k];
}

/* The weights of codec/contexts.h, as sums of 1, 2 and 4. */
static DEVICE void
weigh_ll (const Neighbors &n, uint32_t (&c)[6])
{
  WeightedBits<20, 8, 0> bits;

  static_assert (PACO_LL_HORIZONTAL == 3 && PACO_LL_VERTICAL == 3
          && PACO_LL_DIAGONAL == 3 && PACO_LL_HORIZONTAL_2 == 1
          && PACO_LL_VERTICAL_2 == 1 && PACO_LL_KNIGHT == 1,
      "these are the weights below");
  copy_bits (bits.ones, n.horizontal, 2);
  copy_bits (bits.ones + 2, n.vertical, 2);
  copy_bits (bits.ones + 4, n.diagonal, 4);
  copy_bits (bits.ones + 8, n.horizontal_2, 2);
  copy_bits (bits.ones + 10, n.vertical_2, 2);
  copy_bits (bits.ones + 12, n.knights, 8);
  copy_bits (bits.twos, n.horizontal, 2);
  copy_bits (bits.twos + 2, n.vertical, 2);
  copy_bits (bits.twos + 4, n.diagonal, 4);
  bits.add_up (c);
}

/* Along is vertical in HL, horizontal in LH. */
static DEVICE void
weigh_oriented (const uint32_t (&along)[2], const uint32_t (&along_2)[2],
    const uint32_t (&across)[2], const uint32_t (&across_2)[2],
    const Neighbors &n, uint32_t (&c)[6])
{
  WeightedBits<14, 8, 2> bits;

  static_assert (PACO_HL_VERTICAL == 5 && PACO_HL_HORIZONTAL == 3
          && PACO_HL_DIAGONAL == 2 && PACO_HL_VERTICAL_2 == 2
          && PACO_HL_HORIZONTAL_2 == 1 && PACO_HL_KNIGHT == 1,
      "these are the weights below");
  copy_bits (bits.ones, along, 2);
  copy_bits (bits.ones + 2, across, 2);
  copy_bits (bits.ones + 4, across_2, 2);
  copy_bits (bits.ones + 6, n.knights, 8);
  copy_bits (bits.twos, across, 2);
  copy_bits (bits.twos + 2, along_2, 2);
  copy_bits (bits.twos + 4, n.diagonal, 4);
  copy_bits (bits.fours, along, 2);
  bits.add_up (c);
}

static DEVICE void
weigh_hh (const Neighbors &n, uint32_t (&c)[6])
{
  WeightedBits<16, 4, 4> bits;

  static_assert (PACO_HH_HORIZONTAL == 3 && PACO_HH_VERTICAL == 3
          && PACO_HH_DIAGONAL == 4 && PACO_HH_HORIZONTAL_2 == 1
          && PACO_HH_VERTICAL_2 == 1 && PACO_HH_KNIGHT == 1,
      "these are the weights below");
  copy_bits (bits.ones, n.horizontal, 2);
  copy_bits (bits.ones + 2, n.vertical, 2);
  copy_bits (bits.ones + 4, n.horizontal_2, 2);
  copy_bits (bits.ones + 6, n.vertical_2, 2);
  copy_bits (bits.ones + 8, n.knights, 8);
  copy_bits (bits.twos, n.horizontal, 2);
  copy_bits (bits.twos + 2, n.vertical, 2);
  copy_bits (bits.fours, n.diagonal, 4);
  bits.add_up (c);
}

/* The columns that matter to a column of the lane around 32 lines: first the left one, and
 * after move_on() the right one. So one code can serve both columns, which the instruction
 * cache wants (NOTES.md). FOUND: they include what the scan finds in these lines. */
template <bool ENCODE, int PASSES, bool FOUND> struct Surroundings
{
  using L = Layout<PASSES>;
  using B = Block<ENCODE, PASSES>;

  /* {left, right} of lanes -1, 0, +1; after move_on() from the second one on */
  ColumnWords columns[6];

  DEVICE Surroundings (B &block, uint32_t w)
  {
#pragma unroll
    for (int k = 0; k < 6; k++)
      columns[k] = look (block, k % 2, k / 2 - 1, w);
  }

  /* For 32 lines without any above or below; words are the lane's columns. */
  DEVICE Surroundings (const uint32_t (&words)[2], uint32_t lane)
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

  DEVICE static ColumnWords alone (uint32_t word)
  {
    return { word, word, { word << 1, word << 2 }, { word >> 1, word >> 2 } };
  }

  DEVICE const ColumnWords &own () const
  {
    return columns[2];
  }

  DEVICE void move_on ()
  {
#pragma unroll
    for (int k = 0; k < 5; k++)
      columns[k] = columns[k + 1];
    /* A right column sees what was found beside it. */
    columns[1].before = columns[1].after;
    columns[3].before = columns[3].after;
  }

  static DEVICE ColumnWords look (B &block, int side, int offset, uint32_t w)
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

  DEVICE Neighbors neighbors () const
  {
    const ColumnWords &own = columns[2];
    const ColumnWords *next[2] = { &columns[1], &columns[3] };
    const ColumnWords *far[2] = { &columns[0], &columns[4] };
    Neighbors n;

#pragma unroll
    for (int k = 0; k < 2; k++) {
      n.horizontal[k] = next[k]->before;
      n.diagonal[2 * k] = next[k]->above[0];
      n.diagonal[2 * k + 1] = next[k]->below[0];
      n.horizontal_2[k] = far[k]->before;
      n.knights[4 * k] = far[k]->above[0];
      n.knights[4 * k + 1] = far[k]->below[0];
      n.knights[4 * k + 2] = next[k]->above[1];
      n.knights[4 * k + 3] = next[k]->below[1];
    }
    n.vertical[0] = own.above[0];
    n.vertical[1] = own.below[0];
    n.vertical_2[0] = own.above[1];
    n.vertical_2[1] = own.below[1];
    return n;
  }

  /* Sets c to the contexts of the column; c[k] has bit k of the sums. */
  DEVICE void sum (int orientation, uint32_t (&c)[6]) const
  {
    Neighbors n = neighbors ();

    if (orientation == ORIENTATION_LL)
      weigh_ll (n, c);
    else if (orientation == ORIENTATION_HH)
      weigh_hh (n, c);
    else if (orientation == ORIENTATION_HL)
      weigh_oriented (
          n.vertical, n.vertical_2, n.horizontal, n.horizontal_2, n, c);
    else
      weigh_oriented (
          n.horizontal, n.horizontal_2, n.vertical, n.vertical_2, n, c);
  }
};

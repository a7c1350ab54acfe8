/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The raw string of a block (FORMAT.md section 7.6): the raw planes, column by
 * column, then the signs that were not coded. Its first bits fill the open
 * codewords, the others follow the codewords as plain bits.
 *
 *   raw string   | plane d+r-1 | ... | plane d | signs |
 *                | fill bits |      plain bits         | padding |
 *
 * In blocks 64 columns wide and 32, 64, 128 or 256 lines high, the words of a bitplane are
 * the words of the string in another order. In all other blocks the string is put together
 * from pieces of columns, of at most 32 bits each. bpc.cu calls this. */
#pragma once
#include "gpu/kernels/bpc_block.cuh"

/* Moves the bits of value that are set in mask to the lowest bits, in order (Hacker's
 * Delight, 7-4). steps is for spread_bits(). */
static DEVICE uint32_t
gather_bits (uint32_t value, uint32_t mask, uint32_t (&steps)[5])
{
  uint32_t gaps = ~mask << 1; /* bits that have a gap just below */

  value &= mask;
#pragma unroll
  for (int k = 0; k < 5; k++) {
    uint32_t odd = gaps; /* below which the number of gaps is odd */

#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2)
      odd ^= odd << distance;
    steps[k] = odd & mask;
    mask = (mask ^ steps[k]) | (steps[k] >> (1 << k));
    value = (value & ~steps[k]) | ((value & steps[k]) >> (1 << k));
    gaps &= ~odd;
  }
  return value;
}

/* Does the inverse. */
static DEVICE uint32_t
spread_bits (uint32_t value, uint32_t mask)
{
  uint32_t steps[5];

  gather_bits (0, mask, steps);
#pragma unroll
  for (int k = 4; k >= 0; k--)
    value = (value & ~steps[k]) | (value << (1 << k) & steps[k]);
  return value & mask;
}

template <bool ENCODE, int PASSES> struct RawString
{
  using L = Layout<PASSES>;
  using B = Block<ENCODE, PASSES>;

  B &block;
  uint32_t lowest, n_planes; /* raw planes */
  uint32_t n_plane_bits;     /* of them all */
  uint32_t n_signs;
  uint32_t first_sign; /* of the lane, in the signs */
  uint32_t n_bits;

  DEVICE RawString (B &block_) : block (block_)
  {
  }

  /* Finds the string's signs, and marks their coefficients in FRESH. */
  __device__ void find_signs (
      uint32_t lowest_, uint32_t n_planes_, bool any_coded)
  {
    uint32_t n = 0;

    lowest = lowest_;
    n_planes = n_planes_;
    n_plane_bits = n_planes * block.width * block.height;
#pragma unroll 1
    for (uint32_t w = 0; w < block.words; w++) {
      uint2 all = make_uint2 (0, 0);

      for (uint32_t k = 0; k < n_planes; k++) {
        uint2 word = block.plane_word (lowest + k, w);

        all.x |= word.x;
        all.y |= word.y;
      }
#pragma unroll
      for (int side = 0; side < 2; side++) {
        uint32_t coded = any_coded ? block.known (side, w) : 0;
        uint32_t signs = side == LEFT ? all.x : all.y;

        if (any_coded)
          signs |= block.at (L::SIGNIFICANT, side, w)
              | block.at (L::FRESH, side, w);
        signs &= ~coded;
        block.at (L::FRESH, side, w) = signs;
        n += __popc (signs);
      }
    }
    first_sign = sum_of_lanes_before (n, block.lane);
    n_signs = sum_of_lanes (n);
    n_bits = n_plane_bits + n_signs;
  }
};

/* --- The encoder --- */

template <int PASSES> struct RawWriter : RawString<true, PASSES>
{
  using L = Layout<PASSES>;
  using B = Block<true, PASSES>;
  using RawString<true, PASSES>::block;
  using RawString<true, PASSES>::lowest;
  using RawString<true, PASSES>::n_planes;
  using RawString<true, PASSES>::n_plane_bits;
  using RawString<true, PASSES>::n_signs;
  using RawString<true, PASSES>::first_sign;
  using RawString<true, PASSES>::n_bits;

  /* The signs as words of the string, from the word of the first one on, in the memory
   * of the contexts. */
  uint32_t *signs;
  uint32_t n_sign_words;
  int words_log2; /* of a block that needs no pieces, else -1 */

  DEVICE RawWriter (B &block_) : RawString<true, PASSES> (block_)
  {
    signs = &block.contexts (0, 0) - block.lane;
    words_log2 = block.width == 64
            && block.height == 32 << (31 - __clz (block.words))
        ? 31 - __clz (block.words)
        : -1;
  }

  __device__ void put_signs ()
  {
    uint32_t position = n_plane_bits % 32 + first_sign;

    n_sign_words = (n_plane_bits % 32 + n_signs + 31) / 32;
    __syncwarp ();
    for (uint32_t i = block.lane; i < n_sign_words; i += 32)
      signs[i] = 0;
    __syncwarp ();
#pragma unroll 1
    for (int side = 0; side < 2; side++) {
      for (uint32_t w = 0; w < block.words; w++) {
        uint32_t mask = block.at (L::FRESH, side, w), n = __popc (mask);
        uint32_t steps[5];

        if (n == 0)
          continue;

        uint32_t piece = gather_bits (block.at (L::SIGN, side, w), mask, steps);

        atomicOr (signs + position / 32, piece << position % 32);
        if (position % 32 + n > 32)
          atomicOr (signs + position / 32 + 1, piece >> (32 - position % 32));
        position += n;
      }
    }
    __syncwarp ();
  }

  DEVICE uint32_t column_word (uint32_t plane, uint32_t column, uint32_t w)
  {
    const uint2 *both = &block.plane_word (plane, w) - block.lane + column / 2;

    return column % 2 ? both->y : both->x;
  }

  /* Returns n bits of the planes, at most 32, if columns do not begin on words. */
  __device__ uint32_t pieces (uint32_t position, uint32_t n)
  {
    uint32_t size = block.width * block.height;
    uint32_t k = position / size;
    uint32_t column = position % size / block.height;
    uint32_t line = position % size % block.height;
    uint32_t result = 0;

    for (uint32_t at = 0; at < n;) {
      uint32_t count = min (min (32 - line % 32, block.height - line), n - at);
      uint32_t piece = column_word (
                           lowest + n_planes - 1 - k, column, line / 32)
          >> line % 32;

      if (count < 32)
        piece &= (1u << count) - 1;
      result |= piece << at;
      at += count;
      line += count;
      if (line == block.height) {
        line = 0;
        column++;
      }
      if (column == block.width) {
        column = 0;
        k++;
      }
    }
    return result;
  }

  /* Returns bits 32 * number and on of the string, zeros after its end. */
  __device__ uint32_t word (uint32_t number)
  {
    uint32_t result = 0;

    if (32 * number < n_plane_bits) {
      if (words_log2 >= 0) {
        uint32_t k = number >> (6 + words_log2);
        uint32_t column = number >> words_log2 & 63;

        result = column_word (lowest + n_planes - 1 - k, column,
            number & ((1 << words_log2) - 1));
      } else {
        result = pieces (32 * number, min (32, n_plane_bits - 32 * number));
      }
    }
    if (32 * number + 32 > n_plane_bits
        && number - n_plane_bits / 32 < n_sign_words)
      result |= signs[number - n_plane_bits / 32];
    return result;
  }

  /* Returns n bits of the string, fewer than 32. */
  DEVICE uint32_t bits (uint32_t position, uint32_t n)
  {
    uint32_t result = __funnelshift_r (
        word (position / 32), word (position / 32 + 1), position % 32);

    return result & ((1u << n) - 1);
  }

  /* Writes the string from first_bit on. */
  __device__ void put_plain (uint32_t first_bit, uint32_t *out)
  {
    uint32_t n_words = n_bits > first_bit ? (n_bits - first_bit + 31) / 32 : 0;

    /* A lane takes the next one's word to make its own. */
#pragma unroll 1
    for (uint32_t i = 0; i < n_words; i += 31) {
      uint32_t low = word (first_bit / 32 + i + block.lane);
      uint32_t high = __shfl_down_sync (ALL_LANES, low, 1);

      if (block.lane < 31 && i + block.lane < n_words)
        out[i + block.lane] = __funnelshift_r (low, high, first_bit % 32);
    }
  }
};

/* --- The decoder --- */

template <int PASSES> struct RawReader : RawString<false, PASSES>
{
  using L = Layout<PASSES>;
  using B = Block<false, PASSES>;
  using RawString<false, PASSES>::block;
  using RawString<false, PASSES>::n_plane_bits;
  using RawString<false, PASSES>::first_sign;
  using RawString<false, PASSES>::n_bits;

  /* Fill bits, where the tables were, plus one word. */
  uint32_t n_fill;
  Payload plain;
  uint32_t plain_start; /* bit */
  uint32_t n_plain;     /* bits there are */

  DEVICE RawReader (B &block_) : RawString<false, PASSES> (block_)
  {
  }

  /* Takes the fill bits from the open codewords. FALSE if one holds more than them. */
  __device__ bool take_fill (const ArithmeticCoder<false> &coder)
  {
    uint32_t n = coder.is_first_of_coder () ? coder.fill_bits () : 0;
    uint32_t position = sum_of_lanes_before (n, block.lane);
    bool wrong = n > 0 && coder.value >> n != 0;

    n_fill = sum_of_lanes (n);
    __syncwarp ();
    shared[block.lane] = 0;
    if (block.lane == 0)
      shared[32] = 0;
    __syncwarp ();
    if (n > 0) {
      atomicOr (shared + position / 32, coder.value << position % 32);
      if (position % 32 + n > 32)
        atomicOr (
            shared + position / 32 + 1, coder.value >> (32 - position % 32));
    }
    __syncwarp ();
    return !__any_sync (ALL_LANES, wrong);
  }

  /* Returns 32 bits of the string, or of what follows it. */
  DEVICE uint32_t bits (uint32_t position) const
  {
    uint32_t fill;

    if (position >= n_fill)
      return plain.bits (plain_start + position - n_fill);
    fill = __funnelshift_r (
        shared[position / 32], shared[position / 32 + 1], position % 32);
    if (n_fill - position < 32)
      fill |= plain.bits (plain_start) << (n_fill - position);
    return fill;
  }

  __device__ void read_planes (uint32_t lowest, uint32_t n_planes)
  {
    uint32_t size = block.width * block.height;

#pragma unroll 1
    for (uint32_t k = 0; k < n_planes; k++) {
      uint32_t left = k * size + 2 * block.lane * block.height;
      uint32_t right = left + block.height;

#pragma unroll 1
      for (uint32_t w = 0; w < block.words; w++) {
        uint32_t n = min (32, block.height - 32 * w);
        uint32_t mask = n < 32 ? (1u << n) - 1 : ~0u;
        uint2 word = make_uint2 (0, 0);

        if (block.column[LEFT])
          word.x = bits (left + 32 * w) & mask;
        if (block.column[RIGHT])
          word.y = bits (right + 32 * w) & mask;
        block.plane_word (lowest + n_planes - 1 - k, w) = word;
      }
    }
  }

  __device__ void read_signs ()
  {
    uint32_t position = n_plane_bits + first_sign;

#pragma unroll 1
    for (int side = 0; side < 2; side++) {
      for (uint32_t w = 0; w < block.words; w++) {
        uint32_t mask = block.at (L::FRESH, side, w);

        if (mask == 0)
          continue;
        block.at (L::SIGN, side, w) |= spread_bits (bits (position), mask);
        position += __popc (mask);
      }
    }
  }

  /* True if the string was complete and the rest of the open codewords and of the last
   * byte are zeros. */
  __device__ bool ends_well () const
  {
    uint32_t needed = n_bits > n_fill ? n_bits - n_fill : 0;
    bool well = needed <= n_plain && n_plain - needed < 8;

    if (well && needed < n_plain)
      well = (plain.bits (plain_start + needed)
                 & ((1u << (n_plain - needed)) - 1))
          == 0;
    for (uint32_t at = n_bits; at < n_fill; at += 32) {
      uint32_t rest = __funnelshift_r (
          shared[at / 32], shared[at / 32 + 1], at % 32);

      well = well && rest == 0;
    }
    return well;
  }
};

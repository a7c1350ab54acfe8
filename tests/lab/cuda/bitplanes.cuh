/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has text 004's Algorithms 4 to 8, the block coder with two and three passes:
 * a warp for each block, a thread for each two columns, which it holds in
 * local memory with their state in the top bits. Encoder and decoder are one
 * walk; what differs is in code(). The host's tests/lab/bitplanes.c is its
 * judge. bitplanes.cu makes kernels of it. */
#pragma once
#include "tests/lab/cuda/bitplanes.h"

/* These make a coefficient: its magnitude, and the text's status map. */
static constexpr uint32_t SIGNIFICANT = UINT32_C (1) << 28;
static constexpr uint32_t REFINED = UINT32_C (1) << 29; /* by the second pass */
static constexpr uint32_t DONE = UINT32_C (1) << 30;    /* in the first pass */
static constexpr uint32_t NEGATIVE = UINT32_C (1) << 31;
static constexpr uint32_t MAGNITUDE = SIGNIFICANT - 1;
static constexpr uint32_t ALL_LANES = ~UINT32_C (0);

static constexpr uint32_t CODEWORD_SIZE = 0xffff; /* W = 16 */
static constexpr unsigned PROBABILITY_BITS = 7;

/* These are the first contexts of the kinds of symbols, as
 * tests/lab/bitplanes.h has them. */
static constexpr unsigned SIGNIFICANCE = 0;
static constexpr unsigned SIGN = 9;
static constexpr unsigned CLEANUP = 13;
static constexpr unsigned CLEANUP_SIGN = 22;
static constexpr unsigned REFINEMENT = 26;

enum class Pass
{
  FIRST,  /* the text's SPP: not significant, with a significant neighbor */
  ALL,    /* that of two passes: not significant */
  SECOND, /* MRP */
  THIRD,  /* CP */
};

/* This is a lane's columns in one line. */
struct Line
{
  uint32_t column[2];
};

template <bool DECODES, int PASSES, int HEIGHT> class BlockCoder {
public:
  __device__ BlockCoder (
      const LabBitplanesParameters &parameters, uint32_t number)
      : parameters (parameters), number (number),
        block (((const LabBitplanesBlock *) parameters.blocks)[number]),
        lane (threadIdx.x % 32),
        bits ((uint16_t *) parameters.code + block.code)
  {
  }

  __device__ void run ()
  {
    uint32_t planes = read ();

    for (plane = (int) planes - 1; plane >= 0; plane--) {
      probabilities = (const uint8_t *) parameters.tables
          + (block.subband * LAB_BITPLANES_PLANES + (uint32_t) plane)
              * LAB_BITPLANES_CONTEXTS;
      if (PASSES == 2) {
        significance<Pass::ALL> ();
        refinement ();
      } else {
        if (plane + 1 < (int) planes) {
          significance<Pass::FIRST> ();
          refinement ();
        }
        significance<Pass::THIRD> ();
      }
    }
    write (planes);
  }

private:
  const LabBitplanesParameters &parameters;
  const uint32_t number;
  const LabBitplanesBlock block;
  const uint32_t lane;
  uint16_t *const bits;
  const uint8_t *probabilities;
  int plane;
  uint32_t reserved = 0;                 /* codewords of all lanes */
  uint32_t low = 0, size = 0, place = 0; /* the lane's interval; its codeword */
  Line lines[HEIGHT];

  __device__ int32_t *line_of_plane (unsigned y) const
  {
    return (int32_t *) parameters.indices + block.first
        + (size_t) y * parameters.stride + 2 * lane;
  }

  /* Reads the lines of a block, and how many bitplanes it has. */
  __device__ uint32_t read ()
  {
    uint32_t all = 0;

    for (unsigned y = 0; y < block.height; y++)
      for (unsigned x = 0; x < 2; x++) {
        int32_t index = 0;

        if (!DECODES && 2 * lane + x < block.width)
          index = line_of_plane (y)[x];
        lines[y].column[x] = index < 0 ? (uint32_t) -index | NEGATIVE
                                       : (uint32_t) index;
        all |= lines[y].column[x] & MAGNITUDE;
      }
    if constexpr (DECODES) {
      return block.planes;
    } else {
      for (uint32_t distance = 16; distance > 0; distance /= 2)
        all |= __shfl_sync (ALL_LANES, all, (lane + distance) % 32);
      return 32 - (uint32_t) __clz ((int) all);
    }
  }

  __device__ void write (uint32_t planes)
  {
    if constexpr (DECODES) {
      for (unsigned y = 0; y < block.height; y++)
        for (unsigned x = 0; x < 2; x++)
          if (2 * lane + x < block.width)
            line_of_plane (y)[x] = value_of (lines[y].column[x]);
    } else {
      if (size != 0)
        bits[place] = (uint16_t) low;
      if (lane == 0) {
        ((uint32_t *) parameters.lengths)[number] = reserved;
        ((uint32_t *) parameters.planes)[number] = planes;
      }
    }
  }

  static __device__ int32_t value_of (uint32_t c)
  {
    int32_t magnitude = (int32_t) (c & MAGNITUDE);

    return c & NEGATIVE ? -magnitude : magnitude;
  }

  /* Does Algorithm 7: all lanes come here, those code that are active. A
   * decoder that reads more codewords than there are finds zeros. */
  __device__ bool code (bool active, unsigned context, bool bit)
  {
    bool opens = active && size == 0;
    uint32_t openers = __ballot_sync (ALL_LANES, opens);

    if (opens) {
      place = reserved
          + (uint32_t) __popc (openers & ((UINT32_C (1) << lane) - 1));
      low = 0;
      size = CODEWORD_SIZE;
      if (DECODES && place < ((const uint32_t *) parameters.lengths)[number])
        low = bits[place];
    }
    reserved += (uint32_t) __popc (openers);
    if (active) {
      uint32_t lower = size * __ldg (probabilities + context)
          >> PROBABILITY_BITS;

      if (DECODES)
        bit = low > lower;
      if (bit) {
        low += DECODES ? -(lower + 1) : lower + 1;
        size -= lower + 1;
      } else {
        size = lower;
      }
      if (!DECODES && size == 0)
        bits[place] = (uint16_t) low;
    }
    return bit;
  }

  /* Does Algorithm 6: the coefficients left (of column 0) or right (of column
   * 1) of a lane's own are its neighbor's, of the other column. */
  template <unsigned X> __device__ uint32_t beside (const Line &line) const
  {
    uint32_t value = X == 0 ? __shfl_up_sync (ALL_LANES, line.column[1], 1)
                            : __shfl_down_sync (ALL_LANES, line.column[0], 1);

    return lane == (X == 0 ? 0 : 31) ? 0 : value;
  }

  static __device__ unsigned one_if_significant (uint32_t c)
  {
    return (c & SIGNIFICANT) != 0;
  }

  static __device__ int sign_of (uint32_t c)
  {
    if (!(c & SIGNIFICANT))
      return 0;
    return c & NEGATIVE ? -1 : 1;
  }

  /* Returns the context of eq. (3.2), and the sign that neighbors predict. */
  static __device__ unsigned sign_context (int v, int h, bool *negative)
  {
    unsigned context = v * h > 0 ? 0
        : v == 0 && h != 0       ? 1
        : v != 0 && h == 0       ? 2
                                 : 3;

    *negative = context < 3 && v + h < 0;
    return context;
  }

  /* Visits the coefficients of column X in one line. */
  template <Pass PASS, unsigned X>
  __device__ void visit (const Line &above, Line &here, const Line &below)
  {
    uint32_t beside_above = beside<X> (above), beside_here = beside<X> (here),
             beside_below = beside<X> (below), c = here.column[X];
    unsigned near = one_if_significant (beside_above)
        + one_if_significant (beside_here) + one_if_significant (beside_below)
        + one_if_significant (above.column[0])
        + one_if_significant (above.column[1])
        + one_if_significant (below.column[0])
        + one_if_significant (below.column[1])
        + one_if_significant (here.column[1 - X]);
    bool active = 2 * lane + X < block.width
        && !(c & (PASS == Pass::THIRD ? SIGNIFICANT | DONE : SIGNIFICANT))
        && (PASS != Pass::FIRST || near > 0);
    bool bit = code (active,
        near + (PASS == Pass::THIRD ? CLEANUP : SIGNIFICANCE),
        (c & MAGNITUDE) >> plane & 1);
    bool becomes = active && bit;
    bool predicted;
    unsigned context = sign_context (
        sign_of (above.column[X]) + sign_of (below.column[X]),
        sign_of (beside_here) + sign_of (here.column[1 - X]), &predicted);
    bool negative = code (becomes,
                        context + (PASS == Pass::THIRD ? CLEANUP_SIGN : SIGN),
                        ((c & NEGATIVE) != 0) != predicted)
        != predicted;

    if (PASS == Pass::FIRST && active)
      c |= DONE;
    if (becomes) {
      c |= SIGNIFICANT | UINT32_C (1) << plane;
      if (PASS == Pass::THIRD)
        c |= REFINED;
      if (DECODES && negative)
        c |= NEGATIVE;
    }
    if (PASS == Pass::THIRD)
      c &= ~DONE;
    here.column[X] = c;
  }

  template <Pass PASS> __device__ void significance ()
  {
    Line above = { { 0, 0 } }, here = lines[0];

    for (unsigned y = 0; y < block.height; y++) {
      Line below = { { 0, 0 } };

      if (y + 1 < block.height)
        below = lines[y + 1];
      visit<PASS, 0> (above, here, below);
      visit<PASS, 1> (above, here, below);
      lines[y] = here;
      above = here;
      here = below;
    }
  }

  /* Does Algorithm 5. */
  __device__ void refinement ()
  {
    for (unsigned y = 0; y < block.height; y++)
      for (unsigned x = 0; x < 2; x++) {
        uint32_t c = lines[y].column[x];
        bool active = (c & REFINED) != 0;
        bool bit = code (active, REFINEMENT, (c & MAGNITUDE) >> plane & 1);

        if (active)
          c |= (uint32_t) bit << plane;
        else if (c & SIGNIFICANT)
          c |= REFINED;
        lines[y].column[x] = c;
      }
  }
};

template <bool DECODES, int PASSES, int HEIGHT>
static __device__ __forceinline__ void
code_block (const LabBitplanesParameters &parameters)
{
  uint32_t number = blockIdx.x * LAB_BITPLANES_WARPS + threadIdx.x / 32;

  if (number >= parameters.n_blocks)
    return;
  BlockCoder<DECODES, PASSES, HEIGHT> coder (parameters, number);
  coder.run ();
}

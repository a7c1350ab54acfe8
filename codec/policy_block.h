/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The arithmetic of paco_policy_block(): what a bitplane costs, whether it is stored
 * raw, and whether lanes share codewords. policy.c and the CUDA kernels compile it, so
 * that all encoders decide alike; rate_estimate.h takes the entropy from it. */
#pragma once
#include "codec/record.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define PACO_POLICY_FUNCTION static __device__ __forceinline__
#define PACO_POLICY_TABLE static __device__ const
#else
#define PACO_POLICY_FUNCTION static inline
#define PACO_POLICY_TABLE static const
#endif

/* The entropy of a binary symbol in 1/1024 bit, by the smaller of its two probabilities
 * in 1/128. */
PACO_POLICY_TABLE uint16_t paco_policy_entropy[65] = { 21, 94, 142, 185, 225,
  262, 297, 330, 361, 391, 419, 446, 473, 498, 522, 545, 568, 589, 610, 630,
  650, 669, 687, 704, 721, 738, 753, 769, 783, 798, 811, 824, 837, 849, 861,
  872, 883, 893, 903, 913, 922, 931, 939, 947, 954, 961, 968, 974, 980, 986,
  991, 996, 1000, 1004, 1008, 1011, 1014, 1016, 1019, 1020, 1022, 1023, 1024,
  1024, 1024 };

/* A plane is stored raw when coding it would save at most this, in 1/1024 of its bits;
 * by complexity. On the corpus, complexity 1, 2 and 3 take 0.1, 1.1 and 2.3 % more
 * lossless bits than 0 on the mean, and 0.7, 2.3 and 4.0 % on the worst picture. */
PACO_POLICY_TABLE uint16_t paco_policy_raw_saving[4] = { 0, 42, 66, 100 };

/* A block whose lanes have a codeword each may waste so much more of its bits, in
 * 1/1024, than one whose lanes share codewords; by complexity. It is faster on a GPU,
 * where a frame takes as long as its slowest block: in a block of 8 KB that shares
 * codewords to save 0.6 % of its bits, every visit takes twice as long. */
PACO_POLICY_TABLE uint16_t paco_policy_lane_waste[4] = { 8, 8, 20, 60 };

/* How many bits codewords that are open at the end waste on average. */
enum
{
  PACO_POLICY_OPEN_BITS_ALONE = 32 * 31 / 2,
  PACO_POLICY_OPEN_BITS_FOUR_LANES = 8 * 31 / 2,
  PACO_POLICY_OPEN_BITS_EIGHT_LANES = 4 * 31 / 2,
};

/* What symbols cost when they are coded, in 1/1024 bit, as measured on the corpus: a
 * refinement bit in the plane after the coefficient's highest one, and in those below;
 * the share of the entropy of significance that is left with contexts; how much a coded
 * sign saves against a raw one. */
enum
{
  PACO_POLICY_FIRST_REFINEMENT = 988,
  PACO_POLICY_REFINEMENT = 1019,
  PACO_POLICY_SIGNIFICANCE_32NDS = 31,
  PACO_POLICY_SIGN_SAVING = 60,
};

/* Estimates the bits, times 1024, of a plane when it is coded, less what its signs
 * save. Of n_coefficients, n_significant are significant before it, n_first of these
 * since the plane above, and n_new become significant. */
PACO_POLICY_FUNCTION uint32_t
paco_policy_plane_cost (uint32_t n_significant, uint32_t n_first,
    uint32_t n_new, uint32_t n_coefficients)
{
  uint32_t n_insignificant = n_coefficients - n_significant;
  uint32_t cost = n_first * PACO_POLICY_FIRST_REFINEMENT
      + (n_significant - n_first) * PACO_POLICY_REFINEMENT;
  uint32_t saving = n_new * PACO_POLICY_SIGN_SAVING;

  if (n_insignificant > 0) {
    uint32_t share = n_new * 128 / n_insignificant;

    if (share > 64)
      share = 128 - share;
    cost += n_insignificant * paco_policy_entropy[share]
        * PACO_POLICY_SIGNIFICANCE_32NDS / 32;
  }
  return cost > saving ? cost - saving : 0;
}

/* Says whether a plane of that cost is stored raw if all planes below it are. */
PACO_POLICY_FUNCTION bool
paco_policy_plane_is_raw (
    uint32_t cost, uint32_t n_coefficients, unsigned complexity)
{
  uint64_t plain = (uint64_t) n_coefficients * 1024;

  return complexity > 0
      && (uint64_t) cost * 1024
      >= plain * (1024 - paco_policy_raw_saving[complexity]);
}

PACO_POLICY_FUNCTION uint32_t
paco_policy_waste (uint32_t open_bits, uint32_t raw_bits)
{
  return (open_bits > raw_bits ? open_bits - raw_bits : 0) + raw_bits / 20;
}

/* Decides whether lanes share codewords, and which signs are raw. Without raw planes
 * the signs of the last plane fill the open codewords: those of the right columns if
 * they are enough, else all. n_planes are stored; n_right of the n_last coefficients
 * that become significant in the last plane lie in right columns. */
PACO_POLICY_FUNCTION void
paco_policy_codewords (uint32_t n_planes, uint32_t n_right, uint32_t n_last,
    uint32_t bits, unsigned complexity, bool *shared_codewords,
    bool *raw_left_signs)
{
  uint32_t open_bits = PACO_SHARING_LANES (n_planes) == 8
      ? PACO_POLICY_OPEN_BITS_EIGHT_LANES
      : PACO_POLICY_OPEN_BITS_FOUR_LANES;
  uint32_t alone_right = paco_policy_waste (
      PACO_POLICY_OPEN_BITS_ALONE, n_right);
  uint32_t alone_both = paco_policy_waste (PACO_POLICY_OPEN_BITS_ALONE, n_last);
  uint32_t together_right = paco_policy_waste (open_bits, n_right);
  uint32_t together_both = paco_policy_waste (open_bits, n_last);
  uint32_t alone = alone_right < alone_both ? alone_right : alone_both;
  uint32_t together = together_right < together_both ? together_right
                                                     : together_both;

  *shared_codewords = alone > together
      && (uint64_t) (alone - together) * 1024
          > (uint64_t) bits * paco_policy_lane_waste[complexity];
  *raw_left_signs = *shared_codewords ? together_both < together_right
                                      : alone_both < alone_right;
}

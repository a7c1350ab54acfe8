/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The numbers of the encoder's rounding (FORMAT.md section 9). The block coders in C
 * and in CUDA and the reference include it.
 *
 * A coefficient between two indices becomes the one that is better for distortion
 * and bits together. How many bits the larger one costs more depends on how many
 * neighbors are significant, as its context does: where no neighbor is, a 1 takes
 * ten bits; where all are, it takes no more than a 0. So a coefficient is always
 * rounded down in the first case, and in the second one rounded up from 9/16 on.
 * Compared with cutting off, with steps that take as many bytes, this is 0.2 dB
 * better at 0.25 bits a sample, 0.3 dB at 1 and 0.4 dB at 4. Deciding twice, by
 * magnitudes instead of significance, or with neighbors beyond the 32 lines, would
 * each give 0.01 dB more. */
#pragma once

enum
{
  PACO_FRACTION_BITS = 4,
  /* 32 lines of a block are rounded together, without a look at others. */
  PACO_ROUNDING_LINES = 32,
  /* A neighbor counts as significant from 13 sixteenths of a step on. */
  PACO_ROUNDING_SIGNIFICANT = 13,
  /* Before a coefficient is cut off, as many sixteenths of a step are added to it as
   * its context says, up to 4, and one more from each of these contexts on. */
  PACO_ROUNDING_5 = 6,
  PACO_ROUNDING_6 = 12,
  PACO_ROUNDING_7 = 24,
};

/* The reconstruction point of coefficients that are cut off, not rounded: on average
 * they lie below the middle of their interval. */
#define PACO_RECONSTRUCTION_CUT 116

/* The reconstruction point of a block that is cut at plane d, in a frame with the
 * reconstruction point rho (FORMAT.md section 8). The more planes are gone, the less it
 * matters how the last one was rounded. */
#define PACO_CUT_RECONSTRUCTION(rho, d)                                        \
  (PACO_RECONSTRUCTION_CUT - ((PACO_RECONSTRUCTION_CUT - (int) (rho)) >> (d)))

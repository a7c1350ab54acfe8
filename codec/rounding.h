/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The numbers of the encoder's rounding (FORMAT.md section 9), for the C and the
 * CUDA block coder.
 *
 * Which of two indices a coefficient becomes is a matter of distortion and of
 * bits. What the larger one costs more depends on how many neighbors are
 * significant, as its context will: alone in a quiet place a 1 takes ten bits,
 * among others it takes no more than a 0. So a coefficient is rounded down
 * always in the first case, from 9/16 on up in the second. Against cutting off,
 * with the steps that take as many bytes, this is 0.2 dB better at 0.25 bits a
 * sample, 0.3 dB at 1 and 0.4 dB at 4. Deciding twice, by magnitudes instead of
 * significance, or with neighbors beyond the 32 lines, each gives 0.01 dB more. */
#pragma once

enum
{
  PACO_FRACTION_BITS = 4,
  /* Lines that are rounded for themselves. */
  PACO_ROUNDING_LINES = 32,
  /* From here on a neighbor counts, in sixteenths of a step. */
  PACO_ROUNDING_SIGNIFICANT = 13,
  /* Before it is cut off a coefficient gains as many sixteenths as its context
   * has, up to 4, and one more from each of these contexts on. */
  PACO_ROUNDING_5 = 6,
  PACO_ROUNDING_6 = 12,
  PACO_ROUNDING_7 = 24,
};

/* Reconstruction point of what is cut off, not rounded: magnitudes lie below the
 * middle of their interval on average. */
#define PACO_RECONSTRUCTION_CUT 116

/* That of a block that is cut at plane d, in a frame of the reconstruction point
 * rho (FORMAT.md section 8): the more planes are gone, the less it matters how
 * the last one was rounded. */
#define PACO_CUT_RECONSTRUCTION(rho, d)                                        \
  (PACO_RECONSTRUCTION_CUT - ((PACO_RECONSTRUCTION_CUT - (int) (rho)) >> (d)))

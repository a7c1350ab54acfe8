/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The numbers of the block coder's model (FORMAT.md sections 7.1 and 7.3 to 7.5): its
 * contexts, the weights of neighbors in them, and the rows of a probability set.
 * Reference, CPU, CUDA and the program that trains sets include these constants. */
#pragma once

enum
{
  /* Lines of a stripe: 8g to 8g + 7 of a block are stripe g. */
  PACO_STRIPE_LINES = 8,

  PACO_N_SIGNIFICANCE = 41,
  PACO_N_REFINEMENT = 6,
  PACO_N_SIGN = 5,
  PACO_N_WAKE = 3,

  /* The first context of each kind of symbol. */
  PACO_REFINEMENT_CONTEXT = PACO_N_SIGNIFICANCE,
  PACO_SIGN_CONTEXT = PACO_REFINEMENT_CONTEXT + PACO_N_REFINEMENT,
  PACO_WAKE_CONTEXT = PACO_SIGN_CONTEXT + PACO_N_SIGN,
  PACO_N_CONTEXTS = PACO_WAKE_CONTEXT + PACO_N_WAKE,

  /* A refinement context is the first plus c >> PACO_REFINEMENT_SHIFT. */
  PACO_REFINEMENT_SHIFT = 3,

  /* The context c of significance is the sum of the significant neighbors, each
   * with a weight. Horizontal ones are left and right, vertical ones above and
   * below, diagonal ones at the corners; _2 is two columns or lines away;
   * knights are one away in one direction and two in the other. */
  PACO_LL_HORIZONTAL = 3,
  PACO_LL_VERTICAL = 3,
  PACO_LL_DIAGONAL = 3,
  PACO_LL_HORIZONTAL_2 = 1,
  PACO_LL_VERTICAL_2 = 1,
  PACO_LL_KNIGHT = 1,

  PACO_HL_HORIZONTAL = 3,
  PACO_HL_VERTICAL = 5,
  PACO_HL_DIAGONAL = 2,
  PACO_HL_HORIZONTAL_2 = 1,
  PACO_HL_VERTICAL_2 = 2,
  PACO_HL_KNIGHT = 1,

  /* LH is HL with the directions exchanged. */
  PACO_LH_HORIZONTAL = PACO_HL_VERTICAL,
  PACO_LH_VERTICAL = PACO_HL_HORIZONTAL,
  PACO_LH_DIAGONAL = PACO_HL_DIAGONAL,
  PACO_LH_HORIZONTAL_2 = PACO_HL_VERTICAL_2,
  PACO_LH_VERTICAL_2 = PACO_HL_HORIZONTAL_2,
  PACO_LH_KNIGHT = PACO_HL_KNIGHT,

  PACO_HH_HORIZONTAL = 3,
  PACO_HH_VERTICAL = 3,
  PACO_HH_DIAGONAL = 4,
  PACO_HH_HORIZONTAL_2 = 1,
  PACO_HH_VERTICAL_2 = 1,
  PACO_HH_KNIGHT = 1,

  /* Rows of a set: of each kind of subband, of the planes 0, 1, 2 and all above,
   * of each density class. */
  PACO_N_KINDS = 3,
  PACO_N_LOW_PLANES = 4,
  PACO_N_DENSITIES = 16,
  PACO_N_ROWS = PACO_N_KINDS * PACO_N_LOW_PLANES * PACO_N_DENSITIES,
};

/* An array of the weights of neighbors by orientation (PacoOrientation), in this
 * order: horizontal, vertical and diagonal ones, those two away in either direction,
 * knights. */
#define PACO_NEIGHBOR_WEIGHTS                                                  \
  {                                                                            \
    { PACO_LL_HORIZONTAL, PACO_LL_VERTICAL, PACO_LL_DIAGONAL,                  \
      PACO_LL_HORIZONTAL_2, PACO_LL_VERTICAL_2, PACO_LL_KNIGHT },              \
        { PACO_HL_HORIZONTAL, PACO_HL_VERTICAL, PACO_HL_DIAGONAL,              \
          PACO_HL_HORIZONTAL_2, PACO_HL_VERTICAL_2, PACO_HL_KNIGHT },          \
        { PACO_LH_HORIZONTAL, PACO_LH_VERTICAL, PACO_LH_DIAGONAL,              \
          PACO_LH_HORIZONTAL_2, PACO_LH_VERTICAL_2, PACO_LH_KNIGHT },          \
        { PACO_HH_HORIZONTAL, PACO_HH_VERTICAL, PACO_HH_DIAGONAL,              \
          PACO_HH_HORIZONTAL_2, PACO_HH_VERTICAL_2, PACO_HH_KNIGHT },          \
  }

/* The kind of a subband for the rows: LL 0, HL and LH 1, HH 2, from its
 * orientation (PacoOrientation: 0, 1, 2, 3). */
#define PACO_KIND(orientation) (((orientation) + 1u) >> 1)

/* The first of the 16 rows of a plane, one for each density class. */
#define PACO_PLANE_ROW(orientation, plane)                                     \
  ((PACO_KIND (orientation) * PACO_N_LOW_PLANES                                \
       + ((plane) < PACO_N_LOW_PLANES - 1u ? (plane)                           \
                                           : PACO_N_LOW_PLANES - 1u))          \
      * PACO_N_DENSITIES)

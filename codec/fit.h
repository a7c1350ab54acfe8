/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of rct-fit, a reversible color transform of three components A, B and C
 * (FORMAT.md section 5):
 *
 *   V = A - B, T = B + (V >> 1) or B, U = C - B - ((x V - y B) >> 3)
 *
 * So U is C less x eighths of A and 8 - x - y of B, rounded once. */
#pragma once
#include "header.h"

typedef struct
{
  uint8_t a, b, c; /* which component each is; all differ */
  bool mean;       /* T is B + (V >> 1), the mean of A and B */
  uint8_t x, y;    /* in eighths */
} PacoFit;

#define PACO_FIT_ONE 8 /* all eighths */

static inline PacoFit
paco_fit (const uint8_t parameters[2])
{
  PacoFit fit = {
    .b = parameters[0] >> 2 & 3,
    .c = parameters[0] & 3,
    .mean = parameters[0] >> 4 & 1,
    .x = parameters[1] & 15,
    .y = parameters[1] >> 4,
  };

  fit.a = (uint8_t) (3 - fit.b - fit.c);
  return fit;
}

static inline void
paco_fit_pack (const PacoFit *fit, uint8_t parameters[2])
{
  parameters[0] = (uint8_t) (fit->c | fit->b << 2 | fit->mean << 4);
  parameters[1] = (uint8_t) (fit->x | fit->y << 4);
}

/* Says whether the parameters are some. The eighths of A and B are not negative and at most
 * 8, so U has one bit more than C. */
static inline bool
paco_fit_is_valid (const uint8_t parameters[2])
{
  PacoFit fit = paco_fit (parameters);

  return parameters[0] < 32 && fit.b < 3 && fit.c < 3 && fit.b != fit.c
      && fit.x + fit.y <= PACO_FIT_ONE;
}

/* What is taken without a look at the picture: RCT2 but for its last step. */
#define PACO_FIT_USUAL                                                         \
  {                                                                            \
    .a = 0, .b = 1, .c = 2, .mean = true, .x = PACO_FIT_ONE / 2                \
  }

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the encoder puts into its step map (FORMAT.md section 9): where level 1 of
 * component 0 is busy, the eye sees less of an error, and steps are coarser. The encoders
 * of all backends and the reference add up magnitudes of coefficients cell by cell, and
 * this makes exponents of the sums, in integers. policy.c and step_map.h have the rest. */
#pragma once
#include "codec/rate_estimate.h"
#include "codec/step_cells.h"

enum
{
  PACO_ACTIVITY_SUBBANDS = 3, /* HL, LH and HH */
  PACO_ACTIVITY_UNIT = 256,   /* the largest weight */
  PACO_ACTIVITY_MOST = 8, /* The exponents are those of two octaves at most. */
};

/* How the activity of a cell follows from the integers c = |x| * scale, cut off, of its
 * coefficients. */
typedef struct
{
  float scale[PACO_ACTIVITY_SUBBANDS];
  /* What makes the subbands comparable: the norm of a step of c. */
  uint32_t weight[PACO_ACTIVITY_SUBBANDS];
  int32_t
      offset; /* 1/1024 octave: from c to the activity at which exponents begin */
  int32_t slope; /* 1/1024: exponents for an octave of activity */
} PacoActivity;

#ifndef __CUDACC__
#include "codec/parameters.h"
#include "codec/rate_table.h"

/* Returns how activity is found in frames whose coding, with a step map, follows from
 * these parameters. table: of the steps of frames with a budget, else NULL. */
PacoActivity paco_policy_activity (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    const PacoRateTable *table);
#endif

/* Returns the exponent of a cell. sum: of the c of its n coefficients in HL, LH and HH of
 * level 1 of component 0, times the subbands' weights. */
PACO_RATE_FUNCTION unsigned
paco_activity_exponent (const PacoActivity *activity, uint64_t sum, uint32_t n)
{
  int64_t octaves, exponent;

  if (sum == 0)
    return 0;
  octaves = (int64_t) paco_rate_log2 (sum) - (int64_t) paco_rate_log2 (n)
      + activity->offset;
  exponent = (octaves * activity->slope + (1 << 19)) >> 20;
  if (exponent > PACO_ACTIVITY_MOST)
    return PACO_ACTIVITY_MOST;
  return exponent < 0 ? 0 : (unsigned) exponent;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the numbers by which coefficients become the exponents of a step map;
 * policy_map.h says for whom. */
#include "policy_map.h"
#include "policy.h"
#include "quantizer.h"
#include <math.h>

/* The activity, in units of 8-bit samples, at which exponents begin, and exponents for an
 * octave of it. */
#define BEGIN 4.0
#define SLOPE 1.4

PacoActivity
paco_policy_activity (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    const PacoRateTable *table)
{
  double units[PACO_ACTIVITY_SUBBANDS], most = 0.0, share = 1.0;
  double depth = ldexp (1.0, (int) picture->components[0].depth - 8);
  PacoActivity activity = { { 0 } };

  for (unsigned i = 0; i < PACO_ACTIVITY_SUBBANDS; i++) {
    unsigned entry = 3u * coding->levels + 1 - PACO_ACTIVITY_SUBBANDS + i;
    unsigned bits = coding->subbands[0][entry].fraction_bits;

    activity.scale[i] = table
        ? table->scale[0][entry]
        : ldexpf (1.0f / paco_step_decode (coding->subbands[0][entry].step),
            (int) bits);
    units[i] = paco_policy_norm (coding, 0, 1, PACO_ORIENTATION_HL + i)
        * (parameters->weight > 0.0 ? parameters->weight : 1.0)
        / (activity.scale[i] * depth);
    most = MAX (most, units[i]);
  }
  for (unsigned i = 0; i < PACO_ACTIVITY_SUBBANDS; i++)
    activity.weight[i] = (uint32_t) lrint (
        PACO_ACTIVITY_UNIT * units[i] / most);
  if (parameters->tune != PACO_TUNE_VISUAL)
    share = 0.0;
  else if (!table)
    share = paco_policy_visual_share (parameters);
  activity.offset = (int32_t) lrint (
      1024.0 * log2 (most / PACO_ACTIVITY_UNIT / BEGIN));
  activity.slope = (int32_t) lrint (1024.0 * share * SLOPE);
  return activity;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the table of step numbers (rate_table.h): scales from the bounds of
 * coefficients (quantizer.c), and for each number the steps that policy.c has for its
 * base step. */
#include "rate_table.h"
#include "policy.h"
#include "quantizer.h"
#include <math.h>

/* log2 of the finest step, in units of a sample, and of the coarsest, in units of 8-bit
 * samples. With the finest one 9/7 takes about as many bytes as lossless coding. */
#define FINEST_LOG2 (-1.5)
#define COARSEST_LOG2 11.0
/* A reversible wavelet drops planes from a step of about 1.4 on. With this finest
 * step no subband drops any. */
#define FINEST_REVERSIBLE_LOG2 (-3.0)

/* log2 of the base step of a number, in units of 8-bit samples. */
static double
base_log2 (const PacoRateTable *table, unsigned number)
{
  return table->finest_log2 + (double) number / PACO_RATE_OCTAVE;
}

/* Finds the largest |x| of each entry. */
static void
find_bounds (const PacoPictureFormat *picture, const PacoCoding *coding,
    double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS])
{
  PacoCoding unit = *coding;

  for (unsigned c = 0; c < picture->n_components; c++)
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++)
      unit.subbands[c][k].step = paco_step_encode (1.0);
  paco_coefficient_bounds (picture, &unit, bounds);
}

/* The scale that gives the finest step bits behind the point, as far as there is room
 * below the limit for the largest coefficient. */
static float
find_scale (double finest_step, double bound, double limit)
{
  double wanted = ldexp (1.0, PACO_FRACTION_BITS) / finest_step;

  return (float) MIN (wanted, limit / bound);
}

/* The estimate is made for indices that are cut off. Rounding makes more of them 0, as
 * with a step that is coarser by 96/256 of an octave. */
#define ROUNDING 96

static PacoRateStep
rounded_step (double wanted, float scale)
{
  PacoRateStep step = { .fraction_bits = PACO_FRACTION_BITS };
  double rounded, steps_of_c, ratio;
  int exponent;

  /* Where there is no room for four bits behind the point, there is room for one,
   * because no step is finer than that. */
  if (wanted * scale < ldexp (1.0, PACO_FRACTION_BITS) * 0.999)
    step.fraction_bits = 1;
  step.step = paco_step_encode (MAX (wanted, 2.0 / scale));
  rounded = paco_step_decode (step.step);
  steps_of_c = rounded * scale;
  ratio = MIN (ldexp (1.0, step.fraction_bits) / steps_of_c, 65535.0 / 65536.0);
  ratio = frexp (ratio, &exponent); /* 0.5 <= ratio < 1, exponent <= 0 */
  step.multiplier = (uint16_t) MIN (lrint (ldexp (ratio, 16)), 65535);
  step.shift = (uint8_t) MIN (16 - exponent, 63);
  step.threshold = (int16_t) (lrint (PACO_RATE_OCTAVE * log2 (steps_of_c))
      - ROUNDING);
  step.weight = (int16_t) lrint (16.0 * log2 (rounded / wanted));
  return step;
}

static PacoRateStep
reversible_step (double wanted, bool alpha)
{
  double planes = alpha ? 0.0 : CLAMP (floor (log2 (wanted) + 0.5), 0.0, 15.0);

  return (PacoRateStep){
    .multiplier = 1u << 15,
    .shift = 15,
    .dropped_planes = (uint8_t) planes,
    .threshold = (int16_t) (PACO_RATE_OCTAVE * planes),
    .weight = (int16_t) lrint (
        (alpha ? PACO_ALPHA_WEIGHT : 0.0) - 16.0 * log2 (wanted)),
  };
}

static void
fill_entry (PacoRateTable *table, const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding,
    unsigned component, unsigned entry, double bound)
{
  bool reversible = paco_is_reversible (coding, component);
  bool alpha = paco_is_alpha (picture, component);
  unsigned level, orientation;
  double norm;

  paco_entry_subband (coding->levels, entry, &level, &orientation);
  norm = paco_policy_norm (coding, component, level, orientation);
  for (unsigned n = 0; n < table->n_numbers; n++) {
    double wanted = paco_policy_step (picture, parameters, coding, component,
        level, orientation, base_log2 (table, n), norm);
    PacoRateStep *step =
        &table->steps[((size_t) n * picture->n_components + component)
                * table->n_entries
            + entry];

    if (n == 0)
      table->scale[component][entry] = reversible
          ? 1.0f
          : find_scale (wanted, bound,
              table->narrow ? INT16_MAX - 1 : PACO_MAX_MAGNITUDE);
    *step = reversible ? reversible_step (wanted, alpha)
                       : rounded_step (wanted, table->scale[component][entry]);
  }
}

PacoRateTable *
paco_rate_table_new (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding)
{
  double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
  PacoRateTable *table = g_new0 (PacoRateTable, 1);
  bool reversible = paco_is_reversible (coding, 0);
  double octaves;

  table->finest_log2 = 8.0 - picture->components[0].depth
      + (reversible ? FINEST_REVERSIBLE_LOG2 : FINEST_LOG2);
  octaves = COARSEST_LOG2 - table->finest_log2;
  table->n_numbers = parameters->rate_control == PACO_RATE_LOSSLESS
      ? 1
      : (unsigned) (octaves * PACO_RATE_OCTAVE) + 1;
  table->n_entries = 3u * coding->levels + 1;
  table->steps = g_new (PacoRateStep,
      (size_t) table->n_numbers * picture->n_components * table->n_entries);
  find_bounds (picture, coding, bounds);
  table->narrow = true;
  for (unsigned c = 0; c < picture->n_components; c++) {
    if (!paco_is_reversible (coding, c)) {
      table->narrow &= picture->components[c].depth <= 12;
      continue;
    }
    for (unsigned k = 0; k < table->n_entries; k++)
      table->narrow &= bounds[c][k] < INT16_MAX;
  }
  for (unsigned c = 0; c < picture->n_components; c++)
    for (unsigned k = 0; k < table->n_entries; k++)
      fill_entry (table, picture, parameters, coding, c, k, bounds[c][k]);
  return table;
}

void
paco_rate_table_free (PacoRateTable *table)
{
  if (!table)
    return;
  g_free (table->steps);
  g_free (table);
}

void
paco_rate_table_apply (const PacoRateTable *table,
    const PacoPictureFormat *picture, unsigned number, PacoCoding *coding)
{
  for (unsigned c = 0; c < picture->n_components; c++) {
    for (unsigned k = 0; k < table->n_entries; k++) {
      const PacoRateStep *step = paco_rate_table_step (
          table, picture->n_components, number, c, k);

      coding->subbands[c][k].step = step->step;
      coding->subbands[c][k].fraction_bits = step->fraction_bits;
    }
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The table of step numbers of a configuration (rate_steps.h). encoder.c and the
 * reference make it when an encoder with a budget is configured; the backends read
 * it. */
#pragma once
#include "geometry.h"
#include "parameters.h"
#include "rate_steps.h"

typedef struct
{
  unsigned n_numbers; /* with rate control lossless one */
  double
      finest_log2; /* of the base step of number 0, in units of 8-bit samples */
  unsigned n_entries; /* of a component: 3 * levels + 1 */
  bool narrow;        /* c is below 2^15 everywhere, else below 2^23 */
  /* c = (int) (|x| * scale), 1 with a reversible wavelet. */
  float scale[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];
  /* [number][component][entry] */
  PacoRateStep *steps;
} PacoRateTable;

/* Makes the table. coding is what paco_policy_coding() says of the picture; what
 * depends on the quality, in it and in the parameters, does not matter. */
PacoRateTable *paco_rate_table_new (const PacoPictureFormat *picture,
    const PacoParameters *parameters, const PacoCoding *coding);
void paco_rate_table_free (PacoRateTable *table);

static inline const PacoRateStep *
paco_rate_table_step (const PacoRateTable *table, unsigned n_components,
    unsigned number, unsigned component, unsigned entry)
{
  return &table->steps[((size_t) number * n_components + component)
          * table->n_entries
      + entry];
}

/* Puts the steps and bits behind the point of a number into a coding. */
void paco_rate_table_apply (const PacoRateTable *table,
    const PacoPictureFormat *picture, unsigned number, PacoCoding *coding);

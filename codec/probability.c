/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has the built-in probability sets, and writes and parses sets that are carried in a
 * frame (FORMAT.md section 3); probability.h says for whom. codec/tables/README.md says
 * how the built-in sets are made. */
#include "probability.h"

const PacoProbabilitySet paco_builtin_sets[PACO_N_FAMILIES][PACO_N_SETS] = {
#include "tables/sets.inc"
};

#define N_VALUES (PACO_N_ROWS * PACO_N_CONTEXTS)
#define MAX_RUN 256

size_t
paco_probability_set_write (const PacoProbabilitySet *set,
    const PacoProbabilitySet *base_set, uint8_t *data)
{
  const uint8_t *value = &set->p[0][0], *base = &base_set->p[0][0];
  uint8_t *out = data;

  for (int i = 0; i < N_VALUES;) {
    int run = 0;

    while (
        i + run < N_VALUES && run < MAX_RUN && value[i + run] == base[i + run])
      run++;
    if (run > 0) {
      *out++ = 0;
      *out++ = run - 1;
      i += run;
    } else {
      *out++ = value[i] - base[i];
      i++;
    }
  }
  return out - data;
}

gboolean
paco_probability_set_parse (const uint8_t *data, size_t size,
    const PacoProbabilitySet *base_set, PacoProbabilitySet *set)
{
  const uint8_t *end = data + size;
  uint8_t *value = &set->p[0][0];
  const uint8_t *base = &base_set->p[0][0];
  int i = 0;

  while (i < N_VALUES && data < end) {
    uint8_t difference = *data++;

    if (difference == 0) {
      int run;

      if (data == end)
        return FALSE;
      run = *data++ + 1;
      if (run > N_VALUES - i)
        return FALSE;
      for (; run > 0; run--, i++)
        value[i] = base[i];
    } else {
      value[i] = base[i] + difference;
      if (value[i] == 0)
        return FALSE;
      i++;
    }
  }
  return i == N_VALUES && data == end;
}

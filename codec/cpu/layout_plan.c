/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Plans which element of a vector has which sample of a layout, and where its bytes
 * are; layout_plan.h says for whom. */
#include "codec/cpu/layout_plan.h"
#include <glib.h>
#include <string.h>

#define HALF (PACO_PLAN_ELEMENTS / 2)

/* Gives each sample an element: groups of up to four samples go to both halves
 * alike, as many as fit, larger ones to the whole vector. */
static bool
choose_elements (PacoLayoutPlan *plan)
{
  const PacoSampleLayout *layout = plan->layout;
  unsigned samples = layout->group_samples, bytes = layout->group_bytes;
  unsigned of_half = samples, groups = 1;

  if (bytes > PACO_PLAN_WINDOW)
    return false;
  if (samples <= HALF) {
    groups = MIN (HALF / samples, PACO_PLAN_WINDOW / bytes);
    of_half = groups * samples;
    plan->n_samples = 2 * of_half;
    plan->n_bytes = 2 * groups * bytes;
    plan->second = plan->n_bytes <= PACO_PLAN_WINDOW ? 0 : groups * bytes;
  } else {
    of_half = HALF;
    plan->n_samples = samples;
    plan->n_bytes = bytes;
    plan->second = 0;
  }
  for (unsigned s = 0; s < plan->n_samples; s++) {
    unsigned element = s / of_half * HALF + s % of_half;

    plan->element_of[s] = element;
    plan->sample_of[element] = s;
  }
  return true;
}

/* Returns where byte i of sample s of the vector is, counted from the beginning of
 * the window that its half looks at. Byte 0 is the least significant one. */
static unsigned
byte_in_window (const PacoLayoutPlan *plan, unsigned s, unsigned i)
{
  const PacoSampleLayout *layout = plan->layout;
  const PacoSamplePlace *place = &layout->places[s % layout->group_samples];
  unsigned at = s / layout->group_samples * layout->group_bytes + place->byte
      + (layout->big_endian ? layout->word_bytes - 1 - i : i);

  return plan->element_of[s] < HALF ? at : at - plan->second;
}

/* Enters where byte i of sample s goes, in the first round that has no byte at that
 * place yet. */
static void
scatter_byte (PacoLayoutPlan *plan, unsigned s, unsigned i)
{
  unsigned element = plan->element_of[s], half = element / HALF;
  unsigned at = half * PACO_PLAN_WINDOW + byte_in_window (plan, s, i);

  for (unsigned round = 0; round < PACO_PLAN_ROUNDS; round++) {
    if (plan->scatter[round][at] != PACO_PLAN_NONE)
      continue;
    plan->scatter[round][at] = (uint8_t) (4 * (element % HALF) + i);
    if (plan->n_rounds > 0)
      plan->n_rounds = MAX (plan->n_rounds, round + 1);
    return;
  }
  plan->n_rounds = 0;
}

void
paco_layout_plan (PacoLayoutPlan *plan, const PacoSampleLayout *layout,
    unsigned depth, uint32_t columns, size_t line_bytes)
{
  memset (plan, 0, sizeof *plan);
  plan->layout = layout;
  plan->depth = depth;
  plan->columns = columns;
  plan->line_bytes = line_bytes;
  if (!choose_elements (plan))
    return;
  plan->n_rounds = 1;
  memset (plan->gather, PACO_PLAN_NONE, sizeof plan->gather);
  memset (plan->scatter, PACO_PLAN_NONE, sizeof plan->scatter);
  for (unsigned s = 0; s < plan->n_samples; s++) {
    unsigned element = plan->element_of[s];
    unsigned shift = layout->places[s % layout->group_samples].shift;

    plan->shifts[element] = shift;
    for (unsigned i = 0; i < layout->word_bytes; i++) {
      plan->gather[4 * element + i] = (uint8_t) byte_in_window (plan, s, i);
      if (8 * i < shift + depth && 8 * (i + 1) > shift)
        scatter_byte (plan, s, i);
    }
  }
}

size_t
paco_layout_vectors (const PacoLayoutPlan *plan, size_t n, size_t bytes)
{
  const PacoSampleLayout *layout = plan->layout;
  size_t window = plan->second + PACO_PLAN_WINDOW;

  bytes = MIN (bytes, n / layout->group_samples * layout->group_bytes);
  if (plan->n_samples == 0 || bytes < window || n < PACO_PLAN_ELEMENTS)
    return 0;
  return 1
      + MIN ((bytes - window) / plan->n_bytes,
          (n - PACO_PLAN_ELEMENTS) / plan->n_samples);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds the codes of a picture; codes.h says for whom. The workers share the lines. */
#include "codec/cpu/codes.h"
#include "codec/cpu/samples.h"
#include <string.h>

enum
{
  LINES = 16,    /* of a component that a worker takes at a time */
  SAMPLES = 512, /* of a line that are loaded at a time */
};

typedef struct
{
  const PacoCodeFinder *finder;
  uint32_t step;
  PacoLayoutPlan plans[PACO_MAX_COMPONENTS];
  unsigned n; /* components that are looked at */
  uint8_t components[PACO_MAX_COMPONENTS], groups[PACO_MAX_COMPONENTS];
  uint32_t first_item[PACO_MAX_COMPONENTS + 1]; /* of each, and their number */
} Job;

static void
find_in_line (
    PacoComponent component, const PacoWord *words, uint32_t n, uint8_t *used)
{
  const int32_t half = 1 << (component.depth - 1);

  for (uint32_t i = 0; i < n; i++)
    used[paco_sample_code (
        &component, (uint16_t) ((int32_t) words[i] + half))] = 1;
}

static void
find_in_lines (void *data, uint32_t item, unsigned worker)
{
  const Job *job = data;
  const PacoFrame *frame = job->finder->frame;
  const PacoPicture *picture = job->finder->picture;
  PacoSeenCodes *seen = &job->finder->seen[worker];
  uint32_t y, end, width;
  unsigned i = 0, c;

  while (item >= job->first_item[i + 1])
    i++;
  c = job->components[i];
  width = paco_component_width (frame->format, c);
  y = (item - job->first_item[i]) * LINES * job->step;
  end = MIN (y + LINES * job->step, paco_component_height (frame->format, c));
  for (; y < end; y += job->step)
    for (uint32_t x = 0; x < width; x += SAMPLES) {
      PacoWord words[SAMPLES];
      uint32_t n = MIN (SAMPLES, width - x);

      frame->ops->load (picture->data[c] + (ptrdiff_t) y * picture->stride[c],
          &job->plans[c], x, n, words);
      find_in_line (
          frame->format->components[c], words, n, seen->used[job->groups[i]]);
    }
}

/* Adds what a worker has seen of a group, and forgets it. */
static void
take_seen (PacoSeenCodes *seen, unsigned group, PacoCodeTable *table)
{
  uint8_t *used = seen->used[group];

  for (unsigned code = 0; code < PACO_MAX_CODES; code++)
    table->used[code / 64] |= (uint64_t) used[code] << code % 64;
  memset (used, 0, PACO_MAX_CODES);
}

gboolean
paco_find_codes (void *data, const PacoCodeGroups *groups, uint32_t step,
    PacoCodeTable *tables, GError **error)
{
  const PacoCodeFinder *finder = data;
  const PacoFrame *frame = finder->frame;
  PacoSampleSets sets;
  Job job = { .finder = finder, .step = step };

  paco_samples_split (&sets, frame->format, finder->picture, frame->coding, 0);
  for (unsigned i = 0; i < sets.n_sets; i++)
    for (unsigned c = sets.sets[i].first;
         c < sets.sets[i].first + sets.sets[i].n; c++)
      job.plans[c] = sets.sets[i].plans[c];
  for (unsigned g = 0; g < groups->n; g++)
    for (unsigned c = 0; c < frame->format->n_components; c++) {
      uint32_t lines = (paco_component_height (frame->format, c) + step - 1)
          / step;

      if (!(groups->components[g] >> c & 1))
        continue;
      job.components[job.n] = (uint8_t) c;
      job.groups[job.n] = (uint8_t) g;
      job.first_item[job.n + 1] = job.first_item[job.n]
          + (lines + LINES - 1) / LINES;
      job.n++;
    }
  paco_workers_run (
      frame->workers, job.first_item[job.n], 1, find_in_lines, &job);
  for (unsigned w = 0; w < paco_workers_count (frame->workers); w++)
    for (unsigned g = 0; g < groups->n; g++)
      take_seen (&finder->seen[w], g, &tables[g]);
  return TRUE;
}

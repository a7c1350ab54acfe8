/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares pictures in memory (comparison.h). */
#include "codec/cpu/comparison.h"
#include <string.h>

enum
{
  LINES = 64, /* that a worker compares at a time */
};

typedef struct
{
  PacoRegion regions[PACO_MAX_COMPONENTS]; /* of the picture */
  const PacoPicture *copy;
  uint64_t n_different; /* atomic */
} Comparison;

static uint32_t
count_bytes (const uint8_t *a, const uint8_t *b, size_t n)
{
  uint32_t different = 0;

  if (memcmp (a, b, n) == 0)
    return 0;
  for (size_t i = 0; i < n; i++)
    different += a[i] != b[i];
  return different;
}

/* Items are groups of lines, those of the first region first. */
static uint32_t
items_of (const PacoRegion *region)
{
  return (region->lines + LINES - 1) / LINES;
}

static void
compare_lines (void *data, uint32_t item, unsigned worker)
{
  Comparison *comparison = data;
  const PacoRegion *region = comparison->regions;
  uint64_t different = 0;
  uint32_t end;
  unsigned c;

  (void) worker;
  for (; item >= items_of (region); region++)
    item -= items_of (region);
  c = region->components[0];
  end = MIN ((item + 1) * LINES, region->lines);
  for (uint32_t y = item * LINES; y < end; y++)
    different += count_bytes (region->data + (ptrdiff_t) y * region->stride,
        comparison->copy->data[c] + (ptrdiff_t) y * comparison->copy->stride[c],
        region->line_bytes);
  if (different > 0)
    __atomic_fetch_add (&comparison->n_different, different, __ATOMIC_RELAXED);
}

uint64_t
paco_count_different (PacoWorkers *workers, const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoPicture *copy, unsigned reduce)
{
  Comparison comparison = { .copy = copy };
  unsigned n = paco_picture_regions (
      format, picture, reduce, comparison.regions);
  uint32_t n_items = 0;

  for (unsigned i = 0; i < n; i++)
    n_items += items_of (&comparison.regions[i]);
  paco_workers_run (workers, n_items, 1, compare_lines, &comparison);
  return comparison.n_different;
}

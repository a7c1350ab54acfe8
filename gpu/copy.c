/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Copies that are shared out to a few threads (codec/helpers.h); copy.h says for
 * whom. */
#include "gpu/copy.h"
#include "codec/helpers.h"
#include "gpu/uncached.h"

#define MIN_PART (256u << 10)

struct _PacoCopier
{
  PacoHelpers *helpers;
};

typedef struct
{
  PacoUncachedCopy copy;
  uint8_t *to;
  const uint8_t *from;
  size_t bytes, rows, stride;
} Part;

static void
copy_part (void *parts, unsigned number)
{
  const Part *part = (const Part *) parts + number;

  if (part->bytes == part->stride) {
    part->copy (part->to, part->from, part->bytes * part->rows);
    return;
  }
  for (size_t y = 0; y < part->rows; y++)
    part->copy (part->to + y * part->stride, part->from + y * part->stride,
        part->bytes);
}

PacoCopier *
paco_copier_new (void)
{
  PacoCopier *copier = g_new0 (PacoCopier, 1);

  copier->helpers = paco_helpers_new ();
  return copier;
}

void
paco_copier_free (PacoCopier *copier)
{
  if (copier) {
    paco_helpers_free (copier->helpers);
    g_free (copier);
  }
}

/* Cuts a copy into parts. A single row can be cut anywhere, several rows only between
 * them. */
static unsigned
cut (PacoCopier *copier, Part *parts, Part whole)
{
  size_t units = whole.rows == 1 ? whole.bytes : whole.rows;
  size_t unit = whole.rows == 1 ? 1 : whole.stride;
  size_t n = CLAMP (whole.bytes * whole.rows / MIN_PART, 1,
      paco_helpers_count (copier->helpers));
  size_t each = (units + n - 1) / n;

  if (whole.rows == 1)
    each = (each + 63) & ~(size_t) 63;
  for (unsigned i = 0; i < n; i++) {
    size_t first = MIN (i * each, units);
    size_t count = MIN (each, units - first);

    parts[i] = whole;
    parts[i].to += first * unit;
    parts[i].from += first * unit;
    if (whole.rows == 1)
      parts[i].bytes = parts[i].stride = count;
    else
      parts[i].rows = count;
  }
  return n;
}

void
paco_copier_run (PacoCopier *copier, uint8_t *to, const uint8_t *from,
    size_t bytes, size_t rows, size_t stride)
{
  Part parts[PACO_MAX_HELPERS];
  Part whole = { paco_uncached_copy (bytes * rows), to, from, bytes, rows,
    stride };

  if (rows == 0 || bytes == 0)
    return;
  if (rows == 1)
    whole.stride = bytes;
  paco_helpers_run (
      copier->helpers, cut (copier, parts, whole), copy_part, parts);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and reads lists of numbers as runs (runs.h). */
#include "tool/archive/runs.h"
#include "codec/bytes.h"

void
paco_runs_add (GByteArray *runs, guint start, guint32 number)
{
  guint8 run[PACO_RUN_SIZE];

  if (runs->len >= start + PACO_RUN_SIZE) {
    guint8 *last = runs->data + runs->len - PACO_RUN_SIZE;
    guint32 count = paco_get32 (last + 4);

    if (paco_get32 (last) == number && count < G_MAXUINT32) {
      paco_put32 (last + 4, count + 1);
      return;
    }
  }
  paco_put32 (paco_put32 (run, number), 1);
  g_byte_array_append (runs, run, sizeof run);
}

gboolean
paco_runs_sum (const guint8 *p, guint32 n_runs, guint64 most,
    guint64 *n_numbers, guint64 *sum)
{
  *n_numbers = *sum = 0;
  for (guint32 i = 0; i < n_runs; i++, p += PACO_RUN_SIZE) {
    guint64 number = paco_get32 (p), count = paco_get32 (p + 4);

    if (count == 0 || count > most - *n_numbers || number * count > most - *sum)
      return FALSE;
    *n_numbers += count;
    *sum += number * count;
  }
  return TRUE;
}

void
paco_runs_begin (PacoRuns *runs, const guint8 *p, guint32 n_runs)
{
  *runs = (PacoRuns){ .p = p, .n_runs = n_runs };
  if (n_runs > 0)
    runs->left = paco_get32 (p + 4);
}

gboolean
paco_runs_next (PacoRuns *runs, guint32 *number)
{
  while (runs->n_runs > 0 && runs->left == 0) {
    runs->p += PACO_RUN_SIZE;
    if (--runs->n_runs > 0)
      runs->left = paco_get32 (runs->p + 4);
  }
  if (runs->n_runs == 0)
    return FALSE;
  runs->left--;
  *number = paco_get32 (runs->p);
  return TRUE;
}

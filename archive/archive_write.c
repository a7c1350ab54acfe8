/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the last but one step of archive: it writes frames to OUT.part. Several threads
 * do, because one copies less memory to the system than a GPU codes. */
#include "archive/run.h"

/* Takes the next frame and gives it its place, so that frames lie in their order
 * whoever writes them. Returns FALSE when there is none any more. */
static gboolean
take (PacoRun *run, guint64 *number, guint64 *offset, GError **error)
{
  gboolean taken;

  g_mutex_lock (&run->placing);
  taken = paco_line_take (run->line, STEP_WRITE, -1, number) == PACO_LINE_TAKEN;
  if (taken) {
    PacoFrame *frame = &paco_run_item (run, *number)->frame;

    paco_part_place (run->part, frame->data, frame->size, offset, error);
  }
  g_mutex_unlock (&run->placing);
  return taken;
}

gpointer
paco_run_write (gpointer data)
{
  PacoRun *run = data;
  guint64 number, offset;
  GError *error = NULL;

  while (take (run, &number, &offset, &error)) {
    const PacoFrame *frame = &paco_run_item (run, number)->frame;
    gint64 begin = g_get_monotonic_time ();

    if (!error)
      paco_part_write (run->part, frame->data, frame->size, offset, &error);
    paco_report_spend (run->report, PACO_SPENT_WRITING, begin);
    if (error)
      paco_line_fail (run->line, number, g_steal_pointer (&error));
    else
      paco_line_done (run->line, STEP_WRITE, number);
  }
  return NULL;
}

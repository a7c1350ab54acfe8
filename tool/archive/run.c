/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the steps of archive do with an item (run.h). */
#include "tool/archive/run.h"

PacoRunItem *
paco_run_item (const PacoRun *run, guint64 number)
{
  return &run->items[paco_line_place (run->line, number)];
}

void
paco_run_release_file (PacoRunItem *item)
{
  paco_bytes_pool_give (g_steal_pointer (&item->file));
}

void
paco_run_fail (PacoRun *run, guint64 number, PacoArchiveError code,
    const char *format, ...)
{
  char *shown = paco_folder_show (run->folder, number), *sentence;
  va_list arguments;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  paco_line_fail (run->line, number,
      g_error_new (PACO_ARCHIVE_ERROR, code, "%s %s", shown, sentence));
  g_free (sentence);
  g_free (shown);
}

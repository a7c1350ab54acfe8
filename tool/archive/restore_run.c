/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the steps of restore do with an item (restore_run.h). */
#include "tool/archive/restore_run.h"

PacoRestoreItem *
paco_restore_item (const PacoRestoreRun *run, guint64 number)
{
  return &run->items[paco_line_place (run->line, number)];
}

gboolean
paco_restore_is_interrupted (const PacoRestoreRun *run)
{
  const PacoRestoreOptions *options = run->options;

  return options->interrupted && options->interrupted (options->user);
}

void
paco_restore_release_bytes (PacoRestoreRun *run, PacoRestoreItem *item)
{
  item->bytes = NULL;
  if (item->room)
    paco_rooms_release_frame (run->rooms, item->room);
  paco_bytes_pool_give (g_steal_pointer (&item->memory));
}

void
paco_restore_release (const PacoRestoreRun *run, PacoRestoreItem *item)
{
  if (item->frame.data)
    run->options->release (run->options->user, &item->frame, item->owner);
  item->frame = (PacoFrame){ NULL };
}

void
paco_restore_refuse (PacoRestoreItem *item, const char *why)
{
  item->damage = g_strdup (why);
  item->refused = TRUE;
}

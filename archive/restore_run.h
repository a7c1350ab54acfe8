/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what the threads of a run of restore share: restore.c, restore_read.c and
 * restore_write.c. */
#pragma once
#include "archive/chunks.h"
#include "archive/line.h"
#include "archive/restore.h"

/* Steps of the line. */
enum
{
  STEP_READ,
  STEP_DECODE,
  STEP_WRITE,
  STEP_TELL,
  N_STEPS,
};

typedef struct
{
  guint64 number;  /* in the line */
  PacoFrame frame; /* data is NULL if there is none */
  gpointer owner;
  PacoInfo info;
  PacoKeptFile kept;
  PacoRebuilt rebuilt;
  GByteArray *there; /* a file that is there already */
  char *damage;      /* why there is no file, or NULL; then steps pass it on */
  gboolean was_there;
} PacoRestoreItem;

typedef struct
{
  const PacoRestoreOptions *options;
  PacoReport *report;
  PacoFrameDecoder *decoder;
  PacoLine *line;
  PacoRestoreItem *items;
  guint n_items;
  int folder; /* the descriptor of options->folder, or -1 */
  /* The reading thread uses these: names that have come, and bytes behind the
   * last frame. */
  GHashTable *names;
  gboolean interrupted; /* it ended for the caller */
  guint64 skipped_at_end;
  PacoSound *sound;    /* that the first frame tells of, or NULL */
  GError *sound_error; /* why none can be read of what frames tell, or NULL */
  gint lost; /* a GPU was lost: memory that it may still use is not freed */
} PacoRestoreRun;

void paco_restore_release (const PacoRestoreRun *run, PacoRestoreItem *item);
gboolean paco_restore_is_interrupted (const PacoRestoreRun *run);
PacoRestoreItem *paco_restore_item (const PacoRestoreRun *run, guint64 number);

/* These are the functions of the threads; data is the PacoRestoreRun. */
gpointer paco_restore_read (gpointer data);   /* restore_read.c */
gpointer paco_restore_decode (gpointer data); /* restore_read.c */
gpointer paco_restore_write (gpointer data);  /* restore_write.c */

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
  STEP_FIND,
  STEP_READ,
  STEP_DECODE,
  STEP_WRITE,
  STEP_TELL,
  N_STEPS,
};

typedef struct
{
  guint64 number;  /* in the line */
  PacoFrame frame; /* as it was found; to be released if it has data */
  gpointer owner;
  PacoBytes
      *memory; /* of run->frames, for a frame found without data; or NULL */
  const guint8 *bytes; /* of the frame, from reading to decoding */
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
  PacoBytesPool *frames; /* memory for them */
  int folder;            /* the descriptor of options->folder, or -1 */
  /* The finding thread sets these. */
  gboolean interrupted; /* it ended for the caller */
  guint64 skipped_at_end;
  /* The decoding thread uses these, as frames come to it in order. */
  GHashTable *names;   /* that have come */
  PacoSound *sound;    /* that the first frame tells of, or NULL */
  GError *sound_error; /* why none can be read of what frames tell, or NULL */
  gint lost; /* a GPU was lost: memory that it may still use is not freed */
} PacoRestoreRun;

/* Gives the memory of the frame's bytes back, for the next one. */
void paco_restore_release_bytes (PacoRestoreRun *run, PacoRestoreItem *item);
void paco_restore_release (const PacoRestoreRun *run, PacoRestoreItem *item);
gboolean paco_restore_is_interrupted (const PacoRestoreRun *run);
PacoRestoreItem *paco_restore_item (const PacoRestoreRun *run, guint64 number);

/* These are the functions of the threads; data is the PacoRestoreRun. */
gpointer paco_restore_find (gpointer data);   /* restore_read.c */
gpointer paco_restore_read (gpointer data);   /* restore_read.c */
gpointer paco_restore_decode (gpointer data); /* restore_read.c */
gpointer paco_restore_write (gpointer data);  /* restore_write.c */

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares what the threads of a run of restore share: restore.c, restore_read.c and
 * restore_write.c. */
#pragma once
#include "tool/archive/chunks.h"
#include "tool/archive/line.h"
#include "tool/archive/member.h"
#include "tool/archive/restore.h"

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
  guint32 n_files; /* that the archive has, as the frame says; 0: unknown */
  PacoMemberCount members; /* that the frame carries */
  PacoKeptFile kept;
  /* What memory its file is made in; NULL: none is made. kept.rest is the room's. */
  PacoRoom *room;
  char *damage; /* Why there is no file, or NULL. Then steps pass it on. */
  gboolean
      refused; /* The frame is sound, and `damage` is why its file cannot be made. */
  gboolean was_there;
} PacoRestoreItem;

typedef struct PacoRestoreMember PacoRestoreMember;

typedef struct
{
  const PacoRestoreOptions *options;
  PacoReport *report;
  PacoFrameDecoder *decoder;
  PacoLine *line;
  PacoRestoreItem *items;
  guint n_items;
  PacoBytesPool *frames; /* memory for them */
  PacoRooms *rooms;      /* and for files */
  int folder;            /* the descriptor of options->folder, or -1 */
  /* The finding thread sets these. */
  GByteArray *head;       /* of the frame that it looks at */
  guint64 files, archive; /* bytes of all files and of all frames so far */
  gboolean interrupted;   /* it ended for the caller */
  guint64 skipped_at_end;
  GMutex names_lock;
  GHashTable *names; /* that have come: of frames, and of members */
  /* The decoding thread uses these, as frames come to it in order. */
  GPtrArray *sounds; /* PacoSound: that the first frame tells of */
  GError
      *sound_error; /* why not all can be read of what frames tell, or NULL */
  /* The calling thread uses these, which reports frames in order. */
  PacoFileCount count;
  PacoRestoreMember *member;
  gint lost; /* a GPU was lost: memory that it may still use is not freed */
} PacoRestoreRun;

/* Keeps why an item's file cannot be made, although its frame is sound. */
static inline void
paco_restore_refuse (PacoRestoreItem *item, const char *why)
{
  item->damage = g_strdup (why);
  item->refused = TRUE;
}

/* Gives the memory of the frame's bytes back, for the next one. */
static inline void
paco_restore_release_bytes (PacoRestoreRun *run, PacoRestoreItem *item)
{
  item->bytes = NULL;
  if (item->room)
    paco_rooms_release_frame (run->rooms, item->room);
  paco_bytes_pool_give (g_steal_pointer (&item->memory));
}

static inline void
paco_restore_release (const PacoRestoreRun *run, PacoRestoreItem *item)
{
  if (item->frame.data)
    run->options->release (run->options->user, &item->frame, item->owner);
  item->frame = (PacoFrame){ NULL };
}

static inline gboolean
paco_restore_is_interrupted (const PacoRestoreRun *run)
{
  const PacoRestoreOptions *options = run->options;

  return options->interrupted && options->interrupted (options->user);
}

static inline PacoRestoreItem *
paco_restore_item (const PacoRestoreRun *run, guint64 number)
{
  return &run->items[paco_line_place (run->line, number)];
}

/* Releases them, unless they are still needed for what the frame carries. */
static inline void
paco_restore_release_decoded (PacoRestoreRun *run, PacoRestoreItem *item)
{
  if (item->members.n_pieces == 0)
    paco_restore_release_bytes (run, item);
}

/* Returns why a file of that name is not to be restored, or NULL: one had that name before,
 * or the name is one that files have while they are written. Any thread may call it. */
const char *paco_restore_refuse_name (
    PacoRestoreRun *run, const char *name); /* restore_read.c */
/* Opens the folder below `root` that the file is in, and makes it; *base is the file's name
 * there. Returns -1 and errno. */
int paco_restore_open_folder (
    int root, const char *name, const char **base); /* restore_write.c */

/* Goes on with the file of which the frame keeps a section. *missing: files that were
 * counted as damaged since the frame before; what is missing of this file is none of
 * them. */
gboolean paco_restore_section (PacoRestoreRun *run, PacoRestoreItem *item,
    guint64 *missing, GError **error);
/* The frame is of no section: ends a file whose last section has not come. */
void paco_restore_no_section (PacoRestoreRun *run, guint64 *missing);
/* Makes members of the pieces that the frame carries (restore_member.c). Damage is no
 * error: the report counts it. */
gboolean paco_restore_members (
    PacoRestoreRun *run, PacoRestoreItem *item, GError **error);
/* Ends members and a file whose last piece or section has not come. is_whole: no frame is
 * missing, so the archive is a part of one. */
void paco_restore_end_members (PacoRestoreRun *run, gboolean is_whole);
/* Returns how many members were reported whose last piece has not come. */
guint64 paco_restore_unended (const PacoRestoreRun *run);
PacoRestoreMember *paco_restore_member_new (void);
void paco_restore_member_free (PacoRestoreMember *member);

/* These are the functions of the threads; data is the PacoRestoreRun. */
gpointer paco_restore_find (gpointer data);   /* restore_read.c */
gpointer paco_restore_read (gpointer data);   /* restore_read.c */
gpointer paco_restore_decode (gpointer data); /* restore_read.c */
gpointer paco_restore_write (gpointer data);  /* restore_write.c */

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Computes the checksums of files whose sections several threads read at the same time
 * (run.h). */
#include "tool/archive/run.h"
#include "lib/stream/io.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  PIECE = 1 << 18, /* bytes that are read again at a time */
};

struct PacoSectionSums
{
  const PacoFolder *folder;
  gboolean md5;
  GMutex lock;
  GCond changed;
  gboolean failed;
  guint64 turn;                 /* the section that is next */
  PacoRunningChecksum *running; /* of its file, of which `at` bytes are in it */
  guint64 at;
  struct stat status; /* of the file when it was opened first */
};

/* Returns the next section from file n on, or the number of files. */
static guint64
next_section (const PacoFolder *folder, guint64 n)
{
  while (n < folder->files->len && paco_folder_file (folder, n)->section.n == 0)
    n++;
  return n;
}

PacoSectionSums *
paco_section_sums_new (const PacoFolder *folder, guint64 first, gboolean md5)
{
  PacoSectionSums *sums = g_new0 (PacoSectionSums, 1);

  sums->folder = folder;
  sums->md5 = md5;
  sums->turn = next_section (folder, first);
  g_mutex_init (&sums->lock);
  g_cond_init (&sums->changed);
  return sums;
}

void
paco_section_sums_free (PacoSectionSums *sums)
{
  if (!sums)
    return;
  if (sums->running)
    paco_running_checksum_end (sums->running, NULL);
  g_mutex_clear (&sums->lock);
  g_cond_clear (&sums->changed);
  g_free (sums);
}

void
paco_section_sums_fail (PacoSectionSums *sums)
{
  g_mutex_lock (&sums->lock);
  sums->failed = TRUE;
  g_cond_broadcast (&sums->changed);
  g_mutex_unlock (&sums->lock);
}

static gboolean
fail (GError **error, const char *what)
{
  return paco_archive_fail (error, PACO_ARCHIVE_FAILED, "%s", what);
}

/* Adds the bytes of the file before the section that others have not added: those of a run
 * before this one, or of frames before the range. */
static gboolean
catch_up (PacoSectionSums *sums, int fd, guint64 to, GError **error)
{
  g_autofree guint8 *piece = sums->at < to ? g_malloc (PIECE) : NULL;

  while (sums->at < to) {
    gsize n = MIN (PIECE, to - sums->at);

    if (paco_io_read_at (fd, sums->at, piece, n) < n)
      return fail (error, "it cannot be read");
    paco_running_checksum_add (sums->running, piece, n);
    sums->at += n;
  }
  return TRUE;
}

/* Says whether the file is still as it was with its first section. */
static gboolean
is_unchanged (PacoSectionSums *sums, int fd, GError **error)
{
  struct stat now;

  if (fstat (fd, &now) != 0)
    return fail (error, "it cannot be read");
  if (!sums->running) {
    sums->status = now;
    sums->running = paco_running_checksum_new (sums->md5);
    sums->at = 0;
  }
  return (now.st_size == sums->status.st_size
             && now.st_mtim.tv_sec == sums->status.st_mtim.tv_sec
             && now.st_mtim.tv_nsec == sums->status.st_mtim.tv_nsec)
      || fail (error, "it has changed while it was read");
}

static gboolean
take_turn (PacoSectionSums *sums, int fd, const PacoSection *section,
    const guint8 *bytes, PacoChecksums *checksums, GError **error)
{
  if (!is_unchanged (sums, fd, error)
      || !catch_up (sums, fd, section->offset, error))
    return FALSE;
  paco_running_checksum_add (sums->running, bytes, section->size);
  sums->at += section->size;
  checksums->has_md5 = FALSE;
  if (paco_section_is_last (section))
    paco_running_checksum_end (g_steal_pointer (&sums->running), checksums);
  else
    paco_running_checksum_now (sums->running, checksums->xxh3);
  return TRUE;
}

gboolean
paco_section_sums_add (PacoSectionSums *sums, guint64 number,
    const guint8 *bytes, PacoChecksums *checksums, GError **error)
{
  const PacoSection *section =
      &paco_folder_file (sums->folder, number)->section;
  g_autofree char *path = paco_folder_path (sums->folder, number);
  int fd = paco_open_input (path, NULL);
  gboolean good = fd >= 0 || fail (error, "it cannot be read");

  g_mutex_lock (&sums->lock);
  while (!sums->failed && sums->turn != number)
    g_cond_wait (&sums->changed, &sums->lock);
  if (good && sums->failed)
    good = fail (error, "a section before it could not be read");
  good = good && take_turn (sums, fd, section, bytes, checksums, error);
  sums->turn = next_section (sums->folder, number + 1);
  sums->failed |= !good;
  g_cond_broadcast (&sums->changed);
  g_mutex_unlock (&sums->lock);
  if (fd >= 0)
    close (fd);
  return good;
}

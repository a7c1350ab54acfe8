/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the fourth step of restore: it makes files of decoded samples and what frames
 * have kept, writes them, and gives them their names if they have their checksums.
 *
 * A name comes from a frame, and so may be anything: folders on its way are made,
 * and opened one in the other, never through a link. */
#include "tool/archive/part.h"
#include "tool/archive/restore_run.h"
#include "lib/stream/io.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  /* Bytes that stay in a core's cache. File systems in memory with huge pages clear what
   * of such a page is not written at once, so they are not fewer. */
  PIECE = 2 << 20,
  COMPARED =
      1 << 16, /* Bytes that are read at a time of a file that is there. */
};

static const char differs[] =
    "the file that it gives has another checksum than it had";

/* Says why a file cannot be written. If that is its name alone, it costs this file:
 * item->damage says so, and this returns TRUE. */
static gboolean
give_up (PacoRestoreItem *item, GError **error)
{
  if (!paco_part_is_of_name (errno))
    return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, item->kept.name,
        "cannot be restored: %s", paco_io_why (errno));
  paco_restore_refuse (item, g_strerror (errno));
  return TRUE;
}

int
paco_restore_open_folder (int root, const char *name, const char **base)
{
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int folder = fcntl (root, F_DUPFD_CLOEXEC, 0);
  const char *end;

  for (*base = name; folder >= 0 && (end = strchr (*base, '/'));
       *base = end + 1) {
    g_autofree char *part = g_strndup (*base, (gsize) (end - *base));
    int next, why;

    mkdirat (folder, part, 0777);
    next = openat (folder, part, flags);
    why = errno;
    close (folder);
    errno = why;
    folder = next;
  }
  return folder;
}

static gboolean
has_bytes (int fd, const PacoBytes *file)
{
  guint8 piece[COMPARED];

  for (gsize at = 0; at < file->len; at += sizeof piece) {
    gsize n = MIN (sizeof piece, file->len - at);

    if (paco_io_read_at (fd, at, piece, n) < n
        || memcmp (piece, file->data + at, n) != 0)
      return FALSE;
  }
  return TRUE;
}

/* Looks at what has the file's name: the file itself is as good as restored, and what is
 * no file costs this one. Another file is an error. */
static gboolean
look_at (int folder, const char *base, PacoRestoreItem *item, GError **error)
{
  const PacoBytes *file = item->room->rebuilt.file;
  int fd = openat (
      folder, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;

  if (fstatat (folder, base, &status, AT_SYMLINK_NOFOLLOW) == 0
      && !S_ISREG (status.st_mode))
    paco_restore_refuse (item,
        "a folder, a link or a device has its name, and nothing is "
        "overwritten");
  else
    item->was_there = fd >= 0 && fstat (fd, &status) == 0
        && status.st_size == (off_t) file->len && has_bytes (fd, file);
  if (fd >= 0)
    close (fd);
  if (item->was_there || item->damage)
    return TRUE;
  errno = EEXIST;
  give_up (item, error);
  g_prefix_error (error, "nothing is overwritten: ");
  return FALSE;
}

/* Writes the file's bytes, and computes their checksums, in pieces that stay in a core's
 * cache in between. Returns FALSE and errno. */
static gboolean
write_bytes (PacoRestoreRun *run, const PacoRestoreItem *item, int fd,
    PacoChecksums *checksums)
{
  const PacoBytes *file = item->room->rebuilt.file;
  PacoRunningChecksum *running = paco_running_checksum_new (
      run->options->md5 && item->kept.checksums.has_md5);
  gint64 begin = g_get_monotonic_time (), spent;
  gboolean good = TRUE;
  int why;

  for (gsize at = 0; good && at < file->len; at += PIECE) {
    gsize size = MIN (PIECE, file->len - at);

    paco_running_checksum_add (running, file->data + at, size);
    good = paco_io_write_at (fd, at, file->data + at, size);
  }
  /* Some file systems say only when a descriptor is closed that the file could not be
   * written. */
  if (good) {
    int other = dup (fd);

    good = other >= 0 && close (other) == 0;
  }
  why = errno;
  spent = paco_running_checksum_end (running, checksums);
  paco_report_spend (
      run->report, PACO_SPENT_CHECKSUMS, g_get_monotonic_time () - spent);
  paco_report_spend (run->report, PACO_SPENT_WRITING, begin + spent);
  errno = why;
  return good;
}

static gboolean
name_file (int folder, const char *temporary, const char *base,
    PacoRestoreItem *item, gboolean *named, GError **error)
{
  *named = paco_part_give_name (folder, temporary, base);
  if (*named)
    return TRUE;
  return errno == EEXIST ? look_at (folder, base, item, error)
                         : give_up (item, error);
}

/* Writes the file under another name, which becomes its own if it is what it was.
 * Otherwise item->damage says so. */
static gboolean
write_there (PacoRestoreRun *run, int folder, const char *base,
    PacoRestoreItem *item, GError **error)
{
  PacoChecksums found;
  g_autofree char *temporary = NULL;
  int fd = paco_part_open_restoring (folder, base, &temporary);
  gboolean good = fd >= 0 && write_bytes (run, item, fd, &found);
  gboolean named = FALSE;

  if (!good)
    good = give_up (item, error);
  else if (paco_checksums_equal (&item->kept.checksums, &found))
    good = name_file (folder, temporary, base, item, &named, error);
  else
    item->damage = g_strdup (differs);
  /* Once the file is closed, the temporary name may be another's. */
  if (fd >= 0 && !named)
    unlinkat (folder, temporary, 0);
  if (fd >= 0)
    close (fd);
  return good;
}

static gboolean
write_file (PacoRestoreRun *run, PacoRestoreItem *item, GError **error)
{
  const char *base;
  int folder = paco_restore_open_folder (run->folder, item->kept.name, &base);
  gboolean good = folder >= 0 ? write_there (run, folder, base, item, error)
                              : give_up (item, error);

  if (folder >= 0)
    close (folder);
  return good;
}

/* Makes the file. If that cannot be done, item->damage says why. */
static void
make_file (PacoRestoreRun *run, PacoRestoreItem *item)
{
  gint64 begin = g_get_monotonic_time ();
  GError *error = NULL;

  if (!paco_source_finish (item->kept.kind, item->kept.rest->data,
          item->kept.rest->len, &item->info, item->kept.size,
          &item->room->rebuilt, &error)) {
    paco_restore_refuse (item, error->message);
    item->refused = !g_error_matches (
        error, PACO_SOURCE_ERROR, PACO_SOURCE_BROKEN);
    g_error_free (error);
  }
  paco_report_spend (run->report, PACO_SPENT_PARSING, begin);
}

static void
check_file (PacoRestoreRun *run, PacoRestoreItem *item)
{
  const PacoBytes *file = item->room->rebuilt.file;
  gint64 begin = g_get_monotonic_time ();

  if (!paco_checksums_match (
          &item->kept.checksums, file->data, file->len, run->options->md5))
    item->damage = g_strdup (differs);
  paco_report_spend (run->report, PACO_SPENT_CHECKSUMS, begin);
}

static gboolean
restore_file (PacoRestoreRun *run, PacoRestoreItem *item, GError **error)
{
  if (!item->damage)
    make_file (run, item);
  if (item->damage)
    return TRUE;
  if (run->folder >= 0 && !item->kept.is_section)
    return write_file (run, item, error);
  check_file (run, item);
  return TRUE;
}

gpointer
paco_restore_write (gpointer data)
{
  PacoRestoreRun *run = data;
  guint64 number;

  while (
      paco_line_take (run->line, STEP_WRITE, -1, &number) == PACO_LINE_TAKEN) {
    PacoRestoreItem *item = paco_restore_item (run, number);
    GError *error = NULL;

    if (restore_file (run, item, &error))
      paco_line_done (run->line, STEP_WRITE, number);
    else
      paco_line_fail (run->line, number, error);
  }
  return NULL;
}

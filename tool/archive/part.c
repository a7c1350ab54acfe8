/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes the file of an archive, and gives files their names (part.h). */
#include "tool/archive/part.h"
#include "tool/archive/error.h"
#include "lib/paco.h"
#include "lib/stream/io.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

enum
{
  MOST_AHEAD = 1 << 30, /* bytes */
  /* So much less than what the disk has free is taken ahead: others write, too. */
  SHARE_AHEAD = 32,
};

/* Sets an error with the words of the system, by errno. */
static gboolean
fail (GError **error, const char *path, const char *what)
{
  return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, path,
      "cannot be %s: %s", what, paco_io_why (errno));
}

static gboolean
refuse (GError **error, const char *path, const char *why)
{
  return paco_archive_fail_file (error, PACO_ARCHIVE_EXISTS, path, "%s", why);
}

/* Says whether an open file is one of this user's that has this name and no other: it is
 * neither reached by a link, nor a file of somebody else's that was put there. */
static gboolean
is_own (int folder, const char *name, int fd)
{
  struct stat opened, named;

  return fstat (fd, &opened) == 0
      && fstatat (folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0
      && S_ISREG (opened.st_mode) && opened.st_nlink == 1
      && opened.st_uid == geteuid () && opened.st_dev == named.st_dev
      && opened.st_ino == named.st_ino;
}

/* Makes a file, or opens one of this user's that an interrupted run has left. Returns -1
 * and errno: EEXIST if something else has the name. */
static int
open_own (int folder, const char *name, int mode)
{
  const int flags = mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  int fd = openat (folder, name, flags | O_CREAT | O_EXCL, 0666);

  if (fd >= 0 || errno != EEXIST)
    return fd;
  fd = openat (folder, name, flags);
  if (fd >= 0 && is_own (folder, name, fd))
    return fd;
  if (fd >= 0)
    close (fd);
  errno = EEXIST;
  return -1;
}

PacoPart *
paco_part_open (const char *path, GError **error)
{
  PacoPart *part;

  if (faccessat (AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    refuse (error, path, "is there already, and nothing is overwritten");
    return NULL;
  }
  part = g_new0 (PacoPart, 1);
  part->path = g_strdup (path);
  part->part_path = g_strconcat (path, ".part", NULL);
  part->fd = open_own (AT_FDCWD, part->part_path, O_RDWR);
  if (part->fd < 0 && errno == EEXIST)
    refuse (error, part->part_path,
        "is not a file that an interrupted run of this user has left; remove "
        "it, or choose another name");
  else if (part->fd < 0)
    fail (error, part->part_path, "opened");
  else if (flock (part->fd, LOCK_EX | LOCK_NB) == 0)
    return part;
  else if (errno == EWOULDBLOCK)
    refuse (error, part->part_path, "is being written by another process");
  else
    fail (error, part->part_path, "locked");
  paco_part_free (part);
  return NULL;
}

PacoPart *
paco_part_open_whole (const char *path)
{
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  PacoPart *part;

  if (fd < 0)
    return NULL;
  if (fstat (fd, &status) != 0 || !S_ISREG (status.st_mode)) {
    close (fd);
    return NULL;
  }
  part = g_new0 (PacoPart, 1);
  part->path = g_strdup (path);
  part->part_path = g_strdup (path);
  part->fd = fd;
  part->is_whole = TRUE;
  return part;
}

void
paco_part_free (PacoPart *part)
{
  if (!part)
    return;
  if (part->reserved > part->offset)
    paco_part_truncate (part, NULL);
  if (part->fd >= 0)
    close (part->fd);
  g_free (part->path);
  g_free (part->part_path);
  g_free (part);
}

void
paco_part_keep (PacoPart *part, gsize size)
{
  part->last = part->offset;
  part->offset += size;
  part->n_frames++;
}

gboolean
paco_part_truncate (PacoPart *part, GError **error)
{
  part->reserved = 0;
  return ftruncate (part->fd, (off_t) part->offset) == 0
      || fail (error, part->part_path, "shortened");
}

/* Returns how many bytes are best reserved after a file of that size. A file in memory
 * has no pieces that lie apart, and reserving takes longer than it saves. */
static guint64
find_ahead (int fd, guint64 size)
{
  struct statfs status;

  if (fstatfs (fd, &status) != 0 || status.f_type == TMPFS_MAGIC
      || status.f_type == RAMFS_MAGIC)
    return 0;
  size = MIN (size, MOST_AHEAD);
  return MIN (
      size, (guint64) status.f_bavail * (guint64) status.f_bsize / SHARE_AHEAD);
}

void
paco_part_reserve (PacoPart *part, guint64 end)
{
  guint64 ahead;

  if (part->reserves_none || end <= part->reserved)
    return;
  ahead = find_ahead (part->fd, end);
  part->reserves_none = ahead == 0
      || fallocate (part->fd, FALLOC_FL_KEEP_SIZE, (off_t) part->offset,
             (off_t) (end + ahead - part->offset))
          != 0;
  if (!part->reserves_none)
    part->reserved = end + ahead;
  else if (ahead > 0) /* Some of it may have been taken. */
    paco_part_truncate (part, NULL);
}

gboolean
paco_part_write (
    PacoPart *part, guint64 at, const void *bytes, gsize size, GError **error)
{
  return paco_io_write_at (part->fd, at, bytes, size)
      || fail (error, part->part_path, "written");
}

gboolean
paco_part_append (PacoPart *part, void *frame, gsize size, GError **error)
{
  PacoError failure;

  if (paco_frame_set_place (
          frame, size, (guint32) part->n_frames, part->offset, &failure)
      != PACO_STATUS_OK)
    return paco_archive_fail (
        error, PACO_ARCHIVE_FAILED, "%s", failure.message);
  paco_part_reserve (part, part->offset + size);
  if (!paco_part_write (part, part->offset, frame, size, error)) {
    paco_part_truncate (part, NULL);
    return FALSE;
  }
  paco_part_keep (part, size);
  return TRUE;
}

/* --- files that are restored ------------------------------------------------ */

enum
{
  MOST_AT_ONCE = 100, /* that restore one file */
  MAX_STEM =
      200, /* bytes of a name that a temporary one takes: with a suffix it may
                     not be longer than 255 */
};

/* Says whether nobody else has the file open to restore it. With another name it may be a
 * file that a run has restored, which ended before it took the temporary name away; such
 * a file, or one of somebody else's, is not to be emptied. */
static gboolean
is_free (int folder, const char *name, int fd)
{
  /* Without locks, nobody can find that out. The run that had the file may have renamed
   * it before it let go. */
  return (flock (fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
      && is_own (folder, name, fd);
}

static char *
restoring_name (const char *to, guint n)
{
  const char *base = strrchr (to, '/');
  gsize length;
  char number[16] = "";

  base = base ? base + 1 : to;
  length = MIN (strlen (base), MAX_STEM) + (gsize) (base - to);
  if (n > 0)
    g_snprintf (number, sizeof number, ".%u", n);
  return g_strdup_printf (
      "%.*s%s%s", (int) length, to, number, PACO_RESTORING_SUFFIX);
}

/* Empties a file that an interrupted run has left. One that cannot be emptied is removed:
 * nobody would do so later. Returns FALSE and errno. */
static gboolean
empty (int folder, const char *name, int fd)
{
  int why;

  if (ftruncate (fd, 0) == 0)
    return TRUE;
  why = errno;
  unlinkat (folder, name, 0);
  errno = why;
  return FALSE;
}

int
paco_part_open_restoring (int folder, const char *to, char **name)
{
  for (guint n = 0; n < MOST_AT_ONCE; n++) {
    gboolean ours;
    int fd, why;

    *name = restoring_name (to, n);
    fd = open_own (folder, *name, O_WRONLY);
    ours = fd >= 0 && is_free (folder, *name, fd);
    if (ours && empty (folder, *name, fd))
      return fd;
    why = errno;
    g_clear_pointer (name, g_free);
    if (fd >= 0)
      close (fd);
    errno = why;
    if ((fd < 0 && why != EEXIST) || ours)
      return -1;
  }
  errno = EBUSY;
  return -1;
}

/* --- names --------------------------------------------------------------- */

gboolean
paco_part_is_of_name (int why)
{
  return why == ENAMETOOLONG || why == ENOTDIR || why == ELOOP || why == EISDIR
      || why == EINVAL || why == EILSEQ;
}

/* Makes sure that the disk has the bytes of a file, or the names in a folder; some file
 * systems cannot do the latter. */
static gboolean
sync_path (const char *path, gboolean is_folder, GError **error)
{
  int fd = open (path, O_RDONLY | O_CLOEXEC | (is_folder ? O_DIRECTORY : 0));
  gboolean good = fd >= 0
      && (fsync (fd) == 0
          || (is_folder && (errno == EINVAL || errno == EROFS)));

  if (!good)
    fail (error, path, "written");
  if (fd >= 0)
    close (fd);
  return good;
}

gboolean
paco_part_give_name (int folder, const char *from, const char *to)
{
  int status = renameat2 (folder, from, folder, to, RENAME_NOREPLACE);

  if (status == 0 || (errno != EINVAL && errno != ENOSYS))
    return status == 0;
  /* If the file system cannot do that, the file gets a second name, which never
   * replaces another. */
  if (linkat (folder, from, folder, to, 0) == 0) {
    unlinkat (folder, from, 0);
    return TRUE;
  }
  if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP)
    return FALSE;
  /* If it cannot do this either, it cannot look and rename at once. */
  if (faccessat (folder, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return FALSE;
  }
  return renameat (folder, from, folder, to) == 0;
}

gboolean
paco_part_rename (const char *from, const char *to, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (to);

  if (!sync_path (from, FALSE, error))
    return FALSE;
  if (!paco_part_give_name (AT_FDCWD, from, to))
    return errno == EEXIST
        ? refuse (error, to, "is there already, and nothing is overwritten")
        : fail (error, to, "made");
  return sync_path (folder, TRUE, error);
}

gboolean
paco_part_finish (PacoPart *part, GError **error)
{
  if (part->reserved > part->offset && !paco_part_truncate (part, error))
    return FALSE;
  if (fsync (part->fd) != 0)
    return fail (error, part->part_path, "written");
  return paco_part_rename (part->part_path, part->path, error);
}

gboolean
paco_part_write_file (
    const char *path, const void *bytes, gsize size, GError **error)
{
  int fd = open (path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  gboolean good;

  if (fd < 0)
    return errno == EEXIST
        ? refuse (error, path, "is there already, and nothing is overwritten")
        : fail (error, path, "made");
  good = paco_io_write_at (fd, 0, bytes, size) && fsync (fd) == 0;
  if (!good)
    fail (error, path, "written");
  if (close (fd) != 0 && good)
    good = fail (error, path, "written");
  if (!good)
    unlink (path);
  return good;
}

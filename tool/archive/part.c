/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes the file of an archive, and gives files their names (part.h). */
#include "tool/archive/part.h"
#include "tool/archive/error.h"
#include "tool/archive/volume.h"
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

/* --- its files ------------------------------------------------------------ */

typedef struct
{
  char *path, *part_path;
  gboolean
      is_named; /* by a run that was interrupted after that: it is only read */
} File;

static void
clear_file (gpointer data)
{
  File *file = data;

  g_free (file->path);
  g_free (file->part_path);
}

static PacoPart *
new_part (const char *path, guint64 split)
{
  PacoPart *part = g_new0 (PacoPart, 1);

  part->out = g_strdup (path);
  part->split = split;
  part->path = split ? paco_volume_name (path, 1) : g_strdup (path);
  part->part_path = g_strconcat (part->path, ".part", NULL);
  part->files = g_array_new (FALSE, FALSE, sizeof (File));
  g_array_set_clear_func (part->files, clear_file);
  part->volumes = g_array_new (FALSE, FALSE, sizeof (PacoVolume));
  if (split)
    paco_volume_allow_many ();
  return part;
}

static File *
file_at (const PacoPart *part, guint i)
{
  return &g_array_index (part->files, File, i);
}

static PacoVolume *
volume_at (const PacoPart *part, guint i)
{
  return &g_array_index (part->volumes, PacoVolume, i);
}

static PacoVolume *
last_volume (const PacoPart *part)
{
  return volume_at (part, part->volumes->len - 1);
}

static void
add_file (
    PacoPart *part, const char *path, gboolean is_named, int fd, guint64 begin)
{
  const File file = { g_strdup (path), g_strconcat (path, ".part", NULL),
    is_named };
  const PacoVolume volume = { fd, begin };

  g_array_append_val (part->files, file);
  g_array_append_val (part->volumes, volume);
}

static gboolean
exists (const char *path)
{
  return faccessat (AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Opens path.part, or makes it, as the next file. */
static gboolean
open_file (PacoPart *part, const char *path, guint64 begin, GError **error)
{
  g_autofree char *part_path = g_strconcat (path, ".part", NULL);
  int fd;

  if (exists (path))
    return refuse (error, path, "is there already, and nothing is overwritten");
  fd = open_own (AT_FDCWD, part_path, O_RDWR);
  if (fd < 0 && errno == EEXIST)
    return refuse (error, part_path,
        "is not a file that an interrupted run of this user has left; remove "
        "it, or choose another name");
  if (fd < 0)
    return fail (error, part_path, "opened");
  if (flock (fd, LOCK_EX | LOCK_NB) == 0) {
    add_file (part, path, FALSE, fd, begin);
    return TRUE;
  }
  if (errno == EWOULDBLOCK)
    refuse (error, part_path, "is being written by another process");
  else
    fail (error, part_path, "locked");
  close (fd);
  return FALSE;
}

/* Opens a file that has its name already. */
static gboolean
open_named (PacoPart *part, const char *path, guint64 begin)
{
  int fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;

  if (fd < 0)
    return FALSE;
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)) {
    add_file (part, path, TRUE, fd, begin);
    return TRUE;
  }
  close (fd);
  return FALSE;
}

/* Opens the further volumes that a run has left. Of these the last ones may have their names
 * already; without a first one, there may be none at all. */
static gboolean
open_others (PacoPart *part, GError **error)
{
  guint64 begin = paco_part_size (part);
  g_autoptr (GArray) named = paco_volume_list (part->out, "");
  g_autoptr (GArray) left = paco_volume_list (part->out, ".part");

  if (begin == 0 && named->len + left->len > 0) {
    gboolean is_left = named->len == 0;
    g_autofree char *path = paco_volume_name (
        part->out, g_array_index (is_left ? left : named, guint, 0));
    g_autofree char *there = g_strconcat (path, is_left ? ".part" : "", NULL);

    return refuse (
        error, there, "is there already, and nothing is overwritten");
  }
  for (guint n = 2; begin > 0; n++) {
    g_autofree char *path = paco_volume_name (part->out, n);
    g_autofree char *part_path = g_strconcat (path, ".part", NULL);

    if (exists (part_path)) {
      if (!open_file (part, path, begin, error))
        return FALSE;
    } else if (!open_named (part, path, begin))
      break;
    begin = paco_part_size (part);
  }
  return TRUE;
}

PacoPart *
paco_part_open (const char *path, guint64 split, GError **error)
{
  PacoPart *part = new_part (path, split);

  if (open_file (part, part->path, 0, error)
      && (!split || open_others (part, error)))
    return part;
  paco_part_free (part);
  return NULL;
}

PacoPart *
paco_part_open_whole (const char *path, guint64 split)
{
  PacoPart *part = new_part (path, split);
  gboolean more = open_named (part, part->path, 0);

  if (!more) {
    paco_part_free (part);
    return NULL;
  }
  for (guint n = 2; split && more; n++) {
    g_autofree char *next = paco_volume_name (path, n);

    more = open_named (part, next, paco_part_size (part));
  }
  g_free (part->part_path);
  part->part_path = g_strdup (part->path);
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
  for (guint i = 0; i < part->volumes->len; i++)
    close (volume_at (part, i)->fd);
  g_array_unref (part->files);
  g_array_unref (part->volumes);
  g_free (part->out);
  g_free (part->path);
  g_free (part->part_path);
  g_free (part);
}

/* --- bytes ---------------------------------------------------------------- */

guint64
paco_part_size (const PacoPart *part)
{
  guint64 size = 0;

  return paco_volumes_size ((const PacoVolume *) part->volumes->data,
             part->volumes->len, &size)
      ? size
      : 0;
}

gsize
paco_part_read (const PacoPart *part, guint64 at, void *bytes, gsize size)
{
  return paco_volumes_read_at ((const PacoVolume *) part->volumes->data,
      part->volumes->len, at, bytes, size);
}

void
paco_part_keep (PacoPart *part, gsize size)
{
  part->last = part->offset;
  part->offset += size;
  part->n_frames++;
}

/* Removes the last file, which has no frame that is kept. */
static gboolean
remove_last (PacoPart *part, GError **error)
{
  const File *file = file_at (part, part->files->len - 1);

  if (file->is_named)
    return refuse (
        error, file->path, "is there already, and nothing is overwritten");
  unlink (file->part_path);
  close (last_volume (part)->fd);
  g_array_set_size (part->files, part->files->len - 1);
  g_array_set_size (part->volumes, part->volumes->len - 1);
  return TRUE;
}

gboolean
paco_part_truncate (PacoPart *part, GError **error)
{
  const File *file;

  part->reserved = 0;
  while (part->files->len > 1 && part->offset <= last_volume (part)->begin)
    if (!remove_last (part, error))
      return FALSE;
  file = file_at (part, part->files->len - 1);
  if (file->is_named)
    return paco_part_size (part) == part->offset
        || refuse (
            error, file->path, "is there already, and nothing is overwritten");
  return ftruncate (last_volume (part)->fd,
             (off_t) (part->offset - last_volume (part)->begin))
      == 0
      || fail (error, file->part_path, "shortened");
}

gboolean
paco_part_begin (PacoPart *part, guint64 size, GError **error)
{
  guint64 begin = last_volume (part)->begin;
  g_autofree char *path = NULL;

  if (!part->split || part->offset <= begin
      || part->offset - begin + size <= part->split)
    return TRUE;
  path = paco_volume_name (part->out, part->files->len + 1);
  /* What a run before has left there is not part of this archive. */
  return paco_part_truncate (part, error)
      && open_file (part, path, part->offset, error)
      && (ftruncate (last_volume (part)->fd, 0) == 0
          || fail (error, path, "shortened"));
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
  const PacoVolume *volume = last_volume (part);
  guint64 ahead;

  if (part->reserves_none || end <= part->reserved)
    return;
  ahead = find_ahead (volume->fd, end - volume->begin);
  part->reserves_none = ahead == 0
      || fallocate (volume->fd, FALLOC_FL_KEEP_SIZE,
             (off_t) (part->offset - volume->begin),
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
  guint i = paco_volumes_find (
      (const PacoVolume *) part->volumes->data, part->volumes->len, at);
  const PacoVolume *volume = volume_at (part, i);

  if (file_at (part, i)->is_named)
    return refuse (error, file_at (part, i)->path,
        "is there already, and nothing is overwritten");
  return paco_io_write_at (volume->fd, at - volume->begin, bytes, size)
      || fail (error, file_at (part, i)->part_path, "written");
}

gboolean
paco_part_append (PacoPart *part, void *frame, gsize size, GError **error)
{
  PacoError failure;

  if (!paco_part_begin (part, size, error))
    return FALSE;
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
  gboolean good = part->reserved <= part->offset
      || paco_part_truncate (part, error);

  for (guint i = 0; good && i < part->volumes->len; i++)
    good = fsync (volume_at (part, i)->fd) == 0
        || fail (error, file_at (part, i)->part_path, "written");
  /* The first volume gets its name last: with it the archive is there. */
  for (guint i = part->files->len; good && i > 0; i--)
    good = file_at (part, i - 1)->is_named
        || paco_part_rename (file_at (part, i - 1)->part_path,
            file_at (part, i - 1)->path, error);
  return good;
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

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the third step of restore: it makes files of decoded samples and what frames
 * have kept, compares them with their checksums, and writes them.
 *
 * A name comes from a frame, and so may be anything: folders on its way are made,
 * and opened one in the other, never through a link. */
#include "archive/part.h"
#include "archive/restore_run.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static gboolean
fail (GError **error, const char *name, const char *what)
{
  int why = errno;
  char *shown = g_filename_display_name (name);

  g_set_error (error, PACO_ARCHIVE_ERROR, PACO_ARCHIVE_FAILED,
      "%s cannot be %s: %s", shown, what,
      why == ENOSPC || why == EDQUOT ? "the disk is full" : g_strerror (why));
  g_free (shown);
  return FALSE;
}

/* Opens the folder that the file is in, and makes it; *base is the file's name there. */
static int
open_folder (int root, const char *name, const char **base, GError **error)
{
  const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int folder = fcntl (root, F_DUPFD_CLOEXEC, 0);
  const char *end;

  for (*base = name; folder >= 0 && (end = strchr (*base, '/'));
       *base = end + 1) {
    char *part = g_strndup (*base, (gsize) (end - *base));
    int next;

    mkdirat (folder, part, 0777);
    next = openat (folder, part, flags);
    g_free (part);
    if (next < 0) {
      fail (error, name, "restored");
      close (folder);
      return -1;
    }
    close (folder);
    folder = next;
  }
  if (folder < 0)
    fail (error, name, "restored");
  return folder;
}

static gboolean
write_all (int fd, const PacoBytes *bytes)
{
  gsize at = 0;

  while (at < bytes->len) {
    gssize n = write (fd, bytes->data + at, bytes->len - at);

    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0)
      return FALSE;
    at += (gsize) n;
  }
  return TRUE;
}

/* Says whether a file that is there is the one that would be restored. */
static gboolean
is_there (int folder, const char *base, PacoRestoreItem *item)
{
  const PacoBytes *file = item->rebuilt.file;
  int fd = openat (
      folder, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status;
  gsize at = 0;
  gssize n = 1;

  if (fd < 0)
    return FALSE;
  if (fstat (fd, &status) == 0 && S_ISREG (status.st_mode)
      && status.st_size == (off_t) file->len) {
    g_byte_array_set_size (item->there, (guint) file->len);
    while (at < file->len && n > 0) {
      n = read (fd, item->there->data + at, file->len - at);
      if (n > 0)
        at += (gsize) n;
    }
  }
  close (fd);
  return at == file->len
      && memcmp (item->there->data, file->data, file->len) == 0;
}

/* Closes a second descriptor of the file, because some file systems say only then
 * that it could not be written. */
static gboolean
flush (int fd)
{
  int other = dup (fd);

  return other >= 0 && close (other) == 0;
}

static gboolean
write_there (
    int folder, const char *base, PacoRestoreItem *item, GError **error)
{
  char *temporary;
  int fd = paco_part_open_restoring (folder, base, &temporary);
  gboolean good = fd >= 0 && write_all (fd, item->rebuilt.file) && flush (fd);
  gboolean named = FALSE;

  if (!good)
    fail (error, item->kept.name, "restored");
  else if (!(named = paco_part_give_name (folder, temporary, base))) {
    good = errno == EEXIST && is_there (folder, base, item);
    item->was_there = good;
    if (!good) {
      errno = EEXIST;
      fail (error, item->kept.name, "restored");
      g_prefix_error (error, "nothing is overwritten: ");
    }
  }
  /* Once the file is closed, the temporary name may be another's. */
  if (fd >= 0 && !named)
    unlinkat (folder, temporary, 0);
  if (fd >= 0)
    close (fd);
  g_free (temporary);
  return good;
}

static gboolean
write_file (PacoRestoreRun *run, PacoRestoreItem *item, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  const char *base;
  int folder = open_folder (run->folder, item->kept.name, &base, error);
  gboolean good = folder >= 0 && write_there (folder, base, item, error);

  if (folder >= 0)
    close (folder);
  paco_report_spend (run->report, PACO_SPENT_WRITING, begin);
  return good;
}

/* Makes the file. If it is not what it was, item->damage says why. */
static void
make_file (PacoRestoreRun *run, PacoRestoreItem *item)
{
  const PacoBytes *file = item->rebuilt.file;
  gint64 begin = g_get_monotonic_time ();
  GError *error = NULL;

  if (!paco_source_finish (item->kept.kind, item->kept.rest->data,
          item->kept.rest->len, &item->info, item->kept.size, &item->rebuilt,
          &error)) {
    item->damage = g_strdup (error->message);
    g_error_free (error);
  }
  paco_report_spend (run->report, PACO_SPENT_PARSING, begin);
  begin = g_get_monotonic_time ();
  if (!item->damage
      && !paco_checksums_match (
          &item->kept.checksums, file->data, file->len, run->options->md5))
    item->damage = g_strdup (
        "the file that it gives has another checksum than it had");
  paco_report_spend (run->report, PACO_SPENT_CHECKSUMS, begin);
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

    if (!item->damage)
      make_file (run, item);
    if (!item->damage && run->folder >= 0 && !write_file (run, item, &error))
      paco_line_fail (run->line, number, error);
    else
      paco_line_done (run->line, STEP_WRITE, number);
  }
  return NULL;
}

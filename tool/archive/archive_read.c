/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the first and the last but one step of archive: it reads files and takes them
 * apart (source.h), makes them again of what their frames give, and compares them. */
#include "tool/archive/run.h"
#include "lib/stream/io.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  PIECE = 256 << 10, /* bytes */
};

static gboolean
fail (GError **error, const char *what)
{
  return paco_archive_fail (error, PACO_ARCHIVE_FAILED, "%s%s%s", what,
      errno ? ": " : "", errno ? g_strerror (errno) : "");
}

/* Opens a file that should have that size. Returns -1 and an error. */
static int
open_file (const char *path, guint64 size, GError **error)
{
  struct stat status;
  int fd;

  fd = paco_open_input (path, NULL);
  if (fd < 0 || fstat (fd, &status) != 0) {
    fail (error, "it cannot be read");
  } else if ((guint64) status.st_size != size) {
    errno = 0;
    fail (error, "it has changed since the folder was looked through");
  } else {
    posix_fadvise (fd, 0, 0, POSIX_FADV_SEQUENTIAL);
    return fd;
  }
  if (fd >= 0)
    close (fd);
  return -1;
}

/* Reads `size` bytes at `from` after the first `at` of `bytes`, in pieces that stay in a
 * core's cache while they are looked at. */
static gboolean
read_all (int fd, guint64 from, guint64 size, PacoBytes *bytes, gsize at,
    PacoPieceFunc look, gpointer user, GError **error)
{
  from -= at;
  size += at;
  paco_bytes_set_size (bytes, size);
  while (at < size) {
    gsize n = MIN (PIECE, size - at);

    if (paco_io_read_at (fd, from + at, bytes->data + at, n) < n)
      return fail (error,
          errno ? "it cannot be read" : "it became shorter while it was read");
    if (look)
      look (user, bytes->data, at, at + n);
    at += n;
  }
  return TRUE;
}

gboolean
paco_read_whole_file (const char *path, guint64 size, PacoBytes *bytes,
    PacoPieceFunc look, gpointer user, GError **error)
{
  int fd = open_file (path, size, error);
  gboolean good = fd >= 0
      && (size <= G_MAXINT32
          || paco_archive_fail (
              error, PACO_ARCHIVE_FAILED, "it has more than 2 GiB"))
      && read_all (fd, 0, size, bytes, 0, look, user, error);

  if (fd >= 0)
    close (fd);
  return good;
}

gboolean
paco_read_stand_in (const char *path, const PacoSourceKind *kind,
    const PacoFolderFile *file, PacoBytes *bytes, guint32 *head,
    PacoPieceFunc look, gpointer user, GError **error)
{
  const PacoSection *section = &file->section;
  g_autoptr (GByteArray) before = g_byte_array_new ();
  int fd = open_file (path, file->size, error);
  g_autoptr (GError) why = NULL;
  gboolean good = fd >= 0;

  if (good && kind->stand_in
      && !kind->stand_in (fd, file->size, section, before, &why))
    good = paco_archive_fail (error, PACO_ARCHIVE_FAILED, "%s", why->message);
  *head = before->len;
  if (good && before->len + section->size > G_MAXINT32) {
    errno = 0;
    good = fail (error, "one of its pictures has more than 2 GiB");
  }
  if (good && before->len > 0) {
    paco_bytes_set_size (bytes, before->len + section->size);
    memcpy (bytes->data, before->data, before->len);
    if (look)
      look (user, bytes->data, 0, before->len);
  }
  good = good
      && read_all (fd, section->offset, section->size, bytes, before->len, look,
          user, error);
  if (fd >= 0)
    close (fd);
  return good;
}

void
paco_run_fail (PacoRun *run, guint64 number, PacoArchiveError code,
    const char *format, ...)
{
  g_autofree char *path = paco_folder_path (run->folder, number);
  g_autofree char *sentence = NULL;
  GError *error = NULL;
  va_list arguments;

  va_start (arguments, format);
  sentence = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  paco_archive_fail_file (&error, code, path, "%s", sentence);
  paco_line_fail (run->line, number, error);
}

/* --- reading ------------------------------------------------------------- */

static void
tell_notes (PacoRun *run, const PacoRunItem *item)
{
  for (guint i = 0; i < item->source.notes->len; i++)
    paco_report_note (run->report, "%s: %s", item->kept.name,
        (const char *) item->source.notes->pdata[i]);
}

/* Settles what the file's frame will say of the picture besides what the file
 * says. */
static gboolean
settle_info (PacoRun *run, PacoRunItem *item, GError **error)
{
  const PacoArchiveOptions *options = run->options;
  PacoInfo *info = &item->source.info;
  g_autofree char *difference = NULL;

  if (options->fps_n > 0) {
    info->fps_n = options->fps_n;
    info->fps_d = options->fps_d;
  }
  info->has_place = 1;
  if (paco_folder_same_picture (
          &run->picture, info, options->fps_n > 0, &difference))
    return TRUE;
  return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
      "it does not belong to the sequence: %s", difference);
}

static gboolean
take_apart (PacoRun *run, PacoRunItem *item, GError **error)
{
  const PacoBytes *file = item->file;
  gint64 begin = g_get_monotonic_time ();
  gboolean good;

  item->kept.size = file->len;
  item->kept.kind = paco_source_kind (file->data, file->len);
  good = item->kept.kind == run->kind;
  if (!good) {
    errno = 0;
    fail (error, "it has changed since the folder was looked through");
  }
  good = good
      && paco_source_parse (
          run->kind, file->data, file->len, &item->source, error);
  if (good) {
    g_byte_array_set_size (item->kept.rest, 0);
    g_byte_array_append (
        item->kept.rest, item->source.rest->data, item->source.rest->len);
    if (run->sound_chunk && item->kept.sound->len == 0)
      g_byte_array_append (
          item->kept.sound, run->sound_chunk->data, run->sound_chunk->len);
    if (run->further_chunk && item->kept.further->len == 0)
      g_byte_array_append (item->kept.further, run->further_chunk->data,
          run->further_chunk->len);
    good = paco_kept_chunks_write (&item->kept, &item->chunks, error);
  }
  paco_report_spend (run->report, PACO_SPENT_PARSING, begin);
  return good;
}

/* What is done with a file while it is read. */
typedef struct
{
  PacoRunningChecksum *checksum;
  const PacoSourceKind *kind;
  PacoSource *source; /* or NULL */
  guint64 size;
  gint64 watching; /* microseconds that this has taken */
} Looking;

static void
look_at_piece (gpointer user, const guint8 *bytes, gsize from, gsize size)
{
  Looking *looking = user;
  gint64 begin;

  paco_running_checksum_add (looking->checksum, bytes + from, size - from);
  begin = g_get_monotonic_time ();
  if (looking->source)
    paco_source_watch (
        looking->kind, bytes, from, size, looking->size, looking->source);
  looking->watching += g_get_monotonic_time () - begin;
}

gboolean
paco_run_read_file (PacoRun *run, guint64 number, PacoBytes *bytes,
    guint32 *head, PacoSource *source, gboolean with_md5,
    PacoChecksums *checksums, GError **error)
{
  const PacoFolderFile *file = paco_folder_file (run->folder, number);
  g_autofree char *path = paco_folder_path (run->folder, number);
  gboolean is_section = file->section.n > 0;
  Looking looking = { paco_running_checksum_new (with_md5 && !is_section),
    run->kind, is_section ? NULL : source, file->size, 0 };
  gint64 begin = g_get_monotonic_time (), summing, end;
  gboolean good;

  *head = 0;
  if (is_section)
    good = paco_read_stand_in (
        path, run->kind, file, bytes, head, look_at_piece, &looking, error);
  else
    good = paco_read_whole_file (
        path, file->size, bytes, look_at_piece, &looking, error);
  end = g_get_monotonic_time ();
  summing = paco_running_checksum_end (looking.checksum, checksums);
  paco_report_spend (run->report, PACO_SPENT_CHECKSUMS, end - summing);
  paco_report_spend (run->report, PACO_SPENT_PARSING, end - looking.watching);
  paco_report_spend (
      run->report, PACO_SPENT_READING, begin + summing + looking.watching);
  return good;
}

static gboolean
read_file (PacoRun *run, PacoRunItem *item, GError **error)
{
  const PacoFolderFile *file = paco_folder_file (run->folder, item->number);
  PacoKeptFile *kept = &item->kept;
  gboolean good = paco_run_read_file (run, item->number, item->file,
      &kept->section_head, &item->source, run->options->md5, &kept->checksums,
      error);

  kept->section = file->section;
  kept->is_section = file->section.n > 0;
  kept->file_size = file->size;
  if (kept->is_section)
    good = good
        && paco_section_sums_add (run->sums, item->number,
            item->file->data + kept->section_head, &kept->so_far, error);
  g_free (kept->name);
  kept->name = g_strdup (file->name);
  item->kept.n_files = (guint32) (run->end - run->first);
  item->kept.n_members = run->n_members;
  return good && take_apart (run, item, error);
}

gpointer
paco_run_read (gpointer data)
{
  PacoRun *run = data;
  guint64 number;

  while (
      paco_line_take (run->line, STEP_READ, -1, &number) == PACO_LINE_TAKEN) {
    PacoRunItem *item = paco_run_item (run, number);
    GError *error = NULL;

    item->number = number;
    g_clear_pointer (&item->late, g_free);
    item->file = paco_bytes_pool_take (run->files);
    if (read_file (run, item, &error) && settle_info (run, item, &error)) {
      tell_notes (run, item);
      paco_line_done (run->line, STEP_READ, number);
      continue;
    }
    /* What can be read is kept, if not as a frame. */
    if (error->domain == PACO_SOURCE_ERROR
        && !run->options->files.only_pictures) {
      item->late = g_strdup (error->message);
      paco_run_release_file (item);
      paco_line_done (run->line, STEP_READ, number);
    } else {
      paco_run_fail (run, number, PACO_ARCHIVE_FAILED, "cannot be archived: %s",
          error->message);
      paco_section_sums_fail (run->sums);
    }
    g_error_free (error);
  }
  return NULL;
}

/* --- comparing ----------------------------------------------------------- */

static gboolean
is_same (const guint8 *a, gsize a_size, const guint8 *b, gsize b_size)
{
  return a_size == b_size && memcmp (a, b, a_size) == 0;
}

static gboolean
keeps_rest (const PacoRunItem *item)
{
  const PacoKeptFile *kept = &item->kept, *found = &item->found;

  return is_same (found->rest->data, found->rest->len, kept->rest->data,
             kept->rest->len)
      && found->size == kept->size && strcmp (found->name, kept->name) == 0
      && memcmp (
             found->checksums.xxh3, kept->checksums.xxh3, PACO_CHECKSUM_SIZE)
      == 0;
}

/* Says whether the frame's samples, or the file made of them, are those there were. Where
 * the frame was compared with the file where that is, its bytes have been found to be
 * the same but for those that were different then. Where samples were taken out of the
 * file, it is not made again: its kind has tried that when it took it apart. */
static gboolean
gives_back (PacoRunItem *item, GError **error)
{
  if (!keeps_rest (item))
    return FALSE;
  if (item->in_place)
    return item->different_bytes == 0;
  if (item->source.samples->len > 0)
    return is_same (item->source.samples->data, item->source.samples->len,
        item->rebuilt.samples->data, item->rebuilt.samples->len);
  return paco_source_finish (item->found.kind, item->found.rest->data,
             item->found.rest->len, &item->info, item->found.size,
             &item->rebuilt, error)
      && is_same (item->file->data, item->file->len, item->rebuilt.file->data,
          item->rebuilt.file->len);
}

gpointer
paco_run_compare (gpointer data)
{
  PacoRun *run = data;
  guint64 number;

  while (paco_line_take (run->line, STEP_COMPARE, -1, &number)
      == PACO_LINE_TAKEN) {
    PacoRunItem *item = paco_run_item (run, number);
    gint64 begin = g_get_monotonic_time ();
    g_autoptr (GError) error = NULL;

    if (run->decoder && !item->late && !gives_back (item, &error)) {
      paco_run_fail (run, number, PACO_ARCHIVE_DAMAGED,
          "cannot be archived: its frame does not give it back%s%s",
          error ? ": " : "", error ? error->message : "");
    } else {
      paco_run_release_file (item);
      paco_line_done (run->line, STEP_COMPARE, number);
    }
    if (run->decoder)
      paco_report_spend (run->report, PACO_SPENT_PARSING, begin);
  }
  return NULL;
}

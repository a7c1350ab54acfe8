/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Checks what a run before has left in OUT.part, and keeps it as far as it is whole.
 * archive.c calls it before anything is written. A frame is kept if libpaco finds it
 * whole, and its source file is still the one that it was made of. */
#include "tool/archive/chunks.h"
#include "tool/archive/run.h"
#include <string.h>

#define MAX_HEADER 65536

/* Reads the frame where the last one ends. Returns FALSE if there is none, or if
 * it is not whole. */
static gboolean
read_frame (const PacoPart *part, GByteArray *bytes, PacoInfo *info)
{
  guint64 offset = part->offset;
  guint32 broken = 0;
  gsize head;

  g_byte_array_set_size (bytes, MAX_HEADER);
  head = paco_part_read (part, offset, bytes->data, MAX_HEADER);
  *info = (PacoInfo) PACO_INFO_INIT;
  if (paco_probe (bytes->data, head, info, NULL, NULL) != PACO_STATUS_OK
      || info->frame_size > G_MAXINT32
      || info->frame_size > paco_part_size (part) - offset)
    return FALSE;
  g_byte_array_set_size (bytes, info->frame_size);
  return paco_part_read (part, offset, bytes->data, info->frame_size)
      == info->frame_size
      && paco_frame_check (bytes->data, info->frame_size, &broken, NULL, NULL)
      == PACO_STATUS_OK
      && broken == 0;
}

static gboolean
is_of (const PacoKeptFile *kept, const PacoFolderFile *file)
{
  const PacoSection *section = &file->section;

  return kept->is_section
      ? kept->file_size == file->size && kept->section.number == section->number
          && kept->section.n == section->n
          && kept->section.offset == section->offset
      : section->n == 0 && kept->size == file->size;
}

/* Returns which file of the folder the frame is of, or G_MAXUINT64: the next one, but for
 * those before the first frame, which were none. keep_members() looks whether it carries
 * them. */
static guint64
find_file (const PacoRun *run, const PacoKeptFile *kept)
{
  guint64 n = run->next;

  while (n < run->end && run->part->n_frames == 0
      && strcmp (kept->name, paco_folder_file (run->folder, n)->name) != 0)
    n++;
  return n < run->end
          && strcmp (kept->name, paco_folder_file (run->folder, n)->name) == 0
          && is_of (kept, paco_folder_file (run->folder, n))
      ? n
      : G_MAXUINT64;
}

static gboolean
belongs (const PacoRun *run, const PacoInfo *info, const PacoKeptFile *kept,
    GError **error)
{
  guint32 fps_n = run->options->fps_n > 0 ? run->options->fps_n
                                          : run->picture.fps_n;
  const PacoChecksums *md5 = kept->is_section ? &kept->so_far
                                              : &kept->checksums;
  gboolean tells = !kept->is_section || paco_section_is_last (&kept->section);
  const char *why = NULL;

  if (find_file (run, kept) == G_MAXUINT64
      || info->place_number != run->part->n_frames
      || info->place_offset != run->part->offset)
    why = "is of another folder, or of other frames of it";
  else if (tells && md5->has_md5 != run->options->md5)
    why = md5->has_md5 ? "was begun with --md5" : "was begun without --md5";
  else if (run->picture.width > 0 && info->fps_n != fps_n)
    why = "was begun with another frame rate";
  return !why
      || paco_archive_fail_file (error, PACO_ARCHIVE_EXISTS,
          run->part->part_path, "%s: go on as it was begun, or remove it", why);
}

/* Compares what the frame carries with the folder, and moves on to the next file. */
static gboolean
keep_members (PacoRun *run, const GByteArray *bytes, const PacoKeptFile *kept,
    GError **error)
{
  guint64 number = find_file (run, kept);

  if (!paco_members_keep_frame (run->members, run->report, bytes->data,
          bytes->len, number, &run->next, error)) {
    g_autofree char *part = g_filename_display_name (run->part->part_path);

    g_prefix_error (error, "%s cannot go on, remove it: ", part);
    return FALSE;
  }
  return TRUE;
}

/* Says whether the source file is the one of which the frame was made. Its size does
 * not tell, because all pictures of the sequence have the same. */
static gboolean
is_unchanged (
    PacoRun *run, const PacoKeptFile *kept, PacoBytes *file, GError **error)
{
  guint64 n = find_file (run, kept);
  g_autofree char *path = paco_folder_path (run->folder, n);
  g_autofree char *part = g_filename_display_name (run->part->part_path);
  g_autoptr (GError) reason = NULL;
  PacoChecksums found;
  guint32 head;

  if (!paco_run_read_file (run, n, file, &head, NULL, FALSE, &found, &reason))
    return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, path,
        "cannot be compared with its frame in %s: %s", part, reason->message);
  return memcmp (found.xxh3, kept->checksums.xxh3, PACO_CHECKSUM_SIZE) == 0
      || paco_archive_fail_file (error, PACO_ARCHIVE_EXISTS, path,
          "has changed since its frame was written to %s: remove that to begin "
          "again",
          part);
}

static gboolean
keep_frames (PacoRun *run, GByteArray *bytes, PacoBytes *file,
    PacoKeptFile *kept, GError **error)
{
  const PacoArchiveOptions *options = run->options;
  PacoInfo info;
  gsize renewed;

  while (read_frame (run->part, bytes, &info)) {
    if (!paco_kept_file_read (bytes->data, bytes->len, kept, error)) {
      g_prefix_error (
          error, "%s is no archive that was begun: ", run->part->part_path);
      return FALSE;
    }
    if (!belongs (run, &info, kept, error)
        || !is_unchanged (run, kept, file, error))
      return FALSE;
    if (run->part->n_frames == 0)
      run->report->info = info;
    paco_report_add_kept (run->report, kept, bytes->len);
    if (!keep_members (run, bytes, kept, error))
      return FALSE;
    /* The folder may have had another number of files then. */
    renewed = run->part->is_whole
        ? 0
        : paco_file_count_renew (bytes->data, bytes->len,
            (guint32) (run->end - run->first),
            paco_members_total (run->members));
    if (renewed > 0
        && !paco_part_write (
            run->part, run->part->offset, bytes->data, renewed, error))
      return FALSE;
    paco_part_keep (run->part, bytes->len);
    if (options->progress)
      options->progress (
          options->user, run->part->n_frames, run->end - run->first);
    /* Frames that have not been looked at yet must not be cut off. */
    if (options->interrupted && options->interrupted (options->user))
      return paco_archive_fail (error, PACO_ARCHIVE_INTERRUPTED,
          "interrupted while it was checked what is there; the same command "
          "goes on");
  }
  return TRUE;
}

gboolean
paco_run_resume (PacoRun *run, GError **error)
{
  g_autoptr (GByteArray) bytes = NULL;
  PacoBytes *file;
  PacoKeptFile kept;
  guint64 there = paco_part_size (run->part);
  gboolean good;

  if (there == 0)
    return TRUE;
  bytes = g_byte_array_new ();
  file = paco_bytes_new ();
  paco_kept_file_init (&kept);
  good = keep_frames (run, bytes, file, &kept, error);
  run->report->resumed = run->report->frames->len;
  run->report->resumed_frames = run->part->n_frames;
  if (good && run->part->n_frames == 0
      && (paco_part_read (run->part, 0, bytes->data, 4) < 4
          || memcmp (bytes->data, "PACO", 4) != 0)
      && there >= 4)
    good = paco_archive_fail_file (error, PACO_ARCHIVE_EXISTS,
        run->part->part_path,
        "is there already, and is no archive that was begun");
  paco_kept_file_clear (&kept);
  paco_bytes_free (file);
  return good;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes a folder of source files a .paco file (archive.h): it begins and ends a run,
 * and does its last step, which writes. */
#include "tool/archive/archive.h"
#include "tool/archive/decoder.h"
#include "tool/archive/line.h"
#include "tool/archive/restore.h"
#include "tool/archive/run.h"
#include "codec/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum
{
  POLL_US = 100000,
  FIRST_FILES = 4, /* that are read for what the picture is */
  MAX_READERS = 16,
  MAX_COMPARERS = 4,
  FEWEST_ITEMS = 4,
  MOST_ITEMS = 24,
  /* Places beyond the fewest may take so much memory: each has a file, its frame
   * and the file made again. */
  MAX_MEMORY_MB = 2048,
};

/* --- beginning ------------------------------------------------------------- */

/* Says whether a path is in a folder, or would be once it is made. */
static gboolean
is_inside (const char *path, const char *folder)
{
  g_autofree char *parent = g_path_get_dirname (path);
  g_autofree char *real_parent = realpath (parent, NULL);
  g_autofree char *real_folder = realpath (folder, NULL);
  gsize length = real_folder ? strlen (real_folder) : 0;

  return real_parent && real_folder
      && strncmp (real_parent, real_folder, length) == 0
      && (real_parent[length] == 0 || real_parent[length] == '/');
}

static gboolean
find_range (PacoRun *run, GError **error)
{
  const PacoArchiveOptions *options = run->options;
  guint64 n = run->folder->files->len;

  run->first = options->has_range ? options->first : 0;
  run->end = options->has_range && options->last < G_MAXUINT64
      ? options->last + 1
      : n;
  if (run->first < run->end && run->end <= n)
    return TRUE;
  return paco_archive_fail (error, PACO_ARCHIVE_FAILED,
      "there are no frames %" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT
      ": the folder has frames 0 to %" G_GUINT64_FORMAT,
      run->first, MAX (run->first, run->end - 1), n - 1);
}

/* Reads a file, for what heads cannot tell. */
static gboolean
read_picture (PacoRun *run, guint64 n, PacoInfo *info, GError **error)
{
  g_autofree char *path = paco_folder_path (run->folder, n);
  g_autofree char *shown = g_filename_display_name (path);
  PacoBytes *bytes = paco_bytes_new ();
  PacoChecksums checksums;
  PacoSource source;
  gboolean good;
  guint32 head;

  paco_source_init (&source);
  source.keep_files = run->options->keep_files;
  good = paco_run_read_file (
             run, n, bytes, &head, NULL, FALSE, &checksums, error)
      && paco_source_parse (run->kind, bytes->data, bytes->len, &source, error);
  *info = source.info;
  if (!good)
    g_prefix_error (error, "%s cannot be archived: ", shown);
  paco_source_clear (&source);
  paco_bytes_free (bytes);
  return good;
}

/* Returns the file after file n and its sections. */
static guint64
next_file (const PacoRun *run, guint64 n)
{
  do
    n++;
  while (n < run->end && paco_folder_goes_on (run->folder, n));
  return n;
}

/* Finds the picture that all frames must be like: of the first files that can be frames
 * one that is what its head says, or else the first one. */
static gboolean
read_first (PacoRun *run, GError **error)
{
  gboolean strict = run->options->files.only_pictures;
  const PacoInfo head = run->picture;
  g_autoptr (GError) first = NULL;
  guint n_read = 0;

  for (guint64 n = run->first; n < run->end && n_read < FIRST_FILES;
       n = next_file (run, n)) {
    g_autoptr (GError) failure = NULL;
    g_autofree char *difference = NULL;
    PacoInfo info;

    if (!read_picture (run, n, &info, &failure)) {
      if (!first)
        first = g_error_copy (failure);
      if (failure->domain != PACO_SOURCE_ERROR || strict)
        break;
      continue;
    }
    if (n_read++ == 0)
      run->picture = info;
    if (strict || head.width == 0
        || paco_folder_same_picture (&head, &info, TRUE, &difference)) {
      run->picture = info;
      break;
    }
  }
  if (n_read == 0)
    g_propagate_error (error, g_steal_pointer (&first));
  return n_read > 0;
}

/* Checks that there is a frame rate: containers show each frame at a time, and
 * without one muxers drop it. */
static gboolean
check_rate (const PacoRun *run, GError **error)
{
  const PacoArchiveOptions *options = run->options;

  return !options->convert || options->fps_n > 0 || run->picture.fps_n > 0
      || paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, options->out,
          "has to say of its pictures how many there are in a second, and "
          "their "
          "files do not; --fps says it");
}

static gboolean
open_coders (PacoRun *run, GError **error)
{
  const PacoArchiveOptions *options = run->options;
  PacoStatus status = PACO_STATUS_OK;
  PacoError failure = { PACO_STATUS_OK, "" };
  PacoBuffer buffer = { NULL };

  run->encoder = paco_frame_encoder_new ();
  run->decoder = options->verify ? paco_frame_decoder_new () : NULL;
  if (!run->encoder || (options->verify && !run->decoder))
    return paco_archive_fail (
        error, PACO_ARCHIVE_FAILED, "there is no memory for a coder");
  status = paco_frame_encoder_set (
      run->encoder, "rate-control", "lossless", &failure);
  for (PacoSettingPairs pair = options->coders;
       pair && pair[0] && status == PACO_STATUS_OK; pair += 2)
    status = paco_frame_encoder_set (run->encoder, pair[0], pair[1], &failure);
  for (PacoSettingPairs pair = options->encoders;
       pair && pair[0] && status == PACO_STATUS_OK; pair += 2)
    status = paco_frame_encoder_set (run->encoder, pair[0], pair[1], &failure);
  if (status == PACO_STATUS_OK && run->decoder)
    status = paco_flights_set_decoder (run->decoder, options->coders, &failure);
  if (status == PACO_STATUS_OK && run->decoder)
    status = paco_frame_decoder_share_threads (
        run->decoder, run->encoder, &failure);
  /* Other threads get memory of its device, so that must be open. */
  if (status == PACO_STATUS_OK)
    status = paco_frame_encoder_allocate (run->encoder, 1, &buffer, &failure);
  paco_buffer_release (&buffer);
  return status == PACO_STATUS_OK
      || paco_archive_fail (error, PACO_ARCHIVE_FAILED, "%s", failure.message);
}

/* Notes what of the folder is no frame. */
static void
note_folder (PacoRun *run)
{
  const PacoFolder *folder = run->folder;

  if (folder->n_skipped > 0)
    paco_report_note (run->report, "%u %s left out, as --skip says",
        folder->n_skipped,
        paco_text_plural (
            folder->n_skipped, "file or folder was", "files or folders were"));
  for (guint i = 0; i < folder->notes->len; i++)
    paco_report_note (
        run->report, "%s", (const char *) folder->notes->pdata[i]);
}

/* Notes which options of restore the files will need. */
static void
note_limits (PacoRun *run)
{
  const PacoRestoreLimits limits = PACO_RESTORE_LIMITS;
  guint64 pixels = (guint64) run->picture.width * run->picture.height;
  guint64 size = 0;

  for (guint64 n = run->first; n < run->end; n++)
    size = MAX (size, paco_folder_file (run->folder, n)->size);
  for (guint i = 0; i < run->folder->members->len; i++)
    size = MAX (
        size, g_array_index (run->folder->members, PacoFolderFile, i).size);

  if (pixels > limits.max_pixels)
    paco_report_note (run->report,
        "paco restore takes pictures of this size with "
        "--max-pixels=%" G_GUINT64_FORMAT,
        pixels);
  if (size > limits.max_file)
    paco_report_note (run->report,
        "paco restore takes files of this size with "
        "--max-file=%" G_GUINT64_FORMAT,
        size / 1000000 + 1);
}

/* Compares what went in with what was written or found written: the files of the range, and
 * the members that end in it, each once, and as many bytes, unless a range may have cut one
 * of them. No folder is known with which this fails. */
static gboolean
check_count (const PacoRun *run, GError **error)
{
  const PacoReport *report = run->report;
  guint64 n_files = run->n_members, bytes = 0, reported, coded;

  for (guint64 n = run->first; n < run->end; n++) {
    n_files += n == run->first || !paco_folder_goes_on (run->folder, n);
    bytes += paco_folder_bytes (run->folder, n);
  }
  for (guint i = 0; i < run->folder->members->len; i++)
    bytes += g_array_index (run->folder->members, PacoFolderFile, i).size;
  paco_report_sums (report, &reported, &coded);
  if (report->frames->len + report->members->len == n_files
      && (run->options->has_range || reported == bytes))
    return TRUE;
  return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED,
      run->options->folder,
      "is not archived whole: %u files are, of %" G_GUINT64_FORMAT
      ", and %" G_GUINT64_FORMAT " bytes, of %" G_GUINT64_FORMAT
      "; this is an error of paco",
      report->frames->len + report->members->len, n_files, reported, bytes);
}

/* Says whether OUT is the archive of the folder as it is now: then nothing is to be
 * done. */
static gboolean
is_complete (PacoRun *run)
{
  if (run->options->convert)
    return FALSE;
  run->part = paco_part_open_whole (run->options->out, run->options->split);
  run->report->complete = run->part && paco_run_resume (run, NULL)
      && run->next == run->end && run->part->n_frames > 0
      && paco_part_size (run->part) == run->part->offset
      && paco_members_are_done (run->members) && check_count (run, NULL);
  return run->report->complete;
}

/* Opens OUT.part, and keeps what is in it. */
static gboolean
open_part (PacoRun *run, GError **error)
{
  if (run->part)
    return paco_archive_fail_file (error, PACO_ARCHIVE_EXISTS, run->part->path,
        "is there already, and nothing is overwritten");
  run->part = paco_part_open (run->options->out, run->options->split, error);
  return run->part && paco_run_resume (run, error)
      && paco_part_truncate (run->part, error);
}

static gboolean
begin (PacoRun *run, GError **error)
{
  const PacoArchiveOptions *options = run->options;

  if (is_inside (options->out, options->folder))
    return paco_archive_fail (error, PACO_ARCHIVE_FAILED,
        "OUT would be in the folder that is archived");
  run->folder = paco_folder_read (options->folder, &options->files, error);
  if (!run->folder
      || !paco_folder_sort_out (run->folder, &options->files,
          options->fps_n > 0, &run->kind, &run->picture, error)
      || (options->files.with_decoder && !paco_decoder_add (run->folder, error))
      || !find_range (run, error))
    return FALSE;
  note_folder (run);
  if (!read_first (run, error) || !check_rate (run, error)
      || !paco_run_read_sounds (run, error))
    return FALSE;
  run->members = paco_members_new (
      run->folder, run->first, run->end, options->md5, options->verify, error);
  if (!run->members || !open_coders (run, error))
    return FALSE;
  run->n_members = paco_members_total (run->members);
  note_limits (run);
  run->report->kind = g_strdup (run->kind->name);
  run->report->first = run->first;
  run->next = run->first;
  return is_complete (run) || open_part (run, error);
}

/* --- the line ---------------------------------------------------------------- */

static guint
count_items (const PacoRun *run, guint readers)
{
  guint64 file = paco_folder_bytes (run->folder, run->first);
  guint64 memory = (guint64) MAX_MEMORY_MB << 20;

  return (guint) CLAMP (MIN (memory / (5 * file / 2 + 1), 8 + 3 * readers),
      FEWEST_ITEMS, MOST_ITEMS);
}

static void
make_items (PacoRun *run, guint n)
{
  run->n_items = n;
  run->items = g_new0 (PacoRunItem, n);
  run->files = paco_bytes_pool_new (run->encoder, NULL, G_MAXSIZE);
  for (guint i = 0; i < n; i++) {
    PacoRunItem *item = &run->items[i];

    paco_source_init (&item->source);
    item->source.keep_files = run->options->keep_files;
    paco_kept_file_init (&item->kept);
    paco_kept_chunks_init (&item->chunks);
    paco_kept_file_init (&item->found);
    paco_rebuilt_init (&item->rebuilt);
    item->rebuilt.file->decoder = run->decoder;
  }
}

static void
free_items (PacoRun *run)
{
  for (guint i = 0; i < run->n_items && !run->lost; i++) {
    PacoRunItem *item = &run->items[i];

    paco_frame_release (&item->frame);
    g_free (item->late);
    paco_bytes_free (item->file);
    paco_source_clear (&item->source);
    paco_kept_file_clear (&item->kept);
    paco_kept_chunks_clear (&item->chunks);
    paco_kept_file_clear (&item->found);
    paco_rebuilt_clear (&item->rebuilt);
  }
  if (!run->lost)
    paco_bytes_pool_free (run->files);
  g_free (run->items);
}

/* Says whether the range ends before the file does that this section is of. */
static gboolean
is_cut_by_range (const PacoRun *run, guint64 number)
{
  const PacoSection *section = &paco_folder_file (run->folder, number)->section;

  return section->n > 0 && number + (section->n - section->number) > run->end;
}

/* Keeps a file whole that turned out to be no frame. */
static void
keep_late (PacoRun *run, PacoRunItem *item)
{
  const PacoFolderFile *file = paco_folder_file (run->folder, item->number);

  /* All that follows in the file would be kept, and be frames of the next range as well. */
  if (is_cut_by_range (run, item->number)) {
    paco_run_fail (run, item->number, PACO_ARCHIVE_FAILED,
        "cannot be archived by a range that ends in it, as picture %u cannot "
        "be a frame: %s",
        file->section.number + 1, item->late);
    return;
  }
  if (file->section.number > 0 && run->part->n_frames == 0) {
    paco_run_fail (run, item->number, PACO_ARCHIVE_FAILED,
        "cannot be archived from picture %u on: %s", file->section.number + 1,
        item->late);
    return;
  }
  if (file->section.number > 0)
    paco_report_note (run->report,
        "%s is kept as it is from picture %u on, which cannot be a frame: %s",
        file->name, file->section.number + 1, item->late);
  else
    paco_report_note (
        run->report, "%s is kept as it is: %s", file->name, item->late);
  run->drops = file->section.n > 0;
  paco_members_add_late (run->members, file);
  paco_line_done (run->line, STEP_WRITE, item->number);
}

/* Says of a compressed file that its frame is larger than it, and no frame, if another one
 * can carry it. */
static void
judge_size (PacoRun *run, PacoRunItem *item)
{
  if (item->late || run->part->n_frames == 0 || run->options->keep_files
      || run->options->files.only_pictures || run->kind != &paco_source_exr
      || is_cut_by_range (run, item->number)
      || (item->kept.is_section && item->kept.section.number > 0)
      || item->frame.size <= item->kept.size)
    return;
  item->late = g_strdup ("its frame would be larger than the file");
  paco_frame_release (&item->frame);
}

/* Passes over a section of a file that is kept as it is from an earlier one on. */
static void
drop (PacoRun *run, PacoRunItem *item)
{
  paco_frame_release (&item->frame);
  paco_line_done (run->line, STEP_WRITE, item->number);
}

static void
write_frame (PacoRun *run, PacoRunItem *item)
{
  gint64 began = g_get_monotonic_time ();
  guint64 size;
  GError *error = NULL;
  gboolean good = paco_members_write_late (
                      run->members, run->part, run->report, FALSE, &error)
      && paco_members_write_frame (run->members, run->part, run->report,
          item->number, item->frame.data, item->frame.size, &size, &error);

  paco_report_spend (run->report, PACO_SPENT_WRITING, began);
  paco_frame_release (&item->frame);
  if (!good) {
    paco_line_fail (run->line, item->number, error);
    return;
  }
  if (run->report->frames->len == 0)
    run->report->info = item->source.info;
  paco_report_add_kept (run->report, &item->kept, size);
  paco_line_done (run->line, STEP_WRITE, item->number);
  if (run->options->progress)
    run->options->progress (
        run->options->user, run->part->n_frames, run->end - run->first);
}

/* Writes until nothing comes any more. Returns TRUE if the caller has interrupted
 * it. */
static gboolean
write_frames (PacoRun *run)
{
  const PacoArchiveOptions *options = run->options;
  gboolean interrupted = FALSE;
  PacoLineTake taken;
  guint64 number;

  do {
    if (!interrupted && options->interrupted
        && options->interrupted (options->user)) {
      interrupted = TRUE;
      paco_line_stop (run->line, STEP_CODE);
    }
    taken = paco_line_take (run->line, STEP_WRITE, POLL_US, &number);
    if (taken == PACO_LINE_TAKEN) {
      PacoRunItem *item = paco_run_item (run, number);

      run->next = number + 1;
      judge_size (run, item);
      run->drops &= paco_folder_goes_on (run->folder, number);
      if (run->drops)
        drop (run, item);
      else if (item->late)
        keep_late (run, item);
      else
        write_frame (run, item);
    }
  } while (taken != PACO_LINE_ENDED);
  return interrupted;
}

static gboolean
run_line (PacoRun *run, GError **error)
{
  guint readers = run->options->readers > 0
      ? MIN (run->options->readers, MAX_READERS)
      : CLAMP (g_get_num_processors () / 2, 2, 8);
  guint comparers = MIN (readers, MAX_COMPARERS), n = 0;
  GThread *threads[MAX_READERS + MAX_COMPARERS + 2];
  gboolean interrupted;
  guint64 number;

  run->line = paco_line_new (
      run->next, run->end, count_items (run, readers), N_STEPS);
  run->sums = paco_section_sums_new (run->folder, run->next, run->options->md5);
  make_items (run, count_items (run, readers));
  for (guint i = 0; i < readers; i++)
    threads[n++] = g_thread_new ("paco-read", paco_run_read, run);
  for (guint i = 0; i < comparers; i++)
    threads[n++] = g_thread_new ("paco-compare", paco_run_compare, run);
  threads[n++] = g_thread_new ("paco-decode", paco_run_decode, run);
  threads[n++] = g_thread_new ("paco-code", paco_run_code, run);
  interrupted = write_frames (run);
  while (n > 0)
    g_thread_join (threads[--n]);
  if (paco_line_failure (run->line, &number, error))
    return FALSE;
  if (!interrupted || run->next == run->end)
    return TRUE;
  return paco_archive_fail (error, PACO_ARCHIVE_INTERRUPTED,
      "interrupted after frame %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
      "; the same command goes on from there",
      run->part->n_frames, run->end - run->first);
}

/* --- ending -------------------------------------------------------------------- */

/* Returns a name beside OUT for what is not complete, with the same extension. */
static char *
temporary_name (const char *out)
{
  const char *base = strrchr (out, '/'), *dot;

  base = base ? base + 1 : out;
  dot = strrchr (base, '.');
  dot = dot ? dot : base + strlen (base);
  return g_strdup_printf ("%.*s.paco-tmp%s", (int) (dot - out), out, dot);
}

static gboolean
finish (PacoRun *run, GError **error)
{
  const PacoArchiveOptions *options = run->options;
  g_autofree char *temporary = NULL;
  gboolean good;

  if (run->part->n_frames == 0)
    return paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, options->folder,
        "has no picture that can be a frame");
  if (!paco_members_write_late (
          run->members, run->part, run->report, TRUE, error)
      || !paco_members_renumber (run->members, run->part, error)
      || !check_count (run, error))
    return FALSE;
  if (run->part->files->len > 1)
    paco_report_note (run->report,
        "The archive is in %u files, of which %s is the first",
        run->part->files->len, run->part->path);
  if (!options->convert)
    return paco_part_finish (run->part, error);
  temporary = temporary_name (options->out);
  good = options->convert (options->user, run->part->part_path,
             run->part->n_frames, options->has_range ? NULL : run->sounds,
             temporary, error)
      && paco_part_rename (temporary, options->out, error);
  if (good)
    remove (run->part->part_path);
  return good;
}

static void
end (PacoRun *run)
{
  if (run->encoder)
    run->report->device = g_strdup (paco_frame_encoder_device (run->encoder));
  paco_frame_encoder_free (run->encoder);
  paco_frame_decoder_free (run->decoder);
  free_items (run);
  paco_line_free (run->line);
  paco_section_sums_free (run->sums);
  paco_part_free (run->part);
  g_clear_pointer (&run->sounds, g_ptr_array_unref);
  g_clear_pointer (&run->sound_chunk, g_byte_array_unref);
  g_clear_pointer (&run->further_chunk, g_byte_array_unref);
  paco_members_free (run->members);
  paco_folder_free (run->folder);
}

gboolean
paco_archive_run (
    const PacoArchiveOptions *options, PacoReport *report, GError **error)
{
  PacoRun run = { .options = options, .report = report };
  gint64 began = g_get_monotonic_time ();
  GError *failure = NULL;
  gboolean good = begin (&run, &failure);

  if (good && run.next < run.end)
    good = run_line (&run, &failure);
  good = good && (report->complete || finish (&run, &failure));
  if (good && options->verify)
    report->verified = report->n_frames - report->resumed_frames;
  if (failure)
    report->failure = g_strdup (failure->message);
  end (&run);
  report->seconds = (gdouble) (g_get_monotonic_time () - began) / 1e6;
  if (failure)
    g_propagate_error (error, failure);
  return good;
}

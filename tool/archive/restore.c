/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the source files again that frames keep (restore.h): it begins and ends a
 * run, and does its last step, which reports each file. */
#include "tool/archive/line.h"
#include "tool/archive/part.h"
#include "tool/archive/restore.h"
#include "tool/archive/restore_run.h"
#include "codec/text.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum
{
  POLL_US = 100000,
  MAX_WRITERS = 16,
  MAX_READERS = 4,
  N_ITEMS = 6, /* besides those of readers and writers */
};

/* --- beginning ----------------------------------------------------------- */

static gboolean
open_folder (PacoRestoreRun *run, GError **error)
{
  const char *path = run->options->folder;

  if (!path)
    return TRUE;
  if (mkdir (path, 0777) == 0 || errno == EEXIST)
    run->folder = open (path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  return run->folder >= 0
      || paco_archive_fail_file (error, PACO_ARCHIVE_FAILED, path,
          "cannot be made: %s", g_strerror (errno));
}

static gboolean
open_decoder (PacoRestoreRun *run, GError **error)
{
  PacoError failure = { PACO_STATUS_OK, "" };
  PacoBuffer buffer = { NULL };
  PacoStatus status;

  run->decoder = paco_frame_decoder_new ();
  status = run->decoder
      ? paco_flights_set_decoder (run->decoder, run->options->coders, &failure)
      : PACO_STATUS_MEMORY;
  if (status == PACO_STATUS_OK)
    status = paco_memory_share (
        run->decoder, run->options->limits.memory, &failure);
  /* Other threads get memory of its device, so that must be open. */
  if (status == PACO_STATUS_OK)
    status = paco_frame_decoder_allocate (run->decoder, 1, &buffer, &failure);
  paco_buffer_release (&buffer);
  return status == PACO_STATUS_OK
      || paco_archive_fail (error, PACO_ARCHIVE_FAILED, "%s",
          run->decoder ? failure.message : "there is no memory for a decoder");
}

static void
make_items (PacoRestoreRun *run, guint n)
{
  run->n_items = n;
  run->items = g_new0 (PacoRestoreItem, n);
  run->frames = paco_bytes_pool_new (NULL, run->decoder,
      paco_memory_idle (run->decoder, run->options->limits.memory));
  run->rooms = paco_rooms_new (run->decoder);
  run->head = g_byte_array_new ();
  for (guint i = 0; i < n; i++) {
    run->items[i].kept.sound = g_byte_array_new ();
    run->items[i].kept.further = g_byte_array_new ();
  }
}

static void
free_items (PacoRestoreRun *run)
{
  for (guint i = 0; i < run->n_items && !run->lost; i++) {
    PacoRestoreItem *item = &run->items[i];

    paco_restore_release (run, item);
    paco_restore_release_bytes (run, item);
    item->kept.rest = NULL;
    paco_kept_file_clear (&item->kept);
    paco_room_free (item->room);
    g_free (item->damage);
  }
  if (!run->lost) {
    paco_bytes_pool_free (run->frames);
    paco_rooms_free (run->rooms);
  }
  if (run->head)
    g_byte_array_unref (run->head);
  g_free (run->items);
}

/* --- telling ------------------------------------------------------------- */

static void
tell_gap (
    PacoRestoreRun *run, const char *where, guint64 skipped, guint64 missing)
{
  PacoReport *report = run->report;

  if (skipped > 0)
    paco_report_note (report, "%s %" G_GUINT64_FORMAT " %s to no whole frame",
        where, skipped,
        paco_text_plural (skipped, "byte belongs", "bytes belong"));
  if (missing > 0)
    paco_report_note (report, "%s %" G_GUINT64_FORMAT " %s missing", where,
        missing, paco_text_plural (missing, "frame is", "frames are"));
  if (skipped > 0 || missing > 0) {
    report->damaged += MAX (missing, 1);
    paco_file_count_report (&run->count, MAX (missing, 1));
  }
}

/* Reports files that the archive has, and of which there is nothing. */
static void
tell_missing (PacoRestoreRun *run, const char *where, guint64 n)
{
  if (n == 0 || run->options->has_range)
    return;
  run->report->damaged += n;
  paco_report_note (run->report, "%s %" G_GUINT64_FORMAT " more %s missing",
      where, n,
      paco_text_plural (
          n, "file of the archive is", "files of the archive are"));
}

/* Names the frame, its file and which of its pictures it is. */
static void
tell_damage (PacoRestoreRun *run, const PacoRestoreItem *item)
{
  const PacoSection *section = &item->kept.section;
  g_autofree char *name = item->kept.name
      ? g_filename_display_name (item->kept.name)
      : g_strdup ("a file without a name");
  g_autofree char *picture = section->n > 0
      ? g_strdup_printf (" (picture %u of %u)", section->number + 1, section->n)
      : g_strdup ("");

  paco_report_note (run->report, "Frame %" G_GUINT64_FORMAT ", %s%s, %s: %s",
      item->frame.number, name, picture,
      item->refused ? "cannot be restored" : "is damaged", item->damage);
}

static gboolean
tell_frame (PacoRestoreRun *run, PacoRestoreItem *item, GError **error)
{
  PacoReport *report = run->report;
  g_autofree char *where = g_strdup_printf (
      "Before frame %" G_GUINT64_FORMAT, item->frame.number);
  guint64 missing = report->damaged;
  gboolean good = TRUE;

  tell_gap (run, where, item->frame.skipped, item->frame.missing);
  tell_missing (run, where,
      paco_file_count_add (
          &run->count, &item->info, item->n_files, &item->members));
  missing = report->damaged - missing;
  if (item->damage)
    tell_damage (run, item);
  else if (!report->kind) {
    report->info = item->info;
    report->first = item->frame.number;
    report->kind = g_strdup (item->kept.kind->name);
  }
  if (item->kept.is_section)
    good = paco_restore_section (run, item, &missing, error);
  else {
    paco_restore_no_section (run, &missing);
    report->damaged += item->damage != NULL;
    report->resumed += item->was_there;
    if (!item->damage)
      paco_report_add (report, item->kept.name, item->kept.size,
          item->frame.size, 1, &item->kept.checksums);
  }
  g_clear_pointer (&item->damage, g_free);
  good = good && paco_restore_members (run, item, error);
  paco_restore_release_bytes (run, item);
  paco_restore_release (run, item);
  item->kept.rest = NULL;
  if (item->room)
    paco_rooms_give (run->rooms, g_steal_pointer (&item->room));
  return good;
}

/* Reports frames until nothing comes any more. Returns TRUE if the caller has
 * interrupted it. */
static gboolean
tell_frames (PacoRestoreRun *run)
{
  const PacoRestoreOptions *options = run->options;
  gboolean interrupted = FALSE;
  PacoLineTake taken;
  guint64 number;

  do {
    if (!interrupted && paco_restore_is_interrupted (run)) {
      interrupted = TRUE;
      paco_line_stop (run->line, STEP_DECODE);
    }
    taken = paco_line_take (run->line, STEP_TELL, POLL_US, &number);
    if (taken == PACO_LINE_TAKEN) {
      GError *error = NULL;

      if (!tell_frame (run, paco_restore_item (run, number), &error))
        paco_line_fail (run->line, number, error);
      paco_line_done (run->line, STEP_TELL, number);
      if (options->progress)
        options->progress (
            options->user, run->report->frames->len + run->report->damaged);
    }
  } while (taken != PACO_LINE_ENDED);
  return interrupted;
}

static gboolean
run_line (PacoRestoreRun *run, GError **error)
{
  guint writers = run->options->writers > 0
      ? MIN (run->options->writers, MAX_WRITERS)
      : CLAMP (g_get_num_processors () / 2, 2, 8);
  guint readers = MIN (writers, MAX_READERS);
  guint n_items = N_ITEMS + readers + writers, n = 0;
  GThread *threads[MAX_READERS + MAX_WRITERS + 2];
  gboolean interrupted;
  guint64 number;

  run->line = paco_line_new (0, G_MAXUINT64, n_items, N_STEPS);
  make_items (run, n_items);
  threads[n++] = g_thread_new ("paco-find", paco_restore_find, run);
  for (guint i = 0; i < readers; i++)
    threads[n++] = g_thread_new ("paco-read", paco_restore_read, run);
  threads[n++] = g_thread_new ("paco-decode", paco_restore_decode, run);
  for (guint i = 0; i < writers; i++)
    threads[n++] = g_thread_new ("paco-write", paco_restore_write, run);
  interrupted = tell_frames (run);
  paco_rooms_end (run->rooms);
  while (n > 0)
    g_thread_join (threads[--n]);
  if (paco_line_failure (run->line, &number, error))
    return FALSE;
  tell_gap (run, "At the end", run->skipped_at_end, 0);
  if (!interrupted && !run->interrupted) {
    paco_restore_end_members (run, paco_file_count_is_whole (&run->count));
    paco_file_count_report_members (&run->count, paco_restore_unended (run));
    tell_missing (run, "At the end", paco_file_count_end (&run->count));
    return TRUE;
  }
  return paco_archive_fail (error, PACO_ARCHIVE_INTERRUPTED,
      "interrupted after %u %s; the same command goes on from there",
      run->report->frames->len,
      paco_text_plural (run->report->frames->len, "file", "files"));
}

/* --- sound --------------------------------------------------------------- */

/* Makes the file of one track after the other, or none. */
static gboolean
end_makers (GPtrArray *makers, gboolean good, GError **error)
{
  for (guint i = 0; i < makers->len; i++)
    if (good)
      good = paco_sound_maker_end (makers->pdata[i], error);
    else
      paco_sound_maker_abandon (makers->pdata[i]);
  return good;
}

static gboolean
make_sounds (PacoRestoreRun *run, GError **error)
{
  const PacoRestoreOptions *options = run->options;
  g_autoptr (GPtrArray) makers = g_ptr_array_new ();
  gboolean good = TRUE;

  if (run->sounds->len == 0) {
    g_propagate_error (error, g_steal_pointer (&run->sound_error));
    return FALSE;
  }
  for (guint i = 0; good && i < run->sounds->len; i++) {
    PacoSoundMaker *maker = paco_sound_maker_new (
        run->sounds->pdata[i], options->folder, error);

    if (maker)
      g_ptr_array_add (makers, maker);
    good = maker != NULL;
  }
  good = good
      && options->sound (options->user, (PacoSoundMaker *const *) makers->pdata,
          makers->len, error);
  return end_makers (makers, good, error);
}

/* Restores the sound, and reports damage. Returns FALSE for an error that is no
 * damage. */
static gboolean
restore_sound (PacoRestoreRun *run, GError **error)
{
  const PacoRestoreOptions *options = run->options;
  GError *failure = NULL;

  if ((run->sounds->len == 0 && !run->sound_error) || options->has_range)
    return TRUE;
  if (!options->sound) {
    const PacoSound *sound = run->sounds->len > 0 ? run->sounds->pdata[0]
                                                  : NULL;

    paco_report_note (run->report,
        "The sound%s%s%s is not in this file, which has frames only",
        sound ? ", " : "", sound ? sound->name : "",
        run->sounds->len > 1 ? " and more," : "");
    return TRUE;
  }
  if (make_sounds (run, &failure))
    return TRUE;
  if (paco_restore_is_interrupted (run)) {
    paco_archive_fail (error, PACO_ARCHIVE_INTERRUPTED,
        "interrupted before the sound was restored; the same command does it");
    g_error_free (failure);
    return FALSE;
  }
  /* That a file cannot be written is no damage. */
  if (failure->domain == PACO_ARCHIVE_ERROR
      && failure->code != PACO_ARCHIVE_SOUND_DAMAGED) {
    g_propagate_error (error, failure);
    return FALSE;
  }
  run->report->damaged++;
  paco_report_note (run->report, "The sound is damaged: %s", failure->message);
  g_error_free (failure);
  return TRUE;
}

/* --- ending -------------------------------------------------------------- */

static gboolean
sync_files (PacoRestoreRun *run, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  gboolean good = run->folder < 0 || syncfs (run->folder) == 0;

  if (!good)
    paco_archive_fail (error, PACO_ARCHIVE_FAILED,
        "the disk cannot write what was restored: %s", g_strerror (errno));
  paco_report_spend (run->report, PACO_SPENT_WRITING, begin);
  return good;
}

gboolean
paco_restore_run (
    const PacoRestoreOptions *options, PacoReport *report, GError **error)
{
  PacoRestoreRun run = { .options = options, .report = report, .folder = -1 };
  gint64 began = g_get_monotonic_time ();
  GError *failure = NULL;
  gboolean good;

  g_mutex_init (&run.names_lock);
  run.member = paco_restore_member_new ();
  run.sounds = g_ptr_array_new_with_free_func (
      (GDestroyNotify) paco_sound_free);
  run.names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  good = open_decoder (&run, &failure) && open_folder (&run, &failure)
      && run_line (&run, &failure) && restore_sound (&run, &failure)
      && sync_files (&run, &failure);
  if (run.decoder)
    report->device = g_strdup (paco_frame_decoder_device (run.decoder));
  if (good && report->damaged == 0)
    report->verified = report->n_frames;
  if (failure)
    report->failure = g_strdup (failure->message);
  paco_frame_decoder_free (run.decoder);
  free_items (&run);
  paco_line_free (run.line);
  g_hash_table_unref (run.names);
  g_mutex_clear (&run.names_lock);
  paco_restore_member_free (run.member);
  g_ptr_array_unref (run.sounds);
  g_clear_error (&run.sound_error);
  if (run.folder >= 0)
    close (run.folder);
  report->seconds = (gdouble) (g_get_monotonic_time () - began) / 1e6;
  if (failure)
    g_propagate_error (error, failure);
  return good;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the first three steps of restore: it finds frames, reads them with what they
 * have kept, and decodes them into the files that are made again. */
#include "tool/archive/line.h"
#include "tool/archive/part.h"
#include "tool/archive/restore_run.h"
#include "codec/header.h"

enum
{
  MB = 1000000,
};

/* --- finding ------------------------------------------------------------- */

/* Gets the next frame of the range. Returns FALSE if there is none, or with an
 * error. */
static gboolean
next_frame (PacoRestoreRun *run, PacoRestoreItem *item, GError **error)
{
  const PacoRestoreOptions *options = run->options;

  for (;;) {
    gint64 begin = g_get_monotonic_time ();
    gboolean good = options->next (
        options->user, &item->frame, &item->owner, error);

    paco_report_spend (run->report, PACO_SPENT_READING, begin);
    if (!good) {
      run->skipped_at_end = item->frame.skipped;
      item->frame.data = NULL;
      return FALSE;
    }
    if (!options->has_range || item->frame.number >= options->first)
      return !options->has_range || item->frame.number <= options->last;
    paco_restore_release (run, item);
  }
}

static gboolean
find_frame (PacoRestoreRun *run, PacoRestoreItem *item)
{
  GError *error = NULL;

  if (next_frame (run, item, &error))
    return TRUE;
  if (error && paco_restore_is_interrupted (run)) {
    run->interrupted = TRUE;
    g_clear_error (&error);
  }
  if (error)
    paco_line_fail (run->line, item->number, error);
  else
    paco_line_end (run->line, item->number);
  return FALSE;
}

/* Returns the beginning of the frame, of which at least *size bytes are wanted. */
static const guint8 *
get_head (PacoRestoreRun *run, const PacoRestoreItem *item, gsize *size)
{
  const PacoRestoreOptions *options = run->options;
  PacoFrame head = item->frame;

  *size = head.size = MIN (*size, item->frame.size);
  if (head.data)
    return head.data;
  g_byte_array_set_size (run->head, (guint) head.size);
  /* If this fails, so does reading the whole frame, which says why. */
  return options->read (options->user, &head, run->head->data, NULL)
      ? run->head->data
      : NULL;
}

/* Reads what the header says of the picture, and of the archive. */
static gboolean
probe (PacoRestoreItem *item, const guint8 *head, gsize size, GError **error)
{
  PacoError failure;

  item->n_files = paco_file_count_of (head, size);
  paco_member_count_read (head, size, &item->members);
  if (paco_probe (head, size, &item->info, NULL, &failure) == PACO_STATUS_OK)
    return TRUE;
  return paco_source_fail (error, PACO_SOURCE_BROKEN, "%s", failure.message);
}

static gboolean
check_limits (const PacoRestoreLimits *limits, guint64 file_size,
    const PacoFrameMemory *memory, GError **error)
{
  if (file_size > G_MAXINT32)
    paco_source_set_error (error, PACO_SOURCE_UNSUPPORTED,
        "by its frame it had 2 GiB or more, and such files are not archived");
  else if (memory->pixels > limits->max_pixels)
    paco_source_set_error (error, PACO_SOURCE_UNSUPPORTED,
        "its picture has %" G_GUINT64_FORMAT
        " pixels, more than --max-pixels=%" G_GUINT64_FORMAT
        "; --max-pixels=%" G_GUINT64_FORMAT " restores it",
        memory->pixels, limits->max_pixels, memory->pixels);
  else if (file_size > limits->max_file)
    paco_source_set_error (error, PACO_SOURCE_UNSUPPORTED,
        "it has %" G_GUINT64_FORMAT
        " bytes, more than --max-file=%" G_GUINT64_FORMAT
        " MB; --max-file=%" G_GUINT64_FORMAT " restores it",
        file_size, limits->max_file / MB, file_size / MB + 1);
  else
    return TRUE;
  return FALSE;
}

static gboolean
weigh (const PacoRestoreRun *run, PacoRestoreItem *item, const guint8 *head,
    gsize size, guint64 *bytes, PacoFrameMemory *memory, GError **error)
{
  const PacoRestoreLimits *limits = &run->options->limits;
  guint32 rest;

  if (!probe (item, head, size, error)
      || !paco_kept_file_peek (head, size, &item->kept, &rest, error)
      || (!paco_frame_memory (head, size, memory)
          && !paco_source_fail (
              error, PACO_SOURCE_BROKEN, "the header is broken")))
    return FALSE;
  if (!check_limits (limits, item->kept.size, memory, error))
    return FALSE;
  *bytes = paco_source_memory (
      item->kept.kind, item->kept.size, rest, memory->samples);
  return paco_memory_allows (limits->memory,
      *bytes + item->frame.size + memory->coefficients, item->frame.size,
      error);
}

/* Says whether all files so far are as many bytes as archives of this size may have. */
static gboolean
check_ratio (PacoRestoreRun *run, const PacoRestoreItem *item)
{
  const PacoRestoreOptions *options = run->options;
  guint64 archive;

  run->archive += item->frame.size;
  run->files += item->kept.size;
  archive = MAX (options->size, run->archive);
  if (run->files <= PACO_RESTORE_FREE
      || run->files / options->limits.max_ratio <= archive)
    return TRUE;
  paco_line_fail (run->line, item->number,
      g_error_new (PACO_ARCHIVE_ERROR, PACO_ARCHIVE_FAILED,
          "the files up to frame %" G_GUINT64_FORMAT " have %" G_GUINT64_FORMAT
          " bytes, more than %" G_GUINT64_FORMAT
          " times the archive's; --max-ratio=%" G_GUINT64_FORMAT
          " allows it, and the same command goes on",
          item->frame.number, run->files, options->limits.max_ratio,
          run->files / archive + 1));
  return FALSE;
}

/* Says of a frame why no file can be made of it. That costs this file alone, unless it is
 * the first frame and keeps no file: then it is no archive, and the run ends. */
static void
give_up (PacoRestoreRun *run, PacoRestoreItem *item, const GError *error)
{
  if (item->number == 0
      && g_error_matches (error, PACO_SOURCE_ERROR, PACO_SOURCE_NO_FILE))
    paco_line_fail (run->line, item->number,
        g_error_new (PACO_ARCHIVE_ERROR, PACO_ARCHIVE_FAILED,
            "frame %" G_GUINT64_FORMAT " cannot be restored: %s",
            item->frame.number, error->message));
  paco_restore_refuse (item, error->message);
  item->refused = !g_error_matches (
      error, PACO_SOURCE_ERROR, PACO_SOURCE_BROKEN);
}

/* Lets a frame in once there is memory for it and its file, or says in item->damage why it
 * stays out. Returns FALSE if the line ends here. */
static gboolean
let_in (PacoRestoreRun *run, PacoRestoreItem *item)
{
  guint64 bytes = 0, budget = run->options->limits.memory;
  gsize size = PACO_MAX_HEADER_SIZE;
  const guint8 *head = get_head (run, item, &size);
  PacoFrameMemory memory = { 0 };
  GError *error = NULL;

  g_clear_pointer (&item->kept.name, g_free);
  item->kept.size = 0;
  item->kept.is_section = FALSE;
  item->kept.section = (PacoSection){ 0 };
  item->kept.file_size = 0;
  item->info = (PacoInfo) PACO_INFO_INIT;
  item->n_files = 0;
  item->members = (PacoMemberCount){ 0 };
  if (head && !weigh (run, item, head, size, &bytes, &memory, &error)) {
    give_up (run, item, error);
    g_error_free (error);
    return TRUE;
  }
  if (!check_ratio (run, item))
    return FALSE;
  item->room = paco_rooms_take (run->rooms, bytes, item->frame.size,
      paco_memory_left (run->decoder, budget, &memory));
  if (!item->room) {
    paco_line_end (run->line, item->number);
    return FALSE;
  }
  item->kept.rest = item->room->rest;
  return TRUE;
}

gpointer
paco_restore_find (gpointer data)
{
  PacoRestoreRun *run = data;
  guint64 number;

  while (
      paco_line_take (run->line, STEP_FIND, -1, &number) == PACO_LINE_TAKEN) {
    PacoRestoreItem *item = paco_restore_item (run, number);

    item->number = number;
    item->was_there = item->refused = FALSE;
    g_byte_array_set_size (item->kept.sound, 0);
    g_byte_array_set_size (item->kept.further, 0);
    if (!find_frame (run, item) || !let_in (run, item))
      break;
    paco_line_done (run->line, STEP_FIND, number);
  }
  return NULL;
}

/* --- reading ------------------------------------------------------------- */

/* Reads the frame's bytes, to memory that the decoder's device reads by itself. */
static gboolean
read_bytes (PacoRestoreRun *run, PacoRestoreItem *item, GError **error)
{
  const PacoRestoreOptions *options = run->options;
  gint64 begin = g_get_monotonic_time ();
  gboolean good;

  item->bytes = item->frame.data;
  if (item->bytes)
    return TRUE;
  item->memory = paco_bytes_pool_take (run->frames);
  paco_bytes_set_size (item->memory, item->frame.size);
  good = options->read (options->user, &item->frame, item->memory->data, error);
  item->bytes = item->memory->data;
  paco_report_spend (run->report, PACO_SPENT_READING, begin);
  return good;
}

static gboolean
prepare (PacoRestoreItem *item, GError **error)
{
  return paco_kept_file_read (item->bytes, item->frame.size, &item->kept, error)
      && paco_source_rebuild (item->kept.kind, item->kept.rest->data,
          item->kept.rest->len, &item->info, item->kept.size,
          &item->room->rebuilt, error);
}

gpointer
paco_restore_read (gpointer data)
{
  PacoRestoreRun *run = data;
  guint64 number;

  while (
      paco_line_take (run->line, STEP_READ, -1, &number) == PACO_LINE_TAKEN) {
    PacoRestoreItem *item = paco_restore_item (run, number);
    GError *error = NULL;

    if (item->damage) {
      paco_line_done (run->line, STEP_READ, number);
      continue;
    }
    if (!read_bytes (run, item, &error)) {
      paco_line_fail (run->line, number, error);
      continue;
    }
    if (!prepare (item, &error)) {
      give_up (run, item, error);
      g_error_free (error);
    }
    paco_line_done (run->line, STEP_READ, number);
  }
  return NULL;
}

/* --- decoding ------------------------------------------------------------ */

const char *
paco_restore_refuse_name (PacoRestoreRun *run, const char *name)
{
  gboolean is_new;

  if (g_str_has_suffix (name, PACO_RESTORING_SUFFIX))
    return "names that end with " PACO_RESTORING_SUFFIX
           " are those of files that are being restored";
  g_mutex_lock (&run->names_lock);
  is_new = g_hash_table_add (run->names, g_strdup (name));
  g_mutex_unlock (&run->names_lock);
  return is_new ? NULL : "a frame before it is of the same file";
}

/* Reads what the frame tells of sound, if none before it did. */
static void
read_sounds (PacoRestoreRun *run, const PacoKeptFile *kept)
{
  GError *failure = NULL;
  PacoSound *sound = run->sounds->len > 0 || kept->sound->len == 0
      ? NULL
      : paco_sound_read_chunk (kept->sound->data, kept->sound->len, &failure);

  if (sound)
    g_ptr_array_add (run->sounds, sound);
  if (sound && kept->further->len > 0
      && !paco_sound_read_further (
          kept->further->data, kept->further->len, run->sounds, &failure))
    g_ptr_array_set_size (run->sounds, 0);
  if (sound && !failure)
    g_clear_error (&run->sound_error);
  if (failure && run->sound_error)
    g_clear_error (&failure);
  else if (failure)
    run->sound_error = failure;
}

/* Does what is done in the order of frames, before one is decoded. */
static PacoStatus
is_wanted (gpointer data, guint64 number, PacoError *failure)
{
  PacoRestoreRun *run = data;
  PacoRestoreItem *item = paco_restore_item (run, number);
  const char *why;

  read_sounds (run, &item->kept);
  if (!item->damage && !item->kept.is_section
      && (why = paco_restore_refuse_name (run, item->kept.name)))
    paco_restore_refuse (item, why);
  if (!item->damage)
    return PACO_STATUS_OK;
  paco_restore_release_decoded (run, item);
  paco_line_done (run->line, STEP_DECODE, number);
  return PACO_STATUS_EMPTY;
}

static PacoStatus
submit (gpointer data, guint64 number, PacoError *failure)
{
  PacoRestoreRun *run = data;
  PacoRestoreItem *item = paco_restore_item (run, number);

  return paco_frame_decoder_submit (run->decoder, item->bytes, item->frame.size,
      &item->room->rebuilt.image, item, failure);
}

static void
fail (gpointer data, guint64 number, const PacoError *failure)
{
  PacoRestoreRun *run = data;
  PacoRestoreItem *item = paco_restore_item (run, number);

  switch (failure->status) {
    case PACO_STATUS_DEVICE:
      g_atomic_int_set (&run->lost, TRUE);
      /* Fall through. */
    case PACO_STATUS_NO_DEVICE:
    case PACO_STATUS_MEMORY:
      paco_line_fail (run->line, number,
          g_error_new_literal (
              PACO_ARCHIVE_ERROR, PACO_ARCHIVE_FAILED, failure->message));
      break;
    default:
      item->damage = g_strdup (failure->message);
      paco_restore_release_decoded (run, item);
      paco_line_done (run->line, STEP_DECODE, number);
      break;
  }
}

static void
collect (gpointer data)
{
  PacoRestoreRun *run = data;
  PacoError failure;
  PacoResult result;
  PacoStatus status = paco_frame_decoder_collect (
      run->decoder, &result, &failure);
  PacoRestoreItem *item = result.user;

  if (status != PACO_STATUS_OK) {
    fail (run, item->number, &failure);
    return;
  }
  if (result.corrupted_blocks > 0)
    item->damage = g_strdup_printf ("%u broken block%s",
        result.corrupted_blocks, result.corrupted_blocks == 1 ? "" : "s");
  paco_restore_release_decoded (run, item);
  paco_line_done (run->line, STEP_DECODE, item->number);
}

gpointer
paco_restore_decode (gpointer data)
{
  PacoRestoreRun *run = data;
  const PacoFlights flights = {
    .run = run,
    .line = run->line,
    .step = STEP_DECODE,
    .report = run->report,
    .spent = PACO_SPENT_DECODING,
    .prepare = is_wanted,
    .submit = submit,
    .collect = collect,
    .fail = fail,
  };

  paco_flights_run (&flights);
  return NULL;
}

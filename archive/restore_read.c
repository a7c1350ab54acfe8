/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the first three steps of restore: it finds frames, reads them with what they
 * have kept, and decodes them into the files that are made again. */
#include "archive/flights.h"
#include "archive/part.h"
#include "archive/restore_run.h"

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

/* Finds a frame. Returns FALSE if the line ends with the frame before. */
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

gpointer
paco_restore_find (gpointer data)
{
  PacoRestoreRun *run = data;
  guint64 number;

  while (
      paco_line_take (run->line, STEP_FIND, -1, &number) == PACO_LINE_TAKEN) {
    PacoRestoreItem *item = paco_restore_item (run, number);

    item->number = number;
    item->was_there = FALSE;
    if (!find_frame (run, item))
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
probe (PacoRestoreItem *item, GError **error)
{
  size_t needed = PACO_PROBE_SIZE;
  PacoError failure;
  PacoStatus status;

  item->info = (PacoInfo) PACO_INFO_INIT;
  do
    status = paco_probe (item->bytes, MIN (needed, item->frame.size),
        &item->info, &needed, &failure);
  while (status == PACO_STATUS_MORE && needed <= item->frame.size);
  if (status == PACO_STATUS_OK)
    return TRUE;
  g_set_error_literal (
      error, PACO_SOURCE_ERROR, PACO_SOURCE_BROKEN, failure.message);
  return FALSE;
}

static gboolean
prepare (PacoRestoreItem *item, GError **error)
{
  g_clear_pointer (&item->kept.name, g_free);
  g_byte_array_set_size (item->kept.sound, 0);
  return probe (item, error)
      && paco_kept_file_read (item->bytes, item->frame.size, &item->kept, error)
      && paco_source_rebuild (item->kept.kind, item->kept.rest->data,
          item->kept.rest->len, &item->info, item->kept.size, &item->rebuilt,
          error);
}

/* Ends the run with a frame of which this program cannot make a file. */
static void
refuse (PacoRestoreRun *run, PacoRestoreItem *item, const GError *error)
{
  paco_line_fail (run->line, item->number,
      g_error_new (PACO_ARCHIVE_ERROR, PACO_ARCHIVE_FAILED,
          "frame %" G_GUINT64_FORMAT " cannot be restored: %s",
          item->frame.number, error->message));
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

    if (!read_bytes (run, item, &error)) {
      paco_line_fail (run->line, number, error);
      continue;
    }
    if (!prepare (item, &error)) {
      if (g_error_matches (error, PACO_SOURCE_ERROR, PACO_SOURCE_UNSUPPORTED)) {
        refuse (run, item, error);
        g_error_free (error);
        continue;
      }
      item->damage = g_strdup (error->message);
      g_error_free (error);
    }
    paco_line_done (run->line, STEP_READ, number);
  }
  return NULL;
}

/* --- decoding ------------------------------------------------------------ */

/* Returns why a frame's file is not to be restored, or NULL: a frame had that name before,
 * or the name is one that files have while they are written. */
static const char *
refuse_name (PacoRestoreRun *run, const char *name)
{
  if (g_str_has_suffix (name, PACO_RESTORING_SUFFIX))
    return "names that end with " PACO_RESTORING_SUFFIX
           " are those of files that are being restored";
  if (!g_hash_table_add (run->names, g_strdup (name)))
    return "a frame before it is of the same file";
  return NULL;
}

/* Keeps what the first frame that tells of the sound says of it. */
static void
keep_sound (PacoRestoreRun *run, const PacoRestoreItem *item)
{
  if (!run->sound && item->kept.sound->len > 0)
    run->sound = paco_sound_read_chunk (item->kept.sound->data,
        item->kept.sound->len, run->sound_error ? NULL : &run->sound_error);
}

/* Does what is done in the order of frames, before one is decoded. */
static PacoStatus
is_wanted (gpointer data, guint64 number, PacoError *failure)
{
  PacoRestoreRun *run = data;
  PacoRestoreItem *item = paco_restore_item (run, number);

  keep_sound (run, item);
  if (!item->damage)
    item->damage = g_strdup (refuse_name (run, item->kept.name));
  if (!item->damage)
    return PACO_STATUS_OK;
  paco_restore_release_bytes (run, item);
  paco_line_done (run->line, STEP_DECODE, number);
  return PACO_STATUS_EMPTY;
}

static PacoStatus
submit (gpointer data, guint64 number, PacoError *failure)
{
  PacoRestoreRun *run = data;
  PacoRestoreItem *item = paco_restore_item (run, number);

  return paco_frame_decoder_submit (run->decoder, item->bytes, item->frame.size,
      &item->rebuilt.image, item, failure);
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
      paco_restore_release_bytes (run, item);
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
  paco_restore_release_bytes (run, item);
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

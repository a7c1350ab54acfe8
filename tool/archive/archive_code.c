/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Does the steps of archive in between: pictures are coded, and frames decoded,
 * several of them in flight (line.h). */
#include "tool/archive/line.h"
#include "tool/archive/run.h"

static void
fail (gpointer data, guint64 number, const PacoError *failure)
{
  PacoRun *run = data;

  if (failure->status == PACO_STATUS_DEVICE)
    g_atomic_int_set (&run->lost, TRUE);
  paco_run_fail (run, number, PACO_ARCHIVE_FAILED, "cannot be archived: %s",
      failure->message);
}

/* --- coding ---------------------------------------------------------------- */

static PacoStatus
describe_picture (gpointer data, guint64 number, PacoError *failure)
{
  PacoRun *run = data;
  PacoRunItem *item = paco_run_item (run, number);

  if (item->late) {
    paco_line_done (run->line, STEP_CODE, number);
    return PACO_STATUS_EMPTY;
  }
  return paco_frame_encoder_configure (
      run->encoder, &item->source.info, failure);
}

static PacoStatus
submit_picture (gpointer data, guint64 number, PacoError *failure)
{
  PacoRun *run = data;
  PacoRunItem *item = paco_run_item (run, number);
  PacoExtras extras = PACO_EXTRAS_INIT;

  extras.chunks = item->chunks.chunks;
  extras.n_chunks = item->chunks.n;
  extras.attachment = item->chunks.attachment;
  extras.attachment_size = item->chunks.attachment_size;
  return paco_frame_encoder_submit (
      run->encoder, &item->source.image, &extras, item, failure);
}

static void
collect_frame (gpointer data)
{
  PacoRun *run = data;
  PacoError failure;
  PacoFrame frame;
  PacoStatus status = paco_frame_encoder_collect (
      run->encoder, &frame, &failure);
  PacoRunItem *item = frame.user;

  item->frame = frame;
  if (status != PACO_STATUS_OK) {
    fail (run, item->number, &failure);
    return;
  }
  if (!run->decoder)
    paco_run_release_file (item);
  paco_line_done (run->line, STEP_CODE, item->number);
}

gpointer
paco_run_code (gpointer data)
{
  PacoRun *run = data;
  const PacoFlights flights = {
    .run = run,
    .line = run->line,
    .step = STEP_CODE,
    .report = run->report,
    .spent = PACO_SPENT_CODING,
    .prepare = describe_picture,
    .submit = submit_picture,
    .collect = collect_frame,
    .fail = fail,
  };

  paco_flights_run (&flights);
  return NULL;
}

/* --- decoding -------------------------------------------------------------- */

/* Finds out what the frame is compared with, by what it says of the file alone. */
static gboolean
prepare_comparison (PacoRunItem *item, GError **error)
{
  const PacoKeptFile *found = &item->found;
  const GByteArray *rest = found->rest;

  item->in_place = found->size == item->file->len
      && paco_source_same_rest (found->kind, rest->data, rest->len, &item->info,
          item->file->data, item->file->len, &item->image);
  return item->in_place
      || paco_source_rebuild (found->kind, rest->data, rest->len, &item->info,
          found->size, &item->rebuilt, error);
}

/* Reads what the frame says, as restore will read it. */
static PacoStatus
read_frame (gpointer data, guint64 number, PacoError *failure)
{
  PacoRun *run = data;
  PacoRunItem *item = paco_run_item (run, number);
  const PacoFrame *frame = &item->frame;
  size_t needed = PACO_PROBE_SIZE;
  GError *error = NULL;
  PacoStatus status;

  if (item->late) {
    paco_line_done (run->line, STEP_DECODE, number);
    return PACO_STATUS_EMPTY;
  }
  item->info = (PacoInfo) PACO_INFO_INIT;
  while (
      (status = paco_probe (frame->data, needed, &item->info, &needed, failure))
          == PACO_STATUS_MORE
      && needed <= frame->size)
    ;
  if (status != PACO_STATUS_OK)
    return status;
  if (paco_kept_file_read (frame->data, frame->size, &item->found, &error)
      && prepare_comparison (item, &error))
    return PACO_STATUS_OK;
  g_strlcpy (failure->message, error->message, sizeof failure->message);
  g_error_free (error);
  return failure->status = PACO_STATUS_CORRUPT;
}

static PacoStatus
submit_frame (gpointer data, guint64 number, PacoError *failure)
{
  PacoRun *run = data;
  PacoRunItem *item = paco_run_item (run, number);

  if (item->in_place)
    return paco_frame_decoder_submit_comparison (run->decoder, item->frame.data,
        item->frame.size, &item->image, item, failure);
  return paco_frame_decoder_submit (run->decoder, item->frame.data,
      item->frame.size, &item->rebuilt.image, item, failure);
}

static void
collect_picture (gpointer data)
{
  PacoRun *run = data;
  PacoError failure;
  PacoResult result;
  PacoStatus status = paco_frame_decoder_collect (
      run->decoder, &result, &failure);
  PacoRunItem *item = result.user;

  item->different_bytes = result.different_bytes;
  if (status != PACO_STATUS_OK)
    fail (run, item->number, &failure);
  else if (result.corrupted_blocks > 0)
    paco_run_fail (run, item->number, PACO_ARCHIVE_DAMAGED,
        "cannot be archived: its frame has %u broken blocks",
        result.corrupted_blocks);
  else
    paco_line_done (run->line, STEP_DECODE, item->number);
}

gpointer
paco_run_decode (gpointer data)
{
  PacoRun *run = data;
  const PacoFlights flights = {
    .run = run,
    .line = run->line,
    .step = STEP_DECODE,
    .report = run->report,
    .spent = PACO_SPENT_DECODING,
    .prepare = read_frame,
    .submit = submit_frame,
    .collect = collect_picture,
    .fail = fail,
  };
  guint64 number;

  if (run->decoder) {
    paco_flights_run (&flights);
    return NULL;
  }
  while (
      paco_line_take (run->line, STEP_DECODE, -1, &number) == PACO_LINE_TAKEN)
    paco_line_done (run->line, STEP_DECODE, number);
  return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The steps of archive in between: pictures are coded, and frames decoded, several of
 * them in flight. */
#include "archive/run.h"

/* What a coder's thread knows. */
typedef struct
{
  PacoRun *run;
  guint step;
  PacoSpent spent;
  guint in_flight;
  gint64 begin; /* when something was put in flight */
} Flights;

static void
put_in_flight (Flights *flights)
{
  if (flights->in_flight++ == 0)
    flights->begin = g_get_monotonic_time ();
}

static void
take_out (Flights *flights)
{
  if (--flights->in_flight == 0)
    paco_report_spend (flights->run->report, flights->spent, flights->begin);
}

static void
fail (PacoRun *run, guint64 number, const PacoError *failure)
{
  if (failure->status == PACO_STATUS_DEVICE)
    g_atomic_int_set (&run->lost, TRUE);
  paco_run_fail (run, number, PACO_ARCHIVE_FAILED, "cannot be archived: %s",
      failure->message);
}

typedef PacoStatus (*Submit) (
    PacoRun *run, PacoRunItem *item, PacoError *failure);

/* Takes frames of a step, prepares and submits them; collects one when as many are in
 * flight as may be, and whenever there is none to take. submit() says PACO_STATUS_BUSY
 * in the first case. collect() ends the oldest one. */
static void
run_flights (Flights *flights, Submit prepare, Submit submit,
    void (*collect) (PacoRun *run))
{
  PacoRun *run = flights->run;

  for (;;) {
    guint64 number;
    PacoLineTake taken = flights->in_flight > 0
        ? paco_line_try (run->line, flights->step, &number)
        : paco_line_take (run->line, flights->step, -1, &number);
    PacoError failure = { PACO_STATUS_OK, "" };
    PacoStatus status;

    if (taken == PACO_LINE_TAKEN) {
      PacoRunItem *item = paco_run_item (run, number);

      status = prepare (run, item, &failure);
      while (status == PACO_STATUS_OK
          && (status = submit (run, item, &failure)) == PACO_STATUS_BUSY
          && flights->in_flight > 0) {
        status = PACO_STATUS_OK;
        collect (run);
        take_out (flights);
      }
      if (status == PACO_STATUS_OK)
        put_in_flight (flights);
      else
        fail (run, number, &failure);
    } else if (flights->in_flight > 0) {
      collect (run);
      take_out (flights);
    } else
      break;
  }
}

/* --- coding ---------------------------------------------------------------- */

static PacoStatus
describe_picture (PacoRun *run, PacoRunItem *item, PacoError *failure)
{
  return paco_frame_encoder_configure (
      run->encoder, &item->source.info, failure);
}

static PacoStatus
submit_picture (PacoRun *run, PacoRunItem *item, PacoError *failure)
{
  PacoExtras extras = PACO_EXTRAS_INIT;

  extras.chunks = item->chunks.chunks;
  extras.n_chunks = item->chunks.n;
  return paco_frame_encoder_submit (
      run->encoder, &item->source.image, &extras, item, failure);
}

static void
collect_frame (PacoRun *run)
{
  PacoError failure;
  PacoFrame frame;
  PacoStatus status = paco_frame_encoder_collect (
      run->encoder, &frame, &failure);
  PacoRunItem *item = frame.user;

  item->frame = frame;
  if (status == PACO_STATUS_OK)
    paco_line_done (run->line, STEP_CODE, item->number);
  else
    fail (run, item->number, &failure);
}

gpointer
paco_run_code (gpointer data)
{
  Flights flights = { data, STEP_CODE, PACO_SPENT_CODING };

  run_flights (&flights, describe_picture, submit_picture, collect_frame);
  return NULL;
}

/* --- decoding -------------------------------------------------------------- */

/* Reads what the frame says, as one who restores it will. */
static PacoStatus
read_frame (PacoRun *run, PacoRunItem *item, PacoError *failure)
{
  const PacoFrame *frame = &item->frame;
  size_t needed = PACO_PROBE_SIZE;
  GError *error = NULL;
  PacoStatus status;

  item->info = (PacoInfo) PACO_INFO_INIT;
  while (
      (status = paco_probe (frame->data, needed, &item->info, &needed, failure))
          == PACO_STATUS_MORE
      && needed <= frame->size)
    ;
  if (status != PACO_STATUS_OK)
    return status;
  if (paco_kept_file_read (frame->data, frame->size, &item->found, &error)
      && paco_source_rebuild (item->found.kind, item->found.rest->data,
          item->found.rest->len, &item->info, item->found.size, &item->rebuilt,
          &error))
    return PACO_STATUS_OK;
  g_strlcpy (failure->message, error->message, sizeof failure->message);
  g_error_free (error);
  return failure->status = PACO_STATUS_CORRUPT;
}

static PacoStatus
submit_frame (PacoRun *run, PacoRunItem *item, PacoError *failure)
{
  return paco_frame_decoder_submit (run->decoder, item->frame.data,
      item->frame.size, &item->rebuilt.image, item, failure);
}

static void
collect_picture (PacoRun *run)
{
  PacoError failure;
  PacoResult result;
  PacoStatus status = paco_frame_decoder_collect (
      run->decoder, &result, &failure);
  PacoRunItem *item = result.user;

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
  Flights flights = { data, STEP_DECODE, PACO_SPENT_DECODING };
  PacoRun *run = data;
  guint64 number;

  if (run->decoder) {
    run_flights (&flights, read_frame, submit_frame, collect_picture);
    return NULL;
  }
  while (
      paco_line_take (run->line, STEP_DECODE, -1, &number) == PACO_LINE_TAKEN)
    paco_line_done (run->line, STEP_DECODE, number);
  return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs a thread that keeps a coder of libpaco busy with frames of a line
 * (flights.h). */
#include "tool/archive/flights.h"

typedef struct
{
  guint n;
  gint64 begin; /* when the first of them was submitted */
} InFlight;

static void
collect (const PacoFlights *flights, InFlight *in_flight)
{
  flights->collect (flights->run);
  if (--in_flight->n == 0)
    paco_report_spend (flights->report, flights->spent, in_flight->begin);
}

static void
submit (const PacoFlights *flights, guint64 number, InFlight *in_flight)
{
  PacoError failure = { PACO_STATUS_OK, "" };
  PacoStatus status = flights->prepare (flights->run, number, &failure);

  if (status == PACO_STATUS_EMPTY)
    return;
  if (status == PACO_STATUS_OK)
    status = flights->submit (flights->run, number, &failure);
  while (status == PACO_STATUS_BUSY && in_flight->n > 0) {
    collect (flights, in_flight);
    status = flights->submit (flights->run, number, &failure);
  }
  if (status != PACO_STATUS_OK)
    flights->fail (flights->run, number, &failure);
  else if (in_flight->n++ == 0)
    in_flight->begin = g_get_monotonic_time ();
}

void
paco_flights_run (const PacoFlights *flights)
{
  InFlight in_flight = { 0 };

  for (;;) {
    guint64 number;
    PacoLineTake taken = in_flight.n > 0
        ? paco_line_try (flights->line, flights->step, &number)
        : paco_line_take (flights->line, flights->step, -1, &number);

    if (taken == PACO_LINE_TAKEN)
      submit (flights, number, &in_flight);
    else if (in_flight.n > 0)
      collect (flights, &in_flight);
    else
      break;
  }
}

PacoStatus
paco_flights_set_decoder (PacoFrameDecoder *decoder, PacoError *failure)
{
  PacoStatus status = paco_frame_decoder_set (
      decoder, "conceal", "false", failure);

  if (status != PACO_STATUS_OK)
    return status;
  return paco_frame_decoder_set (decoder, "max-pixels", "268435456", failure);
}

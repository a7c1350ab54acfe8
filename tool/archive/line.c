/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Keeps the order in which threads work on the frames of a run (line.h). */
#include "tool/archive/line.h"

struct PacoLine
{
  GMutex lock;
  GCond changed;
  guint64 first, end; /* end: no step takes it or later ones */
  guint n_places, n_steps;
  guint64 *next; /* of each step, the frame that it takes next */
  guint *done;   /* of each place, how many steps its frame has behind it */
  guint64 failed;
  GError *error; /* of the frame `failed`; NULL: none */
};

PacoLine *
paco_line_new (guint64 first, guint64 end, guint n_places, guint n_steps)
{
  PacoLine *line = g_new0 (PacoLine, 1);

  g_mutex_init (&line->lock);
  g_cond_init (&line->changed);
  line->first = first;
  line->end = end;
  line->n_places = n_places;
  line->n_steps = n_steps;
  line->next = g_new (guint64, n_steps);
  line->done = g_new (guint, n_places);
  for (guint i = 0; i < n_steps; i++)
    line->next[i] = first;
  for (guint i = 0; i < n_places; i++)
    line->done[i] = n_steps; /* free */
  return line;
}

void
paco_line_free (PacoLine *line)
{
  if (!line)
    return;
  g_clear_error (&line->error);
  g_free (line->next);
  g_free (line->done);
  g_cond_clear (&line->changed);
  g_mutex_clear (&line->lock);
  g_free (line);
}

guint
paco_line_place (const PacoLine *line, guint64 number)
{
  return (guint) ((number - line->first) % line->n_places);
}

/* Takes a frame if one is there. The lock must be held. */
static PacoLineTake
try_step (PacoLine *line, guint step, guint64 *number)
{
  guint64 n = line->next[step];
  guint *done = &line->done[paco_line_place (line, n)];

  if (n >= line->end)
    return PACO_LINE_ENDED;
  if (step == 0 ? *done != line->n_steps : line->next[0] <= n || *done != step)
    return PACO_LINE_WAITS;
  if (step == 0)
    *done = 0;
  line->next[step]++;
  *number = n;
  return PACO_LINE_TAKEN;
}

PacoLineTake
paco_line_take (
    PacoLine *line, guint step, gint64 microseconds, guint64 *number)
{
  gint64 end = g_get_monotonic_time () + microseconds;
  PacoLineTake taken;

  g_mutex_lock (&line->lock);
  while ((taken = try_step (line, step, number)) == PACO_LINE_WAITS) {
    if (microseconds < 0)
      g_cond_wait (&line->changed, &line->lock);
    else if (!g_cond_wait_until (&line->changed, &line->lock, end)) {
      taken = try_step (line, step, number);
      break;
    }
  }
  g_mutex_unlock (&line->lock);
  return taken;
}

void
paco_line_done (PacoLine *line, guint step, guint64 number)
{
  g_mutex_lock (&line->lock);
  line->done[paco_line_place (line, number)] = step + 1;
  g_cond_broadcast (&line->changed);
  g_mutex_unlock (&line->lock);
}

void
paco_line_fail (PacoLine *line, guint64 number, GError *error)
{
  g_mutex_lock (&line->lock);
  if (!line->error || number < line->failed) {
    g_clear_error (&line->error);
    line->error = error;
    line->failed = number;
  } else
    g_error_free (error);
  line->end = MIN (line->end, number);
  g_cond_broadcast (&line->changed);
  g_mutex_unlock (&line->lock);
}

void
paco_line_end (PacoLine *line, guint64 number)
{
  g_mutex_lock (&line->lock);
  line->end = MIN (line->end, number);
  g_cond_broadcast (&line->changed);
  g_mutex_unlock (&line->lock);
}

void
paco_line_stop (PacoLine *line, guint step)
{
  g_mutex_lock (&line->lock);
  line->end = MIN (line->end, line->next[step]);
  g_cond_broadcast (&line->changed);
  g_mutex_unlock (&line->lock);
}

gboolean
paco_line_failure (PacoLine *line, guint64 *number, GError **error)
{
  if (!line->error)
    return FALSE;
  *number = line->failed;
  g_propagate_error (error, g_steal_pointer (&line->error));
  return TRUE;
}

/* --- coders ------------------------------------------------------------- */

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
    PacoLineTake taken = paco_line_take (
        flights->line, flights->step, in_flight.n > 0 ? 0 : -1, &number);

    if (taken == PACO_LINE_TAKEN)
      submit (flights, number, &in_flight);
    else if (in_flight.n > 0)
      collect (flights, &in_flight);
    else
      break;
  }
}

PacoStatus
paco_flights_set_decoder (
    PacoFrameDecoder *decoder, const char *const *pairs, PacoError *failure)
{
  PacoStatus status = paco_frame_decoder_set (
      decoder, "conceal", "false", failure);

  if (status == PACO_STATUS_OK)
    status = paco_frame_decoder_set (
        decoder, "max-pixels", "268435456", failure);
  for (; pairs && *pairs && status == PACO_STATUS_OK; pairs += 2)
    status = paco_frame_decoder_set (decoder, pairs[0], pairs[1], failure);
  return status;
}

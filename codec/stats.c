/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Counting with a lock. */
#include "stats.h"

void
paco_stats_counter_init (PacoStatsCounter *counter, const char *backend)
{
  g_mutex_init (&counter->lock);
  counter->stats = (PacoStats){ .backend = backend };
}

void
paco_stats_counter_clear (PacoStatsCounter *counter)
{
  g_mutex_clear (&counter->lock);
}

void
paco_stats_counter_add (PacoStatsCounter *counter, const PacoStats *frame)
{
  PacoStats *sum = &counter->stats;

  g_mutex_lock (&counter->lock);
  sum->frames++;
  sum->bytes += frame->bytes;
  sum->corrupted_blocks += frame->corrupted_blocks;
  sum->transform_ms += frame->transform_ms;
  sum->blocks_ms += frame->blocks_ms;
  sum->stream_ms += frame->stream_ms;
  g_mutex_unlock (&counter->lock);
}

void
paco_stats_counter_get (PacoStatsCounter *counter, PacoStats *copy)
{
  g_mutex_lock (&counter->lock);
  *copy = counter->stats;
  g_mutex_unlock (&counter->lock);
}

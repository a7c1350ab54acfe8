/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The figures of a coder, counted by the threads of several slots. */
#pragma once
#include "backend.h"

typedef struct
{
  GMutex lock;
  PacoStats stats;
} PacoStatsCounter;

void paco_stats_counter_init (PacoStatsCounter *counter, const char *backend);
void paco_stats_counter_clear (PacoStatsCounter *counter);

/* Adds one frame: its bytes, corrupted_blocks and milliseconds. */
void paco_stats_counter_add (PacoStatsCounter *counter, const PacoStats *frame);
void paco_stats_counter_get (PacoStatsCounter *counter, PacoStats *copy);

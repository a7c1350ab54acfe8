/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The CPU backend as a table, and its statistics. */
#include "codec/cpu/backend_private.h"

const PacoBackend paco_cpu_backend = {
  .name = "cpu",
  .encoder_open = paco_cpu_encoder_open,
  .encoder_configure = paco_cpu_encoder_configure,
  .encoder_set_rate = paco_cpu_encoder_set_rate,
  .encoder_submit = paco_cpu_encoder_submit,
  .encoder_collect = paco_cpu_encoder_collect,
  .encoder_abandon = paco_cpu_encoder_abandon,
  .encoder_max_frame_size = paco_cpu_encoder_max_frame_size,
  .encoder_stats = paco_cpu_encoder_stats,
  .encoder_close = paco_cpu_encoder_close,
  .decoder_open = paco_cpu_decoder_open,
  .decoder_configure = paco_cpu_decoder_configure,
  .decoder_submit = paco_cpu_decoder_submit,
  .decoder_collect = paco_cpu_decoder_collect,
  .decoder_abandon = paco_cpu_decoder_abandon,
  .decoder_stats = paco_cpu_decoder_stats,
  .decoder_close = paco_cpu_decoder_close,
};

void
paco_cpu_stats_init (
    PacoCpuStats *stats, unsigned threads, const PacoCpuOps *ops)
{
  g_mutex_init (&stats->lock);
  stats->stats = (PacoStats){ .backend = "cpu" };
  g_snprintf (stats->stats.device, sizeof stats->stats.device,
      "%u thread%s, %s", threads, threads == 1 ? "" : "s", ops->blocks->name);
}

void
paco_cpu_stats_clear (PacoCpuStats *stats)
{
  g_mutex_clear (&stats->lock);
}

void
paco_cpu_stats_add (PacoCpuStats *stats, double transform_ms, double blocks_ms,
    double stream_ms, uint64_t bytes, uint32_t corrupted_blocks)
{
  g_mutex_lock (&stats->lock);
  stats->stats.frames++;
  stats->stats.bytes += bytes;
  stats->stats.corrupted_blocks += corrupted_blocks;
  stats->stats.transform_ms += transform_ms;
  stats->stats.blocks_ms += blocks_ms;
  stats->stats.stream_ms += stream_ms;
  g_mutex_unlock (&stats->lock);
}

void
paco_cpu_stats_get (PacoCpuStats *stats, PacoStats *copy)
{
  g_mutex_lock (&stats->lock);
  *copy = stats->stats;
  g_mutex_unlock (&stats->lock);
}

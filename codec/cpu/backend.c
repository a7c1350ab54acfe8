/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The table paco_cpu_backend (codec/backend.h), by which users open its encoders and
 * decoders. */
#include "codec/coder_private.h"
#include "codec/cpu/backend_private.h"

const PacoBackend paco_cpu_backend = {
  .name = "cpu",
  .encoder_open = paco_cpu_encoder_open,
  .decoder_open = paco_cpu_decoder_open,
};

PacoWorkers *
paco_cpu_workers_new (const PacoBackendOptions *options, GError **error)
{
  const PacoCoder *other = options->share_threads;
  PacoWorkers *workers = other && other->threads
      ? paco_workers_ref (other->threads)
      : paco_workers_new (options->threads);

  if (!workers)
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the threads of the CPU backend could not be started");
  return workers;
}

void
paco_cpu_describe (
    PacoStats *stats, const PacoWorkers *workers, const PacoCpuOps *ops)
{
  unsigned threads = paco_workers_count (workers);

  g_snprintf (stats->device, sizeof stats->device, "%u thread%s, %s", threads,
      threads == 1 ? "" : "s", ops->blocks->name);
}

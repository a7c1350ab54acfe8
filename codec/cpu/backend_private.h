/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The functions that the table paco_cpu_backend is made of, and what tests
 * need beyond it. */
#pragma once
#include "codec/backend.h"
#include "codec/cpu/bpc.h"
#include "codec/cpu/rows.h"
#include "codec/cpu/workers.h"

/* The instruction sets that a backend uses; tests try all. */
typedef struct
{
  const PacoRowOps *rows;
  const PacoBpcOps *blocks;
} PacoCpuOps;

/* Before configure(). */
void paco_cpu_encoder_set_ops (PacoEncoder *encoder, const PacoCpuOps *ops);
void paco_cpu_decoder_set_ops (PacoDecoder *decoder, const PacoCpuOps *ops);

PacoEncoder *paco_cpu_encoder_open (
    const PacoBackendOptions *options, GError **error);
PacoDecoder *paco_cpu_decoder_open (
    const PacoBackendOptions *options, GError **error);

/* NULL and error MEMORY when there are no threads, or no memory for them. */
PacoWorkers *paco_cpu_workers_new (unsigned threads, GError **error);

/* Says in the stats what does the work. */
void paco_cpu_describe (
    PacoStats *stats, const PacoWorkers *workers, const PacoCpuOps *ops);

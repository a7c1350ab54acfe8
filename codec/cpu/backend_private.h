/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The functions in the table paco_cpu_backend, which backend.c, encoder.c and decoder.c
 * have, and what tests need beyond the table. */
#pragma once
#include "codec/backend.h"
#include "codec/cpu/bpc.h"
#include "codec/cpu/rows.h"
#include "codec/cpu/workers.h"

/* The tables of operations for the instruction sets that a coder uses. Tests try
 * all. */
typedef struct
{
  const PacoRowOps *rows;
  const PacoBpcOps *blocks;
} PacoCpuOps;

/* Tests call these before configure(). */
void paco_cpu_encoder_set_ops (PacoEncoder *encoder, const PacoCpuOps *ops);
void paco_cpu_decoder_set_ops (PacoDecoder *decoder, const PacoCpuOps *ops);

PacoEncoder *paco_cpu_encoder_open (
    const PacoBackendOptions *options, GError **error);
PacoDecoder *paco_cpu_decoder_open (
    const PacoBackendOptions *options, GError **error);

/* Takes the workers of options->share_threads, or makes a coder's own (workers.c). NULL and
 * error MEMORY when threads, or memory for them, cannot be had. */
PacoWorkers *paco_cpu_workers_new (
    const PacoBackendOptions *options, GError **error);

/* Sets in the stats how many threads and which instruction set do the work. */
void paco_cpu_describe (
    PacoStats *stats, const PacoWorkers *workers, const PacoCpuOps *ops);

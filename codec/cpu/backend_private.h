/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The functions that the table paco_cpu_backend is made of, and what tests
 * need beyond it. */
#pragma once
#include "codec/backend.h"
#include "codec/cpu/bpc.h"
#include "codec/cpu/rows.h"

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
gboolean paco_cpu_encoder_configure (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error);
void paco_cpu_encoder_set_rate (
    PacoEncoder *encoder, double quality, uint32_t frame_size);
gboolean paco_cpu_encoder_submit (PacoEncoder *encoder,
    const PacoPicture *picture, const PacoVideoInfo *video, void *user_data,
    GError **error);
PacoEncodedFrame *paco_cpu_encoder_collect (PacoEncoder *encoder);
void paco_cpu_encoder_abandon (PacoEncoder *encoder, void (*drop) (void *));
size_t paco_cpu_encoder_max_frame_size (PacoEncoder *encoder);
void paco_cpu_encoder_stats (PacoEncoder *encoder, PacoStats *stats);
void paco_cpu_encoder_close (PacoEncoder *encoder);

PacoDecoder *paco_cpu_decoder_open (
    const PacoBackendOptions *options, GError **error);
gboolean paco_cpu_decoder_configure (PacoDecoder *decoder,
    const PacoHeader *header, const PacoSampleLayout *layout, unsigned reduce,
    GError **error);
gboolean paco_cpu_decoder_submit (PacoDecoder *decoder, const uint8_t *data,
    size_t size, const PacoPicture *destination, void *user_data,
    GError **error);
gboolean paco_cpu_decoder_collect (
    PacoDecoder *decoder, PacoDecodedFrame *frame);
void paco_cpu_decoder_abandon (PacoDecoder *decoder, void (*drop) (void *));
void paco_cpu_decoder_stats (PacoDecoder *decoder, PacoStats *stats);
void paco_cpu_decoder_close (PacoDecoder *decoder);

/* Stats that count from several slots. */
typedef struct
{
  GMutex lock;
  PacoStats stats;
} PacoCpuStats;

void paco_cpu_stats_init (
    PacoCpuStats *stats, unsigned threads, const PacoCpuOps *ops);
void paco_cpu_stats_clear (PacoCpuStats *stats);
void paco_cpu_stats_add (PacoCpuStats *stats, double transform_ms,
    double blocks_ms, double stream_ms, uint64_t bytes,
    uint32_t corrupted_blocks);
void paco_cpu_stats_get (PacoCpuStats *stats, PacoStats *copy);

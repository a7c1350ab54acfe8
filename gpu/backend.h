/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The CUDA backend: what encoder and decoder have in common, and the functions
 * that the table paco_cuda_backend is made of. */
#pragma once
#include "codec/backend.h"
#include "gpu/dwt.h"
#include "gpu/kernels/bpc.h"
#include "gpu/kernels/pack.h"
#include "gpu/module.h"

G_BEGIN_DECLS

extern const unsigned char paco_fatbin_pack[];

/* A device with the kernels loaded. All coders of a process that use the same
 * GPU share one: kernels of two contexts never run at the same time, and each
 * context takes hundreds of megabytes. Referenced by coders and by the memory
 * that they have given away. */
typedef struct
{
  gint references; /* of the table of devices, under its lock */
  gint failed;     /* atomic; new coders get a new context */
  PacoDevice *device;
  const PacoDriver *driver; /* the device's */
  PacoModule dwt_module, bpc_module, pack_module;
  PacoDwtKernels dwt;
  CUfunction bpc_encode[2][3], bpc_decode[2][3]; /* [wide][passes - 1] */
  CUfunction pack_scan, pack_copy;
  CUdeviceptr rows; /* the built-in probability sets, see PACO_CUDA_SET_BYTES */
  GMutex lock;      /* of what follows */
  GArray *pinned;   /* of PacoHostMemory *: what was handed out */
} PacoCuda;

#define PACO_CUDA_SET_BYTES (PACO_N_ROWS * PACO_GPU_ROW_BYTES)

PacoCuda *paco_cuda_open (int ordinal, GError **error);
PacoCuda *paco_cuda_ref (PacoCuda *cuda);
void paco_cuda_unref (PacoCuda *cuda);

/* paco_device_enter() and paco_device_leave(). */
gboolean paco_cuda_enter (PacoCuda *cuda, GError **error);
void paco_cuda_leave (PacoCuda *cuda);

/* To be called when a frame has failed: after errors of the device its context
 * is of no more use. */
void paco_cuda_note_failure (PacoCuda *cuda, const GError *error);

/* Rows of a probability set as the kernels want them: PACO_CUDA_SET_BYTES. */
void paco_cuda_pad_set (const PacoProbabilitySet *set, uint8_t *rows);

/* Stats that count from several slots. */
typedef struct
{
  GMutex lock;
  PacoStats stats;
} PacoCudaStats;

void paco_cuda_stats_init (PacoCudaStats *stats, const PacoCuda *cuda);
void paco_cuda_stats_clear (PacoCudaStats *stats);
void paco_cuda_stats_add (PacoCudaStats *stats, const double milliseconds[3],
    uint64_t bytes, uint32_t corrupted_blocks);
void paco_cuda_stats_get (PacoCudaStats *stats, PacoStats *copy);

PacoEncoder *paco_cuda_encoder_open (
    const PacoBackendOptions *options, GError **error);
gboolean paco_cuda_encoder_configure (PacoEncoder *encoder,
    const PacoPictureFormat *picture, const PacoSampleLayout *layout,
    const PacoParameters *parameters, GError **error);
void paco_cuda_encoder_set_rate (
    PacoEncoder *encoder, double quality, uint32_t frame_size);
gboolean paco_cuda_encoder_submit (PacoEncoder *encoder,
    const PacoPicture *picture, const PacoVideoInfo *video, void *user_data,
    GError **error);
PacoEncodedFrame *paco_cuda_encoder_collect (PacoEncoder *encoder);
void paco_cuda_encoder_abandon (PacoEncoder *encoder, void (*drop) (void *));
size_t paco_cuda_encoder_max_frame_size (PacoEncoder *encoder);
void paco_cuda_encoder_stats (PacoEncoder *encoder, PacoStats *stats);
void paco_cuda_encoder_close (PacoEncoder *encoder);
PacoHostMemory *paco_cuda_encoder_host_memory (
    PacoEncoder *encoder, size_t size, GError **error);

PacoDecoder *paco_cuda_decoder_open (
    const PacoBackendOptions *options, GError **error);
gboolean paco_cuda_decoder_configure (PacoDecoder *decoder,
    const PacoHeader *header, const PacoSampleLayout *layout, unsigned reduce,
    GError **error);
gboolean paco_cuda_decoder_submit (PacoDecoder *decoder, const uint8_t *data,
    size_t size, const PacoPicture *destination, void *user_data,
    GError **error);
gboolean paco_cuda_decoder_collect (
    PacoDecoder *decoder, PacoDecodedFrame *frame);
void paco_cuda_decoder_abandon (PacoDecoder *decoder, void (*drop) (void *));
void paco_cuda_decoder_stats (PacoDecoder *decoder, PacoStats *stats);
void paco_cuda_decoder_close (PacoDecoder *decoder);
PacoHostMemory *paco_cuda_decoder_host_memory (
    PacoDecoder *decoder, size_t size, GError **error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A frame in flight on the device: its stream, its buffers, and the launches
 * that encoder and decoder have in common. Encoder and decoder have one per
 * slot. */
#pragma once
#include "gpu/transfer.h"

G_BEGIN_DECLS

/* What all frames of a configuration have in common. */
typedef struct
{
  PacoPictureFormat format;
  PacoCoding coding; /* without what may change from frame to frame */
  unsigned reduce;   /* levels left out */
  const PacoGeometry *geometry; /* outlives this */
  PacoDwt *dwt;
  uint32_t n_blocks;     /* that are coded */
  uint32_t n_columns;    /* words of a bitplane, see PacoGpuBlock */
  unsigned block_height; /* of the tallest */
  /* Samples of the components, lines of the whole frame. */
  uint32_t columns[PACO_MAX_COMPONENTS], lines[PACO_MAX_COMPONENTS];
} PacoCudaPlan;

/* Error UNSUPPORTED for a picture that needs more than 32 bits to number its
 * coefficients. */
gboolean paco_cuda_plan_init (
    PacoCudaPlan *plan, const PacoCuda *cuda, GError **error);
void paco_cuda_plan_clear (PacoCudaPlan *plan);

/* Fills in n_blocks blocks; returns the words of their slots. dropped_planes
 * may be NULL. */
size_t paco_cuda_plan_blocks (const PacoCudaPlan *plan, bool wide,
    const uint8_t (*dropped_planes)[PACO_MAX_SUBBANDS], PacoGpuBlock *blocks);

/* Moments of a frame. */
enum
{
  PACO_CUDA_BEGIN,
  PACO_CUDA_UPLOADED,
  PACO_CUDA_STAGE_1, /* begin of the first of what the kernels do */
  PACO_CUDA_STAGE_2,
  PACO_CUDA_STAGE_3,
  PACO_CUDA_CODED,
  PACO_CUDA_END,
  PACO_CUDA_N_EVENTS
};

/* What the frames of a coder share. Uploads run one after the other, and
 * downloads too, in the order in which they are enqueued: if they shared the
 * bus, all frames would come to their end at the same time, and leave it idle
 * while they are coded. */
typedef struct
{
  PacoCuda *cuda;
  PacoCopier *copier;
  GMutex lock;                  /* while an upload or a download is enqueued */
  CUevent uploaded, downloaded; /* of the last ones, or NULL */
  gint n_frames;                /* that are being coded; atomic */
} PacoCudaLanes;

void paco_cuda_lanes_init (PacoCudaLanes *lanes, PacoCuda *cuda);
void paco_cuda_lanes_clear (PacoCudaLanes *lanes);

typedef struct
{
  PacoCuda *cuda;
  const PacoCudaPlan *plan;
  PacoCudaLanes *lanes;
  bool in_order; /* uploads take turns: set by who knows that nothing is
                    copied on the host meanwhile */
  bool has_lock;
  CUstream stream;
  CUevent events[PACO_CUDA_N_EVENTS];
  PacoTransfer transfer;
  PacoStation station; /* of the picture */
  PacoDeviceMemory coefficients, scratch, planes, blocks, rows;
  PacoPinnedMemory host_blocks, host_rows;
} PacoCudaFrame;

gboolean paco_cuda_frame_init (PacoCudaFrame *frame, PacoCudaLanes *lanes,
    const PacoCudaPlan *plan, bool wide, GError **error);
void paco_cuda_frame_clear (PacoCudaFrame *frame);

/* Buffers whose size depends on how large coefficients are; at first from
 * paco_cuda_frame_init(). */
gboolean paco_cuda_frame_reserve (
    PacoCudaFrame *frame, bool wide, GError **error);

/* Uploads are enqueued between BEGIN and UPLOADED, downloads between CODED and
 * END. */
gboolean paco_cuda_frame_mark (
    PacoCudaFrame *frame, unsigned event, GError **error);

/* Waits for the end, or, after a failure, for what was enqueued. */
gboolean paco_cuda_frame_wait (PacoCudaFrame *frame, GError **error);
void paco_cuda_frame_give_up (PacoCudaFrame *frame);

/* Milliseconds between two moments of the last frame. */
double paco_cuda_frame_milliseconds (
    const PacoCudaFrame *frame, unsigned from, unsigned to);

/* The transform that a frame of coding needs. */
PacoDwtFrame paco_cuda_frame_transform (const PacoCudaFrame *frame,
    const PacoCoding *coding, const PacoPicture *picture, bool wide);

/* Device address of the rows of the sets, for a frame of coding; carried_set
 * may be NULL. */
gboolean paco_cuda_frame_rows (PacoCudaFrame *frame, const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, CUdeviceptr *rows, GError **error);

G_END_DECLS

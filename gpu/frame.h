/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A frame in flight on the device: its stream, its buffers, and the launches that
 * encoder and decoder have in common. */
#pragma once
#include "gpu/codes.h"
#include "gpu/transfer.h"

/* Common to all frames of a configuration and a form. */
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
  PacoSamplePlanes sample_planes;
} PacoCudaPlan;

/* Error UNSUPPORTED for a picture that needs more than 32 bits to number its
 * coefficients. */
gboolean paco_cuda_plan_init (
    PacoCudaPlan *plan, PacoCudaDevice *device, GError **error);
void paco_cuda_plan_clear (PacoCudaPlan *plan);

/* Fills in n_blocks blocks; returns the most words of their code. coding is that of the
 * frame, for fraction bits; dropped_planes may be NULL. */
size_t paco_cuda_plan_blocks (const PacoCudaPlan *plan,
    const PacoCoding *coding, bool wide,
    const uint8_t (*dropped_planes)[PACO_MAX_SUBBANDS], PacoGpuBlock *blocks);

/* Says in which order blocks are decoded: as they come, or, beside other frames in flight,
 * those with the most code first. The last thread blocks of a frame then are short, and
 * the next frame's begin earlier; alone it would be slower. */
void paco_cuda_order_records (
    PacoGpuRecord *records, uint32_t n, bool in_flight);

/* Moments of a frame, which events mark. Some frames are timed; the others mark only what
 * something waits for, since each event costs the driver as much as a launch. */
enum
{
  PACO_CUDA_BEGIN,
  PACO_CUDA_UPLOADED,
  PACO_CUDA_STAGE_1, /* begin of the first of what the kernels do */
  PACO_CUDA_STAGE_2,
  PACO_CUDA_STAGE_3,
  PACO_CUDA_CODED,
  PACO_CUDA_END,
  PACO_CUDA_N_MOMENTS, /* that a timed frame marks */
  /* Moments that the host waits for. */
  PACO_CUDA_FOUND = PACO_CUDA_N_MOMENTS, /* Codes are on the host. */
  PACO_CUDA_MAPPED,  /* The cells of a step map are on the host. */
  PACO_CUDA_SAMPLED, /* The bands of tiles are on the host. */
  PACO_CUDA_ARRIVED, /* The bands' stream waits for this: the picture is there. */
  PACO_CUDA_N_EVENTS,
  PACO_CUDA_N_STAGES = PACO_CUDA_CODED - PACO_CUDA_STAGE_1
};

typedef struct
{
  PacoCudaShare *share;
  PacoCudaDevice *device; /* the share's */
  unsigned form;
  const PacoCudaPlan *plan; /* of the form */
  bool alone; /* No other frame of the device was being coded when it began. */
  bool has_queues; /* paco_cuda_frame_take_queues() */
  bool timed;
  unsigned n;      /* frames that the flight has coded */
  unsigned number; /* of the flight, on the device */
  double upload_ms, stage_ms[PACO_CUDA_N_STAGES]; /* of the last one */
  PacoCudaStream stream; /* gathers the kernels of frames that are not timed */
  CUevent events[PACO_CUDA_N_EVENTS];
  CUevent picture_ready; /* of another stream */
  PacoTransfer transfer;
  PacoStaged picture;
  PacoDeviceMemory coefficients, scratch, rows;
  PacoDeviceMemory planes; /* bitplanes; before or after, planes of samples */
  PacoPinnedMemory host_rows;
  PacoCudaMaps maps; /* of samples, of the frame */
  /* The components of the frame whose samples have been loaded into planes, as bits. */
  unsigned loaded;
  /* Tables of codeblocks, which stay on the device while forms alternate. */
  PacoDeviceMemory blocks[PACO_N_FORMS];
  PacoPinnedMemory host_blocks[PACO_N_FORMS];
} PacoCudaFrame;

/* Makes stream and events, but no buffers. */
gboolean paco_cuda_frame_init (
    PacoCudaFrame *frame, PacoCudaShare *share, GError **error);
void paco_cuda_frame_clear (PacoCudaFrame *frame);

/* Begins a frame of this form; plans has one plan for each form. Finds out whether the frame
 * is alone, so device->n_frames includes it already.
 *
 * The first frame of a flight is timed, and then one of 16. Flights time different ones:
 * timed frames take longer to enqueue, and streams that a clock drives would have theirs at
 * the same moment. */
void paco_cuda_frame_use (
    PacoCudaFrame *frame, const PacoCudaPlan *plans, unsigned form);

/* Allocates buffers for frames of the form, at least as large as those that exist. */
gboolean paco_cuda_frame_allocate (
    PacoCudaFrame *frame, bool wide, GError **error);

/* Makes those buffers large enough whose size depends on how large coefficients are.
 * paco_cuda_frame_allocate() calls it as well. */
gboolean paco_cuda_frame_reserve (
    PacoCudaFrame *frame, bool wide, GError **error);

/* The table of codeblocks of the form in the host's memory; when it is filled in, its
 * upload is enqueued. */
static inline PacoGpuBlock *
paco_cuda_frame_blocks (const PacoCudaFrame *frame)
{
  return (PacoGpuBlock *) frame->host_blocks[frame->form].data;
}
gboolean paco_cuda_frame_upload_blocks (PacoCudaFrame *frame, GError **error);

/* Waits until no other frame of the device has its queues, and has them until the
 * download's end, a wait, or paco_cuda_frame_leave_queues(); it may have them already.
 * Streams share the queues of the driver, so frames enqueue one after the other: a frame
 * that was uploaded then never stands behind one that is still on its way. An upload in
 * order begins with it, all others end with it, and a download begins with it. */
void paco_cuda_frame_take_queues (PacoCudaFrame *frame);
void paco_cuda_frame_leave_queues (PacoCudaFrame *frame);

/* What is enqueued between begin and end of an upload uses the bus to the device;
 * between those of a download, the bus back. The upload marks BEGIN and UPLOADED, the
 * download CODED and END.
 *
 * Frames that are not alone use the device's two streams for them, so uploads run one after
 * the other in the order in which they are enqueued, and so do downloads. Without turns all
 * frames would end at the same time, and leave the bus idle while they are coded. In the
 * frames' own streams the waiting transfers would block kernels that share a queue of the
 * driver.
 *
 * Three kinds of transfers stay in the frame's own stream. Those of a lone frame are faster
 * there. Uploads that the host copies for at the same time (in_order false) would make the
 * bus wait for the copies. Downloads of frames whose picture is in device memory may have to
 * wait for work of an application. */
gboolean paco_cuda_frame_begin_upload (
    PacoCudaFrame *frame, bool in_order, GError **error);
gboolean paco_cuda_frame_end_upload (PacoCudaFrame *frame, GError **error);
gboolean paco_cuda_frame_begin_download (PacoCudaFrame *frame, GError **error);
gboolean paco_cuda_frame_end_download (PacoCudaFrame *frame, GError **error);

/* Marks one of the other moments, or END once more. Does nothing at those that only
 * timed frames mark, if this one is not. */
gboolean paco_cuda_frame_mark (
    PacoCudaFrame *frame, unsigned event, GError **error);

/* Waits for a moment that has been marked. */
gboolean paco_cuda_frame_wait_for (
    PacoCudaFrame *frame, unsigned event, GError **error);

/* wait() waits for the end of the frame, and finds its times; give_up(), after a
 * failure, waits for all that was enqueued. */
gboolean paco_cuda_frame_wait (PacoCudaFrame *frame, GError **error);
void paco_cuda_frame_give_up (PacoCudaFrame *frame);

/* Makes the frame's stream wait for the picture's, so that the picture's device memory
 * is ready. Memory that has not held a picture is cleared. */
gboolean paco_cuda_frame_await_picture (
    PacoCudaFrame *frame, const PacoPicture *picture, GError **error);

/* Describes the transform; picture is in device memory and has any layout. */
PacoDwtFrame paco_cuda_frame_transform (const PacoCudaFrame *frame,
    const PacoCoding *coding, const PacoPicture *picture, bool wide);

/* Enqueues the transform from samples to coefficients, or back. Components that are not
 * planar go through planes, which use the memory of the bitplanes: the block coder needs
 * that only after the forward transform, or before the inverse one. */
gboolean paco_cuda_frame_enqueue_transform (PacoCudaFrame *frame,
    const PacoDwtFrame *transform, bool inverse, GError **error);

/* Enqueues the search for the codes that groups use (paco_cuda_find_codes()) in a picture
 * in device memory, which an encoder is going to transform. */
gboolean paco_cuda_frame_find_codes (PacoCudaFrame *frame,
    const PacoPicture *picture, const PacoCodeGroups *groups, uint32_t step,
    bool between, CUdeviceptr used, PacoCodeTable *found, GError **error);

/* Finds the device address of the probability sets' rows; carried_set may be NULL. */
gboolean paco_cuda_frame_rows (PacoCudaFrame *frame, const PacoCoding *coding,
    const PacoProbabilitySet *carried_set, CUdeviceptr *rows, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Moves pictures between the host's memory and the device's. A picture is a few regions
 * of memory (codec/layout.h), all of whose rows are samples. On the device they lie as
 * on the host, so that whole regions move at once. Of a part of a picture
 * (codec/crop.h) the whole is on the device, and only the part's rows move, also within
 * the device. */
#pragma once
#include "gpu/copy.h"
#include "gpu/memory.h"

/* A region, or several without a gap between their rows. */
typedef struct
{
  uint8_t *data; /* the first row in memory: the host's, if it is no part */
  size_t row_bytes, rows, stride;
  size_t size;    /* from the first row to the end of the last one, bytes */
  size_t offset;  /* of the first row in the device's memory */
  size_t pitch;   /* bytes between rows there; the stride, if it is no part */
  size_t staging; /* offset in the staging memory, where rows lie as in data */
  bool pinned;    /* the device reads and writes it where it is */
} PacoTransferRegion;

/* A picture's regions. A whole picture in device memory has none: nothing moves. */
typedef struct
{
  unsigned n_regions;
  PacoTransferRegion regions[PACO_MAX_COMPONENTS];
  size_t size;         /* bytes on the device */
  size_t staging_size; /* of regions that are not pinned, and others */
  bool staged; /* what is not page-locked has been copied to staging memory */
  PacoPicture picture;
  unsigned n_components;
  /* Of the picture on the device: data[] in its memory, and the strides. */
  size_t offset[PACO_MAX_COMPONENTS];
  ptrdiff_t stride[PACO_MAX_COMPONENTS];
} PacoTransfer;

/* Plans the transfer of a picture, with `reduce` levels left out. It finds out what is
 * page-locked, which must stay so until the frame is finished. */
void paco_transfer_plan (PacoTransfer *transfer, const PacoPicture *picture,
    const PacoPictureFormat *format, unsigned reduce);

/* The picture's memory on the device and, for pictures that do not lie in page-locked
 * memory, staging memory on the host. */
typedef struct
{
  PacoCudaShare *share;
  PacoCudaDevice *device; /* the share's */
  PacoCudaStream *stream;
  PacoDeviceMemory memory;
  PacoPinnedMemory staging;
} PacoStaged;

/* Sets *picture to the whole picture on the device: where it is, or in memory of
 * transfer->size bytes. */
void paco_transfer_device_picture (
    const PacoTransfer *transfer, CUdeviceptr memory, PacoPicture *picture);

/* Says whether nothing has to be copied on the host on the way. */
bool paco_transfer_is_pinned (const PacoTransfer *transfer);

/* Copies what is not page-locked to staging memory at once. Without this call the
 * upload copies it piece by piece while the device fetches the last piece: faster for
 * one frame, but the bus waits for the copies. */
gboolean paco_transfer_stage (
    PacoTransfer *transfer, PacoStaged *staged, GError **error);

/* Enqueues the transfer to the device. */
gboolean paco_transfer_upload (
    const PacoTransfer *transfer, PacoStaged *staged, GError **error);

/* Transfer a picture back: the first is called before anything is enqueued that writes
 * the picture, the second after that, the third when the stream has finished. Bytes
 * between rows of a region do not change. The memory of a part may be the device's. */
gboolean paco_transfer_reserve (
    const PacoTransfer *transfer, PacoStaged *staged, GError **error);
gboolean paco_transfer_download (
    const PacoTransfer *transfer, PacoStaged *staged, GError **error);
void paco_transfer_finish (const PacoTransfer *transfer, PacoStaged *staged);

/* Uploads bytes of the host. If they are not page-locked, they go through staging
 * memory from staging_offset on. */
gboolean paco_staged_upload (PacoStaged *staged, CUdeviceptr to,
    const uint8_t *data, size_t size, bool pinned, size_t staging_offset,
    GError **error);

/* Makes the picture's memory, and the staging memory, at least that large. */
gboolean paco_staged_reserve (
    PacoStaged *staged, size_t size, size_t staging, GError **error);
void paco_staged_clear (PacoStaged *staged);

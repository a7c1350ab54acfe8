/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Pictures on their way between the host's memory and the device's. A picture
 * is a few regions of memory: bytes from the first to the last sample of the
 * components that lie there. On the device they lie as on the host, so that
 * whole regions move at once. */
#pragma once
#include "gpu/copy.h"
#include "gpu/memory.h"

G_BEGIN_DECLS

typedef struct
{
  uint8_t *data; /* the host's */
  size_t size;
  size_t offset; /* in the device's memory, and in the staging memory */
  /* All bytes of a row belong to samples; else moving the region back to the
   * host must keep what lies between them. */
  bool dense;
  bool shared; /* components share words */
  bool pinned; /* the device reads and writes it where it is */
  size_t row_bytes, rows, stride;
} PacoTransferRegion;

/* A picture's regions, and what they have been made from. A picture in the
 * device's memory has no regions: nothing is to be moved. */
typedef struct
{
  unsigned n_regions;
  PacoTransferRegion regions[PACO_MAX_COMPONENTS];
  size_t size;
  bool staged; /* what is not page-locked has been copied to staging memory */
  PacoPicture picture;
  uint32_t columns[PACO_MAX_COMPONENTS], lines[PACO_MAX_COMPONENTS];
} PacoTransfer;

/* lines: of the whole frame. Cheap when only the addresses have changed and
 * all by the same. Finds out what is page-locked, which has to stay so until the
 * frame is finished. */
void paco_transfer_plan (PacoTransfer *transfer, const PacoPicture *picture,
    unsigned n_components, const uint32_t *columns, const uint32_t *lines);

/* The picture's memory on the device and, if it does not lie in page-locked
 * memory, a stop on the way. */
typedef struct
{
  PacoCudaShare *share;
  PacoCudaDevice *device; /* the share's */
  CUstream stream;
  PacoDeviceMemory memory;
  PacoPinnedMemory staging;
} PacoStation;

/* What of the picture is where on the device. */
void paco_transfer_device_picture (const PacoTransfer *transfer,
    const PacoStation *station, unsigned n_components, PacoPicture *picture);

/* Whether nothing has to be copied on the host on the way. */
bool paco_transfer_is_pinned (const PacoTransfer *transfer);

/* Copies what is not page-locked to staging memory, all at once. Else the
 * upload copies it piece by piece, and the device fetches one piece while the
 * next is copied: faster for one frame, but the bus waits for the copies. */
gboolean paco_transfer_stage (
    PacoTransfer *transfer, PacoStation *station, GError **error);

/* Enqueues the way to the device. */
gboolean paco_transfer_upload (
    const PacoTransfer *transfer, PacoStation *station, GError **error);

/* The way back: before the device writes the picture, after it, and when
 * the stream has come to the end of that. */
gboolean paco_transfer_prepare (
    const PacoTransfer *transfer, PacoStation *station, GError **error);
gboolean paco_transfer_download (
    const PacoTransfer *transfer, PacoStation *station, GError **error);
void paco_transfer_finish (const PacoTransfer *transfer, PacoStation *station);

/* Bytes from anywhere in the host's memory to the device; staging is used
 * from staging_offset on if they are not pinned: in page-locked memory. */
gboolean paco_station_upload (PacoStation *station, CUdeviceptr to,
    const uint8_t *data, size_t size, bool pinned, size_t staging_offset,
    GError **error);

gboolean paco_station_reserve (
    PacoStation *station, size_t size, bool staging, GError **error);
void paco_station_clear (PacoStation *station);

G_END_DECLS

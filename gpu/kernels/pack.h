/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of the kernels of pack.cu, which make index and payload of a
 * codestream from the blocks of a frame. C and CUDA include it. */
#pragma once
#include "codec/rate_worth.h"
#include "gpu/kernels/bpc.h"

#define PACO_PACK_SCAN_THREADS 1024
#define PACO_PACK_COPY_THREADS 256
/* Warps that copy a block: many, as they wait for memory. */
#define PACO_PACK_COPY_WARPS 4
/* Bytes of the index that a warp copies at a time. */
#define PACO_PACK_INDEX_PIECE 4096

/* What the scan finds, for the copy kernel and for the host. */
typedef struct
{
  uint64_t payload_size;
  uint32_t index_size;
  uint32_t cut_points_size; /* of the index */
  uint32_t fits; /* into the output; if not, nothing is written there */
} PacoPackSizes;

typedef struct
{
  PACO_DEVICE_POINTER (const PacoGpuBlock) blocks;
  PACO_DEVICE_POINTER (const uint32_t)
  code; /* of all blocks, as the block coder wrote it */
  /* In the order of the codestream; the scan sets their offsets. */
  PACO_DEVICE_POINTER (PacoGpuRecord) records;
  /* In the same order, whose cut points the index gets; or 0. */
  PACO_DEVICE_POINTER (const PacoRateCuts) cuts;
  /* Scratch: 8 bytes per block, and with cut points 11. */
  PACO_DEVICE_POINTER (uint8_t) index;
  PACO_DEVICE_POINTER (PacoPackSizes) sizes;
  PACO_DEVICE_POINTER (PacoPackSizes) host_sizes; /* the same, for the host */
  /* The frame, 16-byte aligned; index and payload follow the header. */
  PACO_DEVICE_POINTER (uint8_t) output;
  uint64_t capacity; /* bytes */
  uint32_t header_size;
  uint32_t
      map_size; /* of a step map, which the host puts between records and cuts */
  uint32_t n_blocks;
  uint32_t block_checks; /* records have them */
} PacoPackParameters;

/* Launch, with the same parameters: one block of PACO_PACK_SCAN_THREADS of
 * paco_pack_scan, then any number of blocks of PACO_PACK_COPY_THREADS of
 * paco_pack_copy. */

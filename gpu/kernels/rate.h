/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the kernels of rate.cu take and give: they find the step number of a frame
 * with a budget, and make it fit (codec/rate_control.h). Included by C and by
 * CUDA.
 *
 * In the order of a frame: paco_rate_count_{16,32}, paco_rate_decide, the block
 * coder, paco_rate_find, paco_rate_fit, paco_rate_shorten. Of a frame with cut
 * points and without a budget only paco_rate_find. */
#pragma once
#include "codec/rate_worth.h"
#include "gpu/kernels/bpc.h"

#define PACO_RATE_COUNT_THREADS 128  /* of paco_rate_count; a block each */
#define PACO_RATE_DECIDE_THREADS 128 /* and one block of them */
#define PACO_RATE_FIND_THREADS 64    /* a codeblock each */
#define PACO_RATE_FIT_THREADS 1024   /* and one block of them */
#define PACO_RATE_SHORTEN_THREADS 32 /* a block each */

/* Of all components, at most. */
#define PACO_RATE_MAX_ENTRIES 100

/* 32-bit words of shared memory. */
#define PACO_RATE_COUNT_WORDS (PACO_RATE_COUNT_THREADS / 32 * PACO_RATE_PLANES)
#define PACO_RATE_DECIDE_WORDS (2 * PACO_RATE_DECIDE_THREADS / 32)
#define PACO_RATE_FIT_WORDS (PACO_RATE_WORTHS + PACO_RATE_FIT_THREADS / 32 + 8)

typedef struct
{
  PACO_DEVICE_POINTER (const void) coefficients; /* c, int16_t or int32_t */
  PACO_DEVICE_POINTER (const PacoGpuBlock) blocks;
  PACO_DEVICE_POINTER (PacoRateBits) sums; /* of each entry; are added to */
  uint32_t block_checks;
} PacoRateCountParameters;

/* Chooses among all numbers; but sums that are 0 stand for a number that is known
 * already. Leaves the sums zero for the next frame. */
typedef struct
{
  PACO_DEVICE_POINTER (const PacoRateStep) steps;
  PACO_DEVICE_POINTER (PacoRateBits) sums;
  PACO_DEVICE_POINTER (PacoRateBits) host_sums; /* a copy for the host */
  PACO_DEVICE_POINTER (uint32_t) number;
  uint64_t budget; /* of index and payload, bytes */
  uint32_t correction;
  uint32_t n_entries, n_numbers;
  uint32_t known; /* the number, unless it is to be chosen */
  uint32_t is_known;
} PacoRateDecideParameters;

/* Of finding cuts, choosing them, and shortening blocks. Arrays are in the order of
 * the codestream, but blocks. */
typedef struct
{
  PACO_DEVICE_POINTER (const PacoGpuBlock) blocks;
  /* Without a budget 0, and weights say what these do then. */
  PACO_DEVICE_POINTER (const PacoRateStep) steps;
  PACO_DEVICE_POINTER (const uint32_t) number;
  PACO_DEVICE_POINTER (const uint16_t) plane_ends;
  PACO_DEVICE_POINTER (const uint32_t) tops;
  PACO_DEVICE_POINTER (const uint32_t) code;
  PACO_DEVICE_POINTER (PacoGpuRecord) records;
  PACO_DEVICE_POINTER (PacoRateCuts) cuts;
  PACO_DEVICE_POINTER (uint32_t) bytes; /* of a block in index and payload */
  PACO_DEVICE_POINTER (uint8_t) lost;   /* as in codec/rate_cut.h */
  PACO_DEVICE_POINTER (uint64_t) host_bytes; /* of all blocks, before any cut */
  uint64_t budget;                           /* of index and payload */
  uint32_t n_entries, n_blocks;
  uint32_t block_checks, cut_points;      /* whether the frame has them */
  int16_t weights[PACO_RATE_MAX_ENTRIES]; /* paco_policy_weight() */
} PacoRateFitParameters;

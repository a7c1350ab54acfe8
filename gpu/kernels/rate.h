/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of the kernels of rate.cu, which gpu/rate.c fills in: they find the
 * step number of a frame with a budget, and make the frame fit
 * (codec/rate_control.h). C and CUDA include it.
 *
 * The kernels of a frame run in this order: paco_rate_count_{16,32},
 * paco_rate_decide, the block coder, paco_rate_find, paco_rate_fit,
 * paco_rate_shorten. A frame with cut points and without a budget has only
 * paco_rate_find. */
#pragma once
#include "codec/rate_worth.h"
#include "gpu/kernels/bpc.h"

/* Threads of a thread block. */
#define PACO_RATE_COUNT_THREADS 128   /* a codeblock for each warp */
#define PACO_RATE_DECIDE_THREADS 256  /* one thread block */
#define PACO_RATE_FIND_THREADS 128    /* a codeblock for each thread */
#define PACO_RATE_FIT_THREADS 512     /* one thread block */
#define PACO_RATE_SHORTEN_THREADS 128 /* a codeblock for each warp */

/* The most entries of all components together. */
#define PACO_RATE_MAX_ENTRIES 100

/* Words between rows of counts in shared memory: threads use different banks. */
#define PACO_RATE_ROW_WORDS (PACO_BPC_PLANES_32 + 1)

/* 32-bit words of shared memory. */
#define PACO_RATE_DECIDE_WORDS(n_entries)                                      \
  (PACO_RATE_DECIDE_THREADS / 32 + (n_entries) * (sizeof (PacoRateBits) / 4))
#define PACO_RATE_FIND_WORDS                                                   \
  (PACO_RATE_WORTHS + PACO_RATE_FIND_THREADS * PACO_RATE_ROW_WORDS * 3 / 2)
#define PACO_RATE_FIT_WORDS (PACO_RATE_FIT_THREADS / 32 + 8)

/* Bytes that each cut of a block saves, 0 if there is no such cut, and what they are
 * worth. The last cut leaves nothing. */
typedef struct
{
  uint16_t bytes[PACO_RATE_MAX_CUTS + 1];
  uint8_t worth[PACO_RATE_MAX_CUTS + 1];
  uint32_t unused;
} __attribute__ ((aligned (16))) PacoRatePieces;

typedef struct
{
  PACO_DEVICE_POINTER (const void) coefficients; /* c, int16_t or int32_t */
  PACO_DEVICE_POINTER (const PacoGpuBlock) blocks;
  PACO_DEVICE_POINTER (PacoRateBits) sums;   /* of each entry; are added to */
  PACO_DEVICE_POINTER (const uint8_t) cells; /* of the step map, or 0 */
  uint32_t n_blocks;
  uint32_t block_checks;
} PacoRateCountParameters;

/* Of paco_rate_decide, which chooses the step number unless it is known, and clears the
 * sums. */
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

/* Sums over all blocks. A frame is smaller than 4 GiB. */
typedef struct
{
  uint32_t bytes;                   /* before any cut */
  uint32_t saved[PACO_RATE_WORTHS]; /* by cuts that are worth so much */
} PacoRateSums;

/* Of paco_rate_find, which finds cuts, paco_rate_fit, which chooses among them and
 * clears the sums, and paco_rate_shorten. All arrays but `blocks` are in the order of
 * the codestream. */
typedef struct
{
  PACO_DEVICE_POINTER (const PacoGpuBlock) blocks;
  /* 0 without a budget: weights has what steps would say. */
  PACO_DEVICE_POINTER (const PacoRateStep) steps;
  PACO_DEVICE_POINTER (const uint32_t) number;
  PACO_DEVICE_POINTER (const uint16_t) plane_ends;
  PACO_DEVICE_POINTER (const uint32_t) tops;
  PACO_DEVICE_POINTER (const uint32_t) code;
  PACO_DEVICE_POINTER (PacoGpuRecord) records;
  PACO_DEVICE_POINTER (PacoRateCuts) cuts;
  /* With a budget: */
  PACO_DEVICE_POINTER (PacoRatePieces) pieces;
  PACO_DEVICE_POINTER (PacoRateSums) sums;
  PACO_DEVICE_POINTER (uint8_t) lost;        /* as in codec/rate_control.h */
  PACO_DEVICE_POINTER (uint64_t) host_bytes; /* of all blocks, before any cut */
  uint64_t budget;                           /* of index and payload */
  uint32_t n_entries, n_blocks;
  uint32_t block_checks, cut_points;      /* whether the frame has them */
  int16_t weights[PACO_RATE_MAX_ENTRIES]; /* paco_policy_weight() */
} PacoRateFitParameters;

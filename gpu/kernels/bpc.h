/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the block coder's kernels (bpc.cu) read and write: structs that C and CUDA both
 * include. encoder.c, decoder.c and frame.c of gpu/ fill them in. */
#pragma once
#include "codec/contexts.h"
#include "codec/rate_steps.h"
#include <stddef.h>
#include <stdint.h>

/* A pointer into device memory: a CUdeviceptr in C. */
#ifdef __CUDACC__
#define PACO_DEVICE_POINTER(type) type *
#else
#define PACO_DEVICE_POINTER(type) uint64_t
#endif

/* A codeblock as the kernels see it, made when the format is set. Blocks are
 * coded in the order of the array, so those that take longest come first. */
typedef struct
{
  uint32_t record;       /* number in the order of the codestream */
  uint32_t coefficients; /* its first coefficient, in elements (even) */
  uint32_t stride;       /* of the coefficients' rows, elements (even) */
  uint32_t code;         /* encoder: where its code begins, in 32-bit words */
  uint32_t columns;      /* sum of PACO_GPU_COLUMN_WORDS of blocks before */
  uint8_t width;         /* 1..64 */
  uint8_t lost_planes;   /* encoder: paco_areas_planes() */
  uint16_t height;
  uint8_t orientation;    /* PacoOrientation */
  uint8_t dropped_planes; /* encoder: paco_policy_dropped_planes() */
  uint8_t fraction_bits;  /* encoder: 0, 1 or PACO_FRACTION_BITS */
  uint8_t family;         /* of probability sets */
  /* Whether the wavelet is. The decoder then writes what FORMAT.md section 8 says,
   * else m << d with its sign. In the encoder lost planes are then dropped ones,
   * else they are lost before indices are rounded. */
  uint8_t reversible;
  /* Encoder, frames with a budget: whether all lines are counted
   * (codec/rate_estimate.h), and which of the steps of all components' entries is
   * the block's. */
  uint8_t counts_all;
  uint16_t entry;
} PacoGpuBlock;

/* How many words one bitplane of a block takes. */
#define PACO_GPU_COLUMN_WORDS(height) (64 * (((height) + 31) / 32))

/* How many words a block's code may take; planes is the most that it may have. */
#define PACO_GPU_CODE_WORDS(n_coefficients, planes)                            \
  (((n_coefficients) * ((planes) + 1) + 31) / 32)

enum
{
  PACO_GPU_SHARED_CODEWORDS = 1 << 0,
  PACO_GPU_RAW_LEFT_SIGNS = 1 << 1,
  PACO_GPU_BROKEN = 1 << 2, /* decoder: found to be */
  PACO_GPU_CUT = 1 << 3,
};

/* PacoBlockRecord, packed. */
typedef struct
{
  uint8_t planes, raw_planes, dropped_planes;
  uint8_t flags;
  uint16_t length; /* bytes */
  uint16_t check;  /* with block_checks */
  uint32_t offset; /* bytes, in the payload (decoder) */
  uint8_t set;     /* of the block's family */
  uint8_t unused[3];
} PacoGpuRecord;

/* The probability sets of all families lie one behind the other, eight to a
 * family. A set is PACO_N_ROWS rows of 64 bytes. Contexts have other places in
 * these than in the format, so that the place of a refinement context is 48
 * and the three highest bits of c. Signs are in between. */
#define PACO_GPU_FAMILY_SETS 8
#define PACO_GPU_ROW_BYTES 64
#define PACO_GPU_SET_BYTES (PACO_N_ROWS * PACO_GPU_ROW_BYTES)
#define PACO_GPU_REFINEMENT_PLACE 48
#define PACO_GPU_SIGN_PLACE 41
#define PACO_GPU_WAKE_PLACE 54

/* How many bitplanes there is scratch memory for, which is how many a block may
 * have. The decoder takes a block with more as broken. */
enum
{
  PACO_BPC_PLANES_16 = 16, /* int16_t coefficients */
  PACO_BPC_PLANES_32 = 24,
};

typedef struct
{
  /* int16_t or int32_t, see dwt.h */
  PACO_DEVICE_POINTER (const void) coefficients;
  PACO_DEVICE_POINTER (const PacoGpuBlock) blocks;
  PACO_DEVICE_POINTER (const uint8_t) rows;
  /* Scratch: PACO_BPC_PLANES_... * 4 bytes for each word of `columns`. */
  PACO_DEVICE_POINTER (uint32_t) planes;
  PACO_DEVICE_POINTER (uint32_t) code;
  PACO_DEVICE_POINTER (PacoGpuRecord) records;
  /* 0, or PACO_BPC_PLANES_32 numbers for each record: PacoCutPoints (codec/cut.h),
   * the codewords reserved at the end of each plane where the block can be cut. */
  PACO_DEVICE_POINTER (uint16_t) plane_ends;
  /* 0, or as many numbers: PacoBlockCounts.top. */
  PACO_DEVICE_POINTER (uint32_t) tops;
  /* 0, or all steps of all step numbers, n_entries for each, and the number whose
   * steps and dropped planes take the place of the blocks' own. */
  PACO_DEVICE_POINTER (const PacoRateStep) steps;
  PACO_DEVICE_POINTER (const uint32_t) step_number;
  uint32_t n_entries;
  uint32_t n_blocks;
  uint32_t complexity;   /* 0..3 */
  uint32_t block_checks; /* records get them */
} PacoBpcEncodeParameters;

typedef struct
{
  PACO_DEVICE_POINTER (void) coefficients;
  PACO_DEVICE_POINTER (const PacoGpuBlock) blocks;
  PACO_DEVICE_POINTER (const uint8_t) rows;
  PACO_DEVICE_POINTER (uint32_t) planes;
  /* The bytes of all blocks, from the first byte of a word on. */
  PACO_DEVICE_POINTER (const uint32_t) payload;
  PACO_DEVICE_POINTER (PacoGpuRecord) records;
  PACO_DEVICE_POINTER (uint32_t) n_broken; /* is added to */
  uint32_t n_blocks;
  uint32_t payload_words; /* that may be read, at least one */
  uint32_t reconstruction;
  uint32_t block_checks; /* records have them */
} PacoBpcDecodeParameters;

/* Launch: n_blocks blocks of PACO_BPC_THREADS threads of the kernel
 *   paco_bpc_{encode,decode}_{16,32}_{coding passes}
 * with this much dynamic shared memory. */
#define PACO_BPC_THREADS 32

/* Words of shared memory: tables, contexts and arrays for each 32 lines of a
 * block (bpc_block.cuh). */
enum
{
  /* The bytes of a row that scans need. Each lane reads a row of its own, and rows
   * that are 56 bytes apart share banks less often than rows 64 bytes apart. */
  PACO_BPC_ROW_BYTES = 56,
  PACO_BPC_ROW_WORDS = PACO_N_DENSITIES * PACO_BPC_ROW_BYTES / 4,
  PACO_BPC_TABLE_WORDS = PACO_BPC_ROW_WORDS + 16 + 4, /* rows, signs, waking */
  /* Besides planes of stripes. */
  PACO_BPC_ENCODER_TABLE_WORDS = PACO_BPC_TABLE_WORDS + 32,
  /* Besides a ring of codewords and weights. */
  PACO_BPC_DECODER_TABLE_WORDS = PACO_BPC_TABLE_WORDS + 128 + 64,
  PACO_BPC_CONTEXT_WORDS = 128,
  PACO_BPC_ARRAY_WORDS = 208,
  PACO_BPC_PASS_WORDS = 64, /* more with two or three coding passes */
};

static inline size_t
paco_bpc_shared_bytes (int decoder, unsigned coding_passes, unsigned max_height)
{
  size_t lines_32 = max_height < 128 ? 4 : (max_height + 31) / 32;
  size_t each = PACO_BPC_CONTEXT_WORDS + PACO_BPC_ARRAY_WORDS
      + (coding_passes > 1 ? PACO_BPC_PASS_WORDS : 0);
  size_t tables = decoder ? PACO_BPC_DECODER_TABLE_WORDS
                          : PACO_BPC_ENCODER_TABLE_WORDS;

  return 4 * (tables + lines_32 * each);
}

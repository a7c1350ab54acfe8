/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the block coder's kernels (bpc.cu) read and write. C and CUDA include it. */
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

/* A codeblock, made when the format is set. Blocks are encoded in the order of the array. */
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
  /* The wavelet is. The decoder then writes what FORMAT.md section 8 says, else m << d
   * with its sign. In the encoder lost planes are then dropped ones, else they are lost
   * before indices are rounded. */
  uint8_t reversible;
  /* Encoder, frames with a budget: all lines are counted (codec/rate_estimate.h), and
   * the block's step among all components' entries. */
  uint8_t counts_all;
  uint16_t entry;
  /* Encoder: the cells of a step map (codec/step_map.h), if shift_x is not 0: that of the
   * block's first coefficient, and how they go on. */
  uint32_t first_cell;
  uint16_t cell_columns;
  uint8_t cell_shift_x, cell_shift_y;
  uint32_t cells_halved;
} PacoGpuBlock;

/* Words of a bitplane of a block. */
#define PACO_GPU_COLUMN_WORDS(height) (64 * (((height) + 31) / 32))

/* The most words of a block's code; planes is the most that it may have. */
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
  uint16_t length;  /* bytes */
  uint16_t check;   /* with block_checks */
  uint32_t offset;  /* bytes, in the payload (decoder) */
  uint32_t set : 8; /* of the block's family */
  /* Decoder: this record's number among the frame's is that of a thread block, which
   * decodes the block of this number. */
  uint32_t decoded : 24;
} PacoGpuRecord;

#define PACO_GPU_MAX_BLOCKS (1u << 24)

/* Probability sets of all families follow each other, eight to a family. A set is
 * PACO_N_ROWS rows of 64 bytes. Contexts have other places in them than in the format:
 * that of a refinement context is 48 plus the three highest bits of c, and signs lie in
 * between. */
#define PACO_GPU_FAMILY_SETS 8
#define PACO_GPU_ROW_BYTES 64
#define PACO_GPU_SET_BYTES (PACO_N_ROWS * PACO_GPU_ROW_BYTES)
#define PACO_GPU_REFINEMENT_PLACE 48
#define PACO_GPU_SIGN_PLACE 41
#define PACO_GPU_WAKE_PLACE 54

/* Bitplanes of scratch memory, the most that a block may have: with more, the decoder
 * takes it as broken. */
enum
{
  PACO_BPC_PLANES_16 = 16, /* int16_t coefficients */
  PACO_BPC_PLANES_32 = 24,
};

typedef struct
{
  /* int16_t or int32_t (dwt.h) */
  PACO_DEVICE_POINTER (const void) coefficients;
  PACO_DEVICE_POINTER (const PacoGpuBlock) blocks;
  PACO_DEVICE_POINTER (const uint8_t) rows;
  /* Scratch: PACO_BPC_PLANES_... * 4 bytes for each word of `columns`. */
  PACO_DEVICE_POINTER (uint32_t) planes;
  PACO_DEVICE_POINTER (uint32_t) code;
  PACO_DEVICE_POINTER (PacoGpuRecord) records;
  /* 0, or PACO_BPC_PLANES_32 numbers for each record: the codewords reserved at the end
   * of each plane where the block can be cut (PacoCutPoints). */
  PACO_DEVICE_POINTER (uint16_t) plane_ends;
  /* 0, or as many: PacoBlockCounts.top. */
  PACO_DEVICE_POINTER (uint32_t) tops;
  /* 0, or the steps of all step numbers, n_entries for each, and the number whose steps
   * and dropped planes replace the blocks' own. */
  PACO_DEVICE_POINTER (const PacoRateStep) steps;
  PACO_DEVICE_POINTER (const uint32_t) step_number;
  PACO_DEVICE_POINTER (const uint8_t) cells; /* of the step map, or 0 */
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

/* Words of shared memory: tables, and contexts and arrays for each 32 lines
 * (bpc_block.cuh). */
enum
{
  /* Bytes of a row that scans need. Each lane reads a row of its own, and rows 56 bytes
   * apart share banks less often than rows 64 bytes apart. */
  PACO_BPC_ROW_BYTES = 56,
  PACO_BPC_ROW_WORDS = PACO_N_DENSITIES * PACO_BPC_ROW_BYTES / 4,
  PACO_BPC_TABLE_WORDS = PACO_BPC_ROW_WORDS + 16 + 4, /* rows, signs, waking */
  /* Besides planes of stripes. */
  PACO_BPC_ENCODER_TABLE_WORDS = PACO_BPC_TABLE_WORDS + 32,
  /* Besides a ring of codewords, weights, and an address. */
  PACO_BPC_DECODER_TABLE_WORDS = PACO_BPC_TABLE_WORDS + 128 + 64 + 2,
  PACO_BPC_CONTEXT_WORDS = 128,
  PACO_BPC_ARRAY_WORDS = 208,
  PACO_BPC_PASS_WORDS = 64, /* more with three coding passes */
};

static inline size_t
paco_bpc_shared_bytes (int decoder, unsigned coding_passes, unsigned max_height)
{
  size_t lines_32 = max_height < 128 ? 4 : (max_height + 31) / 32;
  size_t each = PACO_BPC_CONTEXT_WORDS + PACO_BPC_ARRAY_WORDS
      + (coding_passes > 2 ? PACO_BPC_PASS_WORDS : 0);
  size_t tables = decoder ? PACO_BPC_DECODER_TABLE_WORDS
                          : PACO_BPC_ENCODER_TABLE_WORDS;

  return 4 * (tables + lines_32 * each);
}

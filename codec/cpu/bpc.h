/* SPDX-License-Identifier: LGPL-2.1-or-later
 * BPC-PaCo on the CPU: one codeblock at a time, vectorised over the 32 lanes
 * (FORMAT.md section 7). A table of operations per instruction set. */
#pragma once
#include "codec/cut.h"
#include "codec/policy.h"

/* Working memory of one thread; about a megabyte, no state between blocks.
 * NULL without memory. */
typedef struct _PacoBpcScratch PacoBpcScratch;

PacoBpcScratch *paco_bpc_scratch_new (void);
void paco_bpc_scratch_free (PacoBpcScratch *scratch);

/* Where a block lies and how it is coded. coefficients points to the block's
 * first coefficient, int32_t with the reversible wavelet, else float; stride
 * counts coefficients. */
typedef struct
{
  void *coefficients;
  ptrdiff_t stride;
  uint16_t width, height; /* 1..64, 1..256 */
  uint8_t orientation;    /* PacoOrientation */
  uint8_t coding_passes;  /* 1..3 */
  uint8_t complexity;     /* encoder: 0..3 */
  uint8_t dropped_planes; /* encoder: paco_policy_dropped_planes() */
  uint8_t fraction_bits;  /* encoder: 0, 1 or PACO_FRACTION_BITS */
  /* Encoder: planes lost before rounding (codec/areas.h); irreversible only, others
   * drop them. */
  uint8_t lost_planes;
  uint8_t reconstruction; /* decoder: rho */
  bool reversible;
  float step; /* Delta, irreversible only */
  /* Encoder: with a multiplier coefficients are scaled in two steps, to integers and
   * then to steps (codec/rate_steps.h); else they are divided by the step. */
  float scale;
  uint16_t multiplier;
  uint8_t shift;
  bool narrow; /* the integers are below 2^15 */
  /* Encoder: what it finds, or NULL. */
  PacoBlockCounts *counts;
  PacoCutPoints *cut_points;
  uint8_t family; /* encoder: for the choice of a set */
  PacoFamily sets;
} PacoBpcBlock;

/* Block number i in the frames of coding, but for where it lies and what is for
 * encoders only. carried_set may be NULL. */
PacoBpcBlock paco_bpc_block (const PacoGeometry *geometry,
    const PacoCoding *coding, const PacoProbabilitySet *carried_set,
    uint32_t i);

/* Bytes that encode() may write: the bound of policy.h and room for vectors. */
#define PACO_BPC_OUTPUT_SIZE (64 * 256 * (PACO_MAX_PLANES + 1) / 8 + 64)

typedef struct
{
  const char *name; /* "plain", "avx2", "avx512", "neon" */

  /* Quantizes and codes a block into out[0..PACO_BPC_OUTPUT_SIZE). Fills
   * *record but for offset and check. Leaves the coefficients alone. */
  void (*encode) (PacoBpcScratch *scratch, const PacoBpcBlock *block,
      uint8_t *out, PacoBlockRecord *record);

  /* Decodes a block of record->length bytes and writes all its coefficients,
   * dequantized. Never reads outside bytes[0..length). Returns FALSE if the
   * block is broken (FORMAT.md section 7.6; the check of the index is the
   * caller's); the coefficients are then all 0. record->planes may be 0. */
  gboolean (*decode) (PacoBpcScratch *scratch, const PacoBpcBlock *block,
      const PacoBlockRecord *record, const uint8_t *bytes);

  /* The check of bytes[0..length) (FORMAT.md section 6). */
  uint16_t (*check) (const uint8_t *bytes, size_t length);
} PacoBpcOps;

/* The fastest of this machine. */
const PacoBpcOps *paco_bpc_ops (void);

/* All that run on this machine, for tests; NULL-terminated. */
const PacoBpcOps *const *paco_bpc_all_ops (void);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * BPC-PaCo on the CPU: one codeblock at a time, vectorised over the 32 lanes (FORMAT.md
 * section 7), with a table of operations for each instruction set. Encoder and decoder
 * of the CPU call it from their workers, and codec/conceal.c on the host. */
#pragma once
#include "codec/cut.h"
#include "codec/policy.h"
#include "codec/step_map.h"

/* The working memory of one thread: about a megabyte, without a state between blocks.
 * The function that makes it returns NULL if there is no memory. */
typedef struct _PacoBpcScratch PacoBpcScratch;

PacoBpcScratch *paco_bpc_scratch_new (void);
void paco_bpc_scratch_free (PacoBpcScratch *scratch);

/* Where a block lies and how it is coded. coefficients points to the block's first
 * coefficient; stride counts coefficients. They are int32_t with a reversible wavelet and
 * floats with others; a decoder's of a narrow block are int16_t. */
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
  /* Encoder: how many planes the block loses before it is rounded (codec/areas.h),
   * with an irreversible wavelet; with a reversible one they are among the dropped
   * planes. */
  uint8_t lost_planes;
  uint8_t reconstruction; /* decoder: rho */
  bool reversible;
  float step; /* Delta, irreversible only */
  /* The cells of the frame's step map, if the subband uses it, and where the
   * block lies in the subband. */
  const uint8_t *cells;
  PacoStepMapPlace map;
  uint32_t x, y;
  /* Encoder: if there is a multiplier, coefficients are scaled to integers and these to
   * steps (codec/rate_steps.h); else they are divided by the step. */
  float scale;
  uint16_t multiplier;
  uint8_t shift;
  /* The integers are below 2^15. With a decoder the wavelet is reversible then. */
  bool narrow;
  /* Decoder: whole lines are written past the caches, with AVX-512; the caller makes a fence
   * of sequential consistency afterwards. */
  bool past_caches;
  /* Encoder: it stores here what it finds, unless NULL. */
  PacoBlockCounts *counts;
  PacoCutPoints *cut_points;
  uint8_t family; /* encoder: for the choice of a set */
  PacoFamily sets;
} PacoBpcBlock;

/* Describes block number i of frames that are coded like this, but for where it lies
 * and for what only encoders need. carried_set may be NULL. */
PacoBpcBlock paco_bpc_block (const PacoGeometry *geometry,
    const PacoCoding *coding, const PacoProbabilitySet *carried_set,
    uint32_t i);

/* How many bytes encode() may write: those of the largest block, and room for whole
 * vectors. */
#define PACO_BPC_OUTPUT_SIZE (64 * 256 * (PACO_MAX_PLANES + 1) / 8 + 64)

typedef struct
{
  const char *name; /* "plain", "avx2", "avx512", "neon" */

  /* Quantizes and codes a block into out[0..PACO_BPC_OUTPUT_SIZE). Fills in *record but
   * for offset and check. Does not change the coefficients. */
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

/* Returns the fastest one that runs on this machine. */
const PacoBpcOps *paco_bpc_ops (void);

/* All that run on this machine, for tests; the list ends with NULL. */
const PacoBpcOps *const *paco_bpc_all_ops (void);

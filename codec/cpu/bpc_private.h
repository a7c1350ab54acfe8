/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the instances of the block coder share, one for each instruction set: the
 * working memory, and the tables of operations that bpc.c chooses from.
 *
 * A row of a block is 64 coefficients. It is kept as a *row mask*, 64 bits of which
 * bit t is the left column of lane t and bit 32 + t its right column, or as 64 bytes
 * in the same order. So one visit of the 32 lanes is 32 bits of a word, and a
 * decision about it takes a few instructions. */
#pragma once
#include "codec/cpu/bpc.h"
#include "codec/density.h"
#include "codec/policy_set.h"
#include "codec/quantizer.h"
#include "codec/rate_steps.h"

#ifndef BPC_INLINE /* meson.build defines it for the sanitizers. */
#define BPC_INLINE static inline __attribute__ ((always_inline))
#endif
#define BPC_ALIGNED __attribute__ ((aligned (64)))

/* Contexts depend on two lines above and below, so rows y = -2..height + 1 exist. */
#define BPC_MARGIN 2
#define BPC_ROWS (PACO_MAX_BLOCK_HEIGHT + 2 * BPC_MARGIN)

/* No block has more bytes than this (all planes raw). */
#define BPC_MAX_BYTES                                                          \
  (PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT * (PACO_MAX_PLANES + 1) / 8)

/* How many codewords an encoder may write, which looks only at the end of a plane
 * whether it is past BPC_MAX_BYTES. A codeword holds at least four symbols; a plane
 * has at most a bit and a sign of each coefficient and a symbol of each stripe; and
 * vectors are stored whole. */
#define BPC_MAX_CODEWORDS                                                      \
  (BPC_MAX_BYTES / 4 + 2 * PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT / 4 + 160)

/* From this many signs of a pass on, it is faster to move them lane by lane than one by
 * one. */
#define BPC_MANY_SIGNS 64

/* How many stripes a block may have. */
#define BPC_STRIPES (PACO_MAX_BLOCK_HEIGHT / PACO_STRIPE_LINES)

/* How many codewords the decoder reserves at most before it checks that there were so
 * many: in a stripe of a scan each lane has 16 symbols, and a codeword holds at least
 * four. */
#define BPC_STRIPE_CODEWORDS (32 * (2 * PACO_STRIPE_LINES / 4 + 1))

/* A new sign, and the visit that codes it. */
typedef struct
{
  uint16_t row;
  uint8_t lane, visit;
} BpcSign;

struct _PacoBpcScratch
{
  /* Bit p of the magnitudes. */
  uint64_t plane[PACO_MAX_PLANES][PACO_MAX_BLOCK_HEIGHT] BPC_ALIGNED;
  /* Row y is at BPC_MARGIN + y; the margins of significant stay 0. */
  uint64_t negative[BPC_ROWS] BPC_ALIGNED;
  uint64_t significant[BPC_ROWS] BPC_ALIGNED;
  uint64_t old[BPC_ROWS] BPC_ALIGNED;   /* significant as the plane began */
  uint64_t coded[BPC_ROWS] BPC_ALIGNED; /* in this plane already */
  uint64_t fresh[BPC_ROWS] BPC_ALIGNED; /* significant since this scan */
  uint64_t known[BPC_ROWS] BPC_ALIGNED; /* the sign was coded */
  /* The significance context of every coefficient, kept up to date, and a row that may
   * be read. */
  uint8_t contexts[BPC_ROWS + 1][64] BPC_ALIGNED;
  /* By stripe: how many significant coefficients each column has in it; the
   * density class of each lane in this plane; and which classes there are, as
   * the bits of a mask. */
  uint8_t counts[BPC_STRIPES][64] BPC_ALIGNED;
  uint8_t densities[BPC_STRIPES][32] BPC_ALIGNED;
  uint16_t present[BPC_STRIPES];
  /* The class of each local density (FORMAT.md section 7.4); it never changes. */
  uint8_t density_classes[256] BPC_ALIGNED;
  /* Probabilities of significance and refinement in this plane, by class. */
  uint8_t tables[PACO_N_DENSITIES][64] BPC_ALIGNED;
  /* The encoder's: the stripes that are awake after the visit to them that
   * begins a plane, as the bits of a mask. */
  uint32_t awake[PACO_MAX_PLANES + 1];
  /* Signs coded so far as +1, -1, else 0. */
  int8_t signs[BPC_ROWS][64] BPC_ALIGNED;
  /* Signs of a pass: by row, and compacted by visit. */
  uint8_t sign_values[PACO_MAX_BLOCK_HEIGHT][32] BPC_ALIGNED;
  uint8_t sign_visits[PACO_MAX_BLOCK_HEIGHT][32] BPC_ALIGNED;
  uint32_t sign_bits[PACO_MAX_BLOCK_HEIGHT] BPC_ALIGNED;
  /* Where they belong, if there are few. */
  BpcSign few_signs[BPC_MANY_SIGNS];
  /* The same by lane, and which lines of a lane they belong to. */
  uint8_t sign_lists[32][PACO_MAX_BLOCK_HEIGHT + 64] BPC_ALIGNED;
  uint64_t fresh_lines[PACO_MAX_BLOCK_HEIGHT / 64][32] BPC_ALIGNED;
  /* AVX2's, by stripe and word: 0xff for each line that has a new sign. */
  uint64_t fresh_words[BPC_STRIPES][32] BPC_ALIGNED;
  /* The encoder's magnitudes, with the bits behind the point: bytes 0, 1, 2 of
   * each. And which are rounded up. */
  uint8_t magnitude[PACO_MAX_BLOCK_HEIGHT][3][64] BPC_ALIGNED;
  uint64_t up[PACO_MAX_BLOCK_HEIGHT] BPC_ALIGNED;
  /* The encoder's n-th reservation: by which coder, and the value of the
   * codeword that this coder had finished. */
  uint32_t finished[BPC_MAX_CODEWORDS] BPC_ALIGNED;
  uint8_t reserved_by[BPC_MAX_CODEWORDS] BPC_ALIGNED;
  /* Columns as bit strings, line 0 first. */
  uint64_t columns[64][PACO_MAX_BLOCK_HEIGHT / 64] BPC_ALIGNED;
  uint64_t column_signs[64][PACO_MAX_BLOCK_HEIGHT / 64] BPC_ALIGNED;
  /* The raw string (7.6), with room for zeros behind. */
  uint8_t string[BPC_MAX_BYTES + 65536 + 512] BPC_ALIGNED;
  /* The decoder's bytes, and zeros behind them. */
  uint8_t input[65536 + 4 * BPC_STRIPE_CODEWORDS + 256] BPC_ALIGNED;
};

/* How coefficients become magnitudes, with scale = 2^fraction_bits / step, or, if
 * there is a multiplier, with the scale of codec/rate_steps.h; and how magnitudes
 * become coefficients, with scales[x] = 2^(d-8) step of column x of the line and middle
 * = rho, or with a reversible wavelet middle = what is added to m 2^d. */
typedef struct
{
  bool reversible;
  unsigned dropped;
  int32_t middle;
  float scale;
  const float *scales; /* PACO_BLOCK_WIDTH */
  uint32_t multiplier; /* 0: none */
  unsigned shift;      /* 15 at least */
  bool narrow;         /* what is multiplied is below 2^15 */
  bool past_caches;    /* PacoBpcBlock */
  /* Of each column of the line, for the frame's step map (codec/step_map.h), or NULL. */
  const uint32_t *multipliers; /* PACO_BLOCK_WIDTH */
} BpcQuantizer;

/* What a significant neighbor weighs in a context (FORMAT.md section 7.3). */
typedef struct
{
  uint8_t horizontal, vertical, diagonal;
  uint8_t horizontal_2, vertical_2, knight;
} BpcWeights;

extern const PacoBpcOps paco_bpc_ops_plain;
#if defined(__x86_64__)
extern const PacoBpcOps paco_bpc_ops_avx2;
extern const PacoBpcOps paco_bpc_ops_avx512;
#elif defined(__AARCH64EL__)
extern const PacoBpcOps paco_bpc_ops_neon;
#endif

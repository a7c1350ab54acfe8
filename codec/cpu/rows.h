/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What dwt.c and samples.c do with a line of 32-bit words: a table of operations for
 * each instruction set. They are plain C in rows_kernels.h, which the compiler
 * vectorises for each. A line holds int32_t with a reversible wavelet and float with
 * others; conversions work in place. */
#pragma once
#include "codec/cpu/layout_plan.h"
#include "codec/fit.h"
#include "codec/picture.h"
#include "codec/lifting.h"
#include "codec/rate_estimate.h"
#include "codec/step_map.h"

/* A coefficient or sample of a line, int32_t or float. */
typedef uint32_t __attribute__ ((may_alias)) PacoWord;

/* A block whose coefficients are counted. */
typedef struct
{
  const PacoWord *line;
  ptrdiff_t stride;
  unsigned width, height; /* width: 1..64 */
  bool all;
  float scale; /* 0 where coefficients are integers */
  /* The cells of the frame's step map, or NULL, and where the block lies. */
  const uint8_t *cells;
  PacoStepMapPlace map;
  uint32_t x, y;
} PacoCountedBlock;

/* How many cells are added up at a time. */
#define PACO_SUMMED_CELLS 8

/* The words that a lifting step adds up: for each tap those before and those after. */
typedef const PacoWord *const (*PacoNeighbors)[2];

/* Operations on lines of any length; addresses need no alignment. */
typedef struct
{
  const char *name; /* "plain", "avx2", "avx512", "neon" */

  /* Does or undoes a lifting step with n words: out[i] becomes x[i] changed by the sums
   * of near[k][0][i] and near[k][1][i] for each tap k; out may be x. */
  void (*lift_int) (PacoWord *out, const PacoWord *x, PacoNeighbors near,
      size_t n, const PacoLiftingStep *step, bool undo);
  void (*lift_float) (PacoWord *out, const PacoWord *x, PacoNeighbors near,
      size_t n, const PacoLiftingStep *step, bool undo);

  /* Split a line of n words into its (n + 1) / 2 even and n / 2 odd ones, and merge
   * these. */
  void (*split) (const PacoWord *line, size_t n, PacoWord *even, PacoWord *odd);
  void (*merge) (
      const PacoWord *even, const PacoWord *odd, size_t n, PacoWord *line);

  /* Copies words that are not needed again soon, past the caches if the processor
   * can do that: then it need not fetch the memory that is overwritten. Other
   * threads see the words after a fence of sequential consistency. */
  void (*copy_past_caches) (PacoWord *out, const PacoWord *words, size_t n);

  /* Makes a line of n int16_t. */
  void (*widen) (const int16_t *words, size_t n, PacoWord *line);

  void (*scale) (PacoWord *line, size_t n, float factor);

  /* Counts the block's c (codec/rate_steps.h): adds to top[p] how many have their
   * highest bit in plane p, in all lines or in those of paco_rate_counted_line().
   * Returns how many lines were counted. */
  uint32_t (*count_tops) (
      const PacoCountedBlock *block, uint32_t top[PACO_RATE_PLANES]);
  /* Adds up the c of cells of the step map, which have 8 lines and columns: width, at
   * most 64, and height are those of all coefficients. Adds to sums[i] those of cell i. */
  void (*sum_cells) (const PacoWord *line, ptrdiff_t stride, unsigned width,
      unsigned height, float scale, uint32_t sums[PACO_SUMMED_CELLS]);

  /* Load n samples, from sample x of the line at `data` on, shifted to be signed;
   * and store them with clamping, where x begins a group. If these samples are the
   * first that are put into their groups, blank is a group without samples
   * (PacoRegion). If it is NULL, the other samples in the groups stay. */
  void (*load) (const uint8_t *data, const PacoLayoutPlan *plan, size_t x,
      size_t n, PacoWord *line);
  void (*store) (const PacoWord *line, size_t x, size_t n,
      const PacoLayoutPlan *plan, const uint8_t *blank, uint8_t *data);

  void (*to_float) (PacoWord *line, size_t n);
  /* These round to nearest even. The first clamps to the range of samples of 16
   * bits, the second to that of an int32_t. */
  void (*to_sample) (PacoWord *line, size_t n);
  void (*to_int) (PacoWord *line, size_t n);

  /* The color transforms (FORMAT.md section 5). */
  void (*forward_rct) (PacoWord *r, PacoWord *g, PacoWord *b, size_t n);
  void (*inverse_rct) (PacoWord *y, PacoWord *u, PacoWord *v, size_t n);
  void (*forward_rct2) (PacoWord *r, PacoWord *g, PacoWord *b, size_t n);
  void (*inverse_rct2) (PacoWord *y, PacoWord *u, PacoWord *v, size_t n);
  void (*forward_fit) (PacoWord *const rgb[3], size_t n, const PacoFit *fit);
  void (*inverse_fit) (PacoWord *const tuv[3], size_t n, const PacoFit *fit);
  /* ICT and others of one matrix, whose rows are m (PACO_MATRIX_SIZE). */
  void (*forward_matrix) (PacoWord *const rgb[3], size_t n, const float *m);
  void (*inverse_matrix) (PacoWord *const yuv[3], size_t n, const float *m);
  /* Do and undo a step of the color transform of mosaics (FORMAT.md section 5.1) with n
   * samples, all plus 2^15. Undone, they are clamped to depth bits. */
  void (*lift_mosaic) (uint16_t *samples, const uint16_t *const near[4],
      size_t n, int weight, unsigned depth, bool undo);
} PacoRowOps;

/* Returns the fastest table that runs on this machine. */
const PacoRowOps *paco_row_ops (void);

/* All tables that run on this machine, for tests; the list ends with NULL. */
const PacoRowOps *const *paco_row_all_ops (void);

extern const PacoRowOps paco_row_ops_plain;
#ifdef __x86_64__
extern const PacoRowOps paco_row_ops_avx2;
extern const PacoRowOps paco_row_ops_avx512;
#elif defined __AARCH64EL__
extern const PacoRowOps paco_row_ops_neon;
#endif

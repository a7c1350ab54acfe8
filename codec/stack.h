/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelet along stacks (FORMAT.md section 12). A stack is consecutive pictures of
 * one component, the slices of a volume or the bands of a cube. The wavelet makes as
 * many slices of them, each of which is coded as a picture of 16 bits. pacoenc applies
 * it before its coder gets the slices, and pacodec undoes it afterwards
 * (plugin/coder/gstpacostack.h). */
#pragma once
#include "wavelet.h"
#include <glib.h>

G_BEGIN_DECLS

#define PACO_MAX_STACK 64 /* slices of a stack */
#define PACO_MAX_STACK_LEVELS 3
/* How many samples all slices of a stack together may have. */
#define PACO_MAX_STACK_SAMPLES (UINT64_C (1) << 28)
#define PACO_SLICE_DEPTH 16 /* bits of a sample of a slice as it is coded */

/* The wavelets along stacks. Their numbers are those of chunk 257. */
typedef enum
{
  PACO_STACK_CDF53 = 0,
  PACO_STACK_HAAR = 3,
} PacoStackWavelet;

/* What a frame says of its stack: chunk 257. */
typedef struct
{
  uint32_t number;  /* of the stack in its stream, from 0 on */
  uint8_t length;   /* slices of the stack; 0 if the frame is of no stack */
  uint8_t position; /* of the slice, below the length */
  uint8_t wavelet;  /* PacoStackWavelet */
  uint8_t levels;   /* 0..PACO_MAX_STACK_LEVELS */
  uint8_t depth;    /* bits of a sample of the pictures, 8 or 16 */
  uint8_t bits;     /* of a sample in the wavelet: depth, or 13 */
} PacoSlice;

/* Says whether all fields are in the ranges above. */
bool paco_slice_is_valid (const PacoSlice *slice);

/* Returns what the slices of a stack have in common: 5/3, with as many levels as are of
 * use for the length. length and depth are as above. */
PacoSlice paco_stack_plan (
    uint32_t number, unsigned length, unsigned depth, bool lossless);

/* Returns "cdf53" or "haar". */
const char *paco_slice_wavelet_name (const PacoSlice *slice);

/* Returns the weight of a slice for the quantiser (PacoParameters.weight). It is the L2
 * norm of what an error of 1 in a sample of the coded slice becomes in the pictures,
 * in units of samples with PACO_SLICE_DEPTH bits. */
double paco_slice_weight (const PacoSlice *slice);

/* Returns the largest weight of a slice in any stack of at most `length` slices. */
double paco_stack_max_weight (unsigned length, unsigned depth, bool lossless);

/* The first makes what the wavelet gets of n samples of a picture, which have
 * slice->depth bits (little-endian); the second makes samples of a picture again. */
void paco_slice_load (
    const PacoSlice *slice, const void *samples, uint16_t *coded, size_t n);
void paco_slice_store (
    const PacoSlice *slice, const uint16_t *coded, void *samples, size_t n);

/* The first applies the wavelet along the stack, in place, the second undoes it.
 * slices[i] points to the n samples of slice i, for each i below slice->length.
 * slice->position does not matter. */
void paco_stack_forward (
    const PacoSlice *slice, uint16_t *const *slices, size_t n);
void paco_stack_inverse (
    const PacoSlice *slice, uint16_t *const *slices, size_t n);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Stacks (FORMAT.md section 12): consecutive pictures of one component, the slices of
 * a volume or the bands of a cube, which a wavelet along the stack has made frames
 * of that need each other. The codec codes each as a picture of 16 bits that knows
 * nothing of its neighbors; pacoenc and pacodec call what is here before and after. */
#pragma once
#include "wavelet.h"
#include <glib.h>

G_BEGIN_DECLS

#define PACO_MAX_STACK 64 /* slices */
#define PACO_MAX_STACK_LEVELS 3
/* Samples of all slices that an element takes memory for. */
#define PACO_MAX_STACK_SAMPLES (UINT64_C (1) << 28)
#define PACO_SLICE_DEPTH 16 /* of the pictures that slices are coded as */

/* What a frame says of the stack that it is a slice of. */
typedef struct
{
  uint32_t number;  /* of the stack in its stream, from 0 on */
  uint8_t length;   /* slices of the stack; 0: the frame is of no stack */
  uint8_t position; /* of the slice, below the length */
  uint8_t wavelet;  /* PacoWaveletId: paco_stack_wavelet_is_known() */
  uint8_t levels;   /* 0..PACO_MAX_STACK_LEVELS */
  uint8_t depth;    /* of the samples, 8 or 16 */
  uint8_t bits;     /* that a sample has in the wavelet: depth, or 13 */
} PacoSlice;

/* Whether all is in the ranges above. */
bool paco_slice_is_valid (const PacoSlice *slice);

/* Whether both are of the same stack, as far as they tell. */
bool paco_slice_same_stack (const PacoSlice *a, const PacoSlice *b);

/* Whether a slice can come behind another one of the same stack. */
bool paco_slice_follows (const PacoSlice *before, const PacoSlice *slice);

/* The slices of a stack that is coded without loss, or with. Levels are as many as
 * the length has use for. length and depth are as above. */
PacoSlice paco_stack_plan (
    uint32_t number, unsigned length, unsigned depth, bool lossless);

/* What an error of 1 in a sample of the slice that is coded weighs in the pictures, of
 * samples of PACO_SLICE_DEPTH bits: the L2 norm of what it becomes there, times what
 * the slice has of headroom. PacoParameters.weight. */
double paco_slice_weight (const PacoSlice *slice);

/* The largest of these weights in a stack of at most so many slices. */
double paco_stack_max_weight (unsigned length, unsigned depth, bool lossless);

/* n samples of a picture, 8 or 16 bits (little-endian), to those that the
 * wavelet gets, and back. */
void paco_slice_load (
    const PacoSlice *slice, const void *samples, uint16_t *coded, size_t n);
void paco_slice_store (
    const PacoSlice *slice, const uint16_t *coded, void *samples, size_t n);

/* The wavelet along the stack, in place, and its undoing: slices[i] points to the n
 * samples of slice i, of slice->length. slice->position says nothing here. */
void paco_stack_forward (
    const PacoSlice *slice, uint16_t *const *slices, size_t n);
void paco_stack_inverse (
    const PacoSlice *slice, uint16_t *const *slices, size_t n);

G_END_DECLS

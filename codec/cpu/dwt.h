/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelet transform of one or several planes (FORMAT.md section 5). frame.c
 * calls it level by level, from the workers.
 *
 * A level is one pass over memory. A band of lines slides through a window of a few
 * lines in which all vertical lifting steps are in flight; a line that leaves the
 * window is filtered horizontally and goes to its subbands. The window is a strip of
 * columns wide, so that it stays in the cache. Bands and strips overlap by as many
 * lines and columns as there are lifting steps: what is filtered twice gives the
 * same numbers.
 *
 * The first level takes its lines from samples.c and gives them back to it, so that
 * the picture never exists as coefficients of full size. */
#pragma once
#include "codec/cpu/rows.h"

/* A rectangle of 32-bit words, of which a narrow one uses half, for int16_t; stride counts
 * words, or these. */
typedef struct
{
  uint32_t width, height;
  size_t stride;
  PacoWord *data;
  bool narrow;
} PacoPlane;

/* The coefficients of one field of one component: a plane for each subband, and one for
 * the LL of each level between. */
typedef struct
{
  PacoPlane planes[PACO_MAX_LEVELS + 1][4]; /* by level and orientation */
} PacoCoefficients;

/* Sets sizes and places of the planes that a transform of `levels` levels needs
 * that stops at level `last` (0: at the picture). inner: the LL between levels,
 * which are of use only during the transform; else the subbands. They begin at
 * `base` (may be NULL); returns the words they take. */
size_t paco_coefficients_place (PacoCoefficients *coefficients, uint32_t width,
    uint32_t height, unsigned levels, unsigned last, bool inner,
    PacoWord *base);

/* Makes a plane of coefficients narrow, or not, before any are written. */
void paco_coefficients_set_narrow (
    PacoCoefficients *coefficients, unsigned levels, bool narrow);

/* Moves n words of line y from column x on, of all planes of a pass: fills
 * lines[] (forward) or takes them (inverse; it may overwrite them). */
typedef void (*PacoLineAccess) (const void *data, uint32_t x, uint32_t y,
    uint32_t n, PacoWord *const lines[]);

/* One level of planes that are filtered side by side. */
typedef struct
{
  const PacoRowOps *ops;
  const PacoWavelet *wavelet;
  unsigned n_planes;                              /* 1..PACO_MAX_COMPONENTS */
  uint32_t width, height;                         /* of the finer resolution */
  const PacoPlane *subbands[PACO_MAX_COMPONENTS]; /* [plane][orientation] */
  PacoLineAccess access;                          /* to the finer resolution */
  const void *access_data;
} PacoDwtPass;

/* The lines of one thread's window. */
typedef struct _PacoDwtLines PacoDwtLines;

PacoDwtLines *paco_dwt_lines_new (void);
void paco_dwt_lines_free (PacoDwtLines *lines);

/* These transform lines y0..y1-1 of a pass; y0 is even, and y1 is even or the
 * height. */
void paco_dwt_forward (
    const PacoDwtPass *pass, uint32_t y0, uint32_t y1, PacoDwtLines *lines);
void paco_dwt_inverse (
    const PacoDwtPass *pass, uint32_t y0, uint32_t y1, PacoDwtLines *lines);

/* Planes of words, all of one size. The functions below move lines from and to them;
 * data is a PacoPlaneSet. */
typedef struct
{
  const PacoRowOps *ops;
  unsigned n;
  const PacoPlane *planes[PACO_MAX_COMPONENTS];
} PacoPlaneSet;

void paco_planes_read (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[]);
void paco_planes_write (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[]);

/* Copies lines y0..y1-1 of planes that no wavelet filters (levels = 0, or all left
 * out): one access reads them, the other writes them. */
void paco_lines_copy (uint32_t width, uint32_t y0, uint32_t y1,
    unsigned n_planes, PacoLineAccess read, const void *read_data,
    PacoLineAccess write, const void *write_data, PacoDwtLines *lines);

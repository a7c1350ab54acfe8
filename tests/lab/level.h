/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs one level of the project's own transforms, of its CPU backend and of
 * its reference, for programs that compare theirs with them. */
#pragma once
#include "codec/cpu/workers.h"

/* This is the CPU backend's transform of a picture of 32-bit words, by the
 * threads of a pool. */
typedef struct
{
  PacoPlane picture;
  PacoCoefficients coefficients;
  PacoWord *memory;
  PacoPlaneSet planes;
  PacoDwtPass pass;
  PacoWorkers *workers;
  uint32_t band_height;
} LabLevel;

/* Sets up a level; data are rows of `width` words, which stay the caller's. */
void lab_level_init (LabLevel *level, PacoWaveletId wavelet, uint32_t width,
    uint32_t height, PacoWord *data, unsigned threads);
void lab_level_clear (LabLevel *level);

/* Is a LabWork: fills the subbands, coefficients.planes[1]. */
void lab_level_run (void *level);

/* Puts the subbands into a plane as the reference does: LL in the upper left corner, HL
 * right of it, LH below it. */
void lab_level_gather (const LabLevel *level, PacoWord *plane, size_t stride);

/* Does the reference's transform of a plane, in place: columns, then rows, or only
 * columns (rows) where the width (height) is 1. */
void lab_reference_level (PacoWaveletId wavelet, uint32_t width,
    uint32_t height, PacoWord *data, size_t stride);

/* Scales a plane that the project's 9/7 has made, in place: low halves have a gain of 1
 * afterwards, as those of lab_cdf97 (filters.h). */
void lab_level_scale (
    uint32_t width, uint32_t height, float *data, size_t stride);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Judges the transforms of rows_methods.h by a plain one, for any row of
 * lifting steps, in two and three dimensions. rows.c compares it with the
 * codec's reference (codec/reference), which knows the codec's wavelets in
 * two. */
#pragma once
#include "tests/lab/cuda/rows.h"
#include <stddef.h>

/* These are samples of a volume in double, which holds the integers of
 * reversible wavelets exactly; x comes first. */
typedef struct
{
  uint32_t size[3];
  double *samples;
} LabVolume;

/* These are larger than anything that was stored, or added up before a shift,
 * since they were set to 0: 16 or 32 bits have to hold that. */
typedef struct
{
  double stored, added;
} LabRange;

/* Transforms `levels` levels of the first `dimensions` dimensions in place. A level
 * filters the last dimension first, as the codec does (columns, then rows), its inverse
 * the first one. Each half of a line is apart: the approximation comes first. rounds: as
 * a reversible wavelet does; else in real numbers. range: may be NULL. */
void lab_reference_forward (LabVolume *volume, unsigned dimensions,
    unsigned levels, const LabWavelet *wavelet, bool rounds, LabRange *range);
void lab_reference_inverse (LabVolume *volume, unsigned dimensions,
    unsigned levels, const LabWavelet *wavelet, bool rounds, LabRange *range);

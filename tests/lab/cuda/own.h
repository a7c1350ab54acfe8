/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs the project's own transform (gpu/dwt.h), as a series beside the methods
 * of the papers: of one plane of 8-bit samples in words of 16 bits,
 * coefficients in 16 bits. It shifts samples to be signed, and with 9/7
 * quantises, which the papers' methods do not. */
#pragma once
#include "gpu/dwt.h"
#include "tests/lab/cuda/device.h"

G_BEGIN_DECLS

typedef struct
{
  LabDevice *device;
  PacoModule module;
  PacoDwtKernels kernels;
} LabOwn;

void lab_own_open (LabOwn *own, LabDevice *device);
void lab_own_close (LabOwn *own);

/* Returns the median time of a transform of all levels, forward or inverse, in
 * microseconds. */
double lab_own_time_us (LabOwn *own, PacoWaveletId wavelet, bool inverse,
    unsigned width, unsigned height, unsigned levels);

/* Returns that time with tiles of level 1 that have so many pairs of lines; and
 * how many the project's own have. waves are its warps over those that the
 * device runs at once. */
double lab_own_tiles_us (LabOwn *own, PacoWaveletId wavelet, bool inverse,
    unsigned width, unsigned height, unsigned levels, unsigned tile_pairs);
unsigned lab_own_tile_pairs (LabOwn *own, PacoWaveletId wavelet, bool inverse,
    unsigned width, unsigned height, unsigned levels, double *waves);

/* Ends the program if such tiles change what comes out. */
void lab_own_check_tiles (LabOwn *own, PacoWaveletId wavelet, bool inverse,
    unsigned width, unsigned height, unsigned levels, unsigned tile_pairs);

/* Runs it once; returns the number of launches. */
unsigned lab_own_run (LabOwn *own, PacoWaveletId wavelet, bool inverse,
    unsigned width, unsigned height, unsigned levels);

G_END_DECLS

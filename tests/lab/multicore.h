/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Declares the transforms 9/7 of an image by the threads of a multicore CPU
 * that Galiano, Lopez, Malumbres and Migallon compare (paper 003, section II):
 * multicore-methods.c has them, multicore.c checks and measures them. */
#pragma once
#include "codec/cpu/workers.h"

/* An image of floats, rows without gaps between them. Each thread takes a block of
 * rows, and then one of columns. Convolution and lifting put one level in the place of
 * the image: low halves left and above. SMDWT puts it into another one. */
typedef struct
{
  unsigned width, height;
  float *image;
  float *other; /* of SMDWT */
  bool only_ll; /* SMDWT computes LL alone */
  PacoWorkers *workers;
  unsigned n_blocks; /* as many as threads */
  float *lines; /* of each block, MULTICORE_LINE_FLOATS of the longer side */
} MulticoreJob;

/* A thread has this for the line that it filters, with mirror images at its
 * ends. */
#define MULTICORE_MARGIN 4
#define MULTICORE_LINE_FLOATS(n) ((size_t) (n) + 2 * MULTICORE_MARGIN)

/* LabWork; data is a MulticoreJob. */
void multicore_convolution (void *job);
void multicore_lifting (void *job);
void multicore_smdwt (void *job);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Plans the launches that make a transform of several levels, by each method
 * of the text on lifting with a sliding window. rows.c runs them,
 * rows_measure.c times them. */
#pragma once
#include "tests/lab/cuda/device.h"
#include "tests/lab/cuda/rows.h"

G_BEGIN_DECLS

typedef enum
{
  LAB_SLIDING, /* rows in shared memory, then down slabs with a sliding window */
  LAB_TRANSPOSE, /* the step of rows for columns too, between two transpositions */
  LAB_COLUMNS,     /* the trivial one: the step of rows with columns for rows */
  LAB_PAIRS,       /* a thread a pair, everything from global memory */
  LAB_CONVOLUTION, /* filters in place of lifting, in float */
  LAB_N_METHODS
} LabMethod;

/* These are the elements of the array: int16_t, int32_t or float, as the
 * wavelet is. */
typedef enum
{
  LAB_16,
  LAB_32,
} LabElement;

/* Convolution takes LAB_32, and so does what is not reversible. Three dimensions are
 * of sliding window and trivial method. */
typedef struct
{
  LabMethod method;
  unsigned wavelet; /* rows.h */
  LabElement element;
  bool inverse;
  unsigned dimensions, levels;
  uint32_t size[3]; /* x, y, z; 1 where there is no such dimension */
  /* These are threads of the sliding window: columns of words, a power of two,
   * and lines. There are 7 lines at least: the window is twice as high, and
   * holds what Fidelity's steps read. */
  unsigned threads_x, threads_y;
} LabTransform;

/* There are at most so many launches. */
#define LAB_MAX_LAUNCHES (PACO_MAX_LEVELS * 4)

const char *lab_method_name (LabMethod method);
size_t lab_element_bytes (LabElement element);

/* Rows and planes of the array begin at multiples of this many elements. */
#define LAB_ROW_ALIGNMENT 64

/* Return the elements between rows; of the array, and of what a method wants
 * beside it, which is 0 if it works in place. */
uint32_t lab_row_stride (const LabTransform *transform);
size_t lab_home_elements (const LabTransform *transform);
size_t lab_scratch_elements (const LabTransform *transform);

/* Says whether the method leaves low and high coefficients interleaved along
 * all dimensions but the first; else each half is apart. */
bool lab_is_interleaved (LabMethod method);

/* Fills launches[] and the parameters that they point to, LAB_MAX_LAUNCHES of
 * each; returns how many there are. only is the one dimension that is filtered,
 * or -1. */
unsigned lab_transform_launches (const LabDevice *device,
    const LabTransform *transform, int only, CUdeviceptr home,
    CUdeviceptr scratch, LabLaunch *launches, LabLines *lines);

G_END_DECLS

/* Measures Tables III to VI and Figure 9 of text 001, on this device. */

G_BEGIN_DECLS

/* Runs what a profiler counts for Table IV of text 000. */
void lab_rows_once (LabDevice *device);
void lab_rows_measure (LabDevice *device);

G_END_DECLS

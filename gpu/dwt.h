/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Samples to coefficients and back on the device: which kernels of kernels/dwt.cu run,
 * over what, in which order. A PacoDwt belongs to one configuration and does not change
 * by running, so all flights share it. */
#pragma once
#include "codec/geometry.h"
#include "gpu/kernels/dwt.h"
#include "gpu/stream.h"

/* ANY does everything but a step map. PLAIN does what most frames need, and is faster
 * (kernels/dwt_forward.cuh, dwt_inverse.cuh). MAPPED does the inverse of the levels that
 * use a step map. DIRECT makes coefficients without a wavelet. */
enum
{
  PACO_DWT_ANY,
  PACO_DWT_PLAIN,
  PACO_DWT_MAPPED,
  PACO_DWT_DIRECT,
  PACO_DWT_N_ABILITIES
};

/* The fine side of a kernel's level: numbers, or samples in words of 8 or 16 bits. */
enum
{
  PACO_DWT_NUMBERS,
  PACO_DWT_PLANAR8,
  PACO_DWT_PLANAR16,
  PACO_DWT_N_LAYOUTS
};

typedef struct
{
  CUfunction function;
  unsigned warps; /* that a multiprocessor runs at once */
} PacoDwtKernel;

typedef struct
{
  /* [inverse][wavelet][ability][layout][three components, or one] */
  PacoDwtKernel kernels[2][PACO_N_WAVELETS][PACO_DWT_N_ABILITIES]
                       [PACO_DWT_N_LAYOUTS][2];
  bool early; /* they know how to wait for the kernel before them */
} PacoDwtKernels;

/* Finds the kernels in the module "dwt". */
gboolean paco_dwt_find_kernels (
    PacoDwtKernels *kernels, const PacoModule *module, GError **error);

/* What a configuration needs. */
typedef struct
{
  PacoPictureFormat format;
  uint8_t levels, color_transform;
  const PacoGeometry *geometry; /* outlives this */
  unsigned n_multiprocessors;
  const PacoDwtKernels *kernels;
  /* In the buffer of coefficients, in the order of geometry->subbands. */
  PacoCoefficientPlace *places;
  size_t n_coefficients;
  /* Of the buffer for LL subbands between levels. */
  size_t scratch_bytes;
  /* LL of level 1..levels-1 in it: 4-byte elements. */
  PacoCoefficientPlace coarse[2][PACO_MAX_COMPONENTS][PACO_MAX_LEVELS + 1];
} PacoDwt;

/* Plans a configuration; of coding only levels and color transform count. kernels must
 * outlive this, and may be NULL if nothing will run. */
PacoDwt *paco_dwt_new (const PacoPictureFormat *format,
    const PacoCoding *coding, const PacoGeometry *geometry,
    unsigned n_multiprocessors, const PacoDwtKernels *kernels);
void paco_dwt_free (PacoDwt *dwt);

/* True if all coefficients that an encoder can make with these steps and fraction bits
 * fit int16_t. (A decoder looks at the planes of its blocks, of which 15 fit.) */
bool paco_dwt_is_narrow (
    const PacoPictureFormat *format, const PacoCoding *coding);

/* A frame on its way through the transform; addresses are the device's. The picture is
 * planar: each sample is a little-endian word of one or two bytes, data and strides are
 * multiples of four words, and unused bits are 0 when it is written (gpu/layout.h makes
 * such a picture). Components that the color transform mixes lie alike. Bytes from the
 * last column to the next multiple of four words can be read, and are ignored. */
typedef struct
{
  const PacoCoding *coding; /* for wavelets, steps, fraction bits and rho */
  /* Forward: factors of coefficients instead of their steps (PacoRateTable.scale), or
   * NULL. */
  const float (*scales)[PACO_MAX_SUBBANDS];
  const PacoPicture *picture;
  CUdeviceptr coefficients, scratch;
  bool wide; /* coefficients are int32_t */
  /* The first kernel follows another one in the stream, and may be launched early. */
  bool follows_kernel;
  /* Inverse: levels left out; and the address of a byte for each block, its dropped
   * planes and PACO_DWT_CUT, or 0 if no block has any. Blocks of reversible wavelets
   * have none, as their coefficients are complete. */
  unsigned reduce;
  CUdeviceptr dropped_planes;
  CUdeviceptr cells; /* inverse: of the step map, if the coding has one */
} PacoDwtFrame;

/* Enqueues the transform of a frame. */
gboolean paco_dwt_enqueue (const PacoDwt *dwt, const PacoDwtFrame *frame,
    bool inverse, PacoCudaStream *stream, GError **error);

/* The launches as a list, for benchmarks and tests, which launch by themselves. If
 * kernels->early, all but the first can be launched early (module.h). */
typedef struct
{
  const PacoDwtKernel *kernel; /* of the PacoDwt */
  unsigned grid_x, grid_y;
  PacoDwtParameters parameters;
} PacoDwtLaunch;

/* How many pairs of lines a tile has, at least and at most. */
#define PACO_DWT_MIN_TILE_PAIRS 2
#define PACO_DWT_MAX_TILE_PAIRS 256

/* The most launches: for each wavelet those of level 1, by sample layout and with a
 * color transform by field, and one for each other level. */
#define PACO_DWT_MAX_LAUNCHES (PACO_N_WAVELETS * (4 + PACO_MAX_LEVELS))

unsigned paco_dwt_launches (const PacoDwt *dwt, const PacoDwtFrame *frame,
    bool inverse, PacoDwtLaunch *launches);

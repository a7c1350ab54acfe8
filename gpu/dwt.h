/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Samples to coefficients and back on the device: which kernels of
 * kernels/dwt.cu run, over what, in which order. A PacoDwt belongs to one
 * configuration and is not changed by running, so all flights share it. */
#pragma once
#include "codec/geometry.h"
#include "gpu/kernels/coefficients.h"
#include "gpu/kernels/dwt.h"
#include "gpu/module.h"

G_BEGIN_DECLS

/* The kernels, in the order of paco_dwt_kernel_names. */
#define PACO_DWT_N_KERNELS 48
extern const char *const paco_dwt_kernel_names[PACO_DWT_N_KERNELS];

typedef struct
{
  CUfunction functions[PACO_DWT_N_KERNELS];
  unsigned warps[PACO_DWT_N_KERNELS]; /* that a multiprocessor runs at once */
  bool early; /* they know how to wait for the kernel before them */
} PacoDwtKernels;

gboolean paco_dwt_find_kernels (
    PacoDwtKernels *kernels, const PacoModule *module, GError **error);

/* What a configuration needs. */
typedef struct
{
  PacoPictureFormat format;
  uint8_t wavelets[PACO_MAX_COMPONENTS], levels, color_transform;
  const PacoGeometry *geometry; /* outlives this */
  unsigned n_multiprocessors;
  unsigned warps[PACO_DWT_N_KERNELS]; /* of PacoDwtKernels */
  /* Of the buffer of coefficients; places in the order of
   * geometry->subbands. */
  PacoCoefficientPlace *places;
  size_t n_coefficients;
  /* Of the buffer for LL subbands between levels. */
  size_t scratch_bytes;
  /* LL of level 1..levels-1 in it: 4-byte elements. */
  PacoCoefficientPlace coarse[2][PACO_MAX_COMPONENTS][PACO_MAX_LEVELS + 1];
} PacoDwt;

/* coding: only wavelets, levels and color transform count. kernels, for how
 * finely to cut planes into tiles, may be NULL. */
PacoDwt *paco_dwt_new (const PacoPictureFormat *format,
    const PacoCoding *coding, const PacoGeometry *geometry,
    unsigned n_multiprocessors, const PacoDwtKernels *kernels);
void paco_dwt_free (PacoDwt *dwt);

/* Whether all indices that the encoder can make with these steps fit int16_t.
 * (A decoder looks at the planes of its blocks: 15 fit.) */
bool paco_dwt_is_narrow (
    const PacoPictureFormat *format, const PacoCoding *coding);

/* A frame on its way through the transform; addresses are the device's. The
 * 8 bytes behind the samples of a component can be read (and are ignored). */
typedef struct
{
  const PacoCoding *coding;   /* for the steps and rho */
  const PacoPicture *picture; /* data: device addresses */
  CUdeviceptr coefficients, scratch;
  bool wide; /* coefficients are int32_t */
  /* Inverse only. Levels left out; and a byte per block, its dropped planes,
   * or 0 if no block has any; those of the reversible wavelet do not count, as
   * their coefficients are complete. Where components share words
   * (SampleLayout), the picture's memory is zero before. */
  unsigned reduce;
  CUdeviceptr dropped_planes;
} PacoDwtFrame;

/* Enqueues the transform of a frame. */
gboolean paco_dwt_enqueue_forward (const PacoDwt *dwt,
    const PacoCudaContext *context, const PacoDwtKernels *kernels,
    const PacoDwtFrame *frame, CUstream stream, GError **error);
gboolean paco_dwt_enqueue_inverse (const PacoDwt *dwt,
    const PacoCudaContext *context, const PacoDwtKernels *kernels,
    const PacoDwtFrame *frame, CUstream stream, GError **error);

/* The same as a list, for those who launch otherwise. If kernels->early, all
 * but the first can be launched early (module.h). */
typedef struct
{
  unsigned kernel; /* of paco_dwt_kernel_names */
  unsigned grid_x, grid_y;
  PacoDwtParameters parameters;
} PacoDwtLaunch;

/* Level 1 by sample layout, and by field with a color transform; the others.
 * All of them by wavelet. */
#define PACO_DWT_MAX_LAUNCHES (PACO_N_WAVELETS * (4 + PACO_MAX_LEVELS))

unsigned paco_dwt_forward_launches (
    const PacoDwt *dwt, const PacoDwtFrame *frame, PacoDwtLaunch *launches);
unsigned paco_dwt_inverse_launches (
    const PacoDwt *dwt, const PacoDwtFrame *frame, PacoDwtLaunch *launches);

G_END_DECLS

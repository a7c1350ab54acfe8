/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Pictures whose samples do not lie as the transform takes them: kernels of
 * kernels/layout.cu read them into planes of samples in device memory before it, or
 * write them from there after it. gpu/dwt.h takes the planar picture. */
#pragma once
#include "codec/color.h"
#include "codec/picture.h"
#include "gpu/kernels/layout.h"
#include "gpu/kernels/mosaic.h"
#include "gpu/stream.h"

/* Kernels for packed groups are named after the bytes of a group, the bits of a plane's
 * word, and the samples of a group of the region's first component; it has one of each
 * other component. */
enum
{
  PACO_LAYOUT_2_8_1,  /* chroma of NV12, RGB16 */
  PACO_LAYOUT_2_16_1, /* big-endian planes */
  PACO_LAYOUT_4_8_1,  /* BGRA, AYUV */
  PACO_LAYOUT_4_8_2,  /* UYVY, YUY2 */
  PACO_LAYOUT_4_16_1, /* r210, Y410, chroma of P010 */
  PACO_LAYOUT_8_16_1, /* ARGB64, AYUV64, Y412 */
  PACO_LAYOUT_8_16_2, /* Y210, Y212, v216 */
  PACO_LAYOUT_N_PACKED,
  /* Strings of bits, named after those of a slot and the components of a pixel. */
  PACO_LAYOUT_STRING_8_3 = PACO_LAYOUT_N_PACKED, /* RGB, v308 */
  PACO_LAYOUT_STRING_10_1, /* this one and the next ones: files of scanners */
  PACO_LAYOUT_STRING_10_3,
  PACO_LAYOUT_STRING_10_4,
  PACO_LAYOUT_STRING_12_1,
  PACO_LAYOUT_STRING_12_3,
  PACO_LAYOUT_STRING_12_4,
  PACO_LAYOUT_STRING_16_3,
  PACO_LAYOUT_STRINGS_END,
  PACO_LAYOUT_V210 = PACO_LAYOUT_STRINGS_END,
  PACO_LAYOUT_ANY,
  PACO_LAYOUT_N_KERNELS
};

/* Which way samples go: from regions to planes, or back. */
typedef enum
{
  PACO_LAYOUT_LOAD,
  PACO_LAYOUT_STORE,
} PacoLayoutDirection;

typedef struct
{
  CUfunction functions[2][PACO_LAYOUT_N_KERNELS]; /* [PacoLayoutDirection] */
  CUfunction mosaic;                              /* gpu/mosaic.h */
  bool early; /* they know how to wait for the kernel before them */
} PacoLayoutKernels;

gboolean paco_layout_find_kernels (
    PacoLayoutKernels *kernels, const PacoModule *module, GError **error);

/* The planes of a configuration: lines of the whole frame, words of 16 bits if a
 * component has more than 8, or a mosaic is transformed. */
typedef struct
{
  PacoPictureFormat format;
  unsigned reduce;         /* levels left out */
  uint8_t color_transform; /* PacoColorTransform */
  unsigned word_bytes;
  uint32_t columns[PACO_MAX_COMPONENTS], lines[PACO_MAX_COMPONENTS];
  size_t offset[PACO_MAX_COMPONENTS], stride[PACO_MAX_COMPONENTS]; /* bytes */
  size_t size; /* of all, bytes */
} PacoSamplePlanes;

void paco_sample_planes_init (PacoSamplePlanes *planes,
    const PacoPictureFormat *format, unsigned reduce,
    PacoColorTransform color_transform);

typedef struct
{
  unsigned kernel;     /* of PacoLayoutKernels.functions[] */
  unsigned components; /* whose samples it moves, as bits */
  unsigned grid_x, grid_y;
  PacoLayoutParameters parameters;
} PacoLayoutLaunch;

/* Plans the launches for a picture in device memory that has passed
 * paco_picture_check(), the same both ways, and the picture *planar that the transform
 * takes: planar components (dwt.h) stay where they are, others are in planes, at the
 * address `memory`, 256-byte aligned, of planes->size bytes, and so are those of
 * `mapped`, bits of components. Returns the number of launches. */
unsigned paco_layout_launches (const PacoSamplePlanes *planes,
    const PacoPicture *picture, unsigned mapped, CUdeviceptr memory,
    PacoPicture *planar, PacoLayoutLaunch launches[PACO_MAX_COMPONENTS]);

/* Enqueues n launches; n may be 0. follows_kernel: the first one follows a kernel in
 * the stream, too, and may be launched early. */
gboolean paco_layout_enqueue (const PacoLayoutKernels *kernels,
    PacoLayoutDirection direction, const PacoLayoutLaunch *launches, unsigned n,
    bool follows_kernel, PacoCudaStream *stream, GError **error);

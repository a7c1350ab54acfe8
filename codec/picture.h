/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A picture: what is coded (PacoPictureFormat), how its samples lie in memory
 * (PacoSampleLayout), and where (PacoPicture). Depth, not container, is coded:
 * two layouts of the same samples give the same codestream. */
#pragma once
#include "layout.h"

#define PACO_MAX_SIZE 16384 /* columns, and lines */

/* What a sample's bits are (FORMAT.md section 2). */
typedef enum
{
  PACO_SAMPLE_UNSIGNED,
  PACO_SAMPLE_SIGNED, /* two's complement */
  PACO_SAMPLE_FLOAT,  /* binary16; its depth is 16 */
  PACO_N_SAMPLE_KINDS
} PacoSampleKind;

typedef struct
{
  uint8_t depth;         /* bits of a sample, 1..16 */
  uint8_t subsampling_x; /* log2, 0..2 */
  uint8_t subsampling_y;
  uint8_t kind;             /* PacoSampleKind */
  uint8_t place_x, place_y; /* in the 2x2 cell of a mosaic, 0 or 1; else 0 */
} PacoComponent;

/* FORMAT.md section 2: what decides geometry and coefficients. */
struct _PacoPictureFormat
{
  uint32_t width, height; /* luma samples, lines of the whole frame */
  uint8_t n_components;   /* 1..4 */
  bool fields;            /* coded as two fields */
  PacoComponent components[PACO_MAX_COMPONENTS];
  bool mosaic; /* Each of four components is one sample of every 2x2 cell. */
};

/* Where a picture lies. */
typedef enum
{
  PACO_MEMORY_HOST,
  PACO_MEMORY_DEVICE, /* of the coder's device */
} PacoMemory;

/* A part of a picture: a rectangle of samples of component 0 (of all samples of a
 * mosaic), when the levels that a decoder leaves out are left out. If width is 0, it is
 * all of the picture. */
typedef struct
{
  uint32_t x, y, width, height;
} PacoCrop;

/* A picture in memory. data points to the first group of the first line of a
 * component. Components whose data are equal share memory; the memory of others does
 * not overlap (layout.h). stride is how many bytes lie from a line to the next one
 * of the frame (not of the field); it may be negative. With PACO_MEMORY_DEVICE, data
 * are addresses of the coder's device, in the context that the coder works in. */
struct _PacoPicture
{
  uint8_t *data[PACO_MAX_COMPONENTS];
  ptrdiff_t stride[PACO_MAX_COMPONENTS];
  PacoSampleLayout layout[PACO_MAX_COMPONENTS];
  PacoMemory memory;
  PacoCrop crop; /* what alone of the picture lies here; decoders take a part */
  /* With device memory, the stream (CUstream) whose work so far must end before the
   * memory may be read or written; NULL if it is ready. */
  void *stream;
  /* With device memory, the memory around the samples, in bytes, if it has not held a
   * picture before: a decoder clears it before it writes the samples. 0: it has. */
  uint8_t *unused_memory;
  size_t unused_size;
};

static inline uint32_t
paco_ceil_shift (uint32_t value, unsigned shift)
{
  return (value + (1u << shift) - 1) >> shift;
}

/* Returns how many columns, and lines, a component has in the whole frame. */
static inline uint32_t
paco_component_width (const PacoPictureFormat *format, unsigned component)
{
  return paco_ceil_shift (
      format->width, format->components[component].subsampling_x);
}

static inline uint32_t
paco_component_height (const PacoPictureFormat *format, unsigned component)
{
  return paco_ceil_shift (
      format->height, format->components[component].subsampling_y);
}

/* Returns how many samples all components have together. */
static inline uint64_t
paco_picture_samples (const PacoPictureFormat *format)
{
  uint64_t samples = 0;

  for (unsigned c = 0; c < format->n_components; c++)
    samples += (uint64_t) paco_component_width (format, c)
        * paco_component_height (format, c);
  return samples;
}

/* Says whether a component is alpha: the last of two or four (FORMAT.md section 2). */
static inline bool
paco_is_alpha (const PacoPictureFormat *format, unsigned component)
{
  return !format->mosaic && format->n_components % 2 == 0
      && component == format->n_components - 1u;
}

bool paco_picture_format_equal (
    const PacoPictureFormat *a, const PacoPictureFormat *b);

static inline unsigned
paco_n_fields (const PacoPictureFormat *format)
{
  return format->fields ? 2 : 1;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The parameters of the kernels of layout.cu. C and CUDA include it.
 *
 * A launch moves the samples of one region of a picture (PacoRegion) to planes of
 * samples or back, all lines of the frame. A plane has the samples of a component,
 * little-endian words of 8 or 16 bits with the sample in their low bits: planar for the
 * transform (dwt.h). */
#pragma once
#include "codec/layout.h"

#define PACO_LAYOUT_THREADS 128 /* of a block */
/* Alignment of a plane's lines; bytes after the last column up to the next multiple are
 * accessed and do not matter. */
#define PACO_LAYOUT_PLANE_ALIGNMENT 128

/* Where sample i of a group is. In groups of up to 8 bytes, take selects the sample's
 * word from bytes 0..3 and 4..7 by __byte_perm() (with anything above it), and give
 * selects the bytes of the group from the word and 0. */
typedef struct
{
  uint32_t byte, shift;
  uint32_t take, give[2];
} PacoLayoutPlace;

typedef struct
{
  uint64_t plane;        /* device address of its first line */
  uint32_t plane_stride; /* bytes */
  uint32_t columns;      /* samples of a line */
  uint32_t mask;         /* 2^depth - 1 */
  uint8_t group_samples, word_bytes, big_endian, reserved;
  PacoLayoutPlace places[PACO_MAX_GROUP_SAMPLES];
} PacoLayoutComponent;

typedef struct
{
  uint64_t address; /* of the first group of the first line */
  int64_t stride;   /* bytes */
  uint32_t n_groups, n_lines;
  uint32_t line_bytes; /* of the groups; the last one may be cut */
  uint8_t group_bytes, n_components;
  uint8_t plane_bytes; /* of a word of a plane: 1 or 2 */
  uint8_t alignment;   /* of all lines, bytes: 1, 4 or 16 */
  uint32_t csi2;       /* 1: groups are those of CSI-2 (PacoSampleLayout) */
  /* A group before samples are put into it: little-endian words of its bytes. */
  uint32_t blank[PACO_MAX_GROUP_BYTES / 4];
  PacoLayoutComponent components[PACO_MAX_COMPONENTS];
  uint32_t flip; /* byte b of a line is at b ^ flip: 0; 3 if words are swapped;
                  * in strings also what makes big-endian words little-endian */
  /* Strings: the bit of a slot that a sample begins at, and an empty slot. */
  uint32_t slot_shift, slot_blank;
} PacoLayoutParameters;

/* Units of a line that a warp takes, or with any layout a thread block. */
#define PACO_LAYOUT_LANES 32
/* Bytes that a lane of a packed kernel takes, whole groups. */
#define PACO_LAYOUT_UNIT_BYTES 16
/* Pixels of a unit of a string: 16 bytes of each plane, or 32 if only these are whole
 * words of the line. */
#define PACO_LAYOUT_UNIT_PIXELS(bits, components)                              \
  (                                                                            \
      ((bits) > 8 ? 8 : 16)                                                    \
      << ((bits) * (components) * ((bits) > 8 ? 8 : 16) % 32 != 0))
/* Groups of v210 that a warp takes. */
#define PACO_LAYOUT_V210_GROUPS 64

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Where subbands and codeblocks lie (FORMAT.md section 4). All coders, the reference
 * and all who read a frame's index make a PacoGeometry from its header. */
#pragma once
#include "header.h"

#define PACO_BLOCK_WIDTH 64
#define PACO_LANES 32
#define PACO_MAX_BLOCK_HEIGHT 256

/* One subband of one field of one component. Subbands are listed in the order
 * of the codestream, so that blocks first_block .. first_block + n - 1 are the
 * subband's, row by row. */
typedef struct
{
  uint8_t field, component;
  uint8_t level;          /* 1..L; of LL: L */
  uint8_t orientation;    /* PacoOrientation */
  uint8_t entry;          /* index into PacoCoding.subbands[component] */
  uint16_t block_height;  /* nominal */
  uint32_t width, height; /* coefficients; either may be 0 */
  uint32_t blocks_x, blocks_y;
  uint32_t first_block;
} PacoSubband;

/* One codeblock. */
typedef struct
{
  uint32_t subband;       /* index into PacoGeometry.subbands */
  uint32_t x, y;          /* of its first coefficient in the subband */
  uint16_t width, height; /* 1..64, 1..256 */
} PacoCodeblock;

typedef struct
{
  unsigned n_fields, n_components, levels;
  /* Size of component c in field f at resolution r: level 0 is the picture
   * itself, level l the LL subband of level l. */
  struct
  {
    uint32_t width, height;
  } resolution[2][PACO_MAX_COMPONENTS][PACO_MAX_LEVELS + 1];
  uint32_t n_subbands, n_blocks;
  PacoSubband *subbands; /* n_subbands */
  PacoCodeblock *blocks; /* n_blocks */
  /* A decoder that leaves out n levels needs the first n_blocks_at[n] blocks. */
  uint32_t n_blocks_at[PACO_MAX_LEVELS + 1];
} PacoGeometry;

/* picture and coding must be those of a header that has passed paco_header_check() or
 * paco_header_parse(). */
PacoGeometry *paco_geometry_new (
    const PacoPictureFormat *picture, const PacoCoding *coding);
void paco_geometry_free (PacoGeometry *geometry);

/* Level (1..L; LL: L) and orientation of an entry of PacoCoding.subbands. */
void paco_entry_subband (
    unsigned levels, unsigned entry, unsigned *level, unsigned *orientation);

/* Returns the subband of a field, component, level (1..L; LL: L) and orientation. */
const PacoSubband *paco_geometry_subband (const PacoGeometry *geometry,
    unsigned field, unsigned component, unsigned level, unsigned orientation);

/* Columns and lines, of both fields, of a component of the picture that a
 * decoder makes that leaves out `reduce` levels (FORMAT.md section 10). In a
 * frame coded as fields a subsampled component may have more lines than a
 * picture of component 0's size would give it. */
void paco_geometry_reduced_component (const PacoPictureFormat *picture,
    unsigned component, unsigned reduce, uint32_t *width, uint32_t *height);
/* The same of the picture: those of component 0, or twice as many of a mosaic. */
void paco_geometry_reduced_size (const PacoPictureFormat *picture,
    unsigned reduce, uint32_t *width, uint32_t *height);

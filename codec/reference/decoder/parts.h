/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the parts of paco-decoder.c have in common, and nothing else sees. */
#ifndef PACO_DECODER_PARTS_H
#define PACO_DECODER_PARTS_H
#include "private.h"

enum
{
  CDF53,
  CDF97,
  DD137,
  N_CONTEXTS = PACO_REFERENCE_N_CONTEXTS,
  N_SETS = 8,
  N_CODES = 1 << 16,
  BLOCK_WIDTH = PACO_REFERENCE_BLOCK_WIDTH,
  BLOCK_SIZE = BLOCK_WIDTH * PACO_REFERENCE_BLOCK_HEIGHT,
  LANES = PACO_REFERENCE_LANES,
  MAX_COMPONENTS = PACO_REFERENCE_MAX_COMPONENTS,
  MAX_LEVELS = PACO_REFERENCE_MAX_LEVELS,
  MAX_STACK = PACO_REFERENCE_MAX_STACK,
};

typedef PacoReferenceStatus Status;
typedef PacoReferenceHeader Header;
typedef PacoReferenceComponent Component;
typedef PacoReferenceTable Table;
typedef PacoReferenceSlice Slice;
typedef PacoReferencePicture Picture;
typedef PacoReferenceImage Image;
typedef struct PacoReferenceConcealer Concealer;
typedef PacoReferenceOptions Options;
typedef PacoReferenceSample Sample;
typedef PacoReferencePlane Plane;
typedef PacoReferenceRecord Record;
typedef PacoReferenceCoder Coder;
typedef PacoReferenceSet Set;

/* Why a frame is refused. */
typedef struct
{
  Status status;
  const char *message;
} Reason;

typedef struct
{
  uint8_t field, component, level, orientation; /* LL, HL, LH, HH */
  uint16_t entry;
  uint32_t left, top; /* where the transform leaves it in its plane */
  uint32_t width, height;
  uint32_t block_height, blocks_x, blocks_y, first_block;
} Subband;

typedef struct
{
  uint32_t x, y; /* in the subband */
  uint16_t subband, width, height;
  Record record;
} Codeblock;

/* Blocks of a frame. Those that it did not have are NULL. */
typedef struct
{
  Header header;
  uint32_t n_blocks;
  Sample **blocks;
} KeptFrame;

/* A frame that is being decoded. Subbands stand in the order of the codestream. */
typedef struct
{
  Header header;
  const uint8_t *index, *payload;
  unsigned reduce, n_fields;
  Set carried;
  uint32_t n_subbands, n_blocks;
  uint32_t n_blocks_at[MAX_LEVELS + 1]; /* without n levels */
  Subband subbands[2 * MAX_COMPONENTS * PACO_REFERENCE_MAX_ENTRIES];
  Codeblock *blocks;
  uint8_t *cells;         /* of the step map, or NULL */
  uint32_t first_cell[2]; /* of each field */
  uint32_t cell_columns;
  uint8_t (*used)[N_CODES / 8]; /* of each code table, bits of codes */
  Plane planes[2][MAX_COMPONENTS];
  Coder *coder;
  int32_t *indices; /* of a block */
  Sample *samples;  /* of a block */
  uint32_t broken_blocks, concealed_blocks;
} Frame;
#endif

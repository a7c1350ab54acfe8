/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What of the reference decoder the reference encoder and tests use: its stages. */
#ifndef PACO_DECODER_PRIVATE_H
#define PACO_DECODER_PRIVATE_H
#include "paco-decoder.h"

#ifdef __cplusplus
extern "C" {
#endif

enum
{
  PACO_REFERENCE_N_ROWS = 192,
  PACO_REFERENCE_N_CONTEXTS = 55,
  PACO_REFERENCE_BLOCK_WIDTH = 64,
  PACO_REFERENCE_BLOCK_HEIGHT = 256,
  PACO_REFERENCE_LANES = 32,
  PACO_REFERENCE_STRIPES = 32,
  /* Contexts look at most two lines and columns away. */
  PACO_REFERENCE_MARGIN = 2,
};

/* P(0) in 1/256. */
typedef struct
{
  uint8_t p[PACO_REFERENCE_N_ROWS][PACO_REFERENCE_N_CONTEXTS];
} PacoReferenceSet;

/* Returns the check of a block's bytes (FORMAT.md section 6). */
uint16_t paco_reference_check (const uint8_t *bytes, size_t length);

typedef struct
{
  uint8_t planes, raw_planes, dropped_planes, set; /* M, r, d */
  bool shared_codewords, raw_left_signs, cut;
  uint16_t check;
  uint32_t length, offset;
} PacoReferenceRecord;

/* A sample or coefficient: f with wavelet 1, else i. */
typedef union
{
  int32_t i;
  float f;
} PacoReferenceSample;

typedef struct
{
  uint32_t width, height;
  PacoReferenceSample *samples; /* rows without gaps */
} PacoReferencePlane;

/* --- blocks --- */

/* Codes the bit in that arithmetic coder and returns it: an encoder returns what it is
 * given, a decoder what it finds. p is that of the row and the context. */
typedef bool (*PacoReferenceSymbol) (void *symbols, unsigned coder,
    unsigned row, unsigned context, unsigned p, bool bit);
/* Does the same with a bit of the raw string. */
typedef bool (*PacoReferenceRawBit) (void *string, bool bit);

/* A block that is coded. Encoder and decoder walk through the same visits; what they do
 * depends on the symbols' bits alone, so that they cannot part ways. The first part is
 * the caller's. An encoder sets magnitudes and negative, a decoder finds them there. */
typedef struct PacoReferenceCoder
{
  unsigned width, height; /* 1..64, 1..256 */
  unsigned orientation;   /* LL, HL, LH, HH */
  unsigned coding_passes; /* 1..3 */
  PacoReferenceRecord record;
  const PacoReferenceSet *set;
  PacoReferenceSymbol code;
  void *symbols;
  uint32_t magnitude[PACO_REFERENCE_BLOCK_HEIGHT][PACO_REFERENCE_BLOCK_WIDTH];
  bool negative[PACO_REFERENCE_BLOCK_HEIGHT][PACO_REFERENCE_BLOCK_WIDTH];

  /* The plane plus one in which a coefficient became significant, or was coded last, or
   * 0. */
  uint8_t became[PACO_REFERENCE_BLOCK_HEIGHT][PACO_REFERENCE_BLOCK_WIDTH];
  uint8_t coded[PACO_REFERENCE_BLOCK_HEIGHT][PACO_REFERENCE_BLOCK_WIDTH];
  /* c of FORMAT.md section 7.3, whether something is near, and the signs that were coded,
   * or 0; with a margin around the block. */
  uint8_t context[PACO_REFERENCE_BLOCK_HEIGHT + 2 * PACO_REFERENCE_MARGIN]
                 [PACO_REFERENCE_BLOCK_WIDTH + 2 * PACO_REFERENCE_MARGIN];
  uint8_t near[PACO_REFERENCE_BLOCK_HEIGHT + 2 * PACO_REFERENCE_MARGIN]
              [PACO_REFERENCE_BLOCK_WIDTH + 2 * PACO_REFERENCE_MARGIN];
  int8_t sign[PACO_REFERENCE_BLOCK_HEIGHT + 2 * PACO_REFERENCE_MARGIN]
             [PACO_REFERENCE_BLOCK_WIDTH + 2 * PACO_REFERENCE_MARGIN];
  unsigned n_significant;
  uint8_t count[PACO_REFERENCE_STRIPES][PACO_REFERENCE_LANES]; /* u(t, g) */
  uint8_t density[PACO_REFERENCE_STRIPES][PACO_REFERENCE_LANES];
  bool awake[PACO_REFERENCE_STRIPES];
  unsigned plane_row, block_density;
  struct
  {
    bool active, bit, inverted;
    uint8_t context, y;
    unsigned row;
  } visit[PACO_REFERENCE_LANES];
} PacoReferenceCoder;

/* Returns how many lanes share a codeword of a block that is not zero. */
unsigned paco_reference_lanes (const PacoReferenceRecord *record);
/* Makes the coder ready for a block whose first part is set; magnitudes stay. */
void paco_reference_begin_block (PacoReferenceCoder *coder);
/* Codes a plane: from record.planes - 1 down to the raw ones. */
void paco_reference_code_plane (PacoReferenceCoder *coder, unsigned plane);
/* Codes the raw string (FORMAT.md section 7.6). */
void paco_reference_code_raw_string (
    PacoReferenceCoder *coder, PacoReferenceRawBit raw_bit, void *string);
/* Returns how many bits an open codeword takes, S being s. */
unsigned paco_reference_fill_bits (uint32_t s);

/* Decodes the record.length bytes of a block whose caller's part is set, line by line.
 * False if it is broken; all indices are 0 then. */
bool paco_reference_decode_bytes (
    PacoReferenceCoder *coder, const uint8_t *bytes, int32_t *indices);

/* --- wavelets and quantisation (wavelet.c) --- */

/* Transforms a plane, or undoes that, in place; x has room for its longer side. LL of the
 * last level is in the upper left corner, HL right of it, LH below it, and so on. */
void paco_reference_transform (PacoReferencePlane *plane, unsigned levels,
    unsigned wavelet, bool undo, PacoReferenceSample *x);
/* The first returns what makes samples of LL of a level those of a picture (FORMAT.md
 * section 10), the second multiplies by it. */
float paco_reference_reduced_gain (unsigned wavelet, unsigned levels);
void paco_reference_reduce (
    PacoReferencePlane *plane, unsigned wavelet, unsigned levels);
/* Returns the reconstruction point of a block, from that of its frame. */
unsigned paco_reference_point (
    unsigned reconstruction, bool cut, unsigned dropped_planes);
PacoReferenceSample paco_reference_dequantize (int32_t index,
    unsigned dropped_planes, unsigned reconstruction, unsigned wavelet,
    float step);

/* The wavelet along a stack, or its undoing: values[p] is a sample of slice p, less 2^15.
 * The second makes a sample of a picture of what is undone. */
void paco_reference_filter_stack (
    const PacoReferenceSlice *slice, bool undo, int *values);
int paco_reference_stack_sample (const PacoReferenceSlice *slice, int value);

/* --- colours (color.c) --- */

/* Undoes the color transform of the planes of a field, and rounds. */
void paco_reference_undo_color (
    const PacoReferenceHeader *header, PacoReferencePlane *planes);
/* Does that of a mosaic, if it has one, or undoes it, after the above. */
void paco_reference_filter_mosaic (
    const PacoReferenceHeader *header, PacoReferencePlane *planes, bool undo);
#ifdef __cplusplus
}
#endif
#endif

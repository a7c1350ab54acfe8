/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the files of the reference decoder share, with each other and with the reference
 * encoder and the tests, which run its stages. */
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
  PACO_REFERENCE_N_SETS = 8,
  PACO_REFERENCE_N_CODES = 1 << 16,
  PACO_REFERENCE_BLOCK_WIDTH = 64,
  PACO_REFERENCE_BLOCK_HEIGHT = 256,
  PACO_REFERENCE_BLOCK_SIZE = PACO_REFERENCE_BLOCK_WIDTH
      * PACO_REFERENCE_BLOCK_HEIGHT,
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

/* Wavelets by their numbers in the header. */
enum
{
  PACO_REFERENCE_CDF53,
  PACO_REFERENCE_CDF97,
  PACO_REFERENCE_DD137,
};

/* --- bytes (bytes.c) --- */

unsigned paco_reference_get16 (const uint8_t *data);
uint32_t paco_reference_get32 (const uint8_t *data);
uint32_t paco_reference_crc32 (const uint8_t *data, size_t size);
/* Returns the check of a block's bytes (FORMAT.md section 6). */
uint16_t paco_reference_check (const uint8_t *bytes, size_t length);
/* Sets *message, which may be NULL, and returns status. */
PacoReferenceStatus paco_reference_fail (
    PacoReferenceStatus status, const char *sentence, const char **message);

/* A string of adaptive bits (FORMAT.md section 7.8) that is read. */
typedef struct
{
  const uint8_t *data;
  size_t left;
  uint32_t s, d;
  bool broken; /* a codeword was missing */
} PacoReferenceAdaptive;

/* context begins with 32768. */
bool paco_reference_adaptive_bit (
    PacoReferenceAdaptive *coder, uint16_t *context);

/* --- chunks (chunks.c) --- */

/* Says whether an ancillary chunk is as FORMAT.md section 3.1 says. */
bool paco_reference_ancillary_is_valid (
    unsigned type, const uint8_t *data, size_t size);

/* Puts the content of chunk 3 into set, which may be NULL; false if it is none. */
bool paco_reference_read_set (
    const uint8_t *data, size_t size, PacoReferenceSet *set);
const PacoReferenceSet *paco_reference_builtin_set (
    unsigned family, unsigned number);

/* --- the index (index.c) --- */

typedef struct
{
  uint8_t planes, raw_planes, dropped_planes, set; /* M, r, d */
  bool shared_codewords, raw_left_signs, cut;
  uint16_t check;
  uint32_t length, offset;
} PacoReferenceRecord;

typedef struct
{
  uint8_t field, component, level, orientation; /* LL, HL, LH, HH */
  uint16_t entry;
  uint32_t left, top; /* where the transform leaves it in its plane */
  uint32_t width, height;
  uint32_t block_height, blocks_x, blocks_y, first_block;
} PacoReferenceSubband;

typedef struct
{
  uint32_t x, y; /* in the subband */
  uint16_t subband, width, height;
  PacoReferenceRecord record;
} PacoReferenceCodeblock;

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

/* A frame that is being decoded. Subbands stand in the order of the codestream. */
typedef struct
{
  PacoReferenceHeader header;
  const uint8_t *index, *payload;
  unsigned reduce, n_fields;
  PacoReferenceSet carried;
  uint32_t n_subbands, n_blocks;
  uint32_t n_blocks_at[PACO_REFERENCE_MAX_LEVELS + 1]; /* without n levels */
  PacoReferenceSubband
      subbands[2 * PACO_REFERENCE_MAX_COMPONENTS * PACO_REFERENCE_MAX_ENTRIES];
  PacoReferenceCodeblock *blocks;
  uint8_t *cells;         /* of the step map, or NULL */
  uint32_t first_cell[2]; /* of each field */
  uint32_t cell_columns;
  uint8_t (
      *used)[PACO_REFERENCE_N_CODES / 8]; /* of each table, bits of codes */
  PacoReferencePlane planes[2][PACO_REFERENCE_MAX_COMPONENTS];
  struct PacoReferenceCoder *coder;
  int32_t *indices;             /* of a block */
  PacoReferenceSample *samples; /* of a block */
  uint32_t broken_blocks, concealed_blocks;
} PacoReferenceFrame;

/* Returns the size of component c in a field when levels are left out. */
void paco_reference_size (const PacoReferenceHeader *header, unsigned c,
    unsigned field, unsigned reduce, uint32_t *width, uint32_t *height);
/* Returns a / 2^n, rounded up. */
uint32_t paco_reference_ceil_shift (uint32_t a, unsigned n);

/* Finds subbands and blocks of a frame whose header was read, and reads its index. */
PacoReferenceStatus paco_reference_read_index (
    PacoReferenceFrame *frame, const char **message);

/* --- blocks (block.c) --- */

/* Codes the bit with the probability p / 256 that it is 0, the p of that row and context
 * of the set, in that arithmetic coder, and returns it: an encoder returns the bit that it is given, a
 * decoder the one that it finds. */
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
  /* c and near of FORMAT.md section 7.3, and the signs that were coded, or 0; with a
   * margin around the block. */
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
    uint8_t context, x, y;
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
/* The step that the low 14 bits of a subband entry say. */
float paco_reference_step (unsigned entry);
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
/* Finds the sample of each number less the smallest one; returns how many there are, and
 * what is to be added to a coefficient to make it such a number. */
uint32_t paco_reference_map_numbers (const PacoReferenceFrame *frame,
    unsigned c, uint16_t samples[PACO_REFERENCE_N_CODES], int32_t *shift);

/* --- blocks of a frame (blocks.c), and concealment (conceal.c) --- */

/* Allocates what blocks of the frame need; false if there is no memory. */
bool paco_reference_blocks_init (PacoReferenceFrame *frame);
bool paco_reference_has_wrong_check (
    const PacoReferenceFrame *frame, uint32_t i);
/* Decodes block i into frame->indices; false if it is broken. */
bool paco_reference_decode_block_of (PacoReferenceFrame *frame, uint32_t i);
/* Puts what the indices stand for into samples. */
void paco_reference_dequantize_block (const PacoReferenceFrame *frame,
    uint32_t i, bool replaced, PacoReferenceSample *samples);

/* Begins the next frame of a stream. */
void paco_reference_conceal_begin (
    PacoReferenceConcealer *concealer, const PacoReferenceFrame *frame);
/* Puts indices that can stand for block i, which is broken, into frame->indices; false if
 * there are none. */
bool paco_reference_conceal (
    PacoReferenceConcealer *concealer, PacoReferenceFrame *frame, uint32_t i);
/* Keeps block i; samples: or NULL. False if there is no memory. */
bool paco_reference_conceal_keep (PacoReferenceConcealer *concealer,
    const PacoReferenceFrame *frame, uint32_t i,
    const PacoReferenceSample *samples);
/* The frame is decoded: it is the last one now. */
void paco_reference_conceal_end (
    PacoReferenceConcealer *concealer, const PacoReferenceFrame *frame);

#ifdef __cplusplus
}
#endif
#endif

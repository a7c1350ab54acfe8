/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The model of the block coder: which symbols a block is made of, in which
 * order, and in which contexts (FORMAT.md sections 7.1 and 7.3 to 7.5).
 *
 * Encoder and decoder run the same code. It walks through the visits and hands
 * each symbol to paco_reference_code_symbol(), which gives the bit back: the
 * encoder's own, or the one decoded. Everything after that depends on that bit
 * alone, so the two cannot part ways. */
#pragma once
#include "codec/reference/reference.h"

/* --- The arithmetic coders, which reserve codewords of 32 bits in turn (FORMAT.md
 * sections 7.1 and 7.2), and the raw bits that fill the codewords left open (7.6). One
 * struct encodes and decodes, so that the model is written once. --- */

#define PACO_REFERENCE_MAX_ARITHMETIC_CODERS 32

typedef struct
{
  uint32_t s;     /* size of the interval minus one; 0: no codeword */
  uint32_t value; /* encoder: L, lower end; decoder: D = codeword - L */
  guint codeword; /* encoder: which codeword is reserved */
} PacoReferenceArithmeticCoder;

typedef struct
{
  bool decoding;
  unsigned n_coders;
  PacoReferenceArithmeticCoder coders[PACO_REFERENCE_MAX_ARITHMETIC_CODERS];

  GArray *codewords; /* encoder: uint32_t, in the order of reservation */

  const uint8_t *bytes; /* decoder: the block's bytes */
  size_t size, used;    /* used: by the codewords reserved so far */
  bool broken;          /* decoder: a codeword was missing */
} PacoReferenceArithmeticCoders;

void paco_reference_arithmetic_init_encoder (
    PacoReferenceArithmeticCoders *coders, unsigned n_coders);
void paco_reference_arithmetic_init_decoder (
    PacoReferenceArithmeticCoders *coders, unsigned n_coders,
    const uint8_t *bytes, size_t size);
void paco_reference_arithmetic_clear (PacoReferenceArithmeticCoders *coders);

/* Codes one binary symbol, which is 0 with the probability p / 256, and returns it: the
 * encoder returns its argument, the decoder what it finds. */
bool paco_reference_code_symbol (PacoReferenceArithmeticCoders *coders,
    unsigned number, unsigned p, bool bit);

/* Raw bits, each of them a byte that is 0 or 1. */
typedef GByteArray PacoReferenceBits;

/* Ends an encoder: fills the open codewords with the first bits, and appends
 * codewords and the bits that are left to out. */
void paco_reference_finish_encoder (PacoReferenceArithmeticCoders *coders,
    const PacoReferenceBits *bits, GByteArray *out);

/* Ends a decoder: returns the bits in open codewords (*n_fill of them) and then the
 * plain ones. NULL if a codeword holds more than its fill bits. */
PacoReferenceBits *paco_reference_finish_decoder (
    PacoReferenceArithmeticCoders *coders, size_t *n_fill);

/* --- The model --- */

/* Contexts look at most two lines and columns away; so wide a margin of
 * coefficients that never become significant saves every bounds check. */
#define PACO_REFERENCE_MARGIN 2
#define PACO_REFERENCE_MAX_STRIPES (PACO_MAX_BLOCK_HEIGHT / PACO_STRIPE_LINES)

typedef struct
{
  uint32_t magnitude; /* decoder: the bits known so far */
  bool negative;      /* decoder: once known */
  bool significant;   /* a 1 bit was coded */
  bool old;           /* was significant when the plane began */
  bool coded;         /* in this plane, already */
  bool awaits_sign;   /* became significant in the scan before */
  int8_t sign;        /* +1, -1 once the sign was coded, else 0 */
} PacoReferenceCoefficient;

/* One lane's part in a visit. */
typedef struct
{
  bool active;
  unsigned row, context; /* of the probability set */
  bool bit;
  bool inverted; /* signs: the symbol is the opposite of the bit */
  PacoReferenceCoefficient *coefficient;
} PacoReferenceLaneVisit;

typedef struct
{
  const PacoReferenceBlock *block;
  PacoBlockRecord *record;
  PacoReferenceArithmeticCoders arithmetic;
  unsigned lanes_per_coder;
  const PacoProbabilitySet *set;
  unsigned plane_row;     /* the first row of the plane being coded */
  unsigned block_density; /* class of the block */
  bool awake[PACO_REFERENCE_MAX_STRIPES];
  uint8_t local_density[PACO_REFERENCE_MAX_STRIPES][PACO_LANES]; /* classes */
  PacoReferenceLaneVisit visit[PACO_LANES];
  PacoReferenceCoefficient
      coefficients[PACO_MAX_BLOCK_HEIGHT + 2 * PACO_REFERENCE_MARGIN]
                  [PACO_BLOCK_WIDTH + 2 * PACO_REFERENCE_MARGIN];
} PacoReferenceCoder;

/* Returns the coefficient in column x, line y of the block, or of its margin. */
static inline PacoReferenceCoefficient *
paco_reference_coefficient (PacoReferenceCoder *coder, unsigned x, unsigned y)
{
  return &coder->coefficients[y + PACO_REFERENCE_MARGIN]
                             [x + PACO_REFERENCE_MARGIN];
}

/* Codes all planes that are coded: from record->planes - 1 down to the raw
 * ones. */
void paco_reference_code_planes (PacoReferenceCoder *coder);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The reference encoder's arithmetic coders, which reserve codewords of 32 bits in turn,
 * and the raw bits that fill the codewords left open (FORMAT.md sections 7.1, 7.2 and
 * 7.6), for block.c and for tests. */
#pragma once
#include "codec/reference/decoder/private.h"
#include <glib.h>

typedef struct
{
  uint32_t s;     /* size of the interval minus one; 0: no codeword */
  uint32_t value; /* L, its lower end */
  guint codeword; /* which codeword is reserved */
} PacoReferenceArithmeticCoder;

typedef struct
{
  unsigned n_coders;
  PacoReferenceArithmeticCoder coders[PACO_REFERENCE_LANES];
  GArray *codewords; /* uint32_t, in the order of reservation */
} PacoReferenceArithmeticCoders;

/* Raw bits, each of them a byte that is 0 or 1. */
typedef GByteArray PacoReferenceBits;

void paco_reference_arithmetic_init (
    PacoReferenceArithmeticCoders *coders, unsigned n_coders);
void paco_reference_arithmetic_clear (PacoReferenceArithmeticCoders *coders);

/* Codes a binary symbol, which is 0 with the probability p / 256. */
void paco_reference_encode_symbol (PacoReferenceArithmeticCoders *coders,
    unsigned number, unsigned p, bool bit);

/* Fills the open codewords with the first bits, and appends codewords and the bits that
 * are left to out. */
void paco_reference_arithmetic_finish (PacoReferenceArithmeticCoders *coders,
    const PacoReferenceBits *bits, GByteArray *out);

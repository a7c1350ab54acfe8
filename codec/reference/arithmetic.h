/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The arithmetic coders of a codeblock, which reserve codewords of 32 bits in
 * turn (FORMAT.md sections 7.1 and 7.2), and the raw bits that fill the codewords
 * left open (7.6). One struct encodes and decodes, so that the model (model.c),
 * which calls this, is written once. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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

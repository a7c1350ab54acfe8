/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Has the arithmetic coders of text 004 and its rivals, behind one function:
 * the block coder (bitplanes.c) hands each symbol over and gets the bit back,
 * the encoder's own or the one decoded.
 *
 * Codewords of fixed length, one coder for each lane or one for all (004 section
 * 3.2.3, Algorithms 2 and 3), the MQ coder of JPEG 2000 (ISO/IEC 15444-1 annex C), and
 * none at all, for those who count. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SYMBOL_LANES 32
#define SYMBOL_CONTEXTS 32

typedef enum
{
  SYMBOL_COUNT,     /* counts symbols and writes nothing */
  SYMBOL_LANES_OWN, /* a coder and a codeword for each lane */
  SYMBOL_ONE_CODER, /* codewords of fixed length, of one coder for all lanes */
  SYMBOL_MQ,        /* adaptive, one codeword for the block */
} SymbolKind;

/* This says what a codeword and a probability are. The text has 16 and 7. */
typedef struct
{
  unsigned codeword_bits;    /* W: a multiple of 8, 16 to 32 */
  unsigned probability_bits; /* Pb: 1 to 15 */
} SymbolPrecision;

typedef struct
{
  uint32_t low;    /* L; the decoder's I - L */
  uint32_t size;   /* S: the interval's, less one; 0: there is no codeword */
  uint32_t number; /* of its codeword, in the order of reservation */
} CodewordCoder;

typedef struct
{
  uint32_t a, c;
  int ct;
  uint8_t state[SYMBOL_CONTEXTS], most_probable[SYMBOL_CONTEXTS];
} MqCoder;

typedef struct
{
  SymbolKind kind;
  SymbolPrecision precision;
  bool decoding;
  CodewordCoder coders[SYMBOL_LANES];
  MqCoder mq;
  GByteArray
      *bytes; /* encoder: what was written; codewords that are open are 0 */
  const uint8_t *data; /* decoder: size bytes, of which `used` were read */
  size_t size, used;
  bool broken; /* decoder: a codeword was missing */
  uint64_t counts[SYMBOL_CONTEXTS][2];
} SymbolCoder;

/* Begins an encoder; bytes is an empty array that the code goes to. */
void symbol_coder_encode (SymbolCoder *coder, SymbolKind kind,
    SymbolPrecision precision, GByteArray *bytes);
void symbol_coder_decode (SymbolCoder *coder, SymbolKind kind,
    SymbolPrecision precision, const uint8_t *data, size_t size);

/* Codes a symbol of a lane whose probability of being 0 is p / 2^Pb, p from 1 to
 * 2^Pb - 1. The MQ coder takes its own probability of the context. */
bool symbol_code (
    SymbolCoder *coder, unsigned lane, unsigned context, unsigned p, bool bit);

/* This says where an encoder is, and how many bytes of what it will have
 * written decode the symbols so far. */
typedef struct
{
  size_t bytes; /* that were written, or reserved */
  MqCoder mq;
  uint8_t last; /* the MQ coder's last byte, which a carry may still change */
} SymbolPoint;

SymbolPoint symbol_coder_point (const SymbolCoder *coder);
/* Returns that length, after symbol_coder_finish(). */
size_t symbol_point_length (const SymbolCoder *coder, const SymbolPoint *point);

/* Writes what an encoder has left. */
void symbol_coder_finish (SymbolCoder *coder);

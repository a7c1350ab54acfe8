/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The arithmetic coder: streams that reserve codewords of 32 bits one after
 * the other (FORMAT.md section 7.2), and the raw bits that fill the codewords
 * left open (7.6). One struct encodes and decodes, so that the model in
 * block.c is written once. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define PACO_REFERENCE_MAX_STREAMS 32

typedef struct
{
  uint32_t s;     /* size of the interval minus one; 0: no codeword */
  uint32_t value; /* encoder: L, lower end; decoder: D = codeword - L */
  guint codeword; /* encoder: which codeword is reserved */
} PacoReferenceStream;

typedef struct
{
  bool decoding;
  unsigned n_streams;
  PacoReferenceStream streams[PACO_REFERENCE_MAX_STREAMS];

  GArray *codewords; /* encoder: uint32_t, in the order of reservation */

  const uint8_t *bytes; /* decoder: the block's bytes */
  size_t size, used;    /* used: by the codewords reserved so far */
  bool broken;          /* decoder: a codeword was missing */
} PacoReferenceStreams;

void paco_reference_streams_init_encoder (
    PacoReferenceStreams *streams, unsigned n_streams);
void paco_reference_streams_init_decoder (PacoReferenceStreams *streams,
    unsigned n_streams, const uint8_t *bytes, size_t size);
void paco_reference_streams_clear (PacoReferenceStreams *streams);

/* Codes one binary symbol whose probability of being 0 is p / 256. Returns it:
 * the encoder its argument, the decoder what it finds. */
bool paco_reference_code_symbol (
    PacoReferenceStreams *streams, unsigned stream, unsigned p, bool bit);

/* Raw bits, one byte each: 0 or 1. */
typedef GByteArray PacoReferenceBits;

/* Encoder: fills the open codewords with the first bits and appends codewords
 * and the bits that are left to out. */
void paco_reference_finish_encoder (PacoReferenceStreams *streams,
    const PacoReferenceBits *bits, GByteArray *out);

/* Decoder: all the bits there are: those in open codewords (*n_fill), then the
 * plain ones. NULL if a codeword holds more than its fill bits. */
PacoReferenceBits *paco_reference_finish_decoder (
    PacoReferenceStreams *streams, size_t *n_fill);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Is the block coder of text 004, sections 3.2 and 4.2: bitplanes in two or
 * three coding passes, a visit of 32 lanes at a time, contexts from the eight
 * neighbors, stationary probabilities of each subband and bitplane. It is not
 * the codec's, which has other contexts, rows of probabilities and codewords
 * (FORMAT.md section 7).
 *
 * A lane owns two columns. A pass walks through the lines; in each, all lanes code
 * their left column, then all their right one, and the signs of a visit follow its
 * bits. Encoder, decoder and counter are one walk, whose symbols go to symbols.h. */
#pragma once
#include "tests/lab/symbols.h"

#define BITPLANES_WIDTH 64
#define BITPLANES_MAX_HEIGHT 256
#define BITPLANES_MAX_PLANES 24
#define BITPLANES_MAX_PASSES (3 * BITPLANES_MAX_PLANES)

/* These are the contexts: of a bit by the number of significant neighbors, of a
 * sign by eq. (3.2), each for the first pass and for the cleanup pass
 * ("different LUTs are employed in each coding pass", section 4.3.3); one
 * serves all refinement. */
enum
{
  CONTEXT_SIGNIFICANCE = 0,
  CONTEXT_SIGN = CONTEXT_SIGNIFICANCE + 9,
  CONTEXT_CLEANUP = CONTEXT_SIGN + 4,
  CONTEXT_CLEANUP_SIGN = CONTEXT_CLEANUP + 9,
  CONTEXT_REFINEMENT = CONTEXT_CLEANUP_SIGN + 4,
  N_CONTEXTS,
};

/* These are probabilities of a 0 of a subband, in 2^-Pb. */
typedef struct
{
  uint16_t p[BITPLANES_MAX_PLANES][N_CONTEXTS];
} BitplanesTable;

/* This says how blocks are coded. */
typedef struct
{
  unsigned passes; /* of a bitplane: 2 or 3 */
  SymbolKind kind;
  SymbolPrecision precision;
  bool one_context; /* one of significance, of refinement and of signs */
} BitplanesForm;

/* The text has these: three passes, 16 bits a codeword and 7 a probability. */
#define BITPLANES_FORM                                                         \
  {                                                                            \
    .passes = 3, .kind = SYMBOL_LANES_OWN, .precision = {                      \
      .codeword_bits = 16,                                                     \
      .probability_bits = 7                                                    \
    }                                                                          \
  }

/* This is what a block has coded at the end of a pass. */
typedef struct
{
  uint32_t bytes; /* that decode it */
  double gain; /* squared error, in steps, that is gone since the beginning */
} BitplanesPass;

typedef struct
{
  unsigned planes;   /* M: of the largest magnitude */
  unsigned n_passes; /* all of them, or what the decoder is to decode */
  BitplanesPass passes[BITPLANES_MAX_PASSES];
  uint64_t visits; /* to coefficients, in which a lane had something to code */
  uint64_t active; /* lanes that had, of 32 in each */
} BitplanesRecord;

/* Returns the number of passes of a block with that many bitplanes: the first
 * bitplane has only a cleanup pass, or only a significance pass where there are
 * two. */
unsigned bitplanes_n_passes (const BitplanesForm *form, unsigned planes);

/* Codes width * height indices, line by line, and appends the code to bytes.
 * counts (or NULL) are those of the symbols of each bitplane, with kind
 * SYMBOL_COUNT. exact (or NULL) are the magnitudes before quantization, in
 * steps, for the gains. */
typedef uint64_t BitplanesCounts[BITPLANES_MAX_PLANES][N_CONTEXTS][2];
void bitplanes_encode (const BitplanesForm *form, const BitplanesTable *table,
    const int32_t *indices, const float *exact, unsigned width, unsigned height,
    BitplanesRecord *record, BitplanesCounts *counts, GByteArray *bytes);

/* Decodes record->n_passes passes of a block of record->planes bitplanes. known
 * is the lowest bitplane of each magnitude that was decoded. Returns FALSE if
 * the bytes do not suffice. */
bool bitplanes_decode (const BitplanesForm *form, const BitplanesTable *table,
    const uint8_t *bytes, size_t size, unsigned width, unsigned height,
    const BitplanesRecord *record, int32_t *indices, uint8_t *known);

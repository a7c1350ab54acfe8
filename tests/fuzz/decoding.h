/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes frames for the fuzz targets: decoders of the CPU backend that stay open
 * from input to input, and memory for what they write. */
#pragma once
#include "codec/backend.h"

/* Larger pictures are left alone, so that an input takes milliseconds. */
#define FUZZ_MAX_SAMPLES (1u << 15)

/* This is a decoded picture in memory of exactly the size that a decoder
 * writes, so that a sanitizer sees one byte more. */
typedef struct
{
  PacoPicture picture;
  uint8_t *memory;
  size_t size; /* bytes */
} FuzzPicture;

/* Makes memory for a picture, filled with one value. bytes are those of a
 * sample, 1 or 2; 0: the fewest that its depth needs; FUZZ_PACKED: components
 * that can be share their memory, bit by bit. */
#define FUZZ_PACKED 4
void fuzz_picture_init (FuzzPicture *picture, const PacoHeader *header,
    unsigned reduce, unsigned bytes);
void fuzz_picture_clear (FuzzPicture *picture);

typedef struct
{
  bool decoded;
  uint32_t corrupted_blocks, concealed_blocks;
} FuzzVerdict;

/* Returns how many variants of the CPU backend this machine has: plain, AVX2,
 * AVX-512. */
unsigned fuzz_n_variants (void);
const char *fuzz_variant_name (unsigned variant);

/* Decodes the frame by a variant, as the first of a stream. The decoder of each is
 * opened once, and configured only for frames that need it. */
FuzzVerdict fuzz_decode (unsigned variant, const PacoCodedFrame *coded,
    unsigned reduce, FuzzPicture *picture);
/* Decodes it as the next frame of the stream. */
FuzzVerdict fuzz_decode_next (unsigned variant, const PacoCodedFrame *coded,
    unsigned reduce, FuzzPicture *picture);
/* Closes the decoders that were kept open: programs that end are checked for
 * leaks. */
void fuzz_close_decoders (void);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs the rival of text 004: JPEG 2000, coded by OpenJPEG's library, which
 * knows nothing of this project. Without the library there is none. */
#pragma once
#include "tests/lab/gray-picture.h"

typedef struct
{
  double bits; /* per sample, headers included; 0: lossless, with 5/3 */
  unsigned block_height; /* of 64 columns: 4 to 64, a power of two */
  unsigned threads;      /* 0 is 1 */
  bool parallel_passes;  /* the variations RESET, RESTART and CAUSAL */
} Jpeg2000Options;

/* Says whether there is a rival. */
bool jpeg2000_is_there (void);

/* Codes the picture with five levels, one layer, one tile, and decodes it again.
 * Returns the bytes of the packets: the codestream without its main header and
 * markers. decoded (or NULL): its samples, level shifted. Ends the program if OpenJPEG
 * fails. */
size_t jpeg2000_code (const GrayPicture *picture,
    const Jpeg2000Options *options, PacoReferenceSample *decoded);

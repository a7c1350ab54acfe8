/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The whole reference decoder in one file: paco-decoder.h says how it is used. */
#include "bytes.c"
#include "chunks.c"
#include "header.c"
#include "index.c"
#include "block.c"
#include "wavelet.c"
#include "color.c"
#include "blocks.c"
#include "conceal.c"
#include "decode.c"

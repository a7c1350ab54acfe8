/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How many lanes share a codeword (FORMAT.md section 7.1). index.h and policy_block.h
 * include it, for C and for CUDA.
 *
 * In a block of one plane, codewords that are open at the end are a good part of its
 * bytes. With eight lanes to each instead of four, pictures take 3.5 % fewer bytes at
 * 0.12 bits a sample, 1.1 % at 0.3 and 0.4 % at 0.5. A visit takes twice as long, but
 * such a block has few visits. If blocks of two planes had eight lanes to a codeword as
 * well, it would be 4.0, 1.4 and 0.7 %, but coding would take 15 % longer at these
 * rates. */
#pragma once

/* n_planes: planes of the block that are stored, 1 at least. */
#define PACO_SHARING_LANES(n_planes) ((n_planes) == 1 ? 8u : 4u)

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes and reads the packet headers of JPEG 2000 (ISO/IEC 15444-1 annex
 * B.10) around the blocks of text 004, which keeps that standard's codestream:
 * one layer, one precinct, a packet for each resolution. The laboratory counts
 * their bytes, and reads them again to see that nothing is missing. */
#pragma once
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* This is what a packet header says of a block. */
typedef struct
{
  unsigned planes;   /* bitplanes */
  unsigned n_passes; /* that are in the codestream; 0: the block is not */
  uint32_t bytes;
} PacketBlock;

/* These are the blocks of one subband, row by row. */
typedef struct
{
  uint32_t blocks_x, blocks_y;
  unsigned max_planes; /* Mb: of all blocks of the subband */
  PacketBlock *blocks;
} PacketSubband;

/* Appends the header of the packet of a resolution: of LL, or of HL, LH and
 * HH. */
void packet_write_header (
    const PacketSubband *subbands, unsigned n_subbands, GByteArray *out);

/* Reads it again, everything but blocks_x, blocks_y and max_planes, and returns
 * how many bytes it had. */
size_t packet_read_header (PacketSubband *subbands, unsigned n_subbands,
    const uint8_t *bytes, size_t size);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes a picture of one component by text 004's coder in the framework of
 * JPEG 2000: five levels of 5/3 or 9/7, quantized, blocks of 64 columns,
 * tables of probabilities, passes chosen by rate and distortion, packet
 * headers. lab-coder uses it. */
#pragma once
#include "codec/reference/reference.h"
#include "tests/lab/bitplanes.h"
#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define GRAY_LEVELS 5
#define GRAY_SUBBANDS (3 * GRAY_LEVELS + 1)

/* These are the samples, level shifted: signed integers of `depth` bits. */
typedef struct
{
  char *name;
  unsigned depth;
  PacoReferencePlane plane;
} GrayPicture;

/* Reads what tests/bench reads, packed with xz: RGB becomes its luma, of YUV
 * the luma is taken. It reads at most max_width * max_height samples, of the
 * middle. */
gboolean gray_picture_read (const char *path, uint32_t max_width,
    uint32_t max_height, GrayPicture *picture, GError **error);
void gray_picture_clear (GrayPicture *picture);

/* Returns the PSNR in dB of other samples of the same picture; INFINITY where
 * they are the same. */
double gray_picture_psnr (
    const GrayPicture *picture, const PacoReferenceSample *other);

/* --- The transform --- */

typedef struct
{
  uint32_t left, top, width, height; /* where it lies in the plane */
  float step;
} GraySubband;

typedef struct
{
  PacoWaveletId wavelet;
  PacoReferencePlane plane; /* quantizer indices, as integers */
  float
      *exact; /* magnitudes in steps, before quantization; NULL if reversible */
  GraySubband subbands[GRAY_SUBBANDS];
} GrayTransform;

/* Transforms. The steps of 9/7 are such that an error of one in any index
 * weighs one in the picture, as OpenJPEG's. */
void gray_transform (const GrayPicture *picture, PacoWaveletId wavelet,
    GrayTransform *transform);
void gray_transform_clear (GrayTransform *transform);

/* --- Tables --- */

typedef struct
{
  BitplanesCounts of[GRAY_SUBBANDS];
} GrayCounts;

typedef struct
{
  BitplanesTable of[GRAY_SUBBANDS];
} GrayTables;

/* Adds the symbols of a picture with that form, whose kind does not matter. */
void gray_count (const GrayTransform *transform, const BitplanesForm *form,
    unsigned block_height, GrayCounts *counts);
void gray_counts_add (GrayCounts *to, const GrayCounts *counts);
void gray_counts_subtract (GrayCounts *to, const GrayCounts *counts);

/* Makes tables by eq. (3.3) and (3.5), as if both values of each symbol had
 * been seen once more. */
void gray_tables (
    const GrayCounts *counts, unsigned probability_bits, GrayTables *tables);

/* Returns the bits of a picture's symbols with the probabilities of others, and with
 * those of tables, without any loss to codewords. */
double gray_ideal_bits (const GrayCounts *picture, const GrayCounts *others);
double gray_table_bits (const GrayCounts *picture, const GrayTables *tables,
    unsigned probability_bits);

/* --- Coding --- */

typedef struct
{
  unsigned subband, width, height;
  uint32_t x, y; /* of its first coefficient in the subband */
  size_t offset; /* of its code */
  unsigned sent; /* passes that are in the codestream */
  BitplanesRecord record;
} GrayBlock;

typedef struct
{
  const GrayTransform *transform;
  const BitplanesForm *form;
  const GrayTables *tables;
  unsigned block_height;
  GArray *blocks; /* GrayBlock, of a subband row by row */
  uint32_t blocks_x[GRAY_SUBBANDS], blocks_y[GRAY_SUBBANDS];
  GByteArray *code;
} GrayCode;

/* Codes all blocks; tables (or NULL with the MQ coder) and the rest stay in
 * use. */
void gray_encode (const GrayTransform *transform, const BitplanesForm *form,
    const GrayTables *tables, unsigned block_height, GrayCode *code);
void gray_code_clear (GrayCode *code);

/* Returns the bytes of the packets with the passes that are sent. */
size_t gray_code_bytes (const GrayCode *code);
/* Returns those of the packets' headers among them. */
size_t gray_code_header_bytes (const GrayCode *code);

/* Sends those passes that lower the error most and fit into so many bytes. */
void gray_code_fit (GrayCode *code, size_t bytes);

/* Decodes the passes that are sent into plane, which has the picture's size:
 * its samples, rounded and clamped. Returns FALSE if the code does not
 * suffice. */
bool gray_decode (
    const GrayCode *code, unsigned depth, PacoReferencePlane *plane);

/* Writes and reads the packet headers of JPEG 2000 (ISO/IEC 15444-1 annex
 * B.10) around the blocks of text 004, which keeps that standard's codestream:
 * one layer, one precinct, a packet for each resolution. The laboratory counts
 * their bytes, and reads them again to see that nothing is missing. */

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

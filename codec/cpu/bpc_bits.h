/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Bit strings for the block coder: a writer, a reader, and the transposition between
 * row masks and columns. Bits fill bytes, and bytes fill words, from the least
 * significant one on. bpc_template.h and the lanes of all instruction sets use it. */
#pragma once
#include "codec/cpu/bpc_private.h"
#include <string.h>

/* Lines of a picture lie too far apart for the processor to prefetch the next one by
 * itself. So the code asks for the line that comes BPC_LINES_AHEAD later. */
#define BPC_LINES_AHEAD 8

BPC_INLINE void
fetch_line_ahead (const void *line, ptrdiff_t stride_bytes, size_t line_bytes,
    bool for_writing)
{
  const char *ahead = (const char *) ((uintptr_t) line
      + (uintptr_t) (stride_bytes * BPC_LINES_AHEAD));

  for (size_t k = 0; k < line_bytes; k += 64) {
    if (for_writing)
      __builtin_prefetch (ahead + k, 1);
    else
      __builtin_prefetch (ahead + k, 0);
  }
}

BPC_INLINE uint64_t
load_le64 (const uint8_t *data)
{
  uint64_t value;

  memcpy (&value, data, 8);
  return GUINT64_FROM_LE (value);
}

BPC_INLINE void
store_le64 (uint8_t *data, uint64_t value)
{
  value = GUINT64_TO_LE (value);
  memcpy (data, &value, 8);
}

BPC_INLINE uint32_t
load_le32 (const uint8_t *data)
{
  uint32_t value;

  memcpy (&value, data, 4);
  return GUINT32_FROM_LE (value);
}

BPC_INLINE void
store_le32 (uint8_t *data, uint32_t value)
{
  value = GUINT32_TO_LE (value);
  memcpy (data, &value, 4);
}

/* The density class of lanes that have no columns in the block. */
#define LANES_NO_CLASS 0xff

/* Returns the n lowest bits; n = 0..64. */
BPC_INLINE uint64_t
low_bits (unsigned n)
{
  return n < 64 ? ((uint64_t) 1 << n) - 1 : UINT64_MAX;
}

typedef struct
{
  uint8_t *at;
  uint64_t word;
  unsigned n; /* bits in word, 0..63 */
  size_t bits;
} BitWriter;

/* Appends n = 0..64 bits; the others of value are 0. */
BPC_INLINE void
put_bits (BitWriter *writer, uint64_t value, unsigned n)
{
  unsigned total = writer->n + n;

  writer->bits += n;
  writer->word |= value << writer->n;
  if (total >= 64) {
    store_le64 (writer->at, writer->word);
    writer->at += 8;
    writer->word = writer->n ? value >> (64 - writer->n) : 0;
    total -= 64;
  }
  writer->n = total;
}

/* Ends the string, and writes zeros behind it, which may be read as fill bits of 32
 * codewords. */
BPC_INLINE void
put_end (BitWriter *writer)
{
  store_le64 (writer->at, writer->word);
  memset (writer->at + 8, 0, 32 * 4 + 16);
}

typedef struct
{
  const uint8_t *data;
  size_t at; /* in bits */
} BitReader;

/* Reads n = 0..64 bits; nine bytes must be readable. */
BPC_INLINE uint64_t
get_bits (BitReader *reader, unsigned n)
{
  const uint8_t *data = reader->data + (reader->at >> 3);
  unsigned shift = reader->at & 7;
  uint64_t value = load_le64 (data) >> shift;

  if (shift)
    value |= (uint64_t) data[8] << (64 - shift);
  reader->at += n;
  return value & low_bits (n);
}

#define TRANSPOSE_STAGE(j, mask)                                               \
  for (unsigned base = 0; base < 64; base += 2 * (j))                          \
    for (unsigned i = base; i < base + (j); i++) {                             \
      uint64_t t = ((a[i] >> (j)) ^ a[i + (j)]) & UINT64_C (mask);             \
                                                                               \
      a[i] ^= t << (j);                                                        \
      a[i + (j)] ^= t;                                                         \
    }

/* Exchanges bit i of word k with bit k of word i. */
static inline void
transpose_64x64 (uint64_t a[64])
{
  TRANSPOSE_STAGE (32, 0x00000000ffffffff)
  TRANSPOSE_STAGE (16, 0x0000ffff0000ffff)
  TRANSPOSE_STAGE (8, 0x00ff00ff00ff00ff)
  TRANSPOSE_STAGE (4, 0x0f0f0f0f0f0f0f0f)
  TRANSPOSE_STAGE (2, 0x3333333333333333)
  TRANSPOSE_STAGE (1, 0x5555555555555555)
}

/* Makes columns from row masks; column x of the block is columns[x]. */
static inline void
rows_to_columns (const uint64_t *rows, unsigned height,
    uint64_t columns[64][PACO_MAX_BLOCK_HEIGHT / 64])
{
  for (unsigned y = 0; y < height; y += 64) {
    uint64_t tile[64] BPC_ALIGNED;
    unsigned n = MIN (height - y, 64);

    memcpy (tile, rows + y, n * sizeof *tile);
    memset (tile + n, 0, (64 - n) * sizeof *tile);
    transpose_64x64 (tile);
    for (unsigned t = 0; t < 32; t++) {
      columns[2 * t][y / 64] = tile[t];
      columns[2 * t + 1][y / 64] = tile[32 + t];
    }
  }
}

/* Makes row masks from columns; columns that are not in the block must be 0. */
static inline void
columns_to_rows (uint64_t columns[64][PACO_MAX_BLOCK_HEIGHT / 64],
    unsigned height, uint64_t *rows)
{
  for (unsigned y = 0; y < height; y += 64) {
    uint64_t tile[64] BPC_ALIGNED;

    for (unsigned t = 0; t < 32; t++) {
      tile[t] = columns[2 * t][y / 64];
      tile[32 + t] = columns[2 * t + 1][y / 64];
    }
    transpose_64x64 (tile);
    memcpy (rows + y, tile, MIN (height - y, 64) * sizeof *tile);
  }
}

/* The first moves the bits of value where mask is set together; the second moves them
 * back. */
BPC_INLINE uint64_t
extract_bits (uint64_t value, uint64_t mask)
{
#if defined(__BMI2__) && defined(__x86_64__)
  return __builtin_ia32_pext_di (value, mask);
#else
  uint64_t result = 0;

  for (uint64_t to = 1; mask; mask &= mask - 1, to <<= 1)
    if (value & mask & -mask)
      result |= to;
  return result;
#endif
}

BPC_INLINE uint64_t
deposit_bits (uint64_t value, uint64_t mask)
{
#if defined(__BMI2__) && defined(__x86_64__)
  return __builtin_ia32_pdep_di (value, mask);
#else
  uint64_t result = 0;

  for (; mask; mask &= mask - 1, value >>= 1)
    if (value & 1)
      result |= mask & -mask;
  return result;
#endif
}

/* What a column's contexts gain, in its row, in the next one and in the one after that,
 * by how many fresh columns lie beside it (bits 0-1) and how many two columns away (bits
 * 2-3); and what left columns add to the right ones of their row. */
typedef struct
{
  uint8_t y0[16], y1[16], y2[16], right[16];
} BpcGains;

BPC_INLINE BpcGains
bpc_gains (const BpcWeights *weights)
{
  BpcGains gains;

  for (unsigned i = 0; i < 16; i++) {
    unsigned beside = i % 4, far = i / 4;

    gains.y0[i] = (uint8_t) (weights->horizontal * beside
        + weights->horizontal_2 * far);
    gains.y1[i] = (uint8_t) (weights->diagonal * beside
        + weights->knight * far);
    gains.y2[i] = (uint8_t) (weights->knight * beside);
    gains.right[i] = (uint8_t) (weights->horizontal * beside);
  }
  return gains;
}

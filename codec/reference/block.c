/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes codeblocks (FORMAT.md sections 7.6 and 9), for the reference's encoder.c and for
 * tests: the decoder's block.c says what is coded, and this which bits there are. */
#include "codec/policy_set.h"
#include "codec/reference/arithmetic.h"
#include "codec/reference/reference.h"
#include <stdlib.h>
#include <string.h>

/* --- symbols and raw bits --- */

typedef struct
{
  PacoReferenceArithmeticCoders arithmetic;
  PacoReferenceCounts *counts; /* or NULL */
} Symbols;

static bool
encode_symbol (void *data, unsigned coder, unsigned row, unsigned context,
    unsigned p, bool bit)
{
  Symbols *symbols = data;

  paco_reference_encode_symbol (&symbols->arithmetic, coder, p, bit);
  if (symbols->counts)
    symbols->counts->symbols[row][context][bit]++;
  return bit;
}

static bool
append_raw_bit (void *string, bool bit)
{
  uint8_t byte = bit;

  g_byte_array_append (string, &byte, 1);
  return bit;
}

/* --- blocks --- */

/* Sets what the coder is to know of a block. */
static void
set_block (PacoReferenceCoder *coder, const PacoReferenceBlock *block,
    const PacoBlockRecord *record)
{
  coder->width = block->width;
  coder->height = block->height;
  coder->orientation = block->orientation;
  coder->coding_passes = block->coding_passes;
  coder->set = (const PacoReferenceSet *) block->sets.sets[record->set];
  coder->record = (PacoReferenceRecord){
    .planes = record->planes,
    .raw_planes = record->raw_planes,
    .dropped_planes = record->dropped_planes,
    .shared_codewords = record->shared_codewords,
    .raw_left_signs = record->raw_left_signs,
    .cut = record->cut,
    .length = record->length,
  };
}

static void
encode_planes (PacoReferenceCoder *coder, const Symbols *symbols,
    PacoCutPoints *cut_points)
{
  unsigned raw = coder->record.raw_planes;
  unsigned lowest = coder->record.dropped_planes + raw;

  paco_reference_begin_block (coder);
  for (unsigned plane = coder->record.planes; plane-- > lowest;) {
    paco_reference_code_plane (coder, plane);
    if (cut_points && (plane > lowest || raw > 0))
      cut_points->codewords[plane] = symbols->arithmetic.codewords->len;
  }
}

static GByteArray *
encode_once (const PacoReferenceBlock *block, const int32_t *indices,
    const PacoBlockRecord *record)
{
  g_autofree PacoReferenceCoder *coder = g_new0 (PacoReferenceCoder, 1);
  g_autoptr (GByteArray) bits = g_byte_array_new ();
  GByteArray *bytes = g_byte_array_new ();
  Symbols symbols = { .counts = block->counts };

  set_block (coder, block, record);
  coder->code = encode_symbol;
  coder->symbols = &symbols;
  for (unsigned y = 0; y < block->height; y++) {
    for (unsigned x = 0; x < block->width; x++) {
      coder->magnitude[y][x] = (uint32_t) abs (indices[y * block->width + x]);
      coder->negative[y][x] = indices[y * block->width + x] < 0;
    }
  }
  paco_reference_arithmetic_init (
      &symbols.arithmetic, PACO_LANES / paco_reference_lanes (&coder->record));
  encode_planes (coder, &symbols, block->cut_points);
  if (!record->cut)
    paco_reference_code_raw_string (coder, append_raw_bit, bits);
  paco_reference_arithmetic_finish (&symbols.arithmetic, bits, bytes);
  paco_reference_arithmetic_clear (&symbols.arithmetic);
  if (block->counts)
    block->counts->raw_bits += bits->len;
  return bytes;
}

void
paco_reference_encode_block_as (const PacoReferenceBlock *block,
    const int32_t *indices, PacoBlockRecord *record, GByteArray *out)
{
  GByteArray *bytes;

  record->length = 0;
  if (block->cut_points)
    memset (block->cut_points, 0, sizeof *block->cut_points);
  if (record->planes == 0)
    return;

  bytes = encode_once (block, indices, record);
  if (!record->cut
      && record->raw_planes < record->planes - record->dropped_planes) {
    PacoReferenceBlock uncounted = *block;
    PacoBlockRecord raw_record = *record;
    GByteArray *raw;

    uncounted.counts = NULL;
    uncounted.cut_points = NULL;
    raw_record.raw_planes = record->planes - record->dropped_planes;
    raw_record.raw_left_signs = false;
    raw = encode_once (&uncounted, indices, &raw_record);
    if (bytes->len > raw->len) {
      if (block->cut_points)
        memset (block->cut_points, 0, sizeof *block->cut_points);
      *record = raw_record;
      g_byte_array_unref (bytes);
      bytes = raw;
    } else {
      g_byte_array_unref (raw);
    }
  }
  record->length = bytes->len;
  g_byte_array_append (out, bytes->data, bytes->len);
  g_byte_array_unref (bytes);
}

/* The plane of the highest 1 bit of a magnitude that is not 0. */
static unsigned
top_plane (uint32_t magnitude)
{
  unsigned plane = 0;

  while (magnitude >> (plane + 1) != 0)
    plane++;
  return plane;
}

/* Returns how many pairs of neighbors both have a 1 in the plane or above
 * (policy_set.h). */
static uint32_t
count_pairs (
    const PacoReferenceBlock *block, const int32_t *indices, unsigned plane)
{
  uint32_t pairs = 0;

  for (unsigned y = 0; y < block->height; y++) {
    for (unsigned x = 0; x < block->width; x++) {
      const int32_t *index = &indices[y * block->width + x];

      if ((uint32_t) abs (*index) >> plane == 0)
        continue;
      if (y % PACO_SET_LINES > 0)
        pairs += (uint32_t) abs (index[-(int) block->width]) >> plane != 0;
      if (x % 2 == 1)
        pairs += (uint32_t) abs (index[-1]) >> plane != 0;
    }
  }
  return pairs;
}

void
paco_reference_count_block (const PacoReferenceBlock *block,
    const int32_t *indices, unsigned dropped_planes, PacoBlockCounts *counts)
{
  *counts = (PacoBlockCounts){ .n_coefficients = block->width * block->height,
    .family = block->family,
    .orientation = block->orientation };
  for (unsigned i = 0; i < counts->n_coefficients; i++) {
    uint32_t magnitude = abs (indices[i]);
    unsigned top;

    if (magnitude == 0)
      continue;
    top = top_plane (magnitude);
    counts->top[top]++;
    if (top == dropped_planes && (i % block->width) % 2 == 1)
      counts->n_right++;
  }
  for (unsigned plane = 0; plane < PACO_MAX_PLANES; plane++)
    counts->pairs[plane] = count_pairs (block, indices, plane);
}

void
paco_reference_encode_block (const PacoReferenceBlock *block,
    const int32_t *indices, unsigned dropped_planes, unsigned complexity,
    PacoBlockRecord *record, GByteArray *out)
{
  PacoBlockCounts counts;

  paco_reference_count_block (block, indices, dropped_planes, &counts);
  if (block->block_counts)
    *block->block_counts = counts;
  memset (record, 0, sizeof *record);
  paco_policy_block (&counts, dropped_planes, complexity, record);
  if (block->first_set_only)
    record->set = 0;
  paco_reference_encode_block_as (block, indices, record, out);
}

bool
paco_reference_decode_block (const PacoReferenceBlock *block,
    const PacoBlockRecord *record, const uint8_t *bytes, int32_t *indices)
{
  g_autofree PacoReferenceCoder *coder = g_new0 (PacoReferenceCoder, 1);

  set_block (coder, block, record);
  return paco_reference_decode_bytes (coder, bytes, indices);
}

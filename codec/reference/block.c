/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes and decodes codeblocks (FORMAT.md sections 7.6 and 9), for encoder.c and
 * decoder.c of the reference: the coded planes by model.c, the raw string behind
 * them, and what makes a block broken. */
#include "codec/policy_set.h"
#include "codec/reference/model.h"
#include <stdlib.h>
#include <string.h>

typedef PacoReferenceCoefficient Coefficient;
typedef PacoReferenceCoder Coder;

static Coefficient *
at (Coder *coder, unsigned x, unsigned y)
{
  return paco_reference_coefficient (coder, x, y);
}

/* --- The raw string --- */

/* Moves one bit between the raw string and a coefficient. */
typedef void (*RawBit) (void *string, bool *bit);

static void
code_raw_string (Coder *coder, RawBit raw_bit, void *string)
{
  const PacoReferenceBlock *block = coder->block;
  unsigned lowest = coder->record->dropped_planes;

  for (unsigned plane = lowest + coder->record->raw_planes; plane-- > lowest;) {
    for (unsigned x = 0; x < block->width; x++) {
      for (unsigned y = 0; y < block->height; y++) {
        Coefficient *c = at (coder, x, y);
        bool bit = (c->magnitude >> plane) & 1;

        raw_bit (string, &bit);
        c->magnitude |= (uint32_t) bit << plane;
      }
    }
  }
  for (unsigned x = 0; x < block->width; x++) {
    for (unsigned y = 0; y < block->height; y++) {
      Coefficient *c = at (coder, x, y);

      if (c->magnitude >> lowest != 0 && c->sign == 0)
        raw_bit (string, &c->negative);
    }
  }
}

static void
append_raw_bit (void *string, bool *bit)
{
  uint8_t byte = *bit;

  g_byte_array_append (string, &byte, 1);
}

typedef struct
{
  PacoReferenceBits *bits;
  size_t used;
  bool broken; /* there were not enough */
} RawReader;

static void
take_raw_bit (void *string, bool *bit)
{
  RawReader *reader = string;

  if (reader->used == reader->bits->len) {
    reader->broken = true;
    *bit = false;
  } else {
    *bit = reader->bits->data[reader->used++];
  }
}

/* Says whether the raw string was complete and nothing came behind it: what is left
 * of the open codewords and of the last byte must be zeros. */
static bool
ends_well (const RawReader *reader, size_t n_fill)
{
  size_t left_over = reader->bits->len - MAX (reader->used, n_fill);

  if (reader->broken || left_over >= 8)
    return false;
  for (size_t i = reader->used; i < reader->bits->len; i++)
    if (reader->bits->data[i] != 0)
      return false;
  return true;
}

/* --- Blocks --- */

static Coder *
coder_new (const PacoReferenceBlock *block, PacoBlockRecord *record)
{
  Coder *coder = g_new0 (Coder, 1);

  coder->block = block;
  coder->record = record;
  coder->lanes_per_coder = paco_record_lanes (record);
  coder->set = block->sets.sets[record->set];
  return coder;
}

static void
coder_free (Coder *coder)
{
  paco_reference_arithmetic_clear (&coder->arithmetic);
  g_free (coder);
}

static GByteArray *
encode_once (const PacoReferenceBlock *block, const int32_t *indices,
    PacoBlockRecord *record)
{
  Coder *coder = coder_new (block, record);
  PacoReferenceBits *bits = g_byte_array_new ();
  GByteArray *bytes = g_byte_array_new ();

  for (unsigned y = 0; y < block->height; y++) {
    for (unsigned x = 0; x < block->width; x++) {
      at (coder, x, y)->magnitude = abs (indices[y * block->width + x]);
      at (coder, x, y)->negative = indices[y * block->width + x] < 0;
    }
  }
  paco_reference_arithmetic_init_encoder (
      &coder->arithmetic, PACO_LANES / coder->lanes_per_coder);
  paco_reference_code_planes (coder);
  if (!record->cut)
    code_raw_string (coder, append_raw_bit, bits);
  paco_reference_finish_encoder (&coder->arithmetic, bits, bytes);
  if (block->counts)
    block->counts->raw_bits += bits->len;
  g_byte_array_unref (bits);
  coder_free (coder);
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

/* Decodes what follows the coded planes; false if the block is broken. */
static bool
take_rest (Coder *coder)
{
  PacoReferenceArithmeticCoders *arithmetic = &coder->arithmetic;
  RawReader reader = { NULL };
  size_t n_fill = 0;
  bool well;

  if (arithmetic->broken)
    return false;
  if (coder->record->cut)
    return arithmetic->used == arithmetic->size;
  reader.bits = paco_reference_finish_decoder (arithmetic, &n_fill);
  if (!reader.bits)
    return false;
  code_raw_string (coder, take_raw_bit, &reader);
  well = ends_well (&reader, n_fill);
  g_byte_array_unref (reader.bits);
  return well;
}

bool
paco_reference_decode_block (const PacoReferenceBlock *block,
    const PacoBlockRecord *record, const uint8_t *bytes, int32_t *indices)
{
  PacoBlockRecord own_record = *record;
  Coder *coder;
  bool well;

  memset (indices, 0, sizeof *indices * block->width * block->height);
  if (record->planes == 0)
    return record->length == 0;

  coder = coder_new (block, &own_record);
  paco_reference_arithmetic_init_decoder (&coder->arithmetic,
      PACO_LANES / coder->lanes_per_coder, bytes, record->length);
  paco_reference_code_planes (coder);
  well = take_rest (coder);
  for (unsigned y = 0; well && y < block->height; y++) {
    for (unsigned x = 0; x < block->width; x++) {
      const Coefficient *c = at (coder, x, y);

      indices[y * block->width + x] = c->negative ? -(int32_t) c->magnitude
                                                  : (int32_t) c->magnitude;
    }
  }
  coder_free (coder);
  return well;
}

/* --- the check of a block (FORMAT.md section 6), a word at a time --- */

/* Word i of the bytes; what lies behind them is 0. */
static uint32_t
word (const uint8_t *bytes, size_t length, size_t i)
{
  uint32_t value = 0;

  for (unsigned k = 0; k < 4; k++)
    if (4 * i + k < length)
      value |= (uint32_t) bytes[4 * i + k] << (8 * k);
  return value;
}

static uint32_t
key (uint32_t product)
{
  return product ^ product >> 11;
}

uint16_t
paco_reference_check (const uint8_t *bytes, size_t length)
{
  uint64_t sum = length;

  for (uint32_t n = 0; 8 * (size_t) n < length; n++) {
    uint32_t a = word (bytes, length, 2 * n) ^ key ((n + 1) * 2654435761u);
    uint32_t b = word (bytes, length, 2 * n + 1) ^ key ((n + 1) * 2246822519u);

    sum += (uint64_t) a * b;
  }
  sum ^= sum >> 32;
  sum *= UINT64_C (11400714819323198485);
  return (uint16_t) (sum >> 48);
}

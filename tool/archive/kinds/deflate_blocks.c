/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the blocks of a deflate stream without decompressing it (deflate.h). */
#include "tool/archive/kinds/deflate.h"
#include "codec/bytes.h"
#include <string.h>

enum
{
  MAX_BITS = 15, /* of a Huffman code */
  N_LITERALS = 288,
  N_DISTANCES = 32,
  N_LENGTHS = 19, /* symbols of the code of code lengths */
  END_OF_BLOCK = 256,
  FIRST_MATCH = 257,
};

/* A Huffman code as a table: the next `bits` bits of the stream are the index of a
 * symbol times 16, plus the number of its bits; 0 if no symbol begins so. */
typedef struct
{
  guint bits;
  guint16 entries[1 << MAX_BITS];
} Code;

struct PacoDeflateReader
{
  const guint8 *next, *end;
  guint64 held; /* Bits that were read from the stream, the next one lowest. */
  guint
      n_held; /* Bits in `held`, those after the end of the stream included. */
  guint beyond;   /* Bits in `held` that are after the end of the stream. */
  gboolean ended; /* The last block was read, or a broken one. */
  Code literals, distances;
};

PacoDeflateReader *
paco_deflate_reader_new (const guint8 *stream, gsize size)
{
  PacoDeflateReader *reader = g_new (PacoDeflateReader, 1);

  reader->next = stream;
  reader->end = stream + size;
  reader->held = 0;
  reader->n_held = reader->beyond = 0;
  reader->ended = FALSE;
  return reader;
}

void
paco_deflate_reader_free (PacoDeflateReader *reader)
{
  g_free (reader);
}

/* --- bits ---------------------------------------------------------------- */

/* Makes 48 bits or more available. After the end of the stream they are zeros. */
static inline void
fill (PacoDeflateReader *reader)
{
  while (reader->n_held < 48) {
    if (reader->next < reader->end)
      reader->held |= (guint64) *reader->next++ << reader->n_held;
    else
      reader->beyond += 8;
    reader->n_held += 8;
  }
}

static inline guint
take (PacoDeflateReader *reader, guint n)
{
  guint bits = (guint) (reader->held & ((1u << n) - 1));

  reader->held >>= n;
  reader->n_held -= n;
  return bits;
}

/* Says whether all bits that were taken are of the stream. */
static inline gboolean
is_within (const PacoDeflateReader *reader)
{
  return reader->beyond <= reader->n_held;
}

/* Returns the next symbol, or -1. */
static inline gint
take_symbol (PacoDeflateReader *reader, const Code *code)
{
  guint entry = code->entries[reader->held & ((1u << code->bits) - 1)];

  if (entry == 0)
    return -1;
  take (reader, entry & 15);
  return (gint) (entry >> 4);
}

/* --- codes --------------------------------------------------------------- */

static guint
reverse (guint code, guint bits)
{
  guint reversed = 0;

  for (guint i = 0; i < bits; i++)
    reversed |= (code >> i & 1) << (bits - 1 - i);
  return reversed;
}

/* Makes a code of the lengths of n symbols. Returns FALSE if there are more symbols of
 * a length than a code can have. */
static gboolean
make_code (Code *code, const guint8 *lengths, guint n)
{
  guint count[MAX_BITS + 1] = { 0 }, next[MAX_BITS + 1] = { 0 };

  code->bits = 1;
  for (guint i = 0; i < n; i++)
    if (lengths[i] > 0) {
      count[lengths[i]]++;
      code->bits = MAX (code->bits, lengths[i]);
    }
  for (guint bits = 1; bits < MAX_BITS; bits++)
    next[bits + 1] = (next[bits] + count[bits]) << 1;
  for (guint bits = 1; bits <= MAX_BITS; bits++)
    if (next[bits] + count[bits] > 1u << bits)
      return FALSE;
  memset (code->entries, 0, sizeof code->entries[0] << code->bits);
  for (guint i = 0; i < n; i++)
    if (lengths[i] > 0)
      for (guint at = reverse (next[lengths[i]]++, lengths[i]);
           at < 1u << code->bits; at += 1u << lengths[i])
        code->entries[at] = (guint16) (i << 4 | lengths[i]);
  return TRUE;
}

static gboolean
make_fixed_codes (PacoDeflateReader *reader)
{
  guint8 lengths[N_LITERALS];

  memset (lengths, 8, N_LITERALS);
  memset (lengths + 144, 9, 256 - 144);
  memset (lengths + 256, 7, 280 - 256);
  make_code (&reader->literals, lengths, N_LITERALS);
  memset (lengths, 5, N_DISTANCES);
  return make_code (&reader->distances, lengths, N_DISTANCES);
}

/* Reads n code lengths, which are coded with reader->distances. */
static gboolean
read_lengths (PacoDeflateReader *reader, guint8 *lengths, guint n)
{
  guint at = 0;

  while (at < n) {
    guint repeat = 1, value = 0;
    gint symbol;

    fill (reader);
    symbol = take_symbol (reader, &reader->distances);
    if (symbol < 0 || !is_within (reader) || (symbol == 16 && at == 0))
      return FALSE;
    if (symbol < 16)
      value = (guint) symbol;
    else if (symbol == 16) {
      value = lengths[at - 1];
      repeat = 3 + take (reader, 2);
    } else
      repeat = symbol == 17 ? 3 + take (reader, 3) : 11 + take (reader, 7);
    if (repeat > n - at)
      return FALSE;
    memset (lengths + at, (int) value, repeat);
    at += repeat;
  }
  return TRUE;
}

static gboolean
read_codes (PacoDeflateReader *reader)
{
  static const guint8 order[N_LENGTHS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11,
    4, 12, 3, 13, 2, 14, 1, 15 };
  guint8 lengths[N_LITERALS + N_DISTANCES] = { 0 };
  guint n_literals, n_distances, n_lengths;

  fill (reader);
  n_literals = 257 + take (reader, 5);
  n_distances = 1 + take (reader, 5);
  n_lengths = 4 + take (reader, 4);
  if (n_literals > N_LITERALS)
    return FALSE;
  for (guint i = 0; i < n_lengths; i++) {
    fill (reader);
    lengths[order[i]] = (guint8) take (reader, 3);
  }
  if (!make_code (&reader->distances, lengths, N_LENGTHS))
    return FALSE;
  memset (lengths, 0, sizeof lengths);
  return read_lengths (reader, lengths, n_literals + n_distances)
      && make_code (&reader->literals, lengths, n_literals)
      && make_code (&reader->distances, lengths + n_literals, n_distances);
}

/* --- blocks -------------------------------------------------------------- */

static gboolean
read_stored (PacoDeflateReader *reader, PacoDeflateBlock *block)
{
  guint length;

  take (reader, reader->n_held % 8);
  fill (reader);
  length = take (reader, 16);
  if ((take (reader, 16) ^ length) != 0xffff || !is_within (reader))
    return FALSE;
  block->size = length;
  /* Bytes that are held are of the block. */
  reader->next -= (reader->n_held - reader->beyond) / 8;
  reader->held = 0;
  reader->n_held = reader->beyond = 0;
  if (length > (gsize) (reader->end - reader->next))
    return FALSE;
  reader->next += length;
  return TRUE;
}

static inline guint
take_length (PacoDeflateReader *reader, guint symbol)
{
  guint extra;

  if (symbol < 8)
    return symbol + 3;
  if (symbol == 28)
    return 258;
  extra = (symbol >> 2) - 1;
  return ((4 + (symbol & 3)) << extra) + 3 + take (reader, extra);
}

static inline guint
take_distance (PacoDeflateReader *reader, guint symbol)
{
  guint extra;

  if (symbol < 4)
    return symbol + 1;
  extra = (symbol >> 1) - 1;
  return ((2 + (symbol & 1)) << extra) + 1 + take (reader, extra);
}

static gboolean
read_symbols (PacoDeflateReader *reader, PacoDeflateBlock *block)
{
  for (;;) {
    gint symbol, distance;
    guint reach;

    fill (reader);
    symbol = take_symbol (reader, &reader->literals);
    if (symbol < 0 || !is_within (reader))
      return FALSE;
    if (symbol == END_OF_BLOCK)
      return TRUE;
    if (++block->symbols > PACO_DEFLATE_MAX_SYMBOLS)
      return FALSE;
    if (symbol < END_OF_BLOCK) {
      block->size++;
      continue;
    }
    if (symbol > FIRST_MATCH + 28)
      return FALSE;
    block->size += take_length (reader, (guint) symbol - FIRST_MATCH);
    distance = take_symbol (reader, &reader->distances);
    if (distance < 0 || distance > 29)
      return FALSE;
    reach = take_distance (reader, (guint) distance);
    block->distance = MAX (block->distance, reach);
  }
}

gboolean
paco_deflate_reader_next (PacoDeflateReader *reader, PacoDeflateBlock *block)
{
  gboolean good = FALSE;
  guint type;

  *block = (PacoDeflateBlock){ 0 };
  if (reader->ended)
    return FALSE;
  fill (reader);
  block->last = take (reader, 1) != 0;
  type = take (reader, 2);
  block->coded = type != 0;
  block->dynamic = type == 2;
  if (type == 0)
    good = read_stored (reader, block);
  else if (type < 3)
    good = (type == 1 ? make_fixed_codes (reader) : read_codes (reader))
        && read_symbols (reader, block);
  reader->ended = block->last || !good;
  return good;
}

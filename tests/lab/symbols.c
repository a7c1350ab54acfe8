/* SPDX-License-Identifier: LGPL-2.1-or-later
 * symbols.h says what this is for. */
#include "tests/lab/symbols.h"
#include <string.h>

/* --- Codewords of fixed length --- */

static void
open_codeword (SymbolCoder *coder, CodewordCoder *own)
{
  unsigned n_bytes = coder->precision.codeword_bits / 8;

  own->low = 0;
  own->size = (uint32_t) (((uint64_t) 1 << coder->precision.codeword_bits) - 1);
  if (!coder->decoding) {
    own->number = coder->bytes->len / n_bytes;
    g_byte_array_set_size (coder->bytes, coder->bytes->len + n_bytes);
    memset (coder->bytes->data + coder->bytes->len - n_bytes, 0, n_bytes);
  } else if (coder->size - coder->used < n_bytes) {
    coder->broken = true;
  } else {
    for (unsigned i = 0; i < n_bytes; i++)
      own->low = own->low << 8 | coder->data[coder->used++];
  }
}

static void
put_codeword (SymbolCoder *coder, const CodewordCoder *own)
{
  unsigned n_bytes = coder->precision.codeword_bits / 8;
  uint8_t *out = coder->bytes->data + (size_t) own->number * n_bytes;

  for (unsigned i = 0; i < n_bytes; i++)
    out[i] = (uint8_t) (own->low >> (8 * (n_bytes - 1 - i)));
}

/* Does Algorithms 2 and 3. The decoder keeps I - L instead of both. */
static bool
code_in_codeword (SymbolCoder *coder, CodewordCoder *own, unsigned p, bool bit)
{
  uint32_t lower;

  if (own->size == 0)
    open_codeword (coder, own);
  lower = (uint32_t) (((uint64_t) own->size * p)
      >> coder->precision.probability_bits);
  if (coder->decoding)
    bit = own->low > lower;
  if (!bit) {
    own->size = lower;
  } else {
    own->size -= lower + 1;
    own->low += coder->decoding ? -(lower + 1) : lower + 1;
  }
  if (own->size == 0 && !coder->decoding)
    put_codeword (coder, own);
  return bit;
}

/* --- The MQ coder --- */

typedef struct
{
  uint16_t qe;
  uint8_t next_most, next_least;
  bool exchange;
} MqState;

/* This is Table C.2. */
static const MqState mq_states[47] = {
  { 0x5601, 1, 1, true },
  { 0x3401, 2, 6, false },
  { 0x1801, 3, 9, false },
  { 0x0ac1, 4, 12, false },
  { 0x0521, 5, 29, false },
  { 0x0221, 38, 33, false },
  { 0x5601, 7, 6, true },
  { 0x5401, 8, 14, false },
  { 0x4801, 9, 14, false },
  { 0x3801, 10, 14, false },
  { 0x3001, 11, 17, false },
  { 0x2401, 12, 18, false },
  { 0x1c01, 13, 20, false },
  { 0x1601, 29, 21, false },
  { 0x5601, 15, 14, true },
  { 0x5401, 16, 14, false },
  { 0x5101, 17, 15, false },
  { 0x4801, 18, 16, false },
  { 0x3801, 19, 17, false },
  { 0x3401, 20, 18, false },
  { 0x3001, 21, 19, false },
  { 0x2801, 22, 19, false },
  { 0x2401, 23, 20, false },
  { 0x2201, 24, 21, false },
  { 0x1c01, 25, 22, false },
  { 0x1801, 26, 23, false },
  { 0x1601, 27, 24, false },
  { 0x1401, 28, 25, false },
  { 0x1201, 29, 26, false },
  { 0x1101, 30, 27, false },
  { 0x0ac1, 31, 28, false },
  { 0x09c1, 32, 29, false },
  { 0x08a1, 33, 30, false },
  { 0x0521, 34, 31, false },
  { 0x0441, 35, 32, false },
  { 0x02a1, 36, 33, false },
  { 0x0221, 37, 34, false },
  { 0x0141, 38, 35, false },
  { 0x0111, 39, 36, false },
  { 0x0085, 40, 37, false },
  { 0x0049, 41, 38, false },
  { 0x0025, 42, 39, false },
  { 0x0015, 43, 40, false },
  { 0x0009, 44, 41, false },
  { 0x0005, 45, 42, false },
  { 0x0001, 45, 43, false },
  { 0x5601, 46, 46, false },
};

static void
mq_append (SymbolCoder *coder, unsigned shift)
{
  uint8_t byte = (uint8_t) (coder->mq.c >> shift);

  g_byte_array_append (coder->bytes, &byte, 1);
  coder->mq.c &= ((uint32_t) 1 << shift) - 1;
  coder->mq.ct = shift == 20 ? 7 : 8;
}

/* Does BYTEOUT of the standard. The first byte of the array is the one before the
 * code. */
static void
mq_byte_out (SymbolCoder *coder)
{
  uint8_t *last = &coder->bytes->data[coder->bytes->len - 1];

  if (*last != 0xff && coder->mq.c >= 0x8000000) {
    (*last)++;
    coder->mq.c &= 0x7ffffff;
  }
  mq_append (coder, *last == 0xff ? 20 : 19);
}

static void
mq_byte_in (SymbolCoder *coder)
{
  MqCoder *mq = &coder->mq;
  const uint8_t *at = coder->data + coder->used;
  unsigned here = coder->used < coder->size ? at[0] : 0xff;
  unsigned next = coder->used + 1 < coder->size ? at[1] : 0xff;

  if (here == 0xff && next > 0x8f) {
    mq->c += 0xff00;
    mq->ct = 8;
  } else {
    coder->used++;
    mq->c += next << (here == 0xff ? 9 : 8);
    mq->ct = here == 0xff ? 7 : 8;
  }
}

static void
mq_renormalize (SymbolCoder *coder)
{
  MqCoder *mq = &coder->mq;

  do {
    if (coder->decoding && mq->ct == 0)
      mq_byte_in (coder);
    mq->a <<= 1;
    mq->c <<= 1;
    mq->ct--;
    if (!coder->decoding && mq->ct == 0)
      mq_byte_out (coder);
  } while (!(mq->a & 0x8000));
}

static bool
mq_code (SymbolCoder *coder, unsigned context, bool bit)
{
  MqCoder *mq = &coder->mq;
  uint8_t *state = &mq->state[context], *most = &mq->most_probable[context];
  const MqState *row = &mq_states[*state];
  bool least; /* the less probable symbol */

  mq->a -= row->qe;
  if (coder->decoding) {
    /* The lower part of the interval, of size qe, is the one below in C. */
    bool upper = mq->c >> 16 >= row->qe;

    least = upper ? mq->a < row->qe && !(mq->a & 0x8000) : mq->a >= row->qe;
    if (upper)
      mq->c -= (uint32_t) row->qe << 16;
    else
      mq->a = row->qe;
  } else {
    least = bit != *most;
    if (least == (mq->a < row->qe))
      mq->c += row->qe;
    else
      mq->a = row->qe;
  }
  bit = *most != least;
  if (mq->a & 0x8000)
    return bit;
  if (least && row->exchange)
    *most ^= 1;
  *state = least ? row->next_least : row->next_most;
  mq_renormalize (coder);
  return bit;
}

static void
mq_init (SymbolCoder *coder)
{
  MqCoder *mq = &coder->mq;

  memset (mq, 0, sizeof *mq);
  mq->a = 0x8000;
  if (!coder->decoding) {
    g_byte_array_append (coder->bytes, (const uint8_t *) "", 1);
    mq->ct = 12;
  } else {
    mq->c = (uint32_t) (coder->size > 0 ? coder->data[0] : 0xff) << 16;
    mq_byte_in (coder);
    mq->c <<= 7;
    mq->ct -= 7;
  }
}

/* Does FLUSH of the standard. */
static void
mq_finish (SymbolCoder *coder)
{
  MqCoder *mq = &coder->mq;
  uint32_t end = mq->c + mq->a;

  mq->c |= 0xffff;
  if (mq->c >= end)
    mq->c -= 0x8000;
  for (unsigned i = 0; i < 2; i++) {
    mq->c <<= mq->ct;
    mq_byte_out (coder);
  }
  if (coder->bytes->data[coder->bytes->len - 1] == 0xff)
    g_byte_array_set_size (coder->bytes, coder->bytes->len - 1);
  g_byte_array_remove_index (coder->bytes, 0);
}

/* Returns the fewest bytes of the whole code with which the decoder, which
 * reads ones behind them, ends in the interval that C and A were at a point.
 * What follows is in units of 2^-32 of C, shifted to where its next byte leaves
 * it. Behind a byte of ones the next byte has the carry as its first bit, which
 * ones that are read do not have. */
static size_t
mq_length (const SymbolCoder *coder, const SymbolPoint *point)
{
  const MqCoder *mq = &point->mq;
  const GByteArray *bytes = coder->bytes;
  uint64_t low = (uint64_t) mq->c << mq->ct << 32;
  uint64_t end = low + ((uint64_t) mq->a << mq->ct << 32);
  uint64_t value = 0, ones = (uint64_t) 1 << 27 << 32;
  size_t n = MIN (point->bytes, bytes->len);
  uint8_t last = n > 0 ? bytes->data[n - 1] : 0;

  /* The carry went to the last byte. */
  if (n > 0 && last != point->last)
    value = ones;
  while (n < bytes->len && (value + ones > end || value + ones <= low)) {
    unsigned shift = last == 0xff ? 7 : 8;

    last = bytes->data[n++];
    value += last * (ones >> 8) << (8 - shift);
    ones >>= shift;
  }
  return n;
}

/* --- All of them --- */

static void
init (SymbolCoder *coder, SymbolKind kind, SymbolPrecision precision)
{
  memset (coder, 0, sizeof *coder);
  coder->kind = kind;
  coder->precision = precision;
}

void
symbol_coder_encode (SymbolCoder *coder, SymbolKind kind,
    SymbolPrecision precision, GByteArray *bytes)
{
  init (coder, kind, precision);
  coder->bytes = bytes;
  if (kind == SYMBOL_MQ)
    mq_init (coder);
}

void
symbol_coder_decode (SymbolCoder *coder, SymbolKind kind,
    SymbolPrecision precision, const uint8_t *data, size_t size)
{
  init (coder, kind, precision);
  coder->decoding = true;
  coder->data = data;
  coder->size = size;
  if (kind == SYMBOL_MQ)
    mq_init (coder);
}

bool
symbol_code (
    SymbolCoder *coder, unsigned lane, unsigned context, unsigned p, bool bit)
{
  switch (coder->kind) {
    case SYMBOL_LANES_OWN:
      return code_in_codeword (coder, &coder->coders[lane], p, bit);
    case SYMBOL_ONE_CODER:
      return code_in_codeword (coder, &coder->coders[0], p, bit);
    case SYMBOL_MQ:
      return mq_code (coder, context, bit);
    default:
      coder->counts[context][bit]++;
      return bit;
  }
}

SymbolPoint
symbol_coder_point (const SymbolCoder *coder)
{
  SymbolPoint point = { 0 };

  if (coder->decoding || coder->kind == SYMBOL_COUNT)
    return point;
  point.bytes = coder->bytes->len;
  if (coder->kind == SYMBOL_MQ) {
    point.bytes--;
    point.mq = coder->mq;
    point.last = coder->bytes->data[point.bytes];
  }
  return point;
}

size_t
symbol_point_length (const SymbolCoder *coder, const SymbolPoint *point)
{
  return coder->kind == SYMBOL_MQ ? mq_length (coder, point) : point->bytes;
}

void
symbol_coder_finish (SymbolCoder *coder)
{
  if (coder->kind == SYMBOL_MQ)
    mq_finish (coder);
  for (unsigned i = 0; coder->kind != SYMBOL_MQ && i < SYMBOL_LANES; i++)
    if (coder->coders[i].size != 0)
      put_codeword (coder, &coder->coders[i]);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The arithmetic coder and its codewords (FORMAT.md sections 7.2 and 7.6). */
#include "codec/reference/streams.h"
#include <string.h>

#define CODEWORD_BYTES 4

void
paco_reference_streams_init_encoder (
    PacoReferenceStreams *streams, unsigned n_streams)
{
  memset (streams, 0, sizeof *streams);
  streams->n_streams = n_streams;
  streams->codewords = g_array_new (FALSE, FALSE, sizeof (uint32_t));
}

void
paco_reference_streams_init_decoder (PacoReferenceStreams *streams,
    unsigned n_streams, const uint8_t *bytes, size_t size)
{
  memset (streams, 0, sizeof *streams);
  streams->decoding = true;
  streams->n_streams = n_streams;
  streams->bytes = bytes;
  streams->size = size;
}

void
paco_reference_streams_clear (PacoReferenceStreams *streams)
{
  if (streams->codewords)
    g_array_unref (streams->codewords);
  streams->codewords = NULL;
}

/* The stream has no codeword: it takes the next one. */
static void
reserve_codeword (PacoReferenceStreams *streams, PacoReferenceStream *stream)
{
  stream->s = UINT32_MAX;
  stream->value = 0;
  if (!streams->decoding) {
    uint32_t unknown_yet = 0;

    stream->codeword = streams->codewords->len;
    g_array_append_val (streams->codewords, unknown_yet);
  } else if (streams->size - streams->used < CODEWORD_BYTES) {
    streams->broken = true;
  } else {
    for (unsigned i = 0; i < CODEWORD_BYTES; i++)
      stream->value |= (uint32_t) streams->bytes[streams->used++] << (8 * i);
  }
}

bool
paco_reference_code_symbol (
    PacoReferenceStreams *streams, unsigned number, unsigned p, bool bit)
{
  PacoReferenceStream *stream = &streams->streams[number];
  uint32_t t;

  if (stream->s == 0)
    reserve_codeword (streams, stream);

  t = (uint32_t) (((uint64_t) stream->s * p) >> 8);
  if (streams->decoding)
    bit = stream->value > t;
  if (!bit) {
    stream->s = t;
  } else {
    stream->s -= t + 1;
    stream->value += streams->decoding ? -(t + 1) : t + 1;
  }

  if (!streams->decoding && stream->s == 0)
    g_array_index (
        streams->codewords, uint32_t, stream->codeword) = stream->value;
  return bit;
}

/* Bits that an open stream takes: the integer part of log2 (S + 1). */
static unsigned
fill_bits (const PacoReferenceStream *stream)
{
  unsigned k = 0;

  while ((uint64_t) 1 << (k + 1) <= (uint64_t) stream->s + 1)
    k++;
  return k;
}

void
paco_reference_finish_encoder (PacoReferenceStreams *streams,
    const PacoReferenceBits *bits, GByteArray *out)
{
  guint taken = 0;

  for (unsigned j = 0; j < streams->n_streams; j++) {
    PacoReferenceStream *stream = &streams->streams[j];
    uint32_t x = 0;

    if (stream->s == 0)
      continue;
    for (unsigned i = 0; i < fill_bits (stream) && taken < bits->len; i++)
      x |= (uint32_t) bits->data[taken++] << i;
    g_array_index (
        streams->codewords, uint32_t, stream->codeword) = stream->value + x;
  }

  for (guint i = 0; i < streams->codewords->len; i++) {
    uint32_t codeword = GUINT32_TO_LE (
        g_array_index (streams->codewords, uint32_t, i));

    g_byte_array_append (out, (const guint8 *) &codeword, CODEWORD_BYTES);
  }

  while (taken < bits->len) {
    uint8_t byte = 0;

    for (unsigned i = 0; i < 8 && taken < bits->len; i++)
      byte |= bits->data[taken++] << i;
    g_byte_array_append (out, &byte, 1);
  }
}

static void
append_bit (PacoReferenceBits *bits, uint8_t bit)
{
  bit &= 1;
  g_byte_array_append (bits, &bit, 1);
}

PacoReferenceBits *
paco_reference_finish_decoder (PacoReferenceStreams *streams, size_t *n_fill)
{
  PacoReferenceBits *bits = g_byte_array_new ();

  for (unsigned j = 0; j < streams->n_streams; j++) {
    const PacoReferenceStream *stream = &streams->streams[j];
    unsigned k = fill_bits (stream);

    if ((uint64_t) stream->value >= (uint64_t) 1 << k) {
      g_byte_array_unref (bits);
      return NULL;
    }
    for (unsigned i = 0; i < k; i++)
      append_bit (bits, stream->value >> i);
  }
  *n_fill = bits->len;

  for (size_t at = streams->used; at < streams->size; at++)
    for (unsigned i = 0; i < 8; i++)
      append_bit (bits, streams->bytes[at] >> i);
  return bits;
}

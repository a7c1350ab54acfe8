/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The arithmetic coders and their codewords (FORMAT.md sections 7.2 and 7.6);
 * arithmetic.h says for whom. */
#include "codec/reference/arithmetic.h"
#include <string.h>

#define CODEWORD_BYTES 4

void
paco_reference_arithmetic_init_encoder (
    PacoReferenceArithmeticCoders *coders, unsigned n_coders)
{
  memset (coders, 0, sizeof *coders);
  coders->n_coders = n_coders;
  coders->codewords = g_array_new (FALSE, FALSE, sizeof (uint32_t));
}

void
paco_reference_arithmetic_init_decoder (PacoReferenceArithmeticCoders *coders,
    unsigned n_coders, const uint8_t *bytes, size_t size)
{
  memset (coders, 0, sizeof *coders);
  coders->decoding = true;
  coders->n_coders = n_coders;
  coders->bytes = bytes;
  coders->size = size;
}

void
paco_reference_arithmetic_clear (PacoReferenceArithmeticCoders *coders)
{
  if (coders->codewords)
    g_array_unref (coders->codewords);
  coders->codewords = NULL;
}

/* Reserves the next codeword for a coder that has none. */
static void
reserve_codeword (
    PacoReferenceArithmeticCoders *coders, PacoReferenceArithmeticCoder *coder)
{
  coder->s = UINT32_MAX;
  coder->value = 0;
  if (!coders->decoding) {
    uint32_t unknown_yet = 0;

    coder->codeword = coders->codewords->len;
    g_array_append_val (coders->codewords, unknown_yet);
  } else if (coders->size - coders->used < CODEWORD_BYTES) {
    coders->broken = true;
  } else {
    for (unsigned i = 0; i < CODEWORD_BYTES; i++)
      coder->value |= (uint32_t) coders->bytes[coders->used++] << (8 * i);
  }
}

bool
paco_reference_code_symbol (PacoReferenceArithmeticCoders *coders,
    unsigned number, unsigned p, bool bit)
{
  PacoReferenceArithmeticCoder *coder = &coders->coders[number];
  uint32_t t;

  if (coder->s == 0)
    reserve_codeword (coders, coder);

  t = (uint32_t) (((uint64_t) coder->s * p) >> 8);
  if (coders->decoding)
    bit = coder->value > t;
  if (!bit) {
    coder->s = t;
  } else {
    coder->s -= t + 1;
    coder->value += coders->decoding ? -(t + 1) : t + 1;
  }

  if (!coders->decoding && coder->s == 0)
    g_array_index (coders->codewords, uint32_t, coder->codeword) = coder->value;
  return bit;
}

/* Returns how many bits of the raw string an open codeword takes: the integer part of
 * log2 (S + 1). */
static unsigned
fill_bits (const PacoReferenceArithmeticCoder *coder)
{
  unsigned k = 0;

  while ((uint64_t) 1 << (k + 1) <= (uint64_t) coder->s + 1)
    k++;
  return k;
}

void
paco_reference_finish_encoder (PacoReferenceArithmeticCoders *coders,
    const PacoReferenceBits *bits, GByteArray *out)
{
  guint taken = 0;

  for (unsigned j = 0; j < coders->n_coders; j++) {
    PacoReferenceArithmeticCoder *coder = &coders->coders[j];
    uint32_t x = 0;

    if (coder->s == 0)
      continue;
    for (unsigned i = 0; i < fill_bits (coder) && taken < bits->len; i++)
      x |= (uint32_t) bits->data[taken++] << i;
    g_array_index (coders->codewords, uint32_t, coder->codeword) = coder->value
        + x;
  }

  for (guint i = 0; i < coders->codewords->len; i++) {
    uint32_t codeword = GUINT32_TO_LE (
        g_array_index (coders->codewords, uint32_t, i));

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
paco_reference_finish_decoder (
    PacoReferenceArithmeticCoders *coders, size_t *n_fill)
{
  PacoReferenceBits *bits = g_byte_array_new ();

  for (unsigned j = 0; j < coders->n_coders; j++) {
    const PacoReferenceArithmeticCoder *coder = &coders->coders[j];
    unsigned k = fill_bits (coder);

    if ((uint64_t) coder->value >= (uint64_t) 1 << k) {
      g_byte_array_unref (bits);
      return NULL;
    }
    for (unsigned i = 0; i < k; i++)
      append_bit (bits, coder->value >> i);
  }
  *n_fill = bits->len;

  for (size_t at = coders->used; at < coders->size; at++)
    for (unsigned i = 0; i < 8; i++)
      append_bit (bits, coders->bytes[at] >> i);
  return bits;
}

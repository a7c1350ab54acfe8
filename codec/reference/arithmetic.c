/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The arithmetic coders of the reference encoder; arithmetic.h says for whom. */
#include "codec/reference/arithmetic.h"
#include <string.h>

#define CODEWORD_BYTES 4

void
paco_reference_arithmetic_init (
    PacoReferenceArithmeticCoders *coders, unsigned n_coders)
{
  memset (coders, 0, sizeof *coders);
  coders->n_coders = n_coders;
  coders->codewords = g_array_new (FALSE, FALSE, sizeof (uint32_t));
}

void
paco_reference_arithmetic_clear (PacoReferenceArithmeticCoders *coders)
{
  g_clear_pointer (&coders->codewords, g_array_unref);
}

void
paco_reference_encode_symbol (PacoReferenceArithmeticCoders *coders,
    unsigned number, unsigned p, bool bit)
{
  PacoReferenceArithmeticCoder *coder = &coders->coders[number];
  uint32_t t;

  if (coder->s == 0) {
    uint32_t unknown_yet = 0;

    coder->s = UINT32_MAX;
    coder->value = 0;
    coder->codeword = coders->codewords->len;
    g_array_append_val (coders->codewords, unknown_yet);
  }
  t = (uint32_t) (((uint64_t) coder->s * p) >> 8);
  coder->value += bit ? t + 1 : 0;
  coder->s = bit ? coder->s - t - 1 : t;
  if (coder->s == 0)
    g_array_index (coders->codewords, uint32_t, coder->codeword) = coder->value;
}

void
paco_reference_arithmetic_finish (PacoReferenceArithmeticCoders *coders,
    const PacoReferenceBits *bits, GByteArray *out)
{
  guint taken = 0;

  for (unsigned j = 0; j < coders->n_coders; j++) {
    PacoReferenceArithmeticCoder *coder = &coders->coders[j];
    unsigned n = paco_reference_fill_bits (coder->s);
    uint32_t x = 0;

    if (coder->s == 0)
      continue;
    for (unsigned i = 0; i < n && taken < bits->len; i++)
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

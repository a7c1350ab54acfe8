/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The check of a codeblock's bytes, written from FORMAT.md section 6, a word at a
 * time, for encoder.c and decoder.c of the reference and for tests. */
#include "reference.h"

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

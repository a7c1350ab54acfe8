/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Integers of bytes, CRC-32, the check of a block, and strings of adaptive bits, for all
 * of the reference decoder. */
#include "private.h"

unsigned
paco_reference_get16 (const uint8_t *data)
{
  return data[0] | (unsigned) data[1] << 8;
}

uint32_t
paco_reference_get32 (const uint8_t *data)
{
  return paco_reference_get16 (data)
      | (uint32_t) paco_reference_get16 (data + 2) << 16;
}

PacoReferenceStatus
paco_reference_fail (
    PacoReferenceStatus status, const char *sentence, const char **message)
{
  if (message)
    *message = sentence;
  return status;
}

uint32_t
paco_reference_crc32 (const uint8_t *data, size_t size)
{
  uint32_t table[256], crc = UINT32_MAX;

  for (uint32_t i = 0; i < 256; i++) {
    table[i] = i;
    for (unsigned k = 0; k < 8; k++)
      table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
  }
  for (size_t i = 0; i < size; i++)
    crc = crc >> 8 ^ table[(crc ^ data[i]) & 0xff];
  return ~crc;
}

/* --- the check of a block (FORMAT.md section 6), a word at a time --- */

/* Word i of the bytes; what lies behind them is 0. */
static uint32_t
check_word (const uint8_t *bytes, size_t length, size_t i)
{
  uint32_t value = 0;

  for (unsigned k = 0; k < 4; k++)
    if (4 * i + k < length)
      value |= (uint32_t) bytes[4 * i + k] << (8 * k);
  return value;
}

static uint32_t
check_key (uint32_t product)
{
  return product ^ product >> 11;
}

uint16_t
paco_reference_check (const uint8_t *bytes, size_t length)
{
  uint64_t sum = length;

  for (uint32_t n = 0; 8 * (size_t) n < length; n++) {
    uint32_t a = check_word (bytes, length, 2 * n)
        ^ check_key ((n + 1) * 2654435761u);
    uint32_t b = check_word (bytes, length, 2 * n + 1)
        ^ check_key ((n + 1) * 2246822519u);

    sum += (uint64_t) a * b;
  }
  sum ^= sum >> 32;
  sum *= UINT64_C (11400714819323198485);
  return (uint16_t) (sum >> 48);
}

/* --- adaptive bits --- */

bool
paco_reference_adaptive_bit (PacoReferenceAdaptive *coder, uint16_t *context)
{
  unsigned p = *context >> 8;
  uint32_t t;
  bool bit;

  if (coder->s == 0) {
    coder->s = UINT32_MAX;
    coder->broken = coder->broken || coder->left < 4;
    coder->d = coder->broken ? 0 : paco_reference_get32 (coder->data);
    if (!coder->broken) {
      coder->data += 4;
      coder->left -= 4;
    }
  }
  t = (uint32_t) (((uint64_t) coder->s * (p > 0 ? p : 1)) >> 8);
  bit = coder->d > t;
  if (bit) {
    coder->d -= t + 1;
    coder->s -= t + 1;
    *context = (uint16_t) (*context - (*context >> 4));
  } else {
    coder->s = t;
    *context = (uint16_t) (*context + ((65536 - *context) >> 4));
  }
  return bit;
}

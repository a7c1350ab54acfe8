/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Bytes for all parts of paco-decoder.c: integers, checksums, adaptive bits. */
#include "parts.h"
#include <stdlib.h>

static unsigned
get16 (const uint8_t *data)
{
  return data[0] | (unsigned) data[1] << 8;
}

static uint32_t
get32 (const uint8_t *data)
{
  return get16 (data) | (uint32_t) get16 (data + 2) << 16;
}

static bool
refuse (Reason *reason, Status status, const char *message)
{
  reason->status = status;
  reason->message = message;
  return false;
}

static bool
invalid (Reason *reason, const char *message)
{
  return refuse (reason, PACO_REFERENCE_INVALID, message);
}

static bool
no_memory (Reason *reason)
{
  return refuse (reason, PACO_REFERENCE_MEMORY,
      "there is not enough memory for the picture");
}

/* Returns room for a number of zeros; there may be none, and one more does no harm. */
static void *
new_zeros (uint64_t n, size_t size)
{
  return n > SIZE_MAX / size - 1 ? NULL : calloc ((size_t) n + 1, size);
}

static uint32_t
crc32_of (const uint8_t *data, size_t size)
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

uint16_t
paco_reference_check (const uint8_t *bytes, size_t length)
{
  uint64_t sum = length;

  for (uint32_t n = 0; 8 * (size_t) n < length; n++) {
    uint32_t a = (n + 1) * 2654435761u, b = (n + 1) * 2246822519u;

    a ^= a >> 11;
    b ^= b >> 11;
    for (unsigned k = 0; k < 4; k++) {
      size_t at = 8 * (size_t) n + k;

      a ^= at < length ? (uint32_t) bytes[at] << 8 * k : 0;
      b ^= at + 4 < length ? (uint32_t) bytes[at + 4] << 8 * k : 0;
    }
    sum += (uint64_t) a * b;
  }
  sum ^= sum >> 32;
  return (uint16_t) (sum * UINT64_C (11400714819323198485) >> 48);
}

/* A string of adaptive bits (FORMAT.md section 7.8). */
typedef struct
{
  const uint8_t *data;
  size_t left;
  uint32_t s, d;
  bool broken; /* a codeword was missing */
} Adaptive;

/* context begins with 32768. */
static bool
adaptive_bit (Adaptive *coder, uint16_t *context)
{
  unsigned p = *context >> 8;
  uint32_t t;
  bool bit;

  if (coder->s == 0) {
    coder->s = UINT32_MAX;
    coder->broken = coder->broken || coder->left < 4;
    coder->d = coder->broken ? 0 : get32 (coder->data);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Bytes for all parts of paco-decoder.c: integers, checksums, arithmetic
 * decoders. */
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

static uint64_t
get64 (const uint8_t *data)
{
  return get32 (data) | (uint64_t) get32 (data + 4) << 32;
}

static bool
has_bit (const uint8_t *bits, uint32_t i)
{
  return bits[i / 8] >> i % 8 & 1;
}

static void
set_bit (uint8_t *bits, uint32_t i)
{
  bits[i / 8] = (uint8_t) (bits[i / 8] | 1u << i % 8);
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

/* --- bytes one after another --- */

typedef struct
{
  const uint8_t *p;
  size_t left;
  bool broken; /* More was to be taken than there was. */
} Bytes;

static Bytes
bytes_of (const uint8_t *data, size_t size)
{
  Bytes bytes = { data, size, false };

  return bytes;
}

/* Says whether all bytes were taken, and no more. */
static bool
ends (const Bytes *bytes)
{
  return !bytes->broken && bytes->left == 0;
}

/* Takes n bytes; NULL if there are fewer. */
static const uint8_t *
take_bytes (Bytes *bytes, size_t n)
{
  const uint8_t *p = bytes->p;

  bytes->broken = bytes->broken || bytes->left < n;
  if (bytes->broken)
    return NULL;
  bytes->p += n;
  bytes->left -= n;
  return p;
}

/* These return 0 if there are fewer bytes. */
static unsigned
take8 (Bytes *bytes)
{
  const uint8_t *p = take_bytes (bytes, 1);

  return p ? *p : 0;
}

static unsigned
take16 (Bytes *bytes)
{
  const uint8_t *p = take_bytes (bytes, 2);

  return p ? get16 (p) : 0;
}

/* --- arithmetic decoders --- */

/* What a decoder knows of its codeword (FORMAT.md section 7.5). */
typedef struct
{
  uint32_t s, d;
} Codeword;

/* Decodes a symbol that is 0 with the probability p / 256. */
static bool
decode_bit (Bytes *bytes, Codeword *codeword, unsigned p)
{
  uint32_t t;

  if (codeword->s == 0) {
    const uint8_t *data = take_bytes (bytes, 4);

    codeword->s = UINT32_MAX;
    codeword->d = data ? get32 (data) : 0;
  }
  t = (uint32_t) (((uint64_t) codeword->s * p) >> 8);
  if (codeword->d <= t) {
    codeword->s = t;
    return false;
  }
  codeword->d -= t + 1;
  codeword->s -= t + 1;
  return true;
}

/* A string of adaptive bits (FORMAT.md section 7.8). */
typedef struct
{
  Bytes bytes;
  Codeword codeword;
} Adaptive;

static Adaptive
adaptive_of (const uint8_t *data, size_t size)
{
  Adaptive coder = { bytes_of (data, size), { 0, 0 } };

  return coder;
}

/* context begins with 32768. */
static bool
adaptive_bit (Adaptive *coder, uint16_t *context)
{
  unsigned p = *context >> 8;
  bool bit = decode_bit (&coder->bytes, &coder->codeword, p > 0 ? p : 1);

  *context = (uint16_t) (bit ? *context - (*context >> 4)
                             : *context + ((65536 - *context) >> 4));
  return bit;
}

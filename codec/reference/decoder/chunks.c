/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The contents of chunks: carried probability sets, and what ancillary chunks must be
 * (FORMAT.md sections 3 and 3.1), for the reference decoder's header.c. */
#include "parts.h"
#include <string.h>

/* --- probability sets --- */

static const Set builtin_sets[2][N_SETS] = {
#include "sets.inc"
};

/* Reads a carried set; set may be NULL. */
static bool
read_set (const uint8_t *data, size_t size, Set *set)
{
  const unsigned n = PACO_REFERENCE_N_ROWS * N_CONTEXTS;
  Bytes bytes = bytes_of (data, size);
  unsigned family = take8 (&bytes), number = take8 (&bytes), value = 0;

  if (family > 1 || number >= N_SETS)
    return false;
  if (set)
    *set = builtin_sets[family][number];
  while (value < n && !bytes.broken) {
    unsigned row = value / N_CONTEXTS, k = value % N_CONTEXTS;
    unsigned difference = take8 (&bytes);
    uint8_t p = (uint8_t) (builtin_sets[family][number].p[row][k] + difference);

    if (difference == 0) {
      value += take8 (&bytes) + 1;
      continue;
    }
    if (p == 0)
      return false;
    if (set)
      set->p[row][k] = p;
    value++;
  }
  return value == n && ends (&bytes);
}

/* --- ancillary chunks --- */

static bool
is_letter (uint8_t byte)
{
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

static bool
take_name (Bytes *bytes)
{
  const uint8_t *length = take_bytes (bytes, 1), *name;

  if (!length || *length < 1)
    return false;
  name = take_bytes (bytes, *length);
  if (!name || !is_letter (name[0]))
    return false;
  for (unsigned i = 1; i < *length; i++)
    if (!is_letter (name[i]) && !(name[i] >= '0' && name[i] <= '9')
        && !memchr ("-_.:+/", name[i], 6))
      return false;
  return true;
}

/* Returns how many bytes the first character of UTF-8 takes, 0 if it is none. */
static size_t
character_bytes (const uint8_t *text, size_t left)
{
  static const uint32_t least[5] = { 0, 1, 0x80, 0x800, 0x10000 };
  size_t n = text[0] < 0x80 ? 1
      : text[0] >> 5 == 6   ? 2
      : text[0] >> 4 == 14  ? 3
      : text[0] >> 3 == 30  ? 4
                            : 0;
  uint32_t code = n == 1 ? text[0] : text[0] & (0x7fu >> n);

  if (n == 0 || n > left)
    return 0;
  for (size_t i = 1; i < n; i++) {
    if (text[i] >> 6 != 2)
      return 0;
    code = code << 6 | (text[i] & 0x3f);
  }
  if (code < least[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return 0;
  return n;
}

/* Takes a text whose length takes 1 or 2 bytes. */
static bool
take_text (Bytes *bytes, unsigned length_bytes)
{
  const uint8_t *head = take_bytes (bytes, length_bytes), *text;
  size_t length, at = 0;

  if (!head)
    return false;
  length = length_bytes == 1 ? *head : get16 (head);
  text = take_bytes (bytes, length);
  if (!text)
    return false;
  while (at < length) {
    size_t n = character_bytes (text + at, length - at);

    if (n == 0)
      return false;
    at += n;
  }
  return true;
}

static bool
take_value (Bytes *bytes)
{
  static const uint8_t sizes[9] = { 0, 1, 4, 4, 8, 8, 8, 8, 0 };
  const uint8_t *type, *p;

  if (!take_name (bytes))
    return false;
  type = take_bytes (bytes, 1);
  if (!type || *type < 1 || *type > 8)
    return false;
  if (*type == 8)
    return take_text (bytes, 2);
  p = take_bytes (bytes, sizes[*type]);
  if (!p)
    return false;
  if (*type == 1)
    return *p <= 1;
  if (*type == 7) {
    uint32_t denominator = get32 (p + 4);

    return get32 (p) != 0x80000000u && denominator >= 1
        && denominator < 0x80000000u;
  }
  return true;
}

/* Takes lists of values until the bytes end. */
static bool
take_lists (Bytes *bytes)
{
  const uint8_t *n_lists = take_bytes (bytes, 1);

  for (unsigned i = 0; n_lists && i < *n_lists; i++) {
    const uint8_t *n = take_name (bytes) ? take_bytes (bytes, 1) : NULL;

    if (!n)
      return false;
    for (unsigned k = 0; k < *n; k++)
      if (!take_value (bytes))
        return false;
  }
  return ends (bytes);
}

static bool
active_format_is_valid (const uint8_t *data, size_t size)
{
  if (size < 1)
    return false;
  if (data[0] == 0)
    return size == 4 && data[1] <= 1 && data[3] <= 15;
  return data[0] > 2 || (size == 10 && data[1] <= 1);
}

/* Says whether microseconds since 1970 are in the years 1 to 9999. */
static bool
is_in_years (int64_t time)
{
  return time >= -INT64_C (62135596800) * 1000000
      && time < INT64_C (253402300800) * 1000000;
}

static int64_t
signed_of (uint64_t bits, uint64_t sign)
{
  return bits < sign ? (int64_t) bits
                     : -(int64_t) (sign - 1 - (bits - sign)) - 1;
}

static bool
timecode_is_valid (const uint8_t *data, size_t size)
{
  int64_t jam, offset;

  if ((size != 17 && size != 29) || get32 (data) >= 0x80000000u
      || get32 (data + 4) < 1 || get32 (data + 4) >= 0x80000000u
      || data[12] > 23 || data[13] > 59 || data[14] > 59 || data[15] > 2)
    return false;
  if (size == 17)
    return true;
  jam = signed_of (get64 (data + 17), UINT64_C (1) << 63);
  offset = signed_of (get32 (data + 25), 0x80000000u);
  return offset > -86400 && offset < 86400 && is_in_years (jam)
      && is_in_years (jam + offset * 1000000);
}

static bool
ancillary_is_valid (unsigned type, const uint8_t *data, size_t size)
{
  Bytes bytes = bytes_of (data, size);

  switch (type) {
    case 7: /* caption */
      return size >= 2;
    case 8:
      return active_format_is_valid (data, size);
    case 9:
      return timecode_is_valid (data, size);
    case 10: /* area of interest */
      return take_bytes (&bytes, 24) && take_text (&bytes, 1)
          && take_lists (&bytes);
    case 11: /* reference time */
      return size > 16 && data[16] == 1 && take_bytes (&bytes, 16)
          && take_lists (&bytes);
    default:
      return true;
  }
}

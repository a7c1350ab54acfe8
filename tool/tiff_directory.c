/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes directories of TIFF files (tiff_directory.h). */
#include "tiff_directory.h"
#include <string.h>

enum
{
  TYPE_BYTE = 1,
  TYPE_ASCII = 2,
  TYPE_SHORT = 3,
  TYPE_LONG = 4,
  TYPE_RATIONAL = 5,
  TYPE_SRATIONAL = 10,
  AT_DIRECTORY = 8,
  ENTRY_SIZE = 12,
};

static void
put (GByteArray *bytes, unsigned n, uint32_t value)
{
  for (unsigned i = n; i-- > 0;) {
    guint8 byte = (guint8) (value >> 8 * i);

    g_byte_array_append (bytes, &byte, 1);
  }
}

void
paco_tiff_begin (PacoTiffDirectory *directory, GByteArray *bytes, unsigned n)
{
  *directory = (PacoTiffDirectory){
    .entries = bytes,
    .values = g_byte_array_new (),
    .values_at = AT_DIRECTORY + 2 + n * ENTRY_SIZE + 4,
  };
  g_byte_array_append (bytes, (const guint8 *) "MM\0*", 4);
  put (bytes, 4, AT_DIRECTORY);
  put (bytes, 2, n);
}

void
paco_tiff_end (PacoTiffDirectory *directory)
{
  GByteArray *bytes = directory->entries;
  uint32_t begin;

  put (bytes, 4, 0); /* There is no other directory. */
  g_byte_array_append (bytes, directory->values->data, directory->values->len);
  g_byte_array_unref (directory->values);
  begin = GUINT32_TO_BE (bytes->len);
  memcpy (bytes->data + directory->strip_at, &begin, sizeof begin);
}

/* Adds an entry; bytes are its value, or where its values are. */
static void
add (PacoTiffDirectory *directory, unsigned tag, unsigned type, unsigned count,
    uint32_t bytes)
{
  put (directory->entries, 2, tag);
  put (directory->entries, 2, type);
  put (directory->entries, 4, count);
  put (directory->entries, 4, bytes);
}

/* Returns where values go that are added next. */
static uint32_t
next_value (const PacoTiffDirectory *directory)
{
  return directory->values_at + directory->values->len;
}

void
paco_tiff_add_short (PacoTiffDirectory *directory, unsigned tag, unsigned value)
{
  paco_tiff_add_shorts (directory, tag, 1, value);
}

void
paco_tiff_add_shorts (
    PacoTiffDirectory *directory, unsigned tag, unsigned n, unsigned value)
{
  add (directory, tag, TYPE_SHORT, n,
      n > 2 ? next_value (directory) : value << 16 | (n == 2 ? value : 0));
  for (unsigned i = 0; n > 2 && i < n; i++)
    put (directory->values, 2, value);
}

void
paco_tiff_add_long (PacoTiffDirectory *directory, unsigned tag, uint32_t value)
{
  add (directory, tag, TYPE_LONG, 1, value);
}

void
paco_tiff_add_strip (PacoTiffDirectory *directory)
{
  paco_tiff_add_long (directory, 273, 0);
  directory->strip_at = directory->entries->len - 4;
}

void
paco_tiff_add_bytes (PacoTiffDirectory *directory, unsigned tag,
    const uint8_t *bytes, unsigned n)
{
  uint32_t value = 0;

  for (unsigned i = 0; i < n; i++)
    value |= (uint32_t) bytes[i] << (24 - 8 * i);
  add (directory, tag, TYPE_BYTE, n, value);
}

void
paco_tiff_add_text (
    PacoTiffDirectory *directory, unsigned tag, const char *text)
{
  unsigned n = (unsigned) strlen (text) + 1;

  add (directory, tag, TYPE_ASCII, n, next_value (directory));
  g_byte_array_append (directory->values, (const guint8 *) text, n);
  /* Values begin at even bytes. */
  if (n % 2)
    put (directory->values, 1, 0);
}

void
paco_tiff_add_ratios (PacoTiffDirectory *directory, unsigned tag,
    const uint32_t *numerators, unsigned n, uint32_t denominator)
{
  add (directory, tag, TYPE_RATIONAL, n, next_value (directory));
  for (unsigned i = 0; i < n; i++) {
    put (directory->values, 4, numerators[i]);
    put (directory->values, 4, denominator);
  }
}

void
paco_tiff_add_signed_ratios (PacoTiffDirectory *directory, unsigned tag,
    const int32_t *numerators, unsigned n, int32_t denominator)
{
  add (directory, tag, TYPE_SRATIONAL, n, next_value (directory));
  for (unsigned i = 0; i < n; i++) {
    put (directory->values, 4, (uint32_t) numerators[i]);
    put (directory->values, 4, (uint32_t) denominator);
  }
}

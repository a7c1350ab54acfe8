/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes the head of a TIFF file (revision 6.0), for write_tiff.c and write_dng.c:
 * big-endian, with one directory; the samples follow in one strip. */
#pragma once
#include <glib.h>
#include <stdint.h>

typedef struct
{
  /* The entries of the directory, sorted by their tags, and the values that have no room
   * in them. */
  GByteArray *entries, *values;
  uint32_t values_at;
  unsigned strip_at; /* where the place of the samples is written */
} PacoTiffDirectory;

/* Begins the file in bytes, which are empty; the directory gets n entries. */
void paco_tiff_begin (
    PacoTiffDirectory *directory, GByteArray *bytes, unsigned n);
/* Ends the head; the samples come next. */
void paco_tiff_end (PacoTiffDirectory *directory);

void paco_tiff_add_short (
    PacoTiffDirectory *directory, unsigned tag, unsigned value);
/* Adds n times the same value. */
void paco_tiff_add_shorts (
    PacoTiffDirectory *directory, unsigned tag, unsigned n, unsigned value);
void paco_tiff_add_long (
    PacoTiffDirectory *directory, unsigned tag, uint32_t value);
/* Adds where the samples begin. */
void paco_tiff_add_strip (PacoTiffDirectory *directory);
/* Adds 1 to 4 bytes. */
void paco_tiff_add_bytes (PacoTiffDirectory *directory, unsigned tag,
    const uint8_t *bytes, unsigned n);
void paco_tiff_add_text (
    PacoTiffDirectory *directory, unsigned tag, const char *text);
/* Add n fractions of that denominator; those of the second have a sign. */
void paco_tiff_add_ratios (PacoTiffDirectory *directory, unsigned tag,
    const uint32_t *numerators, unsigned n, uint32_t denominator);
void paco_tiff_add_signed_ratios (PacoTiffDirectory *directory, unsigned tag,
    const int32_t *numerators, unsigned n, int32_t denominator);

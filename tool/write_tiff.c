/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes TIFF files (revision 6.0), for writers.c: big-endian, not compressed, in one
 * strip; samples have 8 or 16 bits, others are stretched to these. Archived files are made
 * by restore, not by this. */
#include "stretch.h"
#include "tool.h"
#include "writers.h"

enum
{
  TYPE_SHORT = 3,
  TYPE_LONG = 4,
  TYPE_RATIONAL = 5,
  AT_DIRECTORY = 8,
  ENTRY_SIZE = 12,
};

/* The entries of the directory, sorted by their tags, and the values that have no room in
 * them. */
typedef struct
{
  GByteArray *entries, *values;
  uint32_t values_at;
} Directory;

static void
put (GByteArray *bytes, unsigned n, uint32_t value)
{
  for (unsigned i = n; i-- > 0;) {
    guint8 byte = (guint8) (value >> 8 * i);

    g_byte_array_append (bytes, &byte, 1);
  }
}

/* Adds an entry; bytes are its value, or where its values are. */
static void
add (Directory *directory, unsigned tag, unsigned type, unsigned count,
    uint32_t bytes)
{
  put (directory->entries, 2, tag);
  put (directory->entries, 2, type);
  put (directory->entries, 4, count);
  put (directory->entries, 4, bytes);
}

static void
add_short (Directory *directory, unsigned tag, unsigned value)
{
  add (directory, tag, TYPE_SHORT, 1, value << 16);
}

static void
add_long (Directory *directory, unsigned tag, uint32_t value)
{
  add (directory, tag, TYPE_LONG, 1, value);
}

/* Returns where values go that are added next. */
static uint32_t
next_value (const Directory *directory)
{
  return directory->values_at + directory->values->len;
}

static void
add_depths (Directory *directory, unsigned n, unsigned bits)
{
  add (directory, 258, TYPE_SHORT, n,
      n > 2 ? next_value (directory) : bits << 16 | (n == 2 ? bits : 0));
  for (unsigned c = 0; n > 2 && c < n; c++)
    put (directory->values, 2, bits);
}

static void
add_ratio (Directory *directory, unsigned tag, uint32_t numerator)
{
  add (directory, tag, TYPE_RATIONAL, 1, next_value (directory));
  put (directory->values, 4, MAX (numerator, 1));
  put (directory->values, 4, 1);
}

static void
add_all (Directory *directory, const PacoPixels *pixels)
{
  const PacoInfo *info = &pixels->info;
  unsigned n = info->n_components, n_values = (n > 2 ? 2 * n : 0) + 16;

  add_long (directory, 256, info->width);
  add_long (directory, 257, info->height);
  add_depths (directory, n, info->depth[0] > 8 ? 16 : 8);
  add_short (directory, 259, 1);             /* Samples are not compressed. */
  add_short (directory, 262, n > 2 ? 2 : 1); /* R, G, B or gray. */
  add_long (directory, 273, directory->values_at + n_values);
  add_short (directory, 277, n);
  add_long (directory, 278, info->height);
  add_long (directory, 279, (uint32_t) pixels->size);
  /* Pixels are dots without a unit, whose aspect ratio this is. */
  add_ratio (directory, 282, info->par_d);
  add_ratio (directory, 283, info->par_n);
  add_short (directory, 296, 1);
  if (n % 2 == 0)
    add_short (directory, 338, 2); /* Colours are not multiplied by alpha. */
}

static bool
place (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  if (!paco_writer_pam.place (pixels, format, bytes, error))
    return false;
  return *bytes < G_MAXUINT32 / 2
      || paco_tool_failed (
          error, "TIFF files hold less than 2 GB, and this picture is larger");
}

static bool
head_tiff (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  unsigned n_entries = pixels->info.n_components % 2 == 0 ? 13 : 12;
  Directory directory = {
    .entries = bytes,
    .values = g_byte_array_new (),
    .values_at = AT_DIRECTORY + 2 + n_entries * ENTRY_SIZE + 4,
  };

  paco_pixels_stretch (pixels);
  g_byte_array_append (bytes, (const guint8 *) "MM\0*", 4);
  put (bytes, 4, AT_DIRECTORY);
  put (bytes, 2, n_entries);
  add_all (&directory, pixels);
  put (bytes, 4, 0); /* There is no other directory. */
  g_byte_array_append (bytes, directory.values->data, directory.values->len);
  g_byte_array_unref (directory.values);
  return true;
}

const PacoWriterKind paco_writer_tiff = {
  .name = "tiff",
  .extensions = { "tiff", "tif" },
  .place = place,
  .head = head_tiff,
  .rgb = true,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compresses chunks of OpenEXR files as its library does, with RLE and zlib (exr.h). */
#include "tool/archive/kinds/exr.h"
#include <string.h>
#include <zlib.h>

enum
{
  MIN_RUN = 3,
  MAX_RUN = 127, /* bytes after the first one */
};

/* --- differences --------------------------------------------------------- */

/* Puts the even bytes before the odd ones, and takes differences. */
static void
predict (const guint8 *raw, gsize size, guint8 *to)
{
  gsize half = (size + 1) / 2;
  guint8 last;

  for (gsize i = 0; i < size; i++)
    to[(i & 1 ? half : 0) + i / 2] = raw[i];
  last = to[0];
  for (gsize i = 1; i < size; i++) {
    guint8 value = to[i];

    to[i] = (guint8) (value - last + 128);
    last = value;
  }
}

static void
restore (guint8 *from, gsize size, guint8 *raw)
{
  gsize half = (size + 1) / 2;

  for (gsize i = 1; i < size; i++)
    from[i] = (guint8) (from[i - 1] + from[i] - 128);
  for (gsize i = 0; i < size; i++)
    raw[i] = from[(i & 1 ? half : 0) + i / 2];
}

/* --- RLE ----------------------------------------------------------------- */

/* Returns how many of the bytes, at most MAX_RUN + 1, are the same as the first one. */
static gsize
count_same (const guint8 *bytes, gsize size)
{
  gsize n = 1;

  while (n < size && n <= MAX_RUN && bytes[n] == bytes[0])
    n++;
  return n;
}

/* Returns how many of the bytes, at most MAX_RUN, come before three that are the same. */
static gsize
count_other (const guint8 *bytes, gsize size, gsize begin)
{
  gsize n = begin;

  while (n < size && n < MAX_RUN
      && (n + 1 >= size || bytes[n] != bytes[n + 1] || n + 2 >= size
          || bytes[n + 1] != bytes[n + 2]))
    n++;
  return n;
}

static void
pack_runs (const guint8 *bytes, gsize size, GByteArray *to)
{
  for (gsize at = 0, n; at < size; at += n) {
    guint8 head[2];

    n = count_same (bytes + at, size - at);
    if (n >= MIN_RUN) {
      head[0] = (guint8) (n - 1);
      head[1] = bytes[at];
      g_byte_array_append (to, head, 2);
      continue;
    }
    n = count_other (bytes + at, size - at, n);
    head[0] = (guint8) (256 - n);
    g_byte_array_append (to, head, 1);
    g_byte_array_append (to, bytes + at, (guint) n);
  }
}

static gboolean
unpack_runs (const guint8 *bytes, gsize size, guint8 *to, gsize to_size)
{
  gsize at = 0;

  for (gsize i = 0; i < size;) {
    gint8 head = (gint8) bytes[i++];
    gsize n = (gsize) (head < 0 ? -(int) head : head + 1);

    if (n > to_size - at || i + (head < 0 ? n : 1) > size)
      return FALSE;
    if (head < 0)
      memcpy (to + at, bytes + i, n);
    else
      memset (to + at, bytes[i], n);
    i += head < 0 ? n : 1;
    at += n;
  }
  return at == to_size;
}

/* --- chunks -------------------------------------------------------------- */

gboolean
paco_exr_uncompress (const PacoExrPicture *picture, guint32 chunk,
    const guint8 *bytes, gsize size, guint8 *raw, gsize raw_size,
    GByteArray *tables)
{
  g_autofree guint8 *plain = NULL;
  uLongf plain_size = raw_size;

  if (picture->compression == PACO_EXR_PIZ)
    return paco_exr_piz_uncompress (
        picture, chunk, bytes, size, raw, raw_size, tables);
  if (size == raw_size) {
    memcpy (raw, bytes, size);
    return TRUE;
  }
  if (size > raw_size || picture->compression == PACO_EXR_NONE)
    return FALSE;
  plain = g_malloc (raw_size);
  if (picture->compression == PACO_EXR_RLE
          ? !unpack_runs (bytes, size, plain, raw_size)
          : uncompress (plain, &plain_size, bytes, size) != Z_OK
              || plain_size != raw_size)
    return FALSE;
  restore (plain, raw_size, raw);
  return TRUE;
}

static gboolean
deflate_to (const guint8 *plain, gsize size, guint level, GByteArray *to)
{
  uLongf coded = compressBound (size);

  g_byte_array_set_size (to, (guint) coded);
  if (compress2 (to->data, &coded, plain, size, (int) level) != Z_OK)
    return FALSE;
  g_byte_array_set_size (to, (guint) coded);
  return TRUE;
}

gboolean
paco_exr_compress (const PacoExrPicture *picture, guint32 chunk,
    const guint8 *raw, gsize raw_size, guint level, const guint8 **tables,
    const guint8 *end, GByteArray *to)
{
  g_autofree guint8 *plain = NULL;

  g_byte_array_set_size (to, 0);
  if (picture->compression == PACO_EXR_PIZ)
    return paco_exr_piz_compress (
        picture, chunk, raw, raw_size, level == 1, tables, end, to);
  if (picture->compression != PACO_EXR_NONE && raw_size > 0) {
    plain = g_malloc (raw_size);
    predict (raw, raw_size, plain);
    if (picture->compression == PACO_EXR_RLE)
      pack_runs (plain, raw_size, to);
    else if (!deflate_to (plain, raw_size, level, to))
      return FALSE;
    if (to->len < raw_size)
      return TRUE;
    g_byte_array_set_size (to, 0);
  }
  g_byte_array_append (to, raw, (guint) raw_size);
  return TRUE;
}

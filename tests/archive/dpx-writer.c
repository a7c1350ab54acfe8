/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes DPX files for tests (dpx-writer.h). */
#include "dpx-writer.h"
#include <string.h>

static const struct
{
  guint descriptor;
  const char *letters;
  guint columns;
} descriptors[] = {
  { 1, "R", 1 },
  { 2, "G", 1 },
  { 3, "B", 1 },
  { 4, "A", 1 },
  { 6, "Y", 1 },
  { 50, "RGB", 1 },
  { 51, "RGBA", 1 },
  { 52, "ABGR", 1 },
  { 53, "BGR", 1 },
  { 54, "BGRA", 1 },
  { 55, "ARGB", 1 },
  { 100, "UYVY", 2 },
  { 101, "UYAVYA", 2 },
  { 102, "UYV", 1 },
  { 103, "UYVA", 1 },
};

const char *
dpx_letters (guint descriptor, guint *columns)
{
  for (guint i = 0; i < G_N_ELEMENTS (descriptors); i++)
    if (descriptors[i].descriptor == descriptor) {
      *columns = descriptors[i].columns;
      return descriptors[i].letters;
    }
  *columns = 1;
  return NULL;
}

void
dpx_put16 (guint8 *at, gboolean big_endian, guint16 value)
{
  at[big_endian ? 1 : 0] = (guint8) value;
  at[big_endian ? 0 : 1] = (guint8) (value >> 8);
}

void
dpx_put32 (guint8 *at, gboolean big_endian, guint32 value)
{
  for (guint i = 0; i < 4; i++)
    at[big_endian ? 3 - i : i] = (guint8) (value >> (8 * i));
}

/* --- cases --------------------------------------------------------------- */

static DpxElement
random_element (GRand *rand, guint descriptor)
{
  static const guint depths[] = { 8, 10, 12, 16 };

  return (DpxElement){ .descriptor = descriptor,
    .depth = depths[g_rand_int_range (rand, 0, 4)],
    .packing = (guint) g_rand_int_range (rand, 0, 3) };
}

void
dpx_case_random (GRand *rand, DpxCase *c)
{
  static const guint planes[] = { 1, 2, 3, 4 };
  guint columns;

  *c = (DpxCase){
    .big_endian = g_rand_boolean (rand),
    .width = (guint32) g_rand_int_range (rand, 1, 70),
    .height = (guint32) g_rand_int_range (rand, 1, 12),
    .padding = (DpxPadding) g_rand_int_range (rand, 0, DPX_N_PADDINGS),
    .version_1 = g_rand_boolean (rand),
  };
  if (g_rand_int_range (rand, 0, 4) == 0)
    c->line_padding = (guint32) g_rand_int_range (rand, 1, 20);
  if (g_rand_boolean (rand))
    c->gap = (gsize) g_rand_int_range (rand, 0, 5000);
  if (g_rand_int_range (rand, 0, 4) == 0)
    c->tail = (gsize) g_rand_int_range (rand, 0, 100);
  if (g_rand_int_range (rand, 0, 5) == 0) {
    /* These are R, G, B and perhaps alpha apart from each other, in any
     * order. */
    guint first = (guint) g_rand_int_range (rand, 0, 4);

    c->n_elements = (guint) g_rand_int_range (rand, 3, 5);
    for (guint i = 0; i < c->n_elements; i++)
      c->elements[i] = random_element (
          rand, planes[(first + i) % c->n_elements]);
  } else {
    c->n_elements = 1;
    c->elements[0] = random_element (rand,
        descriptors[g_rand_int_range (rand, 0, G_N_ELEMENTS (descriptors))]
            .descriptor);
    dpx_letters (c->elements[0].descriptor, &columns);
    c->width = (c->width + columns - 1) / columns * columns;
    /* Readers find out by the file's size that lines are not padded. */
    if (c->tail == 0 && c->line_padding == 0)
      c->unaligned = g_rand_int_range (rand, 0, 4) == 0;
  }
}

/* --- samples --------------------------------------------------------------- */

/* Takes a line of datums in the order of the file. */
static guint
take_datums (const DpxCase *c, const DpxElement *element, const DpxFile *file,
    guint32 y, guint16 *datums)
{
  guint columns, n = 0;
  const char *letters = dpx_letters (element->descriptor, &columns);

  for (guint32 x = 0; x < c->width; x += columns) {
    guint32 luma = x;

    for (const char *letter = letters; *letter != '\0'; letter++) {
      guint component = (guint) (strchr (DPX_LETTERS, *letter) - DPX_LETTERS);
      gboolean chroma = *letter == 'U' || *letter == 'V';

      datums[n++] =
          file->samples[component][y * c->width + (chroma ? x : luma)];
      /* The second luma, or alpha behind it, is that of the next column. */
      if (columns == 2 && letter[0] == 'Y' && letter[1] != 'A')
        luma++;
      if (columns == 2 && letter[0] == 'A')
        luma++;
    }
  }
  return n;
}

static void
make_samples (GRand *rand, const DpxCase *c, DpxFile *file)
{
  for (guint e = 0; e < c->n_elements; e++) {
    guint columns;
    const char *letters = dpx_letters (c->elements[e].descriptor, &columns);

    for (; *letters != '\0'; letters++) {
      guint i = (guint) (strchr (DPX_LETTERS, *letters) - DPX_LETTERS);

      if (!file->samples[i])
        file->samples[i] = g_new (guint16, c->width * c->height);
      for (guint32 k = 0; k < c->width * c->height; k++)
        file->samples[i][k] = (guint16) g_rand_int_range (
            rand, 0, 1 << c->elements[e].depth);
    }
  }
}

/* --- lines ------------------------------------------------------------------ */

/* This is a line, word by word or byte by byte, and which of its bits are
 * samples. */
typedef struct
{
  GByteArray *bytes, *used;
} Line;

static void
append_bytes (
    Line *line, gboolean big_endian, guint n, guint32 value, guint32 used)
{
  guint8 bytes[4], mask[4];

  for (guint i = 0; i < n; i++) {
    bytes[big_endian ? n - 1 - i : i] = (guint8) (value >> (8 * i));
    mask[big_endian ? n - 1 - i : i] = (guint8) (used >> (8 * i));
  }
  g_byte_array_append (line->bytes, bytes, n);
  g_byte_array_append (line->used, mask, n);
}

/* Puts three datums into a word, the first one into the upper bits, or into the
 * lower ones if pixels have but one. */
static void
fill_words (const DpxCase *c, const DpxElement *element, gboolean single,
    const guint16 *datums, guint n, Line *line)
{
  for (guint i = 0; i < n; i += 3) {
    guint32 word = 0, used = 0;

    for (guint k = 0; k < 3 && i + k < n; k++) {
      guint shift = (single ? k : 2 - k) * 10 + (element->packing == 1 ? 2 : 0);

      word |= (guint32) datums[i + k] << shift;
      used |= 1023u << shift;
    }
    append_bytes (line, c->big_endian, 4, word, used);
  }
}

/* Puts one bit behind the other, from the lowest of a word on. */
static void
pack_words (const DpxCase *c, const DpxElement *element, const guint16 *datums,
    guint n, Line *line)
{
  guint64 word = 0;
  guint bits = 0;

  for (guint i = 0; i < n; i++) {
    word |= (guint64) datums[i] << bits;
    bits += element->depth;
    if (bits >= 32) {
      append_bytes (line, c->big_endian, 4, (guint32) word, 0xffffffff);
      word >>= 32;
      bits -= 32;
    }
  }
  if (bits > 0)
    append_bytes (line, c->big_endian, 4, (guint32) word, (1u << bits) - 1);
}

static void
make_line (const DpxCase *c, const DpxElement *element, const guint16 *datums,
    guint n, Line *line)
{
  guint columns;
  gboolean single = strlen (dpx_letters (element->descriptor, &columns)) == 1;

  g_byte_array_set_size (line->bytes, 0);
  g_byte_array_set_size (line->used, 0);
  if (element->depth == 10 && element->packing != 0)
    fill_words (c, element, single, datums, n, line);
  else if (element->depth == 10
      || (element->depth == 12 && element->packing == 0))
    pack_words (c, element, datums, n, line);
  for (guint i = 0; i < n && (element->depth == 8 || element->depth == 16); i++)
    append_bytes (line, c->big_endian, element->depth / 8, datums[i], 0xffff);
  for (guint i = 0; i < n && element->depth == 12 && element->packing != 0; i++)
    append_bytes (line, c->big_endian, 2,
        (guint32) datums[i] << (element->packing == 1 ? 4 : 0),
        0xfffu << (element->packing == 1 ? 4 : 0));
  while (line->bytes->len % 4 != 0 && !c->unaligned)
    append_bytes (line, c->big_endian, 1, 0, 0);
  for (guint i = 0; i < c->line_padding; i++)
    append_bytes (line, c->big_endian, 1, 0, 0);
}

/* Puts something into the bits that no sample has. */
static void
pad_line (GRand *rand, const DpxCase *c, guint32 y, guint8 *pattern, Line *line)
{
  if (c->padding == DPX_PADDING_CLEAR)
    return;
  for (guint i = 0; i < line->bytes->len; i++) {
    if (y == 0)
      pattern[i] = (guint8) g_rand_int (rand);
    if (c->padding == DPX_PADDING_SET)
      pattern[i] = 0xff;
    else if (c->padding == DPX_PADDING_LINES && i == line->bytes->len - 1
        && g_rand_int_range (rand, 0, 3) == 0)
      pattern[i] = (guint8) g_rand_int (rand);
    line->bytes->data[i] |= pattern[i] & (guint8) ~line->used->data[i];
  }
}

static void
write_element (
    GRand *rand, const DpxCase *c, const DpxElement *element, DpxFile *file)
{
  g_autofree guint16 *datums = g_new (guint16, 6 * c->width);
  g_autofree guint8 *pattern = g_malloc0 (8 * c->width + 64);
  Line line = { g_byte_array_new (), g_byte_array_new () };

  for (guint32 y = 0; y < c->height; y++) {
    guint n = take_datums (c, element, file, y, datums);

    make_line (c, element, datums, n, &line);
    pad_line (rand, c, y, pattern, &line);
    g_byte_array_append (file->bytes, line.bytes->data, line.bytes->len);
  }
  g_byte_array_unref (line.bytes);
  g_byte_array_unref (line.used);
}

/* --- files ------------------------------------------------------------------ */

static void
append_noise (GRand *rand, DpxFile *file, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    guint8 byte = (guint8) g_rand_int (rand);

    g_byte_array_append (file->bytes, &byte, 1);
  }
}

/* The offsets are filled in when the elements are written. */
static void
write_header (GRand *rand, const DpxCase *c, DpxFile *file)
{
  guint8 *bytes;
  gboolean be = c->big_endian;

  g_byte_array_set_size (file->bytes, 2048);
  bytes = file->bytes->data;
  memset (bytes, 0xff, 2048);
  memcpy (bytes, be ? "SDPX" : "XPDS", 4);
  memcpy (bytes + 8, c->version_1 ? "V1.0\0\0\0" : "V2.0\0\0\0", 8);
  dpx_put32 (bytes + 20, be, 1);
  dpx_put32 (bytes + 24, be, 1664);
  dpx_put32 (bytes + 28, be, 384);
  dpx_put32 (bytes + 32, be, 0);
  memset (bytes + 36, 0, 624);
  g_strlcpy ((char *) bytes + 36, "test.dpx", 100);
  dpx_put16 (bytes + 768, be, 0);
  dpx_put16 (bytes + 770, be, (guint16) c->n_elements);
  dpx_put32 (bytes + 772, be, c->width);
  dpx_put32 (bytes + 776, be, c->height);
  for (guint i = 0; i < c->n_elements; i++) {
    guint8 *element = bytes + 780 + 72 * i;

    dpx_put32 (element, be, 0);
    element[20] = (guint8) c->elements[i].descriptor;
    element[21] = element[22] = 0;
    element[23] = (guint8) c->elements[i].depth;
    dpx_put16 (element + 24, be, (guint16) c->elements[i].packing);
    dpx_put16 (element + 26, be, 0);
    if (c->line_padding > 0 || g_rand_boolean (rand))
      dpx_put32 (element + 32, be, c->line_padding);
    memset (element + 40, 0, 32);
  }
}

void
dpx_file_write (GRand *rand, const DpxCase *c, DpxFile *file)
{
  gboolean be = c->big_endian;

  *file = (DpxFile){ .bytes = g_byte_array_new () };
  make_samples (rand, c, file);
  write_header (rand, c, file);
  for (guint i = 0; i < c->n_elements; i++) {
    append_noise (rand, file, c->gap);
    if (i == 0)
      dpx_put32 (file->bytes->data + 4, be, file->bytes->len);
    dpx_put32 (file->bytes->data + 808 + 72 * i, be, file->bytes->len);
    write_element (rand, c, &c->elements[i], file);
  }
  append_noise (rand, file, c->tail);
  dpx_put32 (file->bytes->data + 16, be, file->bytes->len);
}

void
dpx_file_clear (DpxFile *file)
{
  g_clear_pointer (&file->bytes, g_byte_array_unref);
  for (guint i = 0; i < G_N_ELEMENTS (file->samples); i++)
    g_clear_pointer (&file->samples[i], g_free);
}

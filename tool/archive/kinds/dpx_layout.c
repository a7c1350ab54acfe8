/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How samples lie in lines of DPX files (SMPTE 268M), as layouts of paco.h. A line is
 * a sequence of datums, those of a pixel or two after those of the one before:
 *
 * 8 and 16 bits, and 12 filled up to 16: words of one byte or of two. Readers take
 * bytes in the order of the file whatever the byte order of the file.
 *
 * 10 bits, filled: three datums in a word of 32 bits. The first is in the upper bits
 * where pixels have several datums, and in the lower ones where they have one: so do
 * FFmpeg (read10in32_gray() of libavcodec/dpx.c) and OpenImageIO's libdpx, and so does
 * ImageMagick write. (In little-endian files it reads gray the other way round.)
 *
 * 10 and 12 bits, packed: a string of bits that begins with the lowest bit of the
 * first word of 32 bits, and goes on with the next word. */
#include "tool/archive/kinds/dpx.h"
#include <string.h>

static guint
count_letters (const PacoDpxPart *part)
{
  return (guint) strlen (part->letters);
}

static guint64
datums_of_line (const PacoDpxPart *part, guint32 width)
{
  return (guint64) width / part->columns * count_letters (part);
}

static gboolean
has_three_to_a_word (const PacoDpxPart *part)
{
  return part->depth == 10 && !part->packed;
}

guint64
paco_dpx_line_bits (const PacoDpxPart *part, guint32 width)
{
  guint64 datums = datums_of_line (part, width);

  if (has_three_to_a_word (part))
    return (datums + 2) / 3 * 32;
  if (part->packed)
    return datums * part->depth;
  return datums * (part->depth > 8 ? 16 : 8);
}

/* Returns after how many datums a line repeats, with whole bytes before the next
 * one: these are whole pixels, and whole words of three. */
static guint
datums_of_group (const PacoDpxPart *part)
{
  guint letters = count_letters (part), n = letters;

  while (has_three_to_a_word (part) && n % 3 != 0)
    n += letters;
  while (part->packed && n * part->depth % 8 != 0)
    n += letters;
  return n;
}

static PacoLayout
describe_group (const PacoDpxPart *part, gboolean big_endian)
{
  guint n = datums_of_group (part);
  PacoLayout layout = { 0 };

  if (has_three_to_a_word (part)) {
    layout.word_bytes = 4;
    layout.group_bytes = (guint8) (n / 3 * 4);
  } else if (part->packed) {
    layout.word_bytes = 2;
    layout.group_bytes = (guint8) (n * part->depth / 8);
    layout.swap_words = big_endian ? 1 : 0;
    return layout;
  } else {
    layout.word_bytes = part->depth > 8 ? 2 : 1;
    layout.group_bytes = (guint8) (n * layout.word_bytes);
  }
  layout.big_endian = big_endian && layout.word_bytes > 1 ? 1 : 0;
  return layout;
}

static void
place_datum (const PacoDpxPart *part, guint i, PacoLayout *layout)
{
  guint bit = i * part->depth, byte, shift;

  if (has_three_to_a_word (part)) {
    byte = i / 3 * 4;
    shift = part->padding + 10 * (count_letters (part) > 1 ? 2 - i % 3 : i % 3);
  } else if (part->packed) {
    byte = bit / 8;
    shift = bit % 8;
  } else {
    byte = i * layout->word_bytes;
    shift = part->padding;
  }
  layout->places[layout->group_samples].byte = (guint8) byte;
  layout->places[layout->group_samples++].shift = (guint8) shift;
}

guint64
paco_dpx_group_bytes (const PacoDpx *dpx, guint part, guint32 width)
{
  const PacoDpxPart *p = &dpx->parts[part];
  PacoLayout layout = describe_group (p, dpx->big_endian);
  guint of_group = datums_of_group (p);
  guint64 bytes = (datums_of_line (p, width) + of_group - 1) / of_group
      * layout.group_bytes;

  return layout.swap_words ? (bytes + 3) / 4 * 4 : bytes;
}

/* --- components ---------------------------------------------------------- */

/* Pictures are made of these letters, in the order of their components. */
static const struct
{
  const char *letters;
  guint8 matrix; /* of FORMAT.md, 0: what the colorimetry says, or none */
} pictures[] = {
  { "Y", 0 },
  { "YA", 0 },
  { "RGB", 1 },
  { "RGBA", 1 },
  { "YUV", 0 },
  { "YUVA", 0 },
  { "R", 0 },
  { "G", 0 },
  { "B", 0 },
  { "A", 0 },
};

/* Says whether the parts have exactly these letters, each in one part. */
static gboolean
has_letters (const PacoDpx *dpx, const char *letters)
{
  guint found[PACO_COMPONENTS] = { 0 };

  for (guint p = 0; p < dpx->n_parts; p++) {
    guint8 seen = 0;

    for (const char *letter = dpx->parts[p].letters; *letter != '\0';
         letter++) {
      const char *at = strchr (letters, *letter);

      if (!at)
        return FALSE;
      if (!(seen >> (at - letters) & 1))
        found[at - letters]++;
      seen |= (guint8) (1u << (at - letters));
    }
  }
  for (guint c = 0; letters[c] != '\0'; c++)
    if (found[c] != 1)
      return FALSE;
  return TRUE;
}

static void
lay_out_part (PacoDpx *dpx, guint p, const char *letters)
{
  const PacoDpxPart *part = &dpx->parts[p];
  guint n = datums_of_group (part);

  for (guint i = 0; i < n; i++) {
    char letter = part->letters[i % count_letters (part)];
    guint c = (guint) (strchr (letters, letter) - letters);

    if (dpx->layouts[c].group_samples == 0)
      dpx->layouts[c] = describe_group (part, dpx->big_endian);
    place_datum (part, i, &dpx->layouts[c]);
    dpx->part_of[c] = p;
    dpx->info.depth[c] = part->depth;
    dpx->info.subsampling_x[c] = letter == 'U' || letter == 'V'
        ? part->columns - 1
        : 0;
  }
}

gboolean
paco_dpx_lay_out (PacoDpx *dpx, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++) {
    const char *letters = pictures[i].letters;

    if (!has_letters (dpx, letters))
      continue;
    dpx->info.n_components = (guint32) strlen (letters);
    dpx->info.matrix = pictures[i].matrix;
    for (guint p = 0; p < dpx->n_parts; p++)
      lay_out_part (dpx, p, letters);
    return TRUE;
  }
  return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
      "its %u image elements do not make one picture: that takes each of R, G "
      "and B, of Cb, Y and Cr, or Y alone once, and alpha at most once",
      dpx->n_parts);
}

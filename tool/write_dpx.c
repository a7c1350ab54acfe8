/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes DPX files (SMPTE 268M), for writers.c: a new header, big-endian, and
 * samples of 10 bits three to a word of 32 bits, of 12 bits in words of 16 bits,
 * both filled below (method A), as most programs write them. Archived files are made
 * by restore, not by this. */
#include "tool.h"
#include "writers.h"
#include <string.h>

/* Offsets, and what is written there. */
enum
{
  HEADER_SIZE = 2048,
  GENERIC_SIZE = 1664,
  INDUSTRY_SIZE = 384,
  AT_CREATOR = 160,
  AT_KEY = 660, /* of encryption */
  AT_COUNT = 770,
  AT_WIDTH = 772,
  AT_ELEMENT = 780,
  AT_DESCRIPTOR = AT_ELEMENT + 20,
  AT_PACKING = AT_ELEMENT + 24,
  AT_OFFSET = AT_ELEMENT + 28,
  AT_PADDING = AT_ELEMENT + 32,
  AT_ORIENTATION = 1408, /* and all headers behind it */
  AT_ASPECT = 1628,
  AT_FILM_RATE = 1724,
  AT_TELEVISION_RATE = 1940,
  FILLED_A = 1,
  UNDEFINED = 0xff,
};

static void
put (guint8 *at, unsigned bytes, uint32_t value)
{
  for (unsigned i = 0; i < bytes; i++)
    at[i] = (guint8) (value >> 8 * (bytes - 1 - i));
}

static void
put_real (guint8 *at, float value)
{
  uint32_t bits;

  memcpy (&bits, &value, sizeof bits);
  put (at, 4, bits);
}

/* Returns the code of transfer characteristics, or of colorimetry, for that of
 * FORMAT.md; 0 is user defined. */
static uint8_t
transfer_code (uint32_t transfer)
{
  static const uint8_t codes[] = { [1] = 2,
    [5] = 6,
    [7] = 22,
    [9] = 3,
    [11] = 14,
    [13] = 14,
    [14] = 17,
    [15] = 19,
    [16] = 8 };

  return transfer < sizeof codes ? codes[transfer] : 0;
}

static uint8_t
colorimetry_code (uint32_t primaries)
{
  static const uint8_t codes[] = {
    [1] = 6, [3] = 7, [4] = 8, [7] = 14, [10] = 16, [12] = 15
  };

  return primaries < sizeof codes ? codes[primaries] : 0;
}

/* --- samples --- */

static bool
is_possible (const PacoInfo *info)
{
  unsigned depth = info->depth[0];

  if (!paco_format_has_one_depth (info) || paco_format_is_yuv (info)
      || info->n_components == 2)
    return false;
  return depth == 8 || depth == 12 || depth == 16
      || (depth == 10 && info->n_components == 3);
}

static unsigned
pixel_bytes (const PacoInfo *info)
{
  return info->depth[0] == 10
      ? 4
      : info->n_components * (info->depth[0] > 8 ? 2 : 1);
}

/* Returns how many bytes a line has; lines begin at words of 32 bits. */
static size_t
line_bytes (const PacoInfo *info)
{
  return ((size_t) info->width * pixel_bytes (info) + 3) & ~(size_t) 3;
}

static bool
place (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  const PacoInfo *info = &pixels->info;
  unsigned depth = info->depth[0], word = depth == 10 ? 4 : depth > 8 ? 2 : 1;

  if (!is_possible (info))
    return paco_tool_failed (error,
        "DPX files are written of R, G, B of 8, 10, 12 or 16 bits, and of gray "
        "and R, G, B with alpha of 8, 12 or 16 bits, and of nothing else");
  *bytes = line_bytes (info) * info->height;
  memset (&pixels->image, 0, sizeof pixels->image);
  for (unsigned c = 0; c < info->n_components; c++) {
    PacoLayout *layout = &pixels->image.layout[c];

    layout->group_bytes = (uint8_t) pixel_bytes (info);
    layout->group_samples = 1;
    layout->word_bytes = (uint8_t) word;
    layout->big_endian = 1;
    layout->places[0].byte = (uint8_t) (depth == 10 ? 0 : c * word);
    layout->places[0].shift = (uint8_t) (depth == 10 ? 22 - 10 * c
            : depth == 12                            ? 4
                                                     : 0);
    pixels->image.data[c] = pixels->samples;
    pixels->image.stride[c] = (ptrdiff_t) line_bytes (info);
    pixels->image.size[c] = *bytes;
  }
  /* Bytes between lines belong to no sample. */
  if (pixels->samples
      && line_bytes (info) > (size_t) info->width * pixel_bytes (info))
    memset (pixels->samples, 0, *bytes);
  return true;
}

/* --- the header --- */

static void
put_element (guint8 *head, const PacoInfo *info)
{
  static const uint8_t descriptors[] = { 0, 6, 0, 50, 51 };
  unsigned depth = info->depth[0];
  uint32_t top = (1u << depth) - 1;

  put (head + AT_ELEMENT, 4, 0); /* unsigned */
  memset (head + AT_ELEMENT + 4, UNDEFINED, 16);
  if (info->range == 1) {
    put (head + AT_ELEMENT + 4, 4, 0);
    put (head + AT_ELEMENT + 12, 4, top);
  } else if (info->range == 2) {
    put (head + AT_ELEMENT + 4, 4, 16u << (depth - 8));
    put (head + AT_ELEMENT + 12, 4, 235u << (depth - 8));
  }
  head[AT_DESCRIPTOR] = descriptors[info->n_components];
  head[AT_DESCRIPTOR + 1] = transfer_code (info->transfer);
  head[AT_DESCRIPTOR + 2] = colorimetry_code (info->primaries);
  head[AT_DESCRIPTOR + 3] = (guint8) depth;
  put (head + AT_PACKING, 2, depth == 10 || depth == 12 ? FILLED_A : 0);
  put (head + AT_OFFSET, 4, HEADER_SIZE);
  put (head + AT_PADDING, 4, 0); /* but for what words want */
}

static bool
head_dpx (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  const PacoInfo *info = &pixels->info;
  guint8 head[HEADER_SIZE] = "SDPX";

  put (head + 4, 4, HEADER_SIZE);
  memcpy (head + 8, "V1.0", 4);
  put (head + 16, 4, (uint32_t) (HEADER_SIZE + pixels->size));
  put (head + 20, 4, 1); /* every picture has a header of its own */
  put (head + 24, 4, GENERIC_SIZE);
  put (head + 28, 4, INDUSTRY_SIZE);
  memcpy (head + AT_CREATOR, "paco", 4);
  put (head + AT_KEY, 4, 0xffffffff); /* not encrypted */
  put (head + AT_COUNT, 2, 1);
  put (head + AT_WIDTH, 4, info->width);
  put (head + AT_WIDTH + 4, 4, info->height);
  put_element (head, info);
  memset (head + AT_ORIENTATION, UNDEFINED, HEADER_SIZE - AT_ORIENTATION);
  put (head + AT_ASPECT, 4, info->par_n ? info->par_n : 1);
  put (head + AT_ASPECT + 4, 4, info->par_d ? info->par_d : 1);
  if (info->fps_n && info->fps_d) {
    put_real (head + AT_FILM_RATE, (float) info->fps_n / (float) info->fps_d);
    put_real (
        head + AT_TELEVISION_RATE, (float) info->fps_n / (float) info->fps_d);
  }
  g_byte_array_append (bytes, head, sizeof head);
  return true;
}

const PacoWriterKind paco_writer_dpx = {
  .name = "dpx",
  .extensions = { "dpx" },
  .place = place,
  .head = head_dpx,
};

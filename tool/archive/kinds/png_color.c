/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what chunks of a PNG file say of colours and pixels (png.h). Numbers
 * of PacoInfo are those of FORMAT.md section 2. */
#include "tool/archive/kinds/png.h"
#include "codec/bytes.h"
#include <string.h>

enum
{
  SIGNATURE = 8,
  CHUNK_HEAD = 8, /* Size and type. */
  CHUNK = 12,     /* With the CRC. */
  TRANSFER_SRGB = 7,
  PRIMARIES_BT709 = 1,
};

static guint32
get32 (const guint8 *p)
{
  return GUINT32_SWAP_LE_BE (paco_get32 (p));
}

/* Reads a chunk. All but those of colours and shape are only noted, or ignored. */
static void
read_chunk (
    PacoPngColor *color, const char *type, const guint8 *data, guint32 size)
{
  if (memcmp (type, "cICP", 4) == 0 && size == 4) {
    color->has_cicp = TRUE;
    memcpy (color->cicp, data, 4);
  } else if (memcmp (type, "iCCP", 4) == 0) {
    color->has_profile = TRUE;
  } else if (memcmp (type, "sRGB", 4) == 0 && size == 1) {
    color->has_srgb = TRUE;
  } else if (memcmp (type, "gAMA", 4) == 0 && size == 4) {
    color->gamma = get32 (data);
  } else if (memcmp (type, "cHRM", 4) == 0 && size == 32) {
    color->has_primaries = TRUE;
    for (guint i = 0; i < 8; i++)
      color->primaries[i] = get32 (data + 4 * i);
  } else if (memcmp (type, "pHYs", 4) == 0 && size == 9) {
    color->pixels_per_unit[0] = get32 (data);
    color->pixels_per_unit[1] = get32 (data + 4);
  }
  color->animated |= memcmp (type, "acTL", 4) == 0;
  color->stretched |= memcmp (type, "sBIT", 4) == 0;
  color->transparent |= memcmp (type, "tRNS", 4) == 0;
}

gsize
paco_png_color_read (PacoPngColor *color, const guint8 *bytes, gsize size)
{
  *color = (PacoPngColor){ 0 };
  for (gsize at = SIGNATURE; at <= size && size - at >= CHUNK_HEAD;) {
    guint32 length = get32 (bytes + at);
    const char *type = (const char *) bytes + at + 4;

    if (memcmp (type, "IDAT", 4) == 0)
      return at;
    if (length > size - at - CHUNK_HEAD
        || size - at - CHUNK_HEAD - length < CHUNK - CHUNK_HEAD)
      return 0;
    read_chunk (color, type, bytes + at + CHUNK_HEAD, length);
    at += CHUNK + length;
  }
  return 0;
}

/* --- numbers of ITU-T H.273 -------------------------------------------- */

static guint32
transfer_of_h273 (guint8 transfer)
{
  static const guint8 known[] = {
    [1] = 5,
    [4] = 4,
    [5] = 8,
    [6] = 16,
    [7] = 6,
    [8] = 1,
    [9] = 9,
    [10] = 10,
    [13] = TRANSFER_SRGB,
    [14] = 13,
    [15] = 11,
    [16] = 14,
    [18] = 15,
  };

  return transfer < G_N_ELEMENTS (known) ? known[transfer] : 0;
}

static guint32
primaries_of_h273 (guint8 primaries)
{
  static const guint8 known[] = {
    [1] = PRIMARIES_BT709,
    [4] = 2,
    [5] = 3,
    [6] = 4,
    [7] = 5,
    [8] = 6,
    [9] = 7,
    [10] = 9,
    [11] = 10,
    [12] = 11,
    [22] = 12,
  };

  return primaries < G_N_ELEMENTS (known) ? known[primaries] : 0;
}

/* --- gAMA and cHRM ----------------------------------------------------- */

/* Returns the transfer characteristics of gAMA, which is the exponent of the
 * encoding. 1/2.2, which approximates sRGB's curve, is taken for itself. */
static guint32
transfer_of_gamma (guint32 gamma)
{
  static const struct
  {
    guint32 gamma, transfer;
  } known[] = {
    { 100000, 1 },
    { 55556, 2 },
    { 50000, 3 },
    { 45455, 4 },
    { 35714, 8 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (gamma + 5 >= known[i].gamma && gamma <= known[i].gamma + 5)
      return known[i].transfer;
  return 0;
}

static guint32
primaries_of (const guint32 told[8])
{
  static const struct
  {
    guint32 xy[8];
    guint32 primaries;
  } known[] = {
    { { 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000 },
        PRIMARIES_BT709 },
    { { 31270, 32900, 70800, 29200, 17000, 79700, 13100, 4600 }, 7 },
    { { 31270, 32900, 64000, 33000, 21000, 71000, 15000, 6000 }, 8 },
    { { 31400, 35100, 68000, 32000, 26500, 69000, 15000, 6000 }, 10 },
    { { 31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000 }, 11 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    gboolean same = TRUE;

    for (guint k = 0; k < 8; k++)
      same &= told[k] < 200000 && told[k] + 100 >= known[i].xy[k]
          && told[k] <= known[i].xy[k] + 100;
    if (same)
      return known[i].primaries;
  }
  return 0;
}

static void
tell_aspect (const guint32 pixels[2], PacoInfo *info)
{
  guint32 a = pixels[1], b = pixels[0];

  if (a == 0 || b == 0 || a == b || a > G_MAXINT32 || b > G_MAXINT32)
    return;
  while (b != 0) {
    guint32 rest = a % b;

    a = b;
    b = rest;
  }
  info->par_n = pixels[1] / a;
  info->par_d = pixels[0] / a;
}

void
paco_png_color_tell (const PacoPngColor *color, PacoInfo *info)
{
  tell_aspect (color->pixels_per_unit, info);
  if (color->has_cicp) {
    info->primaries = primaries_of_h273 (color->cicp[0]);
    info->transfer = transfer_of_h273 (color->cicp[1]);
    if (color->cicp[3] == 0)
      info->range = 2;
  } else if (color->has_profile) {
    /* A profile is kept, but not looked into. */
  } else if (color->has_srgb) {
    info->transfer = TRANSFER_SRGB;
    info->primaries = PRIMARIES_BT709;
  } else {
    info->transfer = transfer_of_gamma (color->gamma);
    if (color->has_primaries)
      info->primaries = primaries_of (color->primaries);
  }
}

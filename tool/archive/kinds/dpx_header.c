/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the header of a DPX file (dpx.h): SMPTE 268M-2003 (V2.0) and 268M-1994
 * (V1.0), and codes of descriptors and colours also as ST 268-1:2014 and ST
 * 268-2:2018 have added them. A field whose bits are all set is undefined. */
#include "tool/archive/kinds/dpx.h"
#include <math.h>
#include <string.h>

/* Fields are at these bytes from the beginning of the file. */
enum
{
  AT_MAGIC = 0,
  AT_IMAGE_OFFSET = 4,
  AT_VERSION = 8,
  AT_ENCRYPTION = 660,
  AT_ORIENTATION = 768,
  AT_N_ELEMENTS = 770,
  AT_WIDTH = 772,
  AT_HEIGHT = 776,
  AT_ELEMENTS = 780,
  AT_PIXEL_ASPECT = 1628,
  AT_FILM_RATE = 1724,
  AT_INTERLACE = 1928,
  AT_VIDEO_RATE = 1940,
  AT_BLACK_LEVEL = 1952,
  AT_WHITE_LEVEL = 1964,
  /* Of an image element. */
  ELEMENT_SIZE = 72,
  IN_SIGN = 0,
  IN_LOW_CODE = 4,
  IN_HIGH_CODE = 12,
  IN_DESCRIPTOR = 20,
  IN_TRANSFER = 21,
  IN_COLORIMETRY = 22,
  IN_DEPTH = 23,
  IN_PACKING = 24,
  IN_ENCODING = 26,
  IN_OFFSET = 28,
  IN_LINE_PADDING = 32,
  IN_DESCRIPTION = 40,
  DESCRIPTION_SIZE = 32,
};

#define UNDEFINED G_MAXUINT32

typedef struct
{
  const guint8 *bytes;
  gsize size; /* fields behind it are undefined */
  gboolean big_endian;
} Header;

/* --- fields -------------------------------------------------------------- */

static guint32
get32 (const Header *header, gsize at)
{
  guint32 word;

  if (at + 4 > header->size)
    return UNDEFINED;
  memcpy (&word, header->bytes + at, 4);
  return header->big_endian ? GUINT32_FROM_BE (word) : GUINT32_FROM_LE (word);
}

static guint16
get16 (const Header *header, gsize at)
{
  guint16 word;

  if (at + 2 > header->size)
    return G_MAXUINT16;
  memcpy (&word, header->bytes + at, 2);
  return header->big_endian ? GUINT16_FROM_BE (word) : GUINT16_FROM_LE (word);
}

static guint8
get8 (const Header *header, gsize at)
{
  return at < header->size ? header->bytes[at] : G_MAXUINT8;
}

/* Returns NAN if the field is undefined; undefined is itself a NAN. */
static double
get_real (const Header *header, gsize at)
{
  guint32 word = get32 (header, at);
  float real;

  memcpy (&real, &word, sizeof real);
  return isfinite (real) ? real : (double) NAN;
}

/* --- elements ------------------------------------------------------------ */

static const struct
{
  guint8 code;
  const char *letters; /* U and V are Cb and Cr */
  guint8 columns;
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

static gboolean
read_descriptor (guint code, guint32 width, PacoDpxPart *part, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (descriptors); i++) {
    if (descriptors[i].code != code)
      continue;
    part->letters = descriptors[i].letters;
    part->columns = descriptors[i].columns;
    if (width % part->columns == 0)
      return TRUE;
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "a picture of 4:2:2 with an odd number of columns, %u, is not "
        "supported",
        width);
  }
  return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
      "image elements with descriptor %u are not supported; those with 1 to 4, "
      "6, 50 to 55 and 100 to 103 are",
      code);
}

static gboolean
read_packing (guint depth, guint packing, PacoDpxPart *part, GError **error)
{
  gboolean has_padding = depth == 10 || depth == 12;

  if (depth != 8 && depth != 16 && !has_padding)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "samples of %u bits are not supported; those of 8, 10, 12 and 16 are",
        depth);
  if (packing > 2 && (packing != G_MAXUINT16 || has_padding))
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "samples of %u bits with packing %u are not supported; packing 0 "
        "(packed), 1 and 2 (filled, methods A and B) are",
        depth, packing);
  part->depth = depth;
  part->packed = has_padding && packing == 0;
  part->padding = !has_padding || packing != 1 ? 0 : depth == 10 ? 2 : 4;
  return TRUE;
}

static gsize
element_at (guint i)
{
  return AT_ELEMENTS + (gsize) i * ELEMENT_SIZE;
}

/* An offset of 0 is none either. */
static gboolean
is_offset (guint32 offset)
{
  return offset != 0 && offset != UNDEFINED;
}

/* Finds where the first line of an element is. The first element's offset and
 * that of the file's header are the same, or one of them is missing. */
static gboolean
read_offset (const Header *header, guint i, PacoDpxPart *part, GError **error)
{
  guint32 file = get32 (header, AT_IMAGE_OFFSET);
  guint32 own = get32 (header, element_at (i) + IN_OFFSET);

  if (i == 0 && is_offset (file) && is_offset (own) && file != own)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the file's header says that the picture begins at byte %u, and the "
        "image element's that it begins at byte %u",
        file, own);
  part->offset = is_offset (own) || i > 0 ? own : file;
  if (!is_offset ((guint32) part->offset))
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the header does not say where image element %u begins", i + 1);
  if (part->offset < PACO_DPX_HEADER_SIZE)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "image element %u begins at byte %" G_GUINT64_FORMAT
        ", within the header, which has %d bytes",
        i + 1, part->offset, PACO_DPX_HEADER_SIZE);
  return TRUE;
}

static gboolean
read_element (const Header *header, guint i, guint32 width, PacoDpxPart *part,
    GError **error)
{
  gsize at = element_at (i);
  guint32 sign = get32 (header, at + IN_SIGN);
  guint encoding = get16 (header, at + IN_ENCODING);

  if (sign != 0 && sign != UNDEFINED)
    return paco_source_fail (
        error, PACO_SOURCE_UNSUPPORTED, "signed samples are not supported");
  if (encoding != 0 && encoding != G_MAXUINT16)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "samples that are run-length encoded (encoding %u) are not supported",
        encoding);
  return read_descriptor (get8 (header, at + IN_DESCRIPTOR), width, part, error)
      && read_packing (get8 (header, at + IN_DEPTH),
          get16 (header, at + IN_PACKING), part, error)
      && read_offset (header, i, part, error);
}

/* --- lines --------------------------------------------------------------- */

static guint64
round_up (guint64 n)
{
  return (n + 3) / 4 * 4;
}

/* Finds how far lines are apart. They begin at whole words of 32 bits, and behind
 * the padding that the header names. Many files, and some readers, have only one
 * of these. The distance with which the picture ends where its part does is tried
 * first, then any that fits. */
static gboolean
find_stride (
    PacoDpx *dpx, guint p, guint32 padding, guint64 end, GError **error)
{
  PacoDpxPart *part = &dpx->parts[p];
  guint32 width = dpx->info.width, height = dpx->info.height;
  guint64 bits = paco_dpx_line_bits (part, width);
  guint64 groups = paco_dpx_group_bytes (dpx, p, width);
  guint64 bytes = (bits + 7) / 8,
          space = end > part->offset ? end - part->offset : 0;
  guint64 tried[] = { round_up (bytes) + padding, bytes + padding,
    round_up (bytes), bytes };

  part->stride = 0;
  for (guint i = 0; i < G_N_ELEMENTS (tried); i++) {
    guint64 line = MIN (groups, tried[i]);

    if ((i % 2 == 1 && bits % 8 != 0)
        || (part->packed && dpx->big_endian && tried[i] % 4 != 0)
        || tried[i] * (height - 1) + line > space)
      continue;
    if (part->stride != 0 && tried[i] * height != space)
      continue;
    part->stride = tried[i];
    part->line_bytes = line;
    if (tried[i] * height == space)
      break;
  }
  if (part->stride != 0)
    return TRUE;
  return paco_source_fail (error, PACO_SOURCE_BROKEN,
      "%u lines of %" G_GUINT64_FORMAT " bytes, from byte %" G_GUINT64_FORMAT
      " on, do not end before byte %" G_GUINT64_FORMAT
      ", where the file or the image element does",
      height, bytes, part->offset, end);
}

/* --- what the picture is -------------------------------------------------- */

/* Returns the transfer characteristics as FORMAT.md has them (section 2, byte
 * 62). Printing density and logarithmic have no counterpart; log 100 is nearest,
 * and says that it is no video. */
static guint
find_transfer (guint code, guint depth)
{
  switch (code) {
    case 1: /* printing density */
    case 3: /* logarithmic */
      return 9;
    case 2: /* linear */
      return 1;
    case 5:  /* SMPTE 274M */
    case 6:  /* BT.709 */
    case 16: /* IEC 61966-2-4 */
      return 5;
    case 7: /* BT.601, 625 lines */
    case 8: /* BT.601, 525 lines */
      return 16;
    case 10: /* composite video, PAL */
      return 8;
    case 14: /* BT.2020 */
    case 15:
      return depth > 10 ? 11 : 13;
    case 17: /* BT.2100, PQ */
      return 14;
    case 19: /* BT.2100, HLG */
      return 15;
    case 22: /* sRGB */
      return 7;
    default:
      return 0;
  }
}

static const struct
{
  guint8 code, primaries, matrix; /* as FORMAT.md has them */
} colorimetries[] = {
  { 5, 1, 3 },   /* SMPTE 274M */
  { 6, 1, 3 },   /* BT.709 */
  { 7, 3, 4 },   /* BT.601, 625 lines */
  { 8, 4, 4 },   /* BT.601, 525 lines */
  { 10, 3, 4 },  /* composite video, PAL */
  { 14, 7, 6 },  /* BT.2020 */
  { 15, 12, 0 }, /* P3 with the white of D65 */
  { 16, 10, 0 }, /* P3 with that of digital cinema */
};

/* Says whether the samples are X'Y'Z'. No code stands for that; writers of such files
 * say it in words. */
static gboolean
is_xyz (const Header *header)
{
  char text[DESCRIPTION_SIZE + 1] = { 0 };

  memcpy (text, header->bytes + AT_ELEMENTS + IN_DESCRIPTION, DESCRIPTION_SIZE);
  return strstr (text, "X'Y'Z'") || strstr (text, "XYZ");
}

static void
tell_colors (const Header *header, PacoInfo *info)
{
  guint code = get8 (header, AT_ELEMENTS + IN_COLORIMETRY);

  info->transfer = find_transfer (
      get8 (header, AT_ELEMENTS + IN_TRANSFER), info->depth[0]);
  for (guint i = 0; i < G_N_ELEMENTS (colorimetries); i++)
    if (colorimetries[i].code == code) {
      info->primaries = colorimetries[i].primaries;
      if (info->n_components >= 3 && info->matrix == 0)
        info->matrix = colorimetries[i].matrix;
    }
  if (info->matrix == 1 && is_xyz (header))
    info->primaries = 9;
}

/* Returns 1 if samples go from 0 to the largest code, and 2 if they are as video
 * has them. */
static guint
range_of (double black, double white, guint depth)
{
  if (black == 0 && white == (1 << depth) - 1)
    return 1;
  if (black == 16 << (depth - 8) && white == 235 << (depth - 8))
    return 2;
  return 0;
}

static void
tell_range (const Header *header, PacoInfo *info)
{
  info->range = range_of (get32 (header, AT_ELEMENTS + IN_LOW_CODE),
      get32 (header, AT_ELEMENTS + IN_HIGH_CODE), info->depth[0]);
  if (info->range == 0)
    info->range = range_of (get_real (header, AT_BLACK_LEVEL),
        get_real (header, AT_WHITE_LEVEL), info->depth[0]);
  if (info->range == 0 && (info->n_components < 3 || info->matrix == 1))
    info->range = 1;
}

/* Sets the rate. One near a whole number, or near 1000/1001 of one, is set to
 * that. */
static gboolean
tell_rate (double rate, PacoInfo *info)
{
  double whole = round (rate), ntsc = round (rate * 1.001);

  if (!(rate > 0.01 && rate <= 1000))
    return FALSE;
  if (fabs (rate - whole) < 0.0005) {
    info->fps_n = (guint32) whole;
    info->fps_d = 1;
  } else if (fabs (rate - ntsc / 1.001) < 0.005) {
    info->fps_n = (guint32) ntsc * 1000;
    info->fps_d = 1001;
  } else {
    info->fps_n = (guint32) round (rate * 1000);
    info->fps_d = 1000;
  }
  return TRUE;
}

static void
tell_info (const Header *header, PacoInfo *info)
{
  guint32 n = get32 (header, AT_PIXEL_ASPECT);
  guint32 d = get32 (header, AT_PIXEL_ASPECT + 4);

  tell_colors (header, info);
  tell_range (header, info);
  if (n > 0 && d > 0 && n <= G_MAXINT32 && d <= G_MAXINT32) {
    info->par_n = n;
    info->par_d = d;
  }
  if (!tell_rate (get_real (header, AT_FILM_RATE), info))
    tell_rate (get_real (header, AT_VIDEO_RATE), info);
  if (get8 (header, AT_INTERLACE) == 1) {
    info->interlace_mode = 1;
    info->fields = 1;
  }
}

/* --- the file -------------------------------------------------------------- */

static gboolean
read_file_header (Header *header, GError **error)
{
  const guint8 *bytes = header->bytes;
  guint32 key;

  if (header->size < PACO_DPX_HEADER_SIZE)
    return paco_source_fail (error, PACO_SOURCE_BROKEN,
        "the file ends within the header, which has %d bytes",
        PACO_DPX_HEADER_SIZE);
  header->big_endian = memcmp (bytes, "SDPX", 4) == 0;
  if (!header->big_endian && memcmp (bytes, "XPDS", 4) != 0)
    return paco_source_fail (error, PACO_SOURCE_BROKEN, "it is no DPX file");
  if ((memcmp (bytes + AT_VERSION, "V1.0", 4) != 0
          && memcmp (bytes + AT_VERSION, "V2.0", 4) != 0)
      || g_ascii_isalnum (bytes[AT_VERSION + 4]))
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "its header is neither of version V1.0 nor V2.0");
  key = get32 (header, AT_ENCRYPTION);
  if (key != 0 && key != UNDEFINED)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "the file is encrypted (its encryption key is 0x%08x)", key);
  return TRUE;
}

static gboolean
read_image_header (const Header *header, PacoDpx *dpx, GError **error)
{
  guint n = get16 (header, AT_N_ELEMENTS);

  dpx->info.width = get32 (header, AT_WIDTH);
  dpx->info.height = get32 (header, AT_HEIGHT);
  dpx->orientation = get16 (header, AT_ORIENTATION);
  if (dpx->orientation == G_MAXUINT16)
    dpx->orientation = 0;
  if (dpx->info.width < 1 || dpx->info.width > PACO_MAX_SIZE
      || dpx->info.height < 1 || dpx->info.height > PACO_MAX_SIZE)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "a picture of %u x %u is not supported; up to %d x %d are",
        dpx->info.width, dpx->info.height, PACO_MAX_SIZE, PACO_MAX_SIZE);
  if (n < 1 || n > PACO_DPX_MAX_PARTS)
    return paco_source_fail (error, PACO_SOURCE_UNSUPPORTED,
        "a file of %u image elements is not supported; 1 to %d are", n,
        PACO_DPX_MAX_PARTS);
  dpx->n_parts = n;
  return TRUE;
}

/* Reads the elements, which become parts by ascending offsets. */
static gboolean
read_elements (const Header *header, PacoDpx *dpx,
    guint32 padding[PACO_DPX_MAX_PARTS], GError **error)
{
  for (guint i = 0; i < dpx->n_parts; i++) {
    guint32 eol = get32 (header, element_at (i) + IN_LINE_PADDING);
    PacoDpxPart part = { 0 };
    guint at = i;

    if (!read_element (header, i, dpx->info.width, &part, error))
      return FALSE;
    for (; at > 0 && dpx->parts[at - 1].offset > part.offset; at--) {
      dpx->parts[at] = dpx->parts[at - 1];
      padding[at] = padding[at - 1];
    }
    dpx->parts[at] = part;
    padding[at] = eol == UNDEFINED ? 0 : eol;
  }
  return TRUE;
}

gboolean
paco_dpx_read (const guint8 *bytes, gsize size, guint64 file_size, PacoDpx *dpx,
    GError **error)
{
  Header header = { .bytes = bytes, .size = size };
  guint32 padding[PACO_DPX_MAX_PARTS];

  *dpx = (PacoDpx){ .info = PACO_INFO_INIT };
  if (!read_file_header (&header, error))
    return FALSE;
  dpx->big_endian = header.big_endian;
  if (!read_image_header (&header, dpx, error)
      || !read_elements (&header, dpx, padding, error)
      || !paco_dpx_lay_out (dpx, error))
    return FALSE;
  for (guint p = 0; p < dpx->n_parts; p++)
    if (!find_stride (dpx, p, padding[p],
            p + 1 < dpx->n_parts ? dpx->parts[p + 1].offset : file_size, error))
      return FALSE;
  /* Bytes behind the first sample are no header. */
  header.size = MIN (size, dpx->parts[0].offset);
  tell_info (&header, &dpx->info);
  return TRUE;
}

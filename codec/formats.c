/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists the raw formats (formats.h). tests/check/layouts.c compares every row with
 * GStreamer's own unpack and pack functions.
 *
 * RGB of 12 bits as DeckLink packs it (R12L) is not in the table. The codec takes
 * it (PacoSampleLayout), but GstVideoInfo, from which base classes, pools and
 * neighbors know how large a picture is, has no such format, and no element
 * makes it.
 *
 * The order of the rows is the order of preference, in the caps of all pads and
 * in the decoder's choice between layouts of the same samples: what capture
 * cards and cameras deliver comes first, and gray last, so that a source which
 * is free to choose keeps its color. In caps, each NEXT begins another structure.
 * The order within a structure is lost where elements stand between source and
 * encoder, as they put the source's first; the order of structures is not. */
#include "formats.h"
#include <string.h>

#define NATIVE_BE (G_BYTE_ORDER == G_BIG_ENDIAN)
/* clang-format off */
/* Kind, components, and the subsampling of chroma. */
#define GRAY .kind = PACO_FORMAT_GRAY, .n_components = 1
#define RGB .kind = PACO_FORMAT_RGB, .n_components = 3
#define RGBA .kind = PACO_FORMAT_RGB, .n_components = 4
#define SAMPLED(x, y) .subsampling_x = (x), .subsampling_y = (y)
#define YUV(x, y) .kind = PACO_FORMAT_YUV, .n_components = 3, SAMPLED (x, y)
#define YUVA(x, y) .kind = PACO_FORMAT_YUV, .n_components = 4, SAMPLED (x, y)
#define YUV444 YUV (0, 0)
#define YUV422 YUV (1, 0)
#define YUV420 YUV (1, 1)
#define YUV411 YUV (2, 0)
#define YUV410 YUV (2, 2)
#define YUVA444 YUVA (0, 0)
#define YUVA422 YUVA (1, 0)
#define YUVA420 YUVA (1, 1)
/* Depths. */
#define D(...) .depths = { __VA_ARGS__ }
/* Words, and the order of their bytes. */
#define BYTES .word_bytes = 1
#define LE .word_bytes = 2
#define BE .word_bytes = 2, .big_endian = true
#define NATIVE .word_bytes = 2, .big_endian = NATIVE_BE
#define SHIFT(n) .shift = (n)
#define BITS8 .word_bytes = 1, .bits = true
#define BITS16(be) .word_bytes = 2, .big_endian = (be), .bits = true
#define BITS32(be) .word_bytes = 4, .big_endian = (be), .bits = true
/* Planes. */
#define PLANES(...) .planes = { __VA_ARGS__ }
#define P012 PLANES ("0", "1", "2")
#define P0123 PLANES ("0", "1", "2", "3")
#define GBR PLANES ("1", "2", "0")
#define GBRA PLANES ("1", "2", "0", "3")

#define USUAL .usual = true
/* The mosaics of a depth, by the names of video/x-bayer: the colors of a cell, line by
 * line. Components are red, green beside red, green beside blue, and blue. */
#define MOSAIC(name_given, line_0, line_1, ...)                               \
  { name_given, .kind = PACO_FORMAT_MOSAIC, .n_components = 4,                \
    SAMPLED (1, 1), PLANES (line_0, line_1), __VA_ARGS__ }
#define MOSAICS(suffix, ...)                                                  \
  MOSAIC ("rggb" suffix, "01", "23", __VA_ARGS__),                            \
  MOSAIC ("grbg" suffix, "10", "32", __VA_ARGS__),                            \
  MOSAIC ("gbrg" suffix, "23", "01", __VA_ARGS__),                            \
  MOSAIC ("bggr" suffix, "32", "10", __VA_ARGS__)
/* Packed ones. GenICam's lines are strings of bits, the lowest bit of a byte first; the
 * others are those of MIPI CSI-2. */
#define P10 D (10), BITS16 (false)
#define P12 D (12), BITS16 (false)
#define CSI10 P10, .csi2 = true
#define CSI12 P12, .csi2 = true
#define TILED(name_given)                                                     \
  { .name = name_given, YUV420, D (8) }
#define NEXT { .name = NULL }
#define EXCLUDED(name_given, reason)                                           \
  { .name = name_given, .excluded = reason }

const PacoFormat paco_formats[] = {
  /* 4:2:2 of 10 bits. */
  { "I422_10LE", YUV422, D (10), LE, P012, USUAL },
  NEXT,
  { "v210", YUV422, D (10), BITS32 (false),
    PLANES ("102..010..201..020.."), .line_bytes = 128 },
  { "Y210", YUV422, D (10), LE, SHIFT (6), PLANES ("0102") },
  { "I422_10BE", YUV422, D (10), BE, P012 },
  NEXT,

  /* 4:2:2 of 8 bits. */
  { "UYVY", YUV422, D (8), BYTES, PLANES ("1020") },
  { "YUY2", YUV422, D (8), BYTES, PLANES ("0102") },
  { "Y42B", YUV422, D (8), BYTES, P012, USUAL },
  { "NV16", YUV422, D (8), BYTES, PLANES ("0", "12") },
  { "NV61", YUV422, D (8), BYTES, PLANES ("0", "21") },
  { "YVYU", YUV422, D (8), BYTES, PLANES ("0201") },
  { "VYUY", YUV422, D (8), BYTES, PLANES ("2010") },
  NEXT,

  /* 4:2:0 of 10 bits. */
  { "P010_10LE", YUV420, D (10), LE, SHIFT (6), PLANES ("0", "12") },
  { "I420_10LE", YUV420, D (10), LE, P012, USUAL },
  { "P010_10BE", YUV420, D (10), BE, SHIFT (6), PLANES ("0", "12") },
  { "I420_10BE", YUV420, D (10), BE, P012 },
  NEXT,

  /* 4:2:0 of 8 bits. */
  { "NV12", YUV420, D (8), BYTES, PLANES ("0", "12") },
  { "I420", YUV420, D (8), BYTES, P012, USUAL },
  { "YV12", YUV420, D (8), BYTES, PLANES ("0", "2", "1") },
  { "NV21", YUV420, D (8), BYTES, PLANES ("0", "21") },
  NEXT,

  /* 4:4:4 of 10 and 8 bits. */
  { "Y444_10LE", YUV444, D (10), LE, P012, USUAL },
  { "Y444_10BE", YUV444, D (10), BE, P012 },
  { "Y444", YUV444, D (8), BYTES, P012, USUAL },
  { "NV24", YUV444, D (8), BYTES, PLANES ("0", "12") },
  { "v308", YUV444, D (8), BYTES, PLANES ("012") },
  { "IYU2", YUV444, D (8), BYTES, PLANES ("102") },
  NEXT,

  /* Y, U, V of 12 bits. */
  { "I422_12LE", YUV422, D (12), LE, P012, USUAL },
  { "Y212_LE", YUV422, D (12), LE, SHIFT (4), PLANES ("0102") },
  { "I422_12BE", YUV422, D (12), BE, P012 },
  { "Y212_BE", YUV422, D (12), BE, SHIFT (4), PLANES ("0102") },
  { "P012_LE", YUV420, D (12), LE, SHIFT (4), PLANES ("0", "12") },
  { "I420_12LE", YUV420, D (12), LE, P012, USUAL },
  { "P012_BE", YUV420, D (12), BE, SHIFT (4), PLANES ("0", "12") },
  { "I420_12BE", YUV420, D (12), BE, P012 },
  { "Y444_12LE", YUV444, D (12), LE, P012, USUAL },
  { "Y444_12BE", YUV444, D (12), BE, P012 },

  /* Y, U, V of 16 bits. */
  { "v216", YUV422, D (16), LE, PLANES ("1020") },
  { "P016_LE", YUV420, D (16), LE, PLANES ("0", "12") },
  { "P016_BE", YUV420, D (16), BE, PLANES ("0", "12") },
  { "Y444_16LE", YUV444, D (16), LE, P012, USUAL },
  { "Y444_16BE", YUV444, D (16), BE, P012 },
  NEXT,

  /* R, G, B of 10 bits. */
  { "GBR_10LE", RGB, D (10), LE, GBR, USUAL },
  { "r210", RGB, D (10), BITS32 (true), PLANES ("..012") },
  { "GBR_10BE", RGB, D (10), BE, GBR },

  /* R, G, B of 8 bits. */
  { "RGB", RGB, D (8), BYTES, PLANES ("012"), USUAL },
  { "BGR", RGB, D (8), BYTES, PLANES ("210") },
  { "BGRx", RGB, D (8), BYTES, PLANES ("210.") },
  { "RGBx", RGB, D (8), BYTES, PLANES ("012.") },
  { "xRGB", RGB, D (8), BYTES, PLANES (".012") },
  { "xBGR", RGB, D (8), BYTES, PLANES (".210") },
  { "GBR", RGB, D (8), BYTES, GBR },
  { "RGBP", RGB, D (8), BYTES, P012 },
  { "BGRP", RGB, D (8), BYTES, PLANES ("2", "1", "0") },

  /* R, G, B of 12 and 16 bits. */
  { "GBR_12LE", RGB, D (12), LE, GBR, USUAL },
  { "GBR_12BE", RGB, D (12), BE, GBR },
  { "GBR_16LE", RGB, D (16), LE, GBR, USUAL }, /* Since 1.24. */
  { "GBR_16BE", RGB, D (16), BE, GBR },
  NEXT,

  /* Y, U, V and alpha. */
  { "A422_10LE", YUVA422, D (10), LE, P0123, USUAL },
  { "A422_10BE", YUVA422, D (10), BE, P0123 },
  { "A422", YUVA422, D (8), BYTES, P0123 }, /* Since 1.24. */
  { "A420_10LE", YUVA420, D (10), LE, P0123, USUAL },
  { "A420_10BE", YUVA420, D (10), BE, P0123 },
  { "A420", YUVA420, D (8), BYTES, P0123, USUAL },
  { "AV12", YUVA420, D (8), BYTES, PLANES ("0", "12", "3") },
  { "A444_10LE", YUVA444, D (10), LE, P0123, USUAL },
  { "A444_10BE", YUVA444, D (10), BE, P0123 },
  { "Y410", YUVA444, D (10, 10, 10, 2), BITS32 (false), PLANES ("1023") },
  { "AYUV", YUVA444, D (8), BYTES, PLANES ("3012") },
  { "VUYA", YUVA444, D (8), BYTES, PLANES ("2103") },
  { "A444", YUVA444, D (8), BYTES, P0123, USUAL }, /* Since 1.24. */
  { "Y412_LE", YUVA444, D (12), LE, SHIFT (4), PLANES ("1023") },
  { "Y412_BE", YUVA444, D (12), BE, SHIFT (4), PLANES ("1023") },
  { "AYUV64", YUVA444, D (16), NATIVE, PLANES ("3012") },
  /* Since 1.24. */
  { "A422_12LE", YUVA422, D (12), LE, P0123 },
  { "A420_12LE", YUVA420, D (12), LE, P0123 },
  { "A444_12LE", YUVA444, D (12), LE, P0123 },
  { "A422_12BE", YUVA422, D (12), BE, P0123 },
  { "A420_12BE", YUVA420, D (12), BE, P0123 },
  { "A444_12BE", YUVA444, D (12), BE, P0123 },
  { "A422_16LE", YUVA422, D (16), LE, P0123 },
  { "A420_16LE", YUVA420, D (16), LE, P0123 },
  { "A444_16LE", YUVA444, D (16), LE, P0123 },
  { "A422_16BE", YUVA422, D (16), BE, P0123 },
  { "A420_16BE", YUVA420, D (16), BE, P0123 },
  { "A444_16BE", YUVA444, D (16), BE, P0123 },

  /* R, G, B and alpha. Words are in the byte order of the machine where the
   * name does not give it. */
  { "RGBA", RGBA, D (8), BYTES, PLANES ("0123"), USUAL },
  { "BGRA", RGBA, D (8), BYTES, PLANES ("2103") },
  { "ARGB", RGBA, D (8), BYTES, PLANES ("3012") },
  { "ABGR", RGBA, D (8), BYTES, PLANES ("3210") },
  { "GBRA", RGBA, D (8), BYTES, GBRA },
  { "RBGA", RGBA, D (8), BYTES, PLANES ("0213") }, /* Since 1.24. */
  { "GBRA_10LE", RGBA, D (10), LE, GBRA, USUAL },
  { "GBRA_10BE", RGBA, D (10), BE, GBRA },
  { "RGB10A2_LE", RGBA, D (10, 10, 10, 2), BITS32 (false), PLANES ("0123") },
  { "BGR10A2_LE", RGBA, D (10, 10, 10, 2), BITS32 (false), PLANES ("2103") },
  { "GBRA_12LE", RGBA, D (12), LE, GBRA, USUAL },
  { "GBRA_12BE", RGBA, D (12), BE, GBRA },
  { "RGBA64_LE", RGBA, D (16), LE, PLANES ("0123"), USUAL },
  { "BGRA64_LE", RGBA, D (16), LE, PLANES ("2103") },
  { "ARGB64_LE", RGBA, D (16), LE, PLANES ("3012") },
  { "ABGR64_LE", RGBA, D (16), LE, PLANES ("3210") },
  { "ARGB64", RGBA, D (16), NATIVE, PLANES ("3012") },
  { "RGBA64_BE", RGBA, D (16), BE, PLANES ("0123") },
  { "BGRA64_BE", RGBA, D (16), BE, PLANES ("2103") },
  { "ARGB64_BE", RGBA, D (16), BE, PLANES ("3012") },
  { "ABGR64_BE", RGBA, D (16), BE, PLANES ("3210") },
  NEXT,

  /* Samples across words and bytes, or in tiles. */
  { "UYVP", YUV422, D (10), BITS16 (true), PLANES ("1020") },
  { "NV16_10LE32", YUV422, D (10), BITS32 (false),
    PLANES ("000..", "121..212..") },
  { "NV12_10LE32", YUV420, D (10), BITS32 (false),
    PLANES ("000..", "121..212..") },
  { "NV12_10LE40", YUV420, D (10), BITS16 (false), PLANES ("0000", "1212") },
  TILED ("NV12_4L4"), TILED ("NV12_32L32"), TILED ("NV12_16L32S"),
  TILED ("NV12_64Z32"), TILED ("NV12_8L128"),

  /* 4:1:1, 4:1:0, and R, G, B of 5 and 6 bits. */
  { "Y41B", YUV411, D (8), BYTES, P012, USUAL },
  { "IYU1", YUV411, D (8), BITS8, PLANES ("100200") },
  { "YUV9", YUV410, D (8), BYTES, P012 },
  { "YVU9", YUV410, D (8), BYTES, PLANES ("0", "2", "1") },
  { "RGB16", RGB, D (5, 6, 5), BITS16 (NATIVE_BE),
    PLANES (NATIVE_BE ? "012" : "210") },
  { "BGR16", RGB, D (5, 6, 5), BITS16 (NATIVE_BE),
    PLANES (NATIVE_BE ? "210" : "012") },
  { "RGB15", RGB, D (5), BITS16 (NATIVE_BE),
    PLANES (NATIVE_BE ? ".012" : "210.") },
  { "BGR15", RGB, D (5), BITS16 (NATIVE_BE),
    PLANES (NATIVE_BE ? ".210" : "012.") },
  NEXT,

  /* Gray. */
  { "GRAY8", GRAY, D (8), BYTES, PLANES ("0"), USUAL },
  { "GRAY16_LE", GRAY, D (16), LE, PLANES ("0"), USUAL },
  { "GRAY16_BE", GRAY, D (16), BE, PLANES ("0") },
  { "GRAY10_LE16", GRAY, D (10), LE, PLANES ("0") }, /* Since 1.26. */
  { "GRAY10_LE32", GRAY, D (10), BITS32 (false), PLANES ("000..") },
  { "GRAY10p", GRAY, P10, PLANES ("0000") },
  { "GRAY12p", GRAY, P12, PLANES ("00") },
  { "GRAY10csi2", GRAY, CSI10, PLANES ("0000") },
  { "GRAY12csi2", GRAY, CSI12, PLANES ("00") },

  /* Mosaics. In caps they are no formats of video/x-raw. */
  MOSAICS ("", BYTES, D (8), USUAL),
  MOSAICS ("10le", LE, D (10), USUAL),
  MOSAICS ("10be", BE, D (10)),
  MOSAICS ("12le", LE, D (12), USUAL),
  MOSAICS ("12be", BE, D (12)),
  MOSAICS ("14le", LE, D (14), USUAL),
  MOSAICS ("14be", BE, D (14)),
  MOSAICS ("16le", LE, D (16), USUAL),
  MOSAICS ("16be", BE, D (16)),
  MOSAIC ("rggb10p", "0101", "2323", P10),
  MOSAIC ("grbg10p", "1010", "3232", P10),
  MOSAIC ("gbrg10p", "2323", "0101", P10),
  MOSAIC ("bggr10p", "3232", "1010", P10),
  MOSAIC ("rggb12p", "01", "23", P12), MOSAIC ("grbg12p", "10", "32", P12),
  MOSAIC ("gbrg12p", "23", "01", P12), MOSAIC ("bggr12p", "32", "10", P12),
  MOSAIC ("rggb10csi2", "0101", "2323", CSI10),
  MOSAIC ("grbg10csi2", "1010", "3232", CSI10),
  MOSAIC ("gbrg10csi2", "2323", "0101", CSI10),
  MOSAIC ("bggr10csi2", "3232", "1010", CSI10),
  MOSAIC ("rggb12csi2", "01", "23", CSI12),
  MOSAIC ("grbg12csi2", "10", "32", CSI12),
  MOSAIC ("gbrg12csi2", "23", "01", CSI12),
  MOSAIC ("bggr12csi2", "32", "10", CSI12),

  EXCLUDED ("RGB8P", "its samples are indices into a palette"),
  EXCLUDED ("NV12_10BE_8L128", "GStreamer can unpack it but not pack it"),
};
/* clang-format on */
const guint paco_n_formats = G_N_ELEMENTS (paco_formats);

const PacoFormat *
paco_format_by_name (const char *name)
{
  for (guint i = 0; i < paco_n_formats; i++)
    if (paco_formats[i].name && strcmp (paco_formats[i].name, name) == 0)
      return &paco_formats[i];
  return NULL;
}

static guint
depth_of (const PacoFormat *format, guint component)
{
  guint depth = format->depths[component];

  return depth > 0 ? depth : format->depths[0];
}

/* Returns how many bits a letter of a plane's group stands for. */
static guint
letter_bits (const PacoFormat *format, char letter)
{
  if (!format->bits)
    return 8 * format->word_bytes;
  return letter == '.' ? 1 : depth_of (format, (guint) (letter - '0'));
}

static void
lay_out_plane (const PacoFormat *format, guint plane, PacoRawFormat *raw)
{
  const char *group = format->planes[plane];
  guint word_bits = 8 * format->word_bytes, group_bits = 0, at = 0;

  for (const char *letter = group; *letter; letter++)
    group_bits += letter_bits (format, *letter);
  for (const char *letter = group; *letter; letter++) {
    guint c = (guint) (*letter - '0'), bit = at;
    PacoSampleLayout *layout;

    at += letter_bits (format, *letter);
    if (*letter == '.')
      continue;
    layout = &raw->layout[c];
    if (!format->bits)
      bit = format->big_endian ? at - format->shift - depth_of (format, c)
                               : at - word_bits + format->shift;
    raw->plane[c] = (guint8) plane;
    layout->group_bytes = (guint8) (group_bits / 8);
    layout->word_bytes = format->word_bytes;
    layout->big_endian = format->big_endian;
    layout->csi2 = format->csi2;
    paco_layout_append (layout, bit, depth_of (format, c));
  }
}

/* Finds what is written where there are no samples: bytes of a pixel that no
 * sample has are written as if they were opaque alpha, and bits that are left of
 * words that have samples as 0. */
static void
find_fill (PacoRawFormat *raw)
{
  for (guint c = 0; c < raw->n_components; c++) {
    PacoSampleLayout *layout = &raw->layout[c];
    guint64 covered = 0;

    for (guint k = 0; k < raw->n_components; k++)
      for (guint i = 0; i < raw->layout[k].group_samples; i++)
        if (raw->plane[k] == raw->plane[c])
          covered |= ((G_GUINT64_CONSTANT (1) << layout->word_bytes) - 1)
              << raw->layout[k].places[i].byte;
    if (covered != (G_GUINT64_CONSTANT (1) << layout->group_bytes) - 1)
      layout->fill = 0xff;
  }
}

void
paco_raw_format_init (PacoRawFormat *raw, const PacoFormat *format)
{
  *raw = (PacoRawFormat){
    .row = format,
    .n_components = format->n_components,
    .mosaic = format->kind == PACO_FORMAT_MOSAIC,
    .tiled = format->word_bytes == 0,
  };
  for (guint c = 0; c < raw->n_components; c++) {
    bool subsampled = c == 1 || c == 2 || raw->mosaic;

    raw->components[c] = (PacoComponent){
      .depth = (guint8) depth_of (format, c),
      .subsampling_x = subsampled ? format->subsampling_x : 0,
      .subsampling_y = subsampled ? format->subsampling_y : 0,
    };
  }
  if (raw->tiled)
    return;
  for (guint p = 0; p < PACO_MAX_COMPONENTS && format->planes[p]; p++)
    lay_out_plane (format, p, raw);
  for (guint c = 0; raw->mosaic && c < raw->n_components; c++) {
    raw->components[c].place_x = raw->layout[c].places[0].byte > 0;
    raw->components[c].place_y = raw->plane[c];
  }
  find_fill (raw);
}

bool
paco_raw_format_drop_alpha (PacoRawFormat *raw)
{
  guint alpha = PACO_MAX_COMPONENTS - 1;

  if (raw->n_components != alpha + 1 || raw->tiled
      || raw->plane[alpha] != raw->plane[0])
    return false;
  raw->n_components = (guint8) alpha;
  find_fill (raw);
  /* Alpha has no bytes of its own in words of 32 bits. */
  return raw->layout[0].fill != 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes DNG files (version 1.4) of mosaics, for writers.c: not compressed, with the
 * samples as they are, in bytes or in words of 16 bits. Nothing is known of the camera:
 * its colors are said to be those of sRGB, and its white to be neutral. */
#include "tiff_directory.h"
#include "tool.h"
#include "writers.h"

#define MODEL "mosaic by gst-paco"

/* XYZ to linear sRGB, in ten-thousandths. */
static const int32_t color_matrix[9] = { 32405, -15371, -4985, -9693, 18760,
  416, 556, -2040, 10572 };

/* Adds the colors of a cell, line by line: red is 0, green 1, blue 2. */
static void
add_pattern (PacoTiffDirectory *directory, const PacoInfo *info)
{
  static const uint8_t colors[PACO_COMPONENTS] = { 0, 1, 1, 2 };
  uint8_t pattern[4] = { 0 };

  for (unsigned c = 0; c < info->n_components; c++)
    pattern[2 * info->place_y[c] + info->place_x[c]] = colors[c];
  paco_tiff_add_shorts (directory, 33421, 2, 2);
  paco_tiff_add_bytes (directory, 33422, pattern, 4);
}

static void
add_camera (PacoTiffDirectory *directory, const PacoInfo *info)
{
  static const uint32_t neutral[3] = { 1, 1, 1 };

  paco_tiff_add_bytes (directory, 50706, (const uint8_t[]){ 1, 4, 0, 0 }, 4);
  paco_tiff_add_bytes (directory, 50707, (const uint8_t[]){ 1, 1, 0, 0 }, 4);
  paco_tiff_add_text (directory, 50708, MODEL);
  paco_tiff_add_bytes (directory, 50710, (const uint8_t[]){ 0, 1, 2 }, 3);
  paco_tiff_add_short (directory, 50711, 1); /* Cells are rectangular. */
  paco_tiff_add_short (directory, 50714, 0); /* black */
  paco_tiff_add_long (directory, 50717, (1u << info->depth[0]) - 1);
  paco_tiff_add_signed_ratios (directory, 50721, color_matrix, 9, 10000);
  paco_tiff_add_ratios (directory, 50728, neutral, 3, 1);
  paco_tiff_add_short (directory, 50778, 21); /* D65 */
}

enum
{
  N_ENTRIES = 24
};

static void
add_all (PacoTiffDirectory *directory, const PacoPixels *pixels)
{
  const PacoInfo *info = &pixels->info;

  paco_tiff_add_long (directory, 254, 0); /* This is the whole picture. */
  paco_tiff_add_long (directory, 256, info->width);
  paco_tiff_add_long (directory, 257, info->height);
  paco_tiff_add_short (directory, 258, info->depth[0] > 8 ? 16 : 8);
  paco_tiff_add_short (directory, 259, 1);     /* Samples are not compressed. */
  paco_tiff_add_short (directory, 262, 32803); /* They are a mosaic. */
  paco_tiff_add_strip (directory);
  paco_tiff_add_short (directory, 274, 1); /* The first line is the top. */
  paco_tiff_add_short (directory, 277, 1);
  paco_tiff_add_long (directory, 278, info->height);
  paco_tiff_add_long (directory, 279, (uint32_t) pixels->size);
  paco_tiff_add_short (directory, 284, 1);
  add_pattern (directory, info);
  add_camera (directory, info);
}

static bool
place (
    PacoPixels *pixels, const PacoFormat *format, size_t *bytes, GError **error)
{
  if (!pixels->info.mosaic)
    return paco_tool_failed (error,
        "DNG files are written of mosaics of a sensor, and this is a picture "
        "of "
        "another kind, which TIFF files hold");
  return paco_writer_tiff.place (pixels, format, bytes, error);
}

static bool
head_dng (const PacoPixels *pixels, GByteArray *bytes, GError **error)
{
  PacoTiffDirectory directory;

  paco_tiff_begin (&directory, bytes, N_ENTRIES);
  add_all (&directory, pixels);
  paco_tiff_end (&directory);
  return true;
}

const PacoWriterKind paco_writer_dng = {
  .name = "dng",
  .extensions = { "dng" },
  .place = place,
  .head = head_dng,
  .mosaic = true,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Writes TIFF files (revision 6.0), for writers.c: big-endian, not compressed, in one
 * strip; samples have 8 or 16 bits, others are stretched to these. Archived files are made
 * by restore, not by this. */
#include "stretch.h"
#include "tiff_directory.h"
#include "tool.h"
#include "writers.h"

/* Adds a side of a pixel, which is 1 where it is not known. */
static void
add_side (PacoTiffDirectory *directory, unsigned tag, uint32_t side)
{
  paco_tiff_add_ratios (directory, tag, &(uint32_t){ MAX (side, 1) }, 1, 1);
}

static void
add_all (PacoTiffDirectory *directory, const PacoPixels *pixels)
{
  const PacoInfo *info = &pixels->info;
  unsigned n = info->n_components;

  paco_tiff_add_long (directory, 256, info->width);
  paco_tiff_add_long (directory, 257, info->height);
  paco_tiff_add_shorts (directory, 258, n, info->depth[0] > 8 ? 16 : 8);
  paco_tiff_add_short (directory, 259, 1); /* Samples are not compressed. */
  paco_tiff_add_short (directory, 262, n > 2 ? 2 : 1); /* R, G, B or gray. */
  paco_tiff_add_strip (directory);
  paco_tiff_add_short (directory, 277, n);
  paco_tiff_add_long (directory, 278, info->height);
  paco_tiff_add_long (directory, 279, (uint32_t) pixels->size);
  /* Pixels are dots without a unit, whose aspect ratio this is. */
  add_side (directory, 282, info->par_d);
  add_side (directory, 283, info->par_n);
  paco_tiff_add_short (directory, 296, 1);
  if (n % 2 == 0)
    paco_tiff_add_short (
        directory, 338, 2); /* Colours are not multiplied by alpha. */
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
  PacoTiffDirectory directory;

  paco_pixels_stretch (pixels);
  paco_tiff_begin (
      &directory, bytes, pixels->info.n_components % 2 == 0 ? 13 : 12);
  add_all (&directory, pixels);
  paco_tiff_end (&directory);
  return true;
}

const PacoWriterKind paco_writer_tiff = {
  .name = "tiff",
  .extensions = { "tiff", "tif" },
  .place = place,
  .head = head_tiff,
  .rgb = true,
};

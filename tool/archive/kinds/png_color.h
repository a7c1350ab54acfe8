/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what the chunks of a PNG file before its samples say of colours and of the shape
 * of pixels, for PacoInfo. png.c calls it, and tool/png_file.c. */
#pragma once
#include "lib/paco.h"
#include <glib.h>

/* What the chunks say. */
typedef struct
{
  gboolean has_cicp, has_profile, has_srgb;
  guint8 cicp[4]; /* primaries, transfer, matrix, full range (ITU-T H.273) */
  guint32 gamma;  /* in 1/100000 */
  gboolean has_primaries;
  guint32 primaries[8];       /* x, y of white, red, green, blue, in 1/100000 */
  guint32 pixels_per_unit[2]; /* x, y; 0: unknown */
  /* The chunks acTL; sBIT, so samples may have fewer bits than their words; and tRNS,
   * which makes colours transparent. */
  gboolean animated, stretched, transparent;
} PacoPngColor;

/* Reads the chunks before the first IDAT chunk, and returns where that begins; 0 if it is
 * not in the first `size` bytes. */
gsize paco_png_color_read (
    PacoPngColor *color, const guint8 *bytes, gsize size);
/* Sets transfer, primaries and the pixel aspect ratio; what is not known is not
 * changed. */
void paco_png_color_tell (const PacoPngColor *color, PacoInfo *info);

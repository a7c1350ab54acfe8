/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads what chunks of a PNG file say of colours and of the shape of pixels, for
 * PacoInfo. png.c calls it for each chunk before the samples, and then once more. */
#pragma once
#include "lib/paco.h"
#include <glib.h>

/* Collects what has been read; it begins with zeros. */
typedef struct
{
  gboolean has_cicp, has_profile, has_srgb;
  guint8 cicp[4]; /* primaries, transfer, matrix, full range (ITU-T H.273) */
  guint32 gamma;  /* in 1/100000 */
  gboolean has_primaries;
  guint32 primaries[8];       /* x, y of white, red, green, blue, in 1/100000 */
  guint32 pixels_per_unit[2]; /* x, y; 0: unknown */
} PacoPngColor;

/* Reads a chunk. All but those of colours and shape are ignored. */
void paco_png_color_read (
    PacoPngColor *color, const char *type, const guint8 *data, guint32 size);
/* Sets transfer, primaries and the pixel aspect ratio; what is not known is not
 * changed. */
void paco_png_color_tell (const PacoPngColor *color, PacoInfo *info);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts between the lines of a PNG file, as its compressed bytes have them, and
 * its samples: filters (PNG specification, section 9) and interlacing (8.2); reads
 * what its chunks say of colours. png.c calls it, and tool/png_file.c the latter.
 *
 * The lines of all passes come one behind the other; each begins with a byte that
 * says how it is filtered. A picture that is not interlaced is one pass. */
#pragma once
#include "lib/paco.h"
#include <glib.h>

typedef struct
{
  guint32 width, height;
  guint8 n_components;
  guint8 pixel_bytes; /* 1..8 */
  gboolean interlaced;
} PacoPngPicture;

#define PACO_PNG_MAX_PASSES 7
#define PACO_PNG_FILTERS 5

typedef struct
{
  guint32 columns, lines; /* both at least 1 */
  gsize line_bytes;       /* that of the filter included */
  guint8 x, y, dx,
      dy; /* its first sample in the picture, and from one to the next */
} PacoPngPass;

/* Lists the passes that have samples. Returns how many there are. */
guint paco_png_passes (
    const PacoPngPicture *picture, PacoPngPass passes[PACO_PNG_MAX_PASSES]);
/* Return how many bytes all lines of all passes have, and how many lines there
 * are. */
gsize paco_png_bytes (const PacoPngPicture *picture);
gsize paco_png_lines (const PacoPngPicture *picture);

/* Copies the filters of all lines to *filters, one byte each, and *filtered says
 * whether one is not 0. FALSE if there is an unknown one. */
gboolean paco_png_get_filters (const PacoPngPicture *picture,
    const guint8 *lines, guint8 *filters, gboolean *filtered);
/* Sets the filters of all lines, or, with NULL, all of them to 0. */
void paco_png_set_filters (
    const PacoPngPicture *picture, guint8 *lines, const guint8 *filters);

/* Takes the filters off all lines, or applies them. */
void paco_png_unfilter (const PacoPngPicture *picture, guint8 *lines);
void paco_png_filter (const PacoPngPicture *picture, guint8 *lines);

/* Makes the lines of an interlaced picture of its samples, which have no gaps, or with
 * `back` the samples of the lines. */
void paco_png_interlace (const PacoPngPicture *picture, gboolean back,
    guint8 *samples, guint8 *lines);

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

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the PNG files with libpng whose samples the archive's kind (kinds/png.c) refuses
 * or does not give as they are meant. encode's readers.c calls it. */
#pragma once
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>

/* Says whether a PNG file is one of these: it has a palette, samples of fewer than 8 bits,
 * sBIT, tRNS, an animation, or does not end as it should. */
bool paco_png_is_special (const uint8_t *bytes, size_t size);
/* Reads a file in memory: *info, and *image in `samples`. Errors: the file is no
 * PNG file, or it is cut. */
bool paco_png_read (const uint8_t *bytes, size_t size, PacoInfo *info,
    PacoImage *image, GByteArray *samples, GError **error);

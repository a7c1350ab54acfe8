/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads PNG files: their samples as the file means them, of 1 to 16 bits. encode's
 * readers.c calls it if the archive's kinds, which have to make the same file again,
 * are not needed. */
#pragma once
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>

bool paco_png_matches (const uint8_t *bytes, size_t size);
/* Reads a file in memory: *info, and *image in `samples`. Errors: the file is no
 * PNG file, or it is cut. */
bool paco_png_read (const uint8_t *bytes, size_t size, PacoInfo *info,
    PacoImage *image, GByteArray *samples, GError **error);

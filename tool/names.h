/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Names the numbers by which a frame says what it is (FORMAT.md section 2): info
 * prints the names, and encode's options take them. */
#pragma once
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>

enum
{
  PACO_COLOUR_MATRIX,
  PACO_COLOUR_TRANSFER,
  PACO_COLOUR_PRIMARIES,
  PACO_COLOUR_RANGE,
  PACO_N_COLOUR_NAMES,
};

/* Returns "unknown" for numbers that have no name. */
const char *paco_names_colour (const PacoInfo *info, unsigned which);
/* Sets the number by its name. The error lists the names. */
bool paco_names_set_colour (
    PacoInfo *info, unsigned which, const char *name, GError **error);
const char *paco_names_interlacing (uint32_t mode);
const char *paco_names_wavelet (uint32_t wavelet);
const char *paco_names_color_transform (uint32_t transform);
const char *paco_names_chunk (uint32_t type);

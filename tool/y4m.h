/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads and writes the header of Y4M files (YUV4MPEG2), for readers.c and writers.c:
 * the parameters that mjpegtools and FFmpeg know. */
#pragma once
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>

#define PACO_Y4M_MAGIC "YUV4MPEG2"
#define PACO_Y4M_FRAME "FRAME"
#define PACO_Y4M_MAX_LINE 1024

/* Reads the first line, without its end. Errors: it does not say what is needed,
 * or the codec does not take such pictures. */
bool paco_y4m_parse (const char *line, PacoInfo *info, GError **error);
/* Returns the first line, with its end, to be freed, or NULL and an error for
 * pictures that Y4M does not know. */
char *paco_y4m_print (const PacoInfo *info, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says how raw pictures lie in files: formats by GStreamer's names, without gaps
 * between lines and planes. readers.c, y4m.c, info.c and decode.c use them. */
#pragma once
#include "lib/paco.h"
#include <glib.h>
#include <stdbool.h>

typedef struct
{
  const char *name;
  uint8_t n_components, depth;
  uint8_t subsampling_x, subsampling_y; /* log2, of components 1 and 2 */
  bool rgb, big_endian;
  /* The components that each plane's group has, as in "1020" for UYVY. Words have
   * one byte, or two if depth is above 8. */
  const char *planes[PACO_COMPONENTS];
} PacoFormat;

/* Returns the format of that name, or NULL. */
const PacoFormat *paco_format_by_name (const char *name);
/* Returns a format with a plane for each component, or with interleaved ones for
 * R, G, B, that holds such pictures, or NULL if there is none. */
const PacoFormat *paco_format_for (const PacoInfo *info);
/* Returns "GRAY8, GRAY16_LE, ...", to be freed. */
char *paco_format_names (void);

/* Says whether three components or more are Y, Cb, Cr, as far as *info says. */
bool paco_format_is_yuv (const PacoInfo *info);
/* Says whether pictures of *info have the components that the format has. */
bool paco_format_holds (const PacoFormat *format, const PacoInfo *info);
/* Sets what the format says of pictures: components, depths, subsampling, the name, and
 * for RGB matrix and range. */
void paco_format_tell (const PacoFormat *format, PacoInfo *info);
/* Lays a picture of info->width x info->height out in memory, which may be NULL.
 * Returns how many bytes it takes. The format holds the picture. */
size_t paco_format_place (const PacoFormat *format, const PacoInfo *info,
    void *memory, PacoImage *image);

/* Lays out planes of words that are as large as the largest component needs,
 * little-endian, whatever the depths are. Pictures without a format are written
 * so. */
size_t paco_planes_place (const PacoInfo *info, void *memory, PacoImage *image);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says how raw pictures lie in files: formats by GStreamer's names (codec/formats.h),
 * without gaps between planes, and between lines only where the format has them by
 * itself. readers.c, y4m.c, info.c and decode.c use them. */
#pragma once
#include "tool/archive/source.h"

/* Says whether a row is a format that files can have. */
bool paco_format_is_of_files (const PacoFormat *row);
/* Returns the format of that name. Returns NULL if there is none, or files cannot have
 * it. */
const PacoFormat *paco_format_of_option (const char *name, GError **error);
/* Returns the format that *info names if it holds such pictures; otherwise the
 * usual one, or NULL. */
const PacoFormat *paco_format_for (const PacoInfo *info);

/* Says whether three components or more are Y, Cb, Cr, as far as *info says. */
bool paco_format_is_yuv (const PacoInfo *info);
/* Says whether the samples of all components have the same depth, and no component is
 * subsampled. */
bool paco_format_has_one_depth (const PacoInfo *info);
/* Sets what the format says of pictures: components, depths, subsampling, the name, and
 * for RGB matrix and range. */
void paco_format_tell (const PacoFormat *format, PacoInfo *info);
/* Lays a picture of info->width x info->height out in memory, which may be NULL.
 * Returns how many bytes it takes. The format holds the picture, or the picture and
 * alpha, which becomes opaque; if it is NULL, planes of
 * words are laid out that are as large as the largest component needs, little-endian,
 * whatever the depths are. */
size_t paco_format_place (const PacoFormat *format, const PacoInfo *info,
    void *memory, PacoImage *image);
/* Returns the mosaic of 8 bits of that name, as rggb, or NULL and an error. */
const PacoFormat *paco_format_of_pattern (const char *name, GError **error);
/* Makes a mosaic of that pattern of a gray picture, whose samples stay where they are. */
bool paco_format_make_mosaic (const PacoFormat *pattern, PacoInfo *info,
    PacoImage *image, GError **error);
/* Returns how many pictures a second there are, or 0 if that is unknown. */
double paco_picture_rate (const PacoInfo *info);

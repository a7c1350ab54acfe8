/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Measures how near decoded pictures come to their sources, and draws it.
 * quickstart.c, comparison.c and coding.c call it. */
#pragma once
#include "pipelines/clip.h"

/* Says whether this file can read the samples of a format. */
gboolean compare_supports (const GstVideoFormatInfo *format);

/* Returns the number of samples of one picture, all components. */
guint64 compare_samples (const GstVideoInfo *info);

/* Returns the bits of one picture without padding. */
guint64 compare_bits (const GstVideoInfo *info);

/* Returns the PSNR over all samples of all pictures; G_MAXDOUBLE if they are
 * the same. */
double compare_psnr (const Clip *a, const Clip *b);

/* Writes a PNG with the middle of a picture of both, and their difference, 16
 * times as strong, around gray. */
gboolean compare_write_png (const Clip *a, const Clip *b, guint index,
    const char *path, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Holds decoded pictures, and says how near they are to what was coded.
 * Pictures are read by the reader that the probability tables are trained
 * with. */
#pragma once
#include "codec/tables/pictures.h"

/* Makes a picture of the same format, all samples 0 in words of their own, for
 * a decoder to write to; clear it like one that was read. */
void picture_blank (TrainingPicture *picture, const TrainingPicture *like);

/* Writes all samples, component after component, line after line, as two bytes
 * each, the lower one first. */
gboolean picture_write (
    const TrainingPicture *picture, const char *path, GError **error);

/* Returns the PSNR over all samples of two pictures of one format, which is
 * INFINITY when they are the same. */
double picture_psnr (const TrainingPicture *a, const TrainingPicture *b);

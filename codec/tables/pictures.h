/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads pictures for train.c: PGM, PPM (8 and 16 bits) and the first frame of Y4M
 * files. */
#pragma once
#include "codec/picture.h"
#include <glib.h>

typedef struct
{
  char *name; /* without folders */
  PacoPictureFormat format;
  PacoPicture picture;
  bool rgb;
  size_t n_samples;
  char *contents; /* of the file; picture points into it */
} TrainingPicture;

gboolean training_picture_read (
    const char *path, TrainingPicture *picture, GError **error);
/* Makes of an RGB picture the gray one that is its luma. */
void training_picture_make_gray (TrainingPicture *picture);
void training_picture_clear (TrainingPicture *picture);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares formats of pictures; picture.h says what they are. */
#include "picture.h"

bool
paco_picture_format_equal (
    const PacoPictureFormat *a, const PacoPictureFormat *b)
{
  if (a->width != b->width || a->height != b->height
      || a->n_components != b->n_components || a->fields != b->fields)
    return false;
  for (unsigned c = 0; c < a->n_components; c++)
    if (a->components[c].depth != b->components[c].depth
        || a->components[c].subsampling_x != b->components[c].subsampling_x
        || a->components[c].subsampling_y != b->components[c].subsampling_y)
      return false;
  return true;
}

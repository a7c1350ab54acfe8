/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Comparing pictures, and what every backend asks of one in memory. */
#include "error.h"
#include "header.h"

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

gboolean
paco_samples_check (const PacoPictureFormat *format,
    const PacoSampleLayout *layouts, GError **error)
{
  for (unsigned c = 0; c < format->n_components; c++) {
    const PacoSampleLayout *layout = &layouts[c];

    if ((layout->bytes == 1 || layout->bytes == 2 || layout->bytes == 4)
        && layout->pixel_stride > 0
        && layout->shift + format->components[c].depth <= layout->bytes * 8)
      continue;
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "component %u: %u bits at bit %u of words of %u bytes, %u bytes apart,"
        " cannot be stored like this",
        c, format->components[c].depth, layout->shift, layout->bytes,
        layout->pixel_stride);
    return FALSE;
  }
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What every backend asks of a picture in memory. */
#include "error.h"
#include "header.h"

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

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes the sentences of the debug log; gstpacolog.h says which. */
#include "gstpacolog.h"

static gboolean
is_on (GstDebugCategory *category, GstDebugLevel level)
{
  return gst_debug_category_get_threshold (category) >= level;
}

/* Returns the sizes of codeblocks as "64x32 to 64x128", or as one size if all are
 * alike. */
static char *
describe_codeblocks (const PacoPictureFormat *picture, const PacoCoding *coding)
{
  guint low = G_MAXUINT, high = 0;

  for (guint c = 0; c < picture->n_components; c++)
    for (guint k = 0; k < 3u * coding->levels + 1; k++) {
      guint height = 32u << coding->subbands[c][k].height_log2;

      low = MIN (low, height);
      high = MAX (high, height);
    }
  return low == high ? g_strdup_printf ("64x%u", low)
                     : g_strdup_printf ("64x%u to 64x%u", low, high);
}

/* Returns depth, subsampling and wavelet as "10 bits 1x1 cdf97, 10 bits 2x1
 * cdf97, ...". */
static char *
describe_components (const PacoPictureFormat *picture, const PacoCoding *coding)
{
  GString *text = g_string_new (NULL);

  for (guint c = 0; c < picture->n_components; c++) {
    const PacoComponent *component = &picture->components[c];

    g_string_append_printf (text, "%s%u bits %ux%u %s", c > 0 ? ", " : "",
        component->depth, 1u << component->subsampling_x,
        1u << component->subsampling_y,
        paco_wavelets[coding->components[c].wavelet].name);
  }
  return g_string_free (text, FALSE);
}

void
gst_paco_log_coding (GstDebugCategory *category, GstElement *element,
    const PacoPictureFormat *picture, const PacoCoding *coding)
{
  char *components, *codeblocks;

  if (!is_on (category, GST_LEVEL_DEBUG))
    return;
  components = describe_components (picture, coding);
  codeblocks = describe_codeblocks (picture, coding);
  GST_CAT_DEBUG_OBJECT (category, element,
      "coding: %ux%u in %s, components: %s; levels %u, codeblocks %s, "
      "coding passes %u, color transform %s, block checks %s",
      picture->width, picture->height,
      picture->fields ? "two fields" : "one piece", components, coding->levels,
      codeblocks, coding->coding_passes,
      paco_color_transforms[coding->color_transform].name,
      coding->block_checks ? "on" : "off");
  g_free (codeblocks);
  g_free (components);
}

void
gst_paco_log_stats (
    GstDebugCategory *category, GstElement *element, const PacoStats *stats)
{
  double frames = (double) MAX (stats->frames, 1);

  GST_CAT_DEBUG_OBJECT (category, element,
      "%" G_GUINT64_FORMAT " frames of %" G_GUINT64_FORMAT
      " bytes in all, %" G_GUINT64_FORMAT
      " broken blocks; milliseconds a frame: transform %.2f, "
      "blocks %.2f, stream %.2f",
      stats->frames, stats->bytes, stats->corrupted_blocks,
      stats->transform_ms / frames, stats->blocks_ms / frames,
      stats->stream_ms / frames);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Frame sizes and areas for pacoenc (gstpacorate.h). */
#include "gstpacorate.h"
#include "codec/policy.h"
#include "codec/quantizer.h"
#include <gst/video/video.h>

void
gst_paco_recent_add (GstPacoRecent *recent, gsize size, guint16 step)
{
  guint i = recent->n % GST_PACO_RECENT_FRAMES;

  recent->n++;
  recent->sizes[i] = size;
  recent->steps[i] = step > 0 ? paco_step_decode (step) : 0.0;
}

void
gst_paco_recent_describe (const GstPacoRecent *recent, GstStructure *stats)
{
  GValue sizes = G_VALUE_INIT, steps = G_VALUE_INIT;
  guint64 first = recent->n > GST_PACO_RECENT_FRAMES
      ? recent->n - GST_PACO_RECENT_FRAMES
      : 0;

  g_value_init (&sizes, GST_TYPE_ARRAY);
  g_value_init (&steps, GST_TYPE_ARRAY);
  for (guint64 n = first; n < recent->n; n++) {
    GValue size = G_VALUE_INIT, step = G_VALUE_INIT;

    g_value_init (&size, G_TYPE_UINT);
    g_value_set_uint (&size, recent->sizes[n % GST_PACO_RECENT_FRAMES]);
    gst_value_array_append_and_take_value (&sizes, &size);
    g_value_init (&step, G_TYPE_DOUBLE);
    g_value_set_double (&step, recent->steps[n % GST_PACO_RECENT_FRAMES]);
    gst_value_array_append_and_take_value (&steps, &step);
  }
  gst_structure_take_value (stats, "last-frame-sizes", &sizes);
  gst_structure_take_value (stats, "last-frame-steps", &steps);
}

guint64
gst_paco_rate_max_frame_size (const PacoParameters *parameters, guint64 bound)
{
  guint32 budget;

  if (parameters->rate_control != PACO_RATE_BITRATE
      || !paco_policy_budget (parameters, &budget, NULL))
    return bound;
  return MIN (bound, budget);
}

char *
gst_paco_rate_describe (const PacoParameters *parameters)
{
  guint complexity = parameters->complexity;

  switch (parameters->rate_control) {
    case PACO_RATE_LOSSLESS:
      return g_strdup_printf ("lossless, complexity %u", complexity);
    case PACO_RATE_BITRATE:
      return g_strdup_printf ("%" G_GUINT64_FORMAT
                              " bytes a frame, complexity %u",
          gst_paco_rate_max_frame_size (parameters, G_MAXUINT64), complexity);
    case PACO_RATE_QUALITY:
      break;
  }
  return g_strdup_printf (
      "quality %g, complexity %u", parameters->quality, complexity);
}

/* Adds a tag, which has 32 bits and cannot hold a higher rate. */
static void
add_rate (GstTagList *tags, const char *tag, guint64 bits)
{
  if (bits > 0 && bits <= G_MAXUINT)
    gst_tag_list_add (tags, GST_TAG_MERGE_REPLACE, tag, (guint) bits, NULL);
}

void
gst_paco_rate_add_tags (
    const PacoParameters *parameters, guint64 bound, GstTagList *tags)
{
  guint64 size = gst_paco_rate_max_frame_size (parameters, bound);

  if (parameters->fps_n > 0 && size <= G_MAXUINT32)
    add_rate (tags, GST_TAG_MAXIMUM_BITRATE,
        gst_util_uint64_scale (8 * size, parameters->fps_n, parameters->fps_d));
  if (parameters->rate_control == PACO_RATE_BITRATE
      && parameters->frame_size == 0)
    add_rate (tags, GST_TAG_BITRATE, parameters->bitrate);
}

/* Returns the smallest area that contains both. */
static PacoArea
unite (PacoArea a, PacoArea b)
{
  guint64 right = MAX ((guint64) a.x + a.width, (guint64) b.x + b.width);
  guint64 bottom = MAX ((guint64) a.y + a.height, (guint64) b.y + b.height);
  PacoArea both = { .x = MIN (a.x, b.x), .y = MIN (a.y, b.y) };

  both.width = MIN (right - both.x, G_MAXUINT32);
  both.height = MIN (bottom - both.y, G_MAXUINT32);
  return both;
}

void
gst_paco_areas_from_buffer (GstBuffer *buffer, PacoAreas *areas)
{
  gpointer state = NULL;
  GstMeta *meta;

  areas->n = 0;
  while ((meta = gst_buffer_iterate_meta_filtered (
              buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *region =
        (GstVideoRegionOfInterestMeta *) meta;
    PacoArea area = { region->x, region->y, region->w, region->h };

    if (areas->n < PACO_MAX_AREAS)
      areas->areas[areas->n++] = area;
    else
      areas->areas[areas->n - 1] = unite (areas->areas[areas->n - 1], area);
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes frames smaller by paco_frame_cut() of codec/, for pacoparse (gstpacocut.h). */
#include "gstpacocut.h"
#include "codec/error.h"
#include "codec/frame_cut.h"

/* Cuts the frame in these bytes. A frame that fits is copied, too, because its
 * place changes. */
static GstBuffer *
cut (const guint8 *data, gsize size, gsize max_size, const PacoPlace *place,
    GError **error)
{
  guint8 *out = g_try_malloc (size);
  gsize out_size;

  if (out == NULL) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory to cut a frame");
    return NULL;
  }
  if (!paco_frame_cut (data, size, max_size, out, &out_size, error)) {
    g_free (out);
    return NULL;
  }
  out = g_realloc (out, out_size);
  paco_header_set_place (out, out_size, place);
  return gst_buffer_new_wrapped (out, out_size);
}

static GstBuffer *
cut_buffer (GstBuffer *buffer, gsize size, gsize max_size,
    const PacoPlace *place, GError **error)
{
  GstBuffer *smaller;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the memory of a frame cannot be read");
    return NULL;
  }
  smaller = cut (map.data, MIN (size, map.size), max_size, place, error);
  gst_buffer_unmap (buffer, &map);
  return smaller;
}

GstBuffer *
gst_paco_cut (GstElement *element, GstBuffer *buffer, gsize size,
    gsize max_size, const PacoPlace *place, GstFlowReturn *flow)
{
  g_autoptr (GError) error = NULL;
  GstBuffer *smaller = cut_buffer (buffer, size, max_size, place, &error);

  if (smaller)
    return smaller;
  if (g_error_matches (error, PACO_ERROR, PACO_ERROR_CORRUPT)) {
    GST_ELEMENT_WARNING (element, STREAM, DECODE,
        ("A frame is left out, as it cannot be cut: %s", error->message),
        (NULL));
    return NULL;
  }
  GST_ELEMENT_ERROR (element, STREAM, FORMAT,
      ("A frame of %" G_GSIZE_FORMAT
       " bytes cannot be cut to max-frame-size=%" G_GSIZE_FORMAT ": %s",
          size, max_size, error->message),
      (NULL));
  *flow = GST_FLOW_ERROR;
  return NULL;
}

void
gst_paco_cut_limit_caps (GstCaps *caps, guint most)
{
  gint size = MIN (most, G_MAXINT), before;

  if (size > 0
      && !(gst_structure_get_int (
               gst_caps_get_structure (caps, 0), "max-frame-size", &before)
          && before < size))
    gst_caps_set_simple (caps, "max-frame-size", G_TYPE_INT, size, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The format in pacoparse: what frames' headers and upstream say of the stream, as
 * caps, tags and timestamps. */
#include "caps/videocaps.h"
#include "codec/error.h"
#include "codec/frame_cut.h"
#include "gstpacocontainer.h"
#include "gstpacoparseprivate.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_parse_debug);
#define GST_CAT_DEFAULT gst_paco_parse_debug

/* --- timestamps --- */

void
gst_paco_parse_stamp (
    GstPacoParse *self, GstBuffer *buffer, const PacoFileFrame *frame)
{
  guint64 n;

  if (self->time_segment) {
    if (self->framed && GST_CLOCK_TIME_IS_VALID (self->packet_time))
      GST_BUFFER_DURATION (buffer) = self->packet_time;
    return;
  }
  if (!self->grid.fps_n)
    return;
  if (!gst_paco_seek_number (&self->seek, frame, &n)) {
    GstClockTime dts = GST_BUFFER_DTS (buffer);

    if (!GST_CLOCK_TIME_IS_VALID (dts) || dts < self->grid.origin)
      return;
    n = gst_paco_grid_nearest (&self->grid, dts);
  }
  GST_BUFFER_PTS (buffer) = GST_BUFFER_DTS (buffer) = gst_paco_grid_time (
      &self->grid, n);
  GST_BUFFER_DURATION (buffer) = gst_paco_grid_time (&self->grid, n + 1)
      - gst_paco_grid_time (&self->grid, n);
}

/* --- caps --- */

/* The stream's frame rate goes before upstream's. Returns whether it is new. */
static gboolean
set_frame_rate (GstPacoParse *self, const PacoHeader *header, GstCaps *caps)
{
  GstStructure *s = gst_caps_get_structure (caps, 0);
  gint fps_n = 0, fps_d = 1;
  guint others;

  gst_structure_get_fraction (s, "framerate", &fps_n, &fps_d);
  if (fps_n <= 0 && self->sink_caps
      && gst_structure_get_fraction (
          gst_caps_get_structure (self->sink_caps, 0), "framerate", &fps_n,
          &fps_d)
      && paco_frame_rate_is_usable (fps_n, fps_d))
    gst_structure_set (s, "framerate", GST_TYPE_FRACTION, fps_n, fps_d, NULL);
  paco_caps_picture_rate (s, &fps_n, &fps_d);
  if (fps_n == self->grid.fps_n && fps_d == self->grid.fps_d)
    return FALSE;
  if (self->known || self->grid.fps_n) {
    self->rate_changed = TRUE;
    gst_paco_seek_clear (&self->seek);
  }
  self->grid.fps_n = fps_n;
  self->grid.fps_d = fps_d;
  /* A picture can be decoded only with all slices of its stack. So the base class
   * has to begin that many frames before a segment and end as many behind it. */
  others = MAX (header->video.slice.length, 1) - 1;
  gst_base_parse_set_frame_rate (
      GST_BASE_PARSE (self), fps_n, fps_d, others, others);
  return TRUE;
}

/* max-frame-size is what frames are cut to (0: not at all), or what it was. */
static void
limit_frames (GstCaps *caps, guint most)
{
  gint size = MIN (most, G_MAXINT), before;

  if (size > 0
      && !(gst_structure_get_int (
               gst_caps_get_structure (caps, 0), "max-frame-size", &before)
          && before < size))
    gst_caps_set_simple (caps, "max-frame-size", G_TYPE_INT, size, NULL);
}

static GstFlowReturn
negotiate (GstPacoParse *self, GstCaps *coded)
{
  GstPad *pad = GST_BASE_PARSE_SRC_PAD (self);
  g_autoptr (GstCaps)
      caps = gst_paco_container_negotiate (GST_ELEMENT (self), pad, coded);
  g_autoptr (GstCaps) current = gst_pad_get_current_caps (pad);

  if (!caps)
    return GST_FLOW_NOT_NEGOTIATED;
  if (!current || !gst_caps_is_strictly_equal (current, caps)) {
    GST_DEBUG_OBJECT (self, "caps out: %" GST_PTR_FORMAT, caps);
    if (!gst_pad_set_caps (pad, caps))
      return GST_PAD_IS_FLUSHING (pad) ? GST_FLOW_FLUSHING
                                       : GST_FLOW_NOT_NEGOTIATED;
  }
  if (gst_paco_parse_is_pulling (self))
    gst_paco_reader_negotiate (&self->reader, pad, caps);
  return GST_FLOW_OK;
}

GstFlowReturn
gst_paco_parse_update_format (
    GstPacoParse *self, const PacoHeader *header, const GstBuffer *buffer)
{
  gboolean reconfigure = gst_pad_check_reconfigure (
      GST_BASE_PARSE_SRC_PAD (self));
  g_autoptr (GstCaps) caps = NULL;
  GstFlowReturn ret;

  if (self->known && !reconfigure
      && paco_video_equal (&header->video, &self->video)
      && paco_picture_format_equal (&header->picture, &self->picture))
    return GST_FLOW_OK;

  caps = paco_caps_from_header (header);
  if (set_frame_rate (self, header, caps) && self->rate_changed
      && GST_BUFFER_DTS_IS_VALID (buffer))
    self->grid.origin = GST_BUFFER_DTS (buffer);
  if (self->sink_caps)
    gst_paco_container_add_upstream (caps, self->sink_caps);
  limit_frames (caps, g_atomic_int_get (&self->max_frame_size));
  ret = negotiate (self, caps);
  self->known = ret == GST_FLOW_OK;
  self->video = header->video;
  self->picture = header->picture;
  if (ret != GST_FLOW_OK)
    gst_pad_mark_reconfigure (GST_BASE_PARSE_SRC_PAD (self));
  return ret;
}

/* --- smaller frames --- */

/* A frame that fits is copied, too, because its place changes. */
static GstBuffer *
cut (const guint8 *data, gsize size, gsize max_size, const PacoPlace *place,
    GError **error)
{
  g_autofree guint8 *out = g_try_malloc (size);
  gsize out_size;

  if (out == NULL) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "not enough memory to cut a frame");
    return NULL;
  }
  if (!paco_frame_cut (data, size, max_size, out, &out_size, error))
    return NULL;
  out = g_realloc (out, out_size);
  paco_header_set_place (out, out_size, place);
  return gst_buffer_new_wrapped (g_steal_pointer (&out), out_size);
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

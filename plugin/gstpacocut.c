/* SPDX-License-Identifier: LGPL-2.1-or-later
 * See gstpacocut.h. */
#include "gstpacocut.h"
#include "codec/error.h"
#include "codec/frame_cut.h"
#include "codec/header.h"

/* Renews what the frame says of the bytes before it. */
static void
set_offset (guint8 *data, gsize size, guint64 offset)
{
  PacoHeader header;

  if (!paco_header_parse (data, size, &header, NULL, NULL)
      || !header.video.has_place)
    return;
  header.video.place.offset = offset;
  paco_header_set_place (data, size, &header.video.place);
}

/* The same for bytes; frames that fit are copied, too, as their places change. */
static GstBuffer *
cut (const guint8 *data, gsize size, gsize max_size, guint64 *offset,
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
  set_offset (out, out_size, *offset);
  *offset += out_size;
  return gst_buffer_new_wrapped (out, out_size);
}

GstBuffer *
gst_paco_cut (GstBuffer *buffer, gsize size, gsize max_size, guint64 *offset,
    GError **error)
{
  GstBuffer *smaller;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ)) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
        "the memory of a frame cannot be read");
    return NULL;
  }
  smaller = cut (map.data, MIN (size, map.size), max_size, offset, error);
  gst_buffer_unmap (buffer, &map);
  return smaller;
}

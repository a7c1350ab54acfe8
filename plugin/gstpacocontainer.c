/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Caps of PaCo inside containers.
 *
 * qtmux and mp4mux write a sample entry of any code for video/x-qt-part and
 * video/x-mp4-part. matroskamux has no such door, but writes whatever code
 * video/x-wmv names into a Video-for-Windows track. On the way back qtdemux
 * makes a media type of the code, and matroskademux a field. All that is lost
 * on the way (aspect ratio, interlacing, colorimetry, in Matroska even the
 * size) stands in the header of every frame. */
#include "gstpacocontainer.h"
#include "caps/videocaps.h"

typedef enum
{
  CARRIER_NONE, /* video/x-paco itself */
  CARRIER_QUICKTIME,
  CARRIER_MP4,
  CARRIER_MATROSKA,
  N_CARRIERS,
} Carrier;

static const char *const media_types[N_CARRIERS] = {
  PACO_MEDIA_TYPE,
  "video/x-qt-part",
  "video/x-mp4-part",
  "video/x-wmv",
};

static GstCaps *
carrier_caps (GstCaps *coded, Carrier carrier)
{
  GstCaps *caps = gst_caps_copy (coded);
  GstStructure *s = gst_caps_get_structure (caps, 0);

  if (carrier == CARRIER_NONE)
    return caps;
  gst_structure_set_name (s, media_types[carrier]);
  gst_structure_remove_fields (s, "parsed", "alignment", NULL);
  if (carrier == CARRIER_MATROSKA)
    gst_structure_set (
        s, "wmvversion", G_TYPE_INT, 3, "format", G_TYPE_STRING, "PACO", NULL);
  else
    gst_structure_set (s, "format", G_TYPE_UINT, GST_PACO_FOURCC, NULL);
  return caps;
}

GstCaps *
gst_paco_container_choose_caps (GstCaps *coded, GstCaps *allowed)
{
  for (Carrier carrier = 0; carrier < N_CARRIERS; carrier++) {
    GstCaps *caps = carrier_caps (coded, carrier);

    if (!allowed || gst_caps_can_intersect (caps, allowed))
      return caps;
    gst_caps_unref (caps);
  }
  return NULL;
}

GstCaps *
gst_paco_container_sink_caps (GstCaps *allowed)
{
  static const char *const limits[] = { "width", "height", "framerate",
    "interlace-mode", "pixel-aspect-ratio", "colorimetry" };
  GstCaps *caps = gst_caps_new_empty ();

  for (guint i = 0; i < gst_caps_get_size (allowed); i++) {
    const GstStructure *from = gst_caps_get_structure (allowed, i);
    GstStructure *to = gst_structure_new_empty (PACO_MEDIA_TYPE);

    for (guint k = 0; k < G_N_ELEMENTS (limits); k++) {
      const GValue *value = gst_structure_get_value (from, limits[k]);

      if (value && gst_structure_has_name (from, PACO_MEDIA_TYPE))
        gst_structure_set_value (to, limits[k], value);
    }
    caps = gst_caps_merge_structure (caps, to);
  }
  if (!gst_caps_is_empty (caps))
    gst_caps_append (caps, gst_caps_from_string (GST_PACO_DEMUXED_CAPS));
  return caps;
}

gboolean
gst_paco_container_is_framed (const GstStructure *caps)
{
  gboolean parsed = FALSE;

  if (!gst_structure_has_name (caps, PACO_MEDIA_TYPE))
    return TRUE;
  gst_structure_get_boolean (caps, "parsed", &parsed);
  return parsed
      || g_strcmp0 (gst_structure_get_string (caps, "alignment"), "frame") == 0;
}

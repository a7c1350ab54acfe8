/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Caps of PaCo inside containers; gstpacocontainer.h says for whom.
 *
 * qtmux and mp4mux write a sample entry of any code for video/x-qt-part and
 * video/x-mp4-part. matroskamux has no such caps, but writes whatever code
 * video/x-wmv names into a Video-for-Windows track. On the way back qtdemux
 * makes a media type of the code, and matroskademux a field. All that is lost
 * on the way (aspect ratio, interlacing, colorimetry, in Matroska even the
 * size) stands in the header of every frame. */
#include "gstpacocontainer.h"
#include "caps/videocaps.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

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
  gint pictures, seconds;

  if (carrier == CARRIER_NONE)
    return caps;
  /* The rate is that of buffers, as a muxer takes each of them for a frame. */
  paco_caps_picture_rate (s, &pictures, &seconds);
  if (pictures)
    gst_structure_set (
        s, "framerate", GST_TYPE_FRACTION, pictures, seconds, NULL);
  gst_structure_set_name (s, media_types[carrier]);
  gst_structure_remove_fields (s, "parsed", "alignment", NULL);
  if (carrier == CARRIER_MATROSKA)
    gst_structure_set (
        s, "wmvversion", G_TYPE_INT, 3, "format", G_TYPE_STRING, "PACO", NULL);
  else
    gst_structure_set (s, "format", G_TYPE_UINT, GST_PACO_FOURCC, NULL);
  return caps;
}

/* Says whether the peer that allows `structure` writes any code into the file. avimux
 * and asfmux take video/x-wmv too, but write a code that they derive from the
 * version. Caps tell them from matroskamux by the size: matroskamux allows every
 * width, avimux none above 4096, and asfmux (like the decoders of Windows Media
 * Video) does not mention it. */
static gboolean
keeps_code (const GstStructure *structure)
{
  const GValue *width = gst_structure_get_value (structure, "width");
  GValue widest = G_VALUE_INIT;
  gboolean any_width;

  if (!gst_structure_has_name (structure, media_types[CARRIER_MATROSKA]))
    return TRUE;
  if (!width)
    return FALSE;
  g_value_init (&widest, G_TYPE_INT);
  g_value_set_int (&widest, G_MAXINT);
  any_width = gst_value_is_subset (&widest, width);
  g_value_unset (&widest);
  return any_width;
}

static gboolean
filter_structure (
    GstCapsFeatures *features, GstStructure *structure, gpointer user_data)
{
  return keeps_code (structure);
}

/* Says whether the peer allows only what the pad sends already. encodebin sets a
 * capsfilter to the first caps, and hides how wide its muxer's pictures may be. */
static gboolean
is_settled (GstPad *pad, const GstCaps *allowed)
{
  g_autoptr (GstCaps) current = gst_pad_get_current_caps (pad);

  return current && gst_caps_is_fixed (allowed)
      && gst_caps_is_subset (current, allowed);
}

/* Prefers video/x-paco. NULL if the peer takes nothing. allowed may be NULL. */
static GstCaps *
choose_caps (GstPad *pad, GstCaps *coded, GstCaps *allowed)
{
  g_autoptr (GstCaps) filtered = NULL;

  if (!allowed)
    return gst_caps_ref (coded);
  filtered = gst_caps_copy (allowed);
  if (!is_settled (pad, filtered))
    gst_caps_filter_and_map_in_place (filtered, filter_structure, NULL);
  for (Carrier carrier = 0; carrier < N_CARRIERS; carrier++) {
    g_autoptr (GstCaps) caps = carrier_caps (coded, carrier);

    if (gst_caps_can_intersect (caps, filtered))
      return g_steal_pointer (&caps);
  }
  return NULL;
}

/* What the peer takes of the pad's template, or NULL without a peer. The pad's own
 * caps, once set, are all that it would allow. */
static GstCaps *
allowed_caps (GstPad *pad)
{
  g_autoptr (GstCaps) template = gst_pad_get_pad_template_caps (pad);

  return gst_pad_is_linked (pad) ? gst_pad_peer_query_caps (pad, template)
                                 : NULL;
}

/* True if all peers would write the stream under a code of their own. */
static gboolean
keeps_no_code (const GstCaps *allowed)
{
  guint n = gst_caps_get_size (allowed);

  for (guint i = 0; i < n; i++)
    if (keeps_code (gst_caps_get_structure (allowed, i)))
      return FALSE;
  return n > 0;
}

static void
post_refusal (GstElement *element, GstCaps *coded, GstCaps *allowed)
{
  const GstStructure *s = gst_caps_get_structure (coded, 0);
  gint width = 0, height = 0;

  gst_structure_get_int (s, "width", &width);
  gst_structure_get_int (s, "height", &height);
  if (keeps_no_code (allowed))
    GST_ELEMENT_ERROR (element, CORE, NEGOTIATION,
        ("The element behind %s takes Windows Media Video only, as avimux and "
         "asfmux do; use qtmux, mp4mux or matroskamux for PaCo.",
            GST_OBJECT_NAME (element)),
        ("%" GST_PTR_FORMAT " does not fit into %" GST_PTR_FORMAT, coded,
            allowed));
  else
    GST_ELEMENT_ERROR (element, CORE, NEGOTIATION,
        ("The element behind %s takes no such video of %dx%d.",
            GST_OBJECT_NAME (element), width, height),
        ("%" GST_PTR_FORMAT " does not fit into %" GST_PTR_FORMAT, coded,
            allowed));
}

GstCaps *
gst_paco_container_negotiate (GstElement *element, GstPad *pad, GstCaps *coded)
{
  g_autoptr (GstCaps) allowed = allowed_caps (pad);
  GstCaps *caps = choose_caps (pad, coded, allowed);

  if (!caps)
    post_refusal (element, coded, allowed);
  return caps;
}

/* Asks the template, not the pad: what follows a queue or a capsfilter may not be
 * known yet, and their templates take anything. */
GstPadLinkReturn
gst_paco_container_link (GstPad *pad, GstObject *parent, GstPad *peer)
{
  g_autoptr (GstCaps) mine = gst_pad_get_pad_template_caps (pad);
  g_autoptr (GstCaps) theirs = gst_pad_get_pad_template_caps (peer);
  g_autoptr (GstCaps) both = gst_caps_intersect (mine, theirs);

  if (gst_caps_is_any (theirs) || !keeps_no_code (both))
    return GST_PAD_LINK_OK;
  GST_WARNING_OBJECT (pad,
      "%" GST_PTR_FORMAT " takes Windows Media Video only, not PaCo", peer);
  return GST_PAD_LINK_NOFORMAT;
}

/* What a parser can take. Neither demuxers' caps, which say nothing that matters, nor a
 * muxer's limits are restricted: the parser can say what is wrong, while upstream would
 * fail to negotiate without a message. */
static GstCaps *
sink_caps (GstCaps *allowed)
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

GstCaps *
gst_paco_container_filter_caps (GstCaps *caps, GstCaps *filter)
{
  g_autoptr (GstCaps) possible = caps;

  if (!filter)
    return g_steal_pointer (&possible);
  if (gst_caps_is_fixed (filter) && gst_caps_can_intersect (filter, caps))
    return gst_caps_ref (filter);
  return gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
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

/* Says whether a field of upstream's caps is kept. A demuxer describes what it did
 * not look into, but it may know of stereoscopic views. */
static gboolean
is_upstreams_word (const GstStructure *from, const gchar *name)
{
  static const char *const theirs[] = { "parsed", "alignment", "format",
    "field-order", "streamheader", "codec_data", NULL };

  if (!gst_structure_has_name (from, PACO_MEDIA_TYPE))
    return g_str_has_prefix (name, "multiview-");
  return !g_strv_contains (theirs, name);
}

void
gst_paco_container_add_upstream (GstCaps *caps, const GstCaps *upstream)
{
  GstStructure *to = gst_caps_get_structure (caps, 0);
  const GstStructure *from = gst_caps_get_structure (upstream, 0);

  for (gint i = 0; i < gst_structure_n_fields (from); i++) {
    const gchar *name = gst_structure_nth_field_name (from, i);

    if (!gst_structure_has_field (to, name) && is_upstreams_word (from, name))
      gst_structure_set_value (to, name, gst_structure_get_value (from, name));
  }
}

GstCaps *
gst_paco_container_parser_caps (GstPad *sink, GstPad *src, GstCaps *filter)
{
  g_autoptr (GstCaps) allowed = allowed_caps (src), limits = NULL;
  GstCaps *caps = gst_pad_get_pad_template_caps (sink);

  if (allowed) {
    limits = sink_caps (allowed);
    gst_caps_take (&caps,
        gst_caps_intersect_full (limits, caps, GST_CAPS_INTERSECT_FIRST));
  }
  return gst_paco_container_filter_caps (caps, filter);
}

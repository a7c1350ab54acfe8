/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The plugin: pacoenc, pacodec, pacoparse, rtppacopay, rtppacodepay and a
 * typefinder. Registering calls no driver and allocates nothing; devices are
 * looked for when an element starts. */
#include "caps/videocaps.h"
#include "plugin/elements.h"

GST_DEBUG_CATEGORY (gst_paco_debug);

static void
find_paco (GstTypeFind *find, gpointer user_data)
{
  PacoHeader header;
  const guint8 *data = gst_type_find_peek (find, 0, PACO_HEADER_PEEK_SIZE);
  GstTypeFindProbability probability = GST_TYPE_FIND_LIKELY;

  if (data == NULL
      || !paco_header_peek (data, PACO_HEADER_PEEK_SIZE, &header, NULL))
    return;

  /* The header ends with a check of itself, which leaves no doubt. */
  data = gst_type_find_peek (find, 0, header.header_size);
  if (data != NULL) {
    if (!paco_header_parse (data, header.header_size, &header, NULL, NULL))
      return;
    probability = GST_TYPE_FIND_MAXIMUM;
  }
  gst_type_find_suggest_empty_simple (find, probability, PACO_MEDIA_TYPE);
}

static gboolean
plugin_init (GstPlugin *plugin)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple (PACO_MEDIA_TYPE);
  gboolean any = FALSE;

  GST_DEBUG_CATEGORY_INIT (gst_paco_debug, "paco", 0, "PaCo backends");

  any |= GST_ELEMENT_REGISTER (pacoenc, plugin);
  any |= GST_ELEMENT_REGISTER (pacodec, plugin);
  any |= GST_ELEMENT_REGISTER (pacoparse, plugin);
  any |= GST_ELEMENT_REGISTER (rtppacopay, plugin);
  any |= GST_ELEMENT_REGISTER (rtppacodepay, plugin);
  any |= gst_type_find_register (plugin, PACO_MEDIA_TYPE, GST_RANK_PRIMARY,
      find_paco, "paco", caps, NULL, NULL);
  return any;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, paco,
    "Intra-frame wavelet video coding on NVIDIA GPUs and CPUs", plugin_init,
    VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)

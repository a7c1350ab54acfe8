/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The plugin: pacoenc, pacodec, pacoparse, rtppacopay, rtppacodepay and a
 * typefinder. Registering calls no driver and allocates nothing; devices are
 * looked for when an element starts. */
#include "plugin/dec/gstpacodec.h"
#include "plugin/enc/gstpacoenc.h"
#include "plugin/parse/gstpacoparse.h"
#include "plugin/parse/gstpacotypefind.h"
#include "plugin/rtp/gstrtppacodepay.h"
#include "plugin/rtp/gstrtppacopay.h"

GST_DEBUG_CATEGORY (gst_paco_debug);

static gboolean
plugin_init (GstPlugin *plugin)
{
  gboolean any = FALSE;

  GST_DEBUG_CATEGORY_INIT (gst_paco_debug, "paco", 0, "PaCo backends");

  any |= GST_ELEMENT_REGISTER (pacoenc, plugin);
  any |= GST_ELEMENT_REGISTER (pacodec, plugin);
  any |= GST_ELEMENT_REGISTER (pacoparse, plugin);
  any |= GST_ELEMENT_REGISTER (rtppacopay, plugin);
  any |= GST_ELEMENT_REGISTER (rtppacodepay, plugin);
  any |= GST_TYPE_FIND_REGISTER (pacotypefind, plugin);
  return any;
}

GST_PLUGIN_DEFINE (GST_VERSION_MAJOR, GST_VERSION_MINOR, paco,
    "Intra-frame wavelet video coding on NVIDIA GPUs and CPUs", plugin_init,
    VERSION, "LGPL", PACKAGE_NAME, PACKAGE_ORIGIN)

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Installs, sets and gets the properties of pacoparse (gstpacoparseproperties.h). */
#include "gstpacoparseproperties.h"
#include "lib/stream/sync.h"

void
gst_paco_parse_properties_init (GstPacoParseProperties *properties)
{
  properties->max_wait_size = PACO_SYNC_DEFAULT_MAX_WAIT_SIZE;
  properties->max_frame_size = 0;
}

/* stats: Counts since the start: the frames that were handed on; the frames that are
 * missing between them, by the numbers that frames carry, and in how many places
 * (gaps); and how often something that is no frame was thrown away (damaged), with
 * its bytes.
 *
 * The element posts a message paco-missing-frames for each gap. Its fields are
 * `first`, the number of the first frame that is missing, and `count`, how many are;
 * the `bytes` of these frames; the `offset` in the stream and the `timestamp` of the
 * frame behind them; and `lost`, which is TRUE if there was damage, or if upstream
 * has said that something is missing. Otherwise they may have been cut out. */

void
gst_paco_parse_properties_install (GObjectClass *klass)
{
  g_object_class_install_property (klass, GST_PACO_PARSE_PROP_MAX_WAIT_SIZE,
      g_param_spec_uint ("max-wait-size", "Maximum wait size",
          "Bytes of the largest frame that is waited for; what claims to be "
          "larger is damage",
          1, G_MAXINT, PACO_SYNC_DEFAULT_MAX_WAIT_SIZE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
  g_object_class_install_property (klass, GST_PACO_PARSE_PROP_MAX_FRAME_SIZE,
      g_param_spec_uint ("max-frame-size", "Maximum frame size",
          "Bytes that frames are cut to, without decoding (0 = not at all)", 0,
          G_MAXUINT, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (klass, GST_PACO_PARSE_PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Frames, frames that are missing, and damage, since the start",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

gboolean
gst_paco_parse_properties_set (
    GstPacoParseProperties *properties, guint id, const GValue *value)
{
  if (id == GST_PACO_PARSE_PROP_MAX_WAIT_SIZE)
    g_atomic_int_set (&properties->max_wait_size, g_value_get_uint (value));
  else if (id == GST_PACO_PARSE_PROP_MAX_FRAME_SIZE)
    g_atomic_int_set (&properties->max_frame_size, g_value_get_uint (value));
  else
    return FALSE;
  return TRUE;
}

gboolean
gst_paco_parse_properties_get (
    const GstPacoParseProperties *properties, guint id, GValue *value)
{
  if (id == GST_PACO_PARSE_PROP_MAX_WAIT_SIZE)
    g_value_set_uint (value, g_atomic_int_get (&properties->max_wait_size));
  else if (id == GST_PACO_PARSE_PROP_MAX_FRAME_SIZE)
    g_value_set_uint (value, g_atomic_int_get (&properties->max_frame_size));
  else
    return FALSE;
  return TRUE;
}

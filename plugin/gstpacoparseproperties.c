/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Installs, sets and gets the properties of pacoparse (gstpacoparseproperties.h). */
#include "gstpacoparseproperties.h"
#include "file/sync.h"

void
gst_paco_parse_properties_init (GstPacoParseProperties *properties)
{
  properties->max_wait_size = PACO_SYNC_DEFAULT_MAX_WAIT_SIZE;
  properties->max_frame_size = 0;
}

/**
 * GstPacoParse:max-wait-size:
 *
 * A frame in a stream of bytes may be so large at most. What claims to be
 * larger is taken for damage instead of being waited for, in memory. Packets
 * of demuxers, which are there already, are not bound by it.
 *
 * Since: 0.1
 */

/**
 * GstPacoParse:max-frame-size:
 *
 * Frames are cut to so many bytes without being decoded: their blocks lose the
 * last bitplanes in the order of their worth. Frames are cut that pacoenc has coded
 * with #GstPacoEnc:cut-points; 0 cuts nothing.
 *
 * Since: 0.2
 */

/**
 * GstPacoParse:stats:
 *
 * Since the start: frames handed on; frames that are missing between them, by the
 * numbers that they carry, and in how many places (gaps); how often something that is
 * no frame was thrown away (damaged), and its bytes.
 *
 * A message paco-missing-frames of the element tells of each gap: `first` and
 * `count`, the numbers of the frames; their `bytes`; the `offset` in the stream and
 * the `timestamp` of the frame behind them; and whether they were `lost`, which is
 * known by damage or from upstream, or may have been cut out.
 *
 * Since: 0.2
 */

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

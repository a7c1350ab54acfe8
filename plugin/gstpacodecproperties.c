/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The properties that pacodec does not share with pacoenc. */
#include "gstpacodecproperties.h"

enum
{
  PROP_REDUCE = GST_PACO_PROP_COMMON_LAST + 1,
  PROP_MAX_PIXELS,
  PROP_CONCEAL,
};

/**
 * GstPacoDec:reduce:
 *
 * How many resolution levels are left out: every one halves width and height.
 * There can be no more than the stream has.
 *
 * Since: 0.1
 */

/**
 * GstPacoDec:max-pixels:
 *
 * The most pixels, width times height, that a frame may ask for. A few bytes
 * can claim a picture that takes gigabytes, so a frame beyond this is one
 * that cannot be decoded. The default is what 8192x8192 has.
 *
 * Since: 0.1
 */

/**
 * GstPacoDec:conceal:
 *
 * Whether broken codeblocks of the lowest subbands, without which large parts of the
 * picture are gray or blurred, look like the picture before, or like the blocks
 * beside them if there is none. After a cut that is a wrong picture. Blocks of
 * higher subbands that are broken are left out in any case, which is a blurred spot.
 * Frames have to have checks (#GstPacoEnc:block-checks) and four levels or more. A
 * picture with broken blocks has #GST_BUFFER_FLAG_CORRUPTED, concealed or not.
 *
 * Since: 0.2
 */

void
gst_paco_dec_properties_install (GObjectClass *object_class)
{
  g_object_class_install_property (object_class, PROP_REDUCE,
      g_param_spec_uint ("reduce", "Reduce",
          "Resolution levels to leave out: the picture is 1/2^n in each "
          "direction",
          0, PACO_MAX_LEVELS, 0,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (object_class, PROP_MAX_PIXELS,
      g_param_spec_uint ("max-pixels", "Maximum pixels",
          "The most pixels (width x height) that a frame may ask for", 1,
          G_MAXUINT, PACO_DEFAULT_MAX_PIXELS,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
  g_object_class_install_property (object_class, PROP_CONCEAL,
      g_param_spec_boolean ("conceal", "Conceal",
          "Show the picture before where blocks are broken that would leave "
          "large parts gray",
          TRUE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_READY));
}

gboolean
gst_paco_dec_properties_set (
    guint *reduce, GstPacoSettings *settings, guint id, const GValue *value)
{
  if (id == PROP_REDUCE)
    *reduce = g_value_get_uint (value);
  else if (id == PROP_MAX_PIXELS)
    settings->max_pixels = g_value_get_uint (value);
  else if (id == PROP_CONCEAL)
    settings->conceal = g_value_get_boolean (value);
  else
    return FALSE;
  return TRUE;
}

gboolean
gst_paco_dec_properties_get (
    guint reduce, const GstPacoSettings *settings, guint id, GValue *value)
{
  if (id == PROP_REDUCE)
    g_value_set_uint (value, reduce);
  else if (id == PROP_MAX_PIXELS)
    g_value_set_uint (value, settings->max_pixels);
  else if (id == PROP_CONCEAL)
    g_value_set_boolean (value, settings->conceal);
  else
    return FALSE;
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Installs, sets and gets the properties that pacodec has and pacoenc has not
 * (gstpacodecproperties.h). */
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
 * How many levels of the wavelet transform are left out. Each of them halves width
 * and height. There can be no more than the stream has.
 *
 * Since: 0.1
 */

/**
 * GstPacoDec:max-pixels:
 *
 * How many pixels, width times height, a picture may have at most. A few bytes can
 * announce a picture that takes gigabytes, so a frame with a larger one is treated
 * as one that cannot be decoded. The default is what 8192x8192 has.
 *
 * Since: 0.1
 */

/**
 * GstPacoDec:conceal:
 *
 * Whether broken codeblocks of the lowest subbands are concealed. Without them large
 * parts of the picture are gray or blurred; concealed, these parts show the picture
 * before, or what is beside them if there is none. After a cut to another scene that
 * is a wrong picture. Broken blocks of higher subbands are left out in any case,
 * which leaves a blurred spot. Only frames with checks (#GstPacoEnc:block-checks)
 * and four levels or more are concealed. A picture with broken blocks has
 * #GST_BUFFER_FLAG_CORRUPTED whether they are concealed or not.
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

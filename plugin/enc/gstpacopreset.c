/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Implements GstPreset for pacoenc.
 *
 * GStreamer looks for presets in files: those of the system, of the user, of
 * GST_PRESET_PATH and of the application. A plugin that lies in a build folder or
 * was unpacked somewhere has no file in any of these places, and only the
 * application may name one more. So the presets are part of the plugin. A preset of
 * the same name in one of the files wins; what users save, rename and delete are
 * their files. */
#include "gstpacoencprivate.h"

/* A preset sets all of these properties, so that it does not depend on what was
 * loaded before it. "frame-size", which wins over "bitrate", is 0, and "tune" is
 * visual. */
typedef struct
{
  const gchar *name, *comment;
  const gchar *rate_control;
  gdouble quality;
  guint bitrate; /* kbit/s */
  guint complexity, pipeline_depth;
} Preset;

static const Preset presets[] = {
  { "cinema-lossless", "Every sample comes back as it was", "lossless", 90, 0,
      1, 2 },
  { "cinema-visually-lossless", "For recording and editing", "quality", 90, 0,
      1, 2 },
  { "broadcast-200", "At most 200 Mbit/s, and every frame near it", "bitrate",
      90, 200000, 1, 2 },
  { "proxy", "Small frames for offline editing", "quality", 60, 0, 1, 2 },
  { "low-latency", "A frame leaves in the call that brought it", "quality", 80,
      0, 2, 1 },
};

/* Each class has its own GstPresetInterface; this is the parent's. */
static GstPresetInterface *
files (GstPreset *preset)
{
  return g_type_interface_peek_parent (GST_PRESET_GET_INTERFACE (preset));
}

static const Preset *
find (const gchar *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (presets); i++)
    if (g_strcmp0 (presets[i].name, name) == 0)
      return &presets[i];
  return NULL;
}

static gboolean
is_in_files (GstPreset *preset, const gchar *name)
{
  g_auto (GStrv) names = files (preset)->get_preset_names (preset);

  return names && g_strv_contains ((const gchar **) names, name);
}

static gchar **
get_preset_names (GstPreset *preset)
{
  g_auto (GStrv) names = files (preset)->get_preset_names (preset);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  for (guint i = 0; i < G_N_ELEMENTS (presets); i++)
    g_strv_builder_add (builder, presets[i].name);
  for (guint i = 0; names && names[i]; i++)
    if (!find (names[i]))
      g_strv_builder_add (builder, names[i]);
  return g_strv_builder_end (builder);
}

static gboolean
load_preset (GstPreset *preset, const gchar *name)
{
  const Preset *found = find (name);

  if (!found || is_in_files (preset, name))
    return files (preset)->load_preset (preset, name);
  gst_util_set_object_arg (
      G_OBJECT (preset), "rate-control", found->rate_control);
  gst_util_set_object_arg (G_OBJECT (preset), "tune", "visual");
  g_object_set (preset, "quality", found->quality, "bitrate", found->bitrate,
      "frame-size", 0u, "complexity", found->complexity, "pipeline-depth",
      found->pipeline_depth, NULL);
  return TRUE;
}

static gboolean
get_meta (GstPreset *preset, const gchar *name, const gchar *tag, gchar **value)
{
  const Preset *found = find (name);

  if (!found || is_in_files (preset, name))
    return files (preset)->get_meta (preset, name, tag, value);
  *value = g_strcmp0 (tag, "comment") == 0 ? g_strdup (found->comment) : NULL;
  return *value != NULL;
}

void
gst_paco_preset_init (gpointer interface, gpointer data)
{
  GstPresetInterface *own = interface;

  own->get_preset_names = get_preset_names;
  own->load_preset = load_preset;
  own->get_meta = get_meta;
}

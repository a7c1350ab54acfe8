/* SPDX-License-Identifier: LGPL-2.1-or-later
 * scan PLUGIN: prints what a plugin consists of as JSON, with the names that
 * GStreamer's own scanner for hotdoc (gst-hotdoc-plugins-scanner) gives to it.
 * cache.py calls it. PLUGIN is the path of the plugin's file. Of properties it knows
 * those types that the plugin has; another type, or a signal, ends the program,
 * since the cache would lack it. */
#include <gst/gst.h>

/* Appends "key":"value", and a comma before it unless something was opened. */
static void
add_key (GString *json, const char *key)
{
  char last = json->len ? json->str[json->len - 1] : '{';

  g_string_append_printf (
      json, "%s\"%s\":", last == '{' || last == '[' ? "" : ",", key);
}

static void
add_quoted (GString *json, const char *value)
{
  g_string_append_c (json, '"');
  for (const char *at = value ? value : "NULL"; *at; at++)
    if (*at == '"' || *at == '\\')
      g_string_append_printf (json, "\\%c", *at);
    else if ((guchar) *at < ' ')
      g_string_append_printf (json, "\\u%04x", (guchar) *at);
    else
      g_string_append_c (json, *at);
  g_string_append_c (json, '"');
}

static void
add_string (GString *json, const char *key, const char *value)
{
  add_key (json, key);
  add_quoted (json, value);
}

static void
add_boolean (GString *json, const char *key, gboolean value)
{
  add_key (json, key);
  g_string_append (json, value ? "true" : "false");
}

G_GNUC_PRINTF (3, 4)
static void
add_printf (GString *json, const char *key, const char *format, ...)
{
  g_autofree char *value = NULL;
  va_list arguments;

  va_start (arguments, format);
  value = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  add_string (json, key, value);
}

/* Adds an enumeration of the plugin's, once. */
static void
add_enum (GString *types, GHashTable *seen, GType type)
{
  GEnumClass *klass;

  if (!gst_type_is_plugin_api (type, NULL)
      || !g_hash_table_add (seen, GSIZE_TO_POINTER (type)))
    return;
  klass = g_type_class_ref (type);
  add_key (types, g_type_name (type));
  g_string_append (types, "{\"kind\":\"enum\",\"values\":[");
  for (guint i = 0; i < klass->n_values; i++) {
    g_string_append (types, i ? ",{" : "{");
    add_string (types, "desc", klass->values[i].value_name);
    add_string (types, "name", klass->values[i].value_nick);
    add_printf (types, "value", "%d", klass->values[i].value);
    g_string_append_c (types, '}');
  }
  g_string_append (types, "]}");
  g_type_class_unref (klass);
}

static void
add_enum_default (GString *json, const GValue *value)
{
  GEnumClass *klass = g_type_class_ref (G_VALUE_TYPE (value));
  gint number = g_value_get_enum (value);
  const GEnumValue *entry = g_enum_get_value (klass, number);

  add_printf (
      json, "default", "%s (%d)", entry ? entry->value_nick : "", number);
  g_type_class_unref (klass);
}

/* Adds flags likewise. */
static void
add_flags (GString *types, GHashTable *seen, GType type)
{
  GFlagsClass *klass;

  if (!gst_type_is_plugin_api (type, NULL)
      || !g_hash_table_add (seen, GSIZE_TO_POINTER (type)))
    return;
  klass = g_type_class_ref (type);
  add_key (types, g_type_name (type));
  g_string_append (types, "{\"kind\":\"flags\",\"values\":[");
  for (guint i = 0; i < klass->n_values; i++) {
    g_string_append (types, i ? ",{" : "{");
    add_string (types, "desc", klass->values[i].value_name);
    add_string (types, "name", klass->values[i].value_nick);
    add_printf (types, "value", "0x%08x", klass->values[i].value);
    g_string_append_c (types, '}');
  }
  g_string_append (types, "]}");
  g_type_class_unref (klass);
}

static void
add_flags_default (GString *json, const GValue *value)
{
  GFlagsClass *klass = g_type_class_ref (G_VALUE_TYPE (value));
  guint flags = g_value_get_flags (value);
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < klass->n_values; i++)
    if (flags & klass->values[i].value)
      g_string_append_printf (
          names, "%s%s", names->len ? "+" : "", klass->values[i].value_nick);
  add_string (json, "default", names->str);
  g_type_class_unref (klass);
}

#define ADD_RANGE(json, format, default, spec)                                 \
  do {                                                                         \
    add_printf (json, "default", format, default);                             \
    add_printf (json, "max", format, (spec)->maximum);                         \
    add_printf (json, "min", format, (spec)->minimum);                         \
  } while (0)

/* Adds the default of a property, as a new element has it, and its range. */
static void
add_default (GString *json, GParamSpec *spec, const GValue *value)
{
  if (G_IS_PARAM_SPEC_BOOLEAN (spec)) {
    add_string (
        json, "default", g_value_get_boolean (value) ? "true" : "false");
  } else if (G_IS_PARAM_SPEC_STRING (spec)) {
    add_string (json, "default", g_value_get_string (value));
  } else if (G_IS_PARAM_SPEC_INT (spec)) {
    ADD_RANGE (json, "%d", g_value_get_int (value), G_PARAM_SPEC_INT (spec));
  } else if (G_IS_PARAM_SPEC_UINT (spec)) {
    ADD_RANGE (json, "%u", g_value_get_uint (value), G_PARAM_SPEC_UINT (spec));
  } else if (G_IS_PARAM_SPEC_INT64 (spec)) {
    ADD_RANGE (json, "%" G_GINT64_FORMAT, g_value_get_int64 (value),
        G_PARAM_SPEC_INT64 (spec));
  } else if (G_IS_PARAM_SPEC_UINT64 (spec)) {
    ADD_RANGE (json, "%" G_GUINT64_FORMAT, g_value_get_uint64 (value),
        G_PARAM_SPEC_UINT64 (spec));
  } else if (G_IS_PARAM_SPEC_DOUBLE (spec)) {
    ADD_RANGE (
        json, "%g", g_value_get_double (value), G_PARAM_SPEC_DOUBLE (spec));
  } else if (G_IS_PARAM_SPEC_ENUM (spec)) {
    add_enum_default (json, value);
  } else if (G_IS_PARAM_SPEC_FLAGS (spec)) {
    add_flags_default (json, value);
  } else if (spec->value_type == GST_TYPE_STRUCTURE) {
    const GstStructure *structure = gst_value_get_structure (value);
    g_autofree char *text = structure ? gst_structure_to_string (structure)
                                      : NULL;

    if (text)
      add_string (json, "default", text);
  } else {
    g_error ("%s: properties of type %s are not known here", spec->name,
        g_type_name (spec->value_type));
  }
}

static const char *
last_state (GParamSpec *spec)
{
  return spec->flags & GST_PARAM_MUTABLE_PLAYING ? "playing"
      : spec->flags & GST_PARAM_MUTABLE_PAUSED   ? "paused"
      : spec->flags & GST_PARAM_MUTABLE_READY    ? "ready"
                                                 : "null";
}

static void
add_property (GString *json, GObject *object, GParamSpec *spec)
{
  g_auto (GValue) value = G_VALUE_INIT;

  g_value_init (&value, spec->value_type);
  if (spec->flags & G_PARAM_READABLE
      && !(spec->flags & GST_PARAM_DOC_SHOW_DEFAULT))
    g_object_get_property (object, spec->name, &value);
  else
    g_param_value_set_default (spec, &value);

  add_key (json, spec->name);
  g_string_append_c (json, '{');
  add_string (json, "blurb", g_param_spec_get_blurb (spec));
  add_boolean (json, "conditionally-available",
      (spec->flags & GST_PARAM_CONDITIONALLY_AVAILABLE) != 0);
  add_boolean (json, "construct", (spec->flags & G_PARAM_CONSTRUCT) != 0);
  add_boolean (
      json, "construct-only", (spec->flags & G_PARAM_CONSTRUCT_ONLY) != 0);
  add_boolean (
      json, "controllable", (spec->flags & GST_PARAM_CONTROLLABLE) != 0);
  add_default (json, spec, &value);
  add_string (json, "mutable", last_state (spec));
  add_boolean (json, "readable", (spec->flags & G_PARAM_READABLE) != 0);
  add_string (json, "type", g_type_name (spec->value_type));
  add_boolean (json, "writable", (spec->flags & G_PARAM_WRITABLE) != 0);
  g_string_append_c (json, '}');
}

/* Adds properties of the element's own class; hotdoc has those of base
 * classes. */
static void
add_properties (
    GString *json, GString *types, GHashTable *seen, GObject *object)
{
  guint n_specs, n_signals;
  g_autofree GParamSpec **specs = g_object_class_list_properties (
      G_OBJECT_GET_CLASS (object), &n_specs);

  g_free (g_signal_list_ids (G_OBJECT_TYPE (object), &n_signals));
  if (n_signals > 0)
    g_error ("%s: signals are not known here", G_OBJECT_TYPE_NAME (object));
  add_key (json, "properties");
  g_string_append_c (json, '{');
  for (guint i = 0; i < n_specs; i++) {
    if (specs[i]->owner_type != G_OBJECT_TYPE (object))
      continue;
    add_property (json, object, specs[i]);
    if (G_IS_PARAM_SPEC_ENUM (specs[i]))
      add_enum (types, seen, specs[i]->value_type);
    else if (G_IS_PARAM_SPEC_FLAGS (specs[i]))
      add_flags (types, seen, specs[i]->value_type);
  }
  g_string_append_c (json, '}');
}

static gboolean
append_field (GQuark field, const GValue *value, gpointer text)
{
  g_autofree char *serialized = gst_value_serialize (value);
  g_autoptr (GString) shown = g_string_new (serialized);

  if (field == g_quark_from_string ("format"))
    g_string_replace (shown, "(string)", "", 0);
  g_string_append_printf (
      text, "%15s: %s\n", g_quark_to_string (field), shown->str);
  return TRUE;
}

static void
add_caps (GString *json, const GstCaps *caps)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (gst_caps_is_any (caps) || gst_caps_is_empty (caps))
    g_string_append (text, gst_caps_is_any (caps) ? "ANY" : "EMPTY");
  for (guint i = 0; !gst_caps_is_any (caps) && i < gst_caps_get_size (caps);
       i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    GstCapsFeatures *features = gst_caps_get_features (caps, i);
    gboolean system = gst_caps_features_is_equal (
        features, GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
    g_autofree char *names = gst_caps_features_to_string (features);

    g_string_append_printf (text, "%s%s%s%s%s:\n", i && !system ? "\n" : "",
        gst_structure_get_name (structure), system ? "" : "(",
        system ? "" : names, system ? "" : ")");
    gst_structure_foreach (structure, append_field, text);
  }
  add_string (json, "caps", text->str);
}

static void
add_pad_templates (GString *json, GstElement *element)
{
  static const char *const directions[] = { "unknown", "src", "sink" };
  static const char *const presences[] = { "always", "sometimes", "request" };

  add_key (json, "pad-templates");
  g_string_append_c (json, '{');
  for (GList *l = gst_element_class_get_pad_template_list (
           GST_ELEMENT_GET_CLASS (element));
       l; l = l->next) {
    GstPadTemplate *pad = l->data;
    GstCaps *caps = gst_pad_template_get_documentation_caps (pad);

    add_key (json, GST_PAD_TEMPLATE_NAME_TEMPLATE (pad));
    g_string_append_c (json, '{');
    add_caps (json, caps);
    add_string (
        json, "direction", directions[GST_PAD_TEMPLATE_DIRECTION (pad)]);
    add_string (json, "presence", presences[GST_PAD_TEMPLATE_PRESENCE (pad)]);
    g_string_append_c (json, '}');
    gst_caps_unref (caps);
  }
  g_string_append_c (json, '}');
}

static void
add_rank (GString *json, GstPluginFeature *feature)
{
  static const struct
  {
    int rank;
    const char *name;
  } ranks[] = {
    { GST_RANK_PRIMARY, "primary" },
    { GST_RANK_SECONDARY, "secondary" },
    { GST_RANK_MARGINAL, "marginal" },
    { GST_RANK_NONE, "none" },
  };
  int rank = gst_plugin_feature_get_rank (feature);
  guint best = 0;

  for (guint i = 1; i < G_N_ELEMENTS (ranks); i++)
    if (ABS (rank - ranks[i].rank) < ABS (rank - ranks[best].rank))
      best = i;
  if (rank == ranks[best].rank)
    add_string (json, "rank", ranks[best].name);
  else
    add_printf (json, "rank", "%s %c %d", ranks[best].name,
        rank > ranks[best].rank ? '+' : '-', ABS (rank - ranks[best].rank));
}

static void
add_hierarchy (GString *json, GType type)
{
  add_key (json, "hierarchy");
  g_string_append_c (json, '[');
  for (; type; type = g_type_parent (type)) {
    add_quoted (json, g_type_name (type));
    g_string_append (json, g_type_parent (type) ? "," : "]");
  }
}

static void
add_element (
    GString *json, GString *types, GHashTable *seen, GstElementFactory *factory)
{
  GstElement *element = gst_element_factory_create (factory, NULL);
  g_auto (GStrv) keys = gst_element_factory_get_metadata_keys (factory);

  add_key (json, GST_OBJECT_NAME (factory));
  g_string_append_c (json, '{');
  add_rank (json, GST_PLUGIN_FEATURE (factory));
  /* The long name may depend on the machine, so hotdoc leaves it out. */
  for (guint i = 0; keys && keys[i]; i++)
    if (!g_str_equal (keys[i], GST_ELEMENT_METADATA_LONGNAME))
      add_string (
          json, keys[i], gst_element_factory_get_metadata (factory, keys[i]));
  add_hierarchy (json, G_OBJECT_TYPE (element));
  add_properties (json, types, seen, G_OBJECT (element));
  add_pad_templates (json, element);
  g_string_append_c (json, '}');
  gst_object_unref (element);
}

static void
add_plugin (GString *json, GstPlugin *plugin)
{
  const char *name = gst_plugin_get_name (plugin);
  GList *features = gst_registry_get_feature_list_by_plugin (
      gst_registry_get (), name);
  g_autoptr (GString) types = g_string_new ("{");
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autofree char *file = g_path_get_basename (
      gst_plugin_get_filename (plugin));

  add_key (json, name);
  g_string_append_c (json, '{');
  add_string (json, "description", gst_plugin_get_description (plugin));
  *strchrnul (file, '.') = '\0';
  add_string (json, "filename", file + strlen ("lib"));
  add_string (json, "license", gst_plugin_get_license (plugin));
  add_string (json, "package", gst_plugin_get_package (plugin));
  add_string (json, "source", gst_plugin_get_source (plugin));
  add_string (json, "url", gst_plugin_get_origin (plugin));
  add_key (json, "tracers");
  g_string_append (json, "{}");
  add_key (json, "elements");
  g_string_append_c (json, '{');
  for (GList *l = features; l; l = l->next)
    if (GST_IS_ELEMENT_FACTORY (l->data))
      add_element (json, types, seen, l->data);
  g_string_append_c (json, '}');
  add_key (json, "other-types");
  g_string_append (types, "}");
  g_string_append (json, types->str);
  g_string_append_c (json, '}');
  gst_plugin_feature_list_free (features);
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) json = g_string_new ("{");
  GstPlugin *plugin;

  gst_init (NULL, NULL);
  if (argc != 2) {
    g_printerr ("Usage: %s PLUGIN\n", argv[0]);
    return 1;
  }
  plugin = gst_plugin_load_file (argv[1], &error);
  if (!plugin) {
    g_printerr ("%s: %s\n", argv[1], error->message);
    return 1;
  }
  add_plugin (json, plugin);
  g_print ("%s}\n", json->str);
  gst_object_unref (plugin);
  return 0;
}

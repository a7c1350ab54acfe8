/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What the classes of pacoenc and pacodec do alike: properties, which are those of the
 * table of settings (lib/stream/settings.h), contexts, and the end. */
#include "gstpacocoder.h"

enum
{
  PROP_STATS = 1,
  FIRST_ID, /* of the settings */
};

static GType
register_enum (const PacoSetting *setting, guint n)
{
  GEnumValue *values = g_new0 (GEnumValue, n + 1);

  for (guint i = 0; i < n; i++)
    values[i] = (GEnumValue){ (gint) i, setting->values[i].help,
      setting->values[i].name };
  return g_enum_register_static (setting->values_name, values);
}

static GType
register_flags (const PacoSetting *setting, guint n)
{
  GFlagsValue *values = g_new0 (GFlagsValue, n + 1);

  for (guint i = 0; i < n; i++)
    values[i] = (GFlagsValue){ 1u << i, setting->values[i].help,
      setting->values[i].name };
  return g_flags_register_static (setting->values_name, values);
}

/* Only class_init calls this, which GObject calls for one class at a time. */
static GType
values_type (const PacoSetting *setting)
{
  GType type = g_type_from_name (setting->values_name);
  guint n = 0;

  if (type != G_TYPE_INVALID)
    return type;
  while (setting->values[n].name != NULL)
    n++;
  type = setting->type == PACO_SETTING_ENUM ? register_enum (setting, n)
                                            : register_flags (setting, n);
  gst_type_mark_as_plugin_api (type, 0);
  return type;
}

static GParamSpec *
make_spec (const PacoSetting *s)
{
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
      | (s->change == PACO_CHANGE_ANY ? GST_PARAM_MUTABLE_PLAYING
                                      : GST_PARAM_MUTABLE_READY);

  switch (s->type) {
    case PACO_SETTING_BOOL:
      return g_param_spec_boolean (
          s->name, s->nick, s->help, s->standard != 0, flags);
    case PACO_SETTING_INT:
      return g_param_spec_int (s->name, s->nick, s->help, (gint) s->minimum,
          (gint) s->maximum, (gint) s->standard, flags);
    case PACO_SETTING_UINT:
      return g_param_spec_uint (s->name, s->nick, s->help, (guint) s->minimum,
          (guint) s->maximum, (guint) s->standard, flags);
    case PACO_SETTING_REAL:
      return g_param_spec_double (s->name, s->nick, s->help, s->minimum,
          s->maximum, s->standard, flags);
    case PACO_SETTING_ENUM:
      return g_param_spec_enum (s->name, s->nick, s->help, values_type (s),
          (gint) s->standard, flags);
    case PACO_SETTING_FLAGS:
      return g_param_spec_flags (s->name, s->nick, s->help, values_type (s),
          (guint) s->standard, flags);
    case PACO_SETTING_DEVICES:
      return g_param_spec_string (s->name, s->nick, s->help, "", flags);
    default: /* Of libpaco only. */
      g_assert_not_reached ();
  }
}

static const PacoSetting *
find (guint id)
{
  return id >= FIRST_ID && id - FIRST_ID < paco_settings_n
      ? &paco_settings_table[id - FIRST_ID]
      : NULL;
}

static void
set_setting (
    PacoSettings *settings, const PacoSetting *setting, const GValue *value)
{
  void *at = paco_setting_at (setting, settings);

  if (setting->type == PACO_SETTING_BOOL)
    *(bool *) at = g_value_get_boolean (value);
  else if (setting->type == PACO_SETTING_INT)
    *(int *) at = g_value_get_int (value);
  else if (setting->type == PACO_SETTING_UINT)
    *(unsigned *) at = g_value_get_uint (value);
  else if (setting->type == PACO_SETTING_REAL)
    *(double *) at = g_value_get_double (value);
  else if (setting->type == PACO_SETTING_ENUM)
    *(int *) at = g_value_get_enum (value);
  else if (setting->type == PACO_SETTING_FLAGS)
    *(unsigned *) at = g_value_get_flags (value);
  else {
    /* It is parsed when the element opens a device, which posts the error. */
    g_free (*(char **) at);
    *(char **) at = g_value_dup_string (value);
  }
}

static void
get_setting (PacoSettings *settings, const PacoSetting *setting, GValue *value)
{
  const void *at = paco_setting_at (setting, settings);

  if (setting->type == PACO_SETTING_BOOL)
    g_value_set_boolean (value, *(const bool *) at);
  else if (setting->type == PACO_SETTING_INT)
    g_value_set_int (value, *(const int *) at);
  else if (setting->type == PACO_SETTING_UINT)
    g_value_set_uint (value, *(const unsigned *) at);
  else if (setting->type == PACO_SETTING_REAL)
    g_value_set_double (value, *(const double *) at);
  else if (setting->type == PACO_SETTING_ENUM)
    g_value_set_enum (value, *(const int *) at);
  else if (setting->type == PACO_SETTING_FLAGS)
    g_value_set_flags (value, *(const unsigned *) at);
  else
    g_value_set_string (
        value, *(char *const *) at != NULL ? *(char *const *) at : "");
}

static void
set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  const PacoSetting *setting = find (id);
  GstPacoCoder *coder = gst_paco_coder_of (object);

  if (setting == NULL) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (object);
  set_setting (&coder->settings, setting, value);
  if (setting->change == PACO_CHANGE_ANY)
    coder->settings_changed = TRUE;
  GST_OBJECT_UNLOCK (object);
}

static void
get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  const PacoSetting *setting = find (id);
  GstPacoCoder *coder = gst_paco_coder_of (object);

  if (setting == NULL && id != PROP_STATS) {
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    return;
  }
  GST_OBJECT_LOCK (object);
  if (setting != NULL)
    get_setting (&coder->settings, setting, value);
  else
    g_value_take_boxed (value, gst_paco_coder_stats (coder));
  GST_OBJECT_UNLOCK (object);
}

/* stats is a GstStructure: backend and device (strings); frames, bytes and
 * corrupted-blocks (guint64); transform-ms, blocks-ms and stream-ms (gdouble), the
 * milliseconds that all frames took in a stage; configurations (guint64), how often
 * the coder was configured, which waits for all frames in flight; device-memory
 * (guint64), bytes in GPUs, 0 on the CPU; devices, a GstValueArray with a GstStructure
 * of name, frames, bytes and device-memory for each GPU. It can still be read when the
 * element has stopped. */
static void
install_properties (GObjectClass *klass, PacoSettingOwner owner)
{
  for (guint i = 0; i < paco_settings_n; i++)
    if (paco_settings_table[i].owners & owner)
      g_object_class_install_property (
          klass, FIRST_ID + i, make_spec (&paco_settings_table[i]));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Backend, devices and their memory, frames, bytes and milliseconds "
          "of each stage",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

/* --- life --- */

static gpointer
parent_class (gpointer object)
{
  return g_type_class_peek_parent (G_OBJECT_GET_CLASS (object));
}

static void
set_context (GstElement *element, GstContext *context)
{
  GstPacoCoder *coder = gst_paco_coder_of (element);
  gint device_id;

  GST_OBJECT_LOCK (element);
  device_id = coder->settings.cuda_device_id;
  GST_OBJECT_UNLOCK (element);
  gst_paco_cuda_set_context (&coder->cuda, context, device_id);
  GST_ELEMENT_CLASS (parent_class (element))->set_context (element, context);
}

/* While the base class resets itself on the way to READY, no frame may be finished. */
static GstStateChangeReturn
change_state (GstElement *element, GstStateChange transition)
{
  GstPacoCoder *coder = gst_paco_coder_of (element);

  if (transition == GST_STATE_CHANGE_PAUSED_TO_READY && coder->pipe != NULL)
    gst_paco_pipe_set_dropping (coder->pipe, TRUE);
  return GST_ELEMENT_CLASS (parent_class (element))
      ->change_state (element, transition);
}

static void
finalize (GObject *object)
{
  gst_paco_coder_clear (gst_paco_coder_of (object));
  G_OBJECT_CLASS (parent_class (object))->finalize (object);
}

void
gst_paco_coder_class_init (GObjectClass *klass, PacoSettingOwner owner)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  klass->set_property = set_property;
  klass->get_property = get_property;
  klass->finalize = finalize;
  element_class->set_context = set_context;
  element_class->change_state = change_state;
  install_properties (klass, owner);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The properties that choose a backend (gstpacobackend.h), which backends/backends.c
 * opens. */
#include "gstpacobackend.h"
#include "backends/backends.h"
#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

#define DEFAULT_DEPTH 2

G_STATIC_ASSERT ((int) GST_PACO_BACKEND_AUTO == PACO_USE_AUTO);
G_STATIC_ASSERT ((int) GST_PACO_BACKEND_CUDA == PACO_USE_CUDA);
G_STATIC_ASSERT ((int) GST_PACO_BACKEND_CPU == PACO_USE_CPU);

GType
gst_paco_backend_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { GST_PACO_BACKEND_AUTO, "cuda where a usable device exists, else cpu",
        "auto" },
    { GST_PACO_BACKEND_CUDA, "NVIDIA GPU", "cuda" },
    { GST_PACO_BACKEND_CPU, "CPU", "cpu" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type)) {
    GType registered = g_enum_register_static ("GstPacoBackend", values);

    gst_type_mark_as_plugin_api (registered, 0);
    g_once_init_leave (&type, registered);
  }
  return type;
}

void
gst_paco_settings_init (GstPacoSettings *settings)
{
  settings->backend = GST_PACO_BACKEND_AUTO;
  settings->cuda_device_id = -1;
  settings->cuda_devices = NULL;
  settings->pipeline_depth = DEFAULT_DEPTH;
  settings->threads = 0;
  settings->max_pixels = PACO_DEFAULT_MAX_PIXELS;
  settings->conceal = TRUE;
}

void
gst_paco_settings_clear (GstPacoSettings *settings)
{
  g_clear_pointer (&settings->cuda_devices, g_free);
}

void
gst_paco_settings_copy (const GstPacoSettings *settings, GstPacoSettings *copy)
{
  *copy = *settings;
  copy->cuda_devices = g_strdup (settings->cuda_devices);
}

static gboolean
has_devices (const GstPacoSettings *settings)
{
  return settings->cuda_devices != NULL && settings->cuda_devices[0] != '\0';
}

#define READY_FLAGS                                                            \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)

/**
 * GstPacoEnc:backend:
 *
 * Where frames are coded. Every backend writes the same bytes and the same
 * samples; auto takes a GPU where there is a usable one, else the CPU, and
 * the property stats says which.
 *
 * Since: 0.1
 */

/**
 * GstPacoDec:backend:
 *
 * See #GstPacoEnc:backend.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:cuda-device-id:
 *
 * The number of the GPU, as CUDA counts them. -1 takes that of a neighbor which
 * shares a CUDA context (#GstContext of type gst.cuda.context); else the least
 * loaded one that can be used: that with the fewest encoders and decoders of this
 * process; of several, that with the most free memory, so that processes spread
 * as well; then that with the lowest number. A GPU that has failed is taken only
 * where there is no other. To say how much memory is free a GPU needs a context: where several
 * tie, each gets one for a moment when the element starts.
 *
 * Since: 0.1
 */

/**
 * GstPacoDec:cuda-device-id:
 *
 * See #GstPacoEnc:cuda-device-id.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:cuda-devices:
 *
 * Several GPUs for one stream, whose frames go to them in turn and leave in order,
 * with the same bytes: their numbers, as in "0,1", or "all" for every one that can
 * be used. The property stats says what each has done. If one of them fails, the
 * element posts an error that names it. What #GstPacoEnc:cuda-device-id says does
 * not count then.
 *
 * Since: 0.2
 */

/**
 * GstPacoDec:cuda-devices:
 *
 * See #GstPacoEnc:cuda-devices.
 *
 * Since: 0.2
 */

/**
 * GstPacoEnc:pipeline-depth:
 *
 * How many frames are worked on at once at most, on each GPU where there are
 * several. More of them keep a device busier, and take more memory and time from
 * in to out. 1 is for low latency: a frame is pushed in the call that brought it
 * (with several GPUs: as soon as it is finished, like any other).
 *
 * The latency that is claimed is that of coding, as measured, with a margin: at
 * most as many frame durations as there are frames in flight (which is also
 * claimed as long as nothing has been measured), and never more than a second.
 *
 * Since: 0.1
 */

/**
 * GstPacoDec:pipeline-depth:
 *
 * See #GstPacoEnc:pipeline-depth.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:threads:
 *
 * How many threads the CPU backend has; 0 is one per core that the process may
 * use by its affinity and the quota of its control group. The property stats
 * says how many they are.
 *
 * Since: 0.1
 */

/**
 * GstPacoDec:threads:
 *
 * See #GstPacoEnc:threads.
 *
 * Since: 0.1
 */

/**
 * GstPacoEnc:stats:
 *
 * A #GstStructure with what has been coded so far: backend and device
 * (strings), frames, bytes and corrupted-blocks (guint64), and transform-ms,
 * blocks-ms and stream-ms (gdouble), sums over all frames of the milliseconds
 * that a stage took. configurations (guint64) is how often the coder got ready for
 * a format, which waits for all frames in flight. device-memory (guint64) are the bytes of the GPUs' memory
 * that the element has for its frames, 0 on the CPU; devices is a GstValueArray
 * with a #GstStructure for each GPU, of name, frames, bytes and device-memory. It
 * can still be read when the element has stopped.
 *
 * Since: 0.1
 */

/**
 * GstPacoDec:stats:
 *
 * See #GstPacoEnc:stats.
 *
 * Since: 0.1
 */

void
gst_paco_settings_install (GObjectClass *klass)
{
  g_object_class_install_property (klass, GST_PACO_PROP_BACKEND,
      g_param_spec_enum ("backend", "Backend",
          "Where frames are coded; the result is the same",
          GST_TYPE_PACO_BACKEND, GST_PACO_BACKEND_AUTO, READY_FLAGS));
  g_object_class_install_property (klass, GST_PACO_PROP_CUDA_DEVICE_ID,
      g_param_spec_int ("cuda-device-id", "CUDA device id",
          "The GPU that codes (-1 = the least loaded one)", -1, G_MAXINT, -1,
          READY_FLAGS));
  g_object_class_install_property (klass, GST_PACO_PROP_CUDA_DEVICES,
      g_param_spec_string ("cuda-devices", "CUDA devices",
          "Several GPUs to which frames go in turn, \"0,1\" or \"all\" (empty "
          "= "
          "one, as cuda-device-id says)",
          "", READY_FLAGS));
  g_object_class_install_property (klass, GST_PACO_PROP_PIPELINE_DEPTH,
      g_param_spec_uint ("pipeline-depth", "Pipeline depth",
          "Frames in flight at most, on each GPU (1 = low latency: a frame "
          "leaves in the call that brought it)",
          1, PACO_MAX_DEPTH, DEFAULT_DEPTH, READY_FLAGS));
  g_object_class_install_property (klass, GST_PACO_PROP_THREADS,
      g_param_spec_uint ("threads", "Threads",
          "Threads of the CPU backend (0 = one per core that may be used)", 0,
          1024, 0, READY_FLAGS));
  g_object_class_install_property (klass, GST_PACO_PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "Backend, devices and their memory, frames, bytes and milliseconds "
          "of each stage",
          GST_TYPE_STRUCTURE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

gboolean
gst_paco_settings_set (GstPacoSettings *settings, guint id, const GValue *value)
{
  switch (id) {
    case GST_PACO_PROP_BACKEND:
      settings->backend = g_value_get_enum (value);
      return TRUE;
    case GST_PACO_PROP_CUDA_DEVICE_ID:
      settings->cuda_device_id = g_value_get_int (value);
      return TRUE;
    case GST_PACO_PROP_CUDA_DEVICES:
      g_free (settings->cuda_devices);
      settings->cuda_devices = g_value_dup_string (value);
      return TRUE;
    case GST_PACO_PROP_PIPELINE_DEPTH:
      settings->pipeline_depth = g_value_get_uint (value);
      return TRUE;
    case GST_PACO_PROP_THREADS:
      settings->threads = g_value_get_uint (value);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
gst_paco_settings_get (const GstPacoSettings *settings, guint id, GValue *value)
{
  switch (id) {
    case GST_PACO_PROP_BACKEND:
      g_value_set_enum (value, settings->backend);
      return TRUE;
    case GST_PACO_PROP_CUDA_DEVICE_ID:
      g_value_set_int (value, settings->cuda_device_id);
      return TRUE;
    case GST_PACO_PROP_CUDA_DEVICES:
      g_value_set_string (
          value, has_devices (settings) ? settings->cuda_devices : "");
      return TRUE;
    case GST_PACO_PROP_PIPELINE_DEPTH:
      g_value_set_uint (value, settings->pipeline_depth);
      return TRUE;
    case GST_PACO_PROP_THREADS:
      g_value_set_uint (value, settings->threads);
      return TRUE;
    default:
      return FALSE;
  }
}

/* --- The devices --- */

static gboolean
add_device (
    PacoBackendOptions *options, const char *text, int number, GError **error)
{
  for (guint i = 0; i < options->n_devices; i++)
    if (options->devices[i] == number) {
      g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
          "cuda-devices=%s has device %d twice", text, number);
      return FALSE;
    }
  if (options->n_devices == PACO_MAX_DEVICES) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "cuda-devices=%s has more than %u devices", text, PACO_MAX_DEVICES);
    return FALSE;
  }
  options->devices[options->n_devices++] = number;
  return TRUE;
}

/* Reads "0,1" or "all". */
static gboolean
parse_devices (const GstPacoSettings *settings, PacoBackendOptions *options,
    GError **error)
{
  const char *text = settings->cuda_devices;
  char **items;
  gboolean ok = TRUE;

  if (!has_devices (settings))
    return TRUE;
  items = g_strsplit (text, ",", -1);
  options->all_devices = g_strv_length (items) == 1
      && strcmp (g_strstrip (items[0]), "all") == 0;
  for (char **item = items; *item != NULL && ok && !options->all_devices;
       item++) {
    guint64 number;

    ok = g_ascii_string_to_unsigned (
        g_strstrip (*item), 10, 0, G_MAXINT, &number, NULL);
    if (ok)
      ok = add_device (options, text, (int) number, error);
    else
      g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
          "cuda-devices=%s is no list of GPUs; write their numbers, as in "
          "\"0,1\", or \"all\"",
          text);
  }
  g_strfreev (items);
  return ok;
}

static void
warn_of_ignored (GstElement *element, const GstPacoSettings *settings)
{
  if (has_devices (settings) && settings->backend == GST_PACO_BACKEND_CPU)
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
        ("cuda-devices=%s has no effect with backend=cpu",
            settings->cuda_devices),
        (NULL));
  else if (has_devices (settings) && settings->cuda_device_id >= 0)
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
        ("cuda-device-id=%d has no effect with cuda-devices=%s; leave one of "
         "them out",
            settings->cuda_device_id, settings->cuda_devices),
        (NULL));
}

/* --- Opening --- */

/* Returns how many milliseconds a device may take to answer, or 0 for the
 * standard. Debuggers need more, and tests need less. */
static guint
device_timeout (void)
{
  const char *text = g_getenv ("GST_PACO_DEVICE_TIMEOUT");

  return text != NULL ? MIN (g_ascii_strtoull (text, NULL, 10), G_MAXUINT) : 0;
}

/* log_refused() gets this, to say who opens a backend. */
typedef struct
{
  GstElement *element;
  const GstPacoSettings *settings;
  gboolean in_context;
} Opening;

/* That there is no GPU is news only to those who have asked for one; that there
 * is one of no use is a warning. Neither is told if no other backend would do. */
static void
log_refused (gpointer user_data, PacoUse which, const GError *failure)
{
  const Opening *opening = user_data;
  GstElement *element = opening->element;
  const GstPacoSettings *settings = opening->settings;
  gboolean missing = g_error_matches (
      failure, PACO_ERROR, PACO_ERROR_NO_DEVICE);

  if (opening->in_context)
    return;
  GST_CAT_LEVEL_LOG (GST_CAT_DEFAULT,
      missing ? GST_LEVEL_INFO : GST_LEVEL_WARNING, element,
      "the %s backend cannot be used: %s",
      which == PACO_USE_CUDA ? "cuda" : "cpu", failure->message);
  if (settings->backend != GST_PACO_BACKEND_AUTO || which != PACO_USE_CUDA)
    return;
  if (has_devices (settings))
    GST_ELEMENT_WARNING (element, RESOURCE, NOT_FOUND,
        ("cuda-devices=%s cannot be used, so the CPU codes: %s",
            settings->cuda_devices, failure->message),
        (NULL));
  else if (settings->cuda_device_id >= 0)
    GST_ELEMENT_WARNING (element, RESOURCE, NOT_FOUND,
        ("cuda-device-id=%d cannot be used, so the CPU codes: %s",
            settings->cuda_device_id, failure->message),
        (NULL));
}

static void
log_opened (GstElement *element, const GstPacoSettings *settings,
    const PacoForeignContext *context, PacoCoder *coder)
{
  PacoStats stats;

  paco_coder_stats (coder, &stats);
  GST_INFO_OBJECT (element,
      "using the %s backend (%s), %s; up to %u frames in flight", stats.backend,
      stats.device,
      context != NULL ? "in the context of the pictures"
          : settings->backend == GST_PACO_BACKEND_AUTO
          ? "the first that backend=auto finds"
          : "as backend says",
      paco_coder_depth (coder));
}

static PacoCoder *
open_backend (GstElement *element, const GstPacoSettings *settings,
    gboolean encoder, const PacoForeignContext *context, void (*drop) (void *),
    GError **error)
{
  PacoBackendOptions options = {
    .context = context != NULL ? *context : (PacoForeignContext){ NULL },
    .device = settings->cuda_device_id,
    .threads = settings->threads,
    .depth = settings->pipeline_depth,
    .max_pixels = settings->max_pixels,
    .conceal = settings->conceal,
    .timeout = device_timeout (),
    .drop = drop,
  };
  Opening opening = { element, settings, context != NULL };
  PacoCoder *coder;

  if (!parse_devices (settings, &options, error))
    return NULL;
  warn_of_ignored (element, settings);
  coder = paco_backends_open ((PacoUse) settings->backend, encoder, &options,
      log_refused, &opening, error);
  if (coder != NULL)
    log_opened (element, settings, context, coder);
  return coder;
}

PacoCoder *
gst_paco_open_encoder (GstElement *element, const GstPacoSettings *settings,
    const PacoForeignContext *context, void (*drop) (void *), GError **error)
{
  return open_backend (element, settings, TRUE, context, drop, error);
}

PacoCoder *
gst_paco_open_decoder (GstElement *element, const GstPacoSettings *settings,
    const PacoForeignContext *context, void (*drop) (void *), GError **error)
{
  return open_backend (element, settings, FALSE, context, drop, error);
}

static void
append_device (GValue *array, const PacoDeviceStats *stats)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, GST_TYPE_STRUCTURE);
  g_value_take_boxed (&value,
      gst_structure_new ("device", "name", G_TYPE_STRING, stats->name, "frames",
          G_TYPE_UINT64, stats->frames, "bytes", G_TYPE_UINT64, stats->bytes,
          "device-memory", G_TYPE_UINT64, stats->memory, NULL));
  gst_value_array_append_and_take_value (array, &value);
}

static void
set_devices (GstStructure *structure, const PacoStats *stats)
{
  GValue devices = G_VALUE_INIT;
  guint64 memory = 0;

  gst_value_array_init (&devices, stats->n_devices);
  for (guint i = 0; i < stats->n_devices; i++) {
    append_device (&devices, &stats->devices[i]);
    memory += stats->devices[i].memory;
  }
  gst_structure_set (structure, "device-memory", G_TYPE_UINT64, memory, NULL);
  gst_structure_take_value (structure, "devices", &devices);
}

GstStructure *
gst_paco_stats_to_structure (const PacoStats *stats)
{
  GstStructure *structure = gst_structure_new ("application/x-paco-stats",
      "backend", G_TYPE_STRING, stats->backend, "device", G_TYPE_STRING,
      stats->device, "frames", G_TYPE_UINT64, stats->frames, "bytes",
      G_TYPE_UINT64, stats->bytes, "corrupted-blocks", G_TYPE_UINT64,
      stats->corrupted_blocks, "concealed-blocks", G_TYPE_UINT64,
      stats->concealed_blocks, "transform-ms", G_TYPE_DOUBLE,
      stats->transform_ms, "blocks-ms", G_TYPE_DOUBLE, stats->blocks_ms,
      "stream-ms", G_TYPE_DOUBLE, stats->stream_ms, NULL);

  gst_structure_set (
      structure, "configurations", G_TYPE_UINT64, stats->configurations, NULL);
  set_devices (structure, stats);
  return structure;
}

void
gst_paco_post_error (GstElement *element, GError *error)
{
  const char *message = error != NULL ? error->message : "unknown reason";
  gint code = error != NULL && error->domain == PACO_ERROR ? error->code
                                                           : PACO_ERROR_CORRUPT;

  switch (code) {
    case PACO_ERROR_UNSUPPORTED:
      GST_ELEMENT_ERROR (element, LIBRARY, SETTINGS, ("%s", message), (NULL));
      break;
    case PACO_ERROR_MEMORY:
      GST_ELEMENT_ERROR (
          element, RESOURCE, NO_SPACE_LEFT, ("%s", message), (NULL));
      break;
    case PACO_ERROR_DEVICE:
    case PACO_ERROR_NO_DEVICE:
      GST_ELEMENT_ERROR (element, RESOURCE, NOT_FOUND, ("%s", message), (NULL));
      break;
    default:
      GST_ELEMENT_ERROR (element, STREAM, FAILED, ("%s", message), (NULL));
      break;
  }
  g_clear_error (&error);
}

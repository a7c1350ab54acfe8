/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Opens a backend by lib/stream/backends.c; its statistics, errors and log
 * (gstpacobackend.h). */
#include "gstpacobackend.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

static void
warn_of_ignored (GstElement *element, const PacoSettings *settings)
{
  if (paco_settings_have_devices (settings)
      && settings->backend == PACO_USE_CPU)
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
        ("cuda-devices=%s has no effect with backend=cpu",
            settings->cuda_devices),
        (NULL));
  else if (paco_settings_have_devices (settings)
      && settings->cuda_device_id >= 0)
    GST_ELEMENT_WARNING (element, LIBRARY, SETTINGS,
        ("cuda-device-id=%d has no effect with cuda-devices=%s; leave one of "
         "them out",
            settings->cuda_device_id, settings->cuda_devices),
        (NULL));
}

/* --- Opening --- */

/* Milliseconds, or 0 for the standard: debuggers need more, and tests less. */
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
  const PacoSettings *settings;
  gboolean in_context;
} Opening;

/* That there is no GPU is news only to those who have asked for one; that there
 * is one of no use is a warning. Neither is told if no other backend would do. */
static void
log_refused (gpointer user_data, PacoUse which, const GError *failure)
{
  const Opening *opening = user_data;
  GstElement *element = opening->element;
  const PacoSettings *settings = opening->settings;
  gboolean missing = g_error_matches (
      failure, PACO_ERROR, PACO_ERROR_NO_DEVICE);

  if (opening->in_context)
    return;
  GST_CAT_LEVEL_LOG (GST_CAT_DEFAULT,
      missing ? GST_LEVEL_INFO : GST_LEVEL_WARNING, element,
      "the %s backend cannot be used: %s",
      which == PACO_USE_CUDA ? "cuda" : "cpu", failure->message);
  if (settings->backend != PACO_USE_AUTO || which != PACO_USE_CUDA)
    return;
  if (paco_settings_have_devices (settings))
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
log_opened (GstElement *element, const PacoSettings *settings,
    const PacoForeignContext *context, PacoCoder *coder)
{
  PacoStats stats;

  paco_coder_stats (coder, &stats);
  GST_INFO_OBJECT (element,
      "using the %s backend (%s), %s; up to %u frames in flight", stats.backend,
      stats.device,
      context != NULL ? "in the context of the pictures"
          : settings->backend == PACO_USE_AUTO
          ? "the first that backend=auto finds"
          : "as backend says",
      paco_coder_depth (coder));
}

PacoCoder *
gst_paco_open (GstElement *element, const PacoSettings *settings,
    gboolean encoder, const PacoForeignContext *context, void (*drop) (void *),
    GError **error)
{
  PacoBackendOptions options = {
    .context = context != NULL ? *context : (PacoForeignContext){ NULL },
    .timeout = device_timeout (),
    .drop = drop,
  };
  Opening opening = { element, settings, context != NULL };
  PacoCoder *coder;

  if (!paco_settings_to_options (settings, &options, error))
    return NULL;
  warn_of_ignored (element, settings);
  coder = paco_backends_open ((PacoUse) settings->backend, encoder, &options,
      log_refused, &opening, error);
  if (coder != NULL)
    log_opened (element, settings, context, coder);
  return coder;
}

/* --- Statistics and errors --- */

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

/* --- Log --- */

/* Returns "64x32 to 64x128", or one size if all are alike. */
static char *
describe_codeblocks (const PacoPictureFormat *picture, const PacoCoding *coding)
{
  guint low = G_MAXUINT, high = 0;

  for (guint c = 0; c < picture->n_components; c++)
    for (guint k = 0; k < 3u * coding->levels + 1; k++) {
      guint height = 32u << coding->subbands[c][k].height_log2;

      low = MIN (low, height);
      high = MAX (high, height);
    }
  return low == high ? g_strdup_printf ("64x%u", low)
                     : g_strdup_printf ("64x%u to 64x%u", low, high);
}

/* Returns "10 bits 1x1 cdf97, 10 bits 2x1 cdf97, ...". */
static char *
describe_components (const PacoPictureFormat *picture, const PacoCoding *coding)
{
  GString *text = g_string_new (NULL);

  for (guint c = 0; c < picture->n_components; c++) {
    const PacoComponent *component = &picture->components[c];

    g_string_append_printf (text, "%s%u bits %ux%u %s", c > 0 ? ", " : "",
        component->depth, 1u << component->subsampling_x,
        1u << component->subsampling_y,
        paco_wavelets[coding->components[c].wavelet].name);
  }
  return g_string_free (text, FALSE);
}

void
gst_paco_log_coding (GstDebugCategory *category, GstElement *element,
    const PacoPictureFormat *picture, const PacoCoding *coding)
{
  g_autofree char *components = NULL, *codeblocks = NULL;

  if (gst_debug_category_get_threshold (category) < GST_LEVEL_DEBUG)
    return;
  components = describe_components (picture, coding);
  codeblocks = describe_codeblocks (picture, coding);
  GST_CAT_DEBUG_OBJECT (category, element,
      "coding: %ux%u in %s, components: %s; levels %u, codeblocks %s, "
      "coding passes %u, color transform %s, block checks %s",
      picture->width, picture->height,
      picture->fields ? "two fields" : "one piece", components, coding->levels,
      codeblocks, coding->coding_passes,
      paco_color_transforms[coding->color_transform].name,
      coding->block_checks ? "on" : "off");
}

void
gst_paco_log_stats (
    GstDebugCategory *category, GstElement *element, const PacoStats *stats)
{
  double frames = (double) MAX (stats->frames, 1);

  GST_CAT_DEBUG_OBJECT (category, element,
      "%" G_GUINT64_FORMAT " frames of %" G_GUINT64_FORMAT
      " bytes in all, %" G_GUINT64_FORMAT
      " broken blocks; milliseconds a frame: transform %.2f, "
      "blocks %.2f, stream %.2f",
      stats->frames, stats->bytes, stats->corrupted_blocks,
      stats->transform_ms / frames, stats->blocks_ms / frames,
      stats->stream_ms / frames);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Pictures in the memory of a GPU, through libgstcuda (gstpacocudalibrary.h);
 * gstpacocuda.h says for whom. */
#include "gstpacocuda.h"
#include "caps/mosaics.h"
#include "gpu/driver_types.h"

void
gst_paco_cuda_init (GstPacoCuda *cuda, GstElement *element)
{
  cuda->element = element;
  g_rec_mutex_init (&cuda->lock);
}

void
gst_paco_cuda_clear (GstPacoCuda *cuda)
{
  g_clear_pointer (&cuda->context, gst_object_unref);
  g_rec_mutex_clear (&cuda->lock);
}

/* --- Caps --- */

static gboolean
has_feature (const GstCapsFeatures *features)
{
  return features != NULL && !gst_caps_features_is_any (features)
      && gst_caps_features_contains (features, GST_PACO_CUDA_FEATURE);
}

static gboolean
is_device_format (const GstPacoCudaLibrary *library, const GValue *name)
{
  GstVideoFormat format = gst_video_format_from_string (
      g_value_get_string (name));

  return format != GST_VIDEO_FORMAT_UNKNOWN
      && gst_paco_cuda_library_has_format (library, format);
}

/* Keeps only the formats that there is memory for. FALSE if none are left. */
static gboolean
keep_device_formats (const GstPacoCudaLibrary *library, GstStructure *structure)
{
  const GValue *formats = gst_structure_get_value (structure, "format");
  GValue kept = G_VALUE_INIT;
  gboolean any;

  if (formats != NULL && G_VALUE_HOLDS_STRING (formats))
    return is_device_format (library, formats);
  if (formats == NULL || !GST_VALUE_HOLDS_LIST (formats))
    return FALSE;
  g_value_init (&kept, GST_TYPE_LIST);
  for (guint i = 0; i < gst_value_list_get_size (formats); i++) {
    const GValue *name = gst_value_list_get_value (formats, i);

    if (is_device_format (library, name))
      gst_value_list_append_value (&kept, name);
  }
  any = gst_value_list_get_size (&kept) > 0;
  gst_structure_take_value (structure, "format", &kept);
  return any;
}

/* Single fields in buffers, which have a feature of their own, are left out. */
GstCaps *
gst_paco_cuda_extend_caps (GstCaps *raw)
{
  const GstPacoCudaLibrary *library = gst_paco_cuda_library ();
  GstCaps *caps;

  if (library == NULL)
    return raw;
  caps = gst_caps_new_empty ();
  for (guint i = 0; i < gst_caps_get_size (raw); i++) {
    GstStructure *structure;

    if (!gst_caps_features_is_equal (gst_caps_get_features (raw, i),
            GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
      continue;
    structure = gst_structure_copy (gst_caps_get_structure (raw, i));
    if (keep_device_formats (library, structure))
      gst_caps_append_structure_full (
          caps, structure, gst_caps_features_new (GST_PACO_CUDA_FEATURE, NULL));
    else
      gst_structure_free (structure);
  }
  gst_caps_append (caps, raw);
  return caps;
}

/* Keeps structures on a device, or those elsewhere. */
static gboolean
is_on_device (GstCapsFeatures *features, GstStructure *structure, gpointer on)
{
  return has_feature (features) == GPOINTER_TO_INT (on);
}

GstCaps *
gst_paco_cuda_strip_caps (GstCaps *caps)
{
  caps = gst_caps_make_writable (caps);
  gst_caps_filter_and_map_in_place (
      caps, is_on_device, GINT_TO_POINTER (FALSE));
  return caps;
}

gboolean
gst_paco_cuda_is_caps (const GstCaps *caps)
{
  return caps != NULL && gst_caps_get_size (caps) > 0
      && has_feature (gst_caps_get_features (caps, 0));
}

GstVideoFormat
gst_paco_cuda_pick_format (GstPad *pad, GstVideoFormat coded, guint width,
    guint height, GstVideoInterlaceMode mode)
{
  const GstPacoCudaLibrary *library = gst_paco_cuda_library_loaded ();
  g_autoptr (GstCaps) named = NULL, template = NULL, picked = NULL;
  GstVideoFormat format;

  if (library == NULL || mode == GST_VIDEO_INTERLACE_MODE_ALTERNATE)
    return GST_VIDEO_FORMAT_UNKNOWN;

  /* Converters, which take anything, have not asked for this feature. */
  named = gst_pad_peer_query_caps (pad, NULL);
  if (gst_caps_is_any (named))
    return GST_VIDEO_FORMAT_UNKNOWN;
  named = gst_caps_make_writable (named);
  gst_caps_filter_and_map_in_place (
      named, is_on_device, GINT_TO_POINTER (TRUE));
  template = gst_pad_get_pad_template_caps (pad);
  gst_caps_take (&named, gst_caps_intersect (named, template));
  named = gst_caps_make_writable (named);
  for (guint i = 0; i < gst_caps_get_size (named); i++)
    gst_caps_set_features (named, i, NULL);
  if (gst_caps_is_empty (named))
    return GST_VIDEO_FORMAT_UNKNOWN;

  format = paco_raw_format_pick (coded, width, mode, named);
  picked = gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING,
      gst_video_format_to_string (format), "width", G_TYPE_INT, (gint) width,
      "height", G_TYPE_INT, (gint) height, NULL);
  return gst_caps_can_intersect (named, picked)
          && gst_paco_cuda_library_has_format (library, format)
      ? format
      : GST_VIDEO_FORMAT_UNKNOWN;
}

/* --- Context --- */

void
gst_paco_cuda_set_context (
    GstPacoCuda *cuda, GstContext *context, gint device_id)
{
  const GstPacoCudaLibrary *library;

  if (context == NULL
      || !gst_context_has_context_type (context, GST_PACO_CUDA_CONTEXT_TYPE))
    return;
  library = gst_paco_cuda_library_loaded ();
  if (library == NULL)
    return;
  g_rec_mutex_lock (&cuda->lock);
  library->set_context (cuda->element, context, device_id, &cuda->context);
  g_rec_mutex_unlock (&cuda->lock);
}

/* The thread that holds the lock may be asking this very element, so this does not wait
 * for it: then there is no context yet. */
gboolean
gst_paco_cuda_answer (GstPacoCuda *cuda, GstQuery *query)
{
  gboolean answered;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT
      || !g_rec_mutex_trylock (&cuda->lock))
    return FALSE;
  answered = cuda->context != NULL
      && gst_paco_cuda_library ()->context_query (
          cuda->element, query, cuda->context);
  g_rec_mutex_unlock (&cuda->lock);
  return answered;
}

/* An element that has a context may also set it on this element. */
static void
ask_neighbor (GstPacoCuda *cuda, const char *pad_name)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (cuda->element, pad_name);
  g_autoptr (GstQuery)
      query = gst_query_new_context (GST_PACO_CUDA_CONTEXT_TYPE);
  GstContext *context = NULL;

  if (gst_pad_peer_query (pad, query))
    gst_query_parse_context (query, &context);
  if (context != NULL)
    gst_element_set_context (cuda->element, context);
}

static GstPacoCudaContext *
peek_context (GstPacoCuda *cuda)
{
  GstPacoCudaContext *context = NULL;

  g_rec_mutex_lock (&cuda->lock);
  if (cuda->context != NULL)
    context = gst_object_ref (cuda->context);
  g_rec_mutex_unlock (&cuda->lock);
  return context;
}

GstPacoCudaContext *
gst_paco_cuda_ask_neighbors (GstPacoCuda *cuda)
{
  GstPacoCudaContext *context;

  g_rec_mutex_lock (&cuda->lock);
  if (cuda->context == NULL)
    ask_neighbor (cuda, "sink");
  if (cuda->context == NULL)
    ask_neighbor (cuda, "src");
  context = peek_context (cuda);
  g_rec_mutex_unlock (&cuda->lock);
  return context;
}

GstPacoCudaContext *
gst_paco_cuda_find_context (
    GstPacoCuda *cuda, gint device_id, gboolean may_create)
{
  const GstPacoCudaLibrary *library = gst_paco_cuda_library_loaded ();
  GstPacoCudaContext *context = NULL;
  g_autoptr (GstContext) known = NULL;

  if (library == NULL)
    return NULL;
  /* This one was set before the element was started last. */
  known = gst_element_get_context (cuda->element, GST_PACO_CUDA_CONTEXT_TYPE);
  g_rec_mutex_lock (&cuda->lock);
  if (cuda->context == NULL && known != NULL)
    library->set_context (cuda->element, known, device_id, &cuda->context);
  if (may_create) {
    library->ensure_context (cuda->element, device_id, &cuda->context);
    context = peek_context (cuda);
  } else {
    context = gst_paco_cuda_ask_neighbors (cuda);
    if (context == NULL) {
      gst_element_post_message (cuda->element,
          gst_message_new_need_context (
              GST_OBJECT (cuda->element), GST_PACO_CUDA_CONTEXT_TYPE));
      context = peek_context (cuda);
    }
  }
  g_rec_mutex_unlock (&cuda->lock);
  return context;
}

void
gst_paco_cuda_share (GstPacoCuda *cuda, GstPacoCudaContext *context)
{
  g_autoptr (GstPacoCudaContext) last = NULL;

  g_rec_mutex_lock (&cuda->lock);
  last = cuda->context;
  cuda->context = context != NULL ? gst_object_ref (context) : NULL;
  g_rec_mutex_unlock (&cuda->lock);
}

static GstPacoCudaMemory *
device_memory (const GstPacoCudaLibrary *library, GstBuffer *buffer)
{
  GstMemory *memory;

  if (library == NULL || gst_buffer_n_memory (buffer) != 1)
    return NULL;
  memory = gst_buffer_peek_memory (buffer, 0);
  return library->is_memory (memory) ? (GstPacoCudaMemory *) memory : NULL;
}

GstPacoCudaContext *
gst_paco_cuda_buffer_context (GstBuffer *buffer)
{
  GstPacoCudaMemory *memory = device_memory (gst_paco_cuda_library (), buffer);

  return memory != NULL ? memory->context : NULL;
}

PacoForeignContext
gst_paco_cuda_context_foreign (GstPacoCudaContext *context)
{
  return (PacoForeignContext){
    .handle = gst_paco_cuda_library ()->context_handle (context),
    .owner = context,
    .ref = gst_object_ref,
    .unref = gst_object_unref,
  };
}

/* --- Pools --- */

static gboolean
is_ours (GstPacoCuda *cuda, GstBufferPool *pool)
{
  return pool != NULL
      && g_type_is_a (
          G_OBJECT_TYPE (pool), gst_paco_cuda_library ()->pool_type ())
      && gst_paco_cuda_library ()->context_handle (
             ((GstPacoCudaPool *) pool)->context)
      == cuda->handle;
}

/* Sets the pool up. *size becomes the size of its buffers. */
static gboolean
configure_pool (
    GstBufferPool *pool, GstCaps *caps, guint *size, guint min, guint max)
{
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, *size, min, max);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config))
    return FALSE;
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, size, NULL, NULL);
  gst_structure_free (config);
  return TRUE;
}

/* Returns a new pool in the coder's context, or NULL. */
static GstBufferPool *
new_pool (GstPacoCuda *cuda, GstCaps *caps, guint *size, guint min)
{
  g_autoptr (GstPacoCudaContext) context = peek_context (cuda);
  GstBufferPool *pool = NULL;
  GstVideoInfo info;

  if (context != NULL && gst_video_info_from_caps (&info, caps)
      && gst_paco_cuda_library_has_format (
          gst_paco_cuda_library (), GST_VIDEO_INFO_FORMAT (&info))) {
    *size = GST_VIDEO_INFO_SIZE (&info);
    pool = gst_paco_cuda_library ()->pool_new (context);
    if (!configure_pool (pool, caps, size, min, 0))
      gst_clear_object (&pool);
  }
  return pool;
}

gboolean
gst_paco_cuda_propose (GstPacoCuda *cuda, GstQuery *query, guint n)
{
  g_autoptr (GstBufferPool) pool = NULL;
  GstCaps *caps;
  guint size;

  gst_query_parse_allocation (query, &caps, NULL);
  pool = new_pool (cuda, caps, &size, n);
  if (pool != NULL)
    gst_query_add_allocation_pool (query, pool, size, n, 0);
  return pool != NULL;
}

/* A pool of downstream's that would run out of buffers is not used either. */
gboolean
gst_paco_cuda_decide (GstPacoCuda *cuda, GstQuery *query, guint n)
{
  gboolean has_pool = gst_query_get_n_allocation_pools (query) > 0;
  g_autoptr (GstBufferPool) pool = NULL;
  guint size = 0, min = 0, max = 0;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (has_pool)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  min += n;
  if (!is_ours (cuda, pool) || (max != 0 && max < min)
      || !configure_pool (pool, caps, &size, min, max)) {
    gst_clear_object (&pool);
    max = 0;
    pool = new_pool (cuda, caps, &size, min);
  }
  if (pool == NULL)
    return FALSE;
  if (has_pool)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  return TRUE;
}

/* --- Frames --- */

/* How many bytes of a line the library copies to the host and back. */
static gint64
copied_bytes (const GstPacoCudaMemory *memory)
{
  GstVideoInfo info;

  if (!gst_video_info_set_format (&info, GST_VIDEO_INFO_FORMAT (&memory->info),
          memory->info.width, memory->info.height))
    return 0;
  return GST_VIDEO_INFO_PLANE_STRIDE (&info, 0);
}

/* Version 1.22 does not copy some lines of planes that begin within a line of memory,
 * as they do in pictures of an odd height. */
static gboolean
is_copied (const GstVideoFrame *frame, const GstVideoInfo *info,
    const GstPacoCudaMemory *memory)
{
  gint64 pitch = GST_VIDEO_INFO_PLANE_STRIDE (&memory->info, 0);

  for (guint c = 0; c < GST_VIDEO_INFO_N_COMPONENTS (info); c++) {
    guint p = GST_VIDEO_FORMAT_INFO_PLANE (info->finfo, c);
    const GstMapInfo *map = &frame->map[frame->meta != NULL ? p : 0];
    gint64 begin = (guint8 *) frame->data[p] - map->data;
    gint64 row = (gint64) GST_VIDEO_FORMAT_INFO_PSTRIDE (info->finfo, c)
        * GST_VIDEO_INFO_COMP_WIDTH (info, c);

    if (begin % pitch + row > copied_bytes (memory))
      return FALSE;
  }
  return TRUE;
}

/* Lines of device memory have a length of their own. If the buffer has a meta, that
 * counts instead, and gst_video_frame_map() reads it. */
static void
adapt_info (
    GstVideoInfo *info, const GstPacoCudaMemory *memory, GstBuffer *buffer)
{
  if (gst_buffer_get_video_meta (buffer) != NULL
      || GST_VIDEO_INFO_FORMAT (&memory->info) != GST_VIDEO_INFO_FORMAT (info))
    return;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (info); p++) {
    info->stride[p] = memory->info.stride[p];
    info->offset[p] = memory->info.offset[p];
  }
  info->size = memory->info.size;
}

/* Memory names its stream since 1.24. Everything else, and all before 1.24, is done in
 * CUDA's default stream, where elements do not wait for copies within the device. */
static gpointer
memory_stream (
    const GstPacoCudaLibrary *library, const GstPacoCudaMemory *memory)
{
  gpointer stream = NULL;

  if (library->memory_stream != NULL && library->stream_handle != NULL)
    stream = library->stream_handle (
        library->memory_stream ((GstPacoCudaMemory *) memory));
  return stream != NULL ? stream : CU_STREAM_LEGACY;
}

/* Maps device memory, into the device's or the host's addresses. */
static gboolean
map_device_memory (GstPacoCuda *cuda, GstVideoFrame *frame,
    const GstVideoInfo *info, GstBuffer *buffer,
    const GstPacoCudaMemory *memory, GstMapFlags access, gpointer *stream)
{
  const GstPacoCudaLibrary *library = gst_paco_cuda_library ();
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);
  gboolean stays = cuda->handle != NULL
      && library->context_handle (memory->context) == cuda->handle;
  GstVideoInfo adapted = *info;

  if (meta != NULL
      && ((gint) meta->width < info->width
          || (gint) meta->height < info->height))
    return FALSE;
  adapt_info (&adapted, memory, buffer);
  if (!gst_video_frame_map (
          frame, &adapted, buffer, stays ? access | GST_PACO_MAP_CUDA : access))
    return FALSE;
  /* This is asked once the frame is mapped, because mapping may enqueue
   * something. */
  *stream = stays ? memory_stream (library, memory) : NULL;
  if (GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_INFO_FORMAT (info)
      && (stays || is_copied (frame, info, memory)))
    return TRUE;
  gst_video_frame_unmap (frame);
  return FALSE;
}

gboolean
gst_paco_cuda_map (GstPacoCuda *cuda, GstVideoFrame *frame,
    const PacoRawFormat *raw, const GstVideoInfo *info, GstBuffer *buffer,
    GstMapFlags access, PacoPicture *picture)
{
  const GstPacoCudaMemory *memory = device_memory (
      gst_paco_cuda_library (), buffer);
  gpointer stream = NULL;
  gboolean mapped;

  if (raw->mosaic)
    mapped = paco_mosaic_map (frame, info, buffer, access);
  else if (memory == NULL)
    mapped = gst_video_frame_map (frame, info, buffer, access);
  else
    mapped = map_device_memory (
        cuda, frame, info, buffer, memory, access, &stream);
  if (!mapped)
    return FALSE;
  if (!paco_frame_fits (raw, info, frame)) {
    gst_video_frame_unmap (frame);
    return FALSE;
  }
  if (!raw->tiled)
    paco_picture_from_frame (raw, frame, picture);
  picture->memory = stream != NULL ? PACO_MEMORY_DEVICE : PACO_MEMORY_HOST;
  picture->stream = stream;
  return TRUE;
}

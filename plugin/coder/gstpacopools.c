/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Proposes and decides pools and memory in allocation queries; gstpacopools.h says for
 * whom. */
#include "gstpacopools.h"
#include "caps/mosaics.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

/* Returns how many pictures of these caps are in flight at most. Sets *allocator to
 * memory that the device reaches by itself, if there is any. */
static guint
find_needs (GstPacoCoder *coder, const GstCaps *caps, GstAllocator **allocator)
{
  PacoPictureFormat picture;
  guint depth, n_devices;
  GstVideoInfo info;
  PacoRawFormat raw;

  GST_OBJECT_LOCK (coder->element);
  if (coder->allocator != NULL)
    *allocator = gst_object_ref (coder->allocator);
  depth = coder->settings.pipeline_depth;
  n_devices = coder->n_devices;
  GST_OBJECT_UNLOCK (coder->element);
  if (caps != NULL && paco_raw_format_from_caps (caps, &info, &raw)) {
    paco_picture_format_from_raw (&raw, &info, false, &picture);
    depth = paco_frames_in_flight (&picture, depth);
  }
  return depth * n_devices;
}

static gboolean
add_pool (GstQuery *query, GstCaps *caps, guint size, GstAllocator *allocator,
    guint n_buffers)
{
  gboolean mosaic = paco_mosaic_is_caps (caps);
  g_autoptr (GstBufferPool) pool = mosaic ? gst_buffer_pool_new ()
                                          : gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_set_params (config, caps, size, n_buffers, 0);
  if (!mosaic)
    gst_buffer_pool_config_add_option (
        config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  if (!gst_buffer_pool_set_config (pool, config))
    return FALSE;
  gst_query_add_allocation_pool (query, pool, size, n_buffers, 0);
  return TRUE;
}

/* Upstream gets one buffer more than there are frames in flight. */
gboolean
gst_paco_pools_propose (GstPacoCoder *coder, GstQuery *query)
{
  g_autoptr (GstAllocator) allocator = NULL;
  GstVideoInfo info;
  PacoRawFormat raw;
  GstCaps *caps;
  guint n;

  gst_query_parse_allocation (query, &caps, NULL);
  if (caps == NULL || !paco_raw_format_from_caps (caps, &info, &raw))
    return FALSE;
  /* GstVideoMeta does not know mosaics. */
  if (!raw.mosaic)
    gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);

  n = find_needs (coder, caps, &allocator) + 1;
  if (gst_paco_cuda_is_caps (caps))
    return gst_paco_cuda_propose (&coder->cuda, query, n);
  if (allocator != NULL)
    gst_query_add_allocation_param (query, allocator, NULL);
  return add_pool (query, caps, GST_VIDEO_INFO_SIZE (&info), allocator, n);
}

void
gst_paco_pools_propose_coded (GstPacoCoder *coder, GstQuery *query)
{
  g_autoptr (GstAllocator) coded = NULL;

  GST_OBJECT_LOCK (coder->element);
  if (coder->coded != NULL)
    coded = gst_object_ref (coder->coded);
  GST_OBJECT_UNLOCK (coder->element);
  if (coded != NULL)
    gst_query_add_allocation_param (query, coded, NULL);
}

/* Every frame in flight holds a buffer. A pool that may run dry before would stall the
 * stream, and is replaced. */
static void
reserve_buffers (GstQuery *query, guint n_in_flight)
{
  g_autoptr (GstBufferPool) pool = NULL;
  guint size, min, max;

  if (gst_query_get_n_allocation_pools (query) == 0)
    return;

  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  min += n_in_flight;
  if (max != 0 && max < min) {
    GST_DEBUG ("downstream's pool of %u buffers is too small", max);
    gst_clear_object (&pool);
    max = 0;
  }
  gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
}

/* Downstream's own memory goes before the device's. */
static void
offer_memory (GstQuery *query, GstAllocator *allocator)
{
  g_autoptr (GstAllocator) theirs = NULL;
  GstAllocationParams params;

  if (allocator == NULL)
    return;
  if (gst_query_get_n_allocation_params (query) == 0) {
    gst_query_add_allocation_param (query, allocator, NULL);
    return;
  }
  gst_query_parse_nth_allocation_param (query, 0, &theirs, &params);
  if (theirs == NULL)
    gst_query_set_nth_allocation_param (query, 0, allocator, &params);
}

/* The base class does not know how large a mosaic is. */
static void
tell_size (GstQuery *query, const GstCaps *caps)
{
  GstVideoInfo info;
  PacoRawFormat raw;
  guint n = gst_query_get_n_allocation_pools (query);

  if (!paco_mosaic_is_caps (caps)
      || !paco_raw_format_from_caps (caps, &info, &raw))
    return;
  if (n == 0)
    gst_query_add_allocation_pool (query, NULL, info.size, 0, 0);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GstBufferPool) pool = NULL;
    guint size, min, max;

    gst_query_parse_nth_allocation_pool (query, i, &pool, &size, &min, &max);
    gst_query_set_nth_allocation_pool (
        query, i, pool, MAX (size, info.size), min, max);
  }
}

gboolean
gst_paco_pools_adapt (GstPacoCoder *coder, GstQuery *query)
{
  g_autoptr (GstAllocator) allocator = NULL;
  guint n_in_flight;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  n_in_flight = find_needs (coder, caps, &allocator);
  if (gst_paco_cuda_is_caps (caps))
    return gst_paco_cuda_decide (&coder->cuda, query, n_in_flight);
  offer_memory (query, allocator);
  tell_size (query, caps);
  reserve_buffers (query, n_in_flight);
  return TRUE;
}

static void
enable_video_meta (GstQuery *query, GstBufferPool *pool)
{
  GstStructure *config;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (paco_mosaic_is_caps (caps)
      || !gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    return;
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config))
    GST_DEBUG_OBJECT (pool, "the pool has no video meta");
}

gboolean
gst_paco_pools_activate (GstQuery *query)
{
  g_autoptr (GstBufferPool) pool = NULL;

  gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  enable_video_meta (query, pool);
  return gst_buffer_pool_set_active (pool, TRUE);
}

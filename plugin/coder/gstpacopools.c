/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Proposes and decides pools and memory in allocation queries; gstpacopools.h says for
 * whom. */
#include "gstpacopools.h"
#include "caps/formats.h"
#include "codec/coder.h"

GST_DEBUG_CATEGORY_EXTERN (gst_paco_debug);
#define GST_CAT_DEFAULT gst_paco_debug

/* Returns how many frames of such pictures are in flight at most. */
static guint
count_in_flight (const GstVideoInfo *info, guint depth, guint n_devices)
{
  PacoPictureFormat picture;

  if (paco_picture_format_from_info (info, false, &picture))
    depth = paco_frames_in_flight (&picture, depth);
  return depth * n_devices;
}

static gboolean
add_pool (GstQuery *query, GstCaps *caps, guint size, GstAllocator *allocator,
    guint n_buffers)
{
  GstBufferPool *pool = gst_video_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  gboolean ok;

  gst_buffer_pool_config_set_params (config, caps, size, n_buffers, 0);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (allocator != NULL)
    gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  ok = gst_buffer_pool_set_config (pool, config);
  if (ok)
    gst_query_add_allocation_pool (query, pool, size, n_buffers, 0);
  gst_object_unref (pool);
  return ok;
}

/* Proposes more buffers than there are frames in flight, so that upstream can
 * fill one meanwhile. Their strides may be any. */
gboolean
gst_paco_pools_propose (GstQuery *query, GstPacoCuda *cuda,
    GstAllocator *allocator, guint depth, guint n_devices)
{
  GstVideoInfo info;
  GstCaps *caps;

  gst_query_add_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL);
  gst_query_parse_allocation (query, &caps, NULL);
  if (caps == NULL || !gst_video_info_from_caps (&info, caps))
    return FALSE;

  if (gst_paco_cuda_is_caps (caps))
    return gst_paco_cuda_propose (
        cuda, query, count_in_flight (&info, depth, n_devices) + 1);
  if (allocator != NULL)
    gst_query_add_allocation_param (query, allocator, NULL);
  return add_pool (query, caps, GST_VIDEO_INFO_SIZE (&info), allocator,
      count_in_flight (&info, depth, n_devices) + 1);
}

/* Every frame in flight holds a buffer while it is decoded. A pool that may
 * run dry before as many frames are in flight would stall the stream, so
 * such a pool is replaced. */
static void
reserve_buffers (GstQuery *query, guint n_in_flight)
{
  GstBufferPool *pool = NULL;
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
  gst_clear_object (&pool);
}

/* Offers memory that the device writes by itself, unless downstream has its own. */
static void
offer_memory (GstQuery *query, GstAllocator *allocator)
{
  GstAllocator *theirs = NULL;
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
  gst_clear_object (&theirs);
}

gboolean
gst_paco_pools_adapt (GstQuery *query, GstPacoCuda *cuda,
    GstAllocator *allocator, guint depth, guint n_devices)
{
  guint n_in_flight = depth * n_devices;
  GstVideoInfo info;
  GstCaps *caps;

  gst_query_parse_allocation (query, &caps, NULL);
  if (caps != NULL && gst_video_info_from_caps (&info, caps))
    n_in_flight = count_in_flight (&info, depth, n_devices);
  if (gst_paco_cuda_is_caps (caps))
    return gst_paco_cuda_decide (cuda, query, n_in_flight);
  offer_memory (query, allocator);
  reserve_buffers (query, n_in_flight);
  return TRUE;
}

void
gst_paco_pools_enable_video_meta (GstQuery *query)
{
  GstBufferPool *pool = NULL;
  GstStructure *config;

  if (!gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL))
    return;

  gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  if (!gst_buffer_pool_set_config (pool, config))
    GST_DEBUG_OBJECT (pool, "the pool has no video meta");
  gst_object_unref (pool);
}

gboolean
gst_paco_pools_activate (GstQuery *query)
{
  GstBufferPool *pool = NULL;
  gboolean active;

  gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  active = gst_buffer_pool_set_active (pool, TRUE);
  gst_object_unref (pool);
  return active;
}

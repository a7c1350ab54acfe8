/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Helps tests of metas, metadata.c and metadatakept.c: the pipelines' source,
 * probes, one meta of each kind, and how many there are. */
#pragma once
#include "recording.h"

#define N_FRAMES 12
#define FPS 25
#define WIDTH 96
#define HEIGHT 64

/* These give frames, and the same as fields, two of each frame. */
#define NUMBER "num-buffers=" G_STRINGIFY (N_FRAMES)
#define SIZE "width=" G_STRINGIFY (WIDTH) ",height=" G_STRINGIFY (HEIGHT)
#define RATE "framerate=" G_STRINGIFY (FPS) "/1"
#define FRAMES                                                                 \
  "videotestsrc " NUMBER " ! video/x-raw,format=I420," SIZE "," RATE
#define FIELDS                                                                 \
  FRAMES " ! interlace field-pattern=2:2 ! video/x-raw(format:Interlaced)"

/* These take more for the caps, and settings of the encoder. */
#define SOURCE FRAMES "%s ! pacoenc name=enc %s ! "

/* Returns how many metas a picture has of each kind, as digits. */
static inline GstPadProbeReturn
count_metas (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GString *counts = user_data;
  const GType apis[] = { GST_VIDEO_CAPTION_META_API_TYPE,
    GST_VIDEO_AFD_META_API_TYPE, GST_VIDEO_BAR_META_API_TYPE,
    GST_VIDEO_TIME_CODE_META_API_TYPE,
    GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE,
    GST_REFERENCE_TIMESTAMP_META_API_TYPE };

  g_string_truncate (counts, 0);
  for (guint i = 0; i < G_N_ELEMENTS (apis); i++)
    g_string_append_printf (
        counts, "%u", gst_buffer_get_n_meta (info->data, apis[i]));
  return GST_PAD_PROBE_OK;
}

static inline GstPadProbeReturn
put_one_of_each (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = gst_buffer_make_writable (info->data);
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("timestamp/x-unix");

  info->data = buffer;
  gst_buffer_add_video_caption_meta (
      buffer, GST_VIDEO_CAPTION_TYPE_CEA608_RAW, (guint8 *) "ab", 2);
  gst_buffer_add_video_afd_meta (buffer, 0, 0, 8);
  gst_buffer_add_video_bar_meta (buffer, 0, TRUE, 1, 60);
  gst_buffer_add_video_time_code_meta_full (
      buffer, FPS, 1, NULL, 0, 1, 2, 3, 4, 0);
  gst_buffer_add_video_region_of_interest_meta (buffer, "face", 1, 2, 3, 4);
  gst_buffer_add_reference_timestamp_meta (buffer, caps, 1, 2);
  return GST_PAD_PROBE_OK;
}

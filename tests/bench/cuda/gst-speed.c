/* SPDX-License-Identifier: LGPL-2.1-or-later
 * How fast the elements are in a pipeline, host memory to host memory:
 *
 *   gst-speed PREFIX RATE-CONTROL FRAMES [FILE.ppm]
 *
 * encodes FRAMES frames of what paco-bench codes, decodes them, and prints two
 * JSON lines: medians over parts of the run. The frames lie in buffers of the
 * pool that the encoder proposes, as those of any source that asks for one.
 *
 * PACO_H2D_GBPS and PACO_D2H_GBPS are the rates of the bus as paco-bench has
 * found them; a ratio of 1 is a frame as fast as the bus moves its picture. */
#include "tests/bench/cuda/content.h"
#include "tests/bench/cuda/figures.h"
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_BUFFERS 6
#define N_WARM 30
#define N_WINDOWS 24

typedef struct
{
  GstElement *pipeline, *source;
  guint n_frames, n_seen, window;
  double windows[N_WINDOWS]; /* seconds of so many frames */
  gint64 begin;              /* of a window */
  GstSample *sample;         /* the first */
} Run;

static GstPadProbeReturn
see (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Run *run = data;

  gint64 now = g_get_monotonic_time ();
  guint seen = ++run->n_seen - N_WARM;

  if (run->n_seen >= N_WARM && seen % run->window == 0) {
    if (seen > 0 && seen / run->window <= N_WINDOWS)
      run->windows[seen / run->window - 1] = (double) (now - run->begin) / 1e6;
    run->begin = now;
  }
  if (run->n_seen == 1) {
    GstCaps *caps = gst_pad_get_current_caps (pad);

    run->sample = gst_sample_new (
        GST_PAD_PROBE_INFO_BUFFER (info), caps, NULL, NULL);
    gst_caps_unref (caps);
  }
  return GST_PAD_PROBE_OK;
}

/* source ! ELEMENT ! fakesink, with ELEMENT a description. */
static void
run_init (Run *run, const char *element, GstCaps *caps, guint n_frames)
{
  char *description = g_strdup_printf (
      "appsrc name=source format=time block=true max-buffers=2 max-bytes=0 ! "
      "%s ! fakesink name=sink sync=false qos=false",
      element);
  GError *error = NULL;
  GstElement *sink;
  GstPad *pad;

  *run = (Run){ .n_frames = n_frames,
    .window = (n_frames - N_WARM) / N_WINDOWS };
  run->pipeline = gst_parse_launch (description, &error);
  if (!run->pipeline)
    g_error ("%s", error->message);
  run->source = gst_bin_get_by_name (GST_BIN (run->pipeline), "source");
  gst_app_src_set_caps (GST_APP_SRC (run->source), caps);
  sink = gst_bin_get_by_name (GST_BIN (run->pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, see, run, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  gst_element_set_state (run->pipeline, GST_STATE_PLAYING);
  g_free (description);
}

/* Pushes the buffers again and again. */
static void
run_through (Run *run, GstBuffer **buffers, guint n_buffers)
{
  GstBus *bus = gst_element_get_bus (run->pipeline);
  GstMessage *message;

  for (guint i = 0; i < run->n_frames; i++) {
    GstBuffer *buffer = gst_buffer_copy (buffers[i % n_buffers]);

    GST_BUFFER_PTS (buffer) = i * GST_MSECOND;
    GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
    GST_BUFFER_DURATION (buffer) = GST_MSECOND;
    if (gst_app_src_push_buffer (GST_APP_SRC (run->source), buffer)
        != GST_FLOW_OK)
      break;
  }
  gst_app_src_end_of_stream (GST_APP_SRC (run->source));
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_error ("%s", error->message);
  }
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
run_finish (Run *run, const char *prefix, const char *way, const char *bus)
{
  char *variable = g_ascii_strup (bus, -1);
  char *name = g_strdup_printf ("PACO_%s", variable);
  const char *gbps = g_getenv (name);

  gst_element_set_state (run->pipeline, GST_STATE_NULL);
  gst_object_unref (run->source);
  gst_object_unref (run->pipeline);
  if (run->n_seen != run->n_frames)
    g_error ("%u frames came of %u", run->n_seen, run->n_frames);
  figure_speed (run->window / median (run->windows, N_WINDOWS), "frames/s", bus,
      gbps ? 1e9 * g_ascii_strtod (gbps, NULL)
              / (6 * CONTENT_WIDTH * CONTENT_HEIGHT)
           : 0,
      "%s_%s_fps", prefix, way);
  g_free (name);
  g_free (variable);
}

/* A pool as the element behind the source proposes it, or any. */
static GstBufferPool *
find_pool (GstElement *source, GstCaps *caps, gsize size)
{
  GstPad *pad = gst_element_get_static_pad (source, "src");
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstAllocator *allocator = NULL;
  GstAllocationParams params;
  GstBufferPool *pool = NULL;
  GstStructure *config;
  guint least, most, bytes = 0;

  gst_allocation_params_init (&params);
  /* The caps travel with the first buffer; elements want them before. */
  gst_pad_push_event (pad, gst_event_new_stream_start ("speed"));
  gst_pad_push_event (pad, gst_event_new_caps (caps));
  if (gst_pad_peer_query (pad, query)) {
    if (gst_query_get_n_allocation_pools (query) > 0)
      gst_query_parse_nth_allocation_pool (
          query, 0, &pool, &bytes, &least, &most);
    if (gst_query_get_n_allocation_params (query) > 0)
      gst_query_parse_nth_allocation_param (query, 0, &allocator, &params);
  }
  if (!pool)
    pool = gst_video_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (
      config, caps, MAX (bytes, size), N_BUFFERS, 0);
  if (allocator)
    gst_buffer_pool_config_set_allocator (config, allocator, &params);
  gst_buffer_pool_set_config (pool, config);
  gst_buffer_pool_set_active (pool, TRUE);
  fprintf (stderr, "pool: %s, allocator: %s\n", GST_OBJECT_NAME (pool),
      allocator ? G_OBJECT_TYPE_NAME (allocator) : "none");
  g_clear_object (&allocator);
  gst_query_unref (query);
  gst_object_unref (pad);
  return pool;
}

static void
fill_buffer (GstBuffer *buffer, const GstVideoInfo *info, const uint16_t *rgb)
{
  static const unsigned plane_of[3] = { 2, 0, 1 }; /* R, G, B in GBR */
  GstVideoFrame frame;

  if (!gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE))
    g_error ("a buffer cannot be mapped");
  for (unsigned c = 0; c < 3; c++) {
    uint8_t *data = GST_VIDEO_FRAME_PLANE_DATA (&frame, plane_of[c]);
    int stride = GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane_of[c]);

    for (unsigned y = 0; y < CONTENT_HEIGHT; y++)
      memcpy (data + (ptrdiff_t) y * stride,
          rgb + ((size_t) c * CONTENT_HEIGHT + y) * CONTENT_WIDTH,
          2 * CONTENT_WIDTH);
  }
  gst_video_frame_unmap (&frame);
}

int
main (int argc, char **argv)
{
  const char *prefix = argc > 1 ? argv[1] : "gst";
  const char *rate = argc > 2 ? argv[2] : "lossless";
  guint n_frames = argc > 3 ? (guint) atoi (argv[3]) : 200;
  uint16_t *rgb = g_malloc ((6 * CONTENT_WIDTH * CONTENT_HEIGHT));
  GstBuffer *buffers[N_BUFFERS], *coded;
  GstVideoInfo info;
  GstCaps *caps;
  GstBufferPool *pool;
  GstSample *first;
  char *element;
  Run run;

  if (n_frames < N_WINDOWS)
    g_error ("%u frames are too few", n_frames);
  gst_init (NULL, NULL);
  content_fill (rgb, CONTENT_WIDTH, CONTENT_HEIGHT, argc > 4 ? argv[4] : NULL);
  gst_video_info_set_format (
      &info, GST_VIDEO_FORMAT_GBR_12LE, CONTENT_WIDTH, CONTENT_HEIGHT);
  info.fps_n = 1000;
  info.fps_d = 1;
  caps = gst_video_info_to_caps (&info);

  element = g_strdup_printf (
      "pacoenc backend=cuda pipeline-depth=4 rate-control=%s", rate);
  run_init (&run, element, caps, n_frames + N_WARM);
  gst_element_get_state (run.pipeline, NULL, NULL, GST_SECOND);
  pool = find_pool (run.source, caps, GST_VIDEO_INFO_SIZE (&info));
  for (guint i = 0; i < N_BUFFERS; i++) {
    if (gst_buffer_pool_acquire_buffer (pool, &buffers[i], NULL) != GST_FLOW_OK)
      g_error ("the pool gives no buffer");
    fill_buffer (buffers[i], &info, rgb);
  }
  run_through (&run, buffers, N_BUFFERS);
  run_finish (&run, prefix, "enc", "h2d_gbps");
  first = run.sample;
  coded = gst_buffer_copy_deep (gst_sample_get_buffer (first));
  g_free (element);

  run_init (&run, "pacodec backend=cuda pipeline-depth=4",
      gst_sample_get_caps (first), n_frames + N_WARM);
  run_through (&run, &coded, 1);
  run_finish (&run, prefix, "dec", "d2h_gbps");

  gst_sample_unref (run.sample);
  gst_sample_unref (first);
  gst_buffer_unref (coded);
  for (guint i = 0; i < N_BUFFERS; i++)
    gst_buffer_unref (buffers[i]);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_caps_unref (caps);
  g_free (rgb);
  return 0;
}

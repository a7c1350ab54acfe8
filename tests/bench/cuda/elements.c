/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs appsrc ! ELEMENT ! fakesink, and looks at the clock whenever a frame
 * arrives. */
#include "tests/bench/cuda/elements.h"
#include "tests/bench/cuda/content.h"
#include "tests/bench/cuda/figures.h"
#include <gst/app/gstappsrc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* Buffers of each GPU, which are coded in turns. */
#define N_BUFFERS 6
#define N_CODED_BUFFERS 1
/* Frames before those that a clock sends, at least as many as are in flight. */
#define N_FIRST 8
#define MAX_DEVICES 16
#define MAX_WINDOWS 24
#define DEVICE_MEMORY "memory:CUDAMemory"

typedef struct
{
  GstElement *pipeline, *source, *element;
  guint n_warm, n_frames;
  gint n_seen; /* atomic */
  double processor_begin;
  double period;     /* microseconds between frames that a clock sends, or 0 */
  gint64 begin;      /* when it sends the first */
  GstSample *sample; /* the first */
  ElementsRun *run;
} Pipeline;

/* --- options --- */

gboolean
elements_refuse (GError **error)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
      "a prefix is needed, and numbers that make sense; see --help");
  return FALSE;
}

gboolean
elements_parse (ElementsCase *c, const GOptionEntry *own, const char *summary,
    int argc, char **argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "format", 0, 0, G_OPTION_ARG_STRING, &c->format, "Raw format", "NAME" },
    { "width", 0, 0, G_OPTION_ARG_INT, &c->width, "Samples a line (4096)",
        "N" },
    { "height", 0, 0, G_OPTION_ARG_INT, &c->height, "Lines (2160)", "N" },
    { "backend", 0, 0, G_OPTION_ARG_STRING, &c->backend, "Backend (cuda)",
        "NAME" },
    { "rate-control", 0, 0, G_OPTION_ARG_STRING, &c->rate_control,
        "What decides the size of a frame (lossless)", "NAME" },
    { "devices", 0, 0, G_OPTION_ARG_STRING, &c->devices,
        "Numbers of GPUs; one element uses them all", "N,N,..." },
    { "depth", 0, 0, G_OPTION_ARG_INT, &c->depth, "pipeline-depth (4)", "N" },
    { "frames", 0, 0, G_OPTION_ARG_INT, &c->n_frames,
        "Frames that are measured, at least", "N" },
    { "warm", 0, 0, G_OPTION_ARG_INT, &c->n_warm, "Frames before that (40)",
        "N" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new (summary);
  gboolean done;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_main_entries (context, own, NULL);
  done = g_option_context_parse (context, &argc, &argv, error);
  g_option_context_free (context);
  return done
      && ((c->width > 0 && c->height > 0 && c->n_frames > 0 && c->n_warm >= 0)
          || elements_refuse (error));
}

/* --- figures --- */

void
elements_run_clear (ElementsRun *run)
{
  g_clear_pointer (&run->arrivals, g_array_unref);
  g_clear_pointer (&run->latencies, g_array_unref);
  g_clear_pointer (&run->stats, gst_structure_free);
}

void
elements_run_begin (ElementsRun *run)
{
  *run = (ElementsRun){
    .arrivals = g_array_new (FALSE, FALSE, sizeof (gint64)),
  };
}

void
elements_run_add (ElementsRun *run)
{
  gint64 now = g_get_monotonic_time ();

  g_array_append_val (run->arrivals, now);
}

double
elements_speed (const GArray *arrivals, gint64 from, gint64 to)
{
  const gint64 *all = (const gint64 *) arrivals->data;
  double windows[MAX_WINDOWS];
  guint begin = 0, end = arrivals->len, n_windows, window;

  while (begin < end && all[begin] < from)
    begin++;
  while (end > begin && all[end - 1] > to)
    end--;
  if (end - begin < 2)
    return 0;
  n_windows = MIN (MAX_WINDOWS, end - begin - 1);
  window = (end - begin - 1) / n_windows;
  for (guint i = 0; i < n_windows; i++)
    windows[i] = (double) (all[begin + (i + 1) * window]
        - all[begin + i * window]);
  return 1e6 * window / MAX (median (windows, n_windows), 1);
}

double
elements_joint_speed (GArray *const *arrivals, guint n, double *slowest)
{
  gint64 from = G_MININT64, to = G_MAXINT64;
  double sum = 0, least = G_MAXDOUBLE;

  for (guint i = 0; i < n; i++) {
    from = MAX (from, g_array_index (arrivals[i], gint64, 0));
    to = MIN (to, g_array_index (arrivals[i], gint64, arrivals[i]->len - 1));
  }
  for (guint i = 0; i < n; i++) {
    double speed = elements_speed (arrivals[i], from, to);

    if (speed <= 0)
      g_error ("the runs have not been at the same time");
    fprintf (stderr, "run %u: %.4g frames/s\n", i, speed);
    sum += speed;
    least = MIN (least, speed);
  }
  if (slowest)
    *slowest = least * n / sum;
  return sum;
}

double
elements_run_speed (const ElementsRun *run)
{
  return elements_speed (run->arrivals, G_MININT64, G_MAXINT64);
}

double
elements_run_cores (const ElementsRun *run)
{
  return 100 * run->processor / (run->arrivals->len - 1);
}

guint
elements_count_devices (const ElementsCase *c)
{
  guint n = 1;

  for (const char *at = c->devices; at && *at; at++)
    n += *at == ',';
  if (n > MAX_DEVICES)
    g_error ("%u GPUs are too many", n);
  return n;
}

/* --- a pipeline --- */

static double
processor_seconds (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
      + (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static GstPadProbeReturn
see (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Pipeline *pipeline = data;
  gint64 now = g_get_monotonic_time ();

  guint n = (guint) g_atomic_int_add (&pipeline->n_seen, 1);

  if (n == 0) {
    g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);

    pipeline->sample = gst_sample_new (
        GST_PAD_PROBE_INFO_BUFFER (info), caps, NULL, NULL);
  }
  if (n == pipeline->n_warm)
    pipeline->processor_begin = processor_seconds ();
  if (n >= pipeline->n_warm) {
    double latency = 1e-3
        * ((double) (now - pipeline->begin) - pipeline->period * n);

    g_array_append_val (pipeline->run->arrivals, now);
    if (pipeline->period > 0)
      g_array_append_val (pipeline->run->latencies, latency);
  }
  return GST_PAD_PROBE_OK;
}

/* Describes what the encoder is told of the frames' size: a budget is that of
 * three components of 0.9 bits a sample, what quality 90 takes of the
 * photograph. */
static void
describe_rate (const ElementsCase *c, GString *text)
{
  g_string_append_printf (text, " rate-control=%s", c->rate_control);
  if (g_str_equal (c->rate_control, "quality"))
    g_string_append (text, " tune=psnr");
  else if (g_str_equal (c->rate_control, "bitrate"))
    g_string_append_printf (
        text, " frame-size=%d", c->width * c->height * 3 * 9 / 80);
}

/* GstVideoInfo does not know the formats of video/x-bayer. */
static gboolean
is_mosaic (const ElementsCase *c)
{
  return gst_video_format_from_string (c->format) == GST_VIDEO_FORMAT_UNKNOWN;
}

/* Describes the element, and the format that comes out of it. */
static void
add_element (
    GString *text, const char *element, const char *name, const ElementsCase *c)
{
  gboolean encodes = strcmp (element, "pacoenc") == 0;

  g_string_append_printf (
      text, "%s name=%s pipeline-depth=%d", element, name, c->depth);
  if (c->backend)
    g_string_append_printf (text, " backend=%s", c->backend);
  if (encodes && c->rate_control)
    describe_rate (c, text);
  if (c->devices && strchr (c->devices, ','))
    g_string_append_printf (text, " cuda-devices=\"%s\"", c->devices);
  else if (c->devices)
    g_string_append_printf (text, " cuda-device-id=%s", c->devices);
  if (!encodes)
    g_string_append_printf (text, " ! video/x-%s%s,format=%s",
        is_mosaic (c) ? "bayer" : "raw",
        c->context ? "(" DEVICE_MEMORY ")" : "", c->format);
}

static char *
describe (const char *element, const ElementsCase *c)
{
  GString *text = g_string_new (NULL);

  add_element (text, element, "element", c);
  if (c->both && strcmp (element, "pacoenc") == 0) {
    g_string_append (text, " ! ");
    add_element (text, "pacodec", "decoder", c);
  }
  return g_string_free (text, FALSE);
}

#define APPSRC                                                                 \
  "appsrc name=source format=time block=true max-buffers=2 max-bytes=0"
#define FAKESINK "fakesink name=sink sync=false qos=false"

/* Makes source ! element ! sink, each of which is a part of a pipeline's
 * description. */
static void
pipeline_init (Pipeline *pipeline, const char *source, const char *element,
    const char *sink_text, const ElementsCase *c, ElementsRun *run)
{
  g_autofree char *description = g_strdup_printf (
      "%s ! %s ! %s", source, element, sink_text);
  GError *error = NULL;
  GstElement *sink;
  GstPad *pad;

  *run = (ElementsRun){
    .arrivals = g_array_sized_new (
        FALSE, FALSE, sizeof (gint64), (guint) c->n_frames + 1),
    .latencies = g_array_sized_new (
        FALSE, FALSE, sizeof (double), (guint) c->n_frames + 1),
  };
  *pipeline = (Pipeline){
    .n_warm = (guint) c->n_warm,
    .n_frames = (guint) (c->n_warm + c->n_frames) + 1,
    .period = c->rate > 0 ? 1e6 / c->rate : 0,
    .run = run,
  };
  pipeline->pipeline = gst_parse_launch (description, &error);
  if (!pipeline->pipeline || error)
    g_error ("%s", error->message);
  pipeline->source = gst_bin_get_by_name (
      GST_BIN (pipeline->pipeline), "source");
  pipeline->element = gst_bin_get_by_name (
      GST_BIN (pipeline->pipeline), "element");
  sink = gst_bin_get_by_name (GST_BIN (pipeline->pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, see, pipeline, NULL);
  gst_object_unref (pad);
  gst_object_unref (sink);
  if (c->context)
    gst_element_set_context (pipeline->pipeline, c->context);
  gst_element_set_state (pipeline->pipeline, GST_STATE_PLAYING);
}

/* Ends the program with what the pipeline says, if it says that it failed. */
static void
wait_for_end (Pipeline *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline->pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    GError *error = NULL;

    gst_message_parse_error (message, &error, NULL);
    g_error ("%s", error->message);
  }
}

/* Ends the pipeline when n_frames are on their way, or will be. */
static void
pipeline_finish (Pipeline *pipeline, guint n_frames)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (pipeline->element);

  wait_for_end (pipeline);
  if ((guint) pipeline->n_seen != n_frames)
    g_error ("%d frames came of %u", pipeline->n_seen, n_frames);
  pipeline->run->processor = processor_seconds () - pipeline->processor_begin;
  if (g_object_class_find_property (klass, "stats"))
    g_object_get (pipeline->element, "stats", &pipeline->run->stats, NULL);
}

/* Waits for the moment at which the clock sends frame n. */
static void
wait_for_clock (const Pipeline *pipeline, guint n)
{
  gint64 moment = pipeline->begin + (gint64) (pipeline->period * n);
  gint64 now = g_get_monotonic_time ();

  if (pipeline->period > 0 && moment > now)
    g_usleep ((gulong) (moment - now));
}

static GstFlowReturn
push (Pipeline *pipeline, GstBuffer *from, guint n)
{
  GstBuffer *buffer = gst_buffer_copy (from);

  GST_BUFFER_PTS (buffer) = n * GST_MSECOND;
  GST_BUFFER_DTS (buffer) = GST_CLOCK_TIME_NONE;
  GST_BUFFER_DURATION (buffer) = GST_MSECOND;
  return gst_app_src_push_buffer (GST_APP_SRC (pipeline->source), buffer);
}

/* Pushes frames before those that a clock sends, and waits for them: the element gets its
 * memory meanwhile, and what it is late then it would catch up slowly beside others.
 * Returns how many there were. */
static guint
push_first (Pipeline *pipeline, GstBuffer **buffers, guint n_buffers)
{
  guint n = pipeline->period > 0 ? MIN (N_FIRST, pipeline->n_warm) : 0;

  for (guint i = 0; i < n; i++)
    push (pipeline, buffers[i % n_buffers], i);
  for (guint i = 0; (guint) g_atomic_int_get (&pipeline->n_seen) < n; i++) {
    if (i == 20000)
      g_error ("the first %u frames do not come", n);
    g_usleep (1000);
  }
  return n;
}

/* Pushes the buffers again and again. */
static void
pipeline_run (Pipeline *pipeline, GstBuffer **buffers, guint n_buffers,
    const ElementsOthers *others)
{
  guint n = push_first (pipeline, buffers, n_buffers);

  if (others)
    others->ready (others->data);
  pipeline->begin = g_get_monotonic_time () - (gint64) (pipeline->period * n);
  for (; n < pipeline->n_frames || (others && others->more (others->data));
       n++) {
    wait_for_clock (pipeline, n);
    if (push (pipeline, buffers[n % n_buffers], n) != GST_FLOW_OK)
      break;
  }
  gst_app_src_end_of_stream (GST_APP_SRC (pipeline->source));
  pipeline_finish (pipeline, n);
}

static void
pipeline_clear (Pipeline *pipeline)
{
  gst_element_set_state (pipeline->pipeline, GST_STATE_NULL);
  gst_sample_unref (pipeline->sample);
  g_clear_object (&pipeline->source);
  gst_object_unref (pipeline->element);
  gst_object_unref (pipeline->pipeline);
}

/* Finds a pool as the element behind the source proposes it, or any, with
 * buffers of at least size bytes in the memory that the element proposes. */
static GstBufferPool *
find_pool (GstElement *source, GstCaps *caps, gsize size, guint n_buffers)
{
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, TRUE);
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
    pool = gst_buffer_pool_new ();
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_set_params (
      config, caps, (guint) MAX (bytes, size), n_buffers, 0);
  if (allocator)
    gst_buffer_pool_config_set_allocator (config, allocator, &params);
  if (!gst_buffer_pool_set_config (pool, config)
      || !gst_buffer_pool_set_active (pool, TRUE))
    g_error ("there are no buffers of %" G_GSIZE_FORMAT " bytes", size);
  fprintf (stderr, "pool: %s, allocator: %s\n", GST_OBJECT_NAME (pool),
      allocator ? G_OBJECT_TYPE_NAME (allocator) : "none");
  g_clear_object (&allocator);
  return pool;
}

static GstBuffer *
acquire (GstBufferPool *pool)
{
  GstBuffer *buffer;

  if (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL) != GST_FLOW_OK)
    g_error ("the pool gives no buffer");
  return buffer;
}

static void
free_pool (GstBufferPool *pool, GstBuffer **buffers, guint n_buffers)
{
  for (guint i = 0; i < n_buffers; i++)
    gst_buffer_unref (buffers[i]);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
}

/* --- pictures --- */

static void
init_info (const ElementsCase *c, GstVideoInfo *info)
{
  GstVideoFormat format = gst_video_format_from_string (c->format);

  /* In buffers a mosaic lies as a gray picture does. */
  if (is_mosaic (c))
    format = strlen (c->format) == strlen ("rggb") ? GST_VIDEO_FORMAT_GRAY8
                                                   : GST_VIDEO_FORMAT_GRAY16_LE;
  if (!gst_video_info_set_format (
          info, format, (guint) c->width, (guint) c->height))
    g_error ("there are no pictures %d x %d of format %s", c->width, c->height,
        c->format);
  info->fps_n = 1000;
  info->fps_d = 1;
}

gsize
elements_picture_size (const ElementsCase *c)
{
  GstVideoInfo info;

  init_info (c, &info);
  return GST_VIDEO_INFO_SIZE (&info);
}

GstCaps *
elements_caps (const ElementsCase *c, GstVideoInfo *info)
{
  GstCaps *caps;

  init_info (c, info);
  caps = gst_video_info_to_caps (info);
  if (is_mosaic (c)) {
    gst_structure_set_name (gst_caps_get_structure (caps, 0), "video/x-bayer");
    gst_caps_set_simple (caps, "format", G_TYPE_STRING, c->format, NULL);
  }
  if (c->context)
    gst_caps_set_features_simple (
        caps, gst_caps_features_new (DEVICE_MEMORY, NULL));
  return caps;
}

/* Makes the samples of the content. All streams of a program have the same. */
static GstMemory *
content_memory (const ElementsCase *c)
{
  static GMutex lock;
  static GstMemory *last;
  gsize n = (gsize) c->width * (gsize) c->height;
  GstMemory *memory;

  g_mutex_lock (&lock);
  if (!last || gst_memory_get_sizes (last, NULL, NULL) != 6 * n) {
    uint16_t *rgb = g_new (uint16_t, 3 * n);

    content_fill (rgb, (unsigned) c->width, (unsigned) c->height, c->picture);
    if (last)
      gst_memory_unref (last);
    last = gst_memory_new_wrapped (
        GST_MEMORY_FLAG_READONLY, rgb, 6 * n, 0, 6 * n, rgb, g_free);
  }
  memory = gst_memory_ref (last);
  g_mutex_unlock (&lock);
  return memory;
}

/* Makes the content as GBR_12LE. */
static GstBuffer *
make_content (const ElementsCase *c, GstVideoInfo *info)
{
  gsize n = (gsize) c->width * (gsize) c->height;
  GstBuffer *buffer = gst_buffer_new ();
  gsize offsets[GST_VIDEO_MAX_PLANES] = { 2 * n, 4 * n, 0 }; /* of G, B, R */
  gint strides[GST_VIDEO_MAX_PLANES] = { 2 * c->width, 2 * c->width,
    2 * c->width };

  gst_buffer_append_memory (buffer, content_memory (c));
  gst_video_info_set_format (
      info, GST_VIDEO_FORMAT_GBR_12LE, (guint) c->width, (guint) c->height);
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_FORMAT_GBR_12LE, (guint) c->width, (guint) c->height, 3,
      offsets, strides);
  return buffer;
}

static void
map (GstVideoFrame *frame, const GstVideoInfo *info, GstBuffer *buffer,
    GstMapFlags flags)
{
  if (!gst_video_frame_map (frame, info, buffer, flags))
    g_error ("a buffer cannot be mapped");
}

/* Makes all buffers the content, without dithering. */
static void
fill_buffers (GstBuffer **buffers, guint n_buffers, const GstVideoInfo *info,
    const ElementsCase *c)
{
  GstVideoInfo content_info;
  GstBuffer *content = make_content (c, &content_info);
  GstStructure *config = gst_structure_new ("config",
      GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, GST_TYPE_VIDEO_DITHER_METHOD,
      GST_VIDEO_DITHER_NONE, NULL);
  GstVideoConverter *converter;
  GstVideoFrame from, to;

  content_info.fps_n = info->fps_n;
  content_info.fps_d = info->fps_d;
  converter = gst_video_converter_new (&content_info, info, config);
  if (!converter)
    g_error ("%s cannot be made", c->format);
  map (&from, &content_info, content, GST_MAP_READ);
  map (&to, info, buffers[0], GST_MAP_WRITE);
  gst_video_converter_frame (converter, &from, &to);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  gst_video_converter_free (converter);
  gst_buffer_unref (content);
  map (&from, info, buffers[0], GST_MAP_READ);
  for (guint i = 1; i < n_buffers; i++) {
    map (&to, info, buffers[i], GST_MAP_WRITE);
    gst_video_frame_copy (&to, &from);
    gst_video_frame_unmap (&to);
  }
  gst_video_frame_unmap (&from);
}

GstBuffer *
elements_picture (const ElementsCase *c)
{
  GstBuffer *buffer = gst_buffer_new_allocate (
      NULL, elements_picture_size (c), NULL);
  GstVideoInfo info;

  init_info (c, &info);
  fill_buffers (&buffer, 1, &info, c);
  return buffer;
}

/* --- runs --- */

/* Returns what came first to the sink. */
static GstSample *
encode (const ElementsCase *c, const char *sink, ElementsRun *run,
    const ElementsOthers *others)
{
  GstBuffer *buffers[N_BUFFERS * MAX_DEVICES];
  guint n_buffers = N_BUFFERS * elements_count_devices (c);
  g_autofree char *element = describe ("pacoenc", c);
  GstBufferPool *pool;
  GstVideoInfo info;
  Pipeline pipeline;
  GstSample *first;
  g_autoptr (GstCaps) caps = NULL;

  caps = elements_caps (c, &info);
  pipeline_init (&pipeline, APPSRC, element, sink, c, run);
  gst_app_src_set_caps (GST_APP_SRC (pipeline.source), caps);
  pool = find_pool (
      pipeline.source, caps, GST_VIDEO_INFO_SIZE (&info), n_buffers);
  for (guint i = 0; i < n_buffers; i++)
    buffers[i] = acquire (pool);
  fill_buffers (buffers, n_buffers, &info, c);
  pipeline_run (&pipeline, buffers, n_buffers, others);
  first = gst_sample_ref (pipeline.sample);
  pipeline_clear (&pipeline);
  free_pool (pool, buffers, n_buffers);
  return first;
}

static void
decode (const ElementsCase *c, GstSample *coded, ElementsRun *run,
    const ElementsOthers *others)
{
  g_autofree char *element = describe ("pacodec", c);
  GstCaps *caps = gst_sample_get_caps (coded);
  GstBufferPool *pool;
  Pipeline pipeline;
  GstBuffer *buffers[N_CODED_BUFFERS * MAX_DEVICES];
  guint n_buffers = N_CODED_BUFFERS * elements_count_devices (c);
  GstMapInfo bytes;

  if (!gst_buffer_map (gst_sample_get_buffer (coded), &bytes, GST_MAP_READ))
    g_error ("an encoded frame cannot be mapped");
  pipeline_init (&pipeline, APPSRC, element, FAKESINK, c, run);
  gst_app_src_set_caps (GST_APP_SRC (pipeline.source), caps);
  pool = find_pool (pipeline.source, caps, bytes.size, n_buffers);
  for (guint i = 0; i < n_buffers; i++) {
    buffers[i] = acquire (pool);
    gst_buffer_fill (buffers[i], 0, bytes.data, bytes.size);
    gst_buffer_set_size (buffers[i], (gssize) bytes.size);
  }
  pipeline_run (&pipeline, buffers, n_buffers, others);
  pipeline_clear (&pipeline);
  free_pool (pool, buffers, n_buffers);
  gst_buffer_unmap (gst_sample_get_buffer (coded), &bytes);
}

void
elements_encode (
    const ElementsCase *c, ElementsRun *run, const ElementsOthers *others)
{
  gst_sample_unref (encode (c, FAKESINK, run, others));
}

void
elements_code (const ElementsCase *c, ElementsRun *encode_run,
    ElementsRun *decode_run, const ElementsOthers *others)
{
  g_autoptr (GstSample) coded = encode (c, FAKESINK, encode_run, others);

  decode (c, coded, decode_run, others);
}

static void
play_file (const ElementsCase *c, const char *file, const char *element,
    ElementsRun *run)
{
  g_autofree char *source = g_strdup_printf ("filesrc location=\"%s\"", file);
  Pipeline pipeline;

  pipeline_init (&pipeline, source, element, FAKESINK, c, run);
  pipeline_finish (&pipeline, pipeline.n_frames);
  pipeline_clear (&pipeline);
}

void
elements_code_file (const ElementsCase *c, const char *file,
    ElementsRun *write_run, ElementsRun *decode_run, ElementsRun *read_run)
{
  char *sink = g_strdup_printf (
      "filesink name=sink async=false location=\"%s\"", file);
  g_autofree char *decoder = describe ("pacodec", c);
  g_autofree char *element = g_strdup_printf ("pacoparse ! %s", decoder);

  gst_sample_unref (encode (c, sink, write_run, NULL));
  play_file (c, file, element, decode_run);
  play_file (c, file, "pacoparse name=element", read_run);
  g_free (sink);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes clips with pacoenc and pacodec and takes the time (coding.h). Everything is
 * in memory when the clock starts, so that neither disks nor other codecs are
 * measured. */
#include "pipelines/coding.h"
#include "pipelines/compare.h"
#include <gst/app/app.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

GstCaps *
coding_formats (void)
{
  GstElementFactory *factory = gst_element_factory_find ("pacoenc");
  GstCaps *usable = gst_caps_new_empty ();
  const GstVideoFormat *formats;
  const GList *item;
  guint n_formats;

  if (!factory) {
    fprintf (stderr,
        "GStreamer does not find pacoenc. GST_PLUGIN_PATH_1_0 "
        "must name the folder with libgstpaco.so, and\n"
        "`gst-inspect-1.0 /path/to/libgstpaco.so` says why it "
        "does not load.\n");
    exit (1);
  }
  formats = gst_video_formats_raw (&n_formats);
  for (guint i = 0; i < n_formats; i++) {
    const GstVideoFormatInfo *info = gst_video_format_get_info (formats[i]);
    GstCaps *caps;

    caps = gst_caps_new_simple (
        "video/x-raw", "format", G_TYPE_STRING, info->name, NULL);
    item = gst_element_factory_get_static_pad_templates (factory);
    for (; item; item = item->next) {
      GstStaticPadTemplate *template = item->data;
      GstCaps *all = gst_static_pad_template_get_caps (template);

      if (template->direction == GST_PAD_SINK && compare_supports (info)
          && gst_caps_can_intersect (all, caps))
        gst_caps_append (usable, gst_caps_copy (caps));
      gst_caps_unref (all);
    }
    gst_caps_unref (caps);
  }
  gst_object_unref (factory);
  return usable;
}

static void
show_progress (const char *what, guint done, guint all)
{
  if (isatty (STDERR_FILENO))
    fprintf (
        stderr, "\r%s: %u of %u%s", what, done, all, done == all ? "\n" : "");
  else if (done == all)
    fprintf (stderr, "%s: %u of %u\n", what, done, all);
}

static void
feed (GstElement *pipeline, const Clip *clip)
{
  GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "in");

  for (guint i = 0; i < clip->buffers->len; i++)
    gst_app_src_push_buffer (
        GST_APP_SRC (source), gst_buffer_ref (clip->buffers->pdata[i]));
  gst_app_src_end_of_stream (GST_APP_SRC (source));
  gst_object_unref (source);
}

static GstElement *
make_pipeline (const Clip *clip, const char *rest, GError **error)
{
  char *description = g_strdup_printf (
      "appsrc name=in format=time max-bytes=0 ! %s", rest);
  GstElement *pipeline = gst_parse_launch_full (
      description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);

  g_free (description);
  if (pipeline) {
    GstElement *source = gst_bin_get_by_name (GST_BIN (pipeline), "in");

    g_object_set (source, "caps", clip->caps, NULL);
    gst_object_unref (source);
  }
  return pipeline;
}

/* Pulls all that comes out; returns FALSE on an error. */
static gboolean
collect (GstElement *pipeline, const CodingRun *run, guint expected, Clip *out,
    GError **error)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");
  gboolean failed = FALSE, end = FALSE;
  guint n = 0;

  while (!end && !(failed = clip_take_error (pipeline, error))) {
    GstSample *sample = gst_app_sink_try_pull_sample (
        GST_APP_SINK (sink), 100 * GST_MSECOND);

    if (sample) {
      if (!out->caps)
        out->caps = gst_caps_ref (gst_sample_get_caps (sample));
      if (!run->discard)
        g_ptr_array_add (
            out->buffers, gst_buffer_ref (gst_sample_get_buffer (sample)));
      gst_sample_unref (sample);
      show_progress (run->progress, ++n, expected);
    } else {
      end = gst_app_sink_is_eos (GST_APP_SINK (sink));
    }
  }
  gst_object_unref (sink);
  if (!failed && n != expected) {
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_FAILED,
        "%s: %u pictures went in, %u came out.", run->progress, expected, n);
    failed = TRUE;
  }
  return !failed;
}

static void
set_out_caps (GstElement *pipeline, GstCaps *caps)
{
  GstElement *sink = gst_bin_get_by_name (GST_BIN (pipeline), "out");

  g_object_set (sink, "caps", caps, NULL);
  gst_object_unref (sink);
}

gboolean
coding_run (const Clip *clip, const CodingRun *run, CodingResult *result,
    GError **error)
{
  char *rest = g_strdup_printf (
      "%s ! appsink name=out sync=false", run->elements);
  GstElement *pipeline = make_pipeline (clip, rest, error);
  GstElement *coder;
  gboolean good;
  gint64 start;

  *result = (CodingResult){ 0 };
  g_free (rest);
  if (!pipeline)
    return FALSE;
  if (run->caps)
    set_out_caps (pipeline, run->caps);
  result->clip = clip_new ();
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  start = g_get_monotonic_time ();
  feed (pipeline, clip);
  good = collect (pipeline, run, clip->buffers->len, result->clip, error);
  result->seconds = (double) (g_get_monotonic_time () - start) / G_USEC_PER_SEC;
  if (result->clip->caps)
    gst_video_info_from_caps (&result->clip->info, result->clip->caps);
  coder = gst_bin_get_by_name (GST_BIN (pipeline), "coder");
  if (coder) {
    g_object_get (coder, "stats", &result->stats, NULL);
    gst_object_unref (coder);
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return good;
}

gboolean
coding_write_mov (const Clip *clip, const char *path, GError **error)
{
  GstElement *pipeline = make_pipeline (
      clip, "pacoparse ! qtmux ! filesink name=file", error);
  GstElement *file;
  GstBus *bus;
  GstMessage *message;
  gboolean good;

  if (!pipeline)
    return FALSE;
  file = gst_bin_get_by_name (GST_BIN (pipeline), "file");
  g_object_set (file, "location", path, NULL);
  gst_object_unref (file);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  feed (pipeline, clip);
  bus = gst_element_get_bus (pipeline);
  message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  good = GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS;
  if (!good)
    gst_message_parse_error (message, error, NULL);
  gst_message_unref (message);
  gst_object_unref (bus);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  return good;
}

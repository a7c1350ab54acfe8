/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes MKV and MOV files with GStreamer (container.h, gst_pipeline.h). */
#include "container.h"
#include "lib/stream/io.h"
#include "gst_pipeline.h"
#include "input.h"
#include "progress.h"
#include "tool.h"
#include <gst/app/gstappsink.h>
#include <string.h>
#include <unistd.h>

#define WAIT (200 * GST_MSECOND) /* between looks for signals */
#define QUEUE "queue max-size-bytes=0 max-size-time=0 max-size-buffers=4"

static const struct
{
  const char *extension, *muxer, *demuxer;
} containers[] = {
  { ".mkv", "matroskamux", "matroskademux" },
  { ".mov", "qtmux", "qtdemux" },
  { ".mp4", "mp4mux", "qtdemux" },
};

static int
find_container (const char *path)
{
  for (unsigned i = 0; i < G_N_ELEMENTS (containers); i++) {
    size_t length = strlen (path), end = strlen (containers[i].extension);

    if (length > end
        && g_ascii_strcasecmp (path + length - end, containers[i].extension)
            == 0)
      return (int) i;
  }
  return -1;
}

bool
paco_mux_takes (const char *path)
{
  return find_container (path) >= 0;
}

static bool
check_sound (const char *path, GError **error)
{
  char head[12] = "";
  const char *why;
  int fd = paco_open_input (path, &why);
  size_t n = fd >= 0 ? paco_io_read_at (fd, 0, head, sizeof head) : 0;

  if (fd >= 0)
    close (fd);
  if (n == sizeof head && memcmp (head + 8, "WAVE", 4) == 0)
    return true;
  if (fd >= 0)
    why = "it is no WAV file";
  return paco_tool_failed (
      error, "the sound of %s cannot be read: %s", path, why);
}

bool
paco_mux_check (const char *path, const char *sound, GError **error)
{
  int row = find_container (path);
  const char *elements[] = { "pacoparse", containers[MAX (row, 0)].muxer,
    sound ? "wavparse" : NULL, NULL };

  if (row < 0)
    return paco_tool_misused (error, "%s is none of .mkv, .mov, .mp4", path);
  return paco_gst_has_elements (elements, error)
      && (!sound || check_sound (sound, error));
}

static GstPadProbeReturn
count (GstPad *pad, GstPadProbeInfo *info, gpointer n_frames)
{
  g_atomic_int_inc ((gint *) n_frames);
  return GST_PAD_PROBE_OK;
}

/* Drops the end of a stream that had no frame. pacoparse has posted an error then, and
 * qtmux would begin its file while run() ends the pipeline: it complains of caps that it
 * does not have. */
static GstPadProbeReturn
drop_empty_end (GstPad *pad, GstPadProbeInfo *info, gpointer n_frames)
{
  GstEvent *event = gst_pad_probe_info_get_event (info);

  return GST_EVENT_TYPE (event) == GST_EVENT_EOS
          && g_atomic_int_get ((gint *) n_frames) == 0
      ? GST_PAD_PROBE_DROP
      : GST_PAD_PROBE_OK;
}

static bool
run (GstElement *pipeline, const char *path, bool quiet, GError **error)
{
  PacoProgress *progress = paco_progress_new (0, quiet);
  g_autoptr (GstElement)
      parser = gst_bin_get_by_name (GST_BIN (pipeline), "parse");
  g_autoptr (GstPad) pad = gst_element_get_static_pad (parser, "src");
  gint n_frames = 0;
  bool ended = false, good = true;

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count, &n_frames, NULL);
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, drop_empty_end,
      &n_frames, NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (good && !ended) {
    good = !paco_gst_failed (pipeline, path, WAIT, &ended, error)
        && !paco_signals_caught (error);
    paco_progress_set (progress, (uint64_t) g_atomic_int_get (&n_frames));
  }
  gst_element_set_state (pipeline, GST_STATE_NULL);
  paco_progress_free (progress);
  return good;
}

/* Has the muxer write which program made the file. */
static void
tag_encoder (GstElement *pipeline)
{
  g_autoptr (GstElement)
      muxer = gst_bin_get_by_name (GST_BIN (pipeline), "mux");
  g_autofree char *encoder = g_strconcat ("gst-paco ", paco_version (), NULL);

  gst_tag_setter_add_tags (GST_TAG_SETTER (muxer), GST_TAG_MERGE_REPLACE,
      GST_TAG_ENCODER, encoder, NULL);
}

bool
paco_mux_file (const char *part, const char *sound, const char *path,
    const char *temporary, bool quiet, GError **error)
{
  const char *muxer = containers[find_container (path)].muxer;
  g_autofree char *description = g_strdup_printf (
      "filesrc name=from ! pacoparse name=parse ! " QUEUE
      " ! mux.  %s %s name=mux ! filesink name=to",
      sound ? "filesrc name=sound ! wavparse ! " QUEUE " ! mux. " : "", muxer);
  GstElement *pipeline = paco_gst_pipeline (
      description, part, temporary, error);
  g_autoptr (GstElement) source = pipeline && sound
      ? gst_bin_get_by_name (GST_BIN (pipeline), "sound")
      : NULL;
  bool good;

  if (source)
    g_object_set (source, "location", sound, NULL);
  if (pipeline)
    tag_encoder (pipeline);
  good = pipeline && run (pipeline, path, quiet, error);
  paco_gst_free (pipeline);
  return good;
}

bool
paco_mux_check_count (
    const char *temporary, const char *path, uint64_t n_frames, GError **error)
{
  g_autoptr (PacoInput) input = paco_input_open (temporary, error);
  PacoInputResult result = PACO_INPUT_ERROR;
  PacoInputFrame frame;
  uint64_t found = 0;

  while (input
      && (result = paco_input_next (input, &frame, error))
          == PACO_INPUT_FRAME) {
    paco_input_release (&frame);
    found++;
  }
  if (result == PACO_INPUT_END && found == n_frames)
    return true;
  if (result == PACO_INPUT_END)
    paco_tool_failed (error,
        "%s would have %" G_GUINT64_FORMAT " of the %" G_GUINT64_FORMAT
        " frames that were written to it",
        path, found, n_frames);
  else
    g_prefix_error (error, "%s cannot be read back: ", path);
  return false;
}

/* --- sound back --- */

static bool
give (GstSample *sample, PacoSoundFunction function, void *user, GError **error)
{
  GstBuffer *buffer = gst_sample_get_buffer (sample);
  GstMapInfo map;
  bool good;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return paco_tool_failed (error, "there is no memory for sound");
  good = function (user, map.data, map.size, error);
  gst_buffer_unmap (buffer, &map);
  return good;
}

static bool
pull_sound (GstElement *pipeline, const char *path, PacoSoundFunction function,
    void *user, GError **error)
{
  g_autoptr (GstElement)
      sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  bool good = true, any = false;

  paco_gst_end_without_stream (pipeline, "demux", "filter", "sink");
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (good) {
    GstSample *sample = gst_app_sink_try_pull_sample (
        GST_APP_SINK (sink), WAIT);

    if (sample) {
      any = true;
      good = give (sample, function, user, error);
      gst_sample_unref (sample);
    } else if (!any && gst_app_sink_is_eos (GST_APP_SINK (sink))) {
      break; /* What the other streams complain of does not matter. */
    } else if (paco_signals_caught (error)
        || paco_gst_failed (pipeline, path, 0, NULL, error)) {
      good = false;
    } else if (gst_app_sink_is_eos (GST_APP_SINK (sink))) {
      break;
    }
  }
  if (good && !any)
    paco_tool_failed (error, "%s has no sound", path);
  return good && any;
}

bool
paco_mux_read_sound (
    const char *path, PacoSoundFunction function, void *user, GError **error)
{
  int row = find_container (path);
  const char *const elements[] = { containers[MAX (row, 0)].demuxer, NULL };
  GstElement *pipeline;
  g_autofree char *description = NULL;
  bool good;

  if (row < 0)
    return paco_tool_failed (error, "%s is none of .mkv, .mov, .mp4", path);
  if (!paco_gst_has_elements (elements, error))
    return false;
  description = g_strdup_printf (
      "filesrc name=from ! %s name=demux  demux. ! capsfilter name=filter "
      "caps=audio/x-raw ! appsink name=sink sync=false max-buffers=16",
      containers[row].demuxer);
  pipeline = paco_gst_pipeline (description, path, NULL, error);
  good = pipeline && pull_sound (pipeline, path, function, user, error);
  paco_gst_free (pipeline);
  return good;
}

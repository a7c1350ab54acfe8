/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes MKV and MOV files with GStreamer (container.h, gst_pipeline.h). */
#include "codec/text.h"
#include "container.h"
#include "lib/stream/io.h"
#include "gst_pipeline.h"
#include "input.h"
#include "progress.h"
#include "tool.h"
#include <errno.h>
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/audio/audio.h>
#include <string.h>
#include <unistd.h>

#define WAIT (200 * GST_MSECOND) /* between looks for signals */
#define SOUND_BLOCKS 10          /* of a second */
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

bool
paco_mux_is_matroska (const char *path)
{
  return find_container (path) == 0;
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

/* Says whether the muxer of such a file has a pad for these caps. */
static bool
takes_caps (const char *path, const GstCaps *caps)
{
  int row = find_container (path);
  g_autoptr (GstElementFactory)
      factory = gst_element_factory_find (containers[MAX (row, 0)].muxer);
  const GList *at = row >= 0 && factory
      ? gst_element_factory_get_static_pad_templates (factory)
      : NULL;

  for (; at; at = at->next) {
    GstStaticPadTemplate *template = at->data;
    g_autoptr (GstCaps) taken = gst_static_caps_get (&template->static_caps);

    if (template->direction == GST_PAD_SINK
        && gst_caps_can_intersect (taken, caps))
      return true;
  }
  return false;
}

bool
paco_mux_has_sound (const char *path)
{
  g_autoptr (GstCaps) caps = gst_caps_new_empty_simple ("audio/x-raw");

  return takes_caps (path, caps);
}

bool
paco_mux_takes_sound (const char *path, const void *caps, GError **error)
{
  g_autofree char *words = gst_caps_to_string (caps);

  return takes_caps (path, caps)
      || paco_tool_failed (error,
          "%s cannot have this sound, %s; --no-sound leaves it out", path,
          words);
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

static GstElement *
make_pipeline (const char *part, const char *sounds, const char *path,
    const char *temporary, GError **error)
{
  const char *muxer = containers[find_container (path)].muxer;
  g_autofree char *description = g_strdup_printf (
      "filesrc name=from ! pacoparse name=parse ! " QUEUE
      " ! mux.  %s %s name=mux ! filesink name=to",
      sounds, muxer);
  GstElement *pipeline = paco_gst_pipeline (
      description, part, temporary, error);

  if (pipeline)
    tag_encoder (pipeline);
  return pipeline;
}

bool
paco_mux_file (const char *part, const char *sound, const char *path,
    const char *temporary, bool quiet, GError **error)
{
  GstElement *pipeline = make_pipeline (part,
      sound ? "filesrc name=sound ! wavparse ! " QUEUE " ! mux. " : "", path,
      temporary, error);
  g_autoptr (GstElement) source = pipeline && sound
      ? gst_bin_get_by_name (GST_BIN (pipeline), "sound")
      : NULL;
  bool good;

  if (source)
    g_object_set (source, "location", sound, NULL);
  good = pipeline && run (pipeline, path, quiet, error);
  paco_gst_free (pipeline);
  return good;
}

/* MOV files do not say which loudspeakers more than two channels are for. */
static void
set_no_positions (GstElement *parser, int n)
{
  GValue position = G_VALUE_INIT;
  GValueArray *positions;

  G_GNUC_BEGIN_IGNORE_DEPRECATIONS
  positions = g_value_array_new ((guint) n);
  g_value_init (&position, GST_TYPE_AUDIO_CHANNEL_POSITION);
  g_value_set_enum (&position, GST_AUDIO_CHANNEL_POSITION_NONE);
  for (int i = 0; i < n; i++)
    g_value_array_append (positions, &position);
  g_object_set (parser, "channel-positions", positions, NULL);
  g_value_array_free (positions);
  G_GNUC_END_IGNORE_DEPRECATIONS
}

/* Says whether the muxer of such a file has a pad for a track. */
bool
paco_mux_takes_track (
    const char *path, const PacoSoundTrack *track, GError **error)
{
  g_autofree char *format = g_ascii_strup (track->format, -1);
  g_autoptr (GstCaps) caps = gst_caps_new_simple ("audio/x-raw", "format",
      G_TYPE_STRING, format, "layout", G_TYPE_STRING, "interleaved", "rate",
      G_TYPE_INT, track->rate, "channels", G_TYPE_INT, track->channels, NULL);

  if (track->channels > 2)
    gst_caps_set_simple (
        caps, "channel-mask", GST_TYPE_BITMASK, G_GUINT64_CONSTANT (0), NULL);
  return takes_caps (path, caps)
      || paco_tool_failed (error, "has sound that %s cannot have: %d %s of %s",
          path, track->channels,
          paco_text_plural ((guint64) track->channels, "channel", "channels"),
          format);
}

/* What is given to the pipeline of a track. */
typedef struct
{
  int fd;
  guint64 at, end; /* end is G_MAXUINT64 if the file's counts */
  guint block;
} Feed;

static void
free_feed (gpointer data)
{
  Feed *feed = data;

  if (feed->fd >= 0)
    close (feed->fd);
  g_free (feed);
}

/* Gives the next samples of a track. */
static void
feed_samples (GstAppSrc *source, guint length, gpointer data)
{
  Feed *feed = data;
  gsize size = (gsize) MIN (feed->block, feed->end - feed->at), n;
  guint8 *bytes = g_malloc (MAX (size, 1));

  n = paco_io_read_at (feed->fd, feed->at, bytes, size);
  feed->at += n;
  if (errno != 0 || (n < size && feed->end != G_MAXUINT64)) {
    g_free (bytes);
    GST_ELEMENT_ERROR (source, RESOURCE, READ, ("a file of sound ends early"),
        ("%s", g_strerror (errno)));
  } else if (n > 0) {
    gst_app_src_push_buffer (source, gst_buffer_new_wrapped (bytes, n));
  } else {
    g_free (bytes);
    gst_app_src_end_of_stream (source);
  }
}

/* Says of a track where its samples are and what they are. */
static bool
set_track (GstElement *pipeline, unsigned number, const PacoSoundTrack *track,
    GError **error)
{
  g_autofree char *source_name = g_strdup_printf ("source%u", number);
  g_autofree char *parser_name = g_strdup_printf ("parser%u", number);
  g_autoptr (GstElement)
      source = gst_bin_get_by_name (GST_BIN (pipeline), source_name);
  g_autoptr (GstElement)
      parser = gst_bin_get_by_name (GST_BIN (pipeline), parser_name);
  GstAppSrcCallbacks callbacks = { .need_data = feed_samples };
  const char *why = NULL;
  Feed *feed = g_new (Feed, 1);

  *feed = (Feed){ paco_open_input (track->path, &why), track->from,
    track->size == G_MAXUINT64 ? G_MAXUINT64 : track->from + track->size,
    (guint) MAX (track->second / SOUND_BLOCKS, 1) };
  gst_app_src_set_callbacks (GST_APP_SRC (source), &callbacks, feed, free_feed);
  if (feed->fd < 0)
    return paco_tool_failed (error, "%s cannot be read: %s", track->path,
        why ? why : g_strerror (errno));
  g_object_set (parser, "sample-rate", track->rate, "num-channels",
      track->channels, NULL);
  gst_util_set_object_arg (G_OBJECT (parser), "pcm-format", track->format);
  if (track->channels > 2)
    set_no_positions (parser, track->channels);
  return true;
}

bool
paco_mux_tracks (const char *part, const PacoSoundTrack *tracks, unsigned n,
    const char *path, const char *temporary, bool quiet, GError **error)
{
  static const char *const elements[] = { "rawaudioparse", "appsrc", NULL };
  g_autoptr (GString) description = g_string_new (NULL);
  GstElement *pipeline;
  bool good;

  if (n > 0 && !paco_gst_has_elements (elements, error))
    return false;
  for (unsigned i = 0; i < n; i++)
    g_string_append_printf (description,
        "appsrc name=source%u ! rawaudioparse name=parser%u ! " QUEUE
        " ! mux. ",
        i, i);
  pipeline = make_pipeline (part, description->str, path, temporary, error);
  good = pipeline != NULL;
  for (unsigned i = 0; good && i < n; i++)
    good = set_track (pipeline, i, &tracks[i], error);
  good = good && run (pipeline, path, quiet, error);
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

/* The work on a container. Its callbacks run in the demuxer's thread. */
typedef struct
{
  GstElement *pipeline;
  PacoSoundFunction function;
  void *user;
  unsigned n, n_found;
  gint missing; /* All tracks are known, and these are too few. */
  GMutex mutex;
  GError *failure;
} Reading;

/* A track that is read. */
typedef struct
{
  Reading *reading;
  unsigned number;
} Reader;

static GstFlowReturn
give (GstAppSink *sink, gpointer data)
{
  const Reader *reader = data;
  Reading *reading = reader->reading;
  g_autoptr (GstSample) sample = gst_app_sink_pull_sample (sink);
  GstBuffer *buffer = sample ? gst_sample_get_buffer (sample) : NULL;
  GstMapInfo map;
  bool good;

  if (!buffer)
    return GST_FLOW_EOS;
  g_mutex_lock (&reading->mutex);
  good = !reading->failure && gst_buffer_map (buffer, &map, GST_MAP_READ);
  if (good) {
    good = reading->function (
        reading->user, reader->number, map.data, map.size, &reading->failure);
    gst_buffer_unmap (buffer, &map);
  } else if (!reading->failure) {
    paco_tool_failed (&reading->failure, "there is no memory for sound");
  }
  g_mutex_unlock (&reading->mutex);
  return good ? GST_FLOW_OK : GST_FLOW_ERROR;
}

/* Reads a track, if it is one of those wanted. The pipeline plays already, so its sink need
 * not wait for others. */
static void
on_track (GstElement *demuxer, GstPad *pad, gpointer data)
{
  Reading *reading = data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstAppSinkCallbacks callbacks = { .new_sample = give };
  Reader *reader;
  GstElement *sink;
  g_autoptr (GstPad) sink_pad = NULL;

  if (reading->n_found == reading->n || !caps
      || !gst_structure_has_name (
          gst_caps_get_structure (caps, 0), "audio/x-raw"))
    return;
  reader = g_new (Reader, 1);
  *reader = (Reader){ reading, reading->n_found++ };
  sink = gst_element_factory_make ("appsink", NULL);
  g_object_set (sink, "sync", FALSE, "async", FALSE, NULL);
  gst_app_sink_set_callbacks (GST_APP_SINK (sink), &callbacks, reader, g_free);
  gst_bin_add (GST_BIN (reading->pipeline), sink);
  gst_element_set_state (sink, GST_STATE_PLAYING);
  sink_pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_link (pad, sink_pad);
}

static void
on_all_tracks (GstElement *demuxer, gpointer data)
{
  Reading *reading = data;

  g_atomic_int_set (&reading->missing, reading->n_found < reading->n);
}

/* Returns whether all went well. What other streams complain of does not matter if tracks
 * are missing. */
static bool
pull_sound (Reading *reading, const char *path, GError **error)
{
  g_autoptr (GstElement)
      demuxer = gst_bin_get_by_name (GST_BIN (reading->pipeline), "demux");
  GError *failure = NULL;
  bool ended = false, good = true;

  g_signal_connect (demuxer, "pad-added", G_CALLBACK (on_track), reading);
  g_signal_connect (
      demuxer, "no-more-pads", G_CALLBACK (on_all_tracks), reading);
  gst_element_set_state (reading->pipeline, GST_STATE_PLAYING);
  while (good && !ended && !g_atomic_int_get (&reading->missing))
    good = !paco_gst_failed (reading->pipeline, path, WAIT, &ended, &failure)
        && !paco_signals_caught (&failure);
  gst_element_set_state (reading->pipeline, GST_STATE_NULL);
  if (reading->failure || g_atomic_int_get (&reading->missing))
    g_clear_error (&failure);
  if (reading->failure)
    failure = g_steal_pointer (&reading->failure);
  else if (reading->n_found == 0)
    paco_tool_failed (&failure, "%s has no sound", path);
  else if (reading->n_found < reading->n)
    paco_tool_failed (&failure, "%s has %u %s of sound instead of %u", path,
        reading->n_found,
        paco_text_plural (reading->n_found, "track", "tracks"), reading->n);
  if (failure)
    g_propagate_error (error, failure);
  return !failure;
}

bool
paco_mux_read_sound (const char *path, unsigned n, PacoSoundFunction function,
    void *user, GError **error)
{
  int row = find_container (path);
  const char *const elements[] = { containers[MAX (row, 0)].demuxer, "appsink",
    NULL };
  Reading reading = { .function = function, .user = user, .n = n };
  g_autofree char *description = NULL;
  bool good;

  if (row < 0)
    return paco_tool_failed (error, "%s is none of .mkv, .mov, .mp4", path);
  if (!paco_gst_has_elements (elements, error))
    return false;
  description = g_strdup_printf (
      "filesrc name=from ! %s name=demux", containers[row].demuxer);
  reading.pipeline = paco_gst_pipeline (description, path, NULL, error);
  g_mutex_init (&reading.mutex);
  good = reading.pipeline && pull_sound (&reading, path, error);
  paco_gst_free (reading.pipeline);
  g_mutex_clear (&reading.mutex);
  return good;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads frames of MOV, MP4 and Matroska files with GStreamer (container.h). Their
 * numbers are those of their places, counted from that of the first one. */
#include "container.h"
#include "formats.h"
#include "gst_pipeline.h"
#include "tool.h"
#include <gst/app/gstappsink.h>
#include <string.h>

#define WAIT (200 * GST_MSECOND) /* between looks for signals */
/* A seek goes to a time EARLY frames early, and must not come out farther away
 * than EARLIEST before that, or before its stack. */
#define EARLY 2
#define EARLIEST 8

struct PacoContainer
{
  char *path;
  GstElement *pipeline, *sink;
  GstSample *held; /* read, and not yet given */
  GError *failure; /* of the pipeline; NULL: none so far */
  bool any;        /* samples have come */
  bool begun;
  int64_t base;  /* place of a frame less its number in the file */
  uint64_t next; /* number, if it goes on without a gap */
};

/* A frame that was given, which keeps its memory mapped. */
typedef struct
{
  GstBuffer *buffer;
  GstMapInfo map;
} Mapped;

PacoContainer *
paco_container_open (const char *path, const char *kind, GError **error)
{
  const char *demuxer = strcmp (kind, "Matroska") == 0 ? "matroskademux"
                                                       : "qtdemux";
  const char *const elements[] = { "pacoparse", demuxer, NULL };
  PacoContainer *container;
  g_autofree char *description = NULL;

  if (!paco_gst_has_elements (elements, error))
    return NULL;
  description = g_strdup_printf (
      "filesrc name=from ! %s name=demux  demux. ! pacoparse name=parse ! "
      "appsink name=sink sync=false max-buffers=4",
      demuxer);
  container = g_new0 (PacoContainer, 1);
  container->path = g_strdup (path);
  container->pipeline = paco_gst_pipeline (description, path, NULL, error);
  if (container->pipeline) {
    container->sink = gst_bin_get_by_name (
        GST_BIN (container->pipeline), "sink");
    paco_gst_end_without_stream (container->pipeline, "demux", "parse", "sink");
    gst_element_set_state (container->pipeline, GST_STATE_PLAYING);
    return container;
  }
  paco_container_close (container);
  return NULL;
}

void
paco_container_close (PacoContainer *container)
{
  g_clear_pointer (&container->held, gst_sample_unref);
  g_clear_error (&container->failure);
  paco_gst_free (container->pipeline);
  g_clear_pointer (&container->sink, gst_object_unref);
  g_free (container->path);
  g_free (container);
}

static bool
has_failed (PacoContainer *container, GError **error)
{
  if (!container->failure
      && !paco_gst_failed (
          container->pipeline, container->path, 0, NULL, &container->failure))
    return false;
  if (container->any)
    g_propagate_error (error, g_error_copy (container->failure));
  else
    paco_tool_failed (
        error, "no PaCo video is found in %s", container->failure->message);
  return true;
}

/* Returns the next sample, or NULL at the end, or with an error. */
static GstSample *
pull (PacoContainer *container, GError **error)
{
  GstAppSink *sink = GST_APP_SINK (container->sink);
  GstSample *sample = g_steal_pointer (&container->held);

  while (!sample && !paco_signals_caught (error)) {
    sample = gst_app_sink_try_pull_sample (sink, WAIT);
    if (!sample
        && (has_failed (container, error) || gst_app_sink_is_eos (sink)))
      return NULL;
  }
  container->any |= sample != NULL;
  return sample;
}

/* Gives the frame its number in the file, and says what is missing before it. */
static void
number_frame (PacoContainer *container, PacoFrame *frame)
{
  PacoInfo info = PACO_INFO_INIT;
  int64_t number = (int64_t) container->next;

  if (paco_probe (frame->data, frame->size, &info, NULL, NULL) == PACO_STATUS_OK
      && info.has_place) {
    int64_t place = info.place_number;

    /* If another stream begins, numbers go on. */
    if (!container->begun || place - container->base < number)
      container->base = place - number;
    number = place - container->base;
  }
  if (container->begun)
    frame->missing = (uint64_t) number - container->next;
  frame->number = (uint64_t) number;
  container->next = frame->number + 1;
  container->begun = true;
}

PacoInputResult
paco_container_next (
    PacoContainer *container, PacoInputFrame *frame, GError **error)
{
  GError *failure = NULL;
  GstSample *sample = pull (container, &failure);
  Mapped *mapped;

  *frame = (PacoInputFrame){ .time = PACO_INPUT_NO_TIME };
  if (failure) {
    g_propagate_error (error, failure);
    return PACO_INPUT_ERROR;
  }
  if (!sample)
    return PACO_INPUT_END;
  mapped = g_new0 (Mapped, 1);
  mapped->buffer = gst_buffer_ref (gst_sample_get_buffer (sample));
  frame->time = gst_segment_to_stream_time (gst_sample_get_segment (sample),
      GST_FORMAT_TIME, GST_BUFFER_PTS (mapped->buffer));
  gst_sample_unref (sample);
  if (!gst_buffer_map (mapped->buffer, &mapped->map, GST_MAP_READ)) {
    paco_tool_failed (
        error, "there is no memory for a frame of %s", container->path);
    gst_buffer_unref (mapped->buffer);
    g_free (mapped);
    return PACO_INPUT_ERROR;
  }
  frame->owner = mapped;
  frame->frame.data = mapped->map.data;
  frame->frame.size = mapped->map.size;
  frame->frame.offset = GST_BUFFER_OFFSET_IS_VALID (mapped->buffer)
      ? GST_BUFFER_OFFSET (mapped->buffer)
      : 0;
  number_frame (container, &frame->frame);
  return PACO_INPUT_FRAME;
}

void
paco_container_release (PacoInputFrame *frame)
{
  Mapped *mapped = frame->owner;

  gst_buffer_unmap (mapped->buffer, &mapped->map);
  gst_buffer_unref (mapped->buffer);
  g_free (mapped);
}

/* Reads what the next frame says of itself. It stays the next one. */
static bool
peek (PacoContainer *container, PacoInfo *info)
{
  GstMapInfo map;
  GstBuffer *buffer;
  bool good;

  *info = (PacoInfo) PACO_INFO_INIT;
  if (!container->held)
    container->held = pull (container, NULL);
  if (!container->held)
    return false;
  buffer = gst_sample_get_buffer (container->held);
  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    return false;
  good = paco_probe (map.data, map.size, info, NULL, NULL) == PACO_STATUS_OK;
  gst_buffer_unmap (buffer, &map);
  return good;
}

uint64_t
paco_container_count (PacoContainer *container)
{
  gint64 duration;
  PacoInfo info;

  if (!peek (container, &info)
      || !gst_element_query_duration (
          container->pipeline, GST_FORMAT_TIME, &duration)
      || duration <= 0)
    return 0;
  return (uint64_t) ((double) duration * paco_picture_rate (&info) / 1e9 + 0.5);
}

static const char *
kind_of_track (const char *media_type)
{
  static const struct
  {
    const char *begin, *name;
  } kinds[] = {
    { "audio/", "sound" },
    { "text/", "text" },
    { "subpicture/", "subtitles" },
    { "video/", "pictures" },
  };

  for (unsigned i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (media_type, kinds[i].begin))
      return kinds[i].name;
  return "a track";
}

typedef struct
{
  GString *names;
  bool has_sound;
} Tracks;

/* Names the track of a demuxer's pad from which nothing is read. */
static gboolean
name_track (GstElement *demuxer, GstPad *pad, gpointer data)
{
  const Tracks *tracks = data;
  g_autoptr (GstCaps)
      caps = gst_pad_is_linked (pad) ? NULL : gst_pad_get_current_caps (pad);

  if (caps) {
    const char *type = gst_structure_get_name (
        gst_caps_get_structure (caps, 0));

    if (!tracks->has_sound || !g_str_equal (type, "audio/x-raw"))
      g_string_append_printf (tracks->names, "%s%s (%s)",
          tracks->names->len > 0 ? ", " : "", kind_of_track (type), type);
  }
  return TRUE;
}

char *
paco_container_other_tracks (const PacoContainer *container, bool has_sound)
{
  g_autoptr (GstElement)
      demuxer = gst_bin_get_by_name (GST_BIN (container->pipeline), "demux");
  Tracks tracks = { g_string_new (NULL), has_sound };
  bool any;

  gst_element_foreach_src_pad (demuxer, name_track, &tracks);
  any = tracks.names->len > 0;
  return g_string_free (tracks.names, !any);
}

static bool
seek_to (PacoContainer *container, GstClockTime time)
{
  g_clear_pointer (&container->held, gst_sample_unref);
  return gst_element_seek_simple (container->pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, time);
}

static bool
rewind_file (PacoContainer *container, GError **error)
{
  container->next = 0;
  container->begun = false;
  if (seek_to (container, 0))
    return true;
  return paco_tool_failed (
      error, "GStreamer cannot seek in %s", container->path);
}

/* A caller who reads on finds the frame by its number, so a seek that comes out
 * elsewhere is undone. */
bool
paco_container_seek (PacoContainer *container, uint64_t number, GError **error)
{
  PacoInfo info;
  int64_t base, came_to;

  if (container->begun && !rewind_file (container, error))
    return false;
  if (number <= EARLY || !peek (container, &info) || !info.has_place
      || paco_picture_rate (&info) == 0)
    return true;
  base = info.place_number;
  came_to = -1;
  if (seek_to (container,
          (GstClockTime) ((double) (number - EARLY) * 1e9
              / paco_picture_rate (&info)))
      && peek (container, &info) && info.has_place)
    came_to = (int64_t) info.place_number - base;
  if (came_to >= 0 && came_to <= (int64_t) number
      && came_to + EARLIEST + info.stack_length >= (int64_t) number) {
    container->next = (uint64_t) came_to;
    return true;
  }
  return rewind_file (container, error);
}

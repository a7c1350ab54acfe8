/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Reads the sound of copied frames with GStreamer (sounds.h). Samples are written to where
 * they belong, whatever the order in which they come; where none come there is
 * silence. */
#include "sounds.h"
#include "codec/text.h"
#include "container.h"
#include "formats.h"
#include "gst_pipeline.h"
#include "lib/stream/io.h"
#include "tool.h"
#include <errno.h>
#include <gst/audio/audio.h>
#include <string.h>
#include <unistd.h>

#define WAIT (200 * GST_MSECOND) /* between looks for signals */
#define SHORT_WAIT (5 * GST_MSECOND)
/* Times in Matroska files are whole milliseconds. */
#define ROUNDING GST_MSECOND
/* Buffers whose times differ less from where the last one ended go on there. */
#define JITTER (20 * GST_MSECOND)

/* A file that frames came from. */
typedef struct
{
  char *path;
  bool matroska, container;
  unsigned first, n; /* of its spans */
} Source;

/* Frames that came from one file without a gap. */
typedef struct
{
  unsigned source;
  guint64 start;    /* nanoseconds of the file */
  guint64 first, n; /* of the frames that are written */
} Span;

typedef struct
{
  PacoOutput *output; /* of nothing but its samples */
  PacoSoundTrack track;
  GstAudioInfo info;
} Track;

struct PacoSounds
{
  GArray *sources, *spans; /* of Source, of Span */
  GArray *tracks;          /* of Track */
  PacoSoundTrack *shown;
  guint64 n_frames;
  guint rate_n, rate_d; /* pictures a second */
};

/* The work on a source. Its callbacks run in the demuxer's thread. */
typedef struct
{
  PacoSounds *sounds;
  unsigned source;
  const char *path; /* of the file that is written */
  GstElement *pipeline;
  GMutex mutex;
  GError *failure;
  gint ready; /* All tracks are known. */
  unsigned n_tracks, n_over;
  bool first; /* It is the first source that has sound. */
} Reading;

/* A track that is read. */
typedef struct
{
  Reading *reading;
  unsigned number;
  GstPad *pad;
  gint64 next; /* the sample with which the next buffer begins, or -1 */
  bool over;
} Reader;

static const Source *
source_of (const Reading *reading)
{
  return &g_array_index (reading->sounds->sources, Source, reading->source);
}

PacoSounds *
paco_sounds_new (void)
{
  PacoSounds *sounds = g_new0 (PacoSounds, 1);

  sounds->sources = g_array_new (FALSE, TRUE, sizeof (Source));
  sounds->spans = g_array_new (FALSE, TRUE, sizeof (Span));
  sounds->tracks = g_array_new (FALSE, TRUE, sizeof (Track));
  return sounds;
}

void
paco_sounds_free (PacoSounds *sounds)
{
  if (!sounds)
    return;
  for (guint i = 0; i < sounds->sources->len; i++)
    g_free (g_array_index (sounds->sources, Source, i).path);
  for (guint i = 0; i < sounds->tracks->len; i++) {
    Track *track = &g_array_index (sounds->tracks, Track, i);

    paco_output_abandon (track->output);
    g_free (track->track.format);
  }
  g_array_unref (sounds->sources);
  g_array_unref (sounds->spans);
  g_array_unref (sounds->tracks);
  g_free (sounds->shown);
  g_free (sounds);
}

/* --- which samples --- */

/* Returns how long n_frames frames last, in nanoseconds. */
static guint64
duration_of (const PacoSounds *sounds, guint64 n_frames)
{
  return gst_util_uint64_scale_round (
      n_frames, GST_SECOND * sounds->rate_d, sounds->rate_n);
}

static unsigned
find_source (PacoSounds *sounds, const PacoInput *input)
{
  Source source = { NULL, strcmp (input->kind, "Matroska") == 0,
    input->container != NULL, sounds->spans->len, 0 };
  guint n = sounds->sources->len;

  if (n == 0
      || strcmp (
             g_array_index (sounds->sources, Source, n - 1).path, input->name)
          != 0) {
    source.path = g_strdup (input->name);
    g_array_append_val (sounds->sources, source);
  }
  return sounds->sources->len - 1;
}

/* Begins a span where the frame's time is: by its number, if that is the same as far as
 * times are exact. */
static void
begin_span (PacoSounds *sounds, unsigned source, const PacoInputFrame *frame)
{
  guint64 counted = duration_of (sounds, frame->frame.number);
  guint64 apart = counted > frame->time ? counted - frame->time
                                        : frame->time - counted;
  Span span = { source, apart < ROUNDING ? counted : frame->time,
    sounds->n_frames, 1 };

  g_array_append_val (sounds->spans, span);
  g_array_index (sounds->sources, Source, source).n++;
}

void
paco_sounds_add_frame (
    PacoSounds *sounds, const PacoInput *input, const PacoInputFrame *frame)
{
  PacoInfo info = PACO_INFO_INIT;
  unsigned source = find_source (sounds, input);
  Span *last = sounds->spans->len > 0
      ? &g_array_index (sounds->spans, Span, sounds->spans->len - 1)
      : NULL;

  if (sounds->rate_n == 0
      && paco_probe (frame->frame.data, frame->frame.size, &info, NULL, NULL)
          == PACO_STATUS_OK) {
    sounds->rate_n = info.fps_n * (info.interlace_mode == 3 ? 2 : 1);
    sounds->rate_d = MAX (info.fps_d, 1);
  }
  if (sounds->rate_n > 0 && frame->time != PACO_INPUT_NO_TIME) {
    guint64 expected = last ? last->start + duration_of (sounds, last->n) : 0;
    guint64 half = duration_of (sounds, 1) / 2;

    if (last && last->source == source
        && last->first + last->n == sounds->n_frames
        && frame->time + half > expected && frame->time < expected + half)
      last->n++;
    else
      begin_span (sounds, source, frame);
  }
  sounds->n_frames++;
}

/* Returns with which sample of a track a frame begins that is written. */
static guint64
sample_of_frame (
    const PacoSounds *sounds, const GstAudioInfo *info, guint64 frame)
{
  return gst_util_uint64_scale_round (frame,
      (guint64) GST_AUDIO_INFO_RATE (info) * sounds->rate_d, sounds->rate_n);
}

static gint64
sample_of_time (const GstAudioInfo *info, guint64 time)
{
  return (gint64) gst_util_uint64_scale_round (
      time, (guint64) GST_AUDIO_INFO_RATE (info), GST_SECOND);
}

/* --- tracks --- */

static bool
fail (Reading *reading, GError *failure)
{
  g_mutex_lock (&reading->mutex);
  if (!reading->failure)
    reading->failure = g_steal_pointer (&failure);
  g_mutex_unlock (&reading->mutex);
  g_clear_error (&failure);
  return false;
}

/* Returns caps for the muxer: MOV files do not say which loudspeakers more than two
 * channels are for. */
static GstCaps *
make_caps (const GstAudioInfo *info)
{
  GstCaps *caps = gst_audio_info_to_caps (info);

  if (GST_AUDIO_INFO_CHANNELS (info) > 2)
    gst_caps_set_simple (
        caps, "channel-mask", GST_TYPE_BITMASK, G_GUINT64_CONSTANT (0), NULL);
  return caps;
}

/* Writes silence, of formats in which zeros are none. */
static bool
fill (const Track *track, guint64 n_samples, const char *path, GError **error)
{
  const GstAudioFormatInfo *format = track->info.finfo;
  size_t bytes = (size_t) GST_AUDIO_INFO_BPF (&track->info);
  guint8 silence[4096];

  if (ftruncate (track->output->fd, (off_t) (n_samples * bytes)) != 0) {
    paco_output_explain (error, path, "cannot be written", errno);
    return false;
  }
  if (GST_AUDIO_FORMAT_INFO_IS_SIGNED (format)
      || GST_AUDIO_FORMAT_INFO_IS_FLOAT (format))
    return true;
  gst_audio_format_info_fill_silence (format, silence, sizeof silence);
  for (guint64 left = n_samples * bytes; left > 0;) {
    size_t n = MIN (left, sizeof silence);

    if (!paco_output_write (track->output, silence, n, error))
      return false;
    left -= n;
  }
  return true;
}

static bool
add_track (Reading *reading, const GstAudioInfo *info, GError **error)
{
  const PacoOutputRules rules = { .force = true };
  PacoSounds *sounds = reading->sounds;
  g_autofree char *name = g_strdup_printf (
      "%s.sound%u", reading->path, sounds->tracks->len);
  GstCaps *caps = make_caps (info);
  Track track = { .info = *info };

  if (!paco_mux_takes_sound (reading->path, caps, error)) {
    gst_caps_unref (caps);
    return false;
  }
  track.track.format = g_ascii_strdown (GST_AUDIO_INFO_NAME (info), -1);
  track.track.rate = GST_AUDIO_INFO_RATE (info);
  track.track.channels = GST_AUDIO_INFO_CHANNELS (info);
  track.track.second = (size_t) GST_AUDIO_INFO_BPF (info)
      * (size_t) GST_AUDIO_INFO_RATE (info);
  gst_caps_unref (caps);
  track.output = paco_output_open (name, &rules, error);
  g_array_append_val (sounds->tracks, track);
  return track.output
      && fill (&track, sample_of_frame (sounds, info, sounds->n_frames),
          reading->path, error);
}

/* Checks that a track is like that of the sources before it, or makes one. */
static bool
take_track (Reading *reading, const GstAudioInfo *info, GError **error)
{
  PacoSounds *sounds = reading->sounds;
  const char *name = source_of (reading)->path;
  const GstAudioInfo *before;

  if (reading->first)
    return add_track (reading, info, error);
  if (reading->n_tracks >= sounds->tracks->len)
    return paco_tool_failed (error,
        "%s has more tracks of sound than the parts before it, which have %u; "
        "--no-sound leaves all out",
        name, sounds->tracks->len);
  before = &g_array_index (sounds->tracks, Track, reading->n_tracks).info;
  if (GST_AUDIO_INFO_FORMAT (info) == GST_AUDIO_INFO_FORMAT (before)
      && GST_AUDIO_INFO_RATE (info) == GST_AUDIO_INFO_RATE (before)
      && GST_AUDIO_INFO_CHANNELS (info) == GST_AUDIO_INFO_CHANNELS (before))
    return true;
  return paco_tool_failed (error,
      "the sound of %s, %s at %d Hz in %d %s, is not that of the parts before "
      "it, %s at %d Hz in %d %s; --no-sound leaves it out",
      name, GST_AUDIO_INFO_NAME (info), GST_AUDIO_INFO_RATE (info),
      GST_AUDIO_INFO_CHANNELS (info),
      paco_text_plural (
          (guint64) GST_AUDIO_INFO_CHANNELS (info), "channel", "channels"),
      GST_AUDIO_INFO_NAME (before), GST_AUDIO_INFO_RATE (before),
      GST_AUDIO_INFO_CHANNELS (before),
      paco_text_plural (
          (guint64) GST_AUDIO_INFO_CHANNELS (before), "channel", "channels"));
}

/* --- samples --- */

/* Writes those of the samples [begin, begin + n) that belong to frames. Returns false if
 * that fails. *over becomes true if no later ones do. */
static bool
write_samples (Reader *reader, const guint8 *data, gint64 begin, gint64 n)
{
  PacoSounds *sounds = reader->reading->sounds;
  const Source *source = source_of (reader->reading);
  const Track *track = &g_array_index (sounds->tracks, Track, reader->number);
  gint64 bytes = GST_AUDIO_INFO_BPF (&track->info);
  bool over = true;

  for (unsigned i = source->first; i < source->first + source->n; i++) {
    const Span *span = &g_array_index (sounds->spans, Span, i);
    gint64 to = (gint64) sample_of_frame (sounds, &track->info, span->first);
    gint64 length = (gint64) sample_of_frame (
                        sounds, &track->info, span->first + span->n)
        - to;
    gint64 from = sample_of_time (&track->info, span->start);
    gint64 first = MAX (from, begin), end = MIN (from + length, begin + n);

    over &= begin + n >= from + length;
    if (first < end
        && !paco_io_write_at (track->output->fd,
            (guint64) ((to + first - from) * bytes),
            data + (first - begin) * bytes, (size_t) ((end - first) * bytes)))
      return false;
  }
  if (over && !reader->over) {
    reader->over = true;
    reader->reading->n_over++;
  }
  return true;
}

/* Returns with which sample a buffer of n samples begins. qtdemux cuts the first one after
 * a seek, and takes a sample too many if none begins at that time; where the buffer ends
 * is exact. */
static gint64
first_sample (
    const Reader *reader, const GstBuffer *buffer, guint64 time, gint64 n)
{
  const Reading *reading = reader->reading;
  const GstAudioInfo *info =
      &g_array_index (reading->sounds->tracks, Track, reader->number).info;
  gint64 begin = sample_of_time (info, time);

  if (reader->next >= 0)
    return ABS (begin - reader->next) <= sample_of_time (info, JITTER)
        ? reader->next
        : begin;
  if (!source_of (reading)->matroska && GST_BUFFER_DURATION_IS_VALID (buffer))
    begin = sample_of_time (info, time + GST_BUFFER_DURATION (buffer)) - n;
  return begin;
}

static void
take_buffer (Reader *reader, GstBuffer *buffer)
{
  Reading *reading = reader->reading;
  const Track *track = &g_array_index (
      reading->sounds->tracks, Track, reader->number);
  g_autoptr (GstEvent)
      event = gst_pad_get_sticky_event (reader->pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;
  gint64 begin, n;
  GstMapInfo map;
  GError *failure = NULL;
  guint64 time;

  if (!event || !GST_BUFFER_PTS_IS_VALID (buffer)
      || !gst_buffer_map (buffer, &map, GST_MAP_READ))
    return;
  gst_event_parse_segment (event, &segment);
  time = gst_segment_to_stream_time (
      segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
  n = (gint64) (map.size / (size_t) GST_AUDIO_INFO_BPF (&track->info));
  begin = time == GST_CLOCK_TIME_NONE ? reader->next
                                      : first_sample (reader, buffer, time, n);
  if (begin >= 0 && !write_samples (reader, map.data, begin, n)) {
    paco_output_explain (&failure, reading->path, "cannot be written", errno);
    fail (reading, failure);
  }
  reader->next = begin + n;
  gst_buffer_unmap (buffer, &map);
}

static void
end_reading (Reading *reading)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (reading->pipeline);

  gst_bus_post (bus, gst_message_new_eos (GST_OBJECT (reading->pipeline)));
}

static GstPadProbeReturn
on_data (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Reader *reader = data;
  Reading *reading = reader->reading;

  if (GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_EVENT_FLUSH) {
    if (GST_EVENT_TYPE (gst_pad_probe_info_get_event (info))
        == GST_EVENT_FLUSH_STOP)
      reader->next = -1;
    return GST_PAD_PROBE_OK;
  }
  take_buffer (reader, gst_pad_probe_info_get_buffer (info));
  if (reading->n_over == reading->n_tracks
      && g_atomic_int_get (&reading->ready))
    end_reading (reading);
  return GST_PAD_PROBE_DROP;
}

static void
on_pad (GstElement *demuxer, GstPad *pad, gpointer data)
{
  Reading *reading = data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstElement *sink;
  g_autoptr (GstPad) to = NULL;
  GstAudioInfo info;
  GError *failure = NULL;
  Reader *reader;

  if (!caps
      || !gst_structure_has_name (
          gst_caps_get_structure (caps, 0), "audio/x-raw")
      || !gst_audio_info_from_caps (&info, caps))
    return;
  if (!take_track (reading, &info, &failure)) {
    fail (reading, failure);
    return;
  }
  reader = g_new0 (Reader, 1);
  *reader = (Reader){ reading, reading->n_tracks++, pad, -1, false };
  sink = gst_element_factory_make ("fakesink", NULL);
  g_object_set (sink, "async", FALSE, NULL);
  gst_bin_add (GST_BIN (reading->pipeline), sink);
  to = gst_element_get_static_pad (sink, "sink");
  gst_pad_link (pad, to);
  gst_element_sync_state_with_parent (sink);
  gst_pad_add_probe (pad,
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_data,
      reader, g_free);
}

static void
on_all_pads (GstElement *demuxer, gpointer data)
{
  g_atomic_int_set (&((Reading *) data)->ready, 1);
}

/* --- files --- */

static bool
has_failed (Reading *reading, GstClockTime wait, bool *ended, GError **error)
{
  GError *failure = NULL;
  bool failed = paco_gst_failed (
      reading->pipeline, source_of (reading)->path, wait, ended, &failure);

  /* What a file without a track that is read has cannot be pushed anywhere. */
  if (failed && g_atomic_int_get (&reading->ready) && reading->n_tracks == 0) {
    g_clear_error (&failure);
    *ended = true;
  }
  g_mutex_lock (&reading->mutex);
  if (reading->failure) {
    g_clear_error (&failure);
    failure = g_steal_pointer (&reading->failure);
  }
  g_mutex_unlock (&reading->mutex);
  if (failure)
    g_propagate_error (error, failure);
  return failure || paco_signals_caught (error);
}

/* Returns where the sound of a source's first frames begins. */
static guint64
earliest (const Reading *reading)
{
  const Source *source = source_of (reading);
  guint64 time = G_MAXUINT64;

  for (unsigned i = source->first; i < source->first + source->n; i++)
    time = MIN (time, g_array_index (reading->sounds->spans, Span, i).start);
  return time;
}

/* Begins shortly before the sound of the first frames. */
static bool
seek (Reading *reading, bool *ended, GError **error)
{
  gst_element_set_state (reading->pipeline, GST_STATE_PAUSED);
  while (!*ended && !g_atomic_int_get (&reading->ready))
    if (has_failed (reading, SHORT_WAIT, ended, error))
      return false;
  if (!*ended && reading->n_tracks > 0)
    gst_element_seek_simple (reading->pipeline, GST_FORMAT_TIME,
        GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_KEY_UNIT
            | GST_SEEK_FLAG_SNAP_BEFORE,
        earliest (reading) - GST_SECOND);
  return true;
}

static bool
run (Reading *reading, GError **error)
{
  bool ended = false, good = true;

  /* Times of Matroska files are exact from the begin on only, where samples are
   * counted. */
  if (!source_of (reading)->matroska && earliest (reading) > 2 * GST_SECOND)
    good = seek (reading, &ended, error);
  gst_element_set_state (reading->pipeline, GST_STATE_PLAYING);
  while (good && !ended)
    good = !has_failed (reading, WAIT, &ended, error);
  gst_element_set_state (reading->pipeline, GST_STATE_NULL);
  return good;
}

static bool
read_source (Reading *reading, GError **error)
{
  const Source *source = source_of (reading);
  g_autofree char *description = g_strdup_printf ("filesrc name=from ! %s "
                                                  "name=demux",
      source->matroska ? "matroskademux" : "qtdemux");
  GstElement *demuxer;
  bool good;

  reading->pipeline = paco_gst_pipeline (
      description, source->path, NULL, error);
  if (!reading->pipeline)
    return false;
  demuxer = gst_bin_get_by_name (GST_BIN (reading->pipeline), "demux");
  g_signal_connect (demuxer, "pad-added", G_CALLBACK (on_pad), reading);
  g_signal_connect (demuxer, "no-more-pads", G_CALLBACK (on_all_pads), reading);
  good = run (reading, error);
  gst_object_unref (demuxer);
  paco_gst_free (reading->pipeline);
  return good;
}

static bool
check_count (const Reading *reading, GError **error)
{
  const PacoSounds *sounds = reading->sounds;
  unsigned n = sounds->tracks->len;
  const char *name = source_of (reading)->path;

  if (reading->n_tracks == n)
    return true;
  if (reading->n_tracks == 0) {
    paco_tool_complain ("%s has no sound of samples: there is silence", name);
    return true;
  }
  return paco_tool_failed (error,
      "%s has %u %s of sound, and the parts before it have %u; --no-sound "
      "leaves all out",
      name, reading->n_tracks,
      paco_text_plural (reading->n_tracks, "track", "tracks"), n);
}

bool
paco_sounds_read (PacoSounds *sounds, const char *path, GError **error)
{
  GArray *silent = g_array_new (FALSE, FALSE, sizeof (unsigned));
  bool good = true;

  for (unsigned i = 0; good && i < sounds->sources->len; i++) {
    Reading reading = { .sounds = sounds,
      .source = i,
      .path = path,
      .first = sounds->tracks->len == 0 };

    g_mutex_init (&reading.mutex);
    if (source_of (&reading)->container && source_of (&reading)->n > 0)
      good = read_source (&reading, error);
    if (good && reading.n_tracks == 0)
      g_array_append_val (silent, i);
    else
      good = good && check_count (&reading, error);
    g_mutex_clear (&reading.mutex);
  }
  for (unsigned i = 0; good && sounds->tracks->len > 0 && i < silent->len;
       i++) {
    Reading reading = { .sounds = sounds,
      .source = g_array_index (silent, unsigned, i) };

    good = check_count (&reading, error);
  }
  g_array_unref (silent);
  return good;
}

const PacoSoundTrack *
paco_sounds_tracks (const PacoSounds *sounds, unsigned *n)
{
  PacoSounds *owner = (PacoSounds *) sounds;

  *n = sounds->tracks->len;
  owner->shown = g_renew (PacoSoundTrack, owner->shown, MAX (*n, 1));
  for (unsigned i = 0; i < *n; i++) {
    const Track *track = &g_array_index (sounds->tracks, Track, i);

    owner->shown[i] = track->track;
    owner->shown[i].path = track->output->temporary;
    owner->shown[i].size = UINT64_MAX;
  }
  return owner->shown;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Records live pictures with sound for a while, as a capture station does, and
 * reads the file back: is every frame there, in its place, are picture and sound
 * together to the end, and has memory stayed what it was?
 *
 *   soak-record [--seconds=600] [--width=W --height=H --fps=F] [--quality=90]
 *               [--container=mkv|mov|fragmented] [--file=FILE]
 *               [--report=FILE] [--keep]
 *
 * Without a size, one is chosen that this machine can hold now. Each picture has
 * its number drawn into it, and every full second a flash, with which the sound
 * beeps. 77 says that an element of GStreamer is missing. */
#include "tests/soak/soak.h"
#include <glib/gstdio.h>
#include <gst/video/video.h>
#include <math.h>
#include <stdlib.h>

#define RATE 48000 /* of the sound */
#define BLACK 64
#define WHITE 940
#define NUMBER_BITS 32
#define PAN 256 /* columns that the scene is wider than a picture */
#define QUEUE_MEGABYTES 1000 /* before the encoder */
#define SOUND_SECONDS 60     /* that may wait for pictures */

static int seconds = 600, width, height, fps;
static double quality = 90;
static char *container_name, *file, *report_path;
static gboolean keep;

static const GOptionEntry options[] = {
  { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "how long to record", "N" },
  { "width", 0, 0, G_OPTION_ARG_INT, &width, "of a picture", "N" },
  { "height", 0, 0, G_OPTION_ARG_INT, &height, "of a picture", "N" },
  { "fps", 0, 0, G_OPTION_ARG_INT, &fps, "pictures a second", "N" },
  { "quality", 0, 0, G_OPTION_ARG_DOUBLE, &quality, "of pacoenc", "Q" },
  { "container", 0, 0, G_OPTION_ARG_STRING, &container_name,
      "mkv (the default), mov or fragmented", "NAME" },
  { "file", 0, 0, G_OPTION_ARG_FILENAME, &file, "where to", "FILE" },
  { "report", 0, 0, G_OPTION_ARG_FILENAME, &report_path, "as JSON", "FILE" },
  { "keep", 0, 0, G_OPTION_ARG_NONE, &keep, "the file, too", NULL },
  { NULL },
};

/* Fragments alone (without a last moov) would not say that a stream begins later
 * than the other: qtmux writes no edit list then, and sound would be off by that. */
static const struct
{
  const char *name, *muxer, *demuxer;
} containers[] = {
  { "mkv", "matroskamux", "matroskademux" },
  { "mov", "qtmux", "qtdemux" },
  { "fragmented",
      "qtmux fragment-duration=1000 fragment-mode=first-moov-then-finalise",
      "qtdemux" },
};
static guint container;

static void G_GNUC_NORETURN
stop (const char *what, const char *why)
{
  g_printerr ("%s: %s\n", what, why);
  exit (2);
}

static GstElement *
launch (const char *format, ...)
{
  g_autofree char *description = NULL;
  g_autoptr (GError) error = NULL;
  GstElement *pipeline;
  va_list arguments;

  va_start (arguments, format);
  description = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  pipeline = gst_parse_launch (description, &error);
  if (error)
    stop (description, error->message);
  return pipeline;
}

/* Plays to the end of the stream. */
static void
wait_for_end (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = gst_bus_timed_pop_filtered (
      bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    g_autoptr (GError) error = NULL;
    g_autofree char *details = NULL;

    gst_message_parse_error (message, &error, &details);
    stop (error->message, details ? details : "");
  }
}

/* --- The scene --- */

/* This is a picture that is wider than what is seen of it, with noise:
 * I422_10LE. */
typedef struct
{
  guint16 *plane[3];
  int stride[3]; /* samples */
} Scene;

typedef struct
{
  Scene scene;
  GstVideoInfo info;
  GstElement *pipeline;
  GMainLoop *loop;
  GHashTable *pool; /* the memory of all pictures that the source has used */
  gint pool_size;   /* atomic */
  SoakMemory memory;
  _Atomic GstClockTime first; /* picture; seconds are counted from here */
  guint64 n_frames;           /* that the source has made */
  GstClockTime most_late;     /* of a picture, when the source gave it away */
  gint n_overruns;
} Recording;

static void
scene_init (Recording *recording)
{
  Scene *scene = &recording->scene;
  guint32 noise = 1;

  gst_video_info_set_format (
      &recording->info, GST_VIDEO_FORMAT_I422_10LE, width, height);

  for (int c = 0; c < 3; c++) {
    int n = c ? (width + PAN) / 2 : width + PAN;

    scene->stride[c] = n;
    scene->plane[c] = g_new (guint16, (gsize) n * height);
    for (int y = 0; y < height; y++)
      for (int x = 0; x < n; x++) {
        double wave = sin (x * 0.021 + y * 0.013) + sin (x * y * 1e-5);

        noise = noise * 1664525u + 1013904223u;
        scene->plane[c][(gsize) y * n + x] = (guint16) (500 + 120 * wave
            + (noise >> 30));
      }
  }
}

static void
scene_clear (Scene *scene)
{
  for (int c = 0; c < 3; c++)
    g_free (scene->plane[c]);
}

/* Returns the number, with a check of it in the upper bits. */
static guint32
coded_number (guint32 n)
{
  n &= 0xffffff;
  return n | ((n * 167u >> 3) & 255u) << 24;
}

/* Says whether it flashes with picture n. */
static gboolean
is_second (guint64 n)
{
  return n > 0 && n % fps == 0;
}

/* Draws picture n: its upper eighth has the bits of its number, the next one
 * flashes. */
static void
scene_draw (const Scene *scene, GstVideoFrame *frame, guint64 n)
{
  int pan = (int) (2 * n % PAN), band = height / 8;
  guint32 bits = coded_number ((guint32) n);
  guint32 flash = is_second (n);

  for (int c = 0; c < 3; c++) {
    int columns = c ? width / 2 : width, from = c ? pan / 2 : pan;

    for (int y = 0; y < height; y++) {
      guint16 *line = (guint16 *) ((guint8 *) GST_VIDEO_FRAME_PLANE_DATA (
                                       frame, c)
          + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, c));

      if (y >= 2 * band)
        memcpy (line, scene->plane[c] + (gsize) y * scene->stride[c] + from,
            columns * sizeof *line);
      for (int x = 0; x < columns && y < 2 * band; x++) {
        gboolean one = y < band ? bits >> (x * NUMBER_BITS / columns) & 1
                                : flash;

        line[x] = c ? 512 : one ? WHITE : BLACK;
      }
    }
  }
}

/* --- Recording --- */

/* Gives what the source gives away its content. */
static GstPadProbeReturn
on_picture (GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  Recording *recording = data;
  GstBuffer *buffer = gst_buffer_make_writable (
      GST_PAD_PROBE_INFO_BUFFER (probe));
  GstClock *clock = gst_element_get_clock (recording->pipeline);
  GstVideoFrame frame;

  if (recording->n_frames == 0)
    recording->first = GST_BUFFER_PTS (buffer);
  if (!gst_video_frame_map (&frame, &recording->info, buffer, GST_MAP_WRITE))
    stop ("a picture", "cannot be mapped");
  scene_draw (&recording->scene, &frame,
      gst_util_uint64_scale_round (
          GST_BUFFER_PTS (buffer) - recording->first, fps, GST_SECOND));
  gst_video_frame_unmap (&frame);
  recording->n_frames++;
  g_hash_table_add (recording->pool, gst_buffer_peek_memory (buffer, 0));
  g_atomic_int_set (
      &recording->pool_size, (gint) g_hash_table_size (recording->pool));
  if (clock) {
    GstClockTime now = gst_clock_get_time (clock)
        - gst_element_get_base_time (recording->pipeline);

    if (now > GST_BUFFER_PTS (buffer))
      recording->most_late = MAX (
          recording->most_late, now - GST_BUFFER_PTS (buffer));
    gst_object_unref (clock);
  }
  GST_PAD_PROBE_INFO_DATA (probe) = buffer;
  return GST_PAD_PROBE_OK;
}

/* Puts a beep of a hundredth of a second into silence when a picture
 * flashes. */
static GstPadProbeReturn
on_silence (GstPad *pad, GstPadProbeInfo *probe, gpointer data)
{
  Recording *recording = data;
  GstBuffer *buffer = gst_buffer_make_writable (
      GST_PAD_PROBE_INFO_BUFFER (probe));
  GstClockTime first = recording->first;
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE))
    stop ("sound", "cannot be mapped");
  for (gsize i = 0; i + 4 <= map.size; i += 4) {
    GstClockTime time = GST_BUFFER_PTS (buffer)
        + gst_util_uint64_scale (i / 4, GST_SECOND, RATE);
    gboolean loud = time >= first && time - first >= GST_SECOND
        && (time - first) % GST_SECOND < GST_SECOND / 100;

    GST_WRITE_UINT16_LE (map.data + i, loud ? 20000 : 0);
    GST_WRITE_UINT16_LE (map.data + i + 2, loud ? 20000 : 0);
  }
  gst_buffer_unmap (buffer, &map);
  GST_PAD_PROBE_INFO_DATA (probe) = buffer;
  return GST_PAD_PROBE_OK;
}

/* Counts what a device would have to drop, which comes now. */
static void
on_overrun (GstElement *queue, gpointer data)
{
  g_atomic_int_inc (&((Recording *) data)->n_overruns);
}

static gboolean
on_second (gpointer data)
{
  Recording *recording = data;

  /* The source's pool has as many pictures as once waited, and gives none back. */
  recording->memory.apart = (double) recording->info.size
      * g_atomic_int_get (&recording->pool_size) / (1 << 20);
  soak_memory_take (&recording->memory, 0, 0);
  return G_SOURCE_CONTINUE;
}

static gboolean
on_time (gpointer data)
{
  gst_element_send_event (((Recording *) data)->pipeline, gst_event_new_eos ());
  return G_SOURCE_REMOVE;
}

static gboolean
on_message (GstBus *bus, GstMessage *message, gpointer data)
{
  g_autoptr (GError) error = NULL;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR) {
    gst_message_parse_error (message, &error, NULL);
    stop ("recording", error->message);
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS)
    g_main_loop_quit (((Recording *) data)->loop);
  return TRUE;
}

static void
watch_source (
    Recording *recording, const char *name, GstPadProbeCallback callback)
{
  g_autoptr (GstElement)
      source = gst_bin_get_by_name (GST_BIN (recording->pipeline), name);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (source, "src");

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, recording, NULL);
}

#define SOURCE                                                                 \
  "videotestsrc name=video pattern=black %s ! "                                \
  "video/x-raw,format=I422_10LE,width=%d,height=%d,framerate=%d/1 ! "

static void
record (Recording *recording)
{
  g_autoptr (GstBus) bus = NULL;
  g_autoptr (GstElement) queue = NULL;
  guint watch, ticks;

  recording->pipeline = launch (SOURCE
      "queue name=capture max-size-buffers=0 max-size-time=0 "
      "max-size-bytes=%u ! pacoenc backend=cpu "
      "quality=%f ! queue ! mux. "
      "audiotestsrc name=audio is-live=true wave=silence "
      "samplesperbuffer=480 ! "
      "audio/x-raw,format=S16LE,rate=%d,channels=2 ! "
      "queue max-size-buffers=0 max-size-time=%" G_GUINT64_FORMAT " ! "
      "%s name=mux ! filesink name=file",
      "is-live=true", width, height, fps, QUEUE_MEGABYTES * 1000000u, quality,
      RATE, SOUND_SECONDS * GST_SECOND, containers[container].muxer);
  queue = gst_bin_get_by_name (GST_BIN (recording->pipeline), "file");
  g_object_set (queue, "location", file, NULL);
  gst_object_unref (queue);
  queue = gst_bin_get_by_name (GST_BIN (recording->pipeline), "capture");
  g_signal_connect (queue, "overrun", G_CALLBACK (on_overrun), recording);
  watch_source (recording, "video", on_picture);
  watch_source (recording, "audio", on_silence);
  soak_memory_init (&recording->memory);
  recording->loop = g_main_loop_new (NULL, FALSE);
  bus = gst_element_get_bus (recording->pipeline);
  watch = gst_bus_add_watch (bus, on_message, recording);
  ticks = g_timeout_add_seconds (1, on_second, recording);
  g_timeout_add_seconds (seconds, on_time, recording);
  gst_element_set_state (recording->pipeline, GST_STATE_PLAYING);
  g_main_loop_run (recording->loop);
  gst_element_set_state (recording->pipeline, GST_STATE_NULL);
  g_source_remove (ticks);
  g_source_remove (watch);
  g_main_loop_unref (recording->loop);
  gst_object_unref (recording->pipeline);
}

/* Returns how many pictures a second are drawn and coded without waiting for a
 * clock. */
static double
measure_speed (Recording *recording)
{
  guint64 n = 0;
  gint64 start;

  recording->pipeline = launch (SOURCE
      "queue ! pacoenc backend=cpu quality=%f ! fakesink sync=false",
      "num-buffers=100", width, height, fps, quality);
  watch_source (recording, "video", on_picture);
  start = g_get_monotonic_time ();
  gst_element_set_state (recording->pipeline, GST_STATE_PLAYING);
  wait_for_end (recording->pipeline);
  n = recording->n_frames;
  gst_element_set_state (recording->pipeline, GST_STATE_NULL);
  gst_object_unref (recording->pipeline);
  recording->n_frames = 0;
  recording->most_late = 0;
  recording->first = GST_CLOCK_TIME_NONE;
  return (double) n * G_USEC_PER_SEC
      / (double) (g_get_monotonic_time () - start);
}

/* Chooses the largest that can be coded three times as fast as it comes, since
 * others may want the processor later. Returns the pictures a second that were
 * measured. */
static double
choose_size (Recording *recording)
{
  static const int sizes[][3] = { { 1920, 1080, 50 }, { 1920, 1080, 25 },
    { 1280, 720, 50 }, { 1280, 720, 25 }, { 960, 540, 25 }, { 640, 360, 25 } };
  double speed = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    if (i == 0 || sizes[i][0] != width) {
      width = sizes[i][0];
      height = sizes[i][1];
      fps = sizes[i][2];
      scene_init (recording);
      speed = measure_speed (recording);
      scene_clear (&recording->scene);
    }
    fps = sizes[i][2];
    g_print ("%dx%d: %.1f pictures a second\n", width, height, speed);
    if (speed >= 3 * fps)
      break;
  }
  return speed;
}

/* --- Reading it back --- */

typedef struct
{
  GstVideoInfo info;
  GstClockTime first;      /* picture */
  GArray *numbers;         /* guint32, UINT32_MAX: cannot be read */
  GArray *flashes, *beeps; /* GstClockTime */
  GstClockTime most_off;   /* of a picture, from where its number belongs */
  GstClockTime heard;      /* when there was last a sound */
} Playback;

/* Returns when a buffer is played. */
static GstClockTime
running_time (GstPad *pad, GstBuffer *buffer)
{
  g_autoptr (GstEvent)
      event = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  const GstSegment *segment;

  gst_event_parse_segment (event, &segment);
  return gst_segment_to_running_time (
      segment, GST_FORMAT_TIME, GST_BUFFER_PTS (buffer));
}

/* Says whether the sample in the middle of column x of n, in band y of 8, is
 * white. */
static gboolean
is_white (GstVideoFrame *frame, int x, int n, int y)
{
  int column = GST_VIDEO_FRAME_WIDTH (frame) * (2 * x + 1) / (2 * n);
  int line = GST_VIDEO_FRAME_HEIGHT (frame) * (2 * y + 1) / 16;
  const guint8 *data = (const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
      + (gsize) line * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

  return GST_READ_UINT16_LE (data + 2 * column) > (BLACK + WHITE) / 2;
}

static void
on_decoded (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  Playback *playback = data;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  GstClockTime pts = running_time (pad, buffer), due;
  GstVideoFrame frame;
  guint32 bits = 0, n;

  if (!gst_video_info_from_caps (&playback->info, caps)
      || !gst_video_frame_map (&frame, &playback->info, buffer, GST_MAP_READ))
    stop ("a decoded picture", "cannot be mapped");
  for (int i = 0; i < NUMBER_BITS; i++)
    bits |= (guint32) is_white (&frame, i, NUMBER_BITS, 0) << i;
  n = bits & 0xffffff;
  if (coded_number (n) != bits)
    n = G_MAXUINT32;
  g_array_append_val (playback->numbers, n);
  if (playback->numbers->len == 1)
    playback->first = pts;
  due = playback->first + gst_util_uint64_scale (n, GST_SECOND, fps);
  if (n != G_MAXUINT32)
    playback->most_off = MAX (
        playback->most_off, pts > due ? pts - due : due - pts);
  if (is_white (&frame, 0, 1, 1))
    g_array_append_val (playback->flashes, pts);
  gst_video_frame_unmap (&frame);
}

/* Notes where a beep begins, which is where it has been quiet for half a second
 * before. */
static void
on_sound (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer data)
{
  Playback *playback = data;
  GstClockTime begin = running_time (pad, buffer);
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_READ))
    stop ("sound", "cannot be mapped");
  for (gsize i = 0; i + 4 <= map.size; i += 4) {
    gint16 sample = (gint16) GST_READ_UINT16_LE (map.data + i);
    GstClockTime time = begin + gst_util_uint64_scale (i / 4, GST_SECOND, RATE);

    if (abs (sample) < 2000)
      continue;
    if (playback->beeps->len == 0 || time - playback->heard > GST_SECOND / 2)
      g_array_append_val (playback->beeps, time);
    playback->heard = time;
  }
  gst_buffer_unmap (buffer, &map);
}

static void
connect_sink (GstElement *pipeline, const char *name, GCallback callback,
    Playback *playback)
{
  g_autoptr (GstElement) sink = gst_bin_get_by_name (GST_BIN (pipeline), name);

  g_signal_connect (sink, "handoff", callback, playback);
}

static void
play (Playback *playback)
{
  g_autoptr (GstElement) pipeline = launch (
      "filesrc name=file ! %s name=demux "
      "demux.video_0 ! queue max-size-buffers=0 max-size-time=0 "
      "max-size-bytes=64000000 ! pacoparse ! pacodec backend=cpu reduce=%d ! "
      "fakesink name=pictures sync=false signal-handoffs=true "
      "demux.audio_0 ! queue max-size-time=0 max-size-buffers=0 ! "
      "fakesink name=sound sync=false signal-handoffs=true",
      containers[container].demuxer, width >= 960 ? 2 : 0);
  g_autoptr (GstElement)
      source = gst_bin_get_by_name (GST_BIN (pipeline), "file");

  playback->numbers = g_array_new (FALSE, FALSE, sizeof (guint32));
  playback->flashes = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  playback->beeps = g_array_new (FALSE, FALSE, sizeof (GstClockTime));
  g_object_set (source, "location", file, NULL);
  connect_sink (pipeline, "pictures", G_CALLBACK (on_decoded), playback);
  connect_sink (pipeline, "sound", G_CALLBACK (on_sound), playback);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  wait_for_end (pipeline);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* Returns the milliseconds from flash k to its beep. */
static double
lag (const Playback *playback, guint k)
{
  return ((double) g_array_index (playback->beeps, GstClockTime, k)
             - (double) g_array_index (playback->flashes, GstClockTime, k))
      / GST_MSECOND;
}

/* --- The report --- */

static void
report_frames (
    SoakReport *report, const Recording *recording, const Playback *playback)
{
  guint n = playback->numbers->len, wrong = 0;

  for (guint i = 0; i < n; i++)
    wrong += g_array_index (playback->numbers, guint32, i) != i;
  soak_report_number (report, "frames", (double) recording->n_frames);
  soak_report_number (report, "frames_read", n);
  soak_report_number (report, "frames_wrong", wrong);
  soak_report_number (
      report, "frames_off_ms", (double) playback->most_off / GST_MSECOND);
  soak_report_check (report, "frames_complete",
      wrong == 0 && n == recording->n_frames
          && n + 2 * fps >= (guint) seconds * fps
          && playback->most_off < GST_SECOND / (guint) fps / 2);
}

static void
report_sync (SoakReport *report, const Playback *playback)
{
  guint n = MIN (playback->flashes->len, playback->beeps->len);
  double most = 0, frame = 1000.0 / fps;

  for (guint k = 0; k < n; k++)
    most = fabs (lag (playback, k)) > fabs (most) ? lag (playback, k) : most;
  soak_report_number (report, "flashes", playback->flashes->len);
  soak_report_number (report, "beeps", playback->beeps->len);
  if (n > 0) {
    soak_report_number (report, "lag_first_ms", lag (playback, 0));
    soak_report_number (report, "lag_last_ms", lag (playback, n - 1));
  }
  soak_report_number (report, "lag_most_ms", most);
  soak_report_check (report, "in_sync",
      n >= (guint) MAX (seconds - 3, 1)
          && MAX (playback->flashes->len, playback->beeps->len) - n <= 1
          && fabs (most) < frame);
}

static gboolean
report_all (const Recording *recording, const Playback *playback, double speed)
{
  SoakReport report;
  GStatBuf file_stat;
  gboolean good;

  soak_report_init (&report);
  soak_report_machine (&report);
  soak_report_text (&report, "format",
      "%dx%d, 4:2:2 of 10 bits, %d frames a second, quality %g, %s, 16-bit "
      "stereo sound",
      width, height, fps, quality, containers[container].name);
  if (speed > 0)
    soak_report_number (&report, "speed", speed);
  if (g_stat (file, &file_stat) == 0)
    soak_report_number (&report, "megabytes", (double) file_stat.st_size / 1e6);
  soak_report_number (
      &report, "late_ms", (double) recording->most_late / GST_MSECOND);
  soak_report_number (&report, "overruns", recording->n_overruns);
  soak_report_check (&report, "held", recording->n_overruns == 0);
  report_frames (&report, recording, playback);
  report_sync (&report, playback);
  soak_report_number (&report, "pool", recording->pool_size);
  soak_report_memory (&report, &recording->memory, MIN (30, seconds / 4),
      seconds >= 60 ? 8 : 64);
  good = soak_report_write (&report, report_path);
  soak_report_clear (&report);
  return good;
}

static void
need_elements (void)
{
  const char *names[] = { "videotestsrc", "audiotestsrc", "qtmux", "qtdemux",
    "matroskamux", "matroskademux" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (!gst_registry_check_feature_version (
            gst_registry_get (), names[i], 1, 20, 0)) {
      g_print ("GStreamer's %s is not installed: skipped\n", names[i]);
      exit (77);
    }
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  Recording recording = { .first = GST_CLOCK_TIME_NONE };
  Playback playback = { .heard = 0 };
  double speed = 0;
  gboolean good;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error))
    stop ("usage", error->message);
  if (seconds < 2 || width < 0 || height < 0 || fps < 0
      || (width > 0) != (height > 0) || (width > 0) != (fps > 0) || width % 4
      || width > 8192 || height > 8192 || fps > 1000)
    stop ("usage", "2 seconds at least, and width, height and fps together");
  need_elements ();
  recording.pool = g_hash_table_new (NULL, NULL);
  while (container_name && container < G_N_ELEMENTS (containers)
      && strcmp (container_name, containers[container].name) != 0)
    container++;
  if (container == G_N_ELEMENTS (containers))
    stop (container_name, "is no container: mkv, mov or fragmented");
  if (!file)
    file = g_build_filename (g_get_tmp_dir (), "soak-record.film", NULL);
  if (width == 0)
    speed = choose_size (&recording);
  scene_init (&recording);
  g_hash_table_remove_all (recording.pool);
  g_print ("recording %dx%d at %d for %d seconds into %s\n", width, height, fps,
      seconds, file);
  record (&recording);
  g_print ("reading it back\n");
  play (&playback);
  good = report_all (&recording, &playback, speed);
  if (!keep)
    g_unlink (file);
  scene_clear (&recording.scene);
  soak_memory_clear (&recording.memory);
  g_hash_table_unref (recording.pool);
  g_array_unref (playback.numbers);
  g_array_unref (playback.flashes);
  g_array_unref (playback.beeps);
  g_free (container_name);
  g_free (file);
  g_free (report_path);
  return good ? 0 : 1;
}

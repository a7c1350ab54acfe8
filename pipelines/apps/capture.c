/* SPDX-License-Identifier: LGPL-2.1-or-later
 * paco-capture [FILE]: shows what a device or the test scene gives, and records
 * it as PaCo video whenever it is asked to. It is an example to copy from: it
 * uses the public API of GStreamer alone.
 *
 *   source ! clocksync ! capsfilter ! tee ! queue ! videoconvert ! a window
 *                                      |
 *                                      +--- queue ! pacoenc ! muxer ! filesink
 *
 * clocksync holds a source that is not live, such as a file, to the speed at which
 * it is to be seen. The lower branch, the recording, comes and goes while the
 * pipeline plays. These are the rules that keep its pictures together:
 * - A recording ends by an event, EOS, that is sent into its branch alone. What
 *   came before it is coded and written; the muxer then completes the file, and
 *   only when the bus says so is the branch taken away.
 * - The preview's queue drops pictures when the window is slow, so that the
 *   window never holds up the recording.
 * - The recording's queue drops pictures, and counts them, when the encoder or
 *   the disk is slow for longer than the queue's memory lasts: a device cannot
 *   wait.
 * - The source chooses its format once (keep_format).
 * - What fails in the recording stays there: the source is told that all is well
 *   (pass_picture), and the preview goes on. */
#include <glib-unix.h>
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STATUS_MS 250
#define STATUS_EVERY 20 /* of the status lines, where there is no terminal */
#define MAX_NUMBER 9999

#define TEST_SCENE                                                             \
  "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I422_10LE,"     \
  "width=1920,height=1080,framerate=25/1"

/* This is one recording. The source's thread, the queue's and the main thread
 * use it; each of them holds a reference (g_atomic_rc_box_acquire). */
typedef struct
{
  char *path;
  GstElement *bin, *queue;
  GstPad *tee_pad;
  GstClockTime limit;  /* ends after so much time, 0: when it is told to */
  GstClockTime first;  /* time stamp of the first picture */
  GstClockTime end;    /* where the last picture ends */
  guint entered, left; /* pictures that came into the queue and out of it */
  gboolean stopping;   /* for the main thread: EOS is on its way */
} Recording;

typedef struct
{
  char *source, *encoder, *path;
  gboolean headless;
  double record_seconds;
  int queue_mb;

  GMainLoop *loop;
  GstElement *pipeline, *tee;
  Recording *recording; /* NULL if there is none */
  guint number;         /* of the next file */
  gboolean quitting, failed, on_terminal;
  guint status_lines;
} Capture;

/* Prints a line that stays, above the status line. */
static void say (const Capture *capture, const char *format, ...)
    G_GNUC_PRINTF (2, 3);

static void
say (const Capture *capture, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (capture->on_terminal)
    printf ("\r\033[K");
  vprintf (format, arguments);
  putchar ('\n');
  fflush (stdout);
  va_end (arguments);
}

/* Returns the last line of an element's debugging text, which says what the
 * system or the stream has said, or NULL if there is none. */
static const char *
detail (const char *debug)
{
  const char *line = debug ? strrchr (debug, '\n') : NULL;

  if (!line)
    return NULL;
  line++;
  if (g_str_has_prefix (line, "system error: "))
    line += strlen ("system error: ");
  return *line ? line : NULL;
}

/* Makes an error or a warning of the bus a sentence that a person can act on,
 * without its full stop. */
static char *
explain (GstMessage *message)
{
  GError *error = NULL;
  char *debug = NULL, *text, *sentence;

  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, &debug);
  else
    gst_message_parse_warning (message, &error, &debug);
  text = g_strdup (error->message);
  if (g_str_has_suffix (text, "."))
    text[strlen (text) - 1] = 0;

  if (g_error_matches (
          error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT))
    sentence = g_strdup ("The disk is full");
  else if (debug && strstr (debug, "not-negotiated"))
    sentence = g_strdup ("The elements find no format that all of them take; "
                         "`videoconvert` behind the source may help");
  else if (detail (debug))
    sentence = g_strdup_printf ("%s (%s)", text, detail (debug));
  else
    sentence = g_strdup (text);
  g_error_free (error);
  g_free (debug);
  g_free (text);
  return sentence;
}

/* --- a recording ------------------------------------------------------- */

static void
free_recording (gpointer data)
{
  Recording *recording = data;

  gst_clear_object (&recording->bin);
  gst_clear_object (&recording->queue);
  gst_clear_object (&recording->tee_pad);
  g_free (recording->path);
}

static void
unref_recording (gpointer data)
{
  g_atomic_rc_box_release_full (data, free_recording);
}

/* Ends the branch behind its sink pad. The pad's lock puts the event between
 * two pictures, and pictures that come after it are refused. */
static void
send_end (GstPad *sink)
{
  gst_pad_send_event (sink, gst_event_new_eos ());
}

/* Gives a picture of the tee to the recording, in the source's thread. It is
 * handed over here and not by the tee, so that the source never sees an error
 * of the recording, which would stop the preview as well. */
static GstPadProbeReturn
pass_picture (GstPad *tee_pad, GstPadProbeInfo *info, gpointer data)
{
  Recording *recording = data;
  GstBuffer *picture = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClockTime time = GST_BUFFER_PTS (picture);
  GstClockTime duration = GST_BUFFER_DURATION (picture);
  g_autoptr (GstPad) sink = gst_pad_get_peer (tee_pad);

  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = GST_FLOW_OK;
  /* While the branch is being linked, a picture may come before its format
   * does. The recording begins with the next one. */
  if (!sink || !gst_pad_has_current_caps (sink)) {
    gst_clear_object (&sink);
    gst_buffer_unref (picture);
    return GST_PAD_PROBE_HANDLED;
  }
  if (recording->first == GST_CLOCK_TIME_NONE)
    recording->first = time;
  if (recording->limit && GST_CLOCK_TIME_IS_VALID (time)
      && time >= recording->first + recording->limit) {
    gst_buffer_unref (picture);
    send_end (sink);
  } else if (gst_pad_chain (sink, picture) == GST_FLOW_OK) {
    recording->end = time;
    if (GST_CLOCK_TIME_IS_VALID (time) && GST_CLOCK_TIME_IS_VALID (duration))
      recording->end += duration;
    g_atomic_int_inc (&recording->entered);
  }
  return GST_PAD_PROBE_HANDLED;
}

/* Counts a picture that goes from the queue to the encoder. */
static GstPadProbeReturn
count_leaving (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  Recording *recording = data;

  g_atomic_int_inc (&recording->left);
  return GST_PAD_PROBE_OK;
}

/* Takes the timecode meta off a coded frame, which has the timecode inside as well.
 * For such a meta, qtmux writes a timecode between the boxes of a fragmented file,
 * and no program can read what follows. */
static GstPadProbeReturn
take_off_timecode (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstVideoTimeCodeMeta *meta = gst_buffer_get_video_time_code_meta (buffer);

  if (meta) {
    buffer = gst_buffer_make_writable (buffer);
    meta = gst_buffer_get_video_time_code_meta (buffer);
    gst_buffer_remove_meta (buffer, &meta->meta);
    GST_PAD_PROBE_INFO_DATA (info) = buffer;
  }
  return GST_PAD_PROBE_OK;
}

/* Returns the muxer and its properties, by the file's name. Both leave files
 * that play however they are cut off, but for the last second. */
static const char *
muxer_for (const char *path)
{
  if (g_str_has_suffix (path, ".mov"))
    return "qtmux fragment-duration=1000";
  if (g_str_has_suffix (path, ".mkv"))
    return "matroskamux offset-to-zero=true max-cluster-duration=1000000000";
  return NULL;
}

/* Makes film-0000.mov of film.mov, or the next number that no file has yet;
 * returns NULL if all numbers are taken. */
static char *
next_path (Capture *capture)
{
  const char *suffix = strrchr (capture->path, '.');
  int length = (int) (suffix - capture->path);

  while (capture->number <= MAX_NUMBER) {
    char *path = g_strdup_printf (
        "%.*s-%04u%s", length, capture->path, capture->number++, suffix);

    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      return path;
    g_free (path);
  }
  return NULL;
}

/* Builds the elements of a recording, in a bin with one sink pad. */
static Recording *
build_recording (Capture *capture, const char *path, GError **error)
{
  g_autofree char *description = g_strdup_printf (
      "queue name=queue leaky=downstream max-size-buffers=0 max-size-time=0 "
      "max-size-bytes=%u ! pacoenc name=encoder %s ! %s ! filesink name=file "
      "async=false",
      (guint) capture->queue_mb * 1000000, capture->encoder, muxer_for (path));
  GstElement *bin = gst_parse_bin_from_description_full (
      description, TRUE, NULL, GST_PARSE_FLAG_FATAL_ERRORS, error);
  Recording *recording;
  GstElement *file, *encoder;
  GstPad *pad;

  if (!bin)
    return NULL;
  recording = g_atomic_rc_box_new0 (Recording);
  recording->path = g_strdup (path);
  recording->bin = gst_object_ref_sink (bin);
  recording->queue = gst_bin_get_by_name (GST_BIN (bin), "queue");
  recording->limit = (GstClockTime) (capture->record_seconds * GST_SECOND);
  recording->first = recording->end = GST_CLOCK_TIME_NONE;

  file = gst_bin_get_by_name (GST_BIN (bin), "file");
  g_object_set (file, "location", path, NULL);
  gst_object_unref (file);
  pad = gst_element_get_static_pad (recording->queue, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, count_leaving,
      g_atomic_rc_box_acquire (recording), unref_recording);
  gst_object_unref (pad);
  encoder = gst_bin_get_by_name (GST_BIN (bin), "encoder");
  if (encoder && g_str_has_suffix (path, ".mov")) {
    pad = gst_element_get_static_pad (encoder, "src");
    gst_pad_add_probe (
        pad, GST_PAD_PROBE_TYPE_BUFFER, take_off_timecode, NULL, NULL);
    gst_object_unref (pad);
  }
  gst_clear_object (&encoder);
  return recording;
}

/* Takes the branch away. It is unlinked first, so that no picture is on its way
 * into it when it is stopped. */
static void
remove_recording (Capture *capture)
{
  Recording *recording = capture->recording;

  if (recording->tee_pad)
    gst_element_release_request_pad (capture->tee, recording->tee_pad);
  gst_element_set_state (recording->bin, GST_STATE_NULL);
  gst_bin_remove (GST_BIN (capture->pipeline), recording->bin);
  capture->recording = NULL;
  unref_recording (recording);
  if (capture->quitting || capture->record_seconds > 0)
    g_main_loop_quit (capture->loop);
}

static void
start_recording (Capture *capture)
{
  g_autofree char *path = capture->recording ? NULL : next_path (capture);
  g_autoptr (GError) error = NULL;
  Recording *recording;
  g_autoptr (GstPad) sink = NULL;

  if (!path) {
    say (capture, "%s",
        !capture->recording ? "There are no numbers left for another file."
            : capture->recording->stopping
            ? "The last recording is still being written."
            : "It is recording already.");
    return;
  }
  recording = build_recording (capture, path, &error);
  if (!recording) {
    say (capture, "There is no recording: %s", error->message);
    capture->failed = TRUE;
    g_main_loop_quit (capture->loop);
    return;
  }
  capture->recording = recording;
  gst_bin_add (GST_BIN (capture->pipeline), recording->bin);
  /* The branch plays before it gets its first picture. If it cannot, for
   * example because there is no folder for the file, the bus says why. */
  if (!gst_element_sync_state_with_parent (recording->bin))
    return;
  recording->tee_pad = gst_element_request_pad_simple (capture->tee, "src_%u");
  gst_pad_add_probe (recording->tee_pad, GST_PAD_PROBE_TYPE_BUFFER,
      pass_picture, g_atomic_rc_box_acquire (recording), unref_recording);
  sink = gst_element_get_static_pad (recording->bin, "sink");
  gst_pad_link (recording->tee_pad, sink);
  say (capture, "Recording %s.", recording->path);
}

static guint
queued (const Recording *recording)
{
  guint buffers = 0;

  g_object_get (recording->queue, "current-level-buffers", &buffers, NULL);
  return buffers;
}

static guint
dropped (Recording *recording)
{
  guint left = (guint) g_atomic_int_get (&recording->left) + queued (recording);
  guint entered = (guint) g_atomic_int_get (&recording->entered);

  return entered > left ? entered - left : 0;
}

/* Finishes a recording: the file is complete. */
static void
finish_recording (Capture *capture)
{
  Recording *recording = capture->recording;
  guint lost = dropped (recording);
  char *size = g_format_size (0);
  GStatBuf status;

  if (g_stat (recording->path, &status) == 0) {
    g_free (size);
    size = g_format_size ((guint64) status.st_size);
  }
  say (capture, "%s: %d frames, %.2f s, %s, %u dropped.", recording->path,
      g_atomic_int_get (&recording->left),
      recording->end == GST_CLOCK_TIME_NONE
          ? 0.0
          : (double) (recording->end - recording->first) / GST_SECOND,
      size, lost);
  if (lost)
    say (capture, "The encoder or the disk was too slow for the source.");
  g_free (size);
  remove_recording (capture);
}

/* Lets what is in the branch be written. end_of_branch comes when it is. */
static void
stop_recording (Capture *capture)
{
  Recording *recording = capture->recording;
  g_autoptr (GstPad) sink = NULL;

  if (!recording || recording->stopping)
    return;
  recording->stopping = TRUE;
  if (g_atomic_int_get (&recording->entered) == 0) {
    /* Without a picture there is no format, and no file to complete. */
    say (capture, "The source gave no picture: there is no %s.",
        recording->path);
    capture->failed = TRUE;
    g_unlink (recording->path);
    remove_recording (capture);
    return;
  }
  sink = gst_element_get_static_pad (recording->bin, "sink");
  send_end (sink);
}

/* Completes the file, if there is one, and leaves. */
static void
quit (Capture *capture)
{
  capture->quitting = TRUE;
  stop_recording (capture);
  if (!capture->recording)
    g_main_loop_quit (capture->loop);
}

/* --- what the bus says -------------------------------------------------- */

static gboolean
is_of_recording (const Capture *capture, GstMessage *message)
{
  return capture->recording
      && gst_object_has_as_ancestor (
          GST_MESSAGE_SRC (message), GST_OBJECT (capture->recording->bin));
}

/* Says whether a recording was taken away, since it failed: it may have more to
 * say. */
static gboolean
is_gone (const Capture *capture, GstMessage *message)
{
  GstObject *source = GST_MESSAGE_SRC (message);
  GstObject *pipeline = GST_OBJECT (capture->pipeline);

  return source != pipeline && !gst_object_has_as_ancestor (source, pipeline);
}

/* Receives an error: one in the recording ends the recording; any other one
 * ends the program, after the recording was completed. */
static void
receive_error (Capture *capture, GstMessage *message)
{
  g_autofree char *text = NULL;

  if (is_gone (capture, message))
    return;
  text = explain (message);
  if (is_of_recording (capture, message)) {
    say (capture, "%s: %s. The recording has ended%s.",
        capture->recording->path, text,
        g_atomic_int_get (&capture->recording->entered)
            ? "; what was written before stays in the file"
            : "");
    capture->failed = TRUE;
    remove_recording (capture);
  } else if (!capture->quitting) {
    say (capture, "%s.", text);
    capture->failed = TRUE;
    quit (capture);
  }
}

/* Receives the end of a branch, which the pipeline forwards. */
static void
end_of_branch (Capture *capture, GstMessage *message)
{
  const GstStructure *forwarded = gst_message_get_structure (message);
  GstMessage *inner = NULL;

  if (!gst_structure_has_name (forwarded, "GstBinForwarded"))
    return;
  gst_structure_get (forwarded, "message", GST_TYPE_MESSAGE, &inner, NULL);
  if (inner && GST_MESSAGE_TYPE (inner) == GST_MESSAGE_EOS
      && !is_gone (capture, inner)) {
    if (is_of_recording (capture, inner)) {
      finish_recording (capture);
    } else if (!capture->quitting) {
      say (capture, "The source has ended.");
      quit (capture);
    }
  }
  gst_clear_message (&inner);
}

static gboolean
receive (GstBus *bus, GstMessage *message, gpointer data)
{
  Capture *capture = data;
  g_autofree char *text = NULL;

  switch (GST_MESSAGE_TYPE (message)) {
    case GST_MESSAGE_ERROR:
      receive_error (capture, message);
      break;
    case GST_MESSAGE_WARNING:
      text = explain (message);
      say (capture, "Warning: %s.", text);
      break;
    case GST_MESSAGE_ELEMENT:
      end_of_branch (capture, message);
      break;
    case GST_MESSAGE_LATENCY:
      gst_bin_recalculate_latency (GST_BIN (capture->pipeline));
      break;
    case GST_MESSAGE_CLOCK_LOST:
      gst_element_set_state (capture->pipeline, GST_STATE_PAUSED);
      gst_element_set_state (capture->pipeline, GST_STATE_PLAYING);
      break;
    default:
      break;
  }
  return G_SOURCE_CONTINUE;
}

/* --- the user ----------------------------------------------------------- */

static gboolean
show_status (gpointer data)
{
  Capture *capture = data;
  Recording *recording = capture->recording;
  guint bytes = 0;
  guint64 time = 0;

  if (!recording
      || (!capture->on_terminal
          && capture->status_lines++ % STATUS_EVERY != STATUS_EVERY - 1))
    return G_SOURCE_CONTINUE;
  g_object_get (recording->queue, "current-level-bytes", &bytes,
      "current-level-time", &time, NULL);
  printf ("%s%s: %d frames; waiting: %u frames, %.1f MB, %.2f s; %u dropped%s",
      capture->on_terminal ? "\r\033[K" : "", recording->path,
      g_atomic_int_get (&recording->left), queued (recording), bytes / 1e6,
      (double) time / GST_SECOND, dropped (recording),
      capture->on_terminal ? "" : "\n");
  fflush (stdout);
  return G_SOURCE_CONTINUE;
}

/* Commands are letters on a line: r, s, q. */
static gboolean
read_commands (int file, GIOCondition condition, gpointer data)
{
  Capture *capture = data;
  char letters[64];
  ssize_t count = read (file, letters, sizeof letters);

  for (ssize_t i = 0; i < count; i++) {
    if (letters[i] == 'r')
      start_recording (capture);
    else if (letters[i] == 's' && !capture->recording)
      say (capture, "There is no recording.");
    else if (letters[i] == 's')
      stop_recording (capture);
    else if (letters[i] == 'q')
      quit (capture);
    else if (!g_ascii_isspace (letters[i]))
      say (capture, "r records, s stops, q quits.");
  }
  if (count > 0)
    return G_SOURCE_CONTINUE;
  /* Nobody is there any more to stop it. */
  if (capture->record_seconds <= 0)
    quit (capture);
  return G_SOURCE_REMOVE;
}

/* Receives Ctrl-C: the first one completes the file, the second one does not
 * wait. */
static gboolean
interrupted (gpointer data)
{
  Capture *capture = data;

  if (capture->quitting) {
    say (capture, "It was interrupted twice and stops at once.");
    capture->failed = TRUE;
    g_main_loop_quit (capture->loop);
  } else {
    quit (capture);
  }
  return G_SOURCE_CONTINUE;
}

static void
read_options (Capture *capture, int *argc, char ***argv)
{
  GOptionEntry entries[] = {
    { "source", 's', 0, G_OPTION_ARG_STRING, &capture->source,
        "Elements that give pictures, as gst-launch-1.0 takes them (default: a "
        "live test scene)",
        "ELEMENTS" },
    { "encoder", 'e', 0, G_OPTION_ARG_STRING, &capture->encoder,
        "Properties of pacoenc, such as \"quality=85 threads=4\"",
        "PROPERTIES" },
    { "record-seconds", 'r', 0, G_OPTION_ARG_DOUBLE, &capture->record_seconds,
        "Records so long from the beginning, and ends", "N" },
    { "headless", 0, 0, G_OPTION_ARG_NONE, &capture->headless,
        "Opens no window", NULL },
    { "queue-mb", 0, 0, G_OPTION_ARG_INT, &capture->queue_mb,
        "Memory for pictures that wait for the encoder (1000)", "N" },
    { NULL },
  };
  GOptionContext *context = g_option_context_new ("[FILE.mov|FILE.mkv]");
  GError *error = NULL;

  g_option_context_set_summary (context,
      "Shows what a device gives and records it as PaCo video. On standard "
      "input, r records\nto the next file (FILE-0000.mov, FILE-0001.mov, ...), "
      "s stops, q quits.");
  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, argc, argv, &error)) {
    fprintf (stderr, "%s\n", error->message);
    exit (1);
  }
  g_option_context_free (context);
  capture->path = g_strdup (*argc > 1 ? (*argv)[1] : "capture.mov");
  if (*argc > 2 || !muxer_for (capture->path)) {
    fprintf (stderr, "Recordings go into one FILE, .mov or .mkv.\n");
    exit (1);
  }
  if (capture->queue_mb < 1 || capture->queue_mb > 4000
      || capture->record_seconds < 0 || capture->record_seconds > 1e6) {
    fprintf (
        stderr, "--queue-mb takes 1 to 4000, --record-seconds 0 to 1000000.\n");
    exit (1);
  }
}

/* Returns what pacoenc takes. */
static GstCaps *
encoder_formats (void)
{
  g_autoptr (GstElementFactory) factory = gst_element_factory_find ("pacoenc");
  const GList *item = factory
      ? gst_element_factory_get_static_pad_templates (factory)
      : NULL;
  GstCaps *formats = NULL;

  for (; item && !formats; item = item->next) {
    GstStaticPadTemplate *template = item->data;

    if (template->direction == GST_PAD_SINK)
      formats = gst_static_pad_template_get_caps (template);
  }
  if (!formats) {
    fprintf (stderr,
        "GStreamer does not find pacoenc. GST_PLUGIN_PATH must name the folder "
        "with libgstpaco.so.\n");
    exit (1);
  }
  return formats;
}

/* Keeps the format that the source has chosen, since no file takes two: a
 * branch that comes asks the source to choose its format again. */
static GstPadProbeReturn
keep_format (GstPad *pad, GstPadProbeInfo *info, gpointer data)
{
  GstEvent *event = GST_PAD_PROBE_INFO_EVENT (info);

  return GST_EVENT_TYPE (event) == GST_EVENT_RECONFIGURE ? GST_PAD_PROBE_DROP
                                                         : GST_PAD_PROBE_OK;
}

static void
build_pipeline (Capture *capture)
{
  g_autofree char *description = g_strdup_printf (
      "%s ! clocksync ! capsfilter name=format ! tee name=tee "
      "allow-not-linked=true tee. ! queue leaky=downstream max-size-buffers=2 "
      "max-size-bytes=0 max-size-time=0 ! videoconvert ! %s",
      capture->source ? capture->source : TEST_SCENE,
      capture->headless ? "fakesink sync=true" : "autovideosink");
  g_autoptr (GstCaps) formats = encoder_formats ();
  g_autoptr (GstElement) format = NULL;
  g_autoptr (GstPad) pad = NULL;
  GError *error = NULL;

  capture->pipeline = gst_parse_launch_full (
      description, NULL, GST_PARSE_FLAG_FATAL_ERRORS, &error);
  if (!capture->pipeline) {
    fprintf (stderr, "This source cannot be built: %s\n", error->message);
    exit (1);
  }
  g_object_set (capture->pipeline, "message-forward", TRUE, NULL);
  format = gst_bin_get_by_name (GST_BIN (capture->pipeline), "format");
  g_object_set (format, "caps", formats, NULL);
  pad = gst_element_get_static_pad (format, "src");
  gst_pad_add_probe (
      pad, GST_PAD_PROBE_TYPE_EVENT_UPSTREAM, keep_format, NULL, NULL);
  capture->tee = gst_bin_get_by_name (GST_BIN (capture->pipeline), "tee");
}

static void
run (Capture *capture)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (capture->pipeline);
  guint sources[] = {
    gst_bus_add_watch (bus, receive, capture),
    g_unix_signal_add (SIGINT, interrupted, capture),
    g_unix_signal_add (SIGTERM, interrupted, capture),
    g_timeout_add (STATUS_MS, show_status, capture),
  };

  /* A recording from the beginning is there before the first picture. */
  if (capture->record_seconds > 0)
    start_recording (capture);
  g_unix_fd_add (
      STDIN_FILENO, G_IO_IN | G_IO_HUP | G_IO_ERR, read_commands, capture);
  if (gst_element_set_state (capture->pipeline, GST_STATE_PLAYING)
      == GST_STATE_CHANGE_FAILURE) {
    GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);

    capture->failed = TRUE;
    if (message)
      receive_error (capture, message);
    gst_clear_message (&message);
  } else if (!capture->failed) {
    g_main_loop_run (capture->loop);
  }
  gst_element_set_state (capture->pipeline, GST_STATE_NULL);
  for (guint i = 0; i < G_N_ELEMENTS (sources); i++)
    g_source_remove (sources[i]);
}

int
main (int argc, char **argv)
{
  Capture capture = { .queue_mb = 1000, .on_terminal = isatty (STDOUT_FILENO) };

  read_options (&capture, &argc, &argv);
  if (!capture.encoder)
    capture.encoder = g_strdup ("");
  capture.loop = g_main_loop_new (NULL, FALSE);
  build_pipeline (&capture);
  run (&capture);

  if (capture.recording)
    remove_recording (&capture);
  gst_object_unref (capture.tee);
  gst_object_unref (capture.pipeline);
  g_main_loop_unref (capture.loop);
  g_free (capture.source);
  g_free (capture.encoder);
  g_free (capture.path);
  return capture.failed ? 1 : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Is a station with four encoders and two decoders on a GPU, which are asked
 * for what stations are asked for: other qualities and bit rates while they
 * play, seeks, other sizes, stops and starts. Frames have to come all the time,
 * and memory has to stay what it was, on the host and on the device. With
 * --error a kernel goes wrong at the end: all say so, stop, and the processor
 * goes on. gpu.sh runs it.
 *
 *   soak-station [--seconds=900] [--width=W --height=H] [--error]
 *                [--backend=cuda] [--report=FILE]
 *
 * 77 says that there is no usable GPU. */
#include "tests/soak/soak.h"
#include "tests/soak/watch.h"
#include <glib/gstdio.h>
#include <gst/gst.h>
#include <stdlib.h>

#define N_WORKERS 6
#define FIRST_DECODER 4
#define TICKS 10       /* a second */
#define MAX_SILENCE 20 /* seconds without a frame */
#define MAX_STOP 30    /* seconds that an element may take to stop */
#define FILM_FRAMES 50

static int seconds = 900, width = 1920, height = 1080;
static char *backend, *report_path;
static gboolean with_error;

static const GOptionEntry options[] = {
  { "seconds", 0, 0, G_OPTION_ARG_INT, &seconds, "how long", "N" },
  { "width", 0, 0, G_OPTION_ARG_INT, &width, "of a picture", "N" },
  { "height", 0, 0, G_OPTION_ARG_INT, &height, "of a picture", "N" },
  { "error", 0, 0, G_OPTION_ARG_NONE, &with_error,
      "a kernel goes wrong at the end", NULL },
  { "backend", 0, 0, G_OPTION_ARG_STRING, &backend, "of the elements", "NAME" },
  { "report", 0, 0, G_OPTION_ARG_FILENAME, &report_path, "as JSON", "FILE" },
  { NULL },
};

typedef struct
{
  guint number;
  GstElement *pipeline;
  gint frames; /* atomic */
  gint seen;   /* of these, at the last look that found new ones */
  guint seen_at;
  guint starts;
  char *error; /* what it has said */
} Worker;

typedef struct
{
  GMainLoop *loop;
  GRand *rand;
  Worker workers[N_WORKERS];
  char *film;
  guint tick;
  gboolean breaking; /* errors are expected */
  guint seeks, changes;
  double slowest_stop; /* seconds */
  SoakMemory memory;
  GString *failures;
} Station;

/* --- Pipelines --- */

#define SOURCE                                                                 \
  "videotestsrc pattern=smpte horizontal-speed=3 %s ! "                        \
  "video/x-raw,format=%s,width=%d,height=%d,framerate=50/1 ! queue ! "
#define CODER "name=coder backend=%s "
#define SINK "! queue ! fakesink name=sink sync=false async=false"

static char *
describe (Station *station, const Worker *worker, const char *with)
{
  int half = worker->starts % 2 + 1;

  switch (worker->number) {
    case 0:
      return g_strdup_printf (SOURCE "pacoenc " CODER
                                     "rate-control=lossless " SINK,
          "", "I422_10LE", width, height, with);
    case 1:
      return g_strdup_printf (
          SOURCE "pacoenc " CODER SINK, "", "I422_10LE", width, height, with);
    case 2:
      return g_strdup_printf (SOURCE
          "pacoenc " CODER "rate-control=bitrate bitrate=200000 " SINK,
          "", "I422_10LE", width, height, with);
    case 3:
      return g_strdup_printf (SOURCE
          "pacoenc " CODER "rate-control=lossless pipeline-depth=4 " SINK,
          "", half == 1 ? "GBR_12LE" : "v210", width / half, height / half,
          with);
    default:
      return g_strdup_printf ("filesrc location=%s ! pacoparse ! pacodec " CODER
                              "reduce=%d " SINK,
          station->film, with,
          worker->number == 5 ? g_rand_int_range (station->rand, 0, 3) : 0);
  }
}

static void G_GNUC_PRINTF (2, 3)
    fail (Station *station, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_string_append_vprintf (station->failures, format, arguments);
  g_string_append (station->failures, "; ");
  va_end (arguments);
  g_main_loop_quit (station->loop);
}

static GstElement *
launch (const char *description)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = gst_parse_launch (description, &error);

  if (error) {
    g_printerr ("%s: %s\n", description, error->message);
    exit (2);
  }
  return pipeline;
}

static GstPadProbeReturn
on_frame (GstPad *pad, GstPadProbeInfo *probe, gpointer worker)
{
  g_atomic_int_inc (&((Worker *) worker)->frames);
  return GST_PAD_PROBE_OK;
}

static void
start (Station *station, Worker *worker, const char *with)
{
  g_autofree char *description = describe (station, worker, with);
  g_autoptr (GstElement) sink = NULL;
  g_autoptr (GstPad) pad = NULL;

  worker->pipeline = launch (description);
  sink = gst_bin_get_by_name (GST_BIN (worker->pipeline), "sink");
  pad = gst_element_get_static_pad (sink, "sink");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, worker, NULL);
  worker->starts++;
  worker->seen_at = station->tick;
  gst_element_set_state (worker->pipeline, GST_STATE_PLAYING);
}

static void
stop (Station *station, Worker *worker)
{
  gint64 before = g_get_monotonic_time ();

  if (!worker->pipeline)
    return;
  gst_element_set_state (worker->pipeline, GST_STATE_NULL);
  gst_object_unref (worker->pipeline);
  worker->pipeline = NULL;
  station->slowest_stop = MAX (station->slowest_stop,
      (double) (g_get_monotonic_time () - before) / G_USEC_PER_SEC);
}

/* --- What is asked for --- */

static void
seek (Worker *worker, gint64 frame)
{
  gst_element_seek_simple (worker->pipeline, GST_FORMAT_TIME,
      GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE, frame * GST_SECOND / 50);
}

static void
change (Station *station, Worker *worker, const char *property, double value)
{
  g_autoptr (GstElement)
      coder = gst_bin_get_by_name (GST_BIN (worker->pipeline), "coder");
  g_autofree char *text = g_strdup_printf ("%d", (int) value);

  gst_util_set_object_arg (G_OBJECT (coder), property, text);
  station->changes++;
}

static void
ask (Station *station)
{
  Worker *workers = station->workers;

  if (station->tick % 10 == 0)
    change (station, &workers[1], "quality",
        g_rand_double_range (station->rand, 30, 100));
  if (station->tick % 7 == 0)
    change (station, &workers[2], "bitrate",
        500
            + g_rand_double_range (station->rand, 0.005, 0.04) * width
                * height);
  if (station->tick % 5 == 0) {
    seek (&workers[4], g_rand_int_range (station->rand, 0, FILM_FRAMES - 1));
    station->seeks++;
  }
  for (guint i = 3; i <= 5; i += 2)
    if (station->tick % (20 * i) == 0) {
      stop (station, &workers[i]);
      start (station, &workers[i], backend);
    }
}

/* --- What comes of it --- */

static void
hear (Station *station, Worker *worker)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (worker->pipeline);
  GstMessage *message;

  while ((message = gst_bus_pop_filtered (
              bus, GST_MESSAGE_ERROR | GST_MESSAGE_EOS))) {
    g_autoptr (GError) error = NULL;

    if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS) {
      seek (worker, 0);
    } else {
      gst_message_parse_error (message, &error, NULL);
      if (!worker->error)
        worker->error = g_strdup (error->message);
      if (!station->breaking)
        fail (station, "worker %u: %s", worker->number, error->message);
    }
    gst_message_unref (message);
  }
}

static void
look (Station *station, Worker *worker)
{
  gint frames = g_atomic_int_get (&worker->frames);

  hear (station, worker);
  if (frames != worker->seen || worker->error) {
    worker->seen = frames;
    worker->seen_at = station->tick;
  }
  if (station->tick - worker->seen_at > MAX_SILENCE * TICKS)
    fail (station, "worker %u: no frame, no error for %d seconds",
        worker->number, MAX_SILENCE);
}

static gboolean
all_have_said_so (const Station *station)
{
  for (guint i = 0; i < N_WORKERS; i++)
    if (!station->workers[i].error)
      return FALSE;
  return TRUE;
}

static gboolean
on_tick (gpointer data)
{
  Station *station = data;

  station->tick++;
  for (guint i = 0; i < N_WORKERS; i++)
    look (station, &station->workers[i]);
  if (station->failures->len > 0)
    return G_SOURCE_CONTINUE;
  if (station->breaking) {
    if (all_have_said_so (station))
      g_main_loop_quit (station->loop);
    else if (station->tick % 5 == 0)
      seek (&station->workers[4], 0);
    return G_SOURCE_CONTINUE;
  }
  ask (station);
  if (station->tick % TICKS == 0) {
    WatchMemory memory = watch_memory ();

    soak_memory_take (&station->memory, memory.device, memory.pinned);
  }
  if (station->tick >= (guint) seconds * TICKS) {
    if (with_error) {
      station->breaking = TRUE;
      watch_break_kernel ();
    } else {
      g_main_loop_quit (station->loop);
    }
  }
  return G_SOURCE_CONTINUE;
}

/* --- Before and after --- */

/* Plays a pipeline to its end, and says whether that came. */
static gboolean
play (const char *description, char **message)
{
  g_autoptr (GError) error = NULL;
  GstElement *pipeline = launch (description);
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessage *end;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  end = gst_bus_timed_pop_filtered (
      bus, 120 * GST_SECOND, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  if (end && GST_MESSAGE_TYPE (end) == GST_MESSAGE_ERROR)
    gst_message_parse_error (end, &error, NULL);
  *message = g_strdup (error ? error->message
          : end              ? "works"
                             : "does not come to its end");
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  if (end)
    gst_message_unref (end);
  return end && !error;
}

static gboolean
code_some (const char *with, const char *sink, char **message)
{
  g_autofree char *frames = g_strdup_printf ("num-buffers=%d", FILM_FRAMES);
  g_autofree char *description = g_strdup_printf (SOURCE
      "pacoenc backend=%s ! %s",
      frames, "I422_10LE", width, height, with, sink);

  return play (description, message);
}

static void
make_film (Station *station)
{
  g_autofree char *sink = NULL, *message = NULL;
  int file = g_file_open_tmp ("soak-XXXXXX.paco", &station->film, NULL);

  g_close (file, NULL);
  sink = g_strdup_printf ("filesink location=%s", station->film);
  if (!code_some ("cpu", sink, &message)) {
    g_printerr ("%s\n", message);
    exit (2);
  }
}

static void
run (Station *station)
{
  guint ticks;

  soak_memory_init (&station->memory);
  for (guint i = 0; i < N_WORKERS; i++)
    start (station, &station->workers[i], backend);
  ticks = g_timeout_add (1000 / TICKS, on_tick, station);
  g_main_loop_run (station->loop);
  g_source_remove (ticks);
  for (guint i = 0; i < N_WORKERS; i++)
    stop (station, &station->workers[i]);
}

/* --- The report --- */

static int
compare_sizes (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Returns the median of a part of the time, and the most. */
static double
median (const SoakMemory *memory, gsize member, double from, double to,
    double *most)
{
  g_autofree double *sizes = g_new (double, memory->samples->len + 1);
  guint n = 0;

  for (guint i = 0; i < memory->samples->len; i++) {
    const SoakSample *sample = &g_array_index (memory->samples, SoakSample, i);

    if (sample->seconds >= from && sample->seconds <= to)
      sizes[n++] = G_STRUCT_MEMBER (double, sample, member);
  }
  if (n == 0)
    sizes[n++] = 0;
  qsort (sizes, n, sizeof *sizes, compare_sizes);
  *most = sizes[n - 1];
  return sizes[n / 2];
}

/* Reports medians of a device's memory in both halves of the time, and the most. Sizes
 * change in a rhythm that both halves have, and what is queued depends on chance, so
 * that medians are compared. */
static void
report_device (
    SoakReport *report, const Station *station, const char *key, gsize member)
{
  double half = seconds / 2.0, most[2],
         medians[2] = {
           median (&station->memory, member, 0, half, &most[0]),
           median (&station->memory, member, half, seconds + 60.0, &most[1]),
         };
  const struct
  {
    const char *suffix;
    double value;
  } numbers[] = { { "_first_half", medians[0] }, { "_second_half", medians[1] },
    { "_most", MAX (most[0], most[1]) } };
  g_autofree char *flat_key = g_strconcat (key, "_flat", NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++) {
    g_autofree char *name = g_strconcat (key, numbers[i].suffix, NULL);

    soak_report_number (report, name, numbers[i].value);
  }
  soak_report_check (report, flat_key, medians[1] <= 1.02 * medians[0] + 16);
}

static void
report_error (SoakReport *report, const Station *station)
{
  const Worker *silent = NULL;
  g_autofree char *processor = NULL, *again = NULL;
  gboolean works = code_some ("cpu", "fakesink", &processor);

  for (guint i = 0; i < N_WORKERS; i++)
    if (!station->workers[i].error)
      silent = &station->workers[i];
  code_some (backend, "fakesink", &again);
  soak_report_text (report, "error", "%s",
      station->workers[0].error ? station->workers[0].error : "nothing");
  soak_report_check (report, "all_said_so", !silent);
  soak_report_check (report, "goes_on", works);
  soak_report_text (report, "gpu_again", "%s", again);
}

static gboolean
report_all (Station *station)
{
  WatchMemory left = watch_memory ();
  SoakReport report;
  gboolean good;

  soak_report_init (&report);
  soak_report_machine (&report);
  soak_report_text (&report, "size", "%dx%d, 4:2:2 of 10 bits", width, height);
  soak_report_number (&report, "seconds", seconds);
  for (guint i = 0; i < N_WORKERS; i++) {
    g_autofree char *key = g_strdup_printf ("frames_%u", i);

    soak_report_number (&report, key, station->workers[i].frames);
  }
  soak_report_number (&report, "starts",
      station->workers[3].starts + station->workers[5].starts - 2);
  soak_report_number (&report, "seeks", station->seeks);
  soak_report_number (&report, "changes", station->changes);
  soak_report_text (&report, "failures", "%s",
      station->failures->len > 0 ? station->failures->str : "nothing");
  soak_report_check (&report, "all_work", station->failures->len == 0);
  soak_report_number (&report, "slowest_stop", station->slowest_stop);
  soak_report_check (&report, "stops", station->slowest_stop < MAX_STOP);
  soak_report_memory (&report, &station->memory, MIN (60, seconds / 4),
      seconds >= 60 ? 32 : 128);
  report_device (&report, station, "device", SOAK_DEVICE);
  report_device (&report, station, "pinned", SOAK_PINNED);
  soak_report_number (&report, "device_left", left.device);
  soak_report_check (&report, "all_freed",
      left.device == 0 && left.pinned == 0 && left.contexts == 0);
  if (with_error)
    report_error (&report, station);
  good = soak_report_write (&report, report_path);
  soak_report_clear (&report);
  return good;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *message = NULL;
  Station station = { .tick = 0 };
  gboolean good;

  g_option_context_add_main_entries (context, options, NULL);
  g_option_context_add_group (context, gst_init_get_option_group ());
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    g_printerr ("%s\n", error->message);
    return 2;
  }
  if (!backend)
    backend = g_strdup ("cuda");
  make_film (&station);
  if (!code_some (backend, "fakesink", &message)) {
    g_print ("%s: skipped\n", message);
    g_unlink (station.film);
    return 77;
  }
  station.loop = g_main_loop_new (NULL, FALSE);
  station.rand = g_rand_new ();
  station.failures = g_string_new (NULL);
  for (guint i = 0; i < N_WORKERS; i++)
    station.workers[i].number = i;
  run (&station);
  good = report_all (&station);
  g_unlink (station.film);
  g_free (station.film);
  for (guint i = 0; i < N_WORKERS; i++)
    g_free (station.workers[i].error);
  g_string_free (station.failures, TRUE);
  g_rand_free (station.rand);
  g_main_loop_unref (station.loop);
  soak_memory_clear (&station.memory);
  g_free (backend);
  g_free (report_path);
  return good ? 0 : 1;
}

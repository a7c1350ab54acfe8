/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests elementary streams from sources that do not know the format: a pipe, whose
 * bytes come in pieces of any size, and shared memory. A capsfilter says what the
 * bytes are. */
#include "recording.h"
#include <unistd.h>

#define N_FRAMES 16
#define SOURCE                                                                 \
  "video/x-raw, format = I422_10LE, width = 96, height = 66, "                 \
  "framerate = 30000/1001, pixel-aspect-ratio = 64/45, "                       \
  "interlace-mode = progressive"
#define ENCODE                                                                 \
  "videotestsrc pattern=ball num-buffers=%u ! " SOURCE                         \
  " ! pacoenc rate-control=lossless ! "

typedef struct
{
  gchar *bytes;
  gsize size;
  gint fd;
  guint32 seed;
} Writer;

/* Writes all bytes in pieces of 1 to 5000. */
static gpointer
write_pieces (gpointer data)
{
  Writer *writer = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (writer->seed);
  gsize done = 0;

  while (done < writer->size) {
    gsize piece = g_rand_int_range (random, 1, 5000);
    gssize n = write (
        writer->fd, writer->bytes + done, MIN (piece, writer->size - done));

    if (n <= 0)
      break;
    done += n;
  }
  close (writer->fd);
  return NULL;
}

TEST (test_pipe)
{
  static const gchar *const tails[] = {
    "video/x-paco ! pacoparse ! pacodec !",
    "video/x-paco, framerate=30000/1001 ! pacoparse ! pacodec !",
    "video/x-paco ! queue ! pacoparse ! queue ! pacodec !",
    ("video/x-paco ! pacoparse ! pacodec ! video/x-raw, width=[ 1, 4096 ], "
     "framerate=[ 1/1, 100/1 ] !"),
    "pacoparse ! pacodec !",
    "decodebin !",
  };
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = g_build_filename (folder, "test.paco", NULL);
  g_autoptr (GPtrArray) frames = originals (SOURCE, N_FRAMES);
  Writer writer = { .seed = g_random_int () };

  GST_INFO ("seed %u", writer.seed);
  run (launch (ENCODE "filesink location=%s", N_FRAMES, path));
  fail_unless (g_file_get_contents (path, &writer.bytes, &writer.size, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (tails); i++) {
    GThread *thread;
    gint fds[2];
    Player player;

    fail_unless (pipe (fds) == 0);
    writer.fd = fds[1];
    thread = g_thread_new ("writer", write_pieces, &writer);
    start (&player,
        launch ("fdsrc fd=%d ! %s appsink name=sink", fds[0], tails[i]));
    expect_frames (&player, frames, 1000, tails[i]);
    stop (&player);
    g_thread_join (thread);
    close (fds[0]);
  }
  g_free (writer.bytes);
}

static void
wait_for_file (const gchar *path)
{
  for (guint i = 0; i < 6000 && !g_file_test (path, G_FILE_TEST_EXISTS); i++)
    g_usleep (10000);
}

TEST (test_shared_memory)
{
  static const struct
  {
    const gchar *properties, *tail;
    gboolean grid; /* times are those of the frame rate, else of arrival */
  } cases[] = {
    { "", "video/x-paco ! pacoparse ! pacodec !", TRUE },
    { "is-live=true", "video/x-paco ! pacoparse ! pacodec !", TRUE },
    { "is-live=true do-timestamp=true", "video/x-paco ! pacoparse ! pacodec !",
        FALSE },
    { "is-live=true do-timestamp=true",
        "video/x-paco, parsed=true, alignment=frame ! pacodec !", FALSE },
  };
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = g_build_filename (folder, "socket", NULL);
  g_autoptr (GPtrArray) frames = originals (SOURCE, N_FRAMES);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (GstElement)
        sender = launch (ENCODE "shmsink socket-path=%s "
                                "wait-for-connection=true sync=false",
            N_FRAMES, path);
    Player player;

    gst_element_set_state (sender, GST_STATE_PLAYING);
    wait_for_file (path);
    player.pipeline = launch ("shmsrc socket-path=%s %s ! %s "
                              "appsink name=sink sync=false",
        path, cases[i].properties, cases[i].tail);
    player.sink = GST_APP_SINK (
        gst_bin_get_by_name (GST_BIN (player.pipeline), "sink"));
    gst_element_set_state (player.pipeline, GST_STATE_PLAYING);
    for (guint n = 0; n < N_FRAMES; n++) {
      g_autoptr (GstSample)
          sample = gst_app_sink_try_pull_sample (player.sink, TIME_LIMIT);

      fail_unless (sample, "%s: only %u frames", cases[i].properties, n);
      if (cases[i].grid)
        expect_frame (frames, n, sample, 1000, cases[i].properties);
      else
        fail_unless (same_picture (g_ptr_array_index (frames, n), sample));
      fail_unless (GST_BUFFER_PTS_IS_VALID (gst_sample_get_buffer (sample)));
      expect_same_caps (
          g_ptr_array_index (frames, 0), sample, cases[i].properties);
    }
    stop (&player);
    gst_element_set_state (sender, GST_STATE_NULL);
  }
}

/* Tests that pacodec says that a parser is missing. */
TEST (test_parser_missing)
{
  static const gchar *const tails[] = {
    "pacodec ! fakesink",
    "video/x-paco ! pacodec ! fakesink",
    "video/x-paco, width=96, height=66 ! queue ! pacodec ! fakesink",
    "queue ! pacodec ! fakesink",
  };
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = g_build_filename (folder, "test.paco", NULL);

  run (launch (ENCODE "filesink location=%s", N_FRAMES, path));
  for (guint i = 0; i < G_N_ELEMENTS (tails); i++) {
    g_autoptr (GError) error = run_to_end (
        launch ("filesrc location=%s ! %s", path, tails[i]));

    fail_unless (error && strstr (error->message, "put pacoparse before it"),
        "%s: %s", tails[i], error ? error->message : "nothing went wrong");
  }
}

TEST_MAIN ("pipes", "fdsrc", "shmsrc", "shmsink")

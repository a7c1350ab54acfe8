/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests that playbin plays PaCo with every combination of its flags that concerns
 * decoders. */
#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>

#define N_FRAMES 10

static const char *const flags[] = {
  "video+audio+deinterlace+soft-colorbalance",
  "video+native-video",
  "video+force-sw-decoders",
  "video+native-video+force-sw-decoders",
};

static void
run (GstElement *pipeline, const char *what)
{
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "%s does not end", what);
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  fail_unless (error == NULL, "%s: %s", what, error ? error->message : "");
  gst_message_unref (message);
  gst_object_unref (bus);
}

static void
count (GstElement *sink, GstBuffer *buffer, GstPad *pad, gpointer counter)
{
  (*(guint *) counter)++;
}

static void
record (const char *path)
{
  char *launch = g_strdup_printf ("videotestsrc num-buffers=%d ! "
                                  "video/x-raw,width=64,height=48 ! pacoenc ! "
                                  "pacoparse ! %s filesink location=%s",
      N_FRAMES, g_str_has_suffix (path, ".mov") ? "qtmux !" : "", path);
  GstElement *pipeline = gst_parse_launch (launch, NULL);

  run (pipeline, launch);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (launch);
}

/* Plays with playbin. playbin3 of GStreamer 1.22 now and then never ends with
 * short files of any codec, so it is no judge; and it knows nothing of software
 * decoders. */
static void
play (const char *path, const char *what)
{
  char *uri = gst_filename_to_uri (path, NULL);
  char *name = g_strdup_printf ("%s flags=%s", path, what);
  GstElement *playbin = gst_element_factory_make ("playbin", NULL);
  GstElement *sink = gst_element_factory_make ("fakesink", NULL);
  guint frames = 0;

  fail_unless (playbin != NULL && sink != NULL);
  g_object_set (sink, "signal-handoffs", TRUE, NULL);
  g_signal_connect (sink, "handoff", G_CALLBACK (count), &frames);
  g_object_set (playbin, "uri", uri, "video-sink", sink, NULL);
  gst_util_set_object_arg (G_OBJECT (playbin), "flags", what);
  run (playbin, name);
  fail_unless (frames == N_FRAMES, "%s: %u pictures", name, frames);
  gst_element_set_state (playbin, GST_STATE_NULL);
  gst_object_unref (playbin);
  g_free (name);
  g_free (uri);
}

GST_START_TEST (test_flags)
{
  static const char *const names[] = { "a.mov", "a.paco" };
  char *folder = g_dir_make_tmp ("paco-playbin-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    char *path = g_build_filename (folder, names[i], NULL);

    record (path);
    for (guint k = 0; k < G_N_ELEMENTS (flags); k++)
      play (path, flags[k]);
    g_unlink (path);
    g_free (path);
  }
  g_rmdir (folder);
  g_free (folder);
}
GST_END_TEST;

static Suite *
playbin_suite (void)
{
  Suite *suite = suite_create ("playbin");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 240);
  tcase_add_test (tcase, test_flags);
  return suite;
}

GST_CHECK_MAIN (playbin);

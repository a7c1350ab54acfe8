/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the plugin's features, every element in all its states, and pipelines that
 * are started, stopped and started again. */
#include "elements.h"
#include <string.h>

static const char *const elements[] = { "pacoenc", "pacodec", "pacoparse",
  "rtppacopay", "rtppacodepay" };

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Tests that the plugin has these features and nothing else. */
TEST (test_features)
{
  GList *features = gst_registry_get_feature_list_by_plugin (
      gst_registry_get (), "paco");
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  static const char *const expected[] = { "pacodec", "pacoenc", "pacoparse",
    "rtppacodepay", "rtppacopay", "video/x-paco" };

  for (GList *l = features; l != NULL; l = l->next)
    g_ptr_array_add (names, g_strdup (gst_plugin_feature_get_name (l->data)));
  g_ptr_array_sort (names, compare_names);
  fail_unless_equals_int (names->len, G_N_ELEMENTS (expected));
  for (guint i = 0; i < names->len; i++)
    fail_unless_equals_string (g_ptr_array_index (names, i), expected[i]);
  g_ptr_array_unref (names);
  gst_plugin_feature_list_free (features);
}

TEST (test_ranks)
{
  static const struct
  {
    const char *name, *klass;
    guint rank;
  } cases[] = {
    { "pacoenc", "Codec/Encoder/Video", GST_RANK_PRIMARY },
    { "pacodec", "Codec/Decoder/Video", GST_RANK_PRIMARY },
    { "pacoparse", "Codec/Parser/Video", GST_RANK_PRIMARY + 1 },
    { "rtppacopay", "Codec/Payloader/Network/RTP", GST_RANK_SECONDARY },
    { "rtppacodepay", "Codec/Depayloader/Network/RTP", GST_RANK_SECONDARY },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstElementFactory *factory = gst_element_factory_find (cases[i].name);

    fail_unless (factory != NULL);
    fail_unless_equals_int (
        gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE (factory)),
        cases[i].rank);
    fail_unless_equals_string (
        gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS),
        cases[i].klass);
    gst_object_unref (factory);
  }
}

TEST (test_states)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL,
    GST_STATE_PLAYING, GST_STATE_NULL, GST_STATE_PAUSED, GST_STATE_NULL };

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    g_autoptr (GstElement)
        element = gst_element_factory_make (elements[i], NULL);

    fail_unless (element != NULL, "%s", elements[i]);
    gst_object_ref_sink (element);
    for (guint k = 0; k < G_N_ELEMENTS (states); k++)
      fail_if (gst_element_set_state (element, states[k])
              == GST_STATE_CHANGE_FAILURE,
          "%s to %s", elements[i], gst_element_state_get_name (states[k]));
  }
}

/* Tests that every property can be read, and written with what was read. */
TEST (test_properties)
{
  for (guint i = 0; i < G_N_ELEMENTS (elements); i++) {
    g_autoptr (GstElement)
        element = gst_element_factory_make (elements[i], NULL);
    guint n;
    GParamSpec **specs = g_object_class_list_properties (
        G_OBJECT_GET_CLASS (element), &n);

    gst_object_ref_sink (element);
    for (guint k = 0; k < n; k++) {
      GValue value = G_VALUE_INIT;

      if (!(specs[k]->flags & G_PARAM_READABLE)
          || g_str_equal (specs[k]->name, "parent"))
        continue;
      g_value_init (&value, specs[k]->value_type);
      g_object_get_property (G_OBJECT (element), specs[k]->name, &value);
      if (specs[k]->flags & G_PARAM_WRITABLE)
        g_object_set_property (G_OBJECT (element), specs[k]->name, &value);
      g_value_unset (&value);
    }
    g_free (specs);
  }
}

static void
play_without_error (GstElement *pipeline)
{
  g_autoptr (GError) error = play_to_end (pipeline);

  g_assert_no_error (error);
}

TEST (test_play_twice)
{
  g_autoptr (Pipeline) pipeline = launch (
      "videotestsrc num-buffers=12 ! "
      "video/x-raw,format=I422_10LE,width=160,height=90 ! "
      "pacoenc pipeline-depth=3 ! pacoparse ! pacodec ! fakesink name=sink "
      "signal-handoffs=true sync=false");

  for (guint i = 0; i < 3; i++) {
    play_without_error (pipeline);
    fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL),
        GST_STATE_CHANGE_SUCCESS);
  }
}

/* Tests pipelines that are stopped in the middle, in each state that data can
 * flow in. */
TEST (test_stop_while_playing)
{
  g_autoptr (Pipeline)
      pipeline = launch ("videotestsrc ! "
                         "video/x-raw,format=I420,width=320,height=180 ! "
                         "pacoenc pipeline-depth=8 ! queue ! "
                         "pacodec pipeline-depth=8 ! fakesink sync=true");

  for (guint i = 0; i < 10; i++) {
    GstState state = i % 2 ? GST_STATE_PLAYING : GST_STATE_PAUSED;
    GstState down = i % 3 ? GST_STATE_NULL : GST_STATE_READY;

    fail_if (
        gst_element_set_state (pipeline, state) == GST_STATE_CHANGE_FAILURE);
    if (i % 4 > 1)
      gst_element_get_state (pipeline, NULL, NULL, 10 * GST_SECOND);
    g_usleep (1000 * (i * 7));
    fail_unless_equals_int (
        gst_element_set_state (pipeline, down), GST_STATE_CHANGE_SUCCESS);
  }
}

/* Tests seeks that flush, forwards and backwards, with frames in flight and a
 * sink that waits for the clock. */
TEST (test_flushing_seeks)
{
  g_autoptr (Pipeline)
      pipeline = launch ("videotestsrc ! "
                         "video/x-raw,format=I420,width=160,height=90 ! "
                         "pacoenc pipeline-depth=4 ! "
                         "pacodec pipeline-depth=4 ! fakesink sync=true");

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  gst_element_get_state (pipeline, NULL, NULL, 30 * GST_SECOND);
  for (guint i = 0; i < 20; i++) {
    fail_unless (gst_element_seek (pipeline, i % 4 == 3 ? -1.0 : 1.0,
        GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, GST_SEEK_TYPE_SET,
        (i % 4 == 3 ? 0 : i) * GST_SECOND, GST_SEEK_TYPE_SET,
        100 * GST_SECOND));
    if (i % 2)
      g_usleep (5000 * i);
    else
      fail_unless_equals_int (
          gst_element_get_state (pipeline, NULL, NULL, 30 * GST_SECOND),
          GST_STATE_CHANGE_SUCCESS);
  }
}

/* Tests a queue that keeps more coded frames than are in flight. */
TEST (test_queued_output)
{
  run (launch ("videotestsrc num-buffers=60 ! "
               "video/x-raw,format=GRAY8,width=128,height=64 ! "
               "pacoenc pipeline-depth=8 ! queue max-size-buffers=100 "
               "min-threshold-buffers=50 ! pacodec pipeline-depth=8 ! "
               "queue max-size-buffers=100 ! fakesink sync=false"));
}

static void
typefind_found (
    GstElement *typefind, guint probability, GstCaps *caps, gpointer user_data)
{
  *(guint *) user_data = gst_structure_has_name (
                             gst_caps_get_structure (caps, 0), "video/x-paco")
      ? probability
      : 0;
}

TEST (test_typefind)
{
  g_autoptr (Folder) folder = temporary_folder ();
  g_autofree gchar *path = g_build_filename (folder, "nameless", NULL);
  g_autoptr (Pipeline) pipeline = NULL;
  g_autoptr (GstElement) typefind = NULL;
  guint probability = 0;

  run (launch ("videotestsrc num-buffers=2 ! "
               "video/x-raw,format=I420,width=64,height=48 ! pacoenc ! "
               "filesink location=%s",
      path));
  pipeline = launch (
      "filesrc location=%s ! typefind name=typefind ! fakesink", path);
  typefind = gst_bin_get_by_name (GST_BIN (pipeline), "typefind");
  g_signal_connect (
      typefind, "have-type", G_CALLBACK (typefind_found), &probability);
  play_without_error (pipeline);
  fail_unless_equals_int (probability, GST_TYPE_FIND_MAXIMUM);
}

TEST_MAIN ("states")

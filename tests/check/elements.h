/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Helps all tests of elements: it collects and runs the tests of a program, and makes
 * harnesses and pipelines. A harness has a bus, on which no error may be left. */
#pragma once
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#define TIME_LIMIT (60 * GST_SECOND)

/* --- tests ------------------------------------------------------------ */

typedef struct Test
{
  const gchar *name, *file;
  gint line, n_runs;
  void (*check) (gint run);
  TFun call; /* check() and what is around it */
  struct Test *next;
} Test;

static Test *first_test, **last_test = &first_test;
static void (*after_each_test) (void);

static inline void
add_test (Test *test)
{
  *last_test = test;
  last_test = &test->next;
}

static inline void
call_test (const Test *test, gint run)
{
  GST_DO_CHECK_TEST_ENVIRONMENT;
  tcase_fn_start (test->name, test->file, test->line);
  test->check (run);
  if (after_each_test)
    after_each_test ();
  gst_task_cleanup_all ();
}

/* Begins a test, which runs n times, with __i__ from 0 to n - 1. */
#define LOOP_TEST(name, n)                                                     \
  static void name (gint __i__);                                               \
  static void call_##name (gint run);                                          \
  static Test of_##name = { #name, __FILE__, __LINE__, n, name, call_##name }; \
  static void call_##name (gint run)                                           \
  {                                                                            \
    call_test (&of_##name, run);                                               \
  }                                                                            \
  __attribute__ ((constructor)) static void add_##name (void)                  \
  {                                                                            \
    add_test (&of_##name);                                                     \
  }                                                                            \
  static void name (gint __i__)
#define TEST(name) LOOP_TEST (name, 1)

/* Runs all tests of a program. They are skipped if one of GStreamer's elements, of which
 * NULL is the last, is not installed. */
static inline gint
run_tests (const gchar *const *words, const gchar *file)
{
  Suite *suite = suite_create (words[0]);
  TCase *all = tcase_create ("all");

  for (const gchar *const *element = words + 1; *element; element++)
    if (!gst_registry_check_feature_version (
            gst_registry_get (), *element, 1, 0, 0)) {
      g_print ("GStreamer's %s is not installed: skipped\n", *element);
      return 77;
    }
  suite_add_tcase (suite, all);
  tcase_set_timeout (all, 290); /* under sanitizers */
  for (const Test *test = first_test; test; test = test->next)
    _tcase_add_test (all, test->call, test->name, 0, 0, 0, test->n_runs);
  return gst_check_run_suite (suite, words[0], file);
}

/* Is the main function: TEST_MAIN (name of the program, elements it needs ...). */
#define TEST_MAIN(...) TEST_MAIN_AFTER ((void) 0, __VA_ARGS__)

/* Is the main function likewise, which prepares something before the tests. */
#define TEST_MAIN_AFTER(prepare, ...)                                          \
  gint main (gint argc, gchar **argv)                                          \
  {                                                                            \
    static const gchar *const words[] = { __VA_ARGS__, NULL };                 \
                                                                               \
    gst_check_init (&argc, &argv);                                             \
    prepare;                                                                   \
    return run_tests (words, __FILE__);                                        \
  }

/* --- what elements say ------------------------------------------------ */

/* Returns the next error, warning or info of these types, or NULL. */
static inline GError *
pop_said (GstBus *bus, GstMessageType types)
{
  g_autoptr (GstMessage) message = gst_bus_pop_filtered (bus, types);
  GError *error = NULL;

  if (message == NULL)
    return NULL;
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING)
    gst_message_parse_warning (message, &error, NULL);
  else
    gst_message_parse_info (message, &error, NULL);
  return error;
}

static inline GError *
paco_test_pop_error (GstHarness *harness)
{
  return pop_said (GST_ELEMENT_BUS (harness->element), GST_MESSAGE_ERROR);
}

/* Expects the next warning to have these words; NULL: expects that there is none. */
static inline void
expect_warning (GstHarness *harness, const gchar *words)
{
  g_autoptr (GError) warning = pop_said (
      GST_ELEMENT_BUS (harness->element), GST_MESSAGE_WARNING);

  if (words == NULL)
    fail_unless (warning == NULL, "%s", warning ? warning->message : "");
  else
    fail_unless (warning && strstr (warning->message, words),
        "no warning has \"%s\": %s", words, warning ? warning->message : "-");
}

/* Drops errors that the test expects. */
static inline void
ignore_errors (GstHarness *harness)
{
  gst_bus_set_flushing (GST_ELEMENT_BUS (harness->element), TRUE);
}

/* Expects an error with these words, of this code unless the domain is 0, and ignores
 * those that follow from it. */
static inline void
expect_error (GstHarness *harness, GQuark domain, gint code, const gchar *words)
{
  g_autoptr (GError) error = paco_test_pop_error (harness);

  fail_unless (error != NULL, "no error, for \"%s\"", words);
  fail_unless (domain == 0 || g_error_matches (error, domain, code), "%s",
      error->message);
  fail_unless (
      strstr (error->message, words), "%s: not \"%s\"", error->message, words);
  fail_unless (strlen (error->message) > 20, "%s", error->message);
  ignore_errors (harness);
}

/* --- harnesses -------------------------------------------------------- */

static inline void
paco_test_teardown (GstHarness *harness)
{
  GstBus *bus = gst_element_get_bus (harness->element);

  if (bus) {
    g_autoptr (GError) error = pop_said (bus, GST_MESSAGE_ERROR);

    g_assert_no_error (error);
  }
  gst_harness_teardown (harness);
  /* Messages refer to the element that refers to the bus, so they must go. */
  if (bus)
    gst_bus_set_flushing (bus, TRUE);
  gst_clear_object (&bus);
}

/* This is torn down at the end of its block. */
typedef GstHarness PacoHarness;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PacoHarness, paco_test_teardown)

/* Makes a harness of what a format and its arguments say. */
static inline GstHarness *
paco_test_harness (const gchar *format, ...)
{
  g_autoptr (GstBus) bus = gst_bus_new ();
  g_autofree gchar *launch = NULL;
  GstHarness *harness;
  va_list arguments;

  va_start (arguments, format);
  launch = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  harness = gst_harness_new_parse (launch);
  gst_element_set_bus (harness->element, bus);
  return harness;
}

static inline void
push (GstHarness *harness, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (harness, buffer), GST_FLOW_OK);
}

static inline void
push_bytes (GstHarness *harness, const guint8 *data, gsize size)
{
  push (harness, gst_buffer_new_memdup (data, size));
}

static inline GPtrArray *
new_buffers (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) gst_buffer_unref);
}

/* Returns all that has come out. */
static inline GPtrArray *
take_all (GstHarness *harness)
{
  GPtrArray *taken = new_buffers ();
  GstBuffer *buffer;

  while ((buffer = gst_harness_try_pull (harness)))
    g_ptr_array_add (taken, buffer);
  return taken;
}

static inline void
drop_all (GstHarness *harness)
{
  g_ptr_array_unref (take_all (harness));
}

/* Drops the next buffer, which has to come. */
static inline void
pull_and_drop (GstHarness *harness)
{
  GstBuffer *buffer = gst_harness_pull (harness);

  fail_unless (buffer != NULL);
  gst_buffer_unref (buffer);
}

static inline void
push_segment (GstHarness *harness, GstFormat format)
{
  GstSegment segment;

  gst_segment_init (&segment, format);
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_segment (&segment)));
}

static inline void
flush (GstHarness *harness, GstFormat format)
{
  gst_harness_push_event (harness, gst_event_new_flush_start ());
  fail_unless (
      gst_harness_push_event (harness, gst_event_new_flush_stop (TRUE)));
  push_segment (harness, format);
}

/* Says from downstream that a buffer came ten seconds too late. */
static inline void
push_qos (GstHarness *harness)
{
  gst_harness_push_upstream_event (harness,
      gst_event_new_qos (GST_QOS_TYPE_UNDERFLOW, 0.5, 10 * GST_SECOND, 0));
}

/* Returns a copy of the caps that have come out. */
static inline GstStructure *
output_caps (GstHarness *harness)
{
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (harness->sinkpad);

  fail_unless (caps != NULL);
  return gst_structure_copy (gst_caps_get_structure (caps, 0));
}

/* Expects that the caps that have come out say all that these do. */
static inline void
expect_caps (GstHarness *harness, const gchar *words)
{
  g_autoptr (GstStructure) caps = output_caps (harness), wanted = NULL;

  wanted = gst_structure_from_string (words, NULL);
  fail_unless (wanted && gst_structure_is_subset (caps, wanted),
      "%" GST_PTR_FORMAT " is not %s", caps, words);
}

/* Returns a number of the caps that have come out. */
static inline gint
output_int (GstHarness *harness, const gchar *field)
{
  g_autoptr (GstStructure) caps = output_caps (harness);
  gint value;

  fail_unless (gst_structure_get_int (caps, field, &value), "no %s", field);
  return value;
}

/* Sets a property, as gst-launch-1.0 does. */
static inline void
set_property (GstHarness *harness, const gchar *element_name,
    const gchar *property, const gchar *value)
{
  g_autoptr (GstElement)
      element = gst_harness_find_element (harness, element_name);

  gst_util_set_object_arg (G_OBJECT (element), property, value);
}

/* Returns the stats of a harness' element. */
static inline GstStructure *
stats_of (GstHarness *harness, const gchar *element)
{
  GstStructure *stats;

  gst_harness_get (harness, element, "stats", &stats, NULL);
  return stats;
}

/* Returns a number of them. */
static inline guint64
stat_of (GstHarness *harness, const gchar *element, const gchar *name)
{
  g_autoptr (GstStructure) stats = stats_of (harness, element);
  guint64 value;

  fail_unless (gst_structure_get_uint64 (stats, name, &value),
      "no %s in the stats", name);
  return value;
}

/* --- pipelines -------------------------------------------------------- */

static inline GstElement *
launch (const gchar *format, ...)
{
  g_autofree gchar *description = NULL;
  g_autoptr (GError) error = NULL;
  GstElement *pipeline;
  va_list arguments;

  va_start (arguments, format);
  description = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  pipeline = gst_parse_launch (description, &error);
  fail_unless (
      error == NULL, "%s: %s", description, error ? error->message : "");
  return pipeline;
}

static inline void
stop_pipeline (GstElement *pipeline)
{
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
}

/* This is stopped at the end of its block. */
typedef GstElement Pipeline;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Pipeline, stop_pipeline)

/* Waits until the state is reached. */
static inline void
reach_state (GstElement *pipeline, GstState state)
{
  gst_element_set_state (pipeline, state);
  fail_unless_equals_int (
      gst_element_get_state (pipeline, NULL, NULL, TIME_LIMIT),
      GST_STATE_CHANGE_SUCCESS);
}

/* Plays to the end or to an error, which is returned. */
static inline GError *
play_to_end (GstElement *pipeline)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  g_autoptr (GstMessage) message = NULL;
  GError *error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (
      bus, TIME_LIMIT, GST_MESSAGE_ERROR | GST_MESSAGE_EOS);
  fail_unless (message, "the pipeline does not come to its end");
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  return error;
}

/* Plays to the end likewise, and stops. */
static inline GError *
run_to_end (GstElement *pipeline)
{
  GError *error = play_to_end (pipeline);

  stop_pipeline (pipeline);
  return error;
}

/* Runs a pipeline to the end, which has to come without an error. */
static inline void
run (GstElement *pipeline)
{
  g_autoptr (GError) error = run_to_end (pipeline);

  fail_unless (error == NULL, "%s", error ? error->message : "");
}

/* Has a callback see what passes a pad of an element of a pipeline, if it has one of
 * that name. */
static inline void
add_probe (GstElement *pipeline, const gchar *name, const gchar *pad_name,
    GstPadProbeType type, GstPadProbeCallback callback, gpointer data)
{
  g_autoptr (GstElement)
      element = gst_bin_get_by_name (GST_BIN (pipeline), name);
  g_autoptr (GstPad) pad = NULL;

  if (element == NULL)
    return;
  pad = gst_element_get_static_pad (element, pad_name);
  gst_pad_add_probe (pad, type, callback, data, NULL);
}

/* --- files ------------------------------------------------------------ */

/* Makes a file that is empty, and returns its path. */
static inline gchar *
temporary_file (void)
{
  g_autoptr (GError) error = NULL;
  gchar *path;

  g_close (g_file_open_tmp ("paco-XXXXXX.paco", &path, &error), NULL);
  g_assert_no_error (error);
  return path;
}

static inline void
remove_file (gchar *path)
{
  g_unlink (path);
  g_free (path);
}

static inline gchar *
temporary_folder (void)
{
  gchar *folder = g_dir_make_tmp ("paco-XXXXXX", NULL);

  fail_unless (folder);
  return folder;
}

static inline void
remove_folder (gchar *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const gchar *name;

  while ((name = g_dir_read_name (dir))) {
    g_autofree gchar *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  g_rmdir (folder);
  g_free (folder);
}

/* These are removed at the end of their block. */
typedef gchar TemporaryFile;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TemporaryFile, remove_file)
typedef gchar Folder;
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Folder, remove_folder)

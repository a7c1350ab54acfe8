/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Plays pipelines over the driver of our own, for tests of gst-check that are linked to
 * it, and checks that elements have given everything back. plan is what the driver was told
 * to do, for messages; afterwards it has no plan. */
#pragma once
#include "tests/gpu/driver/fake-driver.h"
#include <gst/check/gstcheck.h>

/* Checks that nothing of the driver's is left, unless nothing works any
 * more. */
static inline void
check_left (const char *plan)
{
  FakeCudaLeft left;

  fake_cuda_left (&left);
  fail_unless (left.misuses == 0, "%s: misuses of the driver", plan);
  if (strstr (plan, ":gone") == NULL)
    fail_unless (left.contexts == 0, "%s: a context is left", plan);
  fake_cuda_clear ();
}

/* Checks that when the driver answers after all, what was left to it is
 * freed. */
static inline void
check_left_later (const char *plan)
{
  FakeCudaLeft left;
  guint n_empty = 0;

  fake_cuda_release ();
  for (guint i = 0; i < 1000 && n_empty < 20; i++) {
    g_usleep (10000);
    fake_cuda_left (&left);
    n_empty = left.contexts == 0 ? n_empty + 1 : 0;
  }
  fail_unless (n_empty > 0, "%s: a context is left", plan);
  fail_unless (left.misuses == 0, "%s: misuses of the driver", plan);
  fake_cuda_clear ();
}

#define MAX_SECONDS 30

static inline GstElement *make_pipeline (const char *format, ...)
    G_GNUC_PRINTF (1, 2);

static inline GstElement *
make_pipeline (const char *format, ...)
{
  g_autofree char *launch = NULL;
  GError *error = NULL;
  GstElement *pipeline;
  va_list arguments;

  va_start (arguments, format);
  launch = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  pipeline = gst_parse_launch (launch, &error);
  g_assert_no_error (error);
  return pipeline;
}

/* Plays to the end, and returns the error that came instead, or NULL. What warnings say is
 * appended to `warnings`, unless that is NULL. */
static inline GError *
play_with_warnings (GstElement *pipeline, GString *warnings)
{
  g_autoptr (GstBus) bus = gst_element_get_bus (pipeline);
  GstMessageType type = GST_MESSAGE_UNKNOWN;
  GError *error = NULL;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  while (type != GST_MESSAGE_ERROR && type != GST_MESSAGE_EOS) {
    g_autoptr (GstMessage)
        message = gst_bus_timed_pop_filtered (bus, MAX_SECONDS * GST_SECOND,
            GST_MESSAGE_ERROR | GST_MESSAGE_EOS | GST_MESSAGE_WARNING);
    g_autoptr (GError) warning = NULL;

    fail_unless (message != NULL, "neither an error nor the end");
    type = GST_MESSAGE_TYPE (message);
    if (type == GST_MESSAGE_ERROR)
      gst_message_parse_error (message, &error, NULL);
    if (type == GST_MESSAGE_WARNING && warnings != NULL) {
      gst_message_parse_warning (message, &warning, NULL);
      g_string_append (warnings, warning->message);
    }
  }
  return error;
}

/* Returns the number of the device that a coder has chosen. */
static inline guint
device_of (GstElement *coder)
{
  g_autoptr (GstStructure) stats = NULL;
  guint device;

  g_object_get (coder, "stats", &stats, NULL);
  fail_unless (sscanf (gst_structure_get_string (stats, "device"),
                   "Fake GPU %u", &device)
      == 1);
  return device;
}

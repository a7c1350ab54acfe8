/* SPDX-License-Identifier: LGPL-2.1-or-later
 * GStreamer as container.c and mux.c use it: pipelines by their description, whose
 * errors become sentences. */
#pragma once
#include <glib.h>
#include <gst/gst.h>
#include <stdbool.h>

/* Starts GStreamer and asks whether it has these elements; names end with NULL. The
 * error says what is missing. */
bool paco_gst_has_elements (const char *const *names, GError **error);
/* A pipeline, in state READY. Elements called "from" and "to" get these locations; NULL:
 * there is none. */
GstElement *paco_gst_pipeline (
    const char *description, const char *from, const char *to, GError **error);
/* The error that the pipeline has posted, if any. */
bool paco_gst_failed (GstElement *pipeline, const char *path, GError **error);
void paco_gst_free (GstElement *pipeline); /* or NULL */

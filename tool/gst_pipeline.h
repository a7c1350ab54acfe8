/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs pipelines of GStreamer for container.c, mux.c, sheet.c and write_jpeg.c: it makes
 * them by their description, and turns their errors into sentences. */
#pragma once
#include <glib.h>
#include <gst/gst.h>
#include <gst/video/video.h>
#include <stdbool.h>

/* Starts GStreamer and asks whether it has these elements; names end with NULL. The
 * error says what is missing. */
bool paco_gst_has_elements (const char *const *names, GError **error);
/* Makes a pipeline, in state READY. Elements called "from" and "to" get these
 * locations; NULL means that there is none. */
GstElement *paco_gst_pipeline (
    const char *description, const char *from, const char *to, GError **error);
/* Of the elements with these names, the demuxer finds the streams of a file, and the
 * filter takes one of them for the sink. If there is none that it takes, the sink gets
 * an end. Without that, a file whose other streams have no bytes would never end. */
void paco_gst_end_without_stream (GstElement *pipeline, const char *demuxer,
    const char *filter, const char *sink);
/* Says whether the pipeline has posted an error, which is put into *error. It waits
 * `wait` at most for that, or for the end of the stream, which sets *ended. If ended is
 * NULL, only errors are waited for. Other messages are removed from the bus. */
bool paco_gst_failed (GstElement *pipeline, const char *path, GstClockTime wait,
    bool *ended, GError **error);
/* Has a picture, whose reference it takes, processed by elements. Returns what they make of
 * it, or NULL and an error; `path` says there what is made. */
GstSample *paco_gst_process (const char *elements, const GstVideoInfo *video,
    GstBuffer *picture, const char *path, GError **error);
void paco_gst_free (GstElement *pipeline); /* or NULL */

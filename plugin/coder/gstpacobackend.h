/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacoenc and pacodec have in common with respect to backends: how the one that
 * settings choose is opened, its statistics and errors, and what is written to the
 * debug log at level 5 (DEBUG). Below that level no text is made. */
#pragma once
#include "codec/backend.h"
#include "codec/header.h"
#include "lib/stream/settings.h"
#include <gst/gst.h>

/* Opens the backend that the settings ask for, and warns of settings without effect.
 * context: the one for the CUDA backend to work in, or NULL. */
PacoCoder *gst_paco_open (GstElement *element, const PacoSettings *settings,
    gboolean encoder, const PacoForeignContext *context, void (*drop) (void *),
    GError **error);

GstStructure *gst_paco_stats_to_structure (const PacoStats *stats);

/* Posts the element error that belongs to the error's code, and frees the error. */
void gst_paco_post_error (GstElement *element, GError *error);

void gst_paco_log_coding (GstDebugCategory *category, GstElement *element,
    const PacoPictureFormat *picture, const PacoCoding *coding);
void gst_paco_log_stats (
    GstDebugCategory *category, GstElement *element, const PacoStats *stats);

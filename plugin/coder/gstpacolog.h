/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What both pacoenc and pacodec write to the debug log at level 5 (DEBUG): how a
 * stream is coded, and what its coding has cost. Below that level no text is made. */
#pragma once
#include "codec/coder.h"
#include "codec/header.h"
#include <gst/gst.h>

G_BEGIN_DECLS

/* Writes the picture's components and every choice of the coding. */
void gst_paco_log_coding (GstDebugCategory *category, GstElement *element,
    const PacoPictureFormat *picture, const PacoCoding *coding);

/* Writes the figures of all frames from start to stop. */
void gst_paco_log_stats (
    GstDebugCategory *category, GstElement *element, const PacoStats *stats);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacoenc and pacodec alike tell the debug log at level 5 (DEBUG): how a
 * stream is coded, and what its coding has cost. Nothing is put together below
 * that level. */
#pragma once
#include "codec/coder.h"
#include "codec/header.h"
#include <gst/gst.h>

G_BEGIN_DECLS

/* The picture's components and every choice of the coding. */
void gst_paco_log_coding (GstDebugCategory *category, GstElement *element,
    const PacoPictureFormat *picture, const PacoCoding *coding);

/* All frames from start to stop. */
void gst_paco_log_stats (
    GstDebugCategory *category, GstElement *element, const PacoStats *stats);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which pictures pacoenc takes, and the errors that it posts for others. */
#pragma once
#include "caps/formats.h"
#include <gst/video/video.h>

G_BEGIN_DECLS

/* Says whether pictures of these caps can be coded; *raw is their format. If not, the
 * element posts an error. */
gboolean gst_paco_picture_check (
    GstElement *element, const GstVideoInfo *info, PacoRawFormat *raw);

/* Posts the error that a buffer does not hold such a picture. */
void gst_paco_picture_refuse (
    GstElement *element, const GstVideoInfo *info, GstBuffer *buffer);

G_END_DECLS

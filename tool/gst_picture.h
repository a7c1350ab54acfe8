/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Shows decoded pictures to GStreamer's library for video (libgstvideo), for to_rgb.c
 * and sheet.c: in the raw format in which paco_writer_video laid them out. */
#pragma once
#include "writers.h"
#include <gst/video/video.h>

/* Describes pictures of *info with their colours; what is unknown of these is what
 * GStreamer takes for the size. Errors: GStreamer has no such format. */
bool paco_gst_picture_info (
    const PacoInfo *info, GstVideoInfo *video, GError **error);
/* Makes a frame of a picture's memory, which stays the picture's. */
void paco_gst_picture_frame (
    const PacoPixels *pixels, const GstVideoInfo *video, GstVideoFrame *frame);

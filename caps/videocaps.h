/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts between GstVideoInfo and caps on one side and what a frame header says on
 * the other, for the elements. A header carries everything that caps would say,
 * because containers lose most of it; so the encoder and the parser make the same
 * caps from it. */
#pragma once
#include "codec/header.h"
#include <gst/video/video.h>

#define PACO_MEDIA_TYPE "video/x-paco"

/* The template caps of every pad say this of coded frames. */
#define PACO_CODED_CAPS                                                        \
  PACO_MEDIA_TYPE ", width = (int) [ 1, 16384 ], "                             \
                  "height = (int) [ 1, 16384 ]"

/* A frame an hour to a million a second. Times that follow from any other rate would
 * stop every clock, so it counts as unknown, 0/1 in caps. */
gboolean paco_frame_rate_is_usable (gint fps_n, gint fps_d);

/* Returns the caps of a stream of such frames: parsed, alignment = frame, the raw
 * format, which need not be one of the running GStreamer's, and all that the header
 * says of pictures. Never NULL for a header that was parsed or checked. */
GstCaps *paco_caps_from_header (const PacoHeader *header);

/* Describes the decoded picture in the raw format that the header names, if it is known
 * here and has the header's components; else in another one of the same components, or
 * of these and alpha (paco_raw_format_opaque()). A mosaic is described as it lies
 * (mosaics.h). FALSE if there is none. */
gboolean paco_video_info_from_header (
    const PacoHeader *header, GstVideoInfo *info);

/* Pictures a second, by framerate and interlace-mode: twice the frames if each picture
 * is one field. 0/1 if the rate is unknown or not usable. */
void paco_caps_picture_rate (
    const GstStructure *caps, gint *pictures, gint *seconds);

/* Puts what info and caps say into *video. caps may be NULL; only HDR fields are
 * read from them. picture_flags stay 0. */
void paco_video_from_info (
    const GstVideoInfo *info, const GstCaps *caps, PacoVideoInfo *video);

/* On a progressive stream both are 0. */
guint8 paco_picture_flags_from_buffer (
    const GstVideoInfo *info, GstBuffer *buffer);
void paco_picture_flags_to_buffer (const PacoHeader *header, GstBuffer *buffer);

/* Ignores picture_flags, which are a frame's own. */
gboolean paco_video_equal (const PacoVideoInfo *a, const PacoVideoInfo *b);

gboolean paco_buffer_has_fields (const GstVideoInfo *info, GstBuffer *buffer);

void paco_caps_set_hdr (GstCaps *caps, const PacoVideoInfo *video);

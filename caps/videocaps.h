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

/* Says whether a frame rate can be one: from a frame an hour to a million a second.
 * Any other is taken for unknown, 0/1 in caps: times, durations and latencies that
 * follow from it would stop every clock. */
gboolean paco_frame_rate_is_usable (gint fps_n, gint fps_d);

/* Returns the caps of a stream of which header is a frame: media type, width,
 * height, framerate, interlace-mode and field-order, format (the raw format),
 * pixel aspect ratio, colorimetry, chroma site, HDR fields, parsed = TRUE and
 * alignment = frame. The raw format need not be one of the running GStreamer's. They
 * are never NULL for a header that was parsed or checked. */
GstCaps *paco_caps_from_header (const PacoHeader *header);

/* Fills in the GstVideoInfo of the decoded picture. The raw format is the one
 * that the header names if it is known here and has the header's components, else
 * another of the same components, else one that has these and alpha
 * (paco_raw_format_opaque()). Returns FALSE if there is none. */
gboolean paco_video_info_from_header (
    const PacoHeader *header, GstVideoInfo *info);

/* Says how many pictures a second a stream has, by the framerate and
 * interlace-mode of its caps: twice the frames if each picture is one field. The
 * result is 0/1 if the rate is unknown or not usable. */
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

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The mosaics of sensors in GStreamer, video/x-bayer. GstVideoInfo has no format for them:
 * here a mosaic lies in a buffer as a gray picture does, whose GstVideoInfo says where,
 * and PacoRawFormat says what its samples are. */
#pragma once
#include "caps/formats.h"
#include "codec/header.h"

#define PACO_MOSAIC_TYPE "video/x-bayer"

/* Returns template caps of all mosaics that GStreamer names. */
GstCaps *paco_mosaic_caps (void);

/* Says whether caps are of a mosaic. caps may be NULL. */
gboolean paco_mosaic_is_caps (const GstCaps *caps);

/* Fills in the format, and how a picture of these caps lies in a buffer. caps are of
 * video/x-raw or of a mosaic. Returns FALSE if the format is not coded. */
gboolean paco_raw_format_from_caps (
    const GstCaps *caps, GstVideoInfo *info, PacoRawFormat *raw);

/* Changes info, of which only size and rates count, to how the mosaic lies: lines take a
 * multiple of four samples. */
void paco_mosaic_lay_out (const PacoRawFormat *raw, GstVideoInfo *info);

/* Returns the caps of a mosaic that info describes. */
GstCaps *paco_mosaic_to_caps (
    const PacoRawFormat *raw, const GstVideoInfo *info);

/* Chooses the format to decode a mosaic to: the coded one if downstream (`allowed`, or
 * NULL) takes it, else another one of the same samples that it takes. Returns FALSE if
 * GStreamer has no name for such a mosaic, or downstream takes none of them. */
gboolean paco_mosaic_pick (
    const PacoHeader *header, GstCaps *allowed, PacoRawFormat *raw);

/* Returns the format of R, G and B in which a mosaic is shown that has half of its size:
 * samples of its depth or, if there are none, of the next larger one. */
GstVideoFormat paco_mosaic_preview (const PacoHeader *header);

/* gst_video_frame_map() for a mosaic. A GstVideoMeta of one plane says where its lines
 * are. Without one, those that are read may lie without a gap. */
gboolean paco_mosaic_map (GstVideoFrame *frame, const GstVideoInfo *info,
    GstBuffer *buffer, GstMapFlags access);

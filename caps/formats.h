/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The raw formats of the running GStreamer that are coded (codec/formats.h). The
 * template caps of all elements and the tests come from it. */
#pragma once
#include "codec/formats.h"
#include <gst/video/video.h>

/* Returns FALSE if the format is not coded. The running GStreamer must know it. */
gboolean paco_raw_format (GstVideoFormat format, PacoRawFormat *raw);

/* Fills *raw without the alpha, all of whose bits are written as set. Returns FALSE if
 * the format has no alpha, or has it in a plane of its own. */
gboolean paco_raw_format_opaque (GstVideoFormat format, PacoRawFormat *raw);

/* Returns why a format is left out, or NULL if it is coded or not known here. */
const char *paco_raw_format_exclusion (GstVideoFormat format);

/* Writes the formats of the running GStreamer that are coded, the preferred ones
 * first. Returns how many were written; n is at least PACO_MAX_RAW_FORMATS. */
#define PACO_MAX_RAW_FORMATS 160
guint paco_raw_formats (GstVideoFormat *formats, guint n);

/* Says whether lines of this width have room for all samples. UYVP, Y210, Y212,
 * NV12_10LE32 and NV16_10LE32 lack chroma of the last pixel at some odd widths. */
gboolean paco_raw_format_holds (GstVideoFormat format, guint width);

/* Says whether both formats have the same components and kind (gray, YUV, RGB). */
gboolean paco_raw_format_same_samples (GstVideoFormat a, GstVideoFormat b);

/* Returns the format to decode to: the coded one if lines of this width hold it and
 * downstream (`allowed`, or NULL) takes it (as one field, if the mode is alternate);
 * else the preferred one of the same samples; else the coded one. */
GstVideoFormat paco_raw_format_pick (GstVideoFormat coded, guint width,
    GstVideoInterlaceMode mode, GstCaps *allowed);

/* Returns template caps of all these formats, 1x1 to 16384x16384, the preferred ones
 * first. Last are those with format:Interlaced, of one field in each buffer. */
GstCaps *paco_raw_caps (void);

/* Returns FALSE if the format is not coded, or does not hold all samples. */
gboolean paco_picture_format_from_info (
    const GstVideoInfo *info, bool fields, PacoPictureFormat *picture);
/* The same for a format that is coded and holds them, also for mosaics (mosaics.h). */
void paco_picture_format_from_raw (const PacoRawFormat *raw,
    const GstVideoInfo *info, bool fields, PacoPictureFormat *picture);

/* Says whether all lines of a picture like info's are in the memory of a mapped
 * frame, of whose lines a GstVideoMeta may say anything. TRUE for tiles. */
gboolean paco_frame_fits (const PacoRawFormat *raw, const GstVideoInfo *info,
    const GstVideoFrame *frame);

/* Makes the backend's picture of a mapped frame, whose format is not tiled. */
void paco_picture_from_frame (
    const PacoRawFormat *raw, const GstVideoFrame *frame, PacoPicture *picture);

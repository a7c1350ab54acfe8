/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Computes what pacoenc says of the sizes of frames (the bound in its caps, tags,
 * and the last frames in stats), and makes areas of a picture that count more from
 * its regions of interest. */
#pragma once
#include "codec/areas.h"
#include "codec/parameters.h"
#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_PACO_RECENT_FRAMES 16

/* The last frames that were finished. */
typedef struct
{
  guint64 n; /* frames so far; those before the last few are forgotten */
  guint sizes[GST_PACO_RECENT_FRAMES];
  gdouble steps[GST_PACO_RECENT_FRAMES]; /* in samples; 0: reversible */
} GstPacoRecent;

/* Adds a frame: its bytes, and PacoEncodedFrame.step. */
void gst_paco_recent_add (GstPacoRecent *recent, gsize size, guint16 step);

/* Sets last-frame-sizes and last-frame-steps, oldest first. */
void gst_paco_recent_describe (
    const GstPacoRecent *recent, GstStructure *stats);

/* Returns how many bytes a frame has at most: its budget with rate control by
 * bitrate, else `bound`, which holds for any rate. */
guint64 gst_paco_rate_max_frame_size (
    const PacoParameters *parameters, guint64 bound);

/* Describes the rate in words, for the log. The caller frees them. */
char *gst_paco_rate_describe (const PacoParameters *parameters);

/* Adds the tag maximum-bitrate, and bitrate if one is asked for, as far as they are
 * known. */
void gst_paco_rate_add_tags (
    const PacoParameters *parameters, guint64 bound, GstTagList *tags);

/* Makes areas of a picture's regions of interest. If there are more than the codec
 * takes, the last area is the smallest one that contains all the others. */
void gst_paco_areas_from_buffer (GstBuffer *buffer, PacoAreas *areas);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacodec decodes into: the raw format that downstream takes, and where in a
 * picture of that format the backend writes. */
#pragma once
#include "caps/packed.h"
#include "codec/header.h"
#include "gstpacocoder.h"
#include <gst/video/gstvideodecoder.h>

G_BEGIN_DECLS

typedef struct
{
  GstVideoInfo info;
  guint reduce;
  PacoRawFormat raw;
  /* The backend cannot write into frames of it, only into planes. */
  gboolean via_planes;
  gboolean on_device; /* frames are in device memory */
} GstPacoOutput;

/* Chooses a format that downstream takes for what header says, with coded as the
 * GstVideoInfo of the whole picture; in device memory, if downstream names it and
 * the coder can move into a context that is shared. Nobody learns of it yet. FALSE if
 * there is no such format. */
gboolean gst_paco_output_choose (GstPacoOutput *output,
    GstVideoDecoder *decoder, GstPacoCoder *coder, const PacoHeader *header,
    const GstVideoInfo *coded, guint reduce);

/* Whether frames like header's are of the size that was chosen, too: reduced, fields
 * and frames of one height may come to different ones. */
gboolean gst_paco_output_has_size (
    const GstPacoOutput *output, const PacoHeader *header);

/* Whether there is memory for n pictures. GStreamer's own allocator ends the
 * program where there is not. Error MEMORY. */
gboolean gst_paco_output_fits_memory (
    const GstPacoOutput *output, guint n, GError **error);

/* Makes it the decoder's output state, with what header and coded say, who know
 * better than input. Does not negotiate. FALSE if there is no such state. */
gboolean gst_paco_output_announce (GstPacoOutput *output,
    GstVideoDecoder *decoder, const PacoHeader *header,
    const GstVideoInfo *coded, GstVideoCodecState *input);

/* Fills in how the samples lie that the backend writes. */
void gst_paco_output_layout (
    const GstPacoOutput *output, PacoSampleLayout *layout);

/* Maps a buffer into *frame and sets *picture to what the backend is to write:
 * the frame or planes, which may be NULL if none are needed. */
gboolean gst_paco_output_map (const GstPacoOutput *output, GstPacoCuda *cuda,
    GstBuffer *buffer, const PacoPlanes *planes, GstVideoFrame *frame,
    PacoPicture *picture);

/* Puts what the backend has left in planes into the frame. */
void gst_paco_output_store (
    const GstPacoOutput *output, PacoPlanes *planes, GstVideoFrame *frame);

/* The allocation query, before and after the base class has decided it: buffers for
 * what the coder has in flight; and what is posted if there are none. */
gboolean gst_paco_output_adapt_pools (GstPacoCoder *coder, GstQuery *query);
gboolean gst_paco_output_activate_pools (GstQuery *query);
void gst_paco_output_post_no_pools (
    const GstPacoOutput *output, GstElement *element);

G_END_DECLS

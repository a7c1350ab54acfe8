/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacodec decodes into: the raw format that downstream takes, and where in a
 * picture of that format the backend writes. */
#pragma once
#include "caps/packed.h"
#include "codec/header.h"
#include "plugin/coder/gstpacocoder.h"
#include <gst/video/gstvideodecoder.h>

typedef struct
{
  GstVideoInfo info;
  guint reduce;
  /* The levels that the decoder leaves out: of a mosaic, one less than reduce, as cells
   * become pixels. */
  guint left_out;
  PacoRawFormat raw;
  /* The format of the picture that is decoded to planes. */
  PacoPictureFormat planes;
  /* TRUE if the backend cannot write into frames of the format, only into planes. */
  gboolean via_planes;
  gboolean on_device; /* frames are in device memory */
} GstPacoOutput;

/* Chooses a format that downstream takes for pictures as header says, with coded as
 * the GstVideoInfo of the whole picture. It is in device memory if downstream names
 * that and the coder can move into a shared context. Nothing is announced yet. FALSE
 * if there is no such format. */
gboolean gst_paco_output_choose (GstPacoOutput *output,
    GstVideoDecoder *decoder, GstPacoCoder *coder, const PacoHeader *header,
    const GstVideoInfo *coded, guint reduce);

/* Says whether frames like header's have the size that was chosen: when they are
 * reduced, frames in one piece and frames of two fields may get different sizes. */
gboolean gst_paco_output_has_size (
    const GstPacoOutput *output, const PacoHeader *header);

/* GStreamer's own allocator would end the program. Error MEMORY. */
gboolean gst_paco_output_fits_memory (
    const GstPacoOutput *output, guint n, GError **error);

/* Makes the format the decoder's output state; header and coded go before upstream's
 * caps. Does not negotiate. FALSE if there is no such state. */
gboolean gst_paco_output_announce (GstPacoOutput *output,
    GstVideoDecoder *decoder, const PacoHeader *header,
    const GstVideoInfo *coded, GstVideoCodecState *input);

/* Fills in how the samples lie that the backend writes. */
void gst_paco_output_layout (
    const GstPacoOutput *output, PacoSampleLayout *layout);

/* Sets *picture to what the backend writes: the mapped frame or planes, which may be
 * NULL. Clears a buffer that has not held a picture: decoders leave padding alone. */
gboolean gst_paco_output_map (const GstPacoOutput *output, GstPacoCuda *cuda,
    GstBuffer *buffer, const PacoPlanes *planes, GstVideoFrame *frame,
    PacoPicture *picture);

/* Clears a mapped buffer in the host's memory, unless it has held a picture. */
void gst_paco_output_clear (const GstVideoFrame *frame);
void gst_paco_output_written (GstBuffer *buffer);

void gst_paco_output_store (
    const GstPacoOutput *output, PacoPlanes *planes, GstVideoFrame *frame);

void gst_paco_output_post_no_pools (
    const GstPacoOutput *output, GstElement *element);

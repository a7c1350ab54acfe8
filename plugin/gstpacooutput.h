/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacodec decodes into: the raw format that downstream takes, and where in
 * a frame of it the backend writes. */
#pragma once
#include "caps/packed.h"
#include "codec/header.h"
#include <gst/video/gstvideodecoder.h>

G_BEGIN_DECLS

typedef struct
{
  GstVideoInfo info;
  PacoRawFormat raw;
  /* The backend cannot write into frames of it, only into planes. */
  gboolean via_planes;
} GstPacoOutput;

/* Makes the decoder's output state: of what header says, which knows better
 * than input, with coded as the GstVideoInfo of the whole picture; in a format
 * that downstream takes. Does not negotiate. FALSE if there is no such state. */
gboolean gst_paco_output_choose (GstPacoOutput *output,
    GstVideoDecoder *decoder, const PacoHeader *header,
    const GstVideoInfo *coded, guint reduce, GstVideoCodecState *input);

/* Fills in how the samples lie that the backend writes. */
void gst_paco_output_layout (
    const GstPacoOutput *output, PacoSampleLayout *layout);

/* Maps a buffer into *frame and sets *picture to what the backend is to write:
 * the frame or planes, which may be NULL if none are needed. */
gboolean gst_paco_output_map (const GstPacoOutput *output, GstBuffer *buffer,
    const PacoPlanes *planes, GstVideoFrame *frame, PacoPicture *picture);

/* Puts what the backend has left in planes into the frame. */
void gst_paco_output_store (
    const GstPacoOutput *output, PacoPlanes *planes, GstVideoFrame *frame);

G_END_DECLS

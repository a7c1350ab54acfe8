/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts pictures whose samples lie in tiles to planes of 16-bit words and back,
 * for the elements (plugin/coder/gstpacopipe.c). The planes have the format's true depth
 * and subsampling, so the codestream is the same as that of any other format of
 * these samples. */
#pragma once
#include "caps/formats.h"

/* Planes of one picture and room for a line. One thread at a time may use them. */
typedef struct _PacoPlanes PacoPlanes;

/* Each plane has a few lines more than the format says (see paco_fields_fit()). Returns
 * NULL if there is no memory. */
PacoPlanes *paco_planes_new (const PacoPictureFormat *format);
void paco_planes_free (PacoPlanes *planes);

const PacoPicture *paco_planes_picture (const PacoPlanes *planes);

/* Says whether reduced fields fit into a frame of the reduced size. Each field is
 * rounded up for itself, so that there may be more lines of chroma; then the picture,
 * which is the whole one, must be decoded into planes. */
gboolean paco_fields_fit (const PacoPictureFormat *picture, guint reduce);

/* The samples of any such picture lie like this. */
extern const PacoSampleLayout paco_planes_layout;

/* Unpack a frame into the planes, and pack it from them. The frame has the
 * planes' size and components. */
void paco_planes_unpack (PacoPlanes *planes, const GstVideoFrame *frame);
void paco_planes_pack (PacoPlanes *planes, GstVideoFrame *frame);

/* Does the same for a frame that could be written in place, sample by sample: for
 * pictures of which paco_fields_fit() says that they do not fit. */
void paco_planes_store (
    const PacoPlanes *planes, const PacoRawFormat *raw, GstVideoFrame *frame);

/* Does so for the components of a mosaic, as R, G and B of that depth or more bits: each
 * cell becomes a pixel, whose G is the mean of both greens. Changes the planes. */
void paco_planes_store_cells (
    PacoPlanes *planes, const PacoRawFormat *raw, GstVideoFrame *frame);

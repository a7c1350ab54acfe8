/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Converts pictures whose samples lie in tiles to planes of 16-bit words and back,
 * for the elements (plugin/gstpacoframes.c). The planes have the format's true depth
 * and subsampling, so the codestream is the same as that of any other format of
 * these samples. */
#pragma once
#include "caps/formats.h"

G_BEGIN_DECLS

/* Planes of one picture and room for a line; for one thread at a time. */
typedef struct _PacoPlanes PacoPlanes;

/* Every plane has a few lines more than the format says, because fields of
 * reduced pictures may need them (see paco_fields_fit()). NULL when there is
 * no memory for it. */
PacoPlanes *paco_planes_new (const PacoPictureFormat *format);
void paco_planes_free (PacoPlanes *planes);

/* The picture that the backend reads or writes. */
const PacoPicture *paco_planes_picture (const PacoPlanes *planes);

/* A picture of two fields that is reduced by 2^reduce may have more lines of
 * chroma than a picture of its luma size has: each field is rounded up for
 * itself. FALSE if so; then it must be decoded into planes. picture is the
 * whole one. */
gboolean paco_fields_fit (const PacoPictureFormat *picture, guint reduce);

/* Layout of the samples in any such picture. */
extern const PacoSampleLayout paco_planes_layout;

/* The frame has the planes' size and components. */
void paco_planes_unpack (PacoPlanes *planes, const GstVideoFrame *frame);
void paco_planes_pack (PacoPlanes *planes, GstVideoFrame *frame);

/* The same for a frame that could be written in place, sample by sample: for
 * pictures of which paco_fields_fit() says that they do not fit. */
void paco_planes_store (
    const PacoPlanes *planes, const PacoRawFormat *raw, GstVideoFrame *frame);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes a region of a picture, for decoder.c. A frame without the blocks that do
 * not show in the region is decoded like any other, into memory of the decoder's,
 * and the region is copied from there. */
#pragma once
#include "codec/decoder.h"
#include "codec/geometry.h"
#include "codec/index.h"
#include "lib/private.h"

/* Describes the region as a picture. Checks that it lies in the reduced picture
 * and begins where groups of *layouts and subsampled samples begin. */
PacoStatus paco_region_format (const PacoPictureFormat *picture,
    unsigned reduce, const PacoCrop *crop, const PacoSampleLayout *layouts,
    PacoPictureFormat *format, PacoError *error);

/* The second writes *frame without what does not show to `out`, where there is
 * room for paco_region_frame_size(). records has room for all of the geometry's
 * blocks. */
size_t paco_region_frame_size (const PacoCodedFrame *frame);
PacoStatus paco_region_frame (const PacoCodedFrame *frame,
    const PacoGeometry *geometry, unsigned reduce, const PacoCrop *crop,
    PacoBlockRecord *records, uint8_t *out, PacoError *error);

/* Copies the region from the whole picture. Both have the same layouts and share the
 * same memory among components. The last group of a line is copied as a whole. */
void paco_region_copy (const PacoPictureFormat *picture, unsigned reduce,
    const PacoPicture *whole, const PacoCrop *crop,
    const PacoPictureFormat *format, const PacoPicture *destination);

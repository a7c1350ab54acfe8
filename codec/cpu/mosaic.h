/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The color transform of mosaics (codec/mosaic.h). It needs lines above and below, so it
 * is a pass of its own over planes of 16 bits, between the picture and the wavelet, which
 * takes them as a picture. frame.c has a PacoMosaic for each flight. */
#pragma once
#include "codec/cpu/rows.h"
#include "codec/cpu/workers.h"
#include "codec/sample_map.h"

typedef struct
{
  uint16_t *memory;
  /* The planes as a picture, whose samples have PACO_MOSAIC_DEPTH bits. */
  PacoPictureFormat format;
  PacoPicture planes;
  unsigned reduce;
} PacoMosaic;

/* Allocates the planes of a mosaic of which `reduce` levels are left out; false if there
 * is no memory. */
bool paco_mosaic_init (
    PacoMosaic *mosaic, const PacoPictureFormat *format, unsigned reduce);
void paco_mosaic_clear (PacoMosaic *mosaic);

/* Fill the planes from a picture of the format, and write them to one. */
void paco_mosaic_forward (PacoMosaic *mosaic, const PacoRowOps *ops,
    PacoWorkers *workers, const PacoPictureFormat *format,
    const PacoCoding *coding, const PacoSampleMaps *maps,
    const PacoPicture *picture);
void paco_mosaic_inverse (PacoMosaic *mosaic, const PacoRowOps *ops,
    PacoWorkers *workers, const PacoPictureFormat *format,
    const PacoCoding *coding, const PacoSampleMaps *maps,
    const PacoPicture *picture);

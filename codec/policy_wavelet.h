/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which reversible wavelet an RGB picture of 8 bits is coded with when the parameters leave
 * it open (FORMAT.md section 9): 13/7 predicts smooth content better and noise
 * worse than 5/3. A sample of the picture is transformed with both, in integers, so
 * that all encoders decide alike, and by nothing but the picture: frames that were
 * coded apart, in any order, are the same.
 *
 * The encoders of all backends call this. Who has the picture in another memory
 * fetches the bands (gpu/bands.h). */
#pragma once
#include "header.h"
#include "parameters.h"

/* The sample consists of tiles of 32 columns by 8 lines, at most 8 beside and 8
 * below one another. The 8 lines are those of one field. */
#define PACO_TILE_COLUMNS 32
#define PACO_TILE_LINES 8
#define PACO_TILES_ACROSS 8
#define PACO_TILES_DOWN 8

/* The lines that tiles lie in: n bands, of the lines first + k step to first + k
 * step + PACO_TILE_LINES - 1 of field 0. */
typedef struct
{
  uint32_t n, first, step;
} PacoBands;

/* n = 0: the picture is smaller than a tile. */
PacoBands paco_policy_bands (const PacoPictureFormat *picture);

/* Where the samples of the bands are. Of component c, data[c] is the first group of
 * the first line of the first band; bytes from there to the next line of the band,
 * and to the next band, are line[c] and band[c]. Only components 0 to 2 count. */
typedef struct
{
  PacoBands bands;
  const uint8_t *data[3];
  ptrdiff_t line[3], band[3];
  PacoSampleLayout layout[3];
} PacoBandSamples;

/* The bands of a picture in the host's memory, where they are. */
PacoBandSamples paco_policy_band_samples (
    const PacoPictureFormat *format, const PacoPicture *picture);

/* Bits of a sample at most. Deeper RGB gains little, and on a GPU, which it keeps
 * busy longest, would have to wait. */
#define PACO_CHOICE_DEPTH 8

/* Whether pictures may be coded with another wavelet than paco_policy_coding()
 * says, and how: `other` is complete then. That is so of RGB without loss of that
 * depth when the wavelet is PACO_WAVELET_AUTO. */
bool paco_policy_other_wavelet (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *other);

/* Whether a picture is coded with the other one. color_transform: reversible, or
 * none. */
bool paco_policy_takes_other_wavelet (const PacoPictureFormat *picture,
    PacoColorTransform color_transform, const PacoBandSamples *samples);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The sample of a picture by which encoders choose its color transform (policy_fit.h,
 * policy_matrix.h, policy_mosaic.h) and then its wavelet (policy_wavelet.h): its tiles, and
 * how their numbers are loaded (FORMAT.md section 9). Choices depend on the picture alone,
 * so frames that are coded apart, in any order, are the same.
 *
 * The encoders of all backends and the reference use this. If the picture is in a
 * device's memory, gpu/bands.h fetches the lines that are needed. */
#pragma once
#include "header.h"
#include "sample_map.h"

/* Tiles have 32 columns and 8 lines; at most 8 lie beside and 9 below one another.
 * The 8 lines are those of one field. */
#define PACO_TILE_COLUMNS 32
#define PACO_TILE_LINES 8
#define PACO_TILES_ACROSS 8
#define PACO_TILES_DOWN 8
#define PACO_MAX_BANDS (PACO_TILES_DOWN + 1)

/* The lines of component 0 that tiles lie in: n bands, of which band k has the lines from
 * first + k step to first + k step + PACO_TILE_LINES - 1 of field 0. */
typedef struct
{
  uint32_t n, first, step;
} PacoBands;

/* Returns the bands of a picture. n is 0 if the picture is smaller than a tile. */
PacoBands paco_policy_bands (const PacoPictureFormat *picture);

/* Returns the columns of tiles like bands, where paco_policy_bands() says that there are
 * some. */
PacoBands paco_policy_tiles_across (const PacoPictureFormat *picture);

/* Where the samples of the bands lie. data[c] is the first group of component c in the
 * first line of the first band; line[c] is how many bytes lie from there to the next
 * line of the band, and band[c] to the next band. */
typedef struct
{
  PacoBands bands;
  const uint8_t *data[PACO_MAX_COMPONENTS];
  ptrdiff_t line[PACO_MAX_COMPONENTS], band[PACO_MAX_COMPONENTS];
  PacoSampleLayout layout[PACO_MAX_COMPONENTS];
  const PacoSampleMaps *maps; /* of the frame; NULL if none is needed */
} PacoBandSamples;

/* Returns where the bands of a picture in the host's memory lie. */
PacoBandSamples paco_policy_band_samples (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoSampleMaps *maps);

/* A number of each tile of a band, from the left. Where there are fewer tiles the rest is
 * 0. Loops over them become vector instructions. */
typedef uint16_t PacoLanes[PACO_TILES_ACROSS];
typedef PacoLanes PacoTiles[PACO_TILE_LINES][PACO_TILE_COLUMNS];

/* Loads the numbers of component c in the tiles of a band, of every line whose bit is set
 * in `lines`. The level shift is left out. */
#define PACO_ALL_LINES 0xff
void paco_policy_load_tiles (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, unsigned c, uint32_t band, unsigned lines,
    PacoTiles tiles);

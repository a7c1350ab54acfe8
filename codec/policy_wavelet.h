/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the reversible wavelet of an RGB picture of 8 bits when the parameters
 * leave it open (FORMAT.md section 9): 13/7 predicts smooth content better and noise
 * worse than 5/3. Some tiles of the picture are transformed with both, in integers,
 * so that all encoders decide alike. The choice depends on the picture alone, so
 * frames that are coded apart, in any order, are the same.
 *
 * By the same tiles are chosen the weights of a mosaic's color transform
 * (policy_mosaic.h) and, before the wavelet, the color transform of RGB (policy_fit.h).
 *
 * The encoders of all backends and the reference call this. If the picture is in a
 * device's memory, gpu/bands.h fetches the lines that are needed.
 *
 * And chooses the wavelet along a stack (FORMAT.md section 12) by a sample of its slices,
 * for pacoenc (plugin/enc/gstpacoencframes.c). */
#pragma once
#include "header.h"
#include "parameters.h"
#include "sample_map.h"

/* Tiles have 32 columns and 8 lines; at most 8 lie beside and 9 below one another.
 * The 8 lines are those of one field. */
#define PACO_TILE_COLUMNS 32
#define PACO_TILE_LINES 8
#define PACO_TILES_ACROSS 8
#define PACO_TILES_DOWN 8

/* The lines of component 0 that tiles lie in: n bands, of which band k has the lines from
 * first + k step to first + k step + PACO_TILE_LINES - 1 of field 0. */
typedef struct
{
  uint32_t n, first, step;
} PacoBands;

/* Returns the bands of a picture. n is 0 if the picture is smaller than a tile. */
PacoBands paco_policy_bands (const PacoPictureFormat *picture);

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

/* Returns the columns of tiles like bands, where paco_policy_bands() says that there are
 * some. */
PacoBands paco_policy_tiles_across (const PacoPictureFormat *picture);

typedef int32_t PacoTile[PACO_TILE_LINES][PACO_TILE_COLUMNS];

/* Loads the numbers of component c, of `depth` bits, in the tile of a band whose first
 * column is given. The level shift is left out. */
void paco_policy_load_tile (const PacoBandSamples *samples, unsigned c,
    unsigned depth, uint32_t band, uint32_t column, PacoTile tile);

/* Returns where the bands of a picture in the host's memory lie. */
PacoBandSamples paco_policy_band_samples (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoSampleMaps *maps);

/* How many bits a sample may have. Deeper RGB gains little by the choice. */
#define PACO_CHOICE_DEPTH 8

/* Says whether pictures may be coded with another wavelet than paco_policy_coding()
 * says; then `other` is set to that coding. This holds for lossless RGB of at most
 * PACO_CHOICE_DEPTH bits when the wavelet is PACO_WAVELET_AUTO. */
bool paco_policy_other_wavelet (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *other);

/* Says whether a picture is coded with the other wavelet. Its color transform, that of
 * *coding, is a reversible one, or none. */
bool paco_policy_takes_other_wavelet (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoBandSamples *samples);

/* --- stacks --- */

/* Returns how many samples of memory the choice needs to work in, for a stack of
 * `length` slices of this size. */
size_t paco_policy_stack_work (
    unsigned length, uint32_t width, uint32_t height);

/* Returns *plan, which is that of paco_stack_plan(), with the wavelet and the number of
 * levels that take the fewest bits. slices[i] points to width * height samples of slice
 * i, as paco_slice_load() has made them. work has room for paco_policy_stack_work()
 * samples. */
PacoSlice paco_policy_stack (const PacoSlice *plan,
    const PacoParameters *parameters, uint16_t *const *slices, uint32_t width,
    uint32_t height, uint16_t *work);

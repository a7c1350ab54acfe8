/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds and loads the tiles of a picture (policy_tiles.h). */
#include "policy_tiles.h"
#include <string.h>

#define INLINE static inline __attribute__ ((always_inline))

enum
{
  COLUMNS = PACO_TILE_COLUMNS,
  LINES = PACO_TILE_LINES,
};

/* Spreads at most n_most pieces of this size over `size` at equal distances, with about
 * as much before the first one as after the last. They begin with even samples, as the
 * picture does, because in chroma that was interpolated even and odd ones differ. */
static PacoBands
spread (uint32_t size, uint32_t piece, uint32_t n_most)
{
  PacoBands pieces = { .step = MAX (size / n_most, piece) & ~1u };

  if (size < piece)
    return (PacoBands){ 0 };
  pieces.first = (pieces.step - piece) / 2 & ~1u;
  pieces.n = (size - piece - pieces.first) / pieces.step + 1;
  return pieces;
}

PacoBands
paco_policy_tiles_across (const PacoPictureFormat *picture)
{
  return spread (paco_component_width (picture, 0), COLUMNS, PACO_TILES_ACROSS);
}

PacoBands
paco_policy_bands (const PacoPictureFormat *picture)
{
  uint32_t lines = paco_ceil_shift (
      paco_component_height (picture, 0), picture->fields);

  if (paco_policy_tiles_across (picture).n == 0)
    return (PacoBands){ 0 };
  return spread (lines, LINES, PACO_TILES_DOWN);
}

PacoBandSamples
paco_policy_band_samples (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoSampleMaps *maps)
{
  PacoBandSamples samples = { .bands = paco_policy_bands (format),
    .maps = maps };

  for (unsigned c = 0; c < format->n_components; c++) {
    samples.line[c] = picture->stride[c] * (ptrdiff_t) paco_n_fields (format);
    samples.band[c] = samples.line[c] * (ptrdiff_t) samples.bands.step;
    samples.data[c] = picture->data[c]
        + samples.line[c] * (ptrdiff_t) samples.bands.first;
    samples.layout[c] = picture->layout[c];
  }
  return samples;
}

/* --- loading --- */

/* Where the words of a line are that have the samples of a tile. */
typedef struct
{
  size_t offset[COLUMNS];
  uint8_t shift[COLUMNS];
} Words;

static void
find_words (const PacoSampleLayout *layout, uint32_t column, Words *words)
{
  size_t group = (size_t) (column / layout->group_samples)
      * layout->group_bytes;
  unsigned place = column % layout->group_samples;

  for (unsigned x = 0; x < COLUMNS; x++) {
    words->offset[x] = group + layout->places[place].byte;
    words->shift[x] = layout->places[place].shift;
    if (++place == layout->group_samples) {
      place = 0;
      group += layout->group_bytes;
    }
  }
}

/* Returns the word at byte `at` of a line. */
INLINE uint32_t
read_word (
    const uint8_t *line, size_t at, unsigned bytes, bool big_endian, bool swap)
{
  uint32_t word = 0;

  for (unsigned i = 0; i < bytes; i++)
    word |= (uint32_t) line[swap ? (at + i) ^ 3 : at + i]
        << 8 * (big_endian ? bytes - 1 - i : i);
  return word;
}

/* Returns the sample of a line of MIPI CSI-2 that begins `shift` bits after byte `at` of the
 * groups as strings. */
INLINE uint32_t
read_csi2_sample (
    const uint8_t *line, size_t at, unsigned shift, unsigned group_bytes)
{
  unsigned byte = at % group_bytes, low = PACO_CSI2_LOW_BITS (group_bytes);
  unsigned i = (8 * byte + shift) / PACO_CSI2_DEPTH (group_bytes);
  const uint8_t *group = line + at - byte;

  return (uint32_t) group[i] << low
      | (group[group_bytes - 1] >> low * i & ((1u << low) - 1));
}

/* Loads a line of one tile. */
static void
load_line (const uint8_t *line, const PacoSampleLayout *layout,
    const Words *words, uint32_t mask, unsigned tile, PacoLanes *lanes)
{
  for (unsigned x = 0; x < COLUMNS; x++) {
    size_t at = words->offset[x];
    unsigned shift = words->shift[x];
    uint32_t sample;

    if (!layout->csi2)
      sample = read_word (line, at, layout->word_bytes, layout->big_endian,
                   layout->swap_words)
          >> shift;
    else if (layout->group_bytes == 5)
      sample = read_csi2_sample (line, at, shift, 5);
    else
      sample = read_csi2_sample (line, at, shift, 3);
    lanes[x][tile] = (uint16_t) (sample & mask);
  }
}

/* Loads a line of as many tiles as there can be. Words begin with their samples, and lie
 * `next` bytes apart; tiles are `step` bytes apart. */
INLINE void
load_words (const uint8_t *line, size_t next, size_t step, uint32_t mask,
    unsigned bytes, bool big_endian, PacoLanes *lanes)
{
  for (unsigned x = 0; x < COLUMNS; x++, line += next)
    for (unsigned j = 0; j < PACO_TILES_ACROSS; j++)
      lanes[x][j] = (uint16_t) (read_word (
                                    line, j * step, bytes, big_endian, false)
          & mask);
}

static void
map_line (const PacoSampleMap *map, unsigned n_tiles, PacoLanes *lanes)
{
  for (unsigned x = 0; x < COLUMNS; x++)
    for (unsigned j = 0; j < n_tiles; j++)
      lanes[x][j] = map->forward[lanes[x][j]];
}

/* Loads a line of all tiles where load_words() can do it, else returns false. */
static bool
load_tiles_at_once (const uint8_t *line, const PacoSampleLayout *layout,
    const PacoBands *across, uint32_t mask, PacoLanes *lanes)
{
  size_t next = layout->group_bytes, step = next * across->step;

  if (across->n < PACO_TILES_ACROSS || layout->group_samples > 1
      || layout->places[0].shift > 0 || layout->swap_words || layout->csi2
      || layout->word_bytes > 2)
    return false;
  line += next * across->first + layout->places[0].byte;
  if (layout->word_bytes == 1)
    load_words (line, next, step, mask, 1, false, lanes);
  else if (layout->big_endian)
    load_words (line, next, step, mask, 2, true, lanes);
  else
    load_words (line, next, step, mask, 2, false, lanes);
  return true;
}

void
paco_policy_load_tiles (const PacoPictureFormat *picture,
    const PacoBandSamples *samples, unsigned c, uint32_t band, unsigned lines,
    PacoTiles tiles)
{
  const PacoBands across = paco_policy_tiles_across (picture);
  const PacoSampleLayout *layout = &samples->layout[c];
  const uint8_t *line = samples->data[c] + samples->band[c] * (ptrdiff_t) band;
  const PacoSampleMap *map = samples->maps ? samples->maps->of[c] : NULL;
  uint32_t mask = (1u << picture->components[c].depth) - 1;
  Words words[PACO_TILES_ACROSS];
  bool has_words = false;

  if (across.n < PACO_TILES_ACROSS)
    memset (tiles, 0, sizeof (PacoTiles));
  for (unsigned y = 0; y < LINES; y++, line += samples->line[c]) {
    if (!(lines >> y & 1))
      continue;
    if (!load_tiles_at_once (line, layout, &across, mask, tiles[y])) {
      for (unsigned j = 0; j < across.n && !has_words; j++)
        find_words (layout, across.first + j * across.step, &words[j]);
      has_words = true;
      for (unsigned j = 0; j < across.n; j++)
        load_line (line, layout, &words[j], mask, j, tiles[y]);
    }
    if (map)
      map_line (map, across.n, tiles[y]);
  }
}

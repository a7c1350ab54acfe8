/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the wavelet of lossless RGB (policy_wavelet.h): it transforms tiles of a
 * picture with both reversible wavelets and compares the magnitudes of the
 * coefficients. codec/NOTES.md says how many bits that saves. And chooses that of a stack:
 * each wavelet with each number of levels, and none, are tried on some lines of the
 * slices. How many bits a slice takes is estimated from what is left of its samples when
 * each is predicted from its neighbors. */
#include "policy_wavelet.h"
#include "fit.h"
#include "policy.h"
#include <math.h>
#include <string.h>

enum
{
  COLUMNS = PACO_TILE_COLUMNS,
  LINES = PACO_TILE_LINES,
  N_COMPONENTS = 3,
  N_SUBBANDS = 3, /* that are not LL */
};

/* --- Where the tiles are --- */

/* Spreads at most n_most pieces of this size over `size` at equal distances, with about
 * as much before the first one as behind the last. They begin with even samples, as the
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

/* --- A tile --- */

typedef int32_t Turned[COLUMNS][LINES];

/* The word that begins at byte `at` of a line. */
static uint32_t
read_word (const uint8_t *line, size_t at, const PacoSampleLayout *layout)
{
  const uint8_t *data = line + at;
  uint8_t swapped[4];
  uint16_t half;
  uint32_t word;

  if (layout->swap_words) {
    for (unsigned i = 0; i < layout->word_bytes; i++)
      swapped[i] = line[paco_layout_byte (layout, at + i)];
    data = swapped;
  } else if (layout->csi2) {
    memset (swapped, 0, sizeof swapped);
    for (unsigned i = 0; i < 8u * layout->word_bytes; i++) {
      size_t bit = paco_layout_csi2_bit (layout, 8 * at + i);

      swapped[i / 8] |= (uint8_t) ((line[bit / 8] >> bit % 8 & 1) << i % 8);
    }
    data = swapped;
  }
  if (layout->word_bytes == 1)
    return *data;
  if (layout->word_bytes == 2) {
    memcpy (&half, data, sizeof half);
    return layout->big_endian ? GUINT16_FROM_BE (half) : GUINT16_FROM_LE (half);
  }
  memcpy (&word, data, sizeof word);
  return layout->big_endian ? GUINT32_FROM_BE (word) : GUINT32_FROM_LE (word);
}

void
paco_policy_load_tile (const PacoBandSamples *samples, unsigned c,
    unsigned depth, uint32_t band, uint32_t column, PacoTile tile)
{
  const PacoSampleLayout *layout = &samples->layout[c];
  const uint8_t *line = samples->data[c] + samples->band[c] * (ptrdiff_t) band;
  int32_t mask = (1 << depth) - 1;
  size_t offset[COLUMNS];
  uint8_t shift[COLUMNS];

  for (unsigned x = 0; x < COLUMNS; x++) {
    offset[x] = paco_layout_offset (layout, column + x);
    shift[x] = layout->places[(column + x) % layout->group_samples].shift;
  }
  for (unsigned y = 0; y < LINES; y++, line += samples->line[c])
    for (unsigned x = 0; x < COLUMNS; x++)
      tile[y][x] = (int32_t) (read_word (line, offset[x], layout) >> shift[x])
          & mask;
  if (samples->maps && samples->maps->of[c])
    for (unsigned y = 0; y < LINES; y++)
      for (unsigned x = 0; x < COLUMNS; x++)
        tile[y][x] = samples->maps->of[c]->forward[tile[y][x]];
}

/* half: the level shift, which is left out, but counts where weights are not 1 together. */
static void
transform_colors (
    const PacoCoding *coding, int32_t half, PacoTile tiles[N_COMPONENTS])
{
  PacoFit fit = coding->color_transform == PACO_COLOR_TRANSFORM_FIT
      ? paco_fit (coding->parameters)
      : (PacoFit) PACO_FIT_USUAL;
  const int32_t *first = tiles[fit.a][0], *second = tiles[fit.b][0];
  const int32_t *last = tiles[fit.c][0];
  int32_t *luma = tiles[0][0], *rest = tiles[1][0], *difference = tiles[2][0];

  if (coding->color_transform == PACO_COLOR_TRANSFORM_NONE)
    return;
  for (unsigned i = 0; i < LINES * COLUMNS; i++) {
    int32_t b = second[i], c = last[i], v = first[i] - b, mean = b + (v >> 1);
    int32_t u = c - mean, y = mean + (u >> 2);

    if (coding->color_transform == PACO_COLOR_TRANSFORM_RCT) {
      u = c - b;
      y = b + ((u + v) >> 2);
    } else if (coding->color_transform == PACO_COLOR_TRANSFORM_FIT) {
      y = fit.mean ? mean : b;
      u = c - b - ((fit.x * v - fit.y * (b - half)) >> 3);
    }
    luma[i] = y;
    rest[i] = u;
    difference[i] = v;
  }
}

/* Does a lifting step with n rows of m numbers, all columns at once; x[first] is the
 * first row that it changes. All arguments but x are compile-time constants. */
static inline __attribute__ ((always_inline)) void
lift_step (const PacoLiftingStep *step, unsigned first, unsigned n, unsigned m,
    int32_t *restrict x)
{
  int32_t near = (int32_t) step->taps[0], far = (int32_t) step->taps[1];

  for (unsigned i = first; i < n; i += 2) {
    const int32_t *a = x + m * paco_lifting_mirror ((int) i - 1, n);
    const int32_t *b = x + m * paco_lifting_mirror ((int) i + 1, n);
    const int32_t *c = x + m * paco_lifting_mirror ((int) i - 3, n);
    const int32_t *d = x + m * paco_lifting_mirror ((int) i + 3, n);

    for (unsigned j = 0; j < m; j++) {
      int32_t sum = near * (a[j] + b[j]) + step->offset;

      if (step->n_taps > 1)
        sum += far * (c[j] + d[j]);
      x[i * m + j] += sum >> step->shift;
    }
  }
}

static inline __attribute__ ((always_inline)) void
lift (const PacoWavelet *wavelet, unsigned n, unsigned m, int32_t *x)
{
  lift_step (&wavelet->steps[0], 1, n, m, x);
  lift_step (&wavelet->steps[1], 0, n, m, x);
}

/* Adds the magnitudes of a tile to the sums of HL, LH and HH. */
static inline __attribute__ ((always_inline)) void
add_magnitudes (
    const PacoWavelet *wavelet, const PacoTile tile, uint64_t sums[N_SUBBANDS])
{
  PacoTile lines;
  Turned columns;
  uint32_t of_line[2][LINES] = { { 0 } }; /* [high horizontally] */

  memcpy (lines, tile, sizeof lines);
  lift (wavelet, LINES, COLUMNS, lines[0]);
  for (unsigned y = 0; y < LINES; y++)
    for (unsigned x = 0; x < COLUMNS; x++)
      columns[x][y] = lines[y][x];
  lift (wavelet, COLUMNS, LINES, columns[0]);
  for (unsigned x = 0; x < COLUMNS; x++)
    for (unsigned y = 0; y < LINES; y++)
      of_line[x % 2][y] += (uint32_t) ABS (columns[x][y]);
  for (unsigned y = 0; y < LINES; y += 2) {
    sums[0] += of_line[1][y];
    sums[1] += of_line[0][y + 1];
    sums[2] += of_line[1][y + 1];
  }
}

static void
add_tile (
    PacoTile tiles[N_COMPONENTS], uint64_t sums[2][N_COMPONENTS][N_SUBBANDS])
{
  for (unsigned c = 0; c < N_COMPONENTS; c++) {
    add_magnitudes (&paco_wavelets[PACO_WAVELET_CDF53], tiles[c], sums[0][c]);
    add_magnitudes (&paco_wavelets[PACO_WAVELET_DD137], tiles[c], sums[1][c]);
  }
}

/* --- The choice --- */

/* A coefficient takes about log (1 + m) bits, m being the mean magnitude of its
 * subband. The logarithms of two numbers a and b that are nearly the same differ by
 * about 2 (b - a) / (b + a). All subbands of level 1 have as many coefficients, so
 * these differences are added up. */
bool
paco_policy_takes_other_wavelet (const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoBandSamples *samples)
{
  PacoBands across = paco_policy_tiles_across (picture);
  uint64_t sums[2][N_COMPONENTS][N_SUBBANDS] = { { { 0 } } };
  int64_t n = (int64_t) across.n * samples->bands.n * COLUMNS * LINES / 4;
  int64_t total = 0;
  PacoTile tiles[N_COMPONENTS];

  for (uint32_t k = 0; k < samples->bands.n; k++)
    for (uint32_t i = 0; i < across.n; i++) {
      for (unsigned c = 0; c < N_COMPONENTS; c++)
        paco_policy_load_tile (samples, c, picture->components[c].depth, k,
            across.first + i * across.step, tiles[c]);
      transform_colors (coding, 1 << (picture->components[0].depth - 1), tiles);
      add_tile (tiles, sums);
    }
  for (unsigned c = 0; n > 0 && c < N_COMPONENTS; c++)
    for (unsigned s = 0; s < N_SUBBANDS; s++) {
      int64_t of_53 = (int64_t) sums[0][c][s], of_137 = (int64_t) sums[1][c][s];

      total += (of_137 - of_53) * 65536 / (of_137 + of_53 + n);
    }
  return total < 0;
}

bool
paco_policy_other_wavelet (const PacoPictureFormat *picture,
    const PacoParameters *parameters, PacoCoding *other)
{
  PacoParameters with_other = *parameters;

  with_other.wavelet = PACO_WAVELET_DD137;
  if (parameters->rate_control != PACO_RATE_LOSSLESS
      || parameters->wavelet != PACO_WAVELET_AUTO || !parameters->rgb
      || picture->n_components < N_COMPONENTS)
    return false;
  for (unsigned c = 0; c < N_COMPONENTS; c++)
    if (picture->components[c].depth > PACO_CHOICE_DEPTH
        || picture->components[c].subsampling_x
        || picture->components[c].subsampling_y)
      return false;
  return paco_policy_bands (picture).n > 0
      && paco_policy_coding (picture, &with_other, other, NULL);
}

/* --- the wavelet along a stack --- */

#define PAIRS 32 /* how many pairs of lines of a slice are looked at, at most */

/* Costs, and the numbers whose logarithms they are, are in 1/16. */
#define UNIT 16

/* The lines that are looked at. Each slice has `pairs` pairs of lines, of which the
 * second line is predicted from the first. */
typedef struct
{
  uint32_t width, pairs;
  uint16_t *lines[PACO_MAX_STACK];
} Sample;

/* Returns about 16 log2 (n / 16), by straight lines between powers of 2. n is at least
 * 16. */
static inline uint32_t
logarithm (uint32_t n)
{
  unsigned top = 31 - (unsigned) __builtin_clz (n);

  return UNIT * (top - 4) + (n >> (top - 4)) - UNIT;
}

/* Returns what a sample costs that differs by `left` from its prediction, modulo 2^16.
 * scale: 2^16 times 16, divided by the step of the quantiser. */
static inline uint32_t
cost_of (uint16_t left, uint32_t scale)
{
  int16_t value = (int16_t) left;
  uint32_t magnitude = (uint32_t) (value < 0 ? -value : value);

  return logarithm (UNIT + (uint32_t) ((uint64_t) magnitude * scale >> 16));
}

/* Returns what slice i costs: bits, in 1/16. */
static uint64_t
cost_of_slice (const Sample *sample, unsigned i, uint32_t scale)
{
  uint64_t cost = 0;

  for (uint32_t p = 0; p < sample->pairs; p++) {
    const uint16_t *above = sample->lines[i] + (size_t) 2 * p * sample->width;
    const uint16_t *line = above + sample->width;

    for (uint32_t x = 1; x < sample->width; x++)
      cost += cost_of (
          (uint16_t) (line[x] - line[x - 1] - above[x] + above[x - 1]), scale);
  }
  return cost;
}

/* Returns the step of the quantiser, in units of the samples that the wavelet gets. It
 * is 1 without loss. */
static double
step (const PacoSlice *plan, const PacoParameters *parameters)
{
  if (parameters->rate_control == PACO_RATE_LOSSLESS)
    return 1.0;
  return MAX (ldexp (paco_policy_base_step (parameters), plan->bits - 8), 1.0);
}

static uint32_t
n_pairs (uint32_t height)
{
  return MIN (height / 2, PAIRS);
}

size_t
paco_policy_stack_work (unsigned length, uint32_t width, uint32_t height)
{
  return (size_t) length * 2 * n_pairs (height) * width;
}

/* Copies lines at equal distances to `work`. */
static Sample
take_sample (const PacoSlice *plan, uint16_t *const *slices, uint32_t width,
    uint32_t height, uint16_t *work)
{
  Sample sample = { .width = width, .pairs = n_pairs (height) };
  size_t size = (size_t) 2 * sample.pairs * width;

  for (unsigned i = 0; i < plan->length; i++) {
    sample.lines[i] = work + i * size;
    for (uint32_t p = 0; p < sample.pairs; p++)
      memcpy (sample.lines[i] + (size_t) 2 * p * width,
          slices[i] + (size_t) ((uint64_t) p * height / sample.pairs) * width,
          (size_t) 2 * width * sizeof *work);
  }
  return sample;
}

/* Applies a wavelet to the sample. Returns what the sample costs then. */
static uint64_t
try (const PacoSlice *plan, const PacoParameters *parameters,
    const Sample *sample)
{
  const double of_one = ldexp (1.0, PACO_SLICE_DEPTH - plan->bits);
  PacoSlice slice = *plan;
  uint64_t cost = 0;

  paco_stack_forward (
      plan, sample->lines, (size_t) 2 * sample->pairs * sample->width);
  for (; slice.position < slice.length; slice.position++) {
    double scale = UNIT / step (plan, parameters);

    if (parameters->rate_control != PACO_RATE_LOSSLESS)
      scale *= paco_slice_weight (&slice) / of_one;
    cost += cost_of_slice (
        sample, slice.position, (uint32_t) ldexp (scale, 16));
  }
  return cost;
}

PacoSlice
paco_policy_stack (const PacoSlice *plan, const PacoParameters *parameters,
    uint16_t *const *slices, uint32_t width, uint32_t height, uint16_t *work)
{
  static const uint8_t wavelets[] = { PACO_STACK_HAAR, PACO_STACK_CDF53 };
  PacoSlice slice = *plan, best;
  unsigned levels = slice.levels;
  uint64_t least, cost;
  Sample sample;

  slice.position = slice.levels = 0;
  best = slice;
  if (levels == 0 || paco_policy_stack_work (1, width, height) == 0)
    return best;
  sample = take_sample (plan, slices, width, height, work);
  least = try (&slice, parameters, &sample);
  for (unsigned w = 0; w < G_N_ELEMENTS (wavelets); w++) {
    slice.wavelet = wavelets[w];
    for (slice.levels = 1; slice.levels <= levels; slice.levels++) {
      cost = try (&slice, parameters, &sample);
      paco_stack_inverse (
          &slice, sample.lines, (size_t) 2 * sample.pairs * width);
      if (cost < least) {
        least = cost;
        best = slice;
      }
    }
  }
  return best;
}

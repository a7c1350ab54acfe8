/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Counts symbols for train.c (count.h). It is the model of the block coder
 * (FORMAT.md sections 7.3 to 7.5) with one scan a plane, as far as it says which
 * symbols there are in which rows and contexts. A visit of the 32 lanes is one pass
 * through the left or the right columns of a line. Transform and quantizer are the
 * reference's. */
#include "codec/tables/count.h"
#include "codec/density.h"
#include "codec/policy_set.h"
#include "codec/quantizer.h"
#include <stdlib.h>
#include <string.h>

/* Contexts depend on coefficients two lines and columns away. In this margin none is
 * ever significant. */
#define MARGIN 2
#define STRIDE (PACO_BLOCK_WIDTH + 2 * MARGIN)
#define LINES (PACO_MAX_BLOCK_HEIGHT + 2 * MARGIN)
#define MAX_STRIPES (PACO_MAX_BLOCK_HEIGHT / PACO_STRIPE_LINES)
#define N_PLACES (PACO_N_ROWS * PACO_N_CONTEXTS)

typedef struct
{
  unsigned width, height, orientation;
  int32_t indices[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];
  PacoBlockRecord record;
  /* With a margin: what is significant, was so when the plane began, and signs
   * that were coded. */
  uint8_t significant[LINES * STRIDE], old[LINES * STRIDE];
  int8_t signs[LINES * STRIDE];
  unsigned plane_row, block_density;
  uint8_t local_density[MAX_STRIPES][PACO_LANES];
  /* The stripes are 1 to n; those before and behind never wake. */
  bool awake[MAX_STRIPES + 2];
  uint32_t raw_bits;
  uint32_t counts[N_PLACES][2];
  uint16_t places[N_PLACES]; /* where counts is not zero */
  unsigned n_places;
} Counter;

static void
count_symbol (Counter *counter, unsigned row, unsigned context, bool bit)
{
  unsigned place = row * PACO_N_CONTEXTS + context;

  if (counter->counts[place][0] + counter->counts[place][1] == 0)
    counter->places[counter->n_places++] = (uint16_t) place;
  counter->counts[place][bit]++;
}

static unsigned
place_of (unsigned x, unsigned y)
{
  return (y + MARGIN) * STRIDE + x + MARGIN;
}

static uint32_t
magnitude (const Counter *counter, unsigned x, unsigned y)
{
  return (uint32_t) abs (counter->indices[y * counter->width + x]);
}

static bool
bit_of (const Counter *counter, unsigned x, unsigned y, unsigned plane)
{
  return (magnitude (counter, x, y) >> plane) & 1;
}

static unsigned
n_stripes (const Counter *counter)
{
  return (counter->height + PACO_STRIPE_LINES - 1) / PACO_STRIPE_LINES;
}

/* --- The beginning of a plane --- */

static void
find_local_densities (Counter *counter, unsigned of_block)
{
  uint8_t u[MAX_STRIPES + 2][PACO_LANES] = { { 0 } };
  unsigned n = n_stripes (counter), n_lanes = (counter->width + 1) / 2;

  for (unsigned y = 0; y < counter->height; y++)
    for (unsigned x = 0; x < counter->width; x++)
      u[y / PACO_STRIPE_LINES + 1][x / 2] += counter->old[place_of (x, y)];
  memcpy (u[0], u[1], sizeof u[0]);
  memcpy (u[n + 1], u[n], sizeof u[0]);
  for (unsigned g = 0; g < n; g++) {
    unsigned w[PACO_LANES];

    for (unsigned t = 0; t < n_lanes; t++)
      w[t] = u[g][t] + 2u * u[g + 1][t] + u[g + 2][t];
    for (unsigned t = 0; t < n_lanes; t++)
      counter->local_density[g][t] = (uint8_t) paco_local_density_class (
          w[t > 0 ? t - 1 : t] + w[t] + w[t + 1 < n_lanes ? t + 1 : t]
          + of_block);
  }
}

static void
begin_plane (Counter *counter, unsigned plane)
{
  uint32_t n = counter->width * counter->height, n_significant = 0;

  memcpy (counter->old, counter->significant, sizeof counter->old);
  for (unsigned i = 0; i < LINES * STRIDE; i++)
    n_significant += counter->old[i];
  counter->plane_row = PACO_PLANE_ROW (counter->orientation, plane);
  counter->block_density = paco_density_class (n_significant, n);
  memset (counter->local_density, 0, sizeof counter->local_density);
  if (n_significant > 0)
    find_local_densities (counter, paco_density_of_block (n_significant, n));
}

static void
count_waking_stripes (Counter *counter, unsigned plane)
{
  bool before[MAX_STRIPES + 2];
  unsigned row = counter->plane_row + counter->block_density;

  memcpy (before, counter->awake, sizeof before);
  for (unsigned g = 0; g < n_stripes (counter); g++) {
    unsigned top = g * PACO_STRIPE_LINES;

    if (before[g + 1])
      continue;
    for (unsigned y = top; y < top + PACO_STRIPE_LINES && y < counter->height;
         y++)
      for (unsigned x = 0; x < counter->width; x++)
        counter->awake[g + 1] |= bit_of (counter, x, y, plane);
    count_symbol (counter, row, PACO_WAKE_CONTEXT + before[g] + before[g + 2],
        counter->awake[g + 1]);
  }
}

/* --- Scan and signs --- */

static unsigned
context_of (const Counter *counter, unsigned place)
{
  static const uint8_t weights[4][6] = PACO_NEIGHBOR_WEIGHTS;
  const uint8_t *weight = weights[counter->orientation];
  const uint8_t *s = &counter->significant[place];
  const uint8_t *above = s - STRIDE, *below = s + STRIDE;
  const uint8_t *above_2 = above - STRIDE, *below_2 = below + STRIDE;

  return weight[0] * (s[-1] + s[1]) + weight[1] * (above[0] + below[0])
      + weight[2] * (above[-1] + above[1] + below[-1] + below[1])
      + weight[3] * (s[-2] + s[2]) + weight[4] * (above_2[0] + below_2[0])
      + weight[5]
      * (above[-2] + above[2] + below[-2] + below[2] + above_2[-1] + above_2[1]
          + below_2[-1] + below_2[1]);
}

static void
count_visit (Counter *counter, unsigned side, unsigned y, unsigned plane)
{
  const uint8_t *density = counter->local_density[y / PACO_STRIPE_LINES];

  for (unsigned x = side; x < counter->width; x += 2) {
    unsigned context = context_of (counter, place_of (x, y));

    if (counter->old[place_of (x, y)])
      context = PACO_REFINEMENT_CONTEXT + (context >> PACO_REFINEMENT_SHIFT);
    count_symbol (counter, counter->plane_row + density[x / 2], context,
        bit_of (counter, x, y, plane));
  }
  for (unsigned x = side; x < counter->width; x += 2)
    counter->significant[place_of (x, y)] |= bit_of (counter, x, y, plane);
}

static int
sign_of (int value)
{
  return (value > 0) - (value < 0);
}

static void
count_sign (Counter *counter, unsigned x, unsigned y)
{
  int8_t *s = &counter->signs[place_of (x, y)];
  int h = sign_of (s[-1] + s[1]), v = sign_of (s[-STRIDE] + s[STRIDE]);
  bool negative = counter->indices[y * counter->width + x] < 0, inverted;
  unsigned context;

  if (counter->orientation == PACO_ORIENTATION_HL) {
    int swap = h;

    h = v;
    v = swap;
  }
  inverted = h < 0 || (h == 0 && v < 0);
  v = inverted ? -v : v;
  context = h != 0 ? (v > 0 ? 0 : v == 0 ? 1 : 2) : (v > 0 ? 3 : 4);
  count_symbol (counter, counter->plane_row + counter->block_density,
      PACO_SIGN_CONTEXT + context, negative != inverted);
  *s = negative ? -1 : 1;
}

/* Each lane visits its coefficients from the top, and the columns beside them are not
 * visited with them. So signs can be counted in the order of lines. */
static void
count_signs (Counter *counter, unsigned plane)
{
  const PacoBlockRecord *record = &counter->record;
  bool last = plane == record->dropped_planes && record->raw_planes == 0;

  for (unsigned side = 0; side < 2; side++) {
    bool raw = last && (side == 1 || record->raw_left_signs);

    for (unsigned y = 0; y < counter->height; y++) {
      for (unsigned x = side; x < counter->width; x += 2) {
        unsigned place = place_of (x, y);

        if (!counter->significant[place] || counter->old[place])
          continue;
        if (raw)
          counter->raw_bits++;
        else
          count_sign (counter, x, y);
      }
    }
  }
}

/* --- Blocks --- */

static void
count_planes (Counter *counter)
{
  const PacoBlockRecord *record = &counter->record;
  unsigned lowest = record->dropped_planes + record->raw_planes;
  unsigned n = counter->width * counter->height;

  memset (counter->significant, 0, sizeof counter->significant);
  memset (counter->signs, 0, sizeof counter->signs);
  memset (counter->awake, 0, sizeof counter->awake);
  counter->raw_bits = n * record->raw_planes;
  for (unsigned plane = record->planes; plane-- > lowest;) {
    begin_plane (counter, plane);
    count_waking_stripes (counter, plane);
    for (unsigned y = 0; y < counter->height; y++)
      for (unsigned side = 0; side < 2; side++)
        if (counter->awake[y / PACO_STRIPE_LINES + 1])
          count_visit (counter, side, y, plane);
    count_signs (counter, plane);
  }
  /* Raw signs of what is significant in raw planes only. */
  for (unsigned i = 0; i < n; i++) {
    uint32_t stored = (uint32_t) abs (counter->indices[i])
        >> record->dropped_planes;

    counter->raw_bits += stored > 0 && stored >> record->raw_planes == 0;
  }
}

/* Moves what was counted into the block. */
static void
take_counts (Counter *counter, CountedBlock *block)
{
  block->raw_bits = counter->raw_bits;
  block->n_counts = counter->n_places;
  block->counts = g_new (SymbolCount, counter->n_places);
  for (unsigned i = 0; i < counter->n_places; i++) {
    uint32_t *n = counter->counts[counter->places[i]];

    block->counts[i] = (SymbolCount){ .place = counter->places[i],
      .n = { (uint16_t) n[0], (uint16_t) n[1] } };
    n[0] = n[1] = 0;
  }
  counter->n_places = 0;
}

/* --- Pictures --- */

typedef struct
{
  const PacoPictureFormat *format;
  const PacoParameters *parameters;
  PacoCoding coding;
  PacoGeometry *geometry;
  PacoReferencePlane planes[2][PACO_MAX_COMPONENTS];
} Frame;

static gboolean
transform (Frame *frame, const PacoPicture *picture, GError **error)
{
  unsigned n = frame->format->n_components;

  for (unsigned f = 0; f < frame->geometry->n_fields; f++) {
    PacoReferencePlane *planes = frame->planes[f];

    for (unsigned c = 0; c < n; c++) {
      if (!paco_reference_plane_init (&planes[c],
              frame->geometry->resolution[f][c][0].width,
              frame->geometry->resolution[f][c][0].height)) {
        g_set_error_literal (
            error, PACO_ERROR, PACO_ERROR_MEMORY, "not enough memory");
        return FALSE;
      }
      paco_reference_load_samples (frame->format, picture, f, c, &planes[c]);
    }
    paco_reference_forward_color (planes, n, &frame->coding);
    for (unsigned c = 0; c < n; c++)
      paco_reference_forward_dwt (&planes[c], frame->coding.levels,
          frame->coding.components[c].wavelet);
  }
  return TRUE;
}

static void
quantize (const Frame *frame, uint32_t i, Counter *counter)
{
  const PacoCodeblock *codeblock = &frame->geometry->blocks[i];
  const PacoSubband *subband = &frame->geometry->subbands[codeblock->subband];
  unsigned c = subband->component, entry = subband->entry;
  unsigned fraction_bits = frame->coding.subbands[c][entry].fraction_bits;
  float step = paco_step_decode (frame->coding.subbands[c][entry].step);
  const PacoReferencePlane *plane = &frame->planes[subband->field][c];
  uint32_t left, top;

  paco_reference_subband_origin (frame->geometry, subband, &left, &top);
  counter->width = codeblock->width;
  counter->height = codeblock->height;
  counter->orientation = subband->orientation;
  for (unsigned y = 0; y < codeblock->height; y++)
    for (unsigned x = 0; x < codeblock->width; x++)
      counter->indices[y * codeblock->width + x] = paco_reference_scale (
          plane->samples[(size_t) (top + codeblock->y + y) * plane->width + left
              + codeblock->x + x],
          frame->coding.components[c].wavelet, step, fraction_bits);
  paco_reference_round_block (
      counter->indices, codeblock->width, codeblock->height, fraction_bits);
}

/* Returns FALSE if the block is zero. */
static bool
count_block (
    const Frame *frame, uint32_t i, Counter *counter, CountedBlock *counted)
{
  const PacoCodeblock *codeblock = &frame->geometry->blocks[i];
  const PacoSubband *subband = &frame->geometry->subbands[codeblock->subband];
  unsigned dropped = paco_policy_dropped_planes (frame->format,
      frame->parameters, &frame->coding, subband->component, subband->level,
      subband->orientation);
  PacoReferenceBlock block = {
    .width = codeblock->width,
    .height = codeblock->height,
    .orientation = subband->orientation,
    .family = frame->coding.components[subband->component].family,
  };
  PacoBlockCounts counts;

  quantize (frame, i, counter);
  paco_reference_count_block (&block, counter->indices, dropped, &counts);
  paco_policy_block (
      &counts, dropped, frame->parameters->complexity, &counter->record);
  if (counter->record.planes == 0)
    return false;
  count_planes (counter);
  *counted = (CountedBlock){
    .subband = codeblock->subband,
    .cell = paco_policy_set_cell (subband->orientation, counter->record.planes,
        dropped, counts.top, counts.pairs, counts.n_coefficients),
  };
  take_counts (counter, counted);
  return true;
}

gboolean
count_blocks (const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoParameters *parameters, GArray *blocks, GError **error)
{
  Frame frame = { .format = format, .parameters = parameters };
  Counter *counter;
  gboolean done;

  if (!paco_policy_coding (format, parameters, &frame.coding, error))
    return FALSE;
  counter = g_new0 (Counter, 1);
  frame.geometry = paco_geometry_new (format, &frame.coding);
  done = transform (&frame, picture, error);
  for (uint32_t i = 0; done && i < frame.geometry->n_blocks; i++) {
    CountedBlock block;

    if (count_block (&frame, i, counter, &block))
      g_array_append_val (blocks, block);
  }
  for (unsigned f = 0; f < 2; f++)
    for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
      paco_reference_plane_clear (&frame.planes[f][c]);
  paco_geometry_free (frame.geometry);
  g_free (counter);
  return done;
}

void
counted_blocks_free (GArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++)
    g_free (g_array_index (blocks, CountedBlock, i).counts);
  g_array_unref (blocks);
}

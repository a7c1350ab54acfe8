/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes a frame to a picture, at full size or with resolution levels left out
 * (FORMAT.md sections 1 to 6, 10 and 11); reference.h says for whom. */
#include "codec/conceal.h"
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include "codec/step_map.h"
#include <math.h>
#include <string.h>
#include <zlib.h>

/* --- what is kept of the last frames, and what stands for broken blocks --- */

#define N_FORMS 2

/* Coefficients of a frame's blocks; those that it did not have are NULL. */
typedef struct
{
  uint32_t n_blocks;
  PacoReferenceSample **blocks;
  PacoCoding coding;
} Frame;

struct _PacoReferenceConcealer
{
  Frame last[N_FORMS]; /* of each form */
  Frame next;          /* that is being decoded */
};

PacoReferenceConcealer *
paco_reference_concealer_new (void)
{
  return g_new0 (PacoReferenceConcealer, 1);
}

static void
clear (Frame *frame)
{
  for (uint32_t i = 0; i < frame->n_blocks; i++)
    g_free (frame->blocks[i]);
  g_free (frame->blocks);
  *frame = (Frame){ .n_blocks = 0 };
}

void
paco_reference_concealer_forget (PacoReferenceConcealer *concealer)
{
  for (unsigned form = 0; form < N_FORMS; form++)
    clear (&concealer->last[form]);
}

void
paco_reference_concealer_free (PacoReferenceConcealer *concealer)
{
  paco_reference_concealer_forget (concealer);
  clear (&concealer->next);
  g_free (concealer);
}

/* Keeps the n coefficients that the frame has in block i of the n_blocks that may be
 * concealed; samples is NULL if the frame does not have the block. */
static void
keep_block (PacoReferenceConcealer *concealer, uint32_t n_blocks, uint32_t i,
    const PacoReferenceSample *samples, size_t n)
{
  Frame *next = &concealer->next;

  if (!next->blocks) {
    next->blocks = g_new0 (PacoReferenceSample *, n_blocks);
    next->n_blocks = n_blocks;
  }
  next->blocks[i] = samples ? g_memdup2 (samples, n * sizeof *samples) : NULL;
}

/* Forgets a last frame whose colors were mixed in another way than this frame's. */
static void
compare_colors (
    PacoReferenceConcealer *concealer, unsigned form, const PacoCoding *coding)
{
  Frame *last = &concealer->last[form];
  float most = 0.0f;

  for (unsigned i = 0; i < 9; i++)
    most = fmaxf (most, fabsf (coding->matrix[i] - last->coding.matrix[i]));
  if (most > 1.0f / 64.0f || coding->parameters[0] != last->coding.parameters[0]
      || coding->parameters[1] != last->coding.parameters[1])
    clear (last);
  concealer->next.coding = *coding;
}

/* The frame is decoded, so that it is the last one of its form now. */
static void
next_frame (PacoReferenceConcealer *concealer, unsigned form)
{
  clear (&concealer->last[form]);
  concealer->last[form] = concealer->next;
  concealer->next = (Frame){ .n_blocks = 0 };
}

/* Returns what the last frame had in block i, or NULL. */
static const PacoReferenceSample *
last_of (const PacoReferenceConcealer *concealer, unsigned form, uint32_t i)
{
  const Frame *last = &concealer->last[form];

  return last->blocks ? last->blocks[i] : NULL;
}

/* A block beside another one; samples is NULL if there is none or it is not sound. */
typedef struct
{
  unsigned width, height;
  PacoReferenceSample *samples; /* row by row */
} Neighbor;

enum
{
  LEFT,
  RIGHT,
  ABOVE,
  BELOW,
};

static double
number (PacoReferenceSample sample, bool reversible)
{
  return reversible ? sample.i : (double) sample.f;
}

/* The mean of a line of a neighbour on the left or on the right, or of a column of one
 * above or below. */
static double
mean (const Neighbor *neighbor, bool beside, unsigned at, bool reversible)
{
  unsigned n = beside ? neighbor->width : neighbor->height;
  double sum = 0.0;

  for (unsigned i = 0; i < n; i++)
    sum += number (neighbor->samples[beside ? at * neighbor->width + i
                                            : i * neighbor->width + at],
        reversible);
  return sum / n;
}

/* The coefficient at x, y of a block as it follows from its neighbours, of which
 * there must be one. */
static double
between (const PacoCodeblock *block, const Neighbor neighbors[4],
    bool reversible, unsigned x, unsigned y)
{
  double sum = 0.0, weights = 0.0;

  for (unsigned side = 0; side < 4; side++) {
    bool beside = side == LEFT || side == RIGHT;
    unsigned distance = side == LEFT ? x + 1
        : side == RIGHT              ? block->width - x
        : side == ABOVE              ? y + 1
                                     : block->height - y;

    if (!neighbors[side].samples)
      continue;
    sum += 1.0 / distance
        * mean (&neighbors[side], beside, beside ? y : x, reversible);
    weights += 1.0 / distance;
  }
  return sum / weights;
}

/* The quantiser index that stands for x, with no planes dropped. */
static int32_t
quantize_again (double x, bool reversible, float step, unsigned reconstruction)
{
  double index = reversible
      ? floor (fabs (x) + 0.5)
      : floor (fabs (x) / step + (128 - (int) reconstruction) / 256.0);

  index = fmin (fmax (index, 0.0), PACO_MAX_MAGNITUDE);
  return x < 0.0 ? -(int32_t) index : (int32_t) index;
}

/* --- a frame --- */

typedef struct
{
  PacoHeader header;
  PacoProbabilitySet carried_set;
  PacoGeometry *geometry;
  PacoBlockRecord *records;
  uint8_t *cells; /* of the step map, or NULL */
  PacoCodeTable tables[PACO_MAX_COMPONENTS];
  const uint8_t *payload;
  unsigned reduce;
  uint32_t corrupted_blocks, concealed_blocks;
  PacoReferenceConcealer *concealer;                 /* or NULL */
  PacoReferencePlane planes[2][PACO_MAX_COMPONENTS]; /* [field][component] */
} Decoder;

static gboolean
parse (Decoder *decoder, const uint8_t *data, size_t size, GError **error)
{
  PacoHeader *header = &decoder->header;
  const uint8_t *index;

  if (!paco_header_parse_frame (
          data, size, header, &decoder->carried_set, error))
    return FALSE;
  if (decoder->reduce > header->coding.levels)
    return paco_refuse (error, "reduce=%u, but the frame has %u levels",
        decoder->reduce, header->coding.levels);
  index = data + header->header_size;
  if (crc32 (0, index, header->index_size) != header->index_crc)
    return paco_fail (
        error, PACO_ERROR_CORRUPT, "the check of the frame's index differs");
  decoder->payload = index + header->index_size;
  decoder->geometry = paco_geometry_new (&header->picture, &header->coding);
  decoder->records = g_new0 (PacoBlockRecord, decoder->geometry->n_blocks);
  if (header->coding.step_map) {
    decoder->cells = g_malloc (paco_step_map_n_cells (decoder->geometry));
    if (!paco_step_map_parse_frame (
            data, header, decoder->geometry, decoder->cells, error))
      return FALSE;
  }
  return paco_code_tables_read (&header->coding, index, decoder->tables, error)
      && paco_index_parse (index + paco_header_tables_size (header),
          paco_header_records_size (header), decoder->geometry,
          header->coding.block_checks, paco_header_payload_size (header),
          decoder->records, error);
}

static bool
has_wrong_check (const Decoder *decoder, uint32_t i)
{
  const PacoBlockRecord *record = &decoder->records[i];

  return decoder->header.coding.block_checks && record->planes > 0
      && paco_reference_check (
             decoder->payload + record->offset, record->length)
      != record->check;
}

/* Decodes block i into indices; false if it is broken. */
static bool
decode_block (const Decoder *decoder, uint32_t i, int32_t *indices)
{
  const PacoCodeblock *codeblock = &decoder->geometry->blocks[i];
  const PacoSubband *subband = &decoder->geometry->subbands[codeblock->subband];
  const PacoCoding *coding = &decoder->header.coding;
  const PacoBlockRecord *record = &decoder->records[i];
  PacoReferenceBlock block = {
    .width = codeblock->width,
    .height = codeblock->height,
    .orientation = subband->orientation,
    .coding_passes = coding->coding_passes,
    .sets = paco_coding_family (
        coding, decoder->header.set, subband->component),
  };

  return !has_wrong_check (decoder, i)
      && paco_reference_decode_block (
          &block, record, decoder->payload + record->offset, indices);
}

static bool
is_reversible (const Decoder *decoder, uint32_t i)
{
  unsigned c = decoder->geometry->subbands[decoder->geometry->blocks[i].subband]
                   .component;

  return paco_is_reversible (&decoder->header.coding, c);
}

static float
step_of (const Decoder *decoder, uint32_t i)
{
  const PacoSubband *subband =
      &decoder->geometry->subbands[decoder->geometry->blocks[i].subband];

  return paco_step_decode (
      decoder->header.coding.subbands[subband->component][subband->entry].step);
}

/* The step of the coefficient at x, y of block i. */
static float
step_at (const Decoder *decoder, uint32_t i, unsigned x, unsigned y)
{
  const PacoCodeblock *block = &decoder->geometry->blocks[i];
  PacoStepMapPlace place = paco_step_map_place (&decoder->header.picture,
      &decoder->header.coding, decoder->geometry,
      &decoder->geometry->subbands[block->subband]);

  if (!place.used)
    return step_of (decoder, i);
  return step_of (decoder, i)
      * paco_step_map_scales[paco_step_map_exponent (
          &place, decoder->cells, block->x + x, block->y + y)];
}

/* The coefficients that the indices of block i stand for. */
static void
dequantize_block (const Decoder *decoder, uint32_t i,
    const PacoBlockRecord *record, const int32_t *indices,
    PacoReferenceSample *samples)
{
  const PacoGeometry *geometry = decoder->geometry;
  const PacoCodeblock *block = &geometry->blocks[i];
  const PacoSubband *subband = &geometry->subbands[block->subband];
  const PacoCoding *coding = &decoder->header.coding;

  for (unsigned k = 0; k < (unsigned) block->width * block->height; k++)
    samples[k] = paco_reference_dequantize (indices[k], record->dropped_planes,
        paco_reference_reconstruction (coding->reconstruction, record),
        coding->components[subband->component].wavelet,
        step_at (decoder, i, k % block->width, k / block->width));
}

/* --- broken blocks --- */

/* Finds the block beside block i, if it is sound. */
static Neighbor
find_neighbor (const Decoder *decoder, uint32_t i, int dx, int dy)
{
  const PacoGeometry *geometry = decoder->geometry;
  const PacoSubband *subband = &geometry->subbands[geometry->blocks[i].subband];
  int32_t indices[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];
  Neighbor neighbor = { 0 };
  int x = (int) ((i - subband->first_block) % subband->blocks_x) + dx;
  int y = (int) ((i - subband->first_block) / subband->blocks_x) + dy;
  uint32_t k;

  if (x < 0 || y < 0 || x == (int) subband->blocks_x
      || y == (int) subband->blocks_y)
    return neighbor;
  k = subband->first_block + (uint32_t) y * subband->blocks_x + (uint32_t) x;
  neighbor.width = geometry->blocks[k].width;
  neighbor.height = geometry->blocks[k].height;
  if (!decode_block (decoder, k, indices))
    return neighbor;
  neighbor.samples = g_new (
      PacoReferenceSample, neighbor.width * neighbor.height);
  dequantize_block (
      decoder, k, &decoder->records[k], indices, neighbor.samples);
  return neighbor;
}

/* Makes block i from its neighbours; false if it has none. */
static bool
interpolate_block (const Decoder *decoder, uint32_t i, double *values)
{
  const PacoCodeblock *block = &decoder->geometry->blocks[i];
  Neighbor neighbors[4] = {
    [LEFT] = find_neighbor (decoder, i, -1, 0),
    [RIGHT] = find_neighbor (decoder, i, 1, 0),
    [ABOVE] = find_neighbor (decoder, i, 0, -1),
    [BELOW] = find_neighbor (decoder, i, 0, 1),
  };
  bool any = false;

  for (unsigned side = 0; side < 4; side++)
    any |= neighbors[side].samples != NULL;
  for (unsigned y = 0; any && y < block->height; y++)
    for (unsigned x = 0; x < block->width; x++)
      *values++ = between (block, neighbors, is_reversible (decoder, i), x, y);
  for (unsigned side = 0; side < 4; side++)
    g_free (neighbors[side].samples);
  return any;
}

/* Sums of FORMAT.md section 11 over blocks of LL. */
typedef struct
{
  double change, detail;
} Activity;

/* Adds what block k of LL contributes; false if it is broken, or missing in the last
 * frame. */
static bool
add_activity (const Decoder *decoder, uint32_t k, Activity *activity)
{
  const PacoCodeblock *block = &decoder->geometry->blocks[k];
  const PacoReferenceSample *last = last_of (
      decoder->concealer, decoder->header.picture.fields, k);
  int32_t indices[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];
  PacoReferenceSample now[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];
  bool reversible = is_reversible (decoder, k);

  if (!last || !decode_block (decoder, k, indices))
    return false;
  dequantize_block (decoder, k, &decoder->records[k], indices, now);
  for (int y = 0; y < block->height; y++) {
    for (int x = 0; x < block->width; x++) {
      int at = y * block->width + x;
      double before = number (last[at], reversible);

      activity->change += fabs (number (now[at], reversible) - before);
      if (x > 0)
        activity->detail += fabs (before - number (last[at - 1], reversible));
      if (y > 0)
        activity->detail += fabs (
            before - number (last[at - block->width], reversible));
    }
  }
  return true;
}

/* Says whether a component has changed little against how much its LL subband varies. */
static bool
is_still (const Decoder *decoder, const PacoSubband *subband)
{
  const PacoGeometry *geometry = decoder->geometry;
  const PacoSubband *ll = paco_geometry_subband (geometry, subband->field,
      subband->component, geometry->levels, PACO_ORIENTATION_LL);
  Activity activity = { 0.0, 0.0 };

  for (uint32_t b = 0; b < ll->blocks_x * ll->blocks_y; b++)
    if (!add_activity (decoder, ll->first_block + b, &activity))
      return false;
  return 4.0 * activity.change <= activity.detail;
}

/* Says whether a field has changed more than the last frame varies. */
static bool
begins_scene (const Decoder *decoder, unsigned field)
{
  const PacoGeometry *geometry = decoder->geometry;
  Activity activity = { 0.0, 0.0 };

  for (uint32_t k = 0; k < geometry->n_blocks; k++) {
    const PacoSubband *subband =
        &geometry->subbands[geometry->blocks[k].subband];

    if (subband->orientation == PACO_ORIENTATION_LL && subband->field == field)
      add_activity (decoder, k, &activity);
  }
  return activity.change > activity.detail;
}

/* Finds indices that can stand for block i; false if there are none. */
static bool
conceal_block (const Decoder *decoder, uint32_t i, int32_t *indices)
{
  const PacoCodeblock *block = &decoder->geometry->blocks[i];
  const PacoReferenceSample *last = last_of (
      decoder->concealer, decoder->header.picture.fields, i);
  double values[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];
  const PacoSubband *subband = &decoder->geometry->subbands[block->subband];
  unsigned n = block->width * block->height;
  bool reversible = is_reversible (decoder, i);
  bool is_ll = subband->orientation == PACO_ORIENTATION_LL;

  if (is_ll && begins_scene (decoder, subband->field))
    last = NULL;
  for (unsigned k = 0; last && k < n; k++)
    values[k] = number (last[k], reversible);
  if (is_ll ? !last && !interpolate_block (decoder, i, values)
            : !last || !is_still (decoder, subband))
    return false;
  for (unsigned k = 0; k < n; k++)
    indices[k] = quantize_again (values[k], reversible, step_of (decoder, i),
        decoder->header.coding.reconstruction);
  return true;
}

/* --- blocks --- */

static void
place_block (Decoder *decoder, uint32_t i, const PacoReferenceSample *samples)
{
  const PacoCodeblock *block = &decoder->geometry->blocks[i];
  const PacoSubband *subband = &decoder->geometry->subbands[block->subband];
  PacoReferencePlane *plane =
      &decoder->planes[subband->field][subband->component];
  uint32_t left, top;

  paco_reference_subband_origin (decoder->geometry, subband, &left, &top);
  for (unsigned y = 0; y < block->height; y++)
    memcpy (plane->samples + (size_t) (top + block->y + y) * plane->width + left
            + block->x,
        samples + (size_t) y * block->width, block->width * sizeof *samples);
}

/* Does block i. If it is broken, it is concealed or becomes zero. */
static void
do_block (Decoder *decoder, uint32_t i)
{
  static const PacoBlockRecord replaced = { .planes = PACO_MAX_PLANES };
  const PacoCodeblock *block = &decoder->geometry->blocks[i];
  uint32_t n_concealed = paco_n_concealed_blocks (
      decoder->geometry, decoder->reduce);
  bool kept = decoder->concealer && i < n_concealed;
  size_t n = (size_t) block->width * block->height;
  int32_t indices[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];
  PacoReferenceSample samples[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];
  bool known = decode_block (decoder, i, indices);
  const PacoBlockRecord *record = &decoder->records[i];

  decoder->corrupted_blocks += !known;
  if (!known && kept && has_wrong_check (decoder, i)
      && conceal_block (decoder, i, indices)) {
    record = &replaced;
    known = true;
    decoder->concealed_blocks++;
  }
  if (!known)
    memset (indices, 0, n * sizeof *indices);
  dequantize_block (decoder, i, record, indices, samples);
  place_block (decoder, i, samples);
  if (kept)
    keep_block (decoder->concealer, n_concealed, i, known ? samples : NULL, n);
}

static gboolean
decode_blocks (Decoder *decoder, GError **error)
{
  const PacoGeometry *geometry = decoder->geometry;

  for (unsigned f = 0; f < geometry->n_fields; f++) {
    for (unsigned c = 0; c < geometry->n_components; c++) {
      if (!paco_reference_plane_init (&decoder->planes[f][c],
              geometry->resolution[f][c][decoder->reduce].width,
              geometry->resolution[f][c][decoder->reduce].height))
        return paco_fail (error, PACO_ERROR_MEMORY,
            "not enough memory for the coefficients of the picture");
    }
  }
  if (decoder->concealer)
    compare_colors (decoder->concealer, decoder->header.picture.fields,
        &decoder->header.coding);
  for (uint32_t i = 0; i < geometry->n_blocks_at[decoder->reduce]; i++)
    do_block (decoder, i);
  if (decoder->concealer)
    next_frame (decoder->concealer, decoder->header.picture.fields);
  return TRUE;
}

static void
transform_field (
    Decoder *decoder, const PacoPicture *destination, unsigned field)
{
  const PacoCoding *coding = &decoder->header.coding;
  PacoReferencePlane *planes = decoder->planes[field];
  unsigned n = decoder->geometry->n_components;

  for (unsigned c = 0; c < n; c++) {
    PacoWaveletId wavelet = coding->components[c].wavelet;

    paco_reference_inverse_dwt (
        &planes[c], coding->levels - decoder->reduce, wavelet);
    paco_reference_reduce (&planes[c], wavelet, decoder->reduce);
  }
  paco_reference_inverse_color (planes, n, coding);
  paco_reference_inverse_mosaic (&decoder->header.picture, coding, planes);
  paco_reference_blank_samples (
      &decoder->header.picture, destination, field, planes);
  for (unsigned c = 0; c < n; c++) {
    paco_reference_sample_numbers (
        &decoder->header.picture, coding, decoder->tables, c, &planes[c]);
    paco_reference_store_samples (
        &decoder->header.picture, destination, field, c, &planes[c]);
  }
}

gboolean
paco_reference_decode (const uint8_t *data, size_t size, unsigned reduce,
    const PacoPicture *destination, uint32_t *corrupted_blocks, GError **error)
{
  return paco_reference_decode_next (
      NULL, data, size, reduce, destination, corrupted_blocks, NULL, error);
}

gboolean
paco_reference_decode_next (PacoReferenceConcealer *concealer,
    const uint8_t *data, size_t size, unsigned reduce,
    const PacoPicture *destination, uint32_t *corrupted_blocks,
    uint32_t *concealed_blocks, GError **error)
{
  Decoder *decoder = g_new0 (Decoder, 1);
  gboolean done;

  decoder->reduce = reduce;
  decoder->concealer = concealer;
  done = parse (decoder, data, size, error) && decode_blocks (decoder, error);
  if (done) {
    for (unsigned field = 0; field < decoder->geometry->n_fields; field++)
      transform_field (decoder, destination, field);
    if (corrupted_blocks)
      *corrupted_blocks = decoder->corrupted_blocks;
    if (concealed_blocks)
      *concealed_blocks = decoder->concealed_blocks;
  }
  for (unsigned f = 0; f < 2; f++)
    for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
      paco_reference_plane_clear (&decoder->planes[f][c]);
  paco_geometry_free (decoder->geometry);
  g_free (decoder->records);
  g_free (decoder->cells);
  g_free (decoder);
  return done;
}

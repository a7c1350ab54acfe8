/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Encodes a picture as a frame: samples, color, wavelet, blocks, and the assembly of
 * header, index and payload (FORMAT.md sections 1 to 6); reference.h says for whom. */
#include "codec/index.h"
#include "codec/policy_fit.h"
#include "codec/policy_matrix.h"
#include "codec/policy_mosaic.h"
#include "codec/policy_wavelet.h"
#include "codec/quantizer.h"
#include "codec/rate_control.h"
#include "codec/rate_table.h"
#include "codec/reference/reference.h"
#include "codec/step_map.h"
#include <string.h>
#include <zlib.h>

/* What is known of a block besides its record, for cuts. */
typedef struct
{
  PacoRateCuts cuts;
  GByteArray *bytes;
} Block;

typedef struct
{
  const PacoPictureFormat *format;
  const PacoPicture *picture;
  const PacoParameters *parameters;
  const PacoAreas *areas; /* or NULL */
  const uint8_t *given;   /* cells of a step map, or NULL */
  uint8_t halved;
  uint8_t *cells;    /* of the step map, if the frame has one */
  uint8_t *map;      /* its bytes */
  uint32_t map_size; /* 0 without one */
  PacoHeader header;
  PacoGeometry *geometry;
  PacoReferencePlane planes[2][PACO_MAX_COMPONENTS]; /* [field][component] */
  PacoBlockRecord *records;
  Block *blocks;
  PacoReferenceCounts *counts;
  PacoCodeChoice *choice;       /* of code tables, or NULL */
  PacoReferenceCounted counted; /* or NULL */
  void *counted_data;

  /* With a budget: the step number, and its table, which is one of these. */
  PacoRateTable *table, *lossy_table, *lossless_table;
  PacoCoding lossy, lossless;
  unsigned number;
  uint32_t budget;
} Encoder;

static void
clear_planes (Encoder *encoder)
{
  for (unsigned field = 0; field < 2; field++)
    for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
      paco_reference_plane_clear (&encoder->planes[field][c]);
}

static bool
transform_field (Encoder *encoder, unsigned field)
{
  const PacoCoding *coding = &encoder->header.coding;
  PacoReferencePlane *planes = encoder->planes[field];
  unsigned n = encoder->format->n_components;

  for (unsigned c = 0; c < n; c++) {
    if (!paco_reference_plane_init (&planes[c],
            encoder->geometry->resolution[field][c][0].width,
            encoder->geometry->resolution[field][c][0].height))
      return false;
    paco_reference_load_samples (
        encoder->format, encoder->picture, field, c, &planes[c]);
    paco_reference_number_samples (encoder->format, coding,
        encoder->choice ? encoder->choice->tables : NULL, c, &planes[c]);
  }
  paco_reference_forward_mosaic (encoder->format, coding, planes);
  paco_reference_forward_color (planes, n, coding);
  for (unsigned c = 0; c < n; c++)
    paco_reference_forward_dwt (
        &planes[c], coding->levels, coding->components[c].wavelet);
  return true;
}

/* Makes the step map of a transformed picture, if it has one. */
static void
make_map (Encoder *encoder)
{
  const PacoGeometry *geometry = encoder->geometry;
  PacoActivity activity;

  encoder->map_size = 0;
  if (!encoder->header.coding.step_map)
    return;
  if (encoder->given) {
    memcpy (encoder->cells, encoder->given, paco_step_map_n_cells (geometry));
  } else {
    activity = paco_policy_activity (encoder->format, encoder->parameters,
        &encoder->header.coding, encoder->table);
    for (unsigned f = 0; f < geometry->n_fields; f++)
      paco_reference_find_cells (
          geometry, f, &encoder->planes[f][0], &activity, encoder->cells);
    if (encoder->areas)
      paco_areas_add (encoder->areas, &encoder->header.coding, geometry,
          paco_policy_area_planes (encoder->parameters), encoder->cells);
  }
  encoder->map_size = (uint32_t) paco_step_map_write (
      encoder->cells, geometry, encoder->map);
}

static gboolean
transform (Encoder *encoder, GError **error)
{
  clear_planes (encoder);
  for (unsigned field = 0; field < encoder->geometry->n_fields; field++) {
    if (!transform_field (encoder, field))
      return paco_fail (error, PACO_ERROR_MEMORY,
          "not enough memory for the coefficients of the picture");
  }
  make_map (encoder);
  return TRUE;
}

/* Returns the coefficients of line y of block i. */
static const PacoReferenceSample *
block_line (const Encoder *encoder, uint32_t i, unsigned y)
{
  const PacoCodeblock *block = &encoder->geometry->blocks[i];
  const PacoSubband *subband = &encoder->geometry->subbands[block->subband];
  const PacoReferencePlane *plane =
      &encoder->planes[subband->field][subband->component];
  uint32_t left, top;

  paco_reference_subband_origin (encoder->geometry, subband, &left, &top);
  return plane->samples + (size_t) (top + block->y + y) * plane->width + left
      + block->x;
}

static const PacoSubband *
subband_of (const Encoder *encoder, uint32_t i)
{
  return &encoder->geometry->subbands[encoder->geometry->blocks[i].subband];
}

static const PacoRateStep *
step_of (const Encoder *encoder, uint32_t i)
{
  const PacoSubband *subband = subband_of (encoder, i);

  return paco_rate_table_step (encoder->table, encoder->format->n_components,
      encoder->number, subband->component, subband->entry);
}

/* Returns how many planes block i loses before it is rounded. */
static unsigned
area_planes (const Encoder *encoder, uint32_t i)
{
  if (!encoder->areas
      || (encoder->table && encoder->table == encoder->lossless_table))
    return 0;
  return paco_areas_planes (encoder->areas, encoder->format,
      &encoder->header.coding, encoder->geometry, i,
      paco_policy_area_planes (encoder->parameters));
}

/* Returns a magnitude in column x and line y of block i at the step of its cell. */
static uint32_t
coarser (const Encoder *encoder, uint32_t i, unsigned x, unsigned y,
    uint32_t magnitude)
{
  const PacoCodeblock *block = &encoder->geometry->blocks[i];
  PacoStepMapPlace place = paco_step_map_place (encoder->format,
      &encoder->header.coding, encoder->geometry, subband_of (encoder, i));

  if (!place.used)
    return magnitude;
  return paco_step_map_coarser (magnitude,
      paco_step_map_exponent (
          &place, encoder->cells, block->x + x, block->y + y));
}

/* Quantizes block i, row by row. */
static void
quantize_block (Encoder *encoder, uint32_t i, int32_t *indices)
{
  const PacoCoding *coding = &encoder->header.coding;
  const PacoCodeblock *block = &encoder->geometry->blocks[i];
  const PacoSubband *subband = subband_of (encoder, i);
  unsigned c = subband->component, entry = subband->entry;
  unsigned fraction_bits = coding->subbands[c][entry].fraction_bits;
  float step = paco_step_decode (coding->subbands[c][entry].step);
  PacoWaveletId wavelet = coding->components[c].wavelet;
  unsigned lost = paco_wavelets[wavelet].reversible ? 0
                                                    : area_planes (encoder, i);
  unsigned n = block->width * block->height;

  for (unsigned y = 0; y < block->height; y++) {
    const PacoReferenceSample *row = block_line (encoder, i, y);

    for (unsigned x = 0; x < block->width; x++) {
      int32_t value = encoder->table
          ? paco_reference_scale_to_step (row[x], wavelet,
              encoder->table->scale[c][entry], step_of (encoder, i))
          : paco_reference_scale (row[x], wavelet, step, fraction_bits);
      int32_t magnitude = (int32_t) coarser (
          encoder, i, x, y, (uint32_t) ABS (value) >> lost);

      indices[y * block->width + x] = value < 0 ? -magnitude : magnitude;
    }
  }
  paco_reference_round_block (
      indices, block->width, block->height, fraction_bits);
  for (unsigned k = 0; k < n; k++)
    indices[k] *= 1 << lost;
}

static unsigned
dropped_planes (const Encoder *encoder, uint32_t i)
{
  const PacoSubband *subband = subband_of (encoder, i);
  unsigned planes = encoder->table
      ? step_of (encoder, i)->dropped_planes
      : paco_policy_dropped_planes (encoder->format, encoder->parameters,
          &encoder->header.coding, subband->component, subband->level,
          subband->orientation);

  return MIN (planes + area_planes (encoder, i), PACO_MAX_DROPPED_PLANES);
}

static int
weight_of (const Encoder *encoder, uint32_t i)
{
  const PacoSubband *subband = subband_of (encoder, i);
  int weight = encoder->table
      ? step_of (encoder, i)->weight
      : paco_policy_weight (encoder->format, encoder->parameters,
          &encoder->header.coding, subband->component, subband->level,
          subband->orientation);

  return weight - 16 * (int) area_planes (encoder, i);
}

static void
encode_block (Encoder *encoder, uint32_t i)
{
  const PacoCodeblock *codeblock = &encoder->geometry->blocks[i];
  const PacoSubband *subband = subband_of (encoder, i);
  const PacoCoding *coding = &encoder->header.coding;
  PacoBlockRecord *record = &encoder->records[i];
  GByteArray *bytes = encoder->blocks[i].bytes;
  int32_t indices[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];
  PacoBlockCounts counts;
  PacoCutPoints points;
  PacoReferenceBlock block = {
    .width = codeblock->width,
    .height = codeblock->height,
    .orientation = subband->orientation,
    .coding_passes = coding->coding_passes,
    .family = coding->components[subband->component].family,
    .sets = paco_coding_family (
        coding, encoder->header.set, subband->component),
    .counts = encoder->counts,
    .cut_points = &points,
    .block_counts = &counts,
  };

  /* The set that the frame carries is made for it. */
  block.first_set_only = block.sets.sets[0] == encoder->header.set;
  g_byte_array_set_size (bytes, 0);
  quantize_block (encoder, i, indices);
  paco_reference_encode_block (&block, indices, dropped_planes (encoder, i),
      encoder->parameters->complexity, record, bytes);
  paco_rate_find_cuts (counts.top, points.codewords, record->planes,
      record->dropped_planes,
      (int) (paco_record_bytes (record, coding->block_checks) + record->length),
      coding->block_checks, weight_of (encoder, i), &encoder->blocks[i].cuts);
  if (encoder->counted) {
    encoder->counted (encoder->counted_data, codeblock->subband, record,
        &counts, encoder->counts);
    memset (encoder->counts, 0, sizeof *encoder->counts);
  }
}

static void
encode_blocks (Encoder *encoder)
{
  for (uint32_t i = 0; i < encoder->geometry->n_blocks; i++)
    encode_block (encoder, i);
}

/* --- Budgets --- */

/* Bytes of a block in index and payload. */
static uint32_t
block_bytes (const Encoder *encoder, uint32_t i)
{
  const PacoBlockRecord *record = &encoder->records[i];
  const PacoCoding *coding = &encoder->header.coding;
  uint32_t bytes = paco_record_bytes (record, coding->block_checks)
      + record->length;

  if (coding->cut_points && record->planes > 0)
    bytes += PACO_RATE_POINTS_BYTES (encoder->blocks[i].cuts.n);
  return bytes;
}

/* Returns how many bytes the frame takes with these steps, without its header. */
static uint64_t
count_bytes (const Encoder *encoder)
{
  uint64_t bytes = encoder->map_size;

  for (uint32_t i = 0; i < encoder->geometry->n_blocks; i++)
    bytes += block_bytes (encoder, i);
  return bytes;
}

/* Adds the estimated bits of a block to the sum of its entry. */
static void
count_block (const Encoder *encoder, uint32_t i, PacoRateBits *sums)
{
  const PacoCodeblock *block = &encoder->geometry->blocks[i];
  const PacoSubband *subband = subband_of (encoder, i);
  unsigned c = subband->component, entry = subband->entry;
  bool all = (uint64_t) subband->width * subband->height <= PACO_RATE_COUNT_ALL;
  uint32_t top[PACO_RATE_PLANES] = { 0 }, bits[PACO_RATE_PLANES + 1];
  uint32_t n_lines = paco_rate_counted_lines (block->height, all);

  for (uint32_t n = 0; n < n_lines; n++) {
    const PacoReferenceSample *row = block_line (
        encoder, i, paco_rate_counted_line (n, all));

    for (unsigned x = 0; x < block->width; x++) {
      uint32_t magnitude = coarser (encoder, i, x,
          paco_rate_counted_line (n, all),
          paco_reference_scaled_magnitude (row[x],
              encoder->header.coding.components[c].wavelet,
              encoder->table->scale[c][entry]));

      if (magnitude > 0)
        top[g_bit_nth_msf (magnitude, -1)]++;
    }
  }
  paco_rate_block_bits (top, n_lines * block->width,
      (uint32_t) block->width * block->height,
      encoder->header.coding.block_checks, bits);
  for (unsigned j = 0; j <= PACO_RATE_PLANES; j++)
    sums[c * encoder->table->n_entries + entry].bits[j] +=
        bits[MIN (j + area_planes (encoder, i), PACO_RATE_PLANES)];
}

static PacoRateBits *
count_blocks (const Encoder *encoder)
{
  PacoRateBits *sums = g_new0 (
      PacoRateBits, encoder->format->n_components * encoder->table->n_entries);

  for (uint32_t i = 0; i < encoder->geometry->n_blocks; i++)
    count_block (encoder, i, sums);
  return sums;
}

static void
cut_blocks (Encoder *encoder, uint64_t budget)
{
  uint32_t n = encoder->geometry->n_blocks;
  bool checks = encoder->header.coding.block_checks;
  PacoRateCuts *cuts = g_new (PacoRateCuts, n);
  uint32_t *bytes = g_new (uint32_t, n);
  uint8_t *lost = g_new (uint8_t, n);
  PacoRateBlocks blocks = { cuts, bytes, n, checks,
    encoder->header.coding.cut_points };

  budget = paco_rate_bytes_without_map (
      budget, n, &encoder->header.coding, &encoder->map_size);

  for (uint32_t i = 0; i < n; i++) {
    cuts[i] = encoder->blocks[i].cuts;
    bytes[i] = block_bytes (encoder, i);
  }
  paco_rate_cut (&blocks, budget, lost);
  for (uint32_t i = 0; i < n; i++) {
    unsigned cut = lost[i] - 1u;

    if (lost[i] == 0)
      continue;
    if (cut == cuts[i].n) {
      encoder->records[i] = (PacoBlockRecord){ 0 };
    } else {
      paco_record_cut (
          &encoder->records[i], cuts[i].plane[cut], cuts[i].codewords[cut]);
      paco_rate_forget_cuts (&encoder->blocks[i].cuts, cut + 1);
    }
    g_byte_array_set_size (
        encoder->blocks[i].bytes, encoder->records[i].length);
  }
  g_free (lost);
  g_free (bytes);
  g_free (cuts);
}

/* Transforms the picture lossy, or without loss. */
static gboolean
transform_for (Encoder *encoder, bool lossless, GError **error)
{
  encoder->header.coding = lossless ? encoder->lossless : encoder->lossy;
  encoder->table = lossless ? encoder->lossless_table : encoder->lossy_table;
  encoder->number = 0;
  return transform (encoder, error);
}

static gboolean
encode_to_fit (Encoder *encoder, const PacoRateHistory *before,
    PacoRateHistory *after, GError **error)
{
  static const PacoRateHistory none = PACO_RATE_NO_HISTORY;
  uint64_t budget = encoder->budget - paco_header_overhead (&encoder->header);
  PacoRateBits *sums = NULL;
  PacoRateAttempt attempt;
  bool coded, lossless;

  paco_rate_begin (&attempt, encoder->lossy_table,
      encoder->format->n_components, encoder->lossless_table != NULL, budget,
      before ? before : &none);
  lossless = attempt.lossless;
  if (!transform_for (encoder, lossless, error))
    return FALSE;
  do {
    if (attempt.lossless != lossless) {
      lossless = attempt.lossless;
      if (!transform_for (encoder, lossless, error)) {
        g_free (sums);
        return FALSE;
      }
    }
    if (!lossless && !sums)
      sums = count_blocks (encoder);
    coded = lossless || paco_rate_step (&attempt, sums);
    if (!coded)
      continue;
    encoder->number = lossless ? 0 : attempt.number;
    paco_rate_table_apply (encoder->table, encoder->format, encoder->number,
        &encoder->header.coding);
    encode_blocks (encoder);
  } while (!coded || paco_rate_again (&attempt, count_bytes (encoder)));
  g_free (sums);
  if (after)
    *after = paco_rate_end (&attempt);
  cut_blocks (encoder, budget);
  return TRUE;
}

/* --- Frames --- */

static void
append_blocks (Encoder *encoder, GByteArray *payload)
{
  for (uint32_t i = 0; i < encoder->geometry->n_blocks; i++) {
    PacoBlockRecord *record = &encoder->records[i];
    const GByteArray *bytes = encoder->blocks[i].bytes;

    if (encoder->header.coding.block_checks && record->length > 0)
      record->check = paco_reference_check (bytes->data, record->length);
    g_byte_array_append (payload, bytes->data, record->length);
  }
}

/* Returns their bytes. */
static uint32_t
append_cut_points (Encoder *encoder, uint8_t *data)
{
  uint32_t n = encoder->geometry->n_blocks;
  PacoRateCuts *cuts = g_new (PacoRateCuts, n);

  for (uint32_t i = 0; i < n; i++)
    cuts[i] = encoder->blocks[i].cuts;
  encoder->header.cut_points_size = (uint32_t) paco_cut_points_write (
      encoder->records, cuts, n, data);
  g_free (cuts);
  return encoder->header.cut_points_size;
}

static void
assemble_frame (Encoder *encoder, GByteArray *out)
{
  PacoHeader *header = &encoder->header;
  uint32_t n = encoder->geometry->n_blocks;
  size_t tables = paco_header_tables_size (header);
  uint8_t *index = g_malloc (tables + PACO_MAX_INDEX_SIZE (n)
      + encoder->map_size + PACO_MAX_CUT_POINTS_SIZE (n) + 1);
  GByteArray *payload = g_byte_array_new ();
  guint start = out->len;

  append_blocks (encoder, payload);
  if (tables > 0)
    memcpy (index, encoder->choice->bytes, tables);
  header->index_size = tables
      + paco_index_write (
          encoder->records, n, header->coding.block_checks, index + tables);
  if (encoder->map_size > 0)
    memcpy (index + header->index_size, encoder->map, encoder->map_size);
  header->step_map_size = encoder->map_size;
  header->index_size += encoder->map_size;
  if (header->coding.cut_points)
    header->index_size += append_cut_points (
        encoder, index + header->index_size);
  header->index_crc = crc32 (0, index, header->index_size);
  header->header_size = paco_header_size (header);
  header->frame_size = header->header_size + header->index_size + payload->len
      + header->video.attachment.size;

  g_byte_array_set_size (out, start + header->header_size);
  paco_header_write (header, out->data + start);
  g_byte_array_append (out, index, header->index_size);
  g_byte_array_append (out, payload->data, payload->len);
  if (header->video.attachment.size > 0)
    g_byte_array_append (
        out, header->video.attachment.data, header->video.attachment.size);
  g_byte_array_unref (payload);
  g_free (index);
}

static gboolean
set_up_budget (Encoder *encoder, GError **error)
{
  PacoParameters lossless = *encoder->parameters;
  size_t least = paco_policy_min_frame_size (encoder->format,
                     &encoder->header.coding, encoder->geometry)
      + paco_video_extra_size (&encoder->header.video);

  if (!paco_policy_budget (encoder->parameters, &encoder->budget, error))
    return FALSE;
  if (encoder->budget < least)
    return paco_refuse (error, "a frame takes %zu bytes at least", least);
  encoder->lossy = encoder->header.coding;
  encoder->lossy_table = paco_rate_table_new (
      encoder->format, encoder->parameters, &encoder->lossy);
  lossless.rate_control = PACO_RATE_LOSSLESS;
  if (paco_policy_lossless_coding (
          encoder->format, encoder->parameters, &encoder->lossless))
    encoder->lossless_table = paco_rate_table_new (
        encoder->format, &lossless, &encoder->lossless);
  return TRUE;
}

static gboolean
choose_codes (Encoder *encoder, GError **error)
{
  PacoReferenceSamples samples = { encoder->format, encoder->picture };

  if (encoder->header.video.slice.length > 0)
    return TRUE;
  encoder->choice = g_new0 (PacoCodeChoice, 1);
  encoder->choice->groups = paco_policy_code_groups (
      encoder->format, encoder->parameters, &encoder->header.coding);
  if (!paco_policy_choose_codes (encoder->choice, paco_reference_find_codes,
          &samples, &encoder->header.coding, error))
    return FALSE;
  paco_policy_pack_codes (encoder->choice, &encoder->header.coding);
  return TRUE;
}

/* Chooses the parameters of a color transform, and for RGB the transform and the wavelet,
 * by the numbers of samples. */
static gboolean
choose (Encoder *encoder, GError **error)
{
  PacoCoding *coding = &encoder->header.coding;
  const PacoPictureFormat *format = encoder->format;
  PacoSampleMaps maps = { 0 };
  PacoBandSamples samples;
  PacoCoding other;

  if (!choose_codes (encoder, error)
      || !paco_sample_maps_make (&maps, format, coding,
          encoder->choice ? encoder->choice->tables : NULL, error))
    return FALSE;
  samples = paco_policy_band_samples (format, encoder->picture, &maps);
  if (paco_policy_chooses_weights (format, encoder->parameters, coding))
    paco_policy_choose_weights (format, &samples, coding);
  if (paco_policy_chooses_fit (format, encoder->parameters, coding))
    paco_policy_choose_fit (format, &samples, coding);
  if (paco_policy_chooses_matrix (format, coding))
    paco_policy_choose_matrix (format, &samples, coding);
  if (paco_policy_other_wavelet (format, encoder->parameters, &other)
      && paco_policy_takes_other_wavelet (format, coding, &samples))
    for (unsigned c = 0; c < format->n_components; c++)
      coding->components[c] = other.components[c];
  paco_sample_maps_clear (&maps);
  return TRUE;
}

static gboolean
set_up (Encoder *encoder, const PacoVideoInfo *video,
    const PacoProbabilitySet *carried_set, GError **error)
{
  PacoHeader *header = &encoder->header;

  header->picture = *encoder->format;
  header->video = *video;
  header->set = carried_set;
  if (!paco_policy_coding (
          encoder->format, encoder->parameters, &header->coding, error)
      || !paco_header_check (header, error))
    return FALSE;
  header->coding.carried_family = header->coding.components[0].family;
  if (encoder->given && encoder->parameters->rate_control == PACO_RATE_BITRATE)
    return paco_refuse (error, "frames with a budget take no given step map");
  if (encoder->given) {
    header->coding.step_map = true;
    header->coding.step_map_halved = encoder->halved;
  }
  if (!choose (encoder, error))
    return FALSE;
  encoder->geometry = paco_geometry_new (encoder->format, &header->coding);
  encoder->cells = g_malloc (paco_step_map_n_cells (encoder->geometry));
  encoder->map = g_malloc (paco_step_map_max_size (encoder->geometry));
  encoder->records = g_new0 (PacoBlockRecord, encoder->geometry->n_blocks);
  encoder->blocks = g_new0 (Block, encoder->geometry->n_blocks);
  for (uint32_t i = 0; i < encoder->geometry->n_blocks; i++)
    encoder->blocks[i].bytes = g_byte_array_new ();
  return encoder->parameters->rate_control != PACO_RATE_BITRATE
      || set_up_budget (encoder, error);
}

static void
encoder_clear (Encoder *encoder)
{
  clear_planes (encoder);
  for (uint32_t i = 0; encoder->blocks && i < encoder->geometry->n_blocks; i++)
    g_byte_array_unref (encoder->blocks[i].bytes);
  paco_geometry_free (encoder->geometry);
  g_free (encoder->cells);
  g_free (encoder->map);
  g_free (encoder->records);
  g_free (encoder->blocks);
  g_free (encoder->choice);
  paco_rate_table_free (encoder->lossy_table);
  paco_rate_table_free (encoder->lossless_table);
}

static gboolean
encode (Encoder *encoder, const PacoVideoInfo *video,
    const PacoProbabilitySet *carried_set, const PacoRateHistory *before,
    PacoRateHistory *after, GByteArray *out, GError **error)
{
  gboolean done = set_up (encoder, video, carried_set, error);

  if (done && encoder->budget > 0) {
    done = encode_to_fit (encoder, before, after, error);
  } else if (done) {
    done = transform (encoder, error);
    if (done)
      encode_blocks (encoder);
  }
  if (done)
    assemble_frame (encoder, out);
  encoder_clear (encoder);
  return done;
}

gboolean
paco_reference_encode_after (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoVideoInfo *video,
    const PacoParameters *parameters, const PacoAreas *areas,
    const PacoRateHistory *before, PacoRateHistory *after, GByteArray *out,
    GError **error)
{
  Encoder encoder = { .format = format,
    .picture = picture,
    .parameters = parameters,
    .areas = areas };

  return encode (&encoder, video, NULL, before, after, out, error);
}

gboolean
paco_reference_encode_mapped (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoVideoInfo *video,
    const PacoParameters *parameters, const uint8_t *cells, uint8_t halved,
    GByteArray *out, GError **error)
{
  Encoder encoder = { .format = format,
    .picture = picture,
    .parameters = parameters,
    .given = cells,
    .halved = halved };

  return encode (&encoder, video, NULL, NULL, NULL, out, error);
}

gboolean
paco_reference_encode_counting (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoVideoInfo *video,
    const PacoParameters *parameters, const PacoProbabilitySet *carried_set,
    PacoReferenceCounts *counts, GByteArray *out, GError **error)
{
  Encoder encoder = { .format = format,
    .picture = picture,
    .parameters = parameters,
    .counts = counts };

  return encode (&encoder, video, carried_set, NULL, NULL, out, error);
}

gboolean
paco_reference_encode (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoVideoInfo *video,
    const PacoParameters *parameters, const PacoProbabilitySet *carried_set,
    GByteArray *out, GError **error)
{
  return paco_reference_encode_counting (
      format, picture, video, parameters, carried_set, NULL, out, error);
}

gboolean
paco_reference_count_blocks (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoParameters *parameters,
    PacoReferenceCounted counted, void *data, GError **error)
{
  static const PacoVideoInfo video = { .par_n = 1, .par_d = 1, .fps_d = 1 };
  g_autofree PacoReferenceCounts *counts = g_new0 (PacoReferenceCounts, 1);
  g_autoptr (GByteArray) frame = g_byte_array_new ();
  Encoder encoder = { .format = format,
    .picture = picture,
    .parameters = parameters,
    .counts = counts,
    .counted = counted,
    .counted_data = data };

  return encode (&encoder, &video, NULL, NULL, NULL, frame, error);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A frame to a picture, at full size or leaving out resolution levels
 * (FORMAT.md sections 1 to 6 and 10). */
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include <math.h>
#include <string.h>
#include <zlib.h>

typedef struct
{
  PacoHeader header;
  PacoProbabilitySet carried_set;
  PacoGeometry *geometry;
  PacoBlockRecord *records;
  const uint8_t *payload;
  unsigned reduce;
  uint32_t corrupted_blocks;
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
  if (decoder->reduce > header->coding.levels) {
    g_set_error (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "reduce=%u, but the frame has %u levels", decoder->reduce,
        header->coding.levels);
    return FALSE;
  }
  index = data + header->header_size;
  if (crc32 (0, index, header->index_size) != header->index_crc) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_CORRUPT,
        "the check of the frame's index differs");
    return FALSE;
  }
  decoder->payload = index + header->index_size;
  decoder->geometry = paco_geometry_new (&header->picture, &header->coding);
  decoder->records = g_new0 (PacoBlockRecord, decoder->geometry->n_blocks);
  return paco_index_parse (index, header->index_size - header->cut_points_size,
      decoder->geometry, header->coding.block_checks,
      header->frame_size - header->header_size - header->index_size,
      decoder->records, error);
}

/* Decodes block i into indices; zeros if it is broken. */
static void
decode_block (Decoder *decoder, uint32_t i, int32_t *indices)
{
  const PacoCodeblock *codeblock = &decoder->geometry->blocks[i];
  const PacoSubband *subband = &decoder->geometry->subbands[codeblock->subband];
  const PacoCoding *coding = &decoder->header.coding;
  const PacoBlockRecord *record = &decoder->records[i];
  const uint8_t *bytes = decoder->payload + record->offset;
  PacoReferenceBlock block = {
    .width = codeblock->width,
    .height = codeblock->height,
    .orientation = subband->orientation,
    .coding_passes = coding->coding_passes,
    .sets = paco_coding_family (
        coding, decoder->header.set, subband->component),
  };
  bool check_differs = coding->block_checks && record->planes > 0
      && paco_reference_check (bytes, record->length) != record->check;

  if (check_differs
      || !paco_reference_decode_block (&block, record, bytes, indices)) {
    memset (indices, 0, sizeof *indices * block.width * block.height);
    decoder->corrupted_blocks++;
  }
}

static void
place_block (Decoder *decoder, uint32_t i, const int32_t *indices)
{
  const PacoCodeblock *block = &decoder->geometry->blocks[i];
  const PacoSubband *subband = &decoder->geometry->subbands[block->subband];
  const PacoCoding *coding = &decoder->header.coding;
  PacoReferencePlane *plane =
      &decoder->planes[subband->field][subband->component];
  float step = paco_step_decode (
      coding->subbands[subband->component][subband->entry].step);
  uint32_t left, top;

  paco_reference_subband_origin (decoder->geometry, subband, &left, &top);
  for (unsigned y = 0; y < block->height; y++) {
    PacoReferenceSample *row = plane->samples
        + (size_t) (top + block->y + y) * plane->width + left + block->x;

    for (unsigned x = 0; x < block->width; x++)
      row[x] = paco_reference_dequantize (*indices++,
          decoder->records[i].dropped_planes,
          paco_reference_reconstruction (
              coding->reconstruction, &decoder->records[i]),
          coding->components[subband->component].wavelet, step);
  }
}

static gboolean
decode_blocks (Decoder *decoder, GError **error)
{
  const PacoGeometry *geometry = decoder->geometry;
  int32_t indices[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];

  for (unsigned f = 0; f < geometry->n_fields; f++) {
    for (unsigned c = 0; c < geometry->n_components; c++) {
      if (!paco_reference_plane_init (&decoder->planes[f][c],
              geometry->resolution[f][c][decoder->reduce].width,
              geometry->resolution[f][c][decoder->reduce].height)) {
        g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
            "not enough memory for the coefficients of the picture");
        return FALSE;
      }
    }
  }
  for (uint32_t i = 0; i < geometry->n_blocks_at[decoder->reduce]; i++) {
    decode_block (decoder, i, indices);
    place_block (decoder, i, indices);
  }
  return TRUE;
}

/* LL of level `reduce` has a DC gain that the levels left out would undo. */
static void
undo_gain (PacoReferencePlane *plane, PacoWaveletId wavelet, unsigned reduce)
{
  size_t n = (size_t) plane->width * plane->height;
  float gain = paco_reference_reduced_gain (wavelet, reduce);

  if (paco_wavelets[wavelet].reversible || reduce == 0)
    return;
  for (size_t i = 0; i < n; i++)
    plane->samples[i].f *= gain;
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
    undo_gain (&planes[c], wavelet, decoder->reduce);
  }
  paco_reference_inverse_color (planes, n, coding);
  paco_reference_blank_samples (
      &decoder->header.picture, destination, field, planes);
  for (unsigned c = 0; c < n; c++)
    paco_reference_store_samples (
        &decoder->header.picture, destination, field, c, &planes[c]);
}

gboolean
paco_reference_decode (const uint8_t *data, size_t size, unsigned reduce,
    const PacoPicture *destination, uint32_t *corrupted_blocks, GError **error)
{
  Decoder *decoder = g_new0 (Decoder, 1);
  gboolean done;

  decoder->reduce = reduce;
  done = parse (decoder, data, size, error) && decode_blocks (decoder, error);
  if (done) {
    for (unsigned field = 0; field < decoder->geometry->n_fields; field++)
      transform_field (decoder, destination, field);
    if (corrupted_blocks)
      *corrupted_blocks = decoder->corrupted_blocks;
  }
  for (unsigned f = 0; f < 2; f++)
    for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
      paco_reference_plane_clear (&decoder->planes[f][c]);
  paco_geometry_free (decoder->geometry);
  g_free (decoder->records);
  g_free (decoder);
  return done;
}

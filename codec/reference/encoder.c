/* SPDX-License-Identifier: LGPL-2.1-or-later
 * A picture to a frame: samples, color, wavelet, blocks, and the assembly of
 * header, index and payload (FORMAT.md sections 1 to 6). */
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include <string.h>
#include <zlib.h>

typedef struct
{
  const PacoPictureFormat *format;
  const PacoParameters *parameters;
  PacoHeader header;
  PacoGeometry *geometry;
  PacoReferencePlane planes[2][PACO_MAX_COMPONENTS]; /* [field][component] */
  PacoBlockRecord *records;
  GByteArray *payload;
  PacoReferenceCounts *counts;
} Encoder;

static bool
transform_field (Encoder *encoder, const PacoPicture *picture, unsigned field)
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
        encoder->format, picture, field, c, &planes[c]);
  }
  paco_reference_forward_color (planes, n, coding);
  for (unsigned c = 0; c < n; c++)
    paco_reference_forward_dwt (
        &planes[c], coding->levels, coding->components[c].wavelet);
  return true;
}

/* Quantizes block i, row by row. */
static void
quantize_block (Encoder *encoder, uint32_t i, int32_t *indices)
{
  const PacoCoding *coding = &encoder->header.coding;
  const PacoCodeblock *block = &encoder->geometry->blocks[i];
  const PacoSubband *subband = &encoder->geometry->subbands[block->subband];
  const PacoReferencePlane *plane =
      &encoder->planes[subband->field][subband->component];
  unsigned c = subband->component, entry = subband->entry;
  unsigned fraction_bits = coding->subbands[c][entry].fraction_bits;
  float step = paco_step_decode (coding->subbands[c][entry].step);
  uint32_t left, top;

  paco_reference_subband_origin (encoder->geometry, subband, &left, &top);
  for (unsigned y = 0; y < block->height; y++) {
    const PacoReferenceSample *row = plane->samples
        + (size_t) (top + block->y + y) * plane->width + left + block->x;

    for (unsigned x = 0; x < block->width; x++)
      indices[y * block->width + x] = paco_reference_scale (
          row[x], coding->components[c].wavelet, step, fraction_bits);
  }
  paco_reference_round_block (
      indices, block->width, block->height, fraction_bits);
}

static void
encode_blocks (Encoder *encoder)
{
  const PacoGeometry *geometry = encoder->geometry;
  const PacoCoding *coding = &encoder->header.coding;
  int32_t indices[PACO_BLOCK_WIDTH * PACO_MAX_BLOCK_HEIGHT];

  for (uint32_t i = 0; i < geometry->n_blocks; i++) {
    const PacoCodeblock *codeblock = &geometry->blocks[i];
    const PacoSubband *subband = &geometry->subbands[codeblock->subband];
    PacoBlockRecord *record = &encoder->records[i];
    guint offset = encoder->payload->len;
    PacoReferenceBlock block = {
      .width = codeblock->width,
      .height = codeblock->height,
      .orientation = subband->orientation,
      .coding_passes = coding->coding_passes,
      .set = paco_coding_set (coding, encoder->header.set, subband->component),
      .counts = encoder->counts,
    };

    quantize_block (encoder, i, indices);
    paco_reference_encode_block (&block, indices,
        paco_policy_dropped_planes (encoder->format, encoder->parameters,
            coding, subband->component, subband->level, subband->orientation),
        encoder->parameters->complexity, record, encoder->payload);
    if (coding->block_checks && record->length > 0)
      record->check = paco_reference_check (
          encoder->payload->data + offset, record->length);
  }
}

static void
assemble_frame (Encoder *encoder, GByteArray *out)
{
  PacoHeader *header = &encoder->header;
  uint32_t n = encoder->geometry->n_blocks;
  uint8_t *index = g_malloc (MAX (PACO_MAX_INDEX_SIZE (n), 1));
  guint start = out->len;

  header->index_size = paco_index_write (
      encoder->records, n, header->coding.block_checks, index);
  header->index_crc = crc32 (0, index, header->index_size);
  header->header_size = paco_header_size (header);
  header->frame_size = header->header_size + header->index_size
      + encoder->payload->len;

  g_byte_array_set_size (out, start + header->header_size);
  paco_header_write (header, out->data + start);
  g_byte_array_append (out, index, header->index_size);
  g_byte_array_append (out, encoder->payload->data, encoder->payload->len);
  g_free (index);
}

static gboolean
set_up (Encoder *encoder, const PacoVideoInfo *video,
    const PacoProbabilitySet *carried_set, GError **error)
{
  PacoHeader *header = &encoder->header;

  if (encoder->parameters->rate_control == PACO_RATE_BITRATE) {
    g_set_error_literal (error, PACO_ERROR, PACO_ERROR_UNSUPPORTED,
        "the reference encoder does not do rate-control=bitrate yet");
    return FALSE;
  }
  header->picture = *encoder->format;
  header->video = *video;
  header->set = carried_set;
  return paco_policy_coding (
             encoder->format, encoder->parameters, &header->coding, error)
      && paco_header_check (header, error);
}

static void
encoder_clear (Encoder *encoder)
{
  for (unsigned field = 0; field < 2; field++)
    for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
      paco_reference_plane_clear (&encoder->planes[field][c]);
  paco_geometry_free (encoder->geometry);
  g_free (encoder->records);
  if (encoder->payload)
    g_byte_array_unref (encoder->payload);
}

gboolean
paco_reference_encode_counting (const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoVideoInfo *video,
    const PacoParameters *parameters, const PacoProbabilitySet *carried_set,
    PacoReferenceCounts *counts, GByteArray *out, GError **error)
{
  Encoder encoder = {
    .format = format, .parameters = parameters, .counts = counts
  };
  gboolean done = FALSE;

  if (!set_up (&encoder, video, carried_set, error))
    return FALSE;

  encoder.geometry = paco_geometry_new (format, &encoder.header.coding);
  encoder.records = g_new0 (PacoBlockRecord, encoder.geometry->n_blocks);
  encoder.payload = g_byte_array_new ();
  for (unsigned field = 0; field < encoder.geometry->n_fields; field++) {
    if (!transform_field (&encoder, picture, field)) {
      g_set_error_literal (error, PACO_ERROR, PACO_ERROR_MEMORY,
          "not enough memory for the coefficients of the picture");
      goto out;
    }
  }
  encode_blocks (&encoder);
  assemble_frame (&encoder, out);
  done = TRUE;
out:
  encoder_clear (&encoder);
  return done;
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

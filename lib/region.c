/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Decodes regions of pictures, for decoder.c (region.h). codec/wavelet.h says how
 * far filters reach. */
#include "lib/region.h"
#include "codec/wavelet.h"
#include <string.h>
#include <zlib.h>

PacoStatus
paco_region_format (const PacoPictureFormat *picture, unsigned reduce,
    const PacoCrop *crop, const PacoSampleLayout *layouts,
    PacoPictureFormat *format, PacoError *error)
{
  uint32_t width, height;

  paco_geometry_reduced_size (picture, reduce, &width, &height);
  if (crop->x >= width || crop->y >= height || crop->width > width - crop->x
      || crop->height > height - crop->y)
    return paco_error_set (error, PACO_STATUS_INVALID,
        "region=%u,%u,%u,%u does not lie in the picture of %u x %u", crop->x,
        crop->y, crop->width, crop->height, width, height);
  *format = *picture;
  format->width = crop->width;
  format->height = crop->height;
  for (unsigned c = 0; c < picture->n_components; c++) {
    const PacoComponent *component = &picture->components[c];
    unsigned columns = MAX (layouts[c].group_samples, 1u)
            * paco_layout_aligned_groups (&layouts[c])
        << component->subsampling_x;
    unsigned lines = paco_n_fields (picture) << component->subsampling_y;
    uint32_t all, part;

    if (crop->x % columns != 0 || crop->y % lines != 0)
      return paco_error_set (error, PACO_STATUS_INVALID,
          "region=%u,%u,%u,%u: for component %u x has to be a multiple of %u, "
          "and y of %u",
          crop->x, crop->y, crop->width, crop->height, c, columns, lines);
    paco_geometry_reduced_component (picture, c, reduce, &width, &all);
    paco_geometry_reduced_component (format, c, 0, &width, &part);
    if ((crop->y >> component->subsampling_y) + part > all)
      return paco_error_set (error, PACO_STATUS_UNSUPPORTED,
          "region=%u,%u,%u,%u: component %u has no lines for it", crop->x,
          crop->y, crop->width, crop->height, c);
  }
  return PACO_STATUS_OK;
}

/* --- blocks --- */

/* Says whether coefficients [first, first + n) of a direction, and those that `reach`
 * to them, show in [begin, end), each standing for `scale` samples. */
static bool
overlaps (uint32_t first, uint32_t n, int64_t reach, int64_t scale,
    uint64_t begin, uint64_t end)
{
  return (int64_t) begin < ((int64_t) first + n + reach) * scale
      && (int64_t) end > ((int64_t) first - reach) * scale;
}

static bool
shows (const PacoHeader *header, const PacoGeometry *geometry, uint32_t i,
    unsigned reduce, const PacoCrop *crop)
{
  const PacoCodeblock *block = &geometry->blocks[i];
  const PacoSubband *subband = &geometry->subbands[block->subband];
  const PacoComponent *component =
      &header->picture.components[subband->component];
  int64_t reach = paco_wavelet_shown_reach (
      header->coding.components[subband->component].wavelet);
  int64_t columns = INT64_C (1) << (subband->level + component->subsampling_x);
  int64_t lines = (INT64_C (1) << (subband->level + component->subsampling_y))
      * geometry->n_fields;

  return i < geometry->n_blocks_at[reduce]
      && overlaps (block->x, block->width, reach, columns,
          (uint64_t) crop->x << reduce,
          ((uint64_t) crop->x + crop->width) << reduce)
      && overlaps (block->y, block->height, reach, lines,
          (uint64_t) crop->y << reduce,
          ((uint64_t) crop->y + crop->height) << reduce);
}

size_t
paco_region_frame_size (const PacoCodedFrame *frame)
{
  const PacoHeader *header = &frame->header;

  return paco_header_size (header) + header->index_size
      + paco_header_payload_size (header);
}

PacoStatus
paco_region_frame (const PacoCodedFrame *frame, const PacoGeometry *geometry,
    unsigned reduce, const PacoCrop *crop, PacoBlockRecord *records,
    uint8_t *out, PacoError *error)
{
  PacoHeader header = frame->header;
  const uint8_t *payload = frame->data + header.header_size + header.index_size;
  uint8_t *index, *at;
  GError *failure = NULL;

  if (!paco_index_parse_frame (
          frame->data, &header, geometry, records, &failure))
    return paco_error_take (error, failure);
  for (uint32_t i = 0; i < geometry->n_blocks; i++)
    if (!shows (&header, geometry, i, reduce, crop))
      records[i] = (PacoBlockRecord){ 0 };
  header.coding.cut_points = false;
  header.video.attachment.size = 0;
  index = out + paco_header_size (&header);
  header.index_size = (uint32_t) paco_index_write (
      records, geometry->n_blocks, header.coding.block_checks, index);
  header.index_crc = (uint32_t) crc32 (0, index, header.index_size);
  at = index + header.index_size;
  for (uint32_t i = 0; i < geometry->n_blocks; i++) {
    memcpy (at, payload + records[i].offset, records[i].length);
    at += records[i].length;
  }
  header.frame_size = (uint32_t) (at - out);
  paco_header_write (&header, out);
  return PACO_STATUS_OK;
}

/* --- samples --- */

void
paco_region_copy (const PacoPictureFormat *picture, unsigned reduce,
    const PacoPicture *whole, const PacoCrop *crop,
    const PacoPictureFormat *format, const PacoPicture *destination)
{
  PacoRegion from[PACO_MAX_COMPONENTS], to[PACO_MAX_COMPONENTS];
  unsigned n = paco_picture_regions (format, destination, 0, to);

  paco_picture_regions (picture, whole, reduce, from);
  for (unsigned i = 0; i < n; i++) {
    unsigned c = to[i].components[0];
    const PacoComponent *component = &picture->components[c];
    uint32_t x = crop->x >> component->subsampling_x;
    uint32_t y = crop->y >> component->subsampling_y;
    const uint8_t *line = from[i].data + (ptrdiff_t) y * from[i].stride
        + (size_t) (x / whole->layout[c].group_samples) * to[i].group_bytes;

    for (uint32_t l = 0; l < to[i].lines; l++)
      memcpy (to[i].data + (ptrdiff_t) l * to[i].stride,
          line + (ptrdiff_t) l * from[i].stride, to[i].line_bytes);
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Parts of pictures; crop.h says for whom. wavelet.h says how far filters reach. */
#include "crop.h"
#include "wavelet.h"
#include <string.h>

#define LINE_ALIGNMENT 64

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

uint32_t
paco_crop_leave_out (const PacoHeader *header, const PacoGeometry *geometry,
    unsigned reduce, const PacoCrop *crop, PacoBlockRecord *records)
{
  uint32_t n_replaced = 0;

  for (uint32_t i = 0; i < geometry->n_blocks; i++)
    if (!shows (header, geometry, i, reduce, crop))
      records[i] = (PacoBlockRecord){ 0 };
    else if (records[i].replaced)
      n_replaced++;
  return n_replaced;
}

/* --- the whole picture --- */

void
paco_whole_place (PacoWhole *whole, const PacoPictureFormat *format,
    const PacoPicture *part, unsigned reduce)
{
  *whole = (PacoWhole){ .size = 0 };
  for (unsigned c = 0; c < format->n_components; c++) {
    unsigned owner = 0;
    uint32_t columns, lines;
    size_t bytes;

    while (part->data[owner] != part->data[c])
      owner++;
    whole->offset[c] = whole->offset[owner];
    whole->stride[c] = whole->stride[owner];
    if (owner < c)
      continue;
    paco_geometry_reduced_component (format, c, reduce, &columns, &lines);
    bytes = paco_layout_line_bytes (&part->layout[c], columns);
    bytes = (bytes + LINE_ALIGNMENT - 1) / LINE_ALIGNMENT * LINE_ALIGNMENT;
    whole->offset[c] = whole->size;
    whole->stride[c] = (ptrdiff_t) bytes;
    if (part->stride[c] < 0) {
      whole->offset[c] += (lines - 1) * bytes;
      whole->stride[c] = -whole->stride[c];
    }
    whole->size += lines * bytes;
  }
}

void
paco_whole_picture (const PacoWhole *whole, const PacoPicture *part,
    uint8_t *memory, PacoPicture *picture)
{
  *picture = *part;
  picture->crop = (PacoCrop){ 0 };
  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++) {
    picture->data[c] = memory + whole->offset[c];
    picture->stride[c] = whole->stride[c];
  }
}

size_t
paco_whole_offset (const PacoWhole *whole, const PacoPictureFormat *format,
    const PacoPicture *part, const PacoRegion *region)
{
  unsigned c = region->components[0];
  const PacoComponent *component = &format->components[c];
  uint32_t x = part->crop.x >> component->subsampling_x;
  uint32_t y = part->crop.y >> component->subsampling_y;

  return whole->offset[c] + (size_t) ((ptrdiff_t) y * whole->stride[c])
      + (size_t) (x / part->layout[c].group_samples) * region->group_bytes;
}

void
paco_whole_copy_part (const PacoWhole *whole, const PacoPictureFormat *format,
    const PacoPicture *part, const uint8_t *memory)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  unsigned n = paco_picture_regions (format, part, 0, regions);

  for (unsigned i = 0; i < n; i++) {
    const PacoRegion *to = &regions[i];
    const uint8_t *from = memory + paco_whole_offset (whole, format, part, to);
    ptrdiff_t stride = whole->stride[to->components[0]];

    for (uint32_t l = 0; l < to->lines; l++)
      memcpy (to->data + (ptrdiff_t) l * to->stride,
          from + (ptrdiff_t) l * stride, to->line_bytes);
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out which codeblocks lie outside of all areas that count more; areas.h says
 * for whom. It takes the reach of a wavelet from wavelet.h. */
#include "areas.h"
#include "wavelet.h"

/* Columns and lines of the picture; the end is not included. */
typedef struct
{
  int64_t left, top, right, bottom;
} Rectangle;

static Rectangle
shown_by (const PacoPictureFormat *picture, const PacoCoding *coding,
    const PacoGeometry *geometry, const PacoCodeblock *block)
{
  const PacoSubband *subband = &geometry->subbands[block->subband];
  const int64_t reach = paco_wavelet_shown_reach (
      coding->components[subband->component].wavelet);
  const PacoComponent *component = &picture->components[subband->component];
  int64_t columns = INT64_C (1) << (subband->level + component->subsampling_x);
  int64_t lines = (INT64_C (1) << (subband->level + component->subsampling_y))
      * geometry->n_fields;

  return (Rectangle){ .left = ((int64_t) block->x - reach) * columns,
    .top = ((int64_t) block->y - reach) * lines,
    .right = ((int64_t) block->x + block->width + reach) * columns,
    .bottom = ((int64_t) block->y + block->height + reach) * lines };
}

unsigned
paco_areas_planes (const PacoAreas *areas, const PacoPictureFormat *picture,
    const PacoCoding *coding, const PacoGeometry *geometry, uint32_t block,
    unsigned planes)
{
  const PacoSubband *subband =
      &geometry->subbands[geometry->blocks[block].subband];
  Rectangle shown;

  if (areas->n == 0 || planes == 0
      || paco_is_alpha (picture, subband->component))
    return 0;
  shown = shown_by (picture, coding, geometry, &geometry->blocks[block]);
  for (unsigned i = 0; i < areas->n; i++) {
    const PacoArea *area = &areas->areas[i];

    if (area->x < shown.right && (int64_t) area->x + area->width > shown.left
        && area->y < shown.bottom
        && (int64_t) area->y + area->height > shown.top)
      return 0;
  }
  return planes;
}

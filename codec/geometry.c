/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Lists subbands and codeblocks in the order of the codestream; geometry.h says for
 * whom. */
#include "geometry.h"

static unsigned
subband_entry (unsigned levels, unsigned level, unsigned orientation)
{
  if (orientation == PACO_ORIENTATION_LL)
    return 0;
  return 3 * (levels - level) + orientation;
}

void
paco_entry_subband (
    unsigned levels, unsigned entry, unsigned *level, unsigned *orientation)
{
  *level = entry == 0 ? levels : levels - (entry - 1) / 3;
  *orientation = entry == 0 ? PACO_ORIENTATION_LL
                            : PACO_ORIENTATION_HL + (entry - 1) % 3;
}

static void
set_resolutions (PacoGeometry *geometry, const PacoPictureFormat *picture)
{
  for (unsigned f = 0; f < geometry->n_fields; f++) {
    for (unsigned c = 0; c < geometry->n_components; c++) {
      uint32_t height = paco_component_height (picture, c);

      if (picture->fields)
        height = (height + 1 - f) / 2;
      for (unsigned level = 0; level <= geometry->levels; level++) {
        geometry->resolution[f][c][level].width = paco_ceil_shift (
            paco_component_width (picture, c), level);
        geometry->resolution[f][c][level].height = paco_ceil_shift (
            height, level);
      }
    }
  }
}

static void
add_subband (PacoGeometry *geometry, const PacoCoding *coding, unsigned field,
    unsigned component, unsigned level, unsigned orientation)
{
  PacoSubband *subband = &geometry->subbands[geometry->n_subbands++];
  unsigned entry = subband_entry (geometry->levels, level, orientation);
  unsigned parent = level > 0 ? level - 1 : 0;
  uint32_t width = geometry->resolution[field][component][level].width;
  uint32_t height = geometry->resolution[field][component][level].height;

  if (orientation & 1)
    width = geometry->resolution[field][component][parent].width - width;
  if (orientation & 2)
    height = geometry->resolution[field][component][parent].height - height;

  *subband = (PacoSubband){
    .field = field,
    .component = component,
    .level = level,
    .orientation = orientation,
    .entry = entry,
    .block_height = 32 << coding->subbands[component][entry].height_log2,
    .width = width,
    .height = height,
    .first_block = geometry->n_blocks,
  };
  if (width > 0 && height > 0) {
    subband->blocks_x = (width + PACO_BLOCK_WIDTH - 1) / PACO_BLOCK_WIDTH;
    subband->blocks_y = (height + subband->block_height - 1)
        / subband->block_height;
  }
  geometry->n_blocks += subband->blocks_x * subband->blocks_y;
}

/* Adds one resolution of all fields and components: LL, or the three high subbands of
 * a level. */
static void
add_resolution (PacoGeometry *geometry, const PacoCoding *coding,
    unsigned level, unsigned first_orientation, unsigned last_orientation)
{
  for (unsigned f = 0; f < geometry->n_fields; f++)
    for (unsigned c = 0; c < geometry->n_components; c++)
      for (unsigned o = first_orientation; o <= last_orientation; o++)
        add_subband (geometry, coding, f, c, level, o);
}

static void
list_blocks (PacoGeometry *geometry)
{
  PacoCodeblock *block;

  geometry->blocks = g_new (PacoCodeblock, geometry->n_blocks);
  block = geometry->blocks;
  for (uint32_t s = 0; s < geometry->n_subbands; s++) {
    const PacoSubband *subband = &geometry->subbands[s];

    for (uint32_t by = 0; by < subband->blocks_y; by++) {
      for (uint32_t bx = 0; bx < subband->blocks_x; bx++) {
        uint32_t x = bx * PACO_BLOCK_WIDTH, y = by * subband->block_height;

        *block++ = (PacoCodeblock){
          .subband = s,
          .x = x,
          .y = y,
          .width = MIN (subband->width - x, PACO_BLOCK_WIDTH),
          .height = MIN (subband->height - y, subband->block_height),
        };
      }
    }
  }
}

PacoGeometry *
paco_geometry_new (const PacoPictureFormat *picture, const PacoCoding *coding)
{
  PacoGeometry *geometry = g_new0 (PacoGeometry, 1);
  unsigned levels = coding->levels;

  geometry->n_fields = paco_n_fields (picture);
  geometry->n_components = picture->n_components;
  geometry->levels = levels;
  geometry->subbands = g_new (PacoSubband,
      geometry->n_fields * geometry->n_components * (3 * levels + 1));
  set_resolutions (geometry, picture);

  add_resolution (
      geometry, coding, levels, PACO_ORIENTATION_LL, PACO_ORIENTATION_LL);
  geometry->n_blocks_at[levels] = geometry->n_blocks;
  for (unsigned level = levels; level > 0; level--) {
    add_resolution (
        geometry, coding, level, PACO_ORIENTATION_HL, PACO_ORIENTATION_HH);
    geometry->n_blocks_at[level - 1] = geometry->n_blocks;
  }
  list_blocks (geometry);
  return geometry;
}

void
paco_geometry_free (PacoGeometry *geometry)
{
  if (geometry) {
    g_free (geometry->subbands);
    g_free (geometry->blocks);
    g_free (geometry);
  }
}

const PacoSubband *
paco_geometry_subband (const PacoGeometry *geometry, unsigned field,
    unsigned component, unsigned level, unsigned orientation)
{
  unsigned pairs = geometry->n_fields * geometry->n_components;
  unsigned pair = field * geometry->n_components + component;

  if (orientation == PACO_ORIENTATION_LL)
    return &geometry->subbands[pair];
  return &geometry->subbands[pairs
      + 3 * (pairs * (geometry->levels - level) + pair) + orientation - 1];
}

void
paco_geometry_reduced_component (const PacoPictureFormat *picture,
    unsigned component, unsigned reduce, uint32_t *width, uint32_t *height)
{
  uint32_t lines = paco_component_height (picture, component);

  *width = paco_ceil_shift (paco_component_width (picture, component), reduce);
  if (picture->fields)
    *height = paco_ceil_shift ((lines + 1) / 2, reduce)
        + paco_ceil_shift (lines / 2, reduce);
  else
    *height = paco_ceil_shift (lines, reduce);
}

void
paco_geometry_reduced_size (const PacoPictureFormat *picture, unsigned reduce,
    uint32_t *width, uint32_t *height)
{
  paco_geometry_reduced_component (picture, 0, reduce, width, height);
  *width <<= picture->components[0].subsampling_x;
  *height <<= picture->components[0].subsampling_y;
}

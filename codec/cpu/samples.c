/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Moves samples between memory and the lines that the wavelet works on; samples.h says
 * for whom. The operations on lines are those of rows.h. */
#include "codec/cpu/samples.h"
#include "codec/geometry.h"
#include "codec/wavelet.h"

/* Says whether two components have lines of one length that one wavelet filters. */
static bool
are_alike (const PacoPictureFormat *format, const PacoCoding *coding,
    unsigned a, unsigned b)
{
  return format->components[a].subsampling_x
      == format->components[b].subsampling_x
      && format->components[a].subsampling_y
      == format->components[b].subsampling_y
      && coding->components[a].wavelet == coding->components[b].wavelet;
}

/* Returns how many components are moved together with component `first`. */
static unsigned
set_size (const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoCoding *coding, unsigned first)
{
  unsigned n = 1;

  if (first == 0 && paco_color_transform_is_of_pixels (coding->color_transform))
    n = 3;
  while (first + n < format->n_components
      && picture->data[first] == picture->data[first + n]
      && are_alike (format, coding, first, first + n))
    n++;
  return n;
}

void
paco_samples_split (PacoSampleSets *sets, const PacoPictureFormat *format,
    const PacoPicture *picture, const PacoCoding *coding, unsigned reduce)
{
  unsigned n_regions = paco_picture_regions (
      format, picture, reduce, sets->regions);
  unsigned set_of[PACO_MAX_COMPONENTS] = { 0 };

  sets->n_sets = 0;
  sets->in_turn = false;
  for (unsigned c = 0, n; c < format->n_components; c += n) {
    PacoSamples *set = &sets->sets[sets->n_sets];

    n = set_size (format, picture, coding, c);
    *set = (PacoSamples){
      .first = c,
      .n = n,
      .reversible = paco_is_reversible (coding, c),
    };
    if (c == 0 && paco_color_transform_is_of_pixels (coding->color_transform)) {
      set->color_transform = coding->color_transform;
      set->fit = paco_fit (coding->parameters);
      for (unsigned inverse = 0; inverse < 2; inverse++)
        paco_color_matrix (coding, inverse, set->matrix[inverse]);
    }
    for (unsigned i = c; i < c + n; i++)
      set_of[i] = sets->n_sets;
    sets->n_sets++;
  }
  for (unsigned r = 0; r < n_regions; r++) {
    const PacoRegion *region = &sets->regions[r];
    unsigned first = region->components[0];

    sets->sets[set_of[first]].begins[first] = region;
    for (unsigned i = 0; i < region->n_components; i++) {
      unsigned c = region->components[i];
      uint32_t columns, lines;

      paco_geometry_reduced_component (format, c, reduce, &columns, &lines);
      paco_layout_plan (&sets->sets[set_of[c]].plans[c], &picture->layout[c],
          format->components[c].depth, columns, region->line_bytes);
      sets->in_turn |= set_of[c] != set_of[first];
    }
  }
}

static uint8_t *
line_address (const PacoSamples *samples, unsigned c, uint32_t y)
{
  const PacoPicture *picture = samples->picture;
  ptrdiff_t line = samples->format->fields ? 2 * (ptrdiff_t) y + samples->field
                                           : (ptrdiff_t) y;

  return picture->data[c] + line * picture->stride[c];
}

static void
look_up (const uint16_t *map, int32_t half, uint32_t n, PacoWord *line)
{
  for (uint32_t i = 0; i < n; i++)
    line[i] = (uint32_t) (map[(int32_t) line[i] + half] - half);
}

void
paco_samples_map (
    const PacoSampleMap *map, bool back, uint32_t n, PacoWord *line)
{
  int32_t half = (int32_t) (map->n / 2);

  for (uint32_t i = 0; back && i < n; i++)
    line[i] = (uint32_t) CLAMP ((int32_t) line[i], -half, half - 1);
  look_up (back ? map->back : map->forward, half, n, line);
}

void
paco_samples_load (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[])
{
  const PacoSamples *samples = data;
  const PacoRowOps *ops = samples->ops;

  for (unsigned i = 0; i < samples->n; i++) {
    unsigned c = samples->first + i;

    const PacoSampleMap *map = samples->maps->of[c];

    ops->load (
        line_address (samples, c, y), &samples->plans[c], x, n, lines[i]);
    if (map)
      paco_samples_map (map, false, n, lines[i]);
  }
  if (samples->color_transform == PACO_COLOR_TRANSFORM_RCT)
    ops->forward_rct (lines[0], lines[1], lines[2], n);
  if (samples->color_transform == PACO_COLOR_TRANSFORM_RCT2)
    ops->forward_rct2 (lines[0], lines[1], lines[2], n);
  if (samples->color_transform == PACO_COLOR_TRANSFORM_FIT)
    ops->forward_fit (lines, n, &samples->fit);
  if (samples->reversible)
    return;
  for (unsigned i = 0; i < samples->n; i++)
    ops->to_float (lines[i], n);
  if (paco_color_transform_is_matrix (samples->color_transform))
    ops->forward_matrix (lines, n, samples->matrix[0]);
}

/* Rounds lines to integers. Reversible color transforms mix these before they are
 * clamped to the range of samples, so they need their whole range. */
static void
round_lines (const PacoSamples *samples, uint32_t n, PacoWord *const lines[])
{
  const PacoRowOps *ops = samples->ops;

  for (unsigned i = 0; i < samples->n && samples->gain != 1.0f; i++)
    ops->scale (lines[i], n, samples->gain);
  if (paco_color_transform_is_matrix (samples->color_transform))
    ops->inverse_matrix (lines, n, samples->matrix[1]);
  for (unsigned i = 0; i < samples->n; i++) {
    if (i < 3 && paco_color_transforms[samples->color_transform].mixes_integers)
      ops->to_int (lines[i], n);
    else
      ops->to_sample (lines[i], n);
  }
}

void
paco_samples_store (const void *data, uint32_t x, uint32_t y, uint32_t n,
    PacoWord *const lines[])
{
  const PacoSamples *samples = data;
  const PacoRowOps *ops = samples->ops;

  if (!samples->reversible)
    round_lines (samples, n, lines);
  if (samples->color_transform == PACO_COLOR_TRANSFORM_RCT)
    ops->inverse_rct (lines[0], lines[1], lines[2], n);
  if (samples->color_transform == PACO_COLOR_TRANSFORM_RCT2)
    ops->inverse_rct2 (lines[0], lines[1], lines[2], n);
  if (samples->color_transform == PACO_COLOR_TRANSFORM_FIT)
    ops->inverse_fit (lines, n, &samples->fit);
  for (unsigned i = 0; i < samples->n; i++) {
    unsigned c = samples->first + i;
    const PacoRegion *region = samples->begins[c];
    const PacoSampleMap *map = samples->maps->of[c];

    if (map)
      paco_samples_map (map, true, n, lines[i]);
    ops->store (lines[i], x, n, &samples->plans[c],
        region ? region->blank : NULL, line_address (samples, c, y));
  }
}

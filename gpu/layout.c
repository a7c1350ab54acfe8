/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out which kernels of kernels/layout.cu a picture needs, and enqueues them;
 * layout.h says for whom. */
#include "gpu/layout.h"
#include "codec/geometry.h"
#include <string.h>

/* --- The kernels --- */

static const struct
{
  uint8_t group_bytes, word_bytes, first_samples;
} packed[PACO_LAYOUT_N_PACKED] = {
  [PACO_LAYOUT_2_8_1] = { 2, 1, 1 },
  [PACO_LAYOUT_2_16_1] = { 2, 2, 1 },
  [PACO_LAYOUT_3_8_1] = { 3, 1, 1 },
  [PACO_LAYOUT_4_8_1] = { 4, 1, 1 },
  [PACO_LAYOUT_4_8_2] = { 4, 1, 2 },
  [PACO_LAYOUT_4_16_1] = { 4, 2, 1 },
  [PACO_LAYOUT_8_16_1] = { 8, 2, 1 },
  [PACO_LAYOUT_8_16_2] = { 8, 2, 2 },
};

static void
print_kind (unsigned kernel, char *kind, size_t size)
{
  if (kernel < PACO_LAYOUT_N_PACKED)
    g_snprintf (kind, size, "%u_%u_%u", packed[kernel].group_bytes,
        8 * packed[kernel].word_bytes, packed[kernel].first_samples);
  else
    g_strlcpy (kind, kernel == PACO_LAYOUT_V210 ? "v210" : "any", size);
}

gboolean
paco_layout_find_kernels (
    PacoLayoutKernels *kernels, const PacoModule *module, GError **error)
{
  for (unsigned direction = 0; direction < 2; direction++) {
    for (unsigned i = 0; i < PACO_LAYOUT_N_KERNELS; i++) {
      char name[40], kind[16];

      print_kind (i, kind, sizeof kind);
      g_snprintf (name, sizeof name, "layout_%s_%s",
          direction == PACO_LAYOUT_LOAD ? "load" : "store", kind);
      if (!paco_module_function (
              module, name, &kernels->functions[direction][i], error))
        return FALSE;
    }
  }
  kernels->early = paco_module_can_be_early (module, kernels->functions[0][0]);
  return TRUE;
}

/* --- Planes --- */

void
paco_sample_planes_init (PacoSamplePlanes *planes,
    const PacoPictureFormat *format, unsigned reduce, bool triple)
{
  *planes = (PacoSamplePlanes){
    .format = *format,
    .reduce = reduce,
    .triple = triple,
    .word_bytes = 1,
  };
  for (unsigned c = 0; c < format->n_components; c++)
    if (format->components[c].depth > 8)
      planes->word_bytes = 2;
  for (unsigned c = 0; c < format->n_components; c++) {
    size_t bytes;

    paco_geometry_reduced_component (
        format, c, reduce, &planes->columns[c], &planes->lines[c]);
    bytes = (size_t) planes->columns[c] * planes->word_bytes;
    planes->offset[c] = planes->size;
    planes->stride[c] = (bytes + PACO_LAYOUT_PLANE_ALIGNMENT - 1)
        / PACO_LAYOUT_PLANE_ALIGNMENT * PACO_LAYOUT_PLANE_ALIGNMENT;
    planes->size += planes->stride[c] * planes->lines[c];
  }
}

/* Says whether the transform can read and write a component where it is: its words
 * have no bits of other components, and the bits beside the sample are 0. */
static bool
is_planar (
    const PacoSamplePlanes *planes, const PacoPicture *picture, unsigned c)
{
  const PacoSampleLayout *layout = &picture->layout[c];
  unsigned depth = planes->format.components[c].depth;
  uint64_t alignment = (uintptr_t) picture->data[c]
      | (uint64_t) picture->stride[c];

  for (unsigned other = 0; other < planes->format.n_components; other++)
    if (other != c && picture->data[other] == picture->data[c])
      return false;
  return paco_layout_is_planar (layout) && layout->word_bytes <= 2
      && (layout->word_bytes == 1 || !layout->big_endian)
      && (layout->fill == 0 || depth == 8u * layout->word_bytes)
      && alignment % (4 * layout->word_bytes) == 0;
}

/* Returns the components that go through planes, as bits. Those that the color
 * transform mixes are either all planar, and alike, or all go through planes. */
static unsigned
components_in_planes (
    const PacoSamplePlanes *planes, const PacoPicture *picture)
{
  const PacoSampleLayout *layouts = picture->layout;
  unsigned in_planes = 0;

  for (unsigned c = 0; c < planes->format.n_components; c++)
    if (!is_planar (planes, picture, c))
      in_planes |= 1u << c;
  for (unsigned c = 1; planes->triple && c < 3; c++)
    if (layouts[c].word_bytes != layouts[0].word_bytes
        || layouts[c].places[0].shift != layouts[0].places[0].shift)
      in_planes |= 7;
  return planes->triple && (in_planes & 7) ? in_planes | 7 : in_planes;
}

/* --- Launches --- */

static PacoLayoutPlace
describe_place (const PacoSampleLayout *layout, unsigned sample)
{
  const PacoSamplePlace *place = &layout->places[sample];
  PacoLayoutPlace told = { .byte = place->byte, .shift = place->shift };

  told.give[0] = told.give[1] = 0x4444; /* bytes of the 0 */
  /* Kernels of larger groups use byte and shift instead of selectors. */
  if (layout->group_bytes > 8)
    return told;
  for (unsigned i = 0; i < layout->word_bytes; i++) {
    unsigned from = layout->big_endian ? layout->word_bytes - 1 - i : i;
    unsigned byte = place->byte + from;

    told.take |= byte << 4 * i;
    told.give[byte / 4] &= ~(0xfu << 4 * (byte % 4));
    told.give[byte / 4] |= i << 4 * (byte % 4);
  }
  return told;
}

static void
describe_component (PacoLayoutComponent *told, const PacoSamplePlanes *planes,
    const PacoSampleLayout *layout, CUdeviceptr memory, unsigned c)
{
  *told = (PacoLayoutComponent){
    .plane = memory + planes->offset[c],
    .plane_stride = planes->stride[c],
    .columns = planes->columns[c],
    .mask = (1u << planes->format.components[c].depth) - 1,
    .group_samples = layout->group_samples,
    .word_bytes = layout->word_bytes,
    .big_endian = layout->big_endian,
  };
  for (unsigned i = 0; i < layout->group_samples; i++)
    told->places[i] = describe_place (layout, i);
}

static bool
is_v210 (const PacoRegion *region, const PacoLayoutParameters *parameters)
{
  /* A group is U, Y, V, Y, U, Y, V, Y, U, Y, V, Y, three samples to a word. These
   * are the numbers that the samples of Y, of U and of V have in it. */
  static const uint8_t numbers[3][6] = { { 1, 3, 5, 7, 9, 11 }, { 0, 4, 8 },
    { 2, 6, 10 } };

  if (region->group_bytes != 16 || region->n_components != 3
      || parameters->plane_bytes != 2 || parameters->alignment < 16)
    return false;
  for (unsigned c = 0; c < 3; c++) {
    const PacoLayoutComponent *component = &parameters->components[c];

    if (component->group_samples != (c == 0 ? 6 : 3)
        || component->word_bytes != 4 || component->big_endian
        || component->mask != 1023)
      return false;
    for (unsigned i = 0; i < component->group_samples; i++)
      if (component->places[i].byte != numbers[c][i] / 3 * 4
          || component->places[i].shift != numbers[c][i] % 3 * 10)
        return false;
  }
  return true;
}

static unsigned
find_kernel (const PacoRegion *region, const PacoLayoutParameters *parameters)
{
  const PacoLayoutComponent *components = parameters->components;

  if (region->swap_words
      || region->line_bytes < (size_t) region->groups * region->group_bytes)
    return PACO_LAYOUT_ANY;
  if (is_v210 (region, parameters))
    return PACO_LAYOUT_V210;
  if (parameters->alignment < 4)
    return PACO_LAYOUT_ANY;
  for (unsigned c = 1; c < parameters->n_components; c++)
    if (components[c].group_samples != 1)
      return PACO_LAYOUT_ANY;
  for (unsigned i = 0; i < PACO_LAYOUT_N_PACKED; i++)
    if (packed[i].group_bytes == parameters->group_bytes
        && packed[i].word_bytes == parameters->plane_bytes
        && packed[i].first_samples == components[0].group_samples)
      return i;
  return PACO_LAYOUT_ANY;
}

static unsigned
divide_up (unsigned n, unsigned by)
{
  return (n + by - 1) / by;
}

static void
describe_launch (PacoLayoutLaunch *launch, const PacoSamplePlanes *planes,
    const PacoPicture *picture, const PacoRegion *region, CUdeviceptr memory)
{
  PacoLayoutParameters *parameters = &launch->parameters;
  uint64_t alignment = (uintptr_t) region->data | (uint64_t) region->stride;
  unsigned groups_x, lines_y = PACO_LAYOUT_THREADS / PACO_LAYOUT_LANES;

  *parameters = (PacoLayoutParameters){
    .address = (uintptr_t) region->data,
    .stride = region->stride,
    .n_groups = region->groups,
    .n_lines = region->lines,
    .line_bytes = region->line_bytes,
    .group_bytes = region->group_bytes,
    .n_components = region->n_components,
    .plane_bytes = planes->word_bytes,
    .swap_words = region->swap_words,
    .alignment = alignment % 16 == 0 ? 16
        : alignment % 4 == 0         ? 4
                                     : 1,
  };
  for (unsigned i = 0; i < region->group_bytes; i++)
    parameters->blank[i / 4] |= (uint32_t) region->blank[i] << 8 * (i % 4);
  for (unsigned i = 0; i < region->n_components; i++) {
    unsigned c = region->components[i];

    describe_component (
        &parameters->components[i], planes, &picture->layout[c], memory, c);
  }
  launch->kernel = find_kernel (region, parameters);
  if (launch->kernel == PACO_LAYOUT_ANY) {
    groups_x = PACO_LAYOUT_THREADS;
    lines_y = 1;
  } else if (launch->kernel == PACO_LAYOUT_V210) {
    groups_x = PACO_LAYOUT_V210_GROUPS;
  } else {
    groups_x = PACO_LAYOUT_LANES
        * (PACO_LAYOUT_UNIT_BYTES (region->group_bytes) / region->group_bytes);
  }
  launch->grid_x = divide_up (region->groups, groups_x);
  launch->grid_y = divide_up (region->lines, lines_y);
}

/* Puts a component of the picture into its plane. */
static void
replace_component (PacoPicture *planar, const PacoSamplePlanes *planes,
    CUdeviceptr memory, unsigned c)
{
  planar->data[c] = (uint8_t *) (uintptr_t) (memory + planes->offset[c]);
  planar->stride[c] = planes->stride[c];
  planar->layout[c] = (PacoSampleLayout) PACO_LAYOUT_PLANAR (
      planes->word_bytes);
}

unsigned
paco_layout_launches (const PacoSamplePlanes *planes,
    const PacoPicture *picture, CUdeviceptr memory, PacoPicture *planar,
    PacoLayoutLaunch launches[PACO_MAX_COMPONENTS])
{
  unsigned in_planes = components_in_planes (planes, picture);
  PacoRegion regions[PACO_MAX_COMPONENTS];
  unsigned n_regions, n = 0;

  *planar = *picture;
  if (in_planes == 0)
    return 0;
  n_regions = paco_picture_regions (
      &planes->format, picture, planes->reduce, regions);
  for (unsigned i = 0; i < n_regions; i++) {
    if (!(in_planes >> regions[i].components[0] & 1))
      continue;
    describe_launch (&launches[n++], planes, picture, &regions[i], memory);
    for (unsigned k = 0; k < regions[i].n_components; k++)
      replace_component (planar, planes, memory, regions[i].components[k]);
  }
  return n;
}

gboolean
paco_layout_enqueue (const PacoCudaContext *context,
    const PacoLayoutKernels *kernels, PacoLayoutDirection direction,
    const PacoLayoutLaunch *launches, unsigned n, bool follows_kernel,
    CUstream stream, GError **error)
{
  for (unsigned i = 0; i < n; i++) {
    bool early = kernels->early && (i > 0 || follows_kernel);

    if (!(early ? paco_module_launch_early : paco_module_launch) (context,
            kernels->functions[direction][launches[i].kernel],
            launches[i].grid_x, launches[i].grid_y, 1, PACO_LAYOUT_THREADS, 0,
            stream, &launches[i].parameters, error))
      return FALSE;
  }
  return TRUE;
}

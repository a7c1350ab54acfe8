/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Finds out which kernels of kernels/layout.cu a picture needs, and enqueues them. */
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
  [PACO_LAYOUT_4_8_1] = { 4, 1, 1 },
  [PACO_LAYOUT_4_8_2] = { 4, 1, 2 },
  [PACO_LAYOUT_4_16_1] = { 4, 2, 1 },
  [PACO_LAYOUT_8_16_1] = { 8, 2, 1 },
  [PACO_LAYOUT_8_16_2] = { 8, 2, 2 },
};

#define STRINGS_BEGIN PACO_LAYOUT_N_PACKED

static const struct
{
  uint8_t slot_bits, n_components;
} strings[] = {
  [PACO_LAYOUT_STRING_8_3 - STRINGS_BEGIN] = { 8, 3 },
  [PACO_LAYOUT_STRING_10_1 - STRINGS_BEGIN] = { 10, 1 },
  [PACO_LAYOUT_STRING_10_3 - STRINGS_BEGIN] = { 10, 3 },
  [PACO_LAYOUT_STRING_10_4 - STRINGS_BEGIN] = { 10, 4 },
  [PACO_LAYOUT_STRING_12_1 - STRINGS_BEGIN] = { 12, 1 },
  [PACO_LAYOUT_STRING_12_3 - STRINGS_BEGIN] = { 12, 3 },
  [PACO_LAYOUT_STRING_12_4 - STRINGS_BEGIN] = { 12, 4 },
  [PACO_LAYOUT_STRING_16_3 - STRINGS_BEGIN] = { 16, 3 },
};

static bool
is_string (unsigned kernel)
{
  return kernel >= STRINGS_BEGIN && kernel < PACO_LAYOUT_STRINGS_END;
}

static void
print_kind (unsigned kernel, char *kind, size_t size)
{
  if (kernel < PACO_LAYOUT_N_PACKED)
    g_snprintf (kind, size, "%u_%u_%u", packed[kernel].group_bytes,
        8 * packed[kernel].word_bytes, packed[kernel].first_samples);
  else if (is_string (kernel))
    g_snprintf (kind, size, "string_%u_%u",
        strings[kernel - STRINGS_BEGIN].slot_bits,
        strings[kernel - STRINGS_BEGIN].n_components);
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
  return paco_module_function (
      module, "layout_mosaic", &kernels->mosaic, error);
}

/* --- Planes --- */

void
paco_sample_planes_init (PacoSamplePlanes *planes,
    const PacoPictureFormat *format, unsigned reduce,
    PacoColorTransform color_transform)
{
  *planes = (PacoSamplePlanes){
    .format = *format,
    .reduce = reduce,
    .color_transform = (uint8_t) color_transform,
    .word_bytes = color_transform == PACO_COLOR_TRANSFORM_MOSAIC ? 2 : 1,
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

/* True if the transform can access a component where it is: its words have no bits of
 * other components, and unused bits are 0. */
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

/* Components that go through planes, as bits. Those that the color transform mixes are
 * all planar, and alike, or all go through planes, where those of a mosaic are mixed. */
static unsigned
components_in_planes (
    const PacoSamplePlanes *planes, const PacoPicture *picture, unsigned mapped)
{
  const PacoSampleLayout *layouts = picture->layout;
  bool triple = paco_color_transform_is_of_pixels (planes->color_transform);
  unsigned in_planes = mapped;

  if (planes->color_transform == PACO_COLOR_TRANSFORM_MOSAIC)
    return 15;
  for (unsigned c = 0; c < planes->format.n_components; c++)
    if (!is_planar (planes, picture, c))
      in_planes |= 1u << c;
  for (unsigned c = 1; triple && c < 3; c++)
    if (layouts[c].word_bytes != layouts[0].word_bytes
        || layouts[c].places[0].shift != layouts[0].places[0].shift)
      in_planes |= 7;
  return triple && (in_planes & 7) ? in_planes | 7 : in_planes;
}

/* --- Launches --- */

static PacoLayoutPlace
describe_place (const PacoSampleLayout *layout, unsigned sample)
{
  const PacoSamplePlace *place = &layout->places[sample];
  PacoLayoutPlace result = { .byte = place->byte, .shift = place->shift };

  result.give[0] = result.give[1] = 0x4444; /* bytes of the 0 */
  /* Kernels of larger groups use byte and shift instead of selectors. */
  if (layout->group_bytes > 8)
    return result;
  for (unsigned i = 0; i < layout->word_bytes; i++) {
    unsigned from = layout->big_endian ? layout->word_bytes - 1 - i : i;
    unsigned byte = place->byte + from;

    result.take |= byte << 4 * i;
    result.give[byte / 4] &= ~(0xfu << 4 * (byte % 4));
    result.give[byte / 4] |= i << 4 * (byte % 4);
  }
  return result;
}

static void
describe_component (PacoLayoutComponent *result, const PacoSamplePlanes *planes,
    const PacoSampleLayout *layout, CUdeviceptr memory, unsigned c)
{
  *result = (PacoLayoutComponent){
    .plane = memory + planes->offset[c],
    .plane_stride = planes->stride[c],
    .columns = planes->columns[c],
    .mask = (1u << planes->format.components[c].depth) - 1,
    .group_samples = layout->group_samples,
    .word_bytes = layout->word_bytes,
    .big_endian = layout->big_endian,
  };
  for (unsigned i = 0; i < layout->group_samples; i++)
    result->places[i] = describe_place (layout, i);
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

/* --- Strings (kernels/layout_strings.cuh) --- */

/* How many bytes words of a component must have to be flipped, so that it is bits of a
 * string; 0: it never is. */
static unsigned
flipped_bytes (const PacoRegion *region, const PacoLayoutComponent *component)
{
  unsigned bytes = component->big_endian ? component->word_bytes : 1;

  if (region->swap_words)
    return bytes == 1 ? 4 : 0;
  for (unsigned i = 0; i < component->group_samples; i++)
    if (component->places[i].byte % bytes != 0)
      return 0;
  return region->group_bytes % bytes == 0 ? bytes : 0;
}

static unsigned
first_bit (const PacoLayoutComponent *component, unsigned sample)
{
  return 8 * component->places[sample].byte + component->places[sample].shift;
}

/* True if samples of a component have slots of slot_bits bits, one in each pixel, and
 * lie in them as those of another one. */
static bool
has_slots (const PacoLayoutComponent *component,
    const PacoLayoutComponent *other, unsigned slot_bits, unsigned pixel_bits)
{
  unsigned slot = first_bit (component, 0) / slot_bits * slot_bits;
  unsigned shift = first_bit (component, 0) - slot;

  if (component->group_samples != other->group_samples
      || component->mask != other->mask
      || shift != first_bit (other, 0) % slot_bits || slot >= pixel_bits
      || (uint64_t) component->mask << shift >> slot_bits != 0)
    return false;
  for (unsigned i = 1; i < component->group_samples; i++)
    if (first_bit (component, i) != first_bit (component, 0) + i * pixel_bits)
      return false;
  return true;
}

static bool
is_string_of (const PacoRegion *region, const PacoLayoutParameters *parameters,
    unsigned slot_bits)
{
  const PacoLayoutComponent *components = parameters->components;
  unsigned pixel_bits = slot_bits * region->n_components;
  unsigned flipped = flipped_bytes (region, &components[0]);

  if (8 * region->group_bytes != components[0].group_samples * pixel_bits
      || parameters->plane_bytes != (slot_bits > 8 ? 2 : 1) || flipped == 0)
    return false;
  for (unsigned c = 0; c < region->n_components; c++)
    if (flipped_bytes (region, &components[c]) != flipped
        || !has_slots (&components[c], &components[0], slot_bits, pixel_bits))
      return false;
  return true;
}

static void
describe_string (const PacoRegion *region, PacoLayoutParameters *parameters,
    unsigned slot_bits)
{
  PacoLayoutComponent components[PACO_MAX_COMPONENTS];

  memcpy (components, parameters->components, sizeof components);
  parameters->flip = flipped_bytes (region, &components[0]) - 1;
  parameters->slot_shift = first_bit (&components[0], 0) % slot_bits;
  if (parameters->blank[0] != 0)
    parameters->slot_blank = ((1u << slot_bits) - 1)
        & ~(components[0].mask << parameters->slot_shift);
  for (unsigned c = 0; c < region->n_components; c++)
    parameters->components[first_bit (&components[c], 0) / slot_bits] =
        components[c];
}

/* --- Which kernel --- */

static unsigned
find_kernel (const PacoRegion *region, const PacoLayoutParameters *parameters)
{
  const PacoLayoutComponent *components = parameters->components;

  if (parameters->alignment < 4 || region->csi2)
    return PACO_LAYOUT_ANY;
  for (unsigned i = STRINGS_BEGIN; i < PACO_LAYOUT_STRINGS_END; i++)
    if (strings[i - STRINGS_BEGIN].n_components == region->n_components
        && is_string_of (
            region, parameters, strings[i - STRINGS_BEGIN].slot_bits))
      return i;
  if (region->swap_words
      || region->line_bytes < (size_t) region->groups * region->group_bytes)
    return PACO_LAYOUT_ANY;
  if (is_v210 (region, parameters))
    return PACO_LAYOUT_V210;
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
set_grid (PacoLayoutLaunch *launch, const PacoRegion *region)
{
  unsigned bytes_x, lines_y = PACO_LAYOUT_THREADS / PACO_LAYOUT_LANES;

  if (launch->kernel == PACO_LAYOUT_ANY) {
    bytes_x = PACO_LAYOUT_THREADS * region->group_bytes;
    lines_y = 1;
  } else if (launch->kernel == PACO_LAYOUT_V210) {
    bytes_x = PACO_LAYOUT_V210_GROUPS * region->group_bytes;
  } else if (is_string (launch->kernel)) {
    unsigned bits = strings[launch->kernel - STRINGS_BEGIN].slot_bits;

    describe_string (region, &launch->parameters, bits);
    bytes_x = PACO_LAYOUT_LANES
        * PACO_LAYOUT_UNIT_PIXELS (bits, region->n_components) * bits
        * region->n_components / 8;
  } else {
    bytes_x = PACO_LAYOUT_LANES * PACO_LAYOUT_UNIT_BYTES;
  }
  launch->grid_x = divide_up (region->line_bytes, bytes_x);
  launch->grid_y = divide_up (region->lines, lines_y);
}

static void
describe_launch (PacoLayoutLaunch *launch, const PacoSamplePlanes *planes,
    const PacoPicture *picture, const PacoRegion *region, CUdeviceptr memory)
{
  PacoLayoutParameters *parameters = &launch->parameters;
  uint64_t alignment = (uintptr_t) region->data | (uint64_t) region->stride;

  *parameters = (PacoLayoutParameters){
    .address = (uintptr_t) region->data,
    .stride = region->stride,
    .n_groups = region->groups,
    .n_lines = region->lines,
    .line_bytes = region->line_bytes,
    .group_bytes = region->group_bytes,
    .n_components = region->n_components,
    .plane_bytes = planes->word_bytes,
    .csi2 = region->csi2,
    .flip = region->swap_words ? 3 : 0,
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
  set_grid (launch, region);
}

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
    const PacoPicture *picture, unsigned mapped, CUdeviceptr memory,
    PacoPicture *planar, PacoLayoutLaunch launches[PACO_MAX_COMPONENTS])
{
  unsigned in_planes = components_in_planes (planes, picture, mapped);
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
    describe_launch (&launches[n], planes, picture, &regions[i], memory);
    launches[n].components = 0;
    for (unsigned k = 0; k < regions[i].n_components; k++) {
      replace_component (planar, planes, memory, regions[i].components[k]);
      launches[n].components |= 1u << regions[i].components[k];
    }
    n++;
  }
  return n;
}

gboolean
paco_layout_enqueue (const PacoLayoutKernels *kernels,
    PacoLayoutDirection direction, const PacoLayoutLaunch *launches, unsigned n,
    bool follows_kernel, PacoCudaStream *stream, GError **error)
{
  for (unsigned i = 0; i < n; i++) {
    PacoLaunch launch = {
      .function = kernels->functions[direction][launches[i].kernel],
      .grid_x = launches[i].grid_x,
      .grid_y = launches[i].grid_y,
      .threads = PACO_LAYOUT_THREADS,
      .early = kernels->early && (i > 0 || follows_kernel),
      PACO_LAUNCH_PARAMETERS (launches[i].parameters),
    };

    if (!paco_cuda_stream_launch (stream, &launch, error))
      return FALSE;
  }
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Layouts of samples: which are possible, which memory they share and which bits of it
 * they cover. Encoders and decoders check pictures with this before they are submitted;
 * backends ask it for regions. */
#include "layout.h"
#include "crop.h"
#include "error.h"
#include "geometry.h"
#include "picture.h"
#include <string.h>

void
paco_layout_append (PacoSampleLayout *layout, unsigned bit, unsigned depth)
{
  unsigned word_bits = 8 * layout->word_bytes;
  unsigned first = bit - bit % word_bits;
  PacoSamplePlace *place = &layout->places[layout->group_samples++];

  if (bit + depth > first + word_bits)
    first = bit - bit % 8;
  place->byte = first / 8;
  place->shift = layout->big_endian ? first + word_bits - bit - depth
                                    : bit - first;
}

size_t
paco_layout_line_bytes (const PacoSampleLayout *layout, uint32_t columns)
{
  size_t bytes = (size_t) paco_layout_groups (layout, columns)
      * layout->group_bytes;

  return layout->swap_words ? (bytes + 3) / 4 * 4 : bytes;
}

unsigned
paco_layout_aligned_groups (const PacoSampleLayout *layout)
{
  if (!layout->swap_words || layout->group_bytes % 4 == 0)
    return 1;
  return layout->group_bytes % 2 == 0 ? 2 : 4;
}

size_t
paco_layout_end (const PacoSampleLayout *layout, uint32_t columns)
{
  size_t end = 0;

  /* The last byte of a group has bits of all its samples. */
  if (layout->csi2)
    return paco_layout_line_bytes (layout, columns);
  for (uint32_t x = columns; x-- > 0 && columns - x <= layout->group_samples;)
    end = MAX (end, paco_layout_offset (layout, x) + layout->word_bytes);
  return end;
}

/* Returns where byte i of a word lies, counted from the word's beginning. Byte 0 is
 * the least significant one. */
static unsigned
byte_of_word (const PacoSampleLayout *layout, unsigned i)
{
  return layout->big_endian ? layout->word_bytes - 1 - i : i;
}

void
paco_layout_put (
    const PacoSampleLayout *layout, uint8_t *line, uint32_t x, uint32_t sample)
{
  size_t word = paco_layout_offset (layout, x);
  unsigned shift = layout->places[x % layout->group_samples].shift;

  for (unsigned i = 0; layout->csi2 && sample >> i != 0; i++) {
    size_t bit = paco_layout_csi2_bit (layout, 8 * word + shift + i);

    line[bit / 8] |= (uint8_t) ((sample >> i & 1) << bit % 8);
  }
  if (layout->csi2)
    return;
  sample <<= shift;
  for (unsigned i = 0; i < layout->word_bytes; i++)
    line[paco_layout_byte (layout, word + byte_of_word (layout, i))] |=
        (uint8_t) (sample >> (8 * i));
}

void
paco_region_blank_line (const PacoRegion *region, uint32_t y)
{
  uint8_t *line = region->data + (ptrdiff_t) y * region->stride;

  for (size_t b = 0, i = 0; b < region->line_bytes; b++) {
    line[region->swap_words ? b ^ 3 : b] = region->blank[i];
    i = i + 1 < region->group_bytes ? i + 1 : 0;
  }
}

/* Marks the bits of a group that samples of a component take; false if one of
 * them is taken already. */
static bool
cover (uint8_t *group, const PacoSampleLayout *layout, unsigned depth)
{
  bool free = true;

  for (unsigned s = 0; s < layout->group_samples; s++) {
    uint32_t bits = ((1u << depth) - 1) << layout->places[s].shift;

    for (unsigned i = 0; i < layout->word_bytes; i++) {
      uint8_t *byte = group + layout->places[s].byte + byte_of_word (layout, i);

      free = free && (*byte & (uint8_t) (bits >> (8 * i))) == 0;
      *byte |= (uint8_t) (bits >> (8 * i));
    }
  }
  return free;
}

static bool
are_in_one_region (const PacoPicture *picture, unsigned a, unsigned b)
{
  return picture->data[a] == picture->data[b];
}

/* --- regions --- */

/* Sets how many columns and lines a component has in a picture, or its part. */
static void
find_size (const PacoPictureFormat *format, const PacoPicture *picture,
    unsigned reduce, unsigned c, uint32_t *columns, uint32_t *lines)
{
  const PacoComponent *component = &format->components[c];

  if (picture->crop.width == 0) {
    paco_geometry_reduced_component (format, c, reduce, columns, lines);
    return;
  }
  *columns = paco_ceil_shift (picture->crop.width, component->subsampling_x);
  *lines = paco_ceil_shift (picture->crop.height, component->subsampling_y);
}

/* Returns how many groups begin in a line. There are more than the samples need where
 * words are swapped and the last word has bytes left. */
static uint32_t
n_groups (const PacoSampleLayout *layout, uint32_t columns)
{
  size_t bytes = paco_layout_line_bytes (layout, columns);

  return (uint32_t) ((bytes + layout->group_bytes - 1) / layout->group_bytes);
}

/* Describes the region whose first component is c. */
static void
describe_region (const PacoPictureFormat *format, const PacoPicture *picture,
    unsigned reduce, unsigned c, PacoRegion *region)
{
  const PacoSampleLayout *layout = &picture->layout[c];
  uint8_t covered[PACO_MAX_GROUP_BYTES] = { 0 };
  uint32_t columns;

  memset (region, 0, sizeof *region);
  region->group_bytes = layout->group_bytes;
  region->swap_words = layout->swap_words;
  region->csi2 = layout->csi2;
  region->data = picture->data[c];
  region->stride = picture->stride[c];
  find_size (format, picture, reduce, c, &columns, &region->lines);
  region->groups = n_groups (layout, columns);
  region->line_bytes = MIN (
      paco_layout_line_bytes (layout, columns), (size_t) ABS (region->stride));
  for (; c < format->n_components; c++) {
    if (picture->data[c] != region->data)
      continue;
    region->components[region->n_components++] = (uint8_t) c;
    cover (covered, &picture->layout[c], format->components[c].depth);
  }
  for (unsigned i = 0; i < region->group_bytes; i++)
    region->blank[i] = layout->fill & (uint8_t) ~covered[i];
}

unsigned
paco_picture_regions (const PacoPictureFormat *format,
    const PacoPicture *picture, unsigned reduce,
    PacoRegion regions[PACO_MAX_COMPONENTS])
{
  unsigned n = 0;

  for (unsigned c = 0; c < format->n_components; c++) {
    bool known = false;

    for (unsigned before = 0; before < c; before++)
      known = known || are_in_one_region (picture, before, c);
    if (!known)
      describe_region (format, picture, reduce, c, &regions[n++]);
  }
  return n;
}

/* --- checks --- */

/* Says whether groups are those of CSI-2, and samples begin where its do. */
static bool
check_csi2 (
    unsigned c, const PacoSampleLayout *layout, unsigned depth, GError **error)
{
  bool good = (layout->group_bytes == 3 || layout->group_bytes == 5)
      && depth == PACO_CSI2_DEPTH (layout->group_bytes) && layout->fill == 0
      && !layout->big_endian && !layout->swap_words;

  for (unsigned i = 0; i < layout->group_samples; i++)
    good = good
        && (8u * layout->places[i].byte + layout->places[i].shift) % depth == 0;
  return good
      || paco_refuse (error,
          "component %u: %u bits of a sample in a group of %u bytes are not "
          "those of CSI-2, which has 4 of 10 bits in 5 bytes, and 2 of 12 bits "
          "in 3 bytes",
          c, depth, layout->group_bytes);
}

static bool
check_layout (
    unsigned c, const PacoSampleLayout *layout, unsigned depth, GError **error)
{
  unsigned word_bits = 8 * layout->word_bytes;
  uint8_t group[PACO_MAX_GROUP_BYTES] = { 0 };

  if (layout->group_bytes < 1 || layout->group_bytes > PACO_MAX_GROUP_BYTES
      || layout->group_samples < 1
      || layout->group_samples > PACO_MAX_GROUP_SAMPLES
      || (layout->word_bytes != 1 && layout->word_bytes != 2
          && layout->word_bytes != 4)
      || (layout->fill != 0 && layout->fill != 0xff))
    return paco_refuse (error,
        "component %u: groups of %u samples in %u bytes, in words of %u bytes"
        " filled with 0x%02x, are not supported: groups have 1 to %u samples in"
        " 1 to %u bytes, words 1, 2 or 4 bytes, and the fill is 0 or 0xff",
        c, layout->group_samples, layout->group_bytes, layout->word_bytes,
        layout->fill, PACO_MAX_GROUP_SAMPLES, PACO_MAX_GROUP_BYTES);
  for (unsigned i = 0; i < layout->group_samples; i++) {
    const PacoSamplePlace *place = &layout->places[i];

    if (place->byte + layout->word_bytes <= layout->group_bytes
        && place->shift + depth <= word_bits)
      continue;
    return paco_refuse (error,
        "component %u: sample %u of a group, the %u bits from bit %u of the"
        " word of %u bytes at byte %u, does not lie in that word or the word"
        " not in the group of %u bytes",
        c, i, depth, place->shift, layout->word_bytes, place->byte,
        layout->group_bytes);
  }
  if (!cover (group, layout, depth))
    return paco_refuse (
        error, "component %u: samples of a group lie over each other", c);
  return !layout->csi2 || check_csi2 (c, layout, depth, error);
}

bool
paco_layouts_check (const PacoPictureFormat *format,
    const PacoSampleLayout *layouts, GError **error)
{
  for (unsigned c = 0; c < format->n_components; c++)
    if (!check_layout (c, &layouts[c], format->components[c].depth, error))
      return false;
    else if (format->mosaic && layouts[c].swap_words)
      return paco_refuse (error,
          "lines of a mosaic take turns, and cannot be of swapped words");
  return true;
}

/* Says whether component c has the shape of the region that it lies in. */
static bool
check_agreement (const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoRegion *region, unsigned reduce, unsigned c, GError **error)
{
  unsigned first = region->components[0];
  const PacoSampleLayout *layouts = picture->layout;
  uint32_t columns, lines, groups;

  find_size (format, picture, reduce, c, &columns, &lines);
  groups = n_groups (&layouts[c], columns);
  if (groups == region->groups && lines == region->lines
      && picture->stride[c] == region->stride
      && layouts[c].group_bytes == region->group_bytes
      && layouts[c].swap_words == region->swap_words
      && layouts[c].csi2 == region->csi2
      && layouts[c].fill == layouts[first].fill)
    return true;
  return paco_refuse (error,
      "components %u and %u lie in the same memory, but the one has %u lines,"
      " %td bytes apart, of %u groups of %u bytes filled with 0x%02x%s, the "
      "other"
      " %u lines, %td bytes apart, of %u groups of %u bytes filled with "
      "0x%02x%s",
      first, c, region->lines, region->stride, region->groups,
      region->group_bytes, layouts[first].fill,
      region->swap_words ? " in swapped words" : "", lines, picture->stride[c],
      groups, layouts[c].group_bytes, layouts[c].fill,
      layouts[c].swap_words ? " in swapped words" : "");
}

/* Says whether all samples of component c lie in the region and on bits of their own.
 * covered: the bits of a group that the components before it take. */
static bool
check_samples (const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoRegion *region, unsigned reduce, unsigned c, uint8_t *covered,
    GError **error)
{
  uint32_t columns, lines;
  size_t end;

  find_size (format, picture, reduce, c, &columns, &lines);
  end = paco_layout_end (&picture->layout[c], columns);
  if (end > region->line_bytes)
    return paco_refuse (error,
        "component %u: its samples take %zu bytes of a line, but the next one"
        " begins %zu bytes further",
        c, end, region->line_bytes);
  if (!cover (covered, &picture->layout[c], format->components[c].depth)) {
    return paco_refuse (error,
        "component %u: its samples lie over those of another component", c);
  }
  return true;
}

static bool
check_region (const PacoPictureFormat *format, const PacoPicture *picture,
    const PacoRegion *region, unsigned reduce, GError **error)
{
  uint8_t covered[PACO_MAX_GROUP_BYTES] = { 0 };

  if (region->swap_words && region->stride % 4 != 0)
    return paco_refuse (error,
        "component %u: its lines of swapped words of 4 bytes are %td bytes "
        "apart",
        region->components[0], region->stride);
  for (unsigned i = 0; i < region->n_components; i++) {
    unsigned c = region->components[i];

    if (!check_agreement (format, picture, region, reduce, c, error)
        || !check_samples (format, picture, region, reduce, c, covered, error))
      return false;
  }
  return true;
}

/* Says whether component c has samples for the part. */
static bool
check_crop_of (const PacoPictureFormat *format, const PacoPicture *picture,
    unsigned reduce, unsigned c, GError **error)
{
  const PacoCrop *crop = &picture->crop;
  const PacoComponent *component = &format->components[c];
  unsigned columns = picture->layout[c].group_samples
          * paco_layout_aligned_groups (&picture->layout[c])
      << component->subsampling_x;
  unsigned lines = paco_n_fields (format) << component->subsampling_y;
  uint32_t width, height;

  if (crop->x % columns != 0 || crop->y % lines != 0)
    return paco_refuse (error,
        "region=%u,%u,%u,%u: for component %u x has to be a multiple of %u, "
        "and y of %u",
        crop->x, crop->y, crop->width, crop->height, c, columns, lines);
  paco_geometry_reduced_component (format, c, reduce, &width, &height);
  if ((crop->y >> component->subsampling_y)
          + paco_ceil_shift (crop->height, component->subsampling_y)
      <= height)
    return true;
  return paco_refuse (error,
      "region=%u,%u,%u,%u: component %u has no lines for it", crop->x, crop->y,
      crop->width, crop->height, c);
}

/* Says whether picture->crop lies in the reduced picture, and begins where groups of
 * the picture's layouts and subsampled samples begin. Error UNSUPPORTED. */
static bool
check_crop (const PacoPictureFormat *format, const PacoPicture *picture,
    unsigned reduce, GError **error)
{
  const PacoCrop *crop = &picture->crop;
  uint32_t width, height;

  paco_geometry_reduced_size (format, reduce, &width, &height);
  if (crop->x >= width || crop->y >= height || crop->width > width - crop->x
      || crop->height > height - crop->y)
    return paco_refuse (error,
        "region=%u,%u,%u,%u does not lie in the picture of %u x %u", crop->x,
        crop->y, crop->width, crop->height, width, height);
  for (unsigned c = 0; c < format->n_components; c++)
    if (!check_crop_of (format, picture, reduce, c, error))
      return false;
  return true;
}

bool
paco_picture_check (const PacoPictureFormat *format, const PacoPicture *picture,
    unsigned reduce, GError **error)
{
  PacoRegion regions[PACO_MAX_COMPONENTS];
  unsigned n;

  if (!paco_layouts_check (format, picture->layout, error)
      || (picture->crop.width > 0
          && !check_crop (format, picture, reduce, error)))
    return false;
  n = paco_picture_regions (format, picture, reduce, regions);
  for (unsigned i = 0; i < n; i++)
    if (!check_region (format, picture, &regions[i], reduce, error))
      return false;
  return true;
}

bool
paco_picture_format_equal (
    const PacoPictureFormat *a, const PacoPictureFormat *b)
{
  if (a->width != b->width || a->height != b->height
      || a->n_components != b->n_components || a->fields != b->fields
      || a->mosaic != b->mosaic)
    return false;
  for (unsigned c = 0; c < a->n_components; c++) {
    const PacoComponent *x = &a->components[c], *y = &b->components[c];

    if (x->depth != y->depth || x->kind != y->kind
        || x->subsampling_x != y->subsampling_x
        || x->subsampling_y != y->subsampling_y || x->place_x != y->place_x
        || x->place_y != y->place_y)
      return false;
  }
  return true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws random pictures, layouts and parameters, as random-picture.h says. */
#include "random-picture.h"
#include "codec/geometry.h"
#include "codec/policy.h"
#include "tests/codec/must.h"
#include <math.h>
#include <string.h>

/* Draws 1..max, small ones as likely as large ones. */
static uint32_t
random_size (GRand *rand, double max)
{
  return (uint32_t) exp2 (g_rand_double_range (rand, 0.0, log2 (max + 0.99)));
}

/* Its components have places in any order. */
static void
make_mosaic (GRand *rand, PacoPictureFormat *format)
{
  unsigned first = g_rand_int_range (rand, 0, 4);
  bool by_columns = g_rand_boolean (rand);

  format->width = (format->width + 1) & ~1u;
  format->height = (format->height + 1) & ~1u;
  format->mosaic = true;
  format->fields = false;
  format->n_components = 4;
  for (unsigned c = 0; c < 4; c++) {
    unsigned place = c ^ first;

    format->components[c] = (PacoComponent){
      .depth = format->components[0].depth,
      .subsampling_x = 1,
      .subsampling_y = 1,
      .place_x = by_columns ? place >> 1 : place & 1,
      .place_y = by_columns ? place & 1 : place >> 1,
    };
  }
}

/* In one of four pictures samples are not unsigned, all or some. */
static void
draw_kinds (GRand *rand, PacoPictureFormat *format)
{
  bool alike = format->mosaic || g_rand_boolean (rand);
  uint8_t kind = g_rand_int_range (rand, 0, PACO_N_SAMPLE_KINDS);

  if (g_rand_int_range (rand, 0, 4) > 0)
    return;
  for (unsigned c = 0; c < format->n_components; c++) {
    PacoComponent *component = &format->components[c];

    component->kind = alike ? kind
                            : g_rand_int_range (rand, 0, PACO_N_SAMPLE_KINDS);
    if (component->kind == PACO_SAMPLE_FLOAT && component->depth != 16)
      component->kind = PACO_SAMPLE_SIGNED;
  }
}

void
test_format_random (GRand *rand, PacoPictureFormat *format, uint32_t samples)
{
  bool alike = g_rand_boolean (rand);
  uint8_t depth = g_rand_int_range (rand, 1, 17);

  *format = (PacoPictureFormat){
    .n_components = g_rand_int_range (rand, 1, 5),
    .fields = g_rand_int_range (rand, 0, 4) == 0,
  };
  format->width = random_size (rand, MIN (samples, 400));
  format->height = random_size (rand, CLAMP (samples / format->width, 1, 400));
  if (g_rand_boolean (rand))
    depth = 8 + 2 * g_rand_int_range (rand, 0, 5);
  for (unsigned c = 0; c < format->n_components; c++) {
    format->components[c].depth = depth;
    if (!alike)
      format->components[c].depth = g_rand_int_range (rand, 1, 17);
    if (c > 0 && !alike) {
      format->components[c].subsampling_x = g_rand_int_range (rand, 0, 3);
      format->components[c].subsampling_y = g_rand_int_range (rand, 0, 3);
    }
  }
  if (g_rand_int_range (rand, 0, 8) == 0)
    make_mosaic (rand, format);
  draw_kinds (rand, format);
}

/* --- layouts --- */

/* Draws a word that may be of any kind, and that has room for the depth. */
static PacoSampleLayout
random_words (GRand *rand, unsigned depth)
{
  static const uint8_t bytes[] = { 1, 2, 2, 2, 4 };
  PacoSampleLayout layout = { 0 };

  do
    layout.word_bytes = bytes[g_rand_int_range (rand, 0, G_N_ELEMENTS (bytes))];
  while (layout.word_bytes * 8 < (int) depth);
  layout.big_endian = g_rand_int_range (rand, 0, 4) == 0;
  layout.fill = g_rand_boolean (rand) ? 0xff : 0;
  layout.swap_words = g_rand_int_range (rand, 0, 4) == 0;
  return layout;
}

/* Draws a layout of one sample to a word, with some padding or none. */
static PacoSampleLayout
random_single (GRand *rand, unsigned depth)
{
  PacoSampleLayout layout = random_words (rand, depth);
  unsigned spare = layout.word_bytes * 8 - depth, shift = 0, bytes;

  if (g_rand_boolean (rand))
    shift = spare;
  if (g_rand_int_range (rand, 0, 4) == 0)
    shift = g_rand_int_range (rand, 0, spare + 1);
  bytes = layout.word_bytes * g_rand_int_range (rand, 1, 5);
  if (g_rand_int_range (rand, 0, 8) == 0)
    bytes = layout.word_bytes + g_rand_int_range (rand, 0, 13);
  if (g_rand_boolean (rand))
    bytes = layout.word_bytes;
  layout.group_bytes = bytes;
  layout.group_samples = 1;
  layout.places[0].byte = g_rand_int_range (
      rand, 0, bytes - layout.word_bytes + 1);
  layout.places[0].shift = shift;
  return layout;
}

/* Returns how many samples of a component are in a group of `pixels` columns of
 * the picture, if that is possible for any number of columns, else 0. */
static unsigned
samples_in_pixels (
    const PacoPictureFormat *format, unsigned component, unsigned pixels)
{
  unsigned shift = format->components[component].subsampling_x;
  unsigned samples = pixels >> shift;

  return samples << shift == pixels && samples <= PACO_MAX_GROUP_SAMPLES
      ? samples
      : 0;
}

/* This is samples of components, `members`, in random order, as a string of
 * bits with gaps here and there. */
typedef struct
{
  unsigned members, left[PACO_MAX_COMPONENTS], n_left;
  PacoSampleLayout *layouts;
  bool gaps;
  unsigned begin; /* Words begin at multiples of this number of bits. */
  unsigned bit;
} BitString;

/* Appends a sample of a component; false if there is no room for it. */
static bool
append_sample (GRand *rand, BitString *string, unsigned c, unsigned depth)
{
  PacoSampleLayout *layout = &string->layouts[c];
  unsigned word_bits = 8 * layout->word_bytes;

  if (string->gaps && g_rand_int_range (rand, 0, 3) == 0)
    string->bit += g_rand_int_range (rand, 0, 9);
  if (string->bit % string->begin + depth > word_bits)
    string->bit += string->begin - string->bit % string->begin;
  if (string->bit + depth > 8 * PACO_MAX_GROUP_BYTES)
    return false;
  paco_layout_append (layout, string->bit, depth);
  string->bit += depth;
  string->left[c]--;
  string->n_left--;
  return true;
}

/* Ends the group behind all words, with some padding or without. */
static bool
end_group (GRand *rand, BitString *string)
{
  unsigned bytes = (string->bit + 7) / 8;

  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++) {
    const PacoSampleLayout *layout = &string->layouts[c];

    for (unsigned i = 0; string->members & 1u << c && i < layout->group_samples;
         i++)
      bytes = MAX (
          bytes, layout->places[i].byte + (unsigned) layout->word_bytes);
  }
  if (string->gaps)
    bytes += g_rand_int_range (rand, 0, 4);
  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
    string->layouts[c].group_bytes = string->members & 1u << c
        ? bytes
        : string->layouts[c].group_bytes;
  return bytes <= PACO_MAX_GROUP_BYTES;
}

/* Lays the members out in a group of `pixels` columns; false if they do not go
 * into one. */
static bool
random_string (
    GRand *rand, TestPicture *picture, unsigned members, unsigned pixels)
{
  const PacoPictureFormat *format = &picture->format;
  BitString string = { .members = members,
    .layouts = picture->picture.layout,
    .gaps = g_rand_boolean (rand) };
  PacoSampleLayout words;
  unsigned depth = 0;

  for (unsigned c = 0; c < format->n_components; c++)
    if (members & 1u << c)
      depth = MAX (depth, (unsigned) format->components[c].depth);
  words = random_words (rand, depth);
  string.begin = g_rand_boolean (rand) ? 8 : 8 * words.word_bytes;
  for (unsigned c = 0; c < format->n_components; c++) {
    if (!(members & 1u << c))
      continue;
    string.left[c] = samples_in_pixels (format, c, pixels);
    if (string.left[c] == 0)
      return false;
    string.n_left += string.left[c];
    string.layouts[c] = words;
  }
  while (string.n_left > 0) {
    unsigned c = g_rand_int_range (rand, 0, format->n_components);

    if (string.left[c] > 0
        && !append_sample (rand, &string, c, format->components[c].depth))
      return false;
  }
  return end_group (rand, &string);
}

/* Tries some strings. */
static bool
share_region (GRand *rand, TestPicture *picture, unsigned members)
{
  for (unsigned i = 0; i < 20; i++)
    if (random_string (rand, picture, members, g_rand_int_range (rand, 1, 17)))
      return true;
  return false;
}

/* Lays the members out in groups of CSI-2, if these can have all of them. */
static bool
random_csi2 (GRand *rand, TestPicture *picture, unsigned members)
{
  const PacoComponent *components = picture->format.components;
  const PacoComponent *first = &components[g_bit_nth_lsf (members, -1)];
  unsigned n = first->depth == 10 ? 4 : 2, n_members = 0, slots[4];

  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++) {
    if (!(members & 1u << c))
      continue;
    if (components[c].depth != first->depth
        || components[c].subsampling_x != first->subsampling_x)
      return false;
    n_members++;
  }
  if ((first->depth != 10 && first->depth != 12) || n % n_members != 0)
    return false;
  for (unsigned i = 0; i < n; i++) {
    unsigned other = g_rand_int_range (rand, 0, i + 1);

    slots[i] = slots[other];
    slots[other] = i;
  }
  for (unsigned c = 0, at = 0; c < PACO_MAX_COMPONENTS; c++) {
    PacoSampleLayout layout = {
      .group_bytes = n + 1, .word_bytes = 2, .csi2 = true
    };

    if (!(members & 1u << c))
      continue;
    for (unsigned i = 0; i < n / n_members; i++)
      paco_layout_append (&layout, first->depth * slots[at++], first->depth);
    picture->picture.layout[c] = layout;
  }
  return true;
}

/* Lays out the members, or those of the first of them that go into one region;
 * returns which. */
static unsigned
lay_out_any (GRand *rand, TestPicture *picture, unsigned members)
{
  unsigned first = g_bit_nth_lsf (members, -1);

  if (g_rand_int_range (rand, 0, 3) == 0
      && random_csi2 (rand, picture, members))
    return members;
  for (; (members & (members - 1)) != 0;
       members &= ~(1u << (g_bit_storage (members) - 1)))
    if (share_region (rand, picture, members))
      return members;
  if (g_rand_int_range (rand, 0, 3) > 0
      || !share_region (rand, picture, members))
    picture->picture.layout[first] = random_single (
        rand, picture->format.components[first].depth);
  return members;
}

/* Does so; words of mosaics are not swapped. */
static unsigned
lay_out (GRand *rand, TestPicture *picture, unsigned members)
{
  unsigned laid_out;
  bool again;

  do {
    laid_out = lay_out_any (rand, picture, members);
    again = false;
    for (unsigned c = 0; picture->format.mosaic && c < PACO_MAX_COMPONENTS; c++)
      again |= (laid_out >> c & 1) && picture->picture.layout[c].swap_words;
  } while (again);
  return laid_out;
}

/* Returns how many bytes a line has up to the end of the last word with a
 * sample of the members. */
static size_t
samples_end (const TestPicture *picture, unsigned members, unsigned reduce)
{
  size_t end = 0;

  for (unsigned c = 0; c < picture->format.n_components; c++) {
    uint32_t columns, lines;

    paco_geometry_reduced_component (
        &picture->format, c, reduce, &columns, &lines);
    if (members & 1u << c)
      end = MAX (end, paco_layout_end (&picture->picture.layout[c], columns));
  }
  return end;
}

/* Makes memory of noise for the members. Lines end with padding, with their
 * groups, or within the last one. */
static void
place_region (
    GRand *rand, TestPicture *picture, unsigned members, unsigned reduce)
{
  unsigned c = g_bit_nth_lsf (members, -1);
  uint32_t columns, lines;
  size_t stride;
  ptrdiff_t first = 0;

  paco_geometry_reduced_component (
      &picture->format, c, reduce, &columns, &lines);
  stride = paco_layout_line_bytes (&picture->picture.layout[c], columns);
  if (g_rand_int_range (rand, 0, 4) > 0)
    stride += g_rand_int_range (rand, 0, 24);
  else
    stride = g_rand_int_range (
        rand, samples_end (picture, members, reduce), stride + 1);
  if (picture->picture.layout[c].swap_words)
    stride = (stride + 3) / 4 * 4;
  picture->sizes[c] = stride * lines;
  picture->buffers[c] = g_malloc (picture->sizes[c]);
  for (size_t i = 0; i < picture->sizes[c]; i += sizeof (guint32)) {
    guint32 noise = g_rand_int (rand);

    memcpy (picture->buffers[c] + i, &noise,
        MIN (sizeof noise, picture->sizes[c] - i));
  }
  if (g_rand_int_range (rand, 0, 4) == 0) {
    first = stride * (lines - 1);
    stride = -stride;
  }
  for (unsigned i = 0; i < picture->format.n_components; i++) {
    if (!(members & 1u << i))
      continue;
    picture->owners[i] = c;
    picture->picture.data[i] = picture->buffers[c] + first;
    picture->picture.stride[i] = (ptrdiff_t) stride;
  }
}

/* Makes memory of noise for a mosaic, whose regions are every other line. */
static void
place_in_turn (GRand *rand, TestPicture *picture, unsigned reduce)
{
  uint32_t columns, lines;
  ptrdiff_t stride = 0, first = 0;
  bool swap_words = false;

  for (unsigned c = 0; c < 4; c++) {
    paco_geometry_reduced_component (
        &picture->format, c, reduce, &columns, &lines);
    stride = MAX (stride,
        (ptrdiff_t) paco_layout_line_bytes (
            &picture->picture.layout[c], columns));
    swap_words |= picture->picture.layout[c].swap_words;
  }
  if (g_rand_boolean (rand))
    stride += g_rand_int_range (rand, 0, 24);
  if (swap_words)
    stride = (stride + 3) / 4 * 4;
  picture->sizes[0] = 2 * lines * stride;
  picture->buffers[0] = g_malloc (picture->sizes[0]);
  for (size_t i = 0; i < picture->sizes[0]; i++)
    picture->buffers[0][i] = (uint8_t) g_rand_int (rand);
  if (g_rand_int_range (rand, 0, 4) == 0) {
    first = stride * (2 * lines - 1);
    stride = -stride;
  }
  for (unsigned c = 0; c < 4; c++) {
    picture->owners[c] = 0;
    picture->picture.data[c] = picture->buffers[0] + first
        + picture->format.components[c].place_y * stride;
    picture->picture.stride[c] = 2 * stride;
  }
}

/* Lays the odd lines of a mosaic out like the even ones. */
static void
repeat_layouts (TestPicture *picture)
{
  const PacoComponent *components = picture->format.components;

  for (unsigned c = 0; c < 4; c++)
    for (unsigned even = 0; even < 4 && components[c].place_y; even++)
      if (!components[even].place_y
          && components[even].place_x == components[c].place_x)
        picture->picture.layout[c] = picture->picture.layout[even];
}

/* Makes the memory of a mosaic, in which lines of two components take turns; false if
 * its components do not go into one region. */
static bool
place_mosaic (GRand *rand, TestPicture *picture, unsigned reduce)
{
  unsigned members[2] = { 0, 0 };

  for (unsigned c = 0; c < 4; c++)
    members[picture->format.components[c].place_y] |= 1u << c;
  if (lay_out (rand, picture, members[0]) != members[0])
    return false;
  if (g_rand_boolean (rand))
    repeat_layouts (picture);
  else if (lay_out (rand, picture, members[1]) != members[1])
    return false;
  place_in_turn (rand, picture, reduce);
  return true;
}

void
test_picture_init (GRand *rand, TestPicture *picture,
    const PacoPictureFormat *format, unsigned reduce)
{
  bool share = g_rand_boolean (rand);

  memset (picture, 0, sizeof *picture);
  picture->format = *format;
  if (format->mosaic && g_rand_boolean (rand)
      && place_mosaic (rand, picture, reduce))
    return;
  for (unsigned c = 0; c < format->n_components; c++) {
    unsigned members = 1u << c;

    if (picture->picture.data[c])
      continue;
    for (unsigned other = c + 1; share && other < format->n_components; other++)
      if (!picture->picture.data[other]
          && format->components[other].subsampling_y
              == format->components[c].subsampling_y
          && g_rand_int_range (rand, 0, 5) > 0)
        members |= 1u << other;
    place_region (rand, picture, lay_out (rand, picture, members), reduce);
  }
}

void
test_picture_copy (TestPicture *copy, const TestPicture *picture)
{
  *copy = *picture;
  for (unsigned c = 0; c < picture->format.n_components; c++) {
    unsigned owner = picture->owners[c];

    if (picture->buffers[c])
      copy->buffers[c] = g_memdup2 (picture->buffers[c], picture->sizes[c]);
    copy->picture.data[c] = copy->buffers[owner]
        + (picture->picture.data[c] - picture->buffers[owner]);
  }
}

void
test_picture_clear (TestPicture *picture)
{
  for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
    g_clear_pointer (&picture->buffers[c], g_free);
}

void
test_picture_compare (const TestPicture *a, const TestPicture *b)
{
  for (unsigned c = 0; c < a->format.n_components; c++)
    if (a->buffers[c])
      g_assert_cmpmem (a->buffers[c], a->sizes[c], b->buffers[c], b->sizes[c]);
}

/* --- contents --- */

/* Returns byte i, from the least significant one, of the word of a sample. */
static uint8_t *
byte_address (
    const TestPicture *picture, unsigned c, uint32_t x, uint32_t y, unsigned i)
{
  const PacoSampleLayout *layout = &picture->picture.layout[c];
  size_t at = (size_t) (x / layout->group_samples) * layout->group_bytes
      + layout->places[x % layout->group_samples].byte
      + (layout->big_endian ? layout->word_bytes - 1 - i : i);

  if (layout->swap_words)
    at = at - at % 4 + (3 - at % 4);
  return picture->picture.data[c] + (ptrdiff_t) y * picture->picture.stride[c]
      + at;
}

/* Returns the byte of the high bits of a sample in a group of CSI-2, and sets which one it
 * is of the group, and the byte of the other bits. */
static uint8_t *
find_csi2 (const TestPicture *picture, unsigned c, uint32_t x, uint32_t y,
    unsigned *sample, uint8_t **rest)
{
  const PacoSampleLayout *layout = &picture->picture.layout[c];
  const PacoSamplePlace *place = &layout->places[x % layout->group_samples];
  uint8_t *group = picture->picture.data[c]
      + (ptrdiff_t) y * picture->picture.stride[c]
      + (size_t) (x / layout->group_samples) * layout->group_bytes;

  *sample = (8u * place->byte + place->shift)
      / picture->format.components[c].depth;
  *rest = group + layout->group_bytes - 1;
  return group + *sample;
}

static uint32_t
get_csi2 (const TestPicture *picture, unsigned c, uint32_t x, uint32_t y)
{
  unsigned low = picture->format.components[c].depth - 8, sample;
  uint8_t *rest, *high = find_csi2 (picture, c, x, y, &sample, &rest);

  return (uint32_t) *high << low | (*rest >> sample * low & ((1u << low) - 1));
}

static void
put_csi2 (
    TestPicture *picture, unsigned c, uint32_t x, uint32_t y, uint32_t value)
{
  unsigned low = picture->format.components[c].depth - 8, sample, mask;
  uint8_t *rest, *high = find_csi2 (picture, c, x, y, &sample, &rest);

  mask = ((1u << low) - 1) << sample * low;
  *high = value >> low;
  *rest = (*rest & ~mask) | (value << sample * low & mask);
}

static uint32_t
get_sample (const TestPicture *picture, unsigned c, uint32_t x, uint32_t y)
{
  const PacoSampleLayout *layout = &picture->picture.layout[c];
  uint32_t word = 0;

  if (layout->csi2)
    return get_csi2 (picture, c, x, y);
  for (unsigned i = 0; i < layout->word_bytes; i++)
    word |= (uint32_t) *byte_address (picture, c, x, y, i) << (8 * i);
  return word >> layout->places[x % layout->group_samples].shift
      & ((1u << picture->format.components[c].depth) - 1);
}

void
test_picture_compare_component (
    const TestPicture *a, const TestPicture *b, unsigned component)
{
  for (uint32_t y = 0; y < paco_component_height (&a->format, component); y++)
    for (uint32_t x = 0; x < paco_component_width (&a->format, component); x++)
      g_assert_cmpuint (
          get_sample (a, component, x, y), ==, get_sample (b, component, x, y));
}

void
test_picture_put (
    TestPicture *picture, unsigned c, uint32_t x, uint32_t y, uint32_t value)
{
  const PacoSampleLayout *layout = &picture->picture.layout[c];
  unsigned shift = layout->places[x % layout->group_samples].shift;
  uint32_t mask = ((1u << picture->format.components[c].depth) - 1) << shift;

  if (layout->csi2) {
    put_csi2 (picture, c, x, y, value);
    return;
  }
  for (unsigned i = 0; i < layout->word_bytes; i++) {
    uint8_t *byte = byte_address (picture, c, x, y, i);
    uint8_t m = mask >> (8 * i);

    *byte = (*byte & ~m) | ((value << shift >> (8 * i)) & m);
  }
}

static uint32_t
random_sample (GRand *rand, unsigned kind, uint32_t max, double phase,
    uint32_t x, uint32_t y)
{
  double wave = 0.5 + 0.4 * sin (x * 0.05 + phase) * cos (y * 0.07 - phase);

  switch (kind) {
    case 0: /* noise */
      return g_rand_int (rand) & max;
    case 1: /* smooth */
      return (uint32_t) (wave * max);
    case 2: /* smooth with noise */
      return CLAMP (wave * max + (g_rand_int (rand) & (max >> 4)), 0, max);
    case 3: /* flat */
      return (uint32_t) ((0.5 + 0.5 * sin (phase)) * max);
    case 4: /* extremes */
      return g_rand_boolean (rand) ? max : 0;
    default: /* sparse */
      return g_rand_int_range (rand, 0, 50) ? max / 2 : g_rand_int (rand) & max;
  }
}

/* Fills component c, in which one of `gap` codes is used. */
static void
fill_component (
    GRand *rand, TestPicture *picture, unsigned c, unsigned kind, unsigned gap)
{
  uint32_t max = (1u << picture->format.components[c].depth) - 1;
  uint32_t width = paco_component_width (&picture->format, c);
  uint32_t height = paco_component_height (&picture->format, c);
  double phase = g_rand_double_range (rand, 0.0, 6.0);

  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      test_picture_put (picture, c, x, y,
          random_sample (rand, kind, max, phase, x, y) / gap * gap);
}

void
test_picture_fill (GRand *rand, TestPicture *picture)
{
  for (unsigned c = 0; c < picture->format.n_components; c++) {
    unsigned kind = g_rand_int_range (rand, 0, 6);
    unsigned gap = g_rand_int_range (rand, 0, 3)
        ? 1
        : g_rand_int_range (rand, 1, 20);

    fill_component (rand, picture, c, kind, gap);
  }
}

void
test_picture_fill_smooth (GRand *rand, TestPicture *picture)
{
  for (unsigned c = 0; c < picture->format.n_components; c++)
    fill_component (rand, picture, c, 1, 1);
}

/* --- parameters --- */

void
test_budget_random (GRand *rand, const PacoPictureFormat *format,
    const PacoVideoInfo *video, PacoParameters *parameters)
{
  double samples = (double) paco_picture_samples (format);
  g_autoptr (PacoGeometry) geometry = NULL;
  PacoCoding coding;
  double least, most;

  parameters->rate_control = PACO_RATE_BITRATE;
  parameters->frame_size = 1; /* any */
  if (!paco_policy_coding (format, parameters, &coding, NULL))
    return;
  geometry = paco_geometry_new (format, &coding);
  least = (double) (paco_policy_min_frame_size (format, &coding, geometry)
      + paco_video_extra_size (video));
  most = least + 0.2 * samples * format->components[0].depth;
  if (g_rand_int_range (rand, 0, 8) == 0)
    most = least;
  parameters->frame_size = (uint32_t) (least
      + (most - least) * exp2 (g_rand_double_range (rand, -9.0, 0.0)));
  if (most == least)
    parameters->frame_size = (uint32_t) least;
}

void
test_areas_random (
    GRand *rand, const PacoPictureFormat *format, PacoAreas *areas)
{
  *areas = (PacoAreas){ .n = g_rand_int_range (rand, 0, 4) };
  for (unsigned i = 0; i < areas->n; i++)
    areas->areas[i] = (PacoArea){ .x = g_rand_int_range (
                                      rand, 0, format->width),
      .y = g_rand_int_range (rand, 0, format->height),
      .width = g_rand_int_range (rand, 0, format->width + 100),
      .height = g_rand_boolean (rand)
          ? UINT32_MAX
          : (uint32_t) g_rand_int_range (rand, 0, format->height) };
}

void
test_parameters_random (GRand *rand, PacoParameters *parameters)
{
  static const unsigned heights[] = { 0, 32, 64, 128, 256 };
  static const PacoColorTransform transforms[] = { PACO_COLOR_TRANSFORM_NONE,
    PACO_COLOR_TRANSFORM_RCT, PACO_COLOR_TRANSFORM_ICT,
    PACO_COLOR_TRANSFORM_RCT2, PACO_COLOR_TRANSFORM_MATRIX,
    PACO_COLOR_TRANSFORM_FIT, PACO_COLOR_TRANSFORM_MOSAIC };

  *parameters = (PacoParameters){
    .rate_control = g_rand_boolean (rand) ? PACO_RATE_LOSSLESS
                                          : PACO_RATE_QUALITY,
    .quality = g_rand_double_range (rand, 0.0, 100.0),
    .tune = g_rand_boolean (rand) ? PACO_TUNE_VISUAL : PACO_TUNE_PSNR,
    .wavelet = PACO_WAVELET_AUTO,
    .levels = g_rand_int_range (rand, 0, 9),
    .block_height = heights[g_rand_int_range (rand, 0, G_N_ELEMENTS (heights))],
    .coding_passes = g_rand_int_range (rand, 1, 4),
    .color_transform = PACO_COLOR_TRANSFORM_AUTO,
    .complexity = g_rand_int_range (rand, 0, 4),
    .code_tables = (PacoCodeTables) g_rand_int_range (rand, 0, 3),
    .rgb = g_rand_boolean (rand),
    .block_checks = g_rand_boolean (rand),
  };
  if (g_rand_int_range (rand, 0, 3) == 0)
    parameters->wavelet = g_rand_int_range (rand, 0, PACO_N_WAVELETS);
  if (g_rand_int_range (rand, 0, 3) == 0)
    parameters->color_transform =
        transforms[g_rand_int_range (rand, 0, G_N_ELEMENTS (transforms))];
}

void
test_video_random (GRand *rand, PacoVideoInfo *video)
{
  *video = (PacoVideoInfo){
    .raw_format = "TEST",
    .par_n = g_rand_int_range (rand, 1, 100),
    .par_d = g_rand_int_range (rand, 1, 100),
    .fps_n = g_rand_int_range (rand, 0, 60000),
    .fps_d = g_rand_int_range (rand, 1, 1002),
    .picture_flags = g_rand_boolean (rand) ? PACO_PICTURE_TOP_FIELD_FIRST : 0,
    .matrix = g_rand_int_range (rand, 0, 7),
    .has_content_light = g_rand_boolean (rand),
    .max_content_light = g_rand_int (rand) & 0xffff,
    .has_mastering_display = g_rand_boolean (rand),
    .has_views = g_rand_boolean (rand),
    .has_place = g_rand_boolean (rand),
  };
  if (!video->has_content_light)
    video->max_content_light = 0;
  /* Any bytes that are there do for an attachment. */
  if (g_rand_int_range (rand, 0, 4) == 0)
    video->attachment = paco_attachment_of (
        paco_builtin_sets, g_rand_int_range (rand, 1, 3000));
}

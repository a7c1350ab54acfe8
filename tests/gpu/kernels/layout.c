/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the kernels between layouts and planes with the reference: every
 * format of the table of caps/ and random layouts, at random widths, alignments
 * and strides, each to planes and back.
 *
 *   layout [cases of each format [seed]]   exits with 77 without a device */
#include "caps/formats.h"
#include "codec/reference/reference.h"
#include "gpu/layout.h"
#include "tests/codec/random-picture.h"
#include "tests/gpu/kernels/test-device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WIDTH 200
#define MAX_HEIGHT 9
#define GUARD 0xa5

typedef struct
{
  TestDevice test;
  PacoLayoutKernels kernels;
} Gpu;

typedef struct
{
  char name[48];
  PacoPictureFormat format;
  PacoPicture picture; /* data: offsets until memory is there */
  uint8_t *memory;
  size_t size;
  PacoSamplePlanes planes;
  /* The kernels get and make these. */
  uint64_t device_picture, device_planes;
  unsigned n_launches;
  PacoLayoutLaunch launches[PACO_MAX_COMPONENTS];
  PacoPicture planar;
} Case;

/* These say how often each kernel has been launched. */
static unsigned uses[PACO_LAYOUT_N_KERNELS];

static uint32_t
below (GRand *random, uint32_t n)
{
  return g_rand_int_range (random, 0, n);
}

/* --- Cases --- */

/* Returns how many bytes a line has up to the end of the last word of a sample
 * of the region. */
static size_t
samples_end (const Case *t, unsigned c, const uint8_t *regions)
{
  size_t end = 0;

  for (unsigned i = c; i < t->format.n_components; i++)
    if (regions[i] == regions[c])
      end = MAX (end,
          paco_layout_end (
              &t->picture.layout[i], paco_component_width (&t->format, i)));
  return end;
}

/* Places the region whose first component is c: lines that begin at multiples of
 * `alignment` bytes, or at odd distances, and may go upwards or end within a
 * group. */
static void
place_region (GRand *random, Case *t, unsigned c, const uint8_t *regions)
{
  static const unsigned alignments[] = { 1, 4, 4, 16, 16, 16 };
  unsigned alignment = alignments[below (random, 6)];
  const PacoSampleLayout *layout = &t->picture.layout[c];
  uint32_t lines = paco_component_height (&t->format, c);
  size_t row = paco_layout_line_bytes (
      layout, paco_component_width (&t->format, c));
  ptrdiff_t stride = (row + alignment - 1) / alignment * alignment
      + alignment * below (random, 4);
  size_t begin = (t->size + 15) / 16 * 16 + alignment * below (random, 3);
  size_t first = begin;

  if (alignment == 1)
    stride |= 1;
  if (below (random, 8) == 0)
    stride = samples_end (t, c, regions);
  if (layout->swap_words)
    stride = (stride + 3) / 4 * 4;
  row = MIN (row, (size_t) stride);
  t->size = begin + stride * (lines - 1) + row;
  if (below (random, 4) == 0) {
    first += stride * (lines - 1);
    stride = -stride;
  }
  for (unsigned i = c; i < t->format.n_components; i++) {
    if (regions[i] != regions[c])
      continue;
    t->picture.data[i] = (uint8_t *) first;
    t->picture.stride[i] = stride;
  }
}

/* Places the picture. regions has a number for each component, the same for
 * those in one region. */
static void
place_picture (GRand *random, Case *t, const uint8_t *regions)
{
  for (unsigned c = 0; c < t->format.n_components; c++) {
    bool placed = false;

    for (unsigned before = 0; before < c; before++)
      placed = placed || regions[before] == regions[c];
    if (!placed)
      place_region (random, t, c, regions);
  }
  t->memory = g_malloc (t->size);
  for (unsigned c = 0; c < t->format.n_components; c++)
    t->picture.data[c] = t->memory + (size_t) t->picture.data[c];
}

static void
case_of_format (
    GRand *random, Case *t, const PacoRawFormat *raw, uint32_t width)
{
  t->format = (PacoPictureFormat){
    .width = width,
    .height = 1 + below (random, MAX_HEIGHT),
    .n_components = raw->n_components,
    .fields = below (random, 4) == 0,
  };
  memcpy (t->format.components, raw->components, sizeof raw->components);
  memcpy (t->picture.layout, raw->layout, sizeof raw->layout);
  place_picture (random, t, raw->plane);
}

/* Draws a layout, which test_picture_init() makes. */
static void
case_of_random (GRand *random, Case *t)
{
  uint8_t regions[PACO_MAX_COMPONENTS];
  g_auto (TestPicture) picture;

  test_format_random (random, &t->format, MAX_WIDTH * MAX_HEIGHT);
  test_picture_init (random, &picture, &t->format, 0);
  t->format = picture.format;
  memcpy (t->picture.layout, picture.picture.layout, sizeof t->picture.layout);
  for (unsigned c = 0; c < t->format.n_components; c++) {
    regions[c] = 0;
    while (picture.picture.data[regions[c]] != picture.picture.data[c])
      regions[c]++;
  }
  place_picture (random, t, regions);
}

/* Makes 12 bits of R, G and B in 36 bytes for eight pixels, one behind the other from
 * the highest bit of the first byte on. */
static void
case_of_12_bit_rgb (GRand *random, Case *t)
{
  t->format = (PacoPictureFormat){
    .width = 1 + below (random, MAX_WIDTH),
    .height = 1 + below (random, MAX_HEIGHT),
    .n_components = 3,
    .components = { { 12, 0, 0 }, { 12, 0, 0 }, { 12, 0, 0 } },
  };
  for (unsigned c = 0; c < 3; c++) {
    t->picture.layout[c] = (PacoSampleLayout){
      .group_bytes = 36,
      .word_bytes = 2,
      .big_endian = true,
    };
    for (unsigned i = 0; i < 8; i++)
      paco_layout_append (&t->picture.layout[c], 36 * i + 12 * c, 12);
  }
  place_picture (random, t, (const uint8_t[PACO_MAX_COMPONENTS]){ 0 });
}

/* --- Strings --- */

/* A string has a slot of slot_bits for each component of a pixel, one behind the other;
 * samples may be smaller than their slots. */
typedef struct
{
  unsigned slot_bits, n_components, depth, shift;
  unsigned pixels;   /* of a group */
  unsigned order[4]; /* which slot a component has */
  unsigned word_bytes;
  bool big_endian, swap_words;
  uint8_t fill;
} String;

/* Lays out a component of a string; false if its samples are not in words. */
static bool
lay_out_string (const String *string, unsigned c, PacoSampleLayout *layout)
{
  *layout = (PacoSampleLayout){
    .group_bytes = string->pixels * string->n_components * string->slot_bits
        / 8,
    .group_samples = string->pixels,
    .word_bytes = string->word_bytes,
    .fill = string->fill,
    .big_endian = string->big_endian,
    .swap_words = string->swap_words,
  };
  if (string->big_endian && layout->group_bytes % string->word_bytes != 0)
    return false;
  for (unsigned i = 0; i < string->pixels; i++) {
    unsigned bit = string->slot_bits
            * (i * string->n_components + string->order[c])
        + string->shift;
    unsigned byte = bit / 8;

    if (string->big_endian || bit % (8 * string->word_bytes) == 0)
      byte -= byte % string->word_bytes;
    byte = MIN (byte, (unsigned) layout->group_bytes - string->word_bytes);
    layout->places[i] = (PacoSamplePlace){ byte, bit - 8 * byte };
    if (bit - 8 * byte + string->depth > 8 * string->word_bytes)
      return false;
  }
  return true;
}

static void
draw_string (GRand *random, String *string)
{
  static const unsigned bits[] = { 8, 10, 10, 12, 12, 16 };
  unsigned pixel_bits, spare;

  *string = (String){
    .slot_bits = bits[below (random, 6)],
    .n_components = 1 + below (random, 4),
    .word_bytes = 1 << below (random, 3),
    .big_endian = below (random, 3) == 0,
    .swap_words = below (random, 3) == 0,
    .fill = below (random, 2) ? 0xff : 0,
  };
  pixel_bits = string->slot_bits * string->n_components;
  do
    string->pixels = 1 + below (random, PACO_MAX_GROUP_SAMPLES);
  while (string->pixels * pixel_bits % 8 != 0
      || string->pixels * pixel_bits > 8 * PACO_MAX_GROUP_BYTES
      || string->pixels * pixel_bits < 8 * string->word_bytes);
  spare = below (random, 2) ? 0 : below (random, string->slot_bits);
  string->depth = string->slot_bits - spare;
  string->shift = below (random, spare + 1);
  for (unsigned c = 0; c < string->n_components; c++) {
    unsigned slot = below (random, c + 1);

    string->order[c] = string->order[slot];
    string->order[slot] = c;
  }
}

/* Makes a random string, whose lines are up to eight pieces of a warp
 * (PACO_LAYOUT_UNIT_PIXELS). */
static void
case_of_string (GRand *random, Case *t)
{
  String string;
  bool in_words;

  do {
    draw_string (random, &string);
    in_words = true;
    for (unsigned c = 0; c < string.n_components; c++)
      in_words = lay_out_string (&string, c, &t->picture.layout[c]) && in_words;
  } while (!in_words);
  t->format = (PacoPictureFormat){
    .width = 1 + below (random, below (random, 4) == 0 ? 2048 : MAX_WIDTH),
    .height = 1 + below (random, MAX_HEIGHT),
    .n_components = string.n_components,
    .fields = below (random, 8) == 0,
  };
  for (unsigned c = 0; c < string.n_components; c++)
    t->format.components[c].depth = string.depth;
  place_picture (random, t, (const uint8_t[PACO_MAX_COMPONENTS]){ 0 });
}

/* Makes groups of CSI-2, whose samples belong to 1, 2 or 4 components by turns. */
static void
case_of_csi2 (GRand *random, Case *t)
{
  unsigned n = below (random, 2) ? 4 : 2, depth = 8 + 8 / n;

  t->format = (PacoPictureFormat){
    .width = 1 + below (random, MAX_WIDTH),
    .height = 1 + below (random, MAX_HEIGHT),
    .n_components = 1 << below (random, n == 4 ? 3 : 2),
  };
  for (unsigned c = 0; c < t->format.n_components; c++) {
    t->format.components[c].depth = depth;
    t->picture.layout[c] = (PacoSampleLayout){
      .group_bytes = n + 1, .word_bytes = 2, .csi2 = true
    };
    for (unsigned i = c; i < n; i += t->format.n_components)
      paco_layout_append (&t->picture.layout[c], depth * i, depth);
  }
  place_picture (random, t, (const uint8_t[PACO_MAX_COMPONENTS]){ 0 });
}

static bool
may_be_triple (const PacoPictureFormat *format)
{
  const PacoComponent *components = format->components;

  return format->n_components >= 3
      && memcmp (&components[0], &components[1], sizeof *components) == 0
      && memcmp (&components[0], &components[2], sizeof *components) == 0;
}

/* Finds out what is to be launched. */
static void
plan (const Gpu *gpu, GRand *random, Case *t)
{
  PacoPicture picture = t->picture;

  paco_sample_planes_init (&t->planes, &t->format, 0,
      may_be_triple (&t->format) && below (random, 2) == 0
          ? PACO_COLOR_TRANSFORM_RCT
          : PACO_COLOR_TRANSFORM_NONE);
  t->device_picture = test_device_reserve (&gpu->test, t->size);
  t->device_planes = test_device_reserve (&gpu->test, t->planes.size);
  picture.memory = PACO_MEMORY_DEVICE;
  for (unsigned c = 0; c < t->format.n_components; c++)
    picture.data[c] = (uint8_t *) (uintptr_t) (t->device_picture
        + (size_t) (t->picture.data[c] - t->memory));
  t->n_launches = paco_layout_launches (
      &t->planes, &picture, 0, t->device_planes, &t->planar, t->launches);
  for (unsigned i = 0; i < t->n_launches; i++)
    uses[t->launches[i].kernel]++;
}

static void
case_clear (const Gpu *gpu, Case *t)
{
  test_device_free (&gpu->test, t->device_picture);
  test_device_free (&gpu->test, t->device_planes);
  g_free (t->memory);
}

/* --- Checks --- */

static bool
is_in_plane (const Case *t, unsigned c)
{
  return (uintptr_t) t->planar.data[c]
      == t->device_planes + t->planes.offset[c];
}

/* Returns a sample of the planes. */
static uint32_t
plane_sample (
    const Case *t, const uint8_t *planes, unsigned c, uint32_t x, uint32_t y)
{
  const uint8_t *line = planes + t->planes.offset[c] + y * t->planes.stride[c];

  return t->planes.word_bytes == 1 ? line[x] : ((const uint16_t *) line)[x];
}

static void
put_plane_sample (const Case *t, uint8_t *planes, unsigned c, uint32_t x,
    uint32_t y, uint32_t value)
{
  uint8_t *line = planes + t->planes.offset[c] + y * t->planes.stride[c];

  if (t->planes.word_bytes == 1)
    line[x] = value;
  else
    ((uint16_t *) line)[x] = value;
}

/* Calls func for every sample of the components that are in planes, with the
 * reference's one, which is less half the range. */
typedef bool (*SampleFunc) (const Case *t, uint8_t *planes, unsigned c,
    uint32_t x, uint32_t y, int32_t half, PacoReferenceSample *sample);

static bool
each_sample (const Case *t, uint8_t *planes,
    PacoReferencePlane (*reference)[PACO_MAX_COMPONENTS], SampleFunc func)
{
  unsigned n_fields = paco_n_fields (&t->format);

  for (unsigned c = 0; c < t->format.n_components; c++) {
    int32_t half = 1 << (t->format.components[c].depth - 1);

    for (uint32_t y = 0; is_in_plane (t, c) && y < t->planes.lines[c]; y++) {
      PacoReferencePlane *plane = &reference[y % n_fields][c];

      for (uint32_t x = 0; x < plane->width; x++)
        if (!func (t, planes, c, x, y, half,
                &plane->samples[(size_t) (y / n_fields) * plane->width + x]))
          return false;
    }
  }
  return true;
}

static bool
compare_sample (const Case *t, uint8_t *planes, unsigned c, uint32_t x,
    uint32_t y, int32_t half, PacoReferenceSample *sample)
{
  uint32_t found = plane_sample (t, planes, c, x, y);

  if (found == (uint32_t) (sample->i + half))
    return true;
  printf ("load: component %u at %u, %u is %u instead of %d\n", c, x, y, found,
      sample->i + half);
  return false;
}

static bool
take_sample (const Case *t, uint8_t *planes, unsigned c, uint32_t x, uint32_t y,
    int32_t half, PacoReferenceSample *sample)
{
  uint32_t value = plane_sample (t, planes, c, x, y) & (2 * half - 1);

  put_plane_sample (t, planes, c, x, y, value);
  sample->i = (int32_t) value - half;
  return true;
}

static void
init_reference (
    const Case *t, PacoReferencePlane (*reference)[PACO_MAX_COMPONENTS])
{
  unsigned n_fields = paco_n_fields (&t->format);

  for (unsigned f = 0; f < n_fields; f++)
    for (unsigned c = 0; c < t->format.n_components; c++)
      paco_reference_plane_init (&reference[f][c], t->planes.columns[c],
          (t->planes.lines[c] + n_fields - 1 - f) / n_fields);
}

static void
clear_reference (PacoReferencePlane (*reference)[PACO_MAX_COMPONENTS])
{
  for (unsigned f = 0; f < 2; f++)
    for (unsigned c = 0; c < PACO_MAX_COMPONENTS; c++)
      paco_reference_plane_clear (&reference[f][c]);
}

static void
make_noise (GRand *random, uint8_t *memory, size_t size)
{
  for (size_t i = 0; i < size; i++)
    memory[i] = g_rand_int (random);
}

static void
launch (const Gpu *gpu, PacoLayoutDirection direction,
    const PacoLayoutLaunch *launches, unsigned n)
{
  PacoCudaStream stream = { .context = gpu->test.context };
  GError *error = NULL;

  if (!paco_layout_enqueue (
          &gpu->kernels, direction, launches, n, false, &stream, &error))
    g_error ("%s", error->message);
  test_device_check (
      &gpu->test, gpu->test.context->driver->ctx_synchronize (), "kernels");
}

static bool
check_load (const Gpu *gpu, GRand *random, Case *t)
{
  PacoReferencePlane reference[2][PACO_MAX_COMPONENTS] = { 0 };
  g_autofree uint8_t *planes = g_malloc (t->planes.size);
  bool same;

  make_noise (random, t->memory, t->size);
  memset (planes, GUARD, t->planes.size);
  test_device_write (&gpu->test, t->device_picture, t->memory, t->size);
  test_device_write (&gpu->test, t->device_planes, planes, t->planes.size);
  launch (gpu, PACO_LAYOUT_LOAD, t->launches, t->n_launches);
  test_device_read (&gpu->test, planes, t->device_planes, t->planes.size);

  init_reference (t, reference);
  for (unsigned f = 0; f < paco_n_fields (&t->format); f++)
    for (unsigned c = 0; c < t->format.n_components; c++)
      paco_reference_load_samples (
          &t->format, &t->picture, f, c, &reference[f][c]);
  same = each_sample (t, planes, reference, compare_sample);
  clear_reference (reference);
  return same;
}

/* Puts what the reference makes of the planes into the picture's memory.
 * Components that are not in planes keep what is there. */
static void
reference_store (const Case *t, PacoReferencePlane (*reference)[4])
{
  PacoPicture picture = t->picture;

  for (unsigned f = 0; f < paco_n_fields (&t->format); f++) {
    paco_reference_blank_samples (&t->format, &picture, f, reference[f]);
    for (unsigned c = 0; c < t->format.n_components; c++)
      paco_reference_store_samples (
          &t->format, &picture, f, c, &reference[f][c]);
  }
  for (unsigned c = 0; c < t->format.n_components; c++)
    for (uint32_t y = 0; !is_in_plane (t, c) && y < t->planes.lines[c]; y++)
      memset (picture.data[c] + (ptrdiff_t) y * picture.stride[c], GUARD,
          (size_t) t->planes.columns[c] * picture.layout[c].group_bytes);
}

static bool
check_store (const Gpu *gpu, GRand *random, Case *t)
{
  PacoReferencePlane reference[2][PACO_MAX_COMPONENTS] = { 0 };
  g_autofree uint8_t *planes = g_malloc (t->planes.size);
  g_autofree uint8_t *found = g_malloc (t->size);
  bool same = true;

  make_noise (random, planes, t->planes.size);
  init_reference (t, reference);
  each_sample (t, planes, reference, take_sample);
  memset (t->memory, GUARD, t->size);
  test_device_write (&gpu->test, t->device_picture, t->memory, t->size);
  test_device_write (&gpu->test, t->device_planes, planes, t->planes.size);
  launch (gpu, PACO_LAYOUT_STORE, t->launches, t->n_launches);
  test_device_read (&gpu->test, found, t->device_picture, t->size);

  reference_store (t, reference);
  for (size_t i = 0; same && i < t->size; i++) {
    same = found[i] == t->memory[i];
    if (!same)
      printf ("store: byte %zu is %02x instead of %02x\n", i, found[i],
          t->memory[i]);
  }
  clear_reference (reference);
  return same;
}

static void
describe (const Case *t)
{
  printf ("%s %ux%u differs, fields %d\n", t->name, t->format.width,
      t->format.height, t->format.fields);
  for (unsigned c = 0; c < t->format.n_components; c++) {
    const PacoSampleLayout *layout = &t->picture.layout[c];

    printf ("  component %u, %u bits: groups of %u samples in %u bytes, words "
            "of %u, big-endian %d, swapped %d, fill %02x, at %zu, stride %td:",
        c, t->format.components[c].depth, layout->group_samples,
        layout->group_bytes, layout->word_bytes, layout->big_endian,
        layout->swap_words, layout->fill,
        (size_t) (t->picture.data[c] - t->memory), t->picture.stride[c]);
    for (unsigned i = 0; i < layout->group_samples; i++)
      printf (" %u.%u", layout->places[i].byte, layout->places[i].shift);
    printf ("\n");
  }
  for (unsigned i = 0; i < t->n_launches; i++)
    printf ("  kernel %u\n", t->launches[i].kernel);
}

/* Runs the case, which it takes. */
static bool
run_case (const Gpu *gpu, GRand *random, Case *t)
{
  GError *error = NULL;
  bool same = paco_picture_check (&t->format, &t->picture, 0, &error);

  if (!same) {
    printf ("%s: %s\n", t->name, error->message);
    g_error_free (error);
    return false;
  }
  plan (gpu, random, t);
  same = check_load (gpu, random, t) && check_store (gpu, random, t);
  if (!same)
    describe (t);
  case_clear (gpu, t);
  return same;
}

static unsigned
run_formats (const Gpu *gpu, GRand *random, unsigned n_cases)
{
  GstVideoFormat formats[PACO_MAX_RAW_FORMATS];
  guint n = paco_raw_formats (formats, G_N_ELEMENTS (formats));
  unsigned failed = 0;

  for (guint i = 0; i < n && failed < 5; i++) {
    PacoRawFormat raw;

    if (!paco_raw_format (formats[i], &raw) || raw.tiled)
      continue;
    for (unsigned k = 0; k < n_cases; k++) {
      Case t = { 0 };

      g_strlcpy (
          t.name, gst_video_format_to_string (formats[i]), sizeof t.name);
      case_of_format (random, &t, &raw,
          n_cases >= MAX_WIDTH ? 1 + k % MAX_WIDTH
                               : 1 + below (random, MAX_WIDTH));
      failed += !run_case (gpu, random, &t);
    }
  }
  return failed;
}

/* Says whether a picture of this layout is given to the kernel. */
static bool
check_picture (const char *name, const PacoPictureFormat *format,
    PacoPicture *picture, const uint8_t *regions, ptrdiff_t stride,
    unsigned kernel)
{
  PacoPicture planar;
  PacoLayoutLaunch launches[PACO_MAX_COMPONENTS];
  PacoSamplePlanes planes;
  unsigned n;

  for (unsigned c = 0; c < format->n_components; c++) {
    picture->data[c] = (uint8_t *) (0x10000 * (uintptr_t) (1 + regions[c]));
    picture->stride[c] = stride;
  }
  paco_sample_planes_init (&planes, format, 0, PACO_COLOR_TRANSFORM_NONE);
  n = paco_layout_launches (&planes, picture, 0, 0x100000, &planar, launches);
  if (n == 1 && launches[0].kernel == kernel)
    return true;
  printf ("%s: %u launches, the first of kernel %u instead of %u\n", name, n,
      n > 0 ? launches[0].kernel : 0, kernel);
  return false;
}

static bool
check_format (GstVideoFormat format, unsigned kernel)
{
  PacoPicture picture = { 0 };
  PacoPictureFormat coded = { .width = 96, .height = 2 };
  PacoRawFormat raw;

  if (!paco_raw_format (format, &raw))
    return false;
  coded.n_components = raw.n_components;
  memcpy (coded.components, raw.components, sizeof raw.components);
  memcpy (picture.layout, raw.layout, sizeof raw.layout);
  return check_picture (gst_video_format_to_string (format), &coded, &picture,
      raw.plane, 0x1000, kernel);
}

/* Says whether strings of this kind, in the words of files of either byte order, are
 * given to the kernel. Lines of files are multiples of 4 bytes, not of 16. */
static bool
check_string (unsigned slot_bits, unsigned n_components, unsigned kernel)
{
  bool same = true;

  for (unsigned i = 0; i < 2; i++) {
    String string = {
      .slot_bits = slot_bits,
      .n_components = n_components,
      .depth = slot_bits == 16 ? 12 : slot_bits,
      .shift = slot_bits == 16 ? 4 : 0,
      .pixels = 1,
      .order = { 0, 1, 2, 3 },
      .word_bytes = slot_bits > 8 ? 2 : 1,
      .big_endian = i == 1 && slot_bits == 16,
      .swap_words = i == 1 && slot_bits != 16,
    };
    PacoPictureFormat format = {
      .width = 95,
      .height = 2,
      .n_components = n_components,
    };
    PacoPicture picture = { 0 };
    char name[48];

    while (string.pixels * n_components * slot_bits % 8 != 0)
      string.pixels++;
    for (unsigned c = 0; c < n_components; c++) {
      format.components[c].depth = string.depth;
      same = lay_out_string (&string, c, &picture.layout[c]) && same;
    }
    g_snprintf (name, sizeof name, "string of %ux%u bits, order %u",
        n_components, slot_bits, i);
    same = check_picture (name, &format, &picture,
               (const uint8_t[PACO_MAX_COMPONENTS]){ 0 }, 0x1004, kernel)
        && same;
  }
  return same;
}

static unsigned
check_kernels (void)
{
  static const struct
  {
    GstVideoFormat format;
    unsigned kernel;
  } fast[] = {
    { GST_VIDEO_FORMAT_v210, PACO_LAYOUT_V210 },
    { GST_VIDEO_FORMAT_UYVY, PACO_LAYOUT_4_8_2 },
    { GST_VIDEO_FORMAT_YUY2, PACO_LAYOUT_4_8_2 },
    { GST_VIDEO_FORMAT_r210, PACO_LAYOUT_4_16_1 },
    { GST_VIDEO_FORMAT_RGB10A2_LE, PACO_LAYOUT_4_16_1 },
    { GST_VIDEO_FORMAT_Y410, PACO_LAYOUT_4_16_1 },
    { GST_VIDEO_FORMAT_P010_10LE, PACO_LAYOUT_4_16_1 },
    { GST_VIDEO_FORMAT_P016_LE, PACO_LAYOUT_4_16_1 },
    { GST_VIDEO_FORMAT_BGRA, PACO_LAYOUT_4_8_1 },
    { GST_VIDEO_FORMAT_RGB, PACO_LAYOUT_STRING_8_3 },
    { GST_VIDEO_FORMAT_BGR, PACO_LAYOUT_STRING_8_3 },
    { GST_VIDEO_FORMAT_NV12, PACO_LAYOUT_2_8_1 },
    { GST_VIDEO_FORMAT_ARGB64, PACO_LAYOUT_8_16_1 },
    { GST_VIDEO_FORMAT_Y210, PACO_LAYOUT_8_16_2 },
    { GST_VIDEO_FORMAT_UYVP, PACO_LAYOUT_ANY },
  };
  static const struct
  {
    unsigned slot_bits, n_components, kernel;
  } strings[] = {
    { 8, 3, PACO_LAYOUT_STRING_8_3 },
    { 10, 1, PACO_LAYOUT_STRING_10_1 },
    { 10, 3, PACO_LAYOUT_STRING_10_3 },
    { 10, 4, PACO_LAYOUT_STRING_10_4 },
    { 12, 1, PACO_LAYOUT_STRING_12_1 },
    { 12, 3, PACO_LAYOUT_STRING_12_3 },
    { 12, 4, PACO_LAYOUT_STRING_12_4 },
    { 16, 1, PACO_LAYOUT_2_16_1 },
    { 16, 3, PACO_LAYOUT_STRING_16_3 },
    { 16, 4, PACO_LAYOUT_8_16_1 },
  };
  unsigned failed = 0;

  for (unsigned i = 0; i < G_N_ELEMENTS (fast); i++)
    failed += !check_format (fast[i].format, fast[i].kernel);
  for (unsigned i = 0; i < G_N_ELEMENTS (strings); i++)
    failed += !check_string (
        strings[i].slot_bits, strings[i].n_components, strings[i].kernel);
  return failed;
}

static bool
all_are_used (void)
{
  for (unsigned i = 0; i < PACO_LAYOUT_N_KERNELS; i++)
    if (uses[i] == 0)
      return false;
  return true;
}

int
main (int argc, char **argv)
{
  unsigned n_cases = argc > 1 ? atoi (argv[1]) : MAX_WIDTH;
  guint32 seed = argc > 2 ? (guint32) atoi (argv[2]) : g_random_int ();
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  GError *error = NULL;
  unsigned failed;
  Gpu gpu;
  int status = test_device_open (&gpu.test, paco_fatbin_layout, "layout");

  if (status != 0)
    return status;
  if (!paco_layout_find_kernels (&gpu.kernels, &gpu.test.module, &error))
    g_error ("%s", error->message);
  gst_init (&argc, &argv);
  printf ("seed %u\n", seed);
  failed = run_formats (&gpu, random, n_cases);
  /* Some kernels take one case of a hundred. */
  for (unsigned i = 0; (i < 50 * n_cases || !all_are_used ()) && failed < 5;
       i++) {
    Case t = { .name = "random layout" }, rgb = { .name = "12-bit RGB" };
    Case string = { .name = "string" }, csi2 = { .name = "CSI-2" };

    case_of_random (random, &t);
    failed += !run_case (&gpu, random, &t);
    case_of_string (random, &string);
    failed += !run_case (&gpu, random, &string);
    if (i % 10 == 0) {
      case_of_12_bit_rgb (random, &rgb);
      failed += !run_case (&gpu, random, &rgb);
      case_of_csi2 (random, &csi2);
      failed += !run_case (&gpu, random, &csi2);
    }
  }
  failed += check_kernels ();
  printf ("%s: %u differ\n", gpu.test.context->name, failed);
  test_device_close (&gpu.test);
  return failed > 0;
}

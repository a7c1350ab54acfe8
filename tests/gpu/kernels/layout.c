/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the kernels between layouts and planes with the reference: every
 * format of the table of caps/ and random layouts, at random widths, alignments
 * and strides, each to planes and back.
 *
 *   layout [cases of each format [seed]]   on a device (exit 77 without), see
 *                                          runner.h */
#include "caps/formats.h"
#include "codec/reference/reference.h"
#include "tests/codec/random-picture.h"
#include "tests/gpu/kernels/runner.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WIDTH 200
#define MAX_HEIGHT 9
#define GUARD 0xa5

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
  TestPicture picture;

  test_format_random (random, &t->format, MAX_WIDTH * MAX_HEIGHT);
  test_picture_init (random, &picture, &t->format, 0);
  t->format = picture.format;
  memcpy (t->picture.layout, picture.picture.layout, sizeof t->picture.layout);
  for (unsigned c = 0; c < t->format.n_components; c++)
    regions[c] = picture.owners[c];
  test_picture_clear (&picture);
  place_picture (random, t, regions);
}

/* Makes 12 bits of R, G and B in 36 bytes for eight pixels, one behind the
 * other, as capture cards have it. */
static void
case_of_12_bit_rgb (GRand *random, Case *t, bool big_endian)
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
      .big_endian = big_endian,
    };
    for (unsigned i = 0; i < 8; i++)
      paco_layout_append (&t->picture.layout[c], 36 * i + 12 * c, 12);
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
plan (Runner *runner, GRand *random, Case *t)
{
  PacoPicture picture = t->picture;

  paco_sample_planes_init (&t->planes, &t->format, 0,
      may_be_triple (&t->format) && below (random, 2) == 0);
  t->device_picture = runner_allocate (runner, t->size);
  t->device_planes = runner_allocate (runner, t->planes.size);
  picture.memory = PACO_MEMORY_DEVICE;
  for (unsigned c = 0; c < t->format.n_components; c++)
    picture.data[c] = (uint8_t *) (uintptr_t) (t->device_picture
        + (size_t) (t->picture.data[c] - t->memory));
  t->n_launches = paco_layout_launches (
      &t->planes, &picture, t->device_planes, &t->planar, t->launches);
  for (unsigned i = 0; i < t->n_launches; i++)
    uses[t->launches[i].kernel]++;
}

static void
case_clear (Runner *runner, Case *t)
{
  runner_free (runner, t->device_picture);
  runner_free (runner, t->device_planes);
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

static bool
check_load (Runner *runner, GRand *random, Case *t)
{
  PacoReferencePlane reference[2][PACO_MAX_COMPONENTS] = { 0 };
  uint8_t *planes = g_malloc (t->planes.size);
  bool same;

  make_noise (random, t->memory, t->size);
  memset (planes, GUARD, t->planes.size);
  runner_write (runner, t->device_picture, t->memory, t->size);
  runner_write (runner, t->device_planes, planes, t->planes.size);
  runner_launch_layouts (runner, PACO_LAYOUT_LOAD, t->launches, t->n_launches);
  runner_read (runner, planes, t->device_planes, t->planes.size);

  init_reference (t, reference);
  for (unsigned f = 0; f < paco_n_fields (&t->format); f++)
    for (unsigned c = 0; c < t->format.n_components; c++)
      paco_reference_load_samples (
          &t->format, &t->picture, f, c, &reference[f][c]);
  same = each_sample (t, planes, reference, compare_sample);
  clear_reference (reference);
  g_free (planes);
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
check_store (Runner *runner, GRand *random, Case *t)
{
  PacoReferencePlane reference[2][PACO_MAX_COMPONENTS] = { 0 };
  uint8_t *planes = g_malloc (t->planes.size);
  uint8_t *found = g_malloc (t->size);
  bool same = true;

  make_noise (random, planes, t->planes.size);
  init_reference (t, reference);
  each_sample (t, planes, reference, take_sample);
  memset (t->memory, GUARD, t->size);
  runner_write (runner, t->device_picture, t->memory, t->size);
  runner_write (runner, t->device_planes, planes, t->planes.size);
  runner_launch_layouts (runner, PACO_LAYOUT_STORE, t->launches, t->n_launches);
  runner_read (runner, found, t->device_picture, t->size);

  reference_store (t, reference);
  for (size_t i = 0; same && i < t->size; i++) {
    same = found[i] == t->memory[i];
    if (!same)
      printf ("store: byte %zu is %02x instead of %02x\n", i, found[i],
          t->memory[i]);
  }
  clear_reference (reference);
  g_free (planes);
  g_free (found);
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
run_case (Runner *runner, GRand *random, Case *t)
{
  GError *error = NULL;
  bool same = paco_picture_check (&t->format, &t->picture, 0, &error);

  if (!same) {
    printf ("%s: %s\n", t->name, error->message);
    g_error_free (error);
    return false;
  }
  plan (runner, random, t);
  same = check_load (runner, random, t) && check_store (runner, random, t);
  if (!same)
    describe (t);
  case_clear (runner, t);
  return same;
}

static unsigned
run_formats (Runner *runner, GRand *random, unsigned n_cases)
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
      failed += !run_case (runner, random, &t);
    }
  }
  return failed;
}

/* Says whether what is made for a format is what its pictures take, if memory is
 * aligned. */
static bool
check_kernel (Runner *runner, GstVideoFormat format, unsigned kernel)
{
  PacoPicture picture = { 0 }, planar;
  PacoLayoutLaunch launches[PACO_MAX_COMPONENTS];
  PacoPictureFormat coded = { .width = 96, .height = 2 };
  PacoSamplePlanes planes;
  PacoRawFormat raw;
  unsigned n;

  if (!paco_raw_format (format, &raw))
    return false;
  coded.n_components = raw.n_components;
  memcpy (coded.components, raw.components, sizeof raw.components);
  for (unsigned c = 0; c < raw.n_components; c++) {
    picture.data[c] = (uint8_t *) (0x10000 * (uintptr_t) (1 + raw.plane[c]));
    picture.stride[c] = 0x1000;
    picture.layout[c] = raw.layout[c];
  }
  paco_sample_planes_init (&planes, &coded, 0, false);
  n = paco_layout_launches (&planes, &picture, 0x100000, &planar, launches);
  if (n == 1 && launches[0].kernel == kernel)
    return true;
  printf ("%s: %u launches, the first of kernel %u instead of %u\n",
      gst_video_format_to_string (format), n, n > 0 ? launches[0].kernel : 0,
      kernel);
  return false;
}

static unsigned
check_kernels (Runner *runner)
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
    { GST_VIDEO_FORMAT_RGB, PACO_LAYOUT_3_8_1 },
    { GST_VIDEO_FORMAT_NV12, PACO_LAYOUT_2_8_1 },
    { GST_VIDEO_FORMAT_ARGB64, PACO_LAYOUT_8_16_1 },
    { GST_VIDEO_FORMAT_Y210, PACO_LAYOUT_8_16_2 },
    { GST_VIDEO_FORMAT_UYVP, PACO_LAYOUT_ANY },
  };
  unsigned failed = 0;

  for (unsigned i = 0; i < G_N_ELEMENTS (fast); i++)
    failed += !check_kernel (runner, fast[i].format, fast[i].kernel);
  for (unsigned i = 0; i < PACO_LAYOUT_N_KERNELS; i++) {
    if (uses[i] > 0)
      continue;
    printf ("kernel %u has not been used\n", i);
    failed++;
  }
  return failed;
}

int
main (int argc, char **argv)
{
  unsigned n_cases = argc > 1 ? atoi (argv[1]) : MAX_WIDTH;
  guint32 seed = argc > 2 ? (guint32) atoi (argv[2]) : g_random_int ();
  GRand *random = g_rand_new_with_seed (seed);
  Runner *runner = runner_open ();
  unsigned failed;

  if (runner == NULL)
    return 77;
  gst_init (&argc, &argv);
  printf ("seed %u\n", seed);
  failed = run_formats (runner, random, n_cases);
  for (unsigned i = 0; i < 50 * n_cases && failed < 5; i++) {
    Case t = { .name = "random layout" }, rgb = { .name = "12-bit RGB" };

    case_of_random (random, &t);
    failed += !run_case (runner, random, &t);
    if (i % 10 == 0) {
      case_of_12_bit_rgb (random, &rgb, i % 20 == 0);
      failed += !run_case (runner, random, &rgb);
    }
  }
  failed += check_kernels (runner);
  printf ("%s: %u differ\n", runner_name (runner), failed);
  runner_close (runner);
  g_rand_free (random);
  return failed > 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares the wavelet transform of gpu/ with the reference, coefficient by
 * coefficient and byte by byte: random sizes, formats, layouts, options; and of
 * each wavelet all widths and heights up to 200, or to `largest` if that is less.
 *
 *   dwt [cases [seed [largest]]]   exits with 77 without a device */
#include "codec/fit.h"
#include "codec/matrix.h"
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include "codec/step_map.h"
#include "gpu/dwt.h"
#include "tests/gpu/kernels/test-device.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  TestDevice test;
  PacoDwtKernels kernels;
  CUstream stream;
} Gpu;

/* This is one random case. */
typedef struct
{
  PacoPictureFormat format;
  PacoCoding coding;
  PacoGeometry *geometry;
  PacoDwt *dwt;
  unsigned reduce;
  bool wide;
  /* This is host memory of a picture, of which picture.data are addresses. */
  uint8_t *memory;
  size_t memory_size;
  PacoPicture picture;
  uint64_t device_picture, device_coefficients, device_scratch, device_dropped;
  uint8_t *cells; /* with a step map, its exponents */
  uint64_t device_cells;
} Case;

static uint32_t
random_below (GRand *random, uint32_t n)
{
  return g_rand_int_range (random, 0, n);
}

static bool
chance (GRand *random, unsigned percent)
{
  return random_below (random, 100) < percent;
}

static uint32_t
random_size (GRand *random, uint32_t largest)
{
  switch (random_below (random, 8)) {
    case 0:
      return 1 + random_below (random, 4);
    case 1:
      return 1 + random_below (random, 16);
    case 2:
      return MIN (largest, 116 + random_below (random, 10));
    case 3:
      return MIN (largest, 232 + random_below (random, 16));
    case 4:
      return 1 + random_below (random, largest);
    default:
      return 1 + random_below (random, MIN (largest, 200));
  }
}

static void
random_format (GRand *random, PacoPictureFormat *format, uint32_t largest)
{
  unsigned depth = 1 + random_below (random, 16);
  bool subsampled = chance (random, 35);

  *format = (PacoPictureFormat){
    .width = random_size (random, largest),
    .height = random_size (random, largest),
    .n_components = 1 + random_below (random, PACO_MAX_COMPONENTS),
    .fields = chance (random, 25),
  };
  for (unsigned c = 0; c < format->n_components; c++) {
    format->components[c].depth = chance (random, 15)
        ? 1 + random_below (random, 16)
        : depth;
    if (subsampled && (c == 1 || c == 2)) {
      format->components[c].subsampling_x = random_below (random, 3);
      format->components[c].subsampling_y = random_below (random, 3);
    }
  }
}

/* This is what is not left to chance of a case, or 0. */
typedef struct
{
  uint32_t width, height;
  bool has_wavelet;
  unsigned wavelet;
} Given;

/* Draws one wavelet for all components, or one for alpha and one for the
 * others, or any. */
static void
random_wavelets (GRand *random, const Given *given,
    const PacoPictureFormat *format, PacoCoding *coding)
{
  unsigned wavelet = given->has_wavelet
      ? given->wavelet
      : random_below (random, PACO_N_WAVELETS);
  unsigned alpha = random_below (random, PACO_N_WAVELETS);
  bool any = !given->has_wavelet && chance (random, 30);

  for (unsigned c = 0; c < format->n_components; c++)
    coding->components[c].wavelet = any ? random_below (random, PACO_N_WAVELETS)
        : paco_is_alpha (format, c)     ? alpha
                                        : wavelet;
}

static bool
can_transform_colors (const PacoPictureFormat *format, const PacoCoding *coding)
{
  if (format->n_components < 3)
    return false;
  for (unsigned c = 1; c < 3; c++)
    if (format->components[c].depth != format->components[0].depth
        || coding->components[c].wavelet != coding->components[0].wavelet
        || format->components[c].subsampling_x
        || format->components[c].subsampling_y)
      return false;
  return true;
}

static void
random_coding (GRand *random, const Given *given,
    const PacoPictureFormat *format, PacoCoding *coding)
{
  static const PacoColorTransform transforms[] = { PACO_COLOR_TRANSFORM_RCT,
    PACO_COLOR_TRANSFORM_ICT, PACO_COLOR_TRANSFORM_RCT2,
    PACO_COLOR_TRANSFORM_MATRIX, PACO_COLOR_TRANSFORM_FIT };

  memset (coding, 0, sizeof *coding);
  coding->levels = chance (random, 50) ? 5 : random_below (random, 9);
  coding->reconstruction = random_below (random, 256);
  random_wavelets (random, given, format, coding);
  if (can_transform_colors (format, coding) && chance (random, 80))
    do
      coding->color_transform =
          transforms[random_below (random, G_N_ELEMENTS (transforms))];
    while (paco_color_transform_is_matrix (coding->color_transform)
        && paco_wavelets[coding->components[0].wavelet].reversible);
  for (unsigned i = 0; i < PACO_MATRIX_SIZE; i++)
    coding->matrix[i] = (float) random_below (random, 2001) / 1000.0f - 1.0f;
  while (coding->color_transform == PACO_COLOR_TRANSFORM_FIT
      && !paco_fit_is_valid (coding->parameters))
    for (unsigned i = 0; i < 2; i++)
      coding->parameters[i] = random_below (random, 256);
  for (unsigned c = 0; c < format->n_components; c++) {
    for (unsigned k = 0; k <= 3u * coding->levels; k++) {
      coding->subbands[c][k].height_log2 = random_below (random, 4);
      if (paco_wavelets[coding->components[c].wavelet].reversible)
        continue;
      coding->subbands[c][k].fraction_bits = random_below (random, 5);
      coding->subbands[c][k].step = chance (random, 5)
          ? random_below (random, 1 << 14)
          : (15 + random_below (random, 4)) << 9 | random_below (random, 512);
    }
  }
}

/* Draws what the transform takes (gpu/dwt.h): components that are mixed lie
 * alike, others as they like. */
static PacoSampleLayout
random_words (GRand *random, const Case *t, unsigned c)
{
  unsigned depth = t->format.components[c].depth;
  unsigned bytes = depth > 8 || chance (random, 15) ? 2 : 1;
  PacoSampleLayout layout = PACO_LAYOUT_PLANAR (bytes);

  if (t->coding.color_transform != PACO_COLOR_TRANSFORM_NONE
      && (c == 1 || c == 2))
    return t->picture.layout[0];
  layout.places[0].shift = random_below (random, 8 * bytes - depth + 1);
  return layout;
}

static void
random_layout (GRand *random, Case *t)
{
  bool upside_down = chance (random, 10);
  size_t offsets[PACO_MAX_COMPONENTS];

  for (unsigned c = 0; c < t->format.n_components; c++) {
    PacoSampleLayout *layout = &t->picture.layout[c];
    uint32_t width = paco_component_width (&t->format, c);
    uint32_t height = paco_component_height (&t->format, c);
    ptrdiff_t stride;

    *layout = random_words (random, t, c);
    stride = (width + 3 + 4 * random_below (random, 8)) / 4 * 4
        * layout->word_bytes;
    offsets[c] = t->memory_size + 8 * random_below (random, 4);
    t->memory_size = (offsets[c] + stride * height + 7) / 8 * 8;
    if (upside_down) {
      offsets[c] += stride * (height - 1);
      stride = -stride;
    }
    t->picture.stride[c] = stride;
  }
  t->memory = g_malloc (t->memory_size);
  for (unsigned c = 0; c < t->format.n_components; c++)
    t->picture.data[c] = t->memory + offsets[c];
}

/* Draws noise, extremes or something smooth, with garbage in the unused
 * bits. */
static void
random_samples (GRand *random, Case *t)
{
  unsigned kind = random_below (random, 4);

  for (size_t i = 0; i < t->memory_size; i++)
    t->memory[i] = kind == 0 ? (chance (random, 50) ? 0xff : 0)
        : kind == 1          ? (uint8_t) (i / 7)
                             : (uint8_t) g_rand_int (random);
}

static PacoPicture
device_picture (const Case *t)
{
  PacoPicture picture = t->picture;

  for (unsigned c = 0; c < t->format.n_components; c++)
    picture.data[c] = (uint8_t *) (uintptr_t) (t->device_picture
        + (uint64_t) (t->picture.data[c] - t->memory));
  return picture;
}

static void
case_allocate (const Gpu *gpu, Case *t)
{
  t->device_picture = test_device_reserve (&gpu->test, t->memory_size);
  t->device_coefficients = test_device_reserve (
      &gpu->test, 4 * t->dwt->n_coefficients);
  t->device_scratch = test_device_reserve (&gpu->test, t->dwt->scratch_bytes);
  t->device_dropped = test_device_reserve (&gpu->test, t->geometry->n_blocks);
  t->device_cells = test_device_reserve (
      &gpu->test, paco_step_map_n_cells (t->geometry));
}

static void
case_clear (const Gpu *gpu, Case *t)
{
  test_device_free (&gpu->test, t->device_picture);
  test_device_free (&gpu->test, t->device_coefficients);
  test_device_free (&gpu->test, t->device_scratch);
  test_device_free (&gpu->test, t->device_dropped);
  test_device_free (&gpu->test, t->device_cells);
  g_free (t->cells);
  paco_dwt_free (t->dwt);
  paco_geometry_free (t->geometry);
  g_free (t->memory);
}

static void
describe (const Case *t)
{
  printf ("  %ux%u, %u components, fields %d, levels %u, color %u, "
          "reduce %u, wide %d, map %d\n",
      t->format.width, t->format.height, t->format.n_components,
      t->format.fields, t->coding.levels, t->coding.color_transform, t->reduce,
      t->wide, t->coding.step_map);
  for (unsigned c = 0; c < t->format.n_components; c++)
    printf (
        "  component %u: wavelet %u, depth %u, subsampling %u %u, bytes %u of "
        "%u, stride %td, byte %u, shift %u, be %d, at %zu\n",
        c, t->coding.components[c].wavelet, t->format.components[c].depth,
        t->format.components[c].subsampling_x,
        t->format.components[c].subsampling_y, t->picture.layout[c].word_bytes,
        t->picture.layout[c].group_bytes, t->picture.stride[c],
        t->picture.layout[c].places[0].byte,
        t->picture.layout[c].places[0].shift, t->picture.layout[c].big_endian,
        (size_t) (t->picture.data[c] - t->memory));
}

static int32_t
index_at (const void *coefficients, bool wide, size_t at)
{
  return wide ? ((const int32_t *) coefficients)[at]
              : ((const int16_t *) coefficients)[at];
}

/* Compares one subband with the plane that holds it. */
static bool
same_subband (const Case *t, const PacoSubband *subband,
    const PacoReferencePlane *plane, const void *coefficients)
{
  const PacoCoefficientPlace *place =
      &t->dwt->places[subband - t->geometry->subbands];
  unsigned c = subband->component, k = subband->entry;
  float step = paco_step_decode (t->coding.subbands[c][k].step);
  uint32_t left, top;

  paco_reference_subband_origin (t->geometry, subband, &left, &top);
  for (uint32_t y = 0; y < subband->height; y++) {
    for (uint32_t x = 0; x < subband->width; x++) {
      int32_t expected = paco_reference_scale (
          plane->samples[(size_t) (top + y) * plane->width + left + x],
          t->coding.components[c].wavelet, step,
          t->coding.subbands[c][k].fraction_bits);
      int32_t found = index_at (coefficients, t->wide,
          place->offset + (size_t) y * place->stride + x);

      if (found != expected) {
        printf ("forward: component %u field %u level %u orientation %u "
                "(%u, %u) of %u x %u: %d instead of %d\n",
            subband->component, subband->field, subband->level,
            subband->orientation, x, y, subband->width, subband->height, found,
            expected);
        return false;
      }
    }
  }
  return true;
}

static void
reference_forward (const Case *t, PacoReferencePlane (*planes)[4])
{
  for (unsigned f = 0; f < t->geometry->n_fields; f++) {
    for (unsigned c = 0; c < t->format.n_components; c++) {
      paco_reference_plane_init (&planes[f][c],
          t->geometry->resolution[f][c][0].width,
          t->geometry->resolution[f][c][0].height);
      paco_reference_load_samples (
          &t->format, &t->picture, f, c, &planes[f][c]);
    }
    paco_reference_forward_color (
        planes[f], t->format.n_components, &t->coding);
    for (unsigned c = 0; c < t->format.n_components; c++)
      paco_reference_forward_dwt (
          &planes[f][c], t->coding.levels, t->coding.components[c].wavelet);
  }
}

static void
clear_planes (PacoReferencePlane (*planes)[4])
{
  for (unsigned f = 0; f < 2; f++)
    for (unsigned c = 0; c < 4; c++)
      paco_reference_plane_clear (&planes[f][c]);
}

/* Checks that there are few launches: where all planes are of one wavelet, a
 * level between LL and LL is one launch; else it is one for each wavelet. */
static bool
few_launches (
    const Case *t, const PacoDwtLaunch *launches, unsigned n, unsigned n_levels)
{
  unsigned n_planes = 0, wavelets = 0;

  for (unsigned c = 0; c < t->format.n_components; c++)
    wavelets |= 1u << t->coding.components[c].wavelet;
  for (unsigned i = 0; i < n; i++)
    if (launches[i].parameters.planes[0].samples.address == 0)
      n_planes++;
  if (n <= PACO_DWT_MAX_LAUNCHES
      && n_planes <= n_levels * __builtin_popcount (wavelets))
    return true;
  printf ("%u launches, %u of them for %u levels\n", n, n_planes, n_levels);
  return false;
}

static void
launch (const Gpu *gpu, const PacoDwtLaunch *launches, unsigned n)
{
  PacoCudaContext *context = gpu->test.context;
  GError *error = NULL;

  for (unsigned i = 0; i < n; i++)
    if (!paco_module_launch (context,
            &(PacoLaunch){
                .function = launches[i].kernel->function,
                .grid_x = launches[i].grid_x,
                .grid_y = launches[i].grid_y,
                .threads = PACO_DWT_THREADS,
                .early = i > 0 && gpu->kernels.early,
                PACO_LAUNCH_PARAMETERS (launches[i].parameters),
            },
            gpu->stream, &error))
      g_error ("%s", error->message);
  test_device_check (
      &gpu->test, context->driver->stream_synchronize (gpu->stream), "kernels");
}

/* Checks the transform, and leaves the coefficients found in *coefficients. */
static bool
check_forward (const Gpu *gpu, Case *t, void **coefficients)
{
  PacoReferencePlane planes[2][4] = { 0 };
  g_autofree PacoDwtLaunch *launches = g_new0 (
      PacoDwtLaunch, PACO_DWT_MAX_LAUNCHES);
  PacoPicture picture = device_picture (t);
  PacoDwtFrame frame = {
    .coding = &t->coding,
    .picture = &picture,
    .coefficients = t->device_coefficients,
    .scratch = t->device_scratch,
    .wide = t->wide,
  };
  size_t size = t->dwt->n_coefficients * (t->wide ? 4 : 2);
  bool same = true;
  unsigned n;

  *coefficients = g_malloc (size);
  memset (*coefficients, 0x77, size);
  test_device_write (&gpu->test, t->device_coefficients, *coefficients, size);
  test_device_write (&gpu->test, t->device_picture, t->memory, t->memory_size);
  n = paco_dwt_launches (t->dwt, &frame, false, launches);
  same = few_launches (t, launches, n, MAX (t->coding.levels, 1) - 1);
  launch (gpu, launches, n);
  test_device_read (&gpu->test, *coefficients, t->device_coefficients, size);

  reference_forward (t, planes);
  for (uint32_t s = 0; same && s < t->geometry->n_subbands; s++) {
    const PacoSubband *subband = &t->geometry->subbands[s];

    same = same_subband (
        t, subband, &planes[subband->field][subband->component], *coefficients);
  }
  clear_planes (planes);
  return same;
}

static void
put_index (void *coefficients, bool wide, size_t at, int32_t index)
{
  if (wide)
    ((int32_t *) coefficients)[at] = index;
  else
    ((int16_t *) coefficients)[at] = index;
}

/* Turns the coefficients of the encoder into some that a decoder might have:
 * planes dropped, in some cases anything at all; and puts them into planes.
 * Those of the reversible wavelet are complete. */
static void
random_indices (GRand *random, const Case *t, void *coefficients,
    uint8_t *dropped, PacoReferencePlane (*planes)[4])
{
  bool drops = chance (random, 50), hostile = chance (random, 25);
  uint32_t largest = t->wide ? PACO_MAX_MAGNITUDE : 32767;

  for (uint32_t i = 0; i < t->geometry->n_blocks_at[t->reduce]; i++) {
    const PacoCodeblock *block = &t->geometry->blocks[i];
    const PacoSubband *subband = &t->geometry->subbands[block->subband];
    const PacoCoefficientPlace *place = &t->dwt->places[block->subband];
    PacoReferencePlane *plane = &planes[subband->field][subband->component];
    unsigned wavelet = t->coding.components[subband->component].wavelet;
    float step = paco_step_decode (
        t->coding.subbands[subband->component][subband->entry].step);
    PacoStepMapPlace map = paco_step_map_place (
        &t->format, &t->coding, t->geometry, subband);
    uint32_t left, top;

    dropped[i] = drops ? random_below (random, hostile ? 16 : 5) : 0;
    paco_reference_subband_origin (t->geometry, subband, &left, &top);
    for (uint32_t y = block->y; y < block->y + block->height; y++) {
      for (uint32_t x = block->x; x < block->x + block->width; x++) {
        size_t at = place->offset + (size_t) y * place->stride + x;
        int32_t index = index_at (coefficients, t->wide, at);
        PacoReferenceSample sample;

        if (hostile)
          index = (int32_t) (g_rand_int (random) & largest)
              * (chance (random, 50) ? 1 : -1);
        index = index / (1 << dropped[i]) * (1 << dropped[i]);
        sample = paco_reference_dequantize (index, dropped[i],
            t->coding.reconstruction, wavelet,
            map.used ? step
                    * paco_step_map_scales[paco_step_map_exponent (
                        &map, t->cells, x, y)]
                     : step);
        put_index (coefficients, t->wide, at,
            paco_wavelets[wavelet].reversible ? sample.i : index);
        plane->samples[(size_t) (top + y) * plane->width + left + x] = sample;
      }
    }
  }
}

static void
reference_inverse (const Case *t, PacoReferencePlane (*planes)[4])
{
  for (unsigned f = 0; f < t->geometry->n_fields; f++) {
    for (unsigned c = 0; c < t->format.n_components; c++) {
      PacoReferencePlane *plane = &planes[f][c];
      unsigned wavelet = t->coding.components[c].wavelet;

      paco_reference_inverse_dwt (plane, t->coding.levels - t->reduce, wavelet);
      paco_reference_reduce (plane, wavelet, t->reduce);
    }
    paco_reference_inverse_color (
        planes[f], t->format.n_components, &t->coding);
    paco_reference_blank_samples (&t->format, &t->picture, f, planes[f]);
    for (unsigned c = 0; c < t->format.n_components; c++)
      paco_reference_store_samples (
          &t->format, &t->picture, f, c, &planes[f][c]);
  }
}

static bool
check_inverse (const Gpu *gpu, GRand *random, Case *t, void *coefficients)
{
  PacoReferencePlane planes[2][4] = { 0 };
  g_autofree PacoDwtLaunch *launches = g_new0 (
      PacoDwtLaunch, PACO_DWT_MAX_LAUNCHES);
  PacoPicture picture = device_picture (t);
  g_autofree uint8_t *dropped = g_malloc0 (t->geometry->n_blocks + 1);
  g_autofree uint8_t *found = g_malloc (t->memory_size);
  bool any_dropped = false, same = true;
  unsigned n;

  for (unsigned f = 0; f < t->geometry->n_fields; f++)
    for (unsigned c = 0; c < t->format.n_components; c++)
      paco_reference_plane_init (&planes[f][c],
          t->geometry->resolution[f][c][t->reduce].width,
          t->geometry->resolution[f][c][t->reduce].height);
  random_indices (random, t, coefficients, dropped, planes);
  for (uint32_t i = 0; i < t->geometry->n_blocks; i++)
    any_dropped |= dropped[i] > 0;
  memset (t->memory, 0xa5, t->memory_size);

  test_device_write (&gpu->test, t->device_picture, t->memory, t->memory_size);
  test_device_write (&gpu->test, t->device_coefficients, coefficients,
      t->dwt->n_coefficients * (t->wide ? 4 : 2));
  test_device_write (
      &gpu->test, t->device_dropped, dropped, t->geometry->n_blocks);
  test_device_write (&gpu->test, t->device_cells, t->cells,
      paco_step_map_n_cells (t->geometry));
  n = paco_dwt_launches (t->dwt,
      &(PacoDwtFrame){
          .coding = &t->coding,
          .picture = &picture,
          .coefficients = t->device_coefficients,
          .scratch = t->device_scratch,
          .wide = t->wide,
          .reduce = t->reduce,
          .dropped_planes = any_dropped ? t->device_dropped : 0,
          .cells = t->coding.step_map ? t->device_cells : 0,
      },
      true, launches);
  same = few_launches (t, launches, n,
      t->coding.levels > t->reduce ? t->coding.levels - t->reduce - 1 : 0);
  launch (gpu, launches, n);
  test_device_read (&gpu->test, found, t->device_picture, t->memory_size);

  reference_inverse (t, planes);
  for (size_t i = 0; same && i < t->memory_size; i++) {
    if (found[i] != t->memory[i]) {
      printf (
          "inverse: byte %zu is %u instead of %u\n", i, found[i], t->memory[i]);
      same = false;
    }
  }
  clear_planes (planes);
  return same;
}

static void
random_map (GRand *random, Case *t)
{
  uint32_t n = paco_step_map_n_cells (t->geometry);

  t->coding.step_map = chance (random, 40);
  t->coding.step_map_halved = random_below (
      random, 1u << t->format.n_components);
  t->cells = g_malloc (n);
  for (uint32_t i = 0; i < n; i++)
    t->cells[i] = random_below (random, PACO_STEP_MAP_EXPONENTS);
}

static bool
run_case (const Gpu *gpu, guint32 seed, uint32_t largest, const Given *given)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  Case t = { 0 };
  g_autofree void *coefficients = NULL;
  bool same;

  random_format (random, &t.format, largest);
  if (given->width > 0) {
    t.format.width = given->width;
    t.format.height = given->height;
  }
  random_coding (random, given, &t.format, &t.coding);
  t.geometry = paco_geometry_new (&t.format, &t.coding);
  t.dwt = paco_dwt_new (&t.format, &t.coding, t.geometry,
      chance (random, 50) ? 1 : (unsigned) gpu->test.context->n_multiprocessors,
      &gpu->kernels);
  t.reduce = chance (random, 60) ? 0
                                 : random_below (random, t.coding.levels + 1);
  t.wide = !paco_dwt_is_narrow (&t.format, &t.coding) || chance (random, 20);
  random_map (random, &t);
  random_layout (random, &t);
  random_samples (random, &t);
  case_allocate (gpu, &t);

  same = check_forward (gpu, &t, &coefficients)
      && check_inverse (gpu, random, &t, coefficients);
  if (!same) {
    printf ("case %u differs:\n", seed);
    describe (&t);
  }
  case_clear (gpu, &t);
  return same;
}

/* Runs, of each wavelet, all widths and heights up to the largest: which columns
 * and lines stand in for those outside depends on them. Returns how many cases
 * differ. */
static unsigned
run_all_sizes (const Gpu *gpu, guint32 seed, unsigned largest)
{
  unsigned failed = 0;

  for (unsigned wavelet = 0; wavelet < PACO_N_WAVELETS; wavelet++)
    for (uint32_t n = 1; n <= largest && failed < 5; n++)
      failed += !run_case (gpu, seed++, largest,
          &(Given){ .width = n,
              .height = largest + 1 - n,
              .has_wavelet = true,
              .wavelet = wavelet });
  return failed;
}

int
main (int argc, char **argv)
{
  unsigned n = 300, failed = 0, seed = 1, largest = 400;
  GError *error = NULL;
  Gpu gpu;
  int status = test_device_open (&gpu.test, paco_fatbin_dwt, "dwt");

  if (status != 0)
    return status;
  if (!paco_dwt_find_kernels (&gpu.kernels, &gpu.test.module, &error))
    g_error ("%s", error->message);
  test_device_check (&gpu.test,
      gpu.test.context->driver->stream_create (
          &gpu.stream, CU_STREAM_NON_BLOCKING),
      "stream");
  if (argc > 1)
    n = atoi (argv[1]);
  if (argc > 2)
    seed = atoi (argv[2]);
  if (argc > 3)
    largest = atoi (argv[3]);
  for (unsigned i = 0; i < n && failed < 5; i++)
    failed += !run_case (&gpu, seed + i, largest, &(Given){ 0 });
  failed += run_all_sizes (&gpu, seed + n, MIN (largest, 200));
  printf ("%s: %u cases, %u differ\n", gpu.test.context->name, n, failed);
  gpu.test.context->driver->stream_destroy (gpu.stream);
  test_device_close (&gpu.test);
  return failed > 0;
}

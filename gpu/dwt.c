/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Plans and enqueues the launches of the wavelet transform: one for each level and all
 * planes of a wavelet. At level 1, components that the color transform mixes are in one
 * launch, and components whose samples are fetched in different ways in different
 * ones. */
#include "gpu/dwt.h"
#include "codec/fit.h"
#include "codec/matrix.h"
#include "codec/quantizer.h"
#include "codec/step_map.h"
#include <math.h>
#include <string.h>

/* --- The kernels --- */

/* Prints dwt_<direction>_<wavelet>_<ability>, and if the fine side is samples also
 * _<layout>_<components>. Without a wavelet the kind of its numbers replaces its
 * name. */
static void
print_name (char *name, size_t size, unsigned inverse, unsigned wavelet,
    unsigned ability, unsigned layout, bool triple)
{
  static const char *const abilities[] = { "any", "plain", "mapped", "direct" };
  const char *kind = paco_wavelets[wavelet].name;
  int length;

  if (ability == PACO_DWT_DIRECT)
    kind = paco_wavelets[wavelet].reversible ? "integers" : "floats";
  length = g_snprintf (name, size, "dwt_%s_%s_%s",
      inverse ? "inverse" : "forward", kind, abilities[ability]);

  if (layout != PACO_DWT_NUMBERS)
    g_snprintf (name + length, size - length, "_planar%u_%u",
        layout == PACO_DWT_PLANAR8 ? 8 : 16, triple ? 3 : 1);
}

/* If the fine side is numbers, components are not mixed, and there always is a level to
 * be transformed. */
static bool
exists (unsigned inverse, unsigned wavelet, unsigned ability, unsigned layout,
    bool triple)
{
  if (ability == PACO_DWT_MAPPED
      && (!inverse || paco_wavelets[wavelet].reversible))
    return false;
  return layout != PACO_DWT_NUMBERS || (!triple && ability != PACO_DWT_DIRECT);
}

static gboolean
find_kernel (PacoDwtKernel *kernel, const PacoModule *module, const char *name,
    GError **error)
{
  const PacoDriver *driver = module->context->driver;
  int blocks = 0;

  if (!paco_module_function (module, name, &kernel->function, error)
      || !paco_driver_check (driver,
          driver->occupancy_max_active_blocks (
              &blocks, kernel->function, PACO_DWT_THREADS, 0),
          error, "the kernel %s cannot be used on %s", name,
          module->context->name))
    return FALSE;
  kernel->warps = blocks * PACO_DWT_THREADS / 32;
  return TRUE;
}

gboolean
paco_dwt_find_kernels (
    PacoDwtKernels *kernels, const PacoModule *module, GError **error)
{
  char name[64];

  for (unsigned inverse = 0; inverse < 2; inverse++)
    for (unsigned w = 0; w < PACO_N_WAVELETS; w++)
      for (unsigned ability = 0; ability < PACO_DWT_N_ABILITIES; ability++)
        for (unsigned layout = 0; layout < PACO_DWT_N_LAYOUTS; layout++)
          for (unsigned triple = 0; triple < 2; triple++) {
            if (!exists (inverse, w, ability, layout, triple))
              continue;
            print_name (name, sizeof name, inverse, w, ability, layout, triple);
            if (!find_kernel (
                    &kernels->kernels[inverse][w][ability][layout][triple],
                    module, name, error))
              return FALSE;
          }
  kernels->early = paco_module_can_be_early (
      module, kernels->kernels[0][0][0][PACO_DWT_NUMBERS][0].function);
  return TRUE;
}

/* --- Memory --- */

#define DEFAULT_WARPS 16 /* of a multiprocessor, where no kernels are known */

static uint32_t
aligned_stride (uint32_t width)
{
  return (width + PACO_COEFFICIENT_ALIGNMENT - 1) / PACO_COEFFICIENT_ALIGNMENT
      * PACO_COEFFICIENT_ALIGNMENT;
}

static void
place_subbands (PacoDwt *dwt)
{
  const PacoGeometry *geometry = dwt->geometry;

  dwt->places = g_new (PacoCoefficientPlace, geometry->n_subbands);
  for (uint32_t s = 0; s < geometry->n_subbands; s++) {
    const PacoSubband *subband = &geometry->subbands[s];
    uint32_t stride = aligned_stride (subband->width);

    dwt->places[s] = (PacoCoefficientPlace){ dwt->n_coefficients, stride };
    dwt->n_coefficients += (size_t) stride * subband->height;
  }
  dwt->n_coefficients += PACO_COEFFICIENT_ALIGNMENT; /* read, but not used */
}

/* A level's LL is read while that of the next level is written, so two areas of memory
 * are used in turn. */
static void
place_coarse (PacoDwt *dwt)
{
  const PacoGeometry *geometry = dwt->geometry;
  size_t region[2] = { 0, 0 }; /* elements */

  for (unsigned level = 1; level < dwt->levels; level++) {
    size_t used = 0;

    for (unsigned f = 0; f < geometry->n_fields; f++) {
      for (unsigned c = 0; c < geometry->n_components; c++) {
        uint32_t stride = aligned_stride (
            geometry->resolution[f][c][level].width);

        dwt->coarse[f][c][level] = (PacoCoefficientPlace){ used, stride };
        used += (size_t) stride * geometry->resolution[f][c][level].height;
      }
    }
    region[level % 2] = MAX (region[level % 2], used);
  }
  for (unsigned level = 2; level < dwt->levels; level += 2)
    for (unsigned f = 0; f < geometry->n_fields; f++)
      for (unsigned c = 0; c < geometry->n_components; c++)
        dwt->coarse[f][c][level].offset += region[1];
  dwt->scratch_bytes = 4 * (region[0] + region[1]);
}

static const PacoDwtKernels no_kernels;

PacoDwt *
paco_dwt_new (const PacoPictureFormat *format, const PacoCoding *coding,
    const PacoGeometry *geometry, unsigned n_multiprocessors,
    const PacoDwtKernels *kernels)
{
  PacoDwt *dwt = g_new0 (PacoDwt, 1);

  dwt->format = *format;
  dwt->levels = coding->levels;
  dwt->color_transform = coding->color_transform;
  dwt->geometry = geometry;
  dwt->n_multiprocessors = n_multiprocessors;
  dwt->kernels = kernels ? kernels : &no_kernels;
  place_subbands (dwt);
  place_coarse (dwt);
  return dwt;
}

void
paco_dwt_free (PacoDwt *dwt)
{
  if (dwt) {
    g_free (dwt->places);
    g_free (dwt);
  }
}

/* --- Whether 16 bits hold coefficients --- */

bool
paco_dwt_is_narrow (const PacoPictureFormat *format, const PacoCoding *coding)
{
  double bounds[PACO_MAX_COMPONENTS][PACO_MAX_SUBBANDS];

  paco_coefficient_bounds (format, coding, bounds);
  for (unsigned c = 0; c < format->n_components; c++)
    for (unsigned k = 0; k < 3u * coding->levels + 1; k++)
      if (ldexp (bounds[c][k], coding->subbands[c][k].fraction_bits)
          >= INT16_MAX)
        return false;
  return true;
}

/* --- Launches --- */

static unsigned
n_lanes_per_line (uint32_t width)
{
  return (width + PACO_DWT_LANE_COLUMNS - 1) / PACO_DWT_LANE_COLUMNS;
}

static void
describe_samples (PacoDwtSamples *samples, const PacoDwt *dwt,
    const PacoPicture *picture, unsigned field, unsigned component)
{
  const PacoSampleLayout *layout = &picture->layout[component];
  unsigned depth = dwt->format.components[component].depth;
  ptrdiff_t stride = picture->stride[component];

  *samples = (PacoDwtSamples){
    .address = (uint64_t) (uintptr_t) picture->data[component]
        + (uint64_t) (field * stride),
    .stride = stride * (ptrdiff_t) dwt->geometry->n_fields,
    .mask = ((1u << depth) - 1)
        * (layout->word_bytes == 1 ? 0x01010101u : 0x00010001u),
    .half = 1 << (depth - 1),
    .shift = layout->places[0].shift,
  };
}

static void
describe_subband (PacoDwtSubband *entry, const PacoDwt *dwt,
    const PacoDwtFrame *frame, const PacoSubband *subband, bool inverse)
{
  const PacoCoefficientPlace *place =
      &dwt->places[subband - dwt->geometry->subbands];
  unsigned c = subband->component, k = subband->entry;
  unsigned element = frame->wide ? 4 : 2;
  float step = paco_step_decode (frame->coding->subbands[c][k].step);

  PacoStepMapPlace map = { 0 };

  if (inverse)
    map = paco_step_map_place (
        &dwt->format, frame->coding, dwt->geometry, subband);
  *entry = (PacoDwtSubband){
    .address = frame->coefficients + (uint64_t) place->offset * element,
    .scale = inverse ? step / 256.0f
        : frame->scales
        ? frame->scales[c][k]
        : ldexpf (1.0f / step, frame->coding->subbands[c][k].fraction_bits),
    .first_block = subband->first_block,
    .blocks_x = subband->blocks_x,
    .block_height_log2 = g_bit_nth_lsf (subband->block_height, -1),
    .first_cell = map.first,
    .cell_columns = map.columns,
    .cell_shift_x = map.shift_x,
    .cell_shift_y = map.shift_y,
    .cells_halved = map.halved,
  };
}

/* Level 0 is for no wavelet: then the only subband is LL of the level `reduce`, and has
 * the picture's size. */
static void
describe_plane (PacoDwtPlane *plane, const PacoDwt *dwt,
    const PacoDwtFrame *frame, unsigned field, unsigned component,
    unsigned level, bool inverse)
{
  const PacoGeometry *geometry = dwt->geometry;
  unsigned fine = level > 0 ? level - 1 : frame->reduce;
  const PacoCoefficientPlace *place = dwt->coarse[field][component];
  const PacoWavelet *wavelet =
      &paco_wavelets[frame->coding->components[component].wavelet];
  unsigned strip = PACO_DWT_STRIP (paco_wavelet_reach (wavelet));

  memset (plane, 0, sizeof *plane);
  plane->width = geometry->resolution[field][component][fine].width;
  plane->height = geometry->resolution[field][component][fine].height;
  plane->n_strips = (plane->width + strip - 1) / strip;
  if (fine > 0) {
    plane->fine = frame->scratch + 4 * (uint64_t) place[fine].offset;
    plane->fine_stride = place[fine].stride;
  }
  if (fine == frame->reduce)
    describe_samples (&plane->samples, dwt, frame->picture, field, component);
  plane->coarse = frame->scratch + 4 * (uint64_t) place[level].offset;
  plane->low_stride = aligned_stride (
      level > 0 ? (plane->width + 1) / 2 : plane->width);
  plane->high_stride = aligned_stride (plane->width / 2);

  if (level == 0 || level == dwt->levels)
    describe_subband (&plane->subbands[0], dwt, frame,
        paco_geometry_subband (
            geometry, field, component, dwt->levels, PACO_ORIENTATION_LL),
        inverse);
  if (level > 0 && level == dwt->levels && wavelet->reversible && !inverse)
    plane->coarse = plane->subbands[0].address;
  if (level > 0)
    for (unsigned o = PACO_ORIENTATION_HL; o <= PACO_ORIENTATION_HH; o++)
      describe_subband (&plane->subbands[o], dwt, frame,
          paco_geometry_subband (geometry, field, component, level, o),
          inverse);
}

/* Gives the planes of a launch tiles of tile_pairs pairs of lines; returns how many
 * thread blocks have work. group: planes that a warp does together. */
static unsigned
set_tiles (PacoDwtLaunch *launch, unsigned n_planes, unsigned group,
    unsigned tile_pairs)
{
  unsigned n_blocks = 0;

  launch->parameters.tile_pairs = tile_pairs;
  launch->grid_x = 0;
  for (unsigned i = 0; i < n_planes; i++) {
    PacoDwtPlane *plane = &launch->parameters.planes[i];
    unsigned pairs = (plane->height + 1) / 2, blocks;

    plane->n_warps = plane->n_strips * ((pairs + tile_pairs - 1) / tile_pairs);
    blocks = (plane->n_warps * 32 + PACO_DWT_THREADS - 1) / PACO_DWT_THREADS;
    launch->grid_x = MAX (launch->grid_x, blocks);
    if (i % group == 0)
      n_blocks += blocks;
  }
  return n_blocks;
}

/* Cuts planes into as many tiles as the device runs at once: every tile also reads some
 * lines of its neighbors, and one more would begin when the others end. */
static void
cut_tiles (const PacoDwt *dwt, PacoDwtLaunch *launch, unsigned n_planes,
    unsigned group)
{
  const PacoDwtPlane *planes = launch->parameters.planes;
  unsigned wanted = dwt->n_multiprocessors
      * (launch->kernel->warps > 0 ? launch->kernel->warps : DEFAULT_WARPS);
  uint64_t columns = 0; /* pairs of lines, over all strips */
  unsigned tile_pairs;

  for (unsigned i = 0; i < n_planes; i += group)
    columns += (uint64_t) planes[i].n_strips * ((planes[i].height + 1) / 2);
  tile_pairs = CLAMP ((columns + wanted - 1) / wanted, PACO_DWT_MIN_TILE_PAIRS,
      PACO_DWT_MAX_TILE_PAIRS);
  /* The last tile of a strip may be lower than the others. */
  while (set_tiles (launch, n_planes, group, tile_pairs)
          > wanted * 32 / PACO_DWT_THREADS
      && tile_pairs < PACO_DWT_MAX_TILE_PAIRS)
    tile_pairs++;
  launch->grid_y = n_planes / group;
}

static void
cut_lines (PacoDwtLaunch *launch, unsigned n_planes, unsigned group)
{
  for (unsigned i = 0; i < n_planes; i++) {
    const PacoDwtPlane *plane = &launch->parameters.planes[i];
    uint64_t threads = (uint64_t) n_lanes_per_line (plane->width)
        * plane->height;

    launch->grid_x = MAX (launch->grid_x,
        (unsigned) ((threads + PACO_DWT_THREADS - 1) / PACO_DWT_THREADS));
  }
  launch->grid_y = n_planes / group;
}

static void
begin_launch (PacoDwtLaunch *launch, const PacoDwt *dwt,
    const PacoDwtFrame *frame, unsigned wavelet, unsigned level)
{
  PacoDwtParameters *parameters = &launch->parameters;

  launch->grid_x = launch->grid_y = 0;
  parameters->wide = frame->wide;
  parameters->coarse_is_subband = level == dwt->levels;
  parameters->color_transform = PACO_COLOR_TRANSFORM_NONE;
  parameters->mixing = (PacoDwtMixing){ 0 };
  parameters->reconstruction = frame->coding->reconstruction;
  parameters->dropped_planes = paco_wavelets[wavelet].reversible
      ? 0 /* they are complete already */
      : frame->dropped_planes;
  parameters->cells = frame->cells;
  parameters->gain = paco_wavelet_reduced_gain (wavelet, frame->reduce);
}

/* Says whether the inverse of a level depends on the step map. */
static bool
is_mapped (const PacoDwtFrame *frame, unsigned wavelet, unsigned level)
{
  return frame->coding->step_map && level <= PACO_STEP_MAP_LEVELS
      && !paco_wavelets[wavelet].reversible;
}

/* Planes whose fine side is samples. */
typedef struct
{
  unsigned wavelet, layout;
  unsigned first_field, last_field, first_component, last_component, group;
} Selection;

/* Says whether the plain kernels can do n planes whose fine side is numbers. */
static bool
is_plain (
    const PacoDwtFrame *frame, const PacoDwtParameters *parameters, unsigned n)
{
  if (frame->wide || parameters->dropped_planes != 0 || frame->reduce > 0)
    return false;
  for (unsigned i = 0; i < n; i++)
    if (parameters->planes[i].width == 1
        || parameters->planes[i].height < PACO_DWT_MIN_PLAIN_HEIGHT)
      return false;
  return true;
}

/* Says the same if their fine side is samples. */
static bool
is_plain_with_samples (const PacoDwt *dwt, const PacoDwtFrame *frame,
    const PacoDwtParameters *parameters, unsigned n, unsigned level,
    const Selection *selection)
{
  return is_plain (frame, parameters, n) && level < dwt->levels
      && (selection->group == 1 || paco_wavelets[selection->wavelet].reversible
          || paco_color_transform_is_matrix (dwt->color_transform));
}

static unsigned
layout_of (const PacoDwtFrame *frame, unsigned component)
{
  return frame->picture->layout[component].word_bytes == 1 ? PACO_DWT_PLANAR8
                                                           : PACO_DWT_PLANAR16;
}

static const PacoDwtKernel *
samples_kernel (const PacoDwt *dwt, const PacoDwtFrame *frame,
    const PacoDwtParameters *parameters, unsigned n, unsigned level,
    const Selection *selection, bool inverse)
{
  unsigned wavelet = selection->wavelet, ability = PACO_DWT_ANY;

  if (level == 0)
    ability = PACO_DWT_DIRECT;
  else if (inverse && is_mapped (frame, wavelet, level))
    ability = PACO_DWT_MAPPED;
  else if (is_plain_with_samples (dwt, frame, parameters, n, level, selection))
    ability = PACO_DWT_PLAIN;
  return &dwt->kernels->kernels[inverse][wavelet][ability][selection->layout]
                               [selection->group == 3];
}

/* Has the planes of a launch, which are three, mixed by the color transform. */
static void
mix_colors (
    PacoDwtParameters *parameters, const PacoCoding *coding, bool inverse)
{
  PacoDwtPlane *planes = parameters->planes;
  const PacoDwtSamples samples[] = { planes[0].samples, planes[1].samples,
    planes[2].samples };
  PacoFit fit = paco_fit (coding->parameters);
  bool mean = coding->color_transform == PACO_COLOR_TRANSFORM_RCT2;

  parameters->color_transform = coding->color_transform;
  if (coding->color_transform == PACO_COLOR_TRANSFORM_FIT) {
    planes[0].samples = samples[fit.a];
    planes[1].samples = samples[fit.b];
    planes[2].samples = samples[fit.c];
    parameters->mixing = (PacoDwtMixing){
      .mean = fit.mean,
      .x = fit.x,
      .y = fit.y,
      .shift = 3,
      .offset = (uint32_t) (fit.y * samples[0].half),
    };
  } else if (paco_color_transform_is_matrix (coding->color_transform)) {
    parameters->color_transform = PACO_COLOR_TRANSFORM_MATRIX;
    paco_color_matrix (coding, inverse, parameters->matrix);
  } else {
    parameters->mixing =
        (PacoDwtMixing){ .mean = mean, .luma = ~0u, .x = mean, .shift = mean };
  }
}

/* Makes a launch of the selected planes; returns 0 if there are none. */
static unsigned
samples_launch (const PacoDwt *dwt, const PacoDwtFrame *frame, unsigned level,
    const Selection *selection, bool inverse, PacoDwtLaunch *launch)
{
  PacoDwtParameters *parameters = &launch->parameters;
  unsigned group = selection->group, n = 0;

  begin_launch (launch, dwt, frame, selection->wavelet, level);
  for (unsigned f = selection->first_field; f <= selection->last_field; f++) {
    for (unsigned c = selection->first_component;
         c <= selection->last_component; c += group) {
      if (frame->coding->components[c].wavelet != selection->wavelet
          || layout_of (frame, c) != selection->layout)
        continue;
      for (unsigned i = 0; i < group; i++)
        describe_plane (
            &parameters->planes[n++], dwt, frame, f, c + i, level, inverse);
    }
  }
  if (n == 0)
    return 0;
  if (group == 3)
    mix_colors (parameters, frame->coding, inverse);
  launch->kernel = samples_kernel (
      dwt, frame, parameters, n, level, selection, inverse);
  if (level > 0)
    cut_tiles (dwt, launch, n, group);
  else
    cut_lines (launch, n, group);
  return launch->grid_x > 0;
}

/* Makes all launches whose fine side is samples. */
static unsigned
samples_launches (const PacoDwt *dwt, const PacoDwtFrame *frame, unsigned level,
    bool inverse, PacoDwtLaunch *launches)
{
  const bool triple = paco_color_transform_is_of_pixels (dwt->color_transform);
  unsigned n_fields = dwt->geometry->n_fields, n = 0;

  for (int w = 0; w < PACO_N_WAVELETS; w++) {
    for (int layout = PACO_DWT_PLANAR8; layout <= PACO_DWT_PLANAR16; layout++) {
      for (unsigned f = 0; triple && f < n_fields; f++)
        n += samples_launch (dwt, frame, level,
            &(Selection){ w, layout, f, f, 0, 2, .group = 3 }, inverse,
            &launches[n]);
      n += samples_launch (dwt, frame, level,
          &(Selection){ w, layout, 0, n_fields - 1, triple ? 3 : 0,
              dwt->format.n_components - 1, .group = 1 },
          inverse, &launches[n]);
    }
  }
  return n;
}

/* Makes the launches of a level whose fine side is an LL, one for each wavelet that
 * planes have. */
static unsigned
plane_launches (const PacoDwt *dwt, const PacoDwtFrame *frame, unsigned level,
    bool inverse, PacoDwtLaunch *launches)
{
  unsigned n_launches = 0;

  for (unsigned w = 0; w < PACO_N_WAVELETS; w++) {
    PacoDwtLaunch *launch = &launches[n_launches];
    unsigned n = 0, ability;

    begin_launch (launch, dwt, frame, w, level);
    for (unsigned f = 0; f < dwt->geometry->n_fields; f++)
      for (unsigned c = 0; c < dwt->geometry->n_components; c++)
        if (frame->coding->components[c].wavelet == w)
          describe_plane (&launch->parameters.planes[n++], dwt, frame, f, c,
              level, inverse);
    if (n == 0)
      continue;
    ability = inverse && is_mapped (frame, w, level) ? PACO_DWT_MAPPED
        : is_plain (frame, &launch->parameters, n)   ? PACO_DWT_PLAIN
                                                     : PACO_DWT_ANY;
    launch->kernel =
        &dwt->kernels->kernels[inverse][w][ability][PACO_DWT_NUMBERS][0];
    cut_tiles (dwt, launch, n, 1);
    n_launches += launch->grid_x > 0;
  }
  return n_launches;
}

unsigned
paco_dwt_launches (const PacoDwt *dwt, const PacoDwtFrame *frame, bool inverse,
    PacoDwtLaunch *launches)
{
  unsigned last = frame->reduce < dwt->levels ? frame->reduce + 1 : 0;
  unsigned n = 0;

  if (!inverse)
    n = samples_launches (dwt, frame, last, false, launches);
  for (unsigned i = 1; last > 0 && i <= dwt->levels - last; i++)
    n += plane_launches (dwt, frame, inverse ? dwt->levels + 1 - i : last + i,
        inverse, &launches[n]);
  if (inverse)
    n += samples_launches (dwt, frame, last, true, &launches[n]);
  return n;
}

gboolean
paco_dwt_enqueue (const PacoDwt *dwt, const PacoDwtFrame *frame, bool inverse,
    PacoCudaStream *stream, GError **error)
{
  PacoDwtLaunch launches[PACO_DWT_MAX_LAUNCHES];
  unsigned n = paco_dwt_launches (dwt, frame, inverse, launches);

  for (unsigned i = 0; i < n; i++) {
    PacoLaunch launch = {
      .function = launches[i].kernel->function,
      .grid_x = launches[i].grid_x,
      .grid_y = launches[i].grid_y,
      .threads = PACO_DWT_THREADS,
      .early = dwt->kernels->early && (i > 0 || frame->follows_kernel),
      PACO_LAUNCH_PARAMETERS (launches[i].parameters),
    };

    if (!paco_cuda_stream_launch (stream, &launch, error))
      return FALSE;
  }
  return TRUE;
}

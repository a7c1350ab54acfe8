/* SPDX-License-Identifier: LGPL-2.1-or-later
 * own.h says what this is for. */
#include "tests/lab/cuda/own.h"
#include "tests/lab/lab.h"
#include <string.h>

static void
must (gboolean done, GError *error)
{
  if (!done)
    lab_fail ("%s", error->message);
}

void
lab_own_open (LabOwn *own, LabDevice *device)
{
  const PacoCudaContext *context = device->test.context;
  GError *error = NULL;

  *own = (LabOwn){ .device = device };
  must (paco_module_load (&own->module, context, paco_fatbin_dwt, "dwt", &error)
          && paco_dwt_find_kernels (&own->kernels, &own->module, &error),
      error);
}

void
lab_own_close (LabOwn *own)
{
  paco_module_unload (&own->module);
}

/* --- A transform in several sets of memory --- */

typedef struct
{
  PacoPictureFormat format;
  PacoCoding coding;
  PacoGeometry *geometry;
  PacoDwt *dwt;
  unsigned n_sets, n; /* sets, and launches of each */
  CUdeviceptr memory;
  PacoDwtLaunch *launches;
  LabLaunch *run;
} Transform;

/* These are steps of 9/7, about those that quality 90 has. */
#define STEP (17 << 9)

static void
describe (Transform *transform, PacoWaveletId wavelet, unsigned width,
    unsigned height, unsigned levels)
{
  transform->format = (PacoPictureFormat){
    .width = width,
    .height = height,
    .n_components = 1,
    .components = { { .depth = 8 } },
  };
  transform->coding = (PacoCoding){ .levels = levels, .reconstruction = 96 };
  transform->coding.components[0].wavelet = wavelet;
  if (!paco_wavelets[wavelet].reversible)
    for (unsigned k = 0; k <= 3 * levels; k++)
      transform->coding.subbands[0][k].step = STEP;
}

/* Rounds up the bytes of a set's part, since each begins at a multiple of
 * 512. */
static size_t
aligned (size_t bytes)
{
  return (bytes + 511) / 512 * 512;
}

static unsigned
describe_launches (
    const Transform *transform, bool inverse, CUdeviceptr at, unsigned set)
{
  ptrdiff_t stride = aligned (2 * (size_t) transform->format.width);
  size_t picture_bytes = aligned (stride * transform->format.height);
  PacoPicture picture = {
    .data = { (uint8_t *) (uintptr_t) at },
    .stride = { stride },
    .layout = { PACO_LAYOUT_PLANAR (2) },
  };
  PacoDwtFrame frame = {
    .coding = &transform->coding,
    .picture = &picture,
    .coefficients = at + picture_bytes,
    .scratch = at + picture_bytes
        + aligned (2 * transform->dwt->n_coefficients),
    .wide = false,
  };

  return paco_dwt_launches (transform->dwt, &frame, inverse,
      transform->launches + set * PACO_DWT_MAX_LAUNCHES);
}

/* Cuts the plane of a launch into tiles of so many pairs of lines, as gpu/dwt.c does for
 * the number that it has chosen. */
static void
cut_tiles (PacoDwtLaunch *launch, unsigned tile_pairs)
{
  PacoDwtPlane *plane = &launch->parameters.planes[0];
  unsigned pairs = (plane->height + 1) / 2;

  launch->parameters.tile_pairs = tile_pairs;
  plane->n_warps = plane->n_strips * ((pairs + tile_pairs - 1) / tile_pairs);
  launch->grid_x = (plane->n_warps * 32 + PACO_DWT_THREADS - 1)
      / PACO_DWT_THREADS;
}

/* Sets up a transform, and returns the bytes of a set. tile_pairs are those
 * of level 1; 0: what the project chooses. n_sets is 0 for as many as times
 * need. */
static size_t
transform_init (Transform *transform, LabOwn *own, PacoWaveletId wavelet,
    bool inverse, unsigned width, unsigned height, unsigned levels,
    unsigned tile_pairs, unsigned n_sets)
{
  size_t bytes;

  *transform = (Transform){ 0 };
  describe (transform, wavelet, width, height, levels);
  transform->geometry = paco_geometry_new (
      &transform->format, &transform->coding);
  transform->dwt = paco_dwt_new (&transform->format, &transform->coding,
      transform->geometry, own->device->test.context->n_multiprocessors,
      &own->kernels);
  if (!paco_dwt_is_narrow (&transform->format, &transform->coding))
    lab_fail ("coefficients of 8-bit samples need more than 16 bits");
  bytes = aligned (aligned (2 * (size_t) width) * height)
      + aligned (2 * transform->dwt->n_coefficients)
      + aligned (transform->dwt->scratch_bytes);
  transform->n_sets = n_sets > 0 ? n_sets : lab_device_sets (bytes);
  transform->memory = lab_device_random (
      own->device, bytes * transform->n_sets);
  transform->launches = g_new0 (
      PacoDwtLaunch, PACO_DWT_MAX_LAUNCHES * transform->n_sets);
  for (unsigned set = 0; set < transform->n_sets; set++) {
    transform->n = describe_launches (
        transform, inverse, transform->memory + bytes * set, set);
    if (tile_pairs > 0)
      cut_tiles (&transform->launches[set * PACO_DWT_MAX_LAUNCHES
                     + (inverse ? transform->n - 1 : 0)],
          tile_pairs);
  }
  transform->run = g_new0 (LabLaunch, transform->n * transform->n_sets);
  for (unsigned set = 0; set < transform->n_sets; set++)
    for (unsigned i = 0; i < transform->n; i++) {
      const PacoDwtLaunch *one =
          &transform->launches[set * PACO_DWT_MAX_LAUNCHES + i];

      transform->run[set * transform->n + i] = (LabLaunch){
        one->kernel->function,
        one->grid_x,
        one->grid_y,
        PACO_DWT_THREADS,
        0,
        &one->parameters,
        .early = own->kernels.early && i > 0,
      };
    }
  return bytes;
}

static void
transform_clear (Transform *transform, const LabOwn *own)
{
  test_device_free (&own->device->test, transform->memory);
  paco_dwt_free (transform->dwt);
  paco_geometry_free (transform->geometry);
  g_free (transform->launches);
  g_free (transform->run);
}

double
lab_own_tiles_us (LabOwn *own, PacoWaveletId wavelet, bool inverse,
    unsigned width, unsigned height, unsigned levels, unsigned tile_pairs)
{
  Transform transform;
  double us;

  transform_init (
      &transform, own, wavelet, inverse, width, height, levels, tile_pairs, 0);
  us = lab_device_time_us (
      own->device, transform.run, transform.n, transform.n_sets);
  transform_clear (&transform, own);
  return us;
}

double
lab_own_time_us (LabOwn *own, PacoWaveletId wavelet, bool inverse,
    unsigned width, unsigned height, unsigned levels)
{
  return lab_own_tiles_us (own, wavelet, inverse, width, height, levels, 0);
}

unsigned
lab_own_tile_pairs (LabOwn *own, PacoWaveletId wavelet, bool inverse,
    unsigned width, unsigned height, unsigned levels, double *waves)
{
  Transform transform;
  const PacoDwtLaunch *launch;
  unsigned pairs;

  transform_init (
      &transform, own, wavelet, inverse, width, height, levels, 0, 1);
  launch = &transform.launches[inverse ? transform.n - 1 : 0];
  pairs = launch->parameters.tile_pairs;
  *waves = (double) launch->parameters.planes[0].n_warps
      / (own->device->test.context->n_multiprocessors
          * (double) launch->kernel->warps);
  transform_clear (&transform, own);
  return pairs;
}

void
lab_own_check_tiles (LabOwn *own, PacoWaveletId wavelet, bool inverse,
    unsigned width, unsigned height, unsigned levels, unsigned tile_pairs)
{
  uint8_t *memory[2];
  size_t bytes = 0;

  for (unsigned i = 0; i < 2; i++) {
    Transform transform;

    bytes = transform_init (&transform, own, wavelet, inverse, width, height,
        levels, i ? tile_pairs : 0, 1);
    lab_device_run (own->device, transform.run, transform.n);
    memory[i] = g_malloc (bytes);
    test_device_read (&own->device->test, memory[i], transform.memory, bytes);
    transform_clear (&transform, own);
  }
  if (memcmp (memory[0], memory[1], bytes) != 0)
    lab_fail ("the project's own %s of %ux%u, %u levels, %s, depends on tiles "
              "of %u pairs of lines",
        paco_wavelets[wavelet].name, width, height, levels,
        inverse ? "inverse" : "forward", tile_pairs);
  g_free (memory[0]);
  g_free (memory[1]);
}

unsigned
lab_own_run (LabOwn *own, PacoWaveletId wavelet, bool inverse, unsigned width,
    unsigned height, unsigned levels)
{
  Transform transform;
  unsigned n;

  transform_init (
      &transform, own, wavelet, inverse, width, height, levels, 0, 1);
  n = transform.n;
  lab_device_run (own->device, transform.run, n);
  transform_clear (&transform, own);
  return n;
}

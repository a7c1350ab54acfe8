/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Checks and measures the four convolutions of text 003 on a GPU, with the
 * filters of 9/7: it compares what convolution.cu has with the reference,
 * which lifts, and takes the times of Figure 5. */
#include "tests/lab/cuda/convolution.h"
#include "codec/reference/reference.h"
#include "tests/gpu/driver/texture-types.h"
#include "tests/lab/cuda/device.h"
#include "tests/lab/cuda/own.h"
#include "tests/lab/lab.h"
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char lab_fatbin_convolution[];

enum
{
  CONV,
  MEM,
  TEXT,
  SEP,
  N_METHODS,
};
static const struct
{
  const char *kernel, *series;
} methods[N_METHODS] = {
  { "conv", "CUDA-Conv" },
  { "mem", "CUDA-Mem" },
  { "text", "CUDA-Text" },
  { "sep", "CUDA-Sep" },
};

/* --- The filters --- */

#define LINE 40

/* Does to a line what the lifting steps of 9/7 make of it, without its ends. */
static void
lift (double *x)
{
  const PacoWavelet *wavelet = &paco_wavelets[PACO_WAVELET_CDF97];

  for (unsigned k = 0; k < wavelet->n_steps; k++)
    for (unsigned i = k % 2 ? 2 : 1; i + 1 < LINE; i += 2)
      x[i] += (double) wavelet->steps[k].taps[0] * (x[i - 1] + x[i + 1]);
}

/* Returns a tap: what the coefficient in the middle makes of a sample
 * `distance` from it, times a scale. */
static float
tap (unsigned middle, unsigned distance, double scale)
{
  double x[LINE] = { 0 };

  x[middle + distance] = 1;
  lift (x);
  return (float) (scale * x[middle]);
}

/* Makes filters whose low half keeps the mean of samples and whose high one has
 * twice the gain, as the paper's g[n] has. */
static void
make_filters (LabConvolutionParameters *parameters)
{
  const double kappa = paco_wavelets[PACO_WAVELET_CDF97].low_gain;

  for (unsigned i = 0; i <= LAB_CONVOLUTION_REACH; i++)
    parameters->low[i] = tap (LINE / 2, i, 1 / kappa);
  for (unsigned i = 0; i < LAB_CONVOLUTION_REACH; i++)
    parameters->high[i] = tap (LINE / 2 + 1, i, kappa);
}

/* Checks filters against what the paper prints. */
static void
check_filters (void)
{
  static const float low[] = { 0.602949f, 0.266864f, -0.078223f, -0.016864f,
    0.026749f };
  static const float high[] = { 1.115087f, -0.591272f, -0.057544f, 0.091272f };
  LabConvolutionParameters parameters;

  make_filters (&parameters);
  for (unsigned i = 0; i < G_N_ELEMENTS (low); i++)
    if (fabsf (parameters.low[i] - low[i]) > 1e-6f)
      lab_fail ("h[%u] is %.7f", i, (double) parameters.low[i]);
  for (unsigned i = 0; i < G_N_ELEMENTS (high); i++)
    if (fabsf (parameters.high[i] - high[i]) > 1e-6f)
      lab_fail ("g[%u] is %.7f", i, (double) parameters.high[i]);
}

/* --- Textures: what the project's driver table has no functions for --- */

typedef CUresult (*TextureCreate) (CUtexObject *object,
    const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *texture,
    const void *view);
typedef CUresult (*TextureDestroy) (CUtexObject object);

static void *
driver_function (const LabDevice *device, const char *name)
{
  void *function = dlsym (device->test.context->driver->library, name);

  if (!function)
    lab_fail ("the driver has no %s", name);
  return function;
}

static CUtexObject
new_texture (const LabDevice *device, CUdeviceptr memory, uint32_t stride,
    unsigned width, unsigned height)
{
  TextureCreate create = (TextureCreate) driver_function (
      device, "cuTexObjectCreate");
  CUDA_RESOURCE_DESC resource = {
    .resType = CU_RESOURCE_TYPE_PITCH2D,
    .res.pitch2D = { memory, CU_AD_FORMAT_FLOAT, 1, width, height, 4 * stride },
  };
  CUDA_TEXTURE_DESC texture = {
    .addressMode = { CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP,
        CU_TR_ADDRESS_MODE_CLAMP },
    .filterMode = CU_TR_FILTER_MODE_POINT,
  };
  CUtexObject object;

  test_device_check (
      &device->test, create (&object, &resource, &texture, NULL), "texture");
  return object;
}

static void
free_texture (const LabDevice *device, CUtexObject object)
{
  TextureDestroy destroy = (TextureDestroy) driver_function (
      device, "cuTexObjectDestroy");

  test_device_check (&device->test, destroy (object), "texture");
}

/* --- A level of a plane --- */

/* These are the plane, and one for what has been filtered along lines; each
 * begins where a texture may. */
typedef struct
{
  unsigned method, width, height;
  uint32_t stride;
  CUdeviceptr planes[2];
  CUtexObject textures[2];
  LabConvolutionParameters parameters[2];
  LabLaunch launches[2];
} Level;

#define PLANE_ALIGNMENT 512

static uint32_t
stride_of (unsigned width)
{
  return (width + 63) / 64 * 64;
}

static size_t
plane_bytes (unsigned width, unsigned height)
{
  size_t bytes = 4 * (size_t) stride_of (width) * height;

  return (bytes + PLANE_ALIGNMENT - 1) / PLANE_ALIGNMENT * PLANE_ALIGNMENT;
}

static unsigned
ceil_over (unsigned n, unsigned of)
{
  return (n + of - 1) / of;
}

/* Sets blocks and shared memory; down: of the second launch, of columns. */
static void
shape_launch (const Level *level, bool down, LabLaunch *launch)
{
  unsigned width = level->width, height = level->height;

  launch->threads = LAB_CONVOLUTION_THREADS;
  launch->grid_y = 1;
  if (level->method == CONV) {
    launch->grid_x = down ? width : height;
    launch->shared_bytes = 4
        * ((down ? height : width) + 2 * LAB_CONVOLUTION_REACH);
  } else if (level->method != SEP) {
    launch->grid_x = ceil_over (width, LAB_CONVOLUTION_THREADS);
    launch->grid_y = height;
  } else if (down) {
    launch->grid_x = ceil_over (width, LAB_CONVOLUTION_COLUMN_TILE_COLUMNS);
    launch->grid_y = ceil_over (height, LAB_CONVOLUTION_COLUMN_TILE_LINES);
    launch->shared_bytes = 4 * LAB_CONVOLUTION_COLUMN_TILE_COLUMNS
        * (LAB_CONVOLUTION_COLUMN_TILE_LINES + 2 * LAB_CONVOLUTION_REACH);
  } else {
    launch->grid_x = ceil_over (width, LAB_CONVOLUTION_TILE_COLUMNS);
    launch->grid_y = ceil_over (height, LAB_CONVOLUTION_TILE_LINES);
    launch->shared_bytes = 4 * 2 * LAB_CONVOLUTION_TILE_LINES
        * LAB_CONVOLUTION_PARITY_WORDS;
  }
}

/* Sets up a level. memory is that of two planes, a multiple of PLANE_ALIGNMENT.
 * With CONV all is in the first one, otherwise lines go to the second one and
 * columns back. */
static void
level_init (Level *level, const LabDevice *device, unsigned method,
    unsigned width, unsigned height, bool low_only, CUdeviceptr memory)
{
  *level = (Level){ .method = method,
    .width = width,
    .height = height,
    .stride = stride_of (width) };
  for (unsigned i = 0; i < 2; i++) {
    level->planes[i] = memory + i * plane_bytes (width, height);
    if (method == TEXT)
      level->textures[i] = new_texture (
          device, level->planes[i], level->stride, width, height);
  }
  for (unsigned down = 0; down < 2; down++) {
    LabConvolutionParameters *parameters = &level->parameters[down];
    LabLaunch *launch = &level->launches[down];
    char name[64];

    *parameters = (LabConvolutionParameters){
      .from = level->planes[method == CONV ? 0 : down],
      .to = level->planes[method == CONV ? 0 : 1 - down],
      .texture = level->textures[down],
      .width = width,
      .height = height,
      .from_stride = level->stride,
      .to_stride = level->stride,
      .low_only = low_only,
    };
    make_filters (parameters);
    /* What has no low columns has none to be filtered down. */
    if (low_only && down)
      parameters->width = (width + 1) / 2;
    g_snprintf (name, sizeof name, "convolution_%s_%s", methods[method].kernel,
        down ? "columns" : "rows");
    *launch = (LabLaunch){ .kernel = lab_device_kernel (device, name),
      .parameters = parameters };
    shape_launch (level, down, launch);
  }
}

static void
level_clear (Level *level, const LabDevice *device)
{
  for (unsigned i = 0; i < 2; i++)
    if (level->method == TEXT)
      free_texture (device, level->textures[i]);
}

static CUdeviceptr
aligned (CUdeviceptr memory)
{
  return (memory + PLANE_ALIGNMENT - 1) / PLANE_ALIGNMENT * PLANE_ALIGNMENT;
}

/* --- Against the reference --- */

/* Returns what the lifting makes, scaled as the filters are. */
static float *
expected_level (const float *samples, unsigned width, unsigned height)
{
  const double kappa = paco_wavelets[PACO_WAVELET_CDF97].low_gain;
  float *expected = g_new (float, (size_t) width *height);
  PacoReferencePlane plane;

  paco_reference_plane_init (&plane, width, height);
  for (size_t i = 0; i < (size_t) width * height; i++)
    plane.samples[i].f = samples[i];
  paco_reference_forward_dwt (&plane, 1, PACO_WAVELET_CDF97);
  for (unsigned y = 0; y < height; y++)
    for (unsigned x = 0; x < width; x++) {
      double scale = (x < (width + 1) / 2 ? 1 / kappa : kappa)
          * (y < (height + 1) / 2 ? 1 / kappa : kappa);

      expected[(size_t) y * width + x] = (float) (scale
          * (double) plane.samples[(size_t) y * width + x].f);
    }
  paco_reference_plane_clear (&plane);
  return expected;
}

static void
check_level (LabDevice *device, unsigned method, unsigned width,
    unsigned height, bool low_only)
{
  size_t bytes = plane_bytes (width, height);
  uint32_t stride = stride_of (width);
  float *samples = g_new (float, (size_t) width *height), *expected;
  float *given = g_malloc0 (bytes), *found = g_malloc (bytes);
  CUdeviceptr memory = test_device_new (
      &device->test, NULL, 2 * bytes + PLANE_ALIGNMENT);
  Level level;

  lab_draw_floats (samples, (size_t) width * height, 0, 255);
  for (unsigned y = 0; y < height; y++)
    memcpy (given + (size_t) y * stride, samples + (size_t) y * width,
        sizeof *samples * width);
  level_init (
      &level, device, method, width, height, low_only, aligned (memory));
  test_device_check (&device->test,
      device->test.context->driver->memcpy_htod (level.planes[0], given, bytes),
      "upload");
  lab_device_run (device, level.launches, 2);
  test_device_read (&device->test, found, level.planes[0], bytes);
  expected = expected_level (samples, width, height);
  lab_near_floats (methods[method].series, found, stride, expected, width,
      low_only ? (width + 1) / 2 : width, low_only ? (height + 1) / 2 : height);
  level_clear (&level, device);
  test_device_free (&device->test, memory);
  g_free (samples);
  g_free (given);
  g_free (found);
  g_free (expected);
}

static unsigned
random_size (void)
{
  return (unsigned) lab_draw (1, lab_draw (0, 2) == 0 ? 300 : 60);
}

static void
check (void)
{
  LabDevice device;

  check_filters ();
  lab_device_open (&device, lab_fatbin_convolution, "convolution");
  for (unsigned i = 0; i < 6; i++)
    for (unsigned method = 0; method < N_METHODS; method++)
      check_level (&device, method, random_size (), random_size (),
          method == SEP && lab_draw (0, 1));
  lab_device_close (&device);
}

/* --- Measuring --- */

static double
time_level (LabDevice *device, unsigned method, unsigned size, bool low_only)
{
  size_t bytes = 2 * plane_bytes (size, size);
  unsigned n_sets = lab_device_sets (bytes);
  CUdeviceptr memory = lab_device_random (
      device, bytes * n_sets + PLANE_ALIGNMENT);
  Level *levels = g_new (Level, n_sets);
  LabLaunch *launches = g_new (LabLaunch, 2 * n_sets);
  double us;

  for (unsigned i = 0; i < n_sets; i++) {
    level_init (&levels[i], device, method, size, size, low_only,
        aligned (memory) + bytes * i);
    memcpy (launches + 2 * i, levels[i].launches, sizeof levels[i].launches);
  }
  us = lab_device_time_us (device, launches, 2, n_sets);
  for (unsigned i = 0; i < n_sets; i++)
    level_clear (&levels[i], device);
  test_device_free (&device->test, memory);
  g_free (levels);
  g_free (launches);
  return us;
}

/* Puts milliseconds into the figure. */
static double
show (const char *series, const char *x, double us)
{
  lab_result ("003 figure 5", series, x, 1e-3 * us, "ms");
  return us;
}

static void
measure_size (LabDevice *device, LabOwn *own, unsigned size)
{
  double us[N_METHODS];
  char x[32];

  g_snprintf (x, sizeof x, "%u", size);
  for (unsigned method = 0; method < N_METHODS; method++)
    us[method] = show (
        methods[method].series, x, time_level (device, method, size, false));
  show ("CUDA-Sep, LL alone", x, time_level (device, SEP, size, true));
  show ("the project's own, 16 bits", x,
      lab_own_time_us (own, PACO_WAVELET_CDF97, false, size, size, 1));
  show ("copy of the floats", x,
      lab_device_copy_us (device, 4 * (size_t) size * size));
  lab_result ("003 figure 5 gain", "CUDA-Sep over CUDA-Conv", x,
      us[CONV] / us[SEP], "");
}

static void
measure (void)
{
  static const unsigned sizes[] = { 512, 2048, 4000, 4096, 8192 };
  LabDevice device;
  LabOwn own;

  lab_device_open (&device, lab_fatbin_convolution, "convolution");
  lab_own_open (&own, &device);
  if (lab_is_short ())
    measure_size (&device, &own, 70);
  else
    for (unsigned i = 0; i < G_N_ELEMENTS (sizes); i++)
      measure_size (&device, &own, sizes[i]);
  lab_own_close (&own);
  lab_device_close (&device);
}

int
main (int argc, char **argv)
{
  return lab_main (argc, argv, &(LabProgram){ check, measure, NULL });
}

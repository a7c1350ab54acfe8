/* SPDX-License-Identifier: LGPL-2.1-or-later
 * registers-plane.h says what this is for. */
#include "tests/lab/cuda/registers-plane.h"
#include "codec/header.h"
#include "tests/lab/lab.h"
#include <string.h>

void
lab_registers_name (const LabRegistersMethod *method, char *name, size_t size)
{
  bool is_shuffle = strcmp (method->variant, "shuffle") == 0;
  int length = g_snprintf (name, size, "registers_%s_%s_%s",
      method->inverse ? "inverse" : "forward",
      paco_wavelets[method->wavelet].name, method->variant);

  if (is_shuffle)
    g_snprintf (name + length, size - length, "_%u", method->height);
}

bool
lab_registers_is_floats (const LabRegistersMethod *method)
{
  return strcmp (method->variant, "floats") == 0;
}

unsigned
lab_registers_halo (const LabRegistersMethod *method)
{
  return strcmp (method->variant, "bare") == 0
      ? 0
      : paco_wavelet_reach (&paco_wavelets[method->wavelet]);
}

/* Returns the words of shared memory of each warp. */
static unsigned
shared_words (const LabRegistersMethod *method)
{
  if (strcmp (method->variant, "buffer") == 0)
    return LAB_REGISTERS_BUFFER_WORDS;
  return strcmp (method->variant, "shared") == 0 ? LAB_REGISTERS_BLOCK_WORDS
                                                 : 0;
}

/* Makes a part, whose lines begin at whole segments of memory. */
static LabRegistersPart
new_part (LabRegistersPlane *plane, uint32_t width, uint32_t height)
{
  LabRegistersPart part = { plane->n, (width + 63) / 64 * 64, width, height };

  plane->n += (size_t) part.stride * height;
  return part;
}

void
lab_registers_plane_init (
    LabRegistersPlane *plane, unsigned width, unsigned height, unsigned levels)
{
  *plane = (LabRegistersPlane){ .levels = levels };
  plane->fine = new_part (plane, width, height);
  for (unsigned level = 1; level <= levels; level++) {
    for (unsigned o = 0; o < 4; o++)
      plane->subbands[level][o] = new_part (plane,
          o & 1 ? width / 2 : (width + 1) / 2,
          o & 2 ? height / 2 : (height + 1) / 2);
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
}

static LabRegistersParameters
level_parameters (const LabRegistersMethod *method,
    const LabRegistersPlane *plane, unsigned level, CUdeviceptr memory)
{
  const LabRegistersPart *fine = level == 1
      ? &plane->fine
      : &plane->subbands[level - 1][PACO_ORIENTATION_LL];
  const LabRegistersPart *subbands = plane->subbands[level];
  unsigned element = lab_registers_is_floats (method) ? 4 : 2;
  unsigned own_columns = LAB_REGISTERS_WIDTH - 2 * lab_registers_halo (method);
  unsigned own_lines = method->height - 2 * lab_registers_halo (method);
  LabRegistersParameters parameters = {
    .fine = memory + element * fine->at,
    .width = fine->width,
    .height = fine->height,
    .fine_stride = fine->stride,
    .low_stride = subbands[PACO_ORIENTATION_LL].stride,
    .high_stride = subbands[PACO_ORIENTATION_HL].stride,
    .blocks_x = (fine->width + own_columns - 1) / own_columns,
    .seed = LAB_REGISTERS_SEED,
  };

  for (unsigned o = 0; o < 4; o++)
    parameters.subbands[o] = memory + element * subbands[o].at;
  parameters.n_blocks = parameters.blocks_x
      * ((fine->height + own_lines - 1) / own_lines);
  return parameters;
}

void
lab_registers_launches (const LabDevice *device,
    const LabRegistersMethod *method, const LabRegistersPlane *plane,
    CUdeviceptr memory, LabRegistersParameters *parameters, LabLaunch *launches)
{
  enum
  {
    WARPS = LAB_REGISTERS_THREADS / 32
  };
  char name[64];
  CUfunction kernel;

  lab_registers_name (method, name, sizeof name);
  kernel = lab_device_kernel (device, name);
  for (unsigned i = 0; i < plane->levels; i++) {
    unsigned level = method->inverse ? plane->levels - i : i + 1;

    parameters[i] = level_parameters (method, plane, level, memory);
    launches[i] = (LabLaunch){
      .kernel = kernel,
      .grid_x = (parameters[i].n_blocks + WARPS - 1) / WARPS,
      .grid_y = 1,
      .threads = LAB_REGISTERS_THREADS,
      .shared_bytes = 4 * WARPS * shared_words (method),
      .parameters = &parameters[i],
    };
  }
}

/* These are all sets of a plane with random numbers in them. */
typedef struct
{
  LabRegistersPlane plane;
  unsigned n_sets;
  CUdeviceptr memory;
  LabRegistersParameters *parameters;
  LabLaunch *launches;
} Sets;

static void
sets_init (Sets *sets, LabDevice *device, const LabRegistersMethod *method,
    unsigned width, unsigned height, unsigned levels)
{
  size_t bytes;

  lab_registers_plane_init (&sets->plane, width, height, levels);
  bytes = sets->plane.n * (lab_registers_is_floats (method) ? 4 : 2);
  sets->n_sets = lab_device_sets (bytes);
  sets->memory = lab_device_random (device, bytes * sets->n_sets);
  sets->parameters = g_new (LabRegistersParameters, levels * sets->n_sets);
  sets->launches = g_new (LabLaunch, levels * sets->n_sets);
  for (unsigned i = 0; i < sets->n_sets; i++)
    lab_registers_launches (device, method, &sets->plane,
        sets->memory + bytes * i, sets->parameters + levels * i,
        sets->launches + levels * i);
}

static void
sets_clear (Sets *sets, const LabDevice *device)
{
  test_device_free (&device->test, sets->memory);
  g_free (sets->parameters);
  g_free (sets->launches);
}

double
lab_registers_time_us (LabDevice *device, const LabRegistersMethod *method,
    unsigned width, unsigned height, unsigned levels)
{
  Sets sets;
  double us;

  sets_init (&sets, device, method, width, height, levels);
  us = lab_device_time_us (device, sets.launches, levels, sets.n_sets);
  sets_clear (&sets, device);
  return us;
}

unsigned
lab_registers_run (LabDevice *device, const LabRegistersMethod *method,
    unsigned width, unsigned height, unsigned levels)
{
  Sets sets;

  sets_init (&sets, device, method, width, height, levels);
  lab_device_run (device, sets.launches, levels);
  sets_clear (&sets, device);
  return levels;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Runs a method of registers.cu over all levels of a plane: memory, parameters
 * and launches. It is for registers.c, which checks methods, and
 * registers-tables.c, which measures them. */
#pragma once
#include "codec/lifting.h"
#include "tests/lab/cuda/device.h"
#include "tests/lab/cuda/registers.h"

G_BEGIN_DECLS

typedef struct
{
  PacoWaveletId wavelet; /* CDF53 or CDF97 */
  bool inverse;
  /* registers.cu calls it "shuffle", for a height, or "buffer", ...; those have
   * LAB_REGISTERS_HEIGHT lines. */
  const char *variant;
  unsigned height;
} LabRegistersMethod;

/* Writes a name like "registers_forward_cdf53_shuffle_20", of at most 63
 * bytes. */
void lab_registers_name (
    const LabRegistersMethod *method, char *name, size_t size);
bool lab_registers_is_floats (const LabRegistersMethod *method);
/* Returns how many columns or lines on each side of a block it reads, but does
 * not write. */
unsigned lab_registers_halo (const LabRegistersMethod *method);

/* This says where the numbers of a plane are: at `at` elements of the
 * memory. */
typedef struct
{
  size_t at;
  uint32_t stride, width, height;
} LabRegistersPart;

/* fine is the picture; these are also the subbands of each level (1 to
 * `levels`), LL of the levels between included. */
typedef struct
{
  unsigned levels;
  size_t n; /* elements in all */
  LabRegistersPart fine, subbands[PACO_MAX_LEVELS + 1][4];
} LabRegistersPlane;

void lab_registers_plane_init (
    LabRegistersPlane *plane, unsigned width, unsigned height, unsigned levels);

/* Makes the launches of a method over a plane that lies at `memory`, one per
 * level, in the order of running; parameters and launches have room for
 * plane->levels. */
void lab_registers_launches (const LabDevice *device,
    const LabRegistersMethod *method, const LabRegistersPlane *plane,
    CUdeviceptr memory, LabRegistersParameters *parameters,
    LabLaunch *launches);

/* Returns the median time of the method, in microseconds. */
double lab_registers_time_us (LabDevice *device,
    const LabRegistersMethod *method, unsigned width, unsigned height,
    unsigned levels);

/* Runs it once; returns the number of launches. */
unsigned lab_registers_run (LabDevice *device, const LabRegistersMethod *method,
    unsigned width, unsigned height, unsigned levels);

G_END_DECLS

/* Measures the tables and figures of text 000. registers.c calls it. */

void lab_registers_measure (LabDevice *device);

/* Runs once what Tables III and IV count (lab_counted()). */
void lab_registers_once (LabDevice *device);

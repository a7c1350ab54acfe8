/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Checks the register-based transform (text 000; text 004, chapter 2): it
 * compares what registers.cu has with the reference. registers-tables.c
 * measures it. */
#include "codec/reference/reference.h"
#include "tests/lab/cuda/own.h"
#include "tests/lab/cuda/registers-plane.h"
#include "tests/lab/lab.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

extern const unsigned char lab_fatbin_registers[];

/* --- The reference --- */

/* Transposes a plane. The paper filters along lines first, the reference down
 * columns: so it is given the plane with lines and columns exchanged. */
static PacoReferencePlane
transposed (const PacoReferencePlane *plane)
{
  PacoReferencePlane result;

  paco_reference_plane_init (&result, plane->height, plane->width);
  for (uint32_t y = 0; y < plane->height; y++)
    for (uint32_t x = 0; x < plane->width; x++)
      result.samples[(size_t) x * plane->height + y] =
          plane->samples[(size_t) y * plane->width + x];
  return result;
}

/* Rounds samples, as what is in global memory of 16 bits is rounded. */
static void
round_samples (PacoReferencePlane *plane)
{
  for (size_t i = 0; i < (size_t) plane->width * plane->height; i++)
    plane->samples[i].f = rintf (plane->samples[i].f);
}

/* Puts even and odd lines and columns apart, or together again: what is left of
 * a level without the arithmetic. */
static void
reorder (PacoReferencePlane *plane, bool inverse)
{
  PacoReferencePlane other;

  paco_reference_plane_init (&other, plane->width, plane->height);
  for (uint32_t y = 0; y < plane->height; y++)
    for (uint32_t x = 0; x < plane->width; x++) {
      size_t together = (size_t) y * plane->width + x;
      size_t apart = (size_t) (y / 2 + (y & 1 ? (plane->height + 1) / 2 : 0))
              * plane->width
          + x / 2 + (x & 1 ? (plane->width + 1) / 2 : 0);

      other.samples[inverse ? together : apart] =
          plane->samples[inverse ? apart : together];
    }
  paco_reference_plane_clear (plane);
  *plane = other;
}

/* Does one level of a plane, in place. */
static void
reference_level (PacoReferencePlane *plane, const LabRegistersMethod *method)
{
  PacoReferencePlane other;

  if (strcmp (method->variant, "memory") == 0
      || strcmp (method->variant, "bare") == 0) {
    reorder (plane, method->inverse);
    return;
  }
  other = transposed (plane);

  if (method->inverse)
    paco_reference_inverse_dwt (&other, 1, method->wavelet);
  else
    paco_reference_forward_dwt (&other, 1, method->wavelet);
  paco_reference_plane_clear (plane);
  *plane = transposed (&other);
  paco_reference_plane_clear (&other);
  if (method->wavelet == PACO_WAVELET_CDF97
      && !lab_registers_is_floats (method))
    round_samples (plane);
}

/* --- A plane on the device, and what it has to be --- */

typedef struct
{
  const LabRegistersMethod *method;
  LabRegistersPlane plane;
  bool integers;
  bool writes; /* also what was not read */
  /* These are the elements, as numbers of 32 bits: what the device is given,
   * and what it has to make of it. Those that nobody writes are not
   * compared. */
  PacoReferenceSample *given, *expected;
} Case;

static PacoReferencePlane
read_part (const PacoReferenceSample *elements, const LabRegistersPart *part)
{
  PacoReferencePlane plane;

  paco_reference_plane_init (&plane, part->width, part->height);
  for (uint32_t y = 0; y < part->height; y++)
    for (uint32_t x = 0; x < part->width; x++)
      plane.samples[(size_t) y * part->width + x] =
          elements[part->at + (size_t) y * part->stride + x];
  return plane;
}

static void
write_part (PacoReferenceSample *elements, const LabRegistersPart *part,
    const PacoReferencePlane *plane, uint32_t left, uint32_t top)
{
  for (uint32_t y = 0; y < part->height; y++)
    for (uint32_t x = 0; x < part->width; x++)
      elements[part->at + (size_t) y * part->stride + x] =
          plane->samples[(size_t) (top + y) * plane->width + left + x];
}

static void
random_part (Case *t, const LabRegistersPart *part)
{
  for (uint32_t y = 0; y < part->height; y++)
    for (uint32_t x = 0; x < part->width; x++) {
      int number = lab_draw (-128, 127);
      PacoReferenceSample *element =
          &t->given[part->at + (size_t) y * part->stride + x];

      if (t->integers)
        element->i = number;
      else
        element->f = (float) number;
    }
}

static const LabRegistersPart *
fine_part (const LabRegistersPlane *plane, unsigned level)
{
  return level == 1 ? &plane->fine
                    : &plane->subbands[level - 1][PACO_ORIENTATION_LL];
}

static void
expect_forward (Case *t)
{
  random_part (t, &t->plane.fine);
  memcpy (t->expected, t->given, sizeof *t->given * t->plane.n);
  for (unsigned level = 1; level <= t->plane.levels; level++) {
    PacoReferencePlane plane = read_part (
        t->expected, fine_part (&t->plane, level));
    const LabRegistersPart *low = t->plane.subbands[level];

    reference_level (&plane, t->method);
    for (unsigned o = 0; o < 4; o++)
      write_part (t->expected, &t->plane.subbands[level][o], &plane,
          o & 1 ? low->width : 0, o & 2 ? low->height : 0);
    paco_reference_plane_clear (&plane);
  }
}

static void
expect_inverse (Case *t)
{
  for (unsigned level = 1; level <= t->plane.levels; level++)
    for (unsigned o = level == t->plane.levels ? 0 : 1; o < 4; o++)
      random_part (t, &t->plane.subbands[level][o]);
  memcpy (t->expected, t->given, sizeof *t->given * t->plane.n);
  for (unsigned level = t->plane.levels; level > 0; level--) {
    const LabRegistersPart *fine = fine_part (&t->plane, level);
    const LabRegistersPart *low = t->plane.subbands[level];
    PacoReferencePlane plane;

    paco_reference_plane_init (&plane, fine->width, fine->height);
    for (unsigned o = 0; o < 4; o++) {
      PacoReferencePlane subband = read_part (
          t->expected, &t->plane.subbands[level][o]);

      for (uint32_t y = 0; y < subband.height; y++)
        for (uint32_t x = 0; x < subband.width; x++)
          plane.samples[(y + (o & 2 ? low->height : 0)) * plane.width + x
              + (o & 1 ? low->width : 0)] =
              subband.samples[(size_t) y * subband.width + x];
      paco_reference_plane_clear (&subband);
    }
    reference_level (&plane, t->method);
    write_part (t->expected, fine, &plane, 0, 0);
    paco_reference_plane_clear (&plane);
  }
}

/* Makes a block that is filtered without having been read, as
 * registers_transform.cuh makes it up; and what comes out, with even and odd
 * lines and columns together. */
static PacoReferencePlane
made_up_block (const Case *t, int seed)
{
  PacoReferencePlane block;

  paco_reference_plane_init (&block, LAB_REGISTERS_WIDTH, t->method->height);
  for (unsigned y = 0; y < block.height; y++)
    for (unsigned x = 0; x < block.width; x++) {
      int number = x % 2 ? seed - (int) y : seed + (int) y;

      if (t->integers)
        block.samples[y * block.width + x].i = number;
      else
        block.samples[y * block.width + x].f = (float) number;
    }
  if (t->method->inverse)
    reorder (&block, false);
  reference_level (&block, t->method);
  if (!t->method->inverse)
    reorder (&block, true);
  return block;
}

/* Expects the arithmetic of one level: all blocks come out alike. */
static void
expect_arithmetic (Case *t, int seed)
{
  const unsigned halo = lab_registers_halo (t->method);
  const LabRegistersPart *fine = &t->plane.fine;
  PacoReferencePlane block = made_up_block (t, seed);

  for (uint32_t y = 0; y < fine->height; y++)
    for (uint32_t x = 0; x < fine->width; x++) {
      const LabRegistersPart *subband =
          &t->plane.subbands[1][2 * (y % 2) + x % 2];
      PacoReferenceSample result =
          block.samples[(y % (block.height - 2 * halo) + halo) * block.width
              + x % (block.width - 2 * halo) + halo];

      if (t->method->inverse)
        t->expected[fine->at + (size_t) y * fine->stride + x] = result;
      else
        t->expected[subband->at + (size_t) (y / 2) * subband->stride + x / 2] =
            result;
    }
  paco_reference_plane_clear (&block);
}

/* Returns an element in 16 bits, as the device has it. */
static int16_t
narrow (const Case *t, PacoReferenceSample element)
{
  return (int16_t) (t->integers ? element.i : (int) element.f);
}

static void
compare_part (const Case *t, const LabRegistersPart *part, const char *name,
    const void *found)
{
  int32_t *a = g_new (int32_t, (size_t) part->width * part->height);
  int32_t *b = g_new (int32_t, (size_t) part->width * part->height);
  size_t n = 0;

  for (uint32_t y = 0; y < part->height; y++)
    for (uint32_t x = 0; x < part->width; x++, n++) {
      size_t at = part->at + (size_t) y * part->stride + x;

      /* Floats are compared by their bits: the arithmetic is the same. */
      a[n] = lab_registers_is_floats (t->method)
          ? ((const int32_t *) found)[at]
          : ((const int16_t *) found)[at];
      b[n] = lab_registers_is_floats (t->method) ? t->expected[at].i
                                                 : narrow (t, t->expected[at]);
    }
  lab_same_integers (
      name, a, part->width, b, part->width, part->width, part->height);
  g_free (a);
  g_free (b);
}

static void
run_case (LabDevice *device, Case *t)
{
  bool floats = lab_registers_is_floats (t->method);
  size_t bytes = t->plane.n * (floats ? 4 : 2);
  LabRegistersParameters parameters[PACO_MAX_LEVELS];
  LabLaunch launches[PACO_MAX_LEVELS];
  int16_t *elements = g_new0 (int16_t, t->plane.n);
  char name[64];
  CUdeviceptr memory;
  void *found;

  for (size_t i = 0; i < t->plane.n; i++)
    elements[i] = narrow (t, t->given[i]);
  memory = test_device_new (
      &device->test, floats ? (void *) t->given : elements, bytes);
  lab_registers_launches (
      device, t->method, &t->plane, memory, parameters, launches);
  for (unsigned i = 0; i < t->plane.levels; i++)
    parameters[i].writes = t->writes;
  lab_device_run (device, launches, t->plane.levels);
  found = test_device_steal (&device->test, memory, bytes);

  lab_registers_name (t->method, name, sizeof name);
  compare_part (t, &t->plane.fine, name, found);
  for (unsigned level = 1; level <= t->plane.levels; level++)
    for (unsigned o = 0; o < 4; o++)
      compare_part (t, &t->plane.subbands[level][o], name, found);
  g_free (elements);
  g_free (found);
}

/* Draws how many levels there are. Where lines have one sample 9/7 would have
 * to scale, which the paper's does not: so there are as many as leave two. */
static unsigned
random_levels (const Case *t, unsigned width, unsigned height)
{
  unsigned most = 1;

  while (most < 5 && (t->integers || (MIN (width, height) - 1) >> most > 0))
    most++;
  return (unsigned) lab_draw (1, (int) most);
}

static unsigned
random_size (const Case *t)
{
  return (unsigned) lab_draw (
      t->integers ? 1 : 2, lab_draw (0, 3) == 0 ? 300 : 90);
}

static void
check_method (LabDevice *device, const LabRegistersMethod *method)
{
  Case t = {
    .method = method,
    .integers = method->wavelet == PACO_WAVELET_CDF53,
  };
  unsigned width = random_size (&t), height = random_size (&t);

  bool made_up = strcmp (method->variant, "arithmetic") == 0;

  lab_registers_plane_init (
      &t.plane, width, height, made_up ? 1 : random_levels (&t, width, height));
  t.given = g_new0 (PacoReferenceSample, t.plane.n);
  t.expected = g_new0 (PacoReferenceSample, t.plane.n);
  t.writes = lab_draw (0, 1);
  if (!made_up)
    (method->inverse ? expect_inverse : expect_forward) (&t);
  else if (t.writes)
    expect_arithmetic (&t, LAB_REGISTERS_SEED);
  run_case (device, &t);
  g_free (t.given);
  g_free (t.expected);
}

#define HEIGHT(height, dummy) height,
static const unsigned heights[] = { LAB_REGISTERS_HEIGHTS (HEIGHT, 0) };

static void
check_direction (LabDevice *device, PacoWaveletId wavelet, bool inverse)
{
  static const char *const variants[] = { "buffer", "shared", "arithmetic",
    "memory", "bare" };

  for (unsigned i = 0; i < G_N_ELEMENTS (heights); i++)
    check_method (device,
        &(LabRegistersMethod){ wavelet, inverse, "shuffle", heights[i] });
  for (unsigned i = 0; i < G_N_ELEMENTS (variants); i++)
    check_method (device,
        &(LabRegistersMethod){
            wavelet, inverse, variants[i], LAB_REGISTERS_HEIGHT });
  if (wavelet == PACO_WAVELET_CDF97)
    check_method (device,
        &(LabRegistersMethod){
            wavelet, inverse, "floats", LAB_REGISTERS_HEIGHT });
}

static void
check_own (LabDevice *device)
{
  LabOwn own;

  lab_own_open (&own, device);
  for (unsigned i = 0; i < 4; i++)
    lab_own_check_tiles (&own, i % 2 ? PACO_WAVELET_CDF97 : PACO_WAVELET_CDF53,
        i / 2, (unsigned) lab_draw (2, 300), (unsigned) lab_draw (2, 200), 2,
        (unsigned) lab_draw (1, 40));
  lab_own_close (&own);
}

static void
check (void)
{
  LabDevice device;

  lab_device_open (&device, lab_fatbin_registers, "registers");
  check_own (&device);
  for (int inverse = 0; inverse < 2; inverse++) {
    check_direction (&device, PACO_WAVELET_CDF53, inverse);
    check_direction (&device, PACO_WAVELET_CDF97, inverse);
  }
  lab_device_close (&device);
}

static void
measure (void)
{
  LabDevice device;

  lab_device_open (&device, lab_fatbin_registers, "registers");
  lab_registers_measure (&device);
  lab_device_close (&device);
}

static void
once (void)
{
  LabDevice device;

  lab_device_open (&device, lab_fatbin_registers, "registers");
  lab_registers_once (&device);
  lab_device_close (&device);
}

int
main (int argc, char **argv)
{
  return lab_main (argc, argv, &(LabProgram){ check, measure, once });
}

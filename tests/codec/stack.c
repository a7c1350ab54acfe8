/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Tests the wavelet along a stack: the codec does with whole slices what the
 * reference does with single samples; lossless coding loses nothing, and lossy
 * coding keeps to the samples' range; weights are what errors weigh; and what
 * headers forbid is refused. */
#include "codec/bytes.h"
#include "codec/policy_wavelet.h"
#include "codec/reference/reference.h"
#include "tests/codec/n-cases.h"
#include "tests/codec/random-header.h"
#include <math.h>
#include <string.h>
#include <zlib.h>

#define MAX_SAMPLES 5000

typedef struct
{
  PacoSlice slice;
  size_t n;
  uint16_t *slices[PACO_MAX_STACK];
} Stack;

static PacoSlice
draw_plan (unsigned longest)
{
  PacoSlice slice = {
    .length = draw (1, longest),
    .wavelet = draw (0, 1) ? PACO_STACK_CDF53 : PACO_STACK_HAAR,
    .levels = draw (0, PACO_MAX_STACK_LEVELS),
    .depth = 8 * draw (1, 2),
  };

  slice.bits = draw (0, 1) ? 13 : slice.depth;
  return slice;
}

/* Draws samples of slices, less the middle, in low..high. */
static void
draw_stack (Stack *stack, size_t most, int low, int high)
{
  stack->n = draw (1, most);
  for (unsigned i = 0; i < stack->slice.length; i++) {
    stack->slices[i] = g_new (uint16_t, stack->n);
    for (size_t k = 0; k < stack->n; k++)
      stack->slices[i][k] = 0x8000
          + (draw (0, 9)        ? draw (low, high)
                  : draw (0, 1) ? low
                                : high);
  }
}

static void
clear (Stack *stack)
{
  for (unsigned i = 0; i < stack->slice.length; i++)
    g_free (stack->slices[i]);
}

static void
copy (const Stack *stack, Stack *other)
{
  *other = *stack;
  for (unsigned i = 0; i < stack->slice.length; i++)
    other->slices[i] = g_memdup2 (stack->slices[i], stack->n * 2);
}

/* Checks that stack is what before became. */
static void
expect_reference (const Stack *before, const Stack *stack, bool undo)
{
  for (size_t k = 0; k < stack->n; k++) {
    int values[PACO_MAX_STACK];

    for (unsigned i = 0; i < stack->slice.length; i++)
      values[i] = before->slices[i][k] - 0x8000;
    paco_reference_stack (&stack->slice, undo, values);
    for (unsigned i = 0; i < stack->slice.length; i++)
      g_assert_cmpint (stack->slices[i][k] - 0x8000, ==, values[i]);
  }
}

/* Tests all lengths up to 17, and some up to the longest, with samples as they
 * may be. */
static void
test_lifting (void)
{
  for (unsigned c = 0; c < n_cases (400); c++) {
    Stack stack = { .slice = draw_plan (c % 4 ? 17 : PACO_MAX_STACK) };
    int range = 1 << (stack.slice.bits - 1);
    Stack before, lifted;

    draw_stack (&stack, c % 20 ? 60 : MAX_SAMPLES, -range, range - 1);
    copy (&stack, &before);
    paco_stack_forward (&stack.slice, stack.slices, stack.n);
    expect_reference (&before, &stack, false);
    copy (&stack, &lifted);
    paco_stack_inverse (&stack.slice, stack.slices, stack.n);
    expect_reference (&lifted, &stack, true);
    for (unsigned i = 0; i < stack.slice.length; i++)
      g_assert_cmpmem (
          stack.slices[i], 2 * stack.n, before.slices[i], 2 * stack.n);
    clear (&stack);
    clear (&before);
    clear (&lifted);
  }
}

/* Tests what damage and hostile frames bring. */
static void
test_anything (void)
{
  for (unsigned c = 0; c < n_cases (200); c++) {
    Stack stack = { .slice = draw_plan (PACO_MAX_STACK) };
    Stack before;

    draw_stack (&stack, 60, -0x8000, 0x7fff);
    copy (&stack, &before);
    paco_stack_inverse (&stack.slice, stack.slices, stack.n);
    expect_reference (&before, &stack, true);
    clear (&stack);
    clear (&before);
  }
}

/* Does a step of a line of n slices in real numbers: odd ones lose the mean of their
 * neighbors, even ones gain a quarter of the sum of theirs. */
static void
lift_real (PacoStackWavelet wavelet, bool odd, double *y, unsigned n)
{
  for (unsigned i = odd; i < n; i += 2) {
    double before = y[i > 0 ? i - 1 : 1], after = y[i + 1 < n ? i + 1 : n - 2];

    if (wavelet == PACO_STACK_HAAR) {
      if ((i ^ 1) >= n)
        continue;
      before = after = y[i ^ 1];
    }
    y[i] += odd ? -(before + after) / 2 : (before + after) / 4;
  }
}

/* Tests that with loss the slices are what they would be in numbers of any
 * size. */
static void
test_headroom (void)
{
  for (unsigned c = 0; c < n_cases (400); c++) {
    Stack stack = { .slice = draw_plan (17) };
    int range = 1 << (stack.slice.bits - 1);
    Stack before;

    if (stack.slice.bits == 16)
      continue;
    draw_stack (&stack, 200, -range, range - 1);
    copy (&stack, &before);
    paco_stack_forward (&stack.slice, stack.slices, stack.n);
    for (size_t k = 0; k < stack.n; k++) {
      double x[PACO_MAX_STACK], y[PACO_MAX_STACK];

      for (unsigned i = 0; i < stack.slice.length; i++)
        x[i] = before.slices[i][k] - 0x8000;
      for (unsigned l = 0; l < stack.slice.levels; l++) {
        unsigned n = 0;

        for (unsigned i = 0; i < stack.slice.length; i += 1u << l)
          y[n++] = x[i];
        for (unsigned step = 0; n > 1 && step < 2; step++)
          lift_real (stack.slice.wavelet, step == 0, y, n);
        for (unsigned i = 0; i < n; i++)
          x[i << l] = y[i];
      }
      /* Rounding adds less than 4. */
      for (unsigned i = 0; i < stack.slice.length; i++)
        g_assert_cmpfloat (fabs (stack.slices[i][k] - 0x8000 - x[i]), <, 4.0);
    }
    clear (&stack);
    clear (&before);
  }
}

/* Tests every sample there is. */
static void
test_samples (void)
{
  static const uint8_t kinds[][2] = { { 8, 8 }, { 8, 13 }, { 16, 16 },
    { 16, 13 } };

  for (unsigned kind = 0; kind < G_N_ELEMENTS (kinds); kind++) {
    const PacoSlice slice = {
      .length = 1, .depth = kinds[kind][0], .bits = kinds[kind][1]
    };
    int most = (1 << slice.depth) - 1, steps = slice.depth > slice.bits ? 8 : 0;

    g_assert_true (paco_slice_is_valid (&slice));
    for (int sample = 0; sample <= most; sample++) {
      uint16_t wide = GUINT16_TO_LE (sample), coded;
      uint8_t narrow = (uint8_t) sample;
      int back;

      paco_slice_load (
          &slice, slice.depth == 8 ? (void *) &narrow : &wide, &coded, 1);
      g_assert_cmpint (
          coded - 0x8000, ==, paco_reference_load_sample (&slice, sample));
      paco_slice_store (
          &slice, &coded, slice.depth == 8 ? (void *) &narrow : &wide, 1);
      back = slice.depth == 8 ? narrow : GUINT16_FROM_LE (wide);
      g_assert_cmpint (ABS (back - sample), <=, steps);
      if (sample == 0 || sample == most)
        g_assert_cmpint (back, ==, sample);
    }
    /* Every sample may come back, too. */
    for (int value = -0x8000; value < 0x8000; value++) {
      uint16_t wide, coded = 0x8000 + value;
      uint8_t narrow;

      paco_slice_store (
          &slice, &coded, slice.depth == 8 ? (void *) &narrow : &wide, 1);
      g_assert_cmpint (slice.depth == 8 ? narrow : GUINT16_FROM_LE (wide), ==,
          paco_reference_store_sample (&slice, value));
    }
  }
}

/* Tests a large error in one slice, as the reference spreads it. */
static void
test_weights (void)
{
  for (unsigned c = 0; c < n_cases (300); c++) {
    PacoSlice slice = draw_plan (17);
    int values[PACO_MAX_STACK] = { 0 };
    double energy = 0.0, most, weight;

    slice.position = draw (0, slice.length - 1);
    values[slice.position] = 8192;
    paco_reference_stack (&slice, true, values);
    for (unsigned i = 0; i < slice.length; i++)
      energy += (double) values[i] * values[i];
    weight = ldexp (paco_slice_weight (&slice), (int) slice.bits - 16);
    g_assert_cmpfloat (fabs (weight - sqrt (energy) / 8192.0), <, 0.002);
    most = paco_stack_max_weight (17, slice.depth, slice.bits != 13);
    while (slice.levels > 0 && 1u << (slice.levels - 1) >= slice.length)
      slice.levels--;
    g_assert_cmpfloat (paco_slice_weight (&slice), <=, most + 1e-9);
  }
}

/* --- the choice --- */

static PacoSlice
choose (Stack *stack, uint32_t width, uint32_t height, bool lossless)
{
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  PacoSlice plan = paco_stack_plan (
                7, stack->slice.length, stack->slice.depth, lossless),
            chosen;
  g_autofree uint16_t *work = g_new (
      uint16_t, paco_policy_stack_work (plan.length, width, height));

  parameters.rate_control = lossless ? PACO_RATE_LOSSLESS : PACO_RATE_QUALITY;
  chosen = paco_policy_stack (
      &plan, &parameters, stack->slices, width, height, work);
  g_assert_true (paco_slice_is_valid (&chosen));
  g_assert_cmpint (chosen.number, ==, 7);
  g_assert_cmpint (chosen.length, ==, plan.length);
  g_assert_cmpint (chosen.bits, ==, plan.bits);
  g_assert_cmpint (chosen.levels, <=, plan.levels);
  return chosen;
}

/* Tests that slices that are the same are worth a wavelet with all levels, and
 * that slices that have nothing to do with each other, and one alone, are not.
 * The slices stay. */
static void
test_choice (void)
{
  for (unsigned c = 0; c < n_cases (40); c++) {
    uint32_t width = draw (20, 80), height = draw (8, 100);
    bool lossless = draw (0, 1), same = draw (0, 1);
    Stack stack = { .slice = { .length = draw (1, 12),
                        .depth = 8 * draw (1, 2) },
      .n = (size_t) width * height };
    int range;
    Stack before;
    PacoSlice chosen;

    stack.slice.bits = lossless ? stack.slice.depth : 13;
    range = 1 << (stack.slice.bits - 1);
    for (unsigned i = 0; i < stack.slice.length; i++) {
      stack.slices[i] = g_new (uint16_t, stack.n);
      for (size_t k = 0; k < stack.n; k++)
        stack.slices[i][k] = same && i > 0
            ? stack.slices[0][k]
            : 0x8000 + draw (-range / 2, range / 2 - 1);
    }
    copy (&stack, &before);
    chosen = choose (&stack, width, height, lossless);
    for (unsigned i = 0; i < stack.slice.length; i++)
      g_assert_cmpmem (
          stack.slices[i], 2 * stack.n, before.slices[i], 2 * stack.n);
    if (stack.slice.length == 1)
      g_assert_cmpint (chosen.levels, ==, 0);
    else if (same)
      g_assert_cmpint (1 << chosen.levels, >=, MIN (stack.slice.length, 8));
    clear (&stack);
    clear (&before);
  }
}

/* Tests pictures of which no two lines can be compared. */
static void
test_small_pictures (void)
{
  static const uint32_t sizes[][2] = { { 1, 1 }, { 1, 2 }, { 2, 1 }, { 1, 9 },
    { 9, 1 }, { 2, 2 } };

  for (unsigned s = 0; s < G_N_ELEMENTS (sizes); s++) {
    Stack stack = { .slice = {
                        .length = draw (2, 9), .depth = 16, .bits = 16 } };

    stack.n = (size_t) sizes[s][0] * sizes[s][1];
    for (unsigned i = 0; i < stack.slice.length; i++)
      stack.slices[i] = g_new0 (uint16_t, stack.n);
    choose (&stack, sizes[s][0], sizes[s][1], true);
    clear (&stack);
  }
}

/* --- headers --- */

static void
put_crc (uint8_t *data, size_t size)
{
  paco_put32 (data + size - 4, crc32 (0, data, size - 4));
}

/* Tests the chunk of the slice, in a header with nothing behind it. */
static void
test_chunk (void)
{
  static const struct
  {
    unsigned at, value;
  } wrong[] = { { 4, 0 }, { 4, 65 }, { 5, 9 }, { 6, 1 }, { 6, 2 }, { 6, 6 },
    { 7, 4 }, { 8, 12 }, { 9, 12 }, { 9, 8 } };
  PacoHeader header = {
    .picture = { .width = 9,
        .height = 7,
        .n_components = 1,
        .components = { { .depth = 16 } } },
    .video = { .par_n = 1,
        .par_d = 1,
        .fps_d = 1,
        .slice = { .number = 5,
            .length = 9,
            .position = 8,
            .levels = 3,
            .depth = 16,
            .bits = 13 } },
  };
  PacoParameters parameters = PACO_PARAMETERS_DEFAULT;
  uint8_t data[PACO_MAX_HEADER_SIZE], again[PACO_MAX_HEADER_SIZE];
  PacoHeader parsed;
  size_t size;

  g_assert_true (
      paco_policy_coding (&header.picture, &parameters, &header.coding, NULL));
  header.frame_size = 10000;
  header.index_size = 100;
  for (unsigned w = 0; w < G_N_ELEMENTS (wrong); w++) {
    size = paco_header_write (&header, data);
    g_assert_true (paco_header_parse (data, size, &parsed, NULL, NULL));
    g_assert_cmpmem (again, paco_header_write (&parsed, again), data, size);
    g_assert_true (paco_header_set_stack (data, size, 0xfffffff0u + w));
    g_assert_true (paco_header_parse (data, size, &parsed, NULL, NULL));
    g_assert_cmpint (parsed.video.slice.number, ==, 0xfffffff0u + w);
    g_assert_cmpint (parsed.video.slice.length, ==, 9);
    g_assert_false (paco_header_set_stack (data, size - 1, 0));
    data[size - 4 - 10 + wrong[w].at] = (uint8_t) wrong[w].value;
    put_crc (data, size);
    g_assert_false (paco_header_parse (data, size, &parsed, NULL, NULL));
  }
  /* This is no picture of one component of 16 bits. */
  size = paco_header_write (&header, data);
  data[72] = 12;
  put_crc (data, size);
  g_assert_false (paco_header_parse (data, size, &parsed, NULL, NULL));
  size = paco_header_write (&header, data);
  data[57] |= 1;
  put_crc (data, size);
  g_assert_false (paco_header_parse (data, size, &parsed, NULL, NULL));
  header.video.interlace_mode = PACO_INTERLACE_INTERLEAVED;
  g_assert_false (paco_header_check (&header, NULL));
  /* What is no slice has no such number. */
  header.video.slice.length = header.video.interlace_mode = 0;
  size = paco_header_write (&header, data);
  g_assert_false (paco_header_set_stack (data, size, 0));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/stack/lifting", test_lifting);
  g_test_add_func ("/stack/anything", test_anything);
  g_test_add_func ("/stack/headroom", test_headroom);
  g_test_add_func ("/stack/samples", test_samples);
  g_test_add_func ("/stack/weights", test_weights);
  g_test_add_func ("/stack/choice", test_choice);
  g_test_add_func ("/stack/small-pictures", test_small_pictures);
  g_test_add_func ("/stack/chunk", test_chunk);
  return g_test_run ();
}

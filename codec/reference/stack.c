/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The wavelet along a stack (FORMAT.md section 12), for the samples at one place of its
 * slices. */
#include "codec/reference/reference.h"

enum
{
  MIDDLE = 1 << 15
};

static int
floor_shift (int value, unsigned shift)
{
  int divisor = 1 << shift;

  return value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor);
}

/* Returns what a step gives, in 16 bits. */
static int
result (const PacoSlice *slice, int value)
{
  if (slice->bits < 16)
    return value < -MIDDLE ? -MIDDLE : value > MIDDLE - 1 ? MIDDLE - 1 : value;
  while (value < -MIDDLE)
    value += 2 * MIDDLE;
  while (value > MIDDLE - 1)
    value -= 2 * MIDDLE;
  return value;
}

/* Returns what a step adds to y[i] of n. */
static int
change (const PacoSlice *slice, const int *y, int i, int n)
{
  bool odd = i % 2 == 1;

  if (slice->wavelet == PACO_STACK_HAAR) {
    int other = odd ? i - 1 : i + 1;

    if (other >= n)
      return 0;
    return odd ? -y[other] : floor_shift (y[other] + 1, 1);
  } else {
    int before = i == 0 ? 1 : i - 1, after = i == n - 1 ? n - 2 : i + 1;
    int sum;

    if (n == 1)
      return 0;
    sum = y[before] + y[after];
    return odd ? -floor_shift (sum, 1) : floor_shift (sum + 2, 2);
  }
}

static void
filter (const PacoSlice *slice, bool undo, int *y, int n)
{
  for (int step = 0; step < 2; step++) {
    /* Forward first the odd ones. */
    bool odd = (step == 0) != undo;

    for (int i = odd ? 1 : 0; i < n; i += 2) {
      int add = change (slice, y, i, n);

      y[i] = result (slice, undo ? y[i] - add : y[i] + add);
    }
  }
}

void
paco_reference_stack (const PacoSlice *slice, bool undo, int *values)
{
  for (int k = 0; k < slice->levels; k++) {
    int level = undo ? slice->levels - 1 - k : k, n = 0;
    int y[PACO_MAX_STACK];

    for (int p = 0; p < slice->length; p += 1 << level)
      y[n++] = values[p];
    filter (slice, undo, y, n);
    for (int i = 0; i < n; i++)
      values[i << level] = y[i];
  }
}

int
paco_reference_load_sample (const PacoSlice *slice, int sample)
{
  int u = sample;

  if (slice->depth == 8 && slice->bits == 13)
    u = 32 * sample + sample / 8;
  else if (slice->depth == 16 && slice->bits == 13)
    u = (sample - sample / 8192 + 4) / 8;
  return u - (1 << (slice->bits - 1));
}

int
paco_reference_store_sample (const PacoSlice *slice, int value)
{
  int u = value + (1 << (slice->bits - 1)), most = (1 << slice->bits) - 1;

  u = u < 0 ? 0 : u > most ? most : u;
  if (slice->depth == 8 && slice->bits == 13)
    return (u - u / 256 + 16) / 32;
  if (slice->depth == 16 && slice->bits == 13)
    return 8 * u + u / 1024;
  return u;
}

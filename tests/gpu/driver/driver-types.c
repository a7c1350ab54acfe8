/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compares gpu/driver_types.h and texture-types.h with the toolkit's cuda.h: every
 * constant, size and offset is the same. */
#include "tests/gpu/driver/driver-types.h"
#include "tests/gpu/driver/texture-types.h"
#include <stdio.h>

static const DriverNumber numbers[] = DRIVER_NUMBERS;

int
main (void)
{
  int n_failed = 0, n = 0;

  for (; numbers[n].name; n++)
    if (numbers[n].number != numbers_of_toolkit[n].number) {
      printf ("%s: %lld, of the toolkit %lld\n", numbers[n].name,
          numbers[n].number, numbers_of_toolkit[n].number);
      n_failed++;
    }
  printf ("%d numbers, %d differ\n", n, n_failed);
  return n_failed > 0;
}

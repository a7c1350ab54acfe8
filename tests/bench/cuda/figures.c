/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Prints measured figures as JSON lines, as figures.h says. */
#include "tests/bench/cuda/figures.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *name_prefix = "";

void
figures_set_prefix (const char *prefix)
{
  name_prefix = prefix;
}

static void G_GNUC_PRINTF (5, 0) print (double value, const char *unit,
    const char *ceiling, double ratio, const char *name, va_list arguments)
{
  printf ("{\"figure\": \"%s", name_prefix);
  vprintf (name, arguments);
  printf ("\", \"value\": %.*g, \"unit\": \"%s\"", value < 1e5 ? 4 : 10, value,
      unit);
  if (ratio > 0)
    printf (", \"ceiling\": \"%s\", \"ratio\": %.4g", ceiling, ratio);
  printf ("}\n");
  fflush (stdout);
}

void
figure_speed (double value, const char *unit, const char *ceiling,
    double ceiling_value, const char *name, ...)
{
  va_list arguments;

  va_start (arguments, name);
  print (value, unit, ceiling, ceiling_value > 0 ? value / ceiling_value : 0,
      name, arguments);
  va_end (arguments);
}

void
figure_cost (double value, const char *unit, const char *ceiling,
    double ceiling_value, const char *name, ...)
{
  va_list arguments;

  va_start (arguments, name);
  print (value, unit, ceiling, ceiling_value / value, name, arguments);
  va_end (arguments);
}

static int
compare_doubles (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

double
median (double *values, unsigned n)
{
  qsort (values, n, sizeof *values, compare_doubles);
  return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

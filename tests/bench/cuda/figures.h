/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Prints measured figures, one JSON line each:
 *
 *   {"figure": name, "value": number, "unit": unit,
 *    "ceiling": what limits it, "ratio": share of the ceiling}
 *
 * The ratio compares with what this machine can do at best, measured in the
 * same run: 0.5 is half as fast as the ceiling allows. Where the ceiling is not
 * known (0), nothing is said of it. */
#pragma once
#include <glib.h>

/* value is a speed, and ceiling_value the highest. */
void figure_speed (double value, const char *unit, const char *ceiling,
    double ceiling_value, const char *name, ...) G_GNUC_PRINTF (5, 6);

/* value is a time or another cost, and ceiling_value the lowest. */
void figure_cost (double value, const char *unit, const char *ceiling,
    double ceiling_value, const char *name, ...) G_GNUC_PRINTF (5, 6);

/* Sets what stands before all names, such as "4320_"; at first that is
 * nothing. */
void figures_set_prefix (const char *prefix);

/* Sorts the values. */
double median (double *values, unsigned n);

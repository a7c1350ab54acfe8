/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws a curve as an SVG file, for comparison.c. */
#pragma once
#include <glib.h>

/* Draws n values (dB) over their numbers, the first one at 0, where rate of them
 * are a second, or over numbers if rate is 0. G_MAXDOUBLE, of pictures that are
 * the same, lies on the upper edge. */
gboolean plot_write_svg (const double *values, guint n, double rate,
    const char *title, const char *path, GError **error);

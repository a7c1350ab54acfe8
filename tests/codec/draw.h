/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Draws random numbers, from the generator of GLib's tests, whose seed a test that
 * fails prints. */
#pragma once
#include <glib.h>

/* Draws a number from low to high, both included. */
static inline int
draw (int low, int high)
{
  return g_test_rand_int_range (low, high + 1);
}

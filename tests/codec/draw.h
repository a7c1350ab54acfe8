/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Random numbers of tests. */
#pragma once
#include <glib.h>

/* Both ends included. */
static inline int
draw (int low, int high)
{
  return g_test_rand_int_range (low, high + 1);
}

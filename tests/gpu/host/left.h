/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Checks that elements have given everything back to the driver of our own, for
 * tests of gst-check that are linked to it. plan is what the driver was told to do,
 * for messages; afterwards it has no plan. */
#pragma once
#include "tests/gpu/driver/fake-driver.h"
#include <gst/check/gstcheck.h>

/* Checks that nothing of the driver's is left, unless nothing works any
 * more. */
static inline void
check_left (const char *plan)
{
  FakeCudaLeft left;

  fake_cuda_left (&left);
  fail_unless (left.misuses == 0, "%s: misuses of the driver", plan);
  if (strstr (plan, ":gone") == NULL)
    fail_unless (left.contexts == 0, "%s: a context is left", plan);
  fake_cuda_clear ();
}

/* Checks that when the driver answers after all, what was left to it is
 * freed. */
static inline void
check_left_later (const char *plan)
{
  FakeCudaLeft left;
  guint n_empty = 0;

  fake_cuda_release ();
  for (guint i = 0; i < 1000 && n_empty < 20; i++) {
    g_usleep (10000);
    fake_cuda_left (&left);
    n_empty = left.contexts == 0 ? n_empty + 1 : 0;
  }
  fail_unless (n_empty > 0, "%s: a context is left", plan);
  fail_unless (left.misuses == 0, "%s: misuses of the driver", plan);
  fake_cuda_clear ();
}

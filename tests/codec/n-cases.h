/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says how many random cases a test does. Tests of the codec, of the library and
 * of archives call it. */
#pragma once
#include <glib.h>
#include <stdlib.h>

/* PACO_CASES in the environment is the number of cases, or, as in "30%", a share of the
 * standard. Without it a test does a tenth, of which each run draws others; the stage
 * long of tests/run.sh asks for half. */
static inline unsigned
n_cases (unsigned standard)
{
  const char *cases = g_getenv ("PACO_CASES");

  if (!cases)
    return MAX (1, standard / 10);
  if (g_str_has_suffix (cases, "%"))
    return MAX (1, standard * (unsigned) atoi (cases) / 100);
  return (unsigned) atoi (cases);
}

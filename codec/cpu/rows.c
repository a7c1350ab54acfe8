/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which line operations this machine can run. */
#include "codec/cpu/rows.h"

#ifdef __x86_64__
static bool
has_avx2 (void)
{
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma")
      && __builtin_cpu_supports ("bmi") && __builtin_cpu_supports ("bmi2")
      && __builtin_cpu_supports ("popcnt");
}

static bool
has_avx512 (void)
{
  return has_avx2 () && __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512vl")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vbmi")
      && __builtin_cpu_supports ("avx512vbmi2");
}
#endif

const PacoRowOps *const *
paco_row_all_ops (void)
{
  static const PacoRowOps *const tables[] = {
#ifdef __x86_64__
    &paco_row_ops_avx512,
    &paco_row_ops_avx2,
#endif
    &paco_row_ops_plain,
    NULL,
  };
#ifdef __x86_64__
  if (!has_avx2 ())
    return tables + 2;
  if (!has_avx512 ())
    return tables + 1;
#endif
  return tables;
}

const PacoRowOps *
paco_row_ops (void)
{
  return paco_row_all_ops ()[0];
}

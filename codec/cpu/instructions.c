/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which instruction sets this machine has; called by rows.c and bpc.c. */
#include "codec/cpu/instructions.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* __builtin_cpu_supports() of Clang below 18 does not know the name "lzcnt". */
static bool
has_lzcnt (void)
{
  unsigned a, b, c, d;

  return __get_cpuid (0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

bool
paco_cpu_has_avx2 (void)
{
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma")
      && __builtin_cpu_supports ("bmi") && __builtin_cpu_supports ("bmi2")
      && __builtin_cpu_supports ("popcnt") && has_lzcnt ();
}

bool
paco_cpu_has_avx512 (void)
{
  return paco_cpu_has_avx2 () && __builtin_cpu_supports ("avx512f")
      && __builtin_cpu_supports ("avx512bw")
      && __builtin_cpu_supports ("avx512vl")
      && __builtin_cpu_supports ("avx512dq")
      && __builtin_cpu_supports ("avx512vbmi")
      && __builtin_cpu_supports ("avx512vbmi2");
}
#endif

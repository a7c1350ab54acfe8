/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which block coder this machine runs. */
#include "codec/cpu/bpc_private.h"
#include <stdlib.h>
#include <string.h>

PacoBpcScratch *
paco_bpc_scratch_new (void)
{
  void *scratch = NULL;

  if (posix_memalign (&scratch, 64, sizeof (PacoBpcScratch)) != 0)
    return NULL;
  memset (scratch, 0, sizeof (PacoBpcScratch));
  return scratch;
}

void
paco_bpc_scratch_free (PacoBpcScratch *scratch)
{
  free (scratch);
}

#if defined(__x86_64__)
static bool
has_avx2 (void)
{
  return __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("fma")
      && __builtin_cpu_supports ("bmi") && __builtin_cpu_supports ("bmi2")
      && __builtin_cpu_supports ("popcnt") && __builtin_cpu_supports ("lzcnt");
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

const PacoBpcOps *
paco_bpc_ops (void)
{
  return paco_bpc_all_ops ()[0];
}

/* Fastest first. */
const PacoBpcOps *const *
paco_bpc_all_ops (void)
{
#if defined(__x86_64__)
  static const PacoBpcOps *const all[] = { &paco_bpc_ops_avx512,
    &paco_bpc_ops_avx2, &paco_bpc_ops_plain, NULL };

  return all + (has_avx512 () ? 0 : has_avx2 () ? 1 : 2);
#else
  static const PacoBpcOps *const all[] = { &paco_bpc_ops_plain, NULL };

  return all;
#endif
}

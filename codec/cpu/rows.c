/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Chooses the line operations by the machine's instruction sets (processors.h);
 * rows.h says for whom. */
#include "codec/cpu/rows.h"
#include "codec/cpu/processors.h"

const PacoRowOps *const *
paco_row_all_ops (void)
{
  static const PacoRowOps *const tables[] = {
#ifdef __x86_64__
    &paco_row_ops_avx512,
    &paco_row_ops_avx2,
#elif defined __AARCH64EL__
    &paco_row_ops_neon,
#endif
    &paco_row_ops_plain,
    NULL,
  };
#ifdef __x86_64__
  if (!paco_cpu_has_avx2 ())
    return tables + 2;
  if (!paco_cpu_has_avx512 ())
    return tables + 1;
#endif
  return tables;
}

const PacoRowOps *
paco_row_ops (void)
{
  return paco_row_all_ops ()[0];
}

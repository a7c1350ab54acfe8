/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Codes quantizer steps as 14-bit floating point numbers (FORMAT.md section 2);
 * policy.c and rate_table.c call it. */
#include "quantizer.h"

uint16_t
paco_step_encode (double step)
{
  int exponent;
  double mantissa = frexp (step, &exponent); /* 0.5 <= mantissa < 1 */
  long m = lrint ((mantissa * 2.0 - 1.0) * 512.0);

  exponent += 15;
  if (m == 512) {
    m = 0;
    exponent++;
  }
  if (!(step > 0.0) || exponent < 0)
    return 0;
  if (exponent > 31)
    return 31 << 9 | 511;
  return exponent << 9 | m;
}

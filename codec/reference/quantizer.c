/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The dead-zone quantizer, one coefficient at a time (FORMAT.md section 8). */
#include "codec/quantizer.h"
#include "codec/reference/reference.h"
#include <math.h>
#include <stdlib.h>

int32_t
paco_reference_quantize (
    PacoReferenceSample coefficient, PacoWaveletId wavelet, float step)
{
  float inverse_step, scaled;
  int32_t magnitude;

  if (paco_wavelets[wavelet].reversible)
    return coefficient.i;

  inverse_step = 1.0f / step;
  scaled = fabsf (coefficient.f) * inverse_step;
  magnitude = scaled < (float) PACO_MAX_MAGNITUDE ? (int32_t) floorf (scaled)
                                                  : PACO_MAX_MAGNITUDE;
  return signbit (coefficient.f) ? -magnitude : magnitude;
}

PacoReferenceSample
paco_reference_dequantize (int32_t index, unsigned dropped_planes,
    unsigned reconstruction, PacoWaveletId wavelet, float step)
{
  int32_t m = abs (index) >> dropped_planes;
  PacoReferenceSample x = { .i = 0 };

  if (m == 0)
    return x;

  if (paco_wavelets[wavelet].reversible) {
    int32_t middle = (int32_t) ((1u << dropped_planes) * reconstruction / 256);

    x.i = (m << dropped_planes) + middle;
    if (index < 0)
      x.i = -x.i;
  } else {
    float scale = ldexpf (step, (int) dropped_planes - 8);

    x.f = (float) (256 * m + (int32_t) reconstruction) * scale;
    if (index < 0)
      x.f = -x.f;
  }
  return x;
}

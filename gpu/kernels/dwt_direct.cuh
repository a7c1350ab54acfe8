/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Makes coefficients from samples and back without a wavelet, for levels=0 and for
 * decoders that leave out all levels. A thread takes four columns of a line.
 * dwt.cu makes kernels of it. */
#pragma once
#include "gpu/kernels/dwt_forward.cuh"
#include "gpu/kernels/dwt_inverse.cuh"

__device__ __forceinline__ bool
line_place (const PacoDwtPlane &plane, Place *place, int *line)
{
  unsigned lanes = (plane.width + LANE_COLUMNS - 1) / LANE_COLUMNS;
  unsigned thread = blockIdx.x * PACO_DWT_THREADS + threadIdx.x;

  if (lanes == 0 || thread / lanes >= plane.height)
    return false;
  *line = thread / lanes;
  place->column = place->fetched = (thread - *line * lanes) * LANE_COLUMNS;
  place->writes = true;
  return true;
}

template <class Number, class Layout, int G>
__device__ __forceinline__ void
samples_to_indices (const PacoDwtParameters &p)
{
  typedef SampleSource<Layout, G> Source;
  const PacoDwtPlane *planes = G == 1 ? &p.planes[blockIdx.y] : p.planes;
  typename Source::Raw raw[G];
  Number x[G][LANE_COLUMNS];
  Place place;
  int line;

  wait_for_kernel_before ();
  if (!line_place (planes[0], &place, &line))
    return;

#pragma unroll
  for (int c = 0; c < G; c++)
    raw[c] = Source::fetch (planes[c], line, place);
  Source::unpack (p, planes, raw, x);
#pragma unroll
  for (int c = 0; c < G; c++)
#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i += 2)
      store_subband<Any> (p, planes[c].subbands[0],
          line * planes[0].low_stride + place.column + i, x[c][i], x[c][i + 1]);
}

template <class Number, class Layout, int G>
__device__ __forceinline__ void
indices_to_samples (const PacoDwtParameters &p)
{
  const PacoDwtPlane *planes = G == 1 ? &p.planes[blockIdx.y] : p.planes;
  Number x[G][LANE_COLUMNS];
  Place place;
  int line;

  wait_for_kernel_before ();
  if (!line_place (planes[0], &place, &line))
    return;

#pragma unroll
  for (int c = 0; c < G; c++) {
    const PacoDwtSubband &subband = planes[c].subbands[0];

#pragma unroll
    for (int i = 0; i < LANE_COLUMNS; i += 2) {
      int column = place.column + i;
      uint2 pair = fetch_pair (
          p.wide, subband.address, line * planes[0].low_stride + column);

      AnyIndices::dequantize (
          p, subband, line, column, pair, &x[c][i], &x[c][i + 1]);
    }
  }
  SampleSink<Layout, G, AnyIndices>::store (p, planes, place, line, x);
}

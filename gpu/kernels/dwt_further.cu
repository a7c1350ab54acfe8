/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The kernels of wavelets that few frames have. They are a file of their own, so
 * that they are loaded only where they are needed (gpu/device.c). gpu/dwt.c launches
 * them. */
#include "gpu/kernels/dwt_kernels.cuh"

typedef Wavelet<PACO_WAVELET_HAAR> Haar;
typedef Wavelet<PACO_WAVELET_DD97> Dd97;
typedef Wavelet<PACO_WAVELET_FIDELITY> Fidelity;

SAMPLES (haar, Haar, any, Any)
SAMPLES (haar, Haar, plain, Plain)
SAMPLES (dd97, Dd97, any, Any)
SAMPLES (dd97, Dd97, plain, Plain)
SAMPLES (fidelity, Fidelity, any, Any)
SAMPLES (fidelity, Fidelity, plain, Plain)

NUMBERS (haar, Haar, any, Any, int32_t)
NUMBERS (haar, Haar, plain, Plain, int16_t)
NUMBERS (dd97, Dd97, any, Any, int32_t)
NUMBERS (dd97, Dd97, plain, Plain, int16_t)
NUMBERS (fidelity, Fidelity, any, Any, int32_t)
NUMBERS (fidelity, Fidelity, plain, Plain, int16_t)

/* For pictures whose levels are all left out, with a wavelet whose low half grows. */
#define GROWN_DIRECT(layout, Layout, G)                                        \
  KERNEL (dwt_inverse_grown_direct_##layout##_##G,                             \
      (indices_to_samples<int, Layout, G, true>) )
GROWN_DIRECT (planar8, Planar8, 1)
GROWN_DIRECT (planar8, Planar8, 3)
GROWN_DIRECT (planar16, Planar16, 1)
GROWN_DIRECT (planar16, Planar16, 3)

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Compiles the kernels of one .cu file for the emulation, and lists them: EMULATED_BPC and
 * so on say which. Without any, lists the tables of the emulated driver. */
#if defined EMULATED_CODES || defined EMULATED_LAYOUT || defined EMULATED_PACK
#define __shared__ static /* of one size, known when compiled */
#endif
#if !defined EMULATED_LAYOUT && !defined EMULATED_DWT
#define __CUDACC__ 1 /* pointers in parameters */
#endif
#include "tests/gpu/kernels/emulation.hpp"

#if defined EMULATED_BPC
#include "gpu/kernels/bpc.cu"

#define BOTH(bits, passes)                                                     \
  EMULATED_KERNEL (                                                            \
      paco_bpc_encode_##bits##_##passes, PacoBpcEncodeParameters),             \
      EMULATED_KERNEL (                                                        \
          paco_bpc_decode_##bits##_##passes, PacoBpcDecodeParameters)

const EmulatedKernel emulated_bpc[] = {
  BOTH (16, 1),
  BOTH (16, 2),
  BOTH (16, 3),
  BOTH (32, 1),
  BOTH (32, 2),
  BOTH (32, 3),
  EMULATED_END,
};

#elif defined EMULATED_CELLS
#include "gpu/kernels/cells.cu"

const EmulatedKernel emulated_cells[] = {
  EMULATED_KERNEL (paco_find_cells_16, PacoCellsParameters),
  EMULATED_KERNEL (paco_find_cells_32, PacoCellsParameters),
  EMULATED_END,
};

#elif defined EMULATED_CODES
#include "gpu/kernels/codes.cu"

const EmulatedKernel emulated_codes[] = {
  EMULATED_KERNEL (paco_map_samples, PacoMapParameters),
  EMULATED_KERNEL (paco_take_words, PacoTakeParameters),
  EMULATED_KERNEL (paco_find_codes, PacoFindParameters),
  EMULATED_END,
};

#elif defined EMULATED_COMPARE
#include "gpu/kernels/compare.cu"

const EmulatedKernel emulated_compare[] = {
  EMULATED_KERNEL (paco_compare, PacoCompareParameters),
  EMULATED_END,
};

#elif defined EMULATED_DWT
#include "gpu/kernels/dwt.cu"

#define KERNEL_OF_DWT(name) EMULATED_KERNEL (name, PacoDwtParameters)
#define LAYOUTS(name)                                                          \
  KERNEL_OF_DWT (name##_planar8_1), KERNEL_OF_DWT (name##_planar8_3),          \
      KERNEL_OF_DWT (name##_planar16_1), KERNEL_OF_DWT (name##_planar16_3)
#define KERNELS(name)                                                          \
  KERNEL_OF_DWT (name##_any), KERNEL_OF_DWT (name##_plain),                    \
      LAYOUTS (name##_any), LAYOUTS (name##_plain)

const EmulatedKernel emulated_dwt[] = {
  KERNELS (dwt_forward_cdf53),
  KERNELS (dwt_forward_cdf97),
  KERNELS (dwt_inverse_cdf53),
  KERNELS (dwt_inverse_cdf97),
  KERNELS (dwt_forward_dd137),
  KERNELS (dwt_inverse_dd137),
  KERNEL_OF_DWT (dwt_inverse_cdf97_mapped),
  LAYOUTS (dwt_inverse_cdf97_mapped),
  LAYOUTS (dwt_forward_integers_direct),
  LAYOUTS (dwt_inverse_integers_direct),
  LAYOUTS (dwt_forward_floats_direct),
  LAYOUTS (dwt_inverse_floats_direct),
  EMULATED_END,
};

#elif defined EMULATED_LAYOUT
#include "gpu/kernels/layout.cu"

#define KERNELS(kind)                                                          \
  EMULATED_KERNEL (layout_load_##kind, PacoLayoutParameters),                  \
      EMULATED_KERNEL (layout_store_##kind, PacoLayoutParameters)

const EmulatedKernel emulated_layout[] = {
  KERNELS (2_8_1),
  KERNELS (2_16_1),
  KERNELS (4_8_1),
  KERNELS (4_8_2),
  KERNELS (4_16_1),
  KERNELS (8_16_1),
  KERNELS (8_16_2),
  KERNELS (string_8_3),
  KERNELS (string_10_1),
  KERNELS (string_10_3),
  KERNELS (string_10_4),
  KERNELS (string_12_1),
  KERNELS (string_12_3),
  KERNELS (string_12_4),
  KERNELS (string_16_3),
  KERNELS (v210),
  KERNELS (any),
  EMULATED_KERNEL (layout_mosaic, PacoMosaicParameters),
  EMULATED_END,
};

#elif defined EMULATED_PACK
#include "gpu/kernels/pack.cu"

const EmulatedKernel emulated_pack[] = {
  EMULATED_KERNEL (paco_pack_scan, PacoPackParameters),
  EMULATED_KERNEL (paco_pack_copy, PacoPackParameters),
  EMULATED_END,
};

#elif defined EMULATED_RATE
#include "gpu/kernels/rate.cu"

const EmulatedKernel emulated_rate[] = {
  EMULATED_KERNEL (paco_rate_count_16, PacoRateCountParameters),
  EMULATED_KERNEL (paco_rate_count_32, PacoRateCountParameters),
  EMULATED_KERNEL (paco_rate_decide, PacoRateDecideParameters),
  EMULATED_KERNEL (paco_rate_find, PacoRateFitParameters),
  EMULATED_KERNEL (paco_rate_fit, PacoRateFitParameters),
  EMULATED_KERNEL (paco_rate_shorten, PacoRateFitParameters),
  EMULATED_END,
};

#else
const EmulatedKernel *const emulated_tables[] = {
  EMULATED_PROJECT_TABLES,
  nullptr,
};
#endif

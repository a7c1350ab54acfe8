/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The CUDA backend as a table. */
#include "gpu/backend.h"

const PacoBackend paco_cuda_backend = {
  .name = "cuda",
  .encoder_open = paco_cuda_encoder_open,
  .decoder_open = paco_cuda_decoder_open,
};

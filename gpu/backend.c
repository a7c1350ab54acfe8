/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The table paco_cuda_backend (codec/backend.h), by which users open its encoders and
 * decoders. */
#include "gpu/share.h"

const PacoBackend paco_cuda_backend = {
  .name = "cuda",
  .encoder_open = paco_cuda_encoder_open,
  .decoder_open = paco_cuda_decoder_open,
};

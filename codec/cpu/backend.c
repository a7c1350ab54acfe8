/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The table paco_cpu_backend (codec/backend.h), by which users open its encoders and
 * decoders. */
#include "codec/cpu/backend_private.h"

const PacoBackend paco_cpu_backend = {
  .name = "cpu",
  .encoder_open = paco_cpu_encoder_open,
  .decoder_open = paco_cpu_decoder_open,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The functions in the table of the CUDA backend, which encoder.c and decoder.c
 * have. */
#pragma once
#include "codec/backend.h"

G_BEGIN_DECLS

PacoEncoder *paco_cuda_encoder_open (
    const PacoBackendOptions *options, GError **error);
PacoDecoder *paco_cuda_decoder_open (
    const PacoBackendOptions *options, GError **error);

G_END_DECLS

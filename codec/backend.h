/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The backends: how encoders and decoders are opened. lib/stream/backends.c has a table of them
 * for the plugin and for libpaco. All that comes after opening is the same for every
 * backend (coder.h, encoder.h, decoder.h). Backends are built on encoder_private.h
 * and decoder_private.h. */
#pragma once
#include "decoder.h"
#include "encoder.h"

G_BEGIN_DECLS

/* The functions return NULL and an error when the backend cannot be used. */
typedef struct
{
  const char *name; /* "cpu", "cuda" */
  PacoEncoder *(*encoder_open) (
      const PacoBackendOptions *options, GError **error);
  PacoDecoder *(*decoder_open) (
      const PacoBackendOptions *options, GError **error);
} PacoBackend;

extern const PacoBackend paco_cpu_backend;
extern const PacoBackend paco_cuda_backend; /* where HAVE_CUDA is defined */

G_END_DECLS

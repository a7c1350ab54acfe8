/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Which backends a build has, and how one is chosen: for the elements
 * (plugin/gstpacobackend.c) and for libpaco (lib/device.c). */
#pragma once
#include "codec/backend.h"

/* What users ask for. */
typedef enum
{
  PACO_USE_AUTO, /* a GPU where there is one that works, else the CPU */
  PACO_USE_CUDA,
  PACO_USE_CPU,
} PacoUse;

/* A backend that would have done cannot be used; the next one is tried, if there is
 * one. */
typedef void (*PacoBackendRefused) (
    void *user_data, PacoUse which, const GError *failure);

/* Opens an encoder, or a decoder, of the first backend that was asked for and can be
 * used; in a context of somebody else (options->context), of that whose contexts these
 * are. refused may be NULL. NULL and the last backend's error if there is none. */
PacoCoder *paco_backends_open (PacoUse use, bool encoder,
    const PacoBackendOptions *options, PacoBackendRefused refused,
    void *user_data, GError **error);

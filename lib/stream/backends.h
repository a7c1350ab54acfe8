/* SPDX-License-Identifier: LGPL-2.1-or-later
 * Says which backends a build has, and chooses one: for the elements
 * (plugin/coder/gstpacobackend.c) and for libpaco (lib/session.c). */
#pragma once
#include "codec/backend.h"

/* Users ask for one of these. */
typedef enum
{
  PACO_USE_AUTO, /* a GPU where there is one that works, else the CPU */
  PACO_USE_CUDA,
  PACO_USE_CPU,
} PacoUse;

/* Is called if a backend that would have done cannot be used; the next one is
 * tried, if there is one. */
typedef void (*PacoBackendRefused) (
    void *user_data, PacoUse which, const GError *failure);

/* Opens an encoder, or a decoder, of the first backend that was asked for and can
 * be used. If it is to work in a context of somebody else (options->context),
 * that is the backend of these contexts. refused may be NULL. Returns NULL and
 * the last backend's error if there is none. */
PacoCoder *paco_backends_open (PacoUse use, bool encoder,
    const PacoBackendOptions *options, PacoBackendRefused refused,
    void *user_data, GError **error);

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacoenc and pacodec have in common with respect to backends: how the one that
 * settings choose is opened, its statistics and its errors. */
#pragma once
#include "codec/backend.h"
#include "gstpacosettings.h"

G_BEGIN_DECLS

/* Opens the backend that the settings ask for, and posts a warning if one of them
 * has no effect. PacoBackendOptions says what drop is. context is the one in which
 * the CUDA backend is to work, or NULL. It returns a PacoEncoder or a PacoDecoder. */
typedef PacoCoder *(*GstPacoOpenFunc) (GstElement *element,
    const PacoSettings *settings, const PacoForeignContext *context,
    void (*drop) (void *), GError **error);
PacoCoder *gst_paco_open_encoder (GstElement *element,
    const PacoSettings *settings, const PacoForeignContext *context,
    void (*drop) (void *), GError **error);
PacoCoder *gst_paco_open_decoder (GstElement *element,
    const PacoSettings *settings, const PacoForeignContext *context,
    void (*drop) (void *), GError **error);

GstStructure *gst_paco_stats_to_structure (const PacoStats *stats);

/* Posts the element error that belongs to the error's code, and frees the error. */
void gst_paco_post_error (GstElement *element, GError *error);

G_END_DECLS

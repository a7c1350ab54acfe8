/* SPDX-License-Identifier: LGPL-2.1-or-later
 * What pacoenc and pacodec have in common with respect to backends: the properties that
 * choose one, and how it is opened; its statistics and its errors. */
#pragma once
#include "codec/backend.h"
#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstPacoBackend:
 * @GST_PACO_BACKEND_AUTO: cuda where a usable device exists, else cpu
 * @GST_PACO_BACKEND_CUDA: NVIDIA GPU
 * @GST_PACO_BACKEND_CPU: CPU
 *
 * Where frames are coded. All backends write the same bytes.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_PACO_BACKEND_AUTO,
  GST_PACO_BACKEND_CUDA,
  GST_PACO_BACKEND_CPU,
} GstPacoBackend;

#define GST_TYPE_PACO_BACKEND (gst_paco_backend_get_type ())
GType gst_paco_backend_get_type (void);

typedef struct
{
  GstPacoBackend backend;
  gint cuda_device_id;
  gchar *cuda_devices; /* NULL: none */
  guint pipeline_depth;
  guint threads;
  /* These are properties of pacodec only. */
  guint max_pixels;
  gboolean conceal;
} GstPacoSettings;

/* Ids of the common properties; an element's own begin after the last. */
enum
{
  GST_PACO_PROP_0,
  GST_PACO_PROP_BACKEND,
  GST_PACO_PROP_CUDA_DEVICE_ID,
  GST_PACO_PROP_CUDA_DEVICES,
  GST_PACO_PROP_PIPELINE_DEPTH,
  GST_PACO_PROP_THREADS,
  GST_PACO_PROP_STATS,
  GST_PACO_PROP_COMMON_LAST = GST_PACO_PROP_STATS
};

void gst_paco_settings_init (GstPacoSettings *settings);
void gst_paco_settings_clear (GstPacoSettings *settings);
/* Copies settings. The copy has to be cleared. */
void gst_paco_settings_copy (
    const GstPacoSettings *settings, GstPacoSettings *copy);
void gst_paco_settings_install (GObjectClass *klass);

/* TRUE if the property was one of the common ones. stats is the element's. */
gboolean gst_paco_settings_set (
    GstPacoSettings *settings, guint id, const GValue *value);
gboolean gst_paco_settings_get (
    const GstPacoSettings *settings, guint id, GValue *value);

/* Opens the backend that the settings ask for, and posts a warning if one of them
 * has no effect. PacoBackendOptions says what drop is. context is the one in which
 * the CUDA backend is to work, or NULL. It returns a PacoEncoder or a PacoDecoder. */
typedef PacoCoder *(*GstPacoOpenFunc) (GstElement *element,
    const GstPacoSettings *settings, const PacoForeignContext *context,
    void (*drop) (void *), GError **error);
PacoCoder *gst_paco_open_encoder (GstElement *element,
    const GstPacoSettings *settings, const PacoForeignContext *context,
    void (*drop) (void *), GError **error);
PacoCoder *gst_paco_open_decoder (GstElement *element,
    const GstPacoSettings *settings, const PacoForeignContext *context,
    void (*drop) (void *), GError **error);

GstStructure *gst_paco_stats_to_structure (const PacoStats *stats);

/* Posts the element error that belongs to the error's code, and frees the error. */
void gst_paco_post_error (GstElement *element, GError *error);

G_END_DECLS

/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The properties of pacodec alone: `reduce`, which the element keeps, and
 * those that are among its settings. */
#pragma once
#include "gstpacobackend.h"

G_BEGIN_DECLS

void gst_paco_dec_properties_install (GObjectClass *klass);

/* With the object lock. TRUE if the property was one of these. */
gboolean gst_paco_dec_properties_set (
    guint *reduce, GstPacoSettings *settings, guint id, const GValue *value);
gboolean gst_paco_dec_properties_get (
    guint reduce, const GstPacoSettings *settings, guint id, GValue *value);

G_END_DECLS

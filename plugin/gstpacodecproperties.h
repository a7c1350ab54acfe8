/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The properties that pacodec has and pacoenc has not: `reduce`, which the element
 * keeps, and those that it keeps among its settings. */
#pragma once
#include "gstpacobackend.h"

G_BEGIN_DECLS

void gst_paco_dec_properties_install (GObjectClass *klass);

/* These set and get a property. They return FALSE if id is not one of these. The
 * object lock must be held. */
gboolean gst_paco_dec_properties_set (
    guint *reduce, GstPacoSettings *settings, guint id, const GValue *value);
gboolean gst_paco_dec_properties_get (
    guint reduce, const GstPacoSettings *settings, guint id, GValue *value);

G_END_DECLS

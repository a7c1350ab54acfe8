/* SPDX-License-Identifier: LGPL-2.1-or-later
 * The settings of lib/stream/settings.h as properties of pacoenc and pacodec. */
#pragma once
#include "lib/stream/settings.h"
#include <gst/gst.h>

G_BEGIN_DECLS

/* The id of the property stats; those of the settings begin after it. */
#define GST_PACO_PROP_STATS 1

/* Installs the settings of the owner, which is PACO_OF_PACOENC or PACO_OF_PACODEC, and
 * stats. */
void gst_paco_settings_install (GObjectClass *klass, PacoSettingOwner owner);

/* Return the setting that this property is, or NULL. The object lock guards settings. */
const PacoSetting *gst_paco_settings_set (
    PacoSettings *settings, guint id, const GValue *value);
const PacoSetting *gst_paco_settings_get (
    const PacoSettings *settings, guint id, GValue *value);

G_END_DECLS
